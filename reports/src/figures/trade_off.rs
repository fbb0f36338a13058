//! What it takes to get somewhere against an axis, a line per level of the others: Kaplan–Meier medians with
//! quartiles. Arms without a median stand above the frame. Drawn by [`super::chart_shapes`].

use super::aim::Aim;
use super::chart_shapes;
use super::charts::{Beyond, Chart, ChartPage, Charts, Form, Sample, Shape, Side, shift};
use super::levels::Positions;
use super::units::heading;
use crate::axes::scale_of_all;
use crate::compare::{
    Measure, Observation, Quantity, Shared, kaplan_meier_median, kaplan_meier_quantile, reached_in_short,
};
use crate::data::{Arm, PlannedRuns};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::looks::{all, distinct, varied};
use crate::report::{Drawing, Report};
use crate::words::not_shown;
use fedbits_figures::TradeOff;
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::Caveat;

/// At most this many lines share a frame, where another axis can spread them.
const MAX_LINES: usize = 8;
/// From line to line at one level, in thicknesses of a line.
const SHIFT: f64 = 1.4;

/// The kind of figure.
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
    if !figure.has_median() || figure.aim.is_met_at_the_start() {
        return Ok(Vec::new());
    }
    let (measures, charts) = (figure.measures.clone(), figure.charts());
    if measures.len() == 1 || ChartPage::new(&charts, &report.look, &report.metrics).height <= report.look.tallest {
        return Ok(vec![figure.drawing("trade_off", &charts)?]);
    }
    let one = |measure: &Measure| {
        figure.measures = vec![measure.clone()];
        figure.drawing(&format!("trade_off-{}", measure.what.name()), &figure.charts())
    };
    measures.iter().map(one).collect()
}

/// What is to the right.
struct Across {
    /// The number of the axis in the plan.
    axis: usize,
    /// By level of the axis where it stands; NaN of one that is not shown, or without a value.
    at: Vec<f64>,
    /// The levels that are shown.
    positions: Positions,
    /// Whether levels are points of a search, which make no line.
    is_search: bool,
}

impl Across {
    /// None where the arms do not differ on the axis, or without a name on any.
    fn of(planned: &PlannedRuns, arms: &[Arm], name: Option<&str>) -> Result<Option<Self>, ReportError> {
        let axes = &planned.plan.axes;
        let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
        let varied = varied(&shown);
        let own = |axis: usize| Self::new(axes[axis].name.clone(), axis, &axes[axis].levels, &shown);
        let Some(name) = name else {
            let plain = varied.iter().filter(|&&axis| axes[axis].values.is_empty()).map(|&axis| own(axis));
            // Of the axes of numbers that with the most levels, the first of several; else the first axis.
            let rank = |own: &Self| if own.positions.is_number { own.positions.ticks.len() } else { 0 };
            return Ok(plain.reduce(|one, other| if rank(&other) > rank(&one) { other } else { one }));
        };
        let of_path = |axis: usize| {
            let path = axes[axis].paths.iter().position(|path| path == name)?;
            let values = axes[axis].values.get(path)?;
            let number = planned.plan.searched().iter().position(|own| *own == name)?;
            let exists = |arm: &usize| planned.plan.point(*arm)[number].is_some();
            let there = (0..planned.plan.arms.len()).filter(exists).map(|arm| &planned.plan.arms[arm].levels[..]);
            let there: Vec<&[usize]> = there.filter(|levels| shown.contains(levels)).collect();
            Some(Self { is_search: true, ..Self::new(name.to_owned(), axis, values, &there) })
        };
        let of_axis = axes.iter().position(|axis| axis.name == name).map(own);
        let found = of_axis.or_else(|| (0..axes.len()).find_map(of_path));
        let known = || {
            let searched = axes.iter().filter(|axis| !axis.values.is_empty()).flat_map(|axis| &axis.paths);
            axes.iter().map(|axis| &axis.name).chain(searched).map(String::as_str)
        };
        let unknown = || ReportError::unknown("axis", name, known());
        found.ok_or_else(unknown).map(|own| Some(own).filter(|own| varied.contains(&own.axis)))
    }

    fn new(name: String, axis: usize, texts: &[String], shown: &[&[usize]]) -> Self {
        let levels = distinct(shown, axis);
        let own: Vec<&str> = levels.iter().map(|&level| texts[level].as_str()).collect();
        let positions = Positions::of(&name, &own);
        let mut at = vec![f64::NAN; texts.len()];
        levels.iter().zip(&positions.at).for_each(|(&level, &own)| at[level] = own);
        Self { axis, at, positions, is_search: false }
    }
}

/// The lines of a frame.
struct LinesFrame {
    heading: Option<String>,
    /// Label, style, and the numbers of its arms.
    lines: Vec<(String, usize, Vec<usize>)>,
}

