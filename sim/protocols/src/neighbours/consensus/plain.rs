//! Linear rounds z_{s+1} = W z_s, those of Chebyshev's semi-iteration, and what all linear rounds share: they are
//! computed on coefficients.
//!
//! The coefficients of an agent are its state as a combination of the initial terms: one number per term. The matrix
//! that the rounds amount to meets the data once. It must not know time, messages or examples.

use fedbits_models::gmm::vertical::Mixing;
use fedbits_spec::{Caveat, so_many};

use super::{Agents, Averager, LITTLE, Terms};
use crate::error::Result;
use crate::neighbours::gossip::Lengths;
use crate::neighbours::hubs::Hubs;
use crate::neighbours::weights::Averaging;

/// A linear recursion of the states of all agents.
pub trait Recursion {
    /// z_{s+1} from z_s, z_{s−1} and s = 0, 1, …
    fn next(&mut self, weights: &Averaging, states: [&[Vec<f64>]; 2], s: u32) -> Vec<Vec<f64>>;
    /// The largest share of a difference between agents that S rounds leave: the modulus, at an eigenvalue of the
    /// modulus `slem`, of the polynomial of W that they are.
    fn left(&self, slem: f64, rounds: u32) -> f64;
}

/// The paper's recursion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Recursion for Plain {
    fn next(&mut self, weights: &Averaging, [now, _]: [&[Vec<f64>]; 2], _s: u32) -> Vec<Vec<f64>> {
        weights.apply(now)
    }

    fn left(&self, slem: f64, rounds: u32) -> f64 {
        libm::pow(slem, f64::from(rounds))
    }
}

/// Chebyshev's semi-iteration: agents know λ = SLEM(W) and keep one more state; messages are those of plain rounds.
///
/// z_{s+1} = ω_{s+1} (W z_s − z_{s−1}) + z_{s−1}, ω₁ = 1, ω₂ = 1/(1 − λ²/2), ω_{s+1} = 1/(1 − λ² ω_s / 4). It begins
/// anew at s = 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chebyshev {
    omega: f64,
}

impl Recursion for Chebyshev {
    fn next(&mut self, weights: &Averaging, [now, before]: [&[Vec<f64>]; 2], s: u32) -> Vec<Vec<f64>> {
        let mut next = weights.apply(now);
        let lambda_sq = weights.slem() * weights.slem();
        self.omega = match s {
            0 => 1.0,
            1 => 1.0 / (1.0 - lambda_sq / 2.0),
            _ => 1.0 / (1.0 - lambda_sq * self.omega / 4.0),
        };
        if s > 0 {
            let entries = next.iter_mut().flatten().zip(before.iter().flatten());
            entries.for_each(|(next, before)| *next = self.omega * (*next - before) + before);
        }
        next
    }

    /// 1 / T_S(1/λ), T_S being Chebyshev's polynomial.
    fn left(&self, slem: f64, rounds: u32) -> f64 {
        let exponent = if rounds == 0 { 0.0 } else { f64::from(rounds) * libm::acosh(slem.recip()) };
        libm::cosh(exponent).recip()
    }
}

/// Coefficients of all agents between rounds, one row per agent.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// z_s.
    pub now: Vec<Vec<f64>>,
    /// z_{s−1}.
    pub(super) before: Vec<Vec<f64>>,
    /// s.
    pub(super) rounds: u32,
}

impl Coefficients {
    /// `start` after so many rounds.
    pub fn after(rounds: u32, recursion: &mut dyn Recursion, weights: &Averaging, start: Vec<Vec<f64>>) -> Self {
        let mut coefficients = Self::start(start);
        (0..rounds).for_each(|_| coefficients.round(recursion, weights));
        coefficients
    }

    pub(super) fn start(now: Vec<Vec<f64>>) -> Self {
        Self { before: now.clone(), now, rounds: 0 }
    }

    pub(super) fn round(&mut self, recursion: &mut dyn Recursion, weights: &Averaging) {
        let next = recursion.next(weights, [&self.now, &self.before], self.rounds);
        self.rounds += 1;
        self.before = std::mem::replace(&mut self.now, next);
    }

    /// What the roots see of the terms.
    pub(super) fn at_roots(&self, hubs: &Hubs) -> Mixing {
        Mixing::new(hubs.hubs().iter().map(|hub| &self.now[hub.root as usize][..]), hubs.len())
    }
}

/// The number of rounds is fixed, and with it what roots see in every iteration.
pub struct Fixed {
    rounds: u32,
    mixing: Mixing,
    caveat: Option<Caveat>,
}

impl Fixed {
    /// S rounds of a recursion in every iteration.
    pub fn new(recursion: &mut dyn Recursion, agents: Agents<'_>, rounds: u32) -> Self {
        let Agents { hubs, averaging, .. } = agents;
        let slem = averaging.slem();
        let left = recursion.left(slem, rounds);
        let caveat = (left > LITTLE && hubs.len() > 1).then(|| Caveat::ConsensusInexact {
            rounds: so_many(rounds, "consensus round leaves|consensus rounds leave"),
            share: format!("{:.1}", 100.0 * left),
            slem: format!("{slem:.4}"),
        });
        let coefficients = Coefficients::after(rounds, recursion, averaging, hubs.initial_states());
        Self { rounds, mixing: coefficients.at_roots(hubs), caveat }
    }
}

impl Averager for Fixed {
    fn rounds(&self) -> u32 {
        self.rounds
    }

    fn average(&mut self, terms: &mut dyn Terms) -> Result<(u32, Lengths)> {
        terms.mix(self.rounds, &mut |terms, _, seen| self.mixing.mix(terms, seen))?;
        Ok((self.rounds, Lengths::new()))
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.caveat.iter().cloned().collect()
    }
}
