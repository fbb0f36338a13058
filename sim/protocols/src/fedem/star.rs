//! FedEM in the star: its two halves behind the skeleton's seam, its broadcasts and its minibatches.

use std::rc::Rc;

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_models::EStep;
use fedbits_random::{CounterKey, Purpose as Draw, Stream, Streams};

use super::{BatchRule, Domain, FedEm, MemoryStart};
use crate::audit::entity;
use crate::federation::Federation;
use crate::journal::{Probe, Problem, State, Subject};
use crate::payload::{Broadcast, least_bits};
use crate::star::{Contribution, OwnPart, Received, StarAlgorithm, Step};

/// So many broadcasts are kept for being used again.
const MOST_BODIES: usize = 64;

impl Subject for FedEm {
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
        let names = ["drift_sq", "domain_events", "bits_up_dense32", "bits_up_indices_free", "bits_up_entropy"];
        names.map(str::to_owned).to_vec()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, String> {
        let drift_sq = if thorough { Some(self.drift_sq()?) } else { None };
        let sums = self.uplink.sums();
        let conventions = [sums.dense32 as f64, sums.indices_free as f64, sums.entropy].map(Some);
        Ok([drift_sq, Some(self.domain_events as f64)].into_iter().chain(conventions).collect())
    }

    fn caveats(&self) -> Vec<String> {
        let mut caveats = Vec::new();
        if self.domain_events > 0 {
            let what =
                if self.settings.domain == Domain::SkipRound { "rounds were skipped" } else { "entries were clipped" };
            caveats.push(format!("Ŝ left the domain of T: {} {what}", self.domain_events));
        }
        let drift_sq = self.drift_sq().unwrap_or(0.0);
        if drift_sq > 1e-18 && !self.memories.claims_the_mean() {
            caveats.push(format!(
                "the memories drifted: ‖V − mean V_i‖² = {drift_sq:.2e} at the end, the limit is biased"
            ));
        }
        match self.weights.absent() {
            0 => {}
            absent => caveats.push(format!("{absent} clients never took part: no weighting makes up for their data")),
        }
        caveats
    }
}

impl StarAlgorithm for FedEm {
    fn constants_bits(&self) -> Bits {
        // Always F64: rounding them would change the model, not the message.
        Bits::new(64 * self.federation.model().constants_dimension() as u64)
    }

    fn has_initial_memory(&self) -> bool {
        self.settings.memory.start() == MemoryStart::MeanField
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        let mut body = self.open_body(streams, round)?;
        let q = body.s_hat.len();
        body.ahead.resize(cohort.len() * q, 0.0);
        let work = cohort.iter().map(|&i| self.work(i, round)).sum();
        let (federation, rule) = (&self.federation, self.settings.batch);
        let batch = |i: u32, indices: &mut Vec<u32>| {
            let stream = &mut streams.at(Draw::Minibatch, u64::from(i), round);
            round > 0 && draw_batch(rule, federation.size(i), stream, indices)
        };
        let mut ahead = std::mem::take(&mut body.ahead);
        self.federation.local_statistics(cohort, body.conditional(), batch, work, &mut ahead);
        body.ahead = ahead;
        Ok(self.keep_body(body))
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        let rule = if round > 0 { self.settings.batch } else { BatchRule::Full };
        rule.count(self.federation.size(i))
    }

    fn least_work(&self, i: u32) -> u64 {
        self.work(i, 1)
    }

    fn least_bits(&self) -> [Bits; 2] {
        let q = self.s_hat.len();
        let sent = if self.settings.sends_parameters { q + self.theta.len() } else { q };
        // A compressed broadcast may be as short as one likes.
        let broadcast = if self.downlink.is_none() { least_bits(&self.floats, sent) } else { Bits::ZERO };
        [broadcast, least_bits(self.settings.compressor.as_ref(), q)]
    }

    fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.memories.acknowledgement(i)
    }

    fn memory_to_send(&mut self, i: u32, round: u64) -> Option<Rc<Vec<f64>>> {
        self.memories.take_to_send(i, round).map(Rc::new)
    }

    fn late_counts(&mut self) {
        self.memories.late_counts();
    }

    fn on_contribution_lost(&mut self, i: u32) {
        self.memories.on_contribution_lost(i);
    }

    fn on_state_lost(&mut self, i: u32, round: u64) {
        self.memories.on_lost(i, round);
        if let Some(downlink) = &mut self.downlink {
            downlink.forget(i);
        }
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        self.settle(i, received);
        let body = received.body;
        let statistics = body.statistics(received.place);
        let key = self.uplink.key(streams, i, body.round);
        if body.round == 0 {
            return self.initial_memory(i, statistics, &body.s_hat, key, out);
        }
        self.local_update(i, statistics, &body.s_hat, Randomness::Keyed(key), out)
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        self.take_note(streams, i, round, round == 0, encoded)?;
        if round > 0 {
            self.local_commit(i, encoded);
        }
        Ok(())
    }

    fn own_part(&mut self, i: u32) -> OwnPart {
        self.downlink.as_mut().map_or(OwnPart::default(), |downlink| downlink.own_part(i))
    }

    fn take_initial_memories(&mut self, memories: &[Contribution]) {
        for memory in memories {
            self.memories.set_initial(memory.client, &self.floats, &memory.encoded);
        }
        self.memories.mean(self.alpha, self.settings.compressor.as_ref(), &mut self.v);
        self.memories.on_initial();
        if let Some(downlink) = &mut self.downlink {
            downlink.heard_from(memories);
        }
    }

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(round, arrived)
    }
}

/// Draws a minibatch out of `size` examples; false when it is all of them.
pub(crate) fn draw_batch(rule: BatchRule, size: u32, stream: &mut Stream, indices: &mut Vec<u32>) -> bool {
    match rule {
        BatchRule::Full => false,
        BatchRule::WithReplacement(b) => {
            indices.clear();
            indices.extend((0..b).map(|_| stream.below(u64::from(size)) as u32));
            true
        }
        BatchRule::WithoutReplacement(b) if b >= size => false,
        BatchRule::WithoutReplacement(b) => {
            stream.subset(size, b, indices);
            true
        }
    }
}

impl FedEm {
    /// Client `i` settles its memory with what the broadcast acknowledges.
    pub(crate) fn settle(&mut self, i: u32, received: &Received<'_>) {
        if let Some(parity) = received.acknowledgement {
            self.memories.on_acknowledgement(i, parity, self.alpha, self.settings.compressor.as_ref());
        }
        if let Some(v_i) = received.memory {
            self.memories.on_memory(i, v_i);
        }
    }

    /// The key of client `i`'s message in `round`.
    pub(crate) fn key_of(&self, streams: &Streams, i: u32, round: u64) -> CounterKey {
        self.uplink.key(streams, i, round)
    }

    /// What client `i` codes with: Quant, or (`whole`) floats.
    pub(crate) fn coder(&self, i: u32, whole: bool) -> &dyn Compressor {
        if whole { &self.floats } else { self.uplink.of(i, self.settings.compressor.as_ref()) }
    }

    /// Counts and audits a message of client `i`, made by Quant or (`whole`) of floats.
    pub(crate) fn take_note(
        &mut self,
        streams: &Streams,
        i: u32,
        round: u64,
        whole: bool,
        encoded: &Encoded,
    ) -> Result<(), String> {
        let key = self.uplink.key(streams, i, round);
        let shared: &dyn Compressor = if whole { &self.floats } else { self.settings.compressor.as_ref() };
        self.uplink.count(shared, encoded);
        let coder = if whole { shared } else { self.uplink.of(i, shared) };
        self.auditor.check(streams, u64::from(i), round, coder, encoded, key)
    }

    /// The clients' data and their model.
    pub(crate) fn federation(&self) -> &Federation {
        &self.federation
    }

    /// ‖V − n⁻¹ Σ V_i‖².
    fn drift_sq(&self) -> Result<f64, String> {
        self.memories.drift_sq(&self.v, self.alpha, self.settings.compressor.as_ref())
    }

