//! Centralized EM: Ŝ ← s̄(T(Ŝ)) on pooled data. The reference that costs no bits; one process, node 0.
//!
//! With weights w_i the pooled statistic is n⁻¹ Σ w_i s̄_i: every example counts the same under `Weighting::Examples`.
//! H is the mean field itself, h(Ŝ) = s̄(T(Ŝ)) − Ŝ, and γ = 1.

use fedbits_kernel::{Context, Message, NodeId, Protocol, StopReason};

use crate::fedem::Domain;
use crate::federation::Federation;
use crate::journal::{Journal, Probe, Problem, Round, State, Subject, norm_sq};
use crate::payload::StarPayload;
use crate::run::{Actor, Outcome, Playable, Setting};
use crate::star::SERVER;

/// EM in one place.
pub struct CentralizedEm {
    federation: Federation,
    domain: Domain,
    s_hat: Vec<f64>,
    theta: Vec<f64>,
    h: Vec<f64>,
    domain_events: u64,
}

impl CentralizedEm {
    /// EM from Ŝ₀ = `s_hat`. An error when T(Ŝ₀) does not exist.
    pub fn new(federation: Federation, domain: Domain, s_hat: Vec<f64>) -> Result<Self, String> {
        let mut theta = Vec::new();
        let maximized = domain.maximize(federation.model(), &s_hat, &mut theta);
        let domain_events = maximized.map_err(|error| format!("T of the initial statistic: {error}"))?;
        Ok(Self { h: vec![0.0; s_hat.len()], federation, domain, s_hat, theta, domain_events })
    }

    /// One EM step; returns ‖h(Ŝ)‖² at the point it left.
    ///
    /// # Errors
    /// When the new statistic is outside the domain of T and the policy is to stop (a skipped step would repeat itself).
    pub fn step(&mut self) -> Result<f64, String> {
        let e_step = self.federation.model().conditional(&self.theta).map_err(|error| error.to_string())?;
        self.federation.mean_field(&self.s_hat, e_step.as_ref(), &mut self.h);
        self.s_hat.iter_mut().zip(&self.h).for_each(|(s, h)| *s += h);
        let clipped = self.domain.maximize(self.federation.model(), &self.s_hat, &mut self.theta);
        self.domain_events += clipped.map_err(|error| format!("the statistic left the domain of T: {error}"))?;
        Ok(norm_sq(&self.h))
    }
}

impl Subject for CentralizedEm {
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
        vec!["domain_events".to_owned()]
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>, String> {
        Ok(vec![Some(self.domain_events as f64)])
    }

    fn caveats(&self) -> Vec<String> {
        let clipped = (self.domain_events > 0).then(|| format!("T clipped {} entries of Ŝ", self.domain_events));
        clipped.into_iter().collect()
    }
}

/// Centralized EM in play: iterations of the server's compute time.
pub struct Alone {
    em: CentralizedEm,
    journal: Journal,
    iteration: u64,
}

impl Alone {
    /// Before the start.
    pub fn new(em: CentralizedEm, journal: Journal) -> Self {
        Self { em, journal, iteration: 0 }
    }

    fn note(&mut self, context: &mut Context<StarPayload>, field_sq: Option<f64>) {
        let expectations = self.iteration * self.em.federation.total();
        let round = Round { number: self.iteration, expectations, field_sq, moved: true, ..Round::default() };
        match self.journal.note(context, &self.em, round) {
            Some(reason) => context.stop(reason),
            None => context.compute(SERVER, self.em.federation.total()),
        }
    }
}

impl Playable for CentralizedEm {
    fn subject(&self) -> &dyn Subject {
        self
    }

    fn play(self: Box<Self>, setting: Setting<'_>) -> Outcome {
        setting.play(|journal| Alone::new(*self, journal))
    }
}

impl Actor<StarPayload> for Alone {
    fn parts(&mut self) -> (&dyn Subject, &mut Journal) {
        (&self.em, &mut self.journal)
    }

    fn into_journal(self) -> Journal {
        self.journal
    }
}

impl Protocol<StarPayload> for Alone {
    fn start(&mut self, context: &mut Context<StarPayload>) {
        self.note(context, None);
    }

    fn on_computed(&mut self, context: &mut Context<StarPayload>, _node: NodeId) {
        self.iteration += 1;
        match self.em.step() {
            Ok(field_sq) => self.note(context, Some(field_sq)),
            Err(why) => context.stop(StopReason::Failed(format!("iteration {}: {why}", self.iteration))),
        }
    }

    fn on_message(&mut self, _context: &mut Context<StarPayload>, _message: Message<StarPayload>) {
        unreachable!("centralized EM sends nothing");
    }

    fn on_timer(&mut self, _context: &mut Context<StarPayload>, _tag: u64) {
        unreachable!("centralized EM sets no timer");
    }

    fn on_dropout(&mut self, _context: &mut Context<StarPayload>, _node: NodeId) {
        unreachable!("the server does not drop out");
    }
}
