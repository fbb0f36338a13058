//! Takes the rows of a run as they come. Nothing flows back: a run is the same whether it is recorded or not.

use crate::files::{Temporary, persist, temporary_in};
use crate::folder::Staging;
use crate::histogram::HISTOGRAM_COLUMNS;
use crate::ledger::LEDGER_COLUMNS;
use crate::table::FileTable;
use crate::topology::TOPOLOGY_COLUMNS;
use crate::{
    ExtraTable, HISTOGRAMS_FILE, Histogram, LEDGER_FILE, LedgerRow, Manifest, RECORD_FORMAT, ROUND_COLUMNS,
    ROUNDS_FILE, RecordError, RoundCosts, RoundRow, RunRecord, STATISTICS_FILE, Series, SeriesRow, THETA_FILE,
    TIMELINE_FILE, TOPOLOGY_FILE, TopologyRows, series, undivided,
};
use std::io::Write;
use std::path::{Path, PathBuf};

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
    sink: RecordSink,
    /// The first refusal of the system: whatever became of the run then, there is no record of it.
    refused: Option<RecordError>,
}

enum RecordSink {
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

/// Tables in a folder of their own; dropping them unfinished removes them, and the folders made for them.
struct Files {
    rounds: Option<FileTable>,
    /// The last row of `rounds.csv`, which is not in the table yet: the end of the run may complete it.
    last: Option<RoundRow>,
    theta: Option<FileTable>,
    statistics: Option<FileTable>,
    timeline: Option<Temporary>,
    topology: Option<FileTable>,
    extra: Vec<(String, FileTable)>,
    documents: Vec<(String, Temporary)>,
    /// The last to be dropped.
    staging: Staging,
}

impl Recorder {
    fn of(columns: Columns, sink: RecordSink) -> Self {
        Self { columns, sink, refused: None }
    }

    /// Remembers what the system refused: who hears of it first may take it for a failure of the run.
    fn noted(&mut self, written: Result<(), RecordError>) -> Result<(), RecordError> {
        if let Err(RecordError::Io { path, source }) = &written {
            let code = source.raw_os_error().map(std::io::Error::from_raw_os_error);
            let source = code.unwrap_or_else(|| std::io::Error::new(source.kind(), source.to_string()));
            self.refused.get_or_insert(RecordError::io(path, source));
        }
        written
    }

    /// Forgets everything (rows are still checked).
    #[must_use]
    pub fn nothing(columns: Columns) -> Self {
        Self::of(columns, RecordSink::Nothing)
    }

    /// Keeps everything; [`Recorder::finish`] hands it out.
    #[must_use]
    pub fn memory(columns: Columns) -> Self {
        Self::of(columns, RecordSink::Memory(Box::default()))
    }

    /// Writes the record that [`Recorder::finish`] puts in `directory`, which is made when missing. Until then a record
    /// that stands there stays.
    ///
    /// # Errors
    /// [`RecordError::Io`] when the directory cannot be written, [`RecordError::ColumnName`] for a bad column name;
    /// [`RecordError::InTheWay`] for something in `directory` that is no part of a record, and
    /// [`RecordError::Immovable`] for a record there that cannot be replaced at once.
    pub fn files(directory: &Path, columns: Columns) -> Result<Self, RecordError> {
        let mut files = Files {
            rounds: None,
            last: None,
            theta: None,
            statistics: None,
            timeline: None,
            topology: None,
            extra: Vec::new(),
            documents: Vec::new(),
            staging: Staging::of(directory)?,
        };
        let header: Vec<&str> = ROUND_COLUMNS.into_iter().chain(columns.extra.iter().map(String::as_str)).collect();
        files.rounds = Some(FileTable::create(files.staging.path(), ROUNDS_FILE, &header)?);
        files.theta = files.series(THETA_FILE, &columns.theta)?;
        files.statistics = files.series(STATISTICS_FILE, &columns.statistics)?;
        Ok(Self::of(columns, RecordSink::Files(Box::new(files))))
    }

    /// Takes a row of `rounds.csv`.
    ///
    /// # Errors
    /// [`RecordError::NotFinite`] and [`RecordError::Values`] for a row that no record may hold; [`RecordError::Io`].
    pub fn round(&mut self, row: &RoundRow) -> Result<(), RecordError> {
        row.check(&self.path(ROUNDS_FILE), &self.columns.extra)?;
        let written = match &mut self.sink {
            RecordSink::Nothing => Ok(()),
            RecordSink::Memory(memory) => {
                memory.rounds.push(row.clone());
                Ok(())
            }
            RecordSink::Files(files) => files.next_row(Some(row.clone())),
        };
        self.noted(written)
    }

