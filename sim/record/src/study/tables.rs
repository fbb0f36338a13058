//! `results.csv`, `curves.csv`, `ledger.csv` and `tables/` of a study: the same runs for other tools. Rows stand in the
//! order of the plan, whoever made the runs, so equal results give equal bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use fedbits_spec::files;

use super::own_tables::OwnTables;
use super::{CURVES_FILE, FrameKind, RESULTS_FILE, StoreError, StudyRecord, TABLES_FOLDER, move_aside, reach};
use crate::files::{folder_of, is_there, make, remove_if_there, rename};
use crate::table::FileTable;
use crate::{Direction, Fate, LEDGER_FILE, ROUND_COLUMNS, RecordError, RunRecord, TemporaryFolder, Verdict, undivided};

/// Columns of `results.csv` after those of the axes.
const TOTALS: [&str; 18] = [
    "replicate",
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

impl StudyRecord {
    /// Writes the tables from the runs that are there, each whole or not at all. What stands at the path of one and is
    /// none is moved to `damaged/`; returns where it is now.
    ///
    /// # Errors
    /// [`StoreError`]: a result that cannot be read, a table that cannot be written.
    pub fn write_tables(&self) -> Result<Vec<PathBuf>, StoreError> {
        let made = TemporaryFolder::make_in(self.directory())?;
        let names = self.make_tables(made.path())?;
        undivided(|| self.move_tables(made.path(), &names))
    }

    /// Moves tables from a folder to their paths.
    fn move_tables(&self, made: &Path, names: &[String]) -> Result<Vec<PathBuf>, StoreError> {
        let mut aside = Vec::new();
        for name in names {
            let path = self.directory().join(name);
            if path.symlink_metadata().is_ok() && !is_table(&path) {
                aside.push(move_aside(self.directory(), &path)?);
            }
            make(folder_of(&path))?;
            rename(&made.join(name), &path)?;
        }
        Ok(aside)
    }

    /// Names of the tables in the directory that are not what its runs give: changed, missing, or of other runs. None
    /// where no table was written yet.
    ///
    /// # Errors
    /// [`StoreError`]: a result that cannot be read, no room for the tables to compare with.
    pub fn changed_tables(&self) -> Result<Vec<String>, StoreError> {
        if !is_there(&self.directory().join(RESULTS_FILE))? {
            return Ok(Vec::new());
        }
        let made = TemporaryFolder::make_in(&std::env::temp_dir())?;
        let read = |path: PathBuf| files::if_there(files::read(&path)).map_err(|error| StoreError::io(&path, error));
        let mut changed = Vec::new();
        for name in self.make_tables(made.path())? {
            let is_same = read(made.path().join(&name))? == read(self.directory().join(&name))?;
            changed.extend((!is_same).then_some(name));
        }
        Ok(changed)
    }

    /// Writes the tables into a folder and returns their names.
    fn make_tables(&self, folder: &Path) -> Result<Vec<String>, StoreError> {
        let extras = self.extra_columns()?;
        let mut results = FileTable::create(folder, RESULTS_FILE, &self.results_header())?;
        let mut curves = FileTable::create(folder, CURVES_FILE, &curves_header(&extras))?;
        let (mut ledger, mut own_tables) = (LedgerSums::default(), OwnTables::new(&folder.join(TABLES_FOLDER)));
        for arm in 0..self.plan().arms.len() {
            for replicate in self.plan().replicate_numbers() {
                let Some(run) = self.run(arm, replicate)? else {
                    self.write_absent(&mut results, arm, replicate)?;
                    continue;
                };
                self.write_result(&mut results, arm, replicate, &run)?;
                write_curve(&mut curves, &extras, &run)?;
                ledger.add(arm, &run);
                own_tables.add(arm, &run)?;
            }
        }
        results.finish()?;
        curves.finish()?;
        ledger.write(self, folder)?;
        let mut names = [RESULTS_FILE, CURVES_FILE, LEDGER_FILE].map(str::to_owned).to_vec();
        names.extend(own_tables.finish()?.iter().map(|name| format!("{TABLES_FOLDER}/{name}")));
        #[cfg(feature = "parquet")]
        for csv in [RESULTS_FILE, CURVES_FILE] {
            super::parquet::write(folder, csv)?;
            names.push(csv.replace(".csv", ".parquet"));
        }
        Ok(names)
    }

    /// Removes the tables that a study with other runs left in a directory, and nothing else there.
    ///
    /// # Errors
    /// [`StoreError::Record`].
    pub fn forget_tables(directory: &Path) -> Result<(), StoreError> {
        let own = std::fs::read_dir(directory.join(TABLES_FOLDER)).into_iter().flatten().flatten();
        let common = [RESULTS_FILE, CURVES_FILE, LEDGER_FILE, "results.parquet", "curves.parquet"];
        let common = common.into_iter().map(|name| directory.join(name));
        for path in common.chain(own.map(|entry| entry.path())).filter(|path| is_table(path)) {
            remove_if_there(&path)?;
        }
        Ok(())
    }

    /// Columns of `results.csv`: the arm, the level on each axis, the settings of searches, totals, targets, digests.
    fn results_header(&self) -> Vec<String> {
        let mut header = vec!["arm".to_owned()];
        for axis in &self.plan().axes {
            let name = free_name(&header, &[&axis.name, &format!("axis_{}", axis.name)]);
            header.push(name);
        }
        for path in self.plan().searched() {
            let last = path.rsplit('.').next().unwrap_or(path);
            let name = free_name(&header, &[last, path]);
            header.push(name);
        }
        header.extend(TOTALS.map(str::to_owned));
        for target in &self.plan().targets {
            // The name is that of the bound: at most and at least 1 of a column are both `to_COLUMN_1`.
            let column = OF_TARGETS[0];
            let first = free_name(&header, &[&format!("{column}_to_{}", target.column_name())]);
            let end = first[column.len()..].to_owned();
            header.extend(OF_TARGETS.map(|column| format!("{column}{end}")));
        }
        header.extend(DIGESTS.map(str::to_owned));
        header
    }

    /// The protocols' own columns, of all arms together, by name.
    fn extra_columns(&self) -> Result<Vec<String>, StoreError> {
        let mut names = BTreeSet::new();
        for arm in 0..self.plan().arms.len() {
            // All runs of an arm have the same columns: the first that is there knows them.
            let there = self
                .plan()
                .replicate_numbers()
                .find(|&replicate| self.kind(arm, replicate).is_some_and(|kind| kind != FrameKind::NotRun));
            let run = there.map(|replicate| self.run(arm, replicate)).transpose()?.flatten();
            names.extend(run.into_iter().flat_map(|run| run.manifest.extra_columns));
        }
        Ok(names.into_iter().collect())
    }

    fn write_arm(&self, table: &mut FileTable, arm: usize, replicate: u64) -> Result<(), RecordError> {
        table.cell(&self.plan().arms[arm].name)?;
        let levels = self.plan().own_levels(arm).into_iter().chain(self.plan().point(arm));
        levels.into_iter().try_for_each(|level| table.cell(level.unwrap_or_default()))?;
        table.cell(replicate)?;
        table.cell(self.plan().arms[arm].seed)
    }

    fn write_result(
        &self,
        table: &mut FileTable,
        arm: usize,
        replicate: u64,
        run: &RunRecord,
    ) -> Result<(), RecordError> {
        self.write_arm(table, arm, replicate)?;
        let (manifest, totals) = (&run.manifest, &run.manifest.totals);
        table.cell(FrameKind::of(run).name())?;
        table.cell(&manifest.stop_reason)?;
        table.cell(totals.rounds)?;
        table.seconds(totals.time_ns)?;
        let bits = [totals.bits_up, totals.bits_down, totals.bits_peer, totals.bits_header];
        for value in [totals.expectations].into_iter().chain(bits).chain([totals.bits_wasted, totals.bits_total()]) {
            table.cell(value)?;
        }
        table.float(manifest.energy.map(|energy| energy.clients_j + energy.server_j.unwrap_or(0.0)))?;
        for column in ["objective", "mean_field_sq", "parameter_error_sq"] {
            table.float(run.last(column))?;
        }
        table.cell(manifest.caveats.iter().map(|caveat| caveat.kind().id).collect::<Vec<_>>().join("; "))?;
        for target in &self.plan().targets {
            match reach(run, target) {
                None => OF_TARGETS.iter().try_for_each(|_| table.cell(""))?,
                Some(reach) => {
                    table.cell(u8::from(reach.reached))?;
                    table.cell(Verdict::of(run, target).map_or("", Verdict::name))?;
                    table.cell(reach.round)?;
                    table.seconds(reach.time_ns)?;
                    table.cell(reach.bits_up)?;
                    table.cell(reach.bits_total)?;
                }
            }
        }
        let key = self.plan().arms[arm].key(replicate).map_or_else(String::new, |key| key.to_string());
        let digests = &manifest.digests;
        [&digests.data, &digests.timeline, &digests.state, &key]
            .into_iter()
            .try_for_each(|digest| table.cell(digest))?;
        table.end_row()
    }

    /// The row of a run that could not be run; a run that was never tried has none.
    fn write_absent(&self, table: &mut FileTable, arm: usize, replicate: u64) -> Result<(), StoreError> {
        let Some(key) = self.plan().arms[arm].key(replicate) else { return Ok(()) };
        let found = self.store().key_of(key, self.cut_of(replicate));
        let Some(super::StoredRun::NotRun(why)) = self.store().run(&found)? else { return Ok(()) };
        self.write_arm(table, arm, replicate)?;
        table.cell(FrameKind::NotRun.name())?;
        table.cell(why)?;
        let empty = TOTALS.len() - 4 + OF_TARGETS.len() * self.plan().targets.len() + DIGESTS.len() - 1;
        (0..empty).try_for_each(|_| table.cell(""))?;
        table.cell(key)?;
        Ok(table.end_row()?)
    }
}

/// Whether a file begins as the table does that a study writes under its name; in `tables/` that is any table of runs.
fn is_table(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fedbits_spec::files::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut start));
    let header = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let has = |part: &str| header.windows(part.len()).any(|own| own == part.as_bytes());
    read.is_ok()
        && match path.file_name().and_then(|name| name.to_str()) {
            _ if path.parent().and_then(Path::file_name).is_some_and(|folder| folder == TABLES_FOLDER) => {
                header.starts_with(b"arm,replicate,")
            }
            Some(RESULTS_FILE) => header.starts_with(b"arm,") && has(",replicate,seed,status,stop_reason,"),
            Some(CURVES_FILE) => header.starts_with(b"arm,replicate,round,"),
            Some(LEDGER_FILE) => header.starts_with(b"arm,direction,purpose,fate,"),
            _ => start.starts_with(b"PAR1"),
        }
}

