//! What a client does with its subjects in a round: chains move, kept states become the mean statistic S̃_i.
//!
//! Subjects of a client are sampled on all threads when that is worth it; kept states are folded in subject order, so
//! the number of threads changes nothing. Draws are addressed by (subject, round, chain).

use fedbits_codec::{Compressor, Draw as Randomness, Encoded};
use fedbits_models::latent::{Chain, Kernel, Place, Posterior, Sampler, SamplerError, Tally};
use fedbits_random::{CounterKey, DrawPurpose};
use rayon::prelude::*;

use super::Saem;
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;

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
