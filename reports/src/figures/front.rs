//! The front of an optimization of several costs: every arm that was tried, in each two of them. Drawn by
//! [`super::scatter`].

use super::scatter::{self, Dot, DotEntry, DotPanel, Look, Measured, Scatter};
use super::search_costs::{self, cost, numbers_of_runs, shown};
use crate::decision::Decided;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::first_few;
use fedbits_record::study::PlanObjective;
use fedbits_record::{Float, RecordError, Table};

/// Up to this many arms of the front have a colour and a marker of their own, the others a number.
const MAX_STYLES: usize = 14;

/// The kind of figure.
pub(crate) struct SearchFronts;

impl FigureKind for SearchFronts {
    fn about(&self) -> About {
        About {
            name: "front",
            title: "the arms of an optimization in each two of its costs, with those that no other beats",
            needs: "a study with `search: Optimize(objective: Front(…))`",
        }
    }

    /// None of what has one objective.
    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let decided = Decided::of_report(&report.collected);
        let Some(decided) = decided.filter(|own| own.search.objectives.len() > 1) else { return Ok(Vec::new()) };
        let all = shown(report, &decided);
        let (out, arms): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|&arm| decided.is_infeasible(arm));
        if arms.is_empty() {
            return Ok(Vec::new());
        }
        let looks = looks(&decided, &arms);
        let scatter = scatter(report, &decided, &arms, &looks);
        let caption = caption(&decided) + &numbers_of_runs(&decided, &arms) + &left_out(&decided, &out);
        let hidden = scatter::hidden(&scatter, &report.look, &report.metrics);
        let about = format!("{caption} {}{}{hidden}", decided.sentences().join(" "), numbered(&decided, &looks));
        Ok(vec![report.drawing(
            ("front", "front"),
            |description| scatter::draw(&scatter, &report.look, &report.metrics, description),
            |comments| csv(&decided, (&arms, &looks), &out, comments),
            report.words(&caption, &about),
        )?])
    }
}

/// Arms of the front and the baseline, below whose costs the front's volume is, have styles, the others their numbers
/// in the study, in which the baseline of an optimization is 0: `point 7` is 7.
fn looks(decided: &Decided<'_>, arms: &[usize]) -> Vec<Look> {
    let styled = [&[decided.plan.baseline], &decided.decision.best[..]].concat();
    let has_style = |arm: &usize| styled.iter().position(|own| own == arm).filter(|place| *place < MAX_STYLES);
    arms.iter().map(|arm| has_style(arm).map_or(Look::Number(*arm), Look::Style)).collect()
}

fn scatter(report: &Report<'_>, decided: &Decided<'_>, arms: &[usize], looks: &[Look]) -> Scatter {
    let objectives = &decided.search.objectives;
    let costs = |objective: usize| arms.iter().map(|&arm| cost(decided, arm, objective)).collect::<Vec<f64>>();
    let panel = |(x, y): (usize, usize)| {
        let [(x_label, x_unit), (y_label, y_unit)] =
            [x, y].map(|own| search_costs::label(&objectives[own], &costs(own)));
        let measured = |value: f64| Measured { median: value, low: value, high: Some(value) };
        let dot = |(number, &arm): (usize, &usize)| Dot {
            arm: number,
            x: measured(cost(decided, arm, x) / x_unit),
            y: measured(cost(decided, arm, y) / y_unit),
            look: looks[number],
            of_front: decided.decision.best.contains(&arm),
        };
        let is_bounded = !objectives[x].grows() && !objectives[y].grows();
        DotPanel { x: x_label, y: y_label, dots: arms.iter().enumerate().map(dot).collect(), is_bounded }
    };
    let pairs = (0..objectives.len()).flat_map(|x| (x + 1..objectives.len()).map(move |y| (x, y)));
    let label = |arm: usize| match decided.name(arm) {
        name if arm == decided.plan.baseline && name != "baseline" => format!("{name} (baseline)"),
        name => name.to_owned(),
    };
    let entry = |(arm, look): (&usize, &Look)| match look {
        Look::Style(_) => Some(DotEntry { look: *look, words: label(*arm) }),
        Look::Number(_) => None,
    };
    let mut entries: Vec<DotEntry> = arms.iter().zip(looks).filter_map(entry).collect();
    if let Some(look) = looks.iter().find(|look| matches!(look, Look::Number(_))) {
        entries.push(DotEntry { look: *look, words: "numbered in the CSV".to_owned() });
    }
    Scatter {
        name: "front".to_owned(),
        x_scale: report.options.x_scale,
        panels: pairs.map(panel).collect(),
        entries,
        arms: arms.iter().map(|&arm| decided.name(arm).to_owned()).collect(),
    }
}

