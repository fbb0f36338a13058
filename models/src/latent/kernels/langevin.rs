//! Langevin transitions: z' = z + (γ/2) g + √γ ξ, unadjusted (eq. (8) of the draft) and as a Metropolis proposal
//! (MALA).
//!
//! On N(μ, Λ⁻¹) the unadjusted chain is stable for γ < 4/λ_max and has stationary covariance (Λ (I − γΛ/4))⁻¹
//! (algorithms 3.2). Only the unadjusted kernel takes a gradient map: a random one would need its own randomness in
//! MALA's ratio.

use crate::latent::chain::SamplerError;
use crate::latent::state::State;

/// One component of a Langevin transition: z + (γ/2) g + √γ ξ.
pub fn langevin_drift(z: f64, g: f64, gamma: f64, xi: f64) -> f64 {
    z + gamma / 2.0 * g + gamma.sqrt() * xi
}

/// One unadjusted transition with step `gamma`.
pub(in crate::latent) fn unadjusted(state: &mut State<'_>, gamma: f64) -> Result<(), SamplerError> {
    let (_, g) = state.mapped_gradient(false)?;
    if g.iter().any(|g| !g.is_finite()) {
        return Err(SamplerError::Diverged { subject: state.subject });
    }
    for (z, g) in state.chain.z.iter_mut().zip(&g) {
        *z = langevin_drift(*z, *g, gamma, state.draws.stream.normal());
    }
    Ok(())
}

/// One adjusted transition; `gamma` is multiplied by the adapted factor.
pub(in crate::latent) fn adjusted(state: &mut State<'_>, gamma: f64) -> Result<(), SamplerError> {
    let p = state.chain.z.len();
    let gamma = gamma * state.factor(p);
    if state.gradient.is_none() {
        let (density, gradient) = state.mapped_gradient(false)?;
        (state.density, state.gradient) = (Some(density), Some(gradient));
    }
    let here = state.density_here();
    let g = state.gradient.take().unwrap_or_default();
    if g.iter().any(|g| !g.is_finite()) {
        return Err(SamplerError::Diverged { subject: state.subject });
    }
    for (j, g) in g.iter().enumerate() {
        state.proposal[j] = langevin_drift(state.chain.z[j], *g, gamma, state.draws.stream.normal());
    }
    let (there, back) = state.mapped_gradient(true)?;
    let log_q = |from: &[f64], g: &[f64], to: &[f64]| -> f64 {
        let terms = from.iter().zip(g).zip(to).map(|((from, g), to)| to - from - gamma / 2.0 * g);
        -terms.map(|difference| difference * difference).sum::<f64>() / (2.0 * gamma)
    };
    let forth_and_back = log_q(&state.proposal, &back, &state.chain.z) - log_q(&state.chain.z, &g, &state.proposal);
    let accepted = state.tally.accepted;
    let probability = state.decide(there - here + forth_and_back, there);
    state.gradient = Some(if state.tally.accepted > accepted { back } else { g });
    state.adapt(p, probability);
    Ok(())
}
