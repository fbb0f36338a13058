//! What it takes to get somewhere against an axis, a line per level of the others: Kaplan–Meier medians with
//! quartiles, or of few runs with these. Arms without a median stand above the frame.

use super::aim::{Aim, ArmsCost};
use super::levels::Positions;
use super::units::{AxisWords, heading};
use crate::axes::{Scale, scale};
use crate::compare::{ArmOutcome, Measure, Observation, Quantity, Shared, reached_in_short};
use crate::data::{Arm, PlannedRuns, Run};
use crate::error::ReportError;
use crate::layout::{Beyond, Entry, Form, Grid, Markers, Panel, Shape, Side, most_panels};
use crate::looks::{all, distinct, varied};
use crate::quantity::{GAP, PER_ROUND, Quantity as Named};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::text::{each_once, each_once_by, grouped};
use crate::words::{self, naming, not_shown};
use fedbits_figures::{Reported, TradeOff};
use fedbits_record::RecordError;
use fedbits_spec::so_many;

/// Quartiles of fewer runs say nothing: these runs are drawn instead.
const FEWEST: usize = 5;
/// From line to line where levels stand side by side, and from the first to the last, in distances of levels.
const APART: f64 = 0.05;
const ALL_APART: f64 = 0.6;
/// More lines with arms above the frame share one row there.
const MOST_ROWS: usize = 6;

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
    let aim = Aim { shared: Shared::of(&aim.samples, 0..report.arms().len()), ..aim };
    let frames = frames(planned, report.arms(), across.axis);
    let mut heights: Vec<Height> = match setting.ends.is_empty() {
        true => aim.costs(&setting.costs).into_iter().map(Height::of_cost).collect(),
        false => setting.ends.iter().map(|name| Height::at_end(report, &aim, name)).collect(),
    };
    heights.retain(Height::is_spent);
    let has_median = heights.iter().flat_map(|height| &height.arms).any(|arm| arm.median.is_some());
    if !has_median || setting.ends.is_empty() && aim.is_met_at_the_start() {
        return Ok(Vec::new());
    }
    if let Some(reported) = setting.reported.as_ref().filter(|reported| reported.values.len() != across.at.len()) {
        let given = format!("{} and {}", reported.values.len(), so_many(across.at.len(), "level"));
        return Err(ReportError::not_drawn(&reported.label, "a reported value for each level of its axis", &given));
    }
    let mut figure = TradeOffFigure { report, heights, across, frames, aim, reported: setting.reported.as_ref() };
    let (heights, grid) = (figure.heights.clone(), figure.grid());
    if heights.len() == 1 || most_panels(&grid, &report.look) == grid.panels.len() {
        return Ok(vec![figure.drawing("trade_off", grid)?]);
    }
    let one = |height: Height| {
        let name = format!("trade_off-{}", height.name);
        figure.heights = vec![height];
        figure.drawing(&name, figure.grid())
    };
    heights.into_iter().map(one).collect()
}

/// What a panel is of: a cost, or a quantity at the ends of the runs.
#[derive(Clone)]
struct Height {
    name: String,
    cost: Option<Measure>,
    arms: Vec<ArmOutcome>,
}

impl Height {
    fn of_cost(ArmsCost { measure, arms }: ArmsCost) -> Self {
        Self { name: measure.what.name().to_owned(), cost: Some(measure), arms }
    }

    fn at_end(report: &Report<'_>, aim: &Aim<'_>, name: &str) -> Self {
        let of = |(number, arm): (usize, &Arm)| {
            let planned = aim.shared.of_planned(aim.samples.arms[number].planned);
            let runs = arm.runs.iter().filter_map(|run| end(report, run, name)).collect();
            ArmOutcome::new(runs, planned, 0)
        };
        Self { name: name.to_owned(), cost: None, arms: report.arms().iter().enumerate().map(of).collect() }
    }

    /// Whether some run spends anything of it, or ends elsewhere than at 0.
    fn is_spent(&self) -> bool {
        let spends = |run: &Observation| run.seen().is_some_and(|value| value != 0.0 || self.cost.is_none());
        self.arms.iter().any(|arm| arm.runs.iter().any(spends))
    }

