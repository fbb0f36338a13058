//! Every arm against a baseline: paired ratios with 95 % intervals on logarithmic axes, a panel per cost. Its numbers
//! are those of [`crate::compare`]; drawn by [`super::forest_rows`].

use super::aim::Aim;
use super::forest_rows::{self, ForestPage, ForestRow, Ratio};
use crate::compare::{ErrorKind, Measure, Observation, Paired, Quantity, paired, short_form};
use crate::data::{Arm, no_such_arm};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::looks::{all, varied};
use crate::report::{Drawing, Report};
use crate::words::part;
use fedbits_figures::{Forest, ForestOrder};
use fedbits_record::{Float, RecordError, Table};

/// The kind of figure.
pub(crate) struct Forests;

impl FigureKind for Forests {
    fn about(&self) -> About {
        About {
            name: "forest",
            title: "every arm against the baseline: paired ratios with 95 % intervals, and how many runs get there",
            needs: "two arms or more, of which the baseline and another reach the target in the same replicate",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &Forest::default())
    }
}

/// The figure; one for each page where the arms need several. None where nothing can be compared.
pub(crate) fn draw(report: &Report<'_>, setting: &Forest) -> Result<Vec<Drawing>, ReportError> {
    let mut aim = Aim::of(report, setting.target.as_ref())?;
    if let Some(name) = &setting.baseline {
        let of = |arm: &Arm| arm.name == *name || arm.label == *name;
        let found = report.arms().iter().position(of);
        let unknown = || no_such_arm(name, report.arms());
        aim.samples.to_mut().baseline = found.ok_or_else(unknown)?;
    }
    let forest = ForestFigure::of(report, &aim, setting);
    if forest.rows.iter().flat_map(|row| &row.ratios).all(|ratio| matches!(ratio, Ratio::Baseline | Ratio::None(_))) {
        return Ok(Vec::new());
    }
    let pages = forest_rows::pages(&forest.page(&forest.rows), &report.look, &report.metrics);
    let draw = |(number, rows): (usize, std::ops::Range<usize>)| {
        let (name, part) = part("forest", number, pages.len());
        let page = forest.page(&forest.rows[rows.clone()]);
        report.drawing(
            (&name, &name),
            forest_rows::draw(&page, &report.look, &report.metrics),
            |comments| forest.csv(&page, comments),
            report.words(&(forest.caption() + &part), &(forest.about(&page) + &part)).with_caveats(aim.caveats()),
        )
    };
    pages.iter().cloned().enumerate().map(draw).collect()
}

/// Everything that is compared.
struct ForestFigure {
    measures: Vec<Measure>,
    rows: Vec<ForestRow>,
    /// The axes by which rows are grouped and named.
    axes: String,
    baseline: String,
    target: Option<String>,
    error: ErrorKind,
    /// What was measured, and what nobody can be divided by.
    left_out: Vec<Measure>,
}

/// A ratio of positive numbers alone has a logarithm.
const NOT_POSITIVE: &str = "a value ≤ 0";

