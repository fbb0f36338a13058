//! The setting of a CSV file of examples.

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
