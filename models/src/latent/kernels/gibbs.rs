//! The model's own Gibbs sweep. It counts as one density evaluation and is always accepted.

use crate::latent::state::State;

/// One sweep.
pub(in crate::latent) fn sweep(state: &mut State<'_>) {
    state.posterior.gibbs(state.subject, &mut state.draws.stream, &mut state.chain.z);
    state.tally.densities += 1;
    state.tally.proposed += 1;
    state.tally.accepted += 1;
    state.density = None;
}
