//! VP-EM as a scenario writes it, by the symbols of its paper.

use fedbits_codec::WireFloat;
use fedbits_models::gmm::vertical::Singular;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

use super::rules::{MissingBlocks, Stopping, VpBatch};
use crate::neighbours::consensus::Consensus;
use crate::neighbours::consensus::choco::{ChocoSettings, LANES, contracting};
use crate::neighbours::consensus::lossy::Missing;
use crate::neighbours::hubs::{HubSearch, Ties};
use crate::neighbours::weights::Weights;
use crate::operator::{self, Operator};
use crate::uplink::Alpha;

/// VP-EM, federated or decentralized: data divided by features. The features are divided over `clients` agents by
/// `partition: EvenFeatures` or `Features([…])`; the model is a mixture with `covariance: Full`, of which the entries
/// between blocks are 0.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct VpEm {
    /// Who adds the terms of the agents.
    pub setting: Architecture,
    /// The examples of an iteration after the first, which visits all.
    #[serde(default)]
    pub batch: VpBatch,
    /// What happens when a block's covariance is singular.
    #[serde(default)]
    pub singular: Singular,
    /// When agents stop by themselves.
    #[serde(default)]
    pub stopping: Stopping,
    /// How terms travel to the server of `Federated`.
    #[serde(default)]
    pub uplink: VpLink,
    /// How their sums travel back from it.
    #[serde(default)]
    pub downlink: VpLink,
    /// Whether a client whose terms are compressed uses its own as they are, as in EF-VFL: then clients see sums of
    /// their own, and weights π and likelihoods differ between them. Needs `stopping: Never`.
    #[serde(default)]
    pub exact_own: bool,
    /// Blocks of features that examples lack. `Federated`, with whole terms.
    #[serde(default)]
    pub missing_blocks: MissingBlocks,
}

/// How terms travel between a client and the server, in one direction: a message is one vector of K numbers for each
/// visited example.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum VpLink {
    /// As they are, 64 bits per number.
    #[default]
    Whole,
    /// Compressed.
    Compressed {
        /// C, the operator.
        compressor: Operator,
        /// The width of a float on the wire.
        #[serde(default)]
        floats: WireFloat,
        /// Whether terms are coded, or what they differ by from surrogates at both ends.
        #[serde(default)]
        surrogate: VpSurrogate,
    },
}

/// The surrogate Ĝ of a vector Q of terms that is sent again and again.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum VpSurrogate {
    /// Both ends keep Ĝ ← Ĝ + α C(Q − Ĝ) (EF-VFL), example by example: the error of C vanishes when θ comes to rest.
    Surrogate {
        /// α.
        #[serde(default)]
        alpha: Alpha,
        /// The first message, from Ĝ = 0.
        #[serde(default)]
        first: FirstTerms,
    },
    /// None: receivers have C(Q) (CVFL), whose error stays.
    NoSurrogate,
}

impl Default for VpSurrogate {
    fn default() -> Self {
        Self::Surrogate { alpha: Alpha::default(), first: FirstTerms::default() }
    }
}

/// The first message of a surrogate.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum FirstTerms {
    /// As all others: Ĝ = α C(Q).
    #[default]
    Compressed,
    /// Q, 64 bits per number: Ĝ = Q.
    Whole,
}

/// The two algorithms of the paper.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Architecture {
    /// Algorithm 1: a server adds the terms. Needs `shape: Star`.
    Federated,
    /// Algorithm 2: the sites of `shape: Graph(…)` are the agents, as many as `clients`; they average among
    /// neighbours. A message to a neighbour goes over the link between them, also where a detour would be faster.
    /// Access links, the server and the placement of clients have no meaning then.
    Decentralized {
        /// h: hubs hold agents within h hops of their root.
        #[serde(default = "one")]
        #[range(whole(0, 1_000))]
        hops: u32,
        /// Which of several largest hubs is taken.
        #[serde(default)]
        ties: Ties,
        /// Whether finding the hubs is charged.
        #[serde(default)]
        clustering: HubSearch,
        /// W.
        #[serde(default)]
        weights: Weights,
        /// How agents average; 100 rounds as in the paper.
        #[serde(default)]
        consensus: Consensus,
    },
}

fn one() -> u32 {
    1
}

impl VpEm {
    /// How agents average; none in a federation.
    #[must_use]
    pub fn consensus(&self) -> Option<&Consensus> {
        match &self.setting {
            Architecture::Federated => None,
            Architecture::Decentralized { consensus, .. } => Some(consensus),
        }
    }

    /// Does anything travel compressed between clients and a server?
    pub(super) fn compresses(&self) -> bool {
        self.links().iter().any(|(_, link)| **link != VpLink::Whole)
    }

