//! Tidy tables over the runs of a folder: `runs`, with a row per run, and every table that runs leave, with arm, axes
//! and replicate before each row. Rows stand in the order of the plan, whoever made the runs, so equal results give
//! equal bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use fedbits_spec::files;

use super::runs_table::free_name;
use super::{Results, StoreError, StoredRun, move_aside};
use crate::files::{is_there, lock, remove_if_there, rename};
#[cfg(feature = "parquet")]
use crate::parquet::ParquetTable;
use crate::run_record::{COMMON_TABLES, RUNS_TABLE};
use crate::table::FileTable;
use crate::{Cell, ColumnKind, RecordError, RunRecord, RunTable, TemporaryFolder, uninterrupted};

/// A table with more rows is written on demand.
const MOST_ROWS: u64 = 2_000_000;

/// What became of the tables of a folder.
#[derive(Debug, Default)]
pub struct WrittenTables {
    /// Where files are now that stood at the path of a table and were none.
    pub moved_aside: Vec<PathBuf>,
    /// Tables with more than two million rows, which are written on demand.
    pub too_large: Vec<String>,
}

/// A table over several runs.
#[derive(Debug, Default)]
pub struct TidyTable {
    /// Names and kinds of its columns.
    pub columns: Vec<(String, ColumnKind)>,
    /// Rows, one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// Which runs and which tables are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// The number of an arm and a replicate; else all runs.
    pub run: Option<(usize, u64)>,
    /// The name of a table; else all.
    pub table: Option<&'a str>,
}

/// The columns of every table behind arm, axes and replicate.
#[derive(Default)]
struct Schemas(Vec<(String, Schema)>);

/// The columns of one table, in the order in which runs have them. A kind is missing as long as all cells are.
#[derive(Default)]
struct Schema {
    columns: Vec<(String, Option<ColumnKind>)>,
    places: BTreeMap<String, usize>,
}

impl Schemas {
    /// Learns the columns of a table.
    fn learn(&mut self, table: &RunTable) {
        let number = self.0.iter().position(|(name, _)| *name == table.name).unwrap_or_else(|| {
            self.0.push((table.name.clone(), Schema::default()));
            self.0.len() - 1
        });
        let Schema { columns, places } = &mut self.0[number].1;
        for (index, name) in table.columns.iter().enumerate() {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                columns.push((name.clone(), None));
                columns.len() - 1
            });
            for kind in table.rows.iter().filter_map(|row| row[index].kind()) {
                let known = &mut columns[place].1;
                *known = Some(known.map_or(kind, |known| known.or(kind)));
            }
        }
    }

    /// The number of a table, and where its columns are; none where one is not known.
    fn places(&self, table: &RunTable) -> Option<(usize, Vec<usize>)> {
        let number = self.0.iter().position(|(name, _)| *name == table.name)?;
        let places = &self.0[number].1.places;
        Some((number, table.columns.iter().map(|name| places.get(name).copied()).collect::<Option<_>>()?))
    }
}

impl Results {
    /// Writes the tables of the runs that are there, each whole or not at all.
    pub fn write_tables(&self) -> Result<WrittenTables, StoreError> {
        let made = TemporaryFolder::make_in(self.directory())?;
        let (files, too_large) = self.csv_tables(made.path(), MOST_ROWS)?;
        // Else the table of another process would stand where none is.
        let _lock = lock(self.directory());
        uninterrupted(|| {
            let names =
                files.iter().filter_map(|file| file.strip_suffix(".csv")).chain(too_large.iter().map(String::as_str));
            forget(self.directory(), &names.collect::<Vec<_>>())?;
            let mut moved_aside = Vec::new();
            for file in files {
                let path = self.directory().join(&file);
                if path.symlink_metadata().is_ok() {
                    moved_aside.push(move_aside(self.directory(), &path)?);
                }
                rename(&made.path().join(&file), &path)?;
            }
            Ok(WrittenTables { moved_aside, too_large })
        })
    }

