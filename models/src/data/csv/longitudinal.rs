//! Longitudinal data: one row per observation, doses in rows of their own or in a column.
//!
//! Cells that are empty, `.` or `NA` hold nothing. A row with an amount above 0 is a dose and no observation (NONMEM,
//! Monolix and nlmixr2 files).

use super::reader::{Column, Row, Rows};
use crate::data::error::FileError;
use crate::data::longitudinal::{Longitudinal, Subject};
use ::csv::Position;
use std::collections::BTreeMap;
use std::path::Path;

/// Where doses stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Doses {
    /// None: the data are growth curves or the like.
    None,
    /// In rows of their own: the amount, at the row's time.
    Rows {
        /// Column of amounts.
        amount: Column,
    },
    /// In every row of a subject the same amount, given once.
    PerSubject {
        /// Column of amounts.
        amount: Column,
        /// When it was given, in the unit of the times.
        time: f64,
    },
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LongitudinalOptions {
    /// The first row holds names.
    pub header: bool,
    /// Field separator.
    pub delimiter: u8,
    /// Column of the subject's name.
    pub subject: Column,
    /// Column of times.
    pub time: Column,
    /// Column of observed values; with doses these are concentrations, at least 0.
    pub value: Column,
    /// Doses.
    pub doses: Doses,
    /// Only rows with this text in this column are observations (doses are read from all rows).
    pub only: Option<(Column, String)>,
    /// Observations at this time or before are left out.
    pub after: Option<f64>,
}

/// Reads `path` as `options` say. Subjects come in the order of their first row.
///
/// # Errors
/// [`FileError`] names file, line and column and says what was expected; [`FileError::Subject`] a subject that lacks
/// observations or doses.
pub fn read_longitudinal(path: &Path, options: &LongitudinalOptions) -> Result<Longitudinal, FileError> {
    let mut file = Rows::open(path, options.header, options.delimiter)?;
    let mut table = Table::new(&file, options)?;
    while let Some(row) = file.read()? {
        table.read(row)?;
    }
    table.finish(&file)
}

/// Positions of the columns, and the subjects so far with their first rows.
struct Table<'a> {
    options: &'a LongitudinalOptions,
    subject: usize,
    time: usize,
    value: usize,
    amount: Option<usize>,
    only: Option<(usize, &'a str)>,
    subjects: Vec<(Option<Position>, Subject)>,
    /// The index of each subject among them.
    indices: BTreeMap<String, usize>,
}

impl<'a> Table<'a> {
    fn new(file: &Rows, options: &'a LongitudinalOptions) -> Result<Self, FileError> {
        let amount = match &options.doses {
            Doses::None => None,
            Doses::Rows { amount } | Doses::PerSubject { amount, .. } => Some(file.find(amount)?),
        };
        let only = options.only.as_ref().map(|(column, text)| Ok((file.find(column)?, text.as_str()))).transpose()?;
        let [subject, time, value] = [&options.subject, &options.time, &options.value].map(|column| file.find(column));
        let (subjects, indices) = (Vec::new(), BTreeMap::new());
        Ok(Self { options, subject: subject?, time: time?, value: value?, amount, only, subjects, indices })
    }

    fn read(&mut self, row: Row<'_>) -> Result<(), FileError> {
        let name = row.code(self.subject)?.to_owned();
        let at = match self.indices.get(&name) {
            Some(&at) => at,
            None => {
                self.indices.insert(name.clone(), self.subjects.len());
                self.subjects.push((row.position(), Subject { name, ..Subject::default() }));
                self.subjects.len() - 1
            }
        };
        if self.read_dose(row, at)? || !self.is_observation(row) {
            return Ok(());
        }
        let time = row.number(self.time)?;
        let value = row.number(self.value)?;
        if value < 0.0 && self.amount.is_some() {
            return Err(row.refuse(self.value, "a concentration of at least 0"));
        }
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
            _ => "a dose above 0, or 0, `.`, `NA` or nothing in a row of an observation",
        };
        let given = !matches!(row.text(column).as_str(), "" | "." | "NA");
        let amount = if given { row.number(column)? } else { 0.0 };
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

    fn finish(self, file: &Rows) -> Result<Longitudinal, FileError> {
        for (first, subject) in &self.subjects {
            let problem = if subject.times.is_empty() {
                "it has no observations: expected at least one row with a value"
            } else if self.amount.is_some() && subject.doses.is_empty() {
                "it has no dose: expected at least one row with an amount above 0"
            } else {
                continue;
            };
            let (path, subject) = (file.path().to_owned(), subject.name.clone());
            return Err(FileError::Subject { path, line: file.line(first.as_ref()), subject, problem });
        }
        Ok(Longitudinal { subjects: self.subjects.into_iter().map(|(_, subject)| subject).collect() })
    }
}
