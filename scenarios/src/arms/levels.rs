//! Numbers by a rule: equal distances, equal ratios, quantiles of laws. And how they are written: in as few digits as a
//! reader needs, so that a level is what its name says.

use fedbits_numerics::bisected;
use libm::{erfc, exp, floor, log, log10};

use crate::schema::{Amount, Law, Values, decimal};

/// The values of an axis as they are written into scenarios, and their names.
pub(crate) struct Written {
    /// RON.
    pub(crate) value: String,
    /// Without quotes.
    pub(crate) label: String,
}

/// The numbers of a rule with their unit; `None` of a list. With `whole` they are rounded to whole numbers.
pub(crate) fn levels(values: &Values, whole: bool) -> Option<Vec<Written>> {
    let (low, high, count, is_log) = match values {
        Values::List(_) => return None,
        Values::Linear(low, high, count) => (low, high, *count, false),
        Values::Log(low, high, count) => (low, high, *count, true),
    };
    let (from, to) = (low.number(), high.number());
    let exact = |level: u64| {
        let share = level as f64 / (count - 1) as f64;
        match level {
            0 => from,
            _ if level + 1 == count => to,
            _ if is_log => exp((1.0 - share) * log(from) + share * log(to)),
            _ => (1.0 - share) * from + share * to,
        }
    };
    let numbers: Vec<f64> = (0..count).map(exact).collect();
    let gap = |at: usize| {
        let before = at.checked_sub(1).map_or(f64::INFINITY, |before| numbers[at] - numbers[before]);
        let after = numbers.get(at + 1).map_or(f64::INFINITY, |after| after - numbers[at]);
        before.min(after)
    };
    let end = |at: usize| at == 0 || at + 1 == numbers.len();
    let rounded = |at: usize| match numbers[at] {
        number if whole => number.round(),
        number if end(at) => number,
        number => round(number, gap(at)),
    };
    Some((0..numbers.len()).map(|at| written(rounded(at), low.unit())).collect())
}

/// The value below which a law has the share `share` of its mass, in (0, 1).
pub(crate) fn quantile(law: &Law, share: f64, whole: bool) -> Written {
    let number = |number: f64, unit: &Amount, spread: f64| {
        let number = if whole { number.round() } else { round(number, spread) };
        written(number, unit.unit())
    };
    match law {
        Law::Uniform(low, high) if whole => {
            let (from, to) = whole_ends(low, high);
            number((from + floor(share * (to - from + 1.0))).min(to), low, 1.0)
        }
        Law::Uniform(low, high) => {
            let (from, to) = (low.number(), high.number());
            number(inside((1.0 - share) * from + share * to, from, to), low, to - from)
        }
        Law::LogUniform(low, high) if whole => {
            let (from, to) = whole_ends(low, high);
            let (below, above) = (log(from - 0.5), log(to + 0.5));
            number(inside(exp((1.0 - share) * below + share * above).round(), from, to), low, 1.0)
        }
        Law::LogUniform(low, high) => {
            let (from, to) = (low.number(), high.number());
            let at = inside(exp((1.0 - share) * log(from) + share * log(to)), from, to);
            number(at, low, at * log(to / from).min(1.0))
        }
        Law::Normal(mean, deviation) => number(mean.number() + deviation * normal_quantile(share), mean, *deviation),
        Law::LogNormal(median, sigma) => {
            let at = median.number() * exp(sigma * normal_quantile(share));
            number(at, median, at * sigma.min(1.0))
        }
        Law::Choice(list) => {
            let chosen = ((share * list.len() as f64) as usize).min(list.len() - 1);
            Written { value: list[chosen].clone(), label: unquoted(&list[chosen]) }
        }
    }
}

/// A number of a law that is surely not whole, and one that is: which of them a setting takes tells whether it takes
/// whole numbers only. `None` of choices, which stand as they are.
pub(crate) fn probes(law: &Law) -> Option<[String; 2]> {
    let (at, width) = match law {
        Law::Uniform(low, high) | Law::LogUniform(low, high) => (low, high.number() - low.number()),
        Law::Normal(mean, deviation) => (mean, *deviation),
        Law::LogNormal(median, _) => (median, 1.0),
        Law::Choice(_) => return None,
    };
    // A quantile would not do: in six digits those of a wide range are whole.
    let fraction = if at.number().fract() == 0.0 { at.number() + 0.5 * width.min(1.0) } else { at.number() };
    Some([written(fraction, at.unit()).value, quantile(law, 0.5, true).value])
}

