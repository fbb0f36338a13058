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
