//! Targets, and figures of what it takes to get there. This file must not know how a target is measured.

use fedbits_record::results::{Bound, PlanTarget};
use fedbits_record::{HELD_OUT_COLUMNS, MEASURED_COLUMNS, QUALITY_COLUMNS};
use fedbits_spec::range::{FINITE, Interval};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::curves::distinct;

/// A target, reached at the first recorded row that meets it, else censored at the end.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Target {
    /// ‖h(Ŝ)‖² at most this; above 0.
    MeanFieldSq(#[described(by_rules)] f64),
    /// Objective at most this.
    Objective(#[described(by_rules)] f64),
    /// `accuracy` at least this; in (0, 1].
    Accuracy(#[described(by_rules)] f64),
    /// `held_out_log_likelihood` at least this, in nats.
    HeldOut(#[described(by_rules)] f64),
    /// A measured column of `rounds.csv`, but no cost (time, epochs, bits).
    Column {
        /// Column, for example `parameter_error_sq`.
        name: String,
        /// Upper limit; either this or `at_least`.
        #[serde(default)]
        #[described(by_rules)]
        at_most: Option<f64>,
        /// Lower limit.
        #[serde(default)]
        #[described(by_rules)]
        at_least: Option<f64>,
    },
}

impl Target {
    /// The column of `rounds.csv` that is looked at.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Target::MeanFieldSq(_) => MEASURED_COLUMNS[1],
            Target::Objective(_) => MEASURED_COLUMNS[0],
            Target::Accuracy(_) => QUALITY_COLUMNS[0],
            Target::HeldOut(_) => HELD_OUT_COLUMNS[0],
            Target::Column { name, .. } => name,
        }
    }

    /// As the plan of the runs has it.
    #[must_use]
    pub fn planned(&self) -> PlanTarget {
        PlanTarget { column: self.column().to_owned(), bound: self.bound() }
    }

    /// Where the column must get. Of a column with two bounds or none, which is refused, it is the first or none.
    #[must_use]
    pub fn bound(&self) -> Bound {
        match *self {
            Target::MeanFieldSq(value) | Target::Objective(value) => Bound::AtMost(value),
            Target::Accuracy(value) | Target::HeldOut(value) => Bound::AtLeast(value),
            Target::Column { at_most: Some(value), .. } => Bound::AtMost(value),
            Target::Column { at_least, .. } => Bound::AtLeast(at_least.unwrap_or(f64::NAN)),
        }
    }
}

/// A cost of reaching the target.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Cost {
    /// Payload in all directions and headers.
    BitsTotal,
    /// Uploaded payload, and retransmissions with headers.
    BitsUp,
    /// Simulated time.
    Time,
    /// Rounds.
    Rounds,
}

/// One row per arm: runs, medians under censoring, and paired ratios to a baseline.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CostFigure {
    /// Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Target>,
    /// Costs, one panel each; none: all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Reference arm; default: the study's if shown, else the first.
    #[serde(default)]
    pub baseline: Option<String>,
}

/// Paired ratios of an arm's cost to a baseline's, with 95 % intervals.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Forest {
    /// Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs.
    #[serde(default)]
    pub target: Option<Target>,
    /// Costs, one panel each; none: all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Reference arm; default: the study's if shown, else the first.
    #[serde(default)]
    pub baseline: Option<String>,
    /// Order of the arms.
    #[serde(default)]
    pub order: ForestOrder,
}

/// Order of arms.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ForestOrder {
    /// As in the study or scenario.
    #[default]
    Plan,
    /// By increasing ratio of the first cost.
    Ratio,
}

/// Share of runs at a target, against the cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReachFigure {
    /// Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Target>,
    /// Costs, one panel each; none: all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
}

/// Medians with quartiles over an axis; a line per level of the others.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = trade_off_rules)]
pub struct TradeOff {
    /// Axis, or path that a search varies. Levels that differ in one number (`75 %`, `rand-6`) are placed by it.
    /// Default: the numeric axis with the most levels, else the first.
    #[serde(default)]
    pub axis: Option<String>,
    /// Target; default: the study's last, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs.
    #[serde(default)]
    pub target: Option<Target>,
    /// Costs, one panel each; none: all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Final values instead of costs, a panel each, with degenerate fits: measured columns of `rounds.csv`,
    /// `objective_gap` or `seconds_per_round`.
    #[serde(default)]
    pub ends: Vec<String>,
    /// Values to compare the one quantity in `ends` with, such as published ones.
    #[serde(default)]
    pub reported: Option<Reported>,
}

/// Values from elsewhere.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Reported {
    /// Label.
    pub label: String,
    /// One per level.
    #[range(FINITE)]
    pub values: Vec<f64>,
    /// Half width of their intervals.
    #[range(WITHIN)]
    #[serde(default)]
    pub within: f64,
}

/// [0, 10¹⁰⁰].
const WITHIN: Interval = Interval::closed(0.0, 1e100, "from 0 to 10¹⁰⁰");

fn trade_off_rules(figure: &TradeOff, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if !figure.ends.is_empty() && (figure.target.is_some() || !figure.costs.is_empty()) {
        let found = "the figure shows quantities at the ends of the runs";
        findings.error(at.field("ends"), found, "expected neither `target` nor `costs` beside it");
    }
    if figure.reported.is_some() && figure.ends.len() != 1 {
        let found = "the values are of one quantity";
        findings.error(at.field("reported"), found, "expected one quantity in `ends`");
    }
    distinct(&figure.ends, &at.field("ends"), "this quantity is shown twice", findings);
}

/// Medians over two axes, a panel per cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = heat_rules)]
pub struct Heat {
    /// Axis of the rows; default: of the first two varying axes the one with more levels. A search's points only by
    /// name.
    #[serde(default)]
    pub rows: Option<String>,
    /// Axis of the columns; default: the other of these two.
    #[serde(default)]
    pub columns: Option<String>,
    /// Costs, one panel each; none: all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
}

fn heat_rules(heat: &Heat, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    match (&heat.rows, &heat.columns) {
        (Some(rows), Some(columns)) if rows == columns => {
            findings.error(at.field("columns"), format!("the rows are over `{rows}`, too"), "expected another axis");
        }
        (Some(_), None) => findings.error(at, "the heat map has `rows` alone", "expected `columns`, too"),
        (None, Some(_)) => findings.error(at, "the heat map has `columns` alone", "expected `rows`, too"),
        _ => {}
    }
}

/// Replicate at which each arm was dropped, and cost beside the leader's.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RaceFigure {
    /// Arms with their own row, best first; default 15.
    #[range(fedbits_spec::range::whole(1, 60))]
    #[serde(default)]
    pub rows: Option<u32>,
}
