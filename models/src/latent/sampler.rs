//! Chains over the latent variables of one subject: which kernel, how often, from where, and what it cost.
//!
//! One call of [`Sampler::run`] is what a subject does in one round: `burn_in` transitions that only move (and may
//! adapt the step), then `iterations` transitions of which the last `keep` states are handed out. All draws come from
//! one stream per (subject, chain, round), so nobody else's draws change when a subject is added.

use super::chain::{Chain, Place, SamplerError, State, Tally};
use super::kernels::{gibbs, langevin, mala, random_walks};
use super::model::{Abilities, Posterior};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// A transition kernel that leaves p(z | y; θ) invariant (all but unadjusted Langevin, which has a bias of order γ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// z ← z + (γ/2) g + √γ ξ with g = ∇ log p(z|y;θ), ξ standard normal (eq. (8) of the draft). Not corrected.
    Langevin {
        /// γ.
        step: f64,
    },
    /// A Langevin step as a proposal, accepted by Metropolis and Hastings' rule.
    Mala {
        /// γ.
        step: f64,
    },
    /// Random-walk kernels as saemix has them, one after the other, each this many times.
    RandomWalk {
        /// Proposals from p(z; θ).
        prior: u32,
        /// Sweeps of one component at a time.
        single: u32,
        /// Steps of all components together.
        block: u32,
    },
    /// The model's own Gibbs sweep.
    Gibbs,
}

/// Starting point of the chains in a round.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ChainStart {
    /// The chain's last state.
    #[default]
    Warm,
    /// The mode of p(z; θ).
    Restart,
}

/// How the latent variables of a subject are sampled in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// The kernel.
    pub kernel: Kernel,
    /// Chains per subject.
    pub chains: u32,
    /// Transitions before the first one that counts.
    pub burn_in: u32,
    /// Transitions after that.
    pub iterations: u32,
    /// The last this many states of each chain enter the statistic, at least 1, at most `iterations`.
    pub keep: u32,
    /// Where chains start.
    pub start: ChainStart,
    /// Acceptance rate that step sizes are adapted to in this round; none: steps stay.
    pub target: Option<f64>,
}

/// Shorter rounds say nothing about correlation; the record's cell stays empty.
const FEWEST_FOR_CORRELATION: u32 = 4;

impl Sampler {
    /// What the model lacks for this kernel, if it lacks something.
    pub fn missing(&self, abilities: Abilities) -> Option<&'static str> {
        match self.kernel {
            Kernel::Langevin { .. } | Kernel::Mala { .. } if !abilities.gradient => Some("a gradient in z"),
            Kernel::Gibbs if !abilities.gibbs => Some("a Gibbs kernel"),
            Kernel::RandomWalk { single, block, .. } if single + block > 0 && !abilities.continuous => {
                Some("continuous latent variables")
            }
            _ => None,
        }
    }

    /// Evaluations of a density or gradient that one subject with `p` latent variables makes in a round.
    pub fn evaluations(&self, p: usize) -> u64 {
        let per_transition = match self.kernel {
            Kernel::Langevin { .. } | Kernel::Mala { .. } | Kernel::Gibbs => 1,
            Kernel::RandomWalk { prior, single, block } => {
                u64::from(prior) + u64::from(single) * p as u64 + u64::from(block)
            }
        };
        // Kernels with a correction know the density where they stand: one more evaluation at the start.
        let first = u64::from(matches!(self.kernel, Kernel::Mala { .. } | Kernel::RandomWalk { .. }));
        u64::from(self.chains) * (first + per_transition * (u64::from(self.burn_in) + u64::from(self.iterations)))
    }

    /// Moves one chain of `subject` and hands the kept states to `visit`.
    ///
    /// # Errors
    /// [`SamplerError`] when an unadjusted chain diverges or the gradient map fails.
    pub fn run(
        &self,
        posterior: &dyn Posterior,
        subject: usize,
        chain: &mut Chain,
        mut place: Place<'_>,
        visit: &mut dyn FnMut(&[f64]),
    ) -> Result<Tally, SamplerError> {
        self.place(posterior, subject, chain, place.latent_dimension);
        // A random map would need its own randomness in MALA's ratio.
        place.map = place.map.filter(|_| matches!(self.kernel, Kernel::Langevin { .. }));
        let mut state = State::new(posterior, subject, chain, place, self.target);
        let total = self.burn_in + self.iterations;
        let p = state.chain.z.len();
        let mut trace = Vec::with_capacity(self.iterations as usize * p);
        for step in 0..total {
            match self.kernel {
                Kernel::Langevin { step } => langevin(&mut state, step)?,
                Kernel::Mala { step } => mala(&mut state, step)?,
                Kernel::RandomWalk { prior, single, block } => random_walks(&mut state, prior, single, block),
                Kernel::Gibbs => gibbs(&mut state),
            }
            if step >= self.burn_in {
                trace.extend_from_slice(&state.chain.z);
            }
            if step >= total - self.keep {
                visit(&state.chain.z);
            }
        }
        let mut tally = state.tally;
        if self.iterations >= FEWEST_FOR_CORRELATION {
            let sizes = (0..p).map(|j| effective_sample_size(trace.iter().skip(j).step_by(p).copied()));
            tally.effective = sizes.map(|size| size.unwrap_or_else(|| self.constant_size())).sum();
            tally.states = trace.len() as u64;
        }
        Ok(tally)
    }

    /// Effective states of a component that was the same throughout: it was drawn anew each time and is certain (a
    /// label), or the chain stood still and has one state.
    fn constant_size(&self) -> f64 {
        if self.kernel == Kernel::Gibbs { f64::from(self.iterations) } else { 1.0 }
    }

    /// Puts the chain where the round begins.
    fn place(&self, posterior: &dyn Posterior, subject: usize, chain: &mut Chain, p: usize) {
        let has_steps = matches!(self.kernel, Kernel::Mala { .. } | Kernel::RandomWalk { .. });
        if has_steps && chain.log_factors.is_empty() {
            chain.log_factors = vec![0.0; p + 1];
            chain.factors = vec![1.0; p + 1];
            chain.adapted = vec![0; p + 1];
        }
        if chain.z.is_empty() || self.start == ChainStart::Restart {
            chain.z.resize(p, 0.0);
            posterior.start(subject, &mut chain.z);
        }
    }
}

