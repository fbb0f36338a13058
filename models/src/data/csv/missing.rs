//! Cells without a value: refused, left out with their rows, or filled in.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use crate::data::error::{FileError, first_of};
use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

/// Rows with missing values in used cells: empty, `?`, `.`, Excel errors, `missing_values`, or words that pandas reads
/// as missing (`NA`, …). Labels and clients are missing only if empty or in `missing_values`: a name may be `NA`.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum MissingValues {
    /// An error.
    #[default]
    Error,
    /// Leaves these rows out, with a caveat.
    Drop,
    /// Fills cells by column from all clients' data, with a caveat; withheld examples take the statistics of the
    /// others. Labels and clients are never filled.
    Impute(Filling),
}

/// Statistic of a column's present values over all clients.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Filling {
    /// The mean.
    Mean,
    /// The median, or the mean of the middle two values.
    Median,
    /// The most frequent value; of ties the smallest, or a factor's first level.
    Mode,
}

/// Observations without a value, and documents without words.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MissingObservations {
    /// An error.
    #[default]
    Error,
    /// Leaves them out, with a caveat.
    Drop,
}

impl Filling {
    /// The number for a column; none where no value is there.
    pub(super) fn of(self, mut values: Vec<f64>) -> Option<f64> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        if self == Self::Mean {
            let (least, most) = values.iter().fold((values[0], values[0]), |(a, b), x| (x.min(a), x.max(b)));
            // Where all values are the same, rounding must not make another one of it.
            return Some((values.iter().sum::<f64>() / n as f64).clamp(least, most));
        }
        values.sort_by(f64::total_cmp);
        if self == Self::Median {
            return Some(if n % 2 == 1 { values[n / 2] } else { 0.5 * values[n / 2 - 1] + 0.5 * values[n / 2] });
        }
        let runs = values.chunk_by(|a, b| a == b);
        // The first of the longest runs.
        runs.reduce(|most, run| if run.len() > most.len() { run } else { most }).map(|run| run[0])
    }

    /// Its name in a text.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Mode => "most frequent value",
        }
    }
}

/// Texts that stand for missing values in a file because its user says so. Those that are numbers are compared as
/// numbers, as pandas does: `-999` is `-999.0`, too. Copies note together which of them occurred.
#[derive(Clone, Default)]
pub struct DeclaredMissing(Rc<[Declared]>);

struct Declared {
    text: String,
    number: Option<f64>,
    occurred: Cell<bool>,
}

impl DeclaredMissing {
    /// These texts.
    #[must_use]
    pub fn new(texts: &[String]) -> Self {
        let declared = |text: &String| {
            let text = text.trim().to_owned();
            Declared { number: text.parse().ok(), text, occurred: Cell::new(false) }
        };
        Self(texts.iter().map(declared).collect())
    }

    /// Whether a cell says one of them.
    pub(super) fn is(&self, cell: &str) -> bool {
        self.all_of(cell).next().is_some()
    }

    fn all_of<'a>(&'a self, cell: &'a str) -> impl Iterator<Item = &'a Declared> {
        // No number is read where nothing is declared.
        let number = if self.0.is_empty() { None } else { cell.parse::<f64>().ok() };
        let is = move |declared: &&Declared| {
            declared.text == cell || declared.number.zip(number).is_some_and(|(one, other)| one == other)
        };
        self.0.iter().filter(is)
    }

    /// Notes which of them occur in a row.
    pub(super) fn note<'a>(&self, row: impl Iterator<Item = Cow<'a, str>>) {
        if self.0.iter().all(|declared| declared.occurred.get()) {
            return;
        }
        for cell in row {
            self.all_of(&cell).for_each(|declared| declared.occurred.set(true));
        }
    }

    /// An error unless all of them occurred in the rows that were read: a misspelt one would leave numbers where values
    /// are missing.
    ///
    /// # Errors
    /// The first that did not occur.
    pub fn all_occurred(&self, path: &Path) -> Result<(), FileError> {
        let Some(Declared { text, .. }) = self.0.iter().find(|declared| !declared.occurred.get()) else {
            return Ok(());
        };
        let found = format!("no cell says `{text}`, which `missing_values` declares");
        Err(FileError::whole(path, found, "texts that stand for missing values in this file"))
    }
}

/// What was found missing so far.
#[derive(Default)]
pub(super) struct Gaps {
    /// Where the first is, and what is said of it where it is refused.
    pub(super) first: Option<FileError>,
    pub(super) cells: u64,
    pub(super) rows: u64,
    /// Is a label or a client among them?
    pub(super) nameless: bool,
    /// The clients of rows that were left out.
    pub(super) clients: BTreeSet<String>,
}

impl Gaps {
    /// Of which clients no row is left, where these have some.
    pub(super) fn lost(&self, left: &[String]) -> Option<Caveat> {
        let left: BTreeSet<&String> = left.iter().collect();
        let lost = self.clients.iter().filter(|name| !left.contains(name));
        let lost: Vec<String> = lost.map(|name| format!("`{name}`")).collect();
        (!lost.is_empty()).then(|| Caveat::ClientsWithoutARow { clients: first_of(&lost) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillings_are_those_of_their_columns() {
        let values = vec![3.0, 1.0, 2.0, 2.0, 3.0, 10.0];
        assert_eq!(Filling::Mean.of(values.clone()), Some(3.5));
        assert_eq!(Filling::Median.of(values.clone()), Some(2.5));
        assert_eq!(Filling::Mode.of(values), Some(2.0));
        assert_eq!(Filling::Median.of(vec![4.0, -1.0, 7.0]), Some(4.0));
        assert_eq!(Filling::Mode.of(vec![-0.0, 0.0, 5.0, 5.0]).map(f64::abs), Some(0.0));
        assert_eq!(Filling::Mean.of(Vec::new()), None);
        assert_eq!(Filling::Mean.of(vec![0.1; 10]), Some(0.1));
    }
}
