//! The numbers of runs that comparisons are made of, so that no curve need be kept; and what it takes a run to get to a
//! goal.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_record::results::{PlanTarget, Results, RunPlan, TargetCost, measured, reach};
use fedbits_record::{MEASURED_COLUMNS, RunRecord, StopRules, results::StoreError};
use fedbits_spec::{Caveat, Caveats, CountedCaveat, so_many};

use super::measure::{ErrorKind, Goal, Measure, Quantity, SolvedProblem};
use super::survival::{CostEnd, Observation};
use crate::data::{self, Arm, Collected};
use crate::error::ReportError;
use crate::origin;

/// What pairs runs of different arms: the seed, where arms come from several folders, and the replicate.
pub(crate) type Pair = (u64, u64);

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Per target; `None` when the run recorded nothing.
    pub reaches: Vec<Option<TargetCost>>,
    /// Per target whether its column was measured: by the run, and once all runs are there by the runs of its arm.
    /// `None` where no row says so.
    pub measured: Vec<Option<bool>>,
    /// Whether the simulation failed: what it has not reached by then, it never does.
    pub failed: bool,
    /// Whether its final fit is degenerate: it has reached no target, and never does.
    pub degenerate: bool,
    /// All bits, at the end.
    pub bits_total: u64,
    /// Payload bits from clients to the server, at the end.
    pub bits_up: u64,
    /// Simulated time in ns, at the end.
    pub time_ns: u64,
    /// Rounds, at the end.
    pub rounds: u64,
    /// The last measured ‖h(Ŝ)‖².
    pub mean_field_sq: Option<f64>,
    /// The last measured objective.
    pub objective: Option<f64>,
    /// The one of the two that all arms are compared by.
    pub error: Option<f64>,
    /// Whether it was measured, as of a target.
    pub error_measured: Option<bool>,
    /// What the run solves.
    pub problem: SolvedProblem,
    /// Digests of its timeline and its final state, in one text; empty where they are not known.
    pub digests: String,
    /// The tolerance of ‖h(Ŝ)‖² that the run reached, and what that took; `None` when it ended otherwise.
    pub tolerance: Option<(f64, TargetCost)>,
    /// The rules that could end it.
    pub stop_rules: StopRules,
    /// Whether a search ended it because it had cost too much: where it would have ended is not known.
    pub cut: bool,
}

/// The runs of one arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleArm {
    /// Its name.
    pub name: String,
    /// Number of its level on each axis.
    pub levels: Vec<usize>,
    /// Names of these levels.
    pub level_names: Vec<String>,
    /// Its values on the paths of [`Samples::searched`]; none of an axis that does not exist in the arm.
    pub point: Vec<Option<String>>,
    /// Its runs.
    pub runs: BTreeMap<Pair, Sample>,
    /// Runs that there should be: of one folder the planned replicates, of several folders those that are there.
    pub planned: usize,
    /// Runs whose simulation failed; they are among `runs`, as far as they went.
    pub failed: usize,
}

/// The runs of all arms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The scenario's name; `records` for runs of several folders.
    pub name: String,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// By axis the level of arms in which it does not exist.
    pub absent: Vec<Option<usize>>,
    /// The paths of axes whose levels are points in the space of several settings.
    pub searched: Vec<String>,
    /// The arms; at least one.
    pub arms: Vec<SampleArm>,
    /// Number of the arm that the others are compared with.
    pub baseline: usize,
    /// Replicates that were planned.
    pub planned: usize,
    /// Targets.
    pub targets: Vec<PlanTarget>,
    /// Columns that some run measured: what targets can be of.
    pub columns: BTreeSet<String>,
    /// What the runs are, with their digest.
    pub source: String,
    /// What a reader must know; those of runs with the number of runs, one of each id.
    pub caveats: Vec<CountedCaveat>,
    /// What the errors of the runs are.
    pub error: ErrorKind,
    /// The largest tolerance of ‖h(Ŝ)‖² that ended a run: costs at the end are what it took to get there. `None` where
    /// no run ended by one; then they are what was spent.
    pub tolerance: Option<f64>,
}

/// Declared targets, and further ones behind them.
fn join_targets(declared: &[PlanTarget], further: &[PlanTarget]) -> Vec<PlanTarget> {
    declared.iter().chain(further.iter().filter(|target| !declared.contains(target))).cloned().collect()
}

