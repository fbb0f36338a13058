//! `--target column=value`.

use std::str::FromStr;

use fedbits_record::results::{Bound, PlanTarget};

/// `--target column=value`, `column<=value` or `column>=value`.
#[derive(Clone, Debug)]
pub(crate) struct TargetOption(pub PlanTarget);

impl FromStr for TargetOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!("`{text}` is no target: expected COLUMN=VALUE, for example mean_field_sq=1e-8, or accuracy>=0.9")
        };
        let (left, value) = text.split_once('=').ok_or_else(expected)?;
        let value: f64 = value.trim().parse().map_err(|_| expected())?;
        let column = left.trim_end_matches(['<', '>']).trim().to_owned();
        if !value.is_finite() || column.is_empty() {
            return Err(expected());
        }
        let bound = match left.chars().last() {
            Some('<') => Bound::AtMost(value),
            Some('>') => Bound::AtLeast(value),
            _ => Bound::toward(&column, value),
        };
        Ok(Self(PlanTarget { column, bound }))
    }
}
