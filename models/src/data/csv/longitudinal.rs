//! Longitudinal data from CSV files: one row per observation, doses in rows of their own or in a column.
//!
//! Cells that are empty, `.` or `NA` hold nothing. A row with an amount above 0 is a dose and no observation (NONMEM, Monolix
//! and nlmixr2 files). It must not know data sets by name.

use super::layout::{Layout, cell_text};
use super::{Column, Columns, CsvError, CsvOptions, advance, first_row, open};
use crate::data::longitudinal::{Longitudinal, Subject};
use ::csv::ByteRecord;
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
/// [`CsvError`] names file, line and column and says what was expected; [`CsvError::Subject`] a subject that lacks
/// observations or doses.
pub fn read_longitudinal(path: &Path, options: &LongitudinalOptions) -> Result<Longitudinal, CsvError> {
    let plain = CsvOptions { header: options.header, delimiter: options.delimiter, ..CsvOptions::default() };
    let mut reader = open(path, &plain)?;
    let mut record = ByteRecord::new();
    let names = first_row(&mut reader, &mut record, path, options.header)?;
    let width = names.as_ref().map_or(record.len(), Vec::len);
    let plain = CsvOptions { columns: Columns::AllOthers, ..plain };
    let layout = Layout::new(path, &plain, names, width)?;
    let mut table = Table::new(&layout, options)?;
    loop {
        table.read(&record)?;
        if !advance(&mut reader, &mut record, path)? {
            break;
        }
    }
    table.finish()
}

/// Positions of the columns, and the subjects so far with their first rows.
struct Table<'a> {
    layout: &'a Layout<'a>,
    options: &'a LongitudinalOptions,
    subject: usize,
    time: usize,
    value: usize,
    amount: Option<usize>,
    only: Option<(usize, &'a str)>,
    subjects: Vec<(ByteRecord, Subject)>,
    /// The place of each subject among them.
    places: BTreeMap<String, usize>,
}

impl<'a> Table<'a> {
    fn new(layout: &'a Layout<'a>, options: &'a LongitudinalOptions) -> Result<Self, CsvError> {
        let amount = match &options.doses {
            Doses::None => None,
            Doses::Rows { amount } | Doses::PerSubject { amount, .. } => Some(layout.find(amount)?),
        };
        let only = options.only.as_ref().map(|(column, text)| Ok((layout.find(column)?, text.as_str()))).transpose()?;
        let [subject, time, value] =
            [&options.subject, &options.time, &options.value].map(|column| layout.find(column));
        let (subjects, places) = (Vec::new(), BTreeMap::new());
        Ok(Self { layout, options, subject: subject?, time: time?, value: value?, amount, only, subjects, places })
    }

    fn read(&mut self, record: &ByteRecord) -> Result<(), CsvError> {
        self.layout.check_width(record)?;
        let name = self.layout.code(record, self.subject)?.to_owned();
        let at = match self.places.get(&name) {
            Some(&at) => at,
            None => {
                self.places.insert(name.clone(), self.subjects.len());
                // Of the row only its position is needed, for a message.
                let mut first = ByteRecord::new();
                first.set_position(record.position().cloned());
                self.subjects.push((first, Subject { name, ..Subject::default() }));
                self.subjects.len() - 1
            }
        };
        if self.read_dose(record, at)? || !self.is_observation(record) {
            return Ok(());
        }
        let time = self.layout.number(record, self.time)?;
        let value = self.layout.number(record, self.value)?;
        if value < 0.0 && self.amount.is_some() {
            return Err(self.layout.cell(record, self.value, "a concentration of at least 0"));
        }
        if self.options.after.is_none_or(|after| time > after) {
            self.subjects[at].1.times.push(time);
            self.subjects[at].1.values.push(value);
        }
        Ok(())
    }

    fn is_observation(&self, record: &ByteRecord) -> bool {
        self.only.is_none_or(|(column, text)| cell_text(&record[column]) == text)
    }

    /// True when the row is a dose and nothing else.
    fn read_dose(&mut self, record: &ByteRecord, at: usize) -> Result<bool, CsvError> {
        let Some(column) = self.amount else { return Ok(false) };
        let expected = match self.options.doses {
            Doses::PerSubject { .. } => "a dose above 0",
            _ => "a dose above 0, or 0, `.`, `NA` or nothing in a row of an observation",
        };
        let given = !matches!(cell_text(&record[column]).as_str(), "" | "." | "NA");
        let amount = if given { self.layout.number(record, column)? } else { 0.0 };
        if amount < 0.0 {
            return Err(self.layout.cell(record, column, expected));
        }
        let doses = &mut self.subjects[at].1.doses;
        match self.options.doses {
            Doses::Rows { .. } if amount > 0.0 => {
                let time = self.layout.number(record, self.time)?;
                doses.push((time, amount));
                Ok(true)
            }
            Doses::PerSubject { time, .. } => {
                match doses.first() {
                    _ if amount == 0.0 => return Err(self.layout.cell(record, column, expected)),
                    Some(&(_, before)) if before != amount => {
                        return Err(self.layout.cell(record, column, "the same dose in all rows of a subject"));
                    }
                    Some(_) => {}
                    None => doses.push((time, amount)),
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn finish(self) -> Result<Longitudinal, CsvError> {
        for (first, subject) in &self.subjects {
            let problem = if subject.times.is_empty() {
                "it has no observations: expected at least one row with a value"
            } else if self.amount.is_some() && subject.doses.is_empty() {
                "it has no dose: expected at least one row with an amount above 0"
            } else {
                continue;
            };
            let (path, subject) = (self.layout.path().to_owned(), subject.name.clone());
            return Err(CsvError::Subject { path, line: self.layout.line(first), subject, problem });
        }
        Ok(Longitudinal { subjects: self.subjects.into_iter().map(|(_, subject)| subject).collect() })
    }
}
