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

    /// The names in their final order, and the final number of every preliminary one. Different spellings of one
    /// integer become one name.
    pub(crate) fn finish(self) -> (Vec<String>, Vec<u32>) {
        let integers = |name: &str| name.split(SEPARATOR).map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>();
        let mut names: Vec<(String, u32)> = self.0.into_iter().collect();
        names.sort_by_key(|(_, first)| *first);
        let all: Option<Vec<Vec<i64>>> = names.iter().map(|(name, _)| integers(name)).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        if let Some(all) = &all {
            order.sort_by(|&a, &b| all[a].cmp(&all[b]));
        }
        let (mut distinct, mut numbers): (Vec<String>, Vec<u32>) = (Vec::new(), vec![0; names.len()]);
        let mut before = None;
        for index in order {
            let same = all.as_ref().is_some_and(|all| before.is_some_and(|before: usize| all[before] == all[index]));
            if !same {
                distinct.push(names[index].0.replace(SEPARATOR, "-"));
            }
            numbers[index] = distinct.len() as u32 - 1;
            before = Some(index);
        }
        (distinct, numbers)
    }
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