    /// Names of the tables in the directory that are not what its runs give: changed, missing, or of other runs. None
    /// where no table was written yet.
    ///
    /// # Errors
    /// [`StoreError`]: a result that cannot be read, no room for the tables to compare with.
    pub fn changed_tables(&self) -> Result<Vec<String>, StoreError> {
        // Of runs that are still made there are no tables yet.
        if self.counts().missing() > 0 && !is_there(&self.directory().join(format!("{RUNS_TABLE}.csv")))? {
            return Ok(Vec::new());
        }
        let made = TemporaryFolder::make_in(&std::env::temp_dir())?;
        let read = |path: PathBuf| files::if_there(files::read(&path)).map_err(|error| StoreError::io(&path, error));
        let mut changed = Vec::new();
        for name in self.csv_tables(made.path(), MOST_ROWS)?.0 {
            let is_same = read(made.path().join(&name))? == read(self.directory().join(&name))?;
            changed.extend((!is_same).then_some(name));
        }
        Ok(changed)
    }

    /// Removes the tables of the runs in a directory, and nothing else there: a user's own table may begin as these do.
    pub fn remove_tables(directory: &Path) -> Result<(), StoreError> {
        // Where runs cannot be read, only the tables that all runs have are known.
        let names = Self::open(directory).and_then(|record| record.table_names()).unwrap_or_default();
        forget(directory, &names)
    }

    /// Writes every table as CSV into a folder, and returns the names of the files.
    pub fn export_csv(&self, folder: &Path) -> Result<Vec<String>, StoreError> {
        Ok(self.csv_tables(folder, u64::MAX)?.0)
    }

    /// The names of the files, and the names of tables with more rows than `most`, which have none.
    fn csv_tables(&self, folder: &Path, most: u64) -> Result<(Vec<String>, Vec<String>), StoreError> {
        let begin = |schemas: &Schemas| {
            let create = |(name, schema): &(String, Schema)| {
                let header: Vec<String> = self.columns(schema).into_iter().map(|(name, _)| name).collect();
                Ok((Some(FileTable::create(folder, &format!("{name}.csv"), &header)?), 0))
            };
            Ok(schemas.0.iter().map(create).collect::<Result<Vec<_>, RecordError>>()?)
        };
        // One with too many rows is dropped.
        let row = |(table, rows): &mut (Option<FileTable>, u64), cells: Vec<Cell>| {
            *rows += 1;
            let Some(to) = table.as_mut().filter(|_| *rows <= most) else {
                *table = None;
                return Ok(());
            };
            cells.iter().try_for_each(|cell| to.cell(cell))?;
            to.end_row()
        };
        let (schemas, files) = self.tables_into(Selection::default(), false, begin, row)?;
        let (mut names, mut too_large) = (Vec::new(), Vec::new());
        for ((table, _), (name, _)) in files.into_iter().zip(schemas.0) {
            match table {
                Some(table) => names.push(table.finish()?),
                None => too_large.push(name),
            }
        }
        Ok((names, too_large))
    }

    /// A table over runs; none where no run has it.
    pub fn table(&self, selection: Selection<'_>) -> Result<Option<TidyTable>, StoreError> {
        let begin = |schemas: &Schemas| Ok(vec![Vec::new(); schemas.0.len()]);
        let row = |rows: &mut Vec<Vec<Cell>>, cells| {
            rows.push(cells);
            Ok(())
        };
        let (schemas, rows) = self.tables_into(selection, true, begin, row)?;
        let first = schemas.0.iter().zip(rows).next();
        Ok(first.map(|((_, schema), rows)| TidyTable { columns: self.columns(schema), rows }))
    }

