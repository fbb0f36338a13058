//! Ranges: one declaration gives the check, the text of its error, and the line in the reference of fields.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::units::{Duration, Energy, Power, Rate, Size, UnitError, YEAR};
use crate::{Facts, Findings, Path};

/// What values of a type must lie in.
pub trait Range<T: ?Sized> {
    /// Adds a finding when the value lies outside.
    fn check(&self, value: &T, at: &Path<'_>, facts: &Facts, findings: &mut Findings);

    /// The range in words, for the reference: `in (0, 1]`.
    fn text(&self) -> String;
}

/// See [`Range::check`].
pub fn check<T: ?Sized>(range: &impl Range<T>, value: &T, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    range.check(value, at, facts, findings);
}

/// See [`Range::text`].
pub fn text<T: ?Sized>(range: &impl Range<T>) -> String {
    range.text()
}

impl<T, R: Range<T>> Range<Option<T>> for R {
    fn check(&self, value: &Option<T>, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        if let Some(value) = value {
            Range::<T>::check(self, value, at, facts, findings);
        }
    }

    fn text(&self) -> String {
        Range::<T>::text(self)
    }
}

impl<T, R: Range<T>> Range<Vec<T>> for R {
    fn check(&self, values: &Vec<T>, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        let each = values.iter().enumerate();
        each.for_each(|(index, value)| Range::<T>::check(self, value, &at.index(index), facts, findings));
    }

    fn text(&self) -> String {
        format!("each {}", Range::<T>::text(self))
    }
}

impl<T, R: Range<T>> Range<BTreeMap<String, T>> for R {
    fn check(&self, values: &BTreeMap<String, T>, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        values.iter().for_each(|(key, value)| Range::<T>::check(self, value, &at.key(key), facts, findings));
    }

    fn text(&self) -> String {
        format!("each {}", Range::<T>::text(self))
    }
}

/// An interval of numbers; the upper end always belongs to it. NaN lies in none.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    low: f64,
    low_included: bool,
    high: f64,
    text: &'static str,
}

impl Interval {
    /// From `low` to `high`, both included; `text` continues "a number …".
    #[must_use]
    pub const fn closed(low: f64, high: f64, text: &'static str) -> Self {
        Self { low, low_included: true, high, text }
    }

    /// From `low`, which is not included, to `high`.
    #[must_use]
    pub const fn above(low: f64, high: f64, text: &'static str) -> Self {
        Self { low, low_included: false, high, text }
    }

    /// Does the number lie in it?
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        value <= self.high && (value > self.low || (self.low_included && value == self.low))
    }
}

impl Range<f64> for Interval {
    fn check(&self, &value: &f64, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
        if !self.contains(value) {
            outside(findings, at, value, format!("expected a number {}", self.text));
        }
    }

    fn text(&self) -> String {
        self.text.to_owned()
    }
}

/// (0, 1]: probabilities that may not be zero, and steps.
pub const PROBABILITY: Interval = Interval::above(0.0, 1.0, "in (0, 1], no unit");
/// [0, 1): probabilities of losses; with 1 nothing would ever arrive.
pub const LOSS: Interval = Interval::closed(0.0, BELOW_ONE, "in [0, 1), no unit");
/// The largest number below 1.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
/// (0, ∞).
pub const POSITIVE: Interval = Interval::above(0.0, f64::MAX, "above 0");
/// All finite numbers.
pub const FINITE: Interval = Interval::closed(f64::MIN, f64::MAX, "that is finite");
/// [0.001, 10⁶]: shapes of gamma distributions.
pub(crate) const SHAPE: Interval = Interval::closed(1e-3, 1e6, "from 0.001 to 1 000 000, no unit");
/// [0, 10]: standard deviations of logarithms.
pub const SIGMA: Interval = Interval::closed(0.0, 10.0, "from 0 to 10, no unit");

/// Whole numbers from `low` to `high`, both included.
#[must_use]
pub const fn whole(low: u64, high: u64) -> Whole {
    Whole { low, high, note: "", known: |_| None, name: "" }
}

/// A range of whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    low: u64,
    high: u64,
    note: &'static str,
    known: fn(&Facts) -> Option<usize>,
    name: &'static str,
}

impl Whole {
    /// With a remark behind the range in errors: ` (bytes)`.
    #[must_use]
    pub const fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// The largest value is also at most a size, where that is known: `name` is `q, the length of the statistic`.
    #[must_use]
    pub const fn at_most(self, known: fn(&Facts) -> Option<usize>, name: &'static str) -> Self {
        Self { known, name, ..self }
    }

    /// Adds a finding when the value lies outside.
    pub fn check_whole(&self, value: u64, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        let high = (self.known)(facts).map_or(self.high, |known| self.high.min(known as u64));
        if (self.low..=high).contains(&value) {
            return;
        }
        let range =
            if high == u64::MAX { format!("of at least {}", self.low) } else { format!("from {} to {high}", self.low) };
        let most = if self.name.is_empty() { String::new() } else { format!(", at most {}", self.name) };
        outside(findings, at, value, format!("expected a whole number {range}{}{most}", self.note));
    }

    fn words(&self) -> String {
        let range = match (self.high, self.name) {
            (u64::MAX, "") => format!("at least {}", self.low),
            (high, "") => format!("{} to {}", self.low, grouped(high)),
            (_, name) => format!("{} to {name}", self.low),
        };
        format!("{range}{}", self.note)
    }
}

