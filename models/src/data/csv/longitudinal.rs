//! Longitudinal data: one row per observation, doses in rows of their own or in a column.
//!
//! A row with an amount above 0 is a dose and no observation (NONMEM, Monolix and nlmixr2 files). There is a caveat of
//! columns of NONMEM's and Monolix's files that change what doses and observations are, and are not read.

use super::cells::differ_in_case;
use super::missing::{DeclaredMissing, MissingObservations};
use super::reader::{Row, Rows};
use super::schema::{Delimiter, Role, TableSchema};
use crate::data::longitudinal::{Longitudinal, Subject};
use crate::data::{
    DataKind, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks, SourceFacts,
};
use ::csv::Position;
use fedbits_spec::laws::Column;
use fedbits_spec::range::{FINITE, FileName};
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Location of doses.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Doses {
    /// None, as in growth curves.
    #[default]
    NoDoses,
    /// In separate rows without observations (NONMEM, Monolix, nlmixr2).
    Rows {
        /// Amounts; 0, `.`, `NA` and the like in observation rows.
        amount: Column,
    },
    /// One per subject; each of its rows has the amount.
    PerSubject {
        /// Amounts, above 0.
        amount: Column,
        /// Time of the dose, in the unit of the times.
        #[serde(default)]
        #[range(FINITE)]
        time: f64,
    },
}

impl Doses {
    /// The column of amounts.
    fn amount(&self) -> Option<&Column> {
        match self {
            Doses::NoDoses => None,
            Doses::Rows { amount } | Doses::PerSubject { amount, .. } => Some(amount),
        }
    }
}

/// Rows selected by the text in a column.
#[derive(Clone, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Rows")]
pub struct ObservedRows {
    /// The column.
    pub column: Column,
    /// Required text.
    pub text: String,
}

/// Subjects over time: a text file with one row per observation.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Longitudinal")]
#[described(rules = distinct_columns)]
pub struct LongitudinalFile {
    /// File name.
    #[range(FileName)]
    pub path: String,
    /// Does the first line hold names? Default: detected.
    #[serde(default)]
    pub header: Option<bool>,
    /// Separator; `' '`: any blanks and tabs. Default: detected among comma, semicolon, tab, bar, blank.
    #[serde(default)]
    #[range(Delimiter)]
    pub delimiter: Option<char>,
    /// Subjects.
    pub subject: Column,
    /// Times, in any unit.
    pub time: Column,
    /// Observed values; with doses concentrations, at least 0.
    pub value: Column,
    /// Location of doses.
    #[serde(default)]
    pub doses: Doses,
    /// Observation rows; doses are read from all rows. Default: all rows without a dose.
    #[serde(default)]
    pub only: Option<ObservedRows>,
    /// Leaves out observations up to this time.
    #[serde(default)]
    #[range(FINITE)]
    pub after: Option<f64>,
    /// Observations without time or value (missing as in `Csv`). `Drop` also removes subjects without other
    /// observations.
    #[serde(default)]
    pub missing: MissingObservations,
    /// Further texts for missing values: `["-999", "-"]`. A number covers all its spellings. Each text must occur.
    #[serde(default)]
    pub missing_values: Vec<String>,
}

impl LongitudinalFile {
    fn schema(&self) -> TableSchema<'_> {
        let only = self.only.as_ref().map(|only| &only.column);
        TableSchema::new(self.header, self.delimiter)
            .texts(Role::Subject, "subject", [&self.subject])
            .numbers(Role::Time, "time", [&self.time])
            .numbers(Role::Value, "value", [&self.value])
            .texts(Role::Amount, "doses.amount", self.doses.amount())
            .texts(Role::Filter, "only.column", only)
    }
}

fn distinct_columns(file: &LongitudinalFile, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    file.schema().check(at, findings);
}

