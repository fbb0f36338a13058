//! Scenario text with its positions: what it is called, its span tree, and edits that remember where they came from.
//! This room must not know what a scenario means.

pub(crate) mod patched;
pub(crate) mod path;
pub(crate) mod tree;

/// A text and the name under which its problems are reported.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// The file's name as the user gave it, or `--set path=value`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A source of this name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }
}
