//! Examples: chosen columns as numbers, one column as label, one as group.
//!
//! Labels and groups are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance.

use super::factors::Factors;
use super::file::CsvFile;
use super::missing::MissingValues;
use super::table::{HeldOut, Table};
use crate::data::error::first_of;
use crate::data::{
    DataKind, DataSet, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks, SourceFacts,
};
use std::path::PathBuf;

impl DataSource for CsvFile {
    fn facts(&self) -> SourceFacts {
        SourceFacts {
            is_labelled: self.label.is_some(),
            names_clients: self.client.is_some() || self.is_pattern(),
            mixes_clients: matches!(self.missing, MissingValues::Impute(_)).then_some("data.missing"),
            ..SourceFacts::read(DataKind::Examples, self.columns.len().filter(|_| self.factors == Factors::Refuse))
        }
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let held_out = |count: usize, groups: Option<&[u32]>| with.held_out(count, groups);
        Ok(Observations::Examples(read(with.files, self, (with.remarks, with.limit), &held_out)?))
    }

    fn examples() -> Vec<Self> {
        vec![Self::new("examples.csv")]
    }
}

/// Reads `path` as `file` says, which names it.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected.
pub fn read_csv(path: &std::path::Path, file: &CsvFile) -> Result<DataSet, FileError> {
    read_csv_files(&[path.to_owned()], file, &Remarks::default())
}

/// The same of several files, whose examples follow each other. Where the name in `file` stands for several, each is a
/// group.
///
/// # Errors
/// [`FileError`], also where a file has other columns than the first.
pub fn read_csv_files(paths: &[PathBuf], file: &CsvFile, remarks: &Remarks) -> Result<DataSet, FileError> {
    read(paths, file, (remarks, MemoryLimit::default()), &|count, _| vec![false; count])
}

/// The same, where `held_out` says which examples take no part in filling in what is missing.
fn read(
    paths: &[PathBuf],
    file: &CsvFile,
    (remarks, limit): (&Remarks, MemoryLimit),
    held_out: &HeldOut<'_>,
) -> Result<DataSet, FileError> {
    let first = paths.first().cloned().unwrap_or_default();
    let (mut table, mut found) = (Table::new(file, &first, limit), Vec::new());
    for path in paths {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let examples = table.read(path, file.is_pattern().then_some(&name), remarks)?;
        found.push(format!("{name} ({examples})"));
        if examples == 0 && file.is_pattern() && !table.has_left_out_rows_of(&name) {
            return Err(FileError::empty(path, "at least one row without a missing value"));
        }
    }
    if file.is_pattern() {
        remarks.note(format!("clients and their examples: {}", first_of(&found)));
    }
    table.finish(remarks, held_out)
}
