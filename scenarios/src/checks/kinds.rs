//! Data, model and initial value are of one kind. One of them that is of another kind is one problem, whatever else
//! follows from it.

use fedbits_models::data::DataKind;

use super::Findings;
use crate::schema::{Partition, Scenario};

/// Which of the fields that must be of one kind.
#[derive(Clone, Copy)]
enum Part {
    Data,
    Model,
    Initial,
}

/// Do data, model and initial value belong together? Else it is noted which of them do not, and nothing can be said
/// about the other fields before that is repaired.
pub(super) fn belong_together(scenario: &Scenario, findings: &mut Findings) -> bool {
    let (data, model, initial) = (scenario.data.kind(), scenario.model.data(), scenario.initial.data());
    if data == initial && data != model {
        odd(Part::Model, data, findings);
        return false;
    }
    for (part, kind) in [(Part::Data, data), (Part::Initial, initial)] {
        if kind != model {
            odd(part, model, findings);
        }
    }
    data == model && initial == model
}

/// A part is not of the kind of the others.
fn odd(part: Part, kind: DataKind, findings: &mut Findings) {
    let (path, message) = match part {
        Part::Data => ("data", "these data do not belong to the model and the start of the scenario"),
        Part::Model => ("model", "this model does not belong to the data and the start of the scenario"),
        Part::Initial => ("initial", "this start does not belong to the data and the model of the scenario"),
    };
    findings.error(path, message, format!("expected {}", names(kind, part)));
}

/// What protocol, preparation and partition the subjects of sampled models allow.
pub(super) fn sampled(scenario: &Scenario, findings: &mut Findings) {
    let kind = scenario.data.kind();
    if matches!(kind, DataKind::Examples | DataKind::Counts) {
        return;
    }
    if !scenario.protocol.over().is_sampled() {
        let message = format!("this protocol cannot fit {}", names(kind, Part::Model));
        findings.error("protocol", message, "expected `FlSaem(…)` or `CentralizedSaem(…)`");
    }
    if !scenario.preprocess.is_empty() {
        findings.error("preprocess", "these data are not prepared", "expected no preparation");
    }
    if scenario.partition != Partition::Iid {
        findings.error("partition", "subjects have no labels and no client column", "expected `Iid`");
    }
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
