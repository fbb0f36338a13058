//! Distributed exact EM: every client sends the statistic of all its examples, the server averages.
//!
//! ```text
//! client: sends h_i = w_i (s̄_i(T(Ŝ)) − Ŝ), uncompressed;    server: Ŝ ← Ŝ + n⁻¹ Σ h_i = n⁻¹ Σ w_i s̄_i(T(Ŝ))
//! ```
//!
//! The iterates of EM in one place up to the rounding of sums: what federated algorithms save bits against. It is FedEM
//! without memory and compression, with all examples and γ = 1, and runs as that. Where contributions are missing the
//! mean is over those that arrived, and the iterates are no longer EM's.

use fedbits_codec::{Identity, WireFloat};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::fedem::{BatchRule, Broadcast, DivideBy, Domain, FedEmSettings, Memory};
use crate::plan::Staleness;
use crate::schedule::Schedule;

/// Distributed exact EM.
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
        divide_by: DivideBy::Arrived,
        expected: 1.0,
        staleness: Staleness::Constant,
        compressor: Box::new(Identity { wire: floats }),
        floats,
        broadcast: Broadcast::Statistic,
        downlink: None,
        domain,
    }
}
