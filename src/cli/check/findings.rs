//! What `check` finds out about the arms of a scenario, and about all of its runs.

use std::collections::BTreeMap;

use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_spec::{Caveat, Caveats, CountedCaveat};
use serde_json::{Value, json};

use super::cost::{Piloted, Pilots, RunCost};
use crate::cli::failure::Failure;
use crate::cli::project;
use crate::options::RunOptions;
use crate::runs::{Runs, golden_step};
use crate::scenario::{Arm, arm_name};

/// Arms of which a pilot is finished.
const PILOTS: usize = 12;

pub(super) struct Findings<'a> {
    pub(super) runs: &'a Runs,
    pub(super) arms: Vec<Arm>,
    pub(super) threads: usize,
    /// By the number of an arm what came of its pilot; nothing where only texts are checked.
    pub(super) piloted: Vec<(usize, Piloted)>,
    /// What all runs take; none where only texts are checked.
    pub(super) whole: Option<Whole>,
}

#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// Arms × replicates; of a race at most so many.
    pub(super) runs: u64,
    /// Host seconds, one run at a time.
    pub(super) seconds: Amount,
    /// Bits on the wire.
    pub(super) bits: Amount,
    /// Bytes on disk.
    pub(super) disk: Amount,
    /// Bytes of the largest run.
    pub(super) memory: u64,
}

impl<'a> Findings<'a> {
    pub(super) fn of_text(runs: &'a Runs, threads: usize) -> Self {
        let arms = Arm::all(&runs.checked, runs.folder.as_deref());
        Self { runs, arms, threads, piloted: Vec::new(), whole: None }
    }

    /// Makes pilots, which take at most so many seconds of processor time for an arm; `begins` is called before each.
    pub(super) fn make_pilots(
        &mut self,
        options: &RunOptions,
        seconds: f64,
        begins: impl Fn(&Arm),
    ) -> Result<(), Failure> {
        self.runs.check_fit(options)?;
        self.runs.check_targets(options)?;
        let mut pilots = Pilots::new(self.runs.preparer(options)?, seconds);
        let (chosen, stated) = chosen(&self.runs.checked.arms);
        for number in chosen {
            let arm = &self.arms[number];
            begins(arm);
            let piloted = match pilots.run(&arm.checked) {
                // Such a run fails, and keeps no other from being made.
                Err(Failure::Input(why) | Failure::Run(why)) if self.arms.len() > 1 => Piloted::Failed(why),
                piloted => piloted?,
            };
            self.piloted.push((number, piloted));
        }
        self.whole = Some(self.estimate(stated));
        Ok(())
    }

    /// Of all runs, from the pilots; `stated` is the memory of the largest as far as the scenarios alone tell it.
    fn estimate(&self, stated: u64) -> Whole {
        let scenario = &self.runs.checked.scenario;
        let runs = self.arms.len() as u64 * scenario.replicates;
        let is_whole = self.piloted.iter().all(|(_, piloted)| !matches!(piloted, Piloted::Not(..)));
        let is_bound = scenario.search.is_some() || self.costs().any(|(_, cost)| cost.is_bound());
        let scale = runs as f64 / self.piloted.len().max(1) as f64;
        let amount = |of: &dyn Fn(&Arm, &RunCost) -> Option<f64>| {
            let sum = self.costs().try_fold(0.0, |sum, (arm, cost)| Some(sum + of(arm, cost)?));
            let known = sum.filter(|_| self.costs().next().is_some());
            Amount { piloted: known.map(|sum| sum * scale), is_whole, is_bound }
        };
        let memory = self.costs().map(|(_, cost)| cost.memory.total()).max().unwrap_or(0);
        Whole {
            runs,
            seconds: amount(&|_, cost| Some(cost.preparation_seconds + cost.host_seconds()?)),
            bits: amount(&|_, cost| cost.bits()),
            disk: amount(&|arm, cost| cost.bytes_on_disk(arm.checked.scenario.record.every)),
            memory: memory.max(stated),
        }
    }

    pub(super) fn costs(&self) -> impl Iterator<Item = (&Arm, &RunCost)> {
        self.piloted.iter().filter_map(|(number, piloted)| match piloted {
            // Rounds of a failed pilot do not show what the rounds of a run cost.
            Piloted::Cost(cost) if cost.failed().is_none() => Some((&self.arms[*number], cost.as_ref())),
            Piloted::Cost(_) | Piloted::Not(..) | Piloted::Failed(_) => None,
        })
    }

    pub(super) fn of_arm(&self, arm: usize) -> Option<&Piloted> {
        self.piloted.iter().find(|(number, _)| *number == arm).map(|(_, piloted)| piloted)
    }

