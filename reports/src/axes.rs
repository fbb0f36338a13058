//! Axes: limits, ticks and their labels. Pure functions of the data's range and the room there is.

use crate::text::{Rich, superscripts};
use fedbits_figures::Scale as Choice;

/// From this ratio of the largest to the smallest end on, an axis of costs is logarithmic.
pub(crate) const WIDE: f64 = 10.0;

/// How values become coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Scale {
    #[default]
    Linear,
    Log,
}

/// The one rule for horizontal axes of all kinds of figures: logarithmic where what stands on the axis (the ends of the
/// lines, the points of the arms, the durations) differs by a factor of [`WIDE`] or more. What is zero has no
/// coordinate on it and is not considered.
pub(crate) fn scale(ends: impl Iterator<Item = f64>) -> Scale {
    chosen_scale(ends, Choice::Auto)
}

/// The scale that is chosen, where a value has a coordinate on it.
pub(crate) fn chosen_scale(ends: impl Iterator<Item = f64>, choice: Choice) -> Scale {
    let (low, high) = range(ends.filter(|&end| end > 0.0));
    match choice {
        Choice::Linear => Scale::Linear,
        Choice::Log if high > 0.0 => Scale::Log,
        Choice::Auto if high >= WIDE * low => Scale::Log,
        Choice::Log | Choice::Auto => Scale::Linear,
    }
}

/// [`scale`] where each of the values is to have a coordinate: linear where one is zero or less.
pub(crate) fn scale_of_all(values: impl Iterator<Item = f64> + Clone) -> Scale {
    match values.clone().any(|value| value <= 0.0) {
        true => Scale::Linear,
        false => scale(values),
    }
}

/// The least and the most of some values; of none +∞ and −∞.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// What is less in points is none.
const HAIR: f64 = 1e-6;

/// No axis reaches farther.
const LARGEST: f64 = 1e300;

/// A labelled position on an axis; `at` is the value, or its decimal logarithm on a log axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: Rich,
}

/// Limits and ticks in axis coordinates (values, or their decimal logarithms).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub scale: Scale,
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<Tick>,
    /// Ticks without label.
    pub minor: Vec<f64>,
}

