//! Sources of data as scenarios name them.

use std::error::Error;
use std::path::PathBuf;

use fedbits_random::Streams;
use fedbits_spec::Part;

use super::DataSet;

/// What data consist of, which decides what models can be fitted to them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DataKind {
    /// A table of examples with features.
    Examples,
    /// Counts by site, time and observer.
    Counts,
    /// Subjects observed over time.
    Subjects,
    /// Responses of persons to items.
    Responses,
    /// Documents as bags of words.
    Documents,
}

impl DataKind {
    /// What the units of these data are called.
    #[must_use]
    pub fn units(self) -> &'static str {
        match self {
            DataKind::Examples => "examples",
            DataKind::Counts => "observations",
            DataKind::Subjects => "subjects",
            DataKind::Responses => "persons",
            DataKind::Documents => "documents",
        }
    }
}

/// Why a source gives no table of examples.
pub type NoTable = Box<dyn Error + Send + Sync>;

/// Memory that a source takes beside its examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// What takes it.
    pub what: String,
    /// The field of the source that decides it.
    pub field: &'static str,
    /// How many bytes.
    pub bytes: u64,
}

/// A source of data with its parameters, which a scenario names: `Csv(path: "examples.csv")`.
pub trait DataSource: Part {
    /// What the data consist of.
    fn kind(&self) -> DataKind;

    /// The files that it reads, as the scenario names them, that of the examples first; none where data are drawn.
    fn files(&self) -> Vec<&str> {
        Vec::new()
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

    /// The table of examples; `files` are those of [`DataSource::files`] where they were found, `pool` the streams of
    /// the first replicate, for what all replicates share.
    ///
    /// # Errors
    /// Files that cannot be read, distributions that cannot be drawn from; data that are no table.
    fn table(&self, _files: &[PathBuf], _streams: &Streams, _pool: &Streams) -> Result<DataSet, NoTable> {
        Err(format!("these data are no table of examples, but {}", self.kind().units()).into())
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
