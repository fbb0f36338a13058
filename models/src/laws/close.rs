//! Comparing numbers.

use crate::setting::ModelSetting;

/// Numbers that are the same but for rounding.
#[track_caller]
pub(super) fn assert_close(setting: &dyn ModelSetting, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{setting:?}: {what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{setting:?}: {what}, entry {at}: {x} and not {y}");
    }
}

/// The error of θ against itself is 0, and against another finite and not negative.
pub(super) fn assert_parameter_error(
    setting: &dyn ModelSetting,
    error: impl Fn(&[f64], &[f64]) -> f64,
    theta: &[f64],
    other: &[f64],
) {
    let (same, apart) = (error(theta, theta), error(theta, other));
    let scale: f64 = theta.iter().map(|x| x * x).sum();
    assert!(same.abs() <= 1e-12 * (1.0 + scale), "{setting:?}: the error of θ against itself is {same}");
    assert!(apart.is_finite() && apart >= 0.0, "{setting:?}: the error of θ against another is {apart}");
}
