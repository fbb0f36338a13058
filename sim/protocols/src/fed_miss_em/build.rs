//! FedMissEM before its first round.

use fedbits_codec::{Identity, NonZeros};
use fedbits_models::low_rank::LowRank;

use super::servers::{Server, union};
use super::step::Aggregator;
use super::{Catalogue, FedMissEm};
use crate::error::ProtocolError;
use crate::fedem::{Commit, FedEmSettings};
use crate::partition::Partitioned;

impl FedMissEm {
    /// FedMissEM at Ŝ₀ = s̄(θ₀), θ = T(Ŝ₀).
    ///
    /// # Errors
    /// When the compressor does not fit the cells of a server, memories would be resynchronized, or T(Ŝ₀) does not
    /// exist.
    pub fn new(
        data: &Partitioned,
        model: LowRank,
        settings: FedEmSettings,
        theta: &[f64],
        catalogue: Catalogue,
    ) -> Result<Self, ProtocolError> {
        if matches!(settings.memory.commit(), Some(Commit::Resynchronized { .. })) {
            let why = "FedMissEM cannot resynchronize memories: commit on acknowledgement or on send";
            return Err(ProtocolError::Unfit(why.to_owned()));
        }
        if settings.compressor.member(0).is_some() {
            let name = settings.compressor.name();
            return Err(ProtocolError::Unfit(format!(
                "{name} deals out the coordinates of one vector: clients of FedMissEM have different ones"
            )));
        }
        let (n, total) = (data.len() as f64, data.data().len() as u64);
        let scale = n * model.per_matrix() / total as f64;
        let mut servers: Vec<Server> = (0..data.len()).map(|i| Server::new(&model, data.client(i), scale)).collect();
        let cells = union(&mut servers);
        for (i, server) in servers.iter().enumerate() {
            let fits = settings.compressor.validate(server.cells.len());
            fits.map_err(|source| ProtocolError::Cells { client: i, cells: server.cells.len(), source })?;
        }
        let largest = servers.iter().map(|server| server.cells.len()).max().unwrap_or(1);
        let alpha = settings.memory.alpha(settings.compressor.as_ref(), largest)?;
        let mut fit = Self {
            floats: Identity { wire: settings.floats },
            listed: NonZeros { wire: settings.floats },
            s_hat: vec![0.0; model.sites() * model.times()],
            theta: theta.to_vec(),
            products: 0,
            alpha,
            total,
            cells,
            servers,
            catalogue,
            settings,
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
