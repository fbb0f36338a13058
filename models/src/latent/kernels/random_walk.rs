//! Metropolis kernels as in the SAEM package saemix (Comets, Lavenu and Lavielle 2017, section 2.2): proposals from
//! p(z; θ), random walks of one component at a time, and random walks of all components together. Steps start at half
//! the prior's standard deviation and are adapted.

use crate::latent::state::State;

/// Steps start at this fraction of the prior's standard deviation (`rw.init` of saemix).
const FIRST_STEP: f64 = 0.5;

/// `prior`, then `single`, then `block` kernels.
pub(in crate::latent) fn sweep(state: &mut State<'_>, prior: u32, single: u32, block: u32) {
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
