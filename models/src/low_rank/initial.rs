//! A start without randomness: every cell expects what its site and its time suggest.

use super::family::Family;
use super::maximize::Workspace;
use super::model::LowRank;
use crate::{DomainError, Examples};

/// θ₀ of the margins: ψ'(θ_jl) = x̄ a_j b_l with a_j = (Σ_{obs at j} x + x̄)/(n_j x̄ + x̄) and b_l alike, x̄ the mean
/// of all observations: shrunk towards 1 as if every site and every time had one more observation, at the mean.
/// Truncated to rank r where the link of a product has a larger rank. Observations with x̄ ≤ 0 give θ₀ = 0.
///
/// # Errors
/// When singular vectors were not found.
pub fn margins(model: &LowRank, examples: Examples<'_>) -> Result<Vec<f64>, DomainError> {
    let mean = examples.rows.chunks_exact(3).map(|example| example[2]).sum::<f64>() / examples.len() as f64;
    let mut theta = vec![0.0; (model.sites + model.times) * model.rank];
    if mean <= 0.0 {
        return Ok(theta);
    }
    let ratios = |size: usize, column: usize| {
        let mut sums = vec![(mean, 1.0); size];
        for example in examples.rows.chunks_exact(3) {
            let (sum, count) = &mut sums[example[column] as usize];
            (*sum, *count) = (*sum + example[2], *count + 1.0);
        }
        sums.into_iter().map(|(sum, count)| sum.max(0.0) / (count * mean)).collect::<Vec<f64>>()
    };
    let (a, b) = (ratios(model.sites, 0), ratios(model.times, 1));
    let linked: Vec<f64> =
        a.iter().flat_map(|a| b.iter().map(move |b| mean * a * b)).map(|mean| model.family.link(mean)).collect();
    // The link of the margins is the target itself: no majorization, no penalty.
    let plain = LowRank { lambda: 0.0, family: Family::Gaussian, ..*model };
    plain.maximize_from(&linked, &[], &mut Workspace::default(), &mut theta)?;
    Ok(theta)
}
