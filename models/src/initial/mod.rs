//! Initial values of mixtures: means from random examples or k-means++, and the moments of the pooled data.
//!
//! Draws are addressed by (Initial, 0, 0) for random examples, and by (Initial, restart, 1) for k-means++, with weights
//! (Initial, restart, 2).

mod examples;
mod kmeans;
mod setting;

pub use examples::{
    InitialError, covariance_around, random_examples, sample_covariance, sample_mean, sample_variances,
};
pub use kmeans::{KMeans, KMeansFit};
pub use setting::{InitialSetting, Start};
