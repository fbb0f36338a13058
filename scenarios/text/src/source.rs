//! A text and its name.

/// A text and the name under which its problems are reported.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Source {
    /// The file's name as the user gave it, or another description of where the text was written.
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
