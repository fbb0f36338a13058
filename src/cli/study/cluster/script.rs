//! Shell scripts in which names that a user chose stand.

use std::ffi::OsStr;

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
        words.into_iter().fold(self, |mut script, word| {
            let bytes = word.as_ref().as_encoded_bytes();
            script.0.push(b' ');
            let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
            if !bytes.is_empty() && bytes.iter().all(is_plain) {
                script.0.extend(bytes);
                return script;
            }
            script.quoted(bytes)
        })
    }

    /// Appends bytes as one word of a POSIX shell: within single quotes every byte but the quote stands for itself.
    pub(super) fn quoted(mut self, bytes: &[u8]) -> Self {
        self.0.push(b'\'');
        for &byte in bytes {
            match byte {
                b'\'' => self.0.extend(br"'\''"),
                byte => self.0.push(byte),
            }
        }
        self.0.push(b'\'');
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_need_it() {
        let script = Script::default().text("x").words(["--out", "a b", "", "it's"]);
        assert_eq!(script.0, br"x --out 'a b' '' 'it'\''s'");
    }
}
