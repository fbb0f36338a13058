//! What a fitted model says of the rows of a table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fedbits_models::data::csv::{Column, DeclaredMissing, Role, Row, Rows, TableSchema, titled};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSet, DataSetError, FileError, FileErrorKind, Input, Remarks, Values};
use fedbits_models::fitted::Predictor;
use fedbits_record::guarded;
use fedbits_scenarios::fitted::FittedModel;
use fedbits_spec::Caveat;

use super::{Holds, Prediction, finish, write};
use crate::error::Error;

/// Rows that are read, judged and written at a time.
const BLOCK: usize = 4096;
/// Numbers of so many rows at most, zeros included.
const NUMBERS: usize = 1 << 22;

/// The largest number that has a density: squares of larger ones are infinite.
const LARGEST_NUMBER: f64 = 1e150;

/// The column that holds the number of a component.
const COMPONENT: &str = "component";

/// The rows of the file, each followed by what the model says of it.
pub(super) fn predict(model: &FittedModel, data: &Path, delimiter: Option<char>) -> Result<Prediction, Error> {
    let input = |error: &dyn std::fmt::Display| Error::Input(error.to_string());
    let predictor = model.predictor().map_err(|error| input(&error))?;
    let setting = model.setting().map_err(|error| input(&error))?;
    let values = (0..model.features.prepared()).map(|column| setting.values_of(column)).collect();
    let columns = predictor.columns();
    let component = columns.iter().position(|name| name == COMPONENT);
    let class = model.fit.component_classes.as_deref().zip(component);
    let said = Said { model, predictor: predictor.as_ref(), columns, class, values };
    if said.columns.is_empty() {
        return Err(Error::Input("the model says nothing of rows: expected a column at least".to_owned()));
    }
    if let Some(examples) = model.examples(data).map_err(|error| input(&error))? {
        return without_names(&said, &examples, data);
    }
    let wanted = Wanted::of(model);
    if let Some(name) = wanted.repeated() {
        let expected = "rename one in the data and fit the model again";
        return Err(input(&format!("the model has two columns `{name}`, which no name tells apart: {expected}")));
    }
    let mut rows = Rows::open(data, &wanted.schema(delimiter)).map_err(unread)?;
    let place = |(column, dropped): (&Column, &Option<usize>)| match dropped {
        Some(numbers) => Ok(Place::Dropped(*numbers)),
        None => rows.find(column).map(Place::At),
    };
    let places = wanted.columns.iter().zip(&wanted.dropped).map(place);
    let places: Vec<Place> = places.collect::<Result<_, _>>().map_err(unread)?;
    let titles: Vec<String> = (0..rows.width()).map(|index| rows.title(index)).collect();
    let (names, mut caveats) = said.columns(&titles);
    let columns = titles.iter().map(|_| Holds::Cells).chain(said.holds()).collect();
    let mut table = csv::Writer::from_writer(Vec::new());
    write(&mut table, [titles, names].concat())?;
    let mut block = Block { data: data.to_path_buf(), rows: Vec::new(), numbers: Vec::new() };
    let (mut gaps, mut filled, remarks) = (0_u64, 0_u64, Remarks::default());
    while let Some(row) = rows.read(&remarks).map_err(unread)? {
        let before = block.numbers.len();
        // The file may have names though the model knows none.
        let wrong = |error: FileError| match (wanted.is_named, row.line()) {
            (false, 1) => input(&format!("{error} (the model was fitted to a table without names of columns)")),
            _ => unread(error),
        };
        match block.take(&row, &wanted.inputs, &places).map_err(wrong)? {
            Cells::Whole => {}
            Cells::Filled => filled += 1,
            Cells::Missing => gaps += 1,
        }
        if let Some((_, why)) = said.refused(&block.numbers[before..]).map_err(|error| input(&error))? {
            return Err(input(&format!("{}: {why}", row.location())));
        }
        if block.rows.len() == BLOCK {
            block.write(&said, &mut table)?;
        }
    }
    block.write(&said, &mut table)?;
    caveats.extend(remarks.into_parts().1);
    caveats.extend((gaps > 0).then(|| Caveat::PredictedGaps { rows: gaps.to_string() }));
    caveats.extend((filled > 0).then(|| Caveat::PredictedFills { rows: filled.to_string() }));
    Ok(Prediction { csv: finish(table, data)?, columns, caveats })
}

