//! FL-SAEM: stochastic-approximation EM over clients that sample their latent variables (Karimi and Li's draft "Distributed and
//! Private Stochastic EM Methods via Quantized and Compressed MCMC"; what it leaves open is our reading, said below).
//!
//! ```text
//! server → client i:  θ_r
//! client i:           z ~ a few transitions of a kernel for p(z | y; θ_r), for each of its subjects (and chains)
//!                     S̃_i = mean of S(y, z) over its subjects;   x_i = S̃_i, or T(S̃_i), or ∇_θ of its subjects' log p(y, z; θ_r)
//! uplink, raw:        sends C(x_i);                       X = Σ_A w_i C(x_i) / Σ_A w_i
//! uplink, memory:     sends C(w_i x_i − V_i), V_i += α C(·);  X = V + (1/d) Σ_A C(·),  V += (α/n) Σ_A C(·)
//! server:             S_r = S_{r−1} + g_r (X − S_{r−1}),  θ = T(S_r)         when x = S̃
//!                     θ = X                                                  when x = T(S̃)
//!                     θ += η_r D_θ X                                         when x is the gradient
//! ```
//!
//! | variant | here |
//! |---|---|
//! | SAEM, MCEM, exact EM | the same in one place ([`alone`]): g_r decreasing; g = 1 with many samples; expectations |
//! | D-SAEM (Algorithm 1) | x = T(S̃_i), raw, identity; with `local_steps` the models are averaged periodically |
//! | FL-SAEM (Algorithm 2) | x = S̃_i, raw, identity, g = 1 as written or g_r |
//! | fl-SAEM as written (Algorithm 5) | x = S̃_i, raw, Top-k, quantized Langevin, g = 1 |
//! | repaired, contractive C | memory with α = 1 and d = n (EF21) |
//! | repaired, unbiased C | memory with α = 1/(1 + ω) and d = n p (DIANA, FedEM; QLSD's uplink) |
//! | distributed gradient, sketched SGD | x = gradient, any of the uplinks |
//!
//! | symbol | here | |
//! |---|---|---|
//! | S, θ | `s`, `theta` | statistic at the server (q numbers) and T(S) |
//! | X | `estimate` | what the server makes of the contributions |
//! | V, V_i | `v`, `memories` | memories; V_{0,i} = w_i S₀ is known to all from θ₀, so nothing is uploaded for it |
//! | w_i | `Panel::weight` | n N_i / N for a client with N_i of the N subjects |
//! | A_θ | `standardize` | coordinates in which C acts: centred at θ_r, divided by standard deviations |
//!
//! The chain never leaves its client: quantizing its gradient costs accuracy and saves no bit. It must not know rounds'
//! policies, time or links.

pub mod alone;
mod memory;
mod panel;
mod sampling;
mod settings;
mod star;

pub use panel::Panel;
pub use settings::{Alpha, Divisor, Gain, LocalStep, Quantity, SaemSettings, Uplink};

use std::cell::OnceCell;
use std::collections::VecDeque;

use fedbits_codec::{Draw as Randomness, Encoded, Identity};
use fedbits_models::latent::Tally;
use fedbits_models::latent::importance::LogLikelihood;
use fedbits_random::Streams;

use crate::audit::Auditor;
use crate::fedem::{Commit, Domain};
use crate::journal::norm_sq;
use crate::star::{Contribution, Step};
use memory::Memories;
use sampling::Sampling;

/// Broadcasts whose θ is kept for contributions that arrive late.
const MOST_SENT: usize = 256;

/// State of FL-SAEM: the server's and all clients'.
pub struct Saem {
    panel: Panel,
    settings: SaemSettings,
    streams: Streams,
    floats: Identity,
    sampling: Sampling,
    alpha: f64,
    s: Vec<f64>,
    theta: Vec<f64>,
    /// log p(y; θ) of the present θ, once it was estimated: a probe asks for its value and for its error.
    likelihood: OnceCell<LogLikelihood>,
    /// (round, θ as the wire carried it) of the last broadcasts: what contributions refer to.
    sent: VecDeque<(u64, Vec<f64>)>,
    v: Vec<f64>,
    memories: Memories,
    domain_events: u64,
    /// Chains that left the numbers and were put back.
    divergences: u64,
    tally: Tally,
    bits_up_dense32: u64,
    auditor: Auditor,
    encoded: Encoded,
}

