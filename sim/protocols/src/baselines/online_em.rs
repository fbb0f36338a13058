//! Online (mini-batch) EM: Cappé and Moulines, "On-line expectation-maximization algorithm for latent data models"
//! (JRSS B, 2009).
//!
//! ```text
//! B_k: b examples;   Ŝ ← Ŝ + γ_k (s̄_B(T(Ŝ)) − Ŝ)                                        b conditional expectations
//! ```
//!
//! γ_k falling like k^(−a) with a in (½, 1] converges; a constant γ ends in a noise ball. In the first `silent`
//! iterations θ stays (their advice: about 20), so that T never sees a statistic of a handful of examples: h(Ŝ) is not
//! known there, and an objective that stays is no reason to stop. The paper
//! takes examples from a stream; here they are drawn from the data, which is our reading. With all examples and γ = 1
//! this is EM.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::pooled::{AmongAll, BATCH, Batches, Pooled, Rule};
use crate::error::Result;
use crate::fedem::{BatchRule, Domain};
use crate::schedule::Schedule;

/// Online (mini-batch) EM in one place (Cappé and Moulines 2009).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OnlineEm {
    /// γ_k.
    pub gamma: Schedule,
    /// Examples of an iteration.
    #[serde(default)]
    #[range(AmongAll)]
    pub batch: BatchRule,
    /// Initial iterations that keep θ and record no ‖h‖², so that stop rules on values do not apply; about 20 for small
    /// batches.
    #[serde(default)]
    pub silent: u64,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

impl Rule for OnlineEm {
    type Memory = ();

    fn settings(&self) -> (BatchRule, Domain) {
        (self.batch, self.domain)
    }

    fn step(&self, _: &mut (), pooled: &mut Pooled, k: u64, batches: Batches<'_>) -> Result<f64> {
        let (e_step, mut h) = (pooled.e_step()?, pooled.zeros());
        pooled.statistics(e_step.as_ref(), &batches(BATCH), &mut h);
        h.iter_mut().zip(&pooled.at.s_hat).for_each(|(h, s)| *h -= s);
        let field_sq = pooled.move_by(self.gamma.at(k), &h);
        if k > self.silent {
            pooled.maximize()?;
        }
        Ok(field_sq)
    }

    fn examples() -> Vec<Self> {
        vec![Self { gamma: Schedule::Constant(0.5), batch: BatchRule::All, silent: 0, domain: Domain::Error }]
    }
}
