//! What a kind of figure is.

use crate::error::ReportError;
use crate::report::{Drawing, Report};

/// A kind of figure: what it shows of which records, and how it is drawn.
pub trait FigureKind: Send + Sync {
    /// Its name among the kinds, usually that of its files without ending.
    fn name(&self) -> &'static str;

    /// What it shows, for lists: words, not a sentence.
    fn title(&self) -> &'static str;

    /// What records must hold for it: files, columns, a study.
    fn needs(&self) -> &'static str;

    /// Its figures of the runs of a report; none where these do not hold what it needs.
    ///
    /// # Errors
    /// [`ReportError`].
    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError>;
}
