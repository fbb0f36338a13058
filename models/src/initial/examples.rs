//! Random examples as means, and the moments of the pooled data.

use super::error::{InitialError, check};
pub use crate::data::gram::column_means as sample_mean;
use crate::data::gram::{centred_gram_vech, centred_squares};
use crate::examples::Examples;
use fedbits_random::{DrawPurpose, Streams};

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
