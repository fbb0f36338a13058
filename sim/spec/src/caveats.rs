//! Caveats of several runs: those of one id are one, with the number of runs of each arm that have it.

use std::fmt;

use serde::Serialize;

use crate::caveat::Caveat;
use crate::so_many;

/// Up to this many arms are named that share a caveat.
const MAX_ARMS: usize = 6;

/// Counts the caveats of runs, in the order in which they came.
#[derive(Debug, Default)]
pub struct Caveats {
    runs: usize,
    /// The arms with the number of their runs.
    arms: Vec<(String, usize)>,
    found: Vec<CountedCaveat>,
}

/// A caveat with the runs that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedCaveat {
    /// The first one.
    #[serde(flatten)]
    pub caveat: Caveat,
    /// Whether the values of others differ.
    differs: bool,
    /// The arms that have it.
    arms: Vec<ArmCount>,
    /// The number of the last run that has it: a run can have it several times.
    #[serde(skip)]
    last: usize,
    /// The number of all runs, 0 of a caveat that is about no run.
    #[serde(skip)]
    total: usize,
}

/// How many runs of an arm have a caveat.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ArmCount {
    arm: String,
    runs: usize,
    of: usize,
}

impl Caveats {
    /// Adds those of a run of an arm; runs of one arm follow on each other.
    pub fn add<'a>(&mut self, arm: &str, caveats: impl IntoIterator<Item = &'a Caveat>) {
        self.runs += 1;
        match self.arms.last_mut().filter(|(last, _)| last == arm) {
            Some((_, runs)) => *runs += 1,
            None => self.arms.push((arm.to_owned(), 1)),
        }
        for caveat in caveats {
            let at = self.found.iter().position(|counted| counted.caveat.is_alike(caveat)).unwrap_or_else(|| {
                self.found.push(caveat.clone().into());
                self.found.len() - 1
            });
            let found = &mut self.found[at];
            found.differs |= found.caveat != *caveat;
            if found.last == self.runs {
                continue;
            }
            found.last = self.runs;
            match found.arms.last_mut().filter(|count| count.arm == arm) {
                Some(count) => count.runs += 1,
                None => found.arms.push(ArmCount { arm: arm.to_owned(), runs: 1, of: 0 }),
            }
        }
    }

    /// All of them.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<CountedCaveat> {
        for found in &mut self.found {
            found.total = self.runs;
            for count in &mut found.arms {
                count.of = self.arms.iter().filter(|(name, _)| *name == count.arm).map(|(_, runs)| runs).sum();
            }
        }
        self.found
    }
}

impl From<Caveat> for CountedCaveat {
    fn from(caveat: Caveat) -> Self {
        Self { caveat, differs: false, arms: Vec::new(), last: 0, total: 0 }
    }
}

/// The sentence; behind it the runs that have the caveat, where not all have it with the same values.
impl fmt::Display for CountedCaveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { caveat, differs, arms, total, .. } = self;
        let runs: usize = arms.iter().map(|count| count.runs).sum();
        let named = |count: &ArmCount| match count.runs == count.of {
            true => count.arm.clone(),
            false => format!("{}: {} of {}", count.arm, count.runs, count.of),
        };
        let arms = match arms.len() {
            many if many > MAX_ARMS => format!("{many} arms"),
            _ => arms.iter().map(named).collect::<Vec<_>>().join("; "),
        };
        let counted = (runs < *total).then(|| format!("{runs} of {}: {arms}", so_many(*total, "run")));
        let variation = differs.then(|| "other values in other runs".to_owned());
        let about: Vec<String> = counted.into_iter().chain(variation).collect();
        write!(f, "{caveat}")?;
        if about.is_empty() { Ok(()) } else { write!(f, " ({})", about.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caveats_of_one_id_are_counted_per_arm() {
        let clipped = |entries: &str, statistics: &str| Caveat::ClippedEntries {
            statistics: statistics.to_owned(),
            entries: entries.to_owned(),
        };
        let (one, two, of_s) = (clipped("1 entry", "Ŝ"), clipped("2 entries", "Ŝ"), clipped("1 entry", "S"));
        let mut all = Caveats::default();
        all.add("a", [&one, &one]);
        all.add("a", []);
        all.add("b", [&two, &of_s]);
        let texts: Vec<String> = all.into_vec().iter().map(ToString::to_string).collect();
        let first = "T clipped 1 entry of Ŝ (2 of 3 runs: a: 1 of 2; b; other values in other runs)";
        assert_eq!(texts, [first, "T clipped 1 entry of S (1 of 3 runs: b)"]);
    }
}
