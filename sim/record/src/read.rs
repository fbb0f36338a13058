//! A record directory as typed data; every error names file, line and column.

use crate::files::is_there;
use crate::histogram::HISTOGRAM_COLUMNS;
use crate::ledger::LEDGER_COLUMNS;
use crate::table::{Cells, TableReader};
use crate::topology::{TOPOLOGY_COLUMNS, TopologyRow};
use crate::{
    ExtraTable, HISTOGRAMS_FILE, HistogramSummary, LEDGER_FILE, LedgerRow, MANIFEST_FILE, Manifest, ROUND_COLUMNS,
    ROUNDS_FILE, RecordError, RoundCosts, RoundRow, STATISTICS_FILE, Series, SeriesRow, THETA_FILE, TOPOLOGY_FILE,
    TopologyRows,
};
use std::path::Path;

/// Everything a run left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRecord {
    /// What ran and what came out.
    pub manifest: Manifest,
    /// The recorded rounds.
    pub rounds: Vec<RoundRow>,
    /// Where the bits went; empty when no ledger was written.
    pub ledger: Vec<LedgerRow>,
    /// Measured distributions; empty when none were written.
    pub histograms: Vec<HistogramSummary>,
    /// The path of θ, when it was recorded.
    pub theta: Option<Series>,
    /// The path of Ŝ, when it was recorded.
    pub statistics: Option<Series>,
    /// The network's topology, when it has sites.
    pub topology: Option<TopologyRows>,
    /// Tables beyond the common ones.
    pub extra: Vec<ExtraTable>,
}

impl RunRecord {
    /// Reads `manifest.json`, `rounds.csv` and those of the other files that are there.
    ///
    /// # Errors
    /// [`RecordError`] with file, line and column of the first thing that is not as documented.
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let manifest = Manifest::read(directory)?;
        let rounds = read_rounds(directory, &manifest.extra_columns)?;
        check_whole(directory, &manifest, &rounds)?;
        for file in manifest.files.iter().filter(|file| file.ends_with(".csv")) {
            let path = directory.join(file);
            std::fs::metadata(&path).map_err(|source| RecordError::io(&path, source))?;
        }
        Ok(Self {
            rounds,
            ledger: read_rows(directory, LEDGER_FILE, &LEDGER_COLUMNS, LedgerRow::read)?,
            histograms: read_rows(directory, HISTOGRAMS_FILE, &HISTOGRAM_COLUMNS, HistogramSummary::read)?,
            theta: read_series(directory, THETA_FILE)?,
            statistics: read_series(directory, STATISTICS_FILE)?,
            topology: read_topology(directory)?,
            extra: read_extra(directory, &manifest.files)?,
            manifest,
        })
    }

    /// The last value of a measured column (see [`RoundRow::value`]); the last row of a run that failed has none.
    #[must_use]
    pub fn last(&self, column: &str) -> Option<f64> {
        self.rounds.iter().rev().find_map(|row| row.value(column, &self.manifest.extra_columns))
    }
}

/// The tables of the manifest's list that are none of the common ones.
fn read_extra(directory: &Path, files: &[String]) -> Result<Vec<ExtraTable>, RecordError> {
    let common = [ROUNDS_FILE, LEDGER_FILE, HISTOGRAMS_FILE, THETA_FILE, STATISTICS_FILE, TOPOLOGY_FILE];
    let names =
        files.iter().filter(|file| !common.contains(&file.as_str())).filter_map(|file| file.strip_suffix(".csv"));
    names.filter_map(|name| ExtraTable::read(directory, name).transpose()).collect()
}

fn read_rounds(directory: &Path, extra: &[String]) -> Result<Vec<RoundRow>, RecordError> {
    let reader = TableReader::open(directory, ROUNDS_FILE)?;
    if reader.further_columns(&ROUND_COLUMNS)? != extra {
        let expected: Vec<&str> = ROUND_COLUMNS.into_iter().chain(extra.iter().map(String::as_str)).collect();
        return Err(reader.header_error(&expected.join(",")));
    }
    let mut rows = reader.rows(|cells| RoundRow::read(cells, extra.len()))?;
    RoundCosts::fill(&mut rows, extra);
    Ok(rows)
}

/// The last round of a run that did not fail has a row: without it the table was cut after a line.
fn check_whole(directory: &Path, manifest: &Manifest, rounds: &[RoundRow]) -> Result<(), RecordError> {
    let (last, total) = (rounds.last().map_or(0, |row| row.round), manifest.totals.rounds);
    if last >= total || manifest.failure().is_some() {
        return Ok(());
    }
    let message = format!("the table ends with round {last}, and {MANIFEST_FILE} says {total}: rows are missing");
    let line = rounds.len() as u64 + 1;
    Err(RecordError::Syntax { path: directory.join(ROUNDS_FILE), line, column: 1, message })
}

/// The rows of a table with a fixed header; none when the file is not there.
fn read_rows<T>(
    directory: &Path,
    name: &str,
    header: &[&str],
    read: impl FnMut(&mut Cells) -> Result<T, RecordError>,
) -> Result<Vec<T>, RecordError> {
    if !is_there(&directory.join(name))? {
        return Ok(Vec::new());
    }
    let reader = TableReader::open(directory, name)?;
    if !reader.further_columns(header)?.is_empty() {
        return Err(reader.header_error(&header.join(",")));
    }
    reader.rows(read)
}

fn read_topology(directory: &Path) -> Result<Option<TopologyRows>, RecordError> {
    let mut sites = 0;
    let rows = read_rows(directory, TOPOLOGY_FILE, &TOPOLOGY_COLUMNS, |cells| TopologyRow::read(cells, &mut sites))?;
    Ok((!rows.is_empty()).then(|| TopologyRows::of(rows)))
}

fn read_series(directory: &Path, name: &str) -> Result<Option<Series>, RecordError> {
    if !is_there(&directory.join(name))? {
        return Ok(None);
    }
    let reader = TableReader::open(directory, name)?;
    let names = reader.further_columns(&["round"])?;
    let rows = reader.rows(|cells| SeriesRow::read(cells, names.len()))?;
    Ok(Some(Series { names, rows }))
}
