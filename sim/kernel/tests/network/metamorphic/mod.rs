//! What must not change, and what must change in a known way, when a network or what it carries is changed.
//!
//! Every law is tried over all networks for which it holds, on 60 random stars with 30 transfers each, in both
//! directions.

mod equivalent;

use std::sync::Arc;

use fedbits_kernel::network::transport::{Delivery, Loss, Repair, Transport, TransportLayer, TransportOptions};
use fedbits_kernel::network::{
    AccessLink, Fifo, GeneralFairShare, Ideal, Network, Routes, StarFairShare, StarLinks, Transfer, Weights,
};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::Duration;
use fedbits_spec::laws::DurationLaw;

use crate::network::reference_impl::Dice;
use crate::network::script::{Action, Fate, close, simulate};

const CLIENTS: u32 = 5;
const CASES: u64 = 60;
const PACKET: Bits = Bits::new(12_000);

type Make = fn(Arc<StarLinks>) -> Box<dyn Network>;

fn ideal(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(Ideal::new(links))
}

fn fair(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(GeneralFairShare::new(links))
}

fn fast(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(StarFairShare::new((*links).clone()))
}

fn weighted(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(GeneralFairShare::weighted(links, Weights::InverseLatency))
}

fn messages(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(Fifo::new(links, None, None))
}

fn packets(links: Arc<StarLinks>) -> Box<dyn Network> {
    Box::new(Fifo::new(links, Some(PACKET), None))
}

fn options(delivery: Delivery) -> TransportOptions {
    let framing = Framing { header: Bits::new(320), segment: PACKET - Bits::new(320) };
    let transport = Transport { delivery, ..Transport::NONE };
    TransportOptions { transport, framing, jitter: None, losses: Vec::new() }
}

/// Reliable over links that lose a tenth, with jitter: everything random that there is.
fn environment(links: Arc<StarLinks>) -> Box<dyn Network> {
    let jitter = Some(DurationLaw::Uniform { min: Duration::ZERO, max: Duration::Ms(20.0) });
    let losses = vec![Loss::Bernoulli(0.1); links.link_count()];
    let options = TransportOptions { jitter, losses, ..options(Delivery::Reliable(Repair::RoundTrip)) };
    let inner = Box::new(GeneralFairShare::new(Arc::clone(&links)));
    Box::new(TransportLayer::new(inner, links, options, Streams::new(8, 0)))
}

const STEADY: [Make; 6] = [ideal, fair, fast, weighted, messages, packets];
const ALL: [Make; 7] = [ideal, fair, fast, weighted, messages, packets, environment];

/// Rates are even, so that they can be halved.
fn star(dice: &mut Dice) -> StarLinks {
    let rate = |dice: &mut Dice| Rate::new(2 * (500_000 + dice.below(20_000_000))).unwrap();
    let client = |dice: &mut Dice| AccessLink {
        up: rate(dice),
        down: rate(dice),
        latency: TimeDelta::from_nanos(2 * dice.below(30_000_000)),
    };
    StarLinks { server_up: rate(dice), server_down: rate(dice), clients: (0..CLIENTS).map(|_| client(dice)).collect() }
}

fn starts(dice: &mut Dice) -> Vec<(Time, Transfer)> {
    let mut now = 0;
    let mut start = |_| {
        now += [0, 0, 1_000_000, dice.below(80_000_000)][dice.below(4) as usize];
        let client = NodeId(1 + dice.below(u64::from(CLIENTS)) as u32);
        let (from, to) = if dice.below(2) == 0 { (NodeId(0), client) } else { (client, NodeId(0)) };
        let bits = [1 + dice.below(12_000), 12_000, dice.below(900_000)][dice.below(3) as usize];
        (Time::from_nanos(now), Transfer::new(from, to, Bits::new(2 * bits)))
    };
    (0..30).map(&mut start).collect()
}

/// When the transfers end; nothing is aborted and nothing lost.
fn ends(network: &mut dyn Network, starts: &[(Time, Transfer)]) -> Vec<Time> {
    let script: Vec<_> = starts.iter().map(|&(at, transfer)| (at, Action::Start(transfer))).collect();
    let end = |fate| match fate {
        Fate::Completed(at) => at,
        Fate::Aborted(..) => panic!("nothing is aborted"),
    };
    simulate(network, &script, &[]).into_iter().map(end).collect()
}

