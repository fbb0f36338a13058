//! Item responses from CSV files: one row per person (or per pattern, with how many persons gave it), one column per item. It must
//! not know models.

use super::layout::{Layout, cell_text};
use super::{Column, Columns, CsvError, CsvOptions, advance, first_row, open};
use crate::data::responses::Responses;
use ::csv::ByteRecord;
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
const MOST_PERSONS: usize = 100_000_000;

/// Reads `path` as `options` say. Every response must be there.
///
/// # Errors
/// [`CsvError`] names file, line and column and says what was expected.
pub fn read_responses(path: &Path, options: &ResponsesOptions) -> Result<Responses, CsvError> {
    let plain = CsvOptions {
        header: options.header,
        delimiter: options.delimiter,
        columns: options.items.clone(),
        label: None,
        client: options.frequency.clone(),
    };
    let mut reader = open(path, &plain)?;
    let mut record = ByteRecord::new();
    let names = first_row(&mut reader, &mut record, path, options.header)?;
    let width = names.as_ref().map_or(record.len(), Vec::len);
    let layout = Layout::new(path, &plain, names, width)?;
    let items = layout.numbers.iter().map(|&index| layout.title(index)).collect();
    let mut responses = Responses { items, rows: Vec::new() };
    loop {
        let (row, persons) = read_row(&layout, &record, options.kind)?;
        if responses.persons().saturating_add(persons) > MOST_PERSONS {
            let expected = "counts of persons that sum to at most 100000000";
            return Err(layout.cell(&record, layout.client.unwrap_or(0), expected));
        }
        super::room(path, 8 * (responses.rows.len() as u64 + row.len() as u64 * persons as u64))?;
        (0..persons).for_each(|_| responses.rows.extend_from_slice(&row));
        if !advance(&mut reader, &mut record, path)? {
            break;
        }
    }
    if responses.rows.is_empty() {
        return Err(CsvError::Empty { path: path.to_owned(), header: options.header });
    }
    Ok(responses)
}

/// The responses of a row, and how many persons gave them.
fn read_row(layout: &Layout<'_>, record: &ByteRecord, kind: ResponseKind) -> Result<(Vec<f64>, usize), CsvError> {
    layout.check_width(record)?;
    let expected = match kind {
        ResponseKind::Binary => "a response 0 or 1 (none may be missing)",
        ResponseKind::Real => "a finite number as response (none may be missing)",
    };
    let response = |&index: &usize| match layout.number(record, index) {
        Ok(y) if kind == ResponseKind::Real || y == 0.0 || y == 1.0 => Ok(y),
        Ok(_) | Err(CsvError::Cell { .. }) => Err(layout.cell(record, index, expected)),
        Err(other) => Err(other),
    };
    let row = layout.numbers.iter().map(response).collect::<Result<_, _>>()?;
    let Some(index) = layout.client else { return Ok((row, 1)) };
    match cell_text(&record[index]).parse::<usize>() {
        Ok(persons) => Ok((row, persons)),
        Err(_) => Err(layout.cell(record, index, "a whole number of persons")),
    }
}
