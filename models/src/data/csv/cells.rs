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

/// Whether a text is a number, also one with a decimal comma or separators of thousands: such a cell is no level of a
/// factor.
pub(super) fn is_numeric(text: &str) -> bool {
    let begins = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ',');
    let separators = [',', '.', '\'', '’', ' ', '\u{a0}', '\u{202f}'];
    text.starts_with(begins) && (is_decimal(text) || separators.iter().any(|&own| is_grouped(text, own)))
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

/// Two classes, clients, sites, … whose names are the same number: texts that differ are different.
pub(super) fn is_one_number(what: &str, names: &[String]) -> Option<String> {
    // Beyond this different whole numbers are one double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = |name: &String| name.parse::<f64>().ok().filter(|number| number.abs() < EXACT);
    let mut numbers = names.iter().filter_map(|name| Some((number(name)?, name))).collect::<Vec<_>>();
    numbers.sort_by(|(one, _), (other, _)| (one + 0.0).total_cmp(&(other + 0.0)));
    let [(_, one), (_, other)] = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0)? else { return None };
    Some(format!("`{one}` and `{other}` are two {what}, and one number"))
}

/// The text of a cell without the blanks around it.
pub(super) fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::is_numeric;

    #[test]
    fn numbers_are_recognized_however_they_are_written() {
        for text in ["5", "-5.1", "5,1", "-5,1", ",5", "1,234.5", "1.234,5", "1'234", "1 234,5", "1\u{a0}234", "1e3"] {
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
