//! Medians of costs of which some are only known to be larger than what was seen.
//!
//! A run that reached the target has a cost. One that a limit of its scenario ended before, that failed, or whose fit
//! is degenerate counts above all of these, whatever the cost: when it ended depends on what it had spent. Only where a
//! race cut a run did another run decide. Its cost is censored at its own value, by Kaplan and Meier (1958): with d_j
//! runs that reach the target at the value t_j, of n_j that had not reached it yet and were not cut,
//! S(t) = Π_{t_j ≤ t} (1 − d_j / n_j) estimates the share of runs that need more than t.
//!
//! The median is the smallest t_j with S(t_j) < 1/2; where S is 1/2 between two of them, the mean of the two. S that
//! stays at 1/2 says only that the median is above the last t_j: there is none. So without a race a median exists
//! exactly when more than half of the runs reached the target.

/// How a run ended, as a target sees it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CostEnd {
    /// It reached the target.
    Reached,
    /// A race cut it before: it would have cost more.
    Cut,
    /// It ended before by a limit of its scenario, failed, or has a degenerate fit.
    Missed,
}

/// What a run cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// What it took, or had taken when the run ended; infinite where it failed, and would fail again, before it got
    /// there.
    pub value: f64,
    /// How it ended.
    pub end: CostEnd,
}

/// The median; `None` when S never falls below 1/2, as when half of the runs reach the target. Where a run gets there
/// and another is cut at the same value, the one that is cut was still running. Of an even number of values it is the
/// mean of the middle two, as usual.
pub(crate) fn kaplan_meier_median(observations: &[Observation]) -> Option<f64> {
    kaplan_meier_quantile(observations, 0.5)
}

/// Another quantile of the same kind, `q` between 0 and 1: where S is 1 − q between two values, the mean of the two,
/// whether runs are censored or not, so that those of two arms can be compared. `None` when S never falls below 1 − q.
pub(crate) fn kaplan_meier_quantile(observations: &[Observation], q: f64) -> Option<f64> {
    quantile_of(sorted(observations).into_iter().map(|observation| (observation, 1)), q)
}

/// A quantile of observations in their order, each with how often it counts.
pub(super) fn quantile_of(sorted: impl Iterator<Item = (Observation, u64)> + Clone, q: f64) -> Option<f64> {
    // With exactly the share q there, S stays at 1 − q, and what would be next is unknown.
    Some(0.5 * (falls_to(sorted.clone(), 1.0 - q, false)? + falls_to(sorted, 1.0 - q, true)?))
}

/// The estimated share of runs that need at most a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reached {
    /// Values at which runs get there, each once and in order, and the share from there on.
    pub steps: Vec<(f64, f64)>,
    /// Values at which runs end that do not get there and did not fail, each once and in order, and the share there.
    pub ended: Vec<(f64, f64)>,
}

impl Observation {
    /// Of a run that failed before it got there, or ended with a degenerate fit: it never will.
    pub(crate) const NEVER: Self = Self { value: f64::INFINITY, end: CostEnd::Missed };

    /// Of a run that reached the target.
    pub(crate) fn reached(value: f64) -> Self {
        Self { value, end: CostEnd::Reached }
    }

    /// Whether the run reached the target.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.end == CostEnd::Reached
    }

    /// What it took, or had taken; none of a run that never gets there.
    pub(crate) fn seen(&self) -> Option<f64> {
        Some(self.value).filter(|value| value.is_finite())
    }

    /// The value up to which it is known that the run had not reached the target.
    fn counts_to(&self) -> f64 {
        if self.end == CostEnd::Missed { f64::INFINITY } else { self.value }
    }
}

