//! Ranges of numbers, spans, rates, sizes and laws. This file must not know which field it looks at.

use std::fmt::Display;

use super::Findings;
use crate::schema::{Rate, RateLaw, Size, Span, SpanLaw, YEAR};

/// An interval of numbers; the upper end always belongs to it.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    low: f64,
    low_included: bool,
    high: f64,
    text: &'static str,
}

impl Interval {
    /// From `low` to `high`, both included.
    pub(super) const fn closed(low: f64, high: f64, text: &'static str) -> Self {
        Self { low, low_included: true, high, text }
    }
}

/// (0, 1]: probabilities that may not be zero, and steps.
pub(super) const PROBABILITY: Interval =
    Interval { low: 0.0, low_included: false, high: 1.0, text: "in (0, 1], no unit" };
/// [0, 1): probabilities of losses; with 1 nothing would ever arrive.
pub(super) const LOSS: Interval =
    Interval { low: 0.0, low_included: true, high: BELOW_ONE, text: "in [0, 1), no unit" };
/// The largest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
/// (0, 2]: distances in the unit square.
pub(super) const RADIUS: Interval = Interval { low: 0.0, low_included: false, high: 2.0, text: "in (0, 2], no unit" };
/// (0, 300]: nothing is faster than light.
pub(super) const SIGNAL: Interval =
    Interval { low: 0.0, low_included: false, high: 300.0, text: "in (0, 300], in km per millisecond" };
/// (0, ∞).
pub(super) const POSITIVE: Interval = Interval { low: 0.0, low_included: false, high: f64::MAX, text: "above 0" };
/// [1, 1000].
pub(super) const NORM: Interval =
    Interval { low: 1.0, low_included: true, high: 1e3, text: "from 1 to 1000, the order of a norm" };
/// (0, 0.1].
pub(super) const FLOOR: Interval = Interval { low: 0.0, low_included: false, high: 0.1, text: "in (0, 0.1], no unit" };
/// [0, 10].
pub(super) const SIGMA: Interval = Interval { low: 0.0, low_included: true, high: 10.0, text: "from 0 to 10, no unit" };
/// [0, 10], exponents.
pub(super) const EXPONENT: Interval = Interval { text: "from 0 to 10, no unit", ..SIGMA };
/// [0, 24] hours.
pub(super) const HOUR: Interval =
    Interval { low: 0.0, low_included: true, high: 24.0, text: "from 0 to 24 (hours of the day)" };
/// [−14, 14] hours.
pub(super) const ZONE: Interval =
    Interval { low: -14.0, low_included: true, high: 14.0, text: "from -14 to 14 (hours)" };
/// [0.001, 10⁶].
pub(super) const SHAPE: Interval =
    Interval { low: 1e-3, low_included: true, high: 1e6, text: "from 0.001 to 1 000 000, no unit" };
/// [0, 0.9].
pub(super) const SHARE: Interval = Interval { low: 0.0, low_included: true, high: 0.9, text: "from 0 to 0.9, no unit" };
/// [0, 10⁹].
pub(super) const LARGE: Interval =
    Interval { low: 0.0, low_included: true, high: 1e9, text: "from 0 to 1 000 000 000, no unit" };
/// [−100, 100].
pub(super) const NATURAL: Interval =
    Interval { low: -100.0, low_included: true, high: 100.0, text: "from -100 to 100, no unit" };
/// [0, 100].
pub(super) const SPREAD: Interval =
    Interval { low: 0.0, low_included: true, high: 100.0, text: "from 0 to 100, no unit" };
/// All finite numbers.
pub(super) const FINITE: Interval =
    Interval { low: f64::MIN, low_included: true, high: f64::MAX, text: "that is finite" };

impl Interval {
    fn contains(self, value: f64) -> bool {
        value <= self.high && (value > self.low || (self.low_included && value == self.low))
    }
}

/// The last name of a path: `gamma` of `protocol.gamma[0]`.
fn field(path: &str) -> &str {
    let end = path.rsplit('.').next().unwrap_or(path);
    end.split('[').next().unwrap_or(end)
}

