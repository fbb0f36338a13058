//! Tables of arms, as HTML: what a race has decided; how many runs reached the target, and the medians of `compare`.

use super::chart::MOST_ARMS;
use crate::compare::{ArmResult, Measure, Quantity, Samples, block, reached_of};
use crate::decision::{Decided, Place, counted, ratio, reason};
use crate::figures::units::{amount, bit_unit, three, time_unit};
use crate::text::escape;
use crate::words::target_words;
use fedbits_record::results::Effect;
use fedbits_spec::so_many;

/// Arms that are listed; the files have all.
const LISTED: usize = 12;

/// Sentences and the first arms.
pub(crate) fn decision(decided: &Decided<'_>) -> String {
    let lines: String = decided.sentences().iter().map(|line| format!("<p>{}</p>\n", escape(line))).collect();
    format!("<div id=\"decision\">\n{lines}{}</div>\n", arms(decided))
}

fn arms(decided: &Decided<'_>) -> String {
    let order = decided.order();
    let objective = &decided.search.objective;
    let compared = if objective.has_ratios() { "ratio" } else { "difference" };
    let mut head = ["arm", "place", "runs", "feasible"].map(str::to_owned).to_vec();
    head.extend([objective.name(), format!("{compared} to the baseline [95 %]"), "pairs".to_owned()]);
    let row = |&arm: &usize| {
        let state = decided.arm(arm);
        let place = match decided.place(arm) {
            Place::Best => "best".to_owned(),
            Place::Left => "left".to_owned(),
            Place::Infeasible => "infeasible".to_owned(),
            Place::Dropped(after, why) => format!("{} after {after}", reason(why)),
        };
        let mut cells = vec![decided.name(arm).to_owned(), place, state.runs.to_string(), state.feasible.to_string()];
        cells.push(state.cost.map_or_else(String::new, |cost| amount(counted(objective), cost)));
        cells.extend(effect_cells(state.against_baseline.as_ref()));
        cells
    };
    let more = order.len().saturating_sub(LISTED);
    let more = if more > 0 {
        format!("<p class=\"hint\">{}: <code>fedbits compare</code>.</p>\n", so_many(more, "more arm"))
    } else {
        String::new()
    };
    table(&head, order.iter().take(LISTED).map(row)) + &more
}

/// The mean with its interval, and its pairs.
fn effect_cells(effect: Option<&Effect>) -> [String; 2] {
    let Some(effect) = effect else { return [String::new(), String::new()] };
    let interval = match (effect.low, effect.high) {
        (Some(low), Some(high)) => format!(" [{}, {}]", ratio(low), ratio(high)),
        _ => String::new(),
    };
    [ratio(effect.mean) + &interval, effect.pairs.to_string()]
}

/// A table in a box of its own, which scrolls where the window is narrower; the first cell of a row is its name.
pub(crate) fn table(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
    };
    let row = |row: Vec<String>| match row.split_first() {
        Some((name, rest)) => format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escape(name), cells("td", rest)),
        None => String::new(),
    };
    let (head, rows): (_, String) = (cells("th", head), rows.map(row).collect());
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\
         </table></div>\n"
    )
}

/// A heading and the cell of each arm.
type Column = (String, Vec<String>);

/// The section with the table, and what its numbers are.
pub(crate) fn arms_section(samples: &Samples) -> String {
    let target = samples.targets.first().map(|_| 0);
    let costs = [Quantity::BitsTotal, Quantity::Time].map(|what| block(samples, Measure { target, what }).arms);
    let cells = |words: &dyn Fn(&ArmResult) -> String| costs[0].iter().map(words).collect::<Vec<_>>();
    let mut columns: Vec<Column> = vec![
        ("arm".to_owned(), samples.arms.iter().map(|arm| arm.name.clone()).collect()),
        ("runs".to_owned(), samples.arms.iter().map(|arm| arm.runs.len().to_string()).collect()),
    ];
    if target.is_some() {
        let reached = |arm: &ArmResult| reached_of(arm.reached, arm.runs, arm.degenerate);
        columns.push(("reached".to_owned(), cells(&reached)));
    }
    columns.push(cost("all bits", bit_unit, &costs[0]));
    columns.push(cost("time", time_unit, &costs[1]));
    let errors = block(samples, Measure { target: None, what: Quantity::Error }).arms;
    if errors.iter().any(|arm| arm.median.is_some()) {
        let error = |arm: &ArmResult| arm.median.map_or_else(|| "–".to_owned(), |error| amount(Quantity::Error, error));
        columns.push((format!("{} at the end", samples.error.words()), errors.iter().map(error).collect()));
    }
    let head: Vec<String> = columns.iter().map(|(head, _)| head.clone()).collect();
    let rows =
        (0..samples.arms.len().min(MOST_ARMS)).map(|arm| columns.iter().map(|(_, cells)| cells[arm].clone()).collect());
    let table = table(&head, rows).replacen("<table>", "<table class=\"arms\">", 1);
    format!("<section id=\"arms\">\n<h2>Arms</h2>\n{table}<p class=\"hint\">{}</p>\n</section>\n", about(samples))
}

/// Medians in one unit, by which they can be read down a column.
fn cost(words: &str, unit: fn(f64) -> (f64, &'static str), arms: &[ArmResult]) -> Column {
    let (size, unit) = unit(arms.iter().filter_map(|arm| arm.median).fold(0.0, f64::max));
    let cell = |arm: &ArmResult| arm.median.map_or_else(|| "–".to_owned(), |median| three(median / size));
    (format!("{words} ({unit})"), arms.iter().map(cell).collect())
}

fn about(samples: &Samples) -> String {
    let medians = if samples.has_cut_runs() { "Kaplan–Meier medians" } else { "Medians" };
    let mut text = match samples.targets.first() {
        Some(target) => format!(
            "{medians} of the cost of reaching {}, over the runs of an arm; –: not more than half of them reach it.",
            escape(&target_words(target))
        ),
        None => format!("{medians} at the end, over the runs of an arm."),
    };
    if samples.arms.len() > MOST_ARMS {
        let more = so_many(samples.arms.len() - MOST_ARMS, "more arm");
        text += &format!(" {more}: <code>fedbits compare</code>, <code>runs.csv</code>.");
    }
    text
}
