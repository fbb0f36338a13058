//! Quantities for people.

use crate::cli::table::number::{Quantity, with_unit};

/// Bits with a decimal prefix and four digits.
pub(crate) fn bits(count: u64) -> String {
    with_unit(Quantity::Bits, count as f64)
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
