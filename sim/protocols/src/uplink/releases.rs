//! What the uplink lets out of clients: what secure aggregation and the Gaussian mechanism do not cover is refused.
//!
//! Clipping and noise act on the vector that is coded, Δ_i = x_i − V_i with the client's weight in x_i: whatever its
//! data, it moves Σ Δ_i by at most C. How many examples clients have is public.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_spec::{Caveat, Findings, Path};

use super::settings::{Commit, DivideBy, Memory, MemoryStart, Recovery};
use crate::operator::{self, Operator};
use crate::over::{BuildError, RunSettings};
use crate::plan::Late;
use crate::robust::{Robust, RobustRule};
use crate::setting::RunFacts;

/// Stands for the length of a statistic that is not known before the data are.
const UNKNOWN_LENGTH: usize = 1 << 20;

/// The model's `constants` are exchanged in the open before the first round, and what secure aggregation exchanges has
/// no bit string that a real network could carry.
pub(crate) fn are_covered(constants: usize, run: &RunSettings) -> Result<(), BuildError> {
    if run.strings.is_some() && run.rounds.aggregation.is_secure() {
        let found = "sockets carry the bit strings of messages, and keys and shares have lengths alone";
        return Err(BuildError::misfit("aggregation", found, "expected `Plain`"));
    }
    let plain = !run.rounds.aggregation.is_secure() && run.rounds.privacy.is_none();
    if plain || constants == 0 {
        return Ok(());
    }
    let found = "its constants are means over each client's examples, which clients send in the open";
    let expected = "expected another model (mixtures: `covariance: Known(…)`, `Diagonal` or `Full`), or neither \
        `aggregation` nor `privacy`";
    Err(BuildError::misfit("model", found, expected))
}

/// Is that ω the rounding to the floats of the wire, and no more?
pub(crate) fn is_rounding(omega: f64) -> bool {
    omega < 1e-9
}

/// Adds what memories are worth where clients lose state or messages. `keeps_more`: do clients keep more than V_i?
pub(crate) fn check_memory(memory: Memory, keeps_more: bool, run: &RunFacts<'_>, findings: &mut Findings) {
    match memory {
        Memory::NoMemory if run.dropout.loses_state() && !keeps_more => {
            findings.no_effect("dropout.state", "the state of a client is its memory, and there is none");
        }
        Memory::Memory { recovery: Recovery::Zero, .. } if run.dropout.loses_state() => {
            findings.caveat(Caveat::MemoryLost {});
        }
        Memory::Memory { recovery: Recovery::Zero, .. } => {
            let why = "clients keep their state (`dropout: Hazard(…, state: Lost)` would lose it)";
            findings.no_effect("protocol.memory.recovery", why);
        }
        _ => {}
    }
    let late = run.can_close_early() && run.late == Late::Discard;
    let on_send = matches!(memory, Memory::Memory { commit: Commit::OnSend, .. });
    if on_send && (run.loses() || late) {
        findings.caveat(Caveat::MemoryCommit {});
    }
}

/// What decides whether an uplink can be hidden.
pub(crate) struct Releases<'a> {
    pub memory: Memory,
    /// As it is resolved for the operator.
    pub divide_by: DivideBy,
    pub compressor: &'a Operator,
    pub floats: WireFloat,
    /// The length of what clients send, where it is known.
    pub length: Option<usize>,
}

