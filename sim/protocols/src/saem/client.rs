//! Both halves of FL-SAEM: a client's chains, with the memory V_i of what it has told the server, and the server's
//! step.
//!
//! Subjects of a client are sampled on all threads when that is worth it: chains move, kept states become the mean
//! statistic S̃_i. They are folded in subject order, so that the number of threads changes nothing. Draws are addressed
//! by (subject, round, chain).

use std::cell::OnceCell;
use std::collections::VecDeque;

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_models::Repairs;
use fedbits_models::latent::{Chain, Kernel, LogLikelihood, Place, Posterior, Sampler, SamplerError, Tally};
use fedbits_random::{CounterKey, DrawPurpose};
use rayon::prelude::*;

use super::{Saem, Sends, scales};
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::star::{Contribution, Counts, Outgoing, Step, Wire};
use crate::state::norm_sq;
use crate::uplink::Memory;

/// The state of a client.
pub struct SaemClient {
    /// The chains of its subjects.
    pub(super) chains: Vec<Vec<Chain>>,
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
            let settled = self.settings.domain.settle(maximized.map(Repairs::entries), &mut counts.domain_events);
            if settled.map_err(ProtocolError::LocalStep)? {
                local = next;
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
        out.subtract_memory()?;
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
    /// S.
    pub s: Vec<f64>,
    /// θ.
    pub theta: Vec<f64>,
    /// log p(y; θ) of the present θ, once it was estimated: a probe asks for its value and for its error.
    pub(super) likelihood: OnceCell<LogLikelihood>,
    /// (round, θ as the wire carried it) of the last broadcasts: what contributions refer to.
    pub(super) sent: VecDeque<(u64, Vec<f64>)>,
}

impl SaemServer {
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
    /// The server's half, on contributions in id order that answer the present θ.
    ///
    /// # Errors
    /// When the estimate is not finite or, under [`Domain::Error`], S leaves the domain of T.
    pub(super) fn server_step(
        &self,
        server: &mut SaemServer,
        wire: &mut Wire<'_>,
        arrived: &[Contribution],
    ) -> Result<Step> {
        let (round, mut estimate) = (wire.round, Vec::new());
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
        wire.estimate(arrived, &mut estimate);
        let step = self.advance(server, round, &estimate, wire.counts)?;
        if step.used {
            wire.accept(arrived);
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
        let (model, domain) = (self.panel.model(), self.settings.domain);
        let (mut next, mut theta) = (Vec::new(), Vec::new());
        let maximized = if self.settings.sends == Sends::Statistics {
            next = moved(&server.s);
            model.maximize(&next, domain.policy(), &mut theta)
        } else {
            let moved = moved(&server.theta);
            model.statistic_of(&moved, &mut next);
            model.admit(&moved, domain.policy(), &mut theta)
        };
        let settled = domain.settle(maximized.map(Repairs::entries), &mut counts.domain_events);
        let used = settled.map_err(|source| domain.left(source))?;
        if used {
            (server.s, server.theta) = (next, theta);
            server.likelihood.take();
        }
        Ok(Step { field_sq, used })
    }
}

/// Subjects are sampled in blocks of about so many numbers of kept states, or of one subject for each thread.
const WAITING: u64 = 1 << 17;
/// Below this many density evaluations a parallel loop costs more than it saves.
const WORTH_A_THREAD: u64 = 2_048;
/// Entities of the dithers inside chains: far from the clients'.
const CHAIN_DITHER: u64 = 1 << 40;

/// What came of a client's round.
pub(super) struct LocalRound {
    pub statistics: Vec<f64>,
    pub tally: Tally,
    pub divergences: u64,
}

/// Kept states of one subject, p numbers each.
struct Kept {
    states: Vec<f64>,
    tally: Tally,
    divergences: u64,
}

impl Saem {
    /// The chains of client `i` before the first round, subject by subject.
    pub(super) fn chains(&self, i: u32) -> Vec<Vec<Chain>> {
        let chains = self.settings.local.sampler(1).map_or(0, |sampler| sampler.chains as usize);
        vec![vec![Chain::default(); chains]; self.panel.subjects(i).len()]
    }

