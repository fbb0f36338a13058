//! Data, model and initial value are of one kind. One of them that is of another kind is one problem, whatever else follows from it.
//! This file must not know values.

use fedbits_models::data::DataKind;

use super::Findings;
use crate::schema::{Data, Initial, Model, Scenario};

/// What belongs together.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Mixture,
    LowRank,
    MixedEffects,
    BiFactor,
    Topics,
}

/// Which of the fields that must be of one kind.
#[derive(Clone, Copy)]
enum Part {
    Data,
    Model,
    Initial,
}

/// Whether just one of data, model and initial value is of another kind than the two others. That is noted, and nothing can be said about
/// the other fields before it is repaired.
pub(super) fn one_is_odd(scenario: &Scenario, findings: &mut Findings) -> bool {
    let (data, model, initial) = (of_data(&scenario.data), of_model(&scenario.model), of_initial(&scenario.initial));
    let (odd, kind) = match (data == model, model == initial, data == initial) {
        (false, true, false) => (Part::Data, model),
        (false, false, true) => (Part::Model, data),
        (true, false, false) => (Part::Initial, data),
        _ => return false,
    };
    let (path, message) = match odd {
        Part::Data => ("data", "these data do not belong to the model and the start of the scenario"),
        Part::Model => ("model", "this model does not belong to the data and the start of the scenario"),
        Part::Initial => ("initial", "this start does not belong to the data and the model of the scenario"),
    };
    findings.error(path, message, format!("expected {}", names(kind, odd)));
    true
}

fn of_data(data: &Data) -> Kind {
    match data.kind() {
        DataKind::Examples => Kind::Mixture,
        DataKind::Counts => Kind::LowRank,
        DataKind::Subjects => Kind::MixedEffects,
        DataKind::Responses => Kind::BiFactor,
        DataKind::Documents => Kind::Topics,
    }
}

fn of_model(model: &Model) -> Kind {
    match model {
        Model::GaussianMixture { .. } => Kind::Mixture,
        Model::LowRank { .. } => Kind::LowRank,
        Model::MixedEffects { .. } => Kind::MixedEffects,
        Model::BiFactor { .. } => Kind::BiFactor,
        Model::Topics { .. } => Kind::Topics,
    }
}

fn of_initial(initial: &Initial) -> Kind {
    match initial {
        Initial::Theta { .. } | Initial::RandomExamples | Initial::KMeans { .. } | Initial::KMeansPlusPlus { .. } => {
            Kind::Mixture
        }
        Initial::Zero | Initial::Margins => Kind::LowRank,
        Initial::Typical { .. } => Kind::MixedEffects,
        Initial::Loadings { .. } => Kind::BiFactor,
        Initial::RandomTopics { .. } => Kind::Topics,
    }
}

/// What a part of this kind is called in a scenario.
fn names(kind: Kind, part: Part) -> &'static str {
    match (kind, part) {
        (Kind::Mixture, Part::Data) => "`Csv(…)`, `Idx(…)`, `GaussianMixture(…)` or `RandomMixture(…)`",
        (Kind::Mixture, Part::Model) => "`GaussianMixture(…)`",
        (Kind::Mixture, Part::Initial) => "`Theta(…)`, `RandomExamples`, `KMeansPlusPlus(…)` or `KMeans(…)`",
        (Kind::LowRank, Part::Data) => "`Counts(…)` or `Visits(…)`",
        (Kind::LowRank, Part::Model) => "`LowRank(…)`",
        (Kind::LowRank, Part::Initial) => "`Zero` or `Margins`",
        (Kind::MixedEffects, Part::Data) => "`Longitudinal(…)`",
        (Kind::MixedEffects, Part::Model) => "`MixedEffects(…)`",
        (Kind::MixedEffects, Part::Initial) => "`Typical(…)`",
        (Kind::BiFactor, Part::Data) => "`Responses(…)`",
        (Kind::BiFactor, Part::Model) => "`BiFactor(…)`",
        (Kind::BiFactor, Part::Initial) => "`Loadings(…)`",
        (Kind::Topics, Part::Data) => "`Corpus(…)`",
        (Kind::Topics, Part::Model) => "`Topics(…)`",
        (Kind::Topics, Part::Initial) => "`RandomTopics(…)`",
    }
}
