//! Comparing two mixtures whose components are numbered differently.

use super::layout::{Form, Layout};
use crate::DomainError;
use crate::assignment::assign;
use fedbits_numerics::{gram_entry, inverse_root};

/// The sum of squared differences of all entries of θ and `truth`, minimal over permutations of the components of θ.
pub(super) fn parameter_error(layout: &Layout, theta: &[f64], truth: &[f64]) -> f64 {
    let g = layout.components;
    let cost: Vec<f64> = (0..g * g).map(|at| component_error(layout, (theta, at / g), (truth, at % g))).collect();
    let matched = assign(&cost, g, g);
    let components = matched.iter().enumerate().fold(0.0, |sum, (i, &j)| sum + cost[i * g + j]);
    if layout.form == Form::Tied {
        return components + squared_distance(&theta[layout.covariance(0)], &truth[layout.covariance(0)]);
    }
    components
}

/// A component is renumbered where another number is better by more than this share: all components that a client has
/// of one example have one mean, and rounding must not exchange their weights.
const ROUNDING: f64 = 1e-6;

/// Which component of `reference` each component of θ is: the assignment with the smallest sum of Kullback-Leibler
/// divergences of N(µ_i, Σ_i) of θ from N(µ_j, Σ_j) of `reference`. They have no units, which would decide what
/// differences of means count beside those of covariances, and leave out weights, in which clients differ.
///
/// Of a divergence only ½ tr(Σ_j⁻¹ (Σ_i + δ δᵀ)), δ = µ_i − µ_j, depends on who is matched with whom: the sum of the
/// logarithms of determinants is the same for all assignments. `known` is Σ (vech) of the known form.
pub(super) fn match_components(
    (layout, known): (&Layout, &[f64]),
    theta: &[f64],
    reference: &[f64],
) -> Result<Vec<usize>, DomainError> {
    let g = layout.components;
    let entries = layout.covariance_entries();
    let mut cost = vec![0.0; g * g];
    for j in 0..g {
        let precision = precision(layout, &entries, layout.covariance_of(known, reference, j))?;
        for i in 0..g {
            let means = theta[layout.mean(i)].iter().zip(&reference[layout.mean(j)]);
            let delta: Vec<f64> = means.map(|(one, other)| one - other).collect();
            let covariances = entries.iter().zip(layout.covariance_of(known, theta, i));
            let moments = covariances.map(|(&(a, b), sigma)| sigma + delta[a] * delta[b]);
            cost[i * g + j] = precision.iter().zip(moments).map(|(precision, moment)| precision * moment).sum();
        }
        cost[j * g + j] *= 1.0 - ROUNDING;
    }
    Ok(assign(&cost, g, g))
}

/// Σ⁻¹ in the entries that θ has of Σ, those off the diagonal twice.
pub(super) fn precision(layout: &Layout, entries: &[(usize, usize)], sigma: &[f64]) -> Result<Vec<f64>, DomainError> {
    if layout.form == Form::Diagonal {
        return Ok(sigma.iter().map(|variance| 1.0 / variance).collect());
    }
    let d = layout.dimension;
    let factor = inverse_root(sigma.to_vec(), d).map_err(DomainError::covariance(None))?;
    let entry = |&(a, b): &(usize, usize)| {
        let times = if a == b { 1.0 } else { 2.0 };
        times * gram_entry(&factor, d, a, b)
    };
    Ok(entries.iter().map(entry).collect())
}

/// Squared difference of component `i` of one θ and component `j` of another, without a common covariance.
fn component_error(layout: &Layout, (theta, i): (&[f64], usize), (truth, j): (&[f64], usize)) -> f64 {
    let weight = squared_distance(&theta[i..=i], &truth[j..=j]);
    let mean = squared_distance(&theta[layout.mean(i)], &truth[layout.mean(j)]);
    let covariance = match layout.form {
        Form::Known | Form::Tied => 0.0,
        Form::Diagonal | Form::Full => squared_distance(&theta[layout.covariance(i)], &truth[layout.covariance(j)]),
    };
    weight + mean + covariance
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}
