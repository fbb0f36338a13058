//! An optimization: its points become arms of the study as they are proposed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_numerics::{standard_error, t_tail};
use fedbits_record::study::{Decision, DecisionArm, Incumbent, ReferencePoint, RunnerUp, StudyPlan, StudyRecord};
use fedbits_scenarios::schema::{Arm, Method, Optimize, SearchBudget};
use fedbits_scenarios::study::{PointValue, SearchPath, point_name};
use fedbits_search::{Coordinate, Dimension, Kind, Optimizer, Outcome, Point, Rules, Score, Space};

use super::constraints::Constraints;
use super::known::{Known, KnownRun};
use super::race::of_arm;
use crate::error::Error;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::study::definition::{FileDigests, Study};
use crate::study::store::write_plan;

/// An optimization that is under way.
pub(super) struct Optimization {
    /// The study with an arm per point.
    study: Study,
    paths: Vec<SearchPath>,
    optimizer: Optimizer,
    constraints: Constraints,
    /// The arms of the points; `None` of points that are no scenarios.
    arms: Vec<Option<usize>>,
    /// Of the arms after the first, the values of their paths.
    sets: Vec<Vec<(String, String)>>,
    /// The arms by what their results depend on.
    identities: BTreeMap<String, usize>,
    digests: FileDigests,
    /// How many of the arms are known to be those of the record's plan.
    planned: usize,
    /// The runs (arm, number of the replicate) that are to be made next.
    needed: Vec<(usize, u64)>,
    /// Runs that are kept for the baseline.
    reserve: u64,
    /// Runs that it may make in all.
    budget: u64,
}

/// Of so many runs one is kept for the baseline.
const RUNS_PER_RESERVED: u64 = 10;

impl Optimization {
    /// Of the study, if it is one.
    pub(super) fn of(study: &Study) -> Result<Option<Self>, Error> {
        let Some(Method::Optimize(search)) = &study.checked.study.search else { return Ok(None) };
        let paths = study.search_paths()?;
        let space = Space::new(paths.iter().map(dimension).collect());
        let SearchBudget::Runs(runs) = search.budget;
        let reserve = study.checked.study.replicates.min(runs / RUNS_PER_RESERVED);
        let constraints = Constraints::of(study.checked.study.search.as_ref());
        let rules = rules(search, constraints.share, (runs - reserve, study.checked.study.replicates));
        let optimizer = Optimizer::new(space, rules, None);
        let (arms, digests, needed) = (vec![Some(0)], FileDigests::new(), Vec::new());
        let identities = BTreeMap::from([(study.checked.arms[0].checked.scenario.identity(), 0)]);
        Ok(Some(Self {
            study: study.clone(),
            paths,
            optimizer,
            constraints,
            arms,
            sets: Vec::new(),
            identities,
            digests,
            planned: 0,
            needed,
            reserve,
            budget: runs,
        }))
    }

    /// The study with the arms so far.
    pub(super) fn study(&self) -> &Study {
        &self.study
    }

    /// Goes on as far as there are results, and makes arms of the points that are proposed.
    pub(super) fn grow(
        &mut self,
        options: &RunOptions,
        (listener, stop): (&dyn Listener, &AtomicBool),
        record: StudyRecord,
        known: &mut Known,
    ) -> Result<StudyRecord, Error> {
        let mut record = record;
        // Until all of a former plan's arms are proposed again, it stays, unless a file that one of them reads has
        // changed.
        while self.advance((&record, known), listener)? {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            if self.are_in(record.plan(), options)? {
                continue;
            }
            let plan = self.study.plan_with(options, &mut self.digests)?;
            // Another process on the same study may be ahead.
            if let Ok(there) = StudyPlan::read(record.directory())
                && there.arms.len() > plan.arms.len()
                && there.arms.starts_with(&plan.arms)
            {
                record = record.reread(there)?;
                continue;
            }
            write_plan(record.directory(), &plan, listener)?;
            record = record.reread(plan)?;
        }
        Ok(record)
    }

