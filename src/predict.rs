//! What a fitted model says of the rows of a file.

use std::path::{Path, PathBuf};

use fedbits_models::data::csv::{Column, Layout, Row, Rows};
use fedbits_models::data::{DataSet, DataSetError};
use fedbits_models::fitted::Predictor;
use fedbits_scenarios::fitted::{FittedModel, MODEL_FILE};

use crate::error::Error;

/// Rows that are read, judged and written at a time.
const BLOCK: usize = 4096;

/// Reads the model of a record's folder, or of a file.
///
/// # Errors
/// When there is none, or it is not one.
pub fn model(path: &Path) -> Result<FittedModel, Error> {
    let file = if path.is_dir() { path.join(MODEL_FILE) } else { path.to_path_buf() };
    let bytes = std::fs::read(&file).map_err(|source| Error::file(&file, source))?;
    let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("{}: {error}", file.display()));
    let text = String::from_utf8(bytes).map_err(|_| wrong(&"expected a model.json, and this is no text"))?;
    FittedModel::read(&text).map_err(|error| wrong(&error))
}

/// The rows of `data`, a CSV file with the columns that the model was fitted to, each followed by what the model says
/// of it; as CSV with a header.
///
/// # Errors
/// When the file cannot be read or lacks columns, or the model says nothing of examples.
pub fn predict(model: &FittedModel, data: &Path, delimiter: Option<char>) -> Result<Vec<u8>, Error> {
    let input = |error: &dyn std::fmt::Display| Error::Input(error.to_string());
    let predictor = model.predictor().map_err(|error| input(&error))?;
    let columns = Wanted::of(model);
    let layout = Layout::new(Some(columns.is_named), delimiter).numbers(&columns.columns);
    let mut rows = Rows::open(data, &layout).map_err(|error| input(&error))?;
    let places: Vec<usize> = columns
        .columns
        .iter()
        .map(|column| rows.find(column))
        .collect::<Result<_, _>>()
        .map_err(|error| input(&error))?;
    let titles = (0..rows.width()).map(|index| rows.title(index)).chain(predictor.columns());
    let mut table = csv::Writer::from_writer(Vec::new());
    write(&mut table, titles.collect())?;
    let mut block = Block { data: data.to_path_buf(), texts: Vec::new(), numbers: Vec::new() };
    while let Some(row) = rows.read().map_err(|error| input(&error))? {
        block.take(&row, &places).map_err(|error| input(&error))?;
        if block.texts.len() == BLOCK {
            block.write(model, predictor.as_ref(), &mut table)?;
        }
    }
    block.write(model, predictor.as_ref(), &mut table)?;
    table.into_inner().map_err(|error| Error::file(data, error.into_error()))
}

/// The columns of a model in further data: by their names, or, where the data had no names, by their places.
struct Wanted {
    columns: Vec<Column>,
    is_named: bool,
}

impl Wanted {
    fn of(model: &FittedModel) -> Self {
        let names = &model.features.columns;
        let place =
            |name: &String| name.strip_prefix("column ").and_then(|index| index.parse().ok()).map(Column::Index);
        match names.iter().map(place).collect() {
            Some(columns) => Self { columns, is_named: false },
            None => Self { columns: names.iter().cloned().map(Column::Name).collect(), is_named: true },
        }
    }
}

/// Rows that wait to be judged together.
struct Block {
    data: PathBuf,
    texts: Vec<Vec<String>>,
    numbers: Vec<f64>,
}

impl Block {
    fn take(&mut self, row: &Row<'_>, places: &[usize]) -> Result<(), fedbits_models::data::FileError> {
        for &place in places {
            self.numbers.push(row.number(place)?);
        }
        self.texts.push((0..row.width()).map(|index| row.text(index)).collect());
        Ok(())
    }

    fn write(
        &mut self,
        model: &FittedModel,
        predictor: &dyn Predictor,
        table: &mut csv::Writer<Vec<u8>>,
    ) -> Result<(), Error> {
        if self.texts.is_empty() {
            return Ok(());
        }
        let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("{}: {error}", self.data.display()));
        let prepared = prepared(model, std::mem::take(&mut self.numbers)).map_err(|error| wrong(&error))?;
        let found = predictor.predict(&prepared).map_err(|error| wrong(&error))?;
        let width = predictor.columns().len();
        for (text, found) in std::mem::take(&mut self.texts).into_iter().zip(found.chunks_exact(width)) {
            write(table, text.into_iter().chain(found.iter().map(number)).collect())?;
        }
        Ok(())
    }
}

/// Whole numbers as such, others as they are read back.
fn number(value: &f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value:?}") }
}

fn prepared(model: &FittedModel, rows: Vec<f64>) -> Result<DataSet, DataSetError> {
    let data = DataSet::new(model.features.columns.clone(), rows, None, None)?;
    model.features.transformation.iter().try_fold(data, |data, step| step.apply(data))
}

fn write(table: &mut csv::Writer<Vec<u8>>, row: Vec<String>) -> Result<(), Error> {
    table.write_record(row).map_err(|error| Error::Run(error.to_string()))
}
