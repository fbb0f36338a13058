//! What the user may choose about a report, and the figures that records declare.

use crate::data::Collected;
use crate::error::ReportError;
use crate::style::Style;
use fedbits_figures::Figure;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A file format of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics with the font inside.
    Svg,
    /// Pixels at 300 dpi.
    Png,
    /// Vector PDF, fonts embedded.
    Pdf,
    /// A PGF picture for LaTeX.
    Tex,
    /// One interactive page for the whole report.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Svg, Self::Png, Self::Pdf, Self::Tex, Self::Html];

    /// Those that are made unless others are asked for: the page, and pictures as far as this crate is built for them.
    pub const USUAL: &[Self] = match cfg!(feature = "pictures") {
        true => &[Self::Svg, Self::Png, Self::Pdf, Self::Html],
        false => &[Self::Svg, Self::Html],
    };

    /// The file name's ending, also its name on the command line.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
            Self::Tex => "tex",
            Self::Html => "html",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending() == name)
    }
}

/// Which figures a report has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Wanted {
    /// Those that are declared.
    #[default]
    Declared,
    /// These, and all of every kind.
    All,
    /// Of these names: declared figures, or kinds. Without a name the report has the page and the tables alone.
    Named(Vec<String>),
}

/// How a report is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportOptions {
    /// The venue's page.
    pub style: Style,
    /// Formats of every figure; CSV, caption and details are always written.
    pub formats: Vec<Format>,
    /// Where to; made when missing.
    pub directory: PathBuf,
    /// Which figures: those that the runs' scenario declares, or one of curves where it declares none; or
    /// more.
    pub wanted: Wanted,
    /// Figures in place of those that the records declare.
    pub declared: Option<Vec<Figure>>,
    /// The engine that the page has inside, so that its reader makes the runs again.
    pub engine: Option<PageEngine>,
}

/// What a page has inside that makes its runs again.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEngine {
    /// The simulator as a WebAssembly module, packed by gzip.
    pub module: Vec<u8>,
    /// Data files that travel with the page: the paths that the scenario gives, and the bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// A row of a form for each setting that can be changed, as HTML: an input with the setting's path as `data-path`,
    /// with `data-quoted` where its value is written as a text, and behind a slider for it.
    pub form: String,
}

impl ReportOptions {
    /// A report with all figures into `directory`.
    #[must_use]
    pub fn new(style: Style, formats: &[Format], directory: PathBuf) -> Self {
        Self { style, formats: formats.to_vec(), directory, wanted: Wanted::All, declared: None, engine: None }
    }
}

/// What a report of some runs declares, and what its figures may speak of.
#[derive(Debug, Clone, PartialEq)]
pub struct Declarations {
    /// The figures that the records declare; where they declare none, the one that a report of them has.
    pub figures: Vec<Figure>,
    /// The names of the arms.
    pub arms: Vec<String>,
    /// The names of the axes; none of runs of several folders.
    pub axes: Vec<String>,
}

/// The figures that a report has: those of its options, or those that the records declare.
pub(crate) fn figures_of(options: &ReportOptions, collected: &Collected) -> Result<Vec<Figure>, ReportError> {
    options.declared.clone().map_or_else(|| declared(collected), Ok)
}

/// The figures that the scenario of all runs declares; none where runs of several meet.
pub(crate) fn declared(collected: &Collected) -> Result<Vec<Figure>, ReportError> {
    let figures = &collected.figures;
    if figures.is_null() {
        return Ok(Vec::new());
    }
    let scenario = || collected.arms.first().map(|arm| arm.runs[0].record.manifest.scenario.clone());
    let mut figures: Vec<Figure> = serde_json::from_value(figures.clone()).map_err(|error| ReportError::Declared {
        scenario: scenario().unwrap_or_default(),
        message: error.to_string(),
    })?;
    // Names become those of files, which a terminal shows: a record may come from somebody else.
    figures.iter_mut().for_each(|figure| figure.name = fedbits_spec::visible(&figure.name));
    Ok(figures)
}
