//! What the finished runs of a study say so far: per arm how many, and what they took to get where.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_record::RunRecord;
use fedbits_record::study::{
    Decision, FrameKind, PlanTarget, StoreError, StoredRun, StudyPlan, StudyRecord, TargetCost, reach,
};

use super::state::{Curve, MEASURES, Point};
use super::view::Across;

/// Studies of more arms have no curves of finished runs: they would take much memory, and nobody could look at them.
pub(crate) const ARMS_WITH_CURVES: usize = 500;
/// Points of the curve of a finished run.
const POINTS: usize = 128;

/// The arms of a study.
pub(crate) struct Tally {
    /// The study's name.
    pub(crate) name: String,
    /// What must be known before the results are trusted.
    pub(crate) caveats: Vec<String>,
    /// What the arms are compared by: what it takes to get there; without a target by where they end.
    pub(crate) target: Option<PlanTarget>,
    /// Replicates of each arm.
    pub(crate) replicates: u64,
    /// Its arms.
    pub(crate) arms: Vec<ArmTally>,
}

/// An arm.
pub(crate) struct ArmTally {
    /// Its name.
    pub(crate) name: String,
    /// Replicates that there should be: of a search those that it has asked for so far.
    pub(crate) planned: u64,
    /// The curve of the run that was read last.
    pub(crate) curve: Option<Curve>,
    outcomes: BTreeMap<u64, Outcome>,
}

/// What came of a run.
struct Outcome {
    kind: FrameKind,
    /// Its simulation failed.
    failed: bool,
    /// What the target took; none without one, or of a run that could not be made.
    cost: Option<TargetCost>,
    /// The last values measured.
    last: [Option<f64>; MEASURES.len()],
}

/// Where an arm stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Runs with a result, also where the simulation failed.
    pub(crate) results: u64,
    /// Runs that failed.
    pub(crate) failed: u64,
    /// Runs that could not be begun when last tried.
    pub(crate) not_run: u64,
    /// Runs that have ended in any of these ways.
    pub(crate) ended: u64,
    /// Runs that reached the target; without a target those that measured anything, did not fail and are not
    /// degenerate.
    pub(crate) reached: u64,
    /// Runs whose final fit is degenerate; none of them has reached it.
    pub(crate) degenerate: u64,
    /// Of those: least, median, largest.
    pub(crate) spread: Option<[f64; 3]>,
}

/// The arm that leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leader {
    /// Its number.
    pub(crate) arm: usize,
    /// Where it stands, on the replicates that were compared.
    pub(crate) standing: Standing,
    /// The replicates that all arms have ended and that were compared; 0: there is none, and all were.
    pub(crate) common: usize,
}

impl Tally {
    /// Of a plan of which nothing is known yet.
    pub(crate) fn new(plan: &StudyPlan) -> Self {
        let mut tally = Self {
            name: plan.name.clone(),
            caveats: plan.caveats.clone(),
            target: plan.targets.first().cloned(),
            replicates: plan.replicates,
            arms: Vec::new(),
        };
        tally.plan(plan, None);
        tally
    }

    /// Of a record of which no result is known yet.
    pub(crate) fn of(record: &StudyRecord) -> Self {
        let mut tally = Self::new(record.plan());
        tally.plan(record.plan(), record.decision());
        tally
    }

    /// Takes over what is planned by now: an optimization gets more arms while it is under way, and of a study whose
    /// file was changed nothing holds any more.
    fn plan(&mut self, plan: &StudyPlan, decision: Option<&Decision>) {
        let names = || plan.arms.iter().map(|arm| &arm.name);
        let goes_on = self.arms.iter().map(|arm| &arm.name).eq(names().take(self.arms.len()))
            && self.target.as_ref() == plan.targets.first();
        if !goes_on {
            *self = Self::new(plan);
        }
        self.replicates = plan.replicates;
        for name in plan.arms.iter().map(|arm| &arm.name).skip(self.arms.len()) {
            self.arms.push(ArmTally { name: name.clone(), planned: 0, curve: None, outcomes: BTreeMap::new() });
        }
        for (number, arm) in self.arms.iter_mut().enumerate() {
            arm.planned = plan.replicates_of(number, decision);
        }
    }

    /// Takes the result of a run; a result that is known already is not taken twice.
    pub(crate) fn add(&mut self, arm: usize, replicate: u64, run: &StoredRun) {
        match run {
            StoredRun::Finished(record) => self.add_record(arm, replicate, record),
            StoredRun::NotRun(_) => {
                let outcome = Outcome { kind: FrameKind::NotRun, failed: false, cost: None, last: Default::default() };
                self.arms[arm].outcomes.entry(replicate).or_insert(outcome);
            }
        }
    }

