//! Every arm against a baseline: paired ratios with 95 % intervals on logarithmic axes, a row per arm and a panel per
//! cost. Its numbers are those of [`crate::compare`].

use super::aim::{Aim, Ratio, without_ratio};
use crate::axes::{Scale, range};
use crate::compare::{ErrorKind, Measure, Quantity, reached_in_short, short_form};
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{Form, Grid, Panel, Shape, Side, WordColumn, pages_of_rows};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::{LineStyle, WHITE};
use fedbits_figures::{Forest, ForestOrder};
use fedbits_record::{Float, RecordError, Table};
use std::ops::Range;

/// Intervals are shown up to this many times the largest, and down to this part of the least ratio.
const FARTHEST: f64 = 4.0;
const MARKER: f64 = 0.9;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "forest",
    title: "every arm's paired ratios to the baseline with 95 % intervals, and how many runs reach the target",
    needs: "a baseline and another arm that reach the target in the same replicate",
    draw: |report| draw(report, &Forest::default()),
};

/// The figure; one for each page where the arms need several. None where nothing can be compared.
pub(crate) fn draw(report: &Report<'_>, setting: &Forest) -> Result<Vec<Drawing>, ReportError> {
    let aim = Aim::of(report, setting.target.as_ref())?.against(report, setting.baseline.as_deref())?;
    let forest = ForestFigure::of(report, &aim, setting);
    if !forest.rows.iter().flat_map(|row| &row.ratios).any(|ratio| matches!(ratio, Ratio::Known { .. })) {
        return Ok(Vec::new());
    }
    let pages = pages_of_rows(forest.rows.len(), |rows| forest.grid(rows), &report.look);
    let words = [forest.caption(), forest.about()];
    report.parts(("forest", true), pages, &|comments| forest.csv(comments), words, &aim.caveats())
}

struct ForestRow<'a> {
    arm: &'a Arm,
    /// How many runs get there, of how many, and how many have a degenerate fit.
    reached: [usize; 3],
    /// By cost.
    ratios: Vec<Ratio>,
}

struct ForestFigure<'a> {
    measures: Vec<Measure>,
    rows: Vec<ForestRow<'a>>,
    baseline: String,
    target: Option<String>,
    error: ErrorKind,
    /// What was measured, and what nobody can be divided by.
    left_out: Vec<Measure>,
}

impl<'a> ForestFigure<'a> {
    fn of(report: &'a Report<'_>, aim: &Aim<'_>, setting: &Forest) -> Self {
        let samples = &aim.samples;
        // Nobody can be divided by a baseline that spends nothing, or ends below 0.
        let seen = |measure: &Measure| samples.observations(samples.baseline, measure);
        let divides = |measure: &Measure| seen(measure).values().any(|run| run.seen() > Some(0.0));
        let (measures, mut left_out): (Vec<_>, Vec<_>) = aim.measures(&setting.costs).into_iter().partition(divides);
        left_out.retain(|measure| !seen(measure).is_empty());
        let row = |(number, arm): (usize, &'a Arm)| ForestRow {
            arm,
            reached: measures.first().map(|measure| aim.reached(number, measure)).unwrap_or_default(),
            ratios: measures.iter().map(|measure| Ratio::of(samples, number, measure)).collect(),
        };
        let mut rows: Vec<ForestRow<'_>> = report.arms().iter().enumerate().map(row).collect();
        if setting.order == ForestOrder::Ratio {
            let first = |row: &ForestRow<'_>| row.ratios.first().and_then(Ratio::mean).unwrap_or(f64::INFINITY);
            rows.sort_by(|one, next| first(one).total_cmp(&first(next)));
        }
        let baseline = samples.arms[samples.baseline].name.clone();
        Self { measures, rows, baseline, target: aim.words(), error: samples.error, left_out }
    }

