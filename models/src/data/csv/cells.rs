//! What stands in a cell of a text file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::Caveat;

use crate::data::error::shown;

/// Whether a text is a number, also one with a decimal comma or separators of thousands: such a cell is no level of a
/// factor.
#[must_use]
pub fn is_numeric(text: &str) -> bool {
    let begins = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ',');
    let separators = [',', '.', '\'', '’', '_', ' ', '\u{a0}', '\u{202f}'];
    text.starts_with(begins) && (is_decimal(text) || separators.iter().any(|&separator| is_grouped(text, separator)))
}

/// With a point or a comma.
fn is_decimal(text: &str) -> bool {
    text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// With a separator before every three digits, and perhaps a fraction.
fn is_grouped(text: &str, separator: char) -> bool {
    let parts: Vec<&str> = text.split(separator).collect();
    let [_, middle @ .., last] = &parts[..] else { return false };
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let is_whole = middle.iter().all(|part| part.len() == 3 && digits(part) == 3);
    is_whole && digits(last) == 3 && is_decimal(&parts.concat())
}

/// Whether this is what programs call a column that numbers the rows: R and pandas nothing, pandas otherwise when it
/// reads such a table, and when it writes Parquet.
#[must_use]
pub fn is_index(title: &str) -> bool {
    matches!(title, "" | "Unnamed: 0" | "__index_level_0__")
}

/// Words for a missing value in any case.
const WORDS: [&str; 4] = ["na", "n/a", "nan", "null"];
/// The same as they stand here: the others of pandas (`read_csv`), and what Excel writes for an error.
const EXACT_WORDS: [&str; 19] = [
    "None", "<NA>", "#N/A", "#N/A N/A", "#NA", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "#DIV/0!",
    "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!",
];

/// Whether a cell says that there is no value.
#[must_use]
pub fn is_missing(text: &str) -> bool {
    let is_word = || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) || EXACT_WORDS.contains(&text);
    matches!(text, "" | "?" | ".") || is_word()
}

/// What is to be said of the names of classes, clients, sites, …: one is called as missing values are, two are one
/// number, or two differ in case alone. `one` and `all` say what the names are of, `of` what the `codes` are of.
pub(super) fn said_of_names(
    (one, all): (&str, &str),
    names: &[String],
    codes: impl ExactSizeIterator<Item = u32>,
    of: &str,
) -> impl Iterator<Item = Caveat> {
    let is_no_gap = names.iter().position(|name| is_missing(name)).map(|code| {
        let total = format!("{} {of}", codes.len());
        let count = codes.filter(|&entry| entry as usize == code).count().to_string();
        Caveat::NameAndNoGap { kind: one.to_owned(), name: names[code].clone(), count, total }
    });
    [is_no_gap, are_one_number(all, names), differ_in_case(all, names)].into_iter().flatten()
}

/// Two names that are the same number: texts that differ are different.
fn are_one_number(all: &str, names: &[String]) -> Option<Caveat> {
    // Beyond this different whole numbers are one double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = |name: &String| name.parse::<f64>().ok().filter(|number| number.abs() < EXACT);
    let mut numbers = names.iter().filter_map(|name| Some((number(name)?, name))).collect::<Vec<_>>();
    numbers.sort_by(|(one, _), (other, _)| (one + 0.0).total_cmp(&(other + 0.0)));
    let [(_, one), (_, other)] = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0)? else { return None };
    Some(Caveat::OneNumber { kind: all.to_owned(), one: (*one).clone(), other: (*other).clone() })
}

/// Two names that differ in the case of their letters alone.
pub(super) fn differ_in_case(all: &str, names: &[String]) -> Option<Caveat> {
    let mut folded = BTreeMap::new();
    let (one, other) = names.iter().find_map(|name| {
        // Numbers such as `1e3` and `1E3` are told as one number.
        let letters = Some(name.to_lowercase()).filter(|_| name.parse::<f64>().is_err())?;
        folded.insert(letters, name).map(|before| (before, name))
    })?;
    Some(Caveat::DifferInCase { kind: all.to_owned(), one: one.clone(), other: other.clone() })
}

/// The text of a cell without the blanks around it.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

/// A cell: a number, or a text without the blanks around it, which is empty where there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet files have such cells"))]
    Number(f64),
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// The number that it is, or that stands there, finite or not.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }

    /// What stands there; numbers so that they are read back as the same.
    pub(super) fn text(self) -> Cow<'a, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => text,
        }
    }
}

/// Numbers alone are no names, unless they number the columns.
pub(super) fn are_data(names: &[String]) -> bool {
    let numbers = !names.is_empty() && names.iter().all(|name| name.parse::<f64>().is_ok());
    let distinct: BTreeSet<&String> = names.iter().collect();
    numbers && (distinct.len() < names.len() || names.iter().any(|name| name.parse::<u64>().is_err()))
}

/// What a number should look like, for what is none: files come with other delimiters and other ways to write numbers.
pub(super) fn expected_instead_of(cell: &str) -> &'static str {
    if cell.contains([';', '|', '\t']) {
        "a number (has the file another `delimiter`?)"
    } else if is_numeric(cell) {
        "a number with a decimal point and without separators of thousands"
    } else {
        "a number"
    }
}

/// The name that differs least, if any is near, else all names; and advice where they are numbers.
pub(super) fn instead(name: &str, names: &[String]) -> (String, &'static str) {
    let distance = |candidate: &String| strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
    let near = names.iter().min_by_key(|candidate| distance(candidate));
    if let Some(near) = near.filter(|near| distance(near) <= name.chars().count().max(3) / 2) {
        return (format!("did you mean `{near}`?"), "");
    }
    if names.iter().any(|name| name.parse::<f64>().is_ok()) {
        let hint = format!("expected a first line with the names of the columns, found {}", shown(names, 0));
        return (hint, "columns of a file without names are known by their positions from 0");
    }
    (format!("there are {}", shown(names, 0)), "")
}

#[cfg(test)]
mod tests {
    use super::is_numeric;

    #[test]
    fn numbers_are_recognized_however_they_are_written() {
        for text in
            ["5", "-5.1", "5,1", "-5,1", ",5", "1,234.5", "1.234,5", "1'234", "1_000", "1 234,5", "1\u{a0}234", "1e3"]
        {
            assert!(is_numeric(text), "{text}");
        }
        for text in [
            "",
            "a",
            "2x",
            "1-2",
            "12.05.2020",
            "Smith, John",
            "a 1",
            ",",
            "1;2",
            "e5",
            "in, f",
            "inf",
            "1,2,3",
            "2020 05 12",
        ] {
            assert!(!is_numeric(text), "{text}");
        }
    }
}