/// The same of examples that have nothing but numbers: a row each, with its number from 0.
fn without_names(said: &Said<'_>, examples: &DataSet, data: &Path) -> Result<Prediction, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("{}: {error}", data.display()));
    let too_large = |example, column, number: f64| (number.abs() > LARGEST_NUMBER).then_some((example, column, number));
    if let Some((example, column, number)) = examples.find_map(too_large) {
        let place = format!("example {example} (counted from 0): column `{}`", examples.columns()[column]);
        return Err(wrong(&format!("{place}: expected a number of at most {LARGEST_NUMBER:e}, found `{number:e}`")));
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    write(&mut table, [vec!["example".to_owned()], said.columns(&[]).0].concat())?;
    let columns = [Holds::Numbers].into_iter().chain(said.holds()).collect();
    let (width, all) = (said.columns.len(), examples.len());
    let block = (NUMBERS / examples.dimension()).clamp(1, BLOCK);
    for first in (0..all).step_by(block) {
        let chosen: Vec<u32> = (first as u32..all.min(first + block) as u32).collect();
        let rows = examples.select(&chosen).map_err(|error| wrong(&error))?;
        let rows = rows.dense(MemoryLimit::default()).map_err(|error| wrong(&error))?;
        if let Some((example, why)) = said.refused(rows.rows()).map_err(|error| wrong(&error))? {
            return Err(wrong(&format!("example {} (counted from 0): {why}", first + example)));
        }
        let found = said.of(rows.rows().to_vec()).map_err(|error| wrong(&error))?;
        for (example, values) in (first..).zip(found.chunks_exact(width)) {
            write(&mut table, [vec![example.to_string()], said.cells(values)].concat())?;
        }
    }
    Ok(Prediction { csv: finish(table, data)?, columns, caveats: Vec::new() })
}

fn unread(error: FileError) -> Error {
    match error.kind {
        FileErrorKind::Io(source) if source.raw_os_error().is_some() => Error::File { path: error.path, source },
        FileErrorKind::Delimiter(example) => {
            let advice = format!("`--delimiter {:?}` or another", example.to_string());
            Error::Input(error.advise(advice).to_string())
        }
        _ => Error::Input(error.of_file_alone()),
    }
}

/// The columns of a model in further data: by their names, or, where the data had no names, by their places.
struct Wanted {
    inputs: Vec<Input>,
    columns: Vec<Column>,
    is_named: bool,
    /// How many numbers stand for each input that the preparation drops, whatever they are; none of the others.
    dropped: Vec<Option<usize>>,
    /// What else stands for missing values, where the fit says so.
    missing: Option<DeclaredMissing>,
}

impl Wanted {
    fn of(model: &FittedModel) -> Self {
        let features = &model.features;
        let inputs: Vec<Input> = match features.coding.inputs.is_empty() {
            true => features.columns.iter().map(|name| Input::numbers(name)).collect(),
            false => features.coding.inputs.clone(),
        };
        let left_out = features.dropped();
        let dropped =
            |input: &Input| input.columns().all(|column| left_out.contains(&column)).then(|| input.columns().count());
        let dropped = inputs.iter().map(dropped).collect();
        let columns = titled(inputs.iter().map(|input| input.column.as_str()));
        let is_named = columns.iter().any(|column| matches!(column, Column::Name(_)));
        let declared = &features.coding.missing_values;
        let missing = (!declared.is_empty()).then(|| DeclaredMissing::new(declared));
        Self { inputs, columns, is_named, dropped, missing }
    }

    /// A name that two columns have.
    fn repeated(&self) -> Option<&str> {
        let mut known = BTreeSet::new();
        self.inputs.iter().map(|input| input.column.as_str()).find(|name| !known.insert(*name))
    }

    fn schema(&self, delimiter: Option<char>) -> TableSchema<'_> {
        let of = |factors: bool| {
            let columns = self.inputs.iter().zip(&self.columns).zip(&self.dropped);
            let wanted = columns.filter(move |((input, _), dropped)| dropped.is_none() && input.is_factor() == factors);
            wanted.map(|((_, column), _)| column)
        };
        let schema = TableSchema::new(Some(self.is_named), delimiter);
        let schema = schema.numbers(Role::Feature, "", of(false)).texts(Role::Feature, "", of(true));
        match &self.missing {
            Some(missing) => schema.missing(missing),
            None => schema,
        }
    }
}

struct Said<'a> {
    model: &'a FittedModel,
    predictor: &'a dyn Predictor,
    /// What the predictor says of a row.
    columns: Vec<String>,
    /// The class of each component, where the examples that it was fitted to had labels, and the column of components.
    class: Option<(&'a [Option<String>], usize)>,
    /// What a prepared number may be, by its column.
    values: Vec<Values>,
}

