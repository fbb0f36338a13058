//! FedMissEM before its first round.

use fedbits_codec::{Identity, NonZeros};
use fedbits_models::low_rank::LowRank;

use super::servers::{Server, union};
use super::step::Aggregator;
use super::{Catalogue, FedMissEm};
use crate::error::ProtocolError;
use crate::fedem::FedEmSetting;
use crate::partition::Partitioned;
use crate::uplink::Uplink;

impl FedMissEm {
    /// FedMissEM at Ŝ₀ = s̄(θ₀), θ = T(Ŝ₀). Memories, divisor and operator are those of `uplink`.
    ///
    /// # Errors
    /// When the compressor does not fit the cells of a server, or T(Ŝ₀) does not exist.
    pub fn new(
        (data, model): (&Partitioned, LowRank),
        setting: &FedEmSetting,
        uplink: Uplink,
        theta: &[f64],
        catalogue: Catalogue,
    ) -> Result<Self, ProtocolError> {
        let (n, total) = (data.len() as f64, data.data().len() as u64);
        let scale = n * model.per_matrix / total as f64;
        let servers: Vec<Server> = (0..data.len()).map(|i| Server::new(&model, data.client(i), scale)).collect();
        let (cells, places) = union(&servers);
        let uplink = uplink.over_places(cells.len(), places)?;
        let weights = if uplink.needs_weights() { vec![1.0; data.len()] } else { Vec::new() };
        let mut fit = Self {
            floats: Identity { wire: setting.floats },
            listed: NonZeros { wire: setting.floats },
            s_hat: vec![0.0; model.sites * model.times],
            theta: theta.to_vec(),
            products: 0,
            uplink: uplink.weighing(weights, false),
            total,
            cells,
            servers,
            catalogue,
            gamma: setting.gamma,
            batch: setting.batch,
            model,
        };
        // Ŝ₀ = ψ'(θ₀) + n⁻¹ Σ ρ_i(θ₀), θ = T(Ŝ₀).
        let mut start = Aggregator::new(&fit);
        let residuals = fit.pooled_residuals(&start.theta);
        fit.model.advance(&mut start.s_hat, &start.theta, 1.0, (&fit.cells, &residuals));
        fit.maximize(&mut start).map_err(ProtocolError::Initial)?;
        (fit.s_hat, fit.theta, fit.products) = (start.s_hat, start.theta, start.products);
        Ok(fit)
    }
}