fn out_of_range(findings: &mut Findings, path: &str, value: impl Display, expected: String) {
    findings.error(path, format!("`{}` is out of range: {}", field(path), short(value)), expected);
}

/// A number as people write it: with a power of ten instead of very many digits.
fn short(value: impl Display) -> String {
    let digits = value.to_string();
    // The whole numbers of 64 bits have up to 20.
    match digits.parse::<f64>() {
        Ok(number) if digits.len() > 20 => format!("{number:e}"),
        _ => digits,
    }
}

/// Whether the number lies in the interval; NaN does not lie in any.
pub(super) fn number(findings: &mut Findings, path: &str, value: f64, interval: Interval) -> bool {
    let inside = interval.contains(value);
    if !inside {
        out_of_range(findings, path, value, format!("expected a number {}", interval.text));
    }
    inside
}

/// A whole number from `low` to `high`.
pub(super) fn count(findings: &mut Findings, path: &str, value: u64, low: u64, high: u64, what: &str) -> bool {
    let inside = (low..=high).contains(&value);
    if !inside {
        let range = if high == u64::MAX { format!("of at least {low}") } else { format!("from {low} to {high}") };
        out_of_range(findings, path, value, format!("expected a whole number {range}{what}"));
    }
    inside
}

/// A span of 0 or more.
pub(super) fn span(findings: &mut Findings, path: &str, span: Span) {
    if let Err(error) = span.nanoseconds() {
        out_of_range(findings, path, span.value(), format!("{error}; expected a span from 0 to 584 years"));
    }
}

/// A span from 0 to a year: what happens once per message or example must leave room on a clock of 584 years.
pub(super) fn short_span(findings: &mut Findings, path: &str, span: Span) {
    let expected = "expected a span from 0 to a year (365.25 days)";
    match span.nanoseconds() {
        Ok(0..=YEAR) => {}
        Ok(_) => out_of_range(findings, path, span.value(), expected.to_owned()),
        Err(error) => out_of_range(findings, path, span.value(), format!("{error}; {expected}")),
    }
}

/// A span of at least 1 ns.
pub(super) fn positive_span(findings: &mut Findings, path: &str, span: Span) {
    match span.nanoseconds() {
        Ok(1..) => {}
        Ok(0) => out_of_range(findings, path, span.value(), "expected a span of at least 1 ns".to_owned()),
        Err(error) => out_of_range(findings, path, span.value(), format!("{error}; expected a span above 0")),
    }
}

/// A span from 1 ns to a year.
pub(super) fn positive_short_span(findings: &mut Findings, path: &str, span: Span) {
    match span.nanoseconds() {
        Ok(YEAR..) => short_span(findings, path, span),
        _ => positive_span(findings, path, span),
    }
}

/// A span of at least 1 ms: what follows one upon the other through a whole run.
pub(super) fn long_span(findings: &mut Findings, path: &str, span: Span) {
    match span.nanoseconds() {
        Ok(1_000_000..) => {}
        Ok(_) => out_of_range(findings, path, span.value(), "expected a span of at least 1 ms".to_owned()),
        Err(error) => out_of_range(findings, path, span.value(), format!("{error}; expected a span above 0")),
    }
}

/// The fastest link: 10 Tbit/s.
const FASTEST: u64 = 10_000_000_000_000;

/// A rate of at least 1 bit/s.
pub(super) fn rate(findings: &mut Findings, path: &str, rate: Rate) {
    let expected = "expected a rate from 1 bit/s to 10 Tbit/s";
    match rate.whole_bits_per_second() {
        Ok(1..=FASTEST) => {}
        Ok(_) => out_of_range(findings, path, rate.value(), expected.to_owned()),
        Err(error) => out_of_range(findings, path, rate.value(), format!("{error}; {expected}")),
    }
}

/// A size of at least 1 bit.
pub(super) fn size(findings: &mut Findings, path: &str, size: Size) {
    match size.bits() {
        Ok(1..) => {}
        Ok(0) => out_of_range(findings, path, size.value(), "expected a size of at least 1 bit".to_owned()),
        Err(error) => out_of_range(findings, path, size.value(), format!("{error}; expected a size above 0")),
    }
}