    /// Why runs cannot be finished and why pilots failed: each reason once, with the arms that have it.
    pub(super) fn failed(&self) -> Vec<String> {
        let why = |(number, piloted): &(usize, Piloted)| {
            let why = match piloted {
                Piloted::Failed(why) => format!("cannot be finished: {why}"),
                Piloted::Cost(cost) => format!("failed in the pilot: {}", cost.failed()?),
                Piloted::Not(..) => return None,
            };
            Some((self.arms[*number].name(), why))
        };
        let reasons = by_text(self.piloted.iter().filter_map(why));
        reasons.into_iter().map(|(arms, why)| format!("`{}` {why}", arms.join("`, `"))).collect()
    }

    /// What is not to be trusted blindly, with the arms that it is about.
    pub(super) fn caveats(&self) -> Vec<CountedCaveat> {
        let none: &[Caveat] = &[];
        let mut caveats = Caveats::default();
        for (number, arm) in self.arms.iter().enumerate() {
            let of_pilot = if let Some(Piloted::Cost(cost)) = self.of_arm(number) { &cost.caveats } else { none };
            caveats.add(arm.name(), arm.checked.caveats.iter().chain(of_pilot));
        }
        let together = self.runs.checked.caveats.iter().cloned().map(CountedCaveat::from);
        caveats.into_vec().into_iter().chain(together).collect()
    }

    pub(super) fn json(&self) -> Value {
        let arm = |(number, arm): (usize, &Arm)| match self.of_arm(number) {
            Some(Piloted::Cost(cost)) => cost.json(&arm.checked),
            Some(Piloted::Failed(why)) => json!({ "arm": arm.name(), "failed": why }),
            Some(Piloted::Not(why, memory)) => {
                json!({ "arm": arm.name(), "not_piloted": why, "memory_bytes": memory.as_ref().map(Estimate::total) })
            }
            None => json!({ "arm": arm.name() }),
        };
        let (checked, whole) = (&self.runs.checked, self.whole.as_ref());
        let amount = |of: fn(&Whole) -> Amount| whole.map(of).and_then(Amount::of_all);
        json!({
            "scenario": checked.scenario.name,
            "arms": self.arms.iter().enumerate().map(arm).collect::<Vec<_>>(),
            "baseline": arm_name(&checked.arms[checked.baseline]),
            "replicates": checked.scenario.replicates,
            "runs": self.arms.len() as u64 * checked.scenario.replicates,
            "piloted": self.piloted.len(),
            "bits": amount(|whole| whole.bits),
            "host_seconds": amount(|whole| whole.seconds),
            "disk_bytes": amount(|whole| whole.disk),
            "memory_bytes": whole.map(|whole| whole.memory),
            "may_end_earlier": whole.is_some_and(|whole| whole.seconds.is_bound),
            "threads": self.threads,
            "project": project::get().file.as_ref().map(|file| file.display().to_string()),
            "caveats": self.caveats(),
        })
    }
}

/// Every text once, in the order in which it comes first, with the arms that it is about.
pub(super) fn by_text<'a>(texts: impl Iterator<Item = (&'a str, String)>) -> Vec<(Vec<&'a str>, String)> {
    let mut all: Vec<(Vec<&str>, String)> = Vec::new();
    for (arm, text) in texts {
        match all.iter_mut().find(|(_, known)| *known == text) {
            Some((arms, _)) if arms.last() == Some(&arm) => {}
            Some((arms, _)) => arms.push(arm),
            None => all.push((vec![arm], text)),
        }
    }
    all
}

/// The arms of which a pilot is finished, and the memory of the largest one as far as the scenarios alone tell it. That
/// one is among them: what it reads may take more.
fn chosen(arms: &[Checked]) -> (Vec<usize>, u64) {
    let memory: Vec<u64> = arms.iter().map(|arm| Estimate::stated(&arm.scenario).total()).collect();
    let most = memory.iter().copied().max().unwrap_or(0);
    let first = memory.iter().position(|bytes| *bytes == most).unwrap_or(0);
    let levels: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
    (spread(&levels, first, PILOTS), most)
}

/// What the runs take whose pilots could be finished; none where it depends on when a target is met.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    piloted: Option<f64>,
    is_whole: bool,
    /// May runs end early, or not be made?
    pub(super) is_bound: bool,
}

impl Amount {
    /// What all runs take, where it is known.
    pub(super) fn of_all(self) -> Option<f64> {
        self.piloted.filter(|_| self.is_whole)
    }

    pub(super) fn told(self, words: impl Fn(f64) -> String) -> String {
        let unfinished = "not every pilot could be finished";
        match self.piloted {
            Some(all) if self.is_whole && self.is_bound => format!("at most about {}", words(all)),
            Some(all) if self.is_whole => format!("about {}", words(all)),
            Some(0.0) => format!("unknown: {unfinished}"),
            Some(least) => format!("more than {}: {unfinished}", words(least)),
            None => "unknown: no pilot ran a round, or nothing bounds the runs (`stop: (rounds: …)` would)".to_owned(),
        }
    }
}