impl Samples {
    /// The runs of a folder that are there; `targets` are looked for beside those of its plan.
    ///
    /// # Errors
    /// A result that cannot be read.
    pub fn of_folder(results: &Results, targets: &[PlanTarget]) -> Result<Self, StoreError> {
        let plan = results.plan();
        let all = join_targets(&plan.targets, targets);
        let mut caveats = Caveats::default();
        let mut samples = Self::of_plan(plan, &results.digest(), all);
        samples.caveats = plan.caveats.iter().cloned().chain(results.caveats()).map(CountedCaveat::from).collect();
        for (number, arm) in plan.arms.iter().enumerate() {
            let level_names = plan.level_names(number).into_iter().map(str::to_owned).collect();
            let planned = usize::try_from(plan.replicates_of(number, results.decision())).unwrap_or(usize::MAX);
            let point = plan.point(number).into_iter().map(|value| value.map(str::to_owned)).collect();
            let (name, levels) = (arm.name.clone(), arm.levels.clone());
            samples.arms.push(SampleArm { name, levels, level_names, point, planned, ..SampleArm::default() });
            for replicate in plan.replicate_numbers() {
                if let Some(run) = results.run_without_tables(number, replicate)? {
                    caveats.add(&arm.name, &run.manifest.caveats);
                    samples.add(number, (0, replicate), &run);
                }
            }
            // A search that has lost its decision has runs that it does not know of.
            let sampled = &mut samples.arms[number];
            sampled.planned = sampled.planned.max(sampled.runs.len());
        }
        samples.settle();
        Ok(samples.with_caveats(caveats))
    }

    /// Of a plan, without the arms.
    fn of_plan(plan: &RunPlan, digest: &str, targets: Vec<PlanTarget>) -> Self {
        Self {
            name: plan.name.clone(),
            axes: plan.axes.iter().map(|axis| axis.name.clone()).collect(),
            absent: plan.axes.iter().map(|axis| axis.absent).collect(),
            searched: plan.searched().into_iter().map(str::to_owned).collect(),
            baseline: plan.baseline,
            planned: usize::try_from(plan.replicates).unwrap_or(usize::MAX),
            targets,
            source: folder_source(plan, digest),
            ..Self::default()
        }
    }

    /// The runs of figures, with the targets that all folders declare and these. The baseline is that of the plan where
    /// it is among the arms, else the first.
    pub(crate) fn of_arms(collected: &Collected, further: &[PlanTarget]) -> Self {
        Self::toward(collected, &join_targets(&collected.targets, further))
    }

    /// The same with these targets alone.
    pub(crate) fn toward(Collected { arms, planned, .. }: &Collected, targets: &[PlanTarget]) -> Self {
        let mut samples = match planned {
            Some(planned) => Self::of_plan(&planned.plan, &planned.digest, targets.to_vec()),
            None => Self::of_single(arms, targets.to_vec()),
        };
        if let Some(plan) = planned.as_ref().map(|planned| &planned.plan) {
            let base = &plan.arms[plan.baseline];
            let by_name = arms.iter().position(|arm| arm.name == base.name);
            // Several arms as one have the levels of the first.
            let by_levels = || arms.iter().position(|arm| !plan.axes.is_empty() && arm.levels == base.levels);
            samples.baseline = by_name.or_else(by_levels).unwrap_or(0);
        }
        for (number, arm) in arms.iter().enumerate() {
            let (levels, planned) = match planned {
                Some(planned) => {
                    let levels = arm.levels.iter().zip(&planned.plan.axes);
                    let names = levels.map(|(&level, axis)| axis.levels[level].clone()).collect();
                    ((arm.levels.clone(), names), planned.planned(arm))
                }
                None => ((vec![number], vec![arm.label.clone()]), arm.runs.len()),
            };
            samples.add_arm(arm, levels, planned);
        }
        samples.settle();
        samples
    }

    /// The runs of folders without their plans: an arm per name, the first of them the baseline. `targets` are looked
    /// for beside those that all folders declare.
    ///
    /// # Errors
    /// A run that cannot be read, or two that cannot be distinguished.
    pub fn of_records(folders: &[Results], targets: &[PlanTarget]) -> Result<Self, ReportError> {
        let collected = Collected { planned: None, ..data::collect(folders)? };
        let mut caveats = Caveats::default();
        let runs = collected.arms.iter().flat_map(|arm| arm.records().map(move |record| (arm, record)));
        runs.for_each(|(arm, record)| caveats.add(&arm.label, &record.manifest.caveats));
        Ok(Self::of_arms(&collected, targets).with_caveats(caveats))
    }