impl Saem {
    /// FL-SAEM from θ₀. An error when θ₀ is no parameter, the kernel does not fit the model, or the compressor the vector.
    pub fn new(
        panel: Panel,
        settings: SaemSettings,
        theta: Vec<f64>,
        streams: Streams,
        audit_all: bool,
    ) -> Result<Self, String> {
        let model = panel.model();
        model.posterior(&theta).map_err(|error| format!("the initial parameter: {error}"))?;
        settings.check(model)?;
        let mut s = Vec::new();
        model.statistics_of(&theta, &mut s);
        if settings.quantity == Quantity::Gradient {
            let found = model.parameter_gradient(&s, &theta, &mut vec![0.0; theta.len()]);
            if !found.map_err(|error| error.to_string())? {
                return Err("the model has no gradient in its parameters".to_owned());
            }
        }
        let first = match settings.quantity {
            Quantity::Statistics => s.clone(),
            Quantity::Parameters => theta.clone(),
            Quantity::Gradient => vec![0.0; theta.len()],
        };
        settings.compressor.validate(first.len()).map_err(|error| error.to_string())?;
        let alpha = settings.uplink.alpha(settings.compressor.as_ref(), first.len())?;
        let sampling = Sampling::new(&panel, settings.local);
        let memories = Memories::new(&panel, settings.uplink.commit(), &first);
        Ok(Self {
            floats: Identity { wire: settings.floats },
            auditor: Auditor::new(audit_all),
            panel,
            settings,
            streams,
            sampling,
            alpha,
            s,
            sent: VecDeque::new(),
            theta,
            likelihood: OnceCell::new(),
            v: first,
            memories,
            domain_events: 0,
            divergences: 0,
            tally: Tally::default(),
            bits_up_dense32: 0,
            encoded: Encoded::new(),
        })
    }

    /// The problem.
    pub fn panel(&self) -> &Panel {
        &self.panel
    }

