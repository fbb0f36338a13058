//! What it takes to get somewhere against an axis, a line per level of the others: Kaplan–Meier medians with
//! quartiles, or of few runs with these. Arms without a median stand above the frame.

use super::aim::Aim;
use super::levels::Positions;
use super::units::{brief_heading, heading};
use crate::axes::{Scale, scale};
use crate::compare::{
    Measure, Observation, Quantity, Shared, kaplan_meier_median, kaplan_meier_quantile, reached_in_short,
};
use crate::data::{Arm, PlannedRuns, Run};
use crate::error::ReportError;
use crate::layout::{Beyond, Entry, Form, Grid, Markers, Panel, Shape, Side, most_panels};
use crate::looks::{all, distinct, varied};
use crate::quantity::{GAP, PER_ROUND, Quantity as Named};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::LineStyle;
use crate::text::{each_once, each_once_by};
use crate::words::not_shown;
use fedbits_figures::{Reported, TradeOff};
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::so_many;
use std::ops::Range;

/// Quartiles of fewer runs say nothing: these runs are drawn instead.
const FEWEST: usize = 5;
/// From line to line where levels stand side by side, in distances of levels.
const APART: f64 = 0.05;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "trade_off",
    title: "bits and time to a target against an axis, a line per level of the others",
    needs: "an axis that varies, a target that not all runs already meet at round 0, and an arm with a median",
    draw: |report| draw(report, &TradeOff::default()),
};

/// The figure, or one per cost where these have no room on a page; none of runs of several folders, of arms that do not
/// differ on the axis, without any median, and where the start of every run is there already.
pub(crate) fn draw(report: &Report<'_>, setting: &TradeOff) -> Result<Vec<Drawing>, ReportError> {
    let Some(planned) = &report.collected.planned else { return Ok(Vec::new()) };
    let Some(across) = Across::of(planned, report.arms(), setting.axis.as_deref())? else { return Ok(Vec::new()) };
    let aim = Aim::of(report, setting.target.as_ref())?;
    let frames = frames(planned, report.arms(), across.axis);
    let shared = Shared::of(&aim.samples, 0..report.arms().len());
    let measures = match setting.ends.is_empty() {
        true => aim.measures(&setting.costs).into_iter().map(Height::Cost).collect(),
        false => setting.ends.iter().cloned().map(Height::End).collect(),
    };
    let reported = setting.reported.as_ref();
    let mut figure = TradeOffFigure { report, measures, across, frames, aim, shared, reported };
    figure.measures = figure.measures.iter().filter(|measure| figure.spends(measure)).cloned().collect();
    let has_median = figure.each().any(|(arm, measure)| figure.spread(arm, measure).is_some());
    if !has_median || setting.ends.is_empty() && figure.aim.is_met_at_the_start() {
        return Ok(Vec::new());
    }
    if let Some(reported) = reported.filter(|reported| reported.values.len() != figure.across.at.len()) {
        let given = format!("{} and {}", reported.values.len(), so_many(figure.across.at.len(), "level"));
        return Err(ReportError::not_drawn(&reported.label, "a reported value for each level of its axis", &given));
    }
    let (measures, grid) = (figure.measures.clone(), figure.grid());
    if measures.len() == 1 || most_panels(&grid, &report.look) == grid.panels.len() {
        return Ok(vec![figure.drawing("trade_off", grid)?]);
    }
    let one = |measure: &Height| {
        figure.measures = vec![measure.clone()];
        figure.drawing(&format!("trade_off-{}", measure.name()), figure.grid())
    };
    measures.iter().map(one).collect()
}

/// What a panel is of.
#[derive(Clone)]
enum Height {
    Cost(Measure),
    /// A quantity at the ends of the runs.
    End(String),
}

impl Height {
    fn name(&self) -> &str {
        match self {
            Self::Cost(measure) => measure.what.name(),
            Self::End(name) => name,
        }
    }

    fn cost(&self) -> Option<&Measure> {
        match self {
            Self::Cost(measure) => Some(measure),
            Self::End(_) => None,
        }
    }
}

struct TradeOffFigure<'a> {
    report: &'a Report<'a>,
    measures: Vec<Height>,
    reported: Option<&'a Reported>,
    across: Across,
    frames: Vec<LinesFrame>,
    aim: Aim<'a>,
    shared: Shared,
}

