//! Names, stop rules and records. This file must not know record files.

use fedbits_spec::laws::PowerLaw;
use fedbits_spec::{Path, so_many};

use super::measured::{compares_with_labels, measures_field};
use super::parts::{count, name};
use super::protocol::IN_ONE_PLACE;
use super::{Facts, Findings};
use crate::schema::{Compute, Scenario, Shape};
use fedbits_models::data::DataKind;
use fedbits_protocols::plan::Measure;
use fedbits_spec::Described;

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    name(findings, "name", "scenario", &scenario.name);
    count(findings, "replicate", scenario.replicate, 0, LAST_REPLICATE, "");
    stop(scenario, findings);
    record(scenario, findings);
}

fn stop(scenario: &Scenario, findings: &mut Findings) {
    let stop = &scenario.stop;
    if stop.is_empty() {
        let expected = "expected at least one of `rounds`, `epochs`, `time`, `bits`, `energy`, `mean_field_sq`, \
                        `objective_change`, `patience`";
        findings.error("stop", "there is no stop rule: the run would never end", expected);
    }
    stop.check(&Path::Root.field("stop"), &Facts::default(), findings);
    if stop.energy.is_some() && scenario.energy.is_none() {
        let found = "no energy is counted: the rule would never hold";
        findings.error("stop.energy", found, "expected `energy: (compute: …, send: …, receive: …)` beside it");
    }
    patience(scenario, findings);
    let idle = idle_rules(scenario);
    if idle.len() == stop.rules().len() && !scenario.protocol.profile().ends_itself {
        for (rule, why) in idle {
            let found = format!("`stop.{rule}` cannot hold: the run would never end");
            findings.error(format!("stop.{rule}"), found, format!("expected another rule: {why}"));
        }
    } else {
        idle.into_iter().for_each(|(rule, why)| findings.no_effect(format!("stop.{rule}"), why));
    }
}

/// The stop rules that are given and cannot hold in this run, by their names, each with the reason.
#[must_use]
pub fn idle_rules(scenario: &Scenario) -> Vec<(&'static str, &'static str)> {
    let (alone, silent) = (scenario.protocol.profile().is_centralized, !sends(scenario));
    let work = if alone { Some(scenario.compute.server_expectation) } else { scenario.compute.expectation.constant() };
    let step = if alone { scenario.compute.server_step } else { scenario.compute.client_step };
    let stands = silent && work.is_some_and(|work| work.seconds() + step.seconds() == 0.0);
    let why = |rule: &'static str| match rule {
        "bits" if alone => Some(IN_ONE_PLACE),
        "bits" => silent.then_some("an iteration of one agent, or of roots without hops and rounds, sends nothing"),
        "time" if stands && alone => Some("no time passes where `compute.server_expectation` is 0"),
        "time" => stands.then_some("no time passes where nothing is sent and `compute.expectation` is 0"),
        "energy" if stands && alone => Some("nothing lasts where `compute.server_expectation` is 0"),
        "energy" if stands => Some("nothing lasts where nothing is sent and `compute.expectation` is 0"),
        "energy" if alone => {
            let why = "in one place only the server does something, it always computes, and its `compute` is 0";
            is_powerless(scenario).then_some(why)
        }
        "energy" => is_powerless(scenario).then_some("all powers are 0 of what takes time"),
        "mean_field_sq" if !measures_field(scenario) => {
            Some("no ‖h(Ŝ)‖² is measured of averaged parameters of this model")
        }
        "mean_field_sq" | "objective_change" | "patience" => {
            let why = "it is looked at when the run is probed, and `record.probe_every` is `None`";
            scenario.record.probe_every.is_none().then_some(why)
        }
        _ => None,
    };
    scenario.stop.rules().into_iter().filter_map(|rule| Some((rule, why(rule)?))).collect()
}

/// Does an iteration send anything?
fn sends(scenario: &Scenario) -> bool {
    let sites = if let Shape::Graph { sites, .. } = &scenario.network.shape { sites.count() } else { None };
    scenario.protocol.sends(sites.or(scenario.clients.map(|clients| clients as u64)))
}

