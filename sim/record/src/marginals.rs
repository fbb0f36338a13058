//! How the columns of the examples are distributed: the table `marginals.csv`, histograms of even bins.
//!
//! It says nothing of single examples but the least and the most value of each column.

use crate::run_table::{RowCells, rows};
use crate::{Cell, RunTable};

/// Name of the table, without ending.
const NAME: &str = "marginals";
const COLUMNS: [&str; 4] = ["column", "from", "to", "count"];

/// A bin: so many values of a column from one number to another, the last bin with its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Marginal {
    /// The column.
    pub column: String,
    /// Where the bin begins and ends, in the units of the data.
    pub ends: [f64; 2],
    /// Values in it.
    pub count: u64,
}

impl Marginal {
    /// Histograms of columns whose values lie in `values`, n × d by rows, in bins of even width from the least to the
    /// most; a column that does not vary has one bin without a width. Missing values are not counted.
    #[must_use]
    pub fn all(columns: &[String], values: &[f64], bins: u32) -> Vec<Self> {
        let of = |(number, column): (usize, &String)| {
            let column_values = values.iter().skip(number).step_by(columns.len()).copied();
            histogram(column, &column_values.filter(|value| value.is_finite()).collect::<Vec<_>>(), bins)
        };
        columns.iter().enumerate().flat_map(of).collect()
    }

    /// The table of some bins.
    #[must_use]
    pub fn table(bins: &[Self]) -> RunTable {
        let cells = |bin: &Self| {
            let [from, to] = bin.ends.map(Cell::from);
            vec![Cell::from(&bin.column), from, to, bin.count.into()]
        };
        RunTable::of(NAME, &COLUMNS, bins, cells)
    }

    /// The bins of a record's tables; none where it has no such table, or one that cannot be read.
    #[must_use]
    pub fn of(tables: &[RunTable]) -> Vec<Self> {
        let row = |row: RowCells<'_>| {
            let end = |column: &str| row.number(column);
            Some(Self { column: row.text("column")?, ends: [end("from")?, end("to")?], count: row.whole("count")? })
        };
        rows(tables, NAME, row)
    }
}

fn histogram(column: &str, values: &[f64], bins: u32) -> Vec<Marginal> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() {
        return Vec::new();
    }
    let bins = if high > low { bins.max(1) } else { 1 };
    // Ends are rounded once: a bin begins where the one before it ends.
    let end = |bin: u32| if bin == bins { high } else { low + (high - low) * f64::from(bin) / f64::from(bins) };
    let ends: Vec<f64> = (0..=bins).map(end).collect();
    let mut counts = vec![0; bins as usize];
    for value in values {
        let bin = ends.partition_point(|end| end <= value).clamp(1, bins as usize);
        counts[bin - 1] += 1;
    }
    let bin =
        |(bin, count): (usize, u64)| Marginal { column: column.to_owned(), ends: [ends[bin], ends[bin + 1]], count };
    counts.into_iter().enumerate().map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every value is in one bin, that which holds it, and bins survive their table.
        #[test]
        fn every_value_is_counted(
            rows in prop::collection::vec((-9.0f64..9.0, -1e-3f64..1e6), 1..60), bins in 1u32..20,
        ) {
            let values: Vec<f64> = rows.iter().flat_map(|&(a, b)| [a, b]).collect();
            let all = Marginal::all(&["a".to_owned(), "b".to_owned()], &values, bins);
            for (number, name) in ["a", "b"].into_iter().enumerate() {
                let bins: Vec<&Marginal> = all.iter().filter(|bin| bin.column == name).collect();
                let column: Vec<f64> = values.iter().skip(number).step_by(2).copied().collect();
                for (index, bin) in bins.iter().enumerate() {
                    let is_last = index + 1 == bins.len();
                    let inside = |value: &&f64| bin.ends[0] <= **value && (**value < bin.ends[1] || is_last);
                    prop_assert_eq!(bin.count, column.iter().filter(inside).count() as u64);
                }
                prop_assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), column.len() as u64);
            }
            prop_assert_eq!(Marginal::of(&[Marginal::table(&all)]), all);
        }
    }
}
