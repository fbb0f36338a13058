//! What can keep a figure from being made.

use fedbits_record::RecordError;
use fedbits_record::results::StoreError;
use fedbits_spec::Panicked;
use std::path::PathBuf;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A record could not be read, or a figure not written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A folder of runs could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A directory could not be listed or made.
    #[error("{}: {source}", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Nothing to plot was given.
    #[error("no run directory was given")]
    NoRuns,
    /// A folder has no runs.
    #[error(
        "{}: no plan.json of runs in this folder, nor directly below it: expected a folder that `fedbits run` wrote",
        .0.display()
    )]
    NotARun(PathBuf),
    /// A file stands where a directory was expected.
    #[error("{} is a file: expected a folder of runs", .0.display())]
    NotADirectory(PathBuf),
    /// No run has a result yet.
    #[error("{}: no run is finished", .0.display())]
    NoFinishedRun(PathBuf),
    /// What is asked for does not exist: a figure, an arm, an axis or a column.
    #[error("there is no {what} `{name}`; there are {known}")]
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Two arms of a figure are called the same.
    #[error("the arms `{}` and `{}` are both labelled `{label}`: expected different labels \
        (a `Group` of a figure's `arms` is several arms as one line)", arms[0], arms[1])]
    LabelTwice {
        /// Their label.
        label: String,
        /// Their names.
        arms: [String; 2],
    },
    /// The runs cannot show a figure, or its files would be those of another one.
    #[error("{why}")]
    CannotShow {
        /// The figure or the kind asked for.
        figure: String,
        /// Why.
        why: String,
    },
    /// Some of the figures cannot be shown; the others are written.
    #[error("{}", left_out.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Partly {
        /// The files.
        written: Vec<PathBuf>,
        /// Why each of these figures is not among them.
        left_out: Vec<ReportError>,
    },
    /// The same axis is requested twice.
    #[error("a heat map over `{0}` and `{0}` is requested: the two axes must differ")]
    OneAxis(String),
    /// A file is no figure or table of this program.
    #[error("{}: {why}", path.display())]
    NoFigure {
        /// The file.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// A record declares figures that this version cannot read.
    #[error("the figures that the record of `{scenario}` declares cannot be read: {message}")]
    Declared {
        /// The scenario.
        scenario: String,
        /// Why.
        message: String,
    },
    /// One run stands twice, or two runs cannot be distinguished.
    #[error("{} and {} are both replicate {replicate} with seed {seed} of `{label}`: expected different arms \
        or replicates (`diff` compares two records)", first.display(), second.display())]
    SameRun {
        /// The first directory.
        first: PathBuf,
        /// The second directory.
        second: PathBuf,
        /// Their common label.
        label: String,
        /// Their common seed.
        seed: u64,
        /// Their common replicate.
        replicate: u64,
    },
    /// A page that runs plays the runs of one folder.
    #[error("a page that runs has the runs of one scenario: expected one folder of runs, not several")]
    EngineForSeveral,
    /// Two pages of one file are of scenarios of one name.
    #[error("two folders have runs of a scenario `{0}`: expected different names in one page that runs")]
    ScenarioTwice(String),
    /// The records hold no value of any quantity.
    #[error("the given runs recorded no objective, no squared norm and no component weights: there is nothing to draw")]
    NothingMeasured,
    /// Two kinds of figures draw a figure of the same name.
    #[error("the kind `{kind}` draws a figure `{name}`, as another kind of figures does: give it another name")]
    FigureTwice {
        /// The later kind.
        kind: String,
        /// Name of the figure.
        name: String,
    },
    /// The line that says how a file was made could not be written.
    #[error("how the figures are made cannot be written: {0}")]
    Provenance(#[from] serde_json::Error),
    /// A kind of figures panicked.
    #[error("the figure `{figure}`: {source}")]
    Panicked {
        /// The figure or the kind.
        figure: String,
        /// What it said.
        source: Panicked,
    },
    /// A finished drawing could not be turned into another format.
    #[error("{figure}: {message}")]
    Export {
        /// Name of the figure.
        figure: String,
        /// What the exporter said.
        message: String,
    },
}

impl ReportError {
    /// The figure that the runs cannot show, where that is what is wrong: others may be drawn.
    #[must_use]
    pub fn figure(&self) -> Option<&str> {
        if let Self::CannotShow { figure, .. } = self { Some(figure) } else { None }
    }

    /// Is it wrong of one figure, so that others may be drawn?
    pub(crate) fn is_of_figure(&self) -> bool {
        !matches!(self, Self::Record(_) | Self::Store(_) | Self::Io { .. } | Self::Provenance(_) | Self::Export { .. })
    }

    pub(crate) fn cannot_show(figure: &str, why: String) -> Self {
        Self::CannotShow { figure: figure.to_owned(), why }
    }

    /// The runs do not hold what a figure needs.
    pub(crate) fn not_drawn(figure: &str, needs: &str, given: &str) -> Self {
        let why = format!("`{figure}` cannot be drawn of these runs: it needs {needs}; given: {given}");
        Self::cannot_show(figure, why)
    }

    /// There is none of that name; the names there are, and the nearest of them.
    pub(crate) fn unknown<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self::Unknown { what, name: name.to_owned(), known: fedbits_text::known(name, &known, known.len()) }
    }
}
