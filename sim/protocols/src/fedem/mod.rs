//! FedEM with partial participation: Algorithm 1 of Dieuleveut, Fort, Moulines and Robin, "Federated Expectation Maximization
//! with heterogeneity mitigation and variance reduction" (NeurIPS 2021), as two pure halves.
//!
//! ```text
//! client i in A_{k+1}:  S_{k+1,i} = batch mean of s̄_ij(T(Ŝ_k))
//!                       Δ_{k+1,i} = w_i (S_{k+1,i} − Ŝ_k) − V_{k,i}
//!                       V_{k+1,i} = V_{k,i} + α Quant(Δ_{k+1,i}),   sends Quant(Δ_{k+1,i})
//! server:               H_{k+1}   = V_k + (1/(n p)) Σ_{i∈A} Quant(Δ_{k+1,i})
//!                       Ŝ_{k+1}   = Ŝ_k + γ_{k+1} H_{k+1}
//!                       V_{k+1}   = V_k + (α/n) Σ_{i∈A} Quant(Δ_{k+1,i})
//! ```
//!
//! | symbol | here | |
//! |---|---|---|
//! | Ŝ, θ | `s_hat`, `theta` | statistic at the server (q numbers) and T(Ŝ) |
//! | H | `h` | the step's direction, an estimate of the mean field h(Ŝ) |
//! | V, V_i | `v`, `memories` | memories of server and clients; V = n⁻¹ Σ V_i as long as nothing is lost silently |
//! | α, γ | `alpha`, `gamma` | memory rate, step size |
//! | n p | `DivideBy::Expected` | expected number of participants |
//! | w_i | `Federation::weight` | weight of a client: 1 in the paper, where all have equally many examples |
//!
//! Without memory (V_i = 0, α = 0) this is the naive variant. The downlink can be compressed as well ([`downlink`], after Artemis).
//! It must not know rounds' policies, time or links.

pub mod downlink;
mod memory;
mod settings;
pub(crate) mod star;
mod uplink;
pub(crate) mod weights;

pub(crate) use star::draw_batch;

pub use memory::{Commit, Recovery};
pub use settings::{Alpha, BatchRule, DivideBy, Domain, FedEmSettings, Memory, MemoryStart};

pub use crate::schedule::Schedule;

use std::collections::VecDeque;
use std::rc::Rc;

use fedbits_codec::{Draw as Randomness, Encoded, Identity};

use crate::audit::Auditor;
use crate::federation::Federation;
use crate::journal::norm_sq;
use crate::payload::Broadcast;
use crate::star::{Contribution, Step};
use downlink::Downlink;
use memory::Memories;
use uplink::Uplink;
use weights::{StepWeights, Weights};

/// State of FedEM: the server's and all clients'.
pub struct FedEm {
    federation: Federation,
    settings: FedEmSettings,
    floats: Identity,
    alpha: f64,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    v: Vec<f64>,
    h: Vec<f64>,
    memories: Memories,
    weights: Weights,
    domain_events: u64,
    uplink: Uplink,
    downlink: Option<Downlink>,
    auditor: Auditor,
    /// Broadcasts that clients may still hold; one that nobody holds is used again.
    bodies: VecDeque<Rc<Broadcast>>,
    buffers: Buffers,
}

/// Working memory, so that rounds allocate nothing of size q or n.
#[derive(Default)]
struct Buffers {
    aggregate: Vec<f64>,
    next: Vec<f64>,
    theta: Vec<f64>,
    delta: Vec<f64>,
    encoded: Encoded,
}

impl FedEm {
    /// FedEM at Ŝ₀ = `s_hat`. An error when T(Ŝ₀) does not exist or the compressor does not fit q.
    pub fn new(
        federation: Federation,
        mut settings: FedEmSettings,
        s_hat: Vec<f64>,
        audit_all: bool,
    ) -> Result<Self, String> {
        let q = federation.model().statistic_dimension();
        settings.compressor.validate(q).map_err(|error| error.to_string())?;
        let alpha = settings.memory.alpha(settings.compressor.as_ref(), q)?;
        let mut theta = Vec::new();
        let maximized = settings.domain.maximize(federation.model(), &s_hat, &mut theta);
        let domain_events = maximized.map_err(|error| format!("T of the initial statistic: {error}"))?;
        let memories = Memories::new(federation.clients(), q, settings.memory.commit(), settings.memory.recovery());
        let downlink = settings.downlink.take().map(|settings| Downlink::new(settings, federation.clients(), q));
        let buffers =
            Buffers { aggregate: vec![0.0; q], next: vec![0.0; q], delta: vec![0.0; q], ..Buffers::default() };
        Ok(Self {
            floats: Identity { wire: settings.floats },
            alpha,
            theta,
            v: vec![0.0; q],
            h: vec![0.0; q],
            memories,
            weights: Weights::new(settings.divide_by, federation.clients()),
            domain_events,
            auditor: Auditor::new(audit_all),
            uplink: Uplink::new(settings.compressor.as_ref(), federation.clients()),
            downlink: downlink.transpose()?,
            bodies: VecDeque::new(),
            buffers,
            s_hat,
            settings,
            federation,
        })
    }

    /// Ŝ.
    pub fn s_hat(&self) -> &[f64] {
        &self.s_hat
    }