/// Ends before and after a change of the star and of the transfers, over each of `networks` and all cases.
fn changed(
    networks: &[Make],
    change: impl Fn(&StarLinks, &[(Time, Transfer)]) -> (StarLinks, Vec<(Time, Transfer)>),
    law: impl Fn(&[Time], &[Time], &str),
) {
    for case in 0..CASES {
        let dice = &mut Dice(7_000 + case);
        let (links, starts) = (star(dice), starts(dice));
        let (other_links, other_starts) = change(&links, &starts);
        let (links, other_links) = (Arc::new(links), Arc::new(other_links));
        for (number, make) in networks.iter().enumerate() {
            let before = ends(&mut *make(Arc::clone(&links)), &starts);
            let after = ends(&mut *make(Arc::clone(&other_links)), &other_starts);
            law(&before, &after, &format!("case {case}, network {number}"));
        }
    }
}

fn map_star(links: &StarLinks, rate: impl Fn(Rate) -> Rate, latency: impl Fn(TimeDelta) -> TimeDelta) -> StarLinks {
    let client = |client: &AccessLink| AccessLink {
        up: rate(client.up),
        down: rate(client.down),
        latency: latency(client.latency),
    };
    StarLinks {
        server_up: rate(links.server_up),
        server_down: rate(links.server_down),
        clients: links.clients.iter().map(client).collect(),
    }
}

fn twice(rate: Rate) -> Rate {
    Rate::new(2 * rate.bits_per_second()).unwrap()
}

fn assert_close(times: &[Time], expected: impl Iterator<Item = f64>, context: &str) {
    for (number, (&time, expected)) in times.iter().zip(expected).enumerate() {
        assert!(close(time, expected), "{context}, transfer {number}: {time} instead of {expected} s");
    }
}

/// (1) All rates doubled, without latencies: every time halves (starts at half the time, too).
#[test]
fn twice_the_rates_is_half_the_time() {
    let none = |_| TimeDelta::ZERO;
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let links = map_star(&star(dice), |rate| rate, none);
        let mut starts = starts(dice);
        starts.iter_mut().for_each(|(at, _)| *at = Time::from_nanos(at.as_nanos() / 2 * 2));
        let halved: Vec<_> = starts.iter().map(|&(at, t)| (Time::from_nanos(at.as_nanos() / 2), t)).collect();
        let double = Arc::new(map_star(&links, twice, none));
        let links = Arc::new(links);
        for make in STEADY {
            let slow = ends(&mut *make(Arc::clone(&links)), &starts);
            let quick = ends(&mut *make(Arc::clone(&double)), &halved);
            assert_close(&quick, slow.iter().map(|end| end.as_seconds() / 2.0), "halved");
        }
    }
}

/// (2) Twice the bits over twice the rates: nothing changes.
#[test]
fn bits_and_rates_scale_together() {
    let change = |links: &StarLinks, starts: &[(Time, Transfer)]| {
        let double = |&(at, t): &(Time, Transfer)| (at, Transfer { bits: t.bits * 2, ..t });
        (map_star(links, twice, |latency| latency), starts.iter().map(double).collect())
    };
    // Packets of fixed size would not be twice as large.
    changed(&[ideal, fair, fast, weighted, messages], change, |before, after, context| {
        assert_close(after, before.iter().map(|end| end.as_seconds()), context);
    });
}

/// (3) Everything begins c later: everything ends c later, to the nanosecond; whatever is random, too, because draws do
/// not know the time.
#[test]
fn a_delay_of_all_shifts_all() {
    let c = TimeDelta::from_nanos(123_456_789);
    let change = |links: &StarLinks, starts: &[(Time, Transfer)]| {
        (links.clone(), starts.iter().map(|&(at, transfer)| (at + c, transfer)).collect())
    };
    changed(&ALL, change, |before, after, context| {
        for (&before, &after) in before.iter().zip(after) {
            let shift = (after - before).as_nanos().abs_diff(c.as_nanos());
            assert!(shift <= 1, "{context}: {shift} ns beside c, where floats may round");
        }
    });
}

/// (4) A node that does nothing is noticed by nobody.
#[test]
fn an_idle_node_changes_nothing() {
    let change = |links: &StarLinks, starts: &[(Time, Transfer)]| {
        let mut more = links.clone();
        more.clients.extend([links.clients[0]; 3]);
        (more, starts.to_vec())
    };
    changed(&ALL, change, |before, after, context| assert_eq!(before, after, "{context}"));
}

