//! Consensus with quantized differences and error compensation: CHOCO-gossip (Koloskova, Stich and Jaggi 2019,
//! Algorithm 1).
//!
//! Every agent i keeps its state z_i and the public copies ẑ_j of itself and of its neighbours. Round:
//!
//! q_i = c C(z_i − ẑ_i), C(…) being sent to all neighbours;  ẑ_j ← ẑ_j + q_j;  z_i ← z_i + γ Σ_j W_ij (ẑ_j − ẑ_i).
//!
//! c = 1 where C is a contraction (ω < 1), else 1/(1 + ω), which makes an unbiased C one. The average of the z_i never
//! changes, whatever C does, because W is symmetric. The states are −½ Z: what the E-step needs. With `tracking` states
//! and copies stay from one iteration of the EM to the next, and an agent adds what its own initial state has changed:
//! the average is that of the new initial states, and the rounds begin where the last ones ended (ours; dynamic average
//! consensus). Without, both begin anew, copies at 0.
//!
//! It is not linear, so it is computed on the states, 32 examples at a time through all rounds; a message is the
//! concatenation of one coded vector of K × 32 numbers per 32 examples, each but the last with its length before it if
//! its string does not end itself.

use fedbits_codec::{Compressor, CompressorSetting, Draw, Encoded, WireFloat, framing_bits};
use fedbits_models::gmm::vertical::Mixing;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{PROBABILITY, whole};
use fedbits_spec::{Caveat, Choice, Described};
use serde::{Deserialize, Serialize};

use super::{Agents, Averager, Left, MAX_ROUNDS, Terms};
use crate::audit::Auditor;
use crate::error::{ProtocolError, Result};
use crate::neighbours::gossip::Lengths;
use crate::neighbours::hubs::Hubs;
use crate::uplink::no_contraction;

/// Examples of a column block, as the models' passes hand them over: their differences are coded together.
pub(crate) const LANES: usize = 32;

/// CHOCO-gossip on a graph.
pub struct Choco {
    compressor: Box<dyn Compressor>,
    /// γ.
    step: f64,
    rounds: u32,
    tracking: bool,
    /// W − I, for ẑ.
    difference: Mixing,
    hubs: Hubs,
    streams: Streams,
    auditor: Auditor,
    iteration: u64,
    /// Column blocks visited in this iteration.
    block: usize,
    /// Memory of a tracking consensus, per column block: z, ẑ and the initial states of the last iteration.
    memory: Vec<[Vec<f64>; 3]>,
    bits: Vec<Vec<u64>>,
    /// What the last of their pieces has before it once another follows.
    framing: Vec<Vec<u64>>,
    failure: Option<ProtocolError>,
    /// Of the iteration: Σ of squares of what the roots miss of the sums, before the rounds and after them.
    missed_sq: [f64; 3],
    left: Left,
}

/// Quantized differences with error compensation.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ChocoSettings {
    /// S.
    #[range(whole(1, MAX_ROUNDS))]
    pub rounds: u32,
    /// γ. Coarser compressors need smaller steps; with too large ones differences between agents grow.
    #[range(PROBABILITY)]
    pub step: f64,
    /// Compressor of differences, 32 examples at a time.
    pub compressor: Choice<dyn CompressorSetting>,
    /// Keeps states between iterations. Needs `batch: All`.
    #[serde(default = "yes")]
    pub tracking: bool,
}

fn yes() -> bool {
    true
}

impl Choco {
    /// `wire`: the floats that messages are made of where the compressor names none. `audit`: every message is checked
    /// bit by bit.
    pub fn new(
        settings: &ChocoSettings,
        Agents { hubs, averaging, .. }: Agents<'_>,
        wire: WireFloat,
        audit: bool,
        streams: Streams,
    ) -> Self {
        let n = averaging.len();
        let mut dense = averaging.dense();
        (0..n).for_each(|i| dense[i * n + i] -= 1.0);
        Self {
            compressor: settings.compressor.build(wire, n as u32),
            step: settings.step,
            rounds: settings.rounds,
            tracking: settings.tracking,
            difference: Mixing::new(dense.chunks_exact(n), n),
            hubs: hubs.clone(),
            streams,
            auditor: Auditor::new(audit),
            iteration: 0,
            block: 0,
            memory: Vec::new(),
            bits: Vec::new(),
            framing: Vec::new(),
            failure: None,
            missed_sq: [0.0; 3],
            left: Left::default(),
        }
    }

    /// All rounds for one column block: `terms` has one row per hub, `out` gets the states of the roots; `used` of
    /// every 32 lanes are in use.
    fn mix(&mut self, terms: &[f64], used: usize, out: &mut [f64]) {
        let width = terms.len() / self.hubs.len();
        let (mut z, mut copies) = self.states(terms, width, used);
        for round in 0..self.rounds {
            if let Err(why) = self.exchange(&z, &mut copies, (width, used), round) {
                self.failure.get_or_insert(why);
            }
            // W ẑ − ẑ, row by row.
            let moves = self.difference.product(&copies, width);
            z.iter_mut().zip(&moves).for_each(|(z, change)| *z += self.step * change);
        }
        for (out, hub) in out.chunks_exact_mut(width).zip(self.hubs.hubs()) {
            out.copy_from_slice(&z[hub.root as usize * width..][..width]);
        }
        self.compare(terms, used, out);
        if self.tracking {
            let memory = &mut self.memory[self.block];
            (memory[0], memory[1]) = (z, copies);
        }
        self.block += 1;
    }

