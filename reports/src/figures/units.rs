//! Units of bits and of time.

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
