//! What a race has decided, as HTML.

use crate::decision::{Decided, Place, counted, ratio, reason};
use crate::figures::units::amount;
use crate::text::escape;
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