    /// S.
    pub fn s(&self) -> &[f64] {
        &self.s
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// V_i as client `i` has committed it; empty without memory.
    pub fn v_i(&self, i: u32) -> &[f64] {
        self.memories.committed(i)
    }

    /// V.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Events of the domain policy so far.
    pub fn domain_events(&self) -> u64 {
        self.domain_events
    }

    /// What sampling cost so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Client `i` samples at `theta` in `round` and forms x_i.
    fn local_vector(&mut self, i: u32, round: u64, theta: &[f64]) -> Result<Vec<f64>, String> {
        match self.settings.quantity {
            Quantity::Statistics => self.local_statistics(i, round, theta),
            Quantity::Parameters => self.local_model(i, round, theta),
            Quantity::Gradient => {
                let statistics = self.local_statistics(i, round, theta)?;
                let mut gradient = vec![0.0; theta.len()];
                let found = self.panel.model().parameter_gradient(&statistics, theta, &mut gradient);
                found.map_err(|error| error.to_string())?;
                Ok(gradient)
            }
        }
    }

    /// S̃_i at `theta`. `turn` is one of the round's ([`SaemSettings::turns`]).
    fn local_statistics(&mut self, i: u32, turn: u64, theta: &[f64]) -> Result<Vec<f64>, String> {
        let outcome = self.sampling.round(&self.panel, &self.settings, &self.streams, i, turn, theta)?;
        self.tally.add(&outcome.tally);
        self.divergences += outcome.divergences;
        Ok(outcome.statistics)
    }

    /// θ_i after the local steps θ_i ← T(S̃_i), from the server's θ.
    fn local_model(&mut self, i: u32, round: u64, theta: &[f64]) -> Result<Vec<f64>, String> {
        let mut local = theta.to_vec();
        for turn in self.settings.turns(round) {
            let statistics = self.local_statistics(i, turn, &local)?;
            let mut next = Vec::new();
            match self.panel.model().maximize(&statistics, self.settings.domain.policy(), &mut next) {
                Ok(repairs) => {
                    self.domain_events += u64::from(repairs.eigenvalues) + u64::from(repairs.weights);
                    local = next;
                }
                Err(_) if self.settings.domain == Domain::SkipRound => self.domain_events += 1,
                Err(error) => return Err(format!("client {i}: its local M-step failed: {error}")),
            }
        }
        Ok(local)
    }

    /// Codes x_i, or its difference to the memory, into `out`.
    ///
    /// # Errors
    /// When what is to be sent is not finite.
    pub fn local_encode(
        &mut self,
        i: u32,
        x: &[f64],
        theta: &[f64],
        randomness: Randomness<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        let mut u = x.to_vec();
        if self.settings.uplink.has_memory() {
            let w = self.panel.weight(i);
            for (u, v) in u.iter_mut().zip(self.memories.committed(i)) {
                *u = w * *u - v;
            }
        }
        if self.settings.scaled {
            self.standardize(theta, &mut u);
        }
        self.settings.compressor.encode(&u, randomness, out).map_err(|error| format!("client {i}: {error}"))?;
        if self.settings.uplink.has_memory() {
            let mut staged = self.decoded(out, theta);
            staged.iter_mut().for_each(|x| *x *= self.alpha);
            self.memories.stage(i, staged);
        }
        Ok(())
    }

    /// Notes θ as the clients of `round` have received it, where messages depend on it. Contributions to rounds further back than
    /// [`MOST_SENT`] are not understood then.
    fn note_sent(&mut self, round: u64, theta: &[f64]) {
        if !self.settings.scaled {
            return;
        }
        self.sent.push_back((round, theta.to_vec()));
        if self.sent.len() > MOST_SENT {
            self.sent.pop_front();
        }
    }

    /// θ of the broadcast of `round`; the present one where none was sent.
    fn sent_in(&self, round: u64) -> Result<&[f64], String> {
        match self.sent.iter().find(|(sent, _)| *sent == round) {
            Some((_, theta)) => Ok(theta),
            None if self.sent.is_empty() => Ok(&self.theta),
            None => Err(format!("a contribution answers round {round}, whose parameter is no longer kept")),
        }
    }

    /// What a message means at the θ of its round.
    fn decoded(&self, encoded: &Encoded, theta: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; encoded.dimension()];
        self.settings.compressor.decode(encoded, &mut u);
        if self.settings.scaled {
            self.restore(theta, &mut u);
        }
        u
    }

