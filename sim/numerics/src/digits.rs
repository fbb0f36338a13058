//! Numbers as texts with a number of significant digits.

use std::ops::Range;

/// The power of ten of the first of `digits` significant digits, after rounding to them: 1 for 9.996 and three digits.
/// 0 for a value that is zero or not finite.
pub fn rounded_power(value: f64, digits: usize) -> i32 {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    scientific.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

/// A number with so many significant digits, at least one, or all before the point where these are more; as `1.50e-7`
/// where its [`rounded_power`] is outside of `plain`. Zero is `0`.
pub fn significant(value: f64, digits: usize, plain: Range<i32>) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let after = digits.saturating_sub(1);
    let power = rounded_power(value, digits);
    if !plain.contains(&power) {
        return format!("{value:.after$e}");
    }
    let decimals = usize::try_from(after as i32 - power).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounding_may_bring_a_digit() {
        let cases = [
            (9.996, "10.0"),
            (9.994, "9.99"),
            (-99.96, "-100"),
            (0.0, "0"),
            (-0.0, "0"),
            (999_999.6, "1.00e6"),
            (999_499.0, "999499"),
            (0.000_999_6, "0.00100"),
            (0.000_99, "9.90e-4"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 3, -3..6), text);
        }
    }

    proptest! {
        /// The text is within half a unit of its last digit, and has the digits that were asked for.
        #[test]
        fn digits_are_those_asked_for(mantissa in 1.0_f64..10.0, power in -300..300, digits in 1_usize..9, sign: bool) {
            let value = format!("{}{mantissa}e{power}", if sign { "" } else { "-" }).parse::<f64>().expect("a number");
            let text = significant(value, digits, -3..5);
            let read: f64 = text.parse().expect("a number");
            let unit: f64 = format!("1e{}", 1 - digits as i32).parse().expect("a number");
            prop_assert!((read / value - 1.0).abs() <= 0.501 * unit, "{text} of {value}");
            let mantissa = text.split('e').next().expect("a text");
            let shown = mantissa.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit).count();
            prop_assert!(shown == digits || (shown > digits && !text.contains('.')), "{text} of {value}");
        }
    }
}
