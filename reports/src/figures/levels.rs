//! Levels of an axis as numbers: `75 %` and `25 %` differ in one number, and so do `rand-6` and `rand-16`.

use super::charts::Side;
use crate::axes::scale;
use crate::options::XScale;

/// Levels in one number, with what stands before and after it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numbers {
    /// By level: the number, and how it is written.
    pub levels: Vec<(f64, String)>,
    pub before: String,
    pub after: String,
}

impl Numbers {
    /// None where the levels are not the same text around one number each, or two have the same number.
    pub(crate) fn of(levels: &[&str]) -> Option<Self> {
        let parts: Vec<(&str, &str, &str)> = levels.iter().map(|level| parts(level)).collect::<Option<_>>()?;
        let &(before, _, after) = parts.first()?;
        let number = |&(own_before, digits, own_after): &(&str, &str, &str)| {
            let value = digits.replace('_', "").parse::<f64>().ok().filter(|value| value.is_finite())?;
            ((own_before, own_after) == (before, after)).then(|| (value, digits.to_owned()))
        };
        let levels: Vec<(f64, String)> = parts.iter().map(number).collect::<Option<_>>()?;
        let twice = |(index, own): (usize, &(f64, String))| levels[..index].iter().any(|other| other.0 == own.0);
        let (before, after) = (before.to_owned(), after.to_owned());
        (!levels.iter().enumerate().any(twice)).then_some(Self { levels, before, after })
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

/// Where different levels stand on a horizontal axis: at their numbers, or side by side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Positions {
    pub label: String,
    /// By level, where it stands and what it is called there.
    pub ticks: Vec<(f64, String)>,
    pub is_number: bool,
}

impl Positions {
    /// Of the levels of an axis, which are all different.
    pub(crate) fn of(axis: &str, levels: &[&str]) -> Self {
        let side_by_side = |(index, level): (usize, &&str)| (index as f64, (*level).to_owned());
        match Numbers::of(levels) {
            Some(numbers) => Self { label: numbers.label(axis), ticks: numbers.levels, is_number: true },
            None => Self {
                label: axis.to_owned(),
                ticks: levels.iter().enumerate().map(side_by_side).collect(),
                is_number: false,
            },
        }
    }

    /// The horizontal axis of a chart.
    pub(crate) fn side(&self, choice: XScale) -> Side {
        Side {
            label: self.label.clone(),
            scale: scale(self.ticks.iter().map(|tick| tick.0).filter(|_| self.is_number), choice),
            ticks: self.ticks.clone(),
            names: !self.is_number,
            ..Side::default()
        }
    }
}

/// What stands before the only number of a text, the number, and what stands after it.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let inner = |(index, c): (usize, char)| match c {
        '0'..='9' | '.' | '_' => false,
        // The exponent of 1e-3.
        'e' | 'E' => !rest[index + 1..].starts_with(|next: char| next.is_ascii_digit() || next == '-'),
        '-' => !rest[..index].ends_with(['e', 'E']),
        _ => true,
    };
    let end = rest.char_indices().find(|&at| inner(at)).map_or(rest.len(), |(index, _)| index);
    let (number, after) = rest.split_at(end);
    // A minus is a sign where nothing stands before it.
    let start = if text[..start] == *"-" { 0 } else { start };
    let number = if start == 0 { &text[..text.len() - after.len()] } else { number };
    let number = number.strip_suffix('.').unwrap_or(number);
    (!after.contains(|c: char| c.is_ascii_digit())).then(|| (&text[..start], number, &text[start + number.len()..]))
}

#[cfg(test)]
mod tests {
    use super::Numbers;
    use proptest::prelude::*;

    fn values(levels: &[&str]) -> Option<Vec<f64>> {
        Some(Numbers::of(levels)?.levels.iter().map(|own| own.0).collect())
    }

    #[test]
    fn texts_around_one_number() {
        assert_eq!(values(&["100 %", "75 %", "25 %"]), Some(vec![100.0, 75.0, 25.0]));
        assert_eq!(values(&["rand-16", "rand-6"]), Some(vec![16.0, 6.0]));
        assert_eq!(values(&["Bernoulli(0.75)", "Bernoulli(0.5)"]), Some(vec![0.75, 0.5]));
        assert_eq!(values(&["1e-3", "-2", "1_000"]), Some(vec![1e-3, -2.0, 1000.0]));
        assert_eq!(Numbers::of(&["75 %"]).unwrap().label("share"), "share (%)");
        assert_eq!(Numbers::of(&["rand-6"]).unwrap().label("compressor"), "compressor (rand-…)");
        for no_numbers in [&["none", "8"][..], &["1 s", "500 ms"], &["2 of 3", "1 of 3"], &["1", "1.0"], &[]] {
            assert_eq!(values(no_numbers), None, "{no_numbers:?}");
        }
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
