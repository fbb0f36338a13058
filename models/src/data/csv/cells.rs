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

/// Of classes, clients, sites, … that are called as missing values are: a text is a name. `of` says what the codes are
/// of, in the plural.
pub(super) fn is_no_gap(
    what: &str,
    names: &[String],
    codes: impl ExactSizeIterator<Item = u32>,
    of: &str,
) -> Option<String> {
    let code = names.iter().position(|name| is_missing(name))?;
    let (name, all) = (&names[code], codes.len());
    let own = codes.filter(|&own| own as usize == code).count();
    Some(format!("`{name}` is the name of {what}, of {own} of {all} {of}, and no missing value"))
}

/// The text of a cell without the blanks around it.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}
