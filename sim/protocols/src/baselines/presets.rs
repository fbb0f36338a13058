//! Algorithms that are FedEM with certain settings: what they set, and their source. Gradients replaced by h_i is our
//! reading of EF21 and MARINA.
//!
//! | algorithm | uplink | here |
//! |---|---|---|
//! | distributed EM | sends h_i = w_i (s̄_i − Ŝ) whole; Ŝ ← Ŝ + Σ h_i / Σ w_i over who arrived | [`DistributedEm`] |
//! | EF21, LAG, CLAG, EF21-SGDM | V_{0,i} = h_i(Ŝ₀), α = 1, the sum divided by n | [`Ef21`] |
//! | MARINA | sends h_i whole by a coin, else Quant of its change; H is carried on | [`Marina`] |
//! | FedGMM | clients have weights of their own ([`crate::fedem::OwnWeights`]) | [`FedGmm`] |
//! | DIANA | FedEM's messages about gradients | [`GradientAscent`] |

use fedbits_codec::{Indices, RandK, TopK, WireFloat};
use fedbits_models::ascent::Ascent;
use fedbits_models::fit::ExactSetting;
use fedbits_spec::range::{Interval, PROBABILITY};
use fedbits_spec::{Caveat, Choice, Described, Facts, Findings, Part, Path};
use serde::{Deserialize, Serialize};

use crate::error::{ProtocolError, Result};
use crate::fedem::{self, BatchRule, Broadcast, Coordinates, Domain, FedEm, FedEmSetting, Feedback};
use crate::federation::Federation;
use crate::footprint::{self, Sizes};
use crate::operator::{self, CONTRACTION, Operator};
use crate::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::theory::descent::{DescentMethod, DescentPremises};
use crate::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink, no_contraction};
use crate::vr_fedem::VarianceReduction;

/// A protocol that is FedEM with certain settings.
pub trait Preset: Part {
    /// These settings.
    fn fed_em(&self) -> FedEmSetting;
    /// Findings about its combination with the rest of the run.
    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings);
    /// Representative parameters.
    fn representatives() -> Vec<Self>
    where
        Self: Sized;
    /// Is what it estimates a statistic, and not a gradient?
    const OF_STATISTICS: bool = true;
    /// Which parameters each client has of its own, if it has any.
    const OWN: Option<&'static str> = None;
    /// It on its problem.
    ///
    /// # Errors
    /// As FedEM.
    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        let descent = self.descent(&problem.federation, run);
        let built = self.fed_em().build(problem, run)?;
        let (caveats, theory) = (built.caveats.into_iter(), None);
        let caveats = caveats.filter(|caveat| matches!(caveat, Caveat::SmallClients { .. })).collect();
        Ok(Built { caveats, theory, descent, ..built })
    }
    /// What theorems on gradient methods know of it, where everybody sends in every round.
    fn method(&self, _clients: u32, _length: usize) -> Option<DescentMethod> {
        None
    }
    /// The same with its step.
    fn descent(&self, federation: &Federation, run: &RunSettings) -> Option<DescentPremises> {
        let (n, setting) = (federation.clients(), self.fed_em());
        let all = fedem::hears_who_is_drawn(&run.rounds, n) && run.expected(n) == f64::from(n) && !run.rounds.loses;
        let method = self.method(n, federation.model().statistic_dimension()).filter(|_| all)?;
        let changes = !matches!(setting.gamma, Schedule::Constant(_));
        let unmet = changes.then_some("γ is not constant: that of the first round is compared").into_iter().collect();
        Some(DescentPremises { method, gamma: setting.gamma, target: None, unmet })
    }
    /// Can it fit this model?
    fn takes_model(&self, _model: &dyn ExactSetting) -> bool {
        true
    }
}

