//! Distributions of whole numbers (spans in ns, staleness in rounds) at three significant digits, and their summary rows.

use crate::RecordError;
use crate::table::{Cells, Table};

/// Header of `histograms.csv`.
pub(crate) const HISTOGRAM_COLUMNS: [&str; 10] =
    ["name", "unit", "count", "mean", "min", "p50", "p90", "p99", "p99.9", "max"];

/// A named distribution that grows with its values; memory is at most some hundred KiB.
#[derive(Debug, Clone)]
pub struct Histogram {
    name: String,
    unit: String,
    counts: hdrhistogram::Histogram<u64>,
}

impl Histogram {
    /// An empty distribution of values in `unit` (for example `"uplink transfer"` in `"ns"`).
    #[must_use]
    pub fn new(name: &str, unit: &str) -> Self {
        let counts = hdrhistogram::Histogram::new(3).expect("3 significant digits are within 0..=5");
        Self { name: name.to_owned(), unit: unit.to_owned(), counts }
    }

    /// Counts one value; kept to three significant digits.
    pub fn record(&mut self, value: u64) {
        self.counts.record(value).expect("the histogram resizes itself over all of u64");
    }

    /// Number of values counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// The row of `histograms.csv`.
    #[must_use]
    pub fn summary(&self) -> HistogramSummary {
        let measured = !self.counts.is_empty();
        let quantile = |q: f64| measured.then(|| self.counts.value_at_quantile(q));
        HistogramSummary {
            name: self.name.clone(),
            unit: self.unit.clone(),
            count: self.counts.len(),
            mean: measured.then(|| self.counts.mean()),
            min: measured.then(|| self.counts.min()),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: measured.then(|| self.counts.max()),
        }
    }
}

/// One row of `histograms.csv`; everything but the count is missing when nothing was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramSummary {
    /// What was measured.
    pub name: String,
    /// Unit of all values.
    pub unit: String,
    /// Number of values.
    pub count: u64,
    /// Mean, in `unit`.
    pub mean: Option<f64>,
    /// Smallest value.
    pub min: Option<u64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p999: Option<u64>,
    /// Largest value.
    pub max: Option<u64>,
}

impl HistogramSummary {
    pub(crate) fn write(&self, table: &mut Table) -> Result<(), RecordError> {
        table.cell(&self.name)?;
        table.cell(&self.unit)?;
        table.cell(self.count)?;
        table.float(self.mean)?;
        for value in [self.min, self.p50, self.p90, self.p99, self.p999, self.max] {
            table.whole(value)?;
        }
        table.end_row()
    }

    pub(crate) fn read(cells: &mut Cells) -> Result<Self, RecordError> {
        Ok(Self {
            name: cells.text()?,
            unit: cells.text()?,
            count: cells.whole()?,
            mean: cells.float()?,
            min: cells.optional_whole()?,
            p50: cells.optional_whole()?,
            p90: cells.optional_whole()?,
            p99: cells.optional_whole()?,
            p999: cells.optional_whole()?,
            max: cells.optional_whole()?,
        })
    }
}