impl Reached {
    pub(crate) fn of(observations: &[Observation]) -> Self {
        let sorted = sorted(observations);
        let (mut steps, mut survival) = (Vec::new(), 1.0);
        for same in sorted.chunk_by(|one, next| one.counts_to() == next.counts_to()) {
            let value = same[0].counts_to();
            let left = sorted.iter().filter(|observation| observation.counts_to() >= value).count();
            let events = same.iter().filter(|observation| observation.is_reached()).count();
            survival *= 1.0 - events as f64 / left as f64;
            steps.extend((events > 0).then_some((value, 1.0 - survival)));
        }
        let share = |value: f64| steps.iter().rev().find(|step| step.0 <= value).map_or(0.0, |step| step.1);
        let ended = observations.iter().filter(|observation| !observation.is_reached()).filter_map(Observation::seen);
        let mut ended: Vec<(f64, f64)> = ended.map(|value| (value, share(value))).collect();
        ended.sort_by(|a, b| a.0.total_cmp(&b.0));
        ended.dedup();
        Self { steps, ended }
    }
}

/// In the order of values; of equal ones those that got there first. Runs that missed the target come last.
pub(super) fn order(a: &Observation, b: &Observation) -> std::cmp::Ordering {
    a.counts_to().total_cmp(&b.counts_to()).then(b.is_reached().cmp(&a.is_reached()))
}

fn sorted(observations: &[Observation]) -> Vec<Observation> {
    let mut sorted = observations.to_vec();
    sorted.sort_by(order);
    sorted
}

