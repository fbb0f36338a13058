//! The table of words, `words.ron`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A quantizer of the literature.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantizer {
    /// What it is called; upper and lower case, blanks and signs make no difference.
    pub names: Vec<&'static str>,
    /// How a scenario says it, with parameters for q = 1000.
    pub setting: &'static str,
    /// What is to be known of it.
    pub note: &'static str,
    /// Whether the table of the documentation has the note, too.
    #[serde(default)]
    pub warns: bool,
}

/// What people call something, and how a scenario says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) literature: Vec<Quantizer>,
    /// Where one of several names is expected: the words, names (by blanks) that are among these, what to write.
    #[serde(borrow)]
    pub(super) values: Vec<(Vec<&'static str>, &'static str, &'static str)>,
    /// The words for a setting, and its path.
    pub(super) fields: Vec<(Vec<&'static str>, &'static str)>,
    /// The words for an option of the command line, and its name.
    pub(super) options: Vec<(Vec<&'static str>, &'static str)>,
}

/// All words.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| ron::from_str(include_str!("words.ron")).expect("a test reads the table of words"));
