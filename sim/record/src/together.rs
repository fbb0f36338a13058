//! Which runs a command makes together, so that a folder of their records can say when one is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

use crate::{Manifest, has_manifest, is_temporary};

/// An arm that was to be run by the same command, and its replicates.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct ArmRuns {
    /// Its name.
    pub arm: String,
    /// Its first replicate.
    pub first_replicate: u64,
    /// How many there are.
    pub replicates: u64,
}

impl ArmRuns {
    fn numbers(&self) -> std::ops::Range<u64> {
        self.first_replicate..self.first_replicate.saturating_add(self.replicates)
    }

    /// Those of runs that are given by arm and replicate, in their order; the replicates of an arm follow each other.
    #[must_use]
    pub fn of<'a>(runs: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<Self> {
        let mut arms: Vec<Self> = Vec::new();
        for (arm, replicate) in runs {
            match arms.iter_mut().find(|own| own.arm == arm) {
                Some(own) => own.replicates += 1,
                None => arms.push(Self { arm: arm.to_owned(), first_replicate: replicate, replicates: 1 }),
            }
        }
        arms
    }
}

/// So many runs are named one by one.
const NAMED: usize = 5;

/// The runs of which there is no record directly in a folder, though those that are there were made together with them;
/// for people. Nothing of a folder that is a record itself, and of records of former programs.
fn missing_records(folder: &Path) -> Vec<String> {
    // Who reads the records says why a folder cannot be read.
    if has_manifest(folder).unwrap_or(true) {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.filter(|entry| !is_temporary(&entry.file_name())).map(|entry| entry.path());
    let there: Vec<Manifest> = paths.filter_map(|path| Manifest::read(&path).ok()).collect();
    missing(&there)
}

/// The caveat of a folder in which records are missing.
#[must_use]
pub fn missing_caveat(folder: &Path) -> Option<Caveat> {
    let names = missing_records(folder);
    let folder = folder.display().to_string();
    (!names.is_empty()).then(|| Caveat::MissingRecords { folder, records: names.join("; ") })
}

/// What the records of a scenario say of each other.
#[derive(Default)]
struct Known<'m> {
    wanted: Vec<&'m ArmRuns>,
    found: BTreeSet<(&'m str, u64)>,
}

fn missing(there: &[Manifest]) -> Vec<String> {
    let mut scenarios: BTreeMap<&str, Known<'_>> = BTreeMap::new();
    for own in there {
        let Known { wanted, found } = scenarios.entry(&own.scenario).or_default();
        wanted.extend(own.together.iter().filter(|arm| !wanted.contains(arm)).collect::<Vec<_>>());
        found.insert((&own.arm, own.replicate));
    }
    let (mut named, mut all) = (Vec::new(), 0_u64);
    for Known { wanted, found } in scenarios.values() {
        for own in wanted.iter().filter(|own| own.replicates > 0) {
            let (arm, numbers) = (own.arm.as_str(), own.numbers());
            match found.iter().filter(|(name, number)| *name == arm && numbers.contains(number)).count() as u64 {
                0 => {
                    named.push(format!("`{arm}`"));
                    all = all.saturating_add(1);
                }
                here => {
                    all = all.saturating_add(numbers.end - numbers.start - here);
                    // Numbers come from a file and may be huge: no more are counted through than are named.
                    let gone = numbers.filter(|&number| !found.contains(&(arm, number)));
                    named.extend(gone.take(NAMED).map(|number| format!("`{arm}`, replicate {number}")));
                }
            }
        }
    }
    named.truncate(NAMED);
    let more = all - named.len() as u64;
    named.extend((more > 0).then(|| format!("{more} more")));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(arm: &str, replicate: u64, together: &[ArmRuns]) -> Manifest {
        let (scenario, arm) = ("s".to_owned(), arm.to_owned());
        Manifest { scenario, arm, replicate, together: together.to_vec(), ..Manifest::default() }
    }

    #[test]
    fn what_was_made_together_is_missed() {
        let runs = ["a", "b", "c"].into_iter().flat_map(|arm| (3..5).map(move |replicate| (arm, replicate)));
        let all = ArmRuns::of(runs.clone());
        assert_eq!(all.len(), 3);
        let whole: Vec<Manifest> = runs.map(|(arm, replicate)| manifest(arm, replicate, &all)).collect();
        assert!(missing(&whole).is_empty());
        let without = |gone: &[usize]| {
            let left = whole.iter().enumerate().filter(|(number, _)| !gone.contains(number));
            missing(&left.map(|(_, own)| own.clone()).collect::<Vec<_>>())
        };
        assert_eq!(without(&[2, 3]), ["`b`"]);
        assert_eq!(without(&[1]), ["`a`, replicate 4"]);
        assert_eq!(without(&[0, 2, 3, 5]), ["`a`, replicate 3", "`b`", "`c`, replicate 4"]);
        assert!(missing(&[manifest("a", 0, &[])]).is_empty(), "a former program did not say");
        assert_eq!(without(&[0, 1, 2, 3, 4]), ["`a`", "`b`", "`c`, replicate 3"]);
    }

    #[test]
    fn a_damaged_count_takes_no_time() {
        let broken = [ArmRuns { arm: "a".to_owned(), first_replicate: 0, replicates: u64::MAX }];
        let said = missing(&[manifest("a", 1, &broken)]);
        assert_eq!(said.len(), NAMED + 1, "{said:?}");
        assert_eq!((&*said[0], &*said[1]), ("`a`, replicate 0", "`a`, replicate 2"));
    }
}
