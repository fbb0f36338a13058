//! FedEM with EF21 instead of DIANA's memories: Richtárik, Sokolov and Fatkhullin, "EF21: a new, simpler, theoretically
//! better, and practically faster error feedback" (NeurIPS 2021), with gradients replaced by h_i. That replacement is
//! our reading.
//!
//! ```text
//! g_{0,i} = h_i(Ŝ₀), uploaded once, uncompressed;   g = n⁻¹ Σ g_i at the server
//! client:  c_i = C(h_i(Ŝ) − g_i),  g_i ← g_i + c_i,  sends c_i
//! server:  g ← g + n⁻¹ Σ c_i,  H = g,  Ŝ ← Ŝ + γ H
//! ```
//!
//! C may be biased: any contraction, E‖C(x) − x‖² ≤ (1 − δ)‖x‖² with δ > 0, Top-k above all. With V_i = g_i these are
//! FedEM's messages for α = 1 and a sum divided by n, and it runs as that: so clients that are absent or lost keep
//! their g_i (EF21-PP).

use fedbits_codec::{Compressor, Indices, TopK, WireFloat};
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::error::ProtocolError;
use crate::fedem::{
    self, Alpha, BatchRule, Broadcast, Commit, Divisor, Domain, FedEm, FedEmSettings, Memory, MemoryStart, Recovery,
};
use crate::footprint::{Kept, Part, Sizes};
use crate::operator::{CONTRACTION, Operator, no_contraction};
use crate::over::{Built, ExamplesOf, Over};
use crate::plan::{Participation, Staleness};
use crate::schedule::Schedule;
use crate::setting::{ProtocolSetting, RunFacts};

/// FedEM with EF21's error feedback instead of DIANA's memories: for biased compressors such as Top-k.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Ef21 {
    /// γ, the step of the server.
    pub gamma: Schedule,
    /// Who takes part in a round.
    #[serde(default)]
    pub participation: Participation,
    /// C, a contraction.
    pub compressor: Operator,
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What happens when Ŝ leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// What it says of other operators.
const NEEDS: &str = "EF21 needs a contraction";

fn rules(own: &Ef21, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let at = at.field("compressor");
    if own.compressor.divides_among_clients() {
        let why = "`PermK` gives every client a part of one vector: for a single client it is no contraction";
        findings.error(at, why, "expected a contraction, such as `TopK(k: …)`");
    }
    let Some(q) = facts.vector else { return };
    let operator = own.compressor.build(WireFloat::F64, 1);
    if let (Ok(()), Some(why)) = (operator.validate(q), no_contraction(NEEDS, operator.as_ref(), q)) {
        findings.error(at, why, CONTRACTION);
    }
}

/// FedEM's settings that make it EF21, for `clients` clients and statistics of length `q`.
///
/// # Errors
/// When C does not fit, or is no contraction.
pub fn settings(
    gamma: Schedule,
    compressor: Box<dyn Compressor>,
    (clients, q): (u32, usize),
    floats: WireFloat,
    recovery: Option<Recovery>,
    domain: Domain,
) -> Result<FedEmSettings, ProtocolError> {
    compressor.validate(q)?;
    if let Some(why) = no_contraction(NEEDS, compressor.as_ref(), q) {
        return Err(ProtocolError::Unfit(why));
    }
    let (alpha, start, commit) = (Alpha::Constant(1.0), MemoryStart::MeanField, Commit::OnAcknowledgement);
    Ok(FedEmSettings {
        gamma,
        memory: Memory::Kept { alpha, start, commit, recovery },
        batch: BatchRule::All,
        divisor: Divisor::Expected(f64::from(clients)),
        staleness: Staleness::Constant,
        compressor,
        floats,
        broadcast: Broadcast::Statistic,
        downlink: None,
        domain,
    })
}

impl ProtocolSetting for Ef21 {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let (n, q) = (federation.clients(), s_hat.len());
            let operator = self.compressor.build(self.floats, n);
            let recovery = run.rounds.forgets.then_some(Recovery::Restore);
            let settings = settings(self.gamma, operator, (n, q), self.floats, recovery, self.domain)?;
            Ok(Built::new(run.star(FedEm::new(federation, settings, s_hat)?)))
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(fedem::COLUMNS.to_vec())
    }

    fn participation(&self) -> Participation {
        self.participation
    }

    fn begins_with_everybody(&self) -> bool {
        true
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

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let (vectors, compressor) = (1, self.compressor.clone());
        let kept = Kept { vectors, compressor, initial: true, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, self.participation)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_early(findings);
    }

    fn examples() -> Vec<Self> {
        vec![Self {
            gamma: Schedule::Constant(0.5),
            participation: Participation::default(),
            compressor: Choice::of(TopK::new(2, Indices::default(), WireFloat::F64)),
            floats: WireFloat::default(),
            domain: Domain::default(),
        }]
    }
}
