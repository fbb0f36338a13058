//! What an arm takes divided by what the baseline takes, as figures of rows show it. The numbers are those of
//! [`crate::compare`].

use crate::compare::{ConfidenceInterval, Measure, Observation, Paired, Samples, paired};
use fedbits_numerics::{rounded_power, significant};
use fedbits_spec::so_many;

/// A ratio of positive numbers alone has a logarithm.
const NOT_POSITIVE: &str = "a value ≤ 0";

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
    pub(crate) fn of(samples: &Samples, arm: usize, measure: &Measure) -> Self {
        let observations = samples.observations(arm, measure);
        match paired(samples, arm, measure) {
            _ if arm == samples.baseline => Self::Baseline,
            Some(Paired { ratio: Some(ratio), pairs, of, .. }) => Self::Known { ratio, pairs, of },
            Some(Paired { pairs: 1.., .. }) => Self::Absent(NOT_POSITIVE),
            None if samples.arms[arm].runs.is_empty() => Self::Absent("no run"),
            None if observations.is_empty() => Self::Absent("not measured"),
            _ if observations.keys().any(|pair| samples.arms[samples.baseline].runs.contains_key(pair)) => {
                match observations.values().any(Observation::is_reached) {
                    true => Self::Absent("not comparable"),
                    false => Self::Absent("not reached"),
                }
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

    /// Numbers in the table of a figure: ratio, ends of the interval; pairs of how many; why there is none.
    pub(crate) fn cells(&self) -> ([Option<f64>; 3], [String; 2], &'static str) {
        let ends = self.interval().unzip();
        let (pairs, why) = match self {
            Self::Known { pairs, of, .. } => ([pairs, of].map(ToString::to_string), ""),
            Self::Baseline => (Default::default(), "the baseline"),
            Self::Absent(why) => (Default::default(), *why),
        };
        ([self.mean(), ends.0, ends.1], pairs, why)
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

/// Sentences, each behind a space, that say why arms have no ratio.
pub(crate) fn without_ratio(arms: &[(&str, &[Ratio])]) -> String {
    let mut text = String::new();
    for why in ["not reached", "not comparable", "no common replicate", "no run", "not measured", NOT_POSITIVE] {
        let lacking = arms.iter().filter(|(_, ratios)| ratios.contains(&Ratio::Absent(why)));
        let names: Vec<&str> = lacking.map(|(name, _)| *name).collect();
        let why = match why {
            "not reached" => "no run reaches the target",
            "not comparable" => "another problem (other data or model), or no replicate in which both reach the target",
            NOT_POSITIVE => "a value of 0 or below has no geometric mean",
            why => why,
        };
        if !names.is_empty() {
            text += &format!(" Without a ratio ({why}): {}.", names.join("; "));
        }
    }
    text
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