/// A line for each combination of levels on the other axes; many of them are spread over frames by one more axis.
fn frames(planned: &PlannedRuns, arms: &[Arm], axis: usize) -> Vec<LinesFrame> {
    let plan = &planned.plan;
    let shown: Vec<&[usize]> = arms.iter().map(|arm| &arm.levels[..]).collect();
    let others: Vec<usize> = varied(&shown).into_iter().filter(|&other| other != axis).collect();
    let count = |axes: &[usize]| axes.iter().map(|&other| distinct(&shown, other).len()).product::<usize>();
    let lines = count(&others);
    let many = |other: usize| (lines.div_ceil(count(&[other])) > MAX_LINES, count(&[other]));
    let apart =
        others.iter().copied().filter(|_| lines > MAX_LINES && others.len() > 1).min_by_key(|&other| many(other));
    let own: Vec<usize> = others.into_iter().filter(|&other| Some(other) != apart).collect();
    let key = |levels: &[usize]| own.iter().map(|&other| levels[other]).collect::<Vec<usize>>();
    let mut keys: Vec<Vec<usize>> = Vec::new();
    for levels in all(plan) {
        if !keys.contains(&key(levels)) {
            keys.push(key(levels));
        }
    }
    let words = |key: &[usize]| {
        let there = own.iter().zip(key).filter(|(axis, level)| plan.axes[**axis].absent != Some(**level));
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
        LinesFrame {
            heading: axis.zip(level).map(|(axis, level)| format!("{}: {}", axis.name, axis.levels[level])),
            lines,
        }
    };
    match apart {
        None => vec![frame(None)],
        Some(apart) => distinct(&shown, apart).into_iter().map(|level| frame(Some(level))).collect(),
    }
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
    fn drawing(&self, name: &str, charts: &Charts) -> Result<Drawing, ReportError> {
        let report = self.report;
        report.drawing(
            (name, name),
            chart_shapes::draw(charts, &report.look, &report.metrics),
            |comments| self.csv(comments),
            report.words(&self.caption(), &self.about()).with_caveats(self.caveats()),
        )
    }

    fn charts(&self) -> Charts {
        let panels = self.measures.iter().flat_map(|measure| self.panels(measure)).collect();
        Charts::of(self.report, self.entries(), panels)
    }

    fn entries(&self) -> Vec<(String, Sample)> {
        let mut entries: Vec<(String, Sample)> = Vec::new();
        for (label, style, _) in self.frames.iter().flat_map(|frame| &frame.lines) {
            if entries.iter().all(|(own, _)| own != label) {
                entries.push((label.clone(), Sample::Line(*style)));
            }
        }
        entries
    }

    fn observations(&self, arm: usize, measure: &Measure) -> Vec<Observation> {
        self.shared.observations(&self.aim.samples, arm, measure)
    }

    fn is_measured(&self, arm: usize, measure: &Measure) -> bool {
        !self.observations(arm, measure).is_empty()
    }

    /// Whether some run spends anything of it, or ends elsewhere than at 0.
    fn spends(&self, measure: &Measure) -> bool {
        let spends = |own: &Observation| own.seen().is_some_and(|value| value != 0.0);
        (0..self.report.arms().len()).any(|arm| self.observations(arm, measure).iter().any(spends))
    }

    fn has_median(&self) -> bool {
        let arms = 0..self.report.arms().len();
        arms.into_iter().any(|arm| self.measures.iter().any(|own| self.spread(arm, own).is_some()))
    }

    /// Median with its quartiles; the upper one is none where at most three quarters get there.
    fn spread(&self, arm: usize, measure: &Measure) -> Option<(f64, Option<f64>, Option<f64>)> {
        let own = self.observations(arm, measure);
        let quartile = |q: f64| kaplan_meier_quantile(&own, q);
        kaplan_meier_median(&own).map(|median| (median, quartile(0.25), quartile(0.75)))
    }

    /// k/n: how many runs get there, of those planned, or of the replicates that all arms have.
    fn reached(&self, arm: usize, measure: &Measure) -> String {
        let own = self.observations(arm, measure);
        if own.is_empty() {
            return String::new();
        }
        let reached = own.iter().filter(|own| own.is_reached()).count();
        let of = self.shared.of_planned(self.aim.samples.arms[arm].planned);
        reached_in_short(reached, of, self.shared.degenerate(&self.aim.samples, arm, measure))
    }

    fn at(&self, arm: usize) -> f64 {
        self.across.at[self.report.arms()[arm].levels[self.across.axis]]
    }

    /// A panel per frame.
    fn panels(&self, measure: &Measure) -> Vec<Chart> {
        let arms = 0..self.report.arms().len();
        let medians: Vec<f64> = arms.filter_map(|arm| Some(self.spread(arm, measure)?.0)).collect();
        let (label, unit) = match measure.what {
            Quantity::Error => (format!("final {}", self.aim.samples.error.words()), 1.0),
            what => heading(what, medians.iter().copied().fold(0.0, f64::max)),
        };
        let y_scale = scale_of_all(medians.into_iter());
        let x = self.across.positions.side();
        let panel = |frame: &LinesFrame| {
            let mut chart = Chart {
                heading: frame.heading.clone(),
                x: x.clone(),
                y: Side { label: label.clone(), scale: y_scale, ..Side::default() },
                ..Chart::default()
            };
            for (number, (_, style, arms)) in frame.lines.iter().enumerate() {
                let shift = shift(number, frame.lines.len(), SHIFT, &self.report.look);
                self.line(&mut chart, (*style, arms), measure, (unit, shift));
            }
            chart
        };
        self.frames.iter().map(panel).collect()
    }

    /// Adds the line through the medians of some arms, which is broken where there is none, and their quartiles.
    fn line(&self, chart: &mut Chart, (style, arms): (usize, &[usize]), measure: &Measure, (unit, shift): (f64, f64)) {
        let mut arms: Vec<usize> = arms.iter().copied().filter(|&arm| !self.at(arm).is_nan()).collect();
        arms.sort_by(|&one, &other| self.at(one).total_cmp(&self.at(other)));
        let mut parts: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        let mut intervals = Vec::new();
        for arm in arms {
            let x = self.at(arm);
            let Some((median, low, high)) = self.spread(arm, measure) else {
                if self.is_measured(arm, measure) {
                    chart.strip.push(Beyond { style, x, words: self.reached(arm, measure) });
                }
                parts.push(Vec::new());
                continue;
            };
            if let Some(part) = parts.last_mut() {
                part.push((x, median / unit));
            }
            match (low, high) {
                (Some(low), Some(high)) if low < high => intervals.extend([(x, low / unit), (x, high / unit)]),
                (Some(low), None) => {
                    intervals.extend([(x, low / unit), (x, f64::INFINITY)]);
                    // Room for the arrowhead.
                    chart.y.holds.push(1.1 * median / unit);
                }
                _ => {}
            }
        }
        let form = if self.across.is_search { Form::Dots } else { Form::Marked };
        let shapes = std::iter::once((Form::Intervals, intervals)).chain(parts.into_iter().map(|part| (form, part)));
        let shapes = shapes.filter(|(_, points)| !points.is_empty());
        chart.shapes.extend(shapes.map(|(form, points)| Shape { shift, ..Shape::new(style, form, points) }));
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
                let (median, low, high) = match self.spread(number, measure) {
                    Some((median, low, high)) => (Some(median), low, high),
                    None => (None, None, None),
                };
                table.cell(measure.what.name())?;
                table.cell(&arm.label)?;
                table.cell(level)?;
                [median, low, high].into_iter().try_for_each(|value| table.cell(Float(value)))?;
                table.row(&[&self.reached(number, measure)])?;
            }
        }
        table.into_text()
    }

    fn caption(&self) -> String {
        let axis = &self.across.positions.label;
        let over = self.shared.words("all arms");
        match self.aim.words() {
            Some(target) => format!(
                "What it takes to get to {target}, over {axis}: medians and quartiles over {over}{}.",
                if self.is_censored() {
                    "; above the frame: arms without a median, with k of n runs that get \
                    there"
                } else {
                    ""
                }
            ),
            None => format!("What the runs have spent at their ends, over {axis}: medians and quartiles over {over}."),
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        let arms: Vec<usize> = (0..self.report.arms().len()).collect();
        self.shared.caveats(&self.aim.samples, &arms, &self.measures)
    }

    /// Whether some arm has no median.
    fn is_censored(&self) -> bool {
        let arms = 0..self.report.arms().len();
        arms.flat_map(|arm| self.measures.iter().map(move |own| (arm, own)))
            .any(|(arm, own)| self.is_measured(arm, own) && self.spread(arm, own).is_none())
    }

    fn about(&self) -> String {
        let mut text = self.caption();
        if self.aim.target.is_some() {
            text.push_str(
                " A run that ends before it gets there counts as more than all that do, as does one that failed or \
                 whose fit is degenerate (deg.). Where not more than half of the runs get there, there is no median; \
                 where not more than three quarters do, no upper quartile (an arrowhead at the \
                 frame). A lower quartile of 0 has no place on a logarithmic axis (an arrowhead at its lower end).",
            );
        }
        if self.frames.iter().any(|frame| frame.lines.len() > 1) {
            text.push_str(
                " Lines are shifted slightly to the right and to the left, so that quartiles stand side by side.",
            );
        }
        if !self.across.positions.is_number {
            text.push_str(" The levels are no numbers that differ in one place: they stand side by side.");
        }
        let nowhere = self.report.arms().iter().enumerate().filter(|(arm, _)| self.at(*arm).is_nan());
        text += &not_shown("no value there", nowhere.map(|(_, arm)| arm.label.as_str()));
        let measure = self.measures.first();
        let silent = self.report.arms().iter().enumerate();
        let silent = silent.filter(|(arm, _)| measure.is_some_and(|own| !self.is_measured(*arm, own)));
        text += &not_shown("not measured it", silent.map(|(_, arm)| arm.label.as_str()));
        let without = (0..self.report.arms().len()).filter_map(|arm| {
            let own = measure.filter(|own| self.spread(arm, own).is_none() && self.is_measured(arm, own))?;
            Some(format!("{} {}", self.report.arms()[arm].label, self.reached(arm, own)))
        });
        let without: Vec<String> = without.collect();
        match without.is_empty() {
            true => text,
            false => format!("{text} Arms without a median, and their runs that get there: {}.", without.join("; ")),
        }
    }
}
