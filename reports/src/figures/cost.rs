//! What it takes every arm to get to a target: a row per arm, a panel per cost. Every run that gets there is a dot; the
//! median and the quartiles are those of Kaplan and Meier; beside the rows stand k of n and the paired ratios. The
//! numbers are those of [`crate::compare`].

use super::aim::{Aim, ArmsCost, Ratio, without_ratio};
use super::units::{AxisWords, heading};
use crate::axes::{Scale, scale};
use crate::compare::{ArmOutcome, Measure, Observation, reached_in_short, short_form};
use crate::error::ReportError;
use crate::layout::{Form, Grid, Panel, Shape, Side, WordColumn, pages_of_rows};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::words::{naming, not_shown, three_digits_text};
use fedbits_figures::CostFigure;
use fedbits_record::RecordError;
use fedbits_spec::Caveat;
use std::ops::Range;

/// Quartiles of fewer runs say next to nothing beside the runs themselves.
const FEWEST: usize = 6;
/// Sizes of the markers of runs, and of the strokes of their medians.
const RUN: f64 = 0.55;
const MEDIAN: f64 = 1.6;
/// The thin lines that lead from a name to its words.
const GUIDE: LineStyle = LineStyle { color: (0xD9, 0xD9, 0xD9), ..LineStyle::INK };
/// How far runs stand below their quartiles, in rows.
const BELOW: f64 = 0.3;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "cost",
    title: "every arm's cost of a target: runs, medians, k of n, and paired ratios",
    needs: "a target or a stop rule for ‖h(Ŝ)‖² that some run reaches, and not all at round 0",
    draw: |report| draw(report, &CostFigure::default()),
};

/// The figure; one for each page where the arms need several. None where no run gets to a target, and where the start
/// of every run is there already.
pub(crate) fn draw(report: &Report<'_>, setting: &CostFigure) -> Result<Vec<Drawing>, ReportError> {
    let Some(figure) = ArmCosts::of(report, setting)? else { return Ok(Vec::new()) };
    let pages = pages_of_rows(report.arms().len(), |rows| figure.grid(&rows), &report.look);
    let words = [figure.caption(), figure.about()];
    report.parts(("cost", true), pages, &figure.rows()?, words, &figure.caveats())
}

pub(crate) struct ArmCosts<'a> {
    report: &'a Report<'a>,
    aim: Aim<'a>,
    target: String,
    /// With the ratio of each arm.
    costs: Vec<(ArmsCost, Vec<Ratio>)>,
}

impl<'a> ArmCosts<'a> {
    pub(crate) fn of(report: &'a Report<'_>, setting: &CostFigure) -> Result<Option<Self>, ReportError> {
        let aim = Aim::of(report, setting.target.as_ref())?.against(report, setting.baseline.as_deref())?;
        let Some(target) = aim.words().filter(|_| !aim.is_met_at_the_start()) else { return Ok(None) };
        let is_spent = |cost: &ArmsCost| {
            let mut runs = cost.arms.iter().flat_map(|arm| &arm.runs);
            runs.any(|run| run.is_reached() && run.value > 0.0)
        };
        let costs = aim.costs(&setting.costs).into_iter().filter(is_spent);
        let costs: Vec<_> =
            costs.map(|cost| (aim.ratios(&cost.measure), cost)).map(|(ratios, cost)| (cost, ratios)).collect();
        Ok((!costs.is_empty()).then_some(Self { report, aim, target, costs }))
    }

    /// The panels of some arms; the axes are those of all.
    fn grid(&self, rows: &Range<usize>) -> Grid {
        let arms = &self.report.arms()[rows.clone()];
        let panel = |(place, (cost, ratios)): (usize, &(ArmsCost, Vec<Ratio>))| {
            let values = values(cost);
            let highest = values.iter().copied().fold(0.0, f64::max);
            let AxisWords { label, brief, unit } = heading(cost.measure.what, highest);
            let (scale, holds) = (scale(values.iter().copied()), values.iter().map(|value| value / unit).collect());
            let has_intervals = ratios.iter().any(|ratio| ratio.interval().is_some());
            let words = |arm: usize| match (ratios[arm], cost.arms[arm].median) {
                (Ratio::Baseline, Some(median)) => format!("1 = {}", three_digits_text(median / unit)),
                (ratio, _) => ratio.words(),
            };
            let ratios = WordColumn {
                heading: if has_intervals { "ratio [95 %]" } else { "ratio" }.to_owned(),
                words: rows.clone().map(words).collect(),
            };
            let counts = |arm: usize| reached_in_short(self.reached(arm));
            let counts = WordColumn { heading: "k/n".to_owned(), words: rows.clone().map(counts).collect() };
            let is_last = place + 1 == self.costs.len();
            let x = Side { brief, scale, holds, ..Side::new(&label) };
            let y = Side::of_names("", arms.iter().map(|arm| arm.label.clone()).collect());
            let row = |arm: usize| {
                let look = LineStyle::of(self.report.arms()[arm].style).solid();
                row(&cost.arms[arm], look, (arm - rows.start) as f64, unit)
            };
            let guides = Shape::new(GUIDE, Form::Across, (0..rows.len()).map(|row| (f64::NAN, row as f64)).collect());
            let shapes = rows.clone().flat_map(row).chain([guides.sized(0.4)]);
            Panel {
                beside: std::iter::once(ratios).chain(is_last.then_some(counts)).collect(),
                ..Panel::new(x, y, shapes)
            }
        };
        Grid { panels: self.costs.iter().enumerate().map(panel).collect(), ..Grid::default() }
    }

