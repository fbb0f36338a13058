//! Takes the rows of a run as they come. Nothing flows back: a run is the same whether it is recorded or not.

use crate::run_record::check_header;
use crate::{
    Histogram, LedgerRow, MOST_CHECKS, Manifest, ROUND_COLUMNS, RecordError, RoundCosts, RoundRow, RunRecord, RunTable,
    Series, SeriesRow, TopologyRows, series,
};

/// The columns a run declares before its first row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// The protocol's columns after the common ones of `rounds`.
    pub extra: Vec<String>,
    /// Component names of θ; empty when θ is not recorded.
    pub theta: Vec<String>,
    /// Component names of Ŝ; empty when Ŝ is not recorded.
    pub statistics: Vec<String>,
}

/// Keeps the rows of a run, or only checks them.
pub struct Recorder {
    columns: Columns,
    /// None: nothing is kept.
    record: Option<Box<RunRecord>>,
}

impl Recorder {
    /// Forgets everything (rows are still checked).
    #[must_use]
    pub fn nothing(columns: Columns) -> Self {
        Self { columns, record: None }
    }

    /// Keeps everything; [`Recorder::finish`] hands it out.
    #[must_use]
    pub fn memory(columns: Columns) -> Self {
        Self { columns, record: Some(Box::default()) }
    }

    /// Takes a row of the rounds.
    ///
    /// # Errors
    /// [`RecordError::Table`]; for names of columns with the first row.
    pub fn round(&mut self, row: &RoundRow) -> Result<(), RecordError> {
        row.check(&self.columns.extra)?;
        if let Some(record) = &mut self.record {
            if record.rounds.is_empty() {
                check_header("rounds", &ROUND_COLUMNS, &self.columns.extra)?;
            }
            record.rounds.push(row.clone());
        }
        Ok(())
    }

    /// Takes a row in place of the last one, of the same round: what was found out about it since.
    pub fn complete_round(&mut self, row: &RoundRow) -> Result<(), RecordError> {
        row.check(&self.columns.extra)?;
        if let Some(last) = self.record.as_mut().and_then(|record| record.rounds.last_mut()) {
            row.clone_into(last);
        }
        Ok(())
    }

    /// Takes θ after `round`, in the order of the declared names; without declared names θ is not recorded.
    pub fn theta(&mut self, round: u64, values: &[f64]) -> Result<(), RecordError> {
        let kept = self.record.as_mut().map(|record| &mut record.theta);
        keep("theta", &self.columns.theta, kept, (round, values))
    }

    /// Takes Ŝ after `round`, in the order of the declared names; without declared names Ŝ is not recorded.
    pub fn statistics(&mut self, round: u64, values: &[f64]) -> Result<(), RecordError> {
        let kept = self.record.as_mut().map(|record| &mut record.statistics);
        keep("statistics", &self.columns.statistics, kept, (round, values))
    }

    /// Takes the check bytes of the timeline, one per event; the first [`MOST_CHECKS`] are kept.
    pub fn timeline(&mut self, checks: &[u8]) {
        if let Some(record) = &mut self.record {
            record.checks = checks[..checks.len().min(MOST_CHECKS)].to_vec();
        }
    }

    /// Takes the topology of the network.
    pub fn topology(&mut self, topology: &TopologyRows) {
        if let Some(record) = &mut self.record {
            record.topology = Some(topology.clone());
        }
    }

    /// Takes a table that only some runs have, under a name that no other table has.
    pub fn extra(&mut self, table: &RunTable) -> Result<(), RecordError> {
        table.check()?;
        if let Some(record) = &mut self.record {
            record.extra.push(table.clone());
        }
        Ok(())
    }

    /// Ends the record; the columns of `manifest` are filled in. Returns the record when it was kept.
    ///
    /// # Errors
    /// [`RecordError::Table`], also for a number of the manifest, and for tables that cannot stand beside each other.
    pub fn finish(
        self,
        mut manifest: Manifest,
        ledger: &[LedgerRow],
        histograms: &[Histogram],
    ) -> Result<Option<RunRecord>, RecordError> {
        manifest.check()?;
        let Some(mut record) = self.record else { return Ok(None) };
        manifest.extra_columns = self.columns.extra;
        RoundCosts::fill(&mut record.rounds, &manifest.extra_columns);
        record.ledger = ledger.to_vec();
        record.histograms = histograms.iter().map(Histogram::summary).collect();
        record.manifest = manifest;
        // A path that was declared is there, also without a row.
        for (series, names) in
            [(&mut record.theta, self.columns.theta), (&mut record.statistics, self.columns.statistics)]
        {
            if !names.is_empty() {
                series.get_or_insert_default().names = names;
            }
        }
        record.check()?;
        Ok(Some(*record))
    }
}

/// Checks a row of the named components, and keeps it where a record is kept.
fn keep(
    table: &str,
    names: &[String],
    kept: Option<&mut Option<Series>>,
    (round, values): (u64, &[f64]),
) -> Result<(), RecordError> {
    if names.is_empty() {
        return Ok(());
    }
    series::check(table, round, names, values)?;
    if let Some(series) = kept {
        series.get_or_insert_default().rows.push(SeriesRow { round, values: values.to_vec() });
    }
    Ok(())
}
