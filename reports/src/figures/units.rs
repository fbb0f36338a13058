//! Units of bits.

/// The largest unit of bits that is not above `high`, and its name.
pub(crate) fn bit_unit(high: f64) -> (f64, &'static str) {
    let prefixes = [(1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit")];
    prefixes.into_iter().find(|&(size, _)| high >= size).unwrap_or((1.0, "bit"))
}
