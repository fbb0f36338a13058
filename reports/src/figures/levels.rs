//! Levels of an axis as numbers: `75 %` and `25 %` differ in one number, and so do `rand-6` and `rand-16`.

use crate::axes::scale_of_all;
use crate::layout::Side;
use crate::text::{each_once, each_once_by};
use crate::words::raised;

/// Levels in one number, with what stands before and after it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numbers {
    /// By level: the number, and how it is written. Levels may be the same number in two spellings.
    pub levels: Vec<(f64, String)>,
    pub before: String,
    pub after: String,
}

impl Numbers {
    /// None where the levels are not the same text around one number each.
    pub(crate) fn of(levels: &[&str]) -> Option<Self> {
        let parts: Vec<(&str, &str, &str)> = levels.iter().map(|level| parts(bare(level))).collect::<Option<_>>()?;
        let &(before, _, after) = parts.first()?;
        let number = |&(own_before, digits, own_after): &(&str, &str, &str)| {
            let value = digits.replace('_', "").parse::<f64>().ok().filter(|value| value.is_finite())?;
            ((own_before, own_after) == (before, after)).then(|| (value, digits.to_owned()))
        };
        let levels: Vec<(f64, String)> = parts.iter().map(number).collect::<Option<_>>()?;
        Some(Self { levels, before: before.to_owned(), after: after.to_owned() })
    }

    /// The axis with what all its levels share: `participation (%)`, `compressor (rand-…)`.
    pub(crate) fn label(&self, axis: &str) -> String {
        match (self.before.as_str(), self.after.trim()) {
            ("", "") => axis.to_owned(),
            ("", after) => format!("{axis} ({after})"),
            (before, after) => format!("{axis} ({before}…{after})"),
        }
    }
}

/// Where levels stand on a horizontal axis: at their numbers, or side by side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Positions {
    pub label: String,
    /// By level, where it stands.
    pub at: Vec<f64>,
    /// The different ones of these, and what is called so there.
    pub ticks: Vec<(f64, String)>,
    pub is_number: bool,
}

impl Positions {
    /// Of the levels of an axis; a level may stand among them several times.
    pub(crate) fn of(axis: &str, levels: &[&str]) -> Self {
        let different = each_once(levels);
        let place =
            |level: &&str| (different.iter().take_while(|seen| **seen != level).count() as f64, (*level).to_owned());
        let (label, placed, is_number) = match Numbers::of(levels) {
            Some(numbers) => (numbers.label(axis), numbers.levels, true),
            None => (axis.to_owned(), levels.iter().map(place).collect(), false),
        };
        let ticks = each_once_by(placed.iter().cloned(), |one, other| one.0 == other.0);
        Self { label, at: placed.iter().map(|tick| tick.0).collect(), ticks, is_number }
    }

    pub(crate) fn side(&self) -> Side {
        if !self.is_number {
            return Side::of_names(&self.label, self.ticks.iter().map(|tick| tick.1.clone()).collect());
        }
        let values: Vec<f64> = self.ticks.iter().map(|tick| tick.0).collect();
        let scale = scale_of_all(values.iter().copied());
        let ticks = values.iter().map(|&value| (value, raised(value).replace('-', "\u{2212}"))).collect();
        Side { scale, holds: values, ticks, ..Side::new(&self.label) }
    }
}

/// A number that does not change is written `0.1` or `Constant(0.1)`.
fn bare(level: &str) -> &str {
    let inner = level.strip_prefix("Constant(").and_then(|rest| rest.strip_suffix(')'));
    inner.filter(|inner| inner.parse::<f64>().is_ok()).unwrap_or(level)
}

/// What stands before the only number of a text, the number, and what stands after it.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let digit = text.find(|c: char| c.is_ascii_digit())?;
    // A minus is a sign where nothing stands before it.
    let start = if text[..digit] == *"-" { 0 } else { digit };
    let is_number = |part: &&str| part.replace('_', "").parse::<f64>().is_ok();
    let number = (digit..=text.len()).rev().filter_map(|end| text.get(start..end)).find(is_number)?;
    let number = number.strip_suffix('.').unwrap_or(number);
    let after = &text[start + number.len()..];
    (!after.contains(|c: char| c.is_ascii_digit())).then(|| (&text[..start], number, after))
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Positions};
    use crate::axes::Scale;
    use proptest::prelude::*;

    fn values(levels: &[&str]) -> Option<Vec<f64>> {
        Some(Numbers::of(levels)?.levels.iter().map(|level| level.0).collect())
    }

    #[test]
    fn texts_around_one_number() {
        assert_eq!(values(&["100 %", "75 %", "25 %"]), Some(vec![100.0, 75.0, 25.0]));
        assert_eq!(values(&["rand-16", "rand-6"]), Some(vec![16.0, 6.0]));
        assert_eq!(values(&["Bernoulli(0.75)", "Bernoulli(0.5)"]), Some(vec![0.75, 0.5]));
        assert_eq!(values(&["1e-3", "-2", "1_000"]), Some(vec![1e-3, -2.0, 1000.0]));
        assert_eq!(Numbers::of(&["75 %"]).unwrap().label("share"), "share (%)");
        assert_eq!(Numbers::of(&["rand-6"]).unwrap().label("compressor"), "compressor (rand-…)");
        for no_numbers in [&["none", "8"][..], &["1 s", "500 ms"], &["2 of 3", "1 of 3"], &[]] {
            assert_eq!(values(no_numbers), None, "{no_numbers:?}");
        }
    }

    /// Two spellings of one number stand at one place, under the first of them; names stand side by side.
    #[test]
    fn spellings_of_a_number_share_its_place() {
        let positions = |levels: &[&str]| {
            let axis = Positions::of("gamma", levels);
            let ticks = axis.ticks.iter().map(|tick| tick.1.clone()).collect::<Vec<_>>();
            (axis.label, axis.at, ticks.join(" "))
        };
        let numbers = positions(&["Constant(0.1)", "0.0931976", "1", "0.1", "Constant(1.0)"]);
        assert_eq!(numbers, ("gamma".to_owned(), vec![0.1, 0.0931976, 1.0, 0.1, 1.0], "0.1 0.0931976 1".to_owned()));
        let names = positions(&["All", "Power(a: 1, b: 2)", "All", "Constant(a)"]);
        assert_eq!(names.1, [0.0, 1.0, 0.0, 2.0]);
    }

    /// A level of 0 has a place.
    #[test]
    fn an_axis_with_zero_is_linear() {
        let of = |levels: &[&str]| Positions::of("loss", levels).side().scale;
        assert_eq!(of(&["0.01", "0.3"]), Scale::Log);
        assert_eq!(of(&["0", "0.01", "0.3"]), Scale::Linear);
    }

    proptest! {
        /// A number is found again, whatever text without digits stands around it.
        #[test]
        fn numbers_are_found(value in -1e6_f64..1e6, before in "[a-d(]{1,4}", after in "[ %a-d)]{0,4}") {
            let (size, text) = (value.abs(), format!("{before}{:?}{after}", value.abs()));
            prop_assert_eq!(values(&[&text]), Some(vec![size]));
            prop_assert_eq!(values(&[&format!("{value:?}")]), Some(vec![value]));
        }
    }
}
