//! What a scenario of the right shape can still get wrong: ranges, sizes that do not fit together, settings without effect.
//! Every rule is tried, all findings are kept. This room must not know positions in text (paths stand for them), nor files.

mod baselines;
pub(crate) mod compressor;
mod data;
mod diffusion;
mod environment;
mod kinds;
mod latent;
mod low_rank;
mod matrix;
mod model;
mod network;
mod numbers;
mod peers;
mod presence;
mod protocol;
mod rounds;
mod run;
mod saem;
mod study;
mod topology;
mod vpem;

use crate::schema::{Covariance, Data, Effects, Model, Preprocess, Protocol, Scenario};

pub(crate) use run::arms;
pub(crate) use study::{measured, study};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Severity {
    /// The scenario cannot run.
    Error,
    /// A setting changes nothing: an error, unless another arm uses it.
    NoEffect,
    /// It runs; results are to be read with care.
    Caveat,
}

/// One finding at the field of a path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) expected: String,
}

/// The findings so far.
#[derive(Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, severity: Severity, path: &str, message: impl Into<String>, expected: impl Into<String>) {
        self.0.push(Finding { path: path.to_owned(), severity, message: message.into(), expected: expected.into() });
    }

    fn error(&mut self, path: &str, message: impl Into<String>, expected: impl Into<String>) {
        self.add(Severity::Error, path, message, expected);
    }

    /// `why` says what makes the setting void.
    fn no_effect(&mut self, path: &str, why: &str) {
        self.add(Severity::NoEffect, path, format!("`{path}` has no effect"), why);
    }

    fn caveat(&mut self, path: &str, message: &str) {
        self.add(Severity::Caveat, path, message, "");
    }
}

/// All findings about one scenario (its arms apart).
pub(crate) fn scenario(scenario: &Scenario) -> Vec<Finding> {
    with_data(scenario, &Measured::default())
}

/// The same when the data were read: rules that wait for a size that only the data tell find more then.
pub(crate) fn with_data(scenario: &Scenario, measured: &Measured) -> Vec<Finding> {
    let mut findings = Findings::default();
    let facts = Facts::of(scenario, measured);
    run::check(scenario, &mut findings);
    if !kinds::one_is_odd(scenario, &mut findings) {
        data::check(scenario, &facts, &mut findings);
        model::check(scenario, &facts, &mut findings);
        saem::fit(scenario, &mut findings);
        latent::fit(scenario, &mut findings);
        protocol::check(scenario, &facts, &mut findings);
        low_rank::check(scenario, &mut findings);
    }
    environment::check(scenario, &mut findings);
    rounds::check(scenario, &facts, &mut findings);
    presence::check(scenario, &mut findings);
    network::check(&scenario.network, &mut findings);
    findings.0
}

/// Sizes that the data told; those that are `None` are as unknown as without data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// n, the number of clients.
    pub(crate) clients: Option<usize>,
    /// d, the number of features after preparation.
    pub(crate) features: Option<usize>,
    /// N, the number of examples, or of subjects.
    pub(crate) examples: Option<u64>,
    /// q, the length of the statistic.
    pub(crate) statistic: Option<usize>,
    /// The length of θ.
    pub(crate) parameters: Option<usize>,
}

/// What is known about sizes, without reading data or with what was read.
pub(crate) struct Facts {
    /// n, the number of clients.
    pub(crate) clients: Option<usize>,
    /// d, the number of features after preparation.
    pub(crate) features: Option<usize>,
    /// G, the number of components of the model.
    pub(crate) components: usize,
    /// N, the number of examples, or of subjects.
    pub(crate) examples: Option<u64>,
    /// q, the length of the statistic.
    pub(crate) statistic: Option<usize>,
    /// The length of θ.
    pub(crate) parameters: Option<usize>,
}

impl Facts {
    pub(crate) fn of(scenario: &Scenario, measured: &Measured) -> Self {
        let text = match &scenario.model {
            Model::GaussianMixture { components, covariance } => {
                Facts::mixture(scenario, *components, covariance, measured.features)
            }
            Model::MixedEffects { .. } => Facts::mixed(scenario),
            Model::LowRank { .. } => low_rank::facts(scenario),
            Model::BiFactor { .. } | Model::Topics { .. } => latent::facts(&scenario.model),
        };
        Facts {
            clients: measured.clients.or(scenario.clients),
            features: measured.features.or(text.features),
            examples: measured.examples.or(text.examples),
            statistic: measured.statistic.or(text.statistic),
            parameters: measured.parameters,
            ..text
        }
    }

    fn mixture(scenario: &Scenario, components: usize, covariance: &Covariance, measured: Option<usize>) -> Self {
        let features = measured.or_else(|| features(scenario)).or(match covariance {
            Covariance::Known(matrix) => Some(matrix.len()),
            _ => None,
        });
        let examples = match &scenario.data {
            Data::GaussianMixture { examples, .. } | Data::RandomMixture { examples, .. } => Some(*examples),
            _ => None,
        };
        let statistic = features.and_then(|features| statistic_length(components, features, covariance));
        Facts { clients: None, features, components, examples, statistic, parameters: None }
    }

    /// Of a mixed-effects model, whose subjects the file counts.
    fn mixed(scenario: &Scenario) -> Self {
        let statistic = match &scenario.model {
            Model::MixedEffects { curve, effects: Effects::Diagonal, .. } => Some(2 * curve.parameters() + 1),
            Model::MixedEffects { curve, effects: Effects::Full, .. } => {
                let p = curve.parameters().min(MOST_PARAMETERS);
                Some(p + p * (p + 1) / 2 + 1)
            }
            _ => None,
        };
        Facts { clients: None, features: None, components: 1, examples: None, statistic, parameters: None }
    }
}

/// Curves have no more parameters; a larger number in the text is an error of its own.
const MOST_PARAMETERS: usize = 8;

/// d after the preparation, as far as the scenario alone tells.
fn features(scenario: &Scenario) -> Option<usize> {
    scenario.preprocess.iter().fold(data::raw_features(&scenario.data), |features, step| match step {
        Preprocess::Pca(components) => Some(*components),
        Preprocess::DropConstant
            if !matches!(scenario.data, Data::GaussianMixture { .. } | Data::RandomMixture { .. }) =>
        {
            None
        }
        _ => features,
    })
}

/// q: weights and means, and the second moments of the models that have them.
fn statistic_length(components: usize, features: usize, covariance: &Covariance) -> Option<usize> {
    let second = match covariance {
        Covariance::Known(_) | Covariance::Tied => 0,
        Covariance::Diagonal => features,
        Covariance::Full => features.checked_mul(features.checked_add(1)?)? / 2,
    };
    components.checked_mul(features.checked_add(1)?.checked_add(second)?)
}

/// The FedEM parameters, when the protocol has them.
fn fed_em(scenario: &Scenario) -> Option<&crate::schema::FedEm> {
    match &scenario.protocol {
        Protocol::FedEm(fed_em) | Protocol::FedMissEm(fed_em) | Protocol::GradientAscent(fed_em) => Some(fed_em),
        Protocol::CentralizedEm(_)
        | Protocol::DiffusionEm(_)
        | Protocol::OnlineEm(_)
        | Protocol::SemVr(_)
        | Protocol::IncrementalEm(_)
        | Protocol::Fiem(_)
        | Protocol::DistributedEm(_)
        | Protocol::Ef21(_)
        | Protocol::Marina(_)
        | Protocol::FedAvgEm(_)
        | Protocol::FlSaem(_)
        | Protocol::CentralizedSaem(_)
        | Protocol::VpEm(_)
        | Protocol::KMeans(_) => None,
    }
}
