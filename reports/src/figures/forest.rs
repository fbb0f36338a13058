//! Every arm against a baseline: paired ratios with 95 % intervals on logarithmic axes, a row per arm and a panel per
//! cost. Its numbers are those of [`crate::compare`].

use super::aim::{Aim, Ratio, measures, without_ratio};
use super::units::{WORDS, axis_of};
use crate::axes::{Scale, range};
use crate::compare::{Measure, Quantity, reached_in_short, short_form};
use crate::error::ReportError;
use crate::layout::{Form, Grid, Panel, Shape, Side, WordColumn, pages_of_rows};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells};
use crate::style::{LineStyle, WHITE};
use crate::words::naming;
use fedbits_figures::{Forest, ForestOrder};
use fedbits_record::RecordError;

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
    let forest = ForestFigure::of(report, aim, setting);
    if forest.known().next().is_none() {
        return Ok(Vec::new());
    }
    let pages = pages_of_rows(forest.order.len(), |rows| forest.grid(&forest.order[rows]), &report.look);
    let words = [forest.caption(), forest.about()];
    report.parts(("forest", true), pages, &forest.rows()?, words, &forest.aim.caveats())
}

struct ForestFigure<'a> {
    report: &'a Report<'a>,
    aim: Aim<'a>,
    /// With the ratio of each arm.
    costs: Vec<(Measure, Vec<Ratio>)>,
    /// The numbers of the arms, from above.
    order: Vec<usize>,
    /// What was measured, and what nobody can be divided by.
    left_out: Vec<Measure>,
}

impl<'a> ForestFigure<'a> {
    fn of(report: &'a Report<'_>, aim: Aim<'a>, setting: &Forest) -> Self {
        // Nobody can be divided by a baseline that spends nothing, or ends below 0.
        let seen = |measure: &Measure| aim.samples.observations(aim.samples.baseline, measure);
        let divides = |measure: &Measure| seen(measure).values().any(|run| run.seen() > Some(0.0));
        let measures = measures(&aim.samples, aim.target, &setting.costs).into_iter();
        let (measures, mut left_out): (Vec<_>, Vec<_>) = measures.partition(divides);
        left_out.retain(|measure| !seen(measure).is_empty());
        let costs: Vec<(Measure, Vec<Ratio>)> =
            measures.iter().map(|measure| (measure.clone(), aim.ratios(measure))).collect();
        let mut order: Vec<usize> = (0..report.arms().len()).collect();
        if setting.order == ForestOrder::Ratio {
            let first = |arm: usize| costs.first().and_then(|(_, ratios)| ratios[arm].mean()).unwrap_or(f64::INFINITY);
            order.sort_by(|&one, &next| first(one).total_cmp(&first(next)));
        }
        Self { report, aim, costs, order, left_out }
    }

    /// The ratios that there are.
    fn known(&self) -> impl Iterator<Item = &Ratio> {
        let ratios = self.costs.iter().flat_map(|(_, ratios)| ratios);
        ratios.filter(|ratio| matches!(ratio, Ratio::Known { .. }))
    }

    /// How many runs of an arm get there, of how many, and how many have a degenerate fit.
    fn reached(&self, arm: usize) -> [usize; 3] {
        let of = |(measure, _): &(Measure, _)| self.aim.shared.outcome(&self.aim.samples, arm, measure).counts();
        self.costs.first().map(of).unwrap_or_default()
    }

    fn heading(&self, measure: &Measure) -> String {
        let error = || format!("{} at the end", self.aim.samples.error.words());
        axis_of(measure.what).map_or_else(error, |x| WORDS[x as usize][1].to_owned())
    }

    /// The panels of some arms; the axes are those of all.
    fn grid(&self, arms: &[usize]) -> Grid {
        let names: Vec<String> = arms.iter().map(|&arm| self.report.arms()[arm].label.clone()).collect();
        let panel = |(place, (measure, ratios)): (usize, &(Measure, Vec<Ratio>))| {
            let ((least, most), is_cut) = limits(ratios);
            let window = if is_cut { [Some(least), Some(most)] } else { [None; 2] };
            let label = format!("{}, ratio", self.heading(measure));
            let x = Side { scale: Scale::Log, holds: vec![least, most], window, ..Side::new(&label) };
            let beside = if place + 1 == self.costs.len() { self.counts(arms) } else { Vec::new() };
            Panel { beside, ..Panel::new(x, Side::of_names("", names.clone()), shapes(ratios, arms)) }
        };
        Grid { panels: self.costs.iter().enumerate().map(panel).collect(), ..Grid::default() }
    }

