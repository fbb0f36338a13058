//! Tables of measured values: CSV files, plain or gzip, of which a client gets one row. This file must not know what is drawn.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::PrepareError;
use crate::data_files::DataFolders;
use crate::names;
use crate::schema::{Column, Only, TableColumn};

/// The rows of a file that have a number in each of the columns asked for.
pub(super) struct Table {
    /// Which table: what laws of it have in common.
    pub(super) path: String,
    pub(super) only: Option<Only>,
    columns: Vec<Column>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads the table that `wanted`, which have path and rows in common, are columns of.
    pub(super) fn read(wanted: &[TableColumn<'_>], folders: &DataFolders) -> Result<Self, PrepareError> {
        let first = wanted[0];
        let file = folders.find(first.path)?;
        let mut reader = open(&file)?;
        let header = reader.headers().map_err(|error| unreadable(&file, &error))?.clone();
        let source = Source { file: &file, header: header.iter().map(str::to_owned).collect() };
        let places: Vec<usize> = wanted.iter().map(|column| source.place(column.column)).collect::<Result<_, _>>()?;
        let only =
            first.only.as_ref().map(|only| Ok::<_, PrepareError>((source.place(&only.column)?, only.is.as_str())));
        let only = only.transpose()?;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(&file, &error))?;
            if only.is_some_and(|(place, text)| record.get(place) != Some(text)) {
                continue;
            }
            let cells = places.iter().zip(wanted).map(|(&place, column)| source.number(&record, place, column));
            rows.extend(cells.collect::<Result<Option<Vec<f64>>, _>>()?);
        }
        if rows.is_empty() {
            let columns: Vec<_> = places.iter().map(|&place| format!("`{}`", source.header[place])).collect();
            let of = only.map_or(String::new(), |(place, text)| format!(" and `{text}` in `{}`", source.header[place]));
            return source.refuse(format!("no row has a number in {}{of}", columns.join(" and ")));
        }
        let columns = wanted.iter().map(|column| column.column.clone()).collect();
        Ok(Self { path: first.path.to_owned(), only: first.only.clone(), columns, rows })
    }

    /// How many rows can be drawn.
    pub(super) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// A number of a row.
    pub(super) fn number(&self, row: u64, column: &Column) -> f64 {
        let place = self.columns.iter().position(|other| other == column);
        self.rows[row as usize][place.expect("every column of a law was read")]
    }
}

type CsvReader = csv::Reader<Box<dyn Read>>;

fn open(file: &Path) -> Result<CsvReader, PrepareError> {
    let failed = |error: std::io::Error| PrepareError::Data(format!("{}: {error}", file.display()));
    let mut start = [0; 2];
    let length = File::open(file).and_then(|mut file| file.read(&mut start)).map_err(failed)?;
    let opened = BufReader::new(File::open(file).map_err(failed)?);
    let bytes: Box<dyn Read> = match (length, start) {
        (2, [0x1f, 0x8b]) => Box::new(MultiGzDecoder::new(opened)),
        _ => Box::new(opened),
    };
    Ok(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes))
}

fn unreadable(file: &Path, error: &csv::Error) -> PrepareError {
    PrepareError::Data(format!("{}: {error}", file.display()))
}

/// A file and its columns, for messages.
struct Source<'a> {
    file: &'a PathBuf,
    header: Vec<String>,
}

impl Source<'_> {
    fn refuse<T>(&self, what: String) -> Result<T, PrepareError> {
        Err(PrepareError::Data(format!("{}: {what}", self.file.display())))
    }

    fn place(&self, column: &Column) -> Result<usize, PrepareError> {
        let all: Vec<&str> = self.header.iter().map(String::as_str).collect();
        match column {
            Column::Index(index) if *index < all.len() => Ok(*index),
            Column::Index(index) => {
                self.refuse(format!("there is no column {index}: it has {} columns, counted from 0", all.len()))
            }
            Column::Name(name) => match all.iter().position(|other| other == name) {
                Some(place) => Ok(place),
                None => {
                    let nearest = names::nearest(name, all.iter().copied());
                    let hint = nearest.map_or_else(
                        || format!("it has {}", names::one_of(&all[..all.len().min(20)])),
                        |near| format!("did you mean `{near}`?"),
                    );
                    self.refuse(format!("there is no column `{name}`; {hint}"))
                }
            },
        }
    }

    /// The number of a cell; none where nothing was measured.
    fn number(
        &self,
        record: &csv::StringRecord,
        place: usize,
        column: &TableColumn<'_>,
    ) -> Result<Option<f64>, PrepareError> {
        let cell = record.get(place).unwrap_or_default();
        if cell.is_empty() {
            return Ok(None);
        }
        let line = record.position().map_or(0, csv::Position::line);
        let at = format!("line {line}, column `{}`", self.header[place]);
        let Some(number) = cell.parse().ok().filter(|number: &f64| number.is_finite()) else {
            return self.refuse(format!("{at}: `{cell}` is no number"));
        };
        match number {
            0.0 if column.skip_zero => Ok(None),
            0.0 if !column.zero_means_something => {
                self.refuse(format!("{at}: 0 is not possible here; with `skip_zero: true` such rows are passed over"))
            }
            _ if number < 0.0 => self.refuse(format!("{at}: {cell} is negative")),
            _ => Ok(Some(number)),
        }
    }
}