    /// Adds what the roots miss of the sums, with nothing but their own terms and with what they have got; and sums.
    fn compare(&mut self, terms: &[f64], used: usize, out: &[f64]) {
        let width = out.len() / self.hubs.len();
        for lane in (0..width).filter(|lane| lane % LANES < used) {
            let sum: f64 = terms[lane..].iter().step_by(width).sum();
            for b in 0..self.hubs.len() {
                let alone = self.hubs.share(b) * terms[b * width + lane];
                let missed = [alone - sum, out[b * width + lane] - sum, sum];
                self.missed_sq.iter_mut().zip(missed).for_each(|(sum, missed)| *sum += missed * missed);
            }
        }
    }

    /// z and ẑ at the start of the rounds.
    fn states(&mut self, terms: &[f64], width: usize, used: usize) -> (Vec<f64>, Vec<f64>) {
        let mut start = vec![0.0; self.hubs.agents() * width];
        for (agent, z) in start.chunks_exact_mut(width).enumerate() {
            let hub = self.hubs.of(agent as u32) as usize;
            let (share, rows) = (self.hubs.share(hub), terms[hub * width..][..width].chunks_exact(LANES));
            for (z, terms) in z.chunks_exact_mut(LANES).zip(rows) {
                z[..used].iter_mut().zip(terms).for_each(|(z, term)| *z = share * term);
            }
        }
        if !self.tracking {
            let copies = vec![0.0; start.len()];
            return (start, copies);
        }
        if self.block == self.memory.len() {
            self.memory.push([start.clone(), vec![0.0; start.len()], start.clone()]);
        }
        let [z, copies, last] = &mut self.memory[self.block];
        let (mut z, copies) = (std::mem::take(z), std::mem::take(copies));
        z.iter_mut().zip(&start).zip(last.iter()).for_each(|((z, new), old)| *z += new - old);
        *last = start;
        (z, copies)
    }

    /// Messages of one round: ẑ ← ẑ + C(z − ẑ), coded numbers being those in use.
    fn exchange(&mut self, z: &[f64], copies: &mut [f64], (width, used): (usize, usize), round: u32) -> Result<()> {
        let (mut gap, mut decoded) = (Vec::new(), Vec::new());
        let (compressor, mut encoded) = (self.compressor.as_ref(), Encoded::new());
        let scale = contracting(compressor, width / LANES * used)?;
        let agents = z.chunks_exact(width).zip(copies.chunks_exact_mut(width));
        for (agent, (z, copy)) in agents.enumerate() {
            gap.clear();
            for (z, copy) in z.chunks_exact(LANES).zip(copy.chunks_exact(LANES)) {
                gap.extend(z[..used].iter().zip(copy).map(|(z, copy)| z - copy));
            }
            // One address per iteration, round, agent and column block.
            let index = self.iteration << 32 | u64::from(round);
            let entity = (agent as u64) << 32 | self.block as u64;
            let key = self.streams.counter(DrawPurpose::Compression, entity, index);
            compressor.encode(&gap, Draw::Keyed(key), &mut encoded)?;
            self.auditor.check(&self.streams, entity, index, compressor, &encoded, key)?;
            let framing = framing_bits(compressor, &encoded);
            let before = std::mem::replace(&mut self.framing[round as usize][agent], framing);
            self.bits[round as usize][agent] += before + encoded.bits();
            decoded.clear();
            decoded.resize(gap.len(), 0.0);
            compressor.add_decoded(&encoded, scale, &mut decoded);
            for (copy, decoded) in copy.chunks_exact_mut(LANES).zip(decoded.chunks_exact(used)) {
                copy.iter_mut().zip(decoded).for_each(|(copy, decoded)| *copy += decoded);
            }
        }
        Ok(())
    }
}

impl Averager for Choco {
    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn message_bits(&self, _numbers: u64) -> u64 {
        0
    }

    fn average(&mut self, terms: &mut dyn Terms) -> Result<(u32, Lengths)> {
        let (iteration, rounds) = (terms.iteration(), self.rounds);
        (self.iteration, self.block, self.missed_sq) = (iteration, 0, [0.0; 3]);
        self.bits = vec![vec![0; self.hubs.agents()]; rounds as usize];
        self.framing.clone_from(&self.bits);
        terms.mix(rounds, &mut |terms, used, seen| self.mix(terms, used, seen))?;
        let left = self.left.note(self.missed_sq);
        match self.failure.take() {
            // An overflow is no number.
            Some(failure) if left.is_nan() || left > 1.0 => {
                let why = "in which differences between agents grew because `step` is too large";
                Err(failure.at(format_args!("iteration {iteration}, {why}")))
            }
            Some(failure) => Err(failure.at(format_args!("iteration {iteration}"))),
            None => Ok((rounds, (1..).zip(std::mem::take(&mut self.bits)).collect())),
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        let grown = |(share, most)| Caveat::ChocoStep { share: format!("{share:.1}"), most: format!("{most:.3e}") };
        self.left.grown().map(grown).or_else(|| self.left.caveat()).into_iter().collect()
    }
}

/// c of the head of this file.
pub(crate) fn contracting(compressor: &dyn Compressor, dimension: usize) -> Result<f64> {
    match (compressor.contraction(dimension), compressor.omega(dimension)) {
        (None, Some(omega)) if compressor.is_unbiased() => Ok(1.0 / (1.0 + omega)),
        _ => no_contraction(NEEDS, compressor, dimension).map_or(Ok(1.0), |why| Err(ProtocolError::Unfit(why))),
    }
}

/// What it says of operators that are neither.
const NEEDS: &str = "CHOCO needs an unbiased operator with an ω, or a contraction";
