//! FedAvg-EM: clients make EM steps of their own and the server averages parameters, as McMahan et al., "Communication-efficient
//! learning of deep networks from decentralized data" (AISTATS 2017) do with gradient steps. This form for EM is our reading.
//!
//! ```text
//! client:  θ_i ← θ;  E times: θ_i ← T(s̄_i(θ_i)) on all its examples;  components numbered as in θ;  sends θ_i, uncompressed
//! server:  θ ← Σ w_i θ_i / Σ w_i over what arrived
//! ```
//!
//! Components are matched because a client's EM may exchange two of them: the assignment that is nearest to θ. With E = 1 and one
//! client this is EM; with heterogeneous clients its limit is none of EM's, which the record shows as an ‖h(Ŝ)‖² that stays: Ŝ is
//! the statistic of θ. A tied covariance follows from the averaged weights and means by its constant second moment. ‖H‖² is the
//! squared change of Ŝ.

use std::rc::Rc;

use fedbits_codec::{Compressor, Draw as Randomness, Encoded, Identity, WireFloat};
use fedbits_kernel::Bits;
use fedbits_models::coordinates::Parameters;
use fedbits_random::Streams;

use crate::audit::{Auditor, entity, message_key};
use crate::fedem::Domain;
use crate::federation::Federation;
use crate::journal::{Probe, Problem, State, Subject};
use crate::payload::Broadcast;
use crate::star::{Contribution, Received, StarAlgorithm, Step};

/// Settings of FedAvg-EM.
#[derive(Clone, Copy, Debug)]
pub struct FedAvgSettings {
    /// E, the EM steps of a client in a round; at least 1.
    pub local_steps: u32,
    /// Are components matched before the average?
    pub matching: bool,
    /// How parameters travel.
    pub floats: WireFloat,
    /// What happens when a statistic has no parameters.
    pub domain: Domain,
}

/// State of FedAvg-EM: the server's. Clients have none.
pub struct FedAvgEm {
    federation: Federation,
    settings: FedAvgSettings,
    floats: Identity,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    domain_events: u64,
    bits_up_dense32: u64,
    auditor: Auditor,
}

impl FedAvgEm {
    /// FedAvg-EM from θ = T(`s_hat`).
    ///
    /// # Errors
    /// When the model's parameters cannot be averaged, or T(`s_hat`) does not exist.
    pub fn new(
        federation: Federation,
        settings: FedAvgSettings,
        s_hat: Vec<f64>,
        audit_all: bool,
    ) -> Result<Self, String> {
        if federation.model().parameters().is_none() {
            return Err("the parameters of this model cannot be averaged: FedAvg-EM needs a mixture".to_owned());
        }
        let mut theta = Vec::new();
        let maximized = settings.domain.maximize(federation.model(), &s_hat, &mut theta);
        let domain_events = maximized.map_err(|error| format!("T of the initial statistic: {error}"))?;
        Ok(Self {
            floats: Identity { wire: settings.floats },
            auditor: Auditor::new(audit_all),
            bits_up_dense32: 0,
            federation,
            settings,
            s_hat,
            theta,
            domain_events,
        })
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The client's half: its parameter after E steps, the first of which has the statistic `first` of θ, numbered as θ.
    ///
    /// # Errors
    /// When a local statistic has no parameters.
    pub fn local_update(&mut self, i: u32, theta: &[f64], first: &[f64]) -> Result<Vec<f64>, String> {
        let (mut own, mut statistic) = (Vec::new(), first.to_vec());
        let at = |error: String| format!("client {i}: {error} (larger clients, a better start, or `domain: Clip(…)`)");
        for step in 1..=self.settings.local_steps {
            if step > 1 {
                let e_step = self.federation.model().conditional(&own).map_err(|error| at(error.to_string()))?;
                let work = u64::from(self.federation.size(i));
                self.federation.local_statistics(&[i], e_step.as_ref(), |_, _| false, work, &mut statistic);
            }
            let clipped = self.settings.domain.maximize(self.federation.model(), &statistic, &mut own);
            self.domain_events += clipped.map_err(|error| at(error.to_string()))?;
        }
        if self.settings.matching {
            parameters(&self.federation).align(&mut own, theta);
        }
        Ok(own)
    }

    /// The server's half: the mean of the parameters that arrived, in id order.
    ///
    /// # Errors
    /// When the mean has no statistic with parameters.
    pub fn server_step(&mut self, arrived: &[Contribution]) -> Result<Step, String> {
        if arrived.is_empty() {
            return Ok(Step { field_sq: 0.0, used: false });
        }
        let total: f64 = arrived.iter().map(|contribution| self.federation.weight(contribution.client)).sum();
        let mut theta = vec![0.0; self.theta.len()];
        for contribution in arrived {
            let share = self.federation.weight(contribution.client) / total;
            self.floats.add_decoded(&contribution.encoded, share, &mut theta);
        }
        let mut s_hat = Vec::new();
        parameters(&self.federation).statistic_of(&theta, &mut s_hat);
        let maximized = self.settings.domain.maximize(self.federation.model(), &s_hat, &mut self.theta);
        self.domain_events += maximized.map_err(|error| format!("the mean of the parameters: {error}"))?;
        let moved = s_hat.iter().zip(&self.s_hat).map(|(new, old)| (new - old) * (new - old));
        let field_sq = moved.sum();
        self.s_hat = s_hat;
        Ok(Step { field_sq, used: true })
    }
}

fn parameters(federation: &Federation) -> &dyn Parameters {
    federation.model().parameters().expect("FedAvg-EM is made of a model whose parameters can be averaged")
}

impl Subject for FedAvgEm {
    fn problem(&self) -> &dyn Problem {
        &self.federation
    }