    /// Codes V_{0,i} = h_i(Ŝ₀) = w_i (s̄_i − Ŝ₀), uncompressed.
    fn initial_memory(
        &mut self,
        i: u32,
        statistics: &[f64],
        s_hat: &[f64],
        key: CounterKey,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let w = self.federation.weight(i);
        for (delta, (s_bar, s_hat)) in self.buffers.delta.iter_mut().zip(statistics.iter().zip(s_hat)) {
            *delta = w * (s_bar - s_hat);
        }
        let encoded = self.floats.encode(&self.buffers.delta, Randomness::Keyed(key), out);
        encoded.map_err(|error| format!("client {i}: {error}"))
    }

    /// Puts Ŝ, and θ where it is sent, on the wire: `s_hat` becomes what clients decode. Returns the bits and the conditional
    /// distribution at the parameter that clients use.
    fn transmit(&mut self, streams: &Streams, round: u64, s_hat: &mut [f64]) -> Result<(Bits, Box<dyn EStep>), String> {
        let mut bits = match self.downlink {
            // Who takes part follows Ŝ by the updates that it is sent: see `FedEm::own_part`.
            Some(_) => Bits::ZERO,
            None => self.wire(streams, round, entity::SERVER_STATISTIC, s_hat)?,
        };
        let mut theta = std::mem::take(&mut self.buffers.theta);
        if self.settings.sends_parameters {
            theta.clone_from(&self.theta);
            bits += self.wire(streams, round, entity::SERVER_PARAMETER, &mut theta)?;
        } else if *s_hat == *self.s_hat {
            // The wire has rounded nothing: what clients compute is what the server has computed.
            theta.clone_from(&self.theta);
        } else {
            let maximized = self.settings.domain.maximize(self.federation.model(), s_hat, &mut theta);
            maximized.map_err(|error| format!("the broadcast statistic, rounded to the wire's floats: {error}"))?;
        }
        let e_step = self.federation.model().conditional(&theta).map_err(|error| error.to_string())?;
        self.buffers.theta = theta;
        Ok((bits, e_step))
    }

    /// Sends `x` through the wire's floats: it becomes what the receiver decodes. Returns the bits.
    fn wire(&mut self, streams: &Streams, round: u64, sender: u64, x: &mut [f64]) -> Result<Bits, String> {
        self.auditor.transmit(streams, (sender, round), &self.floats, x, &mut self.buffers.encoded)
    }

    /// The broadcast of `round`, without statistics computed ahead. θ as clients derive it is left in [`FedEm::wire_theta`].
    pub(crate) fn open_body(&mut self, streams: &Streams, round: u64) -> Result<Broadcast, String> {
        let mut body = self.spare_body();
        body.round = round;
        body.s_hat.clone_from(&self.s_hat);
        let (bits, e_step) = self.transmit(streams, round, &mut body.s_hat)?;
        (body.bits, body.e_step) = (bits, Some(e_step));
        Ok(body)
    }

    /// Shares a broadcast with its receivers, and remembers to use it again.
    pub(crate) fn keep_body(&mut self, body: Broadcast) -> Rc<Broadcast> {
        let body = Rc::new(body);
        self.bodies.push_back(Rc::clone(&body));
        body
    }

    /// θ that clients derive from the newest broadcast.
    pub(crate) fn wire_theta(&self) -> &[f64] {
        &self.buffers.theta
    }

    /// A broadcast that nobody holds any more, or a new one. Broadcasts are given back about in order: only the oldest few are
    /// looked at, and when very many are under way the oldest is no longer waited for.
    fn spare_body(&mut self) -> Broadcast {
        let oldest = self.bodies.iter().take(4);
        let free = oldest.enumerate().find(|(_, body)| Rc::strong_count(body) == 1).map(|(place, _)| place);
        let body = free.and_then(|place| self.bodies.remove(place)).and_then(Rc::into_inner);
        if self.bodies.len() > MOST_BODIES {
            self.bodies.pop_front();
        }
        body.unwrap_or_default()
    }
}
