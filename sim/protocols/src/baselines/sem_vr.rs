//! sEM-vr: Chen, Zhu, Teh and Zhang, "Stochastic expectation maximization with variance reduction" (NeurIPS 2018).
//!
//! ```text
//! every `refresh` iterations:  θ~ = θ,  S~ = s̄(θ~)                                     N conditional expectations
//! iteration:                   Ŝ ← Ŝ + γ (s̄_B(θ) − s̄_B(θ~) + S~ − Ŝ),  θ = T(Ŝ)      2 b
//! ```
//!
//! The variance of H vanishes as θ and θ~ approach the same limit, so a constant γ converges. That s̄_B(θ~) is computed
//! again, not kept for all examples, is our reading. With all examples every iteration is EM's step of size γ.

use fedbits_models::EStep;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::pooled::{AmongAll, BATCH, Batches, Pooled, Rule};
use crate::error::Result;
use crate::fedem::{BatchRule, Domain};
use crate::schedule::Schedule;

/// sEM-vr in one place (Chen et al. 2018).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "SemVr")]
pub struct SemVrSetting {
    /// γ_k.
    pub gamma: Schedule,
    /// Examples of an iteration.
    #[serde(default)]
    #[range(AmongAll)]
    pub batch: BatchRule,
    /// Iterations between full passes.
    #[range(whole(1, u64::MAX).note(" (iterations)"))]
    pub refresh: u64,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

impl SemVrSetting {
    fn renews(&self, k: u64) -> bool {
        (k - 1).is_multiple_of(self.refresh)
    }
}

impl Rule for SemVrSetting {
    /// The anchor (θ~, S~).
    type Memory = Option<(Box<dyn EStep>, Vec<f64>)>;

    fn settings(&self) -> (BatchRule, Domain) {
        (self.batch, self.domain)
    }

    fn work(&self, k: u64, total: u32) -> u64 {
        2 * self.batch.count(total) + if self.renews(k) { u64::from(total) } else { 0 }
    }

    fn step(&self, kept: &mut Self::Memory, pooled: &mut Pooled, k: u64, batches: Batches<'_>) -> Result<f64> {
        let renews = self.renews(k);
        let (anchor, mean) = match kept.take().filter(|_| !renews) {
            Some(anchor) => anchor,
            None => {
                let (anchor, mut mean) = (pooled.e_step()?, pooled.zeros());
                pooled.all_statistics(anchor.as_ref(), &mut mean);
                (anchor, mean)
            }
        };
        let (e_step, batch) = (pooled.e_step()?, batches(BATCH));
        let (mut h, mut old) = (pooled.zeros(), pooled.zeros());
        pooled.statistics(e_step.as_ref(), &batch, &mut h);
        pooled.statistics(anchor.as_ref(), &batch, &mut old);
        for (j, h) in h.iter_mut().enumerate() {
            *h += mean[j] - old[j] - pooled.at.s_hat[j];
        }
        *kept = Some((anchor, mean));
        pooled.step(self.gamma.at(k), &h)
    }

    /// The anchor is renewed by a full pass.
    fn cycle(&self) -> Option<u64> {
        Some(self.refresh)
    }

    fn examples() -> Vec<Self> {
        let (gamma, batch) = (Schedule::Constant(0.5), BatchRule::WithReplacement(4));
        vec![Self { gamma, batch, refresh: 3, domain: Domain::Error }]
    }
}
