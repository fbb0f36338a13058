//! Targets: how small or large a column must be.

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
    QUALITY_COLUMNS.contains(&column.trim_start_matches("held_out_")) || column.ends_with("log_likelihood")
}

impl PlanTarget {
    /// The column is to be at most this.
    #[must_use]
    pub fn at_most(column: impl Into<String>, value: f64) -> Self {
        Self { column: column.into(), bound: Bound::AtMost(value) }
    }

    /// Its name for people, for example `mean_field_sq ≤ 1e-8`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {} {:?}", self.column, self.bound.sign(), self.bound.value())
    }

    /// Its name in column headers, for example `mean_field_sq_1e-8`.
    #[must_use]
    pub fn column_name(&self) -> String {
        format!("{}_{:?}", self.column, self.bound.value())
    }
}
