//! Initial values of mixtures: means from random examples or k-means++, and the moments of the pooled data.
//!
//! Draws are addressed by (Initial, 0, 0) for random examples and (Initial, restart, 1) for k-means++. It must not know any mixture's parameter layout.

mod kmeans;
mod weighted;

pub use kmeans::{Clustering, KMeans};
pub use weighted::WeightedKMeans;

use crate::Examples;
use crate::data::{centred_gram, column_means};
use fedbits_random::{Purpose, Streams};
use thiserror::Error;

/// Why there is no initial value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InitialError {
    /// No component asked for.
    #[error("an initial value needs at least one component")]
    NoComponents,
    /// Fewer examples than components.
    #[error("{components} components need as many examples: there are {examples}")]
    TooFewExamples {
        /// G.
        components: usize,
        /// N.
        examples: usize,
    },
    /// Fewer different examples than components: k-means++ has nothing to choose from.
    #[error("{components} components need as many different examples: there are {distinct}")]
    TooFewDistinct {
        /// G.
        components: usize,
        /// How many differ.
        distinct: usize,
    },
    /// k-means without a run.
    #[error("k-means needs at least one restart")]
    NoRestarts,
}

/// G different examples, uniform among all G-subsets, as means (row-major G × d, in the order of the data).
///
/// The rule of the FedEM paper for MNIST (section 4): "the expectations μ_g⁰ are sampled uniformly at random among the
/// available examples"; with π_g⁰ = 1/G and Σ⁰ the [`sample_covariance`] of all examples. That the G examples are
/// different is our reading: equal means never separate.
///
/// # Errors
/// [`InitialError::NoComponents`], [`InitialError::TooFewExamples`].
pub fn random_examples(examples: Examples<'_>, components: usize, streams: &Streams) -> Result<Vec<f64>, InitialError> {
    check(examples, components)?;
    let mut chosen = Vec::new();
    let mut stream = streams.at(Purpose::Initial, 0, 0);
    stream.subset(examples.len() as u32, components as u32, &mut chosen);
    let d = examples.dimension;
    Ok(chosen.iter().flat_map(|&index| &examples.rows[index as usize * d..][..d]).copied().collect())
}

fn check(examples: Examples<'_>, components: usize) -> Result<(), InitialError> {
    if components == 0 {
        return Err(InitialError::NoComponents);
    }
    if components > examples.len() {
        return Err(InitialError::TooFewExamples { components, examples: examples.len() });
    }
    Ok(())
}

/// Mean of the pooled examples, d numbers, summed in the order of the examples.
pub fn sample_mean(examples: Examples<'_>) -> Vec<f64> {
    column_means(examples)
}

/// Covariance of the pooled examples with divisor N: vech, the lower triangle row by row, d(d+1)/2 numbers.
pub fn sample_covariance(examples: Examples<'_>) -> Vec<f64> {
    let d = examples.dimension;
    let gram = centred_gram(examples, &column_means(examples));
    let n = examples.len() as f64;
    (0..d).flat_map(|row| gram[row * d..=row * d + row].iter().map(|sum| sum / n).collect::<Vec<_>>()).collect()
}
