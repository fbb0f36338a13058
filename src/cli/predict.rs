//! `fedbits predict`: what a fitted model says of further data.

use crate::cli::args::PredictOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::table::{Cell, Quantity, Table};
use crate::listener::Listener;
use crate::predict::{self as fitted, Holds, Prediction};

/// Writes what the model says of the data.
pub(crate) fn predict(options: &PredictOptions, console: &Console) -> Result<(), Failure> {
    host::set_threads(None);
    let model = fitted::model(&options.model, options.arm.as_deref())?;
    if let Some(out) = &options.out
        && fedbits_record::is_there(out)?
    {
        let path = out.display();
        return Err(Failure::Input(format!("{path} is there already: expected the name of a file that is not")));
    }
    options.out.as_deref().map_or(Ok(()), output::check_parent)?;
    let found = fitted::predict(&model, &options.data, options.delimiter)?;
    found.caveats.iter().for_each(|caveat| console.caveat(caveat));
    match &options.out {
        Some(out) => Ok(fedbits_record::write_whole(out, &found.csv)?),
        None if options.format == TableFormat::Csv => output::bytes(&found.csv),
        None => {
            let table = table(&found).map_err(|error| Failure::Input(error.to_string()))?;
            options.format.print(&[Titled { title: "", name: "predictions", table: &table }])
        }
    }
}

/// The table for other formats: what was computed are numbers, what was copied stays as it stands.
fn table(found: &Prediction) -> Result<Table, csv::Error> {
    let mut reader = csv::Reader::from_reader(found.csv.as_slice());
    let kind = |&holds: &Holds| if holds == Holds::Numbers { Quantity::Plain } else { Quantity::Text };
    let columns = reader.headers()?.iter().zip(&found.columns);
    let mut table = columns.fold(Table::default(), |table, (name, holds)| table.column(name, name, kind(holds)));
    for row in reader.records() {
        table.row(row?.iter().zip(&found.columns).map(|(text, &holds)| cell(text, holds)).collect());
    }
    Ok(table)
}

fn cell(text: &str, holds: Holds) -> Cell {
    match (text.parse::<u64>(), text.parse::<f64>()) {
        _ if holds == Holds::Cells => Cell::Text(text.to_owned()),
        _ if text.is_empty() => Cell::Missing,
        (Ok(count), _) if holds == Holds::Numbers => Cell::Count(count),
        (_, Ok(value)) if holds == Holds::Numbers => Cell::Number(value),
        _ => Cell::Text(fedbits_record::unguarded(text).to_owned()),
    }
}
