//! Targets: how small or large a column must be.

use fedbits_spec::short_number;
use serde::{Deserialize, Serialize};

use crate::QUALITY_COLUMNS;

/// A target: the first recorded row where the column is within the bound.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlanTarget {
    /// The column of `rounds.csv`.
    pub column: String,
    /// Where it must get.
    #[serde(flatten)]
    pub bound: Bound,
}

/// How small or large a value must be.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Not above this.
    AtMost(f64),
    /// Not below this.
    AtLeast(f64),
}

impl Bound {
    /// The value that a column must get to: from below where [`grows`], else from above.
    #[must_use]
    pub fn toward(column: &str, value: f64) -> Self {
        if grows(column) { Self::AtLeast(value) } else { Self::AtMost(value) }
    }

    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        let (Self::AtMost(value) | Self::AtLeast(value)) = self;
        value
    }

    /// `≤` or `≥`.
    #[must_use]
    pub fn sign(self) -> char {
        if matches!(self, Self::AtMost(_)) { '≤' } else { '≥' }
    }

    /// Is a measured value within it?
    #[must_use]
    pub fn holds(self, measured: f64) -> bool {
        match self {
            Self::AtMost(value) => measured <= value,
            Self::AtLeast(value) => measured >= value,
        }
    }
}

/// Is more of this column of `rounds.csv` better?
#[must_use]
pub fn grows(column: &str) -> bool {
    is_quality(column) || column.ends_with("log_likelihood")
}

fn is_quality(column: &str) -> bool {
    QUALITY_COLUMNS.contains(&column.trim_start_matches("held_out_"))
}

impl PlanTarget {
    /// The column is to be at most this.
    #[must_use]
    pub fn at_most(column: impl Into<String>, value: f64) -> Self {
        Self { column: column.into(), bound: Bound::AtMost(value) }
    }

    /// Whether there is a value of the column that meets it: a square is not negative, and the measures of
    /// [`QUALITY_COLUMNS`] are at most 1.
    #[must_use]
    pub fn is_reachable(&self) -> bool {
        match self.bound {
            Bound::AtMost(value) if self.column.ends_with("_sq") => value > 0.0 && value.is_finite(),
            Bound::AtLeast(value) if is_quality(&self.column) => value <= 1.0,
            Bound::AtMost(value) | Bound::AtLeast(value) => value.is_finite(),
        }
    }

    /// Its name for people, for example `mean_field_sq ≤ 1e-8`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {} {}", self.column, self.bound.sign(), short_number(self.bound.value()))
    }

    /// Its name in column headers, for example `mean_field_sq_1e-8`.
    #[must_use]
    pub fn column_name(&self) -> String {
        format!("{}_{}", self.column, short_number(self.bound.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, PlanTarget};

    #[test]
    fn what_no_value_can_meet_is_not_reachable() {
        let target = |column: &str, bound| PlanTarget { column: column.to_owned(), bound };
        for (column, bound, expected) in [
            ("accuracy", Bound::AtLeast(1.0), true),
            ("accuracy", Bound::AtLeast(1.9), false),
            ("held_out_purity", Bound::AtLeast(2.0), false),
            ("accuracy", Bound::AtMost(1.9), true),
            ("mean_field_sq", Bound::AtMost(0.0), false),
            ("mean_field_sq", Bound::AtMost(1e-300), true),
            ("objective", Bound::AtMost(-5.0), true),
            ("objective", Bound::AtMost(f64::INFINITY), false),
        ] {
            assert_eq!(target(column, bound).is_reachable(), expected, "{column} {bound:?}");
        }
    }
}
