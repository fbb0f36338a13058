//! Where runs should get in a figure of comparisons, what getting there costs, and what that is of the baseline's cost.

use crate::compare::{
    self, ArmOutcome, ConfidenceInterval, ErrorKind, Measure, Observation, Paired, Quantity, Samples, Shared, of_runs,
    paired,
};
use crate::data::no_such_arm;
use crate::error::ReportError;
use crate::report::Report;
use crate::rows::number;
use crate::words::{naming, target_words};
use fedbits_figures::{Cost, Target};
use fedbits_numerics::{rounded_power, significant};
use fedbits_record::results::PlanTarget;
use fedbits_spec::{Caveat, so_many};
use std::borrow::Cow;

/// The runs, and the number of the target that they should get to; none: they are compared at their ends.
pub(crate) struct Aim<'a> {
    pub samples: Cow<'a, Samples>,
    pub target: Option<usize>,
    /// The replicates that arms are compared over.
    pub shared: Shared,
}

/// What the runs of every arm say of a measure.
#[derive(Clone)]
pub(crate) struct ArmsCost {
    pub measure: Measure,
    pub arms: Vec<ArmOutcome>,
}

impl ArmsCost {
    /// What all runs took, or had taken when they ended.
    pub(crate) fn seen(&self) -> impl Iterator<Item = f64> {
        self.arms.iter().flat_map(|arm| &arm.runs).filter_map(Observation::seen)
    }
}

impl<'a> Aim<'a> {
    /// To this goal; without one to the last target of the scenario, or to the largest tolerance of ‖h(Ŝ)‖² that could
    /// end a run.
    pub(crate) fn of(report: &'a Report<'_>, goal: Option<&Target>) -> Result<Self, ReportError> {
        let samples = report.samples();
        let target = match goal {
            Some(goal) => {
                let target = goal.planned();
                if !samples.columns.contains(&target.column) {
                    let known = samples.columns.iter().map(String::as_str);
                    return Err(ReportError::unknown("measured column", &target.column, known));
                }
                target
            }
            None => match (samples.targets.last(), samples.goal_tolerance()) {
                (Some(last), _) => last.clone(),
                (None, Some(tolerance)) => PlanTarget::at_most("mean_field_sq", tolerance),
                (None, None) => return Ok(Self::new(Cow::Borrowed(samples), None)),
            },
        };
        Ok(match samples.targets.iter().position(|known| *known == target) {
            Some(number) => Self::new(Cow::Borrowed(samples), Some(number)),
            None => {
                let samples = Samples::of_arms(&report.collected, &[target]);
                let last = samples.targets.len().checked_sub(1);
                Self::new(Cow::Owned(samples), last)
            }
        })
    }

    fn new(samples: Cow<'a, Samples>, target: Option<usize>) -> Self {
        Self { samples, target, shared: Shared::with_all_runs() }
    }

    /// With another arm that the others are held against, where one is named.
    pub(crate) fn against(mut self, report: &Report<'_>, baseline: Option<&str>) -> Result<Self, ReportError> {
        if let Some(name) = baseline {
            let found = report.arms().iter().position(|arm| arm.name == name || arm.label == name);
            self.samples.to_mut().baseline = found.ok_or_else(|| no_such_arm(name, report.arms()))?;
        }
        Ok(self)
    }

    /// The target in words: ‖h(Ŝ)‖² ≤ 10⁻⁸.
    pub(crate) fn words(&self) -> Option<String> {
        Some(target_words(&self.samples.targets[self.target?]))
    }

    /// The arm that the others are held against.
    pub(crate) fn baseline(&self) -> &str {
        &self.samples.arms[self.samples.baseline].name
    }

    /// What is measured, of every arm.
    pub(crate) fn costs(&self, costs: &[Cost]) -> Vec<ArmsCost> {
        measures(&self.samples, self.target, costs).into_iter().map(|measure| self.of_arms(measure)).collect()
    }

    pub(crate) fn of_arms(&self, measure: Measure) -> ArmsCost {
        let arms = (0..self.samples.arms.len()).map(|arm| self.shared.outcome(&self.samples, arm, &measure));
        ArmsCost { arms: arms.collect(), measure }
    }

    /// The ratio of every arm to the baseline.
    pub(crate) fn ratios(&self, measure: &Measure) -> Vec<Ratio> {
        (0..self.samples.arms.len()).map(|arm| Ratio::of(&self.samples, arm, measure)).collect()
    }

    /// What must be known of the runs on their way there.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        let (arms, goal) = ((0..self.samples.arms.len()).collect::<Vec<_>>(), self.target.map(compare::Goal::Target));
        of_runs(&self.samples, &arms, goal.as_slice())
    }

    /// Whether every run meets the target before its first round.
    pub(crate) fn is_met_at_the_start(&self) -> bool {
        let at_start = |target| self.samples.at_the_start(0..self.samples.arms.len(), compare::Goal::Target(target));
        self.target.map(at_start).is_some_and(|(met, all)| met == all)
    }
}

/// What is measured: these costs, or without any all bits and time; at the ends of the runs, their error too.
pub(super) fn measures(samples: &Samples, target: Option<usize>, costs: &[Cost]) -> Vec<Measure> {
    let costs = if costs.is_empty() { &[Cost::BitsTotal, Cost::Time] } else { costs };
    let quantity = |&cost: &Cost| match cost {
        Cost::BitsTotal => Quantity::BitsTotal,
        Cost::BitsUp => Quantity::BitsUp,
        Cost::Time => Quantity::Time,
        Cost::Rounds => Quantity::Rounds,
    };
    let error = (target.is_none() && samples.error != ErrorKind::Mixed).then_some(Quantity::Error);
    costs.iter().map(quantity).chain(error).map(|what| Measure { target, what }).collect()
}