    /// Into the coordinates of C: A_θ of statistics, D_θ^½ of gradients.
    fn standardize(&self, theta: &[f64], u: &mut [f64]) {
        match self.settings.quantity {
            Quantity::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u *= d.sqrt()),
            Quantity::Statistics | Quantity::Parameters => self.panel.model().standardize(theta, u),
        }
    }

    /// Back from them.
    fn restore(&self, theta: &[f64], u: &mut [f64]) {
        match self.settings.quantity {
            Quantity::Gradient => u.iter_mut().zip(scales(&self.panel, theta)).for_each(|(u, d)| *u /= d.sqrt()),
            Quantity::Statistics | Quantity::Parameters => self.panel.model().restore(theta, u),
        }
    }

    /// The server's half, on contributions in id order that answer the present θ. `round` counts from 1.
    ///
    /// # Errors
    /// When the estimate is not finite or, under [`Domain::Error`], S leaves the domain of T.
    pub fn server_step(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        if arrived.is_empty() && !self.settings.uplink.has_memory() {
            return Ok(Step { field_sq: 0.0, used: false });
        }
        let mut sum = vec![0.0; self.v.len()];
        let mut weights = 0.0;
        for contribution in arrived {
            let w = if self.settings.uplink.has_memory() { 1.0 } else { self.panel.weight(contribution.client) };
            weights += w;
            let decoded = self.decoded(&contribution.encoded, self.sent_in(round - contribution.age)?);
            sum.iter_mut().zip(&decoded).for_each(|(sum, x)| *sum += w * x);
        }
        let estimate: Vec<f64> = if self.settings.uplink.has_memory() {
            let d = self.settings.uplink.divisor(f64::from(self.panel.clients()), arrived.len());
            self.v.iter().zip(&sum).map(|(v, sum)| v + sum / d).collect()
        } else {
            sum.iter().map(|sum| sum / weights).collect()
        };
        let step = self.advance(round, &estimate)?;
        if step.used {
            let n = f64::from(self.panel.clients());
            self.v.iter_mut().zip(&sum).for_each(|(v, sum)| *v += self.alpha * sum / n);
            arrived.iter().for_each(|contribution| self.memories.on_used(contribution.client));
        }
        Ok(step)
    }

    /// S and θ from the estimate X.
    fn advance(&mut self, round: u64, estimate: &[f64]) -> Result<Step, String> {
        let gain = self.settings.gain.at(round);
        let field: Vec<f64> = match self.settings.quantity {
            Quantity::Statistics => estimate.iter().zip(&self.s).map(|(x, s)| x - s).collect(),
            Quantity::Parameters => estimate.iter().zip(&self.theta).map(|(x, theta)| x - theta).collect(),
            Quantity::Gradient => {
                let scales = scales(&self.panel, &self.theta);
                estimate.iter().zip(&scales).map(|(x, scale)| scale * x).collect()
            }
        };
        let field_sq = norm_sq(&field);
        if !field_sq.is_finite() {
            return Err("the estimate diverged: it is not finite (smaller steps, or a finer compressor)".to_owned());
        }
        let moved = |from: &[f64]| -> Vec<f64> { from.iter().zip(&field).map(|(from, h)| from + gain * h).collect() };
        let mut next = Vec::new();
        if self.settings.quantity == Quantity::Statistics {
            next = moved(&self.s);
        } else {
            self.panel.model().statistics_of(&moved(&self.theta), &mut next);
        }
        let used = self.maximize(&next)?;
        if used {
            self.s = next;
        }
        Ok(Step { field_sq, used })
    }

    /// θ = T of the next statistic under the chosen policy; false when the round is to be skipped.
    fn maximize(&mut self, next: &[f64]) -> Result<bool, String> {
        let domain = self.settings.domain;
        let mut theta = Vec::new();
        match self.panel.model().maximize(next, domain.policy(), &mut theta) {
            Ok(repairs) => {
                self.domain_events += u64::from(repairs.weights) + u64::from(repairs.eigenvalues);
                self.theta = theta;
                self.likelihood.take();
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

    /// What went wrong without ending the run.
    fn incidents(&self) -> Vec<String> {
        let mut caveats = Vec::new();
        if self.domain_events > 0 {
            let skips = self.settings.domain == Domain::SkipRound;
            let what = if skips { "M-steps were skipped" } else { "eigenvalues or weights were raised to the floor" };
            caveats.push(format!("S left the domain of T: {} {what}", self.domain_events));
        }
        if self.divergences > 0 {
            caveats.push(format!("{} chains diverged and were put back to the prior's mode", self.divergences));
        }
        if self.settings.gradient_map.is_some() {
            caveats
                .push("the gradient is quantized inside the chain: 0 bits are saved, chains never travel".to_owned());
        }
        caveats
    }

    fn drift_sq(&self) -> Result<Option<f64>, String> {
        if !self.settings.uplink.has_memory() {
            return Ok(None);
        }
        let drift_sq = self.memories.drift_sq(&self.v);
        let scale = norm_sq(&self.v) + self.memories.largest_sq();
        if self.settings.uplink.commit() == Some(Commit::OnAcknowledgement) && drift_sq > 1e-20 * scale {
            return Err(format!(
                "the invariant V = mean V_i is broken: ‖V − mean V_i‖² = {drift_sq:e} (a defect, please report)"
            ));
        }
        Ok(Some(drift_sq))
    }
}

/// D at θ: (A_θ⁻¹)_jj², so that a step of 1 is about one standard deviation squared times the gradient. With a D that stays as it
/// was at θ₀ the ascent is unstable: the curvature in a variance grows without bound as it falls.
fn scales(panel: &Panel, theta: &[f64]) -> Vec<f64> {
    let unit = |j: usize| {
        let mut e = vec![0.0; theta.len()];
        e[j] = 1.0;
        panel.model().restore(theta, &mut e);
        e[j] * e[j]
    };
    let same_layout = panel.model().statistic_dimension() == theta.len();
    (0..theta.len()).map(|j| if same_layout { unit(j) } else { 1.0 }).collect()
}