    fn clients(&self) -> u32 {
        self.federation.clients()
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    fn probe(&self) -> Result<Probe, String> {
        self.federation.probe(&self.state())
    }

    fn columns(&self) -> Vec<String> {
        vec!["domain_events".to_owned(), "bits_up_dense32".to_owned()]
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, String> {
        Ok([self.domain_events, self.bits_up_dense32].map(|value| Some(value as f64)).to_vec())
    }

    fn caveats(&self) -> Vec<String> {
        let events = self.domain_events;
        (events > 0).then(|| format!("T clipped {events} entries of statistics")).into_iter().collect()
    }
}

impl StarAlgorithm for FedAvgEm {
    fn constants_bits(&self) -> Bits {
        Bits::new(64 * self.federation.model().constants_dimension() as u64)
    }

    fn has_initial_memory(&self) -> bool {
        false
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        let mut body =
            Broadcast { round, theta: self.theta.clone(), s_hat: self.s_hat.clone(), ..Broadcast::default() };
        let message = (entity::SERVER_STATISTIC, round);
        body.bits = self.auditor.transmit(streams, message, &self.floats, &mut body.theta, &mut Encoded::new())?;
        let e_step = self.federation.model().conditional(&body.theta).map_err(|error| error.to_string())?;
        body.ahead.resize(cohort.len() * self.s_hat.len(), 0.0);
        let work = cohort.iter().map(|&i| u64::from(self.federation.size(i))).sum();
        self.federation.local_statistics(cohort, e_step.as_ref(), |_, _| false, work, &mut body.ahead);
        Ok(Rc::new(body))
    }

    fn work(&self, i: u32, _round: u64) -> u64 {
        u64::from(self.settings.local_steps) * u64::from(self.federation.size(i))
    }

    fn acknowledgement(&self, _i: u32) -> Option<bool> {
        None
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let body = received.body;
        let own = self.local_update(i, &body.theta, body.statistics(received.place))?;
        let key = message_key(streams, u64::from(i), body.round);
        self.floats.encode(&own, Randomness::Keyed(key), out).map_err(|error| format!("client {i}: {error}"))
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        self.bits_up_dense32 += 32 * encoded.dimension() as u64;
        let key = message_key(streams, u64::from(i), round);
        self.auditor.check(streams, u64::from(i), round, &self.floats, encoded, key)
    }

    fn take_initial_memories(&mut self, _memories: &[Contribution]) {
        unreachable!("FedAvg-EM has no memories");
    }

    fn server_update(&mut self, _round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(arrived)
    }
}