/// The parameters of a law of spans.
pub(super) fn span_law(findings: &mut Findings, path: &str, law: &SpanLaw) {
    match law {
        SpanLaw::Uniform { min, max } => {
            short_span(findings, &format!("{path}.min"), *min);
            short_span(findings, &format!("{path}.max"), *max);
            ordered(findings, path, min.seconds(), max.seconds());
        }
        SpanLaw::LogNormal { median, sigma } => {
            positive_short_span(findings, &format!("{path}.median"), *median);
            number(findings, &format!("{path}.sigma"), *sigma, SIGMA);
        }
        SpanLaw::Gamma { mean, shape } => {
            positive_short_span(findings, &format!("{path}.mean"), *mean);
            number(findings, &format!("{path}.shape"), *shape, SHAPE);
        }
        SpanLaw::Exponential { mean } => positive_short_span(findings, &format!("{path}.mean"), *mean),
        SpanLaw::Values(values) => {
            some_values(findings, path, values.len());
            values.iter().enumerate().for_each(|(i, value)| short_span(findings, &format!("{path}[0][{i}]"), *value));
        }
        SpanLaw::Each(values) => {
            let each = values.iter().enumerate();
            each.for_each(|(i, value)| short_span(findings, &format!("{path}[0][{i}]"), *value));
        }
        SpanLaw::Column { path: file, unit, .. } => {
            file_name(findings, &format!("{path}.path"), file);
            if !(unit.seconds().is_finite() && unit.seconds() > 0.0) {
                out_of_range(findings, &format!("{path}.unit"), unit.value(), "expected a span above 0".to_owned());
            }
        }
        constant => constant.constant().into_iter().for_each(|value| short_span(findings, path, value)),
    }
}

/// The parameters of a law of rates.
pub(super) fn rate_law(findings: &mut Findings, path: &str, law: &RateLaw) {
    match law {
        RateLaw::Uniform { min, max } => {
            rate(findings, &format!("{path}.min"), *min);
            rate(findings, &format!("{path}.max"), *max);
            ordered(findings, path, min.bits_per_second(), max.bits_per_second());
        }
        RateLaw::LogNormal { median, sigma } => {
            rate(findings, &format!("{path}.median"), *median);
            number(findings, &format!("{path}.sigma"), *sigma, SIGMA);
        }
        RateLaw::Gamma { mean, shape } => {
            rate(findings, &format!("{path}.mean"), *mean);
            number(findings, &format!("{path}.shape"), *shape, SHAPE);
        }
        RateLaw::Exponential { mean } => rate(findings, &format!("{path}.mean"), *mean),
        RateLaw::Values(values) => {
            some_values(findings, path, values.len());
            values.iter().enumerate().for_each(|(i, value)| rate(findings, &format!("{path}[0][{i}]"), *value));
        }
        RateLaw::Each(values) => {
            values.iter().enumerate().for_each(|(i, value)| rate(findings, &format!("{path}[0][{i}]"), *value));
        }
        RateLaw::Column { path: file, unit, .. } => {
            file_name(findings, &format!("{path}.path"), file);
            let value = unit.bits_per_second();
            if !(value.is_finite() && value > 0.0) {
                out_of_range(findings, &format!("{path}.unit"), unit.value(), "expected a rate above 0".to_owned());
            }
        }
        constant => constant.constant().into_iter().for_each(|value| rate(findings, path, value)),
    }
}

fn some_values(findings: &mut Findings, path: &str, count: usize) {
    if count == 0 {
        findings.error(path, "`Values` is empty", "expected at least one value");
    }
}

/// The name of a file.
pub(super) fn file_name(findings: &mut Findings, path: &str, name: &str) {
    if name.trim().is_empty() {
        findings.error(path, "the name of the file is empty", "expected the name of a file");
    }
}

fn ordered(findings: &mut Findings, path: &str, min: f64, max: f64) {
    if min > max {
        findings.error(&format!("{path}.min"), "`min` is above `max`", "expected at most `max`");
    }
}