    /// How many pairs and runs the ratios are made of; what has none says why.
    fn counts(&self, arms: &[usize]) -> Vec<WordColumn> {
        let pairs = |&arm: &usize| {
            let mut ratios = self.costs.iter().map(|(_, ratios)| ratios[arm]);
            match ratios.clone().find(|ratio| matches!(ratio, Ratio::Known { .. })).or(ratios.next()) {
                Some(Ratio::Known { pairs, .. }) => pairs.to_string(),
                ratio => ratio.map(|ratio| ratio.words()).unwrap_or_default(),
            }
        };
        let reached = |&arm: &usize| reached_in_short(self.reached(arm));
        let column = |heading: &str, words: Vec<String>| WordColumn { heading: heading.to_owned(), words };
        let reached = self.aim.target.map(|_| column("k/n", arms.iter().map(reached).collect()));
        [column("pairs", arms.iter().map(pairs).collect())].into_iter().chain(reached).collect()
    }

    /// A tidy table: measure and arm, ratio with its interval, pairs, how many reach the target.
    fn rows(&self) -> Result<FigureRows, RecordError> {
        let header = ["measure", "arm", "ratio", "low", "high", "pairs", "pairs_of"];
        let counts = ["reached", "degenerate", "runs", "why_none"];
        let row = |(measure, ratios): &(Measure, Vec<Ratio>), arm: usize| {
            let ((ratio, why), [reached, of, degenerate]) = (ratios[arm].cells(), self.reached(arm));
            let start = cells![measure.what.name(), self.report.arms()[arm].name];
            [start, ratio, cells![reached, degenerate, of, why]].concat()
        };
        let rows = self.costs.iter().flat_map(|cost| self.order.iter().map(move |&arm| row(cost, arm)));
        FigureRows::new(&[&header[..], &counts].concat(), rows)
    }

    fn caption(&self) -> String {
        let baseline = self.aim.baseline();
        let has_crosses = self.known().any(|ratio| ratio.interval().is_none());
        let crosses = if has_crosses { "; grey crosses: fewer than three pairs" } else { "" };
        match self.aim.words() {
            Some(target) => format!(
                "Cost of reaching {target}, divided by that of {baseline}: geometric means over replicates in which \
                 both reach it (pairs), with 95 % intervals. Filled: the interval excludes 1{crosses}; k/n: runs that \
                 reach it{}.",
                short_form(self.order.iter().map(|&arm| self.reached(arm)[2]).sum())
            ),
            None => {
                let has_error = self.costs.iter().any(|(measure, _)| measure.what == Quantity::Error);
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
        if self.costs.iter().any(|(_, ratios)| limits(ratios).1) {
            text.push_str(" An arrowhead at an interval: it goes on beyond the axis; the CSV has its end.");
        }
        let ratios = |arm: usize| self.costs.iter().map(|(_, ratios)| ratios[arm]).collect::<Vec<_>>();
        let arms = self.order.iter().map(|&arm| (self.report.arms()[arm].name.as_str(), ratios(arm)));
        text += &without_ratio(&arms.collect::<Vec<_>>());
        let left_out = self.left_out.iter().map(|measure| self.heading(measure));
        text + &naming(&format!("Not shown, as no value of {} is above 0", self.aim.baseline()), left_out)
    }
}

/// The least and the most that the axis of these ratios shows, and whether an interval goes on beyond it.
fn limits(ratios: &[Ratio]) -> ((f64, f64), bool) {
    let (least, most) = range(ratios.iter().filter_map(Ratio::mean).chain([1.0]));
    let ends = ratios.iter().filter_map(Ratio::interval).flat_map(|(low, high)| [low, high]);
    let (low, high) = range(ends.chain([least, most]));
    let limits = (low.max(least / FARTHEST), high.min(most * FARTHEST));
    (limits, limits != (low, high))
}

/// Filled markers where the interval excludes 1, hollow ones where not, and grey crosses without an interval.
fn shapes(ratios: &[Ratio], arms: &[usize]) -> Vec<Shape> {
    let (mut intervals, mut filled, mut hollow, mut crosses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, ratio) in arms.iter().enumerate().map(|(row, &arm)| (row as f64, ratios[arm])) {
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
    vec![
        Shape::new(LineStyle::REFERENCE, Form::Upright, vec![(1.0, 0.0)]).sized(0.8),
        Shape::new(LineStyle::INK, Form::Intervals, intervals),
        Shape::new(LineStyle::INK, Form::Dots { hollow: false }, filled).sized(MARKER),
        // No interval goes through a hollow one.
        Shape::new(paper, Form::Dots { hollow: false }, hollow.clone()).sized(MARKER),
        Shape::new(LineStyle::INK, Form::Dots { hollow: true }, hollow).sized(MARKER),
        Shape::new(grey, Form::Crosses, crosses).sized(MARKER),
    ]
}