impl Releases<'_> {
    /// The server needs (1/n) Σ ω_i Q(Δ_i) alone: V is the mean of the V_i, which it never sees. A client multiplies by
    /// its weight, which both know, itself.
    pub fn check_sums(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if self.divide_by == DivideBy::Estimated {
            let found =
                "a weight for each client is applied to its own contribution, of which the server knows the sum";
            findings.error("protocol.divide_by", found, "expected `Expected` or `Arrived`");
        }
        self.no_initial_upload(findings);
        match self.memory {
            Memory::Memory { commit: Commit::Resynchronized { .. }, .. } => {
                let found = "the server keeps a copy of each memory, for which it needs each contribution";
                findings.error("protocol.memory.commit", found, "expected `OnAcknowledgement` or `OnSend`");
            }
            Memory::Memory { recovery: Recovery::Restore, .. } if run.dropout.loses_state() => {
                let found = "the server keeps a copy of each memory, for which it needs each contribution";
                findings.error("protocol.memory.recovery", found, "expected `Zero`");
            }
            _ => {}
        }
        if self.floats == WireFloat::F32 {
            let found = "a masked entry has the precision of the field";
            findings.error("protocol.floats", found, "expected `F64`, and `aggregation.fraction_bits`");
        }
        let operator = self.operator(WireFloat::F64, run);
        if operator.common_entries(self.length.unwrap_or(1)).is_none() || operator.member(0).is_some() {
            let found =
                format!("messages of {} cannot be added: scales or positions are each client's own", operator.name());
            let expected = "expected `Identity` or `RandK(k: …, indices: SharedSeed)`, whose entries are rounded to \
                `fraction_bits` and masked";
            findings.error("protocol.compressor", found, expected);
        } else if operator.sparsifier().is_some() || self.length.is_some_and(|q| operator.common_entries(q) < Some(q)) {
            findings.caveat(Caveat::ChosenAlike {});
        }
    }

    /// A robust rule compares contributions, of which each has to be one of the whole vector.
    pub fn check_rule(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let instead = "a robust rule compares their contributions";
        operator::undivided(&Path::Root.field("protocol.compressor"), self.compressor, instead, findings);
        let by_entry = |robust: Robust| matches!(robust.rule, RobustRule::TrimmedMean | RobustRule::CoordinateMedian);
        let operator = self.operator(self.floats, run);
        let whole =
            |q| operator.sparsifier().is_none_or(|sparsifier| sparsifier.factor(q) <= 1.0 && sparsifier.most(q) >= q);
        if self.memory == Memory::NoMemory && run.robust.is_some_and(by_entry) && !self.length.is_none_or(whole) {
            findings.caveat(Caveat::RobustZeros { compressor: operator.name() });
        }
    }

    fn operator(&self, floats: WireFloat, run: &RunFacts<'_>) -> Box<dyn Compressor> {
        self.compressor.build(floats, run.facts.clients.map_or(1, |clients| clients as u32))
    }

    /// What clients let out beside the disturbed vectors, and what noise that they share (`shared`) does not hide.
    pub fn check_hidden(&self, run: &RunFacts<'_>, shared: bool, findings: &mut Findings) {
        self.no_initial_upload(findings);
        if !shared {
            return;
        }
        self.check_sends_all(run, findings);
        if self.memory != Memory::NoMemory {
            let found = "a memory keeps the client's share of the noise, which the sums of later rounds then lack";
            findings.error("protocol.memory", found, "expected `NoMemory`, or noise for each message");
        }
        match self.divide_by {
            DivideBy::Expected | DivideBy::Clients => {}
            // All are in all sums.
            DivideBy::Arrived | DivideBy::Weights | DivideBy::Auto if !run.is_partial() => {}
            DivideBy::Estimated => {
                let found = "who weighs more than others is not hidden by the same noise";
                findings.error("protocol.divide_by", found, "expected `Expected`");
            }
            DivideBy::Arrived | DivideBy::Weights | DivideBy::Auto => {
                let found = "the mean then shows how many took part, and so whether one more did";
                findings.error("protocol.divide_by", found, "expected `Expected`");
            }
        }
    }

    /// Noise that the clients of a round share is in the sum of what they send. An entry of it that only some of them
    /// send has their shares alone: less than what is claimed. In secure aggregation all send the same entries.
    fn check_sends_all(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let operator = self.operator(self.floats, run);
        if !run.secure && !operator.omega(self.length.unwrap_or(UNKNOWN_LENGTH)).is_some_and(is_rounding) {
            let found = format!(
                "{} works on each client's message by itself, and the sum then lacks shares of the noise",
                operator.name()
            );
            findings.error("protocol.compressor", found, "expected `Identity`, or `against: Server`");
        }
    }

    fn no_initial_upload(&self, findings: &mut Findings) {
        if matches!(self.memory, Memory::Memory { initial: MemoryStart::MeanField, .. }) {
            let found = "initial memories are each client's statistics, sent in the open";
            findings.error(
                "protocol.memory.initial",
                found,
                "expected `memory: Memory(initial: Zero)` or `memory: NoMemory`",
            );
        }
    }
}
