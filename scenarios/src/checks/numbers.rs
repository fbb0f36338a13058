//! Ranges of single values by their paths as text, for checks that the derived ones do not reach.

use fedbits_spec::range::{
    DURATION, FileName, LinkRate, POSITIVE_DURATION, POSITIVE_SHORT_DURATION, Range, SHORT_DURATION, SomeBits, whole,
};
pub(super) use fedbits_spec::range::{FINITE, Interval, LOSS, POSITIVE, PROBABILITY};
use fedbits_spec::{Described, Facts, Path};

use super::Findings;
use crate::schema::{Duration, DurationLaw, Rate, RateLaw, Size};

/// (0, 2]: distances in the unit square.
pub(super) const RADIUS: Interval = Interval::above(0.0, 2.0, "in (0, 2], no unit");
/// (0, 300]: nothing is faster than light.
pub(super) const SIGNAL: Interval = Interval::above(0.0, 300.0, "in (0, 300], in km per millisecond");

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

pub(super) fn duration(findings: &mut Findings, path: &str, duration: Duration) {
    within(findings, path, &duration, &DURATION);
}

pub(super) fn short_duration(findings: &mut Findings, path: &str, duration: Duration) {
    within(findings, path, &duration, &SHORT_DURATION);
}

pub(super) fn positive_duration(findings: &mut Findings, path: &str, duration: Duration) {
    within(findings, path, &duration, &POSITIVE_DURATION);
}

pub(super) fn positive_short_duration(findings: &mut Findings, path: &str, duration: Duration) {
    within(findings, path, &duration, &POSITIVE_SHORT_DURATION);
}

pub(super) fn rate(findings: &mut Findings, path: &str, rate: Rate) {
    within(findings, path, &rate, &LinkRate);
}

pub(super) fn size(findings: &mut Findings, path: &str, size: Size) {
    within(findings, path, &size, &SomeBits);
}

pub(super) fn duration_law(findings: &mut Findings, path: &str, law: &DurationLaw) {
    Described::check(law, &Path::Root.field(path), &Facts::default(), findings);
}

pub(super) fn rate_law(findings: &mut Findings, path: &str, law: &RateLaw) {
    Described::check(law, &Path::Root.field(path), &Facts::default(), findings);
}

/// The name of a file.
pub(super) fn file_name(findings: &mut Findings, path: &str, name: &str) {
    within(findings, path, &name.to_owned(), &FileName);
}
