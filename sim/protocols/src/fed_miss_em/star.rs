//! FedMissEM in the star: its two halves behind the skeleton's seam, its first uploads, what it writes down.

use std::rc::Rc;

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::Model;
use fedbits_random::{Purpose as Draw, Streams};
use fedbits_record::ExtraTable;

use super::FedMissEm;
use crate::audit::{entity, message_key};
use crate::fedem::star::draw_batch;
use crate::fedem::{BatchRule, Commit, MemoryStart};
use crate::journal::{Probe, Problem, State, Subject, norm_sq};
use crate::payload::Broadcast;
use crate::star::{Contribution, Received, StarAlgorithm, Step};

/// (1e-10)²: rounding of 10⁶ rounds' sums, relative to the memories.
const ROUNDING_SQ: f64 = 1e-20;

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
}

impl Subject for FedMissEm {
    fn problem(&self) -> &dyn Problem {
        self
    }

    fn clients(&self) -> u32 {
        self.servers.len() as u32
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    /// The objective is the mean of −log p(x; θ) over the fitted observations, without the penalty λ.
    fn probe(&self) -> Result<Probe, String> {
        let residuals = self.pooled_residuals();
        let objective: f64 = self.servers.iter().map(|server| server.objective_sum(&self.model, &self.theta)).sum();
        let truth = self.catalogue.truth.as_ref();
        Ok(Probe {
            mean_field_sq: Some(self.model.field_sq(&self.s_hat, &self.theta, (&self.cells, &residuals))),
            objective: Some(objective / self.total as f64),
            parameter_error_sq: truth.map(|truth| self.model.parameter_error(&self.theta, truth)),
        })
    }

    fn columns(&self) -> Vec<String> {
        ["drift_sq", "bits_up_dense64", "svd_products", "observed_rmse", "held_out_rmse"].map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, String> {
        let squares = || self.servers.iter().map(|server| server.squares(&self.model, &self.theta)).sum::<f64>();
        let observed = thorough.then(|| (squares() / self.total as f64).sqrt());
        let held_out = if thorough { self.error(&self.catalogue.held_out) } else { None };
        let drift_sq = if thorough { Some(self.checked_drift()?) } else { None };
        Ok(vec![drift_sq, Some(self.bits_up_dense as f64), Some(self.products as f64), observed, held_out])
    }

    fn caveats(&self) -> Vec<String> {
        let drift_sq = self.drift_sq();
        let drifts = self.settings.memory.commit() == Some(Commit::OnSend) && drift_sq > 1e-18;
        let text = format!("the memories drifted: ‖V − mean V_i‖² = {drift_sq:.2e} at the end, the limit is biased");
        drifts.then_some(text).into_iter().collect()
    }

    /// `trend`: per time the sum over sites of the estimated values, and the sites with and without an observation.
    fn tables(&self) -> Result<Vec<ExtraTable>, String> {
        let sites = self.model.sites() as u64;
        let totals = self.model.totals(&self.theta);
        if let Some(total) = totals.iter().find(|total| !total.is_finite()) {
            return Err(format!("an estimated total over sites is {total}"));
        }
        let rows = self.catalogue.times.iter().zip(&self.catalogue.observed).zip(&totals);
        let row = |((time, observed), total): ((&String, &u64), &f64)| {
            vec![time.clone(), format!("{total:?}"), observed.to_string(), (sites - observed).to_string()]
        };
        let columns = ["time", "estimated_total", "observed", "missing"].map(str::to_owned).to_vec();
        Ok(vec![ExtraTable { name: "trend".to_owned(), columns, rows: rows.map(row).collect() }])
    }
}

impl FedMissEm {
    /// ‖V − mean V_i‖², which is rounding as long as memories commit on acknowledgement.
    fn checked_drift(&self) -> Result<f64, String> {
        let drift_sq = self.drift_sq();
        let size: f64 = self.memories.iter().map(|memory| norm_sq(memory.committed())).fold(norm_sq(&self.v), f64::max);
        let promised = self.settings.memory.commit() == Some(Commit::OnAcknowledgement);
        if promised && drift_sq > ROUNDING_SQ * size.max(1.0) {
            return Err(format!(
                "the invariant V = mean V_i is broken: ‖V − mean V_i‖² = {drift_sq:e} (a defect, please report)"
            ));
        }
        Ok(drift_sq)
    }

    /// Codes Ω_i with V_{0,i}: ρ_i(θ₀) or zeros, uncompressed.
    fn first_upload(&mut self, i: u32, theta: &[f64], out: &mut Encoded) -> Result<(), String> {
        let (server, values) = (&self.servers[i as usize], &mut self.buffers.delta);
        match self.settings.memory.start() {
            MemoryStart::MeanField => server.residuals(&self.model, theta, None, values),
            MemoryStart::Zero => {
                values.clear();
                values.resize(server.cells.len(), 0.0);
            }
        }
        let coded = self.listed.encode_entries(self.s_hat.len(), &server.cells, values, out);
        coded.map_err(|error| format!("client {i}: {error}"))
    }
}

impl StarAlgorithm for FedMissEm {
    fn constants_bits(&self) -> Bits {
        Bits::ZERO
    }

    /// The first upload tells the aggregator Ω_i, with memory or without.
    fn has_initial_memory(&self) -> bool {
        true
    }

    fn open_round(&mut self, streams: &Streams, round: u64, _: &[u32]) -> Result<Rc<Broadcast>, String> {
        let (message, mut theta) = ((entity::SERVER_STATISTIC, round), self.theta.clone());
        let bits = self.auditor.transmit(streams, message, &self.floats, &mut theta, &mut self.buffers.encoded)?;
        Ok(Rc::new(Broadcast { round, bits, theta, ..Broadcast::default() }))
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        let size = self.servers[i as usize].size();
        let visited = match self.settings.batch {
            _ if round == 0 && self.settings.memory.start() == MemoryStart::Zero => 0,
            BatchRule::WithReplacement(b) if round > 0 => b,
            BatchRule::WithoutReplacement(b) if round > 0 => b.min(size),
            _ => size,
        };
        u64::from(visited)
    }

    fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.memories[i as usize].acknowledgement()
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        if let Some(parity) = received.acknowledgement {
            self.memories[i as usize].on_acknowledgement(parity);
        }
        let (round, theta) = (received.body.round, &received.body.theta);
        if round == 0 {
            return self.first_upload(i, theta, out);
        }
        let mut indices = std::mem::take(&mut self.buffers.indices);
        let stream = &mut streams.at(Draw::Minibatch, u64::from(i), round);
        let drawn = draw_batch(self.settings.batch, self.servers[i as usize].size(), stream, &mut indices);
        let key = message_key(streams, u64::from(i), round);
        let updated = self.local_update(i, theta, drawn.then_some(&indices[..]), Randomness::Keyed(key), out);
        self.buffers.indices = indices;
        updated
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        let key = message_key(streams, u64::from(i), round);
        self.bits_up_dense += 64 * self.s_hat.len() as u64;
        if round == 0 {
            return self.auditor.check(streams, u64::from(i), round, &self.listed, encoded, key);
        }
        self.auditor.check(streams, u64::from(i), round, self.settings.compressor.as_ref(), encoded, key)?;
        self.local_commit(i, encoded);
        Ok(())
    }

    fn take_initial_memories(&mut self, memories: &[Contribution]) {
        let n = self.servers.len() as f64;
        let mut dense = vec![0.0; self.s_hat.len()];
        for contribution in memories {
            let i = contribution.client as usize;
            self.listed.decode(&contribution.encoded, &mut dense);
            let values: Vec<f64> = self.servers[i].cells.iter().map(|&cell| dense[cell as usize]).collect();
            self.memories[i].set_initial(&values);
            for (&place, v) in self.servers[i].places.iter().zip(self.memories[i].committed()) {
                self.v[place as usize] += v / n;
            }
        }
    }

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(round, arrived)
    }
}