/// (5) Clients under other names: the same times under the other names. (Nothing random: draws know names.)
#[test]
fn names_do_not_matter() {
    let renamed = |node: NodeId| if node.0 == 0 { node } else { NodeId(1 + (node.0 + 1) % CLIENTS) };
    let change = |links: &StarLinks, starts: &[(Time, Transfer)]| {
        let mut renumbered = links.clone();
        for (index, client) in links.clients.iter().enumerate() {
            renumbered.clients[renamed(NodeId(index as u32 + 1)).0 as usize - 1] = *client;
        }
        let rename = |&(at, t): &(Time, Transfer)| (at, Transfer { from: renamed(t.from), to: renamed(t.to), ..t });
        (renumbered, starts.iter().map(rename).collect())
    };
    changed(&STEADY, change, |before, after, context| {
        assert_close(after, before.iter().map(|end| end.as_seconds()), context);
    });
}

/// (6) Up and down exchanged, links and transfers: the same times. The directions of a link do not know each other.
#[test]
fn up_and_down_are_alike() {
    let change = |links: &StarLinks, starts: &[(Time, Transfer)]| {
        let turn = |&(at, t): &(Time, Transfer)| (at, Transfer { from: t.to, to: t.from, ..t });
        let clients = links.clients.iter().map(|c| AccessLink { up: c.down, down: c.up, ..*c }).collect();
        let turned = StarLinks { server_up: links.server_down, server_down: links.server_up, clients };
        (turned, starts.iter().map(turn).collect())
    };
    changed(&[ideal, fair, fast, weighted], change, |before, after, context| {
        assert_close(after, before.iter().map(|end| end.as_seconds()), context);
    });
}

/// (7) What goes the other way does not matter: without the downloads, the uploads end as before.
#[test]
fn directions_do_not_influence_each_other() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (Arc::new(star(dice)), starts(dice));
        let is_up = |(_, transfer): &&(Time, Transfer)| transfer.to == NodeId(0);
        let uploads: Vec<_> = starts.iter().filter(is_up).copied().collect();
        for make in ALL {
            let all = ends(&mut *make(Arc::clone(&links)), &starts);
            let alone = ends(&mut *make(Arc::clone(&links)), &uploads);
            let among = starts.iter().zip(all).filter(|(start, _)| is_up(start)).map(|(_, end)| end);
            let apart: Vec<_> = among.map(|end| end.as_nanos()).collect();
            let alone: Vec<_> = alone.iter().map(|end| end.as_nanos()).collect();
            assert!(apart.iter().zip(&alone).all(|(one, other)| one.abs_diff(*other) <= 1), "case {case}");
        }
    }
}

/// (8) Contention only delays: nobody ends before the time without contention.
#[test]
fn nobody_is_faster_than_alone() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let (links, starts) = (Arc::new(star(dice)), starts(dice));
        let alone = ends(&mut *ideal(Arc::clone(&links)), &starts);
        for make in [fair, fast, weighted, messages, packets, environment] {
            let shared = ends(&mut *make(Arc::clone(&links)), &starts);
            assert!(shared.iter().zip(&alone).all(|(shared, alone)| shared.as_nanos() + 1 >= alone.as_nanos()));
        }
    }
}

/// (9) On a star with one direction of traffic nobody loses by another's staying away.
#[test]
fn less_traffic_is_no_delay() {
    for case in 0..CASES {
        let dice = &mut Dice(case);
        let links = Arc::new(star(dice));
        let starts: Vec<_> = starts(dice).into_iter().filter(|(_, transfer)| transfer.to == NodeId(0)).collect();
        let fewer = &starts[..starts.len() - 1];
        for make in [fair, fast] {
            let all = ends(&mut *make(Arc::clone(&links)), &starts);
            let some = ends(&mut *make(Arc::clone(&links)), fewer);
            assert!(some.iter().zip(&all).all(|(some, all)| some.as_nanos() <= all.as_nanos() + 1), "case {case}");
        }
    }
}

/// Transfers of one client to the server, all at once, over a link of 7 Mbit/s.
fn one_link(dice: &mut Dice) -> (Arc<StarLinks>, Vec<(Time, Transfer)>, f64) {
    let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
    let client = AccessLink { up: rate(7), down: rate(7), latency: TimeDelta::ZERO };
    let links = Arc::new(StarLinks { server_up: rate(1_000), server_down: rate(1_000_000), clients: vec![client] });
    let transfer = |dice: &mut Dice| Transfer::new(NodeId(1), NodeId(0), Bits::new(1 + dice.below(90_000)));
    let starts: Vec<_> = (0..20).map(|_| (Time::ZERO, transfer(dice))).collect();
    let total: u64 = starts.iter().map(|(_, transfer)| transfer.bits.count()).sum();
    (links, starts, total as f64 / 7e6)
}

