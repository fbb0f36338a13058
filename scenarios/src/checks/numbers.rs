//! Ranges of single values by their paths as text, for checks that the derived ones do not reach.

pub(super) use fedbits_spec::range::{Interval, POSITIVE};
use fedbits_spec::range::{POSITIVE_DURATION, Range, SomeBits, whole};
use fedbits_spec::{Duration, Facts, Findings, Path, Size};

fn within<T>(findings: &mut Findings, path: &str, value: &T, range: &impl Range<T>) {
    range.check(value, &Path::Root.field(path), &Facts::default(), findings);
}

/// Whether the number lies in the interval; NaN does not lie in any.
pub(super) fn number(findings: &mut Findings, path: &str, value: f64, interval: Interval) -> bool {
    within(findings, path, &value, &interval);
    interval.contains(value)
}

/// A whole number from `low` to `high`.
pub(super) fn count(findings: &mut Findings, path: &str, value: u64, low: u64, high: u64, what: &'static str) -> bool {
    within(findings, path, &value, &whole(low, high).note(what));
    (low..=high).contains(&value)
}

pub(super) fn positive_duration(findings: &mut Findings, path: &str, duration: Duration) {
    within(findings, path, &duration, &POSITIVE_DURATION);
}

pub(super) fn size(findings: &mut Findings, path: &str, size: Size) {
    within(findings, path, &size, &SomeBits);
}