    /// Whether a plan has the arms so far, with the same results.
    fn are_in(&mut self, plan: &StudyPlan, options: &RunOptions) -> Result<bool, Error> {
        let count = self.study.checked.arms.len();
        let Some(there) = plan.arms.get(self.planned..count) else { return Ok(false) };
        if self.study.plan_arms(self.planned, options, &mut self.digests)? != there {
            return Ok(false);
        }
        self.planned = count;
        Ok(true)
    }

    /// Goes on as far as the arms have results: whether there are new arms.
    fn advance(&mut self, (record, known): (&StudyRecord, &mut Known), listener: &dyn Listener) -> Result<bool, Error> {
        let (mut failure, arms, constraints) = (None, &self.arms, &self.constraints);
        let objectives = known.objectives().to_vec();
        let needed = self.optimizer.advance(&mut |point, number| match arms.get(point) {
            None => None,
            Some(None) => {
                Some(Outcome { scores: vec![Score::AtLeast(f64::INFINITY); objectives.len()], feasible: false })
            }
            Some(Some(arm)) => match known.run(record, *arm, number) {
                Ok(run) => run.map(|run| constraints.outcome(run, &objectives)),
                Err(error) => {
                    failure.get_or_insert(error);
                    None
                }
            },
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let is_new = self.optimizer.points().len() > self.arms.len();
        for number in self.arms.len()..self.optimizer.points().len() {
            self.add(number, listener)?;
        }
        let needed = needed.into_iter().filter_map(|(point, number)| Some((self.arms[point]?, number)));
        self.needed = needed.collect();
        if !is_new && self.needed.is_empty() {
            self.needed = self.of_baseline(record, known)?;
        }
        Ok(is_new)
    }

    /// Arms with what they set, in the syntax of `--set`.
    pub(super) fn points(&self, arms: &[usize]) -> Vec<Arm> {
        let set = |arm: usize| arm.checked_sub(1).map_or_else(Vec::new, |point| self.sets[point].clone());
        let name = |arm: usize| self.study.checked.arms[arm].name.clone();
        arms.iter().map(|&arm| Arm { name: name(arm), set: set(arm).into_iter().collect() }).collect()
    }

    /// The arms that are best by what the optimizer knows.
    fn best(&self) -> Vec<usize> {
        self.optimizer.best().into_iter().filter_map(|point| self.arms[point]).collect()
    }

    /// The runs that the baseline lacks to be compared with the best arm, at the end.
    fn of_baseline(&self, record: &StudyRecord, known: &mut Known) -> Result<Vec<(usize, u64)>, Error> {
        let runs = |point: &usize| self.optimizer.known().get(*point).map_or(0, |runs| runs.len() as u64);
        let wanted = self.optimizer.best().iter().map(runs).max().unwrap_or(0);
        let first = runs(&0);
        known.missing(record, 0, first..wanted.min(first + self.reserve))
    }

    /// Makes an arm of a point. One that is no scenario, because its values do not go together, is told and passed
    /// over.
    fn add(&mut self, number: usize, listener: &dyn Listener) -> Result<(), Error> {
        let Some(point) = self.optimizer.points()[number].clone() else { return Ok(()) };
        let values = self.values(&point);
        let set: Vec<(String, String)> = self
            .paths
            .iter()
            .zip(&values)
            .filter_map(|(path, value)| Some((path.path.clone(), path.value((*value)?))))
            .collect();
        let arm = self.study.checked.arms.len();
        match self.study.point(&point_name(arm), &set) {
            Ok(checked) => {
                let same = *self.identities.entry(checked.scenario.identity()).or_insert(arm);
                self.arms.push(Some(same));
                // Other shares of the same whole number are the same arm, and what the baseline has is the baseline.
                if same < arm {
                    self.optimizer.repeat(number);
                    return Ok(());
                }
                let labels = self.paths.iter().zip(&values).map(|(path, value)| Some(path.label((*value)?)));
                let told = self.study.checked.caveats.len();
                self.study.checked.push_point(labels.collect(), checked);
                self.study.checked.caveats[told..].iter().for_each(|caveat| listener.caveat(caveat));
                self.sets.push(set);
            }
            Err(Error::Problems { problems, .. }) => {
                let set: Vec<String> = set.iter().map(|(path, value)| format!("{path}={value}")).collect();
                listener.caveat(&format!("{} is no scenario and counts as a failed run: {problems}", set.join(" ")));
                self.arms.push(None);
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn values(&self, point: &Point) -> Vec<Option<PointValue>> {
        let value = |coordinate: &Coordinate| match *coordinate {
            Coordinate::Number(share) => Some(PointValue::Share(share)),
            Coordinate::Choice(number) => Some(PointValue::Choice(number)),
            Coordinate::Absent => None,
        };
        point.iter().map(value).collect()
    }

    /// What is decided so far, and the runs that are needed next.
    pub(super) fn decision(&self, known: &Known) -> (Decision, Vec<(usize, u64)>) {
        let needed = &self.needed;
        let mut asked: BTreeMap<usize, u64> = BTreeMap::new();
        let looked_at =
            (0..self.study.checked.arms.len()).flat_map(|arm| known.of_arm(arm).map(move |run| (arm, run.0)));
        for (arm, number) in looked_at.chain(needed.iter().copied()) {
            let own = asked.entry(arm).or_default();
            *own = (*own).max(number + 1);
        }
        let feasible = |run: &KnownRun| self.constraints.are_met_at_target(run, known.objectives());
        let arm = |arm: usize| of_arm(known, arm, (0, asked.get(&arm).copied().unwrap_or(0)), &feasible);
        let arms: Vec<DecisionArm> = (0..self.study.checked.arms.len()).map(arm).collect();
        // Nobody is best where nobody gets there and keeps to the constraints.
        let best = self.best().into_iter().filter(|&arm| arms[arm].feasible > 0).collect();
        let incumbents = self.optimizer.incumbents().iter();
        let incumbent = |&(runs, point): &(u64, usize)| Some(Incumbent { runs, arm: self.arms[point]? });
        let decision = Decision {
            ended: needed.is_empty(),
            budget: Some(self.budget),
            best,
            arms,
            incumbents: incumbents.filter_map(incumbent).collect(),
            ..Decision::default()
        };
        let hypervolume = known.hypervolume(&decision.best, 0);
        let reference = hypervolume.map(|_| ReferencePoint { arm: 0, costs: decision.arms[0].costs.clone() });
        let runner_up = runner_up(&decision, known);
        let decision = Decision { hypervolume, reference, runner_up, ..decision };
        (decision, needed.clone())
    }
}

/// What the arm that was chosen by one objective is worth beside the next one.
fn runner_up(decision: &Decision, known: &Known) -> Option<RunnerUp> {
    let (&[_], &[chosen, ..]) = (known.objectives(), &decision.best[..]) else { return None };
    let others =
        (0..decision.arms.len()).filter(|arm| !decision.best.contains(arm) && decision.arms[*arm].feasible > 0);
    let compared = others.map(|arm| (arm, known.differences(chosen, arm, 0))).filter(|(_, all)| !all.is_empty());
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    // The differences to the runner-up are the largest: it costs least.
    let next =
        compared.max_by(|(_, one), (_, other)| one.len().cmp(&other.len()).then(mean(one).total_cmp(&mean(other))));
    let (arm, differences) = next?;
    let (mean, error) = (mean(&differences), standard_error(&differences, mean(&differences)));
    let freedom = (differences.len() - 1) as f64;
    let probability = (freedom > 0.0 && error > 0.0).then(|| t_tail(mean / error, freedom));
    Some(RunnerUp { arm, effect: known.effect(chosen, arm, 0)?, probability })
}

fn dimension(path: &SearchPath) -> Dimension {
    let kind = match path.choices() {
        Some(count) => Kind::Choice(count),
        None => Kind::Number { steps: path.steps() },
    };
    Dimension { kind, needs: path.needs.clone() }
}

fn rules(search: &Optimize, reached: f64, (runs, replicates): (u64, u64)) -> Rules {
    Rules {
        runs,
        replicates,
        batch: usize::try_from(search.batch).unwrap_or(usize::MAX),
        seed: search.seed,
        reached,
        objectives: search.objective.planned().len(),
    }
}
