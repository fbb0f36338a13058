//! The aggregator's half of FedMissEM.

use fedbits_models::DomainError;
use fedbits_models::low_rank::Workspace;

use super::FedMissEm;
use crate::error::ProtocolError;
use crate::star::{Contribution, Step};
use crate::uplink::ServerMemory;

/// The state of the aggregator.
pub struct Aggregator {
    pub(super) s_hat: Vec<f64>,
    pub(super) theta: Vec<f64>,
    /// With V on the cells of all servers.
    pub(super) uplink: ServerMemory,
    pub(super) products: u64,
    workspace: Workspace,
    next_theta: Vec<f64>,
    private: Vec<f64>,
}

impl Aggregator {
    pub(super) fn new(fit: &FedMissEm) -> Self {
        Self {
            s_hat: fit.s_hat.clone(),
            theta: fit.theta.clone(),
            uplink: fit.uplink.server(),
            products: fit.products,
            workspace: Workspace::default(),
            next_theta: Vec::new(),
            private: Vec::new(),
        }
    }

    /// Ŝ.
    pub fn s_hat(&self) -> &[f64] {
        &self.s_hat
    }

    /// θ = T(Ŝ), as factors.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }
}

impl FedMissEm {
    /// V is the mean of the V_{0,i}, which have arrived.
    pub(super) fn take_memories(&self, state: &mut Aggregator, memories: &[Contribution]) {
        let n = self.servers.len() as f64;
        for Contribution { client, encoded, .. } in memories {
            let places = self.uplink.places(*client);
            let mut v_i = vec![0.0; places.len()];
            self.read_cells(*client, encoded, &mut v_i);
            places.iter().zip(&v_i).for_each(|(&place, v)| state.uplink.v[place as usize] += v / n);
            state.uplink.set_copy(*client, |copy| copy.copy_from_slice(&v_i));
        }
    }

    /// The aggregator's half, on contributions in id order. `round` counts from 1.
    ///
    /// # Errors
    /// When H is not finite or singular vectors were not found.
    pub(super) fn server_step(
        &self,
        state: &mut Aggregator,
        round: u64,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        self.uplink.estimate(&mut state.uplink, arrived, &mut state.private);
        let gamma = self.gamma.at(round);
        let field_sq = self.model.advance(&mut state.s_hat, &state.theta, gamma, (&self.cells, &state.private));
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the statistic diverged: ‖H‖² is not finite"));
        }
        self.uplink.accept(&mut state.uplink, round, arrived);
        self.maximize(state)?;
        Ok(Step { field_sq, used: true })
    }

    pub(super) fn maximize(&self, state: &mut Aggregator) -> Result<(), DomainError> {
        let Aggregator { s_hat, theta, products, workspace, next_theta, .. } = state;
        let effort = self.model.maximize_from(s_hat, theta, workspace, next_theta)?;
        *products += u64::from(effort.products);
        std::mem::swap(theta, next_theta);
        Ok(())
    }
}
