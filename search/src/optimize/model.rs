//! What the runs so far say of points that were not tried.
//!
//! *Constraints* are a process of their own, of 0 and 1, and improvement counts with the probability that a point is
//! rather feasible (J. R. Gardner and others, *Bayesian optimization with inequality constraints*, ICML 2014). The
//! scores of infeasible runs are left out: what a run had spent when it failed makes a cliff that a smooth process
//! cannot follow. *Feasible runs that ended before the target* stand with the mean of what lies above their bound,
//! under the process that the other runs give (J. Schmee and G. J. Hahn, *A simple method for regression analysis with
//! censored data*, Technometrics 21, 1979; for optimizers F. Hutter, H. Hoos and K. Leyton-Brown, *Bayesian
//! optimization with censored response data*, 2013). *High scores* are drawn in: a y above the median stands as log(1 +
//! y), in units of the distance of the first decile to the median, since it does not matter how bad a bad point is;
//! where these two are the same, of half the distance of the least to it, or else of the standard deviation.

use fedbits_numerics::quantile;

use crate::optimize::front::tchebycheff;
use crate::optimize::improvement::{log_expected_improvement, log_normal_cdf, mean_above};
use crate::optimize::process::{Features, Parameters, Process, Seen};
use crate::outcome::{Outcome, Score};
use crate::space::Space;

/// A point is rather feasible where this share of its runs is expected to be, or the share that is asked for if that is
/// less.
const LIKELY: f64 = 0.5;

/// Scores, whose standard deviation or range is 1, that are nearer to each other are the same.
const LEAST_DISTANCE: f64 = 1e-9;

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
#[derive(Clone, Copy)]
struct Run<'a> {
    features: &'a Features,
    replicate: u64,
    outcome: &'a Outcome,
}

impl Model {
    /// Of the runs of arms whose features are known; `weights` of the objectives. `None` where no run is of use.
    pub(crate) fn fit(
        space: &Space,
        arms: &[(&Features, &Vec<Outcome>)],
        reached: f64,
        weights: &[f64],
        warm: &mut Warm,
        sweeps: usize,
    ) -> Option<Self> {
        let mut all: Vec<Run> = Vec::new();
        for &(features, outcomes) in arms {
            all.extend((0..).zip(outcomes).map(|(replicate, outcome)| Run { features, replicate, outcome }));
        }
        let finite = |run: &&Run| run.outcome.scores.iter().all(|score| score.value().is_finite());
        let runs: Vec<Run> = all.iter().filter(|run| run.outcome.feasible).filter(finite).copied().collect();
        if runs.is_empty() {
            return None;
        }
        let values = compressed(&scalars(space, &runs, weights, &warm.score));
        let score = Process::fit(space, &seen(&runs, &values), &mut warm.score, sweeps);
        let feasible = all.iter().any(|run| !run.outcome.feasible).then(|| {
            let labels: Vec<f64> = all.iter().map(|run| f64::from(u8::from(run.outcome.feasible))).collect();
            let (values, center, scale) = standardized(&labels);
            let process = Process::fit(space, &seen(&all, &values), &mut warm.feasible, sweeps);
            (process, (reached.min(LIKELY) - center) / scale)
        });
        let mut model = Self { score, feasible, best: f64::INFINITY };
        let tried: Vec<Features> = arms.iter().map(|(features, _)| (*features).clone()).collect();
        model.best = model.expected(&tried).into_iter().fold(f64::INFINITY, f64::min);
        Some(model)
    }

    /// The expected score on replicate 0 of points; where a point is rather not feasible, ∞.
    pub(crate) fn expected(&self, points: &[Features]) -> Vec<f64> {
        let means = self.score.predict(points, 0).into_iter().map(|(mean, _)| mean);
        let likely = self.log_feasible(points).into_iter().map(|log| log >= libm::log(LIKELY));
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

    /// Goes on as if replicate 0 of a point had disappointed, so that other points come next: with what is expected or
    /// the mean of all scores, whichever is worse, and not feasible.
    pub(crate) fn suppose(&mut self, features: &Features) {
        let (mean, _) = self.score.predict(std::slice::from_ref(features), 0)[0];
        self.score.add(features.clone(), 0, mean.max(0.0));
        if let Some((process, least)) = &mut self.feasible {
            let (mean, _) = process.predict(std::slice::from_ref(features), 0)[0];
            process.add(features.clone(), 0, mean.min(*least - 1.0));
        }
    }
}

fn seen(runs: &[Run], values: &[f64]) -> Vec<Seen> {
    let seen =
        |(run, value): (&Run, &f64)| Seen { features: run.features.clone(), replicate: run.replicate, value: *value };
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
    let below = |low: f64| Some(median - low).filter(|distance| *distance > LEAST_DISTANCE);
    // Of costs in steps many are the same.
    let half = || below(sorted[0]).map(|distance| distance / 2.0);
    let scale = below(quantile(&sorted, 0.1)).or_else(half).unwrap_or_else(|| standardized(values).2);
    let draw_in = |value: &f64| {
        let z = (value - median) / scale;
        if z > 0.0 { libm::log1p(z) } else { z }
    };
    standardized(&values.iter().map(draw_in).collect::<Vec<f64>>()).0
}

/// One number for each run: its score, or the Tchebycheff function of its scores on [0, 1].
fn scalars(space: &Space, runs: &[Run], weights: &[f64], parameters: &Parameters) -> Vec<f64> {
    let mut objectives: Vec<Vec<f64>> =
        (0..weights.len()).map(|objective| imputed(space, runs, objective, parameters)).collect();
    if let [only] = &mut objectives[..] {
        return std::mem::take(only);
    }
    for values in &mut objectives {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        values.iter_mut().for_each(|value| *value = if range > 0.0 { (*value - least) / range } else { 0.0 });
    }
    let scores = |run: usize| -> Vec<f64> { objectives.iter().map(|values| values[run]).collect() };
    (0..runs.len()).map(|run| tchebycheff(&scores(run), weights)).collect()
}

/// The standardized scores of an objective, with those that are bounds replaced.
fn imputed(space: &Space, runs: &[Run], objective: usize, parameters: &Parameters) -> Vec<f64> {
    let score = |run: &Run| run.outcome.scores[objective];
    let (values, ..) = standardized(&runs.iter().map(|run| score(run).value()).collect::<Vec<f64>>());
    let all = seen(runs, &values);
    let is_bound = |run: &Run| matches!(score(run), Score::AtLeast(_));
    let exact: Vec<Seen> =
        all.iter().zip(runs).filter(|(_, run)| !is_bound(run)).map(|(seen, _)| seen.clone()).collect();
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

#[cfg(test)]
mod tests {
    use super::compressed;

    /// Where many scores are that of the median, the others are told apart all the same, as far as they are good.
    #[test]
    fn scores_in_steps_are_told_apart() {
        let of = |lows: [f64; 2], middle: f64| -> Vec<f64> {
            let highs = (1..20).map(f64::from);
            compressed(&lows.into_iter().chain([middle; 30]).chain(highs).collect::<Vec<f64>>())
        };
        for values in [of([-2.0, -1.0], 0.0), of([0.0, 0.0], 0.0)] {
            assert!(values.is_sorted(), "{values:?}");
            let (low, middle, next, high) = (values[0], values[20], values[32], values[50]);
            assert!(next - middle > 0.05 && high - next > 0.5 && high - next < 4.0, "{values:?}");
            assert!(low == middle || middle - values[1] > 0.3 && values[1] - low > 0.3, "{values:?}");
        }
        assert_eq!(compressed(&[3.0; 5]), [0.0; 5]);
    }
}
