//! The comparison of arms for other programs: a row per arm and measure, as values, CSV and JSON.

use std::path::PathBuf;

use fedbits_record::results::{PlanTarget, Results};
use fedbits_record::{RecordError, Table};
use fedbits_reports::compare::{self, ArmResult, Block, Comparison, ConfidenceInterval, Goal, Measure, Samples};
use fedbits_reports::open_folders;
use fedbits_spec::CountedCaveat;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;

/// A column and its value; a value that does not exist is null, or an empty cell.
type Named = (String, Value);

/// A comparison of arms as a table.
#[derive(Clone, Debug)]
pub struct ComparisonTable {
    /// Names of the columns; `docs/comparisons.md` explains them.
    pub columns: Vec<String>,
    /// A row per arm and measure, one value per column; null where a value does not exist.
    pub rows: Vec<Vec<Value>>,
    /// What must be known before the comparison is trusted.
    pub caveats: Vec<CountedCaveat>,
}

/// Compares the arms of runs with the baseline.
///
/// # Errors
/// Runs that cannot be read, and where no run is finished.
pub fn comparison(directories: &[PathBuf]) -> Result<ComparisonTable, Error> {
    let samples = samples(&open_folders(directories)?, &[])?;
    if samples.arms.iter().all(|arm| arm.runs.is_empty()) {
        return Err(Error::Input("no run is finished: there is nothing to compare".to_owned()));
    }
    let comparison = compare::compare(&samples);
    let rows = rows(&samples, &comparison);
    let columns = rows.iter().take(1).flatten().map(|(column, _)| column.clone()).collect();
    let rows = rows.into_iter().map(|row| row.into_iter().map(|(_, value)| value).collect()).collect();
    Ok(ComparisonTable { columns, rows, caveats: comparison.caveats })
}

/// The runs of one folder with its plan, or of several; `targets` are looked for beside those of the plan.
pub(crate) fn samples(folders: &[Results], targets: &[PlanTarget]) -> Result<Samples, Error> {
    Ok(match folders {
        [only] => Samples::of_folder(only, targets)?,
        several => Samples::of_records(several, targets)?,
    })
}

/// One row per arm and measure; all have the same columns.
fn rows(samples: &Samples, comparison: &Comparison) -> Vec<Vec<Named>> {
    let row = |block: &Block, number: usize| {
        let arm = &samples.arms[number];
        let mut row = vec![named("arm", &arm.name)];
        let there = |axis: usize| samples.absent.get(axis).copied().flatten() != Some(arm.levels[axis]);
        let level = |axis: usize| there(axis).then(|| &arm.level_names[axis]);
        row.extend(samples.axes.iter().enumerate().map(|(axis, name)| named(&format!("axis_{name}"), level(axis))));
        let settings = samples.searched.iter().zip(&arm.point);
        row.extend(settings.map(|(path, value)| named(&format!("setting_{path}"), value)));
        row.push(named("target", block.measure.target.map(|target| samples.targets[target].name())));
        row.push(named("measure", block.measure.what.name()));
        row.extend(result(&block.arms[number]));
        row.extend(front(comparison, &block.measure, number));
        row.extend([named("is_baseline", number == samples.baseline), named("failed", arm.failed)]);
        row
    };
    let blocks = comparison.blocks.iter();
    blocks.flat_map(|block| (0..samples.arms.len()).map(move |number| row(block, number))).collect()
}

fn named(column: &str, value: impl Serialize) -> Named {
    (column.to_owned(), json!(value))
}