impl Said<'_> {
    /// Names of the columns, other than those that the file has.
    fn columns(&self, titles: &[String]) -> (Vec<String>, Vec<Caveat>) {
        let mut names = self.columns.clone();
        if let Some((_, component)) = self.class {
            names.insert(component + 1, "class".to_owned());
        }
        let mut caveats = Vec::new();
        for name in &mut names {
            let given = name.clone();
            while titles.contains(name) {
                name.insert_str(0, "predicted_");
            }
            if *name != given {
                caveats.push(Caveat::OwnColumns { column: given, name: name.clone() });
            }
        }
        (names, caveats)
    }

    fn holds(&self) -> impl Iterator<Item = Holds> {
        let class = self.class.map(|(_, component)| component + 1);
        (0..self.width()).map(move |at| if Some(at) == class { Holds::Names } else { Holds::Numbers })
    }

    fn cells(&self, values: &[f64]) -> Vec<String> {
        let mut cells: Vec<String> = values.iter().map(number).collect();
        if let Some((classes, component)) = self.class {
            let class = classes.get(values[component] as usize).cloned().flatten();
            cells.insert(component + 1, guarded(class.unwrap_or_default()));
        }
        cells
    }

    fn width(&self) -> usize {
        self.columns.len() + usize::from(self.class.is_some())
    }

    /// Of rows: as many numbers of each as there are columns.
    fn of(&self, rows: Vec<f64>) -> Result<Vec<f64>, String> {
        let prepared = self.prepared(rows).map_err(|error| error.to_string())?;
        let found = self.predictor.predict(&prepared).map_err(|error| error.to_string())?;
        let (rows, width) = (prepared.len(), self.columns.len());
        if found.len() != rows * width {
            return Err(format!("the model says {} numbers of {rows} rows: expected {width} of each", found.len()));
        }
        Ok(found)
    }

    /// The first row with a number that the model cannot be fitted to, and why.
    fn refused(&self, rows: &[f64]) -> Result<Option<(usize, String)>, DataSetError> {
        if self.values.iter().all(|values| *values == Values::Real) || rows.is_empty() {
            return Ok(None);
        }
        let prepared = self.prepared(rows.to_vec())?;
        let d = prepared.dimension();
        let refused = |(at, value): (usize, &f64)| {
            let expected = self.values[at % d].refuses(*value)?;
            Some((at / d, format!("column `{}`: expected {expected}, found `{value}`", prepared.columns()[at % d])))
        };
        Ok(prepared.rows().iter().enumerate().find_map(refused))
    }

    fn prepared(&self, rows: Vec<f64>) -> Result<DataSet, DataSetError> {
        let data = DataSet::new(self.model.features.columns.clone(), rows, None, None)?;
        self.model.features.transformation.iter().try_fold(data, |data, step| step.apply(data))
    }
}

#[derive(Clone, Copy)]
enum Place {
    At(usize),
    /// Nowhere: so many numbers that the preparation drops.
    Dropped(usize),
}

enum Cells {
    Whole,
    /// Not all, and something stands for the others.
    Filled,
    Missing,
}

/// Rows that wait to be judged together.
struct Block {
    data: PathBuf,
    /// The cells of each row, and whether the model can say something of it.
    rows: Vec<(Vec<String>, bool)>,
    numbers: Vec<f64>,
}

impl Block {
    fn take(&mut self, row: &Row<'_>, inputs: &[Input], places: &[Place]) -> Result<Cells, FileError> {
        let (before, mut cells) = (self.numbers.len(), Cells::Whole);
        for (input, &place) in inputs.iter().zip(places) {
            let found = match place {
                // What is dropped may be any number that has a logarithm.
                Place::Dropped(numbers) => Some(vec![1.0; numbers]),
                Place::At(place) if row.is_missing(place) => input.filling().inspect(|_| cells = Cells::Filled),
                Place::At(place) => Some(value(row, place, input)?),
            };
            let Some(numbers) = found else {
                self.numbers.truncate(before);
                cells = Cells::Missing;
                break;
            };
            self.numbers.extend(numbers);
        }
        let texts = (0..row.width()).map(|index| row.text(index).into_owned()).collect();
        self.rows.push((texts, !matches!(cells, Cells::Missing)));
        Ok(cells)
    }

    fn write(&mut self, said: &Said<'_>, table: &mut csv::Writer<Vec<u8>>) -> Result<(), Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("{}: {error}", self.data.display()));
        let mut found = Vec::new();
        if !self.numbers.is_empty() {
            found = said.of(std::mem::take(&mut self.numbers)).map_err(|error| wrong(&error))?;
        }
        let mut found = found.chunks_exact(said.columns.len());
        for (texts, is_whole) in std::mem::take(&mut self.rows) {
            let values = if is_whole { found.next() } else { None };
            let cells = values.map_or_else(|| vec![String::new(); said.width()], |values| said.cells(values));
            write(table, [texts, cells].concat())?;
        }
        Ok(())
    }
}

fn value(row: &Row<'_>, place: usize, input: &Input) -> Result<Vec<f64>, FileError> {
    if !input.is_factor() {
        let number = row.number(place)?;
        let fits = number.abs() <= LARGEST_NUMBER;
        let expected = || format!("a number of at most {LARGEST_NUMBER:e}");
        return if fits { Ok(vec![number]) } else { Err(row.refuse(place, &expected())) };
    }
    input.indicators(&row.text(place)).ok_or_else(|| {
        let levels = fedbits_text::first_few(input.all_levels(), 8);
        row.refuse(place, &format!("one of the levels that the model was fitted to: {levels}"))
    })
}

/// Whole numbers as such, others as they are read back.
fn number(value: &f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value:?}") }
}
