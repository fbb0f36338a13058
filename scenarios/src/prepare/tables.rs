//! Tables of measured values: CSV files, plain or gzip, of which a client gets one row. This file must not know what is drawn.

use std::io::Read;
use std::path::{Path, PathBuf};

use fedbits_models::data::packed;

use super::laws::{Entities, FASTEST, LONGEST, SLOWEST};
use super::{PrepareError, misfit};
use crate::data_files::DataFolders;
use crate::schema::{Column, Only, TableColumn};

/// The rows of a file that have a number in each of the columns asked for.
pub(super) struct Table {
    /// Which table: what laws of it have in common.
    pub(super) path: String,
    pub(super) only: Option<Only>,
    /// Whether entity i has row i.
    pub(super) in_order: bool,
    columns: Vec<Column>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads the table that `wanted`, which have path and rows in common, are columns of, each with its path in the scenario.
    pub(super) fn read(
        wanted: &[(&str, TableColumn<'_>)],
        entities: Entities,
        folders: &DataFolders,
    ) -> Result<Self, PrepareError> {
        let (at, first) = wanted[0];
        let file = folders.find(first.path)?;
        let mut reader = open(&file).map_err(|error| unreadable(at, &file, &error))?;
        let header = reader.headers().map_err(|error| unreadable(at, &file, &error))?.clone();
        let source = Source { file: &file, header: header.iter().map(str::to_owned).collect() };
        let place = |(at, column): &(&str, TableColumn<'_>)| source.place(column.column, &format!("{at}.column"));
        let places: Vec<usize> = wanted.iter().map(place).collect::<Result<_, _>>()?;
        let row = |only: &Only| source.place(&only.column, &format!("{at}.only[0].column"));
        let only = first.only.as_ref().map(|only| Ok::<_, PrepareError>((row(only)?, only.is.clone())));
        let only = only.transpose()?;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(at, &file, &error))?;
            if only.as_ref().is_some_and(|(place, text)| record.get(*place) != Some(text)) {
                continue;
            }
            let cells = places.iter().zip(wanted);
            let cells = cells.map(|(&place, (at, column))| source.number(&record, place, column, at));
            rows.extend(cells.collect::<Result<Option<Vec<f64>>, _>>()?);
            room(at, &file, rows.len() * (40 + 8 * wanted.len()))?;
        }
        if rows.is_empty() {
            let columns: Vec<_> = places.iter().map(|&place| format!("`{}`", source.header[place])).collect();
            let of = only.map_or(String::new(), |(place, text)| format!(" and `{text}` in `{}`", source.header[place]));
            let message = format!("no row has a number in {}{of}", columns.join(" and "));
            return source.refuse(at, message, "expected columns that have numbers in common rows");
        }
        let Entities { count, name } = entities;
        if first.in_order && rows.len() < count {
            let message = format!("{} rows for {count} {name}", rows.len());
            return source.refuse(
                &format!("{at}.in_order"),
                message,
                "expected a row for each, or rows that are drawn",
            );
        }
        let columns = wanted.iter().map(|(_, column)| column.column.clone()).collect();
        let (path, only, in_order) = (first.path.to_owned(), first.only.clone(), first.in_order);
        Ok(Self { path, only, in_order, columns, rows })
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

pub(super) fn open(file: &Path) -> Result<CsvReader, csv::Error> {
    Ok(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(packed::lines(file)?))
}

/// Whether so many bytes may be kept of the file.
pub(super) fn room(at: &str, file: &Path, bytes: usize) -> Result<(), PrepareError> {
    let refused =
        |error| misfit(format!("{at}.path"), format!("{}: {error}", file.display()), "expected a smaller file");
    packed::room(bytes as u64).map_err(refused)
}

pub(super) fn unreadable(at: &str, file: &Path, error: &csv::Error) -> PrepareError {
    let ending = file.extension().is_some_and(|ending| ending == "gz");
    let expected = match error.kind() {
        csv::ErrorKind::Io(_) if ending => "expected a CSV file, plain or whole in gzip",
        csv::ErrorKind::Utf8 { .. } => "expected a CSV file in UTF-8, plain or in gzip",
        _ => "expected a CSV file whose rows have as many cells as its header",
    };
    misfit(format!("{at}.path"), format!("{}: {error}", file.display()), expected)
}

/// A file and its columns, for messages.
pub(super) struct Source<'a> {
    pub(super) file: &'a PathBuf,
    pub(super) header: Vec<String>,
}

impl Source<'_> {
    /// A problem of what the scenario says at `path`.
    pub(super) fn refuse<T>(&self, path: &str, what: String, expected: impl Into<String>) -> Result<T, PrepareError> {
        Err(misfit(path, format!("{}: {what}", self.file.display()), expected))
    }

    pub(super) fn place(&self, column: &Column, path: &str) -> Result<usize, PrepareError> {
        let all: Vec<&str> = self.header.iter().map(String::as_str).collect();
        match column {
            Column::Index(index) if *index < all.len() => Ok(*index),
            Column::Index(index) => {
                let expected = format!("expected a column from 0 to {}", all.len().saturating_sub(1));
                self.refuse(path, format!("there is no column {index}"), expected)
            }
            Column::Name(name) => match all.iter().position(|other| other == name) {
                Some(place) => Ok(place),
                None => {
                    let nearest = fedbits_text::nearest(name, all.iter().copied());
                    let hint = nearest.map_or_else(
                        || format!("expected {}", fedbits_text::one_of(&all[..all.len().min(20)])),
                        |near| format!("did you mean `{near}`?"),
                    );
                    self.refuse(path, format!("there is no column `{name}`"), hint)
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
        path: &str,
    ) -> Result<Option<f64>, PrepareError> {
        let cell = record.get(place).unwrap_or_default();
        if cell.is_empty() {
            return Ok(None);
        }
        let line = record.position().map_or(0, csv::Position::line);
        let at = format!("line {line}, column `{}`", self.header[place]);
        let Some(number) = cell.parse().ok().filter(|number: &f64| number.is_finite()) else {
            return self.refuse(
                &format!("{path}.column"),
                format!("{at}: `{cell}` is no number"),
                "expected a column of numbers",
            );
        };
        match number {
            0.0 if column.skip_zero => Ok(None),
            0.0 if !column.zero_means_something => self.refuse(
                path,
                format!("{at}: 0 is not possible here"),
                "expected `skip_zero: true`, which passes such rows over",
            ),
            _ if number < 0.0 => self.refuse(
                &format!("{path}.column"),
                format!("{at}: {cell} is negative"),
                "expected a column of positive numbers",
            ),
            _ if column.is_rate && !(SLOWEST..=FASTEST).contains(&column.value(number)) => self.refuse(
                path,
                format!("{at}: {cell} is a rate of {:e} bit/s", column.value(number)),
                "expected rates from 1 bit/s to 10 Tbit/s: is `unit` what 1 of the column is?",
            ),
            _ if !column.is_rate && column.value(number) > LONGEST => self.refuse(
                path,
                format!("{at}: {cell} is a span of {:e} s", column.value(number)),
                "expected spans of at most a year: is `unit` what 1 of the column is?",
            ),
            _ => Ok(Some(number)),
        }
    }
}