    /// Names of the tables that the runs have.
    pub fn table_names(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.schemas(Selection::default(), false)?.0.into_iter().map(|(name, _)| name).collect())
    }

    /// Writes every table as Parquet into a folder, and returns the names of the files.
    #[cfg(feature = "parquet")]
    pub fn export_parquet(&self, folder: &Path) -> Result<Vec<String>, StoreError> {
        let file = |name: &str| format!("{name}.parquet");
        let begin = |schemas: &Schemas| {
            let create = |(name, schema): &(String, Schema)| {
                ParquetTable::create(&folder.join(file(name)), &self.columns(schema))
            };
            Ok(schemas.0.iter().map(create).collect::<Result<Vec<_>, RecordError>>()?)
        };
        let (schemas, files) = self.tables_into(Selection::default(), true, begin, ParquetTable::row)?;
        files.into_iter().try_for_each(ParquetTable::finish)?;
        Ok(schemas.0.iter().map(|(name, _)| file(name)).collect())
    }

    /// Hands the rows of each selected table by `row` to what `begin` makes of its schema; `thorough`: schemas are of
    /// all runs, and not of the first of each arm.
    fn tables_into<T>(
        &self,
        selection: Selection<'_>,
        thorough: bool,
        begin: impl Fn(&Schemas) -> Result<Vec<T>, StoreError>,
        row: impl Fn(&mut T, Vec<Cell>) -> Result<(), RecordError>,
    ) -> Result<(Schemas, Vec<T>), StoreError> {
        let schemas = self.schemas(selection, thorough)?;
        let mut tables = begin(&schemas)?;
        // A run may have what the first of its arm has not, as where that failed early.
        if !self.fill(selection, &schemas, |number, cells| row(&mut tables[number], cells))? && !thorough {
            return self.tables_into(selection, true, begin, row);
        }
        Ok((schemas, tables))
    }

    /// The columns of the selected tables, of the first run of each arm or of all runs.
    fn schemas(&self, selection: Selection<'_>, thorough: bool) -> Result<Schemas, StoreError> {
        let (mut schemas, mut known) = (Schemas::default(), None);
        for (arm, replicate) in self.selected(selection) {
            if known == Some(arm) {
                continue;
            }
            let (is_run, tables) = self.tables_of(selection, (arm, replicate))?;
            tables.iter().for_each(|table| schemas.learn(table));
            known = (is_run && !thorough).then_some(arm);
        }
        Ok(schemas)
    }

    /// Whether the schemas have all columns of the runs.
    fn fill(
        &self,
        selection: Selection<'_>,
        schemas: &Schemas,
        mut take: impl FnMut(usize, Vec<Cell>) -> Result<(), RecordError>,
    ) -> Result<bool, StoreError> {
        for (arm, replicate) in self.selected(selection) {
            let key = self.key_cells(arm, replicate);
            for table in self.tables_of(selection, (arm, replicate))?.1 {
                let Some((number, places)) = schemas.places(&table) else { return Ok(false) };
                let width = key.len() + schemas.0[number].1.columns.len();
                for row in table.rows {
                    let mut cells = key.clone();
                    cells.resize(width, Cell::Missing);
                    places.iter().zip(row).for_each(|(place, cell)| cells[key.len() + place] = cell);
                    take(number, cells)?;
                }
            }
        }
        Ok(true)
    }

    /// Number of the arm and replicate of the selected runs, arm by arm.
    fn selected(&self, selection: Selection<'_>) -> impl Iterator<Item = (usize, u64)> {
        let replicates = self.plan().replicate_numbers();
        let all = (0..self.plan().arms.len()).flat_map(move |arm| replicates.clone().map(move |number| (arm, number)));
        all.filter(move |run| selection.run.is_none_or(|wanted| wanted == *run))
    }

    /// Whether a run has a result, and its selected tables. A run that could not be run has the table of runs alone;
    /// one that was not tried has none.
    fn tables_of(
        &self,
        selection: Selection<'_>,
        (arm, replicate): (usize, u64),
    ) -> Result<(bool, Vec<RunTable>), StoreError> {
        let is_wanted = |name: &str| selection.table.is_none_or(|wanted| wanted == name);
        let run = match self.run(arm, replicate)? {
            Some(run) => Ok(run),
            None => match self.why_not_run(arm, replicate)? {
                Some(why) => Err(why),
                None => return Ok((false, Vec::new())),
            },
        };
        let of_runs = is_wanted(RUNS_TABLE).then(|| self.runs_table(arm, replicate, run.as_ref()));
        let names = run.iter().flat_map(RunRecord::table_names).filter(|name| is_wanted(name));
        let others = names.filter_map(|name| run.as_ref().ok()?.table(name)).map(Cow::into_owned);
        Ok((run.is_ok(), of_runs.into_iter().chain(others).collect()))
    }

    /// Why a run could not be run; none of one that was never tried.
    fn why_not_run(&self, arm: usize, replicate: u64) -> Result<Option<String>, StoreError> {
        let Some(key) = self.plan().arms[arm].key(replicate) else { return Ok(None) };
        let found = self.store().key_of(key, self.cut_of(replicate));
        match self.store().run(&found)? {
            Some(StoredRun::NotRun(why)) => Ok(Some(why)),
            _ => Ok(None),
        }
    }

    /// Arm, the level on each axis, and replicate.
    fn key_cells(&self, arm: usize, replicate: u64) -> Vec<Cell> {
        let levels = self.plan().existing_levels(arm).into_iter().map(Cell::from);
        [Cell::from(&self.plan().arms[arm].name)].into_iter().chain(levels).chain([replicate.into()]).collect()
    }

    /// All columns of a table. An axis that is called like another column has `axis_` before its name.
    fn columns(&self, schema: &Schema) -> Vec<(String, ColumnKind)> {
        let mut names = vec!["arm".to_owned()];
        let last = "replicate".to_owned();
        for axis in &self.plan().axes {
            let is_free = |name: &String| !schema.places.contains_key(name) && !names.contains(name) && *name != last;
            let name = free_name(&[&axis.name, &format!("axis_{}", axis.name)], is_free);
            names.push(name);
        }
        let levels = names.into_iter().map(|name| (name, ColumnKind::Text));
        let key = levels.chain([(last, ColumnKind::Whole)]);
        let columns = schema.columns.iter().map(|(name, kind)| (name.clone(), kind.unwrap_or(ColumnKind::Float)));
        key.chain(columns).collect()
    }
}

