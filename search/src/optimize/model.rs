//! What the runs so far say of points that were not tried.
//!
//! *Runs that ended before the target* stand with the mean of what lies above their bound, under the process that the
//! other runs give (J. Schmee and G. J. Hahn, *A simple method for regression analysis with censored data*,
//! Technometrics 21, 1979; for optimizers F. Hutter, H. Hoos and K. Leyton-Brown, *Bayesian optimization with censored
//! response data*, 2013). *Constraints* are a process of their own, of 0 and 1, and improvement counts with the
//! probability that enough runs are feasible (J. R. Gardner and others, *Bayesian optimization with inequality
//! constraints*, ICML 2014). *High scores* are drawn in: above the median, y stands for log(1 + y), since it does not
//! matter how bad a bad point is.

use crate::optimize::front::tchebycheff;
use crate::optimize::improvement::{log_expected_improvement, log_normal_cdf, mean_above};
use crate::optimize::process::{Features, Parameters, Process, Seen};
use crate::optimize::standing::Known;
use crate::outcome::{Outcome, Score};
use crate::space::Space;
use fedbits_numerics::quantile;

/// What is kept from one fit to the next, so that a search for parameters begins where the last one ended.
#[derive(Clone, Debug)]
pub(crate) struct Warm {
    score: Parameters,
    feasible: Parameters,
}

impl Warm {
    pub(crate) fn new(space: &Space) -> Self {
        let prior = Parameters::prior(space.dimensions().len());
        Self { score: prior.clone(), feasible: prior }
    }
}

/// The processes of scores and constraints.
pub(crate) struct Model {
    score: Process,
    /// With the share of feasible runs that is asked for, on its scale; none while all runs are feasible.
    feasible: Option<(Process, f64)>,
    /// The least expected score of a point that was tried and is likely to be feasible.
    best: f64,
}

/// A run with the features of its arm.
struct Run<'a> {
    features: &'a Features,
    replicate: u64,
    outcome: &'a Outcome,
}

impl Model {
    /// Of the arms whose features are known; `weights` of the objectives. `None` when there is no such run.
    pub(crate) fn fit(
        space: &Space,
        arms: &[Option<Features>],
        known: &Known,
        reached: f64,
        weights: &[f64],
        warm: &mut Warm,
        sweeps: usize,
    ) -> Option<Self> {
        let of_arm = |(features, runs)| {
            let features: &Option<Features> = features;
            let runs: &Vec<Outcome> = runs;
            let run = move |(replicate, outcome)| {
                features.as_ref().map(|features| Run { features, replicate: replicate as u64, outcome })
            };
            runs.iter().enumerate().filter_map(run)
        };
        let runs: Vec<Run> = arms.iter().zip(known).flat_map(of_arm).collect();
        if runs.is_empty() {
            return None;
        }
        let objectives: Vec<Vec<f64>> =
            (0..weights.len()).map(|objective| imputed(space, &runs, objective, &warm.score)).collect();
        let scalar = |run: usize| {
            let values: Vec<f64> = objectives.iter().map(|values| values[run]).collect();
            if values.len() == 1 { values[0] } else { tchebycheff(&values, weights) }
        };
        let values = compressed(&(0..runs.len()).map(scalar).collect::<Vec<f64>>());
        let (score, parameters) = Process::fit(space, &seen(&runs, &values), &warm.score, sweeps);
        warm.score = parameters;
        let feasible = runs.iter().any(|run| !run.outcome.feasible).then(|| {
            let labels: Vec<f64> = runs.iter().map(|run| f64::from(u8::from(run.outcome.feasible))).collect();
            let (values, center, scale) = standardized(&labels);
            let (process, parameters) = Process::fit(space, &seen(&runs, &values), &warm.feasible, sweeps);
            warm.feasible = parameters;
            (process, (reached.min(0.5) - center) / scale)
        });
        let mut model = Self { score, feasible, best: f64::INFINITY };
        let tried: Vec<Features> = arms.iter().flatten().cloned().collect();
        model.best = model.expected(&tried).into_iter().fold(f64::INFINITY, f64::min);
        Some(model)
    }

