//! Everything that a run left, as typed data.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::run_table::KEY_COLUMNS;
use crate::table::check_names;
use crate::{
    Cell, HistogramSummary, LedgerRow, Manifest, ROUND_COLUMNS, RecordError, RoundRow, RunTable, Series, TopologyRows,
    series,
};

/// Name of the table with a row per run, without ending.
pub(crate) const RUNS_TABLE: &str = "runs";
/// Names of the tables that every run can have.
pub(crate) const COMMON_TABLES: [&str; 6] = ["rounds", "ledger", "histograms", "theta", "statistics", "topology"];

/// A record keeps one check byte for each of so many first events; later events have none.
pub const MOST_CHECKS: usize = 1 << 14;

/// Everything a run left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunRecord {
    /// What ran and what came out.
    pub manifest: Manifest,
    /// The recorded rounds.
    pub rounds: Vec<RoundRow>,
    /// Where the bits went.
    pub ledger: Vec<LedgerRow>,
    /// Measured distributions.
    pub histograms: Vec<HistogramSummary>,
    /// The path of θ, when it was recorded.
    pub theta: Option<Series>,
    /// The path of Ŝ, when it was recorded.
    pub statistics: Option<Series>,
    /// The network's topology, when it has sites.
    pub topology: Option<TopologyRows>,
    /// Tables that only some runs have.
    pub extra: Vec<RunTable>,
    /// One check byte for each of the first [`MOST_CHECKS`] events: they tell which event of two runs differs first.
    pub checks: Vec<u8>,
    /// The fitted model as JSON, of the first replicate of an arm.
    pub model: Option<String>,
    /// Why there can be no such model.
    pub no_model: Option<String>,
}

impl RunRecord {
    /// The last value of a measured column (see [`RoundRow::value`]); the last row of a run that failed has none.
    #[must_use]
    pub fn last(&self, column: &str) -> Option<f64> {
        self.rounds.iter().rev().find_map(|row| row.value(column, &self.manifest.extra_columns))
    }

    /// Its tables can be written: rows are as wide as their headers, and no two columns or tables have one name.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let columns = &self.manifest.extra_columns;
        check_header("rounds", &ROUND_COLUMNS, columns)?;
        self.rounds.iter().try_for_each(|row| row.check(columns))?;
        for (table, series) in [("theta", &self.theta), ("statistics", &self.statistics)] {
            let Some(Series { names, rows }) = series else { continue };
            check_header(table, &["round"], names)?;
            rows.iter().try_for_each(|row| series::check(table, row.round, names, &row.values))?;
        }
        let mut names = BTreeSet::from([RUNS_TABLE].map(str::to_owned));
        names.extend(COMMON_TABLES.map(str::to_owned));
        for table in &self.extra {
            table.check()?;
            if !names.insert(table.name.to_lowercase()) {
                return Err(RecordError::table_name(&table.name));
            }
        }
        Ok(())
    }

    /// Names of its tables, the common ones first.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        let is_there = |name: &&str| match *name {
            "theta" => self.theta.is_some(),
            "statistics" => self.statistics.is_some(),
            "topology" => self.topology.is_some(),
            _ => true,
        };
        COMMON_TABLES.into_iter().filter(is_there).chain(self.extra.iter().map(|table| table.name.as_str()))
    }

    /// A table by its name; none where the run has no such table.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<Cow<'_, RunTable>> {
        let owned = match name {
            "rounds" => {
                let mut table = RunTable::of(name, &ROUND_COLUMNS, &self.rounds, RoundRow::cells);
                table.columns.extend(self.manifest.extra_columns.iter().cloned());
                table
            }
            "ledger" => RunTable::of(name, &LEDGER_COLUMNS, &self.ledger, ledger_cells),
            "histograms" => RunTable::of(name, &HISTOGRAM_COLUMNS, &self.histograms, histogram_cells),
            "theta" => self.theta.as_ref()?.table(name),
            "statistics" => self.statistics.as_ref()?.table(name),
            "topology" => self.topology.as_ref()?.table(),
            _ => return self.extra.iter().find(|table| table.name == name).map(Cow::Borrowed),
        };
        Some(Cow::Owned(owned))
    }
}

/// Header of `ledger.csv`.
const LEDGER_COLUMNS: [&str; 8] =
    ["link", "direction", "purpose", "fate", "messages", "payload_bits", "header_bits", "retransmitted_bits"];

fn ledger_cells(row: &LedgerRow) -> Vec<Cell> {
    let words = [&row.link, row.direction.word(), &row.purpose, row.fate.word()];
    let counts = [row.messages, row.payload_bits, row.header_bits, row.retransmitted_bits];
    words.map(Cell::from).into_iter().chain(counts.map(Cell::from)).collect()
}

/// Header of `histograms.csv`.
const HISTOGRAM_COLUMNS: [&str; 10] = ["name", "unit", "count", "mean", "min", "p50", "p90", "p99", "p99.9", "max"];

fn histogram_cells(row: &HistogramSummary) -> Vec<Cell> {
    let mut cells = vec![Cell::from(&row.name), Cell::from(&row.unit), row.count.into(), row.mean.into()];
    cells.extend([row.min, row.p50, row.p90, row.p99, row.p999, row.max].map(Cell::from));
    cells
}

/// The columns of a table have names of their own.
pub(crate) fn check_header(table: &str, common: &[&str], further: &[String]) -> Result<(), RecordError> {
    let names = KEY_COLUMNS.iter().chain(common).copied().chain(further.iter().map(String::as_str));
    check_names(table, &names.collect::<Vec<_>>())
}