    /// Of runs of several folders, without the arms.
    fn of_single(arms: &[Arm], targets: Vec<PlanTarget>) -> Self {
        let runs: usize = arms.iter().map(|arm| arm.runs.len()).sum();
        let count = if runs == 1 { "one run".to_owned() } else { so_many(runs, "run") };
        Self {
            name: "runs of several folders".to_owned(),
            axes: vec!["arm".to_owned()],
            planned: arms.iter().map(|arm| arm.runs.len()).max().unwrap_or(0),
            targets,
            source: format!("{count}: digest {}", origin::digest(arms)),
            ..Self::default()
        }
    }

    /// With the caveats of the runs.
    fn with_caveats(mut self, caveats: Caveats) -> Self {
        let single = self.one_replicate().map(CountedCaveat::from);
        self.caveats.extend(single.into_iter().chain(caveats.into_vec()));
        self
    }

    /// Whether a race ended some run early: medians are then those of Kaplan and Meier.
    #[must_use]
    pub fn has_cut_runs(&self) -> bool {
        self.arms.iter().flat_map(|arm| arm.runs.values()).any(|run| run.cut)
    }

    /// That no arm has more than one run, where arms are compared.
    pub(crate) fn one_replicate(&self) -> Option<Caveat> {
        let is_single = self.arms.len() > 1 && self.arms.iter().all(|arm| arm.runs.len() < 2 && arm.planned < 2);
        is_single.then_some(Caveat::OneReplicate {})
    }

    /// Adds the runs of an arm with its levels, by number and by name.
    fn add_arm(&mut self, arm: &Arm, (levels, level_names): (Vec<usize>, Vec<String>), planned: usize) {
        let (name, planned) = (arm.label.clone(), planned.max(arm.runs.len()));
        self.arms.push(SampleArm { name, levels, level_names, planned, ..SampleArm::default() });
        let last = self.arms.len() - 1;
        for record in arm.records() {
            let mut pair = (record.manifest.seed, record.manifest.replicate);
            // Several arms that are shown as one have runs of the same replicate: the later ones have no pair.
            while self.arms[last].runs.contains_key(&pair) {
                pair.0 = pair.0.wrapping_add(1 << 32);
            }
            self.add(last, pair, record);
        }
    }

    fn add(&mut self, arm: usize, pair: Pair, run: &RunRecord) {
        self.columns.extend(measured(run).map(str::to_owned));
        self.arms[arm].failed += usize::from(run.manifest.failure().is_some());
        let sample = Sample::of(run, &self.targets);
        self.arms[arm].runs.insert(pair, sample);
    }

    /// What the runs together say of each: the error that all are compared by, the tolerance up to which costs at the
    /// end are counted, and what an arm has not measured.
    fn settle(&mut self) {
        self.settle_errors();
        self.settle_tolerance();
        for arm in &mut self.arms {
            for target in 0..self.targets.len() {
                // One that ended too early to measure it is a run that did not get there.
                let measured = arm.runs.values().map(|run| run.measured[target]).max().flatten();
                arm.runs.values_mut().for_each(|run| run.measured[target] = measured);
            }
            let vote = |run: &Sample| if run.error.is_some() { Some(true) } else { run.error_measured };
            let measured = arm.runs.values().map(vote).max().flatten();
            arm.runs.values_mut().for_each(|run| run.error_measured = measured);
        }
    }

    pub(super) fn settle_tolerance(&mut self) {
        let runs = self.arms.iter().flat_map(|arm| arm.runs.values());
        self.tolerance = runs.filter_map(|run| Some(run.tolerance?.0)).reduce(f64::max);
    }

    /// Takes one quantity as the error of all arms: ‖h(Ŝ)‖² if all have it, else the objective if all have that, else
    /// none. Arms that measured neither do not decide.
    pub(super) fn settle_errors(&mut self) {
        let measured = |value: fn(&Sample) -> Option<f64>| {
            let has = move |arm: &SampleArm| arm.runs.values().any(|run| value(run).is_some());
            self.arms.iter().map(has).collect::<Vec<bool>>()
        };
        let (fields, objectives) = (measured(|run| run.mean_field_sq), measured(|run| run.objective));
        let either = || fields.iter().zip(&objectives).filter(|(field, objective)| **field || **objective);
        self.error = if either().all(|(field, _)| *field) {
            ErrorKind::MeanField
        } else if either().all(|(_, objective)| *objective) {
            ErrorKind::Objective
        } else {
            ErrorKind::Mixed
        };
        for run in self.arms.iter_mut().flat_map(|arm| arm.runs.values_mut()) {
            run.error = match self.error {
                ErrorKind::MeanField => run.mean_field_sq,
                ErrorKind::Objective => run.objective,
                ErrorKind::Mixed => None,
            };
        }
    }

