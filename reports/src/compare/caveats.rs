//! Caveats of runs: those that differ in numbers only are one, wherever they are told.

use fedbits_record::RunRecord;
use fedbits_spec::so_many;

use crate::words::alike;

/// Up to this many arms are named that share a caveat.
const MAX_ARMS: usize = 6;

/// Caveats of runs, in the order in which they came.
#[derive(Debug, Default)]
pub struct Caveats {
    runs: usize,
    known: Vec<Known>,
}

/// Caveats that differ in numbers only.
#[derive(Debug)]
struct Known {
    /// Without its numbers.
    words: String,
    first: String,
    /// Whether others differ from the first.
    differs: bool,
    /// How many runs have it.
    runs: usize,
    /// The last of them: a run can have it several times.
    last: usize,
    /// The arms that have it.
    arms: Vec<String>,
}

impl Caveats {
    /// Adds those of a run of an arm; runs of one arm follow on each other.
    pub fn add(&mut self, arm: &str, run: &RunRecord) {
        self.runs += 1;
        for caveat in &run.manifest.caveats {
            let (words, text) = (alike(caveat), caveat.trim_end_matches('.'));
            let at = self.known.iter().position(|own| own.words == words).unwrap_or_else(|| {
                let (first, arms) = (text.to_owned(), Vec::new());
                self.known.push(Known { words, first, differs: false, runs: 0, last: 0, arms });
                self.known.len() - 1
            });
            let known = &mut self.known[at];
            known.differs |= known.first != text;
            known.runs += usize::from(known.last != self.runs);
            known.last = self.runs;
            if known.arms.last().is_none_or(|last| last != arm) {
                known.arms.push(arm.to_owned());
            }
        }
    }

    /// Each with how many of the runs have it.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|Known { first, differs, runs, .. }| {
            let others = if *differs { "; others with other numbers" } else { "" };
            format!("{first} ({runs} of {}{others})", so_many(self.runs, "run"))
        })
    }

    /// Each behind the arms that have it.
    pub(crate) fn by_arm(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|Known { first, differs, arms, .. }| {
            let others = if *differs { " (other numbers in other runs)" } else { "" };
            match arms.len() {
                many if many > MAX_ARMS => format!("{many} arms: {first}{others}"),
                _ => format!("{}: {first}{others}", arms.join("; ")),
            }
        })
    }
}
