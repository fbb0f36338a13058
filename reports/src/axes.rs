//! Axes: limits, ticks and their labels. Pure functions of the data's range and the room there is.

use crate::text::Rich;

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// A labelled place on an axis; `at` is the value, or its decimal logarithm on a log axis.
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
    /// The axis coordinate of a value; `None` where the axis has no place for it.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        match self.scale {
            Scale::Linear => Some(value),
            Scale::Log => (value > 0.0).then(|| libm::log10(value)),
        }
    }

    /// A linear axis over `low..=high` with at most `most` ticks. With `tight` the data ends where the axis ends.
    pub(crate) fn linear(low: f64, high: f64, most: usize, tight: bool) -> Self {
        let (low, high) = widen(low, high);
        let margin = if tight { 0.0 } else { 0.04 * (high - low) };
        let (low, high) = (low - margin, high + margin);
        let step = step(low, high, most);
        let high = rounded_up(high, step.size);
        let tick = |index: i64| Tick { at: index as f64 * step.size, label: decimal(index, &step) };
        let ticks = step.inside(low, high).map(tick).collect();
        Self { scale: Scale::Linear, low, high, ticks, minor: Vec::new() }
    }

    /// A log axis over the positive range `low..=high`: powers of ten when there are enough, else their small multiples.
    pub(crate) fn log(low: f64, high: f64, most: usize) -> Self {
        let (low, high) = (libm::log10(low), libm::log10(high));
        let margin = if high > low { 0.04 * (high - low) } else { 0.2 };
        let (low, high) = (low - margin, high + margin);
        let decades = (high - low).ceil() as i64;
        let stride = (decades / most.max(1) as i64 + 1).max(1);
        let inside = |at: f64| at >= low && at <= high;
        let whole = low.floor() as i64..=high.ceil() as i64;
        let powers: Vec<i64> = whole.clone().filter(|power| inside(*power as f64)).collect();
        let mut axis = Self { scale: Scale::Log, low, high, ticks: Vec::new(), minor: Vec::new() };
        if powers.len() >= 2 {
            let labelled = |power: &i64| power.rem_euclid(stride) == 0;
            axis.ticks = powers.iter().filter(|p| labelled(p)).map(|&p| power_tick(p, 1)).collect();
            axis.minor = powers.iter().filter(|p| !labelled(p)).map(|&p| p as f64).collect();
            if decades <= 6 {
                axis.minor.extend(multiples(whole, 2..=9).map(|(p, m)| at(p, m)).filter(|&at| inside(at)));
            }
        } else {
            let close = if decades <= 1 && high - low < 0.35 { 1..=9 } else { 1..=5 };
            let kept = multiples(whole.clone(), close).filter(|&(p, m)| inside(at(p, m)) && matches!(m, 1..=3 | 5..=9));
            axis.ticks = kept.map(|(p, m)| power_tick(p, m)).collect();
            axis.minor = multiples(whole, 1..=9).map(|(p, m)| at(p, m)).filter(|&at| inside(at)).collect();
        }
        axis
    }
}

/// The next multiple of the step when it is so near that ending at it costs hardly any room.
fn rounded_up(high: f64, step: f64) -> f64 {
    let next = (high / step).ceil() * step;
    if next - high <= 0.08 * step { next } else { high }
}

/// Every multiple of every power of ten.
fn multiples(
    powers: std::ops::RangeInclusive<i64>,
    multiples: std::ops::RangeInclusive<i64>,
) -> impl Iterator<Item = (i64, i64)> {
    powers.flat_map(move |power| multiples.clone().map(move |multiple| (power, multiple)))
}

fn at(power: i64, multiple: i64) -> f64 {
    power as f64 + libm::log10(multiple as f64)
}

/// m × 10^p as it is printed.
fn power_tick(power: i64, multiple: i64) -> Tick {
    let label = match (power, multiple) {
        (0, m) if m > 1 => Rich::plain(&m.to_string()),
        (p, 1) => Rich::plain("10").superscript(&minus(&p.to_string())),
        (p, m) => Rich::plain(&format!("{m}\u{d7}10")).superscript(&minus(&p.to_string())),
    };
    Tick { at: at(power, multiple), label }
}

/// A range with some extent.
fn widen(low: f64, high: f64) -> (f64, f64) {
    if high > low {
        return (low, high);
    }
    let half = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    (low - half, high + half)
}

/// A step 1, 2 or 5 times a power of ten.
struct Step {
    size: f64,
    /// `size` = `digit` × 10^`power`.
    digit: i64,
    power: i32,
}

impl Step {
    /// The multiples within the range; one a hair beyond its end still belongs to it.
    fn inside(&self, low: f64, high: f64) -> std::ops::RangeInclusive<i64> {
        let hair = 1e-9 * (high - low);
        ((low - hair) / self.size).ceil() as i64..=((high + hair) / self.size).floor() as i64
    }
}

/// The smallest step with at most `most` multiples in the range.
fn step(low: f64, high: f64, most: usize) -> Step {
    let mut power = libm::log10((high - low) / most.max(1) as f64).floor() as i32;
    let mut digit = 1;
    loop {
        let step = Step { size: scaled(digit, power), digit, power };
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
fn decimal(index: i64, step: &Step) -> Rich {
    let whole = index * step.digit;
    let digits = whole.unsigned_abs().to_string();
    let text = match usize::try_from(-step.power) {
        Ok(places) if places > 0 => {
            let padded = format!("{digits:0>width$}", width = places + 1);
            let (units, fraction) = padded.split_at(padded.len() - places);
            format!("{units}.{fraction}")
        }
        _ if whole == 0 => digits,
        _ => group(&format!("{digits}{}", "0".repeat(usize::try_from(step.power).unwrap_or(0)))),
    };
    Rich::plain(&if whole < 0 { format!("\u{2212}{text}") } else { text })
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

/// A true minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::{Axis, group};

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| tick.label.characters()).collect()
    }

    /// Steps are 1, 2 or 5 times a power of ten: the smallest that gives no more ticks than asked for, by hand.
    #[test]
    fn linear_ticks() {
        assert_eq!(labels(&Axis::linear(0.0, 40.0, 5, true)), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(&Axis::linear(0.0, 40.0, 4, true)), ["0", "20", "40"]);
        assert_eq!(labels(&Axis::linear(0.0, 0.3, 4, true)), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(
            labels(&Axis::linear(-19.4184, -19.4179, 3, true)),
            ["\u{2212}19.4184", "\u{2212}19.4182", "\u{2212}19.4180"]
        );
        assert_eq!(labels(&Axis::linear(0.0, 50_000.0, 3, true)), ["0", "20\u{2009}000", "40\u{2009}000"]);
        assert_eq!(labels(&Axis::linear(3.0, 3.0, 3, true)), ["2.8", "3.0", "3.2"]);
    }

    /// Powers of ten when two or more are inside, every k-th when there are too many, small multiples when there are none.
    #[test]
    fn log_ticks() {
        assert_eq!(labels(&Axis::log(1e-3, 1.0, 8)), ["10\u{2212}3", "10\u{2212}2", "10\u{2212}1", "100"]);
        assert_eq!(labels(&Axis::log(1e-12, 1.0, 4)), ["10\u{2212}12", "10\u{2212}8", "10\u{2212}4", "100"]);
        assert_eq!(labels(&Axis::log(0.011, 0.06, 5)), ["2×10\u{2212}2", "3×10\u{2212}2", "5×10\u{2212}2"]);
    }

    #[test]
    fn thousands() {
        assert_eq!(group("9999"), "9999");
        assert_eq!(group("1234567"), "1\u{2009}234\u{2009}567");
    }
}