    /// The target that a goal is about; `None` at the end of the runs.
    pub(super) fn target(&self, goal: Goal) -> Option<PlanTarget> {
        match goal {
            Goal::Target(number) => self.targets.get(number).cloned(),
            Goal::Tolerance(at_most) => Some(PlanTarget::at_most("mean_field_sq", at_most)),
            Goal::End => None,
        }
    }

    /// How many runs of arms meet a goal before their first round, and how many runs there are.
    pub(crate) fn at_the_start(&self, arms: impl IntoIterator<Item = usize>, goal: Goal) -> (usize, usize) {
        let runs: Vec<&Sample> = arms.into_iter().flat_map(|arm| self.arms[arm].runs.values()).collect();
        let met = runs.iter().filter_map(|run| run.reached(goal)).filter(|reach| reach.round == 0).count();
        (met, runs.len())
    }

    /// That the start of some runs meets a goal already: what it takes to get there says nothing of what is compared.
    pub(super) fn met_at_the_start(&self, arms: &[usize], goal: Goal) -> Option<Caveat> {
        let ((met, all), name) = (self.at_the_start(arms.iter().copied(), goal), self.target(goal)?.name());
        (met > 0).then(|| Caveat::MetAtTheStart { target: name, count: met.to_string(), runs: so_many(all, "run") })
    }

    /// The values of a measure in an arm's runs. Without a target, costs are those of getting to
    /// [`Samples::tolerance`]; a run whose rules do not have it has none. Where no tolerance ended a run, every
    /// run has reached its end that did not fail, has no degenerate fit and was not cut; what it overshoots the rule
    /// that ended it by does not count.
    #[must_use]
    pub fn observations(&self, arm: usize, measure: &Measure) -> BTreeMap<Pair, Observation> {
        let goal = measure.target.map_or(Goal::End, Goal::Target);
        let value = |run: &Sample| run.cost(goal, measure.what, self);
        self.arms[arm].runs.iter().filter_map(|(pair, run)| Some((*pair, value(run)?))).collect()
    }
}

/// Whether a run measured a column. Before the first round some have no value, so that row alone does not say no.
fn has(run: &RunRecord, column: &str) -> Option<bool> {
    let has = measured(run).any(|name| name == column);
    (has || run.rounds.iter().any(|row| row.round > 0)).then_some(has)
}

/// The runs of a folder in words: the name of their scenario, and the digest of all results.
pub(crate) fn folder_source(plan: &RunPlan, digest: &str) -> String {
    format!("runs of {}: digest {digest}", plan.name)
}

impl SampleArm {
    /// Its runs whose final fit is degenerate.
    #[must_use]
    pub fn degenerate(&self) -> usize {
        self.runs.values().filter(|run| run.degenerate).count()
    }
}

impl Sample {
    fn of(run: &RunRecord, targets: &[PlanTarget]) -> Self {
        let totals = &run.manifest.totals;
        let stop_rules = run.manifest.stop_rules.clone();
        let target = |at_most| PlanTarget::at_most("mean_field_sq", at_most);
        let there = |limit| reach(run, &target(limit)).filter(|reach| reach.reached).map(|reach| (limit, reach));
        Self {
            tolerance: stop_rules.mean_field_sq.and_then(there),
            reaches: targets.iter().map(|target| reach(run, target)).collect(),
            measured: targets.iter().map(|target| has(run, &target.column)).collect(),
            failed: run.manifest.failure().is_some(),
            degenerate: run.manifest.is_degenerate(),
            bits_total: totals.bits_total(),
            bits_up: totals.bits_up,
            time_ns: totals.time_ns,
            rounds: totals.rounds,
            mean_field_sq: run.last(MEASURED_COLUMNS[1]),
            objective: run.last(MEASURED_COLUMNS[0]),
            error: None,
            error_measured: run.rounds.iter().any(|row| row.round > 0).then_some(false),
            problem: SolvedProblem {
                data: run.manifest.digests.data.clone(),
                reference: run.manifest.reference.as_ref().map(|reference| reference.problem.clone()),
            },
            digests: [&*run.manifest.digests.timeline, &*run.manifest.digests.state].concat(),
            stop_rules,
            cut: run.manifest.cut.is_some(),
        }
    }