    fn heading(&self, measure: &Measure) -> &'static str {
        match measure.what {
            Quantity::BitsTotal => "all bits",
            Quantity::BitsUp => "bits up",
            Quantity::Time => "time",
            Quantity::Rounds => "rounds",
            Quantity::Error => match self.error {
                ErrorKind::MeanField => "‖h(Ŝ)‖² at the end",
                _ => "objective at the end",
            },
        }
    }

    /// The least and the most that the axis of a cost shows, and whether an interval goes on beyond it.
    fn limits(&self, cost: usize) -> ((f64, f64), bool) {
        let ratios = || self.rows.iter().map(|row| &row.ratios[cost]);
        let (least, most) = range(ratios().filter_map(Ratio::mean).chain([1.0]));
        let ends = || ratios().filter_map(Ratio::interval).flat_map(|(low, high)| [low, high]);
        let (low, high) = range(ends().chain([least, most]));
        let limits = (low.max(least / FARTHEST), high.min(most * FARTHEST));
        (limits, limits != (low, high))
    }

    /// The panels of some rows; the axes are those of all.
    fn grid(&self, rows: Range<usize>) -> Grid {
        let panel = |(cost, measure): (usize, &Measure)| {
            let ((least, most), is_cut) = self.limits(cost);
            let is_last = cost + 1 == self.measures.len();
            let window = if is_cut { [Some(least), Some(most)] } else { [None; 2] };
            let label = format!("{}, ratio", self.heading(measure));
            Panel {
                x: Side { scale: Scale::Log, holds: vec![least, most], window, ..Side::new(&label) },
                y: Side::of_names("", self.rows[rows.clone()].iter().map(|row| row.arm.label.clone()).collect()),
                shapes: self.shapes(cost, &self.rows[rows.clone()]),
                beside: if is_last { self.counts(&self.rows[rows.clone()]) } else { Vec::new() },
                ..Panel::default()
            }
        };
        Grid { panels: self.measures.iter().enumerate().map(panel).collect(), ..Grid::default() }
    }

    /// Filled markers where the interval excludes 1, hollow ones where not, and grey crosses without an interval.
    fn shapes(&self, cost: usize, rows: &[ForestRow<'_>]) -> Vec<Shape> {
        let (mut intervals, mut filled, mut hollow, mut crosses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (row, ratio) in rows.iter().enumerate().map(|(number, row)| (number as f64, &row.ratios[cost])) {
            let (Ratio::Known { .. }, Some(mean)) = (ratio, ratio.mean()) else { continue };
            match ratio.interval() {
                Some((low, high)) => {
                    intervals.extend([(low, row), (high, row)]);
                    if low > 1.0 || high < 1.0 { filled.push((mean, row)) } else { hollow.push((mean, row)) }
                }
                None => crosses.push((mean, row)),
            }
        }
        let (grey, paper) = (LineStyle::REFERENCE.solid(), LineStyle { color: WHITE, ..LineStyle::INK });
        let marker =
            |look: LineStyle, form: Form, points| Shape { thickness: MARKER, ..Shape::new(look, form, points) };
        vec![
            Shape { thickness: 0.8, ..Shape::new(LineStyle::REFERENCE, Form::Upright, vec![(1.0, 0.0)]) },
            Shape::new(LineStyle::INK, Form::Intervals, intervals),
            marker(LineStyle::INK, Form::Dots { hollow: false }, filled),
            // No interval goes through a hollow one.
            marker(paper, Form::Dots { hollow: false }, hollow.clone()),
            marker(LineStyle::INK, Form::Dots { hollow: true }, hollow),
            marker(grey, Form::Crosses, crosses),
        ]
    }

    /// How many pairs and runs the ratios are made of; what has none says why.
    fn counts(&self, rows: &[ForestRow<'_>]) -> Vec<WordColumn> {
        let pairs = |row: &ForestRow<'_>| {
            let known = row.ratios.iter().find(|ratio| matches!(ratio, Ratio::Known { .. }));
            match known.or(row.ratios.first()) {
                Some(Ratio::Known { pairs, .. }) => pairs.to_string(),
                Some(ratio) => ratio.words(),
                None => String::new(),
            }
        };
        let reached = |row: &ForestRow<'_>| reached_in_short(row.reached);
        let column = |heading: &str, words: Vec<String>| WordColumn { heading: heading.to_owned(), words };
        let reached = self.target.as_ref().map(|_| column("k/n", rows.iter().map(reached).collect()));
        [column("pairs", rows.iter().map(pairs).collect())].into_iter().chain(reached).collect()
    }

    /// A tidy table: measure and arm, ratio with its interval, pairs, how many reach the target.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let header = ["measure", "arm", "ratio", "low", "high", "pairs", "pairs_of"];
        let counts = ["reached", "degenerate", "runs", "why_none"];
        let mut table = Table::in_memory(comments, &[&header[..], &counts].concat())?;
        for (number, measure) in self.measures.iter().enumerate() {
            for row in &self.rows {
                [measure.what.name(), &row.arm.name].into_iter().try_for_each(|cell| table.cell(cell))?;
                let (numbers, pairs, why) = row.ratios[number].cells();
                numbers.into_iter().try_for_each(|number| table.cell(Float(number)))?;
                let [reached, of, degenerate] = row.reached;
                table.row(&[&pairs[0], &pairs[1], &reached, &degenerate, &of, &why])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let baseline = &self.baseline;
        let mut all = self.rows.iter().flat_map(|row| &row.ratios).filter(|ratio| matches!(ratio, Ratio::Known { .. }));
        let crosses = match all.any(|ratio| ratio.interval().is_none()) {
            true => "; grey crosses: fewer than three pairs",
            false => "",
        };
        match &self.target {
            Some(target) => format!(
                "Cost of reaching {target}, divided by that of {baseline}: geometric means over replicates in which \
                 both get there (pairs), with 95 % intervals. Filled: the interval excludes 1{crosses}; k/n: runs that \
                 get there{}.",
                short_form(self.rows.iter().map(|row| row.reached[2]).sum())
            ),
            None => {
                let has_error = self.measures.iter().any(|measure| measure.what == Quantity::Error);
                let ends = if has_error { ", and where they end," } else { "" };
                format!(
                    "What the runs have spent at their ends{ends} divided by {baseline}: geometric means over \
                     replicates (pairs), with 95 % intervals. Filled: the interval excludes 1{crosses}."
                )
            }
        }
    }

    fn about(&self) -> String {
        let mut text = self.caption();
        text.push_str(
            " Intervals are by Student's t on the logarithms of the ratios, replicate by replicate, as in `compare`, \
             which has resampled ones beside them. Fewer than three pairs have none.",
        );
        if (0..self.measures.len()).any(|cost| self.limits(cost).1) {
            text.push_str(" An arrowhead at an interval: it goes on beyond the axis; the CSV has its end.");
        }
        let arms: Vec<(&str, &[Ratio])> = self.rows.iter().map(|row| (&*row.arm.name, &row.ratios[..])).collect();
        text += &without_ratio(&arms);
        let left_out: Vec<&str> = self.left_out.iter().map(|measure| self.heading(measure)).collect();
        if !left_out.is_empty() {
            let baseline = &self.baseline;
            text += &format!(" Not shown, as no value of {baseline} is above 0: {}.", left_out.join("; "));
        }
        text
    }
}