impl Axis {
    /// The axis coordinate of a value; `None` where the axis has no coordinate for it.
    pub(crate) fn coordinate(&self, value: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => Some(value),
            Scale::Log => (value > 0.0).then(|| libm::log10(value)),
        }
    }

    /// Width of the widest label, set at `size`.
    pub(crate) fn widest_label(&self, size: f64) -> f64 {
        self.ticks.iter().map(|tick| tick.label.width(size)).fold(0.0, f64::max)
    }

    /// Whether the labels of an axis `width` points long stand `apart` from each other.
    pub(crate) fn has_room(&self, width: f64, apart: f64, size: f64) -> bool {
        let gaps = self.ticks.windows(2).map(|pair| pair[1].at - pair[0].at).fold(f64::INFINITY, f64::min);
        gaps / (self.high - self.low) * width >= self.widest_label(size) + apart
    }

    /// Without the ticks beyond its ends, and those whose labels, set at `size`, leave a stretch of the page; the axis
    /// is drawn from `left` to `right`.
    pub(crate) fn trimmed(mut self, (left, right): (f64, f64), (from, to): (f64, f64), size: f64) -> Self {
        let (low, high, scale) = (self.low, self.high, (right - left) / (self.high - self.low));
        self.ticks.retain(|tick| {
            let (at, half) = (left + (tick.at - low) * scale, 0.5 * tick.label.width(size));
            // A hair more: an axis that was lengthened for its last label ends exactly there.
            tick.at <= high && at - half >= from - HAIR && at + half <= to + HAIR
        });
        self.minor.retain(|at| *at <= high);
        self
    }

    /// Lengthened at its upper end so that its last label, set at `size`, reaches at most so far beyond it; the axis is
    /// drawn `width` points long.
    pub(crate) fn inset(self, width: f64, beyond: f64, size: f64) -> Self {
        let Some(last) = self.ticks.last() else { return self };
        let (half, span) = (0.5 * last.label.width(size), self.high - self.low);
        let behind = (self.high - last.at) / span * width;
        // What lies behind the label shrinks, too, as the axis gets longer.
        let over = (half - beyond - behind) * width / (width - behind);
        // By at most an eighth: else the label is left out.
        let is_little = over > 0.0 && over < 0.125 * width;
        if is_little { Self { high: self.high + span * over / (width - over), ..self } } else { self }
    }

    /// An axis without ticks, for what has no scale.
    pub(crate) fn bare() -> Self {
        Self { scale: Scale::Linear, low: 0.0, high: 1.0, ticks: Vec::new(), minor: Vec::new() }
    }

    /// A linear axis over `low..=high` with at most `most` ticks. With `tight` the data ends where the axis ends.
    pub(crate) fn linear(low: f64, high: f64, most: usize, tight: bool) -> Self {
        // The distance of the ends is finite, too.
        let (low, high) = widen(low.clamp(-LARGEST, LARGEST), high.clamp(-LARGEST, LARGEST));
        let margin = if tight { 0.0 } else { 0.04 * (high - low) };
        let (low, high) = (low - margin, high + margin);
        let step = step(low, high, most);
        let high = rounded_up(high, step.size);
        let inside = step.inside(low, high);
        let largest = inside.start().unsigned_abs().max(inside.end().unsigned_abs()) as f64 * step.size;
        let power = if largest > 0.0 { libm::log10(largest * (1.0 + 1e-9)).floor() as i32 } else { 0 };
        let label = |index: i64| match UNBROKEN.contains(&power) {
            true => Rich::plain(&digits(index, &step)),
            false if index == 0 => Rich::plain("0"),
            false => in_powers(index, &TickStep { power: step.power - power, ..step }, power),
        };
        let ticks = inside.map(|index| Tick { at: index as f64 * step.size, label: label(index) }).collect();
        Self { scale: Scale::Linear, low, high, ticks, minor: Vec::new() }
    }

    /// A log axis over the positive range `low..=high` with room for `most` labels side by side, and two at least,
    /// as one does not show a scale: powers of ten when there are enough, else their small multiples, and over a range
    /// that has not even these, what lies between. No two labels are nearer to each other than the `most`-th part of
    /// the axis. An end that has no place on it is at 10⁻³⁰⁰: whatever the range, ticks are few.
    pub(crate) fn log(low: f64, high: f64, most: usize) -> Self {
        let most = most.max(2);
        let [low, high] = [low, high].map(|end| if end > 0.0 { libm::log10(end.min(LARGEST)) } else { -300.0 });
        let high = high.max(low);
        let margin = if high - low > SAME { 0.04 * (high - low) } else { 0.2 };
        let (low, high) = (low - margin, high + margin);
        let decades = (high - low).ceil() as i64;
        let stride = decades / most as i64 + 1;
        let inside = |at: f64| at >= low && at <= high;
        let whole = low.floor() as i64..=high.ceil() as i64;
        let powers: Vec<i64> = whole.clone().filter(|power| inside(*power as f64)).collect();
        // Powers that are multiples of the stride, or else every stride-th from the first.
        let every = |first: i64| powers.iter().copied().filter(move |power| (power - first).rem_euclid(stride) == 0);
        let first = powers.first().copied().unwrap_or(0);
        let labelled = [0, first].map(|first| every(first).collect::<Vec<i64>>()).into_iter().find(|all| all.len() > 1);
        let mut axis = Self { scale: Scale::Log, low, high, ticks: Vec::new(), minor: Vec::new() };
        if let Some(labelled) = labelled {
            axis.ticks = labelled.iter().map(|&power| power_tick(power)).collect();
            axis.minor = powers.iter().filter(|power| !labelled.contains(power)).map(|&power| power as f64).collect();
            if decades <= 6 {
                axis.minor.extend(multiples(whole, &EVERY[1..]).map(|(p, m)| at(p, m)).filter(|&at| inside(at)));
            }
        } else {
            axis.ticks = axis.between_powers(most);
            axis.minor = multiples(whole, &EVERY).map(|(p, m)| at(p, m)).filter(|&at| inside(at)).collect();
        }
        axis
    }

    /// Labels of a log axis with less than two powers of ten that are far enough apart: the most small multiples that
    /// are, or else multiples of a step, or else those of either that remain where what is too near is left out.
    fn between_powers(&self, most: usize) -> Vec<Tick> {
        const SETS: [&[i64]; 6] = [&EVERY, &[1, 2, 3, 5], &[1, 2, 5], &[1, 3], &[1, 5], &[1]];
        let (low, high) = (self.low, self.high);
        let far = |a: &Tick, b: &Tick| (b.at - a.at) * most as f64 >= high - low;
        let inside = |tick: &Tick| tick.at >= low && tick.at <= high;
        let apart = |ticks: &Vec<Tick>| ticks.windows(2).all(|pair| far(&pair[0], &pair[1]));
        let small: [Vec<Tick>; 6] = SETS.map(|set| {
            let whole = low.floor() as i64..=high.ceil() as i64;
            multiples(whole, set).map(|(power, multiple)| multiple_tick(power, multiple)).filter(inside).collect()
        });
        let thinned = |ticks: Vec<Tick>| {
            let mut kept: Vec<Tick> = Vec::new();
            for tick in ticks {
                if kept.last().is_none_or(|last| far(last, &tick)) {
                    kept.push(tick);
                }
            }
            kept
        };
        let power = low.floor() as i32;
        let between = (1..=most).rev().map(|steps| stepped(low, high, power, steps));
        let finer = (1..=5).map(|doubled| thinned(stepped(low, high, power, most << doubled)));
        let rest = small.clone().into_iter().rev().map(thinned).chain(finer);
        small.into_iter().chain(between).filter(apart).chain(rest).find(|ticks| ticks.len() > 1).unwrap_or_default()
    }
}

