//! What a search makes small, and what one run says of it.

use serde::{Deserialize, Serialize};

use super::target::{TargetCost, cost_of};
use super::{PlanTarget, grows};
use crate::{Cut, RoundRow, RunRecord, Spending};

/// Columns that cannot be negative, beside squares and roots of mean squares.
const NOT_NEGATIVE: [&str; 3] = ["perplexity_held_out", "inertia", "consensus_error"];

/// A cost to minimize.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanObjective {
    /// All bits until the target is reached.
    BitsTo(PlanTarget),
    /// Payload bits from clients to the server until then.
    UploadTo(PlanTarget),
    /// Simulated time until then, in seconds.
    TimeTo(PlanTarget),
    /// Rounds until then.
    RoundsTo(PlanTarget),
    /// The last value of a column.
    Best(String),
}

/// What one run says of an objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCost {
    /// The cost: in bits, seconds or rounds, or the column's value; of a run that did not reach the target what it had
    /// cost when it ended.
    pub cost: f64,
    /// The cost at the recorded row before, at most `cost`.
    pub before: f64,
    /// Whether it reached the target.
    pub reached: bool,
    /// Simulated time until then, in seconds.
    pub time_s: f64,
}

impl PlanObjective {
    /// Its name for people, for example `bits to mean_field_sq ≤ 1e-8`.
    #[must_use]
    pub fn name(&self) -> String {
        match (self, self.spent()) {
            (_, Some((Spending::Time, target))) => format!("time to {}", target.name()),
            (_, Some((spending, target))) => format!("{} to {}", spending.unit(), target.name()),
            (toward, None) => format!("{} at the end", toward.column()),
        }
    }

    /// What is spent for it, and until which target; none of a value at the end.
    fn spent(&self) -> Option<(Spending, &PlanTarget)> {
        match self {
            Self::BitsTo(target) => Some((Spending::Bits, target)),
            Self::UploadTo(target) => Some((Spending::Upload, target)),
            Self::TimeTo(target) => Some((Spending::Time, target)),
            Self::RoundsTo(target) => Some((Spending::Rounds, target)),
            Self::Best(_) => None,
        }
    }

    /// The target that it needs.
    #[must_use]
    pub fn target(&self) -> Option<&PlanTarget> {
        self.spent().map(|(_, target)| target)
    }

    /// The column that it looks at.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Self::Best(column) => column,
            toward => toward.target().map_or("", |target| &target.column),
        }
    }

    /// Whether costs are compared by their ratios: they cannot be negative.
    #[must_use]
    pub fn has_ratios(&self) -> bool {
        match self {
            Self::Best(column) => {
                column.ends_with("_sq") || column.ends_with("rmse") || NOT_NEGATIVE.contains(&column.as_str())
            }
            _ => true,
        }
    }

    /// What a cost of 0 counts as where costs are compared by their ratios: one bit, round or nanosecond.
    #[must_use]
    pub fn least(&self) -> f64 {
        match self {
            Self::TimeTo(_) => 1e-9,
            Self::Best(_) => f64::MIN_POSITIVE,
            _ => 1.0,
        }
    }

    /// Whether more of it is better.
    #[must_use]
    pub fn grows(&self) -> bool {
        matches!(self, Self::Best(column) if grows(column))
    }

    /// A value, or a difference of values, of which less is better.
    #[must_use]
    pub fn less_is_better(&self, value: f64) -> f64 {
        if self.grows() { -value } else { value }
    }

    /// Where a run ends that has cost more than `factor` times this much; `None` of what is not spent.
    #[must_use]
    pub fn cut(&self, cost: f64, factor: f64) -> Option<Cut> {
        let above = (factor * cost.max(self.least()) * self.units()) as u64;
        Some(Cut { of: self.spent()?.0, above })
    }

    /// The cost of a run that ends there.
    #[must_use]
    pub fn cost_at(&self, cut: &Cut) -> f64 {
        cut.above as f64 / self.units()
    }

    /// What is spent per unit of the cost: time is counted in ns.
    fn units(&self) -> f64 {
        if let Self::TimeTo(_) = self { 1e9 } else { 1.0 }
    }

    /// What a run says of it; `None` when the run recorded no row, or never the column. Where the final fit is
    /// degenerate no target was reached, and no value at the end counts.
    #[must_use]
    pub fn cost(&self, record: &RunRecord) -> Option<RunCost> {
        let cost = self.cost_by_rows(record)?;
        if !record.manifest.is_degenerate() {
            return Some(cost);
        }
        let end = record.rounds.last().filter(|_| self.target().is_some()).map(|row| cost_of(row, false));
        let cost = end.map_or(cost, |end| {
            let (cost, time_s) = (self.of(&end), end.time_ns as f64 / 1e9);
            RunCost { cost, before: cost, time_s, reached: false }
        });
        Some(RunCost { reached: false, ..cost })
    }

    /// The same by the rows alone, whatever came of the run.
    #[must_use]
    pub fn cost_by_rows(&self, record: &RunRecord) -> Option<RunCost> {
        let extra = &record.manifest.extra_columns;
        let Some(target) = self.target() else {
            let Self::Best(column) = self else { return None };
            let last = |row: &RoundRow| Some((row.value(column, extra)?, row.time_ns));
            let (cost, time_ns) = record.rounds.iter().rev().find_map(last)?;
            return Some(RunCost { cost, before: cost, reached: true, time_s: time_ns as f64 / 1e9 });
        };
        let there = |row: &RoundRow| row.value(&target.column, extra).is_some_and(|value| target.bound.holds(value));
        let first = record.rounds.iter().position(there);
        let number = first.or(record.rounds.len().checked_sub(1))?;
        let spent = cost_of(&record.rounds[number], first.is_some());
        // Rows without the column say nothing of the target: the last one with it is the one before.
        let before = record.rounds[..number].iter().rev().find(|row| row.value(&target.column, extra).is_some());
        let before = before.map_or(spent, |row| cost_of(row, false));
        Some(RunCost {
            cost: self.of(&spent),
            before: self.of(&before),
            reached: spent.reached,
            time_s: spent.time_ns as f64 / 1e9,
        })
    }

    fn of(&self, spent: &TargetCost) -> f64 {
        match self {
            Self::BitsTo(_) => spent.bits_total as f64,
            Self::UploadTo(_) => spent.bits_up as f64,
            Self::TimeTo(_) => spent.time_ns as f64 / self.units(),
            Self::RoundsTo(_) | Self::Best(_) => spent.round as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlanObjective;

    #[test]
    fn what_cannot_be_negative_has_ratios() {
        let has = |column: &str| PlanObjective::Best(column.to_owned()).has_ratios();
        let positive = ["mean_field_sq", "held_out_rmse", "perplexity_held_out", "inertia", "consensus_error"];
        assert_eq!(positive.map(has), [true; 5]);
        assert_eq!(["objective", "held_out_log_likelihood", "adjusted_rand_index"].map(has), [false; 3]);
    }
}
