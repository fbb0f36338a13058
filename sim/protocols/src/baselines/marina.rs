//! FedEM with MARINA's estimator: Gorbunov, Burlachenko, Li and Richtárik, "MARINA: faster non-convex distributed learning with
//! compression" (ICML 2021), with gradients replaced by h_i. That replacement is our reading.
//!
//! ```text
//! a coin c_k ~ Bernoulli(p) that all share (c_1 = 1)
//! client:  sends h_i(Ŝ_k) uncompressed when c_k = 1, else Quant(h_i(Ŝ_k) − h_i(Ŝ_{k−1}))
//! server:  H_k = n⁻¹ Σ h_i(Ŝ_k) when c_k = 1, else H_{k−1} + n⁻¹ Σ Quant(…);   Ŝ ← Ŝ + γ H
//! ```
//!
//! The coin comes from a seed that all share and costs no bits. Clients keep h_i of the last round, so every round is one pass
//! over their examples. Broadcasts, conventions and the domain's policy are FedEM's. H is carried on from round to round: the
//! algorithm needs every client in every round.

use std::rc::Rc;

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_kernel::Bits;
use fedbits_random::{Purpose as Draw, Streams};

use crate::audit::entity;
use crate::fedem::FedEm;
use crate::journal::{Probe, Problem, State, Subject};
use crate::payload::Broadcast;
use crate::star::{Contribution, Received, StarAlgorithm, Step};

/// State of FedEM with MARINA's estimator.
pub struct Marina {
    fedem: FedEm,
    p: f64,
    /// c_k of the round under way.
    full: bool,
    /// h_i at the Ŝ of the last round, and of this one.
    last: Vec<Vec<f64>>,
    fields: Vec<Vec<f64>>,
    h: Vec<f64>,
}

impl Marina {
    /// MARINA on top of `fedem`, which has its γ and Quant, all examples and no memory.
    pub fn new(fedem: FedEm, p: f64) -> Self {
        let (n, q) = (fedem.clients() as usize, fedem.s_hat().len());
        let fields = || vec![vec![0.0; q]; n];
        Self { fedem, p, full: true, last: fields(), fields: fields(), h: vec![0.0; q] }
    }

    /// FedEM's part of the state.
    pub fn fedem(&self) -> &FedEm {
        &self.fedem
    }

    /// A round opens with the coin c_k.
    pub fn begin(&mut self, full: bool) {
        self.full = full;
    }

    /// The client's half: h_i, or what Quant leaves of its change, into `out`.
    ///
    /// # Errors
    /// When it is not finite.
    pub fn local_update(
        &mut self,
        i: u32,
        statistics: &[f64],
        s_hat: &[f64],
        randomness: Randomness<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let (w, field) = (self.fedem.federation().weight(i), &mut self.fields[i as usize]);
        field.iter_mut().zip(statistics.iter().zip(s_hat)).for_each(|(h, (s_bar, s))| *h = w * (s_bar - s));
        let last = &self.last[i as usize];
        let change: Vec<f64> =
            field.iter().zip(last).map(|(now, last)| if self.full { *now } else { now - last }).collect();
        self.fedem.coder(i, self.full).encode(&change, randomness, out).map_err(|error| format!("client {i}: {error}"))
    }

    /// Client `i` sends: its h_i becomes that of the last round.
    pub fn local_commit(&mut self, i: u32) {
        std::mem::swap(&mut self.last[i as usize], &mut self.fields[i as usize]);
    }

    /// The server's half, on the contributions of all clients in id order.
    ///
    /// # Errors
    /// When one is missing; as FedEM's otherwise.
    pub fn server_step(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        let n = f64::from(self.fedem.clients());
        if arrived.len() as f64 != n {
            let missing = n - arrived.len() as f64;
            return Err(format!(
                "{missing} contributions are missing, and MARINA carries its estimate on from all of them"
            ));
        }
        let mut mean = vec![0.0; self.h.len()];
        for contribution in arrived {
            self.fedem.coder(contribution.client, self.full).add_decoded(&contribution.encoded, 1.0, &mut mean);
        }
        for (h, sum) in self.h.iter_mut().zip(&mean) {
            *h = if self.full { sum / n } else { *h + sum / n };
        }
        self.fedem.step_along(round, &self.h)
    }
}

impl Subject for Marina {
    fn problem(&self) -> &dyn Problem {
        self.fedem.problem()
    }

    fn clients(&self) -> u32 {
        self.fedem.clients()
    }

    fn state(&self) -> State<'_> {
        self.fedem.state()
    }

    fn probe(&self) -> Result<Probe, String> {
        self.fedem.probe()
    }

    fn columns(&self) -> Vec<String> {
        self.fedem.columns()
    }

    fn values(&self, thorough: bool) -> Result<Vec<Option<f64>>, String> {
        self.fedem.values(thorough)
    }

    fn caveats(&self) -> Vec<String> {
        self.fedem.caveats()
    }
}

impl StarAlgorithm for Marina {
    fn constants_bits(&self) -> Bits {
        self.fedem.constants_bits()
    }

    fn has_initial_memory(&self) -> bool {
        false
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        self.begin(round == 1 || streams.at(Draw::Compression, entity::COIN, round).bernoulli(self.p));
        self.fedem.open_round(streams, round, cohort)
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        self.fedem.work(i, round)
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
        let (body, key) = (received.body, self.fedem.key_of(streams, i, received.body.round));
        self.local_update(i, body.statistics(received.place), &body.s_hat, Randomness::Keyed(key), out)
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        self.fedem.take_note(streams, i, round, self.full, encoded)?;
        self.local_commit(i);
        Ok(())
    }

    fn take_initial_memories(&mut self, _memories: &[Contribution]) {
        unreachable!("MARINA begins with a full round and has no initial memories");
    }

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.server_step(round, arrived)
    }
}