fn result(result: &ArmResult) -> Vec<Named> {
    let (paired, rank) = (result.paired.as_ref(), result.rank.as_ref());
    let (difference, ratio) = (paired.and_then(|paired| paired.difference), paired.and_then(|paired| paired.ratio));
    let ends = |column: &str, interval: Option<ConfidenceInterval>| {
        let end = |which: &str, end: Option<f64>| named(&format!("{column}_{which}"), end);
        [
            end("low", interval.and_then(|interval| interval.low)),
            end("high", interval.and_then(|interval| interval.high)),
        ]
    };
    let mut row = vec![
        named("runs", result.runs),
        named("reached", result.reached),
        named("degenerate", result.degenerate),
        named("median", result.median),
        named("pairs", paired.map(|paired| paired.pairs)),
        named("pairs_of", paired.map(|paired| paired.of)),
        named("difference", difference.map(|interval| interval.mean)),
    ];
    row.extend(ends("difference", difference));
    row.extend(ends("difference_resampled", paired.and_then(|paired| paired.difference_resampled)));
    row.push(named("ratio", ratio.map(|interval| interval.mean)));
    row.extend(ends("ratio", ratio));
    row.extend(ends("ratio_resampled", paired.and_then(|paired| paired.ratio_resampled)));
    row.extend([
        named("better", paired.map(|paired| paired.better)),
        named("worse", paired.map(|paired| paired.worse)),
        named("place", rank.and_then(|rank| rank.place)),
        named("place_low", rank.map(|rank| rank.low)),
        named("place_high", rank.map(|rank| rank.high)),
        named("first", rank.map(|rank| rank.first)),
    ]);
    row
}

/// The arm on the front of the measure's target, or of the ends of the runs: an arm without a median is on none.
fn front(comparison: &Comparison, measure: &Measure, number: usize) -> [Named; 3] {
    let same = |goal: Goal| match goal {
        Goal::Target(target) => measure.target == Some(target),
        Goal::Tolerance(_) | Goal::End => measure.target.is_none(),
    };
    let front = comparison.fronts.iter().find(|front| same(front.goal));
    let compared = front.map(|front| front.arms[number].compared.as_ref().ok());
    let on_front = compared.map(|compared| compared.is_some_and(|compared| compared.on_front));
    let compared = compared.flatten();
    let over = front.filter(|_| compared.is_some()).map(|front| front.over);
    [
        named("on_front", on_front),
        named("front_times", compared.map(|compared| compared.times)),
        named("front_of", over),
    ]
}

/// The rows as CSV, after a comment that says what they are of.
pub(crate) fn csv(samples: &Samples, comparison: &Comparison) -> Result<String, RecordError> {
    let comments: Vec<String> =
        [samples.source.clone()].into_iter().chain(comparison.remarks()).map(|line| one_line(&line)).collect();
    let rows = rows(samples, comparison);
    let header: Vec<&str> = rows.iter().take(1).flatten().map(|(column, _)| column.as_str()).collect();
    let mut table = Table::in_memory(&comments, &header)?;
    for row in &rows {
        row.iter().try_for_each(|(_, value)| match value {
            Value::Null => table.cell(""),
            Value::String(text) => table.cell(text),
            value => table.cell(value),
        })?;
        table.end_row()?;
    }
    table.into_text()
}

/// A text that ends no comment: names of arms may have line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The rows as JSON, with what the rows are about, and what a search has decided.
pub(crate) fn json(samples: &Samples, comparison: &Comparison, decision: Option<Value>) -> Value {
    let row = |row: Vec<Named>| Value::Object(row.into_iter().collect());
    let mut all = json!({
        "study": samples.name,
        "source": samples.source,
        "baseline": samples.arms[samples.baseline].name,
        "replicates": samples.planned,
        "targets": samples.targets,
        "caveats": comparison.caveats,
        "not_compared": comparison.notes,
        "rows": rows(samples, comparison).into_iter().map(row).collect::<Vec<_>>(),
    });
    if let Some(decision) = decision {
        all["decision"] = decision;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{compare, rows};
    use fedbits_reports::compare::{SampleArm, Samples};

    #[test]
    fn the_documentation_has_every_column() {
        let samples = Samples { arms: vec![SampleArm::default()], ..Samples::default() };
        let row = rows(&samples, &compare::compare(&samples)).remove(0);
        let text = include_str!("../docs/comparisons.md");
        let columns = row.into_iter().map(|(column, _)| column);
        let missing: Vec<String> = columns.filter(|column| !text.contains(&format!("`{column}`"))).collect();
        assert_eq!(missing, [""; 0]);
    }
}