    fn add_record(&mut self, arm: usize, replicate: u64, record: &RunRecord) {
        let mut curve = Curve::default();
        record.rounds.iter().for_each(|row| curve.push(Point::of(row, &record.manifest.extra_columns)));
        let last = curve.last_measured().map(|point| point.values).unwrap_or_default();
        let cost = self.target.as_ref().and_then(|target| reach(record, target));
        let curves = self.arms.len() <= ARMS_WITH_CURVES;
        let own = &mut self.arms[arm];
        own.curve = curves.then(|| curve.at_most(POINTS));
        let failed = record.manifest.failure().is_some();
        own.outcomes.insert(replicate, Outcome { kind: FrameKind::of(record), failed, cost, last });
    }

    /// Takes what a directory has and is not known yet.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) fn absorb(&mut self, record: &StudyRecord) -> Result<(), StoreError> {
        self.plan(record.plan(), record.decision());
        for run in record.runs() {
            let known = self.arms[run.arm].outcomes.get(&run.replicate);
            let Some(kind) = run.kind else { continue };
            // A run that failed may have been made again since.
            if known.is_some_and(|known| known.kind.rank() >= kind.rank()) {
                continue;
            }
            if let Some(found) = record.store().run(&run.found)? {
                self.add(run.arm, run.replicate, &found);
            }
        }
        Ok(())
    }

    /// Takes what another tally of the same plan knows better.
    pub(crate) fn merge(&mut self, other: Self) {
        for (own, other) in self.arms.iter_mut().zip(other.arms) {
            own.curve = own.curve.take().or(other.curve);
            own.planned = own.planned.max(other.planned);
            for (replicate, outcome) in other.outcomes {
                if own.outcomes.get(&replicate).is_none_or(|known| known.kind.rank() < outcome.kind.rank()) {
                    own.outcomes.insert(replicate, outcome);
                }
            }
        }
    }

    /// Runs that there should be.
    pub(crate) fn planned(&self) -> u64 {
        self.arms.iter().map(|arm| arm.planned.max(arm.outcomes.len() as u64)).sum()
    }

    /// Runs that have ended, and those among them that failed, and that could not be begun.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let outcomes = || self.arms.iter().flat_map(|arm| arm.outcomes.values());
        let count = |is: fn(&Outcome) -> bool| outcomes().filter(|own| is(own)).count() as u64;
        (count(|_| true), count(|own| own.failed), count(|own| own.kind == FrameKind::NotRun))
    }

    /// Runs whose final fit is degenerate.
    pub(crate) fn degenerate(&self) -> u64 {
        let outcomes = self.arms.iter().flat_map(|arm| arm.outcomes.values());
        outcomes.filter(|own| own.kind == FrameKind::Degenerate).count() as u64
    }

    /// Where an arm stands, by costs along `across` or by the measure of this number at the end.
    pub(crate) fn standing(&self, arm: usize, across: Across, measure: usize) -> Standing {
        self.standing_in(arm, across, measure, &|_| true)
    }

    /// The same, of the replicates that count.
    fn standing_in(&self, arm: usize, across: Across, measure: usize, counts: &dyn Fn(u64) -> bool) -> Standing {
        let outcomes = self.arms[arm].outcomes.iter().filter(|(replicate, _)| counts(**replicate));
        let outcomes: Vec<&Outcome> = outcomes.map(|(_, outcome)| outcome).collect();
        let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|own| is(own)).count() as u64;
        let value = |outcome: &&Outcome| match (&self.target, outcome.cost) {
            (Some(_), cost) => cost.filter(|cost| cost.reached).map(|cost| cost_along(&cost, across)),
            (None, _) => outcome.last[measure].filter(|_| !outcome.failed && outcome.kind != FrameKind::Degenerate),
        };
        let mut values: Vec<f64> = outcomes.iter().filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let spread = match (values.first(), values.last()) {
            (Some(&least), Some(&largest)) if values.len() % 2 == 1 => Some([least, values[middle], largest]),
            (Some(&least), Some(&largest)) => Some([least, f64::midpoint(values[middle - 1], values[middle]), largest]),
            _ => None,
        };
        Standing {
            results: count(|own| own.kind != FrameKind::NotRun),
            failed: count(|own| own.failed),
            not_run: count(|own| own.kind == FrameKind::NotRun),
            ended: outcomes.len() as u64,
            reached: values.len() as u64,
            degenerate: count(|own| own.kind == FrameKind::Degenerate),
            spread,
        }
    }

    /// The arm that leads: the largest share of runs at the target, then the best median. Arms are compared on the
    /// replicates that all of them have ended, where there is such a one: others may be harder.
    pub(crate) fn leader(&self, across: Across, measure: usize) -> Option<Leader> {
        let replicates = self.arms.first().into_iter().flat_map(|arm| arm.outcomes.keys());
        let common = replicates.filter(|replicate| self.arms.iter().all(|arm| arm.outcomes.contains_key(replicate)));
        let common: BTreeSet<u64> = common.copied().collect();
        let counts = |replicate: u64| common.is_empty() || common.contains(&replicate);
        let more_is_better = self.target.is_none() && MEASURES[measure].grows();
        let rank = |standing: &Standing| {
            let [_, median, _] = standing.spread?;
            let share = standing.reached as f64 / standing.results as f64;
            Some([-share, if more_is_better { -median } else { median }])
        };
        let standings = (0..self.arms.len()).map(|arm| (arm, self.standing_in(arm, across, measure, &counts)));
        let ranked = standings.filter_map(|(arm, standing)| Some((rank(&standing)?, arm, standing)));
        let first =
            ranked.min_by(|(one, ..), (other, ..)| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
        first.map(|(_, arm, standing)| Leader { arm, standing, common: common.len() })
    }

    /// The measure that arms are compared by where there is no target: the first that finished runs have.
    pub(crate) fn has_measured(&self) -> [bool; MEASURES.len()] {
        let mut found = [false; MEASURES.len()];
        for outcome in self.arms.iter().flat_map(|arm| arm.outcomes.values()) {
            found.iter_mut().zip(outcome.last).for_each(|(found, value)| *found |= value.is_some());
        }
        found
    }
}

