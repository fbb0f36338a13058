//! What a fitted model says of the data of a file.

mod rows;

use std::path::Path;

use fedbits_models::data::DataKind;
use fedbits_record::guarded;
use fedbits_scenarios::fitted::FittedModel;
use fedbits_spec::{Caveat, files};

use crate::error::Error;
use crate::runs::{MOST_MODELS, models, open_runs};
use crate::texts::absent;
use crate::trace;

/// What a model says.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// A CSV table with a header.
    pub csv: Vec<u8>,
    /// What each column holds.
    pub columns: Vec<Holds>,
    /// What a reader of the table must know.
    pub caveats: Vec<Caveat>,
}

/// What a column of a prediction holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Holds {
    /// Cells of the file as they stand there.
    Cells,
    /// Names of the data, of classes, subjects, sites or times, behind an apostrophe where they look like formulas to
    /// a spreadsheet; nothing where there is none.
    Names,
    /// What was computed; nothing where it could not be.
    Numbers,
}

/// Reads the model of an arm in a folder of runs, or of a file.
///
/// # Errors
/// When there is none, or it is not one; when the folder has several arms and none is named.
pub fn model(path: &Path, arm: Option<&str>) -> Result<FittedModel, Error> {
    let about = files::about(path).map_err(|error| Error::file(path, error))?;
    if about.is_some_and(|about| about.is_dir()) {
        return of_runs(path, arm);
    }
    let bytes = files::read(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => Error::Input(absent("file", path)),
        _ => Error::file(path, source),
    })?;
    let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("{}: {error}", path.display()));
    let text = String::from_utf8(bytes).map_err(|_| wrong(&"expected a fitted model, and this is not text"))?;
    let is_json = text.trim_start().starts_with('{');
    if !is_json || path.extension().is_some_and(|ending| ending == "ron") {
        return Err(wrong(
            &"this is not a fitted model: expected a file of `models/` in a folder of runs, or the folder",
        ));
    }
    let model = FittedModel::read(&text).map_err(|error| wrong(&error))?;
    match arm {
        Some(arm) if arm != model.fit.arm => {
            Err(wrong(&format_args!("this is the model of the arm `{}`, not of `{arm}`", model.fit.arm)))
        }
        _ => Ok(model),
    }
}

fn of_runs(folder: &Path, arm: Option<&str>) -> Result<FittedModel, Error> {
    let record = open_runs(folder)?;
    let number = trace::arm(record.plan(), arm)?;
    let name = &record.plan().arms[number].name;
    models::of_arm(&record, number)?.ok_or_else(|| {
        let why = match record.plan().arms.len() > MOST_MODELS {
            true => format!("models are kept of at most {MOST_MODELS} arms"),
            false => "expected a first replicate that fitted a model, and did not fail".to_owned(),
        };
        Error::Input(format!("{} has no model of the arm `{name}`: {why}", folder.display()))
    })
}

/// Of a mixture: the rows of `data`, a file with the columns that the model was fitted to, each followed by what the
/// model says of it. Of other models: a table with a row per subject, person or cell of a file that is read as the one
/// that the model was fitted to.
///
/// # Errors
/// When the file cannot be read or is not of this kind, or the model says nothing of it.
pub fn predict(model: &FittedModel, data: &Path, delimiter: Option<char>) -> Result<Prediction, Error> {
    let failed = |source| Error::file(data, source);
    let Some(about) = files::about(data).map_err(failed)? else {
        return Err(Error::Input(absent("file", data)));
    };
    if about.is_dir() {
        return Err(Error::Input(format!("{} is a folder: expected a file", data.display())));
    }
    files::open(data).map_err(failed)?;
    let setting = model.setting().map_err(|error| Error::Input(error.to_string()))?;
    match setting.facts().data {
        DataKind::Examples => rows::predict(model, data, delimiter),
        _ if delimiter.is_some() => Err(Error::Input(format!(
            "--delimiter is for tables: this model was fitted to {}, and a file of them is read as its scenario says",
            setting.facts().data.units()
        ))),
        _ => judge(model, data),
    }
}

/// A row per subject, person or cell.
fn judge(model: &FittedModel, data: &Path) -> Result<Prediction, Error> {
    let (found, caveats) = model.judge(data).map_err(|error| Error::Input(error.to_string()))?;
    let holds = |column| if found.names.contains(&column) { Holds::Names } else { Holds::Numbers };
    let columns: Vec<Holds> = (0..found.columns.len()).map(holds).collect();
    let mut table = csv::Writer::from_writer(Vec::new());
    write(&mut table, found.columns)?;
    let cell = |(text, &holds): (String, &Holds)| if holds == Holds::Names { guarded(text) } else { text };
    for row in found.rows {
        write(&mut table, row.into_iter().zip(&columns).map(cell).collect())?;
    }
    Ok(Prediction { csv: finish(table, data)?, columns, caveats })
}

fn write(table: &mut csv::Writer<Vec<u8>>, row: Vec<String>) -> Result<(), Error> {
    table.write_record(row).map_err(|error| Error::Run(error.to_string()))
}

fn finish(table: csv::Writer<Vec<u8>>, data: &Path) -> Result<Vec<u8>, Error> {
    table.into_inner().map_err(|error| Error::file(data, error.into_error()))
}
