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

/// Units of a quantity, the largest first; the last is for the smallest values.
fn units(quantity: Quantity) -> &'static [(f64, Unit)] {
    const fn unit(from: f64, name: &'static str, size: f64) -> (f64, Unit) {
        (from, Unit { name, size })
    }
    const BITS: [(f64, Unit); 6] = [
        unit(1e15, "Pbit", 1e15),
        unit(1e12, "Tbit", 1e12),
        unit(1e9, "Gbit", 1e9),
        unit(1e6, "Mbit", 1e6),
        unit(1e3, "kbit", 1e3),
        unit(0.0, "bit", 1.0),
    ];
    const BYTES: [(f64, Unit); 5] = [
        unit((1_u64 << 40) as f64, "TiB", (1_u64 << 40) as f64),
        unit((1_u64 << 30) as f64, "GiB", (1_u64 << 30) as f64),
        unit((1_u64 << 20) as f64, "MiB", (1_u64 << 20) as f64),
        unit((1_u64 << 10) as f64, "KiB", (1_u64 << 10) as f64),
        unit(0.0, "B", 1.0),
    ];
    // Minutes and hours only where nobody would read seconds.
    const SECONDS: [(f64, Unit); 6] = [
        unit(360_000.0, "days", 86_400.0),
        unit(10_000.0, "h", 3_600.0),
        unit(0.1, "s", 1.0),
        unit(1e-4, "ms", 1e-3),
        unit(1e-7, "µs", 1e-6),
        unit(0.0, "s", 1.0),
    ];
    match quantity {
        Quantity::Text | Quantity::Plain => &[(0.0, Unit { name: "", size: 1.0 })],
        Quantity::Bits => &BITS,
        Quantity::Bytes => &BYTES,
        Quantity::Seconds => &SECONDS,
        Quantity::Share => &[(0.0, Unit { name: "%", size: 0.01 })],
    }
}

/// The unit in which the largest of the values reads well.
pub(crate) fn unit_of(quantity: Quantity, values: impl Iterator<Item = f64>) -> Unit {
    let largest = values.filter(|value| value.is_finite()).map(f64::abs).fold(0.0, f64::max);
    let units = units(quantity);
    let fitting = units.iter().find(|(from, _)| largest >= *from);
    fitting.or(units.last()).map_or(Unit { name: "", size: 1.0 }, |(_, unit)| *unit)
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