impl DataSource for LongitudinalFile {
    fn facts(&self) -> SourceFacts {
        SourceFacts { has_doses: self.doses != Doses::NoDoses, ..SourceFacts::read(DataKind::Subjects, None) }
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Subjects(read_longitudinal(&with.files[0], self, with.remarks, with.limit)?))
    }

    fn examples() -> Vec<Self> {
        let name = |name: &str| Column::Name(name.to_owned());
        vec![Self {
            path: "subjects.csv".to_owned(),
            header: None,
            delimiter: None,
            subject: name("id"),
            time: name("time"),
            value: name("dv"),
            doses: Doses::NoDoses,
            only: None,
            after: None,
            missing: MissingObservations::Error,
            missing_values: Vec::new(),
        }]
    }
}

/// Reads `path` as `options` say, which name it. Subjects come in the order of their first row.
///
/// # Errors
/// [`FileError`] names file, line and column, or the subject that lacks observations or doses, and says what was
/// expected.
pub fn read_longitudinal(
    path: &std::path::Path,
    options: &LongitudinalFile,
    remarks: &Remarks,
    limit: MemoryLimit,
) -> Result<Longitudinal, FileError> {
    let missing = DeclaredMissing::new(&options.missing_values);
    let mut file = Rows::open(path, &options.schema().missing(&missing).within(limit))?;
    let mut table = Table::new(&file, options);
    file.each(remarks, |row| table.read(row).map(|()| table.bytes))?;
    missing.all_occurred(path)?;
    table.finish(&file, remarks)
}

/// Positions of the columns, and the subjects so far with their first rows.
struct Table<'a> {
    options: &'a LongitudinalFile,
    subject: usize,
    time: usize,
    value: usize,
    amount: Option<usize>,
    only: Option<(usize, &'a str)>,
    subjects: Vec<(Option<Position>, Subject)>,
    /// The index of each subject among them.
    indices: BTreeMap<String, usize>,
    /// Observations that were left out, and the subjects that had them.
    dropped: u64,
    with_gaps: BTreeSet<String>,
    unread: Unread,
    twice: Twice,
    /// Of memory so far: about 200 per subject, 80 per observation.
    bytes: u64,
}

/// Subjects of whom something was observed twice at one time: perhaps they are two with one number.
#[derive(Default)]
struct Twice {
    subjects: BTreeSet<usize>,
    /// The first row, its subject and its time.
    first: Option<(Option<Position>, usize, f64)>,
    /// The subject of the row before, and the subjects and times of all rows, as bits.
    last: Option<usize>,
    seen: BTreeSet<(usize, u64)>,
}

impl Twice {
    /// Looks at the next observation, of a subject that was last observed at a time before. A subject whose times begin
    /// anew after rows of another one is as suspect.
    fn look_at(&mut self, row: Row<'_>, at: usize, before: Option<f64>, time: f64) {
        let begins_anew = self.last != Some(at) && before.is_some_and(|before| time < before);
        self.last = Some(at);
        if !self.seen.insert((at, (time + 0.0).to_bits())) || begins_anew {
            self.subjects.insert(at);
            self.first.get_or_insert_with(|| (row.position(), at, time));
        }
    }

    fn caveat(&self, file: &Rows, subjects: &[(Option<Position>, Subject)]) -> Option<Caveat> {
        let (position, at, time) = self.first.as_ref()?;
        Some(Caveat::SubjectsTwice {
            subjects: so_many(self.subjects.len(), "subject is|subjects are"),
            subject: subjects[*at].1.name.clone(),
            time: time.to_string(),
            line: file.line(position.as_ref()).to_string(),
        })
    }
}

