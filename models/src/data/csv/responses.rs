//! Item responses: one row per person (or per pattern, with how many persons gave it), one column per item.

use super::reader::{Column, Columns, Row, Rows};
use crate::data::error::FileError;
use crate::data::responses::Responses;
use std::path::Path;

/// What a response may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseKind {
    /// 0 or 1.
    Binary,
    /// Any finite number.
    Real,
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsesOptions {
    /// The first row holds names.
    pub header: bool,
    /// Field separator.
    pub delimiter: u8,
    /// Columns of the items.
    pub items: Columns,
    /// Column with the number of persons of a row; none: one each.
    pub frequency: Option<Column>,
    /// What a response may be.
    pub kind: ResponseKind,
}

/// Most persons of a file: more are an error in a count.
const MAX_PERSONS: usize = 100_000_000;

/// Reads `path` as `options` say. Every response must be there.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_responses(path: &Path, options: &ResponsesOptions) -> Result<Responses, FileError> {
    let mut file = Rows::open(path, options.header, options.delimiter)?;
    let frequency = options.frequency.as_ref().map(|column| file.find(column)).transpose()?;
    let items = file.select(&options.items, &[frequency])?;
    let mut responses = Responses { items: items.iter().map(|&index| file.title(index)).collect(), rows: Vec::new() };
    while let Some(row) = file.read()? {
        let own = responses_of(row, &items, options.kind)?;
        let persons = persons(row, frequency)?;
        if responses.persons().saturating_add(persons) > MAX_PERSONS {
            return Err(row.refuse(frequency.unwrap_or(0), "counts of persons that sum to at most 100000000"));
        }
        file.room(8 * (responses.rows.len() as u64 + items.len() as u64 * persons as u64))?;
        (0..persons).for_each(|_| responses.rows.extend_from_slice(&own));
    }
    if responses.rows.is_empty() {
        return Err(FileError::Empty { path: path.to_owned(), expected: "at least one person" });
    }
    Ok(responses)
}

/// How many persons gave the responses of a row.
fn persons(row: Row<'_>, frequency: Option<usize>) -> Result<usize, FileError> {
    let Some(index) = frequency else { return Ok(1) };
    row.text(index).parse().map_err(|_| row.refuse(index, "a whole number of persons"))
}

fn responses_of(row: Row<'_>, items: &[usize], kind: ResponseKind) -> Result<Vec<f64>, FileError> {
    let expected = match kind {
        ResponseKind::Binary => "a response 0 or 1 (none may be missing)",
        ResponseKind::Real => "a finite number as response (none may be missing)",
    };
    let response = |&index: &usize| match row.number(index) {
        Ok(y) if kind == ResponseKind::Real || y == 0.0 || y == 1.0 => Ok(y),
        _ => Err(row.refuse(index, expected)),
    };
    items.iter().map(response).collect()
}
