//! Categories (labels, groups, sites), numbered from 0: in numeric order when all their names are integers, otherwise
//! in the order of their first appearance. Times have an order of their own: see [`Names::finish_times`].

use std::collections::{BTreeMap, BTreeSet};

/// Between the parts of a name.
const SEPARATOR: &str = "\u{1f}";

/// Names of one or several parts, numbered by first appearance until all are known.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, u32>);

impl Names {
    /// The preliminary number of a name.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let next = self.0.len() as u32;
        self.0.insert(name.to_owned(), next);
        next
    }

    /// The same for a name of several parts.
    pub(crate) fn number_of_parts(&mut self, parts: &[impl AsRef<str>]) -> u32 {
        self.number(&parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(SEPARATOR))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The names in their final order, and the final number of every preliminary one. Different texts stay different,
    /// also where they are one integer.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<u32>) {
        let mut names: Vec<(String, u32)> = self.0.into_iter().collect();
        // They come in the order of their texts, which a stable sort keeps for equal integers.
        match names.iter().all(|(name, _)| integer(name).is_some()) {
            true => names.sort_by_cached_key(|(name, _)| integer(name)),
            false => names.sort_by_key(|(_, first)| *first),
        }
        numbered(names)
    }

    /// The same for names of times, part after part, the most significant first: by number where all have numbers
    /// there, by their texts where all are dates of ISO 8601 of one length. Otherwise they stay in the order of their
    /// first appearance, and one that is neither is returned, too.
    pub(crate) fn finish_times(self) -> (Vec<String>, Vec<u32>, Option<String>) {
        let mut names: Vec<(String, u32)> = self.0.into_iter().collect();
        let parts = names.first().map_or(0, |(name, _)| name.split(SEPARATOR).count());
        let texts = |part: usize| names.iter().filter_map(move |(name, _)| name.split(SEPARATOR).nth(part));
        let is_finite = |text: &str| text.parse().is_ok_and(f64::is_finite);
        let kinds = (0..parts).map(|part| {
            let integers = texts(part).all(|text| integer(text).is_some());
            let numbers = texts(part).all(is_finite);
            let shapes: BTreeSet<String> = texts(part).map(shape).collect();
            let dates = shapes.len() == 1 && shapes.first().is_some_and(|shape| shape.starts_with("0000-"));
            match texts(part).rfind(|text| !is_finite(text)) {
                _ if integers => Ok(Kind::Integers),
                _ if numbers => Ok(Kind::Numbers),
                Some(strange) if !dates => Err(strange.to_owned()),
                _ => Ok(Kind::Texts),
            }
        });
        let strange = match kinds.collect::<Result<Vec<Kind>, String>>() {
            Ok(kinds) => {
                names.sort_by_cached_key(|(name, _)| {
                    kinds.iter().zip(name.split(SEPARATOR)).map(|(kind, part)| kind.key(part)).collect::<Vec<_>>()
                });
                None
            }
            Err(strange) => {
                names.sort_by_key(|(_, first)| *first);
                Some(strange)
            }
        };
        let (names, numbers) = numbered(names);
        (names, numbers, strange)
    }
}

/// The names without their preliminary numbers, and the place of each by its preliminary number.
fn numbered(names: Vec<(String, u32)>) -> (Vec<String>, Vec<u32>) {
    let mut numbers = vec![0; names.len()];
    for (number, (_, first)) in names.iter().enumerate() {
        numbers[*first as usize] = number as u32;
    }
    (names.into_iter().map(|(name, _)| name.replace(SEPARATOR, "-")).collect(), numbers)
}

/// A text with 0 in place of every digit.
fn shape(text: &str) -> String {
    text.chars().map(|character| if character.is_ascii_digit() { '0' } else { character }).collect()
}

/// What parts of times are.
enum Kind {
    Integers,
    Numbers,
    Texts,
}

/// A part of a time, to be sorted by.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
enum Key {
    Integer(Integer),
    /// Bits of a finite number, in the order of the numbers.
    Number(i64),
    Text(String),
}

impl Kind {
    fn key(&self, part: &str) -> Key {
        match self {
            Self::Integers => Key::Integer(integer(part).unwrap_or_default()),
            Self::Numbers => {
                // −0 is 0; negative numbers are the smaller the larger their other bits are.
                let bits = (part.parse().unwrap_or(0.0_f64) + 0.0).to_bits() as i64;
                Key::Number(if bits < 0 { bits ^ i64::MAX } else { bits })
            }
            Self::Texts => Key::Text(part.to_owned()),
        }
    }
}

/// An integer of any length: how many digits (fewer than 0 of a negative one), and these.
type Integer = (i64, Vec<u8>);