/// The first of some names that no other column has; else the last of them with a number.
fn free_name(header: &[String], names: &[&str]) -> String {
    let last = names.last().copied().unwrap_or_default();
    let numbered = (2..).map(|number| format!("{last}_{number}"));
    let mut all = names.iter().map(|&name| name.to_owned()).chain(numbered);
    all.find(|name| !is_taken(header, name)).expect("one of endless names is free")
}

/// Whether a column of the name is there, or comes after the settings.
fn is_taken(header: &[String], name: &str) -> bool {
    TOTALS.contains(&name) || DIGESTS.contains(&name) || header.iter().any(|own| own == name)
}

fn curves_header(extras: &[String]) -> Vec<String> {
    let fixed = ["arm", "replicate"].into_iter().chain(ROUND_COLUMNS);
    fixed.map(str::to_owned).chain(extras.iter().cloned()).collect()
}

fn write_curve(table: &mut FileTable, extras: &[String], run: &RunRecord) -> Result<(), RecordError> {
    let own = &run.manifest.extra_columns;
    let columns: Vec<Option<usize>> = extras.iter().map(|name| own.iter().position(|own| own == name)).collect();
    for row in &run.rounds {
        table.cell(&run.manifest.arm)?;
        table.cell(run.manifest.replicate)?;
        let extra = columns.iter().map(|column| row.extra.get((*column)?).copied().flatten()).collect();
        crate::RoundRow { extra, ..row.clone() }.write(table)?;
    }
    Ok(())
}

