//! Random examples as means, the moments of the pooled data, and why there is no initial value.

pub use crate::data::gram::column_means as sample_mean;
use crate::data::gram::{centred_gram_vech, centred_squares};
use crate::examples::Examples;
use fedbits_random::{DrawPurpose, Streams};
use thiserror::Error;

/// G different examples, uniform among all G-subsets, as means (row-major G × d, in the order of the data).
///
/// The rule of the FedEM paper for MNIST (section 4): "the expectations μ_g⁰ are sampled uniformly at random among the
/// available examples"; with π_g⁰ = 1/G and Σ⁰ the [`sample_covariance`] of all examples. That the G examples are
/// different is our reading: equal means never separate.
///
/// # Errors
/// No component, or more than examples.
pub fn random_examples(examples: Examples<'_>, components: usize, streams: &Streams) -> Result<Vec<f64>, InitialError> {
    check(examples, components)?;
    let mut chosen = Vec::new();
    let mut stream = streams.at(DrawPurpose::Initial, 0, 0);
    stream.subset(examples.len() as u32, components as u32, &mut chosen);
    let d = examples.dimension();
    Ok(chosen.iter().flat_map(|&index| &examples.rows()[index as usize * d..][..d]).copied().collect())
}

/// Covariance of the pooled examples with divisor N: vech, the lower triangle row by row, d(d+1)/2 numbers.
pub fn sample_covariance(examples: Examples<'_>) -> Vec<f64> {
    covariance_around(examples, &sample_mean(examples))
}

/// The mean of (y − c)(y − c)ᵀ over the examples, for a centre c of d numbers: vech; zeros without examples.
pub fn covariance_around(examples: Examples<'_>, centre: &[f64]) -> Vec<f64> {
    mean_of(centred_gram_vech(examples, centre), examples)
}

/// The diagonal of [`sample_covariance`] in O(d) memory, d numbers.
pub fn sample_variances(examples: Examples<'_>) -> Vec<f64> {
    mean_of(centred_squares(examples, &sample_mean(examples)), examples)
}

fn mean_of(mut sums: Vec<f64>, examples: Examples<'_>) -> Vec<f64> {
    let n = examples.len().max(1) as f64;
    sums.iter_mut().for_each(|sum| *sum /= n);
    sums
}

/// Why there is no initial value.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InitialError {
    /// Fewer different examples than components: k-means++ has nothing to choose from.
    #[error("{components} components need as many different examples: the data have {distinct}")]
    TooFewDistinct {
        /// G.
        components: usize,
        /// How many differ.
        distinct: usize,
    },
    /// Another reason.
    #[error("{0}")]
    Other(String),
}

impl InitialError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

/// As many examples as components, and at least one of these.
pub(super) fn check(examples: Examples<'_>, components: usize) -> Result<(), InitialError> {
    if components == 0 {
        return Err(InitialError::new("an initial value needs at least one component"));
    }
    if components > examples.len() {
        let text = format!("{components} components need as many examples: the data have {}", examples.len());
        return Err(InitialError::new(text));
    }
    Ok(())
}
