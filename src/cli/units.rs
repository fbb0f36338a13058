//! Quantities for people.

/// Bits with a decimal prefix and four digits.
pub(crate) fn bits(count: u64) -> String {
    let units = [(1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit")];
    let value = count as f64;
    match units.iter().find(|(size, _)| value >= *size) {
        Some((size, unit)) => format!("{:.4} {unit}", value / size),
        None => format!("{count} bit"),
    }
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
