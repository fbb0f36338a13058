//! Gradient ascent on the marginal likelihood with DIANA's compression: Mishchenko, Gorbunov, Takáč and Richtárik, "Distributed
//! learning with compressed gradient differences" (arXiv 1901.09269).
//!
//! ```text
//! client:  g_i = ∇ₓ of its mean log-likelihood at x (or of a batch's),  sends Quant(w_i g_i − V_i),  V_i ← V_i + α Quant(…)
//! server:  x ← x + γ (V + (1/(n p)) Σ Quant(…)),   V ← V + (α/n) Σ Quant(…)
//! ```
//!
//! The coordinates x = (log π up to a constant, µ, log variances) are our choice; gradients come from the E-step by Fisher's
//! identity, one conditional expectation each. These are FedEM's messages with h_i = g_i (see [`fedbits_models::ascent`]), and it
//! runs as that, with FedEM's participation, batches, memories and failures. The record looks at it as at the others: Ŝ is the
//! statistic of θ(x), ‖h(Ŝ)‖² that of EM. ‖H‖² is that of the gradient's estimate. The step size has no natural scale as in EM,
//! where γ = 1 is a full M-step.

use std::rc::Rc;

use fedbits_codec::Encoded;
use fedbits_kernel::Bits;
use fedbits_models::Model;
use fedbits_models::ascent::Ascent;
use fedbits_models::coordinates::{Coordinates, Parameters};
use fedbits_random::Streams;

use crate::fedem::{FedEm, FedEmSettings};
use crate::federation::Federation;
use crate::journal::{Probe, Problem, State, Subject};
use crate::payload::Broadcast;
use crate::star::{Contribution, OwnPart, Received, StarAlgorithm, Step};

/// FedEM on gradients, and the state as EM sees it.
pub struct GradientAscent {
    em: Federation,
    fedem: FedEm,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
}

impl GradientAscent {
    /// Gradient ascent from θ = T(`s_hat`).
    ///
    /// # Errors
    /// When the model has no coordinates, T(`s_hat`) does not exist, or the compressor does not fit.
    pub fn new(em: Federation, settings: FedEmSettings, s_hat: &[f64], audit_all: bool) -> Result<Self, String> {
        let gradients = em.under(Ascent::new).ok_or(
            "gradient ascent needs coordinates without constraints, and a tied or full covariance has none here (it must \
             stay positive definite): use a known or a diagonal one",
        )?;
        let mut theta = Vec::new();
        let maximized = settings.domain.maximize(em.model(), s_hat, &mut theta);
        maximized.map_err(|error| format!("T of the initial statistic: {error}"))?;
        let x = coordinates(em.model()).coordinates_of(&theta);
        let fedem = FedEm::new(gradients, settings, x, audit_all)?;
        let mut ascent = Self { s_hat: Vec::new(), theta, em, fedem };
        ascent.look();
        Ok(ascent)
    }

    /// FedEM on coordinates: x, H, the memories.
    pub fn fedem(&mut self) -> &mut FedEm {
        &mut self.fedem
    }

    /// θ and Ŝ of x.
    fn look(&mut self) {
        self.theta = coordinates(self.em.model()).theta_of(self.fedem.s_hat());
        parameters(self.em.model()).statistic_of(&self.theta, &mut self.s_hat);
    }
}

fn coordinates(model: &dyn Model) -> &dyn Coordinates {
    model.coordinates().expect("gradient ascent is made of a model with coordinates")
}

fn parameters(model: &dyn Model) -> &dyn Parameters {
    model.parameters().expect("a model with coordinates has parameters to look at")
}

impl Subject for GradientAscent {
    fn problem(&self) -> &dyn Problem {
        &self.em
    }

    fn clients(&self) -> u32 {
        self.em.clients()
    }

    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    fn probe(&self) -> Result<Probe, String> {
        self.em.probe(&self.state())
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

impl StarAlgorithm for GradientAscent {
    fn constants_bits(&self) -> Bits {
        self.fedem.constants_bits()
    }

    fn has_initial_memory(&self) -> bool {
        self.fedem.has_initial_memory()
    }

    fn open_round(&mut self, streams: &Streams, round: u64, cohort: &[u32]) -> Result<Rc<Broadcast>, String> {
        self.fedem.open_round(streams, round, cohort)
    }

    fn work(&self, i: u32, round: u64) -> u64 {
        self.fedem.work(i, round)
    }

    fn least_work(&self, i: u32) -> u64 {
        self.fedem.least_work(i)
    }

    fn least_bits(&self) -> [Bits; 2] {
        self.fedem.least_bits()
    }

    fn acknowledgement(&self, i: u32) -> Option<bool> {
        self.fedem.acknowledgement(i)
    }

    fn memory_to_send(&mut self, i: u32, round: u64) -> Option<Rc<Vec<f64>>> {
        self.fedem.memory_to_send(i, round)
    }

    fn own_part(&mut self, i: u32) -> OwnPart {
        self.fedem.own_part(i)
    }

    fn late_counts(&mut self) {
        self.fedem.late_counts();
    }

    fn on_contribution_lost(&mut self, i: u32) {
        self.fedem.on_contribution_lost(i);
    }

    fn on_state_lost(&mut self, i: u32, round: u64) {
        self.fedem.on_state_lost(i, round);
    }

    fn client_update(
        &mut self,
        streams: &Streams,
        i: u32,
        received: &Received<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        self.fedem.client_update(streams, i, received, out)
    }

    fn on_send(&mut self, streams: &Streams, i: u32, round: u64, encoded: &Encoded) -> Result<(), String> {
        self.fedem.on_send(streams, i, round, encoded)
    }

    fn take_initial_memories(&mut self, memories: &[Contribution]) {
        self.fedem.take_initial_memories(memories);
    }

    fn server_update(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        let step = self.fedem.server_update(round, arrived)?;
        self.look();
        Ok(step)
    }
}
