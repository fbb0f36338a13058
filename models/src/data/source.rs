//! Sources of data as scenarios name them.

use std::cell::RefCell;
use std::error::Error;
use std::path::PathBuf;

use fedbits_random::Streams;
use fedbits_spec::{Caveat, Part};
use serde::{Deserialize, Serialize};

use super::coding::Coding;
use super::holdout::Holdout;
use super::observations::{DataKind, Observations, Shape};
use super::packed::MemoryLimit;
use super::values::Values;

/// Why a source gives no data.
pub type ReadError = Box<dyn Error + Send + Sync>;

/// What data are read with.
pub struct Reading<'a> {
    /// The files of [`DataSource::files`], where they were found.
    pub files: &'a [PathBuf],
    /// Draws of this run, at `DrawPurpose::Data`.
    pub streams: &'a Streams,
    /// The streams of the first replicate, for what all replicates share.
    pub pool: &'a Streams,
    /// What an observation may be: a source of counts or responses names the line on which one is not.
    pub values: Values,
    /// What the source says of what it did.
    pub remarks: &'a Remarks,
    /// What is held out of the examples: it takes no part in what is learnt from them.
    pub holdout: Option<Holdout>,
    /// Memory that the data may take.
    pub limit: MemoryLimit,
}

impl Reading<'_> {
    /// Which of so many examples, in these groups, are held out; none where that is said to be impossible later.
    pub(super) fn held_out(&self, count: usize, groups: Option<&[u32]>) -> Vec<bool> {
        let held_out = self.holdout.and_then(|holdout| holdout.examples(count, groups, self.streams).ok());
        held_out.unwrap_or_else(|| vec![false; count])
    }
}

/// What a source says of what it did to the data.
#[derive(Debug, Default)]
pub struct Remarks {
    notes: RefCell<Vec<String>>,
    caveats: RefCell<Vec<Caveat>>,
    coding: RefCell<Coding>,
}

impl Remarks {
    /// Adds what people may want to know: a line.
    pub fn note(&self, text: String) {
        self.notes.borrow_mut().push(text);
    }

    /// Adds what is to be said wherever results are shown, once.
    pub fn caveat(&self, caveat: Caveat) {
        let mut caveats = self.caveats.borrow_mut();
        if !caveats.contains(&caveat) {
            caveats.push(caveat);
        }
    }

    /// Says how columns became numbers, and what codes stand for.
    pub fn code(&self, coding: Coding) {
        self.coding.replace(coding);
    }

    /// The notes, the caveats, and how columns became numbers.
    #[must_use]
    pub fn into_parts(self) -> (Vec<String>, Vec<Caveat>, Coding) {
        (self.notes.into_inner(), self.caveats.into_inner(), self.coding.into_inner())
    }
}

/// Memory that a source or a model takes beside its examples or vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// What takes it.
    pub what: String,
    /// The field that decides it.
    pub field: &'static str,
    /// How many bytes.
    pub bytes: u64,
}

/// The mixture of normal distributions that examples are drawn from.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Truth {
    /// The weights of its components.
    pub weights: Vec<f64>,
    /// Their means.
    pub means: Vec<Vec<f64>>,
    /// Their covariances, d × d.
    pub covariances: Vec<Vec<Vec<f64>>>,
}

/// A source of data with its parameters, which a scenario names: `Csv(path: "examples.csv")`.
pub trait DataSource: Part {
    /// What the data consist of.
    fn kind(&self) -> DataKind;

    /// The files that it reads, as the scenario names them, that of the examples first; none where data are drawn.
    fn files(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Are they drawn, anew in every replicate, so that the text says all that can be told before?
    fn is_drawn(&self) -> bool {
        self.files().is_empty()
    }

    /// Does it set observations of its own aside, by which the fit is judged?
    fn holds_out(&self) -> bool {
        false
    }

    /// d before any preparation, where no file is needed to tell it.
    fn features(&self) -> Option<usize> {
        None
    }

    /// N, where no file is needed to tell it.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Do examples come with labels?
    fn is_labelled(&self) -> bool {
        false
    }

    /// Does a column name the clients of examples?
    fn names_clients(&self) -> bool {
        false
    }

    /// The field by which numbers of all examples enter single ones, if there is one.
    fn mixes_clients(&self) -> Option<&'static str> {
        None
    }

    /// What is known of the sizes of an observation before any preparation, where no file is needed to tell it.
    fn shape(&self) -> Shape {
        Shape { features: self.features(), ..Shape::default() }
    }

    /// Does a column name the observers of counts?
    fn names_observers(&self) -> bool {
        false
    }

    /// Do subjects have doses?
    fn has_doses(&self) -> bool {
        true
    }

    /// The data.
    ///
    /// # Errors
    /// Files that cannot be read, distributions that cannot be drawn from.
    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError>;

    /// What examples are drawn from, where the scenario says it.
    fn truth(&self) -> Option<Truth> {
        None
    }

    /// The field that decides how many examples there are.
    fn size_field(&self) -> &'static str {
        if self.files().is_empty() { "data.examples" } else { "data.path" }
    }

    /// Bytes of memory of an example beside its features.
    fn bytes_beside(&self) -> u64 {
        8
    }

    /// Memory that it takes beside its examples.
    fn beside(&self) -> Option<Beside> {
        None
    }

    /// Representative parameters.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}