    /// The scale of the costs: linear where a median is zero or less.
    fn scale(&self) -> Scale {
        let medians = || self.arms.iter().filter_map(spread);
        let ends = medians().flat_map(|(median, low, high)| [Some(median), low, high]).flatten();
        match self.cost {
            None if Named(&self.name).vertical().scale == Scale::Linear => Scale::Linear,
            _ if medians().any(|(median, ..)| median <= 0.0) => Scale::Linear,
            _ => scale(ends),
        }
    }
}

/// The last value of a quantity; a run that failed has none that counts.
fn end(report: &Report<'_>, run: &Run, name: &str) -> Option<Observation> {
    let (record, totals) = (&run.record, &run.record.manifest.totals);
    let value = match name {
        _ if record.manifest.failure().is_some() => return Some(Observation::NEVER),
        GAP => record.last("objective")? - report.references().of_run(run)?,
        PER_ROUND => totals.time_ns as f64 / 1e9 / totals.rounds as f64,
        name => record.last(name)?,
    };
    value.is_finite().then(|| Observation::reached(value))
}

/// Median with its quartiles; the upper one is none where at most three quarters get there.
fn spread(arm: &ArmOutcome) -> Option<(f64, Option<f64>, Option<f64>)> {
    arm.median.map(|median| (median, arm.quantile(0.25), arm.quantile(0.75)))
}

/// Whether it is measured, and the arm has no median.
fn is_beyond(arm: &ArmOutcome) -> bool {
    arm.is_measured() && arm.median.is_none()
}

/// Do small markers show the runs of an arm, as they are too few for quartiles?
fn shows_runs(arm: &ArmOutcome) -> bool {
    (2..FEWEST).contains(&arm.runs.len()) && arm.median.is_some()
}

/// k/n: how many runs get there, of those planned, or of the replicates that all arms have.
fn reached(arm: &ArmOutcome) -> String {
    if arm.is_measured() { reached_in_short(arm.counts()) } else { String::new() }
}

struct TradeOffFigure<'a> {
    report: &'a Report<'a>,
    heights: Vec<Height>,
    reported: Option<&'a Reported>,
    across: Across,
    frames: Vec<LinesFrame>,
    aim: Aim<'a>,
}