/// Multiples of a power of ten.
const EVERY: [i64; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// At most `most` positions between two logarithms, evenly spaced in what they are the logarithms of, in units of
/// 10^`power`.
fn stepped(low: f64, high: f64, power: i32, most: usize) -> Vec<Tick> {
    let mantissa = |at: f64| libm::pow(10.0, at - f64::from(power));
    let (low, high) = (mantissa(low), mantissa(high));
    let step = step(low, high, most);
    let tick = |index: i64| {
        let label = match PLAIN.contains(&i64::from(power)) {
            true => Rich::plain(&digits(index, &TickStep { power: step.power + power, ..step })),
            false => in_powers(index, &step, power),
        };
        Tick { at: f64::from(power) + libm::log10(index as f64 * step.size), label }
    };
    step.inside(low, high).map(tick).collect()
}

/// Of numbers whose largest has these powers of ten every digit is printed on a linear axis: 0.00012, 9 000 000.
const UNBROKEN: std::ops::RangeInclusive<i32> = -4..=6;

/// index × step × 10^`power` as it is printed.
fn in_powers(index: i64, step: &TickStep, power: i32) -> Rich {
    Rich::plain(&format!("{}\u{d7}10{}", digits(index, step), superscripts(&power.to_string())))
}

/// The next multiple of the step when it is so near that ending at it costs hardly any room.
fn rounded_up(high: f64, step: f64) -> f64 {
    let next = (high / step).ceil() * step;
    if next - high <= 0.08 * step { next } else { high }
}

/// Every one of these multiples of every power of ten, ascending.
fn multiples(powers: std::ops::RangeInclusive<i64>, multiples: &[i64]) -> impl Iterator<Item = (i64, i64)> {
    powers.flat_map(move |power| multiples.iter().map(move |&multiple| (power, multiple)))
}

fn at(power: i64, multiple: i64) -> f64 {
    power as f64 + libm::log10(multiple as f64)
}

/// 10^p as it is printed among its like.
fn power_tick(power: i64) -> Tick {
    Tick { at: power as f64, label: Rich::plain(&format!("10{}", superscripts(&power.to_string()))) }
}

/// m × 10^p as it is printed.
fn multiple_tick(power: i64, multiple: i64) -> Tick {
    let label = match (power, multiple) {
        (p, m) if PLAIN.contains(&p) => {
            Rich::plain(&digits(m, &TickStep { size: scaled(1, p as i32), digit: 1, power: p as i32 }))
        }
        (p, 1) => return power_tick(p),
        (p, m) => in_powers(m, &TickStep { size: 1.0, digit: 1, power: 0 }, p as i32),
    };
    Tick { at: at(power, multiple), label }
}

/// Powers of ten whose multiples are printed as plain numbers, 0.01 to 9000.
const PLAIN: std::ops::RangeInclusive<i64> = -2..=3;

/// A range with some extent. What differs from the tenth digit on is drawn as equal: labels of so many digits are
/// longer than their room.
fn widen(low: f64, high: f64) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    if high - low > SAME * largest {
        return (low, high);
    }
    let half = if largest == 0.0 { 1.0 } else { 0.1 * largest };
    (low - half, high + half)
}

/// Ends that are no further apart, as a share of the larger, are the same.
const SAME: f64 = 1e-9;

/// A step 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy)]
struct TickStep {
    size: f64,
    /// `size` = `digit` × 10^`power`.
    digit: i64,
    power: i32,
}

