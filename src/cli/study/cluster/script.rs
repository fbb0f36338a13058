//! Shell scripts in which names that a user chose stand.

use std::ffi::OsStr;

use fedbits_spec::shell;

/// A shell script; names need not be UTF-8.
#[derive(Default)]
pub(super) struct Script(pub(super) Vec<u8>);

impl Script {
    /// A script that begins with this comment.
    pub(super) fn marked(mark: &str) -> Self {
        Self::default().text(&format!("#!/bin/sh\n# {mark}\n"))
    }

    /// Appends text as it is.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.0.extend(text.bytes());
        self
    }

    /// Appends a name as one word.
    pub(super) fn word(self, name: impl AsRef<OsStr>) -> Self {
        self.quoted(name.as_ref().as_encoded_bytes())
    }

    /// Appends words, each after a blank, quoted where a shell would change them.
    pub(super) fn words(self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        words.into_iter().fold(self, |script, word| match word.as_ref().to_str() {
            Some(word) => script.text(" ").text(&shell::word(word)),
            None => script.text(" ").word(word),
        })
    }

    /// Appends bytes as one word.
    pub(super) fn quoted(mut self, bytes: &[u8]) -> Self {
        self.0.extend(shell::quoted(bytes));
        self
    }
}
