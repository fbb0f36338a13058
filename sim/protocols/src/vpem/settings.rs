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

/// VP-EM for data divided by features (`partition: EvenFeatures` or `Features([…])`). Needs a mixture with `covariance:
/// Full`, whose entries between blocks are 0.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct VpEm {
    /// Algorithm.
    pub setting: Architecture,
    /// Examples of an iteration; the first one visits all.
    #[serde(default)]
    pub batch: VpBatch,
    /// Singular block covariances.
    #[serde(default)]
    pub singular: Singular,
    /// Stopping rule.
    #[serde(default)]
    pub stopping: Stopping,
    /// Coding of terms sent to the server (`Federated`).
    #[serde(default)]
    pub uplink: VpLink,
    /// Coding of sums on the way back.
    #[serde(default)]
    pub downlink: VpLink,
    /// Clients use their own terms uncompressed, as in EF-VFL, so that π and likelihoods differ between clients. Needs
    /// `stopping: Never`.
    #[serde(default)]
    pub exact_own: bool,
    /// Missing blocks of features. Needs `Federated` with whole terms.
    #[serde(default)]
    pub missing_blocks: MissingBlocks,
}

/// Coding of terms in one direction: a vector of K numbers per visited example.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum VpLink {
    /// Uncompressed, 64 bits per number.
    #[default]
    Whole,
    /// Compressed.
    Compressed {
        /// C.
        compressor: Operator,
        /// Width of floats.
        #[serde(default)]
        floats: WireFloat,
        /// Surrogates of terms.
        #[serde(default)]
        surrogate: VpSurrogate,
    },
}

/// Surrogate Ĝ of a vector Q of terms.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum VpSurrogate {
    /// Both ends keep Ĝ ← Ĝ + α C(Q − Ĝ) per example (EF-VFL): the error of C vanishes as θ converges.
    Surrogate {
        /// α.
        #[serde(default)]
        alpha: Alpha,
        /// First message, from Ĝ = 0.
        #[serde(default)]
        first: FirstTerms,
    },
    /// None: receivers use C(Q) (CVFL), whose error remains.
    NoSurrogate,
}

impl Default for VpSurrogate {
    fn default() -> Self {
        Self::Surrogate { alpha: Alpha::default(), first: FirstTerms::default() }
    }
}

/// First message of a surrogate.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum FirstTerms {
    /// Compressed: Ĝ = α C(Q).
    #[default]
    Compressed,
    /// Uncompressed, 64 bits per number: Ĝ = Q.
    Whole,
}

/// Who sums the agents' terms.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Architecture {
    /// Algorithm 1: a server sums. Needs `shape: Star`.
    Federated,
    /// Algorithm 2: agents average with neighbours over direct links. Agents and unused settings are those of
    /// `DiffusionEm`.
    Decentralized {
        /// h: a hub holds the agents within h hops of its root.
        #[serde(default = "one")]
        #[range(whole(0, 1_000))]
        hops: u32,
        /// Choice among largest hubs of equal size.
        #[serde(default)]
        ties: Ties,
        /// Search for the hubs.
        #[serde(default)]
        clustering: HubSearch,
        /// W.
        #[serde(default)]
        weights: Weights,
        /// Averaging, by default as in the paper.
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
    let path = at.field("exact_own");
    match (vp_em.exact_own, is_federated && vp_em.uplink != VpLink::Whole) {
        (true, false) => findings.no_effect(path, "no client sends compressed terms to a server"),
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
