//! The table `runs`: a row per run with its settings, totals, what it took to each target, and its digests.

use super::{PlanTarget, Results, RunStatus, reach};
use crate::run_record::RUNS_TABLE;
use crate::{Cell, Digests, Manifest, RunRecord, RunTable, Verdict};

/// What is said of each target.
const OF_TARGETS: [&str; 6] = ["reached", "verdict", "rounds", "time_s", "bits_up", "bits_total"];

/// A name and a cell of the row of a run.
type NamedCell = (&'static str, Cell);

impl Results {
    /// The row of a run in `runs`: the settings of searches, totals, targets, digests.
    pub(super) fn runs_table(&self, arm: usize, replicate: u64, run: Result<&RunRecord, &String>) -> RunTable {
        let plan = self.plan();
        let planned = &plan.arms[arm];
        let totals = [("seed", planned.seed.into())].into_iter().chain(totals(run)).collect::<Vec<_>>();
        let key = planned.key(replicate).map(|key| key.to_string());
        let digests = digests(run).into_iter().chain([("key", key.into())]).collect::<Vec<_>>();
        let mut columns = Vec::<String>::new();
        let is_free = |columns: &[String], name: &str| {
            totals.iter().chain(&digests).all(|(known, _)| *known != name) && columns.iter().all(|known| known != name)
        };
        for path in plan.searched() {
            let last = path.rsplit('.').next().unwrap_or(path);
            columns.push(free_name(&[last, path], |name| is_free(&columns, name)));
        }
        columns.extend(totals.iter().map(|(name, _)| (*name).to_owned()));
        for target in &plan.targets {
            // The name is that of the bound: at most and at least 1 of a column are both `to_COLUMN_1`.
            let column = OF_TARGETS[0];
            let first = format!("{column}_to_{}", target.column_name());
            let end = free_name(&[&first], |name| is_free(&columns, name))[column.len()..].to_owned();
            columns.extend(OF_TARGETS.map(|column| format!("{column}{end}")));
        }
        columns.extend(digests.iter().map(|(name, _)| (*name).to_owned()));
        let mut cells: Vec<Cell> = plan.point(arm).into_iter().map(Cell::from).collect();
        cells.extend(totals.into_iter().map(|(_, cell)| cell));
        cells.extend(plan.targets.iter().flat_map(|target| of_target(run, target)));
        cells.extend(digests.into_iter().map(|(_, cell)| cell));
        RunTable { name: RUNS_TABLE.to_owned(), columns, rows: vec![cells] }
    }
}

fn totals(run: Result<&RunRecord, &String>) -> [NamedCell; 16] {
    let of = |cell: fn(&Manifest) -> Cell| run.map_or(Cell::Missing, |run| cell(&run.manifest));
    let last = |column: &str| Cell::from(run.ok().and_then(|run| run.last(column)));
    [
        ("status", run.map_or(RunStatus::NotRun, RunStatus::of).name().into()),
        ("stop_reason", run.map_or_else(|why| why, |run| &run.manifest.stop_reason).into()),
        ("rounds", of(|manifest| manifest.totals.rounds.into())),
        ("time_s", of(|manifest| Cell::Nanoseconds(manifest.totals.time_ns))),
        ("expectations", of(|manifest| manifest.totals.expectations.into())),
        ("bits_up", of(|manifest| manifest.totals.bits_up.into())),
        ("bits_down", of(|manifest| manifest.totals.bits_down.into())),
        ("bits_peer", of(|manifest| manifest.totals.bits_peer.into())),
        ("bits_header", of(|manifest| manifest.totals.bits_header.into())),
        ("bits_wasted", of(|manifest| manifest.totals.bits_wasted.into())),
        ("bits_total", of(|manifest| manifest.totals.bits_total().into())),
        ("energy_j", of(|manifest| manifest.energy.map(|sum| sum.clients_j + sum.server_j.unwrap_or(0.0)).into())),
        ("objective", last("objective")),
        ("mean_field_sq", last("mean_field_sq")),
        ("parameter_error_sq", last("parameter_error_sq")),
        ("caveats", of(|manifest| caveats(manifest).into())),
    ]
}

fn caveats(manifest: &Manifest) -> String {
    manifest.caveats.iter().map(|caveat| caveat.kind().id).collect::<Vec<_>>().join("; ")
}

fn digests(run: Result<&RunRecord, &String>) -> [NamedCell; 3] {
    let digests = run.ok().map(|run| &run.manifest.digests);
    let of = |digest: fn(&Digests) -> &String| Cell::from(digests.map(digest));
    [
        ("data_digest", of(|digests| &digests.data)),
        ("timeline_digest", of(|digests| &digests.timeline)),
        ("state_digest", of(|digests| &digests.state)),
    ]
}

fn of_target(run: Result<&RunRecord, &String>, target: &PlanTarget) -> [Cell; 6] {
    let Some((run, cost)) = run.ok().and_then(|run| Some((run, reach(run, target)?))) else {
        return OF_TARGETS.map(|_| Cell::Missing);
    };
    [
        u64::from(cost.reached).into(),
        Verdict::of(run, target).map(Verdict::name).into(),
        cost.round.into(),
        Cell::Nanoseconds(cost.time_ns),
        cost.bits_up.into(),
        cost.bits_total.into(),
    ]
}

/// The first of some names that is free; else the last of them with a number.
pub(super) fn free_name(names: &[&str], is_free: impl Fn(&String) -> bool) -> String {
    let last = names.last().copied().unwrap_or_default();
    let numbered = (2..).map(|number| format!("{last}_{number}"));
    let mut all = names.iter().map(|&name| name.to_owned()).chain(numbered);
    all.find(is_free).expect("one of endless names is free")
}

#[cfg(test)]
mod tests {
    use super::free_name;

    /// A header has each name once: names of axes and paths that are taken get another.
    #[test]
    fn names_of_columns_are_free() {
        let header = ["arm", "clients", "protocol.gamma", "seed"];
        for (names, expected) in [
            (&["alpha", "axis_alpha"][..], "alpha"),
            (&["seed", "axis_seed"], "axis_seed"),
            (&["gamma", "protocol.gamma"], "gamma"),
            (&["clients", "clients"], "clients_2"),
            (&["seed"], "seed_2"),
        ] {
            assert_eq!(free_name(names, |name| !header.contains(&name.as_str())), expected);
        }
    }
}
