//! Data, model and initial value are of one kind. One of them that is of another kind is one problem, whatever else follows from it.
//! This file must not know values.

use fedbits_models::data::DataKind;

use super::Findings;
use crate::schema::Scenario;

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
    let (data, model, initial) = (scenario.data.kind(), scenario.model.data(), scenario.initial.data());
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

/// What a part of this kind is called in a scenario.
fn names(kind: DataKind, part: Part) -> &'static str {
    match (kind, part) {
        (DataKind::Examples, Part::Data) => "`Csv(…)`, `Idx(…)`, `GaussianMixture(…)` or `RandomMixture(…)`",
        (DataKind::Examples, Part::Model) => "`GaussianMixture(…)`",
        (DataKind::Examples, Part::Initial) => "`Theta(…)`, `RandomExamples`, `KMeansPlusPlus(…)` or `KMeans(…)`",
        (DataKind::Counts, Part::Data) => "`Counts(…)` or `Visits(…)`",
        (DataKind::Counts, Part::Model) => "`LowRank(…)`",
        (DataKind::Counts, Part::Initial) => "`Zero` or `Margins`",
        (DataKind::Subjects, Part::Data) => "`Longitudinal(…)`",
        (DataKind::Subjects, Part::Model) => "`MixedEffects(…)`",
        (DataKind::Subjects, Part::Initial) => "`Typical(…)`",
        (DataKind::Responses, Part::Data) => "`Responses(…)`",
        (DataKind::Responses, Part::Model) => "`BiFactor(…)`",
        (DataKind::Responses, Part::Initial) => "`Loadings(…)`",
        (DataKind::Documents, Part::Data) => "`Corpus(…)`",
        (DataKind::Documents, Part::Model) => "`Topics(…)`",
        (DataKind::Documents, Part::Initial) => "`RandomTopics(…)`",
    }
}