fn cost_along(cost: &TargetCost, across: Across) -> f64 {
    match across {
        Across::Rounds => cost.round as f64,
        Across::Bits => cost.bits_total as f64,
        Across::Time => cost.time_ns as f64 * 1e-9,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use fedbits_record::study::{Bound, PlanArm, SEGMENTS_FOLDER, SegmentWriter};
    use fedbits_record::{Manifest, RoundRow};

    use super::*;

    /// A study of arms with these names.
    pub(crate) fn plan(arms: &[&str], replicates: u64, target: Option<PlanTarget>) -> StudyPlan {
        let arm = |name: &&str| PlanArm {
            name: (*name).to_owned(),
            levels: Vec::new(),
            seed: 1,
            scenario: "s".to_owned(),
            scenario_text: String::new(),
            identity: "0".repeat(64),
            caveats: Vec::new(),
        };
        StudyPlan {
            engine_version: String::new(),
            name: "compression".to_owned(),
            about: String::new(),
            study_text: String::new(),
            figures: serde_json::Value::Null,
            search: None,
            axes: Vec::new(),
            arms: arms.iter().map(arm).collect(),
            baseline: 0,
            replicates,
            first_replicate: 0,
            targets: target.into_iter().collect(),
            caveats: Vec::new(),
        }
    }

    /// A run whose ‖h‖² falls by `factor` in each of `rounds` rounds of 1 kbit and 1 ms.
    pub(crate) fn run(factor: f64, rounds: u64) -> StoredRun {
        let mut field = 1.0;
        let mut rows = Vec::new();
        for round in 0..=rounds {
            let mean_field_sq = Some(field);
            rows.push(RoundRow {
                round,
                bits_up: 1_000 * round,
                time_ns: 1_000_000 * round,
                mean_field_sq,
                ..RoundRow::default()
            });
            field *= factor;
        }
        let manifest = Manifest { stop_reason: "reached rounds".to_owned(), ..Manifest::default() };
        StoredRun::finished(RunRecord {
            manifest,
            rounds: rows,
            ledger: Vec::new(),
            histograms: Vec::new(),
            theta: None,
            statistics: None,
            topology: None,
            extra: Vec::new(),
        })
    }

    /// The same as a run that failed in the end.
    fn failed(run: StoredRun) -> StoredRun {
        let StoredRun::Finished(mut record) = run else { panic!("a result") };
        record.manifest.stop_reason = "failed: Ŝ left the domain of T".to_owned();
        StoredRun::Finished(record)
    }

    /// Who watches sees that a run was made again with success, as the store does.
    #[test]
    fn a_result_replaces_a_failure() {
        let (folder, plan) = (tempfile::tempdir().unwrap(), plan(&["a"], 1, None));
        plan.write(folder.path()).unwrap();
        let key = plan.arms[0].key(0).unwrap();
        let mut writer = SegmentWriter::new(&folder.path().join(SEGMENTS_FOLDER));
        let mut tally = Tally::new(&plan);
        for (run, failures) in [(failed(run(0.5, 3)), 1), (run(0.5, 3), 0)] {
            writer.append(key, &run).unwrap();
            tally.absorb(&StudyRecord::open(folder.path()).unwrap()).unwrap();
            assert_eq!(tally.standing(0, Across::Rounds, 0).failed, failures);
        }
    }

    /// Two of three runs of `hasty` fail, one of them behind the target: its share is two of three, not two of two.
    #[test]
    fn failed_runs_count_as_runs() {
        let target = PlanTarget { column: "mean_field_sq".to_owned(), bound: Bound::AtMost(0.1) };
        let mut tally = Tally::new(&plan(&["hasty", "sure"], 3, Some(target)));
        let hasty = [run(0.1, 10), failed(run(0.9, 1)), failed(run(0.1, 10))];
        (0..).zip(&hasty).for_each(|(replicate, run)| tally.add(0, replicate, run));
        (0..3).for_each(|replicate| tally.add(1, replicate, &run(0.8, 20)));
        let own = tally.standing(0, Across::Rounds, 0);
        assert_eq!((own.results, own.failed, own.ended, own.reached), (3, 2, 3, 2));
        assert_eq!(tally.leader(Across::Rounds, 0).map(|leader| leader.arm), Some(1));
    }

    #[test]
    fn standings_by_hand() {
        let target = PlanTarget { column: "mean_field_sq".to_owned(), bound: Bound::AtMost(0.1) };
        let mut tally = Tally::new(&plan(&["slow", "fast", "never", "none"], 4, Some(target)));
        // 0.5⁴ ≤ 0.1 < 0.5³; 0.25² ≤ 0.1; 0.9¹⁰ > 0.1.
        (0..3).for_each(|replicate| tally.add(0, replicate, &run(0.5, 10)));
        tally.add(1, 0, &run(0.25, 10));
        tally.add(1, 1, &run(0.5, 10));
        tally.add(1, 1, &run(0.5, 10));
        tally.add(1, 2, &StoredRun::NotRun("why".to_owned()));
        tally.add(2, 0, &run(0.9, 10));
        let slow = tally.standing(0, Across::Rounds, 0);
        assert_eq!((slow.results, slow.failed, slow.reached, slow.spread), (3, 0, 3, Some([4.0; 3])));
        let fast = tally.standing(1, Across::Bits, 0);
        assert_eq!((fast.results, fast.failed, fast.not_run), (2, 0, 1));
        assert_eq!((fast.ended, fast.reached), (3, 2));
        assert_eq!(fast.spread, Some([2_000.0, 3_000.0, 4_000.0]));
        assert_eq!(tally.standing(2, Across::Time, 0).spread, None);
        // No replicate is there of all arms: all that is there is compared.
        assert_eq!(tally.leader(Across::Rounds, 0).map(|leader| (leader.arm, leader.common)), Some((1, 0)));
        tally.add(3, 1, &run(0.4, 10));
        tally.add(2, 1, &run(0.9, 10));
        // 0.4³ ≤ 0.1: on replicate 1 `none` is faster than `fast`, whose replicate 0 is not compared any more.
        assert_eq!(tally.leader(Across::Rounds, 0).map(|leader| (leader.arm, leader.common)), Some((3, 1)));
        assert_eq!(tally.counts(), (9, 0, 1));
        // What could not be run is replaced by a result.
        tally.add(1, 2, &run(0.25, 10));
        assert_eq!(tally.counts(), (9, 0, 0));
    }

    #[test]
    fn without_a_target_the_last_value_counts() {
        let mut tally = Tally::new(&plan(&["a", "b"], 2, None));
        assert_eq!(tally.leader(Across::Rounds, 0), None);
        tally.add(0, 0, &run(0.5, 3));
        tally.add(1, 0, &run(0.5, 2));
        let leader = tally.leader(Across::Rounds, 0).unwrap();
        assert_eq!((leader.arm, leader.standing.spread), (0, Some([0.125; 3])));
    }
}
