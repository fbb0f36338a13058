//! What FedEM lets out of its clients: what secure aggregation and the Gaussian mechanism do not cover is refused.

use fedbits_codec::WireFloat;
use fedbits_spec::{Caveat, Findings};

use super::parameters::{FedEmSetting, MemorySetting};
use super::settings::{Commit, DivideBy, MemoryStart, Recovery};
use crate::aggregation::Aggregation;
use crate::federation::{Federation, Weighting};
use crate::over::{BuildError, RunSettings};
use crate::setting::RunFacts;

/// Stands for the length of a statistic that is not known before the data are.
const UNKNOWN_LENGTH: usize = 1 << 20;

/// Constants of the model are exchanged in the open before the first round, and what secure aggregation exchanges has
/// no bit string that a real network could carry.
pub(super) fn are_covered(federation: &Federation, run: &RunSettings) -> Result<(), BuildError> {
    if run.strings.is_some() && run.rounds.aggregation != Aggregation::Plain {
        let found = "sockets carry the bit strings of messages, and keys and shares have lengths alone";
        return Err(BuildError::misfit("aggregation", found, "expected `Plain`"));
    }
    let plain = run.rounds.aggregation == Aggregation::Plain && run.rounds.privacy.is_none();
    if plain || federation.model().constants_dimension() == 0 {
        return Ok(());
    }
    let found = "its constants are means over each client's examples, which clients send in the open";
    let expected = "expected another model (mixtures: `covariance: Known(…)`, `Diagonal` or `Full`), or neither \
        `aggregation` nor `privacy`";
    Err(BuildError::misfit("model", found, expected))
}

/// Is that ω the rounding to the floats of the wire, and no more?
pub(super) fn is_rounding(omega: f64) -> bool {
    omega < 1e-9
}

impl FedEmSetting {
    /// The server of FedEM needs (1/n) Σ ω_i Q(Δ_i) alone: V is the mean of the V_i, which it never sees. The weight of
    /// a client, which both know, it multiplies itself.
    pub(super) fn check_only_sums(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if self.divide_by == DivideBy::Estimated {
            let found =
                "a weight for each client is applied to its own contribution, of which the server knows the sum";
            findings.error("protocol.divide_by", found, "expected `Expected` or `Arrived`");
        }
        self.no_initial_upload(findings);
        match self.memory {
            MemorySetting::Memory { commit: Commit::Resynchronized { .. }, .. } => {
                let found = "the server keeps a copy of each memory, for which it needs each contribution";
                findings.error("protocol.memory.commit", found, "expected `OnAcknowledgement` or `OnSend`");
            }
            MemorySetting::Memory { recovery: Recovery::Restore, .. } if run.dropout.loses_state() => {
                let found = "the server keeps a copy of each memory, for which it needs each contribution";
                findings.error("protocol.memory.recovery", found, "expected `Zero`");
            }
            _ => {}
        }
        if self.floats == WireFloat::F32 {
            let found = "a masked entry has the precision of the field";
            findings.error("protocol.floats", found, "expected `F64`, and `aggregation.fraction_bits`");
        }
        let clients = run.facts.clients.map_or(1, |clients| clients as u32);
        let operator = self.compressor.build(WireFloat::F64, clients);
        let length = run.facts.statistic.unwrap_or(1);
        if operator.common_entries(length).is_none() || operator.member(0).is_some() {
            let found =
                format!("messages of {} cannot be added: scales or positions are each client's own", operator.name());
            let expected = "expected `Identity` or `RandK(k: …, indices: SharedSeed)`, whose entries are rounded to \
                `fraction_bits` and masked";
            findings.error("protocol.compressor", found, expected);
        } else if operator.sparsifier().is_some() {
            findings.caveat(Caveat::ChosenAlike {});
        }
    }

    /// What clients let out beside the disturbed vectors, and what shared noise does not hide.
    pub(super) fn check_hidden(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.no_initial_upload(findings);
        if !shared {
            return;
        }
        self.check_sends_all(run, findings);
        if self.memory != MemorySetting::NoMemory {
            let found = "a memory keeps the client's share of the noise, which the sums of later rounds then lack";
            findings.error("protocol.memory", found, "expected `NoMemory`, or noise for each message");
        }
        if self.weighting == Weighting::Examples {
            let found = "who weighs more than others is not hidden by the same noise";
            findings.error("protocol.weighting", found, "expected `Clients`");
        }
        match self.divide_by {
            DivideBy::Expected => {}
            DivideBy::Estimated => {
                let found = "who weighs more than others is not hidden by the same noise";
                findings.error("protocol.divide_by", found, "expected `Expected`");
            }
            DivideBy::Arrived => {
                let found = "the mean then shows how many took part, and so whether one more did";
                findings.error("protocol.divide_by", found, "expected `Expected`");
            }
        }
    }

    /// Noise that the clients of a round share is in the sum of what they send. An entry of it that only some of them
    /// send has their shares alone: less than what is claimed. In secure aggregation all send the same entries.
    fn check_sends_all(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let length = run.facts.statistic.unwrap_or(UNKNOWN_LENGTH);
        let operator = self.compressor.build(self.floats, run.facts.clients.map_or(1, |clients| clients as u32));
        if !run.secure && !operator.omega(length).is_some_and(is_rounding) {
            let found = format!(
                "{} works on each client's message by itself, and the sum then lacks shares of the noise",
                operator.name()
            );
            findings.error("protocol.compressor", found, "expected `Identity`, or `against: Server`");
        }
    }

    fn no_initial_upload(&self, findings: &mut Findings) {
        if matches!(self.memory, MemorySetting::Memory { initial: MemoryStart::MeanField, .. }) {
            let found = "initial memories are each client's statistics, sent in the open";
            findings.error(
                "protocol.memory.initial",
                found,
                "expected `memory: Memory(initial: Zero)` or `memory: NoMemory`",
            );
        }
    }
}
