//! What stands in a cell of a text file.

/// What a cell holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Cell {
    /// A number, finite or not.
    Number,
    /// Nothing, or a word for it.
    Missing,
    /// Something else.
    Text,
}

impl Cell {
    pub(super) fn of(text: &str) -> Self {
        if is_missing(text) {
            Self::Missing
        } else if text.parse::<f64>().is_ok() {
            Self::Number
        } else {
            Self::Text
        }
    }
}

/// Whether a cell says that there is no value.
#[must_use]
pub fn is_missing(text: &str) -> bool {
    let words = ["na", "n/a", "nan", "null"];
    matches!(text, "" | "?" | ".") || words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The text of a cell without the blanks around it.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}
