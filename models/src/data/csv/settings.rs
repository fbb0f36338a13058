//! What the settings of text files have in common: columns, and the character between fields.

use std::collections::BTreeSet;

use fedbits_spec::laws::Column;
use fedbits_spec::range::Range;
use fedbits_spec::short::{self, Short};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::de::SeqAccess;
use serde::{Deserialize, Serialize};

/// A choice of columns.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short, rules = some_columns)]
pub enum Columns {
    /// Every column that has no other use, in the order of the file.
    #[default]
    All,
    /// These, in this order; at least one.
    Columns(Vec<Column>),
}

impl Short for Columns {
    const FORMS: &'static [(&'static str, &'static str)] = &[("[\"a\", 3]", "Columns([Name(\"a\"), Index(3)])")];

    fn of_list<'de, A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        short::items(items).map(Self::Columns)
    }
}

impl Columns {
    /// How many they are, where the file need not tell.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Columns::All => None,
            Columns::Columns(columns) => Some(columns.len()),
        }
    }
}

/// The columns that [`Rows::title`](super::Rows::title) calls so: by their names, or by their places where the file had
/// no names.
pub fn titled<'a>(titles: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> Vec<Column> {
    let titles = titles.into_iter();
    let place = |title: &str| title.strip_prefix("column ")?.parse().ok().map(Column::Index);
    let places: Option<Vec<Column>> = titles.clone().map(place).collect();
    places.unwrap_or_else(|| titles.map(|title| Column::Name(title.to_owned())).collect())
}

fn some_columns(columns: &Columns, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if columns.len() == Some(0) {
        findings.error(at, "there are no columns", "expected at least one column, or `All`");
    }
}

/// The columns of a file that a setting names, each with the path of its name.
pub(super) struct Named<'a> {
    header: Option<bool>,
    columns: Vec<(String, &'a Column)>,
}

impl<'a> Named<'a> {
    /// None yet, of a file with or without a header, or where that is recognized.
    pub(super) fn new(header: Option<bool>) -> Self {
        Self { header, columns: Vec::new() }
    }

    /// With one more, if it is given.
    pub(super) fn one(mut self, at: &Path<'_>, column: impl Into<Option<&'a Column>>) -> Self {
        self.columns.extend(column.into().map(|column| (at.to_string(), column)));
        self
    }

    /// With several more.
    pub(super) fn list(mut self, at: &Path<'_>, columns: &'a [Column]) -> Self {
        let path = |index| at.index(index).to_string();
        self.columns.extend(columns.iter().enumerate().map(|(index, column)| (path(index), column)));
        self
    }

    /// With a choice of columns.
    pub(super) fn choice(self, at: &Path<'_>, columns: &'a Columns) -> Self {
        match columns {
            Columns::All => self,
            Columns::Columns(columns) => self.list(&at.index(0), columns),
        }
    }

    /// Names need a header.
    pub(super) fn need_header(&self, findings: &mut Findings) {
        for (path, column) in &self.columns {
            if let (Column::Name(name), Some(false)) = (column, self.header) {
                let found = format!("the column is named {name:?}, but the file has no header");
                findings.error(path, found, "expected its position from 0, or `header: true`");
            }
        }
    }

    /// Names need a header, and no column has two uses.
    pub(super) fn are_distinct(&self, findings: &mut Findings) {
        self.need_header(findings);
        let mut seen = BTreeSet::new();
        for (path, column) in &self.columns {
            if !seen.insert(*column) {
                findings.error(path, "this column is used already", "expected every column at most once");
            }
        }
    }
}

/// Characters between fields.
pub(super) struct Delimiter;

impl Range<char> for Delimiter {
    fn check(&self, value: &char, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
        if !value.is_ascii() || value.is_ascii_alphanumeric() || "\"\n\r.+-".contains(*value) {
            let expected = "expected one ASCII character that is no part of a number, for example ','";
            findings.error(at, format!("the delimiter {value:?} cannot be used"), expected);
        }
    }

    fn text(&self) -> String {
        "an ASCII character that is no part of a number".to_owned()
    }
}
