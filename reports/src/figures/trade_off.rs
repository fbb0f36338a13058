//! What it takes to get somewhere against an axis, a line per level of the others: Kaplan–Meier medians with
//! quartiles, or of few runs with these. Arms without a median stand above the frame.

use super::across::{Across, LinesFrame, frames};
use super::aim::Aim;
use super::units::{brief_heading, heading};
use crate::axes::{Scale, scale};
use crate::compare::{
    Measure, Observation, Quantity, Shared, kaplan_meier_median, kaplan_meier_quantile, reached_in_short,
};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::layout::{Beyond, Entry, Form, Grid, Markers, Panel, Shape, Side, most_panels};
use crate::report::{Drawing, Report};
use crate::style::LineStyle;
use crate::text::{each_once, each_once_by};
use crate::words::not_shown;
use fedbits_figures::TradeOff;
use fedbits_record::{Float, RecordError, Table};
use std::ops::Range;

/// Quartiles of fewer runs say nothing: these runs are drawn instead.
const FEWEST: usize = 5;
/// From line to line where levels stand side by side, in distances of levels.
const APART: f64 = 0.05;

pub(crate) struct TradeOffs;

impl FigureKind for TradeOffs {
    fn about(&self) -> About {
        About {
            name: "trade_off",
            title: "bits and time to a target against an axis, a line per level of the others",
            needs: "a scenario with an axis that varies, a target that not all runs already meet at round 0, and an \
                arm with a median of what it takes to reach it",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &TradeOff::default())
    }
}

/// The figure, or one per cost where these have no room on a page; none of runs of several folders, of arms that do not
/// differ on the axis, without any median, and where the start of every run is there already.
pub(crate) fn draw(report: &Report<'_>, setting: &TradeOff) -> Result<Vec<Drawing>, ReportError> {
    let Some(planned) = &report.collected.planned else { return Ok(Vec::new()) };
    let Some(across) = Across::of(planned, report.arms(), setting.axis.as_deref())? else { return Ok(Vec::new()) };
    let aim = Aim::of(report, setting.target.as_ref())?;
    let frames = frames(planned, report.arms(), across.axis);
    let shared = Shared::of(&aim.samples, 0..report.arms().len());
    let mut figure = TradeOffFigure { report, measures: aim.measures(&setting.costs), across, frames, aim, shared };
    figure.measures = figure.measures.iter().filter(|measure| figure.spends(measure)).cloned().collect();
    let has_median = figure.each().any(|(arm, measure)| figure.spread(arm, measure).is_some());
    if !has_median || figure.aim.is_met_at_the_start() {
        return Ok(Vec::new());
    }
    let (measures, grid) = (figure.measures.clone(), figure.grid());
    if measures.len() == 1 || most_panels(&grid, &report.look, &report.metrics) == grid.panels.len() {
        return Ok(vec![figure.drawing("trade_off", grid)?]);
    }
    let one = |measure: &Measure| {
        figure.measures = vec![measure.clone()];
        figure.drawing(&format!("trade_off-{}", measure.what.name()), figure.grid())
    };
    measures.iter().map(one).collect()
}

struct TradeOffFigure<'a> {
    report: &'a Report<'a>,
    measures: Vec<Measure>,
    across: Across,
    frames: Vec<LinesFrame>,
    aim: Aim<'a>,
    shared: Shared,
}

