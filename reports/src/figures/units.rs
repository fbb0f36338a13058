//! Units of bits and of time, and what axes with them are called.

use crate::compare::Quantity;
use fedbits_figures::XAxis;

/// The largest unit of bits that is not above `high`, and its name.
pub(crate) fn bit_unit(high: f64) -> (f64, &'static str) {
    let prefixes = [(1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit")];
    prefixes.into_iter().find(|&(size, _)| high >= size).unwrap_or((1.0, "bit"))
}

/// The largest unit of time that is not above `high` seconds, in seconds, and its name; hours from two on.
pub(crate) fn time_unit(high: f64) -> (f64, &'static str) {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    match high {
        7_200.0.. => (3_600.0, "h"),
        _ => units.into_iter().find(|&(size, _)| high >= size).unwrap_or((1.0, "s")),
    }
}

/// What a horizontal axis up to `high` is called, with its unit, and what values are divided by.
pub(crate) fn axis(x: XAxis, high: f64) -> (String, f64) {
    let energies = [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J")];
    let (words, (size, unit)) = match x {
        XAxis::Rounds => return ("rounds".to_owned(), 1.0),
        XAxis::Epochs => return ("epochs".to_owned(), 1.0),
        XAxis::Epsilon => return ("privacy loss ε".to_owned(), 1.0),
        XAxis::BitsUp => ("bits sent, uplink", bit_unit(high)),
        XAxis::BitsTotal => ("bits sent, total", bit_unit(high)),
        XAxis::Time => ("simulated time", time_unit(high)),
        XAxis::Energy => ("energy", energies.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-3, "mJ"))),
    };
    (format!("{words} ({unit})"), size)
}

/// The same in fewer words, for a narrow frame.
pub(crate) fn brief(x: XAxis, high: f64) -> String {
    let (words, _) = axis(x, high);
    let (from, to) = match x {
        XAxis::BitsUp => ("bits sent, uplink", "uplink"),
        XAxis::BitsTotal => ("bits sent, total", "all bits"),
        XAxis::Time => ("simulated time", "time"),
        XAxis::Epsilon => ("privacy loss ε", "ε"),
        XAxis::Rounds | XAxis::Epochs | XAxis::Energy => return words,
    };
    words.replace(from, to)
}

/// The same of a cost.
pub(crate) fn heading(what: Quantity, highest: f64) -> (String, f64) {
    x_axis(what).map_or_else(|| ("error at the end".to_owned(), 1.0), |x| axis(x, highest))
}

/// The same in fewer words, for a narrow frame.
pub(crate) fn brief_heading(what: Quantity, highest: f64) -> String {
    x_axis(what).map_or_else(|| heading(what, highest).0, |x| brief(x, highest))
}

fn x_axis(what: Quantity) -> Option<XAxis> {
    match what {
        Quantity::BitsTotal => Some(XAxis::BitsTotal),
        Quantity::BitsUp => Some(XAxis::BitsUp),
        Quantity::Time => Some(XAxis::Time),
        Quantity::Rounds => Some(XAxis::Rounds),
        Quantity::Error => None,
    }
}

/// Three digits and the unit.
pub(crate) fn amount(what: Quantity, value: f64) -> String {
    let (size, unit) = match what {
        Quantity::BitsTotal | Quantity::BitsUp => bit_unit(value),
        Quantity::Time => time_unit(value),
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
