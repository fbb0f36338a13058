//! Units of bits and of time.

use crate::compare::Quantity;

/// The largest unit of bits that is not above `high`, and its name.
pub(crate) fn bit_unit(high: f64) -> (f64, &'static str) {
    let prefixes = [(1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit")];
    prefixes.into_iter().find(|&(size, _)| high >= size).unwrap_or((1.0, "bit"))
}

/// The largest unit of time that is not above `high` seconds, in seconds, and its name.
pub(crate) fn time_unit(high: f64) -> (f64, &'static str) {
    let units = [(3_600.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    units.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-9, "ns"))
}

/// Three digits and the unit.
pub(crate) fn amount(what: Quantity, value: f64) -> String {
    let (size, unit) = match what {
        Quantity::BitsTotal | Quantity::BitsUp => bit_unit(value),
        Quantity::Time if value >= 7_200.0 => (3_600.0, "h"),
        Quantity::Time if value >= 1.0 || value == 0.0 => (1.0, "s"),
        Quantity::Time => (1e-3, "ms"),
        Quantity::Rounds => (1.0, "rounds"),
        // Three digits of an objective may all be the same.
        Quantity::Error if (1e-3..1e6).contains(&value.abs()) => return format!("{value:.5}"),
        Quantity::Error => return format!("{value:.2e}"),
    };
    let shown = value / size;
    let power = if shown > 0.0 { libm::log10(shown).floor() } else { 2.0 };
    format!("{shown:.*} {unit}", (2.0 - power).max(0.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::amount;
    use crate::compare::Quantity;

    #[test]
    fn amounts_have_three_digits_and_a_unit() {
        let cases = [
            (Quantity::BitsTotal, 123_456.0, "123 kbit"),
            (Quantity::BitsTotal, 0.0, "0 bit"),
            (Quantity::Time, 7_500.0, "2.08 h"),
            (Quantity::Time, 0.0125, "12.5 ms"),
            (Quantity::Rounds, 1_234.0, "1234 rounds"),
            (Quantity::Error, -19.41840, "-19.41840"),
        ];
        for (what, value, text) in cases {
            assert_eq!(amount(what, value), text);
        }
    }
}
