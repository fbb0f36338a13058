//! Counts in sentences.

use std::fmt::Display;

/// A count and what is counted: `1 entry`, `2 entries`. What is more than a noun has both forms, as in
/// `"run is|runs are"`.
///
/// ```
/// use fedbits_spec::so_many;
///
/// assert_eq!([1, 2].map(|count| so_many(count, "missing value")), ["1 missing value", "2 missing values"]);
/// assert_eq!([1, 0].map(|count| so_many(count, "run is|runs are")), ["1 run is", "0 runs are"]);
/// ```
pub fn so_many(count: impl Display, words: &str) -> String {
    let (one, many) =
        words.split_once('|').map_or_else(|| (words, plural(words)), |(one, many)| (one, many.to_owned()));
    match count.to_string() {
        count if count == "1" => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}

/// A number as short as people write it: with a power of ten below 1e-3 and from 1e5 on.
#[must_use]
pub fn short_number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// The plural of the last word.
fn plural(noun: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    match noun {
        _ if ends(&["ay", "ey", "oy", "och"]) => format!("{noun}s"),
        _ if ends(&["y"]) => format!("{}ies", &noun[..noun.len() - 1]),
        _ if ends(&["ix", "ex"]) => format!("{}ices", &noun[..noun.len() - 2]),
        _ if ends(&["s", "x", "ch", "sh"]) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{plural, short_number};

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.001, -30.0, 1e-4, 1e6].map(short_number);
        assert_eq!(numbers, ["0", "0.001", "-30", "1e-4", "1e6"]);
    }

    #[test]
    fn plurals_are_those_of_the_words_that_are_counted() {
        let words = ["arm", "entry", "day", "class", "process", "complete matrix", "index", "branch", "epoch"];
        let many =
            ["arms", "entries", "days", "classes", "processes", "complete matrices", "indices", "branches", "epochs"];
        assert_eq!(words.map(plural), many);
    }
}
