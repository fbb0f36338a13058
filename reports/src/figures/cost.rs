//! What it takes every arm to get to a target: a row per arm, a panel per cost. Every run that gets there is a dot; the
//! median and the quartiles are those of Kaplan and Meier; beside the rows stand k of n and the paired ratios. The
//! numbers are those of [`crate::compare`].

use super::aim::{Aim, Ratio, without_ratio};
use super::units::{brief_heading, heading};
use crate::axes::{Scale, scale};
use crate::compare::{
    Measure, Observation, Shared, kaplan_meier_median, kaplan_meier_quantile, reached_in_short, short_form,
};
use crate::error::ReportError;
use crate::layout::{Form, Grid, Panel, Shape, Side, WordColumn, pages_of_rows};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::LineStyle;
use crate::words::{not_shown, three_digits_text};
use fedbits_figures::CostFigure;
use fedbits_record::{Float, RecordError, Table};
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
    report.parts(("cost", true), pages, &|comments| figure.csv(comments), words, &figure.caveats())
}

pub(crate) struct ArmCosts<'a> {
    report: &'a Report<'a>,
    aim: Aim<'a>,
    target: String,
    /// With the ratio of each arm.
    measures: Vec<(Measure, Vec<Ratio>)>,
}

impl<'a> ArmCosts<'a> {
    pub(crate) fn of(report: &'a Report<'_>, setting: &CostFigure) -> Result<Option<Self>, ReportError> {
        let aim = Aim::of(report, setting.target.as_ref())?.against(report, setting.baseline.as_deref())?;
        let Some(target) = aim.words().filter(|_| !aim.is_met_at_the_start()) else { return Ok(None) };
        let arms = 0..report.arms().len();
        let runs = |measure: &Measure| arms.clone().flat_map(|arm| aim.observations(arm, measure)).collect::<Vec<_>>();
        let is_spent = |measure: &Measure| runs(measure).iter().any(|run| run.is_reached() && run.value > 0.0);
        let ratios = |measure: Measure| {
            let ratios = arms.clone().map(|arm| Ratio::of(&aim.samples, arm, &measure)).collect();
            (measure, ratios)
        };
        let measures: Vec<_> = aim.measures(&setting.costs).into_iter().filter(is_spent).map(ratios).collect();
        Ok((!measures.is_empty()).then_some(Self { report, aim, target, measures }))
    }

    fn quartiles(&self, arm: usize, measure: &Measure) -> [Option<f64>; 3] {
        quartiles(&self.aim.observations(arm, measure))
    }

    /// What stands on the axis of a measure.
    fn values(&self, measure: &Measure) -> Vec<f64> {
        let of = |arm: usize| {
            let runs = self.aim.observations(arm, measure).into_iter().filter(Observation::is_reached);
            runs.map(|run| run.value).chain(self.quartiles(arm, measure).into_iter().flatten()).collect::<Vec<_>>()
        };
        (0..self.report.arms().len()).flat_map(of).collect()
    }

    /// The panels of some arms; the axes are those of all.
    fn grid(&self, rows: &Range<usize>) -> Grid {
        let last = self.measures.len() - 1;
        let panel = |(number, (measure, ratios)): (usize, &(Measure, Vec<Ratio>))| {
            let values = self.values(measure);
            let highest = values.iter().copied().fold(0.0, f64::max);
            let (label, unit) = heading(measure.what, highest);
            let (scale, holds) = (scale(values.iter().copied()), values.iter().map(|value| value / unit).collect());
            let names = self.report.arms()[rows.clone()].iter().map(|arm| arm.label.clone()).collect();
            let has_intervals = ratios.iter().any(|ratio| ratio.interval().is_some());
            let words = |arm: usize| match (ratios[arm], self.quartiles(arm, measure)[1]) {
                (Ratio::Baseline, Some(median)) => format!("1 = {}", three_digits_text(median / unit)),
                (ratio, _) => ratio.words(),
            };
            let ratios = WordColumn {
                heading: if has_intervals { "ratio [95 %]" } else { "ratio" }.to_owned(),
                words: rows.clone().map(words).collect(),
            };
            let counts = (number == last).then(|| self.counts(rows));
            let row = |arm: usize| {
                let look = LineStyle::of(self.report.arms()[arm].style).solid();
                row(&self.aim.observations(arm, measure), look, (arm - rows.start) as f64, unit)
            };
            Panel {
                x: Side { brief: brief_heading(measure.what, highest), scale, holds, ..Side::new(&label) },
                y: Side::of_names("", names),
                shapes: rows.clone().flat_map(row).chain([guides(rows.len())]).collect(),
                beside: [ratios].into_iter().chain(counts).collect(),
                ..Panel::default()
            }
        };
        Grid { panels: self.measures.iter().enumerate().map(panel).collect(), ..Grid::default() }
    }

