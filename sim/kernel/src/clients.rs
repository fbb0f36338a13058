//! What nodes are like: how fast they compute and how often they drop out.

use fedbits_random::{Purpose as Draw, Streams};

use crate::{NodeId, Span, Time};

/// Units of work (conditional expectations) per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// From the span of one unit of work in seconds. `None` unless it is finite and not negative; zero means instantly.
    pub fn from_seconds_per_unit(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && seconds >= 0.0).then_some(Self(seconds))
    }

    /// The span of `work` units, rounded up to whole nanoseconds. `None` when it exceeds the clock.
    pub fn span(self, work: u64) -> Option<Span> {
        let nanoseconds = (self.0 * 1e9 * work as f64).ceil();
        (nanoseconds < u64::MAX as f64).then(|| Span::from_nanos(nanoseconds as u64))
    }
}

/// Dropping out while busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hazard {
    /// Dropouts per busy second.
    pub per_second: f64,
    /// How long a dropped node cannot be reached.
    pub restart: Span,
}

impl Hazard {
    /// When the busy period number `period` of `node`, beginning at `now`, would end in a dropout.
    pub(crate) fn strikes(self, streams: &Streams, node: NodeId, period: u64, now: Time) -> Option<Time> {
        let seconds = streams.at(Draw::Dropout, u64::from(node.0), period).exponential() / self.per_second;
        let span = (seconds * 1e9).ceil();
        // A dropout beyond the clock never happens.
        (span < u64::MAX as f64).then(|| now.checked_add(Span::from_nanos(span as u64)).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_work_over_speed_rounded_up() {
        let speed = Speed::from_seconds_per_unit(1.5e-9).unwrap();
        assert_eq!(speed.span(3), Some(Span::from_nanos(5)));
        assert_eq!(speed.span(0), Some(Span::ZERO));
        assert_eq!(Speed::from_seconds_per_unit(1e300).unwrap().span(1), None);
        assert_eq!(Speed::from_seconds_per_unit(-1.0), None);
    }

    #[test]
    fn dropout_times_are_exponential() {
        // Mean 1/λ = 0.5 s; standard error of 40 000 draws 0.0025 s; z-limit 5.
        let streams = Streams::new(3, 0);
        let hazard = Hazard { per_second: 2.0, restart: Span::ZERO };
        let total: f64 = (0..40_000)
            .map(|period| hazard.strikes(&streams, NodeId(1), period, Time::ZERO).unwrap().as_nanos() as f64)
            .sum();
        assert!((total / 40_000.0 / 1e9 - 0.5).abs() < 5.0 * 0.0025);
    }
}