    /// What it took to get to a goal, where it got there.
    pub(super) fn reached(&self, goal: Goal) -> Option<&TargetCost> {
        match goal {
            Goal::Target(number) => self.reaches.get(number)?.as_ref().filter(|reach| reach.reached),
            Goal::Tolerance(_) => self.tolerance.as_ref().map(|(_, reach)| reach),
            Goal::End => None,
        }
    }

    /// The cost of reaching a goal; `None` when that was not measured.
    pub(crate) fn cost(&self, goal: Goal, what: Quantity, among: &Samples) -> Option<Observation> {
        match (goal, what) {
            (Goal::Target(number), _) => self.cost_of_target(number, what),
            (Goal::Tolerance(_) | Goal::End, Quantity::Error) => self.error_at_end(among.error),
            (Goal::Tolerance(_) | Goal::End, _) => self.cost_at_end(what, among.tolerance),
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.failed || self.degenerate
    }

    fn cost_of_target(&self, target: usize, what: Quantity) -> Option<Observation> {
        let is_known = self.measured.get(target) != Some(&Some(false));
        let reach = self.reaches.get(target).filter(|_| is_known)?.as_ref();
        // What failed before its first row never gets there either.
        let never = self.is_lost().then_some(Observation::NEVER);
        match reach {
            Some(reach) if reach.reached => Some(Observation::reached(what.of_reach(reach)?)),
            Some(reach) => {
                let end = if self.cut { CostEnd::Cut } else { CostEnd::Missed };
                never.or(Some(Observation { value: what.of_reach(reach)?, end }))
            }
            None => never,
        }
    }

    /// How it ended, as a goal sees it, in a word for tables.
    pub(crate) fn end_of(&self, observation: &Observation) -> &'static str {
        match observation.end {
            CostEnd::Reached => "reached",
            CostEnd::Missed if self.failed => "failed",
            CostEnd::Missed if self.degenerate => "degenerate",
            CostEnd::Missed => "missed",
            CostEnd::Cut => "cut",
        }
    }

    fn error_at_end(&self, error: ErrorKind) -> Option<Observation> {
        if self.error_measured == Some(false) {
            return None;
        }
        let never = self.is_lost().then_some(Observation::NEVER);
        let value = self.error.filter(|_| !self.cut);
        never.or_else(|| Some(Observation::reached(self.without_overshoot(Quantity::Error, value?, error))))
    }

    fn cost_at_end(&self, what: Quantity, tolerance: Option<f64>) -> Option<Observation> {
        let value = match what {
            Quantity::BitsTotal => self.bits_total as f64,
            Quantity::BitsUp => self.bits_up as f64,
            Quantity::Time => self.time_ns as f64 / 1e9,
            Quantity::Rounds => self.rounds as f64,
            Quantity::Error => return None,
        };
        let has_rule = tolerance.is_none() || self.stop_rules.mean_field_sq == tolerance;
        let reach = self.tolerance.filter(|_| tolerance.is_some());
        match reach {
            _ if !has_rule => None,
            _ if self.is_lost() => Some(Observation::NEVER),
            Some((_, reach)) => Some(Observation::reached(what.of_reach(&reach)?)),
            None if self.cut => Some(Observation { value, end: CostEnd::Cut }),
            None if tolerance.is_none() => {
                Some(Observation::reached(self.without_overshoot(what, value, ErrorKind::Mixed)))
            }
            // Where it was not measured, it could end no run.
            None => self.mean_field_sq.map(|_| Observation { value, end: CostEnd::Missed }),
        }
    }

    /// The value at the end, where a rule ended the run as it was when the rule was met.
    fn without_overshoot(&self, what: Quantity, value: f64, error: ErrorKind) -> f64 {
        let rules = &self.stop_rules;
        match what {
            Quantity::BitsTotal => rules.bits.map_or(value, |most| value.min(most as f64)),
            Quantity::Time => rules.time_ns.map_or(value, |most| value.min(most as f64 / 1e9)),
            // A tolerance is one of ‖h(Ŝ)‖², and bounds no objective.
            Quantity::Error if error == ErrorKind::MeanField => {
                self.tolerance.map_or(value, |(least, _)| value.max(least))
            }
            Quantity::Error | Quantity::BitsUp | Quantity::Rounds => value,
        }
    }
}

#[cfg(test)]
mod tests;
