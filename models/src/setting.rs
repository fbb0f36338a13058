//! Models as scenarios name them.

use fedbits_spec::range::{Interval, POSITIVE, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::bifactor::Law;
use crate::data::DataKind;
use crate::gmm::CovarianceForm;
use crate::low_rank::{Family, Matrices};
use crate::mixed::{CurveSetting, Effects, ResidualError};

/// The model, in the sufficient-statistics form of EM.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Model")]
#[described(rules = model_rules)]
pub enum ModelSetting {
    /// A mixture of G Gaussians.
    GaussianMixture {
        /// G, the number of components.
        #[range(whole(1, 10_000))]
        components: usize,
        /// What is known or shared of the covariances.
        covariance: CovarianceForm,
    },
    /// A curve per subject whose parameters vary between subjects; for longitudinal data.
    MixedEffects {
        /// The curve.
        curve: CurveSetting,
        /// The covariance of its parameters.
        #[serde(default)]
        effects: Effects,
        /// The residual error.
        #[serde(default)]
        error: ResidualError,
    },
    /// A low-rank matrix of sites × times behind counts: q = J·L.
    LowRank {
        /// r, the largest rank; 1 to the smaller side of the matrix.
        #[described(by_rules)]
        rank: usize,
        /// λ, the weight of the nuclear norm.
        #[serde(default)]
        #[range(LARGE)]
        lambda: f64,
        /// The law of an observation.
        #[serde(default)]
        family: Family,
        /// M, how many complete matrices the observations are part of.
        #[serde(default)]
        matrices: Matrices,
        /// Steps of the M-step where it has no closed form (`Poisson`, `Binomial`).
        #[serde(default = "one_step")]
        #[range(whole(1, 1_000))]
        steps: u32,
    },
    /// Item responses with a general factor and one more per group of items; for `Responses` data.
    BiFactor {
        /// The group of every item, from 1 without gaps.
        #[described(by_rules)]
        groups: Vec<usize>,
        /// The law of a response given the factors.
        #[serde(default)]
        law: Law,
    },
    /// Latent Dirichlet allocation: topics behind the words of documents; for `Corpus` data. q = V·K for V words.
    Topics {
        /// K.
        #[range(whole(2, 1_000))]
        topics: usize,
        /// α, the concentration of a document's proportions; small is few topics per document. No unit.
        #[range(POSITIVE)]
        alpha: f64,
        /// ε, tokens of every word that every topic is given beforehand. Dirichlet(1 + ε) is the prior of a topic.
        #[range(POSITIVE)]
        smoothing: f64,
    },
}

const LARGE: Interval = Interval::closed(0.0, 1e9, "from 0 to 1 000 000 000, no unit");

fn one_step() -> u32 {
    1
}

impl ModelSetting {
    /// The data that it is fitted to.
    #[must_use]
    pub fn data(&self) -> DataKind {
        match self {
            Self::GaussianMixture { .. } => DataKind::Examples,
            Self::LowRank { .. } => DataKind::Counts,
            Self::MixedEffects { .. } => DataKind::Subjects,
            Self::BiFactor { .. } => DataKind::Responses,
            Self::Topics { .. } => DataKind::Documents,
        }
    }

    /// G of a mixture; other models are as one component.
    #[must_use]
    pub fn components(&self) -> usize {
        if let Self::GaussianMixture { components, .. } = self { *components } else { 1 }
    }

    /// q for this many features, where that is all that it takes to know it.
    #[must_use]
    pub fn statistic(&self, features: Option<usize>) -> Option<usize> {
        match self {
            Self::GaussianMixture { components, covariance } => covariance.statistic(*components, features?),
            Self::MixedEffects { curve, effects, .. } => Some(curve.statistic(*effects)),
            Self::BiFactor { groups, law } => {
                let last = groups.iter().copied().max().unwrap_or(0).min(groups.len());
                Some(law.statistic(last, groups.len()))
            }
            Self::LowRank { .. } | Self::Topics { .. } => None,
        }
    }
}

fn model_rules(model: &ModelSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    match model {
        ModelSetting::LowRank { family: Family::Gaussian, steps, .. } if *steps != 1 => {
            findings.no_effect(at.field("steps"), "the M-step of Gaussian entries has a closed form");
        }
        ModelSetting::BiFactor { groups, .. } => without_gaps(groups, &at.field("groups"), facts, findings),
        _ => {}
    }
}

/// Every group from 1 to the last has an item.
fn without_gaps(groups: &[usize], at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    if groups.is_empty() {
        findings.error(at, "there are no items", "expected the group of every item");
    }
    let range = whole(1, groups.len() as u64).note(", at most one group per item");
    for (index, &group) in groups.iter().enumerate() {
        range.check_whole(group as u64, &at.index(index), facts, findings);
    }
    let last = groups.iter().copied().max().unwrap_or(0);
    if last > groups.len() {
        return;
    }
    for group in 1..=last {
        match groups.iter().filter(|own| **own == group).count() {
            0 => findings.error(at, format!("no item is in group {group}"), "expected groups without gaps"),
            1 => findings.caveat(
                at,
                format!("group {group} has one item: its loading cannot be told from what is left of the item"),
            ),
            _ => {}
        }
    }
}
