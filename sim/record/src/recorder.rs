//! Takes the rows of a run as they come. Nothing flows back: a run is the same whether it is recorded or not.

use crate::files::{make, persist, temporary_in};
use crate::histogram::HISTOGRAM_COLUMNS;
use crate::ledger::LEDGER_COLUMNS;
use crate::table::Table;
use crate::topology::TOPOLOGY_COLUMNS;
use crate::{
    ExtraTable, HISTOGRAMS_FILE, Histogram, LEDGER_FILE, LedgerRow, MANIFEST_FILE, Manifest, ROUND_COLUMNS,
    ROUNDS_FILE, RecordError, RoundRow, RunRecord, STATISTICS_FILE, Series, SeriesRow, THETA_FILE, TIMELINE_FILE,
    TOPOLOGY_FILE, TopologyRows, series,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The columns a run declares before its first row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The protocol's columns after the common ones of `rounds.csv`.
    pub extra: Vec<String>,
    /// Component names of θ; empty when θ is not recorded.
    pub theta: Vec<String>,
    /// Component names of Ŝ; empty when Ŝ is not recorded.
    pub statistics: Vec<String>,
}

/// Where rows go: nowhere, into memory, or into the files of a directory.
pub struct Recorder {
    columns: Columns,
    sink: Sink,
}

enum Sink {
    Nothing,
    Memory(Box<Memory>),
    Files(Box<Files>),
}

#[derive(Default)]
struct Memory {
    rounds: Vec<RoundRow>,
    theta: Vec<SeriesRow>,
    statistics: Vec<SeriesRow>,
    topology: Option<TopologyRows>,
    extra: Vec<ExtraTable>,
}

/// Tables under temporary names; dropping them unfinished removes them.
struct Files {
    directory: PathBuf,
    /// Folders that were made for the record, deepest first.
    created: Vec<PathBuf>,
    rounds: Option<Table>,
    theta: Option<Table>,
    statistics: Option<Table>,
    timeline: Option<NamedTempFile>,
    topology: Option<Table>,
    extra: Vec<(String, Table)>,
}

impl Recorder {
    /// Forgets everything (rows are still checked).
    #[must_use]
    pub fn nothing(columns: Columns) -> Self {
        Self { columns, sink: Sink::Nothing }
    }

    /// Keeps everything; [`Recorder::finish`] hands it out.
    #[must_use]
    pub fn memory(columns: Columns) -> Self {
        Self { columns, sink: Sink::Memory(Box::default()) }
    }

    /// Writes into `directory`, which is made when missing. Until [`Recorder::finish`] a record that stood there stays.
    ///
    /// # Errors
    /// [`RecordError::Io`] when the directory cannot be written, [`RecordError::ColumnName`] for a bad column name.
    pub fn files(directory: &Path, columns: Columns) -> Result<Self, RecordError> {
        let created = make(directory)?;
        let directory = directory.to_path_buf();
        let mut files = Files {
            directory,
            created,
            rounds: None,
            theta: None,
            statistics: None,
            timeline: None,
            topology: None,
            extra: Vec::new(),
        };
        let header: Vec<&str> = ROUND_COLUMNS.into_iter().chain(columns.extra.iter().map(String::as_str)).collect();
        files.rounds = Some(Table::create(&files.directory, ROUNDS_FILE, &header)?);
        files.theta = files.series(THETA_FILE, &columns.theta)?;
        files.statistics = files.series(STATISTICS_FILE, &columns.statistics)?;
        Ok(Self { columns, sink: Sink::Files(Box::new(files)) })
    }

    /// Takes a row of `rounds.csv`.
    ///
    /// # Errors
    /// [`RecordError::NotFinite`] and [`RecordError::Values`] for a row that no record may hold; [`RecordError::Io`].
    pub fn round(&mut self, row: &RoundRow) -> Result<(), RecordError> {
        row.check(&self.path(ROUNDS_FILE), &self.columns.extra)?;
        match &mut self.sink {
            Sink::Nothing => {}
            Sink::Memory(memory) => memory.rounds.push(row.clone()),
            Sink::Files(files) => {
                if let Some(table) = &mut files.rounds {
                    row.write(table)?;
                }
            }
        }
        Ok(())
    }