/// Autocorrelations are summed over this many lags at most: the work grows with states times lags.
const MOST_LAGS: usize = 1000;

/// Effective sample size n / (1 + 2 Σ ρ_k) by Geyer's initial positive sequence (Practical Markov chain Monte Carlo,
/// 1992): autocorrelations ρ_k are summed in pairs until a pair is no longer positive, or over the first 1000 lags. At
/// most n; n for fewer than 4 states; none of a constant trace, which has no autocorrelations.
fn effective_sample_size(trace: impl Iterator<Item = f64>) -> Option<f64> {
    let trace: Vec<f64> = trace.collect();
    let n = trace.len();
    // By the states themselves: the mean rounds, so that the variance of a constant need not be 0.
    if trace.iter().all(|state| *state == trace[0]) {
        return None;
    }
    let mean = trace.iter().sum::<f64>() / n.max(1) as f64;
    let covariance = |lag: usize| -> f64 {
        trace[lag..].iter().zip(&trace).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    // Differences may be too small for their squares.
    if n < 4 || variance <= 0.0 {
        return Some(n as f64);
    }
    let mut sum = -1.0;
    for pair in 0..n.min(MOST_LAGS) / 2 {
        let rho = (covariance(2 * pair) + covariance(2 * pair + 1)) / variance;
        if rho <= 0.0 {
            break;
        }
        sum += 2.0 * rho;
    }
    Some((n as f64 / sum.max(1.0)).min(n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// A first-order autoregression with coefficient φ has n (1 − φ)/(1 + φ) effective states.
    #[test]
    fn autoregression() {
        let mut stream = Streams::new(5, 0).at(DrawPurpose::Sampler, 0, 0);
        for phi in [0.0, 0.5, 0.9] {
            let mut x = 0.0;
            let n = 400_000;
            let trace: Vec<f64> = (0..n)
                .map(|_| {
                    x = phi * x + stream.normal();
                    x
                })
                .collect();
            let expected = n as f64 * (1.0 - phi) / (1.0 + phi);
            let found = effective_sample_size(trace.into_iter()).expect("it moves");
            assert!((found / expected - 1.0).abs() < 0.15, "φ = {phi}: {found}, expected {expected}");
        }
    }

    /// The mean of ten times 0.1 is not 0.1.
    #[test]
    fn a_constant_has_no_autocorrelations() {
        for (state, n) in [(0.1, 10), (0.1, 100), (2.0, 10), (0.0, 3), (0.1, 1)] {
            assert_eq!(effective_sample_size(std::iter::repeat_n(state, n)), None, "{n} of {state}");
        }
    }

    /// One step up in the middle: ρ_k = 1 − 3 k / n, 3·10⁹ products if all that are positive were taken. The mean of
    /// the first 1000 is 1 − 1500 / n; without the bound n / found were n / 3.
    #[test]
    fn the_work_is_bounded() {
        let n = 100_000;
        let found = effective_sample_size((0..n).map(|i| f64::from(u8::from(i >= n / 2)))).expect("it moves");
        assert!((n as f64 / found / 2000.0 - 1.0).abs() < 0.02, "{found}");
    }
}