    /// The directions of a federation, by their fields.
    pub(super) fn links(&self) -> [(&'static str, &VpLink); 2] {
        [("uplink", &self.uplink), ("downlink", &self.downlink)]
    }
}

fn rules(vp_em: &VpEm, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let (stops, batches) = (vp_em.stopping != Stopping::Never, vp_em.batch != VpBatch::All);
    if stops && batches {
        findings.caveat(Caveat::BatchesCompared {});
    }
    check_links(vp_em, at, facts, findings);
    let consensus = at.field("setting.consensus");
    if let Architecture::Decentralized {
        weights, consensus: Consensus::Lossy { missing: Missing::PushSum, .. }, ..
    } = &vp_em.setting
        && *weights != Weights::default()
    {
        let why = "push-sum cuts what an agent has into equal shares (`missing: Substitute` has weights)";
        findings.no_effect(at.field("setting.weights"), why);
    }
    match vp_em.consensus() {
        Some(consensus) if consensus.is_silent() && matches!(vp_em.stopping, Stopping::Flood { .. }) => {
            let found = "a decision to stop rides on the messages of rounds, and there are none";
            findings.error(at.field("stopping"), found, "expected another rule, or at least one round");
        }
        Some(Consensus::Lossy { .. }) if stops => {
            let found = "sums of a lossy consensus are known when everybody has finished: no root can stop by itself";
            findings.error(at.field("stopping"), found, "expected `Never`");
        }
        Some(Consensus::Choco(choco)) => {
            pieces(choco, vp_em.batch, &consensus.field("compressor"), facts, findings);
            if choco.tracking && batches {
                let found = "states of other examples cannot be tracked";
                let expected = "expected `tracking: false`, or `batch: All`";
                findings.error(consensus.field("tracking"), found, expected);
            }
        }
        _ => {}
    }
}

/// Do operators fit the vectors of all examples and of a batch?
fn check_links(vp_em: &VpEm, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let is_federated = vp_em.setting == Architecture::Federated;
    for (field, link) in vp_em.links() {
        let VpLink::Compressed { compressor, surrogate, .. } = link else { continue };
        let here = at.field(field);
        if !is_federated {
            findings.no_effect(here, "agents send one another what `consensus` says");
            continue;
        }
        operator::undivided(&here.field("compressor"), compressor, "clients send vectors of their own", findings);
        match (*surrogate, facts.examples) {
            (VpSurrogate::NoSurrogate, _) if !operator::is_unbiased(compressor) => {
                let consequence = "clients normalize C(Q) instead of Q, and the limit is not that of EM".to_owned();
                findings.caveat(Caveat::BiasedCompressor { consequence });
            }
            (VpSurrogate::Surrogate { alpha, .. }, Some(examples)) => {
                let length = facts.components * vp_em.batch.size(1, examples as usize) as usize;
                operator::no_rate(&here, compressor, alpha, Some(length), findings);
            }
            _ => {}
        }
    }
    if vp_em.missing_blocks != MissingBlocks::Complete && (!is_federated || vp_em.compresses()) {
        let found = "an agent without a block sends no terms of it: hubs and surrogates need those of all examples";
        let expected = "expected `Complete`, or `setting: Federated` with `uplink: Whole` and `downlink: Whole`";
        findings.error(at.field("missing_blocks"), found, expected);
    }
    if vp_em.missing_blocks != MissingBlocks::Complete && facts.clients == Some(1) {
        let found = "the one agent has the only block, which every example has";
        findings.error(at.field("missing_blocks"), found, "expected `Complete`, or two clients or more");
    }
    let own = at.field("exact_own");
    match (vp_em.exact_own, is_federated && vp_em.uplink != VpLink::Whole) {
        (true, false) => findings.no_effect(own, "no client sends compressed terms to a server"),
        (true, true) if vp_em.stopping != Stopping::Never => {
            let found = "clients see likelihoods of their own, and would not stop together";
            findings.error(at.field("stopping"), found, "expected `Never`, or `exact_own: false`");
        }
        _ => {}
    }
}

/// Does the operator fit the vectors that it codes: K numbers for each of 32 examples, and of the last ones of all and
/// of a batch, where these are fewer?
fn pieces(choco: &ChocoSettings, batch: VpBatch, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    operator::undivided(at, &choco.compressor, "agents send vectors of their own", findings);
    let Some(examples) = facts.examples.map(|examples| examples as usize) else { return };
    let last = |iteration| (batch.size(iteration, examples).max(1) - 1) % LANES as u64 + 1;
    let compressor = choco.compressor.build(WireFloat::F64, 1);
    for piece in [last(1).min(last(2)), last(1).max(last(2)), examples.clamp(1, LANES) as u64] {
        let length = facts.components * piece as usize;
        if let Err(error) = compressor.validate(length) {
            let found = "differences are coded 32 examples at a time, and a piece of them";
            return findings.error(at, format!("{found} has {}", so_many(length, "number")), error.to_string());
        }
        if let Err(error) = contracting(compressor.as_ref(), length) {
            let expected = "expected an unbiased compressor, `TopK(k: …)`, `ScaledSign` or `RankR(…)`";
            return findings.error(at, error.to_string(), expected);
        }
    }
}
