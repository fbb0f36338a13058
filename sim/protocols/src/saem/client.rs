//! Both halves of FL-SAEM: a client's chains, with the memory V_i of what it has told the server, and the server's step.

use std::cell::OnceCell;
use std::collections::VecDeque;

use fedbits_codec::Encoded;
use fedbits_models::latent::{Chain, LogLikelihood};
use fedbits_models::{DomainError, Repairs};

use super::{Saem, Sends, scales};
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::star::{Contribution, Counts, Outgoing, Step};
use crate::state::norm_sq;
use crate::uplink::{ClientMemory, Memory, ServerMemory};

/// The state of a client.
pub struct SaemClient {
    /// The chains of its subjects.
    pub(super) chains: Vec<Vec<Chain>>,
    /// V_i.
    pub memory: ClientMemory,
    /// What it coded, as the server will read it, where that depends on the broadcast.
    pub(super) coded: Option<Encoded>,
}

impl Saem {
    /// Client `i` samples at `theta` in `round` and forms x_i.
    pub(super) fn local_vector(
        &self,
        (i, client): (u32, &mut SaemClient),
        round: u64,
        theta: &[f64],
        counts: &mut Counts,
    ) -> Result<Vec<f64>> {
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
    ) -> Result<Vec<f64>> {
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
    ) -> Result<Vec<f64>> {
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

    /// Codes x_i, or its difference to the memory, into `out`; in round 0 w_i x_i, whole.
    ///
    /// # Errors
    /// When what is to be sent is not finite.
    pub fn local_encode(
        &self,
        (i, client): (u32, &mut SaemClient),
        x: &[f64],
        (theta, round): (&[f64], u64),
        out: &mut Outgoing<'_>,
    ) -> Result<()> {
        let w = if self.weighs { self.panel.weight(i) } else { 1.0 };
        out.scratch.clear();
        out.scratch.extend(x.iter().map(|x| w * x));
        if round == 0 {
            return out.encode_scratch();
        }
        out.scratch.iter_mut().zip(client.memory.committed()).for_each(|(u, v)| *u -= v);
        out.report(client.memory.committed())?;
        self.standardize(i, theta, out.scratch);
        out.encode_scratch()?;
        client.coded = if self.is_framed() { Some(self.read(i, out.encoded, theta)?) } else { None };
        Ok(())
    }
}

/// Up to this many broadcasts are kept for contributions that arrive late.
const MAX_SENT: usize = 256;

/// The state of the server.
pub struct SaemServer {
    pub(super) s: Vec<f64>,
    pub(super) theta: Vec<f64>,
    /// log p(y; θ) of the present θ, once it was estimated: a probe asks for its value and for its error.
    pub(super) likelihood: OnceCell<LogLikelihood>,
    /// (round, θ as the wire carried it) of the last broadcasts: what contributions refer to.
    sent: VecDeque<(u64, Vec<f64>)>,
    pub(super) uplink: ServerMemory,
    estimate: Vec<f64>,
}

impl SaemServer {
    pub(super) fn new(s: Vec<f64>, theta: Vec<f64>, uplink: ServerMemory) -> Self {
        Self { s, theta, likelihood: OnceCell::new(), sent: VecDeque::new(), uplink, estimate: Vec::new() }
    }

    /// S.
    pub fn s(&self) -> &[f64] {
        &self.s
    }

    /// θ.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// V.
    pub fn v(&self) -> &[f64] {
        self.uplink.v()
    }

    /// Keeps θ as the clients of `round` have received it. Contributions to rounds further back than [`MAX_SENT`] are
    /// not understood.
    pub(super) fn note_sent(&mut self, round: u64, theta: &[f64]) {
        self.sent.push_back((round, theta.to_vec()));
        if self.sent.len() > MAX_SENT {
            self.sent.pop_front();
        }
    }

