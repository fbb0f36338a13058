//! What a kind of figure is.

use crate::error::ReportError;
use crate::report::{Drawing, Report};

/// What the lists of figures show of a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name among the kinds, usually that of its files without ending.
    pub name: &'static str,
    /// What it shows: words, not a sentence.
    pub title: &'static str,
    /// What records must hold for it: files, columns, axes.
    pub needs: &'static str,
}

/// A kind of figure: what it shows of which records, and how it is drawn.
pub trait FigureKind: Send + Sync {
    /// Its name, what it shows and what it needs.
    fn about(&self) -> About;

    /// Its figures of the runs of a report; none if these lack what it needs.
    ///
    /// # Errors
    /// [`ReportError`].
    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError>;
}

/// A kind of figure of this crate.
pub(crate) struct BuiltinKind {
    pub name: &'static str,
    pub title: &'static str,
    pub needs: &'static str,
    pub draw: fn(&Report<'_>) -> Result<Vec<Drawing>, ReportError>,
}

impl FigureKind for BuiltinKind {
    fn about(&self) -> About {
        About { name: self.name, title: self.title, needs: self.needs }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        (self.draw)(report)
    }
}
