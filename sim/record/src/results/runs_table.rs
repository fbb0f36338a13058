//! The table `runs`: a row per run with its settings, totals, what it took to each target, and its digests.

use super::{Results, RunStatus, reach};
use crate::{Cell, RunRecord, RunTable, Verdict};

/// Name of the table with a row per run, without ending.
pub const RUNS_TABLE: &str = "runs";

/// Columns of `runs` after arm, axes, replicate and the settings of searches.
const TOTALS: [&str; 17] = [
    "seed",
    "status",
    "stop_reason",
    "rounds",
    "time_s",
    "expectations",
    "bits_up",
    "bits_down",
    "bits_peer",
    "bits_header",
    "bits_wasted",
    "bits_total",
    "energy_j",
    "objective",
    "mean_field_sq",
    "parameter_error_sq",
    "caveats",
];
/// What is said of each target.
const OF_TARGETS: [&str; 6] = ["reached", "verdict", "rounds", "time_s", "bits_up", "bits_total"];
/// Digests, last.
const DIGESTS: [&str; 4] = ["data_digest", "timeline_digest", "state_digest", "key"];

impl Results {
    /// The row of a run in `runs`: the settings of searches, totals, targets, digests.
    pub(super) fn runs_table(&self, arm: usize, replicate: u64, run: Result<&RunRecord, &String>) -> RunTable {
        let (plan, mut columns) = (self.plan(), Vec::<String>::new());
        let is_free = |columns: &[String], name: &str| {
            !TOTALS.contains(&name) && !DIGESTS.contains(&name) && columns.iter().all(|known| known != name)
        };
        for path in plan.searched() {
            let last = path.rsplit('.').next().unwrap_or(path);
            columns.push(free_name(&[last, path], |name| is_free(&columns, name)));
        }
        columns.extend(TOTALS.map(str::to_owned));
        for target in &plan.targets {
            // The name is that of the bound: at most and at least 1 of a column are both `to_COLUMN_1`.
            let column = OF_TARGETS[0];
            let first = format!("{column}_to_{}", target.column_name());
            let end = free_name(&[&first], |name| is_free(&columns, name))[column.len()..].to_owned();
            columns.extend(OF_TARGETS.map(|column| format!("{column}{end}")));
        }
        columns.extend(DIGESTS.map(str::to_owned));
        let mut cells: Vec<Cell> = plan.point(arm).into_iter().map(Cell::from).collect();
        cells.push(plan.arms[arm].seed.into());
        match run {
            Ok(run) => self.run_cells(&mut cells, run),
            Err(why) => {
                cells.extend([Cell::from(RunStatus::NotRun.name()), why.into()]);
                cells.resize(columns.len() - 1, Cell::Missing);
            }
        }
        cells.push(plan.arms[arm].key(replicate).map(|key| key.to_string()).into());
        RunTable { name: RUNS_TABLE.to_owned(), columns, rows: vec![cells] }
    }

    fn run_cells(&self, cells: &mut Vec<Cell>, run: &RunRecord) {
        let (manifest, totals) = (&run.manifest, &run.manifest.totals);
        cells.extend([RunStatus::of(run).name(), &manifest.stop_reason].map(Cell::from));
        cells.extend([totals.rounds.into(), Cell::Nanoseconds(totals.time_ns), totals.expectations.into()]);
        let bits = [totals.bits_up, totals.bits_down, totals.bits_peer, totals.bits_header, totals.bits_wasted];
        cells.extend(bits.map(Cell::from));
        cells.push(totals.bits_total().into());
        cells.push(manifest.energy.map(|energy| energy.clients_j + energy.server_j.unwrap_or(0.0)).into());
        cells.extend(["objective", "mean_field_sq", "parameter_error_sq"].map(|column| run.last(column).into()));
        let ids: Vec<&str> = manifest.caveats.iter().map(|caveat| caveat.kind().id).collect();
        cells.push(ids.join("; ").into());
        for target in &self.plan().targets {
            match reach(run, target) {
                None => cells.extend(OF_TARGETS.map(|_| Cell::Missing)),
                Some(reach) => {
                    cells.push(u64::from(reach.reached).into());
                    cells.push(Verdict::of(run, target).map(Verdict::name).into());
                    cells.extend([reach.round.into(), Cell::Nanoseconds(reach.time_ns)]);
                    cells.extend([reach.bits_up, reach.bits_total].map(Cell::from));
                }
            }
        }
        let digests = &manifest.digests;
        cells.extend([&digests.data, &digests.timeline, &digests.state].map(Cell::from));
    }
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
