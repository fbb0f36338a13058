//! The figures that records declare. Knows settings and records, no drawing.

use crate::data::Collected;
use crate::error::ReportError;
use crate::options::{ReportOptions, Wanted};
use fedbits_figures::Figure;

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
pub(crate) fn figures(options: &ReportOptions, collected: &Collected) -> Result<Vec<Figure>, ReportError> {
    options.declared.clone().map_or_else(|| declared(collected), Ok)
}

/// The options without the declared figures that could not be drawn. Files say of their origin what was declared: what
/// makes them again is without these figures.
pub(crate) fn possible(
    options: &ReportOptions,
    collected: &Collected,
    left_out: &[ReportError],
) -> Result<ReportOptions, ReportError> {
    let mut declared = figures(options, collected)?;
    declared.retain(|figure| left_out.iter().all(|error| error.figure() != Some(&figure.name)));
    Ok(match declared.is_empty() && options.wanted == Wanted::Declared {
        true => ReportOptions { wanted: Wanted::Named(Vec::new()), ..options.clone() },
        false => ReportOptions { declared: Some(declared), ..options.clone() },
    })
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
