//! FedEM in the star.

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;
use fedbits_random::Streams;
use fedbits_spec::{Caveat, so_many};

use super::downlink::Downlink;
use super::marina;
use super::memory::{Drift, DriftSq, ServerMemory};
use super::weights::Weights;
use super::{ClientMemory, Commit, Content, Domain, FedEm, FedEmClient, FedEmServer, LocalRule, Memory, MemoryStart};
use crate::error::ProtocolError;
use crate::payload::least_bits;
use crate::problem::Problem;
use crate::run::LeastRound;
use crate::star::{
    Coder, Contribution, Conventions, Outgoing, OwnPart, Received, Sent, StarAlgorithm, Step, View, Wire,
};
use crate::state::{Probe, State};

/// Names of the columns of `rounds.csv`.
pub(crate) const COLUMNS: [&str; 5] =
    ["drift_sq", "domain_events", "bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];

impl<L: LocalRule> FedEm<L> {
    fn q(&self) -> usize {
        self.start.s_hat.len()
    }

    fn is_full(&self, streams: &Streams, round: u64) -> bool {
        match self.settings.memory {
            Memory::Marina { p } => marina::coin(streams, round, p),
            Memory::None | Memory::Kept { .. } => false,
        }
    }

    /// ‖V − n⁻¹ Σ V_i‖².
    fn drift_sq(&self, view: &View<'_, Self>) -> DriftSq {
        let clients = view.clients.iter().map(|client| &client.memory);
        self.drift(view.server).sq(clients, |i| view.is_unsettled(i))
    }

    /// ‖V − n⁻¹ Σ V_i‖², which is rounding where memories commit on acknowledgement and nobody has lost one.
    fn checked_drift(&self, view: &View<'_, Self>) -> Result<f64, ProtocolError> {
        self.drift_sq(view).checked(self.drift(view.server).claims_the_mean())
    }

    fn drift<'a>(&'a self, server: &'a FedEmServer<L::Server>) -> Drift<'a> {
        let (compressor, commit) = (self.settings.compressor.as_ref(), self.settings.memory.commit());
        Drift { commit, alpha: self.alpha, compressor, v: &server.v, server: &server.memory }
    }
}

impl<L: LocalRule> StarAlgorithm for FedEm<L> {
    type Server = FedEmServer<L::Server>;
    type Client = FedEmClient<L::Client>;
    type Content = Content<L::Content>;
    type Ahead = L::Ahead;

    fn problem(&self) -> &dyn Problem {
        self.shown.as_ref().map_or(&self.federation, |shown| &shown.em)
    }

    fn clients(&self) -> u32 {
        self.federation.clients()
    }

    fn server(&self) -> Self::Server {
        let (n, q) = (self.federation.clients(), self.q());
        let zeros = || vec![0.0; q];
        FedEmServer {
            s_hat: self.start.s_hat.clone(),
            theta: self.start.theta.clone(),
            v: zeros(),
            h: zeros(),
            memory: ServerMemory::new(n, q, self.settings.memory),
            weights: Weights::new(self.settings.divisor, n),
            downlink: self.settings.downlink.as_ref().map(|_| Downlink::new(self.downlink_alpha, n, q)),
            local: L::Server::default(),
            full: false,
            shown: self.shown.as_ref().map(|coordinates| coordinates.start.clone()),
            aggregate: zeros(),
            next: zeros(),
            next_theta: Vec::new(),
        }
    }

    fn client(&self, _i: u32) -> Self::Client {
        let commit = self.settings.memory.commit();
        let q = if self.settings.memory == Memory::None { 0 } else { self.q() };
        let stages = commit == Some(Commit::OnAcknowledgement) || commit.is_some() && self.late_counts;
        FedEmClient { memory: ClientMemory::new(q, stages), local: L::Client::default() }
    }

    fn state<'a>(&'a self, server: &'a Self::Server) -> State<'a> {
        match &server.shown {
            Some(shown) => State { s_hat: &shown.s_hat, theta: &shown.theta },
            None => State { s_hat: &server.s_hat, theta: &server.theta },
        }
    }

    fn open_round(
        &self,
        server: &mut Self::Server,
        wire: &mut Wire<'_>,
    ) -> Result<(Self::Content, Bits), ProtocolError> {
        let full = self.is_full(wire.streams, wire.round);
        self.content(server, wire, full)
    }

    fn compute_ahead(
        &self,
        clients: &[Self::Client],
        cohort: &[u32],
        sent: &Sent<'_, Self::Content>,
        ahead: &mut Self::Ahead,
    ) -> Result<(), ProtocolError> {
        let task = self.task(sent.streams, sent.round);
        self.local.compute_ahead(&task, sent.content, cohort, |i| &clients[i as usize].local, ahead);
        Ok(())
    }

    fn coder(&self, streams: &Streams, i: u32, round: u64) -> Coder<'_> {
        self.coder_of(i, round == 0 || self.is_full(streams, round))
    }

    fn client_update(
        &self,
        i: u32,
        client: &mut Self::Client,
        received: Received<'_, Self::Content, Self::Ahead>,
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        let FedEmClient { memory, local } = client;
        let (content, delta) = (received.content, &mut *out.scratch);
        let task = self.task(received.streams, received.round);
        // V_i is looked at in one go: the E-step would drive it out of the first-level cache.
        self.local.estimate(&task, i, local, content, received.ahead, |statistics| {
            if let Some(used) = received.used {
                memory.on_acknowledgement(used, self.alpha, self.settings.compressor.as_ref());
            }
            if let Some(v_i) = received.memory {
                memory.on_memory(v_i);
            }
            self.difference((i, memory), statistics, (&content.s_hat, content.full), delta);
        });
        out.encode_scratch()
    }

    fn work(&self, i: u32, client: &Self::Client, round: u64) -> u64 {
        let size = self.federation.size(i);
        if round == 0 { u64::from(size) } else { self.local.work(self.settings.batch, size, &client.local) }
    }

    fn server_update(
        &self,
        server: &mut Self::Server,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step, ProtocolError> {
        if wire.round == 0 {
            self.take_memories(server, arrived);
            return Ok(Step::default());
        }
        self.server_step(server, wire, arrived)
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            // Always F64: rounding them would change the model, not the message.
            constants: Bits::new(64 * self.federation.model().constants_dimension() as u64),
            initial_memories: self.settings.memory.start() == MemoryStart::MeanField,
            acknowledges: self.settings.memory.commit() == Some(Commit::OnAcknowledgement),
            personal: self.settings.downlink.is_some(),
        }
    }

    /// A step computes a batch at the least, whatever the local rule adds. Messages are as long for all, and what they
    /// take on average can be long in coming.
    fn least_rounds(&self) -> Box<dyn Iterator<Item = LeastRound> + '_> {
        let q = self.q();
        let sent = if self.settings.sends_parameters() { q + self.start.theta.len() } else { q };
        // A compressed broadcast may be as short as one likes.
        let broadcast = if self.settings.downlink.is_none() { least_bits(&self.floats, sent) } else { Bits::ZERO };
        let contribution = least_bits(self.settings.compressor.as_ref(), q);
        let work = |i| self.settings.batch.count(self.federation.size(i));
        Box::new((0..self.clients()).map(move |i| LeastRound { broadcast, work: work(i), contribution }))
    }

    fn own_part(&self, server: &mut Self::Server, i: u32, round: u64) -> OwnPart {
        let (q, commit) = (self.q(), self.settings.memory.commit());
        let acknowledges = round > 0 && !self.conventions().acknowledges;
        let own = server.downlink.as_mut().map(|downlink| downlink.own_part(i, acknowledges)).unwrap_or_default();
        let memory = if round > 0 { server.memory.take_to_send(i, round, q, commit) } else { None };
        OwnPart { memory, ..own }
    }

    fn on_send(&self, _i: u32, client: &mut Self::Client, round: u64, encoded: &Encoded) {
        let memory = &mut client.memory;
        match self.settings.memory {
            _ if round == 0 => memory.set_initial(&self.floats, encoded),
            Memory::None => {}
            Memory::Marina { .. } => {
                let kept = memory.kept();
                std::mem::swap(&mut kept.v, &mut kept.next);
            }
            Memory::Kept { commit, .. } => {
                memory.on_send(commit, self.alpha, self.settings.compressor.as_ref(), encoded);
            }
        }
        if round > 0 {
            self.local.on_send(&mut client.local);
        }
    }

    fn late_counts(&mut self) {
        self.late_counts = true;
    }

    fn on_settled(&self, client: &mut Self::Client) {
        client.memory.unstage();
    }

    fn on_state_lost(&self, server: &mut Self::Server, i: u32, client: &mut Self::Client, round: u64) {
        if let Some(recovery) = self.settings.memory.recovery() {
            client.memory.forget();
            server.memory.on_lost(i, round, recovery);
        }
        client.local = L::Client::default();
        if let Some(downlink) = &mut server.downlink {
            downlink.forget(i);
        }
    }

    fn probe(&self, server: &Self::Server) -> Result<Probe, ProtocolError> {
        let federation = self.shown.as_ref().map_or(&self.federation, |shown| &shown.em);
        Ok(federation.probe(&self.state(server))?)
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.into_iter().chain(self.local.column()).map(str::to_owned).collect()
    }

    fn values(&self, view: &View<'_, Self>, thorough: bool) -> Result<Vec<Option<f64>>, ProtocolError> {
        let drift_sq = if thorough { Some(self.checked_drift(view)?) } else { None };
        let counts = view.counts;
        let domain_events = Some((self.start.clipped + counts.domain_events) as f64);
        let conventions = [counts.dense32 as f64, counts.indices_free as f64, counts.entropy].map(Some);
        let own = self.local.column().map(|_| self.local.value(&view.server.local));
        Ok([drift_sq, domain_events].into_iter().chain(conventions).chain(own).collect())
    }

    fn caveats(&self, view: &View<'_, Self>) -> Vec<Caveat> {
        let mut caveats = Vec::new();
        let domain_events = self.start.clipped + view.counts.domain_events;
        if domain_events > 0 {
            let what = if self.settings.domain == Domain::SkipRound {
                "round was skipped|rounds were skipped"
            } else {
                "entry was clipped|entries were clipped"
            };
            caveats.push(Caveat::Domain { statistic: "Ŝ".to_owned(), events: so_many(domain_events, what) });
        }
        let drift = self.drift_sq(view);
        if drift.is_more_than_rounding && !self.drift(view.server).claims_the_mean() {
            caveats.push(Caveat::MemoryDrift { drift: format!("{:.2e}", drift.value) });
        }
        caveats
    }
}