    /// Takes θ after `round`, in the order of the declared names; without declared names θ is not recorded.
    ///
    /// # Errors
    /// As for [`Recorder::round`].
    pub fn theta(&mut self, round: u64, values: &[f64]) -> Result<(), RecordError> {
        if self.columns.theta.is_empty() {
            return Ok(());
        }
        series::check(&self.path(THETA_FILE), round, &self.columns.theta, values)?;
        match &mut self.sink {
            Sink::Nothing => Ok(()),
            Sink::Memory(memory) => keep(&mut memory.theta, round, values),
            Sink::Files(files) => write_series(&mut files.theta, round, values),
        }
    }

    /// Takes Ŝ after `round`, in the order of the declared names; without declared names Ŝ is not recorded.
    ///
    /// # Errors
    /// As for [`Recorder::round`].
    pub fn statistics(&mut self, round: u64, values: &[f64]) -> Result<(), RecordError> {
        if self.columns.statistics.is_empty() {
            return Ok(());
        }
        series::check(&self.path(STATISTICS_FILE), round, &self.columns.statistics, values)?;
        match &mut self.sink {
            Sink::Nothing => Ok(()),
            Sink::Memory(memory) => keep(&mut memory.statistics, round, values),
            Sink::Files(files) => write_series(&mut files.statistics, round, values),
        }
    }

    /// Takes the check bytes of the timeline, one per event.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn timeline(&mut self, checks: &[u8]) -> Result<(), RecordError> {
        if let Sink::Files(files) = &mut self.sink {
            let mut file = temporary_in(&files.directory)?;
            file.write_all(checks).map_err(|source| RecordError::io(&files.directory.join(TIMELINE_FILE), source))?;
            files.timeline = Some(file);
        }
        Ok(())
    }

    /// Takes the topology of the network.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn topology(&mut self, topology: &TopologyRows) -> Result<(), RecordError> {
        match &mut self.sink {
            Sink::Nothing => {}
            Sink::Memory(memory) => memory.topology = Some(topology.clone()),
            Sink::Files(files) => {
                let mut table = Table::create(&files.directory, TOPOLOGY_FILE, &TOPOLOGY_COLUMNS)?;
                topology.write(&mut table, &[])?;
                files.topology = Some(table);
            }
        }
        Ok(())
    }

    /// Takes a table that only this run has; its name is none of the common ones'.
    ///
    /// # Errors
    /// [`RecordError::Io`]; [`RecordError::ColumnName`] for a bad column name.
    pub fn extra(&mut self, table: &ExtraTable) -> Result<(), RecordError> {
        match &mut self.sink {
            Sink::Nothing => {}
            Sink::Memory(memory) => memory.extra.push(table.clone()),
            Sink::Files(files) => {
                let written = table.write(&files.directory)?;
                files.extra.push((table.file(), written));
            }
        }
        Ok(())
    }

    /// Ends the record: the remaining tables are written, every file gets its name, the manifest last. Files of an earlier
    /// record in the directory that this one does not have are removed. The columns and files of `manifest` are filled in.
    ///
    /// Returns the record when it was kept in memory.
    ///
    /// # Errors
    /// [`RecordError::Io`]; the directory then has no manifest or the former record.
    pub fn finish(
        self,
        mut manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> Result<Option<RunRecord>, RecordError> {
        manifest.extra_columns.clone_from(&self.columns.extra);
        match self.sink {
            Sink::Nothing => Ok(None),
            Sink::Memory(memory) => Ok(Some(memory.finish(self.columns, manifest, ledger, histograms))),
            Sink::Files(files) => files.finish(manifest, ledger, histograms).map(|()| None),
        }
    }

    /// Where the table would be; its bare name when nothing is written.
    fn path(&self, name: &str) -> PathBuf {
        match &self.sink {
            Sink::Files(files) => files.directory.join(name),
            Sink::Nothing | Sink::Memory(_) => PathBuf::from(name),
        }
    }
}

