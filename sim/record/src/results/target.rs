//! Targets: how small or large a column must be, and when a run gets there. Rows are not interpolated: a run is there
//! when a recorded row says so.

use fedbits_spec::short_number;
use serde::{Deserialize, Serialize};

use crate::{MEASURED_COLUMNS, QUALITY_COLUMNS, RoundRow, RunRecord, no_target};

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

/// What it took to reach a target; for a run that never reaches the target, what it had taken when it ended (censored).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetCost {
    /// Whether it reached the target.
    pub reached: bool,
    /// Rounds.
    pub round: u64,
    /// Simulated time in ns.
    pub time_ns: u64,
    /// Payload bits from clients to the server.
    pub bits_up: u64,
    /// All bits: payload up, down and between peers, and packet headers.
    pub bits_total: u64,
    /// For so many rounds before the row that says so nobody looked: it may have been there all the time. 0 of a run
    /// that does not reach it.
    pub unseen: u64,
}

/// The columns that can be targets and of which the run recorded a value.
pub fn measured(record: &RunRecord) -> impl Iterator<Item = &str> {
    let extra = &record.manifest.extra_columns;
    let columns = MEASURED_COLUMNS.into_iter().chain(extra.iter().map(String::as_str));
    let has = |column: &&str| record.rounds.iter().any(|row| row.value(column, extra).is_some());
    columns.filter(|column| no_target(column).is_none()).filter(has)
}

/// What a run took to reach a target; `None` when it recorded no row at all. A run whose final fit is degenerate has
/// reached none.
#[must_use]
pub fn reach(record: &RunRecord, target: &PlanTarget) -> Option<TargetCost> {
    match record.manifest.is_degenerate() {
        true => Some(cost_of(record.rounds.last()?, false)),
        false => first_within(record, target),
    }
}

/// What a run took until a recorded row was first within the bound, whatever came of it.
fn first_within(record: &RunRecord, target: &PlanTarget) -> Option<TargetCost> {
    let extra = &record.manifest.extra_columns;
    let mut before = 0;
    for row in &record.rounds {
        let value = row.value(&target.column, extra);
        if value.is_some_and(|value| target.bound.holds(value)) {
            // ‖H‖² has no value before the first round.
            let unseen = row.round.saturating_sub(before + 1);
            return Some(TargetCost { unseen, ..cost_of(row, true) });
        }
        // What a probe leaves out has no value there, as ‖h(Ŝ)‖² where θ is not T(Ŝ): it was looked for.
        let is_probed = row.objective.is_some() || row.mean_field_sq.is_some();
        if value.is_some() || is_probed {
            before = row.round;
        }
    }
    Some(cost_of(record.rounds.last()?, false))
}

/// What a run had taken at a row.
pub(super) fn cost_of(row: &RoundRow, reached: bool) -> TargetCost {
    let (round, time_ns, bits_up, bits_total) = (row.round, row.time_ns, row.bits_up, row.bits_total());
    TargetCost { reached, round, time_ns, bits_up, bits_total, unseen: 0 }
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