/// The first and the last whole number of a range; the first is above the last where there is none.
pub(crate) fn whole_ends(low: &Amount, high: &Amount) -> (f64, f64) {
    (low.number().ceil(), high.number().floor())
}

/// What rounding of the last digit has moved out of the range is its end.
fn inside(number: f64, low: f64, high: f64) -> f64 {
    number.max(low).min(high)
}

/// Rounded to six digits of `spread`, the distance to a neighbour or the width of a law.
fn round(number: f64, spread: f64) -> f64 {
    if number == 0.0 || !(spread > 0.0 && spread.is_finite()) {
        return number;
    }
    let last_place = floor(log10(spread)) - 5.0;
    let digits = floor(log10(number.abs())) - last_place;
    if digits < 0.0 {
        return 0.0;
    }
    format!("{number:.*e}", digits.min(17.0) as usize).parse().unwrap_or(number)
}

fn written(number: f64, unit: Option<&str>) -> Written {
    let number = decimal(number);
    match unit {
        None => Written { value: number.clone(), label: number },
        Some(unit) => {
            let label = format!("{number} {unit}");
            Written { value: format!("{label:?}"), label }
        }
    }
}

/// A value of a setting as a cell of a table: a text without its quotes.
#[must_use]
pub fn unquoted(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.filter(|text| !text.contains(['"', '\\'])).unwrap_or(value).to_owned()
}

/// The standard normal quantile, by bisection of erfc.
fn normal_quantile(share: f64) -> f64 {
    // The smaller tail keeps its digits.
    let tail = share.min(1.0 - share);
    let above = |x: f64| 0.5 * erfc(x * core::f64::consts::FRAC_1_SQRT_2);
    let quantile = bisected((0.0, 40.0), f64::midpoint, |x| above(x) > tail);
    if share < 0.5 { -quantile } else { quantile }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &Values, whole: bool) -> Vec<String> {
        levels(values, whole).unwrap().into_iter().map(|level| level.label).collect()
    }

    fn plain(number: f64) -> Amount {
        Amount::Number(number)
    }

    #[test]
    fn levels_are_written_as_people_write_them() {
        let decades = Values::Log(plain(1e-4), plain(1.0), 5);
        assert_eq!(labels(&decades, false), ["0.0001", "0.001", "0.01", "0.1", "1"]);
        let halves = Values::Log(plain(1e-7), plain(1e-5), 5);
        assert_eq!(labels(&halves, false), ["1e-7", "3.16228e-7", "1e-6", "3.16228e-6", "0.00001"]);
        let tenths = Values::Linear(plain(-0.1), plain(0.3), 5);
        assert_eq!(labels(&tenths, false), ["-0.1", "0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&Values::Linear(plain(0.0), plain(1.0), 4), false), ["0", "0.333333", "0.666667", "1"]);
        assert_eq!(labels(&Values::Log(plain(10.0), plain(1000.0), 5), true), ["10", "32", "100", "316", "1000"]);
        let narrow = Values::Linear(plain(1e6), plain(1e6 + 1.0), 3);
        assert_eq!(labels(&narrow, false), ["1000000", "1000000.5", "1000001"]);
    }

    #[test]
    fn units_stay() {
        let unit = |number| Amount::With(number, "Mbps".to_owned());
        let rates = levels(&Values::Log(unit(1.0), unit(100.0), 3), false).unwrap();
        assert_eq!(
            rates.iter().map(|rate| rate.value.as_str()).collect::<Vec<_>>(),
            ["\"1 Mbps\"", "\"10 Mbps\"", "\"100 Mbps\""]
        );
    }

    /// `tests/golden/make_sobol.py` writes the same by SciPy.
    #[test]
    fn quantiles_are_scipys() {
        for line in
            include_str!("../../../tests/golden/normal_quantiles.csv").lines().filter(|line| !line.starts_with('#'))
        {
            let (share, expected) = line.split_once(',').unwrap();
            let (share, expected): (f64, f64) = (share.parse().unwrap(), expected.parse().unwrap());
            let found = normal_quantile(share);
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{share}: {found} and {expected}");
        }
    }

    #[test]
    fn whole_numbers_are_as_likely_as_each_other() {
        let law = Law::Uniform(plain(1.0), plain(4.0));
        let mut counts = [0; 5];
        for part in 0..4000 {
            let number: usize = quantile(&law, (f64::from(part) + 0.5) / 4000.0, true).value.parse().unwrap();
            counts[number] += 1;
        }
        assert_eq!(counts, [0, 1000, 1000, 1000, 1000]);
    }
}
