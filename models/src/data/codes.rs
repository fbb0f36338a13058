//! Categories (labels, groups, sites), numbered from 0: in numeric order when all their names are integers, otherwise
//! in the order of their first appearance.

use std::collections::BTreeMap;

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
    pub(crate) fn number_of_parts(&mut self, parts: &[&str]) -> u32 {
        self.number(&parts.join(SEPARATOR))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The names in their final order, and the final number of every preliminary one. Different texts stay different,
    /// also where they are one integer.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<u32>) {
        let integers = |name: &str| name.split(SEPARATOR).map(integer).collect::<Option<Vec<i64>>>();
        let mut names: Vec<(String, u32)> = self.0.into_iter().collect();
        // They come in the order of their texts, which a stable sort keeps for equal integers.
        match names.iter().map(|(name, _)| integers(name)).collect::<Option<Vec<_>>>() {
            Some(_) => names.sort_by_cached_key(|(name, _)| integers(name)),
            None => names.sort_by_key(|(_, first)| *first),
        }
        let mut numbers = vec![0; names.len()];
        for (number, (_, first)) in names.iter().enumerate() {
            numbers[*first as usize] = number as u32;
        }
        (names.into_iter().map(|(name, _)| name.replace(SEPARATOR, "-")).collect(), numbers)
    }
}

/// The integer that a text says, also as `1.0`: so tables of integers are written where a column had a gap once.
fn integer(text: &str) -> Option<i64> {
    let of_float = || text.parse::<f64>().ok().filter(|own| *own as i64 as f64 == *own).map(|own| own as i64);
    text.parse().ok().or_else(of_float)
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
    use super::recoded;

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
        // Two with one text are one, as in a file.
        assert_eq!(recoded(&[2, 0, 1], ["1", "5", "1"]), ("1 5".to_owned(), vec![0, 0, 1]));
    }
}
