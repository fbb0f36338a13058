//! Figures of what it takes to get to a target.

use fedbits_spec::range::{FINITE, Interval};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::curves::distinct;

/// A target of a run: the first recorded row that meets it counts.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// A measured column of `rounds.csv`: `mean_field_sq`, `accuracy`, …
    pub column: String,
    /// Its value: at least this where more is better (accuracy, likelihood), else at most this.
    #[range(FINITE)]
    pub value: f64,
}

/// A cost of reaching the target.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Cost {
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Payload bits from clients to the server, and packets sent again with their headers.
    BitsUp,
    /// Simulated time.
    Time,
    /// Rounds.
    Rounds,
}

/// The cost of a target, a row per arm: every run, medians under censoring, and paired ratios to a baseline.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CostFigure {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// The arm that the others are divided by; default: the study's baseline where it is shown, else the first arm.
    #[serde(default)]
    pub baseline: Option<String>,
}

/// Every arm against a baseline, replicate by replicate: ratios of the costs of a target, with 95 % intervals.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Forest {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs are
    /// compared.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// The arm that the others are divided by; default: the study's baseline where it is shown, else the first arm.
    #[serde(default)]
    pub baseline: Option<String>,
    /// The order of the arms; default `Plan`.
    #[serde(default)]
    pub order: ForestOrder,
}

/// The order of arms.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ForestOrder {
    /// As in the study or the scenario.
    #[default]
    Plan,
    /// From the least ratio of the first cost to the largest.
    Ratio,
}

/// The share of runs that have reached a target, against the cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReachFigure {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
}

/// The cost of a target, or a quantity at the ends of runs, against an axis of a study, a line per level of the others:
/// medians with quartiles.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = trade_off_rules)]
pub struct TradeOff {
    /// The axis of the study to the right, or the path of a setting that a search varies. Levels that differ in one
    /// number (`75 %`, `rand-6`, `8`) are placed by it, others side by side. Default: the axis of numbers with the most
    /// levels, else the first.
    #[serde(default)]
    pub axis: Option<String>,
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs are
    /// compared.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// Instead of costs, quantities at the ends of the runs, a panel each: measured columns of `rounds.csv`,
    /// `objective_gap` or `seconds_per_round`. Also those of degenerate fits, whose number the details tell.
    #[serde(default)]
    pub ends: Vec<String>,
    /// Values from elsewhere to compare with, such as published ones; default none. They need one quantity in `ends`.
    #[serde(default)]
    pub reported: Option<Reported>,
}

/// Values of a quantity from elsewhere.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Reported {
    /// What they are called.
    pub label: String,
    /// One for each level of the axis, in the unit of the quantity.
    #[range(FINITE)]
    pub values: Vec<f64>,
    /// How far they can be off; default 0.
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

/// What it takes to reach a target over two axes of a study: medians, a panel per cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = heat_rules)]
pub struct Heat {
    /// The axis of the study for the rows; default: of the first two axes that vary the one with more levels. The
    /// points of a search are an axis only by name.
    #[serde(default)]
    pub rows: Option<String>,
    /// The axis of the study for the columns; default: the other one of the first two axes that vary.
    #[serde(default)]
    pub columns: Option<String>,
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

/// A race: after how many replicates each arm was dropped, and its cost beside the leader's then.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RaceFigure {
    /// Arms with a row of their own, the best first; the others are one row. Default 15.
    #[range(fedbits_spec::range::whole(1, 60))]
    #[serde(default)]
    pub rows: Option<u32>,
}
