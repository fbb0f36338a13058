//! Protocols that are classes of Python: of a star ([`star`]), with what they send estimated by the uplink, and among
//! neighbours ([`peers`]). Their states are kept here ([`packed`]), and the mathematics of the model too ([`data`]).

mod data;
mod packed;
mod peers;
mod star;

use fedbits::models::DomainError;
use fedbits::protocols::error::ProtocolError;
use fedbits::random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::packed::{Access, Packed};
use crate::arrays::kind;
use crate::error::OutsideDomain;
use crate::objects::Failure;

pub(crate) use peers::PythonPeerProtocol;
pub(crate) use star::PythonProtocol;

/// Entities of `DrawPurpose::Own` that are no client.
const SERVER: u64 = 1 << 32;

/// What records say of the class.
fn caveat([name, source, versions]: [&String; 3]) -> Caveat {
    let source = source.get(..8).unwrap_or(source).to_owned();
    Caveat::PythonProtocol { class: name.clone(), source, versions: versions.clone() }
}

/// Calls a method. A statistic outside of T's domain that nobody caught fails the run.
fn called<'py>(
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
fn finite(found: Option<String>) -> Result<(), Failure> {
    found.map_or(Ok(()), |text| Err(Failure::Domain(format!("it gave {text}: expected finite numbers"))))
}

/// The arrays of a state as a dict that its owner may change.
fn dict<'py>(py: Python<'py>, state: &Packed) -> PyResult<Bound<'py, PyDict>> {
    Ok(state.unpack(py, Access::Write)?.cast_into::<PyDict>()?)
}

/// A state that a method gives: a dict of arrays.
fn read_state(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Packed> {
    let Ok(dict) = given.cast::<PyDict>() else {
        let expected = "expected a dict of arrays, with the statistic Ŝ as `s`";
        return Err(PyTypeError::new_err(format!("{what} gave {}: {expected}", kind(given))));
    };
    Packed::read_dict(dict, what)
}

/// Of the generator of an entity in a round or an iteration.
fn seed(streams: &Streams, entity: u64, index: u64) -> u64 {
    streams.at(DrawPurpose::Own, entity, index).next_u64()
}

/// A statistic that a method gave has no parameter.
fn left(source: DomainError) -> ProtocolError {
    ProtocolError::LeftDomain { source, advice: "a smaller step, or another `domain`" }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<data::ClientData>()?;
    module.add_class::<data::CohortData>()?;
    module.add_class::<data::CommonProblem>()?;
    module.add_class::<star::Updates>()
}
