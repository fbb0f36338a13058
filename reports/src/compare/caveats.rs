//! What a reader of a comparison must know of its runs.

use std::collections::BTreeMap;

use fedbits_record::RunRecord;
use fedbits_spec::so_many;

use crate::words::alike;

/// Caveats of runs, by their words without numbers.
#[derive(Debug, Default)]
pub struct Caveats {
    runs: usize,
    known: BTreeMap<String, Known>,
}

/// Caveats that differ in numbers only.
#[derive(Debug)]
struct Known {
    first: String,
    /// Whether others differ from the first.
    differs: bool,
    /// How many runs have it.
    runs: usize,
    /// The last of them: a run can have it several times.
    last: usize,
}

impl Caveats {
    /// Adds those of a run.
    pub fn add(&mut self, run: &RunRecord) {
        self.runs += 1;
        for caveat in &run.manifest.caveats {
            let new = || Known { first: caveat.clone(), differs: false, runs: 0, last: 0 };
            let known = self.known.entry(alike(caveat)).or_insert_with(new);
            known.differs |= known.first != *caveat;
            known.runs += usize::from(known.last != self.runs);
            known.last = self.runs;
        }
    }

    /// Each with how many of the runs have it.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.known.values().map(|Known { first, differs, runs, .. }| {
            let others = if *differs { "; others with other numbers" } else { "" };
            format!("{first} ({runs} of {}{others})", so_many(self.runs, "run"))
        })
    }
}
