//! The README of a result folder: what is there, and the lines that read it in other tools.

use fedbits_record::results::Results;
use fedbits_spec::so_many;

use crate::texts::filled;

pub(crate) const README_FILE: &str = "README.md";
const README: &str = include_str!("readme.md");

pub(crate) fn is_ours(path: &std::path::Path) -> bool {
    fedbits_spec::files::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains(WRITTEN))
}

const WRITTEN: &str = "\nWritten by fedbits ";

/// The text, from the plan alone: it says nothing that changes while runs are made.
pub(crate) fn text(record: &Results) -> String {
    let plan = record.plan();
    let code = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let axes = plan.axes.iter();
    let axes: String =
        axes.map(|axis| format!("| {} | {} | {} |\n", axis.name, code(&axis.paths), code(&axis.levels))).collect();
    let targets = plan.targets.iter().map(|target| {
        let (name, column) = (target.name(), target.column_name());
        format!(
            "- {name} in `runs.csv`: `reached_to_{column}` (1, or 0 where the run ended before or its fit is \
             degenerate), `verdict_to_{column}`, and `rounds_to_`, `time_s_to_`, `bits_up_to_`, \
             `bits_total_to_{column}`: the cost up to the first recorded row that meets the target, or up to the last \
             row (censored).\n"
        )
    });
    let head = if axes.is_empty() { "" } else { "| axis | changes | levels |\n|---|---|---|\n" };
    let values = [
        ("name", plan.name.clone()),
        ("about", plan.about.lines().map(|line| format!("> {line}\n")).collect()),
        ("version", plan.engine_version.clone()),
        ("arms", so_many(plan.arms.len(), "arm")),
        ("replicates", so_many(plan.replicates, "replicate")),
        ("baseline", plan.arms[plan.baseline].name.clone()),
        ("axes", format!("{head}{axes}")),
        ("targets", targets.collect()),
        ("search", if plan.search.is_some() { SEARCH } else { "" }.to_owned()),
    ];
    filled(README, &values)
}

const SEARCH: &str = "
A race chose the runs: `decision.json` has what it decided and why (`fedbits compare` prints it). A run with the status
`cut` was ended early, because it cost too much to be chosen.
";
