//! FairShare against the reference tables: completion times that others computed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::network::table::RouteTable;
use fedbits_kernel::network::{AccessLink, GeneralFairShare, Link, Network, StarFairShare, StarLinks, Weights};
use fedbits_kernel::{Bits, EventQueue, NodeId, Rate, Time, TimeDelta};

use crate::network::script::{Action, Fate, close, simulate, transfer};

fn table(name: &str) -> Vec<BTreeMap<String, String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let row =
        |record: csv::StringRecord| header.iter().map(String::from).zip(record.iter().map(String::from)).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

/// Nanoseconds of a rational number of seconds such as `1/20`.
fn nanos(text: &str) -> u64 {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let (numerator, denominator): (u64, u64) = (numerator.parse().unwrap(), denominator.parse().unwrap());
    assert_eq!(numerator * 1_000_000_000 % denominator, 0, "{text} s is not a whole number of nanoseconds");
    numerator * 1_000_000_000 / denominator
}

fn bit_rate(bits_per_second: u64) -> Rate {
    Rate::new(bits_per_second).unwrap()
}

/// Column end_s_unweighted of fairness.csv: plain max–min on 30 small platforms, to 5 ns + 1e-9 relative; and column
/// end_s with weights 1 ÷ latency (SimGrid's CM02).
#[test]
fn small_platforms_meet_the_reference() {
    check_platforms(Weights::Equal, "end_s_unweighted");
    check_platforms(Weights::InverseLatency, "end_s");
}

fn check_platforms(weights: Weights, column: &str) {
    let mut scenarios: BTreeMap<String, Vec<BTreeMap<String, String>>> = BTreeMap::new();
    for row in table("fairness.csv") {
        scenarios.entry(row["scenario"].clone()).or_default().push(row);
    }
    assert_eq!(scenarios.len(), 30);
    for (name, rows) in scenarios {
        let mut routes = RouteTable::new();
        let mut ids = BTreeMap::new();
        for link in rows[0]["links(name:bytes_per_s:latency_s)"].split(';') {
            let [name, rate, latency] = link.split(':').collect::<Vec<_>>().try_into().unwrap();
            let capacity = bit_rate(8 * rate.parse::<u64>().unwrap());
            ids.insert(name, routes.add_link(Link { capacity, latency: TimeDelta::from_nanos(nanos(latency)) }));
        }
        let mut script = Vec::new();
        for (flow, row) in rows.iter().enumerate() {
            let (from, to) = (2 * flow as u32, 2 * flow as u32 + 1);
            let links = row["route"].split(';').map(|link| ids[link]).collect();
            routes.set_route(NodeId(from), NodeId(to), links);
            let action = Action::Start(transfer(from, to, 8 * row["bytes"].parse::<u64>().unwrap()));
            script.push((Time::from_nanos(nanos(&row["start_s"])), flow, action));
        }
        script.sort_by_key(|&(at, ..)| at);
        let actions: Vec<_> = script.iter().map(|&(at, _, action)| (at, action)).collect();
        let fates = simulate(&mut GeneralFairShare::weighted(routes, weights), &actions, &[]);
        for (&(_, flow, _), fate) in script.iter().zip(fates) {
            let expected: f64 = rows[flow][column].parse().unwrap();
            let Fate::Completed(at) = fate else { panic!("nothing was aborted") };
            assert!(close(at, expected), "{name}, {}: {at} instead of {expected} s", rows[flow]["flow"]);
        }
    }
}