fn keep(rows: &mut Vec<SeriesRow>, round: u64, values: &[f64]) -> Result<(), RecordError> {
    rows.push(SeriesRow { round, values: values.to_vec() });
    Ok(())
}

fn write_series(table: &mut Option<Table>, round: u64, values: &[f64]) -> Result<(), RecordError> {
    match table {
        Some(table) => SeriesRow::write(round, values, table),
        None => Ok(()),
    }
}

impl Memory {
    fn finish(self, columns: Columns, manifest: Manifest, ledger: &[LedgerRow], histograms: &[Histogram]) -> RunRecord {
        let series = |names: Vec<String>, rows| (!names.is_empty()).then_some(Series { names, rows });
        RunRecord {
            manifest,
            rounds: self.rounds,
            ledger: ledger.to_vec(),
            histograms: histograms.iter().map(Histogram::summary).collect(),
            theta: series(columns.theta, self.theta),
            statistics: series(columns.statistics, self.statistics),
            topology: self.topology,
            extra: self.extra,
        }
    }
}

impl Files {
    /// The table `round,<names…>`, unless there are no names.
    fn series(&self, name: &str, names: &[String]) -> Result<Option<Table>, RecordError> {
        if names.is_empty() {
            return Ok(None);
        }
        let header: Vec<&str> = ["round"].into_iter().chain(names.iter().map(String::as_str)).collect();
        Table::create(&self.directory, name, &header).map(Some)
    }

    fn finish(
        mut self,
        mut manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> Result<(), RecordError> {
        manifest.check(&self.directory)?;
        let mut ledger_table = Table::create(&self.directory, LEDGER_FILE, &LEDGER_COLUMNS)?;
        ledger.iter().try_for_each(|row| row.write(&mut ledger_table))?;
        let mut histogram_table = Table::create(&self.directory, HISTOGRAMS_FILE, &HISTOGRAM_COLUMNS)?;
        histograms.iter().try_for_each(|histogram| histogram.summary().write(&mut histogram_table))?;
        let tables = [
            (ROUNDS_FILE, self.rounds.take()),
            (LEDGER_FILE, Some(ledger_table)),
            (HISTOGRAMS_FILE, Some(histogram_table)),
            (THETA_FILE, self.theta.take()),
            (STATISTICS_FILE, self.statistics.take()),
            (TOPOLOGY_FILE, self.topology.take()),
        ];
        let former = Manifest::read(&self.directory).map_or_else(|_| Vec::new(), |manifest| manifest.files);
        // Without its manifest a directory is no record, so no reader meets a mixture of the former one and this one.
        remove_if_there(&self.directory.join(MANIFEST_FILE))?;
        manifest.files.clear();
        for (name, table) in tables {
            match table {
                Some(table) => {
                    table.finish()?;
                    manifest.files.push(name.to_owned());
                }
                None => remove_if_there(&self.directory.join(name))?,
            }
        }
        for (name, table) in std::mem::take(&mut self.extra) {
            table.finish()?;
            manifest.files.push(name);
        }
        let timeline = self.directory.join(TIMELINE_FILE);
        match self.timeline.take() {
            Some(file) => {
                persist(file, &timeline)?;
                manifest.files.push(TIMELINE_FILE.to_owned());
            }
            None => remove_if_there(&timeline)?,
        }
        let gone = former.iter().filter(|name| !manifest.files.contains(name) && is_plain(name));
        gone.map(|name| self.directory.join(name)).try_for_each(|path| remove_if_there(&path))?;
        manifest.write(&self.directory)?;
        self.created.clear();
        Ok(())
    }
}

impl Drop for Files {
    /// An aborted run leaves no debris: temporary files go, and so do the folders made for them.
    fn drop(&mut self) {
        self.rounds = None;
        self.theta = None;
        self.statistics = None;
        self.timeline = None;
        self.topology = None;
        self.extra.clear();
        for folder in &self.created {
            // Refused when the folder is not empty; then somebody else uses it and it stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Whether a name of a former manifest, which anybody may have written, stays in the directory.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
}

fn remove_if_there(path: &Path) -> Result<(), RecordError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(RecordError::io(path, source)),
        _ => Ok(()),
    }
}
