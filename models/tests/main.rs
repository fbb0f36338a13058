//! The tests of this crate, as one program.

mod agreement;
mod data;
mod fitted;
mod gmm_golden;
mod gmm_laws;
mod golden;
mod individuals;
mod latent;
mod logistic;
mod low_rank;
mod pooling;
mod registry;
mod regression;
mod regressions;
#[path = "../../tests/support/skips.rs"]
mod skips;
mod variational;
mod vertical;
mod wrong;
