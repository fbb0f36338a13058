//! The share of runs that have reached a target, against what that costs, with strokes where runs end that do not get
//! there.

use super::aim::{Aim, ArmsCost};
use super::facets::{ArmsFrame, entries, share_panels};
use super::units::{AxisWords, heading};
use crate::axes::{Scale, scale};
use crate::compare::{ArmOutcome, Measure, Quantity, Reached, reached_of};
use crate::error::ReportError;
use crate::layout::{Form, Grid, Markers, Panel, Shape, Side};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::LineStyle;
use crate::words::not_shown;
use fedbits_figures::ReachFigure;
use fedbits_record::RecordError;

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
    let costs = aim.costs(&setting.costs);
    let figure = Shares { report, frames: report.frames(), aim, target };
    if figure.frames.len() == 1 {
        return Ok(vec![figure.drawing("reach", &costs)?]);
    }
    let each = costs.chunks(1).map(|cost| figure.drawing(&format!("reach-{}", cost[0].measure.what.name()), cost));
    each.collect()
}

struct Shares<'a> {
    report: &'a Report<'a>,
    frames: Vec<ArmsFrame>,
    aim: Aim<'a>,
    target: String,
}

impl Shares<'_> {
    fn drawing(&self, name: &str, costs: &[ArmsCost]) -> Result<Drawing, ReportError> {
        let panels = costs.iter().flat_map(|cost| self.panels(cost)).collect();
        let is_shown = |arm: usize| costs.iter().any(|cost| cost.arms[arm].is_measured());
        let grid = Grid { entries: entries(&self.frames, is_shown), panels, ..Grid::default() };
        let words = [self.caption(costs), self.about(costs)];
        let words = self.report.words(&words[0], &words[1]).with_caveats(self.aim.caveats());
        self.report.figure((name, name), grid, &self.rows(costs)?, words)
    }

    /// A panel per frame of arms.
    fn panels(&self, cost: &ArmsCost) -> Vec<Panel> {
        let end = cost.seen().fold(0.0, f64::max);
        let AxisWords { label, unit, .. } = heading(cost.measure.what, end);
        let scale = scale(cost.seen());
        let has_place = |value: &f64| scale == Scale::Linear || *value > 0.0;
        let start = cost.seen().filter(has_place).fold(f64::INFINITY, f64::min);
        let shapes = |arm: usize, style: usize| {
            let arm = &cost.arms[arm];
            // An arm that was not measured has no line.
            if !arm.is_measured() {
                return Vec::new();
            }
            let reached = Reached::of(&arm.runs);
            // What is known of runs that failed is known everywhere: their line goes on to the right end.
            let line = stairs(&reached, start, has_failed(arm).then_some(end));
            let shape = |form, points: &[(f64, f64)]| {
                Shape::new(LineStyle::of(style), form, points.iter().map(|&(x, y)| (x / unit, y)).collect())
            };
            vec![shape(Form::Line(Markers::Spaced(style)), &line), shape(Form::Strokes, &reached.ended)]
        };
        share_panels(&self.frames, &Side { scale, ..Side::new(&label) }, "share of runs", shapes)
    }

    /// A tidy table: after each value at which a run of the arm gets there, or ends, the share that has got there;
    /// last, without a value, where runs failed before.
    fn rows(&self, costs: &[ArmsCost]) -> Result<FigureRows, RecordError> {
        let of_arm = |cost: &ArmsCost, at: usize| {
            let Reached { steps, ended } = Reached::of(&cost.arms[at].runs);
            let last = steps.last().map_or(0.0, |step| step.1);
            let reach = steps.into_iter().map(|(value, share)| (Some(value), share, "reach"));
            let end = ended.into_iter().map(|(value, share)| (Some(value), share, "end"));
            let fail = has_failed(&cost.arms[at]).then_some((None, last, "fail"));
            let (what, label) = (cost.measure.what.name(), &self.report.arms()[at].label);
            let row = |(value, share, runs): (Option<f64>, f64, &str)| {
                cells![what, label, number(value), number(share), runs]
            };
            reach.chain(end).chain(fail).map(row).collect::<Vec<_>>()
        };
        let count = self.report.arms().len();
        let rows = costs.iter().flat_map(|cost| (0..count).flat_map(move |arm| of_arm(cost, arm)));
        FigureRows::new(&["measure", "arm", "value", "share", "runs"], rows)
    }

    fn caption(&self, costs: &[ArmsCost]) -> String {
        let failed = match costs.iter().flat_map(|cost| &cost.arms).any(has_failed) {
            true => "; runs that failed or ended with a degenerate fit count as never there",
            false => "",
        };
        format!(
            "Share of the runs that have got to {}, against what it took (strokes: runs that ended before they got \
             there{failed}).",
            self.target
        )
    }

    fn about(&self, costs: &[ArmsCost]) -> String {
        let is_measured = |arm: &usize| costs.iter().any(|cost| cost.arms[*arm].is_measured());
        let (shown, without): (Vec<usize>, Vec<usize>) = (0..self.report.arms().len()).partition(is_measured);
        let rounds = self.aim.of_arms(Measure { target: self.aim.target, what: Quantity::Rounds });
        let label = |arm: usize| self.report.arms()[arm].label();
        let count = |arm: usize| {
            let [reached, planned, _] = rounds.arms[arm].counts();
            let degenerate = self.aim.samples.arms[arm].degenerate();
            format!("{} {}", label(arm), reached_of(reached, planned, degenerate))
        };
        let mut logarithmic = costs.iter().filter(|cost| scale(cost.seen()) == Scale::Log);
        let free = match logarithmic.any(|cost| cost.arms.iter().any(ArmOutcome::has_free)) {
            true => {
                " What is there at no cost has no place on a logarithmic axis: there a line begins at its share at 0."
            }
            false => "",
        };
        format!(
            "{} A run that ends before needs more; one that failed or whose fit is degenerate never reaches it, and \
             the line of its arm goes on at its share.{free} Runs that reach it, of those planned: \
             {}.{}",
            self.caption(costs),
            shown.into_iter().map(count).collect::<Vec<_>>().join("; "),
            not_shown("not measured it", without.into_iter().map(label))
        )
    }
}

/// Has some run failed, or ended with a degenerate fit?
fn has_failed(arm: &ArmOutcome) -> bool {
    arm.runs.iter().any(|run| run.seen().is_none())
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
