//! Mixtures with block-diagonal covariances: reference vectors of VP-EM, laws, and centralized EM as the slow twin.

mod golden;
mod laws;
mod twin;
