//! A race of arms: after how many replicates each was dropped and why, and its cost beside the leader's then.

use crate::axes::{Scale, range};
use crate::decision::{Decided, Place, reason};
use crate::error::ReportError;
use crate::layout::{BoxStyle, Form, Grid, PLAIN, Panel, Shape, Side, WordColumn, rows_of_page};
use crate::report::{BuiltinKind, Drawing, Report};
use crate::rows::{FigureRows, cells, number};
use crate::style::{BLACK, LineStyle, Rgb};
use fedbits_figures::RaceFigure;
use fedbits_record::RecordError;
use fedbits_record::results::{DecisionLook, DecisionStanding};
use fedbits_spec::so_many;

/// Arms that have a row of their own, where nothing says how many.
const ROWS: u32 = 15;
/// From row to row, in sizes of tick labels, and half the height of a bar in rows.
const PITCH: f64 = 1.55;
const HALF: f64 = 0.2;
/// Up to this many replicates each has a tick.
const MOST_TICKS: u64 = 6;
/// A bound is shown up to this many times the extent of the means away from them.
const FARTHEST: f64 = 1.0;
const PALE: Rgb = (0x8C, 0x8C, 0x8C);

pub(crate) const KIND: BuiltinKind = BuiltinKind {
    name: "race",
    title: "when and why a race dropped each arm, and its cost beside the leader's",
    needs: "a scenario with `search: Race(…)` that has had a look",
    draw: |report| draw(report, &RaceFigure::default()),
};

/// The figure; none of what is no race, or has had no look.
pub(crate) fn draw(report: &Report<'_>, setting: &RaceFigure) -> Result<Vec<Drawing>, ReportError> {
    let decided = Decided::of_report(&report.collected).filter(|decided| !decided.decision.looks.is_empty());
    let Some(decided) = decided else { return Ok(Vec::new()) };
    let room = rows_of_page(PITCH, &report.look).saturating_sub(1).max(1);
    let wanted = (setting.rows.unwrap_or(ROWS) as usize).min(room);
    let shown = |arm: usize| {
        let shown = report.arms().iter().find(|shown| shown.name == decided.name(arm))?;
        Some((arm, shown.label.clone()))
    };
    let arms: Vec<(usize, String)> = decided.order().into_iter().filter_map(shown).collect();
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    // A row for one arm alone says more than a row for the rest.
    let single = if arms.len() <= wanted + 1 { arms.len() } else { wanted };
    let mut rows: Vec<RaceRow> = arms[..single].iter().map(|arm| row(&decided, arm)).collect();
    rows.extend(rest(&decided, &arms[single..]));
    let objective = &decided.search.objective;
    let page = RacePage {
        rows: &rows,
        replicates: decided.plan.replicates,
        has_ratios: objective.has_ratios(),
        bound: match decided.search.margin {
            margin if objective.has_ratios() => 1.0 / (1.0 + margin),
            margin if objective.grows() => margin,
            margin => -margin,
        },
    };
    let caption = caption(&decided, &page);
    let rest = if single < arms.len() { " The last row is of several arms; the CSV has each." } else { "" };
    let words = report.words(&caption, &format!("{caption}{rest} {}", decided.sentences().join(" ")));
    Ok(vec![report.figure(("race", "race"), page.grid(), &table(&decided)?, words)?])
}

struct RaceRow {
    label: String,
    /// Replicates that it had.
    after: u64,
    /// How the race ended for it, and whether it is out of the race.
    ending: (&'static str, bool),
    /// Its cost beside the leader's, and the bound that decides.
    mean: Option<f64>,
    bound: Option<f64>,
}

struct RacePage<'a> {
    rows: &'a [RaceRow],
    /// Those that every arm could have had.
    replicates: u64,
    /// Whether costs are compared by ratios, or by differences.
    has_ratios: bool,
    /// Where the margin ends.
    bound: f64,
}

