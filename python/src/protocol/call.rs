//! How methods of a protocol of Python are called, and what they give is read.

use fedbits::models::DomainError;
use fedbits::protocols::error::ProtocolError;
use fedbits::random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::named::{Access, NamedArrays};
use crate::arrays::{full_name, kind, misshapen};
use crate::error::OutsideDomain;
use crate::objects::Failure;

/// Entities of `DrawPurpose::Own` that are no client.
pub(super) const SERVER: u64 = 1 << 32;

/// What records say of the class.
pub(super) fn caveat([name, source, versions]: [&String; 3]) -> Caveat {
    let source = source.get(..8).unwrap_or(source).to_owned();
    Caveat::PythonProtocol { class: name.clone(), source, versions: versions.clone() }
}

/// Calls a method. A statistic outside of T's domain that nobody caught fails the run.
pub(super) fn called<'py>(
    object: &Bound<'py, PyAny>,
    method: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> Result<Bound<'py, PyAny>, Failure> {
    object.call_method1(method, arguments).map_err(|error| {
        let is_outside = error.is_instance_of::<OutsideDomain>(object.py());
        if is_outside { Failure::Domain(error.value(object.py()).to_string()) } else { Failure::Raised(error) }
    })
}

/// Numbers that methods give are finite.
pub(super) fn finite(found: Option<String>) -> Result<(), Failure> {
    found.map_or(Ok(()), |text| Err(Failure::Domain(format!("it gave {text}: expected finite numbers"))))
}

/// The arrays of a state as a dict that its owner may change.
pub(super) fn dict<'py>(py: Python<'py>, state: &NamedArrays) -> PyResult<Bound<'py, PyDict>> {
    Ok(state.unpack(py, Access::Write)?.cast_into::<PyDict>()?)
}

/// The state that a method gives: a dict of arrays; and its array `s`, the statistic, of q numbers.
pub(super) fn state_of<'py>(
    object: &Bound<'py, PyAny>,
    method: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
    q: usize,
) -> Result<(NamedArrays, Vec<f64>), Failure> {
    let (given, what) = (called(object, method, arguments)?, full_name(object, method));
    let Ok(dict) = given.cast::<PyDict>() else {
        let expected = "expected a dict of arrays, with the statistic Ŝ as `s`";
        return Err(PyTypeError::new_err(format!("{what} gave {}: {expected}", kind(&given))).into());
    };
    let state = NamedArrays::read_dict(dict, &what)?;
    match state.not_finite() {
        // A start that is no number is an error, as θ₀ is.
        Some(text) if method == "start" => {
            return Err(PyValueError::new_err(format!("{what} gave {text}: expected finite numbers")).into());
        }
        found => finite(found)?,
    }
    let s = statistic_in(&state, &what, q)?.to_vec();
    Ok((state, s))
}

/// Of the generator of an entity in a round or an iteration.
pub(super) fn seed(streams: &Streams, entity: u64, index: u64) -> u64 {
    streams.at(DrawPurpose::Own, entity, index).next_u64()
}

/// A statistic that a method gave has no parameter.
pub(super) fn left(source: DomainError) -> ProtocolError {
    ProtocolError::LeftDomain { source, advice: "a smaller step, or another `domain`" }
}

fn statistic_in<'a>(state: &'a NamedArrays, what: &str, q: usize) -> PyResult<&'a [f64]> {
    match state.get("s") {
        Some((s, [length])) if *length == q => Ok(s),
        Some((_, shape)) => Err(misshapen(&format!("{what}, as `s`,"), shape, &format!("({q},), a statistic"))),
        None => Err(PyValueError::new_err(format!("{what} gave no `s`: expected a dict with it, the statistic Ŝ"))),
    }
}
