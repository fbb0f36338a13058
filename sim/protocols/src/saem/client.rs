//! A client's half of FL-SAEM: its chains, and the memory V_i of what it has told the server.

use fedbits_models::latent::Chain;

use super::{Saem, Sends};
use crate::error::ProtocolError;
use crate::fedem::{Commit, Domain};
use crate::star::{Counts, Outgoing};
use crate::state::norm_sq;

/// The state of a client. Staged vectors are held only while they wait for their acknowledgement.
pub struct SaemClient {
    /// The chains of its subjects.
    pub(super) chains: Vec<Vec<Chain>>,
    /// V_i as the client has committed it; empty without memory.
    committed: Vec<f64>,
    /// α C(·) that was coded, and that was sent.
    coded: Option<Vec<f64>>,
    staged: Option<Vec<f64>>,
    largest_sq: f64,
}

impl SaemClient {
    /// V_{0,i} = `first`.
    pub(super) fn new(chains: Vec<Vec<Chain>>, first: Vec<f64>) -> Self {
        Self { chains, committed: first, coded: None, staged: None, largest_sq: 0.0 }
    }

    /// V_i as the client has committed it; empty without memory.
    pub fn v_i(&self) -> &[f64] {
        &self.committed
    }

    /// What was sent and awaits its acknowledgement.
    pub(super) fn staged(&self) -> Option<&[f64]> {
        self.staged.as_deref()
    }

    /// The largest ‖α C(·)‖² so far: the size of what was rounded.
    pub(super) fn largest_sq(&self) -> f64 {
        self.largest_sq
    }

    /// The client learns whether its staged contribution was used.
    pub(super) fn on_acknowledgement(&mut self, used: bool) {
        if let Some(staged) = self.staged.take().filter(|_| used) {
            add(&mut self.committed, &staged);
        }
    }

    /// The client begins to send what it coded.
    pub(super) fn on_send(&mut self, commit: Option<Commit>) {
        let Some(coded) = self.coded.take() else { return };
        self.largest_sq = self.largest_sq.max(norm_sq(&coded));
        match commit {
            Some(Commit::OnSend) => add(&mut self.committed, &coded),
            _ => self.staged = Some(coded),
        }
    }
}

pub(super) fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, x)| *to += x);
}

impl Saem {
    /// Client `i` samples at `theta` in `round` and forms x_i.
    pub(super) fn local_vector(
        &self,
        (i, client): (u32, &mut SaemClient),
        round: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        match self.settings.sends {
            Sends::Statistics => self.local_statistics((i, client), round, theta, counts),
            Sends::Parameters => self.local_model((i, client), round, theta, counts),
            Sends::Gradient => {
                let statistics = self.local_statistics((i, client), round, theta, counts)?;
                let mut gradient = vec![0.0; theta.len()];
                let found = self.panel.model().parameter_gradient(&statistics, theta, &mut gradient);
                found?;
                Ok(gradient)
            }
        }
    }

    /// S̃_i at `theta`. `turn` is one of the round's ([`super::FlSaem::turns`]).
    fn local_statistics(
        &self,
        (i, client): (u32, &mut SaemClient),
        turn: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        let outcome = self.sample(i, &mut client.chains, turn, theta)?;
        counts.tally.add(&outcome.tally);
        counts.divergences += outcome.divergences;
        Ok(outcome.statistics)
    }

    /// θ_i after the local steps θ_i ← T(S̃_i) from the server's θ; T has the client's own constants where the model
    /// has such (tied mixtures).
    fn local_model(
        &self,
        (i, client): (u32, &mut SaemClient),
        round: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>, ProtocolError> {
        let (subjects, policy) = (self.panel.subjects(i), self.settings.domain.policy());
        let mut local = theta.to_vec();
        for turn in self.settings.turns(round) {
            let statistics = self.local_statistics((i, client), turn, &local, counts)?;
            let mut next = Vec::new();
            let model = self.panel.model();
            let maximized = match model.with_constants_of_subjects(subjects) {
                Some(of_client) => of_client.maximize(&statistics, policy, &mut next),
                None => model.maximize(&statistics, policy, &mut next),
            };
            match maximized {
                Ok(repairs) => {
                    counts.domain_events += u64::from(repairs.eigenvalues) + u64::from(repairs.weights);
                    local = next;
                }
                Err(_) if self.settings.domain == Domain::SkipRound => counts.domain_events += 1,
                Err(error) => return Err(ProtocolError::LocalStep(error)),
            }
        }
        Ok(local)
    }

    /// Codes x_i, or its difference to the memory, into `out`.
    ///
    /// # Errors
    /// When what is to be sent is not finite.
    pub fn local_encode(
        &self,
        (i, client): (u32, &mut SaemClient),
        x: &[f64],
        theta: &[f64],
        out: &mut Outgoing<'_>,
    ) -> Result<(), ProtocolError> {
        let mut u = x.to_vec();
        if self.settings.uplink.has_memory() {
            let w = self.panel.weight(i);
            for (u, v) in u.iter_mut().zip(&client.committed) {
                *u = w * *u - v;
            }
        }
        if self.is_scaled() {
            self.standardize(theta, &mut u);
        }
        out.encode(&u)?;
        if self.settings.uplink.has_memory() {
            let mut staged = self.decoded(out.encoded, theta);
            staged.iter_mut().for_each(|x| *x *= self.alpha);
            client.coded = Some(staged);
        }
        Ok(())
    }
}