/// The star of the reference: x_k = SplitMix64 outputs for seed 42.
fn x(k: u64) -> u64 {
    let z = 42u64.wrapping_add((k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn star(n: u64, server: u64) -> StarLinks {
    let client = |i| {
        let rate = bit_rate(1_000_000 + x(2 * i) % 99_000_001);
        AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(10_000_000 + x(2 * i + 1) % 90_000_001) }
    };
    StarLinks { server_up: bit_rate(server), server_down: bit_rate(server), clients: (0..n).map(client).collect() }
}

/// Ends of the rounds, and both completion times of each client in round 0.
struct Rounds {
    ends: Vec<Time>,
    first: Vec<[Time; 2]>,
}

/// The server sends 2 000 bytes to all at once, each computes and sends 500 bytes back; the next round starts with the
/// last.
fn rounds(network: &mut dyn Network, n: u64, count: u64) -> Rounds {
    let mut simulated = Rounds { ends: Vec::new(), first: vec![[Time::ZERO; 2]; n as usize] };
    let (mut now, mut completed) = (Time::ZERO, Vec::new());
    for round in 0..count {
        let mut computing = EventQueue::new();
        let mut flows = BTreeMap::new();
        for client in 0..n {
            flows.insert(network.start(now, transfer(0, client as u32 + 1, 16_000)), (client, 0));
        }
        while !flows.is_empty() || !computing.is_empty() {
            now = computing.peek_time().into_iter().chain(network.next_completion()).min().unwrap();
            network.advance(now, &mut completed);
            for flow in completed.drain(..) {
                let (client, leg) = flows.remove(&flow).unwrap();
                if round == 0 {
                    simulated.first[client as usize][leg] = now;
                }
                if leg == 0 {
                    let nanos = 100_000_000 + x(2 * n + round * n + client) % 900_000_001;
                    computing.push(now + TimeDelta::from_nanos(nanos), client);
                }
            }
            while computing.peek_time() == Some(now) {
                let (_, client) = computing.pop().unwrap();
                flows.insert(network.start(now, transfer(client as u32 + 1, 0, 4_000)), (client, 1));
            }
        }
        assert_eq!(network.next_completion(), None);
        simulated.ends.push(now);
    }
    simulated
}

fn check_star(network: &mut dyn Network, name: &str, n: u64) {
    let ends = table(&format!("{name}_rounds.csv"));
    assert_eq!(ends.len(), 20);
    let simulated = rounds(network, n, 20);
    for (row, &end) in ends.iter().zip(&simulated.ends) {
        let expected: f64 = row["end_s"].parse().unwrap();
        assert!(close(end, expected), "{name}, round {}: {end} instead of {expected} s", row["round"]);
    }
    if !name.contains("10M") {
        return; // the reference lists single transfers for the slow server only
    }
    for (row, first) in table(&format!("{name}_clients.csv")).iter().zip(&simulated.first) {
        for (at, column) in first.iter().zip(["down_end_s", "up_end_s"]) {
            let expected: f64 = row[column].parse().unwrap();
            assert!(close(*at, expected), "{name}, client {}: {at} instead of {expected} s", row["client"]);
        }
    }
}

/// All rounds and single transfers of the four star files, by the fast path.
///
/// The file `star_shared10M_1000` belongs to a server link of 100 Mbit/s, not of 10 as its name says: 1 000 transfers
/// of 16 kbit take 1.6 s over 10 Mbit/s, and its first round ends at 1.26 s. At 100 Mbit/s all its times are met.
#[test]
fn stars_meet_the_reference() {
    for (name, n, server) in [
        ("star_shared10M_100", 100, 10_000_000),
        ("star_shared10M_1000", 1_000, 100_000_000),
        ("star_shared1G_100", 100, 1_000_000_000),
        ("star_shared1G_1000", 1_000, 1_000_000_000),
    ] {
        check_star(&mut StarFairShare::new(star(n, server)), name, n);
    }
}

/// The same star by the general algorithm.
#[test]
fn the_general_algorithm_meets_the_star_reference() {
    for (name, server) in [("star_shared10M_100", 10_000_000), ("star_shared1G_100", 1_000_000_000)] {
        check_star(&mut GeneralFairShare::new(star(100, server)), name, 100);
    }
}

/// Two flows of 16 Mbit on one link of 8 Mbit/s, the second 1 s later with 8 Mbit: A alone sends 8 Mbit in the first
/// second, then both at 4 Mbit/s: both end at 3 s (fairness.csv, two-late-arrival); cut off at 2 s, 12 and 4 Mbit have
/// been sent.
#[test]
fn aborted_flows_have_sent_their_share() {
    let access = AccessLink { up: bit_rate(100_000_000), down: bit_rate(100_000_000), latency: TimeDelta::ZERO };
    let links = StarLinks { server_up: bit_rate(8_000_000), server_down: bit_rate(1_000), clients: vec![access; 2] };
    let networks: [&mut dyn Network; 2] =
        [&mut StarFairShare::new(links.clone()), &mut GeneralFairShare::new(links.clone())];
    for network in networks {
        let second = |s: u64| Time::from_nanos(s * 1_000_000_000);
        let a = network.start(second(0), transfer(0, 1, 16_000_000));
        let b = network.start(second(1), transfer(0, 2, 8_000_000));
        assert_eq!(network.abort(second(2), a), Bits::new(12_000_000));
        assert_eq!(network.abort(second(2), b), Bits::new(4_000_000));
        assert_eq!(network.next_completion(), None);
    }
}
