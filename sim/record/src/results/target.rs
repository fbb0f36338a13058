//! When a run reaches a target. Rows are not interpolated: a run is there when a recorded row says so.

use super::PlanTarget;
use crate::{MEASURED_COLUMNS, RoundRow, RunRecord, is_spent};

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
    columns.filter(|column| !is_spent(column)).filter(has)
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