    fn reached(&self, arm: usize) -> [usize; 3] {
        self.aim.reached(arm, &self.measures[0].0)
    }

    fn counts(&self, rows: &Range<usize>) -> WordColumn {
        let words = |arm: usize| reached_in_short(self.reached(arm));
        WordColumn { heading: "k/n".to_owned(), words: rows.clone().map(words).collect() }
    }

    /// A tidy table: a row per run with what it took, or had taken when it ended, and a row per arm with its median and
    /// quartiles, how many runs get there, and the ratio to the baseline.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let runs = ["of", "measure", "arm", "seed", "replicate", "value", "end"];
        let arms = ["quartile_1", "median", "quartile_3", "reached", "degenerate", "runs"];
        let ratios = ["ratio", "ratio_low", "ratio_high", "pairs", "pairs_of", "why_none"];
        let mut table = Table::in_memory(comments, &[&runs[..], &arms, &ratios].concat())?;
        for (measure, ratios) in &self.measures {
            for (number, arm) in self.report.arms().iter().enumerate() {
                let what = measure.what.name();
                let samples = &self.aim.samples;
                for ((seed, replicate), run) in samples.observations(number, measure) {
                    let end = samples.arms[number].runs[&(seed, replicate)].end_of(&run);
                    ["run", what, &arm.label].into_iter().try_for_each(|cell| table.cell(cell))?;
                    [seed, replicate].into_iter().try_for_each(|cell| table.cell(cell))?;
                    table.cell(Float(run.seen()))?;
                    table.cell(end)?;
                    (0..arms.len() + 5).try_for_each(|_| table.cell(""))?;
                    table.row(&[&""])?;
                }
                let (numbers, pairs, why) = ratios[number].cells();
                ["arm", what, &arm.label, "", "", "", ""].into_iter().try_for_each(|cell| table.cell(cell))?;
                self.quartiles(number, measure).into_iter().try_for_each(|value| table.cell(Float(value)))?;
                let [reached, planned, degenerate] = self.reached(number);
                [reached, degenerate, planned].into_iter().try_for_each(|count| table.cell(count))?;
                numbers.into_iter().try_for_each(|value| table.cell(Float(value)))?;
                table.row(&[&pairs[0], &pairs[1], &why])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let arms = 0..self.report.arms().len();
        let samples = &self.aim.samples;
        let degenerate = short_form(arms.clone().map(|arm| self.reached(arm)[2]).sum());
        let has_quartiles = arms.clone().any(|arm| self.quartiles(arm, &self.measures[0].0)[0].is_some());
        let quartiles = if has_quartiles { " with quartiles" } else { "" };
        let is_late = arms.into_iter().any(|arm| self.reached(arm)[0] < samples.arms[arm].runs.len());
        let late = if is_late { ", arrowheads: runs that do not get there" } else { "" };
        let mut ratios = self.measures.iter().flat_map(|(_, ratios)| ratios);
        let intervals = if ratios.any(|ratio| ratio.interval().is_some()) { ", with 95 % intervals" } else { "" };
        let compared = match self.report.arms().len() {
            1 => String::new(),
            _ => format!("; ratios are paired, to {} with its median{intervals}", self.baseline()),
        };
        format!(
            "What it takes to get to {} (markers: runs, strokes: medians{quartiles}{late}). k/n: runs that get \
             there{degenerate}{compared}.",
            self.target
        )
    }

    fn baseline(&self) -> &str {
        &self.aim.samples.arms[self.aim.samples.baseline].name
    }

    fn about(&self) -> String {
        let arms = self.report.arms().iter().enumerate();
        let is_measured =
            |arm: usize| self.measures.iter().any(|(measure, _)| !self.aim.observations(arm, measure).is_empty());
        let without = arms.clone().filter(|(arm, _)| !is_measured(*arm)).map(|(_, arm)| arm.label());
        let free = |&(arm, _): &(usize, _)| {
            self.measures.iter().any(|(measure, _)| {
                let is_free = |run: &Observation| run.is_reached() && run.value <= 0.0;
                let is_logarithmic = scale(self.values(measure).into_iter()) == Scale::Log;
                is_logarithmic && self.aim.observations(arm, measure).iter().any(is_free)
            })
        };
        let free: Vec<&str> = arms.clone().filter(free).map(|(_, arm)| arm.label()).collect();
        let free = match free.is_empty() {
            true => String::new(),
            false => format!(" What costs nothing has no place on a logarithmic axis: {}.", free.join("; ")),
        };
        let ratios = |arm: usize| self.measures.iter().map(|(_, ratios)| ratios[arm]).collect::<Vec<_>>();
        let all: Vec<Vec<Ratio>> = arms.clone().map(|(arm, _)| ratios(arm)).collect();
        let named: Vec<(&str, &[Ratio])> = arms.zip(&all).map(|((_, arm), all)| (arm.label(), &all[..])).collect();
        format!(
            "{} Medians and quartiles are those of Kaplan and Meier over all runs of an arm: a run that ends before \
             needs more; there is no median where not more than half of the runs get there, and no quartiles of \
             fewer than {FEWEST} runs. Ratios are over the replicates in which the arm and {} both get there; \
             intervals are by Student's t on their logarithms, of three pairs or more, as in `compare`.{free}{}{}",
            self.caption(),
            self.baseline(),
            without_ratio(&named),
            not_shown("not measured it", without)
        )
    }

    fn caveats(&self) -> Vec<Caveat> {
        let arms: Vec<usize> = (0..self.report.arms().len()).collect();
        let measures: Vec<Measure> = self.measures.iter().map(|(measure, _)| measure.clone()).collect();
        Shared::with_all_runs().caveats(&self.aim.samples, &arms, &measures)
    }
}

/// The lower quartile, the median and the upper quartile.
fn quartiles(runs: &[Observation]) -> [Option<f64>; 3] {
    let quartile = |q: f64| kaplan_meier_quantile(runs, q).filter(|_| runs.len() >= FEWEST);
    [quartile(0.25), kaplan_meier_median(runs), quartile(0.75)]
}

/// A thin line through each row.
fn guides(rows: usize) -> Shape {
    let points = (0..rows).map(|row| (f64::NAN, row as f64)).collect();
    Shape { thickness: 0.4, ..Shape::new(GUIDE, Form::Across, points) }
}

/// What stands in the row of an arm with these runs.
fn row(runs: &[Observation], look: LineStyle, row: f64, unit: f64) -> Vec<Shape> {
    let (reached, ended): (Vec<&Observation>, Vec<_>) = runs.iter().partition(|run| run.is_reached());
    let [lower, median, upper] = quartiles(runs).map(|value| value.map(|value| value / unit));
    let below = if lower.is_some() { row + BELOW } else { row };
    // More than a quarter of the runs may need more than what was seen.
    let ends = lower.map(|lower| vec![(lower, row), (upper.unwrap_or(f64::INFINITY), row)]);
    let of_size = |size: f64, form, points| Shape { thickness: size, ..Shape::new(look, form, points) };
    vec![
        Shape::new(look, Form::Intervals, ends.unwrap_or_default()),
        of_size(RUN, Form::Dots { hollow: false }, reached.iter().map(|run| (run.value / unit, below)).collect()),
        of_size(MEDIAN, Form::Strokes, median.map(|median| (median, row)).into_iter().collect()),
        Shape::new(look, Form::Beyond, ended.iter().take(1).map(|_| (f64::INFINITY, row)).collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::{FEWEST, row};
    use crate::compare::{Measure, Quantity, Sample, SampleArm, Samples, block};
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
            let observations: Vec<_> = samples.observations(0, &measure).into_values().collect();
            let shapes = row(&observations, LineStyle::INK, 3.0, 8.0);
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