    fn reached(&self, arm: usize) -> [usize; 3] {
        self.costs[0].0.arms[arm].counts()
    }

    /// A tidy table: a row per run with what it took, or had taken when it ended, and a row per arm with its median and
    /// quartiles, how many runs get there, and the ratio to the baseline.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let runs = ["of", "measure", "arm", "seed", "replicate", "value", "end"];
        let arms = ["quartile_1", "median", "quartile_3", "reached", "degenerate", "runs"];
        let of_ratio = ["ratio", "ratio_low", "ratio_high", "pairs", "pairs_of", "why_none"];
        let samples = &self.aim.samples;
        let of_arm = |(cost, ratios): &(ArmsCost, Vec<Ratio>), at: usize| {
            let (what, label) = (cost.measure.what.name(), &self.report.arms()[at].label);
            let row = |((seed, replicate), run): ((u64, u64), Observation)| {
                let end = samples.arms[at].runs[&(seed, replicate)].end_of(&run);
                let row = cells!["run", what, label, seed, replicate, number(run.seen()), end];
                [row, vec![String::new(); arms.len() + of_ratio.len()]].concat()
            };
            let ([reached, planned, degenerate], (ratio, why)) = (self.reached(at), ratios[at].cells());
            let start = cells!["arm", what, label, "", "", "", ""];
            let quartiles = quartiles(&cost.arms[at]).map(number).to_vec();
            let arm = [start, quartiles, cells![reached, degenerate, planned], ratio, cells![why]].concat();
            samples.observations(at, &cost.measure).into_iter().map(row).chain([arm]).collect::<Vec<_>>()
        };
        let count = self.report.arms().len();
        let rows = self.costs.iter().flat_map(|cost| (0..count).flat_map(move |arm| of_arm(cost, arm)));
        FigureRows::new(&[&runs[..], &arms, &of_ratio].concat(), rows)
    }

    fn caption(&self) -> String {
        let arms = 0..self.report.arms().len();
        let degenerate = short_form(arms.clone().map(|arm| self.reached(arm)[2]).sum());
        let has_quartiles = self.costs[0].0.arms.iter().any(|arm| quartiles(arm)[0].is_some());
        let quartiles = if has_quartiles { " with quartiles" } else { "" };
        let is_late = arms.clone().any(|arm| self.reached(arm)[0] < self.aim.samples.arms[arm].runs.len());
        let late = if is_late { ", arrowheads: runs that do not reach it" } else { "" };
        let mut ratios = self.costs.iter().flat_map(|(_, ratios)| ratios);
        let intervals = if ratios.any(|ratio| ratio.interval().is_some()) { " with 95 % intervals" } else { "" };
        let compared = match arms.len() {
            1 => String::new(),
            _ => format!("; ratios{intervals} to {} (with its median), where both reach it", self.aim.baseline()),
        };
        format!(
            "Cost of reaching {} (markers: runs, strokes: medians{quartiles}{late}). k/n: runs that reach \
             it{degenerate}{compared}.",
            self.target
        )
    }

    fn about(&self) -> String {
        let arms = || self.report.arms().iter().enumerate();
        let costs = || self.costs.iter().map(|(cost, _)| cost);
        let without = arms().filter(|(arm, _)| !costs().any(|cost| cost.arms[*arm].is_measured()));
        let is_log = |cost: &ArmsCost| scale(values(cost).into_iter()) == Scale::Log;
        let free = arms().filter(|(arm, _)| costs().any(|cost| is_log(cost) && cost.arms[*arm].has_free()));
        let ratios = |arm: usize| self.costs.iter().map(|(_, ratios)| ratios[arm]).collect::<Vec<_>>();
        let named: Vec<(&str, Vec<Ratio>)> = arms().map(|(number, arm)| (arm.label(), ratios(number))).collect();
        format!(
            "{} Medians and quartiles are those of Kaplan and Meier over all runs of an arm: a run that ends before \
             needs more; there is no median where not more than half of the runs reach the target, and no \
             quartiles of fewer than {FEWEST} runs. Intervals of ratios are by Student's t on their logarithms, of \
             three pairs or more, as in `compare`.{}{}{}",
            self.caption(),
            naming("What costs nothing has no place on a logarithmic axis", free.map(|(_, arm)| arm.label())),
            without_ratio(&named),
            not_shown("not measured it", without.map(|(_, arm)| arm.label()))
        )
    }

    fn caveats(&self) -> Vec<Caveat> {
        let arms: Vec<usize> = (0..self.report.arms().len()).collect();
        let measures: Vec<Measure> = self.costs.iter().map(|(cost, _)| cost.measure.clone()).collect();
        self.aim.shared.caveats(&self.aim.samples, &arms, &measures)
    }
}