impl<'a> Table<'a> {
    fn new(file: &Rows, options: &'a LongitudinalFile) -> Self {
        let [subject, time, value] =
            [Role::Subject, Role::Time, Role::Value].map(|role| file.place(role).unwrap_or_default());
        let (amount, only) = (file.place(Role::Amount), file.place(Role::Filter));
        let used: Vec<usize> = [subject, time, value].into_iter().chain(amount).chain(only).collect();
        let only = only.zip(options.only.as_ref().map(|only| only.text.as_str()));
        let (unread, twice) = (Unread::of(file, &used), Twice::default());
        let (subjects, indices, with_gaps) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let (dropped, bytes) = (0, 0);
        Self {
            options,
            subject,
            time,
            value,
            amount,
            only,
            subjects,
            indices,
            dropped,
            with_gaps,
            unread,
            twice,
            bytes,
        }
    }

    fn read(&mut self, row: Row<'_>) -> Result<(), FileError> {
        let name = row.code(self.subject)?.into_owned();
        let at = match self.indices.get(&name) {
            Some(&at) => at,
            None => {
                self.bytes += 200;
                self.indices.insert(name.clone(), self.subjects.len());
                self.subjects.push((row.position(), Subject { name, ..Subject::default() }));
                self.subjects.len() - 1
            }
        };
        let is_observation = !self.read_dose(row, at)? && self.is_observation(row);
        self.unread.look_at(row, is_observation);
        if !is_observation {
            return Ok(());
        }
        let is_missing = || row.is_missing(self.time) || row.is_missing(self.value);
        if self.options.missing == MissingObservations::Drop && is_missing() {
            self.dropped += 1;
            self.with_gaps.insert(self.subjects[at].1.name.clone());
            return Ok(());
        }
        if let Some(column) = [self.time, self.value].into_iter().find(|&column| row.is_missing(column)) {
            return Err(row.refuse(column, "a number, or `missing: Drop`"));
        }
        let (time, value) = (row.number(self.time)?, row.number(self.value)?);
        self.bytes += 80;
        if value < 0.0 && self.amount.is_some() {
            return Err(row.refuse(self.value, "a concentration of at least 0"));
        }
        self.twice.look_at(row, at, self.subjects[at].1.times.last().copied(), time);
        if self.options.after.is_none_or(|after| time > after) {
            self.subjects[at].1.times.push(time);
            self.subjects[at].1.values.push(value);
        }
        Ok(())
    }

    fn is_observation(&self, row: Row<'_>) -> bool {
        self.only.is_none_or(|(column, text)| row.text(column) == text)
    }