fn caption(decided: &Decided<'_>) -> String {
    let names: Vec<String> = decided.search.objectives.iter().map(|objective| objective.name()).collect();
    let volume = decided.decision.hypervolume.map_or_else(String::new, |volume| {
        format!(" The front dominates a volume of {} below the baseline's costs.", crate::decision::three(volume))
    });
    let names = crate::words::listed(&names);
    format!(
        "Arms by {names}: {}; filled: no other arm is as good in everything and better in something.{volume}",
        means(&decided.search.objectives)
    )
}

/// What the points are: the geometric means of costs that have ratios, of others the means.
fn means(objectives: &[PlanObjective]) -> String {
    let of_ratios = objectives.iter().filter(|own| own.has_ratios()).map(PlanObjective::name);
    let names: Vec<String> = of_ratios.collect();
    match names.len() {
        0 => "means over runs".to_owned(),
        all if all == objectives.len() => "geometric means over runs".to_owned(),
        _ => format!("means over runs, geometric ones of {}", crate::words::listed(&names)),
    }
}

/// At most this many numbers are resolved in the details.
const MAX_NUMBERS: usize = 12;

/// Which arms the numbers of the drawing are.
fn numbered(decided: &Decided<'_>, looks: &[Look]) -> String {
    let named = |look: &Look| match look {
        Look::Number(arm) => Some(format!("{arm} {}", decided.name(*arm))),
        Look::Style(_) => None,
    };
    let names: Vec<String> = looks.iter().filter_map(named).collect();
    let more = if names.len() > MAX_NUMBERS { " (`number` in the CSV)" } else { "" };
    match names.is_empty() {
        true => String::new(),
        false => format!(" Numbered as in the study: {}{more}.", first_few(names.into_iter(), MAX_NUMBERS)),
    }
}

/// Arms whose costs are those of getting nowhere.
fn left_out(decided: &Decided<'_>, arms: &[usize]) -> String {
    let names: Vec<String> = arms.iter().map(|&arm| decided.name(arm).to_owned()).collect();
    match &names[..] {
        [] => String::new(),
        names => format!(" Left out, because no run got there: {}.", crate::words::listed(names)),
    }
}

/// A tidy table: arm, mean costs, whether it is on the front, runs and those that got there and kept to the
/// constraints, its number in the drawing, which is that in the study. Those that are left out of the drawing stand
/// below the others.
fn csv(
    decided: &Decided<'_>,
    (arms, looks): (&[usize], &[Look]),
    out: &[usize],
    comments: &[String],
) -> Result<String, RecordError> {
    let costs = decided.search.objectives.iter().map(|objective| objective.name());
    let before = std::iter::once("arm".to_owned());
    let after = ["on_front", "runs", "feasible", "number"].map(str::to_owned);
    let header: Vec<String> = before.chain(costs).chain(after).collect();
    let mut table = Table::in_memory(comments, &header)?;
    let drawn = arms.iter().zip(looks.iter().map(Some));
    for (&arm, look) in drawn.chain(out.iter().map(|arm| (arm, None))) {
        let own = decided.arm(arm);
        table.cell(decided.name(arm))?;
        own.costs.iter().try_for_each(|cost| table.cell(Float(*cost)))?;
        let number = if let Some(Look::Number(number)) = look { number.to_string() } else { String::new() };
        let on_front = u8::from(decided.decision.best.contains(&arm));
        table.row(&[&on_front, &own.runs, &own.feasible, &number])?;
    }
    table.into_text()
}