/// The integer that a text is, to be sorted by; also that of `1.0`: so tables of integers are written where a column
/// had a gap once.
fn integer(text: &str) -> Option<Integer> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        let whole = text.parse::<f64>().ok().filter(|number| number.fract() == 0.0);
        return whole.and_then(|number| integer(&number.to_string()));
    }
    let digits = &digits[digits.iter().take_while(|&&digit| digit == b'0').count()..];
    let length = digits.len() as i64;
    Some(match negative {
        false => (length, digits.to_vec()),
        true => (-length, digits.iter().map(|digit| u8::MAX - digit).collect()),
    })
}

/// The name of a finite number: −0 is 0.
pub(crate) fn name_of(number: f64) -> String {
    (number + 0.0).to_string()
}

/// Codes of names by the numbers that a reader of files gives them, with the names in that order. Names that are not
/// used are left out.
///
/// # Panics
/// For a code that has no name.
#[must_use]
pub fn recoded(codes: &[u32], names: &[String]) -> (Vec<String>, Vec<u32>) {
    let mut all = Codes::default();
    codes.iter().for_each(|&code| all.push(&names[code as usize]));
    all.finish()
}

/// A categorical column: a code per row.
#[derive(Default)]
pub(crate) struct Codes {
    names: Names,
    rows: Vec<u32>,
}

impl Codes {
    pub(crate) fn push(&mut self, text: &str) {
        self.rows.push(self.names.number(text));
    }

    /// Bytes of memory so far: a code per row, and about 64 per different text.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.rows.capacity() as u64 + 64 * self.names.len() as u64
    }

    /// The names of the categories, and the final codes.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<u32>) {
        let (names, numbers) = self.names.finish();
        (names, self.rows.iter().map(|&first| numbers[first as usize]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, recoded};

    #[test]
    fn names_are_numbered_by_size_or_by_first_appearance() {
        let recoded = |codes: &[u32], names: [&str; 3]| {
            let (names, codes) = recoded(codes, &names.map(str::to_owned));
            (names.join(" "), codes)
        };
        assert_eq!(recoded(&[2, 0, 1, 2], ["10", "2", "-1"]), ("-1 2 10".to_owned(), vec![0, 2, 1, 0]));
        assert_eq!(recoded(&[2, 0, 1, 2], ["a", "2", "c"]), ("c a 2".to_owned(), vec![0, 1, 2, 0]));
        assert_eq!(recoded(&[1, 0], ["a", "b", "never"]), ("b a".to_owned(), vec![0, 1]));
        // As pandas and NumPy write integers that are floats.
        assert_eq!(
            recoded(&[2, 0, 1, 2], ["10.0", "2.0", "1.0e+00"]),
            ("1.0e+00 2.0 10.0".to_owned(), vec![0, 2, 1, 0])
        );
        assert_eq!(recoded(&[2, 0, 1, 2], ["10.0", "2.0", "nan"]), ("nan 10.0 2.0".to_owned(), vec![0, 1, 2, 0]));
        // Such as hashes of 64 bits.
        assert_eq!(recoded(&[0, 1, 2], ["1.5e+19", "-0.0", "2.0"]), ("-0.0 2.0 1.5e+19".to_owned(), vec![2, 0, 1]));
        // Two with one text are one, as in a file.
        assert_eq!(recoded(&[2, 0, 1], ["1", "5", "1"]), ("1 5".to_owned(), vec![0, 0, 1]));
    }

    /// Integers of any length are numbers: a hash of 64 bits among them changes nothing of the order of the others.
    #[test]
    fn integers_have_any_length() {
        let names = ["18446744073709551615", "5", "-007", "9223372036854775808", "-18446744073709551615", "+6", "0"];
        let (names, codes) = recoded(&[0, 1, 2, 3, 4, 5, 6], &names.map(str::to_owned));
        let sorted = "-18446744073709551615 -007 0 5 +6 9223372036854775808 18446744073709551615";
        assert_eq!((names.join(" "), codes), (sorted.to_owned(), vec![6, 3, 1, 5, 0, 4, 2]));
    }

    /// Times are in their own order, whatever the order of the rows; only what has none stays as it came.
    #[test]
    fn times_have_an_order() {
        let sorted = |times: &[&[&str]]| {
            let mut names = Names::default();
            for time in times {
                names.number_of_parts(time);
            }
            let (names, _, strange) = names.finish_times();
            (names.join(" "), strange)
        };
        let plain = |times: &[&str]| sorted(&times.iter().map(std::slice::from_ref).collect::<Vec<_>>());
        assert_eq!(plain(&["2021-03-01", "2021-01-01", "2020-12-01"]).0, "2020-12-01 2021-01-01 2021-03-01");
        assert_eq!(plain(&["10.5", "9.5", "100", "-3", "-20", "1e2"]).0, "-20 -3 9.5 10.5 100 1e2");
        assert_eq!(plain(&["10", "9", "x"]), ("10 9 x".to_owned(), Some("x".to_owned())));
        let parts: [&[&str]; 3] = [&["2021", "2.5"], &["2021", "1.5"], &["2020", "12"]];
        assert_eq!(sorted(&parts), ("2020-12 2021-1.5 2021-2.5".to_owned(), None));
    }
}
