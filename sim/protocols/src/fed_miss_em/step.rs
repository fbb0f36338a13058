//! The aggregator's half of FedMissEM.

use fedbits_codec::Compressor;
use fedbits_models::DomainError;
use fedbits_models::low_rank::Workspace;

use super::FedMissEm;
use crate::error::ProtocolError;
use crate::fedem::weights::{StepWeights, Weights};
use crate::star::{Contribution, Step};

/// The state of the aggregator.
pub struct Aggregator {
    pub(super) s_hat: Vec<f64>,
    pub(super) theta: Vec<f64>,
    /// V on the cells of all servers.
    pub(super) v: Vec<f64>,
    pub(super) products: u64,
    weights: Weights,
    workspace: Workspace,
    next_theta: Vec<f64>,
    aggregate: Vec<f64>,
    private: Vec<f64>,
    delta: Vec<f64>,
}

impl Aggregator {
    pub(super) fn new(fit: &FedMissEm) -> Self {
        Self {
            s_hat: fit.s_hat.clone(),
            theta: fit.theta.clone(),
            v: vec![0.0; fit.cells.len()],
            products: fit.products,
            weights: Weights::new(fit.settings.divisor, fit.servers.len() as u32),
            workspace: Workspace::default(),
            next_theta: Vec::new(),
            aggregate: Vec::new(),
            private: Vec::new(),
            delta: Vec::new(),
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
        let mut dense = vec![0.0; state.s_hat.len()];
        for Contribution { client, encoded, .. } in memories {
            let server = &self.servers[*client as usize];
            self.listed.decode(encoded, &mut dense);
            for (&place, &cell) in server.places.iter().zip(&server.cells) {
                state.v[place as usize] += dense[cell as usize] / n;
            }
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
        self.aggregate(state, arrived);
        self.direct(state, arrived);
        let gamma = self.settings.gamma.at(round);
        let field_sq = self.model.advance(&mut state.s_hat, &state.theta, gamma, (&self.cells, &state.private));
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the statistic diverged: ‖H‖² is not finite"));
        }
        let n = self.servers.len() as f64;
        state.v.iter_mut().zip(&state.aggregate).for_each(|(v, sum)| *v += self.alpha * *sum / n);
        self.maximize(state)?;
        Ok(Step { field_sq, used: true })
    }

    /// V and what arrived, each with its weight, on `self.cells`.
    fn direct(&self, state: &mut Aggregator, arrived: &[Contribution]) {
        let Aggregator { v, weights, aggregate, private, delta, .. } = state;
        private.clear();
        match weights.of_step(self.settings.divisor, self.settings.staleness, arrived, |_| 1.0) {
            StepWeights::Equal(divisor) => {
                private.extend(v.iter().zip(aggregate.iter()).map(|(v, sum)| v + sum / divisor));
            }
            StepWeights::Each(omega, weights) => {
                private.extend(v.iter().map(|v| omega * v));
                for (contribution, weight) in arrived.iter().zip(weights) {
                    let server = &self.servers[contribution.client as usize];
                    delta.resize(server.cells.len(), 0.0);
                    self.settings.compressor.decode(&contribution.encoded, delta);
                    server
                        .places
                        .iter()
                        .zip(delta.iter())
                        .for_each(|(&place, x)| private[place as usize] += weight * x);
                }
            }
        }
    }

    /// Σ Quant(Δ_i) on `self.cells`.
    fn aggregate(&self, state: &mut Aggregator, arrived: &[Contribution]) {
        let Aggregator { aggregate, delta, .. } = state;
        aggregate.clear();
        aggregate.resize(self.cells.len(), 0.0);
        for contribution in arrived {
            let server = &self.servers[contribution.client as usize];
            delta.resize(server.cells.len(), 0.0);
            self.settings.compressor.decode(&contribution.encoded, delta);
            server.places.iter().zip(delta.iter()).for_each(|(&place, x)| aggregate[place as usize] += x);
        }
    }

    pub(super) fn maximize(&self, state: &mut Aggregator) -> Result<(), DomainError> {
        let Aggregator { s_hat, theta, products, workspace, next_theta, .. } = state;
        let effort = self.model.maximize_from(s_hat, theta, workspace, next_theta)?;
        *products += u64::from(effort.products);
        std::mem::swap(theta, next_theta);
        Ok(())
    }
}
