//! Consensus rounds as coefficients: what S rounds make of initial states, without the states: linear rounds travel as
//! coefficients over the initial states, and the realized mixing matrix meets the data once.
//!
//! The coefficients of agent n are its state as a combination of what the initial states are made of: one number per
//! unknown.
//!
//! | scheme | round |
//! |---|---|
//! | plain | z_{s+1} = W z_s |
//! | Chebyshev | z_{s+1} = ω_{s+1} (W z_s − z_{s−1}) + z_{s−1}, ω₁ = 1, ω₂ = 1/(1 − λ²/2), ω_{s+1} = 1/(1 − λ² ω_s / 4), λ = SLEM(W) |
//!
//! It must not know time, messages, hubs or examples.

use super::weights::Averaging;

/// How states are combined in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The paper's.
    Plain,
    /// Chebyshev's semi-iteration: agents know λ and keep one more state; messages are the same.
    Chebyshev,
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rounds {
    /// S, in every iteration.
    Fixed(u32),
    /// Until, in some round, the states of all agents change by less than `tolerance`; every message carries one bit
    /// for each of the last D rounds (D the diameter): "somebody I have heard of was not content then". D rounds later
    /// all know, and stop.
    Adaptive {
        /// Root mean square of the change over an agent's M K numbers, relative to that of the state it started from.
        /// No unit.
        tolerance: f64,
        /// Rounds at most.
        at_most: u32,
    },
}

/// Coefficients of all agents, between rounds.
#[derive(Clone, Debug)]
pub struct Coefficients {
    now: Vec<Vec<f64>>,
    before: Vec<Vec<f64>>,
    omega: f64,
    rounds: u32,
    /// Were agents not content when the rounds were over?
    unfinished: bool,
}

impl Coefficients {
    /// Initial states by their coefficients, one row per agent.
    pub fn start(now: Vec<Vec<f64>>) -> Self {
        Self { before: now.clone(), now, omega: 1.0, rounds: 0, unfinished: false }
    }

    /// One round.
    pub fn round(&mut self, scheme: Scheme, weights: &Averaging) {
        let mut next = weights.apply(&self.now);
        self.rounds += 1;
        if scheme == Scheme::Chebyshev {
            let lambda_sq = weights.slem() * weights.slem();
            self.omega = match self.rounds {
                1 => 1.0,
                2 => 1.0 / (1.0 - lambda_sq / 2.0),
                _ => 1.0 / (1.0 - lambda_sq * self.omega / 4.0),
            };
            if self.rounds > 1 {
                for (next, before) in next.iter_mut().zip(&self.before) {
                    next.iter_mut()
                        .zip(before)
                        .for_each(|(next, before)| *next = self.omega * (*next - before) + before);
                }
            }
        }
        self.before = std::mem::replace(&mut self.now, next);
    }

    /// One row per agent.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.now
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Were adaptive rounds over before all agents were content?
    pub fn are_unfinished(&self) -> bool {
        self.unfinished
    }

    /// The largest relative change of any agent's state in the last round, squared, by the Gram matrix of the terms (B
    /// × B).
    fn largest_change_sq(&self, gram: &[f64], scales: &[f64]) -> f64 {
        let agents = self.now.iter().zip(&self.before).zip(scales);
        let change = |((now, before), scale): ((&Vec<f64>, &Vec<f64>), &f64)| {
            let step: Vec<f64> = now.iter().zip(before).map(|(now, before)| now - before).collect();
            square(&step, gram) / scale
        };
        agents.map(change).fold(0.0, f64::max)
    }
}

/// xᵀ G x.
fn square(x: &[f64], gram: &[f64]) -> f64 {
    let rows = gram.chunks_exact(x.len()).zip(x);
    rows.map(|(row, &x_a)| x_a * row.iter().zip(x).map(|(g, x_b)| g * x_b).sum::<f64>()).sum()
}

/// S rounds from the start.
pub fn fixed(scheme: Scheme, weights: &Averaging, start: Vec<Vec<f64>>, rounds: u32) -> Coefficients {
    let mut coefficients = Coefficients::start(start);
    (0..rounds).for_each(|_| coefficients.round(scheme, weights));
    coefficients
}

/// So much of the differences between agents may be left without a word.
pub const LITTLE: f64 = 0.01;

/// The largest share of a difference between agents that S rounds leave: the modulus, at an eigenvalue of the modulus
/// `slem`, of the polynomial of W that they are. Chebyshev's is T_S(x/λ)/T_S(1/λ).
pub fn left(scheme: Scheme, slem: f64, rounds: u32) -> f64 {
    match scheme {
        _ if rounds == 0 => 1.0,
        Scheme::Plain => libm::pow(slem, f64::from(rounds)),
        Scheme::Chebyshev => libm::cosh(f64::from(rounds) * libm::acosh(slem.recip())).recip(),
    }
}

/// Rounds until all agents are content with their last change, and `diameter` more until everybody has heard.
pub fn adaptive(
    scheme: Scheme,
    weights: &Averaging,
    start: Vec<Vec<f64>>,
    gram: &[f64],
    (tolerance, diameter, at_most): (f64, u32, u32),
) -> Coefficients {
    let mut coefficients = Coefficients::start(start);
    let scales: Vec<f64> = coefficients.now.iter().map(|row| square(row, gram).max(f64::MIN_POSITIVE)).collect();
    let mut last = None;
    while coefficients.rounds < last.unwrap_or(at_most).min(at_most) {
        coefficients.round(scheme, weights);
        if last.is_none() && coefficients.largest_change_sq(gram, &scales) < tolerance * tolerance {
            last = Some(coefficients.rounds + diameter);
        }
    }
    coefficients.unfinished = last.is_none();
    coefficients
}
