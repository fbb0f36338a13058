//! EM mathematics: sufficient statistics, the map T, objectives, and data sets.
//!
//! Usable alone, as an EM library: it knows no clients, no virtual time, no bits.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod ascent;
mod assignment;
pub mod bifactor;
pub mod clusters;
pub mod data;
pub mod dictionary;
mod domain;
mod examples;
pub mod fit;
pub mod fitted;
pub mod gmm;
pub mod initial;
pub mod latent;
pub mod laws;
pub mod low_rank;
pub mod matrix;
pub mod mixed;
mod model;
mod registry;
pub mod regression;
pub mod regressions;
mod rows;
mod setting;
pub mod topics;

pub use assignment::assign;
pub use domain::{DomainError, DomainPolicy, Repairs};
pub use examples::{Batch, Examples, Response};
pub use matrix::{Covariances, Matrix};
pub use model::{
    BatchedEStep, Coordinates, Descent, EStep, EStepTask, ExactModel, FitPooling, Imputation, Model, OwnParameters,
    Parameters, ReducedMixture, Scratch,
};
pub use registry::entry;
pub use rows::{Row, Rows};
pub use setting::{ModelFacts, ModelSetting, Stated};