macro_rules! presets {
    ($($preset:ty),+) => {
        $(impl ProtocolSetting for $preset {
            fn over(&self) -> Over<'_> {
                Over::examples(|problem, run| Preset::build(self, problem, run))
            }

            fn profile(&self) -> Profile {
                let setting = self.fed_em();
                Profile {
                    statistic_floats: if Self::OF_STATISTICS { setting.floats } else { WireFloat::F64 },
                    other_objective: Self::OWN,
                    is_personalized: Self::OWN.is_some(),
                    takes_older: !Self::OF_STATISTICS,
                    needs_only_the_map: Self::OF_STATISTICS,
                    ..setting.profile()
                }
            }

            fn takes(&self, model: &dyn ExactSetting) -> bool {
                self.takes_model(model)
            }

            fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
                self.fed_em().memory(sizes)
            }

            fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
                self.check_with(run, findings);
            }

            /// What it divides by is not the user's, but of gradient ascent.
            fn check_robust(&self, run: &RunFacts<'_>, findings: &mut Findings) {
                if !Self::OF_STATISTICS {
                    self.fed_em().check_robust(run, findings);
                }
            }

            fn examples() -> Vec<Self> {
                Self::representatives()
            }
        })+
    };
}

presets!(DistributedEm, Ef21, Marina, FedGmm, GradientAscent);

/// Exact EM from uncompressed statistics, γ = 1. If contributions are missing, Ŝ is the mean of those that arrived.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DistributedEm {
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

impl Preset for DistributedEm {
    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting {
            memory: Memory::NoMemory,
            divide_by: DivideBy::Weights,
            floats: self.floats,
            domain: self.domain,
            ..FedEmSetting::of(Schedule::Constant(1.0))
        }
    }

    fn method(&self, _: u32, _: usize) -> Option<DescentMethod> {
        Some(DescentMethod::Gradient)
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        if run.missing().is_some() {
            findings.caveat(Caveat::MeanOfArrived {});
        }
    }

    fn representatives() -> Vec<Self> {
        vec![Self::default()]
    }
}

/// FedEM with EF21's error feedback (Richtárik et al. 2021), for contractions such as Top-k. Absent clients keep their
/// V_i (EF21-PP). `batch` and `momentum` give EF21-SGDM (Fatkhullin et al. 2023). `lazy` gives CLAG or, with
/// `Identity`, LAG (Richtárik et al. 2022).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = is_contraction)]
pub struct Ef21 {
    /// γ, server step.
    pub gamma: Schedule,
    /// Clients of a round.
    #[serde(default)]
    pub participation: Participation,
    /// C, a contraction.
    pub compressor: Operator,
    /// Examples per client and round.
    #[serde(default)]
    pub batch: BatchRule,
    /// η of EF21-SGDM: x_i ← (1 − η) x_i + η h_i. 1: EF21.
    #[serde(default = "whole_step")]
    #[range(PROBABILITY)]
    pub momentum: f64,
    /// ζ of LAG and CLAG. A client sends one bit instead of a message if ‖x_i − V_i‖² ≤ ζ ‖x_i − y_i‖², y_i its last
    /// x_i. 0: every message is sent, without this bit.
    #[serde(default)]
    #[range(TRIGGER)]
    pub lazy: f64,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

/// [0, 10⁶]: ζ.
const TRIGGER: Interval = Interval::closed(0.0, 1e6, "from 0 to 10⁶, no unit");

fn whole_step() -> f64 {
    1.0
}

fn is_contraction(setting: &Ef21, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let at = at.field("compressor");
    if setting.compressor.is_drawn_together() {
        let why = format!(
            "the clients of a round draw `{}` together, and each keeps an estimate of its own",
            setting.compressor.part_name()
        );
        return findings.error(at, why, "expected a contraction, such as `TopK(k: …)`");
    }
    let Some(q) = facts.vector else { return };
    let operator = setting.compressor.build(WireFloat::F64, 1);
    if let (Ok(()), Some(why)) =
        (operator.validate(q), no_contraction("EF21 needs a contraction", operator.as_ref(), q))
    {
        findings.error(at, why, CONTRACTION);
    }
}

impl Ef21 {
    /// EF21 with the step γ and a contraction; the rest as by default.
    #[must_use]
    pub fn of(gamma: Schedule, compressor: Operator) -> Self {
        Self {
            gamma,
            participation: Participation::default(),
            compressor,
            batch: BatchRule::default(),
            momentum: whole_step(),
            lazy: 0.0,
            floats: WireFloat::default(),
            domain: Domain::default(),
        }
    }