/// Removes these tables, and those that all runs have.
fn forget(directory: &Path, names: &[impl AsRef<str>]) -> Result<(), StoreError> {
    let common = [RUNS_TABLE].into_iter().chain(COMMON_TABLES);
    for name in common.chain(names.iter().map(AsRef::as_ref)) {
        let path = directory.join(format!("{name}.csv"));
        if is_table(&path) {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// Whether a file begins as a table over runs does.
fn is_table(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = files::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut start));
    let header = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let has = |part: &[u8]| header.windows(part.len()).any(|window| window == part);
    read.is_ok() && header.starts_with(b"arm,") && has(b",replicate,")
}

#[cfg(test)]
mod tests {
    use crate::results::{ArmIdentity, PlanArm, Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun};
    use crate::{Cell, RunRecord, RunTable};

    /// A table with more rows than are wanted is left out, and no other.
    #[test]
    fn large_tables_are_left_out() {
        let home = tempfile::tempdir().unwrap();
        let arm = |name: &str| PlanArm {
            name: name.to_owned(),
            seed: 1,
            identity: ArmIdentity::of("0", name, &[]).to_string(),
            ..PlanArm::default()
        };
        let plan = RunPlan {
            name: "large".to_owned(),
            arms: ["a", "b"].map(arm).to_vec(),
            replicates: 1,
            ..RunPlan::default()
        };
        plan.write(home.path()).unwrap();
        let mut writer = SegmentWriter::new(&home.path().join(SEGMENTS_FOLDER));
        for (arm, rows) in [(0, 3), (1, 2)] {
            let rows = (0..rows).map(|row| vec![Cell::Whole(row)]).collect();
            let words = RunTable { name: "words".to_owned(), columns: vec!["k".to_owned()], rows };
            let record = RunRecord { extra: vec![words], ..RunRecord::default() };
            writer.append(plan.arms[arm].key(0).unwrap(), &StoredRun::finished(record)).unwrap();
        }
        let record = Results::open(home.path()).unwrap();
        let written = |most: u64| {
            let folder = tempfile::tempdir().unwrap();
            let (names, left_out) = record.csv_tables(folder.path(), most).unwrap();
            let words = std::fs::read_to_string(folder.path().join("words.csv")).ok().map(|text| text.lines().count());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), names.len());
            (names.len(), words, left_out)
        };
        assert_eq!(written(5), (5, Some(6), Vec::new()));
        assert_eq!(written(4), (4, None, vec!["words".to_owned()]));
    }
}