    /// θ of the broadcast of `round`; the present one where none was sent.
    fn sent_in(&self, round: u64) -> Result<&[f64]> {
        match self.sent.iter().find(|(sent, _)| *sent == round) {
            Some((_, theta)) => Ok(theta),
            None if self.sent.is_empty() => Ok(&self.theta),
            None => Err(ProtocolError::TooLate(round)),
        }
    }
}

impl Saem {
    /// The server's half, on contributions in id order that answer the present θ. `round` counts from 1.
    ///
    /// # Errors
    /// When the estimate is not finite or, under [`Domain::Error`], S leaves the domain of T.
    pub fn server_step(
        &self,
        server: &mut SaemServer,
        round: u64,
        arrived: &[Contribution],
        counts: &mut Counts,
    ) -> Result<Step> {
        if arrived.is_empty() && self.settings.memory == Memory::NoMemory {
            return Ok(Step { field_sq: 0.0, used: false });
        }
        let read = |contribution: &Contribution| -> Result<Contribution> {
            let Contribution { client, encoded, age } = contribution;
            let encoded = self.read(*client, encoded, server.sent_in(round - age)?)?;
            Ok(Contribution { client: *client, encoded: Box::new(encoded), age: *age })
        };
        let read: Option<Vec<Contribution>> =
            self.is_framed().then(|| arrived.iter().map(read).collect::<Result<_>>()).transpose()?;
        let arrived = read.as_deref().unwrap_or(arrived);
        let mut estimate = std::mem::take(&mut server.estimate);
        counts.combined = self.uplink.estimate(&mut server.uplink, arrived, &mut estimate);
        let step = self.advance(server, round, &estimate, counts)?;
        server.estimate = estimate;
        if step.used {
            self.uplink.accept(&mut server.uplink, round, arrived);
        }
        Ok(step)
    }

    /// S and θ from the estimate X.
    fn advance(&self, server: &mut SaemServer, round: u64, estimate: &[f64], counts: &mut Counts) -> Result<Step> {
        let gain = self.settings.gamma.at(round);
        let field: Vec<f64> = match self.settings.sends {
            Sends::Statistics => estimate.iter().zip(&server.s).map(|(x, s)| x - s).collect(),
            Sends::Parameters => estimate.iter().zip(&server.theta).map(|(x, theta)| x - theta).collect(),
            Sends::Gradient => {
                let scales = scales(&self.panel, &server.theta);
                estimate.iter().zip(&scales).map(|(x, scale)| scale * x).collect()
            }
        };
        let field_sq = norm_sq(&field);
        if !field_sq.is_finite() {
            return Err(ProtocolError::Diverged("the estimate diverged: it is not finite"));
        }
        let moved = |from: &[f64]| -> Vec<f64> { from.iter().zip(&field).map(|(from, h)| from + gain * h).collect() };
        let (model, policy) = (self.panel.model(), self.settings.domain.policy());
        let (mut next, mut theta) = (Vec::new(), Vec::new());
        let maximized = if self.settings.sends == Sends::Statistics {
            next = moved(&server.s);
            model.maximize(&next, policy, &mut theta)
        } else {
            let moved = moved(&server.theta);
            model.statistic_of(&moved, &mut next);
            model.admit(&moved, policy, &mut theta)
        };
        let used = self.take(server, maximized.map(|repairs| (repairs, theta)), counts)?;
        if used {
            server.s = next;
        }
        Ok(Step { field_sq, used })
    }

    /// θ as T made it under the chosen policy; false when the round is to be skipped.
    fn take(
        &self,
        server: &mut SaemServer,
        maximized: Result<(Repairs, Vec<f64>), DomainError>,
        counts: &mut Counts,
    ) -> Result<bool> {
        let domain = self.settings.domain;
        match maximized {
            Ok((repairs, theta)) => {
                counts.domain_events += u64::from(repairs.weights) + u64::from(repairs.eigenvalues);
                server.theta = theta;
                server.likelihood.take();
                Ok(true)
            }
            Err(_) if domain == Domain::SkipRound => {
                counts.domain_events += 1;
                Ok(false)
            }
            Err(source) => Err(domain.left(source)),
        }
    }
}
