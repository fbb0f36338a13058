//! What the server makes of the fits that it has decoded.

use fedbits_models::{DomainError, ExactModel, Examples, FitPooling};
use fedbits_numerics::quantile;
use fedbits_random::{DrawPurpose, Streams};

use super::settings::{Merging, OneRoundSetting, Within};
use crate::error::ProtocolError;

/// One mixture of several.
#[derive(Default)]
pub(super) struct CombinedFits {
    pub theta: Vec<f64>,
    /// Conditional expectations at the server.
    pub expectations: u64,
    /// Entries that T clipped.
    pub clipped: u64,
    /// Places of the fits that lay near the others; none where that is not asked.
    pub near: Option<Vec<usize>>,
    /// Components that took over another one of the pool.
    pub refilled: u32,
}

/// One mixture of the fits `pool`, of which there is one at least; `start` is θ₀.
///
/// # Errors
/// When it has no density.
pub(super) fn combine(
    setting: &OneRoundSetting,
    (model, pooling): (&dyn ExactModel, &dyn FitPooling),
    pool: &[(f64, &[f64])],
    start: &[f64],
    streams: &Streams,
) -> Result<CombinedFits, ProtocolError> {
    let mut combined = match setting.combine {
        Merging::Reduction { starts } => best_reduction(pooling, pool, starts)?,
        Merging::Filtered { within } => {
            let (centre, places) = near_centre(pooling, pool, within)?;
            let near: Vec<(f64, &[f64])> = places.iter().map(|&i| pool[i]).collect();
            let reduced = pooling.reduce(&near, pool[centre].1)?;
            CombinedFits { theta: reduced.theta, near: Some(places), refilled: reduced.refilled, ..Default::default() }
        }
        Merging::Resampling { examples } => {
            let rows = pooling.draw(pool, examples, &mut streams.at(DrawPurpose::Resampling, 0, 0))?;
            let drawn = Examples::new(&rows, model.example_dimension());
            let rest = setting.local.run(model, drawn, start, setting.domain);
            let rest = rest.map_err(|source| ProtocolError::Local(source).at("EM on drawn examples"))?;
            let (theta, expectations, clipped) = (rest.theta, rest.expectations, rest.clipped);
            CombinedFits { theta, expectations, clipped, ..CombinedFits::default() }
        }
        Merging::Mean => mean(setting, pooling, pool, start)?,
    };
    // Whichever start was best: components have the numbers of those of θ₀ that they are nearest to.
    pooling.align(&mut combined.theta, start)?;
    Ok(combined)
}

/// The nearest to the pool of reductions from the components that are far from each other, and from some of the fits,
/// evenly over the clients.
fn best_reduction(pooling: &dyn FitPooling, pool: &[(f64, &[f64])], starts: u32) -> Result<CombinedFits, DomainError> {
    let mut best = pooling.reduce(pool, &pooling.spread(pool)?)?;
    let starts = pool.len().min(starts as usize);
    for number in 0..starts {
        let found = pooling.reduce(pool, pool[number * pool.len() / starts].1)?;
        if found.divergence < best.divergence {
            best = found;
        }
    }
    Ok(CombinedFits { theta: best.theta, refilled: best.refilled, ..CombinedFits::default() })
}

/// The fit in the middle, whose median distance from all fits is smallest, and the fits near it, by their places.
fn near_centre(
    pooling: &dyn FitPooling,
    pool: &[(f64, &[f64])],
    within: Within,
) -> Result<(usize, Vec<usize>), DomainError> {
    let (n, fits) = (pool.len(), pool.iter().map(|(_, theta)| *theta).collect::<Vec<_>>());
    let distances = pooling.distances(&fits)?;
    let sorted = |i: usize| {
        let mut row = distances[i * n..][..n].to_vec();
        row.sort_unstable_by(f64::total_cmp);
        row
    };
    let medians: Vec<f64> = (0..n).map(|i| quantile(&sorted(i), 0.5)).collect();
    let centre = (0..n).fold(0, |best, i| if medians[i] < medians[best] { i } else { best });
    let radius = within.medians(n) * sorted(centre)[n / 2];
    let near = (0..n).filter(|i| distances[centre * n + i] <= radius);
    Ok((centre, near.collect()))
}

/// Σ w_i θ_i / Σ w_i, each θ_i numbered as `start`.
fn mean(
    setting: &OneRoundSetting,
    pooling: &dyn FitPooling,
    pool: &[(f64, &[f64])],
    start: &[f64],
) -> Result<CombinedFits, ProtocolError> {
    let total: f64 = pool.iter().map(|(weight, _)| weight).sum();
    let mut mean = vec![0.0; start.len()];
    for (weight, theta) in pool {
        let mut aligned = theta.to_vec();
        pooling.align(&mut aligned, start)?;
        mean.iter_mut().zip(aligned).for_each(|(sum, entry)| *sum += weight / total * entry);
    }
    let mut theta = Vec::new();
    let repairs = pooling.admit(&mean, setting.domain.policy(), &mut theta).map_err(ProtocolError::Mean)?;
    let clipped = u64::from(repairs.weights) + u64::from(repairs.eigenvalues);
    Ok(CombinedFits { theta, clipped, ..CombinedFits::default() })
}