/// Sums over the runs of each arm: runs, messages, and bits of payload, headers and retransmissions.
#[derive(Default)]
struct LedgerSums {
    sums: BTreeMap<(usize, Direction, String, Fate), [u64; 5]>,
}

impl LedgerSums {
    fn add(&mut self, arm: usize, run: &RunRecord) {
        for row in &run.ledger {
            let sum = self.sums.entry((arm, row.direction, row.purpose.clone(), row.fate)).or_default();
            let more = [1, row.messages, row.payload_bits, row.header_bits, row.retransmitted_bits];
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    fn write(&self, study: &StudyRecord, folder: &Path) -> Result<(), StoreError> {
        let header = [
            "arm",
            "direction",
            "purpose",
            "fate",
            "runs",
            "messages",
            "payload_bits",
            "header_bits",
            "retransmitted_bits",
        ];
        let mut table = FileTable::create(folder, LEDGER_FILE, &header)?;
        for ((arm, direction, purpose, fate), sums) in &self.sums {
            table.cell(&study.plan().arms[*arm].name)?;
            table.cell(direction)?;
            table.cell(purpose)?;
            table.cell(fate)?;
            sums.iter().try_for_each(|sum| table.cell(sum))?;
            table.end_row()?;
        }
        table.finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::free_name;

    /// A header has each name once: names of axes and paths that are taken get another.
    #[test]
    fn names_of_columns_are_free() {
        let header = ["arm", "clients", "protocol.gamma"].map(str::to_owned);
        for (names, expected) in [
            (&["alpha", "axis_alpha"][..], "alpha"),
            (&["seed", "axis_seed"], "axis_seed"),
            (&["gamma", "protocol.gamma"], "gamma"),
            (&["clients", "clients"], "clients_2"),
            (&["seed"], "seed_2"),
        ] {
            assert_eq!(free_name(&header, names), expected);
        }
    }
}
