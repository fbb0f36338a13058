//! What a scenario says of a text file of examples.

use super::factors::Factors;
use super::missing::MissingValues;
use super::schema::{Columns, Delimiter, Role, TableSchema};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// A text file with one example per line.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Csv")]
#[described(rules = distinct_columns)]
pub struct CsvFile {
    /// File name: UTF-8 text, plain, gzip or zstd, or Parquet (in a program built with it). A pattern with `*` or `?`
    /// names several files, each with the examples of one client (`partition: ClientColumn`), in the order of their
    /// names and with the same columns.
    #[range(FileName)]
    pub path: String,
    /// Does the first line hold column names? Default: detected.
    #[serde(default)]
    pub header: Option<bool>,
    /// Feature columns; `All`: every column except label and client.
    #[serde(default)]
    pub columns: Columns,
    /// Column of class labels.
    #[serde(default)]
    pub label: Option<Column>,
    /// Column that names each example's client.
    #[serde(default)]
    pub client: Option<Column>,
    /// Field separator; `' '` stands for any number of blanks and tabs. Default: detected among comma, semicolon, tab,
    /// bar and blank.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
    /// Treatment of missing values.
    #[serde(default)]
    pub missing: MissingValues,
    /// Further texts for missing values in this file: `["-999", "-"]`. A number covers all its spellings. Each text
    /// must occur.
    #[serde(default)]
    pub missing_values: Vec<String>,
    /// Treatment of text columns.
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
