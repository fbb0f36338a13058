//! EM on data that are divided by examples, among neighbours and without a server. This file must not know messages.

use fedbits_protocols::fedem::Domain;
use fedbits_protocols::schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::Weights;

/// Parameters of diffusion and gossip EM. The sites of `network: Graph(…)` are the agents, as many as `clients`; access
/// links, the server and the placement of clients have no meaning then.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DiffusionEm {
    /// γ, the step of an agent's statistic towards that of its own examples, from the second iteration on (the first
    /// one has nothing to remember); in (0, 1]. With a constant below 1 and one round it is diffusion EM, with 1 and
    /// many rounds gossip EM.
    pub gamma: Schedule,
    /// W; default `Metropolis`.
    #[serde(default)]
    pub weights: Weights,
    /// How statistics are combined; default `Rounds(1)`.
    #[serde(default)]
    pub combine: Combine,
    /// What happens when an agent's statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// How agents combine what they have.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Combine {
    /// S rounds x ← W x per iteration; 1 to 100 000.
    Rounds(u32),
    /// S rounds of Chebyshev's iteration; 1 to 100 000.
    Chebyshev(u32),
}

impl Default for Combine {
    fn default() -> Self {
        Combine::Rounds(1)
    }
}
