//! What a client does with its subjects in a round, as a scenario writes it.

use fedbits_codec::{Compressor, CompressorSetting, Identity, WireFloat};
use fedbits_models::ModelSetting;
use fedbits_models::latent::{self, Abilities, ChainStart};
use fedbits_spec::range::{self, POSITIVE, PROBABILITY, whole};
use fedbits_spec::{Choice, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

use crate::footprint::{self, Part, Sizes, product};
use crate::operator;

/// Computation for the subjects in a round.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Local {
    /// Conditional expectations: exact EM, for models with closed forms.
    Expect,
    /// Sampling of latent variables.
    Sample(Sampler),
}

/// Sampling of latent variables in a round.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Sampler {
    /// Transition kernel.
    pub kernel: Kernel,
    /// Chains per subject.
    #[serde(default = "single")]
    #[range(whole(1, 1_000))]
    pub chains: u32,
    /// Discarded transitions at the start of a round.
    #[serde(default)]
    #[range(whole(0, 1_000_000))]
    pub burn_in: u32,
    /// Transitions after the burn-in.
    #[serde(default = "single")]
    #[range(whole(1, 1_000_000))]
    pub iterations: u32,
    /// Last states per chain in the statistic; 1 to `iterations`.
    #[serde(default = "single")]
    pub keep: u32,
    /// Increase of kept transitions per round (MCEM).
    #[serde(default)]
    #[range(whole(0, 10_000))]
    pub growth: u32,
    /// Start of the chains in a round.
    #[serde(default)]
    pub start: ChainStart,
    /// Adaptation of the steps.
    #[serde(default)]
    pub steps: Steps,
}

fn single() -> u32 {
    1
}

/// A transition kernel.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = kernel_rules)]
pub enum Kernel {
    /// Unadjusted Langevin: z ← z + (γ/2) g + √γ ξ. Biased by order γ.
    Langevin {
        /// γ; in squared units of z.
        #[range(POSITIVE)]
        step: f64,
        /// Compressor of g inside the chain (Algorithm 3 of the draft), which costs accuracy and saves no bits.
        #[serde(default)]
        #[described(by_rules)]
        quantize: Choice<dyn CompressorSetting>,
    },
    /// Langevin proposals with Metropolis–Hastings correction.
    Mala {
        /// γ; in squared units of z.
        #[range(POSITIVE)]
        step: f64,
    },
    /// Random walks as in saemix; repetitions per transition, at least one in all.
    RandomWalk {
        /// Proposals from p(z; θ).
        #[serde(default = "two")]
        #[range(whole(0, 1_000))]
        prior: u32,
        /// One component at a time.
        #[serde(default = "two")]
        #[range(whole(0, 1_000))]
        single: u32,
        /// All components together.
        #[serde(default = "two")]
        #[range(whole(0, 1_000))]
        block: u32,
    },
    /// The model's Gibbs sweep: an exact draw for mixtures and linear mixed models.
    Gibbs,
}

fn two() -> u32 {
    2
}

/// Step sizes of the kernels.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Steps {
    /// Fixed.
    #[default]
    Fixed,
    /// Each chain adapts its steps to an acceptance rate.
    Adapt {
        /// Target acceptance rate (MALA: usually 0.574).
        #[serde(default = "target")]
        #[range(PROBABILITY)]
        target: f64,
        /// Last round with adaptation.
        #[range(whole(1, u64::MAX).note(" (rounds)"))]
        rounds: u64,
    },
}

fn target() -> f64 {
    0.4
}

impl Local {
    /// The sampler of `round`, with what it has grown by; none for expectations.
    pub(super) fn sampler(&self, round: u64) -> Option<latent::Sampler> {
        let Self::Sample(sampler) = self else { return None };
        Some(sampler.in_round(round))
    }

    /// The operator on gradients inside the chains.
    pub(super) fn gradient_map(&self) -> Option<Box<dyn Compressor>> {
        match self {
            Self::Sample(Sampler { kernel: Kernel::Langevin { quantize, .. }, .. }) if !quantize.is::<Identity>() => {
                Some(quantize.build(WireFloat::F64, 1))
            }
            _ => None,
        }
    }
}

impl Sampler {
    /// One chain that makes one transition a round and goes on where it was.
    #[must_use]
    pub fn of(kernel: Kernel) -> Self {
        let (start, steps) = (ChainStart::Warm, Steps::Fixed);
        Self { kernel, chains: 1, burn_in: 0, iterations: 1, keep: 1, growth: 0, start, steps }
    }

    fn in_round(&self, round: u64) -> latent::Sampler {
        let more = u32::try_from(round.saturating_sub(1)).unwrap_or(u32::MAX).saturating_mul(self.growth);
        latent::Sampler {
            kernel: self.kernel.transition(),
            chains: self.chains,
            burn_in: self.burn_in,
            iterations: self.iterations.saturating_add(more),
            keep: self.keep.saturating_add(more),
            start: self.start,
            target: match self.steps {
                Steps::Adapt { target, rounds } if round <= rounds => Some(target),
                Steps::Fixed | Steps::Adapt { .. } => None,
            },
        }
    }
}

