//! What the user may choose about a report.

use crate::style::Style;
use fedbits_figures::Figure;
use fedbits_figures::XAxis;
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

/// How the scale of horizontal axes is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XScale {
    /// Logarithmic where the arms' ends differ by a factor of ten or more.
    #[default]
    Auto,
    /// Logarithmic.
    Log,
    /// Linear.
    Linear,
}

impl XScale {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Log, Self::Linear];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Log => "log",
            Self::Linear => "linear",
        }
    }

    /// The choice of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
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
    /// One label per directory given, or none to use the arms' names.
    pub labels: Vec<String>,
    /// Which figures: those that the runs' scenario declares, or one of curves where it declares none; or
    /// more.
    pub wanted: Wanted,
    /// Figures in place of those that the records declare.
    pub declared: Option<Vec<Figure>>,
    /// Horizontal axes of figures of curves, a panel each; empty for no such figure. None: those that a figure
    /// declares, and of kinds epochs, bits up, all bits and time.
    pub panels: Option<Vec<XAxis>>,
    /// Horizontal axes that get a figure of their own per quantity.
    pub singles: Vec<XAxis>,
    /// Scale of the horizontal axes.
    pub x_scale: XScale,
    /// Whether panels over the same quantity have horizontal axes of their own; otherwise they share one range and
    /// unit.
    pub free_x: bool,
    /// Labels of arms and the decades of ‖h(Ŝ)‖² per round that theory predicts for them: drawn beside their curves.
    pub slopes: Vec<(String, f64)>,
    /// Names of the arms to show, in this order; empty for all.
    pub arms: Vec<String>,
    /// `arms` are all that there were when the report was asked for: the command that figures carry need not name them.
    pub shows_all: bool,
    /// Axes of a study for the rows and the columns of heat maps; none: its first two that vary.
    pub axes: Option<(String, String)>,
}

impl ReportOptions {
    /// A report with all figures into `directory`.
    #[must_use]
    pub fn new(style: Style, formats: &[Format], directory: PathBuf) -> Self {
        Self {
            style,
            formats: formats.to_vec(),
            directory,
            labels: Vec::new(),
            wanted: Wanted::All,
            declared: None,
            panels: None,
            singles: Vec::new(),
            x_scale: XScale::Auto,
            free_x: false,
            slopes: Vec::new(),
            arms: Vec::new(),
            shows_all: false,
            axes: None,
        }
    }

    /// The horizontal axes of kinds.
    pub(crate) fn usual_axes(&self) -> &[XAxis] {
        self.panels.as_deref().unwrap_or(&[XAxis::Epochs, XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time])
    }
}
