//! Chains over the latent variables of one subject: which kernel, how often, from where, and what it cost.
//!
//! One call of [`Sampler::run`] is what a subject does in one round: `burn_in` transitions that only move (and may
//! adapt the step), then `iterations` transitions of which the last `keep` states are handed out. All draws come from
//! one stream per (subject, chain, round), so nobody else's draws change when a subject is added.

use super::chain::{Chain, GradientMap, SamplerError, Tally};
use super::diagnostics::effective_sample_size;
use super::kernels::{gibbs, langevin, mala, random_walks};
use super::model::{Abilities, Posterior};
use super::state::{Move, State};
use fedbits_random::{CounterKey, Stream};
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
        place: Place<'_>,
        visit: &mut dyn FnMut(&[f64]),
    ) -> Result<Tally, SamplerError> {
        self.place(posterior, subject, chain, place.latent_dimension);
        let Place { stream, dither, map, .. } = place;
        // A random map would need its own randomness in MALA's ratio.
        let map = map.filter(|_| matches!(self.kernel, Kernel::Langevin { .. }));
        let mut state = State::new(posterior, subject, chain, Move { stream, dither, map, target: self.target });
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

/// What surrounds a chain in a round.
pub struct Place<'a> {
    /// p, the length of z.
    pub latent_dimension: usize,
    /// All draws of the chain in this round.
    pub stream: Stream,
    /// Key of the gradient map's randomness; transition t uses output t as its own key.
    pub dither: CounterKey,
    /// What the chain uses of a gradient; none: all of it.
    pub map: Option<GradientMap<'a>>,
}
