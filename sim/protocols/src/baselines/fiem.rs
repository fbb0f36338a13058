//! FIEM, fast incremental EM: Karimi, Wai, Moulines and Lavielle, "On the global convergence of (fast) incremental
//! expectation maximization methods" (NeurIPS 2019); with λ: Fort, Gach and Moulines, "Fast incremental expectation
//! maximization for finite-sum optimization" (Statistics and Computing, 2021).
//!
//! ```text
//! at the start:  Ŝ = s̄(θ₀), θ = T(Ŝ),  m_j = s̄_j(θ) for every example, S~ = N⁻¹ Σ m_j       N conditional expectations
//! iteration:     I, J: b examples each, independent;  m_j ← s̄_j(θ) for j in I (S~ follows)
//!                Ŝ ← Ŝ + γ (s̄_J(θ) − Ŝ + λ (S~ − m_J)),   θ = T(Ŝ)                           2 b
//! ```
//!
//! m_J is the mean over J of the memories after the update of I. λ = 1 is FIEM, λ = 0 online EM. With all examples and
//! λ = 1 every iteration is EM's step of size γ.

use fedbits_spec::Described;
use fedbits_spec::range::Interval;
use serde::{Deserialize, Serialize};

use super::iem::ExampleMemory;
use super::pooled::{AmongAll, BATCH, Batches, Pooled, Rule};
use crate::error::Result;
use crate::fedem::{BatchRule, Domain};
use crate::schedule::Schedule;

/// Number of the batch I.
const UPDATE: u64 = 1;

/// [0, 1].
const WEIGHT: Interval = Interval::closed(0.0, 1.0, "in [0, 1], no unit");

/// FIEM in one place (Karimi et al. 2019; Fort et al. 2021).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Fiem")]
pub struct FiemSetting {
    /// γ_k.
    pub gamma: Schedule,
    /// Examples of each of two draws per iteration.
    #[serde(default)]
    #[range(AmongAll)]
    pub batch: BatchRule,
    /// λ, weight of the control variate; 0: online EM.
    #[serde(default = "one")]
    #[range(WEIGHT)]
    pub lambda: f64,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

fn one() -> f64 {
    1.0
}

impl Rule for FiemSetting {
    type Memory = ExampleMemory;
    const KEEPS_STATISTICS: bool = true;

    fn settings(&self) -> (BatchRule, Domain) {
        (self.batch, self.domain)
    }

    fn work(&self, k: u64, total: u32) -> u64 {
        2 * self.batch.count(total) + if k == 1 { u64::from(total) } else { 0 }
    }

    fn step(&self, memory: &mut ExampleMemory, pooled: &mut Pooled, k: u64, batches: Batches<'_>) -> Result<f64> {
        memory.fill(pooled)?;
        memory.renew(pooled, &batches(UPDATE))?;
        let (e_step, mut h, batch) = (pooled.e_step()?, pooled.zeros(), batches(BATCH));
        pooled.statistics(e_step.as_ref(), &batch, &mut h);
        let share = self.lambda / batch.len() as f64;
        for &j in &batch {
            let differences = memory.mean.iter().zip(memory.row(j));
            h.iter_mut().zip(differences).for_each(|(h, (mean, entry))| *h += share * (mean - entry));
        }
        h.iter_mut().zip(&pooled.at.s_hat).for_each(|(h, s)| *h -= s);
        pooled.step(self.gamma.at(k), &h)
    }

    fn examples() -> Vec<Self> {
        let (gamma, batch) = (Schedule::Constant(0.5), BatchRule::WithReplacement(4));
        vec![Self { gamma, batch, lambda: 1.0, domain: Domain::Error }]
    }
}
