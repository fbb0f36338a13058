//! FedEM with MARINA's estimator: Gorbunov, Burlachenko, Li and Richtárik, "MARINA: faster non-convex distributed
//! learning with compression" (ICML 2021), with gradients replaced by h_i. That replacement is our reading.
//!
//! ```text
//! a coin c_k ~ Bernoulli(p) that all share (c_1 = 1)
//! client:  sends h_i(Ŝ_k) uncompressed when c_k = 1, else Quant(h_i(Ŝ_k) − h_i(Ŝ_{k−1}))
//! server:  H_k = n⁻¹ Σ h_i(Ŝ_k) when c_k = 1, else H_{k−1} + n⁻¹ Σ Quant(…);   Ŝ ← Ŝ + γ H
//! ```
//!
//! The coin comes from a seed that all share and costs no bits. Clients keep h_i of the last round as their V_i, so
//! every round is one pass over their examples. It runs as FedEM with [`Memory::Marina`]: broadcasts, conventions and
//! the domain's policy are FedEM's. H is carried on from round to round: the algorithm needs every client in every
//! round.

use fedbits_codec::{Compressor, Indices, RandK, WireFloat};
use fedbits_spec::range::PROBABILITY;
use fedbits_spec::{Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::distributed_em;
use crate::fedem::{self, Domain, FedEm, FedEmSettings, Memory};
use crate::footprint::{self, Kept, Part, Sizes};
use crate::operator::{self, Operator};
use crate::over::{Built, ExamplesOf, Over};
use crate::schedule::Schedule;
use crate::setting::{DRAWN_CYCLES, ProtocolSetting, RunFacts};

/// FedEM with MARINA's estimator: changes of h_i are compressed, and now and then h_i is sent whole.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct Marina {
    /// γ, the step of the server.
    pub gamma: Schedule,
    /// p, the probability of a round with uncompressed messages.
    #[range(PROBABILITY)]
    pub probability: f64,
    /// The operator on the changes of h_i.
    pub compressor: Operator,
    /// Run a biased compressor although the estimate needs an unbiased one.
    #[serde(default)]
    pub allow_biased: bool,
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What happens when Ŝ leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

fn rules(own: &Marina, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let consequence = "the estimate H drifts from the mean of the h_i";
    operator::unbiased(at, &own.compressor, own.allow_biased, consequence, findings);
}

/// FedEM's settings that make it MARINA with full rounds of probability `p`.
pub fn settings(
    gamma: Schedule,
    compressor: Box<dyn Compressor>,
    p: f64,
    floats: WireFloat,
    domain: Domain,
) -> FedEmSettings {
    let memory = Memory::Marina { p };
    FedEmSettings { gamma, compressor, memory, ..distributed_em::settings(floats, domain) }
}

impl ProtocolSetting for Marina {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let operator = self.compressor.build(self.floats, federation.clients());
            let settings = settings(self.gamma, operator, self.probability, self.floats, self.domain);
            Ok(Built::new(run.star(FedEm::new(federation, settings, s_hat)?)))
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

    /// Full rounds come by chance.
    fn cycle(&self) -> u64 {
        (DRAWN_CYCLES as f64 / self.probability) as u64
    }

    /// In some rounds everything is sent whole.
    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let Sizes { clients, statistic, .. } = *sizes;
        let whole = Kept { vectors: 2, initial: true, ..Kept::nothing(statistic) };
        let changes = footprint::messages("protocol.compressor", &self.compressor, statistic, clients);
        whole.parts(sizes, self.participation()).into_iter().chain([changes]).collect()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if let Some(path) = run.missing() {
            findings.error(
                path,
                "MARINA carries its estimate on from the changes of all clients: a contribution that is missing would \
                 bias it for good",
                "expected `WaitForAll`, clients that are always there, and a network that loses nothing (`delivery: \
                 Reliable(…)`, or losses of at most 1 % under `Tcp()`)",
            );
        }
    }

    fn examples() -> Vec<Self> {
        vec![Self {
            gamma: Schedule::Constant(0.5),
            probability: 0.5,
            compressor: Choice::of(RandK::new(2, Indices::default(), WireFloat::F64)),
            allow_biased: false,
            floats: WireFloat::default(),
            domain: Domain::default(),
        }]
    }
}