/// A ratio of positive numbers alone has a logarithm.
const NOT_POSITIVE: &str = "a value ≤ 0";

/// No run of the baseline reaches the target.
const BASELINE_MISSED: &str = "baseline missed";

/// An arm divided by the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ratio {
    /// It is the baseline.
    Baseline,
    /// The geometric mean with its interval, over so many pairs of so many.
    Known { ratio: ConfidenceInterval, pairs: usize, of: usize },
    /// There is none, and why.
    Absent(&'static str),
}

impl Ratio {
    fn of(samples: &Samples, arm: usize, measure: &Measure) -> Self {
        let observations = samples.observations(arm, measure);
        match paired(samples, arm, measure) {
            _ if arm == samples.baseline => Self::Baseline,
            Some(Paired { ratio: Some(ratio), pairs, of, .. }) => Self::Known { ratio, pairs, of },
            Some(Paired { pairs: 1.., .. }) => Self::Absent(NOT_POSITIVE),
            None if samples.arms[arm].runs.is_empty() => Self::Absent("no run"),
            None if observations.is_empty() => Self::Absent("not measured"),
            _ if observations.keys().any(|pair| samples.arms[samples.baseline].runs.contains_key(pair)) => {
                let of_baseline = samples.observations(samples.baseline, measure);
                let reaches = [&observations, &of_baseline].map(|all| all.values().any(Observation::is_reached));
                Self::Absent(match reaches {
                    [false, _] => "not reached",
                    [true, false] => BASELINE_MISSED,
                    [true, true] => "not comparable",
                })
            }
            _ => Self::Absent("no common replicate"),
        }
    }

    /// The ratio; 1 of the baseline.
    pub(crate) fn mean(&self) -> Option<f64> {
        match self {
            Self::Baseline => Some(1.0),
            Self::Known { ratio, .. } => Some(ratio.mean),
            Self::Absent(_) => None,
        }
    }

    /// The ends of its interval; none of fewer than three pairs.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        match self {
            Self::Known { ratio, .. } => ratio.low.zip(ratio.high),
            Self::Baseline | Self::Absent(_) => None,
        }
    }

    /// For example `0.53 [0.48, 0.57]`, or `0.53 (2 pairs)` where there is no interval.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Baseline => "baseline".to_owned(),
            Self::Absent(why) => (*why).to_owned(),
            Self::Known { ratio, pairs, .. } => match self.interval() {
                Some((low, high)) => format!("{} [{}, {}]", short(ratio.mean), short(low), short(high)),
                None => format!("{} ({})", short(ratio.mean), so_many(*pairs, "pair")),
            },
        }
    }

    /// In the table of a figure: ratio, ends of the interval, pairs of how many; and why there is none.
    pub(crate) fn cells(&self) -> (Vec<String>, &'static str) {
        let ends = self.interval().unzip();
        let (pairs, why) = match self {
            Self::Known { pairs, of, .. } => ([pairs, of].map(ToString::to_string), ""),
            Self::Baseline => (Default::default(), "the baseline"),
            Self::Absent(why) => (Default::default(), *why),
        };
        ([self.mean(), ends.0, ends.1].into_iter().map(number).chain(pairs).collect(), why)
    }
}

/// Two digits behind the point, or as many as two significant ones need; three significant ones from ten on.
fn short(value: f64) -> String {
    match rounded_power(value, 3) {
        -1..1 => format!("{value:.2}"),
        1.. => significant(value, 3, -3..6),
        _ => significant(value, 2, -3..6),
    }
}

/// Why there is no ratio: in a table, and in a sentence.
const ABSENT: [(&str, &str); 7] = [
    ("not reached", "no run reaches the target"),
    (BASELINE_MISSED, "no run of the baseline reaches the target"),
    ("not comparable", "another problem (other data or model), or no replicate in which both reach the target"),
    ("no common replicate", "no common replicate"),
    ("no run", "no run"),
    ("not measured", "not measured"),
    (NOT_POSITIVE, "a value of 0 or below has no geometric mean"),
];

/// Sentences, each behind a space, that say why arms have no ratio.
pub(crate) fn without_ratio(arms: &[(&str, Vec<Ratio>)]) -> String {
    let sentence = |(why, words): (&'static str, &str)| {
        let lacking = arms.iter().filter(|(_, ratios)| ratios.contains(&Ratio::Absent(why)));
        naming(&format!("Without a ratio ({words})"), lacking.map(|(name, _)| *name))
    };
    ABSENT.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::{Ratio, short};
    use crate::compare::ConfidenceInterval;

    #[test]
    fn ratios_in_words() {
        assert_eq!(
            [0.0123, 0.534, 0.996, 1.0, 12.34, 1234.0].map(short),
            ["0.012", "0.53", "1.00", "1.00", "12.3", "1234"]
        );
        let of = |pairs, low, high| Ratio::Known { ratio: ConfidenceInterval { mean: 0.53, low, high }, pairs, of: 5 };
        assert_eq!(of(5, Some(0.48), Some(0.57)).words(), "0.53 [0.48, 0.57]");
        // Nothing that looks like an interval below three pairs.
        assert_eq!([1, 2].map(|pairs| of(pairs, None, None).words()), ["0.53 (1 pair)", "0.53 (2 pairs)"]);
    }
}
