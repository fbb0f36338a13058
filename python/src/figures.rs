//! Figures of runs.

use std::path::PathBuf;

use fedbits::reports::declare::Figure;
use fedbits::reports::{Format, ReportOptions, Style, Wanted, report as draw};
use fedbits::{Error, RunOptions, page_engine};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::raised;
use crate::fork;

/// Writes figures of some directories into another, and returns the paths written. `chosen` are figures in JSON
/// in place of those that the records declare, and names of figures or kinds, none: those that are declared.
/// `page` makes the page one that runs: the file of the engine, none: the one inside; and whether data travel with it.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    runs: Vec<PathBuf>,
    into: PathBuf,
    formats: Vec<String>,
    style: &str,
    chosen: (Option<String>, Option<Vec<String>>),
    page: Option<(Option<PathBuf>, bool)>,
) -> PyResult<Vec<PathBuf>> {
    let formats = formats.iter().map(|name| {
        Format::from_name(name).ok_or_else(|| {
            let known = Format::ALL.map(Format::ending).join(", ");
            PyValueError::new_err(format!("`{name}` is no format: expected one of {known}"))
        })
    });
    let formats: Vec<Format> = formats.collect::<PyResult<_>>()?;
    let style = Style::from_name(style).ok_or_else(|| {
        let known = Style::ALL.map(Style::name).join(", ");
        PyValueError::new_err(format!("`{style}` is no style: expected one of {known}"))
    })?;
    let (declared, wanted) = chosen;
    let declared: Option<Vec<Figure>> = declared
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| PyValueError::new_err(format!("the figure: {error}")))?;
    let wanted = wanted.map_or(Wanted::Declared, Wanted::Named);
    let mut options = ReportOptions { declared, wanted, ..ReportOptions::new(style, &formats, into) };
    let drawn = py.detach(|| {
        fork::with_threads(|| {
            if let (Some((engine, with_data)), [folder]) = (page, &runs[..]) {
                options.engine = Some(page_engine(folder, engine.as_deref(), with_data, &RunOptions::default())?);
            }
            draw(&runs, &options).map_err(Error::Report)
        })
    });
    drawn.map_err(|error| raised(py, error))
}