/// So many arms, in their order, of these levels of the axes: `first`, then always one whose levels were chosen least
/// for what they are of all arms, so that every level is among them where there are enough. Of several the next in
/// steps of the golden section, which has no common rhythm with the axes.
fn spread(levels: &[&[usize]], first: usize, most: usize) -> Vec<usize> {
    let arms = levels.len();
    if arms <= most {
        return (0..arms).collect();
    }
    let step = golden_step(arms);
    let order: Vec<usize> = (0..arms).map(|number| (first + number * step) % arms).collect();
    let (all, mut taken) = (counts(levels.iter().copied()), vec![first]);
    while taken.len() < most {
        let seen = counts(taken.iter().map(|&arm| levels[arm]));
        let share = |key: (usize, usize)| seen.get(&key).map_or(0, |seen| seen * arms / all[&key]);
        let excess = |arm: &&usize| levels[**arm].iter().copied().enumerate().map(share).sum::<usize>();
        let left = order.iter().filter(|arm| !taken.contains(arm));
        let next = left.min_by_key(excess).copied();
        taken.extend(next);
    }
    taken.sort_unstable();
    taken
}

/// How many arms have each level of each axis.
fn counts<'a>(arms: impl Iterator<Item = &'a [usize]>) -> BTreeMap<(usize, usize), usize> {
    let mut counts = BTreeMap::new();
    arms.flat_map(|levels| levels.iter().copied().enumerate()).for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One slow pilot does not hide what the others say.
    #[test]
    fn what_is_known_of_some_arms_is_told() {
        let told = |piloted, is_whole| Amount { piloted, is_whole, is_bound: false }.told(|bits| format!("{bits} bit"));
        assert_eq!(told(Some(9.0), true), "about 9 bit");
        let bound = Amount { piloted: Some(9.0), is_whole: true, is_bound: true };
        assert_eq!(bound.told(|bits| format!("{bits} bit")), "at most about 9 bit");
        assert_eq!(told(Some(4.0), false), "more than 4 bit: not every pilot could be finished");
        assert_eq!(told(Some(0.0), false), "unknown: not every pilot could be finished");
        assert!(told(None, true).contains("no pilot ran a round"));
    }

    /// All combinations of so many levels, the last axis changes fastest.
    fn grid(sizes: &[usize]) -> Vec<Vec<usize>> {
        let further = |arms: Vec<Vec<usize>>, &size: &usize| {
            let with = |arm: &Vec<usize>, level: usize| arm.iter().copied().chain([level]).collect();
            arms.iter().flat_map(|arm| (0..size).map(move |level| with(arm, level))).collect()
        };
        sizes.iter().fold(vec![Vec::new()], further)
    }

    fn of(arms: &[Vec<usize>], first: usize) -> Vec<usize> {
        spread(&arms.iter().map(Vec::as_slice).collect::<Vec<_>>(), first, 12)
    }

    /// Every level of axes with at most as many, and about as often as the others: the combination that would make them
    /// even may be there already.
    #[test]
    fn every_level_is_seen() {
        for sizes in [&[4, 3, 3, 2][..], &[12, 2], &[2, 12], &[12, 12], &[2; 7], &[6, 1, 4], &[3, 5, 2], &[100, 2]] {
            let arms = grid(sizes);
            for first in [0, 1, arms.len() - 1] {
                let chosen = of(&arms, first);
                assert!(chosen.len() == 12 && chosen.is_sorted() && chosen.contains(&first), "{sizes:?}: {chosen:?}");
                for (axis, &size) in sizes.iter().enumerate() {
                    let times = |level| chosen.iter().filter(|&&arm| arms[arm][axis] == level).count();
                    let times: Vec<usize> = (0..size).map(times).collect();
                    let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
                    assert!(most - least <= 2, "{sizes:?}, axis {axis}: {times:?}");
                    assert!(size > 12 || *least > 0, "{sizes:?}, axis {axis}: {times:?}");
                }
            }
        }
    }

    /// A level that few arms have is not taken for as many as it has.
    #[test]
    fn levels_are_seen_as_often_as_arms_have_them() {
        let arms: Vec<Vec<usize>> = (0..60).map(|arm| vec![usize::from(arm % 5 == 0)]).collect();
        let rare = of(&arms, 0).into_iter().filter(|arm| arm % 5 == 0).count();
        assert!((2..=3).contains(&rare), "{rare}");
    }

    #[test]
    fn few_arms_speak_for_themselves() {
        assert_eq!(of(&grid(&[3, 2]), 4), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of(&grid(&[1]), 0), [0]);
        // Values of one axis are spread over all of it.
        let chosen = of(&grid(&[1_000]), 0);
        let gaps = chosen.windows(2).map(|pair| pair[1] - pair[0]).chain([1_000 - chosen[11]]);
        assert!(gaps.clone().min().unwrap() > 30 && gaps.max().unwrap() < 200, "{chosen:?}");
    }
}
