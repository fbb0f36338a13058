//! A race of arms: after how many replicates each was dropped and why, and its cost beside the leader's then. Drawn by
//! [`super::race_rows`].

use super::race_rows::{self, Ending, RacePage, RaceRow};
use crate::decision::{Decided, Place, reason};
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use fedbits_figures::RaceFigure;
use fedbits_record::{Float, RecordError, Table};
use fedbits_spec::so_many;

/// Arms that have a row of their own, where nothing says how many.
const ROWS: u32 = 15;

/// The kind of figure.
pub(crate) struct Races;

impl FigureKind for Races {
    fn about(&self) -> About {
        About {
            name: "race",
            title: "after how many replicates each arm of a race was dropped and why, and its cost beside the leader's",
            needs: "a scenario with `search: Race(…)` that has had a look",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        draw(report, &RaceFigure::default())
    }
}

/// The figure; none of what is no race, or has had no look.
pub(crate) fn draw(report: &Report<'_>, setting: &RaceFigure) -> Result<Vec<Drawing>, ReportError> {
    let decided = Decided::of_report(&report.collected).filter(|own| !own.decision.looks.is_empty());
    let Some(decided) = decided else { return Ok(Vec::new()) };
    let wanted = setting.rows.unwrap_or(ROWS).min(race_rows::most(&report.look)) as usize;
    let is_shown = |arm: &usize| report.arms().iter().any(|own| own.name == decided.name(*arm));
    let arms: Vec<usize> = decided.order().into_iter().filter(is_shown).collect();
    if arms.is_empty() {
        return Ok(Vec::new());
    }
    // A row for one arm alone says more than a row for the rest.
    let single = if arms.len() <= wanted + 1 { arms.len() } else { wanted };
    let label = |arm: usize| {
        let own = report.arms().iter().find(|own| own.name == decided.name(arm));
        own.map_or_else(String::new, |own| own.label.clone())
    };
    let mut rows: Vec<RaceRow> = arms[..single].iter().map(|&arm| row(&decided, arm, label(arm))).collect();
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
    Ok(vec![report.drawing(
        ("race", "race"),
        race_rows::draw(&page, &report.look, &report.metrics),
        |comments| csv(&decided, comments),
        report.words(&caption, &format!("{caption}{rest} {}", decided.sentences().join(" "))),
    )?])
}

fn row(decided: &Decided<'_>, arm: usize, label: String) -> RaceRow {
    let standing = decided.beside_leader(arm);
    let last = decided.decision.looks.last();
    let leads = last.is_some_and(|look| look.leader == arm);
    let reached = last.map_or(0, |look| look.replicates);
    let (after, ending) = match decided.place(arm) {
        Place::Dropped(after, why) => (after, Ending::Dropped(reason(why))),
        Place::Infeasible => (reached, Ending::Infeasible),
        _ if leads => (reached, Ending::Leads),
        _ => (reached, Ending::Left),
    };
    RaceRow { label, after, ending, mean: standing.and_then(|own| own.mean), bound: standing.and_then(|own| own.low) }
}

/// All others as one; none where there are none.
fn rest(decided: &Decided<'_>, arms: &[usize]) -> Option<RaceRow> {
    let looks = arms.iter().filter_map(|&arm| Some(decided.last(arm)?.0.replicates));
    let label = so_many(arms.len(), "more arm");
    let dropped = arms.iter().filter(|&&arm| matches!(decided.place(arm), Place::Dropped(..))).count();
    let ending = match dropped {
        0 => Ending::Left,
        all if all == arms.len() => Ending::Dropped("dropped"),
        _ => Ending::LeftOrDropped,
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
fn csv(decided: &Decided<'_>, comments: &[String]) -> Result<String, RecordError> {
    let header = ["replicates", "leader", "arm", "mean", "bound", "pairs", "dropped"];
    let mut table = Table::in_memory(comments, &header)?;
    for look in &decided.decision.looks {
        for own in &look.standings {
            let dropped = own.dropped.map_or("", reason);
            table.cell(look.replicates)?;
            [look.leader, own.arm].into_iter().try_for_each(|arm| table.cell(decided.name(arm)))?;
            [own.mean, own.low].into_iter().try_for_each(|value| table.cell(Float(value)))?;
            table.row(&[&own.pairs, &dropped])?;
        }
    }
    table.into_text()
}