/// The digits in groups of three: `65 535`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let space = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    let letters = digits.chars().enumerate();
    letters.flat_map(|(index, digit)| space(index).then_some(' ').into_iter().chain([digit])).collect()
}

macro_rules! whole_numbers {
    ($($of:ty)+) => {$(
        impl Range<$of> for Whole {
            fn check(&self, &value: &$of, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
                self.check_whole(value as u64, at, facts, findings);
            }

            fn text(&self) -> String {
                self.words()
            }
        }
    )+};
}
whole_numbers!(u8 u16 u32 u64 usize);

/// A range of durations, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Durations {
    low: u64,
    high: u64,
    text: &'static str,
}

/// From 0 to 584 years.
pub const DURATION: Durations = Durations { low: 0, high: u64::MAX, text: "from 0 to 584 years" };
/// At least 1 ns.
pub const POSITIVE_DURATION: Durations = Durations { low: 1, high: u64::MAX, text: "of at least 1 ns" };
/// From 0 to a year: what happens once per message or example must leave room on a clock of 584 years.
pub const SHORT_DURATION: Durations = Durations { low: 0, high: YEAR, text: "from 0 to a year (365.25 days)" };
/// From 1 ns to a year.
pub const POSITIVE_SHORT_DURATION: Durations =
    Durations { low: 1, high: YEAR, text: "from 1 ns to a year (365.25 days)" };
/// At least 1 ms: what follows one upon the other through a whole run.
pub const LONG_DURATION: Durations = Durations { low: 1_000_000, high: u64::MAX, text: "of at least 1 ms" };

/// The fastest link: 10 Tbit/s.
const FASTEST: u64 = 10_000_000_000_000;

/// Rates of links.
#[derive(Clone, Copy, Debug)]
pub struct LinkRate;

/// A range of powers, in watts.
#[derive(Clone, Copy, Debug)]
pub struct Powers {
    watts: Interval,
}

/// The largest power that is asked for: that of a small power station.
pub const MAX_WATTS: f64 = 1e6;
/// From 0.
pub const POWER: Powers = Powers { watts: Interval::closed(0.0, MAX_WATTS, "from 0 to 10⁶ W") };
/// Above 0.
pub const POSITIVE_POWER: Powers = Powers { watts: Interval::above(0.0, MAX_WATTS, "above 0, to 10⁶ W") };

/// Energies above 0.
#[derive(Clone, Copy, Debug)]
pub struct SomeEnergy;

/// Sizes of at least 1 bit.
#[derive(Clone, Copy, Debug)]
pub struct SomeBits;

/// Declares the range of a quantity: what that is called, the range in words, the number that an error shows, and
/// whether a value lies inside.
macro_rules! quantities {
    ($($range:ident of $of:ident: $what:literal, |$limits:ident, $value:ident|
        $text:expr, $shown:expr, $inside:expr;)+) => {$(
        impl Range<$of> for $range {
            fn check(&self, value: &$of, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
                let ($limits, $value) = (self, *value);
                quantity($inside, $shown, format!("expected {} {}", $what, text::<$of>(self)), at, findings);
            }

            fn text(&self) -> String {
                let $limits = self;
                $text.to_owned()
            }
        }
    )+};
}
quantities! {
    Durations of Duration: "a duration", |range, time| range.text, time.value(),
        time.nanoseconds().map(|nanoseconds| (range.low..=range.high).contains(&nanoseconds));
    // Not below 1 before it is rounded, either.
    LinkRate of Rate: "a rate", |_range, rate| "from 1 bit/s to 10 Tbit/s", rate.value(),
        rate.whole_bits_per_second().map(|whole| rate.bits_per_second() >= 1.0 && whole <= FASTEST);
    Powers of Power: "a power", |range, power| range.watts.text, power.value(), Ok(range.watts.contains(power.watts()));
    SomeEnergy of Energy: "an energy", |_range, energy| "above 0", energy.joules(),
        Ok(POSITIVE.contains(energy.joules()));
    SomeBits of Size: "a size of", |_range, size| "at least 1 bit", size.value(), size.bits().map(|bits| bits > 0);
}

/// A quantity with a unit: whether it lies inside, or why it has no value.
fn quantity(inside: Result<bool, UnitError>, written: f64, expected: String, at: &Path<'_>, findings: &mut Findings) {
    match inside {
        Ok(true) => {}
        Ok(false) => outside(findings, at, written, expected),
        Err(error) => outside(findings, at, written, format!("{error}; {expected}")),
    }
}

/// Texts that name a file.
#[derive(Clone, Copy, Debug)]
pub struct FileName;

impl Range<String> for FileName {
    fn check(&self, value: &String, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
        if value.trim().is_empty() {
            findings.error(at, "the name of the file is empty", "expected the name of a file");
        }
    }

    fn text(&self) -> String {
        "not empty".to_owned()
    }
}

/// The finding that a value lies outside its range.
pub fn outside(findings: &mut Findings, at: &Path<'_>, value: impl Display, expected: impl Into<String>) {
    findings.error(at, format!("`{}` is out of range: {}", at.last_name(), short(value)), expected);
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
