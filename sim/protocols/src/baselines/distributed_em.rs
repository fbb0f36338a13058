//! Distributed exact EM: every client sends the statistic of all its examples, the server averages.
//!
//! ```text
//! client: sends h_i = w_i (s̄_i(T(Ŝ)) − Ŝ), uncompressed;    server: Ŝ ← Ŝ + n⁻¹ Σ h_i = n⁻¹ Σ w_i s̄_i(T(Ŝ))
//! ```
//!
//! The iterates of EM in one place up to the rounding of sums: what federated algorithms save bits against. It is FedEM
//! without memory and compression, with all examples and γ = 1, and runs as that. Where contributions are missing,
//! n⁻¹ becomes (Σ w_i)⁻¹ of those that arrived, which makes Ŝ their mean, and the iterates are no longer EM's.

use fedbits_codec::{Identity, WireFloat};
use fedbits_spec::{Caveat, Described, Findings};
use serde::{Deserialize, Serialize};

use crate::fedem::{self, BatchRule, Broadcast, Divisor, Domain, FedEm, FedEmSettings, Memory};
use crate::over::{Built, ExamplesOf, Over};
use crate::plan::Staleness;
use crate::schedule::Schedule;
use crate::setting::{ProtocolSetting, RunFacts};

/// Distributed exact EM: uncompressed statistics of all examples, γ = 1.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DistributedEm {
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What happens when Ŝ leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// FedEM's settings that make it distributed EM.
pub fn settings(floats: WireFloat, domain: Domain) -> FedEmSettings {
    FedEmSettings {
        gamma: Schedule::Constant(1.0),
        memory: Memory::None,
        batch: BatchRule::All,
        divisor: Divisor::Weight,
        staleness: Staleness::Constant,
        compressor: Box::new(Identity { wire: floats }),
        floats,
        broadcast: Broadcast::Statistic,
        downlink: None,
        domain,
    }
}

impl ProtocolSetting for DistributedEm {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let algorithm = FedEm::new(federation, settings(self.floats, self.domain), s_hat)?;
            Ok(Built::new(run.star(algorithm)))
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(fedem::COLUMNS.to_vec())
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn statistic_floats(&self) -> WireFloat {
        self.floats
    }

    fn needs_only_the_map(&self) -> bool {
        true
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if run.missing().is_some() {
            findings.caveat(Caveat::MeanOfArrived {});
        }
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}
