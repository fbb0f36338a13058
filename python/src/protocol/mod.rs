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

pub(crate) use data::{ClientData, CohortData, CommonProblem};
pub(crate) use peers::PythonPeerProtocol;
pub(crate) use star::PythonProtocol;
pub(crate) use updates::Updates;