/// Are powers given, and none of them above 0 of something that takes a node its time?
fn is_powerless(scenario: &Scenario) -> bool {
    let Some(energy) = &scenario.energy else { return false };
    let server = energy.server.map(|server| server.power()).unwrap_or_default();
    if scenario.protocol.profile().is_centralized {
        return server.compute == 0.0;
    }
    // Who sends nothing waits for nobody: all of its time it computes.
    let silent = !sends(scenario);
    let Compute { coding, client_step, server_step, .. } = scenario.compute;
    let beside = client_step.seconds() + coding.client_send.seconds() + coding.client_receive.seconds();
    let takes_none = scenario.compute.expectation.constant().is_some_and(|time| time.seconds() + beside == 0.0);
    let server_works = coding.occupies_server() || server_step.seconds() > 0.0;
    let is_nothing = |(path, law): (&str, &PowerLaw)| {
        let lasts = if path == "energy.compute" { !takes_none } else { !silent };
        !lasts || law.constant().is_some_and(|power| power.watts() == 0.0)
    };
    let of_server = server.send + server.receive + server.idle + if server_works { server.compute } else { 0.0 };
    energy.laws().into_iter().all(is_nothing) && of_server == 0.0
}

fn patience(scenario: &Scenario, findings: &mut Findings) {
    let Some(patience) = &scenario.stop.patience else { return };
    let path = "stop.patience.of";
    match patience.of {
        Measure::HeldOut if !scenario.holds_out() => {
            let expected = "expected `holdout: Rows(…)` in the scenario, or `held_out` of `Counts` and `Visits`";
            findings.error(path, "nothing is held out", expected);
        }
        Measure::Accuracy if !compares_with_labels(scenario) => {
            let expected = "expected data with labels, a model with components and `record: (quality: true)`, or \
                            another measure";
            findings.error(path, "no accuracy is measured", expected);
        }
        _ => {}
    }
}

fn record(scenario: &Scenario, findings: &mut Findings) {
    let record = &scenario.record;
    if record.clients == Some(true) && scenario.protocol.profile().is_centralized {
        findings.no_effect("record.clients", "in one place there are no clients");
    }
    clients_at(scenario, findings);
    trace(scenario, findings);
    record.check(&Path::Root.field("record"), &Facts::default(), findings);
    if let Some(probe_every) = record.probe_every.filter(|&every| every > 0 && record.every > 0)
        && probe_every % record.every != 0
    {
        let found = format!(
            "probes every {} fall between rows, which are every {}",
            so_many(probe_every, "round"),
            so_many(record.every, "round")
        );
        findings.error("record.probe_every", found, "expected a multiple of `record.every`");
    }
    if record.links_every.is_some_and(|every| every > 0) && scenario.network.shape == Shape::Star {
        findings.no_effect("record.links_every", "there are links between sites in a `Graph` only");
    }
    if record.marginals.is_some_and(|bins| bins > 0) && scenario.data.kind() != DataKind::Examples {
        findings.no_effect("record.marginals", "the data are not a table of examples");
    }
}

/// The most rounds that are listed: after which a table of the clients is written, or that are traced.
const MOST_ROUNDS: usize = 100;

fn clients_at(scenario: &Scenario, findings: &mut Findings) {
    let (rounds, path) = (&scenario.record.clients_at, "record.clients_at");
    if !increase(rounds, path, findings) {
        return;
    }
    if !rounds.is_empty() && scenario.record.clients == Some(false) {
        findings.error(path, "`record.clients` leaves these tables out", "expected no round, or `clients: true`");
    } else if !rounds.is_empty() && scenario.protocol.profile().is_centralized {
        findings.no_effect(path, "in one place there are no clients");
    }
}

fn trace(scenario: &Scenario, findings: &mut Findings) {
    let (rounds, path) = (&scenario.record.trace, "record.trace");
    if increase(rounds, path, findings) && !rounds.is_empty() && scenario.protocol.profile().is_centralized {
        findings.no_effect(path, "in one place nothing is sent");
    }
}

/// Are these at most so many rounds as may be listed, each once?
fn increase(rounds: &[u64], path: &str, findings: &mut Findings) -> bool {
    if rounds.len() > MOST_ROUNDS {
        findings.error(path, format!("there are {} rounds", rounds.len()), "expected at most 100");
        return false;
    }
    let increase = rounds.is_sorted_by(|a, b| a < b);
    if !increase {
        findings.error(path, "the rounds do not increase", "expected each round once, in order");
    }
    increase
}

/// So that no number of a further replicate overflows.
const LAST_REPLICATE: u64 = 1_000_000_000_000;
