//! The share of runs that have reached a target, against what that costs, with strokes where runs end that do not get
//! there.

use super::aim::Aim;
use super::facets::{ArmsFrame, entries};
use super::units::heading;
use crate::axes::{Scale, scale};
use crate::compare::{Measure, Observation, Quantity, Reached, reached_of};
use crate::data::Arm;
use crate::error::ReportError;
use crate::layout::{Form, Grid, Markers, Panel, Shape, Side};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::style::LineStyle;
use crate::words::not_shown;
use fedbits_figures::ReachFigure;
use fedbits_record::{Float, RecordError, Table};

/// Of fewer runs a share says too little for a figure that nobody asked for.
const FEWEST: usize = 3;

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "reach",
    title: "the share of runs that have reached a target, against bits and time",
    needs: "a target or a stop rule for ‖h(Ŝ)‖², three replicates or more",
    draw: |report| match report.arms().iter().any(|arm| arm.runs.len() >= FEWEST) {
        true => draw(report, &ReachFigure::default()),
        false => Ok(Vec::new()),
    },
};

/// The figure; one per cost where the arms are spread over panels. None where runs have no target.
pub(crate) fn draw(report: &Report<'_>, setting: &ReachFigure) -> Result<Vec<Drawing>, ReportError> {
    let aim = Aim::of(report, setting.target.as_ref())?;
    let Some(target) = aim.words() else { return Ok(Vec::new()) };
    let measures = aim.measures(&setting.costs);
    let figure = Shares { report, frames: report.frames(), aim, target };
    if figure.frames.len() == 1 {
        return Ok(vec![figure.drawing("reach", &measures)?]);
    }
    let each = measures.chunks(1).map(|chunk| figure.drawing(&format!("reach-{}", chunk[0].what.name()), chunk));
    each.collect()
}

struct Shares<'a> {
    report: &'a Report<'a>,
    frames: Vec<ArmsFrame>,
    aim: Aim<'a>,
    target: String,
}

impl Shares<'_> {
    fn drawing(&self, name: &str, measures: &[Measure]) -> Result<Drawing, ReportError> {
        let report = self.report;
        let panels = measures.iter().flat_map(|measure| self.panels(measure)).collect();
        let is_shown = |arm: usize| measures.iter().any(|measure| !self.aim.observations(arm, measure).is_empty());
        let grid = Grid { entries: entries(&self.frames, is_shown), panels, ..Grid::default() };
        let words = report.words(&self.caption(measures), &self.about(measures)).with_caveats(self.aim.caveats());
        report.figure((name, name), grid, |comments| self.csv(measures, comments), words)
    }

    /// What stands on the axis of a measure.
    fn values(&self, measure: &Measure) -> Vec<f64> {
        let arms = self.frames.iter().flat_map(|frame| &frame.arms);
        arms.flat_map(|(arm, ..)| self.aim.observations(*arm, measure)).filter_map(|run| run.seen()).collect()
    }

    /// A panel per frame of arms.
    fn panels(&self, measure: &Measure) -> Vec<Panel> {
        let values = self.values(measure);
        let end = values.iter().copied().fold(0.0, f64::max);
        let (label, unit) = heading(measure.what, end);
        let scale = scale(values.iter().copied());
        let has_place = |value: &f64| scale == Scale::Linear || *value > 0.0;
        let start = values.into_iter().filter(has_place).fold(f64::INFINITY, f64::min);
        let panel = |frame: &ArmsFrame| {
            let shapes = frame.arms.iter().flat_map(|(arm, _, style)| {
                let observations = self.aim.observations(*arm, measure);
                // An arm that was not measured has no line.
                if observations.is_empty() {
                    return Vec::new();
                }
                let reached = Reached::of(&observations);
                // What is known of runs that failed is known everywhere: their line goes on to the right end.
                let end = has_failed(&observations).then_some(end);
                let in_unit = |points: &[(f64, f64)]| points.iter().map(|&(x, y)| (x / unit, y)).collect::<Vec<_>>();
                let look = LineStyle::of(*style);
                let ended = Shape::new(look, Form::Strokes, in_unit(&reached.ended));
                let line = Form::Line(Markers::Spaced(*style));
                vec![Shape::new(look, line, in_unit(&stairs(&reached, start, end))), ended]
            });
            Panel {
                heading: frame.heading.clone(),
                x: Side { scale, ..Side::new(&label) },
                y: Side { holds: vec![0.0, 1.0], tight: true, ..Side::new("share of runs") },
                shapes: shapes.collect(),
                ..Panel::default()
            }
        };
        self.frames.iter().map(panel).collect()
    }

    /// A tidy table: after each value at which a run of the arm gets there, or ends, the share that has got there;
    /// last, without a value, where runs failed before.
    fn csv(&self, measures: &[Measure], comments: &[String]) -> Result<String, RecordError> {
        let mut table = Table::in_memory(comments, &["measure", "arm", "value", "share", "runs"])?;
        for measure in measures {
            for (number, arm) in self.report.arms().iter().enumerate() {
                let observations = self.aim.observations(number, measure);
                let Reached { steps, ended } = Reached::of(&observations);
                let last = steps.last().map_or(0.0, |step| step.1);
                let reach = steps.into_iter().map(|(value, share)| (Some(value), share, "reach"));
                let end = ended.into_iter().map(|(value, share)| (Some(value), share, "end"));
                let fail = has_failed(&observations).then_some((None, last, "fail"));
                for (value, share, what) in reach.chain(end).chain(fail) {
                    table.row(&[&measure.what.name(), &arm.label, &Float(value), &Float(Some(share)), &what])?;
                }
            }
        }
        table.into_text()
    }

    fn caption(&self, measures: &[Measure]) -> String {
        let mut arms = 0..self.report.arms().len();
        let failed = arms.any(|arm| measures.iter().any(|measure| has_failed(&self.aim.observations(arm, measure))));
        let failed = match failed {
            true => "; runs that failed or ended with a degenerate fit count as never there",
            false => "",
        };
        format!(
            "Share of the runs that have got to {}, against what it took (strokes: runs that ended before they got \
             there{failed}).",
            self.target
        )
    }

    fn about(&self, measures: &[Measure]) -> String {
        let is_measured =
            |(arm, _): &(usize, &Arm)| measures.iter().any(|measure| !self.aim.observations(*arm, measure).is_empty());
        let (shown, without): (Vec<_>, Vec<_>) = self.report.arms().iter().enumerate().partition(is_measured);
        let count = |(number, arm): (usize, &Arm)| {
            let measure = Measure { target: self.aim.target, what: Quantity::Rounds };
            let [reached, planned, _] = self.aim.reached(number, &measure);
            format!("{} {}", arm.label, reached_of(reached, planned, self.aim.samples.arms[number].degenerate()))
        };
        let counts: Vec<String> = shown.into_iter().map(count).collect();
        let without = without.into_iter().map(|(_, arm)| arm.label());
        let is_free = |run: &Observation| run.is_reached() && run.value <= 0.0;
        let logarithmic = measures.iter().filter(|measure| scale(self.values(measure).into_iter()) == Scale::Log);
        let mut all = logarithmic.flat_map(|measure| (0..self.report.arms().len()).map(move |arm| (arm, measure)));
        let free = match all.any(|(arm, measure)| self.aim.observations(arm, measure).iter().any(is_free)) {
            true => {
                " What is there at no cost has no place on a logarithmic axis: there a line begins at its share at 0."
            }
            false => "",
        };
        format!(
            "{} A run that ends before needs more; one that failed or whose fit is degenerate never gets there, and \
             the line of its arm goes on at its share.{free} Runs that get there, of those planned: \
             {}.{}",
            self.caption(measures),
            counts.join("; "),
            not_shown("not measured it", without)
        )
    }
}