    /// Takes a row in place of the last one, of the same round: what was found out about it since.
    ///
    /// # Errors
    /// [`RecordError::NotFinite`] and [`RecordError::Values`] for a row that no record may hold.
    pub fn complete_round(&mut self, row: &RoundRow) -> Result<(), RecordError> {
        row.check(&self.path(ROUNDS_FILE), &self.columns.extra)?;
        let last = match &mut self.sink {
            RecordSink::Nothing => None,
            RecordSink::Memory(memory) => memory.rounds.last_mut(),
            RecordSink::Files(files) => files.last.as_mut(),
        };
        if let Some(last) = last {
            row.clone_into(last);
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
        let written = match &mut self.sink {
            RecordSink::Nothing => Ok(()),
            RecordSink::Memory(memory) => keep(&mut memory.theta, round, values),
            RecordSink::Files(files) => write_series(&mut files.theta, round, values),
        };
        self.noted(written)
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
        let written = match &mut self.sink {
            RecordSink::Nothing => Ok(()),
            RecordSink::Memory(memory) => keep(&mut memory.statistics, round, values),
            RecordSink::Files(files) => write_series(&mut files.statistics, round, values),
        };
        self.noted(written)
    }

    /// Takes the check bytes of the timeline, one per event.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn timeline(&mut self, checks: &[u8]) -> Result<(), RecordError> {
        if let RecordSink::Files(files) = &mut self.sink {
            let mut file = temporary_in(files.staging.path())?;
            let written = file.write_all(checks);
            written.map_err(|source| RecordError::io(&files.staging.target().join(TIMELINE_FILE), source))?;
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
            RecordSink::Nothing => {}
            RecordSink::Memory(memory) => memory.topology = Some(topology.clone()),
            RecordSink::Files(files) => {
                let mut table = FileTable::create(files.staging.path(), TOPOLOGY_FILE, &TOPOLOGY_COLUMNS)?;
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
        let written = match &mut self.sink {
            RecordSink::Nothing => Ok(()),
            RecordSink::Memory(memory) => {
                memory.extra.push(table.clone());
                Ok(())
            }
            RecordSink::Files(files) => {
                let written = table.write(files.staging.path());
                written.map(|written| files.extra.push((table.file(), written)))
            }
        };
        self.noted(written)
    }

    /// Takes a file that is no table, under a name that no other file of the record has. In memory it is not kept.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn document(&mut self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        if let RecordSink::Files(files) = &mut self.sink {
            let mut file = temporary_in(files.staging.path())?;
            let written = file.write_all(content);
            written.map_err(|source| RecordError::io(&files.staging.target().join(name), source))?;
            files.documents.push((name.to_owned(), file));
        }
        Ok(())
    }

    /// Ends the record: the remaining tables are written, the manifest last, and the whole is moved to its path at
    /// once. A former record in the directory is gone with all its files. The format, columns and files of `manifest`
    /// are filled in.
    ///
    /// Returns the record when it was kept in memory.
    ///
    /// # Errors
    /// [`RecordError::Io`], also where a row or a table was refused before; the directory is then as it was, with the
    /// former record if there was one.
    pub fn finish(
        self,
        mut manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> Result<Option<RunRecord>, RecordError> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        manifest.extra_columns.clone_from(&self.columns.extra);
        manifest.format = RECORD_FORMAT.to_owned();
        match self.sink {
            RecordSink::Nothing => Ok(None),
            RecordSink::Memory(memory) => Ok(Some(memory.finish(self.columns, manifest, ledger, histograms))),
            RecordSink::Files(files) => undivided(|| files.finish(manifest, ledger, histograms)).map(|()| None),
        }
    }

    /// Where the table would be; its bare name when nothing is written.
    fn path(&self, name: &str) -> PathBuf {
        match &self.sink {
            RecordSink::Files(files) => files.staging.target().join(name),
            RecordSink::Nothing | RecordSink::Memory(_) => PathBuf::from(name),
        }
    }
}

fn keep(rows: &mut Vec<SeriesRow>, round: u64, values: &[f64]) -> Result<(), RecordError> {
    rows.push(SeriesRow { round, values: values.to_vec() });
    Ok(())
}

fn write_series(table: &mut Option<FileTable>, round: u64, values: &[f64]) -> Result<(), RecordError> {
    match table {
        Some(table) => SeriesRow::write(round, values, table),
        None => Ok(()),
    }
}

impl Memory {
    fn finish(
        mut self,
        columns: Columns,
        manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> RunRecord {
        RoundCosts::fill(&mut self.rounds, &columns.extra);
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
    /// Writes the row that was the last one until now.
    fn next_row(&mut self, row: Option<RoundRow>) -> Result<(), RecordError> {
        match (std::mem::replace(&mut self.last, row), &mut self.rounds) {
            (Some(former), Some(table)) => former.write(table),
            _ => Ok(()),
        }
    }

    /// The table `round,<names…>`, unless there are no names.
    fn series(&self, name: &str, names: &[String]) -> Result<Option<FileTable>, RecordError> {
        if names.is_empty() {
            return Ok(None);
        }
        let header: Vec<&str> = ["round"].into_iter().chain(names.iter().map(String::as_str)).collect();
        FileTable::create(self.staging.path(), name, &header).map(Some)
    }

    fn finish(
        mut self,
        mut manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> Result<(), RecordError> {
        self.next_row(None)?;
        let folder = self.staging.path();
        manifest.check(self.staging.target())?;
        let mut ledger_table = FileTable::create(folder, LEDGER_FILE, &LEDGER_COLUMNS)?;
        ledger.iter().try_for_each(|row| row.write(&mut ledger_table))?;
        let mut histogram_table = FileTable::create(folder, HISTOGRAMS_FILE, &HISTOGRAM_COLUMNS)?;
        histograms.iter().try_for_each(|histogram| histogram.summary().write(&mut histogram_table))?;
        let tables = [
            (ROUNDS_FILE, self.rounds.take()),
            (LEDGER_FILE, Some(ledger_table)),
            (HISTOGRAMS_FILE, Some(histogram_table)),
            (THETA_FILE, self.theta.take()),
            (STATISTICS_FILE, self.statistics.take()),
            (TOPOLOGY_FILE, self.topology.take()),
        ];
        let common = tables.into_iter().filter_map(|(name, table)| Some((name.to_owned(), table?)));
        manifest.files.clear();
        for (name, table) in common.chain(std::mem::take(&mut self.extra)) {
            table.finish()?;
            manifest.files.push(name);
        }
        let timeline = self.timeline.take().map(|file| (TIMELINE_FILE.to_owned(), file));
        for (name, file) in timeline.into_iter().chain(std::mem::take(&mut self.documents)) {
            persist(file, &folder.join(&name))?;
            manifest.files.push(name);
        }
        manifest.write(folder)?;
        self.staging.commit()
    }
}