/// What stands on the axis of a cost.
fn values(cost: &ArmsCost) -> Vec<f64> {
    let of = |arm: &ArmOutcome| {
        let runs = arm.runs.iter().filter(|run| run.is_reached()).map(|run| run.value);
        runs.chain(quartiles(arm).into_iter().flatten()).collect::<Vec<_>>()
    };
    cost.arms.iter().flat_map(of).collect()
}

/// The lower quartile, the median and the upper quartile.
fn quartiles(arm: &ArmOutcome) -> [Option<f64>; 3] {
    let quartile = |q: f64| arm.quantile(q).filter(|_| arm.runs.len() >= FEWEST);
    [quartile(0.25), arm.median, quartile(0.75)]
}

/// What stands in the row of an arm.
fn row(arm: &ArmOutcome, look: LineStyle, row: f64, unit: f64) -> Vec<Shape> {
    let (reached, ended): (Vec<&Observation>, Vec<_>) = arm.runs.iter().partition(|run| run.is_reached());
    let [lower, median, upper] = quartiles(arm).map(|value| value.map(|value| value / unit));
    let below = if lower.is_some() { row + BELOW } else { row };
    // More than a quarter of the runs may need more than what was seen.
    let ends = lower.map(|lower| vec![(lower, row), (upper.unwrap_or(f64::INFINITY), row)]);
    let dots = reached.iter().map(|run| (run.value / unit, below)).collect();
    vec![
        Shape::new(look, Form::Intervals, ends.unwrap_or_default()),
        Shape::new(look, Form::Dots { hollow: false }, dots).sized(RUN),
        Shape::new(look, Form::Strokes, median.map(|median| (median, row)).into_iter().collect()).sized(MEDIAN),
        Shape::new(look, Form::Beyond, ended.iter().take(1).map(|_| (f64::INFINITY, row)).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::{FEWEST, row};
    use crate::compare::{Measure, Quantity, Sample, SampleArm, Samples, Shared, block};
    use crate::layout::Form;
    use crate::style::LineStyle;
    use fedbits_record::results::{PlanTarget, TargetCost};
    use proptest::prelude::*;

    proptest! {
        /// A stroke stands at the median of `compare`, whatever ended the runs, and a marker at each run that gets
        /// there. There is an arrowhead where some do not.
        #[test]
        fn rows_show_what_compare_says(runs in prop::collection::vec((1_u64..90, 0_u8..5), 1..14)) {
            let sample = |&(bits_total, end): &(u64, u8)| {
                let reach = TargetCost { reached: end < 2, round: 1, time_ns: 1, bits_up: 1, bits_total, unseen: 0 };
                let [cut, failed, degenerate] = [2, 3, 4].map(|kind| end == kind);
                let (reaches, measured) = (vec![Some(reach)], vec![Some(true)]);
                Sample { reaches, measured, cut, failed, degenerate, ..Sample::default() }
            };
            let runs = runs.iter().enumerate().map(|(number, run)| ((0, number as u64), sample(run))).collect();
            let arm = SampleArm { runs, ..SampleArm::default() };
            let targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
            let samples = Samples { arms: vec![arm], targets, ..Samples::default() };
            let measure = Measure { target: Some(0), what: Quantity::BitsTotal };
            let expected = &block(&samples, measure.clone()).arms[0];
            let outcome = Shared::with_all_runs().outcome(&samples, 0, &measure);
            let shapes = row(&outcome, LineStyle::INK, 3.0, 8.0);
            let points = |is: fn(&Form) -> bool| -> Vec<(f64, f64)> {
                shapes.iter().filter(|shape| is(&shape.form)).flat_map(|shape| shape.points.clone()).collect()
            };
            let median: Vec<(f64, f64)> = expected.median.map(|median| (median / 8.0, 3.0)).into_iter().collect();
            prop_assert_eq!(points(|form| matches!(form, Form::Strokes)), median);
            prop_assert_eq!(points(|form| matches!(form, Form::Dots { .. })).len(), expected.reached);
            let has = |is: fn(&Form) -> bool| shapes.iter().any(|shape| is(&shape.form) && !shape.points.is_empty());
            prop_assert_eq!(has(|form| matches!(form, Form::Beyond)), expected.reached < expected.runs);
            prop_assert!(expected.runs >= FEWEST || !has(|form| matches!(form, Form::Intervals)));
        }
    }
}
