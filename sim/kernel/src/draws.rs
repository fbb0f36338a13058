//! Draws from the laws of durations and rates that a scenario names.

use fedbits_random::Stream;
use fedbits_spec::laws::Distribution;

use crate::TimeDelta;

/// The longest duration that is drawn, a year in seconds: heavy tails end where the checks of constants do.
pub const MAX_SECONDS: f64 = 31_557_600.0;

/// A draw, in the unit of the distribution's numbers.
pub fn draw(from: &Distribution, stream: &mut Stream) -> f64 {
    match from {
        Distribution::Constant(value) => *value,
        Distribution::Uniform { min, max } => min + (max - min) * stream.uniform(),
        Distribution::LogNormal { median, sigma } => median * stream.log_normal(0.0, *sigma),
        Distribution::Gamma { mean, shape } => mean / shape * stream.gamma(*shape),
        Distribution::Exponential { mean } => mean * stream.exponential(),
        Distribution::Values(values) => values[stream.below(values.len() as u64) as usize],
    }
}

/// A duration of at most a year.
pub(crate) fn duration(from: &Distribution, stream: &mut Stream) -> TimeDelta {
    let seconds = draw(from, stream).clamp(0.0, MAX_SECONDS);
    TimeDelta::from_seconds(seconds).expect("a duration between 0 and a year")
}
