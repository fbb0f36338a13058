//! Sources of data as scenarios name them.

use super::holdout::Holdout;
use super::{Coding, DataKind, MemoryLimit, Observations, Shape, Values};
use fedbits_random::Streams;
use fedbits_spec::{Caveat, Part};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::error::Error;
use std::path::PathBuf;

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

/// What is known of data before they are read, where no file is needed to tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFacts {
    /// What they consist of.
    pub kind: DataKind,
    /// Are they drawn, anew in every replicate, so that the text says all that can be told before?
    pub is_drawn: bool,
    /// N.
    pub size: Option<u64>,
    /// The sizes of an observation before any preparation.
    pub shape: Shape,
    /// Do examples come with labels?
    pub is_labelled: bool,
    /// Does a column name the clients of examples?
    pub names_clients: bool,
    /// The field by which numbers of all examples enter single ones, if there is one.
    pub mixes_clients: Option<&'static str>,
    /// Does a column name the observers of counts?
    pub names_observers: bool,
    /// Do subjects have doses?
    pub has_doses: bool,
    /// Does the source set observations aside, by which the fit is judged?
    pub holds_out: bool,
    /// The field that decides how many examples there are.
    pub size_field: &'static str,
    /// Bytes of memory of an example beside its features.
    pub bytes_beside: u64,
    /// Memory that is taken beside the examples.
    pub beside: Option<Beside>,
}

impl SourceFacts {
    /// Of data that are read from files, with d features where that is known.
    pub fn read(kind: DataKind, features: impl Into<Option<usize>>) -> Self {
        Self {
            kind,
            is_drawn: false,
            size: None,
            shape: Shape { features: features.into(), ..Shape::default() },
            is_labelled: false,
            names_clients: false,
            mixes_clients: None,
            names_observers: false,
            has_doses: true,
            holds_out: false,
            size_field: "data.path",
            bytes_beside: 8,
            beside: None,
        }
    }

    /// Of N examples that are drawn, by a source with a field `examples`.
    pub fn drawn(kind: DataKind, size: u64, features: impl Into<Option<usize>>) -> Self {
        Self { is_drawn: true, size: Some(size), size_field: "data.examples", ..Self::read(kind, features) }
    }
}

/// A source of data with its parameters, which a scenario names: `Csv(path: "examples.csv")`.
pub trait DataSource: Part {
    /// What is known of its data before they are read.
    fn facts(&self) -> SourceFacts;

    /// The files that it reads, as the scenario names them, that of the examples first; none where data are drawn.
    fn files(&self) -> Vec<&str> {
        Vec::new()
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

    /// Representative parameters.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}

impl dyn DataSource {
    /// What the data consist of.
    pub fn kind(&self) -> DataKind {
        self.facts().kind
    }
}
