//! Examples: chosen columns as numbers, one column as label, one as group.
//!
//! Labels and groups are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance.

use super::codes::Codes;
use super::reader::Rows;
use super::settings::{Columns, Delimiter, Named, comma};
use crate::data::error::FileError;
use crate::data::observations::{DataKind, Observations};
use crate::data::set::DataSet;
use crate::data::source::{DataSource, ReadError, Reading};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// A text file of numbers, one example per line.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Csv")]
#[described(rules = distinct_columns)]
pub struct CsvFile {
    /// File name, looked up beside the scenario, then in the data directories; UTF-8 text, packed with gzip or not.
    #[range(FileName)]
    pub path: String,
    /// Whether the first line holds column names.
    #[serde(default)]
    pub header: bool,
    /// The columns that are features; `All`: every column but the label's and the client's.
    #[serde(default)]
    pub columns: Columns,
    /// The column of class labels.
    #[serde(default)]
    pub label: Option<Column>,
    /// The column that names the client of an example.
    #[serde(default)]
    pub client: Option<Column>,
    /// The character between fields.
    #[serde(default = "comma")]
    #[range(Delimiter)]
    pub delimiter: char,
}

fn distinct_columns(file: &CsvFile, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let named = Named::new(file.header).choice(&at.field("columns"), &file.columns);
    let named = named.one(&at.field("label"), &file.label).one(&at.field("client"), &file.client);
    named.are_distinct(findings);
}

impl DataSource for CsvFile {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn features(&self) -> Option<usize> {
        self.columns.len()
    }

    fn is_labelled(&self) -> bool {
        self.label.is_some()
    }

    fn names_clients(&self) -> bool {
        self.client.is_some()
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Examples(read_csv(&with.files[0], self)?))
    }

    fn examples() -> Vec<Self> {
        let (path, delimiter) = ("examples.csv".to_owned(), ',');
        vec![Self { path, header: true, columns: Columns::All, label: None, client: None, delimiter }]
    }
}

/// Reads `path` as `file` says, which names it.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_csv(path: &std::path::Path, file: &CsvFile) -> Result<DataSet, FileError> {
    let CsvFile { header, columns, label, client, delimiter, .. } = file;
    let mut file = Rows::open(path, *header, *delimiter)?;
    let find = |column: &Option<Column>| column.as_ref().map(|column| file.find(column)).transpose();
    let (label, group) = (find(label)?, find(client)?);
    let numbers = file.select(columns, &[label, group])?;
    let (mut rows, mut labels, mut groups) = (Vec::new(), Codes::default(), Codes::default());
    while let Some(row) = file.read()? {
        for &index in &numbers {
            rows.push(row.number(index)?);
        }
        for (column, codes) in [(label, &mut labels), (group, &mut groups)] {
            if let Some(index) = column {
                codes.push(row.code(index)?);
            }
        }
        file.room(8 * rows.capacity() as u64 + labels.bytes() + groups.bytes())?;
    }
    let columns = numbers.iter().map(|&index| file.title(index)).collect();
    let (labels, groups) = (label.map(|_| labels.finish()), group.map(|_| groups.finish()));
    DataSet::new(columns, rows, labels, groups).map_err(|source| file.no_data_set(source))
}