    /// True when the row is a dose and nothing else.
    fn read_dose(&mut self, row: Row<'_>, at: usize) -> Result<bool, FileError> {
        let Some(column) = self.amount else { return Ok(false) };
        let expected = match self.options.doses {
            Doses::PerSubject { .. } => "a dose above 0",
            _ => "a dose above 0, or 0 or nothing in a row of an observation",
        };
        let amount = if row.is_missing(column) { 0.0 } else { row.number(column)? };
        if amount < 0.0 {
            return Err(row.refuse(column, expected));
        }
        let doses = &mut self.subjects[at].1.doses;
        match self.options.doses {
            Doses::Rows { .. } if amount > 0.0 => {
                let time = row.number(self.time)?;
                doses.push((time, amount));
                Ok(true)
            }
            Doses::PerSubject { time, .. } => {
                match doses.first() {
                    _ if amount == 0.0 => return Err(row.refuse(column, expected)),
                    Some(&(_, before)) if before != amount => {
                        return Err(row.refuse(column, "the same dose in all rows of a subject"));
                    }
                    Some(_) => {}
                    None => doses.push((time, amount)),
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn finish(mut self, file: &Rows, remarks: &Remarks) -> Result<Longitudinal, FileError> {
        self.unread.caveats(file).for_each(|caveat| remarks.caveat(caveat));
        let names: Vec<String> = self.subjects.iter().map(|(_, subject)| subject.name.clone()).collect();
        let caveats = [self.twice.caveat(file, &self.subjects), differ_in_case("subjects", &names)];
        caveats.into_iter().flatten().for_each(|caveat| remarks.caveat(caveat));
        if self.dropped > 0 {
            self.leave_out(remarks);
        }
        if self.subjects.is_empty() {
            return Err(FileError::empty(file.path(), "at least one observation with a time and a value"));
        }
        for (first, subject) in &self.subjects {
            let (found, expected) = if subject.times.is_empty() {
                ("it has no observations", "at least one row with a value")
            } else if self.amount.is_some() && subject.doses.is_empty() {
                ("it has no dose", "at least one row with an amount above 0")
            } else {
                continue;
            };
            let found = format!("subject {}: {found}", subject.name);
            return Err(FileError::whole(file.path(), found, expected).at(file.line(first.as_ref())));
        }
        Ok(Longitudinal { subjects: self.subjects.into_iter().map(|(_, subject)| subject).collect() })
    }

    /// Leaves out subjects whose observations all have gaps, and says what was left out.
    fn leave_out(&mut self, remarks: &Remarks) {
        let before = self.subjects.len();
        let with_gaps = &self.with_gaps;
        self.subjects.retain(|(_, subject)| !subject.times.is_empty() || !with_gaps.contains(&subject.name));
        let (rows, subjects) = (self.dropped, before - self.subjects.len());
        let (observations, subjects) = (so_many(rows, "observation"), so_many(subjects, "subject"));
        remarks.caveat(Caveat::ObservationsLeftOut { observations, subjects });
    }
}

/// What a column says of a row, where it is not 0.
#[derive(Clone, Copy)]
enum Meaning {
    /// Of doses: further ones, their distance, steady state, a rate.
    Dose,
    /// The kind of event: 0 an observation, 1 a dose, 2 neither; 3 and 4 empty the body.
    Event,
    /// The value is no observation, or a limit of it (Monolix: 1 below, −1 above).
    NoValue,
}

/// Their names, in either case.
const COLUMNS: [(&str, Meaning); 7] = [
    ("ADDL", Meaning::Dose),
    ("II", Meaning::Dose),
    ("SS", Meaning::Dose),
    ("RATE", Meaning::Dose),
    ("EVID", Meaning::Event),
    ("MDV", Meaning::NoValue),
    ("CENS", Meaning::NoValue),
];

/// The columns of a file that are there and not read, and the rows in which they say something.
struct Unread(Vec<UnreadColumn>);

struct UnreadColumn {
    index: usize,
    meaning: Meaning,
    rows: u64,
    first: Option<Position>,
}

impl Unread {
    /// Of a file of which these columns are used.
    pub(super) fn of(file: &Rows, used: &[usize]) -> Self {
        let column = |index: usize| {
            let title = file.title(index);
            let (_, meaning) = *COLUMNS.iter().find(|(name, _)| title.eq_ignore_ascii_case(name))?;
            Some(UnreadColumn { index, meaning, rows: 0, first: None })
        };
        Self((0..file.width()).filter(|index| !used.contains(index)).filter_map(column).collect())
    }

    /// Counts what they say of a row.
    pub(super) fn look_at(&mut self, row: Row<'_>, is_observation: bool) {
        for column in &mut self.0 {
            let Some(number) = row.finite(column.index).filter(|&number| number != 0.0) else { continue };
            let says = match column.meaning {
                Meaning::Dose => true,
                Meaning::Event => is_observation || number > 2.0,
                Meaning::NoValue => is_observation,
            };
            if says {
                column.rows += 1;
                column.first = column.first.take().or_else(|| row.position());
            }
        }
    }

    /// What is to be said of them.
    pub(super) fn caveats(&self, file: &Rows) -> impl Iterator<Item = Caveat> {
        self.0.iter().filter(|column| column.rows > 0).map(|column| {
            let line = file.line(column.first.as_ref()).to_string();
            Caveat::ColumnsNotRead { column: file.title(column.index), rows: so_many(column.rows, "row"), line }
        })
    }
}
