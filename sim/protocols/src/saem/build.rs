//! FL-SAEM and SAEM in one place as a scenario names them: what they need of the run around them, and the algorithms
//! that they make.

use fedbits_codec::{Indices, RandK, WireFloat};
use fedbits_models::ModelSetting;
use fedbits_models::latent::AUTOMATIC_DRAWS;
use fedbits_models::topics::PERPLEXITY;
use fedbits_spec::{Caveat, Choice, Findings};

use super::Saem;
use super::alone::Central;
use super::sampler::{Kernel, Local, Sampler};
use super::settings::{CentralizedSaem, FlSaem, Gain, Sends};
use super::star::COLUMNS;
use super::uplink::{DifferenceDivisor, Uplink};
use crate::alone::AloneRun;
use crate::fedem::{Alpha, Commit, Domain};
use crate::footprint::{Kept, Part, Sizes};
use crate::operator::is_unbiased;
use crate::over::{Built, Over, SubjectsOf};
use crate::plan::Participation;
use crate::setting::{ProtocolSetting, RunFacts};

/// A gain of the laws' examples.
const SAEM: Gain = Gain::Saem { first: 1.0, k1: 3, exponent: 1.0 };

impl ProtocolSetting for FlSaem {
    fn over(&self) -> Over<'_> {
        Over::Subjects(Box::new(|SubjectsOf { panel, theta }, run| {
            let expected = run.expected(panel.clients());
            let saem = Saem::new(panel, self.clone(), expected, theta, run.streams)?;
            let caveats = self.uplink.large_alpha(saem.compressor.as_ref(), saem.first.len()).into_iter().collect();
            Ok(Built { caveats, ..Built::new(run.star(saem)) })
        }))
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(columns())
    }

    fn participation(&self) -> Participation {
        self.participation
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    /// Memories keep what clients send exact; the server sends θ.
    fn statistic_floats(&self) -> WireFloat {
        let sends_whole = self.uplink == Uplink::Raw && self.sends == Sends::Statistics;
        if sends_whole { self.floats } else { WireFloat::F64 }
    }

    fn likelihood_draws(&self) -> u32 {
        self.likelihood_draws.unwrap_or(AUTOMATIC_DRAWS)
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        let (vectors, compressor) = (u64::from(self.uplink != Uplink::Raw), self.compressor.clone());
        let kept = Kept { vectors, compressor, ..Kept::nothing(sizes.statistic) };
        kept.parts(sizes, self.participation).into_iter().chain(self.local.memory(sizes)).collect()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.local.check_model(run.model, findings);
        check_likelihood(self.likelihood_draws, run.model, findings);
        let Some(model) = run.model.sampled() else { return };
        if self.is_scaled() && !model.abilities().scales {
            findings.no_effect("protocol.coordinates", "the statistics of this model are used as they are");
        }
        if self.sends == Sends::Gradient && !model.abilities().parameter_gradient {
            let found = "this model has no gradient in its parameters";
            findings.error("protocol.sends", found, "expected `Statistics` or `Parameters`");
        }
        self.check_losses(run, findings);
    }

    fn examples() -> Vec<Self> {
        let local = Local::Sample(Sampler::of(Kernel::Gibbs));
        let compressor = Choice::of(RandK::new(2, Indices::default(), WireFloat::F64));
        let uplink = Uplink::Memory {
            alpha: Alpha::Auto,
            divide_by: DifferenceDivisor::Expected,
            commit: Commit::OnAcknowledgement,
        };
        // Sampled labels of few subjects, and a coarse operator on them, leave the domain of T.
        let domain = Domain::Clip { floor: 1e-3 };
        let plain = Self::from(&CentralizedSaem { gain: SAEM, local, domain, likelihood_draws: None });
        vec![plain.clone(), Self { uplink, compressor, ..plain }]
    }
}

impl ProtocolSetting for CentralizedSaem {
    fn over(&self) -> Over<'_> {
        Over::Subjects(Box::new(move |SubjectsOf { panel, theta }, run| {
            let saem = Saem::new(panel, FlSaem::from(self), 1.0, theta, run.streams)?;
            Ok(Built::new(AloneRun(Central::new(saem))))
        }))
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(columns())
    }

    fn is_centralized(&self) -> bool {
        true
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn likelihood_draws(&self) -> u32 {
        self.likelihood_draws.unwrap_or(AUTOMATIC_DRAWS)
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        self.local.memory(sizes)
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.local.check_model(run.model, findings);
        check_likelihood(self.likelihood_draws, run.model, findings);
    }

    fn examples() -> Vec<Self> {
        vec![Self { gain: SAEM, local: Local::Expect, domain: Domain::Error, likelihood_draws: None }]
    }
}

/// With what topic models find.
fn columns() -> Vec<&'static str> {
    COLUMNS.into_iter().chain([PERPLEXITY]).collect()
}

fn check_likelihood(draws: Option<u32>, model: &dyn ModelSetting, findings: &mut Findings) {
    let lacking = model.sampled().and_then(|model| model.lacks_likelihood());
    if let Some((found, expected)) = lacking.filter(|_| draws.is_some_and(|draws| draws > 0)) {
        findings.error("protocol.likelihood_draws", found, expected);
    }
}

impl FlSaem {
    /// What lost and late messages do to memories.
    fn check_losses(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_early(findings);
        let Uplink::Memory { commit, .. } = self.uplink else { return run.check_mean(findings) };
        if run.dropout.loses_state() {
            let found = "clients that lose their memory V_i cannot go on: nobody sends it back";
            findings.error("dropout", found, "expected `state: Kept`, or `uplink: Raw`");
        }
        if commit == Commit::OnSend && (run.loses() || run.can_close_early()) {
            findings.caveat(Caveat::MemoryCommit {});
        }
        if self.uplink.divides_by_expected(is_unbiased(&self.compressor)) {
            run.check_expected_number("the estimate", findings);
        }
    }
}
