//! k of n in words, with the runs whose final fit is degenerate: they are among the n, and not among the k.

use super::samples::{Pair, Samples};
use std::collections::BTreeMap;

/// For example "23/30", or "23/30, 7 degenerate".
#[must_use]
pub fn reached_of(reached: usize, of: usize, degenerate: usize) -> String {
    worded([reached, of, degenerate], "degenerate")
}

/// The same where there is little room.
pub(crate) fn reached_in_short(reached: usize, of: usize, degenerate: usize) -> String {
    worded([reached, of, degenerate], "deg.")
}

/// What the short form means, for captions; empty where no run is degenerate.
pub(crate) fn short_form(degenerate: usize) -> &'static str {
    if degenerate > 0 { " (deg.: runs with a degenerate fit, which are not among the k)" } else { "" }
}

fn worded([reached, of, degenerate]: [usize; 3], word: &str) -> String {
    match degenerate {
        0 => format!("{reached}/{of}"),
        some => format!("{reached}/{of}, {some} {word}"),
    }
}

impl Samples {
    /// The runs of an arm whose final fit is degenerate, of those that something is known of.
    pub(crate) fn degenerate_among<V>(&self, arm: usize, known: &BTreeMap<Pair, V>) -> usize {
        let runs = &self.arms[arm].runs;
        known.keys().filter(|pair| runs.get(pair).is_some_and(|run| run.degenerate)).count()
    }
}
