//! What the folders of a report hold, in words: for errors of figures that cannot be drawn of them.

use crate::data::{Arm, Collected, PlannedRuns};
use crate::words::listed;
use fedbits_record::RunRecord;
use fedbits_record::results::PlanAxis;
use fedbits_spec::so_many;
use std::collections::BTreeSet;

/// `4 runs of 4 arms of several folders; tables: clients, …`, or of one folder with its axes, targets and search.
pub(crate) fn holdings(collected: &Collected) -> String {
    let runs: usize = collected.arms.iter().map(|arm| arm.runs.len()).sum();
    let folder = collected.planned.as_deref().map_or_else(|| " of several folders".to_owned(), of_folder);
    let records = collected.arms.iter().flat_map(Arm::records);
    let tables: BTreeSet<&str> = records.flat_map(RunRecord::table_names).collect();
    let tables = tables.into_iter().collect::<Vec<_>>().join(", ");
    format!("{} of {}{folder}; tables: {tables}", so_many(runs, "run"), so_many(collected.arms.len(), "arm"))
}

fn of_folder(planned: &PlannedRuns) -> String {
    let axis = |axis: &PlanAxis| {
        let search = if axis.values.is_empty() { "" } else { ", points of a search" };
        format!("`{}` (levels: {}{search})", axis.name, axis.levels.len())
    };
    let plan = &planned.plan;
    let axes = match plan.axes.iter().map(axis).collect::<Vec<_>>() {
        none if none.is_empty() => "no axes".to_owned(),
        one if one.len() == 1 => format!("the axis {}", one[0]),
        several => format!("the axes {}", listed(&several)),
    };
    let targets = match plan.targets.len() {
        0 => ", no targets".to_owned(),
        count => format!(", {}", so_many(count, "target")),
    };
    let race = if plan.search.is_some() { "a race" } else { "no race" };
    format!("; {axes}{targets} and {race}")
}
