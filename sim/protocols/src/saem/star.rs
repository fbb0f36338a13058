//! FL-SAEM in the star: its two halves behind the skeleton's seam, its broadcasts, and what the journal sees of it.

use std::rc::Rc;

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::latent::{FinalTable, importance};
use fedbits_random::Streams;
use fedbits_record::ExtraTable;

use super::{Commit, Quantity, Saem};
use crate::audit::{entity, message_key};
use crate::journal::{Probe, Problem, State, Subject, norm_sq};
use crate::payload::{Broadcast, least_bits};
use crate::star::{Contribution, Received, StarAlgorithm, Step};

impl Subject for Saem {
    fn problem(&self) -> &dyn Problem {
        &self.panel
    }

    fn clients(&self) -> u32 {
        self.panel.clients()
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s, theta: &self.theta }
    }

    /// ‖h‖² and the objective where the model has them in closed form; else the objective by importance sampling, if asked for.
    fn probe(&self) -> Result<Probe, String> {
        let parameter_error_sq = self.panel.parameter_error(&self.theta);
        if let Some((expected, objective)) = self.panel.expectation(&self.theta)? {
            let field: Vec<f64> = expected.iter().zip(&self.s).map(|(expected, s)| expected - s).collect();
            let mean_field_sq = Some(norm_sq(&field));
            return Ok(Probe { mean_field_sq, objective: Some(objective), parameter_error_sq });
        }
        let estimate = self.importance()?;
        let objective = estimate.map(|estimate| -estimate.value / self.panel.total() as f64);
        Ok(Probe { mean_field_sq: None, objective, parameter_error_sq })
    }

    fn columns(&self) -> Vec<String> {
        let own = [
            "drift_sq",
            "domain_events",
            "divergences",
            "acceptance",
            "effective_share",
            "gradient_evaluations",
            "density_evaluations",
            "bits_up_dense32",
            "minus_2ll_error",
        ];
        own.map(str::to_owned).into_iter().chain(self.panel.model().finding_names()).collect()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, String> {
        let share = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
        let tally = &self.tally;
        let estimate = if thorough && !self.panel.model().abilities().expectation { self.importance()? } else { None };
        let mut values = vec![
            if thorough { self.drift_sq()? } else { None },
            Some(self.domain_events as f64),
            Some(self.divergences as f64),
            share(tally.accepted as f64, tally.proposed),
            share(tally.effective, tally.states),
            Some(tally.gradients as f64),
            Some(tally.densities as f64),
            Some(self.bits_up_dense32 as f64),
            estimate.map(|estimate| 2.0 * estimate.standard_error),
        ];
        let names = self.panel.model().finding_names().len();
        if thorough && names > 0 {
            let found = self.panel.model().findings(&self.theta, &self.streams);
            values.extend(found.map_err(|error| error.to_string())?);
        } else {
            values.extend(std::iter::repeat_n(None, names));
        }
        Ok(values)
    }

    fn tables(&self) -> Result<Vec<ExtraTable>, String> {
        let tables = self.panel.model().final_tables(&self.theta, &self.streams).map_err(|error| error.to_string())?;
        let extra = |FinalTable { name, columns, rows }| ExtraTable { name, columns, rows };
        Ok(tables.into_iter().map(extra).collect())
    }

    fn caveats(&self) -> Vec<String> {
        let mut caveats = self.incidents();
        if let (Some(Commit::OnSend), Ok(Some(drift_sq))) = (self.settings.uplink.commit(), self.drift_sq())
            && drift_sq > 1e-18
        {
            caveats.push(format!("the memories drifted: ‖V − mean V_i‖² = {drift_sq:.2e} at the end"));
        }
        caveats
    }
}

impl StarAlgorithm for Saem {
    fn constants_bits(&self) -> Bits {
        // Always F64: rounding them would change the model, not the message.
        Bits::new(64 * self.panel.model().constants_dimension() as u64)
    }

    fn has_initial_memory(&self) -> bool {
        false
    }

    fn open_round(&mut self, streams: &Streams, round: u64, _cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        let mut theta = self.theta.clone();
        let message = (entity::SERVER_PARAMETER, round);
        let bits = self.auditor.transmit(streams, message, &self.floats, &mut theta, &mut self.encoded)?;
        self.note_sent(round, &theta);
        Ok(Rc::new(Broadcast { round, bits, theta, ..Broadcast::default() }))
    }

    /// Evaluations of densities and gradients, or conditional expectations.
    fn work(&self, i: u32, round: u64) -> u64 {
        let p = self.panel.model().latent_dimension();
        let at = |turn| self.settings.local.sampler(turn).map_or(1, |sampler| sampler.evaluations(p));
        let each: u64 = self.settings.turns(round).map(at).sum();
        self.panel.subjects(i).len() as u64 * each
    }

    /// Chains only grow.
    fn least_work(&self, i: u32) -> u64 {
        self.work(i, 1)
    }

    fn least_bits(&self) -> [Bits; 2] {
        let dimension = match self.settings.quantity {
            Quantity::Statistics => self.s.len(),
            Quantity::Parameters | Quantity::Gradient => self.theta.len(),
        };
        [least_bits(&self.floats, self.theta.len()), least_bits(self.settings.compressor.as_ref(), dimension)]
    }

    fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.memories.acknowledgement(i)
    }

    /// The chains of a client that has lost its state start anew.
    fn on_state_lost(&mut self, i: u32, _round: u64) {
        self.sampling.forget(&self.panel, i);
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        if let Some(parity) = received.acknowledgement {
            self.memories.on_acknowledgement(i, parity);
        }
        let (round, theta) = (received.body.round, &received.body.theta);
        let x = self.local_vector(i, round, theta)?;
        self.local_encode(i, &x, theta, Randomness::Keyed(message_key(streams, u64::from(i), round)), out)
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        let dimension = match self.settings.quantity {
            Quantity::Statistics => self.s.len(),
            Quantity::Parameters | Quantity::Gradient => self.theta.len(),
        };
        self.bits_up_dense32 += 32 * dimension as u64;
        let key = message_key(streams, u64::from(i), round);
        self.auditor.check(streams, u64::from(i), round, self.settings.compressor.as_ref(), encoded, key)?;
        self.memories.on_send(i);
        Ok(())
    }

    fn take_initial_memories(&mut self, _memories: &[Contribution]) {}

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(round, arrived)
    }
}

impl Saem {
    fn importance(&self) -> Result<Option<importance::LogLikelihood>, String> {
        let draws = self.settings.likelihood_draws;
        if draws == 0 || !self.panel.model().abilities().continuous {
            return Ok(None);
        }
        if let Some(&estimate) = self.likelihood.get() {
            return Ok(Some(estimate));
        }
        let estimate = importance::log_likelihood(self.panel.model(), &self.theta, draws, &self.streams)?;
        Ok(Some(*self.likelihood.get_or_init(|| estimate)))
    }
}
