//! What a scenario says of a text file of examples.

use super::factors::Factors;
use super::missing::MissingValues;
use super::schema::{Columns, Delimiter, Role, TableSchema};
use fedbits_spec::laws::Column;
use fedbits_spec::range::FileName;
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// A text file of numbers, one example per line.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Csv")]
#[described(rules = distinct_columns)]
pub struct CsvFile {
    /// File name, looked up beside the scenario, then in the data directories; UTF-8 text, packed with gzip or zstd or
    /// not, or Parquet (in a program with that feature). With `*` or `?` in the name several files, each the examples
    /// of one client (`partition: ClientColumn`), in the order of their names and with the same columns.
    #[range(FileName)]
    pub path: String,
    /// Whether the first line holds column names; none: recognized.
    #[serde(default)]
    pub header: Option<bool>,
    /// The columns that are features; `All`: every column but the label's and the client's.
    #[serde(default)]
    pub columns: Columns,
    /// The column of class labels.
    #[serde(default)]
    pub label: Option<Column>,
    /// The column that names the client of an example.
    #[serde(default)]
    pub client: Option<Column>,
    /// The character between fields, `' '` for any number of blanks and tabulators; none: recognized, among commas,
    /// semicolons, tabulators, bars and blanks.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
    /// What happens to missing values.
    #[serde(default)]
    pub missing: MissingValues,
    /// Texts that stand for missing values in this file, beside those that always do: `["-999", "-"]`. A number stands
    /// for all ways to write it. Each has to occur.
    #[serde(default)]
    pub missing_values: Vec<String>,
    /// What happens to columns of texts.
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
