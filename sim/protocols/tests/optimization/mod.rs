//! Protocols whose E-steps are gradient steps: against independent numpy trajectories
//! (`tests/golden/make_optimization.py`), and where two of them must be one.

mod byzantine;
mod local;
pub mod problems;
mod theory;
mod twins;