    fn feedback(&self) -> Option<Feedback> {
        let feedback = Feedback { momentum: self.momentum, lazy: self.lazy };
        (self.momentum < 1.0 || self.lazy > 0.0).then_some(feedback)
    }
}

impl Preset for Ef21 {
    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting {
            alpha: Alpha::Constant(1.0),
            memory: Memory::of(MemoryStart::MeanField, Commit::OnAcknowledgement),
            divide_by: DivideBy::Clients,
            participation: self.participation,
            compressor: self.compressor.clone(),
            allow_biased: true,
            batch: self.batch,
            floats: self.floats,
            domain: self.domain,
            feedback: self.feedback(),
            ..FedEmSetting::of(self.gamma)
        }
    }

    fn method(&self, clients: u32, length: usize) -> Option<DescentMethod> {
        let delta = self.compressor.build(self.floats, clients).contraction(length)?;
        let is_exact = self.batch == BatchRule::All && self.momentum == 1.0;
        is_exact.then_some(DescentMethod::Ef21 { delta, lazy: self.lazy })
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        run.check_batch(self.batch, findings);
        run.check_early(findings);
    }

    fn representatives() -> Vec<Self> {
        let top = Choice::of(TopK::new(2, Indices::default(), WireFloat::F64));
        let plain = Self::of(Schedule::Constant(0.5), top);
        let momentum = Self { batch: BatchRule::WithReplacement(3), momentum: 0.3, ..plain.clone() };
        let lazy = Self { lazy: 2.0, participation: Participation::Bernoulli(0.7), ..plain.clone() };
        vec![plain, momentum, lazy]
    }
}

/// FedEM with MARINA's estimator (Gorbunov et al. 2021): compressed changes of h_i or, by a shared coin and in the
/// first round, whole h_i. Every round needs all clients and uses all examples.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = is_unbiased)]
pub struct Marina {
    /// γ, server step.
    pub gamma: Schedule,
    /// p, probability of a round of whole messages.
    #[range(PROBABILITY)]
    pub probability: f64,
    /// Compressor of changes.
    pub compressor: Operator,
    /// Permits a biased compressor, which the theory excludes.
    #[serde(default)]
    pub allow_biased: bool,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
}

fn is_unbiased(setting: &Marina, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let consequence = "the estimate H drifts from the mean of the h_i";
    operator::unbiased(at, &setting.compressor, setting.allow_biased, consequence, findings);
}

impl Preset for Marina {
    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting {
            memory: Memory::NoMemory,
            full_rounds: Some(self.probability),
            compressor: self.compressor.clone(),
            allow_biased: self.allow_biased,
            floats: self.floats,
            domain: self.domain,
            ..FedEmSetting::of(self.gamma)
        }
    }

    fn method(&self, clients: u32, length: usize) -> Option<DescentMethod> {
        let operator = self.compressor.build(self.floats, clients);
        let omega = operator.omega(length)?;
        let omega_av = operator.omega_of_mean(length, clients, 1.0)?;
        Some(DescentMethod::Marina { omega, omega_av, probability: self.probability })
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        let why = "MARINA carries its estimate on from the changes of all clients: a contribution that is missing \
                   would bias it for good";
        run.need_everybody(why, findings);
    }

    fn representatives() -> Vec<Self> {
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

/// FedGMM without classifiers (Wu et al., ICML 2023): FedEM on mixtures with common components and personal weights.
/// Refuses `batch` and `variance_reduction`. `clients.csv` has the weights (`weight_0`, …), θ and the model file their
/// mean; ‖h‖² includes their change by an EM step. Label agreement and held-out values are not measured.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FedGmm(pub FedEmSetting);

impl Preset for FedGmm {
    const OWN: Option<&'static str> = Some("weights of each client");

    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting { is_personal: true, ..self.0.clone() }
    }

    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        // The theorems are about one θ.
        Ok(Built { theory: None, descent: None, ..self.fed_em().build(problem, run)? })
    }

    fn takes_model(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().has_own_parameters
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.fed_em().check_run(run, findings);
        if self.0.variance_reduction != VarianceReduction::NoReduction {
            let why = "SPIDER estimates are of statistics at one θ";
            findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
        }
        if self.0.batch != BatchRule::All {
            let why = "a client's weights are those of all its examples";
            findings.error("protocol.batch", why, "expected `All`, or the protocol `FedEm`");
        }
        if run.model.exact().is_some_and(|em| em.abilities().has_short_statistics && !self.takes_model(em)) {
            let found = "no parameters of this model can be a client's own";
            findings.error("protocol", found, "expected `FedEm(…)`, or `GaussianMixture(…)` as the model");
        }
    }

    fn representatives() -> Vec<Self> {
        let drawn = FedEmSetting::examples().into_iter().find(|setting| setting.batch != BatchRule::All);
        let drawn = drawn.map(|setting| Self(FedEmSetting { batch: BatchRule::All, ..setting }));
        std::iter::once(Self(FedEmSetting::of(Schedule::Constant(1.0)))).chain(drawn).collect()
    }
}