impl ForestFigure {
    fn of(report: &Report<'_>, aim: &Aim<'_>, setting: &Forest) -> Self {
        let samples = &aim.samples;
        // Nobody can be divided by a baseline that spends nothing, or ends below 0.
        let seen = |measure: &Measure| samples.observations(samples.baseline, measure);
        let divides = |measure: &Measure| seen(measure).values().any(|own| own.seen() > Some(0.0));
        let (measures, mut left_out): (Vec<_>, Vec<_>) = aim.measures(&setting.costs).into_iter().partition(divides);
        left_out.retain(|measure| !seen(measure).is_empty());
        let axes = report.collected.planned.as_ref().map(|planned| &planned.plan.axes);
        let varied = report.collected.planned.as_ref().map(|planned| varied(&all(&planned.plan))).unwrap_or_default();
        let grouped = varied.len() > 1 && setting.order == ForestOrder::Plan;
        let row = |(number, arm): (usize, &Arm)| {
            let (group, label) = match axes.filter(|_| grouped) {
                None => (None, arm.label.clone()),
                Some(axes) => {
                    let level = |&axis: &usize| axes[axis].levels[arm.levels[axis]].as_str();
                    let there = |axis: &&usize| axes[**axis].absent != Some(arm.levels[**axis]);
                    let rest: Vec<&str> = varied[1..].iter().filter(there).map(level).collect();
                    let heading = level(&varied[0]).to_owned();
                    // An arm under another label keeps it.
                    let label =
                        if arm.label == arm.name && !rest.is_empty() { rest.join(" / ") } else { arm.label.clone() };
                    (Some(heading), label)
                }
            };
            let own = measures.first().map(|measure| samples.observations(number, measure)).unwrap_or_default();
            let ratio = |measure: &Measure| match paired(samples, number, measure) {
                _ if number == samples.baseline => Ratio::Baseline,
                Some(Paired { ratio: Some(ratio), pairs, of, .. }) => Ratio::Interval { ratio, pairs, of },
                Some(Paired { pairs: 1.., .. }) => Ratio::None(NOT_POSITIVE),
                None if samples.arms[number].runs.is_empty() => Ratio::None("no run"),
                None if own.is_empty() => Ratio::None("not measured"),
                _ if own.keys().any(|pair| samples.arms[samples.baseline].runs.contains_key(pair)) => {
                    Ratio::None(if own.values().any(Observation::is_reached) {
                        "not comparable"
                    } else {
                        "not reached"
                    })
                }
                _ => Ratio::None("no common replicate"),
            };
            ForestRow {
                group,
                label,
                name: arm.name.clone(),
                reached: own.values().filter(|own| own.is_reached()).count(),
                degenerate: samples.degenerate_among(number, &own),
                of: samples.arms[number].planned,
                ratios: measures.iter().map(ratio).collect(),
            }
        };
        let mut rows: Vec<ForestRow> = report.arms().iter().enumerate().map(row).collect();
        if setting.order == ForestOrder::Ratio {
            rows.sort_by(|one, other| one.first().total_cmp(&other.first()));
        }
        let baseline = samples.arms[samples.baseline].name.clone();
        let names = axes.filter(|_| grouped).map(|axes| varied.iter().map(|&axis| axes[axis].name.as_str()).collect());
        let axes = names.map_or_else(String::new, |names: Vec<&str>| names.join(" / "));
        Self { axes, measures, rows, baseline, target: aim.words(), error: samples.error, left_out }
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

    /// Some of the rows as they are drawn.
    fn page<'a>(&'a self, rows: &'a [ForestRow]) -> ForestPage<'a> {
        ForestPage {
            headings: self.measures.iter().map(|measure| self.heading(measure)).collect(),
            rows,
            all: &self.rows,
            axes: &self.axes,
            baseline: &self.baseline,
            has_target: self.target.is_some(),
        }
    }

    /// A tidy table: measure and arm, ratio with its interval, pairs, how many reach the target.
    fn csv(&self, page: &ForestPage<'_>, comments: &[String]) -> Result<String, RecordError> {
        let header = [
            "measure",
            "arm",
            "ratio",
            "low",
            "high",
            "pairs",
            "pairs_of",
            "reached",
            "degenerate",
            "runs",
            "why_none",
        ];
        let mut table = Table::in_memory(comments, &header)?;
        for (number, measure) in self.measures.iter().enumerate() {
            for row in page.rows {
                table.cell(measure.what.name())?;
                table.cell(&row.name)?;
                let (numbers, pairs, why) = match &row.ratios[number] {
                    Ratio::Interval { ratio, pairs, of } => {
                        ([Some(ratio.mean), ratio.low, ratio.high], [pairs.to_string(), of.to_string()], "")
                    }
                    Ratio::Baseline => ([Some(1.0), None, None], [String::new(), String::new()], "the baseline"),
                    Ratio::None(why) => ([None; 3], [String::new(), String::new()], *why),
                };
                numbers.into_iter().try_for_each(|number| table.cell(Float(number)))?;
                table.row(&[&pairs[0], &pairs[1], &row.reached, &row.degenerate, &row.of, &why])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let baseline = &self.baseline;
        match &self.target {
            Some(target) => format!(
                "What it takes to get to {target}, divided by what {baseline} takes: geometric means over the \
                 replicates in which both get there (pairs), with 95 % intervals; filled: the interval excludes 1; \
                 k/n: runs that get there{}.",
                short_form(self.rows.iter().map(|row| row.degenerate).sum())
            ),
            None => {
                let has_error = self.measures.iter().any(|measure| measure.what == Quantity::Error);
                let ends = if has_error { ", and where they end," } else { "" };
                format!(
                    "What the runs have spent at their ends{ends} divided by {baseline}: geometric means over \
                     replicates (pairs), with 95 % intervals; filled: the interval excludes 1."
                )
            }
        }
    }

    fn about(&self, page: &ForestPage<'_>) -> String {
        let mut text = self.caption();
        text.push_str(
            " Intervals are by Student's t on the logarithms of the ratios, replicate by replicate, as in `compare`, \
             which has resampled ones beside them; with fewer than three pairs there is none (a cross).",
        );
        if forest_rows::is_cut(page) {
            text.push_str(" An arrowhead at an interval: it goes on beyond the axis; the CSV has its end.");
        }
        for why in ["not reached", "not comparable", "no common replicate", "no run", "not measured", NOT_POSITIVE] {
            let is = |row: &&ForestRow| row.ratios.contains(&Ratio::None(why));
            let arms: Vec<&str> = page.rows.iter().filter(is).map(|row| row.name.as_str()).collect();
            if !arms.is_empty() {
                let why = match why {
                    "not reached" => "no run reaches the target",
                    "not comparable" => {
                        "another problem (other data or model), or no replicate in which both reach the target"
                    }
                    NOT_POSITIVE => "a value of 0 or below has no geometric mean",
                    other => other,
                };
                text += &format!(" Without a ratio ({why}): {}.", arms.join("; "));
            }
        }
        let left_out: Vec<&str> = self.left_out.iter().map(|measure| self.heading(measure)).collect();
        if !left_out.is_empty() {
            let baseline = &self.baseline;
            text += &format!(" Not shown, as no value of {baseline} is above 0: {}.", left_out.join("; "));
        }
        text
    }
}
