//! Examples: chosen columns as numbers, one column as label, one as group.
//!
//! Labels and groups are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance.

use super::codes::Codes;
use super::reader::{Column, Columns, Rows};
use crate::data::error::FileError;
use crate::data::set::DataSet;
use std::path::Path;

/// How to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The first row holds names.
    pub header: bool,
    /// Field separator.
    pub delimiter: u8,
    /// Numbers of an example.
    pub columns: Columns,
    /// Column of the label.
    pub label: Option<Column>,
    /// Column of the group.
    pub group: Option<Column>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { header: true, delimiter: b',', columns: Columns::AllOthers, label: None, group: None }
    }
}

/// Reads `path` as `options` say.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_csv(path: &Path, options: &CsvOptions) -> Result<DataSet, FileError> {
    let mut file = Rows::open(path, options.header, options.delimiter)?;
    let find = |column: &Option<Column>| column.as_ref().map(|column| file.find(column)).transpose();
    let (label, group) = (find(&options.label)?, find(&options.group)?);
    let numbers = file.select(&options.columns, &[label, group])?;
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
