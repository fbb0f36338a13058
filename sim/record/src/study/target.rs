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
}

/// The columns that can be targets and of which the run recorded a value.
pub fn measured(record: &RunRecord) -> impl Iterator<Item = &str> {
    let extra = &record.manifest.extra_columns;
    let columns = MEASURED_COLUMNS.into_iter().chain(extra.iter().map(String::as_str));
    let has = |column: &&str| record.rounds.iter().any(|row| row.value(column, extra).is_some());
    columns.filter(|column| !is_spent(column)).filter(has)
}

/// What a run took to reach a target; `None` when it recorded no row at all.
#[must_use]
pub fn reach(record: &RunRecord, target: &PlanTarget) -> Option<TargetCost> {
    let extra = &record.manifest.extra_columns;
    let there = |row: &&RoundRow| row.value(&target.column, extra).is_some_and(|value| target.bound.holds(value));
    let first = record.rounds.iter().find(there);
    let row = first.or(record.rounds.last())?;
    Some(cost_of(row, first.is_some()))
}

/// For so many rounds nobody looked whether a run had reached a target, before the row that says so: it may have been
/// there all the time. 0 where it looked after every round, and of a run that never reached the target.
#[must_use]
pub fn unseen_rounds(record: &RunRecord, target: &PlanTarget) -> u64 {
    let (extra, mut before) = (&record.manifest.extra_columns, 0);
    for row in &record.rounds {
        let Some(value) = row.value(&target.column, extra) else { continue };
        if target.bound.holds(value) {
            // ‖H‖² has no value before the first round.
            return row.round.saturating_sub(before + 1);
        }
        before = row.round;
    }
    0
}

/// What a run had taken at a row.
pub(super) fn cost_of(row: &RoundRow, reached: bool) -> TargetCost {
    TargetCost { reached, round: row.round, time_ns: row.time_ns, bits_up: row.bits_up, bits_total: row.bits_total() }
}