    /// θ = T(Ŝ).
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// H of the last step.
    pub fn h(&self) -> &[f64] {
        &self.h
    }

    /// V, the server's memory.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// V_i as client `i` has committed it.
    pub fn v_i(&self, i: u32) -> &[f64] {
        self.memories.committed(i)
    }

    /// α in use.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The client's half of Algorithm 1: Quant(Δ) into `out`, with Δ = w_i (s̄_i − Ŝ) − V_i.
    ///
    /// # Errors
    /// When Δ is not finite.
    pub fn local_update(
        &mut self,
        i: u32,
        statistics: &[f64],
        s_hat: &[f64],
        randomness: Randomness<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let w = self.federation.weight(i);
        let v_i = self.memories.committed(i);
        let terms = statistics.iter().zip(s_hat).zip(v_i);
        for (delta, ((s_bar, s_hat), v)) in self.buffers.delta.iter_mut().zip(terms) {
            *delta = w * (s_bar - s_hat) - v;
        }
        let compressor = self.uplink.of(i, self.settings.compressor.as_ref());
        let encoded = compressor.encode(&self.buffers.delta, randomness, out);
        encoded.map_err(|error| format!("client {i}: {error}"))
    }

    /// What client `i` does when it sends: it commits, or stages until the acknowledgement.
    pub fn local_commit(&mut self, i: u32, encoded: &Encoded) {
        self.memories.on_send(i, self.alpha, self.settings.compressor.as_ref(), encoded);
    }

    /// The server's half of Algorithm 1, on contributions in id order. `round` counts from 1.
    ///
    /// # Errors
    /// When H is not finite or, under [`Domain::Error`], Ŝ leaves the domain of T.
    pub fn server_step(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.direct(arrived);
        self.advance(round, arrived)
    }

    /// The step Ŝ ← Ŝ + γ H along an H that was made elsewhere, without memories.
    pub(crate) fn step_along(&mut self, round: u64, h: &[f64]) -> Result<Step, String> {
        self.h.copy_from_slice(h);
        self.advance(round, &[])
    }

    /// The step along `h`; where the downlink is compressed, along what clients will know of it.
    fn advance(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        if let Some(downlink) = &mut self.downlink {
            downlink.compress(round, &mut self.h, &mut self.auditor)?;
            downlink.heard_from(arrived);
        }
        let gamma = self.settings.gamma.at(round);
        let steps = self.s_hat.iter().zip(&self.h);
        self.buffers.next.iter_mut().zip(steps).for_each(|(next, (s, h))| *next = s + gamma * h);
        let field_sq = norm_sq(&self.h);
        if !field_sq.is_finite() {
            return Err("the statistic diverged: ‖H‖² is not finite (a smaller γ, or a finer compressor)".to_owned());
        }
        let used = self.maximize_next()?;
        if used {
            self.accept(round, arrived);
        }
        Ok(Step { field_sq, used })
    }

    /// The sum of what arrived, and H.
    fn direct(&mut self, arrived: &[Contribution]) {
        let compressor = self.settings.compressor.as_ref();
        let aggregate = &mut self.buffers.aggregate;
        aggregate.fill(0.0);
        for contribution in arrived {
            compressor.add_decoded(&contribution.encoded, 1.0, aggregate);
        }
        match self.weights.of_step(self.settings.divide_by, self.settings.staleness, arrived) {
            StepWeights::Equal(divisor) => {
                let terms = self.v.iter().zip(aggregate);
                self.h.iter_mut().zip(terms).for_each(|(h, (v, sum))| *h = v + *sum / divisor);
            }
            StepWeights::Each(omega, weights) => {
                self.h.iter_mut().zip(&self.v).for_each(|(h, v)| *h = omega * v);
                for (contribution, weight) in arrived.iter().zip(weights) {
                    compressor.add_decoded(&contribution.encoded, weight, &mut self.h);
                }
            }
        }
    }

    /// Takes over the step: Ŝ, V, and who is to be acknowledged.
    fn accept(&mut self, round: u64, arrived: &[Contribution]) {
        std::mem::swap(&mut self.s_hat, &mut self.buffers.next);
        if let Some(downlink) = &mut self.downlink {
            downlink.accept();
        }
        let n = f64::from(self.federation.clients());
        for (v, sum) in self.v.iter_mut().zip(&self.buffers.aggregate) {
            *v += self.alpha * sum / n;
        }
        for contribution in arrived {
            let (compressor, answers) = (self.settings.compressor.as_ref(), round - contribution.age);
            self.memories.on_used(contribution.client, answers, self.alpha, compressor, &contribution.encoded);
        }
    }

    /// θ = T of the next statistic under the chosen policy; false when the round is to be skipped.
    fn maximize_next(&mut self) -> Result<bool, String> {
        let domain = self.settings.domain;
        let buffers = &mut self.buffers;
        match domain.maximize(self.federation.model(), &buffers.next, &mut buffers.theta) {
            Ok(clipped) => {
                self.domain_events += clipped;
                std::mem::swap(&mut self.theta, &mut buffers.theta);
                Ok(true)
            }
            Err(_) if domain == Domain::SkipRound => {
                self.domain_events += 1;
                Ok(false)
            }
            Err(error) => Err(format!(
                "the statistic left the domain of T: {error} (`domain: Clip(…)` or `SkipRound` would go on)"
            )),
        }
    }
}