impl Kernel {
    /// The kernel without what is done to its gradients.
    fn transition(&self) -> latent::Kernel {
        match *self {
            Self::Langevin { step, .. } => latent::Kernel::Langevin { step },
            Self::Mala { step } => latent::Kernel::Mala { step },
            Self::RandomWalk { prior, single, block } => latent::Kernel::RandomWalk { prior, single, block },
            Self::Gibbs => latent::Kernel::Gibbs,
        }
    }
}

fn rules(sampler: &Sampler, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let kept = whole(1, u64::from(sampler.iterations.max(1))).note(", at most `iterations`");
    range::check(&kept, &sampler.keep, &at.field("keep"), facts, findings);
    let why = match sampler.kernel {
        _ if sampler.steps == Steps::Fixed => None,
        Kernel::Langevin { .. } | Kernel::Gibbs => {
            Some("this kernel accepts everything: there is no acceptance rate to adapt to")
        }
        Kernel::RandomWalk { single: 0, block: 0, .. } => Some("proposals from p(z; θ) have no step to adapt"),
        Kernel::Mala { .. } | Kernel::RandomWalk { .. } => None,
    };
    why.into_iter().for_each(|why| findings.no_effect(at.field("steps"), why));
}

fn kernel_rules(kernel: &Kernel, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    match kernel {
        Kernel::RandomWalk { prior: 0, single: 0, block: 0 } => {
            findings.error(at, "the kernel does not move", "expected at least one of its three parts");
        }
        Kernel::Langevin { quantize, .. } => {
            quantize.check(&at.field("quantize"), &facts.with_vector(facts.latent), findings);
            operator::undivided(&at.field("quantize"), quantize, "the gradient of a chain is one client's", findings);
        }
        _ => {}
    }
}

/// Bytes of a list of chains, a chain beside its numbers (at least four have room), and its three lists of steps.
const SUBJECT: u64 = 40;
const CHAIN: u64 = 112;
const STEPS: u64 = 68;

impl Local {
    /// What chains, states that wait for their place in the statistic, and the operator inside of the chains take.
    pub(super) fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let Self::Sample(Sampler { kernel, chains, iterations, keep, .. }) = self else { return Vec::new() };
        let (n, p, chains) = (sizes.examples, sizes.latent, u64::from(*chains));
        let has_steps = matches!(kernel, Kernel::Mala { .. } | Kernel::RandomWalk { .. });
        let steps = if has_steps { STEPS + 20 * p } else { 0 };
        let each = SUBJECT + chains * (CHAIN + 8 * p.max(4) + steps);
        let states = chains * u64::from(*keep) + u64::from(*iterations);
        let path = "protocol.local";
        let mut parts = vec![
            Part { what: format!("chains of {}", so_many(n, "subject")), path, bytes: product(&[n, each]) },
            Part { what: "states of chains".to_owned(), path, bytes: product(&[8, p, states, footprint::THREADS]) },
        ];
        if let Kernel::Langevin { quantize, .. } = kernel {
            let path = "protocol.local.kernel.quantize";
            parts.push(footprint::messages(path, quantize, p, footprint::THREADS));
        }
        parts
    }

    /// Does the model have what the local step needs?
    pub(super) fn check_model(&self, model: &dyn ModelSetting, findings: &mut Findings) {
        let Some(model) = model.sampled() else { return };
        match self {
            Self::Expect if !model.abilities().expectation => {
                let found = "the model has no expectations in closed form";
                findings.error("protocol.local", found, "expected `Sample(…)`");
            }
            Self::Expect => {}
            Self::Sample(sampler) => sampler.kernel.check_model(model.abilities(), findings),
        }
    }
}

impl Kernel {
    fn check_model(&self, abilities: Abilities, findings: &mut Findings) {
        let path = "protocol.local.kernel";
        match self {
            Self::Langevin { .. } | Self::Mala { .. } if !abilities.gradient => {
                let expected = "expected `Gibbs` or `RandomWalk(prior: …)`";
                findings.error(path, "the latent variables of the model have no gradient", expected);
            }
            Self::RandomWalk { single, block, .. } if !abilities.continuous && single + block > 0 => {
                let expected = "expected `RandomWalk(prior: …, single: 0, block: 0)` or `Gibbs`";
                findings.error(path, "the latent variables of the model are labels, which cannot walk", expected);
            }
            Self::Gibbs if !abilities.gibbs => {
                findings.error(path, "the model has no Gibbs kernel", "expected `RandomWalk()` or `Mala(…)`");
            }
            _ => {}
        }
    }
}