impl TradeOffFigure<'_> {
    fn drawing(&self, name: &str, grid: Grid) -> Result<Drawing, ReportError> {
        let caveats = self.shared.caveats(&self.aim.samples, &self.arms().collect::<Vec<_>>(), &self.measures);
        let words = self.report.words(&self.caption(), &self.about()).with_caveats(caveats);
        self.report.figure((name, name), grid, |comments| self.csv(comments), words)
    }

    fn arms(&self) -> Range<usize> {
        0..self.report.arms().len()
    }

    fn each(&self) -> impl Iterator<Item = (usize, &Measure)> {
        self.arms().flat_map(|arm| self.measures.iter().map(move |measure| (arm, measure)))
    }

    fn grid(&self) -> Grid {
        let entry = |(label, style, _): &(String, usize, Vec<usize>)| match LineStyle::of(*style) {
            look if self.across.is_search => Entry::dot(label, look, false),
            look => Entry::line(label, look),
        };
        let entries = self.frames.iter().flat_map(|frame| &frame.lines).map(entry);
        let entries = each_once_by(entries, |one, other| one.words == other.words);
        let panels = self.measures.iter().flat_map(|measure| self.panels(measure)).collect();
        Grid { panels, entries, ..Grid::default() }
    }

    fn observations(&self, arm: usize, measure: &Measure) -> Vec<Observation> {
        self.shared.observations(&self.aim.samples, arm, measure)
    }

    /// Whether it is measured, and the arm has no median.
    fn is_beyond(&self, arm: usize, measure: &Measure) -> bool {
        !self.observations(arm, measure).is_empty() && self.spread(arm, measure).is_none()
    }

    /// Whether some run spends anything of it, or ends elsewhere than at 0.
    fn spends(&self, measure: &Measure) -> bool {
        let spends = |run: &Observation| run.seen().is_some_and(|value| value != 0.0);
        self.arms().any(|arm| self.observations(arm, measure).iter().any(spends))
    }

    /// Median with its quartiles; the upper one is none where at most three quarters get there.
    fn spread(&self, arm: usize, measure: &Measure) -> Option<(f64, Option<f64>, Option<f64>)> {
        let observations = self.observations(arm, measure);
        let quartile = |q: f64| kaplan_meier_quantile(&observations, q);
        kaplan_meier_median(&observations).map(|median| (median, quartile(0.25), quartile(0.75)))
    }

    /// k/n: how many runs get there, of those planned, or of the replicates that all arms have.
    fn reached(&self, arm: usize, measure: &Measure) -> String {
        let observations = self.observations(arm, measure);
        if observations.is_empty() {
            return String::new();
        }
        let reached = observations.iter().filter(|run| run.is_reached()).count();
        let of = self.shared.of_planned(self.aim.samples.arms[arm].planned);
        reached_in_short(reached, of, self.shared.degenerate(&self.aim.samples, arm, measure))
    }

    fn at(&self, arm: usize) -> f64 {
        self.across.at[self.report.arms()[arm].levels[self.across.axis]]
    }

    /// The scale of the costs: linear where a median is zero or less.
    fn scale(&self, measure: &Measure) -> Scale {
        let medians = || self.arms().filter_map(|arm| self.spread(arm, measure));
        let ends = medians().flat_map(|(median, low, high)| [Some(median), low, high]).flatten();
        if medians().any(|(median, ..)| median <= 0.0) { Scale::Linear } else { scale(ends) }
    }

    /// Do small markers show the runs of an arm, as they are too few for quartiles?
    fn shows_runs(&self, arm: usize, measure: &Measure) -> bool {
        (2..FEWEST).contains(&self.observations(arm, measure).len()) && self.spread(arm, measure).is_some()
    }

    fn panels(&self, measure: &Measure) -> Vec<Panel> {
        let medians = || self.arms().filter_map(|arm| self.spread(arm, measure));
        let highest = medians().map(|(median, ..)| median).fold(0.0, f64::max);
        let ((label, unit), brief) = match measure.what {
            Quantity::Error => ((format!("final {}", self.aim.samples.error.words()), 1.0), String::new()),
            what => (heading(what, highest), brief_heading(what, highest)),
        };
        let y_scale = self.scale(measure);
        let panel = |frame: &LinesFrame| {
            let mut panel = Panel {
                heading: frame.heading.clone(),
                x: self.across.positions.side(),
                y: Side { scale: y_scale, brief: brief.clone(), ..Side::new(&label) },
                ..Panel::default()
            };
            for (number, (_, style, arms)) in frame.lines.iter().enumerate() {
                let middle = 0.5 * (frame.lines.len() - 1) as f64;
                let shift = if self.across.positions.is_number { 0.0 } else { APART * (number as f64 - middle) };
                self.line(&mut panel, (*style, arms), measure, (unit, shift));
            }
            let rows = each_once(panel.strip.iter().map(|beyond| beyond.look));
            let row = |look: LineStyle| rows.iter().take_while(|known| **known != look).count();
            panel.strip.iter_mut().for_each(|beyond| beyond.row = row(beyond.look));
            panel
        };
        self.frames.iter().map(panel).collect()
    }

    /// Adds the line through the medians of some arms, which is broken where there is none, and their quartiles or
    /// runs.
    fn line(&self, panel: &mut Panel, (style, arms): (usize, &[usize]), measure: &Measure, (unit, shift): (f64, f64)) {
        let look = LineStyle::of(style);
        let mut arms: Vec<usize> = arms.iter().copied().filter(|&arm| !self.at(arm).is_nan()).collect();
        arms.sort_by(|&one, &next| self.at(one).total_cmp(&self.at(next)));
        let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        let (mut intervals, mut runs) = (Vec::new(), Vec::new());
        for arm in arms {
            let x = self.at(arm) + shift;
            let observations = self.observations(arm, measure);
            let Some((median, low, high)) = self.spread(arm, measure) else {
                let words = self.reached(arm, measure);
                panel.strip.extend((!observations.is_empty()).then_some(Beyond { look, row: 0, x, words }));
                parts.push(Vec::new());
                continue;
            };
            if let Some(part) = parts.last_mut() {
                part.push((x, median / unit));
            }
            match (low, high) {
                _ if observations.len() == 1 => {}
                _ if observations.len() < FEWEST => {
                    let reached = observations.iter().filter(|observation| observation.is_reached());
                    runs.extend(reached.map(|observation| (x, observation.value / unit)));
                }
                (Some(low), Some(high)) if low < high => intervals.extend([(x, low / unit), (x, high / unit)]),
                (Some(low), None) => {
                    intervals.extend([(x, low / unit), (x, f64::INFINITY)]);
                    // Room for the arrowhead.
                    panel.y.holds.push(1.1 * median / unit);
                }
                _ => {}
            }
        }
        let form = || if self.across.is_search { Form::Dots { hollow: false } } else { Form::Line(Markers::Each) };
        let spread = [(Form::Intervals, intervals), (Form::Cloud, runs)];
        let shapes = spread.into_iter().chain(parts.into_iter().map(|part| (form(), part)));
        let shapes = shapes.filter(|(_, points)| !points.is_empty());
        panel.shapes.extend(shapes.map(|(form, points)| Shape::new(look, form, points)));
    }

    /// A tidy table: measure, arm, its levels, median and quartiles, runs that get there, runs that were planned.
    fn csv(&self, comments: &[String]) -> Result<String, RecordError> {
        let across = self.across.positions.label.as_str();
        let header = ["measure", "arm", across, "median", "low", "high", "reached_of_runs"];
        let mut table = Table::in_memory(comments, &header)?;
        for measure in &self.measures {
            for (number, arm) in self.report.arms().iter().enumerate() {
                let at = self.at(number);
                let level =
                    self.across.positions.ticks.iter().find(|tick| tick.0 == at).map_or("", |tick| tick.1.as_str());
                let values = self.spread(number, measure).map(|(median, low, high)| [Some(median), low, high]);
                let ([median, low, high], reached) =
                    (values.unwrap_or_default().map(Float), self.reached(number, measure));
                table.row(&[&measure.what.name(), &arm.label, &level, &median, &low, &high, &reached])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let axis = &self.across.positions.label;
        let over = self.shared.words("all arms");
        let what = match self.aim.words() {
            Some(target) => format!("What it takes to get to {target}"),
            None => "What the runs have spent at their ends".to_owned(),
        };
        let runs = match self.each().any(|(arm, measure)| self.shows_runs(arm, measure)) {
            true => "; small markers: the runs of fewer than five replicates",
            false => "",
        };
        let beyond = match self.each().any(|(arm, measure)| self.is_beyond(arm, measure)) {
            true => " Above the frame: arms without a median, with k of n runs.",
            false => "",
        };
        format!("{what}, over {axis}: medians and quartiles over {over}{runs}.{beyond}")
    }

    fn about(&self) -> String {
        let mut text = self.caption();
        if self.aim.target.is_some() {
            text.push_str(
                " A run that ends before it gets there counts as more than all that do; so does one that failed or \
                 whose fit is degenerate (deg.). An arm has a median where more than half of its runs get there, and \
                 an upper quartile where more than three quarters do; an arrowhead at the frame stands for a quartile \
                 that there is not, or for one of 0 on a logarithmic axis.",
            );
        }
        if !self.across.positions.is_number {
            text.push_str(
                " The levels do not differ in a single number: they stand side by side, and the lines at a \
                 level beside each other.",
            );
        }
        let free = |run: &Observation| run.is_reached() && run.value <= 0.0;
        let hides = |(arm, measure)| {
            self.shows_runs(arm, measure)
                && self.scale(measure) == Scale::Log
                && self.observations(arm, measure).iter().any(free)
        };
        if self.each().any(hides) {
            text.push_str(" Runs that cost nothing have no marker on a logarithmic axis.");
        }
        let label = |arm: usize| self.report.arms()[arm].label();
        text += &not_shown("no value there", self.arms().filter(|&arm| self.at(arm).is_nan()).map(label));
        let first = || self.arms().flat_map(|arm| self.measures.first().map(|measure| (arm, measure)));
        let silent = first().filter(|&(arm, measure)| self.observations(arm, measure).is_empty());
        text += &not_shown("not measured it", silent.map(|(arm, _)| label(arm)));
        let without = first().filter(|&(arm, measure)| self.is_beyond(arm, measure));
        let without = without.map(|(arm, measure)| format!("{} {}", label(arm), self.reached(arm, measure)));
        let without: Vec<String> = without.collect();
        match without.is_empty() {
            true => text,
            false => format!("{text} Arms without a median, and their runs that get there: {}.", without.join("; ")),
        }
    }
}