/// Gradient ascent on the marginal likelihood with FedEM's messages (DIANA; Mishchenko et al. 2019), in x = (log π, µ,
/// log variances). γ has no natural scale. Refuses `variance_reduction`; `domain` concerns only the start. ‖h(Ŝ)‖² is
/// that of EM at θ(x), ‖H‖² that of the estimated gradient.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct GradientAscent(pub FedEmSetting);

impl Preset for GradientAscent {
    const OF_STATISTICS: bool = false;

    fn fed_em(&self) -> FedEmSetting {
        self.0.clone()
    }

    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        let ExamplesOf { federation, s_hat, .. } = problem;
        let uplink = self.0.uplink(run, federation.clients());
        let sizes: Vec<u32> = (0..federation.clients()).map(|i| federation.size(i)).collect();
        let caveats = fedem::caveats(&self.0, &uplink, &sizes, s_hat.len());
        let ascent = gradient_ascent(federation, self.0.clone(), uplink, &s_hat)?;
        Ok(Built { caveats, ..Built::new(run.star(ascent)) })
    }

    fn takes_model(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().lacks_coordinates.is_none() && model.abilities().averages_parameters
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.0.check_run(run, findings);
        if self.0.variance_reduction != VarianceReduction::NoReduction {
            let why = "SPIDER estimates are of statistics, not of gradients";
            findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
        }
        if self.0.broadcast != Broadcast::default() {
            findings.no_effect("protocol.broadcast", "coordinates are sent, and parameters follow from them");
        }
        if self.0.domain == Domain::SkipRound {
            findings.no_effect("protocol.domain", "every vector of coordinates has parameters");
        }
        let Some(em) = run.model.exact().filter(|em| em.abilities().has_short_statistics) else { return };
        if let Some(lack) = em.abilities().lacks_coordinates {
            findings.error(lack.path, lack.message, lack.expected);
        } else if !em.abilities().averages_parameters {
            let found = "no statistic is known of the parameters of this model, which the record shows as Ŝ";
            findings.error("protocol", found, "expected `FedEm(…)` or another protocol that averages statistics");
        }
    }

    fn representatives() -> Vec<Self> {
        vec![Self(FedEmSetting::of(Schedule::Constant(0.1)))]
    }
}

/// FedEM on gradients from θ = T(`s_hat`), for which a statistic is clipped that has none under `Clip`.
///
/// # Errors
/// When the model has no coordinates, T(`s_hat`) does not exist, or the compressor does not fit.
pub fn gradient_ascent(em: Federation, setting: FedEmSetting, uplink: Uplink, s_hat: &[f64]) -> Result<FedEm> {
    let (Some(gradients), Some(coordinates)) = (em.under(Ascent::new), em.model().coordinates()) else {
        return Err(ProtocolError::Constrained);
    };
    let mut theta = Vec::new();
    let maximized = setting.domain.maximize(em.model(), s_hat, &mut theta);
    let clipped = maximized.map_err(ProtocolError::Initial)?;
    let x = coordinates.coordinates_of(&theta);
    // x is what is sent; parameters follow from it.
    let setting = FedEmSetting { broadcast: Broadcast::Statistic, ..setting };
    let shown = Coordinates::new(em, &x)?;
    Ok(FedEm::new(gradients, setting, uplink, x)?.showing(shown, clipped))
}
