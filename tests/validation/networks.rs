//! The networks of the library: every measured number in their `about` is made again, and what changes nothing changes
//! no digest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fedbits_protocols::run::Outcome;
use fedbits_record::{Direction, Fate, LedgerRow, RoundRow};
use fedbits_scenarios::Checked;
use fedbits_spec::Caveat;

use crate::validation::common::{arm, arms, data, preparer, simulate};

/// The rows and the outcome of an arm.
fn run(checked: &Checked, folder: Option<PathBuf>) -> (Vec<RoundRow>, Outcome) {
    simulate(preparer(folder).prepare(&checked.scenario).expect("a scenario that can be run").experiment)
}

fn assert_states(checked: &Checked, phrase: &str) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = words(&checked.scenario.about);
    assert!(about.contains(phrase), "`about` should say \"{phrase}\", but it says: {about}");
}

/// The arm, or the scenario where it has none.
fn name(checked: &Checked) -> &str {
    checked.arm.as_deref().unwrap_or(&checked.scenario.name)
}

fn mbit(bits: u64) -> f64 {
    bits as f64 / 1e6
}

fn seconds(outcome: &Outcome) -> f64 {
    outcome.totals.time_ns as f64 / 1e9
}

/// Every arm says `{arm}: {seconds} s`.
fn assert_states_times(scenario: &str, folder: Option<PathBuf>) {
    for checked in arms(scenario, &[]) {
        let (_, outcome) = run(&checked, folder.clone());
        assert_states(&checked, &format!("{}: {:.2} s", name(&checked), seconds(&outcome)));
    }
}

#[test]
fn topologies_take_the_time_they_say() {
    assert_states_times("network/topologies", None);
}

#[test]
fn hierarchies_take_the_time_they_say() {
    for checked in arms("network/hierarchical", &[]) {
        let (_, outcome) = run(&checked, None);
        let (headers, time) = (mbit(outcome.totals.bits_header), seconds(&outcome));
        assert_states(&checked, &format!("{}: {headers:.2} Mbit headers, {time:.2} s", name(&checked)));
    }
}

#[test]
fn networks_from_files_take_the_time_they_say() {
    let Some(folder) = data() else { return };
    assert_states_times("network/backbone", Some(folder.clone()));
    assert_states_times("network/traces", Some(folder.clone()));
    assert_states_times("network/cellular", Some(folder));
}