impl TradeOffFigure<'_> {
    fn drawing(&self, name: &str, grid: Grid) -> Result<Drawing, ReportError> {
        let costs: Vec<Measure> = self.measures.iter().filter_map(Height::cost).cloned().collect();
        let caveats = self.shared.caveats(&self.aim.samples, &self.arms().collect::<Vec<_>>(), &costs);
        let words = self.report.words(&self.caption(), &self.about()).with_caveats(caveats);
        self.report.figure((name, name), grid, |comments| self.csv(comments), words)
    }

    fn arms(&self) -> Range<usize> {
        0..self.report.arms().len()
    }

    fn each(&self) -> impl Iterator<Item = (usize, &Height)> {
        self.arms().flat_map(|arm| self.measures.iter().map(move |measure| (arm, measure)))
    }

    fn grid(&self) -> Grid {
        let entry = |(label, style, _): &(String, usize, Vec<usize>)| {
            let label = if label.is_empty() && self.reported.is_some() { "simulated" } else { label };
            match LineStyle::of(*style) {
                look if self.are_apart() => Entry::dot(label, look, false),
                look => Entry::line(label, look),
            }
        };
        let dot = self.reported.map(|reported| Entry::dot(&reported.label, LineStyle::REFERENCE, true));
        let entries = self.frames.iter().flat_map(|frame| &frame.lines).map(entry).chain(dot);
        let entries = each_once_by(entries, |one, other| one.words == other.words);
        let panels = self.measures.iter().flat_map(|measure| self.panels(measure)).collect();
        Grid { panels, entries, ..Grid::default() }
    }

    /// Are levels no steps of a line: points of a search, or what others report of things that have no order?
    fn are_apart(&self) -> bool {
        self.across.is_search || self.reported.is_some() && !self.across.positions.is_number
    }

    fn observations(&self, arm: usize, measure: &Height) -> Vec<Observation> {
        match measure {
            Height::Cost(measure) => self.shared.observations(&self.aim.samples, arm, measure),
            Height::End(name) => self.report.arms()[arm].runs.iter().filter_map(|run| self.end(run, name)).collect(),
        }
    }

    /// The last value of a quantity; a run that failed has none that counts.
    fn end(&self, run: &Run, name: &str) -> Option<Observation> {
        let (record, totals) = (&run.record, &run.record.manifest.totals);
        let value = match name {
            _ if record.manifest.failure().is_some() => return Some(Observation::NEVER),
            GAP => record.last("objective")? - self.report.references().of_run(run)?,
            PER_ROUND => totals.time_ns as f64 / 1e9 / totals.rounds as f64,
            name => record.last(name)?,
        };
        value.is_finite().then(|| Observation::reached(value))
    }

    /// Whether it is measured, and the arm has no median.
    fn is_beyond(&self, arm: usize, measure: &Height) -> bool {
        !self.observations(arm, measure).is_empty() && self.spread(arm, measure).is_none()
    }

    /// Whether some run spends anything of it, or ends elsewhere than at 0.
    fn spends(&self, measure: &Height) -> bool {
        let is_cost = measure.cost().is_some();
        let spends = |run: &Observation| run.seen().is_some_and(|value| value != 0.0 || !is_cost);
        self.arms().any(|arm| self.observations(arm, measure).iter().any(spends))
    }

    /// Median with its quartiles; the upper one is none where at most three quarters get there.
    fn spread(&self, arm: usize, measure: &Height) -> Option<(f64, Option<f64>, Option<f64>)> {
        let observations = self.observations(arm, measure);
        let quartile = |q: f64| kaplan_meier_quantile(&observations, q);
        kaplan_meier_median(&observations).map(|median| (median, quartile(0.25), quartile(0.75)))
    }

    /// k/n: how many runs get there, of those planned, or of the replicates that all arms have.
    fn reached(&self, arm: usize, measure: &Height) -> String {
        let observations = self.observations(arm, measure);
        if observations.is_empty() {
            return String::new();
        }
        let reached = observations.iter().filter(|run| run.is_reached()).count();
        let of = self.shared.of_planned(self.aim.samples.arms[arm].planned);
        let degenerate = measure.cost().map_or(0, |cost| self.shared.degenerate(&self.aim.samples, arm, cost));
        reached_in_short([reached, of, degenerate])
    }

    fn at(&self, arm: usize) -> f64 {
        self.across.at[self.report.arms()[arm].levels[self.across.axis]]
    }

    /// The scale of the costs: linear where a median is zero or less.
    fn scale(&self, measure: &Height) -> Scale {
        let is_linear = |name: &String| Named(name).vertical().scale == Scale::Linear;
        if matches!(measure, Height::End(name) if is_linear(name)) {
            return Scale::Linear;
        }
        let medians = || self.arms().filter_map(|arm| self.spread(arm, measure));
        let ends = medians().flat_map(|(median, low, high)| [Some(median), low, high]).flatten();
        if medians().any(|(median, ..)| median <= 0.0) { Scale::Linear } else { scale(ends) }
    }

    /// Do small markers show the runs of an arm, as they are too few for quartiles?
    fn shows_runs(&self, arm: usize, measure: &Height) -> bool {
        (2..FEWEST).contains(&self.observations(arm, measure).len()) && self.spread(arm, measure).is_some()
    }

    fn panels(&self, measure: &Height) -> Vec<Panel> {
        let medians = || self.arms().filter_map(|arm| self.spread(arm, measure));
        let highest = medians().map(|(median, ..)| median).fold(0.0, f64::max);
        let ((label, unit), brief) = match measure {
            Height::End(name) => ((Named(name).short(), 1.0), String::new()),
            Height::Cost(Measure { what: Quantity::Error, .. }) => {
                ((format!("final {}", self.aim.samples.error.words()), 1.0), String::new())
            }
            Height::Cost(Measure { what, .. }) => (heading(*what, highest), brief_heading(*what, highest)),
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
            self.add_reported(&mut panel);
            let rows = each_once(panel.strip.iter().map(|beyond| beyond.look));
            let row = |look: LineStyle| rows.iter().take_while(|known| **known != look).count();
            panel.strip.iter_mut().for_each(|beyond| beyond.row = row(beyond.look));
            panel
        };
        self.frames.iter().map(panel).collect()
    }

    fn add_reported(&self, panel: &mut Panel) {
        let Some(Reported { values, within, .. }) = self.reported else { return };
        let points = self.across.at.iter().zip(values).filter(|(at, _)| !at.is_nan()).map(|(&at, &y)| (at, y));
        let ends = points.clone().flat_map(|(at, y)| [(at, y - within), (at, y + within)]).collect();
        let look = LineStyle::REFERENCE;
        let intervals = (*within > 0.0).then(|| Shape::new(look, Form::Intervals, ends));
        let dots = Shape::new(look, Form::Dots { hollow: true }, points.collect());
        panel.shapes.extend(intervals.into_iter().chain([dots]));
    }

    /// Adds the line through the medians of some arms, which is broken where there is none, and their quartiles or
    /// runs.
    fn line(&self, panel: &mut Panel, (style, arms): (usize, &[usize]), measure: &Height, (unit, shift): (f64, f64)) {
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
        let form = || if self.are_apart() { Form::Dots { hollow: false } } else { Form::Line(Markers::Each) };
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
                table.row(&[&measure.name(), &arm.label, &level, &median, &low, &high, &reached])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let axis = &self.across.positions.label;
        let over = self.shared.words("all arms");
        let what = match (self.aim.words(), self.measures.iter().all(|measure| measure.cost().is_none())) {
            (_, true) => "Where the runs ended".to_owned(),
            (Some(target), _) => format!("What it takes to get to {target}"),
            (None, _) => "What the runs have spent at their ends".to_owned(),
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
        let ends = self.measures.iter().filter(|measure| measure.cost().is_none());
        text.extend(ends.map(|end| format!(" Shown is {}.", Named(end.name()).vertical().words)));
        let samples = self.aim.samples.arms.iter().zip(self.report.arms());
        let degenerate = samples.map(|(runs, arm)| (runs.degenerate(), runs.planned, arm.label()));
        let degenerate = degenerate.filter(|(count, ..)| *count > 0 && self.measures[0].cost().is_none());
        let degenerate: Vec<String> = degenerate.map(|(count, of, label)| format!("{label} {count}/{of}")).collect();
        if !degenerate.is_empty() {
            text += &format!(" Degenerate fits are among the values: {}.", degenerate.join("; "));
        }
        if self.aim.target.is_some() && self.measures[0].cost().is_some() {
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

/// At most this many lines share a frame, where another axis can spread them.
const MAX_LINES: usize = 8;

/// What is to the right.
pub(crate) struct Across {
    pub axis: usize,
    /// By level of the axis where it stands; NaN of one that is not shown, or without a value.
    pub at: Vec<f64>,
    pub positions: Positions,
    /// Whether levels are points of a search, which make no line.
    pub is_search: bool,
}

impl Across {
    /// None where the arms do not differ on the axis, or without a name on any.
    pub(crate) fn of(planned: &PlannedRuns, arms: &[Arm], name: Option<&str>) -> Result<Option<Self>, ReportError> {
        let axes = &planned.plan.axes;
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        let of_number = |axis: usize| Self::new(axes[axis].name.clone(), axis, &axes[axis].levels, &shown);
        let Some(name) = name else {
            let plain = varied.iter().filter(|&&axis| axes[axis].values.is_empty()).map(|&axis| of_number(axis));
            // Of the axes of numbers that with the most levels, the first of several; else the first axis.
            let rank = |across: &Self| if across.positions.is_number { across.positions.ticks.len() } else { 0 };
            return Ok(plain.reduce(|best, next| if rank(&next) > rank(&best) { next } else { best }));
        };
        let of_path = |axis: usize| {
            let path = axes[axis].paths.iter().position(|path| path == name)?;
            let values = axes[axis].values.get(path)?;
            let number = planned.plan.searched().iter().position(|searched| *searched == name)?;
            let exists = |arm: &usize| planned.plan.point(*arm)[number].is_some();
            let there = (0..planned.plan.arms.len()).filter(exists).map(|arm| &planned.plan.arms[arm].levels[..]);
            let there: Vec<&[usize]> = there.filter(|levels| shown.contains(levels)).collect();
            Some(Self { is_search: true, ..Self::new(name.to_owned(), axis, values, &there) })
        };
        let of_axis = axes.iter().position(|axis| axis.name == name).map(of_number);
        let found = of_axis.or_else(|| (0..axes.len()).find_map(of_path));
        let searched = axes.iter().filter(|axis| !axis.values.is_empty()).flat_map(|axis| &axis.paths);
        let known = axes.iter().map(|axis| &axis.name).chain(searched).map(String::as_str);
        let unknown = || ReportError::unknown("axis", name, known);
        found.ok_or_else(unknown).map(|across| Some(across).filter(|across| varied.contains(&across.axis)))
    }

    fn new(name: String, axis: usize, texts: &[String], shown: &[&[usize]]) -> Self {
        let levels = distinct(shown, axis);
        let names: Vec<&str> = levels.iter().map(|&level| texts[level].as_str()).collect();
        let positions = Positions::of(&name, &names);
        let mut at = vec![f64::NAN; texts.len()];
        levels.iter().zip(&positions.at).for_each(|(&level, &place)| at[level] = place);
        Self { axis, at, positions, is_search: false }
    }
}

struct LinesFrame {
    pub heading: Option<String>,
    /// Label, style, and the numbers of its arms.
    pub lines: Vec<(String, usize, Vec<usize>)>,
}

/// A line for each combination of levels on the other axes; many of them are spread over frames by one more axis.
fn frames(planned: &PlannedRuns, arms: &[Arm], axis: usize) -> Vec<LinesFrame> {
    let plan = &planned.plan;
    let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
    let rest: Vec<usize> = varied(&shown).into_iter().filter(|&number| number != axis).collect();
    let count = |axes: &[usize]| axes.iter().map(|&number| distinct(&shown, number).len()).product::<usize>();
    let lines = count(&rest);
    let many = |number: usize| (lines.div_ceil(count(&[number])) > MAX_LINES, count(&[number]));
    let apart = rest.iter().copied().filter(|_| lines > MAX_LINES && rest.len() > 1).min_by_key(|&axis| many(axis));
    let of_lines: Vec<usize> = rest.into_iter().filter(|&number| Some(number) != apart).collect();
    let key = |levels: &[usize]| of_lines.iter().map(|&number| levels[number]).collect::<Vec<usize>>();
    let keys = each_once(all(plan).into_iter().map(key));
    let words = |key: &[usize]| {
        let there = of_lines.iter().zip(key).filter(|(axis, level)| plan.axes[**axis].absent != Some(**level));
        there.map(|(&axis, &level)| plan.axes[axis].levels[level].as_str()).collect::<Vec<_>>().join(" / ")
    };
    let frame = |level: Option<usize>| {
        let of = |key_of: &Vec<usize>| -> Vec<usize> {
            let here = |arm: &Arm| apart.is_none_or(|apart| Some(arm.levels[apart]) == level);
            (0..arms.len()).filter(|&arm| here(&arms[arm]) && key(&arms[arm].levels) == *key_of).collect()
        };
        let line = |(style, key): (usize, &Vec<usize>)| (words(key), style, of(key));
        let lines = keys.iter().enumerate().map(line).filter(|(.., arms)| !arms.is_empty()).collect();
        let axis = apart.map(|apart| &plan.axes[apart]);
        let heading = axis.zip(level).map(|(axis, level)| format!("{}: {}", axis.name, axis.levels[level]));
        LinesFrame { heading, lines }
    };
    match apart {
        None => vec![frame(None)],
        Some(apart) => distinct(&shown, apart).into_iter().map(|level| frame(Some(level))).collect(),
    }
}
