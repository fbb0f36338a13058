//! Mixtures with block-diagonal covariances: reference vectors of VP-EM, laws, and centralized EM as the slow
//! reference.

mod golden;
mod laws;
mod reference_impl;
