//! Numbers in columns: one unit for all, four significant digits, and where the decimal point stands.

/// What the numbers of a column measure; decides their unit and how the head names it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Quantity {
    /// Words, at the left.
    Text,
    Plain,
    /// Bits.
    Bits,
    /// Bytes of memory or of files.
    Bytes,
    /// Seconds, simulated or of the host.
    Seconds,
    /// Shares from 0 to 1.
    Share,
}

/// A unit and how much of the base unit it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    pub(crate) size: f64,
}

/// From which value on seconds have which unit: minutes and hours only where nobody would read seconds.
const SECONDS: [(f64, &str, f64); 5] =
    [(360_000.0, "days", 86_400.0), (10_000.0, "h", 3_600.0), (0.1, "s", 1.0), (1e-4, "ms", 1e-3), (1e-7, "µs", 1e-6)];

/// The unit in which the largest of the values reads well.
pub(crate) fn unit_of(quantity: Quantity, values: impl Iterator<Item = f64>) -> Unit {
    let largest = values.filter(|value| value.is_finite()).map(f64::abs).fold(0.0, f64::max);
    let prefixed = |names: &'static [&'static str], step: f64| {
        let sizes = std::iter::successors(Some(1.0), |size| Some(size * step));
        let fitting = names.iter().zip(sizes).take_while(|(_, size)| *size == 1.0 || largest >= *size);
        fitting.last().map_or(("", 1.0), |(name, size)| (*name, size))
    };
    let (name, size) = match quantity {
        Quantity::Text | Quantity::Plain => ("", 1.0),
        Quantity::Share => ("%", 0.01),
        Quantity::Bits => prefixed(&["bit", "kbit", "Mbit", "Gbit", "Tbit", "Pbit"], 1e3),
        Quantity::Bytes => prefixed(&["B", "KiB", "MiB", "GiB", "TiB"], 1024.0),
        Quantity::Seconds => {
            SECONDS.iter().find(|(from, ..)| largest >= *from).map_or(("s", 1.0), |&(_, name, size)| (name, size))
        }
    };
    Unit { name, size }
}

const DIGITS: usize = 4;

/// A number with four significant digits (five where as many stand before the point); a power of ten only below 1e-3 or
/// from 1e5 on.
pub(crate) fn number(value: f64) -> String {
    significant(value, DIGITS)
}

/// The same with another number of digits, at least one.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value.is_infinite() {
        return format!("{}∞", if value < 0.0 { "−" } else { "" });
    }
    fedbits_numerics::significant(value, digits, -3..5)
}

pub(crate) fn with_unit(quantity: Quantity, value: f64) -> String {
    let unit = unit_of(quantity, std::iter::once(value));
    let text = if unit.size == 1.0 && matches!(quantity, Quantity::Bits | Quantity::Bytes) {
        format!("{value:.0}")
    } else {
        number(value / unit.size)
    };
    if unit.name.is_empty() { text } else { format!("{text} {}", unit.name) }
}

/// Host time with a unit that fits.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 6_000.0 => format!("{:.1} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// Bytes of a number before its decimal point, or before where that would stand.
pub(crate) fn before_point(text: &str) -> usize {
    text.find(['.', 'e', ' ']).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_at_a_glance() {
        let cases = [
            (15.171, "15.17"),
            (0.11556, "0.1156"),
            (7.2837e-11, "7.284e-11"),
            (0.001, "0.001000"),
            (0.000_999_96, "0.001000"),
            (9.999_96, "10.00"),
            (99_999.0, "1.000e5"),
            (12_345.6, "12346"),
            (123_456.0, "1.235e5"),
            (-2.5, "-2.500"),
            (0.0, "0"),
            (f64::INFINITY, "∞"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected, "{value}");
        }
        assert_eq!(number(f64::NAN), "NaN");
    }

    #[test]
    fn a_column_has_the_unit_of_its_largest_value() {
        let unit = |quantity, values: &[f64]| unit_of(quantity, values.iter().copied()).name;
        assert_eq!(unit(Quantity::Bits, &[672_868.0, 15_591_700.0]), "Mbit");
        assert_eq!(unit(Quantity::Bits, &[]), "bit");
        assert_eq!(unit(Quantity::Seconds, &[94.8, 37.4]), "s");
        assert_eq!(unit(Quantity::Seconds, &[0.02]), "ms");
        assert_eq!(unit(Quantity::Seconds, &[40_000.0]), "h");
        assert_eq!(unit(Quantity::Bytes, &[25.6e6]), "MiB");
        assert_eq!(with_unit(Quantity::Bits, 144.0), "144 bit");
        assert_eq!(with_unit(Quantity::Bytes, 26_843_546.0), "25.60 MiB");
        assert_eq!(with_unit(Quantity::Share, 0.25), "25.00 %");
    }

    /// By exact decimal arithmetic: `tests/golden/make_four_digits.py`.
    #[test]
    fn numbers_are_rounded_as_by_hand() {
        let golden = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/four_digits.csv"));
        let rows: Vec<(&str, &str)> = golden.lines().skip(1).filter_map(|line| line.split_once(',')).collect();
        assert!(rows.len() > 200);
        for (value, expected) in rows {
            assert_eq!(number(value.parse().unwrap()), expected, "{value}");
        }
    }

    proptest! {
        /// What is shown is within half a unit of the fourth digit of what was measured.
        #[test]
        fn four_digits_are_right(mantissa in 1.0..10.0_f64, exponent in -300..300_i32, negative: bool) {
            let value: f64 = format!("{}{mantissa}e{exponent}", if negative { "-" } else { "" }).parse().unwrap();
            let shown: f64 = number(value).parse().unwrap();
            prop_assert!((shown - value).abs() <= 0.000_500_001 * value.abs(), "{value} as {}", number(value));
        }
    }
}