impl TickStep {
    /// The multiples within the range; one a hair beyond its end still belongs to it.
    fn inside(&self, low: f64, high: f64) -> std::ops::RangeInclusive<i64> {
        let hair = 1e-9 * (high - low);
        ((low - hair) / self.size).ceil() as i64..=((high + hair) / self.size).floor() as i64
    }
}

/// The smallest step with at most `most` multiples in the range.
fn step(low: f64, high: f64, most: usize) -> TickStep {
    // Zero is a multiple of every step: a range around it has one, however long steps are.
    let most = most.max(1);
    let mut power = libm::log10((high - low) / most as f64).floor() as i32;
    let mut digit = 1;
    loop {
        let step = TickStep { size: scaled(digit, power), digit, power };
        if step.inside(low, high).count() <= most {
            return step;
        }
        (digit, power) = match digit {
            1 => (2, power),
            2 => (5, power),
            _ => (1, power + 1),
        };
    }
}

/// digit × 10^power, correctly rounded where division by a power of ten is.
fn scaled(digit: i64, power: i32) -> f64 {
    let ten = libm::pow(10.0, f64::from(power.abs()));
    if power < 0 { digit as f64 / ten } else { digit as f64 * ten }
}

/// index × step without rounding: the digits are whole, the point is set by hand.
fn digits(index: i64, step: &TickStep) -> String {
    let whole = index * step.digit;
    let digits = whole.unsigned_abs().to_string();
    let text = match usize::try_from(-step.power) {
        Ok(decimals) if decimals > 0 => {
            let padded = format!("{digits:0>width$}", width = decimals + 1);
            let (units, fraction) = padded.split_at(padded.len() - decimals);
            format!("{units}.{fraction}")
        }
        _ if whole == 0 => digits,
        _ => group(&format!("{digits}{}", "0".repeat(usize::try_from(step.power).unwrap_or(0)))),
    };
    if whole < 0 { format!("\u{2212}{text}") } else { text }
}

