//! `fedbits predict`: what a fitted model says of further data.

use fedbits_models::data::csv::is_missing;

use crate::cli::args::PredictOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::table::{Cell, Quantity, Table};
use crate::listener::Listener;
use crate::predict as fitted;

/// Writes what the model says of the data.
pub(crate) fn predict(options: &PredictOptions, console: &Console) -> Result<(), Failure> {
    let model = fitted::model(&options.model)?;
    if let Some(out) = options.out.as_ref().filter(|out| out.exists()) {
        let path = out.display();
        return Err(Failure::Input(format!("{path} is there already: expected the name of a file that is not")));
    }
    let found = fitted::predict(&model, &options.data, options.delimiter)?;
    found.caveats.iter().for_each(|caveat| console.caveat(caveat));
    match &options.out {
        Some(out) => Ok(fedbits_record::write_whole(out, &found.csv)?),
        None if options.format == TableFormat::Csv => output::bytes(&found.csv),
        None => {
            let table = table(&found.csv).map_err(|error| Failure::Input(error.to_string()))?;
            options.format.print(&[Titled { title: "", name: "predictions", table: &table }])
        }
    }
}

/// 2⁵³: larger numbers are no longer known to be whole.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The table for other formats. A column whose cells are all numbers is one of numbers.
fn table(csv: &[u8]) -> Result<Table, csv::Error> {
    let mut reader = csv::Reader::from_reader(csv);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let rows = reader.records().collect::<Result<Vec<_>, _>>()?;
    let has = |at: usize, fits: fn(f64) -> bool| {
        rows.iter().all(|row| is_missing(&row[at]) || row[at].parse::<f64>().is_ok_and(fits))
    };
    let is_number = |at: usize| has(at, |_| true);
    let whole: Vec<bool> = (0..names.len()).map(|at| has(at, |value| value.fract() == 0.0)).collect();
    let numeric: Vec<bool> = (0..names.len()).map(is_number).collect();
    let kind = |is_number: bool| if is_number { Quantity::Plain } else { Quantity::Text };
    let columns = names.iter().zip(&numeric);
    let mut table = columns.fold(Table::default(), |table, (name, &own)| table.column(name, name, kind(own)));
    for row in &rows {
        let cells =
            row.iter().zip(&numeric).zip(&whole).map(|((cell, is_number), is_whole)| match cell.parse::<f64>() {
                _ if is_missing(cell) => Cell::Missing,
                Ok(value) if *is_whole && (0.0..LARGEST_WHOLE).contains(&value) => Cell::Count(value as u64),
                Ok(value) if *is_number => Cell::Number(value),
                _ => Cell::Text(cell.to_owned()),
            });
        table.row(cells.collect());
    }
    Ok(table)
}