impl TradeOffFigure<'_> {
    fn drawing(&self, name: &str, grid: Grid) -> Result<Drawing, ReportError> {
        let costs: Vec<Measure> = self.heights.iter().filter_map(|height| height.cost.clone()).collect();
        let arms: Vec<usize> = (0..self.report.arms().len()).collect();
        let caveats = self.aim.shared.caveats(&self.aim.samples, &arms, &costs);
        let words = self.report.words(&self.caption(), &self.about()).with_caveats(caveats);
        self.report.figure((name, name), grid, &self.rows()?, words)
    }

    fn outcomes(&self) -> impl Iterator<Item = &ArmOutcome> {
        self.heights.iter().flat_map(|height| &height.arms)
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
        let panels = self.heights.iter().flat_map(|height| self.panels(height)).collect();
        Grid { panels, entries, ..Grid::default() }
    }

    /// Are levels no steps of a line: points of a search, or what others report of things that have no order?
    fn are_apart(&self) -> bool {
        self.across.is_search || self.reported.is_some() && !self.across.positions.is_number
    }

    fn at(&self, arm: usize) -> f64 {
        self.across.at[self.report.arms()[arm].levels[self.across.axis]]
    }

    fn panels(&self, height: &Height) -> Vec<Panel> {
        let highest = height.arms.iter().filter_map(|arm| arm.median).fold(0.0, f64::max);
        let named = |label: String| AxisWords { label, brief: String::new(), unit: 1.0 };
        let AxisWords { label, brief, unit } = match &height.cost {
            None => named(Named(&height.name).short()),
            Some(Measure { what: Quantity::Error, .. }) => named(format!("final {}", self.aim.samples.error.words())),
            Some(Measure { what, .. }) => heading(*what, highest),
        };
        let y = Side { scale: height.scale(), brief, ..Side::new(&label) };
        let panel = |frame: &LinesFrame| {
            let panel = Panel::new(self.across.positions.side(), y.clone(), []);
            let mut panel = Panel { heading: frame.heading.clone(), ..panel };
            let middle = 0.5 * (frame.lines.len() - 1) as f64;
            let apart =
                if self.across.positions.is_number { 0.0 } else { APART.min(0.5 * ALL_APART / middle.max(0.5)) };
            for (number, (_, style, arms)) in frame.lines.iter().enumerate() {
                self.line(&mut panel, (*style, arms), height, (unit, apart * (number as f64 - middle)));
            }
            self.add_reported(&mut panel);
            let rows = each_once(panel.strip.iter().map(|beyond| beyond.look));
            let row = |look: LineStyle| rows.iter().take_while(|known| **known != look).count();
            panel.strip.iter_mut().for_each(|beyond| beyond.row = row(beyond.look));
            let strip = if rows.len() > MOST_ROWS { self.counted(frame, height) } else { panel.strip };
            Panel { strip, ..panel }
        };
        self.frames.iter().map(panel).collect()
    }

    /// A grey mark for each level at which arms have no median, with their number.
    fn counted(&self, frame: &LinesFrame, height: &Height) -> Vec<Beyond> {
        let arms = frame.lines.iter().flat_map(|(.., arms)| arms).filter(|&&arm| is_beyond(&height.arms[arm]));
        let levels = grouped(arms.map(|&arm| (self.at(arm), arm))).into_iter().filter(|(x, _)| !x.is_nan());
        let look = LineStyle::REFERENCE;
        levels.map(|(x, arms)| Beyond { look, row: 0, x, words: arms.len().to_string() }).collect()
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
    fn line(&self, panel: &mut Panel, (style, arms): (usize, &[usize]), height: &Height, (unit, shift): (f64, f64)) {
        let look = LineStyle::of(style);
        let mut arms: Vec<usize> = arms.iter().copied().filter(|&arm| !self.at(arm).is_nan()).collect();
        arms.sort_by(|&one, &next| self.at(one).total_cmp(&self.at(next)));
        let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        let (mut intervals, mut runs) = (Vec::new(), Vec::new());
        for (x, arm) in arms.into_iter().map(|arm| (self.at(arm) + shift, &height.arms[arm])) {
            let Some((median, low, high)) = spread(arm) else {
                let words = reached(arm);
                panel.strip.extend(arm.is_measured().then_some(Beyond { look, row: 0, x, words }));
                parts.push(Vec::new());
                continue;
            };
            if let Some(part) = parts.last_mut() {
                part.push((x, median / unit));
            }
            match (low, high) {
                _ if arm.runs.len() == 1 => {}
                _ if arm.runs.len() < FEWEST => {
                    runs.extend(arm.runs.iter().filter(|run| run.is_reached()).map(|run| (x, run.value / unit)));
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
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let positions = &self.across.positions;
        let row = |height: &Height, arm: usize| {
            let (at, outcome) = (self.at(arm), &height.arms[arm]);
            let level = positions.ticks.iter().find(|tick| tick.0 == at).map_or("", |tick| tick.1.as_str());
            let values = spread(outcome).map(|(median, low, high)| [Some(median), low, high]);
            let values = values.unwrap_or_default().map(number).to_vec();
            [cells![height.name, self.report.arms()[arm].label, level], values, cells![reached(outcome)]].concat()
        };
        let header = ["measure", "arm", positions.label.as_str(), "median", "low", "high", "reached_of_runs"];
        let arms = 0..self.report.arms().len();
        FigureRows::new(&header, self.heights.iter().flat_map(|height| arms.clone().map(move |arm| row(height, arm))))
    }

    fn caption(&self) -> String {
        let axis = &self.across.positions.label;
        let over = self.aim.shared.words("all arms");
        let what = match (self.aim.words(), self.heights.iter().all(|height| height.cost.is_none())) {
            (_, true) => "Where the runs ended".to_owned(),
            (Some(target), _) => format!("Cost of reaching {target}"),
            (None, _) => "What the runs have spent at their ends".to_owned(),
        };
        let has_runs = self.outcomes().any(shows_runs);
        let runs = if has_runs { "; small markers: the runs of fewer than five replicates" } else { "" };
        let has_numbers = self.frames.iter().any(|frame| frame.lines.len() > MOST_ROWS);
        let beyond = match (self.outcomes().any(is_beyond), has_numbers) {
            (false, _) => "",
            (true, false) => " Above the frame: arms without a median, with k of n runs.",
            (true, true) => " Above the frame: arms without a median, with k of n runs, or their number.",
        };
        format!("{what}, over {axis}: medians and quartiles over {over}{runs}.{beyond}")
    }

    fn about(&self) -> String {
        let mut text = self.caption();
        let ends = self.heights.iter().filter(|height| height.cost.is_none());
        text.extend(ends.map(|end| format!(" Shown is {}.", Named(&end.name).vertical().words)));
        let (label, first) = (|arm: usize| self.report.arms()[arm].label(), &self.heights[0]);
        let arms = || 0..self.report.arms().len();
        if first.cost.is_none() {
            let count = |arm: usize| (self.aim.samples.arms[arm].degenerate(), self.aim.samples.arms[arm].planned);
            let degenerate = arms().map(|arm| (label(arm), count(arm))).filter(|(_, (count, _))| *count > 0);
            let degenerate = degenerate.map(|(label, (count, of))| format!("{label} {count}/{of}"));
            text += &naming("Degenerate fits are among the values", degenerate);
        } else if self.aim.target.is_some() {
            text.push_str(
                " A run that ends before it reaches the target counts as more than all that do; so does one that \
                 failed or whose fit is degenerate (deg.). An arm has a median where more than half of its runs \
                 reach it, and an upper quartile where more than three quarters do; an arrowhead at the frame stands \
                 for a quartile that there is not, or for one of 0 on a logarithmic axis.",
            );
        }
        if !self.across.positions.is_number {
            text.push_str(
                " The levels do not differ in a single number: they stand side by side, and the lines at a \
                 level beside each other.",
            );
        }
        let hides = |arm: &ArmOutcome| shows_runs(arm) && arm.has_free();
        if self.heights.iter().any(|height| height.scale() == Scale::Log && height.arms.iter().any(hides)) {
            text.push_str(" Runs that cost nothing have no marker on a logarithmic axis.");
        }
        text += &not_shown("no value there", arms().filter(|&arm| self.at(arm).is_nan()).map(label));
        text += &not_shown("not measured it", arms().filter(|&arm| !first.arms[arm].is_measured()).map(label));
        let without = arms().filter(|&arm| is_beyond(&first.arms[arm]));
        let without = without.map(|arm| format!("{} {}", label(arm), reached(&first.arms[arm])));
        text + &naming("Arms without a median, and their runs that reach the target", without)
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
    let line_words = |key: &[usize]| {
        let there = of_lines.iter().zip(key).filter(|(axis, level)| plan.axes[**axis].absent != Some(**level));
        there.map(|(&axis, &level)| words::level(&plan.axes[axis].levels[level])).collect::<Vec<_>>().join(" / ")
    };
    let frame = |level: Option<usize>| {
        let of = |key_of: &Vec<usize>| -> Vec<usize> {
            let here = |arm: &Arm| apart.is_none_or(|apart| Some(arm.levels[apart]) == level);
            (0..arms.len()).filter(|&arm| here(&arms[arm]) && key(&arms[arm].levels) == *key_of).collect()
        };
        let line = |(style, key): (usize, &Vec<usize>)| (line_words(key), style, of(key));
        let lines = keys.iter().enumerate().map(line).filter(|(.., arms)| !arms.is_empty()).collect();
        let axis = apart.map(|apart| &plan.axes[apart]);
        let heading =
            axis.zip(level).map(|(axis, level)| format!("{}: {}", axis.name, words::level(&axis.levels[level])));
        LinesFrame { heading, lines }
    };
    match apart {
        None => vec![frame(None)],
        Some(apart) => distinct(&shown, apart).into_iter().map(|level| frame(Some(level))).collect(),
    }
}
