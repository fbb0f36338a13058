//! Examples: chosen columns as numbers, one column as label, one as group.
//!
//! Labels and groups are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance.

use super::factors::Factors;
use super::missing::MissingValues;
use super::schema::{Columns, Delimiter, Role, TableSchema};
use super::table::{HeldOut, Table};
use crate::data::error::{FileError, first_of};
use crate::data::observations::{DataKind, Observations};
use crate::data::packed::MemoryLimit;
use crate::data::set::DataSet;
use crate::data::source::{DataSource, ReadError, Reading, Remarks};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A text file with one example per line.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Csv")]
#[described(rules = distinct_columns)]
pub struct CsvFile {
    /// Text (plain, gzip or zstd) or, in a program built with it, Parquet. A pattern (`*`, `?`) names one file per
    /// client (`partition: ClientColumn`), with equal columns, in order of names.
    #[range(FileName)]
    pub path: String,
    /// Does the first line hold names? Default: detected.
    #[serde(default)]
    pub header: Option<bool>,
    /// Features.
    #[serde(default)]
    pub columns: Columns,
    /// Class labels.
    #[serde(default)]
    pub label: Option<Column>,
    /// Client of each example.
    #[serde(default)]
    pub client: Option<Column>,
    /// Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
    /// Missing values.
    #[serde(default)]
    pub missing: MissingValues,
    /// Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text must occur.
    #[serde(default)]
    pub missing_values: Vec<String>,
    /// Text columns.
    #[serde(default)]
    pub factors: Factors,
}

impl CsvFile {
    /// A file of which everything is recognized, and every column a feature.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            header: None,
            columns: Columns::All,
            label: None,
            client: None,
            delimiter: None,
            missing: MissingValues::Error,
            missing_values: Vec::new(),
            factors: Factors::Refuse,
        }
    }

    /// Whether the name stands for several files, each of one client.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.path.contains(['*', '?'])
    }

    pub(super) fn schema(&self) -> TableSchema<'_> {
        let schema = TableSchema::new(self.header, self.delimiter).choice(Role::Feature, "columns", &self.columns);
        let schema = schema.texts(Role::Response, "label", &self.label).texts(Role::Client, "client", &self.client);
        schema.factors(self.factors != Factors::Refuse)
    }
}

fn distinct_columns(file: &CsvFile, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    file.schema().check(at, findings);
    if file.client.is_some() && file.is_pattern() {
        let found = "each of these files is a client already";
        findings.error(at.field("client"), found, "expected no column, or the name of one file");
    }
}

impl DataSource for CsvFile {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn features(&self) -> Option<usize> {
        self.columns.len().filter(|_| self.factors == Factors::Refuse)
    }

    fn is_labelled(&self) -> bool {
        self.label.is_some()
    }

    fn names_clients(&self) -> bool {
        self.client.is_some() || self.is_pattern()
    }

    fn mixes_clients(&self) -> Option<&'static str> {
        matches!(self.missing, MissingValues::Impute(_)).then_some("data.missing")
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