impl RacePage<'_> {
    fn grid(&self) -> Grid {
        let labels: Vec<String> = self.rows.iter().map(|row| row.label.clone()).collect();
        let y = || Side { pitch: PITCH, ..Side::of_names("", labels.clone()) };
        let ticks = if self.replicates > MOST_TICKS { 0..0 } else { 0..self.replicates + 1 };
        let lives = Side {
            tight: true,
            holds: vec![0.0, self.replicates as f64],
            ticks: ticks.map(|tick| (tick as f64, tick.to_string())).collect(),
            ..Side::new("replicates")
        };
        let words = self.rows.iter().map(|row| row.ending.0.to_owned()).collect();
        let endings = WordColumn { heading: String::new(), words };
        Grid {
            panels: vec![
                Panel::new(lives, y(), self.lives()),
                Panel { beside: vec![endings], ..Panel::new(self.costs(), y(), self.ratios()) },
            ],
            columns: Some(2),
            ..Grid::default()
        }
    }

    /// How many replicates each arm had.
    fn lives(&self) -> Vec<Shape> {
        let bar = |(number, row): (usize, &RaceRow)| {
            let filling = BoxStyle { color: if row.ending.1 { PALE } else { BLACK }, hatch: PLAIN, cover: 1.0 };
            let corners = vec![(0.0, number as f64 - HALF), (row.after as f64, number as f64 + HALF)];
            Shape::new(LineStyle::INK, Form::Boxes(filling), corners)
        };
        self.rows.iter().enumerate().map(bar).collect()
    }

    /// The cost of each arm beside the leader's, with the bound that decides.
    fn ratios(&self) -> Vec<Shape> {
        let (mut means, mut bounds) = (Vec::new(), Vec::new());
        let rows = self.rows.iter().enumerate();
        for (row, mean, bound) in rows.map(|(number, row)| (number as f64, row.mean, row.bound)) {
            means.extend(mean.map(|mean| (mean, row)));
            let ends = mean.zip(bound).map(|(mean, bound)| [(mean.min(bound), row), (mean.max(bound), row)]);
            bounds.extend(ends.into_iter().flatten());
        }
        let rule = |look: LineStyle, at: f64| Shape::new(look, Form::Upright, vec![(at, 0.0)]).sized(0.8);
        vec![
            rule(LineStyle::REFERENCE.solid(), self.equal()),
            rule(LineStyle::REFERENCE, self.bound),
            Shape::new(LineStyle::INK, Form::Intervals, bounds),
            Shape::new(LineStyle::INK, Form::Dots { hollow: false }, means).sized(0.9),
        ]
    }

    /// The axis shows all means, and bounds that are not far from them.
    fn costs(&self) -> Side {
        let scaled = |value: f64| if self.has_ratios { libm::log(value) } else { value };
        let back = |value: f64| if self.has_ratios { libm::exp(value) } else { value };
        let means = self.rows.iter().filter_map(|row| row.mean).chain([self.equal(), self.bound]).map(scaled);
        let (low, high) = range(means);
        let far = FARTHEST * (high - low).max(f64::MIN_POSITIVE);
        let bounds = self.rows.iter().filter_map(|row| row.bound).map(scaled);
        let (least, most) = range(bounds.map(|bound| bound.clamp(low - far, high + far)).chain([low, high]));
        let (label, scale) = match self.has_ratios {
            true => ("ratio to the leader", Scale::Log),
            false => ("difference to the leader", Scale::Linear),
        };
        Side { scale, window: [back(least), back(most)].map(Some), ..Side::new(label) }
    }

    /// Where an arm costs what the leader does.
    fn equal(&self) -> f64 {
        if self.has_ratios { 1.0 } else { 0.0 }
    }
}

fn row(decided: &Decided<'_>, &(arm, ref label): &(usize, String)) -> RaceRow {
    let standing = decided.beside_leader(arm);
    let last = decided.decision.looks.last();
    let leads = last.is_some_and(|look| look.leader == arm);
    let reached = last.map_or(0, |look| look.replicates);
    let (after, ending) = match decided.place(arm) {
        Place::Dropped(after, why) => (after, (reason(why), true)),
        // No run of it reached the target and kept to the constraints.
        Place::Infeasible => (reached, ("infeasible", true)),
        _ => (reached, (if leads { "leads" } else { "left" }, false)),
    };
    RaceRow {
        label: label.clone(),
        after,
        ending,
        mean: standing.and_then(|standing| standing.mean),
        bound: standing.and_then(|standing| standing.low),
    }
}

/// All others as one; none where there are none.
fn rest(decided: &Decided<'_>, arms: &[(usize, String)]) -> Option<RaceRow> {
    let looks = arms.iter().filter_map(|(arm, _)| Some(decided.last(*arm)?.0.replicates));
    let label = so_many(arms.len(), "more arm");
    let dropped = arms.iter().filter(|(arm, _)| matches!(decided.place(*arm), Place::Dropped(..))).count();
    let ending = match dropped {
        0 => ("left", false),
        all if all == arms.len() => ("dropped", true),
        _ => ("some left", false),
    };
    Some(RaceRow { label, after: looks.max()?, ending, mean: None, bound: None })
}

fn caption(decided: &Decided<'_>, page: &RacePage<'_>) -> String {
    let (objective, compared) = (decided.search.objective.name(), if page.has_ratios { "ratio" } else { "difference" });
    format!(
        "A race by {objective}: replicates of each arm (grey: it is out of the race), and the {compared} of its cost \
         to the leader's with the bound that decides. Beyond the dashed line, where the margin ends, an arm is dropped."
    )
}

/// A tidy table: a row per look and arm that was held against the leader there.
fn table(decided: &Decided<'_>) -> Result<FigureRows, RecordError> {
    let row = |look: &DecisionLook, standing: &DecisionStanding| {
        let [leader, arm] = [look.leader, standing.arm].map(|arm| decided.name(arm));
        let [mean, low] = [standing.mean, standing.low].map(number);
        cells![look.replicates, leader, arm, mean, low, standing.pairs, standing.dropped.map_or("", reason)]
    };
    let looks = decided.decision.looks.iter();
    let rows = looks.flat_map(|look| look.standings.iter().map(move |standing| row(look, standing)));
    FigureRows::new(&["replicates", "leader", "arm", "mean", "bound", "pairs", "dropped"], rows)
}