/// The smallest value with S ≤ `limit`, or with S below it.
fn falls_to(sorted: impl Iterator<Item = (Observation, u64)> + Clone, limit: f64, below: bool) -> Option<f64> {
    let limit = if below { limit - 1e-12 } else { limit + 1e-12 };
    let mut left: u64 = sorted.clone().map(|(_, times)| times).sum();
    // Between two runs that are cut the factors of S are one quotient, which keeps S exact where none does.
    let (mut before, mut started) = (1.0, left);
    for (observation, times) in sorted.filter(|(_, times)| *times > 0) {
        let survival = before * (left as f64 / started as f64);
        left -= times;
        if !observation.is_reached() {
            (before, started) = (survival, left);
        } else if before * (left as f64 / started as f64) <= limit {
            return Some(observation.value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CostEnd, Observation, Reached, kaplan_meier_median, kaplan_meier_quantile, quantile_of, sorted};

    /// A run that reached the target, or that a race cut.
    fn observed((value, reached): (f64, bool)) -> Observation {
        Observation { value, end: if reached { CostEnd::Reached } else { CostEnd::Cut } }
    }

    fn median(values: &[(f64, bool)]) -> Option<f64> {
        kaplan_meier_median(&values.iter().copied().map(observed).collect::<Vec<_>>())
    }

    /// Freireich et al. (1963), the treated group of 21 as Kaplan–Meier texts use it: the median remission is 23 weeks.
    #[test]
    fn remissions_under_6_mp() {
        let reached = [6.0, 6.0, 6.0, 7.0, 10.0, 13.0, 16.0, 22.0, 23.0];
        let censored = [6.0, 9.0, 10.0, 11.0, 17.0, 19.0, 20.0, 25.0, 32.0, 32.0, 34.0, 35.0];
        let all: Vec<(f64, bool)> =
            reached.iter().map(|&t| (t, true)).chain(censored.iter().map(|&t| (t, false))).collect();
        assert_eq!(median(&all), Some(23.0));
    }

    /// Of ten runs six reach the target, after 1 to 6: a quarter did by the third, half between the fifth and
    /// the sixth, and three quarters are never known to.
    #[test]
    fn quartiles_under_censoring() {
        let run = |number: u32| observed((f64::from(number), number <= 6));
        let runs: Vec<Observation> = (1..=10).map(run).collect();
        assert_eq!([0.25, 0.5, 0.75].map(|q| kaplan_meier_quantile(&runs, q)), [Some(3.0), Some(5.5), None]);
        assert_eq!(kaplan_meier_quantile(&runs[..5], 0.25), Some(2.0));
    }

    /// Of eight runs the quartiles are the middles of the second and the third, and of the sixth and the seventh; the
    /// same where the last is censored, as nothing else is known less.
    #[test]
    fn one_rule_of_quartiles() {
        let of = |reached: u32| {
            let run = |number: u32| observed((f64::from(number), number <= reached));
            let runs: Vec<Observation> = (1..=8).map(run).collect();
            [0.25, 0.5, 0.75].map(|q| kaplan_meier_quantile(&runs, q))
        };
        assert_eq!(of(8), [Some(2.5), Some(4.5), Some(6.5)]);
        assert_eq!(of(7), of(8));
        assert_eq!(of(6), [Some(2.5), Some(4.5), None]);
    }

    /// Without censoring it is the sample median; with too much of it there is none.
    #[test]
    fn extremes() {
        assert_eq!(median(&[(1.0, true), (5.0, true), (3.0, true)]), Some(3.0));
        assert_eq!(median(&[(1.0, true), (5.0, true), (3.0, true), (4.0, true)]), Some(3.5));
        assert_eq!(median(&[(1.0, true), (5.0, false), (5.0, false)]), None);
        assert_eq!(median(&[(1.0, true), (2.0, true), (5.0, false)]), Some(2.0));
        assert_eq!(median(&[]), None);
    }

    /// Of four runs one fails at the start and one later; two reach the target: that is not more than half, whenever
    /// the two failed. Had a race cut them, the share among those still under way would count.
    #[test]
    fn failed_runs_never_get_there() {
        let reached = [3.0, 4.0].map(Observation::reached);
        let failed = [reached[0], Observation::NEVER, reached[1], Observation::NEVER];
        assert_eq!(kaplan_meier_median(&failed), None);
        // S is 3/4 between the two.
        assert_eq!(kaplan_meier_quantile(&failed, 0.25), Some(3.5));
        assert_eq!(Reached::of(&failed), Reached { steps: vec![(3.0, 0.25), (4.0, 0.5)], ended: vec![] });
        assert_eq!(median(&[(3.0, true), (1.0, false), (4.0, true), (2.0, false)]), Some(3.5));
    }

    /// With 10 runs the 5th and the 6th are the middle: with 5 that reach the target is no median, with 6 or more it is
    /// their mean, as when all reach the target.
    #[test]
    fn an_even_number_of_runs_has_two_middles() {
        let of = |reached: u32| {
            median(&(1..=10).map(|run| (f64::from(run.min(reached)), run <= reached)).collect::<Vec<_>>())
        };
        assert_eq!([4, 5, 6, 9, 10].map(of), [None, None, Some(5.5), Some(5.5), Some(5.5)]);
        // Of six, one ends early; of the four after it two reach the target: S is 5/6, 5/8, 5/12.
        let early = [(1.0, true), (2.0, false), (3.0, true), (4.0, true), (9.0, false), (9.0, false)];
        assert_eq!(median(&early), Some(4.0));
    }

    proptest! {
        /// By the definition: the mean of the least values at which the estimated share of runs that need more is at
        /// most, and below, a half. A run that counts n times is n runs.
        #[test]
        fn medians_by_definition(runs in prop::collection::vec((1_u8..9, any::<bool>(), 0_u64..4), 1..20)) {
            let one = |run: &(u8, bool, u64)| observed((f64::from(run.0), run.1));
            let all: Vec<Observation> =
                runs.iter().flat_map(|run| std::iter::repeat_n(one(run), run.2 as usize)).collect();
            let steps = Reached::of(&all).steps;
            let least = |above: f64| steps.iter().find(|step| step.1 > above).map(|step| step.0);
            let median = least(0.5 - 1e-9).zip(least(0.5 + 1e-9)).map(|(low, high)| 0.5 * (low + high));
            prop_assert_eq!(kaplan_meier_median(&all), median);
            let mut times: Vec<(Observation, u64)> = runs.iter().map(|run| (one(run), run.2)).collect();
            times.sort_by(|a, b| super::order(&a.0, &b.0));
            prop_assert_eq!(quantile_of(times.into_iter(), 0.5), median);
            prop_assert_eq!(quantile_of(sorted(&all).into_iter().map(|observation| (observation, 1)), 0.5), median);
        }

        /// Runs that missed the target count above all others, at whatever value they ended: without a race the median
        /// is the sample median of values of which theirs are infinite. Their values are kept as ends.
        #[test]
        fn runs_that_missed_the_target_are_above_all(runs in prop::collection::vec((1_u8..9, 0_u8..3), 1..20)) {
            let one = |&(value, end): &(u8, u8)| {
                let end = [CostEnd::Reached, CostEnd::Missed, CostEnd::Cut][usize::from(end)];
                Observation { value: f64::from(value), end }
            };
            let all: Vec<Observation> = runs.iter().map(one).collect();
            let never = |cost: &Observation| if cost.end == CostEnd::Missed { Observation::NEVER } else { *cost };
            let without: Vec<Observation> = all.iter().map(never).collect();
            let quantiles = |of: &[Observation]| [0.25, 0.5, 0.75].map(|q| kaplan_meier_quantile(of, q));
            prop_assert_eq!(quantiles(&all), quantiles(&without));
            let (found, expected) = (Reached::of(&all), Reached::of(&without));
            prop_assert_eq!(&found.steps, &expected.steps);
            let missed = all.iter().filter(|cost| cost.end == CostEnd::Missed);
            prop_assert!(missed.clone().all(|cost| found.ended.iter().any(|end| end.0 == cost.value)));
            let whole: Vec<Observation> = all.iter().copied().filter(|cost| cost.end != CostEnd::Cut).collect();
            let mut values: Vec<f64> = whole.iter().map(Observation::counts_to).collect();
            values.sort_by(f64::total_cmp);
            let middle = |values: &[f64]| 0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2]);
            let middles = (!values.is_empty()).then(|| middle(&values));
            prop_assert_eq!(kaplan_meier_median(&whole), middles.filter(|median| median.is_finite()));
        }

        /// Slow reference, by the definition of conditional shares: of the runs that are still under way at a value,
        /// and have not got there before, those that get there now. Without censoring it is the share of values.
        #[test]
        fn steps_by_definition(runs in prop::collection::vec((1_u8..9, any::<bool>()), 1..20)) {
            let all: Vec<Observation> =
                runs.iter().map(|&(value, reached)| observed((f64::from(value), reached))).collect();
            let found = Reached::of(&all);
            let share = |at: f64| {
                let mut needs_more = 1.0;
                for value in 1..=at as u8 {
                    let under_way = runs.iter().filter(|run| run.0 >= value).count();
                    let now = runs.iter().filter(|run| **run == (value, true)).count();
                    needs_more *= if under_way == 0 { 1.0 } else { 1.0 - now as f64 / under_way as f64 };
                }
                1.0 - needs_more
            };
            for &(value, height) in found.steps.iter().chain(&found.ended) {
                prop_assert!((height - share(value)).abs() < 1e-12, "{height} is not {} at {value}", share(value));
            }
            let at = |values: &[(f64, f64)]| values.iter().map(|step| step.0).collect::<Vec<_>>();
            let of = |there: bool| {
                let values = runs.iter().filter(|run| run.1 == there).map(|run| run.0);
                let values: std::collections::BTreeSet<u8> = values.collect();
                values.into_iter().map(f64::from).collect::<Vec<_>>()
            };
            prop_assert_eq!((at(&found.steps), at(&found.ended)), (of(true), of(false)));
            if runs.iter().all(|run| run.1) {
                let least = |value: f64| all.iter().filter(move |cost| cost.value <= value).count() as f64;
                let counted = |value: f64| least(value) / all.len() as f64;
                prop_assert!(found.steps.iter().all(|&(value, height)| (height - counted(value)).abs() < 1e-12));
            }
        }
    }
}
