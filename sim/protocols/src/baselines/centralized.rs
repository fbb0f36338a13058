//! EM: Ŝ ← s̄(T(Ŝ)) on pooled data. The reference that costs no bits.
//!
//! With weights w_i the pooled statistic is n⁻¹ Σ w_i s̄_i: every example counts the same under `Weighting::Examples`.
//! H is the mean field itself, h(Ŝ) = s̄(T(Ŝ)) − Ŝ, and γ = 1.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::pooled::{Batches, Pooled, Rule};
use crate::error::Result;
use crate::fedem::{BatchRule, Domain};

/// EM on all data in one place, without messages.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CentralizedEm {
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

impl Rule for CentralizedEm {
    type Memory = ();
    const NEEDS_ONLY_THE_MAP: bool = true;

    fn settings(&self) -> (BatchRule, Domain) {
        (BatchRule::All, self.domain)
    }

    fn step(&self, _: &mut (), pooled: &mut Pooled, _k: u64, _batches: Batches<'_>) -> Result<f64> {
        let (e_step, mut h) = (pooled.e_step()?, pooled.zeros());
        pooled.mean_field(e_step.as_ref(), &mut h);
        pooled.step(1.0, &h)
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}