    /// S̃_i of client `i` at θ.
    pub(super) fn sample(&self, i: u32, chains: &mut [Vec<Chain>], round: u64, theta: &[f64]) -> Result<LocalRound> {
        let panel = &self.panel;
        let posterior = panel.model().posterior(theta)?;
        let subjects = panel.subjects(i);
        let mut statistics = vec![0.0; panel.model().statistic_dimension()];
        let (mut tally, mut divergences) = (Tally::default(), 0);
        let Some(sampler) = self.settings.local.sampler(round) else {
            for &subject in subjects {
                posterior.expected_statistics(subject as usize, 1.0 / subjects.len() as f64, &mut statistics);
            }
            tally.gradients = subjects.len() as u64;
            return Ok(LocalRound { statistics, tally, divergences });
        };
        let scene = SampledRound { posterior: posterior.as_ref(), saem: self, sampler, round };
        let p = panel.model().latent_dimension();
        let work = subjects.len() as u64 * sampler.evaluations(p);
        let pairs = |(chains, &subject): (&mut Vec<Chain>, &u32)| scene.subject(subject, p, chains);
        let threads = rayon::current_num_threads();
        let states = u64::from(sampler.chains) * u64::from(sampler.keep) * p as u64;
        let block = threads.max((WAITING / states.max(1)) as usize);
        for (chains, block) in chains.chunks_mut(block).zip(subjects.chunks(block)) {
            let kept: Result<Vec<Kept>> = if work < WORTH_A_THREAD || threads == 1 {
                chains.iter_mut().zip(block).map(pairs).collect()
            } else {
                chains.par_iter_mut().zip(block).map(pairs).collect()
            };
            for (kept, &subject) in kept?.iter().zip(block) {
                let scale = p as f64 / (kept.states.len() as f64 * subjects.len() as f64);
                for z in kept.states.chunks_exact(p) {
                    posterior.add_statistics(subject as usize, z, scale, &mut statistics);
                }
                tally.add(&kept.tally);
                divergences += kept.divergences;
            }
        }
        Ok(LocalRound { statistics, tally, divergences })
    }
}

/// What all chains of a client's round share.
struct SampledRound<'a> {
    posterior: &'a dyn Posterior,
    saem: &'a Saem,
    sampler: Sampler,
    round: u64,
}

impl SampledRound<'_> {
    fn subject(&self, subject: u32, p: usize, chains: &mut [Chain]) -> Result<Kept> {
        let mut kept = Kept { states: Vec::new(), tally: Tally::default(), divergences: 0 };
        let streams = &self.saem.streams;
        let quantize = |gradient: &[f64], key: CounterKey, out: &mut [f64]| {
            let compressor = self.saem.gradient_map.as_deref();
            compressor.map_or(Ok(()), |compressor| compress(compressor, gradient, key, out))
        };
        let map = self.saem.gradient_map.is_some();
        for (number, chain) in chains.iter_mut().enumerate() {
            let index = self.round * u64::from(self.sampler.chains) + number as u64;
            let place = Place {
                latent_dimension: p,
                stream: streams.at(DrawPurpose::Sampler, u64::from(subject), index),
                dither: streams.counter(DrawPurpose::Compression, CHAIN_DITHER + u64::from(subject), index),
                map: if map { Some(&quantize) } else { None },
            };
            let before = kept.states.len();
            let visit = &mut |z: &[f64]| kept.states.extend_from_slice(z);
            let run = self.sampler.run(self.posterior, subject as usize, chain, place, visit);
            // An unadjusted chain may stand where the density is 0 and statistics are infinite.
            let possible = |z: &[f64]| self.posterior.log_density(subject as usize, z).is_finite();
            let lost = matches!(self.sampler.kernel, Kernel::Langevin { .. })
                && !kept.states[before..].chunks_exact(p).all(possible);
            let run = if lost { Err(SamplerError::Diverged { subject: subject as usize }) } else { run };
            match run {
                Ok(tally) => kept.tally.add(&tally),
                Err(SamplerError::Diverged { .. }) if self.saem.settings.domain != Domain::Error => {
                    // The chain starts anew at the prior's mode, which stands for all states it did not reach.
                    *chain = Chain::default();
                    let mut z = vec![0.0; p];
                    self.posterior.start(subject as usize, &mut z);
                    kept.states.truncate(before);
                    (0..self.sampler.keep).for_each(|_| kept.states.extend_from_slice(&z));
                    kept.divergences += 1;
                }
                Err(error) => return Err(ProtocolError::Sampler(error)),
            }
        }
        Ok(kept)
    }
}

/// C(gradient) with the randomness of `key`.
fn compress(compressor: &dyn Compressor, gradient: &[f64], key: CounterKey, out: &mut [f64]) -> Result<(), String> {
    let mut encoded = Encoded::new();
    compressor.encode(gradient, Randomness::Keyed(key), &mut encoded).map_err(|error| error.to_string())?;
    compressor.decode(&encoded, out);
    Ok(())
}
