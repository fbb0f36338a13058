//! Codes of a categorical column (labels, groups).

use std::collections::BTreeMap;

/// A categorical column: a code per row, numbered by first appearance until the end is known.
#[derive(Default)]
pub(super) struct Codes {
    of_text: BTreeMap<String, u32>,
    rows: Vec<u32>,
}

impl Codes {
    pub(super) fn push(&mut self, text: &str) {
        let next = self.of_text.len() as u32;
        let code = match self.of_text.get(text) {
            Some(&code) => code,
            None => {
                self.of_text.insert(text.to_owned(), next);
                next
            }
        };
        self.rows.push(code);
    }

    /// Bytes of memory so far: a code per row, and about 64 per different text.
    pub(super) fn bytes(&self) -> u64 {
        4 * self.rows.capacity() as u64 + 64 * self.of_text.len() as u64
    }

    /// Integers are renumbered in numeric order, and different spellings of one integer become one class.
    pub(super) fn finish(self) -> Vec<u32> {
        let integers: Option<Vec<(i64, u32)>> =
            self.of_text.iter().map(|(text, &code)| text.parse().ok().map(|value| (value, code))).collect();
        let Some(mut integers) = integers else { return self.rows };
        integers.sort_unstable();
        let mut renumbered = vec![0; integers.len()];
        let mut class = 0;
        for (place, &(value, code)) in integers.iter().enumerate() {
            class += u32::from(place > 0 && integers[place - 1].0 != value);
            renumbered[code as usize] = class;
        }
        self.rows.iter().map(|&code| renumbered[code as usize]).collect()
    }
}
