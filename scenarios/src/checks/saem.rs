//! Longitudinal data, mixed-effects models and FL-SAEM: what fits together.

use fedbits_models::bifactor::Law;
use fedbits_models::data::csv::{Doses, LongitudinalFile};
use fedbits_models::mixed::{CurveSetting, ResidualError};
use fedbits_spec::{Described, Path};

use super::numbers::{FINITE, POSITIVE, number};
use super::{Facts, Findings};
use crate::schema::{
    CentralizedSaem, Commit, DifferenceDivisor, Dropout, FlSaem, Initial, Kernel, Local, Model, Round, Scenario, Sends,
    Uplink,
};

/// The data file, the curve and the initial value of a mixed-effects model.
pub(super) fn model(scenario: &Scenario, curve: CurveSetting, findings: &mut Findings) {
    let no_doses = |file: &LongitudinalFile| file.doses == Doses::NoDoses;
    if curve.needs_doses() && scenario.data.get().is_some_and(no_doses) {
        findings.error("data.doses", "the curve needs doses", "expected `Rows(…)` or `PerSubject(…)`");
    }
    let Initial::Typical { values, deviations, .. } = &scenario.initial else { return };
    let p = curve.parameters();
    for (path, length) in [("initial.values", values.len()), ("initial.deviations", deviations.len())] {
        if length != p {
            let expected = format!("expected {p}, one per parameter of the curve");
            findings.error(path, format!("there are {length} numbers"), expected);
        }
    }
    for (index, value) in values.iter().enumerate() {
        let interval = if curve.needs_doses() { POSITIVE } else { FINITE };
        number(findings, &format!("initial.values[{index}]"), *value, interval);
    }
}

/// FL-SAEM over a network.
pub(super) fn federated(scenario: &Scenario, fl: &FlSaem, facts: &Facts, findings: &mut Findings) {
    fl.check(&Path::Root.field("protocol"), facts, findings);
    local(scenario, &fl.local, findings);
    let scaled = matches!(scenario.model, Model::MixedEffects { .. });
    if fl.sends != Sends::Parameters && fl.coordinates != Default::default() && !scaled {
        findings.no_effect("protocol.coordinates", "the statistics of this model are used as they are");
    }
    if fl.sends == Sends::Gradient && matches!(scenario.model, Model::GaussianMixture { .. } | Model::Topics { .. }) {
        let expected = "expected `Statistics` or `Parameters`";
        findings.error("protocol.sends", "the parameters of this model lie on a simplex: it has no gradient", expected);
    }
    likelihood(scenario, fl.likelihood_draws, findings);
    failures(scenario, fl, findings);
}

/// SAEM in one place.
pub(super) fn centralized(scenario: &Scenario, central: &CentralizedSaem, facts: &Facts, findings: &mut Findings) {
    central.check(&Path::Root.field("protocol"), facts, findings);
    local(scenario, &central.local, findings);
    likelihood(scenario, central.likelihood_draws, findings);
}

fn likelihood(scenario: &Scenario, draws: u32, findings: &mut Findings) {
    if draws > 0 && matches!(scenario.model, Model::Topics { .. }) {
        let found = "proportions of many topics are too many for importance sampling";
        let expected = "expected 0, and `hold_out_every` for the perplexity";
        findings.error("protocol.likelihood_draws", found, expected);
    }
}

/// What the local step needs of the model.
fn local(scenario: &Scenario, local: &Local, findings: &mut Findings) {
    let (exact, gibbs) = match &scenario.model {
        Model::GaussianMixture { .. } => (true, true),
        Model::MixedEffects { curve, error, .. } => {
            let linear = !curve.needs_doses() && *error == ResidualError::Constant;
            (linear, linear)
        }
        Model::BiFactor { law, .. } => (*law == Law::Gaussian, *law != Law::Logit),
        Model::Topics { .. } => (false, true),
        // That no sampling protocol fits it is told by `low_rank::check`.
        Model::LowRank { .. } => return,
    };
    let labels = matches!(scenario.model, Model::GaussianMixture { .. });
    match local {
        Local::Expect if !exact => {
            findings.error("protocol.local", "the model has no expectations in closed form", "expected `Sample(…)`");
        }
        Local::Expect => {}
        Local::Sample(sampler) => kernel(&sampler.kernel, gibbs, labels, findings),
    }
}

fn kernel(kernel: &Kernel, gibbs: bool, labels: bool, findings: &mut Findings) {
    let path = "protocol.local.kernel";
    match kernel {
        Kernel::Langevin { .. } | Kernel::Mala { .. } if labels => {
            let expected = "expected `Gibbs` or `RandomWalk(prior: …)`";
            findings.error(path, "labels of a mixture have no gradient", expected);
        }
        Kernel::RandomWalk { single, block, .. } if labels && single + block > 0 => {
            let expected = "expected `RandomWalk(prior: …, single: 0, block: 0)` or `Gibbs`";
            findings.error(path, "labels of a mixture cannot walk", expected);
        }
        Kernel::Gibbs if !gibbs => {
            findings.error(path, "the model has no Gibbs kernel", "expected `RandomWalk()` or `Mala(…)`");
        }
        _ => {}
    }
}

/// What lost and late messages do to memories.
fn failures(scenario: &Scenario, fl: &FlSaem, findings: &mut Findings) {
    let drops = scenario.dropout != Dropout::Never || scenario.network.loses_messages();
    let late = scenario.round != Round::WaitForAll;
    let Uplink::Memory { divide_by, commit, .. } = fl.uplink else {
        if late {
            findings.caveat("round", "rounds close early: slow clients' subjects count less");
        }
        return;
    };
    if scenario.dropout.loses_state() {
        let expected = "expected `state: Kept`, or `uplink: Raw`";
        findings.error("dropout", "clients that lose their memory V_i cannot go on: nobody sends it back", expected);
    }
    if commit == Commit::OnSend && (drops || late) {
        findings.caveat(
            "protocol.uplink",
            "memories are committed on send although messages can be lost or late: V drifts from the mean of the V_i",
        );
    }
    if divide_by == DifferenceDivisor::Expected && (drops || late) {
        findings.caveat(
            "protocol.uplink",
            "the sum is divided by the expected number although contributions can be missing: the estimate is biased \
             to V",
        );
    }
}
