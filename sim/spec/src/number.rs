//! Numbers that somebody wrote.

/// A number as short as people write it: with a power of ten below 1e-3 and from 1e5 on.
///
/// ```
/// use fedbits_spec::short_number;
///
/// assert_eq!([0.5, 30.0, 1e-4, 1e6].map(short_number), ["0.5", "30", "1e-4", "1e6"]);
/// ```
#[must_use]
pub fn short_number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}
