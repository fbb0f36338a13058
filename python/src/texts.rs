//! Scenarios as texts.

use fedbits::{Scenario, library as built_in};
use pyo3::prelude::*;

use crate::error::{FedbitsError, raised};
use crate::play::{Source, scenario};

/// The arms of a scenario, each with its text with every field and default, and its caveats.
#[pyfunction]
pub(crate) fn arms(
    py: Python<'_>,
    source: Source,
    sets: Vec<(String, String)>,
) -> PyResult<Vec<(String, String, Vec<String>)>> {
    let arms = scenario(&source, &sets).and_then(|scenario: Scenario| scenario.arms());
    let arms = arms.map_err(|error| raised(py, error))?;
    Ok(arms.iter().map(|arm| (arm.name().to_owned(), arm.text().to_owned(), arm.caveats().to_vec())).collect())
}

/// The text of a scenario, or of a study, that is given as JSON.
#[pyfunction]
pub(crate) fn from_json(json: &str, is_study: bool) -> PyResult<String> {
    let text = if is_study { fedbits::study_of_json(json) } else { fedbits::scenario_of_json(json) };
    text.map_err(|error| FedbitsError::new_err(error.to_string()))
}

/// The built-in scenarios and studies: name, what it is about, whether it is a study.
#[pyfunction]
pub(crate) fn library() -> Vec<(&'static str, String, bool)> {
    built_in::list().map(|entry| (entry.name, entry.about, entry.is_study)).collect()
}
