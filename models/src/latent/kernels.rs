//! Transition kernels.
//!
//! Metropolis kernels as in the SAEM package saemix (Comets, Lavenu and Lavielle 2017, section 2.2): proposals from
//! p(z; θ), random walks of one component at a time, and random walks of all components together. Steps start at half
//! the prior's standard deviation and are adapted.
//!
//! Langevin transitions: z' = z + (γ/2) g + √γ ξ, unadjusted (eq. (8) of the draft) and as a Metropolis proposal
//! (MALA).
//!
//! On N(μ, Λ⁻¹) the unadjusted chain is stable for γ < 4/λ_max and has stationary covariance (Λ (I − γΛ/4))⁻¹
//! (algorithms 3.2). Only the unadjusted kernel takes a gradient map: a random one would need its own randomness in
//! MALA's ratio.

use super::chain::{SamplerError, State};

/// One sweep of the model's own Gibbs kernel. It counts as one density evaluation and is always accepted.
pub(super) fn gibbs(state: &mut State<'_>) {
    state.posterior.gibbs(state.subject, &mut state.draws.stream, &mut state.chain.z);
    state.tally.densities += 1;
    state.tally.proposed += 1;
    state.tally.accepted += 1;
    state.density = None;
}

/// Steps start at this fraction of the prior's standard deviation (`rw.init` of saemix).
const FIRST_STEP: f64 = 0.5;

/// `prior`, then `single`, then `block` kernels.
pub(super) fn random_walks(state: &mut State<'_>, prior: u32, single: u32, block: u32) {
    (0..prior).for_each(|_| from_prior(state));
    let p = state.chain.z.len();
    for _ in 0..single {
        for j in 0..p {
            state.proposal.copy_from_slice(&state.chain.z);
            walk(state, j, j);
            decide(state, j);
        }
    }
    for _ in 0..block {
        state.proposal.copy_from_slice(&state.chain.z);
        (0..p).for_each(|j| walk(state, j, p));
        decide(state, p);
    }
}

/// A proposal independent of z: the prior cancels from the ratio.
fn from_prior(state: &mut State<'_>) {
    let (posterior, subject) = (state.posterior, state.subject);
    let here = state.density_here() - posterior.log_prior(subject, &state.chain.z);
    posterior.draw_prior(subject, &mut state.draws.stream, &mut state.proposal);
    let density = posterior.log_density(subject, &state.proposal);
    state.tally.densities += 1;
    let there = density - posterior.log_prior(subject, &state.proposal);
    state.decide(there - here, density);
}

/// Moves component `j` of the proposal by a normal step with adapted factor `which`.
fn walk(state: &mut State<'_>, j: usize, which: usize) {
    let step = FIRST_STEP * state.posterior.prior_scale(j) * state.factor(which);
    state.proposal[j] += step * state.draws.stream.normal();
}

fn decide(state: &mut State<'_>, which: usize) {
    let here = state.density_here();
    let there = state.posterior.log_density(state.subject, &state.proposal);
    state.tally.densities += 1;
    let probability = state.decide(there - here, there);
    state.adapt(which, probability);
}

/// One component of a Langevin transition: z + (γ/2) g + √γ ξ.
pub fn langevin_drift(z: f64, g: f64, gamma: f64, xi: f64) -> f64 {
    z + gamma / 2.0 * g + gamma.sqrt() * xi
}

/// One unadjusted transition with step `gamma`.
pub(super) fn langevin(state: &mut State<'_>, gamma: f64) -> Result<(), SamplerError> {
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
pub(super) fn mala(state: &mut State<'_>, gamma: f64) -> Result<(), SamplerError> {
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
