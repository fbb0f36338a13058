//! `--target column=value`.

use std::str::FromStr;

use fedbits_record::study::PlanTarget;

/// `--target column=value`.
#[derive(Clone, Debug)]
pub(crate) struct TargetOption(pub PlanTarget);

impl FromStr for TargetOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("`{text}` is no target: expected COLUMN=VALUE, for example mean_field_sq=1e-8");
        let (column, value) = text.split_once('=').ok_or_else(expected)?;
        let at_most: f64 = value.trim().parse().map_err(|_| expected())?;
        let (column, is_fine) = (column.trim().to_owned(), at_most.is_finite());
        if is_fine && !column.is_empty() { Ok(Self(PlanTarget { column, at_most })) } else { Err(expected()) }
    }
}
