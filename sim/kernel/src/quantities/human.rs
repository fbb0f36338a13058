//! Integers with decimal units, written exactly: `1234567` ns as `1.234567 ms`. It must not know what is measured.

use std::fmt;

/// Writes `value` in the largest unit of `units` (ascending powers of `units[i].0`) that does not exceed it; no digit
/// is lost.
pub(super) fn write(f: &mut fmt::Formatter<'_>, value: u64, units: &[(u64, &str)]) -> fmt::Result {
    let largest = units.iter().rev().find(|(size, _)| value >= *size).or(units.first());
    let &(size, name) = largest.expect("every quantity names at least one unit");
    let (whole, rest) = (value / size, value % size);
    if rest == 0 {
        return write!(f, "{whole} {name}");
    }
    let width = size.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    write!(f, "{whole}.{} {name}", digits.trim_end_matches('0'))
}
