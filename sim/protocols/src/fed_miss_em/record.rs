//! What the journal sees of FedMissEM.

use fedbits_models::{ExactModel, Model};
use fedbits_record::{Cell, ClientColumn, QUALITY_OF_CLIENTS, RunTable};

use super::servers::Server;
use super::{Aggregator, FedMissEm};
use crate::error::ProtocolError;
use crate::problem::Problem;
use crate::star::View;
use crate::state::{Probe, State};

impl Problem for FedMissEm {
    fn total(&self) -> u64 {
        self.total
    }

    fn parameter_names(&self) -> Vec<String> {
        self.model.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.model.statistic_names()
    }

    fn examples_of(&self, i: u32) -> Option<u64> {
        Some(self.servers[i as usize].len() as u64)
    }

    fn model(&self) -> Option<&dyn ExactModel> {
        Some(&self.model)
    }

    /// `objective`: F_i(θ), the mean of −log p(x; θ) over a client's own observations.
    fn client_columns(&self, state: &State<'_>) -> Result<Vec<ClientColumn>, ProtocolError> {
        let [objective, _] = QUALITY_OF_CLIENTS;
        let mean = |server: &Server| server.objective_sum(&self.model, state.theta) / server.len() as f64;
        let values = self.servers.iter().map(mean).map(Some).collect();
        Ok(vec![ClientColumn { name: objective.to_owned(), values }])
    }
}

impl FedMissEm {
    /// The objective is the mean of −log p(x; θ) over the fitted observations, without the penalty λ.
    pub(super) fn probe_at(&self, state: &Aggregator) -> Probe {
        let residuals = self.pooled_residuals(&state.theta);
        let objective: f64 = self.servers.iter().map(|server| server.objective_sum(&self.model, &state.theta)).sum();
        let truth = self.catalogue.truth.as_ref();
        Probe {
            mean_field_sq: Some(self.model.field_sq(&state.s_hat, &state.theta, (&self.cells, &residuals))),
            objective: Some(objective / self.total as f64),
            parameter_error_sq: truth.map(|truth| self.model.parameter_error(&state.theta, truth)),
            ..Probe::default()
        }
    }

    pub(super) fn values_at(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        let theta = &view.server.theta;
        let squares = || self.servers.iter().map(|server| server.squares(&self.model, theta)).sum::<f64>();
        let observed = thorough.then(|| (squares() / self.total as f64).sqrt());
        let drift = || self.uplink.drift(&view.server.uplink, view.clients.iter(), |i| view.is_unsettled(i)).checked();
        let drift_sq = thorough.then(drift).transpose()?;
        let dense = 64 * view.server.s_hat.len() as u64 * view.counts.sent;
        Ok(vec![drift_sq, Some(dense as f64), Some(view.server.products as f64), observed])
    }

    /// `trend`: per time the sum over sites of the estimated values, and the sites with and without an observation.
    pub(super) fn tables_at(&self, theta: &[f64]) -> Result<Vec<RunTable>, ProtocolError> {
        let sites = self.model.sites as u64;
        let totals = self.model.totals(theta);
        if let Some(total) = totals.iter().find(|total| !total.is_finite()) {
            return Err(ProtocolError::Total(*total));
        }
        let rows = self.catalogue.times.iter().zip(&self.catalogue.observed).zip(&totals);
        let row = |((time, observed), total): ((&String, &u64), &f64)| {
            vec![Cell::from(time), (*total).into(), (*observed).into(), (sites - observed).into()]
        };
        let columns = ["time", "estimated_total", "observed", "missing"].map(str::to_owned).to_vec();
        Ok(vec![RunTable { name: "trend".to_owned(), columns, rows: rows.map(row).collect() }])
    }
}
