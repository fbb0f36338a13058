//! Protocols that are classes of Python: of a star ([`star`]), whose uplink estimates what clients send
//! ([`estimator`]), and among neighbours ([`peers`]). Their states are kept here ([`named`]), and the mathematics of
//! the model too ([`holdings`]), which methods see through [`data`].

mod call;
mod data;
mod estimator;
mod holdings;
mod named;
mod peers;
mod star;
mod updates;

use pyo3::prelude::*;

pub(crate) use peers::PythonPeerProtocol;
pub(crate) use star::PythonProtocol;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<data::ClientData>()?;
    module.add_class::<data::CohortData>()?;
    module.add_class::<data::CommonProblem>()?;
    module.add_class::<updates::Updates>()
}