/// (10) A link that is never idle is through with B bits after B / C, however it is shared; the last one ends then.
/// (Fifo: and after the server's own link, which takes a millionth of the bits' time for the last message.)
#[test]
fn the_last_ends_when_all_bits_are_through() {
    for case in 0..CASES {
        let (links, starts, total) = one_link(&mut Dice(case));
        for make in [fair, fast, weighted] {
            let last = ends(&mut *make(Arc::clone(&links)), &starts).into_iter().max().unwrap();
            assert!(close(last, total), "{last} instead of {total} s");
        }
        let last = ends(&mut *messages(Arc::clone(&links)), &starts).into_iter().max().unwrap();
        let last_bits = starts[19].1.bits.count() as f64;
        assert!((last.as_seconds() - total - last_bits / 1e12).abs() < 1e-8, "{last} instead of {total} s");
    }
}

/// (11) n equal flows on one link share it equally: all end at n B / C + latency.
#[test]
fn equal_flows_end_together() {
    let dice = &mut Dice(1);
    for n in 1..40u64 {
        let (links, mut starts, _) = one_link(dice);
        starts.resize(n as usize, starts[0]);
        starts.iter_mut().for_each(|(_, transfer)| transfer.bits = Bits::new(70_000));
        for make in [fair, fast, weighted] {
            let ends = ends(&mut *make(Arc::clone(&links)), &starts);
            assert!(ends.iter().all(|&end| close(end, n as f64 * 0.01)), "{n} flows: {ends:?}");
        }
    }
}

/// (12) A message in two halves: as much payload, and under fair sharing on a link of their own they end when the whole
/// would.
#[test]
fn halves_end_with_the_whole() {
    let dice = &mut Dice(2);
    for _ in 0..CASES {
        let (links, starts, _) = one_link(dice);
        let (at, whole) = starts[0];
        let whole = Transfer { bits: whole.bits * 2, ..whole };
        let half = Transfer { bits: Bits::new(whole.bits.count() / 2), ..whole };
        for make in [fair, fast, weighted] {
            let together = ends(&mut *make(Arc::clone(&links)), &[(at, half), (at, half)]);
            let alone = ends(&mut *make(Arc::clone(&links)), &[(at, whole)]);
            assert_close(&together, [alone[0].as_seconds(); 2].into_iter(), "halves");
        }
    }
}

/// Three links in a row, a long flow over all and a short one on each: the long one gets the least third of what the
/// tightest link leaves (Bertsekas and Gallager, Data Networks, 6.5): capacities 10, 4 and 6 Mbit/s, two short flows on
/// the second: 4/3. After that its B bits end at 3 B / 4 Mbit/s unless a short flow ends before; here all are long
/// enough.
#[test]
fn the_parking_lot() {
    use crate::network::table::RouteTable;
    use fedbits_kernel::network::Link;
    let mut routes = RouteTable::new();
    let mut link = |mbps: u64| {
        routes.add_link(Link { capacity: Rate::new(mbps * 1_000_000).unwrap(), latency: TimeDelta::from_nanos(1_000) })
    };
    let [a, b, c] = [10, 4, 6].map(&mut link);
    for (pair, route) in [vec![a, b, c], vec![a], vec![b], vec![b], vec![c]].into_iter().enumerate() {
        routes.set_route(NodeId(2 * pair as u32), NodeId(2 * pair as u32 + 1), route);
    }
    let bits = [4_000_000, 26_000_000, 8_000_000, 8_000_000, 14_000_000];
    let flow = |(pair, bits): (usize, &u64)| {
        let (from, to) = (NodeId(2 * pair as u32), NodeId(2 * pair as u32 + 1));
        (Time::ZERO, Transfer::new(from, to, Bits::new(*bits)))
    };
    let starts: Vec<_> = bits.iter().enumerate().map(flow).collect();
    let ends = ends(&mut GeneralFairShare::new(routes), &starts);
    // The long one leaves at 3 s; the first then has 10 Mbit/s for the rest of its 26 − 3 · 26/3 = 0 Mbit: it ends at 3
    // s, too.
    assert!(close(ends[0], 3.0 + 3e-6), "{}", ends[0]);
    assert!((ends[1].as_seconds() - 3.0).abs() < 1e-5, "{}", ends[1]);
    // The two of the second link have 4 Mbit left each and 2 Mbit/s from 3 s on.
    assert!((ends[2].as_seconds() - 5.0).abs() < 1e-5 && ends[2] == ends[3], "{}", ends[2]);
    assert!((ends[4].as_seconds() - 3.0).abs() < 1e-5, "{}", ends[4]);
}
