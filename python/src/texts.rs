//! Scenarios as texts.

use fedbits::{Scenario, Watch, library as built_in};
use fedbits_scenarios::schema::decimal;
use fedbits_scenarios::words;
use pyo3::prelude::*;

use crate::caveats::{CaveatRow, caveat_rows};
use crate::error::raised;
use crate::objects::Call;
use crate::play::{Source, scenario};

/// The arms of a scenario, each with its text with every field and default, and its caveats.
#[pyfunction]
pub(crate) fn arms(
    py: Python<'_>,
    source: Source,
    sets: Vec<(String, String)>,
    objects: Vec<Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, String, Vec<CaveatRow>)>> {
    let call = Call::with(&objects, Watch::default())?;
    let arms = scenario(&source, &sets).and_then(|scenario: Scenario| scenario.arms());
    let arms = call.conclude(arms.map_err(|error| raised(py, error)))?;
    Ok(arms.iter().map(|arm| (arm.name().to_owned(), arm.text().to_owned(), caveat_rows(arm.caveats()))).collect())
}

/// The built-in scenarios: name, and what it is about.
#[pyfunction]
pub(crate) fn library() -> Vec<(&'static str, String)> {
    built_in::list().map(|entry| (entry.name, entry.about)).collect()
}

/// What helps where a class has no field of this name: the value as RON, and the fields that it has.
#[pyfunction]
pub(crate) fn field_help(name: &str, value: &str, fields: Vec<String>) -> Option<String> {
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    words::field_help(name, value, &fields)
}

/// What a level of an axis is called that is this number.
#[pyfunction]
pub(crate) fn level(number: f64) -> String {
    decimal(number)
}
