//! Item responses: one row per person (or per pattern, with how many persons gave it), one column per item.

use super::reader::{Row, Rows};
use super::schema::{Columns, Delimiter, Role, TableSchema, titled};
use crate::data::responses::Responses;
use crate::data::{
    DataKind, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks, SourceFacts, Values,
};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// Responses to items: a text file with one row per person or response pattern, without missing values.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Responses")]
#[described(rules = distinct_columns)]
pub struct ResponsesFile {
    /// File name.
    #[range(FileName)]
    pub path: String,
    /// Does the first line hold names? Default: detected.
    #[serde(default)]
    pub header: Option<bool>,
    /// Items.
    #[serde(default)]
    pub items: Columns,
    /// Persons per row. Default: one.
    #[serde(default)]
    pub frequency: Option<Column>,
    /// Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
}

impl ResponsesFile {
    fn schema(&self) -> TableSchema<'_> {
        let schema = TableSchema::new(self.header, self.delimiter).choice(Role::Feature, "items", &self.items);
        schema.texts(Role::Weight, "frequency", &self.frequency)
    }

    /// It as the settings of further files with the items of these titles, wherever they stand there: of each row, not
    /// of as many persons as gave its responses.
    #[must_use]
    pub fn of_items(&self, titles: &[String]) -> Self {
        let items = titled(titles.iter().map(String::as_str));
        let header = Some(items.iter().any(|item| matches!(item, Column::Name(_))));
        Self { header, items: Columns::Columns(items), frequency: None, ..self.clone() }
    }

    /// Does it name its items, so that they may stand anywhere?
    #[must_use]
    pub fn names_items(&self) -> bool {
        let is_name = |item: &Column| matches!(item, Column::Name(_));
        matches!(&self.items, Columns::Columns(items) if items.iter().all(is_name))
    }
}

fn distinct_columns(file: &ResponsesFile, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    file.schema().check(at, findings);
}

impl DataSource for ResponsesFile {
    fn facts(&self) -> SourceFacts {
        SourceFacts::read(DataKind::Responses, self.items.len())
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Responses(read_responses(&with.files[0], self, with.values, with.remarks, with.limit)?))
    }

    fn examples() -> Vec<Self> {
        let path = "responses.csv".to_owned();
        vec![Self { path, header: None, items: Columns::All, frequency: None, delimiter: None }]
    }
}

/// Most persons of a file: more are an error in a count.
const MAX_PERSONS: usize = 100_000_000;

/// Reads `path` as `options` say, which name it. Every response must be there.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_responses(
    path: &std::path::Path,
    options: &ResponsesFile,
    values: Values,
    remarks: &Remarks,
    limit: MemoryLimit,
) -> Result<Responses, FileError> {
    let mut file = Rows::open(path, &options.schema().within(limit))?;
    let (items, frequency) = (file.places(Role::Feature), file.place(Role::Weight));
    // Fitted models know items by their names.
    let mut responses = Responses { items: file.distinct_titles(&items)?, rows: Vec::new() };
    file.each(remarks, |row| {
        let answers = responses_of(row, &items, values)?;
        let persons = persons(row, frequency)?;
        if responses.persons().saturating_add(persons) > MAX_PERSONS {
            return Err(row.refuse(frequency.unwrap_or(0), "counts of persons that sum to at most 100000000"));
        }
        limit
            .allows(8 * (responses.rows.len() as u64 + items.len() as u64 * persons as u64))
            .map_err(FileError::io(path))?;
        (0..persons).for_each(|_| responses.rows.extend_from_slice(&answers));
        Ok(0)
    })?;
    if responses.rows.is_empty() {
        return Err(FileError::empty(path, "at least one person"));
    }
    Ok(responses)
}

/// How many persons gave the responses of a row.
fn persons(row: Row<'_>, frequency: Option<usize>) -> Result<usize, FileError> {
    let Some(index) = frequency else { return Ok(1) };
    row.text(index).parse().map_err(|_| row.refuse(index, "a whole number of persons"))
}

fn responses_of(row: Row<'_>, items: &[usize], values: Values) -> Result<Vec<f64>, FileError> {
    let expected = match values {
        Values::Real => "a finite number as response (none may be missing)",
        Values::Counts => "a count as response (none may be missing)",
        Values::UpTo(1) => "a response 0 or 1 (none may be missing)",
        Values::UpTo(_) => "a whole number as response, as large as the model says (none may be missing)",
    };
    let response = |&index: &usize| match row.number(index) {
        Ok(y) if values.refuses(y).is_none() => Ok(y),
        _ => Err(row.refuse(index, expected)),
    };
    items.iter().map(response).collect()
}
