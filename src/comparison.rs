//! The comparison of arms for other programs: CSV, one row per arm and measure, and the same as JSON.

use std::path::{Path, PathBuf};

use fedbits_record::study::{PLAN_FILE, StudyRecord};
use fedbits_record::{RecordError, Table};
use fedbits_reports::compare::{self, ArmResult, Block, Comparison, ConfidenceInterval, Goal, Measure, Samples};
use serde_json::{Map, Value, json};

use crate::error::Error;

/// Columns after the arm and the axes.
const COLUMNS: [&str; 28] = [
    "target",
    "measure",
    "runs",
    "reached",
    "median",
    "pairs",
    "pairs_of",
    "difference",
    "difference_low",
    "difference_high",
    "difference_resampled_low",
    "difference_resampled_high",
    "ratio",
    "ratio_low",
    "ratio_high",
    "ratio_resampled_low",
    "ratio_resampled_high",
    "better",
    "worse",
    "place",
    "place_low",
    "place_high",
    "first",
    "on_front",
    "front_times",
    "front_of",
    "is_baseline",
    "failed",
];

/// The arms of a study, or single records, against the baseline: a table in CSV, with a row per arm and measure after
/// comments that begin with `#`. `fedbits compare --format csv` prints it; `docs/studies.md` has its columns.
///
/// # Errors
/// A study or records that cannot be read, and where no run is finished.
pub fn comparison(directories: &[PathBuf]) -> Result<String, Error> {
    let is_study = |directory: &Path| directory.join(PLAN_FILE).is_file();
    let samples = match directories {
        [only] if is_study(only) => Samples::of_study(&StudyRecord::open(only)?, &[])?,
        several => Samples::of_records(several, &[])?,
    };
    if samples.arms.iter().all(|arm| arm.runs.is_empty()) {
        return Err(Error::Input("no run is finished: there is nothing to compare".to_owned()));
    }
    Ok(csv(&samples, &compare::compare(&samples))?)
}

/// One row per arm and measure, as (column, value); a value that does not exist is null, or an empty cell.
fn rows(samples: &Samples, comparison: &Comparison) -> Vec<Vec<Value>> {
    let row = |block: &Block, number: usize| {
        let arm = &samples.arms[number];
        let mut row = vec![json!(arm.name)];
        let there = |axis: usize| samples.absent.get(axis).copied().flatten() != Some(arm.levels[axis]);
        row.extend(arm.level_names.iter().enumerate().map(|(axis, level)| json!(there(axis).then_some(level))));
        row.extend(arm.point.iter().map(|value| json!(value)));
        row.extend(measure(samples, &block.measure));
        row.extend(result(&block.arms[number]));
        row.extend(front(comparison, &block.measure, number));
        row.extend([json!(number == samples.baseline), json!(arm.failed)]);
        row
    };
    let blocks = comparison.blocks.iter();
    blocks.flat_map(|block| (0..samples.arms.len()).map(move |number| row(block, number))).collect()
}

fn header(samples: &Samples) -> Vec<String> {
    let axes = samples.axes.iter().map(|axis| format!("axis_{axis}"));
    let searched = samples.searched.iter().map(|path| format!("setting_{path}"));
    ["arm".to_owned()].into_iter().chain(axes).chain(searched).chain(COLUMNS.map(str::to_owned)).collect()
}

fn measure(samples: &Samples, measure: &Measure) -> [Value; 2] {
    let target = measure.target.map(|target| samples.targets[target].name());
    [json!(target), json!(measure.what.name())]
}

fn result(result: &ArmResult) -> Vec<Value> {
    let mut row = vec![json!(result.runs), json!(result.reached), json!(result.median)];
    let paired = result.paired.as_ref();
    let ends = |interval: Option<ConfidenceInterval>| {
        [json!(interval.and_then(|own| own.low)), json!(interval.and_then(|own| own.high))]
    };
    let mean = |interval: Option<ConfidenceInterval>| json!(interval.map(|own| own.mean));
    row.extend([json!(paired.map(|own| own.pairs)), json!(paired.map(|own| own.of))]);
    row.push(mean(paired.and_then(|own| own.difference)));
    row.extend(ends(paired.and_then(|own| own.difference)));
    row.extend(ends(paired.and_then(|own| own.difference_resampled)));
    row.push(mean(paired.and_then(|own| own.ratio)));
    row.extend(ends(paired.and_then(|own| own.ratio)));
    row.extend(ends(paired.and_then(|own| own.ratio_resampled)));
    row.extend([json!(paired.map(|own| own.better)), json!(paired.map(|own| own.worse))]);
    let rank = result.rank.as_ref();
    row.extend([
        json!(rank.and_then(|own| own.place)),
        json!(rank.map(|own| own.low)),
        json!(rank.map(|own| own.high)),
    ]);
    row.push(json!(rank.map(|own| own.first)));
    row
}

/// The arm on the front of the measure's target, or of the ends of the runs: an arm without a median is on none.
fn front(comparison: &Comparison, measure: &Measure, number: usize) -> [Value; 3] {
    let same = |goal: Goal| match goal {
        Goal::Target(target) => measure.target == Some(target),
        Goal::Tolerance(_) | Goal::End => measure.target.is_none(),
    };
    let front = comparison.fronts.iter().find(|front| same(front.goal));
    let compared = front.map(|front| front.arms[number].compared.as_ref().ok());
    let on_front = compared.map(|compared| compared.is_some_and(|compared| compared.on_front));
    let compared = compared.flatten();
    let over = front.filter(|_| compared.is_some()).map(|front| front.over);
    [json!(on_front), json!(compared.map(|own| own.times)), json!(over)]
}

/// The rows as CSV, after a comment that says what they are of.
pub(crate) fn csv(samples: &Samples, comparison: &Comparison) -> Result<String, RecordError> {
    let remarks = comparison.remarks().into_iter().map(|line| one_line(&line));
    let comments: Vec<String> = [samples.source.clone()].into_iter().chain(remarks).collect();
    let mut table = Table::in_memory(&comments, &header(samples))?;
    for row in rows(samples, comparison) {
        row.iter().try_for_each(|value| match value {
            Value::Null => table.cell(""),
            Value::String(text) => table.cell(text),
            other => table.cell(other),
        })?;
        table.end_row()?;
    }
    table.into_text()
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The rows as JSON, with what the rows are about, and what a search has decided.
pub(crate) fn json(samples: &Samples, comparison: &Comparison, decision: Option<Value>) -> Value {
    let header = header(samples);
    let row = |row: Vec<Value>| Value::Object(header.iter().cloned().zip(row).collect::<Map<String, Value>>());
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
    #[test]
    fn the_documentation_has_every_column() {
        let text = include_str!("../docs/studies.md");
        let missing: Vec<&str> =
            super::COLUMNS.into_iter().filter(|column| !text.contains(&format!("`{column}`"))).collect();
        assert_eq!(missing, [""; 0]);
    }
}