/// Also: in every round selected = arrived + late + lost; lost messages are in the ledger as lost, and those sent again
/// nowhere else; with repetition nothing is lost.
#[test]
fn losses_cost_what_they_say() {
    for checked in arms("network/lossy-uplink", &[]) {
        let (rows, outcome) = run(&checked, None);
        let totals = &outcome.totals;
        let (rounds, up, wasted) = (totals.rounds, mbit(totals.bits_up), mbit(totals.bits_wasted));
        let time = seconds(&outcome);
        let line =
            format!("{}: {rounds} rounds, {up:.2} Mbit up, {wasted:.2} Mbit wasted, {time:.2} s", name(&checked));
        assert_states(&checked, &line);
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

/// What nobody uses changes no digest: a site behind all others, a slower link beside one, a loss that never strikes;
/// and repetition where nothing is lost is a datagram.
#[test]
fn what_is_not_used_changes_no_digest() {
    let with = |sets: &[&str]| {
        let common = ["stop=(rounds: 5)", "network.shape.clients=Sites([Index(1), Index(2)])"];
        timeline(&arm("network/hierarchical", "edge-4", &[&common[..], sets].concat()))
    };
    let path = with(&["network.shape.sites=Path(3)"]);
    assert_eq!(with(&["network.shape.sites=Path(7)"]), path);
    let reliable = "network.transport.delivery=Reliable(RoundTrip)";
    for loss in ["Bernoulli(1e-300)", "Bernoulli(0)"] {
        let loss = format!("network.loss={loss}");
        assert_eq!(with(&["network.shape.sites=Path(3)", &loss]), path);
        assert_eq!(with(&["network.shape.sites=Path(3)", &loss, reliable]), path);
    }
    let usual = "network.shape.links=[(from: Index(0), to: Index(1), capacity: Mbps(2)), (from: Index(2), to: Index(1), latency: Ms(25))]";
    assert_eq!(with(&["network.shape.sites=Path(3)", usual]), path);
    assert_ne!(with(&["network.shape.sites=Ring(3)"]).0, path.0);
}

/// A tree: what a link between cloud and edge carries is what the hosts behind it sent and received, for every
/// direction, purpose and fate; the uplink is the odd one, because links of a hierarchy begin at the cloud. Losses,
/// repetition, late and cut-off messages.
#[test]
fn a_link_carries_what_the_hosts_behind_it_are_charged() {
    let environments: [&[&str]; 3] = [
        &["network.loss=Bernoulli(0.05)", "network.shape.link_loss=Bernoulli(0.05)", "round=Deadline(Ms(80))"],
        &[
            "network.loss=Bernoulli(0.1)",
            "network.transport.delivery=Reliable(RoundTrip)",
            "network.transport.set_up=1",
        ],
        &["dropout=Hazard(per_second: 5)", "round=Deadline(Ms(120))", "compute.variation=3"],
    ];
    for environment in environments {
        let checked = arm("network/hierarchical", "edge-4", &[&["stop=(rounds: 20)"], environment].concat());
        let (_, outcome) = run(&checked, None);
        let key = |row: &LedgerRow| (row.direction.word(), row.purpose.clone(), row.fate.word());
        let counts = |row: &LedgerRow| [row.messages, row.payload_bits, row.header_bits, row.retransmitted_bits];
        for edge in 0..4 {
            let mut behind: BTreeMap<_, [u64; 4]> = BTreeMap::new();
            for row in &outcome.ledger {
                let client: usize = row.link.trim_start_matches("client-").parse().unwrap();
                if client % 4 == edge {
                    behind
                        .entry(key(row))
                        .or_default()
                        .iter_mut()
                        .zip(counts(row))
                        .for_each(|(sum, count)| *sum += count);
                }
            }
            let over = outcome.links.iter().filter(|(link, _)| link.0 as usize / 2 == edge);
            let over: BTreeMap<_, _> = over.map(|(_, row)| (key(row), counts(row))).collect();
            assert_eq!(over, behind, "edge {edge} in {environment:?}");
            let rows = outcome.links.iter().filter(|(link, _)| link.0 as usize / 2 == edge);
            assert!(rows.into_iter().all(|(link, row)| (link.0 % 2 == 1) == (row.direction == Direction::Up)));
        }
        let fates: BTreeSet<_> = outcome.links.iter().map(|(_, row)| row.fate.word()).collect();
        assert!(fates.len() > 1 || outcome.links.iter().any(|(_, row)| row.retransmitted_bits > 0), "{fates:?}");
    }
}

/// Rows count what had met its fate when the server made its step, the manifest also what was in progress at the end:
/// they differ by what the ledger calls in flight, and nothing else is waste that was none.
#[test]
fn the_last_row_and_the_manifest_differ_by_what_is_in_flight() {
    let scenarios = [
        ("network/lossy-uplink", "datagram-20"),
        ("network/lossy-uplink", "reliable-20"),
        ("network/asynchrony", "deadline"),
        ("network/asynchrony", "buffered-10"),
        ("network/consistency", "on-send"),
    ];
    for (scenario, name) in scenarios {
        let (rows, outcome) = run(&arm(scenario, name, &["stop=(rounds: 7)"]), None);
        let (last, totals) = (rows.last().unwrap(), &outcome.totals);
        let flying = outcome.ledger.iter().filter(|row| row.fate == Fate::InFlight);
        let bits = |direction: Direction| {
            let of = flying.clone().filter(move |row| row.direction == direction);
            of.map(|row| row.payload_bits + row.retransmitted_bits).sum::<u64>()
        };
        assert_eq!(last.bits_up + bits(Direction::Up), totals.bits_up, "{scenario} {name}");
        assert_eq!(last.bits_down + bits(Direction::Down), totals.bits_down, "{scenario} {name}");
        let again: u64 = flying.clone().map(|row| row.retransmitted_bits).sum();
        assert_eq!(last.bits_wasted + again, totals.bits_wasted, "{scenario} {name}");
        let headers: u64 = flying.map(|row| row.header_bits).sum();
        assert_eq!(last.bits_header + headers, totals.bits_header, "{scenario} {name}");
        // What a row calls late is never less than what the ledger does: who is late may be cut off or lost later.
        let late: u64 = rows.iter().map(|row| row.late).sum();
        let booked = outcome.ledger.iter().filter(|row| row.fate == Fate::Late && row.purpose == "update");
        assert!(booked.map(|row| row.messages).sum::<u64>() <= late, "{scenario} {name}");
    }
}

/// In time to the nanosecond, and one nanosecond too early: the smallest round trip is attained, and below it nobody
/// ever arrives.
#[test]
fn the_smallest_round_trip_is_attained() {
    let sharing = ["network.sharing=Ideal", "network.transport=(set_up: 1, slow_start: 1)"];
    let settings = [&sharing[..1], &sharing[..]];
    for more in settings {
        let at = |deadline: &str| {
            let round = format!("round=Deadline({deadline})");
            let sets =
                [&["stop=(rounds: 3)", "network.shape.clients=Sites([Index(1)])", round.as_str()], more].concat();
            let prepared = preparer(None).prepare(&arm("network/hierarchical", "edge-4", &sets).scenario);
            let prepared = prepared.expect("a scenario that can be run");
            let trip = prepared.caveats.iter().find_map(|caveat| match caveat {
                Caveat::DeadlineTooShort { trip, .. } => Some(trip.clone()),
                _ => None,
            });
            (trip, simulate(prepared.experiment))
        };
        let (trip, (rows, outcome)) = at("Ns(1)");
        let seconds = trip.expect("a nanosecond is too short");
        assert!(rows.iter().all(|row| row.arrived == 0));
        assert!(outcome.caveats.iter().any(|caveat| matches!(caveat, Caveat::NobodyArrived { .. })));
        let trip = (seconds.parse::<f64>().unwrap() * 1e9).round();
        // The text has microseconds.
        let (early, (rows, _)) = at(&format!("Ns({})", trip - 600.0));
        assert!(early.is_some() && rows.iter().all(|row| row.arrived == 0));
        let (late, (rows, outcome)) = at(&format!("Ns({})", trip + 600.0));
        assert!(late.is_none() && rows.last().unwrap().arrived > 0);
        assert!(outcome.caveats.iter().all(|caveat| !matches!(caveat, Caveat::NobodyArrived { .. })));
    }
}

/// Rounds, bits, simulated time and ‖h‖² of a million clients, some or all of them in each round, and of ten million,
/// and no drift. Minutes and 2.5 GB: `cargo test --release --test tests -- --ignored millions_of_clients`.
#[test]
#[ignore = "slow tier: a million clients, all of them in each of 20 rounds"]
fn millions_of_clients_do_what_they_say() {
    let scenarios = ["scale/million-clients", "scale/ten-million-clients"];
    for checked in scenarios.into_iter().flat_map(|name| arms(name, &[])) {
        let (rows, outcome) = run(&checked, None);
        let (totals, last) = (&outcome.totals, rows.last().unwrap());
        let (up, down, headers) = (mbit(totals.bits_up), mbit(totals.bits_down), mbit(totals.bits_header));
        let h_sq = last.mean_field_sq.expect("the last round is probed");
        let line = format!(
            "{}: {} rounds, {up:.1} Mbit up, {down:.1} Mbit down, {headers:.1} Mbit headers, {:.2} s, ‖h‖² {h_sq:.1e}",
            name(&checked),
            totals.rounds,
            seconds(&outcome)
        );
        assert_states(&checked, &line);
        assert!(last.extra[1].expect("the drift is computed with the probe") < 1e-20);
        assert!(rows[1..].iter().all(|row| row.arrived == row.selected && row.late == 0 && row.lost == 0));
    }
}
