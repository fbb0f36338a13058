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
    /// The arms, and how many runs each has.
    arms: Vec<(String, usize)>,
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
    /// The arms that have it, and in how many runs.
    arms: Vec<(String, usize)>,
}

impl Caveats {
    /// Adds those of a run of an arm; runs of one arm follow on each other.
    pub fn add(&mut self, arm: &str, run: &RunRecord) {
        self.runs += 1;
        count(&mut self.arms, arm);
        for caveat in &run.manifest.caveats {
            let (words, text) = (alike(caveat), caveat.trim_end_matches('.'));
            let at = self.known.iter().position(|own| own.words == words).unwrap_or_else(|| {
                let (first, arms) = (text.to_owned(), Vec::new());
                self.known.push(Known { words, first, differs: false, runs: 0, last: 0, arms });
                self.known.len() - 1
            });
            let known = &mut self.known[at];
            known.differs |= known.first != text;
            if known.last != self.runs {
                known.runs += 1;
                count(&mut known.arms, arm);
            }
            known.last = self.runs;
        }
    }

    /// Each with how many of the runs have it, and of which arms where not all runs have it.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|Known { first, differs, runs, arms, .. }| {
            let others = if *differs { "; others with other numbers" } else { "" };
            let of = |(name, some): &(String, usize)| {
                let all = self.arms.iter().find(|(arm, _)| arm == name).map_or(*some, |(_, all)| *all);
                format!("{name}: {some} of {all}")
            };
            let named = match arms.len() {
                _ if *runs == self.runs || self.arms.len() < 2 => String::new(),
                many if many > MAX_ARMS => format!(": {many} arms"),
                _ => format!(": {}", arms.iter().map(of).collect::<Vec<_>>().join("; ")),
            };
            format!("{first} ({runs} of {}{named}{others})", so_many(self.runs, "run"))
        })
    }

    /// Each behind the arms that have it.
    pub(crate) fn by_arm(&self) -> impl Iterator<Item = String> {
        self.known.iter().map(|Known { first, differs, arms, .. }| {
            let others = if *differs { " (other numbers in other runs)" } else { "" };
            match arms.len() {
                many if many > MAX_ARMS => format!("{many} arms: {first}{others}"),
                _ => {
                    let names: Vec<&str> = arms.iter().map(|(name, _)| name.as_str()).collect();
                    format!("{}: {first}{others}", names.join("; "))
                }
            }
        })
    }
}

/// Counts one more run of an arm; runs of one arm follow on each other.
fn count(arms: &mut Vec<(String, usize)>, arm: &str) {
    match arms.last_mut().filter(|(last, _)| last == arm) {
        Some((_, runs)) => *runs += 1,
        None => arms.push((arm.to_owned(), 1)),
    }
}
