//! The model against its data, its initial value and the protocol. A part that does not belong to the others is one
//! problem, whatever else follows from it.

use fedbits_models::data::{DataKind, DataSource};
use fedbits_models::gmm::MixtureSetting;
use fedbits_models::low_rank::LowRankSetting;
use fedbits_models::{ModelSetting, Stated};
use fedbits_protocols::fed_miss_em::FedMissEmSetting;
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::over::Over;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_spec::describe::{Body, Named};
use fedbits_spec::{Caveat, Described, Documented, Entry, Kind, Path, Severity, so_many};

use super::{Facts, Findings};
use crate::schema::{Initial, Partition, Scenario};

/// Do data, model and initial value belong together? Else it is noted which of them do not, and nothing can be said
/// about the other fields before that is repaired.
pub(super) fn belong_together(scenario: &Scenario, findings: &mut Findings) -> bool {
    let (model, data, start) = (&scenario.model, scenario.data.kind(), scenario.initial.name());
    let fits_start = scenario.initial.is_of_any_model() || model.facts().starts.contains(&start);
    let fits_data = model.facts().data == data;
    let models = of_kind::<dyn ModelSetting>(|candidate| {
        let facts = candidate.facts();
        facts.data == data && facts.starts.contains(&start)
    });
    if !fits_data && !fits_start && !models.is_empty() {
        let found = "this model does not belong to the data and the start of the scenario";
        findings.error("model", found, format!("expected {}", either(models)));
        return false;
    }
    if !fits_data {
        let sources = of_kind::<dyn DataSource>(|source| source.kind() == model.facts().data);
        let found = "these data do not belong to the model and the start of the scenario";
        findings.error("data", found, format!("expected {}", either(sources)));
    }
    if !fits_start {
        let found = "this start does not belong to the data and the model of the scenario";
        findings.error("initial", found, format!("expected {}", either(starts(model.facts().starts))));
    }
    fits_data && fits_start
}

/// Model and initial value, each alone and together with the data; what is fitted by which protocol.
pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let (model, source, initial) = (&*scenario.model, &*scenario.data, &scenario.initial);
    model.check_part(&Path::Root.field("model"), facts, findings);
    initial.check(&Path::Root.field("initial"), facts, findings);
    model.check_with(&Stated { source, initial, facts }, findings);
    // Where the data do not say d, it is the model's. What else is wrong may be why they differ.
    if let (Some(expected_features), Some(given)) = (model.facts().features, facts.features)
        && expected_features != given
        && findings.iter().all(|finding| finding.severity != Severity::Error)
    {
        let found = format!(
            "the data have {}, and `{}` is of data with {expected_features}",
            so_many(given, "feature"),
            model.part_name()
        );
        findings.error("data", found, format!("expected {expected_features}, after all steps of `preprocess`"));
    }
    protocol(scenario, findings);
    subjects(scenario, findings);
}

/// Can the protocol fit the model?
fn protocol(scenario: &Scenario, findings: &mut Findings) {
    let (model, protocol) = (&*scenario.model, &*scenario.protocol);
    // FedMissEM itself says that it knows one model.
    if protocol.as_any().is::<FedMissEmSetting>() {
        return;
    }
    prior(scenario, findings);
    if scenario.holds_out() && protocol.profile().is_personalized {
        let found = "examples that no client has have no client whose parameters they could be measured with";
        findings.error("holdout", found, "expected none with parameters of each client");
    }
    if fits(protocol, model) {
        return low_rank(scenario, findings);
    }
    let takes = |candidate: &dyn ProtocolSetting| model.exact().is_none_or(|em| candidate.takes(em));
    let protocols = of_kind::<dyn ProtocolSetting>(|candidate| fits(candidate, model) && takes(candidate));
    let found = format!("this protocol cannot fit `{}(…)`", model.part_name());
    findings.error("protocol", found, format!("expected {}", either(protocols)));
}

/// Refuses a prior where more than s̄ and T is needed of a mixture.
fn prior(scenario: &Scenario, findings: &mut Findings) {
    let Some(em) = scenario.model.exact().filter(|em| em.abilities().empties_components) else { return };
    let is_among_peers = matches!(scenario.protocol.over(), Over::PeerExamples(_));
    if is_among_peers || !scenario.protocol.takes(em) {
        let found = if is_among_peers {
            "the prior has the mean and the covariance of all data, which nobody knows without a server"
        } else {
            "this protocol averages or pools parameters, and those of a posterior are not averaged"
        };
        findings.error("model.prior", found, "expected no prior, or a protocol on statistics such as `FedEm`");
    }
}

/// What a protocol for any model does with a low-rank one.
fn low_rank(scenario: &Scenario, findings: &mut Findings) {
    if !scenario.model.as_any().is::<LowRankSetting>() {
        return;
    }
    if scenario.protocol.profile().domain != Domain::default() {
        findings.no_effect("protocol.domain", "T of a low-rank model clips nothing");
    }
    if scenario.protocol.profile().weighting == Weighting::Clients && scenario.partition != Partition::Iid {
        findings.caveat(Caveat::ObservationsWeighMore {});
    }
}

fn fits(protocol: &dyn ProtocolSetting, model: &dyn ModelSetting) -> bool {
    match protocol.over() {
        Over::Examples(_) | Over::PeerExamples(_) => {
            model.exact().is_some_and(|em| em.abilities().has_short_statistics || protocol.profile().needs_only_the_map)
        }
        Over::Counts(_) => model.as_any().is::<LowRankSetting>(),
        Over::Subjects(_) => model.sampled().is_some(),
        Over::Table(_) | Over::Features(_) | Over::PeerFeatures(_) => model.as_any().is::<MixtureSetting>(),
    }
}

/// What preparation and partition data allow that are no table.
fn subjects(scenario: &Scenario, findings: &mut Findings) {
    let kind = scenario.data.kind();
    if kind != DataKind::Examples && !scenario.preprocess.is_empty() {
        let (found, expected) = match kind {
            DataKind::Counts => ("counts cannot be prepared: they would no longer be counts", "expected none"),
            _ => ("these data are not prepared", "expected no preparation"),
        };
        findings.error("preprocess", found, expected);
    }
    if !matches!(kind, DataKind::Examples | DataKind::Counts) && scenario.partition != Partition::Iid {
        findings.error("partition", "subjects have no labels and no client column", "expected `Iid`");
    }
}

/// The registered parts with an example that `fits`, as scenarios write them.
fn of_kind<D: Kind + ?Sized>(fits: impl Fn(&D) -> bool) -> Vec<String> {
    let any = |entry: &Entry<D>| (entry.examples)().iter().any(|part| fits(part));
    D::registry().entries().iter().filter(|entry| any(entry)).map(|entry| written(&(entry.describe)())).collect()
}

/// Initial values of these names, as scenarios write them.
fn starts(names: &[&str]) -> Vec<String> {
    let Body::Choices(all) = Initial::describe().body else { return Vec::new() };
    all.iter().filter(|start| names.contains(&start.name)).map(written).collect()
}

fn written(part: &Named) -> String {
    if part.body == Body::Unit { part.name.to_owned() } else { format!("{}(…)", part.name) }
}

/// `a`, `b` or `c`.
fn either(names: Vec<String>) -> String {
    if names.is_empty() {
        return "a part of your own: none that is registered fits".to_owned();
    }
    fedbits_text::one_of(&names.iter().map(String::as_str).collect::<Vec<_>>())
}
