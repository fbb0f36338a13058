//! Units of bits and of time, and what axes with them are called.

use crate::compare::Quantity;
use fedbits_figures::{AXES, XAxis};

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

/// What an axis is called with its unit, in full and in fewer words for a narrow frame, and what values are divided by.
pub(crate) struct AxisWords {
    pub label: String,
    pub brief: String,
    pub unit: f64,
}

/// What a horizontal axis is called at a frame, in a narrow one and in a caption, and how what it shows is counted.
pub(crate) const WORDS: [[&str; 4]; AXES] = [
    ["rounds", "rounds", "rounds", ""],
    ["epochs", "epochs", "epochs", " (conditional expectations computed, divided by the number of examples)"],
    [
        "bits sent, uplink",
        "uplink",
        "bits sent by the clients",
        " (payload of the exact encodings, without packet headers)",
    ],
    ["bits sent, total", "all bits", "all bits sent", " (payload up, down and between peers, and packet headers)"],
    ["simulated time", "time", "simulated time", ""],
    ["energy", "energy", "energy", " (joules of all clients, and of the server where its power is given)"],
    ["privacy loss ε", "ε", "privacy loss ε", " at the δ of the scenario"],
];

/// Of a horizontal axis up to `high`.
pub(crate) fn axis(x: XAxis, high: f64) -> AxisWords {
    let energies = [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J")];
    let energy = || energies.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-3, "mJ"));
    let unit = match x {
        XAxis::Rounds | XAxis::Epochs | XAxis::Epsilon => None,
        XAxis::BitsUp | XAxis::BitsTotal => Some(bit_unit(high)),
        XAxis::Time => Some(time_unit(high)),
        XAxis::Energy => Some(energy()),
    };
    let [label, brief, ..] = WORDS[x as usize];
    let with_unit = |words: &str| unit.map_or_else(|| words.to_owned(), |(_, name)| format!("{words} ({name})"));
    AxisWords { label: with_unit(label), brief: with_unit(brief), unit: unit.map_or(1.0, |(size, _)| size) }
}

/// The axis of a cost; none of an error.
pub(crate) fn axis_of(what: Quantity) -> Option<XAxis> {
    match what {
        Quantity::BitsTotal => Some(XAxis::BitsTotal),
        Quantity::BitsUp => Some(XAxis::BitsUp),
        Quantity::Time => Some(XAxis::Time),
        Quantity::Rounds => Some(XAxis::Rounds),
        Quantity::Error => None,
    }
}

/// Of an axis of a cost.
pub(crate) fn heading(what: Quantity, highest: f64) -> AxisWords {
    let error = || AxisWords { label: "error at the end".to_owned(), brief: "error at the end".to_owned(), unit: 1.0 };
    axis_of(what).map_or_else(error, |x| axis(x, highest))
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
    format!("{} {unit}", three(value / size))
}

/// A number with three digits, or all before the point.
pub(crate) fn three(value: f64) -> String {
    let power = if value > 0.0 { libm::log10(value).floor() } else { 2.0 };
    format!("{value:.*}", (2.0 - power).clamp(0.0, 9.0) as usize)
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