/// Has some run failed, or ended with a degenerate fit?
fn has_failed(observations: &[Observation]) -> bool {
    observations.iter().any(|run| run.seen().is_none())
}

/// The line of an estimate: from the share that is there at no cost, at the start, in steps, on to where the last run
/// ends, or to a given end.
fn stairs(reached: &Reached, start: f64, end: Option<f64>) -> Vec<(f64, f64)> {
    let (free, steps): (Vec<_>, Vec<_>) = reached.steps.iter().copied().partition(|step| step.0 <= 0.0);
    let mut share = free.last().map_or(0.0, |step| step.1);
    let mut line = vec![(start, share)];
    for (value, next) in steps {
        line.extend([(value, share), (value, next)]);
        share = next;
    }
    let last = end.map(|end| (end, share)).or(reached.ended.last().copied());
    line.extend(last.filter(|end| line.last().is_some_and(|last| last.0 < end.0)));
    line
}

#[cfg(test)]
mod tests {
    use super::stairs;
    use crate::compare::{CostEnd, Observation, Reached};

    /// Of ten runs three are there at no cost: the line begins at 0.3, wherever the axis does, and at 0 where none is.
    #[test]
    fn a_line_begins_at_what_is_there_at_no_cost() {
        let reached = |free: usize| {
            let value = |run: usize| if run < free { 0.0 } else { 10.0 + run as f64 };
            let all: Vec<Observation> = (0..10)
                .map(|run| Observation {
                    value: value(run),
                    end: if run < 4 { CostEnd::Reached } else { CostEnd::Missed },
                })
                .collect();
            stairs(&Reached::of(&all), 2.0, None)
        };
        assert_eq!(reached(3)[..2], [(2.0, 0.3), (13.0, 0.3)].map(|(x, y): (f64, f64)| (x, 1.0 - (1.0 - y))));
        assert_eq!(reached(0)[..2], [(2.0, 0.0), (10.0, 0.0)]);
        // The others end, and nobody gets there later.
        assert_eq!(reached(4), [(2.0, 0.4), (19.0, 0.4)]);
    }
}
