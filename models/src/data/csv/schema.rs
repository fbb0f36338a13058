//! What a setting says of a table: which columns play which roles, and how its text is laid out. Checks of settings,
//! recognition of the layout and the reader of rows all take it from here.

use std::collections::BTreeSet;

use fedbits_spec::laws::Column;
use fedbits_spec::range::Range;
use fedbits_spec::short::{self, Short};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::de::SeqAccess;
use serde::{Deserialize, Serialize};

use super::missing::DeclaredMissing;
use crate::data::packed::MemoryLimit;

/// A choice of columns.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short, rules = some_columns)]
pub enum Columns {
    /// Every column without another use, in file order.
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

/// What a column is to a model.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// A number of an example, or a text that becomes numbers.
    Feature,
    /// The class of an example.
    Response,
    /// Who has an example.
    Client,
    /// Who, or where, something was observed.
    Subject,
    /// When it was observed.
    Time,
    /// What was observed.
    Value,
    /// Who observed it; several values may share a column.
    Observer,
    /// A dose.
    Amount,
    /// How many persons a row stands for.
    Weight,
    /// Which rows are observations; may have another role, too.
    Filter,
}

/// A column that a setting names.
struct Wanted<'a> {
    role: Role,
    /// The field that names it, below the setting.
    field: String,
    column: &'a Column,
    is_number: bool,
}

/// What is known of a table before it is opened.
pub struct TableSchema<'a> {
    pub(super) header: Option<bool>,
    pub(super) delimiter: Option<char>,
    wanted: Vec<Wanted<'a>>,
    /// The role of all columns that have no other, which hold numbers.
    rest: Option<Role>,
    /// Whether a column of numbers may be one of texts.
    pub(super) has_factors: bool,
    /// What else stands for missing values, where a user can say so.
    pub(super) missing: Option<DeclaredMissing>,
    pub(super) limit: MemoryLimit,
}

impl<'a> TableSchema<'a> {
    /// Of a file whose columns are not known yet; header and delimiter are recognized where nothing is said.
    #[must_use]
    pub fn new(header: Option<bool>, delimiter: Option<char>) -> Self {
        let (wanted, limit) = (Vec::new(), MemoryLimit::default());
        Self { header, delimiter, wanted, rest: None, has_factors: false, missing: None, limit }
    }

    /// With columns of numbers, which a field names.
    #[must_use]
    pub fn numbers(self, role: Role, field: &str, columns: impl IntoIterator<Item = &'a Column>) -> Self {
        self.with(role, field, columns, true)
    }

    /// With columns that may hold anything, which a field names.
    #[must_use]
    pub fn texts(self, role: Role, field: &str, columns: impl IntoIterator<Item = &'a Column>) -> Self {
        self.with(role, field, columns, false)
    }

    /// With a choice of columns of numbers.
    #[must_use]
    pub fn choice(mut self, role: Role, field: &str, columns: &'a Columns) -> Self {
        match columns {
            Columns::All => self.rest = Some(role),
            Columns::Columns(columns) => self = self.with_list(role, &format!("{field}[0]"), columns, true),
        }
        self
    }

    /// With several columns of a list.
    pub(super) fn with_list(self, role: Role, field: &str, columns: &'a [Column], is_number: bool) -> Self {
        let each = columns.iter().enumerate();
        each.fold(self, |schema, (at, column)| schema.with(role, &format!("{field}[{at}]"), [column], is_number))
    }

    fn with(mut self, role: Role, field: &str, columns: impl IntoIterator<Item = &'a Column>, is_number: bool) -> Self {
        let wanted = |column| Wanted { role, field: field.to_owned(), column, is_number };
        self.wanted.extend(columns.into_iter().map(wanted));
        self
    }

    /// With texts that stand for missing values.
    #[must_use]
    pub fn missing(self, missing: &DeclaredMissing) -> Self {
        Self { missing: Some(missing.clone()), ..self }
    }

    /// With what is read taking no more memory than this.
    #[must_use]
    pub fn within(self, limit: MemoryLimit) -> Self {
        Self { limit, ..self }
    }

    /// With texts where numbers could stand, if so.
    pub(super) fn factors(self, has_factors: bool) -> Self {
        Self { has_factors, ..self }
    }

    /// Adds what is wrong with the columns that the setting at `at` names: names need a header, and no column has two
    /// roles.
    pub(super) fn check(&self, at: &Path<'_>, findings: &mut Findings) {
        let mut seen = BTreeSet::new();
        for Wanted { role, field, column, .. } in &self.wanted {
            let path = format!("{at}.{field}");
            if let (Column::Name(name), Some(false)) = (column, self.header) {
                let found = format!("the column is named {name:?}, but the file has no header");
                findings.error(&path, found, "expected its position from 0, or `header: true`");
            }
            if !role.is_shared() && !seen.insert(*column) {
                findings.error(&path, "this column is used already", "expected every column at most once");
            }
        }
    }

    /// Names of columns that are asked for.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.wanted.iter().filter_map(|wanted| match wanted.column {
            Column::Name(name) => Some(name.as_str()),
            Column::Index(_) => None,
        })
    }

    /// Whether all columns that are asked for by name have one of these, and there are such.
    pub(super) fn is_in(&self, names: &[String]) -> bool {
        self.names().next().is_some() && self.names().all(|name| names.iter().any(|title| title == name))
    }

    /// Whether the column at this position holds numbers, of a file without names.
    pub(super) fn is_number(&self, position: usize) -> bool {
        let of = |wanted: &&Wanted<'_>| *wanted.column == Column::Index(position);
        let named = self.wanted.iter().filter(of).map(|wanted| wanted.is_number).reduce(|one, other| one || other);
        named.unwrap_or(self.rest.is_some())
    }

    /// Where the columns of each role stand in a file of so many, of which `find` knows the position of each.
    pub(super) fn places<E>(
        &self,
        width: usize,
        find: impl Fn(&Column) -> Result<usize, E>,
    ) -> Result<Vec<(Role, usize)>, E> {
        let of = |wanted: &Wanted<'_>| Ok((wanted.role, find(wanted.column)?));
        let mut places = self.wanted.iter().map(of).collect::<Result<Vec<_>, E>>()?;
        let rest = (0..width).filter(|index| places.iter().all(|(_, place)| place != index));
        let rest: Vec<_> =
            self.rest.into_iter().flat_map(|role| rest.clone().map(move |index| (role, index))).collect();
        places.extend(rest);
        Ok(places)
    }

    /// Whether some columns are to have this role.
    pub(super) fn wants(&self, role: Role) -> bool {
        self.rest == Some(role) || self.wanted.iter().any(|wanted| wanted.role == role)
    }
}

impl Role {
    /// May a column with this role have another, too?
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Self::Observer | Self::Filter)
    }
}

/// Characters between fields.
pub(super) struct Delimiter;

impl Range<char> for Delimiter {
    fn check(&self, value: &char, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
        if !value.is_ascii() || value.is_ascii_alphanumeric() || "\"\n\r.+-".contains(*value) {
            let expected = "expected one ASCII character that is not part of a number, for example ','";
            findings.error(at, format!("the delimiter {value:?} cannot be used"), expected);
        }
    }

    fn text(&self) -> String {
        "an ASCII character that is not part of a number".to_owned()
    }
}
