//! The networks of the library: every measured number in their `about` is made again, and what changes nothing changes no digest.

use std::path::PathBuf;

use fedbits_protocols::run::Outcome;
use fedbits_record::{Fate, RoundRow};
use fedbits_scenarios::Checked;

use crate::common::{arm, arms, data, play, preparer};

/// The rows and the outcome of an arm.
fn run(checked: &Checked, folder: Option<PathBuf>) -> (Vec<RoundRow>, Outcome) {
    play(preparer(folder).prepare(&checked.scenario).expect("a scenario that can be run").experiment)
}

fn assert_says(checked: &Checked, phrase: &str) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = words(&checked.scenario.about);
    assert!(about.contains(phrase), "`about` should say \"{phrase}\", but it says: {about}");
}

fn name(checked: &Checked) -> &str {
    checked.arm.as_deref().expect("the scenario has arms")
}

fn mbit(bits: u64) -> f64 {
    bits as f64 / 1e6
}

fn seconds(outcome: &Outcome) -> f64 {
    outcome.totals.time_ns as f64 / 1e9
}

/// Every arm says `{arm}: {seconds} s`.
fn assert_says_times(scenario: &str, folder: Option<PathBuf>) {
    for checked in arms(scenario, &[]) {
        let (_, outcome) = run(&checked, folder.clone());
        assert_says(&checked, &format!("{}: {:.2} s", name(&checked), seconds(&outcome)));
    }
}

#[test]
fn topologies_take_the_time_they_say() {
    assert_says_times("network/topologies", None);
}

#[test]
fn hierarchies_take_the_time_they_say() {
    for checked in arms("network/hierarchical", &[]) {
        let (_, outcome) = run(&checked, None);
        let (headers, time) = (mbit(outcome.totals.bits_header), seconds(&outcome));
        assert_says(&checked, &format!("{}: {headers:.2} Mbit headers, {time:.2} s", name(&checked)));
    }
}

#[test]
fn networks_from_files_take_the_time_they_say() {
    let Some(folder) = data("networks_from_files_take_the_time_they_say") else { return };
    assert_says_times("network/backbone", Some(folder.clone()));
    assert_says_times("network/traces", Some(folder));
}

/// Also: in every round selected = arrived + late + lost; lost messages are in the ledger as lost, and those sent again nowhere else;
/// with repetition nothing is lost.
#[test]
fn losses_cost_what_they_say() {
    for checked in arms("network/lossy-uplink", &[]) {
        let (rows, outcome) = run(&checked, None);
        let totals = &outcome.totals;
        let (rounds, up, wasted) = (totals.rounds, mbit(totals.bits_up), mbit(totals.bits_wasted));
        let time = seconds(&outcome);
        let line =
            format!("{}: {rounds} rounds, {up:.2} Mbit up, {wasted:.2} Mbit wasted, {time:.2} s", name(&checked));
        assert_says(&checked, &line);
        assert!(rows.iter().all(|row| row.selected == row.arrived + row.late + row.lost));
        let lost: u64 = rows.iter().map(|row| row.lost).sum();
        let messages = |fate| outcome.ledger.iter().filter(|row| row.fate == fate).map(|row| row.messages).sum::<u64>();
        let again: u64 = outcome.ledger.iter().map(|row| row.retransmitted_bits).sum();
        let reliable = name(&checked).starts_with("reliable");
        // Before the first round lost messages are sent again, so there may be more of them than clients lost.
        assert!(messages(Fate::Lost) >= lost);
        assert_eq!((lost > 0, again > 0), (name(&checked).starts_with("datagram"), reliable), "{}", name(&checked));
    }
}

/// The digest of the timeline, and the rows.
fn timeline(checked: &Checked) -> (String, Vec<RoundRow>) {
    let (rows, outcome) = run(checked, None);
    (outcome.digests.timeline, rows)
}

/// What nobody uses changes no digest: a site behind all others, a slower link beside one, a loss that never strikes; and repetition
/// where nothing is lost is a datagram.
#[test]
fn what_is_not_used_changes_no_digest() {
    let with = |sets: &[&str]| {
        let common = ["stop=(rounds: 5)", "network.clients=Sites([Index(1), Index(2)])"];
        timeline(&arm("network/hierarchical", "edge-4", &[&common[..], sets].concat()))
    };
    let path = with(&["network.sites=Path(3)"]);
    assert_eq!(with(&["network.sites=Path(7)"]), path);
    assert_eq!(with(&["network.sites=Path(3)", "network.loss=Bernoulli(1e-300)"]), path);
    let reliable = "network.transport.delivery=Reliable(RoundTrip)";
    assert_eq!(with(&["network.sites=Path(3)", "network.loss=Bernoulli(1e-300)", reliable]), path);
    assert_ne!(with(&["network.sites=Ring(3)"]).0, path.0);
}
