//! The table of the arms: how many of their runs reached the target, and the medians of `compare`.

use super::chart::MOST_ARMS;
use super::decision::table;
use crate::compare::{ArmResult, Measure, Quantity, Samples, block, reached_of};
use crate::figures::units::{amount, bit_unit, time_unit};
use crate::text::escape;
use crate::words::target_words;
use fedbits_spec::so_many;

/// A heading and the cell of each arm.
type Column = (String, Vec<String>);

/// The section with the table, and what its numbers are.
pub(crate) fn section(samples: &Samples) -> String {
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
        let error = |arm: &ArmResult| arm.median.map_or_else(none, |error| amount(Quantity::Error, error));
        columns.push((format!("{} at the end", samples.error.words()), errors.iter().map(error).collect()));
    }
    let head: Vec<String> = columns.iter().map(|(head, _)| head.clone()).collect();
    let rows =
        (0..samples.arms.len().min(MOST_ARMS)).map(|arm| columns.iter().map(|(_, cells)| cells[arm].clone()).collect());
    let table = table(&head, rows).replacen("<table>", "<table class=\"arms\">", 1);
    format!("<section id=\"arms\">\n<h2>Arms</h2>\n{table}<p class=\"hint\">{}</p>\n</section>\n", about(samples))
}

fn none() -> String {
    "–".to_owned()
}

/// Medians in one unit, by which they can be read down a column.
fn cost(words: &str, unit: fn(f64) -> (f64, &'static str), arms: &[ArmResult]) -> Column {
    let (size, unit) = unit(arms.iter().filter_map(|arm| arm.median).fold(0.0, f64::max));
    let digits = |value: f64| {
        let power = if value > 0.0 { libm::log10(value).floor() } else { 2.0 };
        format!("{value:.*}", (2.0 - power).clamp(0.0, 9.0) as usize)
    };
    let cell = |arm: &ArmResult| arm.median.map_or_else(none, |median| digits(median / size));
    (format!("{words} ({unit})"), arms.iter().map(cell).collect())
}

fn about(samples: &Samples) -> String {
    let medians = if samples.has_cut_runs() { "Kaplan–Meier medians" } else { "Medians" };
    let mut text = match samples.targets.first() {
        Some(target) => format!(
            "{medians} of what it takes to reach {}, over the runs of an arm; –: not more than half of them get there.",
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