/// Thousands apart by thin spaces, from five digits on.
pub(crate) fn group(digits: &str) -> String {
    if digits.len() < 5 {
        return digits.to_owned();
    }
    let head = digits.len() % 3;
    let mut parts: Vec<&str> = if head > 0 { vec![&digits[..head]] } else { Vec::new() };
    parts.extend((head..digits.len()).step_by(3).map(|start| &digits[start..start + 3]));
    parts.join("\u{2009}")
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale, chosen_scale, group};
    use fedbits_figures::Scale as Choice;
    use proptest::prelude::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| tick.label.characters().collect()).collect()
    }

    /// Steps are 1, 2 or 5 times a power of ten: the smallest that gives no more ticks than requested, by hand.
    #[test]
    fn linear_ticks() {
        assert_eq!(labels(&Axis::linear(0.0, 40.0, 5, true)), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(&Axis::linear(0.0, 40.0, 4, true)), ["0", "20", "40"]);
        // Without room, too, there is the multiple that no step avoids.
        assert_eq!(labels(&Axis::linear(-1.0, 1.0, 0, true)), ["0"]);
        assert_eq!(labels(&Axis::linear(0.0, 0.3, 4, true)), ["0.0", "0.1", "0.2", "0.3"]);
        // Zeros that say nothing of a range are one power of ten.
        let small = ["0.9", "1.0", "1.1"].map(|number| format!("{number}×10\u{2212}10"));
        assert_eq!(labels(&Axis::linear(0.9e-10, 1.1e-10, 4, true)), small);
        assert_eq!(labels(&Axis::linear(0.0, 4e-7, 3, true)), ["0", "2×10\u{2212}7", "4×10\u{2212}7"]);
        assert_eq!(labels(&Axis::linear(-2e12, 0.0, 3, true)), ["\u{2212}2×1012", "\u{2212}1×1012", "0"]);
        assert_eq!(labels(&Axis::linear(0.0, 9e6, 2, true)).pop().as_deref(), Some("5 000 000"));
        assert_eq!(
            labels(&Axis::linear(-19.4184, -19.4179, 3, true)),
            ["\u{2212}19.4184", "\u{2212}19.4182", "\u{2212}19.4180"]
        );
        assert_eq!(labels(&Axis::linear(0.0, 50_000.0, 3, true)), ["0", "20 000", "40 000"]);
        assert_eq!(labels(&Axis::linear(3.0, 3.0, 3, true)), ["2.8", "3.0", "3.2"]);
        // A nanosecond more or less is no scale.
        assert_eq!(labels(&Axis::linear(633.566_265_294, 633.566_265_295, 4, true)), ["600", "650", "700"]);
    }

    /// Powers of ten when two or more are inside, every k-th when there are too many, small multiples when there are
    /// none.
    #[test]
    fn log_ticks() {
        assert_eq!(labels(&Axis::log(1e-3, 1.0, 8)), ["10\u{2212}3", "10\u{2212}2", "10\u{2212}1", "100"]);
        assert_eq!(labels(&Axis::log(1e-12, 1.0, 4)), ["10\u{2212}12", "10\u{2212}8", "10\u{2212}4", "100"]);
        assert_eq!(labels(&Axis::log(0.011, 0.06, 5)), ["0.02", "0.03", "0.05"]);
        assert_eq!(labels(&Axis::log(0.7, 7.0, 5)), ["1", "2", "5"]);
        assert_eq!(
            labels(&Axis::log(3.1e-5, 1.9e-4, 4)),
            ["3×10\u{2212}5", "5×10\u{2212}5", "10\u{2212}4", "2×10\u{2212}4"]
        );
        assert_eq!(labels(&Axis::log(0.7, 7.0, 2)), ["1", "5"]);
        assert_eq!(labels(&Axis::log(0.0112, 0.0188, 3)), ["0.012", "0.016"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        /// Whatever the range is, there are two labels, no two are nearer than the share of the axis that one may take,
        /// and labels rise with what they stand for.
        #[test]
        fn log_labels_keep_apart(start in -9.0f64..9.0, span in prop_oneof![Just(0.0), 0.0..0.3, 0.3..3.0, 3.0..30.0],
            most in 0usize..=9) {
            let axis = Axis::log(libm::pow(10.0, start), libm::pow(10.0, start + span), most);
            prop_assert!(axis.ticks.len() > 1, "{:?}", labels(&axis));
            let least = axis.ticks.windows(2).map(|pair| pair[1].at - pair[0].at).fold(f64::INFINITY, f64::min);
            prop_assert!(least * most.max(2) as f64 >= axis.high - axis.low, "{:?}", labels(&axis));
            prop_assert!(axis.ticks.iter().all(|tick| tick.at >= axis.low - 1e-9 && tick.at <= axis.high + 1e-9));
            prop_assert!(labels(&axis).windows(2).all(|pair| pair[0] != pair[1]), "{:?}", labels(&axis));
        }
    }

    /// From ten times on, whatever the unit; zeros do not count; a choice is a choice, where there is room for
    /// anything.
    #[test]
    fn the_rule_of_scales() {
        let of = |ends: &[f64], choice| chosen_scale(ends.iter().copied(), choice);
        for unit in [1e-9, 1.0, 3e12] {
            assert_eq!(of(&[unit, 9.9 * unit], Choice::Auto), Scale::Linear);
            assert_eq!(of(&[10.1 * unit, 3.0 * unit, unit, 0.0], Choice::Auto), Scale::Log);
            assert_eq!(of(&[unit, 99.0 * unit], Choice::Linear), Scale::Linear);
            assert_eq!(of(&[unit], Choice::Log), Scale::Log);
        }
        assert_eq!(of(&[0.0, 0.0], Choice::Log), Scale::Linear);
        assert_eq!(of(&[], Choice::Auto), Scale::Linear);
    }

    proptest! {
        /// Whatever the ends: a finite axis with few ticks.
        #[test]
        fn any_log_axis_is_finite(low in any::<f64>(), high in any::<f64>(), zero: bool, most in 0usize..9) {
            for low in [low, if zero { 0.0 } else { f64::NAN }] {
                let axis = Axis::log(low, high, most);
                prop_assert!(axis.low.is_finite() && axis.high.is_finite() && axis.low < axis.high);
                prop_assert!(axis.ticks.len() <= 2 * most.max(2) && axis.minor.len() < 1000, "{axis:?}");
            }
        }

        /// An axis that is made longer for its last label keeps this label.
        #[test]
        fn the_last_label_has_room(high in 100.0f64..199.0, beyond in -4.0f64..4.0) {
            let axis = Axis::linear(0.0, high, 3, true);
            let count = axis.ticks.len();
            let longer = axis.inset(120.0, beyond, 7.0);
            prop_assert_eq!(longer.trimmed((0.0, 120.0), (-9.0, 120.0 + beyond), 7.0).ticks.len(), count);
        }
    }

    #[test]
    fn thousands() {
        assert_eq!(group("9999"), "9999");
        assert_eq!(group("1234567"), "1\u{2009}234\u{2009}567");
    }
}