    /// The expected score on replicate 0 of points; where a point is rather not feasible, ∞.
    pub(crate) fn expected(&self, points: &[Features]) -> Vec<f64> {
        let means = self.score.predict(points, 0).into_iter().map(|(mean, _)| mean);
        let likely = self.log_feasible(points).into_iter().map(|log| log >= libm::log(0.5));
        means.zip(likely).map(|(mean, likely)| if likely { mean } else { f64::INFINITY }).collect()
    }

    fn log_feasible(&self, points: &[Features]) -> Vec<f64> {
        let Some((process, least)) = &self.feasible else { return vec![0.0; points.len()] };
        let log = |(mean, deviation): (f64, f64)| log_normal_cdf((mean - least) / deviation.max(1e-9));
        process.predict(points, 0).into_iter().map(log).collect()
    }

    /// The logarithm of how much improvement on replicate 0 is to be expected from points.
    pub(crate) fn promise(&self, points: &[Features]) -> Vec<f64> {
        let feasible = self.log_feasible(points);
        if self.best == f64::INFINITY {
            return feasible;
        }
        let improvement = |(mean, deviation)| log_expected_improvement(self.best, mean, deviation);
        let improvements = self.score.predict(points, 0).into_iter().map(improvement);
        improvements.zip(feasible).map(|(improvement, log)| improvement + log).collect()
    }

    /// Goes on as if replicate 0 of a point had given what is expected.
    pub(crate) fn believe(&mut self, features: &Features) {
        self.score.believe(features.clone(), 0);
        if let Some((process, _)) = &mut self.feasible {
            process.believe(features.clone(), 0);
        }
    }
}

fn seen(runs: &[Run], values: &[f64]) -> Vec<Seen> {
    let seen = |(run, value): (&Run, &f64)| Seen {
        features: run.features.clone(),
        replicate: run.replicate,
        value: *value,
    };
    runs.iter().zip(values).map(seen).collect()
}

/// With mean 0 and variance 1, and what was subtracted and divided by.
fn standardized(values: &[f64]) -> (Vec<f64>, f64, f64) {
    let count = values.len() as f64;
    let center = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - center) * (value - center)).sum::<f64>() / count;
    let scale = if variance > 0.0 { libm::sqrt(variance) } else { 1.0 };
    (values.iter().map(|value| (value - center) / scale).collect(), center, scale)
}

/// Standardized, with the high ones drawn in.
fn compressed(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    let scale = (median - quantile(&sorted, 0.1)).max(1e-9);
    let draw_in = |value: &f64| {
        let z = (value - median) / scale;
        if z > 0.0 { libm::log1p(z) } else { z }
    };
    standardized(&values.iter().map(draw_in).collect::<Vec<f64>>()).0
}

/// The standardized scores of an objective, with those that are bounds replaced.
fn imputed(space: &Space, runs: &[Run], objective: usize, parameters: &Parameters) -> Vec<f64> {
    let score = |run: &Run| run.outcome.scores[objective];
    let (values, ..) = standardized(&runs.iter().map(|run| score(run).value()).collect::<Vec<f64>>());
    let all = seen(runs, &values);
    let is_bound = |run: &Run| matches!(score(run), Score::AtLeast(_));
    let exact: Vec<Seen> = all.iter().zip(runs).filter(|(_, run)| !is_bound(run)).map(|(seen, _)| seen.clone()).collect();
    if exact.is_empty() || exact.len() == all.len() {
        return values;
    }
    let Ok((process, _)) = Process::new(space, &exact, parameters) else { return values };
    let above = |(own, run): (&Seen, &Run)| {
        if !is_bound(run) {
            return own.value;
        }
        let (mean, deviation) = process.predict(std::slice::from_ref(&own.features), own.replicate)[0];
        mean_above(own.value, mean, deviation)
    };
    all.iter().zip(runs).map(above).collect()
}
