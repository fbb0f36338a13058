//! Models that say what an observation of a cell should be, seen or not.

use crate::examples::Examples;

/// A model of one number per example, each of a cell.
pub trait Imputation {
    /// √ mean (x − E x)² over the examples, at θ.
    fn root_mean_square(&self, theta: &[f64], examples: Examples<'_>) -> f64;

    /// By how much a further step towards T(s) would lower the objective of T, where θ is short of T(s): iterations
    /// were broken off.
    fn unrest(&self, s: &[f64], theta: &[f64]) -> Option<f64>;
}
