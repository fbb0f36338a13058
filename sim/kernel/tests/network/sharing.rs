//! FairShare against the slow obvious reference on random platforms with random transfers and aborts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::network::table::RouteTable;
use fedbits_kernel::network::transport::{Transport, TransportLayer, TransportOptions};
use fedbits_kernel::network::{
    AccessLink, BitsFirst, GeneralFairShare, Link, LinkId, Network, Routes, StarFairShare, StarLinks, Transfer,
    VaryingLinks, VaryingRate, Weights, Window,
};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::Streams;

use crate::network::reference_impl::{self, Dice};
use crate::network::script::{Action, Fate, close, simulate, transfer};

/// Rates on a coarse scale, so that ties and flows exactly at their cap occur, or on a fine one.
fn rate(dice: &mut Dice) -> Rate {
    let bits_per_second = match dice.below(3) {
        0 => (1 + dice.below(10)) * 1_000_000,
        1 => 1_000 + dice.below(100_000_000),
        _ => 1 << (10 + dice.below(20)),
    };
    Rate::new(bits_per_second).unwrap()
}

fn latency(dice: &mut Dice) -> TimeDelta {
    TimeDelta::from_nanos([0, 1_000_000, dice.below(50_000_000)][dice.below(3) as usize])
}

fn bits(dice: &mut Dice) -> u64 {
    [0, 16_000, 1 + dice.below(100_000), 1 + dice.below(10_000_000)][dice.below(4) as usize]
}

/// Some senders are in slow start.
fn window(dice: &mut Dice) -> Option<Window> {
    let first = 1 + dice.below(40_000);
    let round = TimeDelta::from_nanos(1 + dice.below(80_000_000));
    let window = Window { first: Bits::new(first), limit: Bits::new(first * (1 + dice.below(60))), round };
    (dice.below(4) > 0).then_some(window)
}

/// Starts and aborts at random times, many at once; in half of the scripts with windows.
fn script(dice: &mut Dice, count: usize, mut pair: impl FnMut(&mut Dice) -> (u32, u32)) -> Vec<(Time, Action)> {
    let (mut now, mut started, mut script, windows) = (0, 0, Vec::new(), dice.below(2) == 0);
    while started < count {
        now += [0, 0, 1_000_000, dice.below(300_000_000)][dice.below(4) as usize];
        let action = if started > 0 && dice.below(5) == 0 {
            now += 1 + dice.below(40_000_000);
            Action::Abort(dice.below(started as u64) as usize)
        } else {
            started += 1;
            let (from, to) = pair(dice);
            let window = windows.then(|| window(dice)).flatten();
            Action::Start(Transfer { window, ..transfer(from, to, bits(dice)) })
        };
        script.push((Time::from_nanos(now), action));
    }
    script
}

fn polls(dice: &mut Dice) -> Vec<Time> {
    let mut times: Vec<_> = (0..50).map(|_| Time::from_nanos(dice.below(3_000_000_000))).collect();
    times.sort();
    times
}

fn platform(dice: &mut Dice, pairs: u32) -> RouteTable {
    let mut routes = RouteTable::new();
    let links = 1 + dice.below(6) as u32;
    for _ in 0..links {
        routes.add_link(Link { capacity: rate(dice), latency: latency(dice) });
    }
    for pair in 0..pairs {
        let mut route: Vec<_> = (0..links).filter(|_| dice.below(2) == 0).map(LinkId).collect();
        if route.is_empty() {
            route.push(LinkId(dice.below(u64::from(links)) as u32));
        }
        routes.set_route(NodeId(2 * pair), NodeId(2 * pair + 1), route);
    }
    routes
}

/// General routes: 1 500 random platforms, each rate at each moment as the definition of max–min fairness says.
#[test]
fn general_sharing_is_the_definition() {
    for case in 0..1_500 {
        let dice = &mut Dice(case);
        let routes = platform(dice, 8);
        let script = script(dice, 14, |dice| {
            let pair = dice.below(8) as u32;
            (2 * pair, 2 * pair + 1)
        });
        let found = simulate(&mut GeneralFairShare::new(routes.clone()), &script, &[]);
        reference_impl::assert_same(
            &found,
            &reference_impl::simulate(&routes, &script),
            &routes,
            &format!("platform {case}"),
        );
        let polled = simulate(&mut GeneralFairShare::new(routes), &script, &polls(dice));
        assert_eq!(polled, found, "platform {case}: results depend on when the network is advanced");
    }
}

fn star(dice: &mut Dice, clients: u64) -> StarLinks {
    let client = |dice: &mut Dice| AccessLink { up: rate(dice), down: rate(dice), latency: latency(dice) };
    StarLinks { server_up: rate(dice), server_down: rate(dice), clients: (0..clients).map(|_| client(dice)).collect() }
}

/// Some of the links from `first` on have rates that vary, with outages.
fn varying(dice: &mut Dice, first: u32, links: usize) -> Arc<BTreeMap<LinkId, VaryingRate>> {
    let mut rates = BTreeMap::new();
    for link in first..links as u32 {
        let piece = |dice: &mut Dice| {
            let outage = dice.below(4) == 0;
            (
                TimeDelta::from_nanos(1_000_000 + dice.below(400_000_000)),
                if outage { 0 } else { rate(dice).bits_per_second() },
            )
        };
        let mut pieces: Vec<_> = (0..dice.below(6)).map(|_| piece(dice)).collect();
        pieces.push((TimeDelta::from_nanos(50_000_000), 3_000_000));
        if dice.below(3) > 0 {
            let varying = VaryingRate::new(&pieces).unwrap();
            rates.insert(LinkId(link), varying.from(TimeDelta::from_nanos(dice.below(1_000_000_000))));
        }
    }
    Arc::new(rates)
}

/// Rates that vary, on any routes.
#[test]
fn general_sharing_follows_varying_rates() {
    for case in 0..120 {
        let dice = &mut Dice(4_000_000 + case);
        let routes = platform(dice, 8);
        let rates = varying(dice, 0, routes.link_count());
        let routes = || VaryingLinks { routes: routes.clone(), rates: Arc::clone(&rates) };
        let script = script(dice, 14, |dice| {
            let pair = dice.below(8) as u32;
            (2 * pair, 2 * pair + 1)
        });
        let found = simulate(&mut GeneralFairShare::new(routes()), &script, &[]);
        let reference = reference_impl::simulate(&routes(), &script);
        reference_impl::assert_same(&found, &reference, &routes(), &format!("platform {case}"));
        let polled = simulate(&mut GeneralFairShare::new(routes()), &script, &polls(dice));
        assert_eq!(polled, found, "platform {case}: results depend on when the network is advanced");
    }
}

/// Rates that vary, of the clients of a star, whose server has one rate.
#[test]
fn sharing_on_a_star_follows_varying_rates() {
    for case in 0..120 {
        let dice = &mut Dice(5_000_000 + case);
        let clients = 1 + dice.below(8);
        let links = star(dice, clients);
        let rates = varying(dice, 2, links.link_count());
        let routes = || VaryingLinks { routes: links.clone(), rates: Arc::clone(&rates) };
        let script = script(dice, 20, |dice| to_or_from_server(dice, clients));
        let found = simulate(&mut GeneralFairShare::new(routes()), &script, &[]);
        let reference = reference_impl::simulate(&routes(), &script);
        reference_impl::assert_same(&found, &reference, &routes(), &format!("star {case}"));
        let polled = simulate(&mut GeneralFairShare::new(routes()), &script, &polls(dice));
        assert_eq!(polled, found, "star {case}: results depend on when the network is advanced");
    }
}

/// A rate that changes each microsecond, 0.5 and 1.5 Mbit/s in turn: 1 Mbit takes a second, and half a million changes
/// or more, between which whoever waits is told how far it is.
#[test]
fn many_steps_can_be_interrupted() {
    let micro = TimeDelta::from_nanos(1_000);
    let varying = VaryingRate::new(&[(micro, 500_000), (micro, 1_500_000)]).unwrap();
    let fast = Rate::new(1_000_000_000).unwrap();
    let client = AccessLink { up: fast, down: fast, latency: TimeDelta::from_nanos(0) };
    let links = StarLinks { server_up: fast, server_down: fast, clients: vec![client] };
    let rates = Arc::new(BTreeMap::from([(LinkId(2), varying)]));
    let routes = || VaryingLinks { routes: links.clone(), rates: Arc::clone(&rates) };
    let general = || Box::new(GeneralFairShare::new(routes()));
    let framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };
    let options = TransportOptions { transport: Transport::NONE, framing, jitter: None, losses: Vec::new() };
    let carried = TransportLayer::new(general(), Arc::new(routes()), options, Streams::new(1, 0));
    let networks: [Box<dyn Network>; 2] = [general(), Box::new(carried)];
    for mut network in networks {
        let flow = network.start(Time::ZERO, Transfer::new(NodeId(1), NodeId(0), Bits::new(1_000_000)));
        let (mut completed, mut times) = (Vec::new(), Vec::new());
        while completed.is_empty() {
            times.push(network.advance_to_completion(None, &mut completed).unwrap());
        }
        assert_eq!((completed, times.last().copied()), (vec![flow], Some(Time::from_nanos(1_000_000_000))));
        assert!(times.len() > 7 && times.is_sorted(), "{times:?}");
    }
}

/// When a run ends, what is in flight has sent as much whether rates are found anew after each transfer or not.
#[test]
fn what_is_in_flight_at_the_end_has_sent_as_much() {
    let rate = |r| Rate::new(r).unwrap();
    let client =
        |index: u64| AccessLink { up: rate(700), down: rate(900), latency: TimeDelta::from_nanos(index * 40_000_000) };
    let links = StarLinks { server_up: rate(1_000), server_down: rate(2_000), clients: (0..9).map(client).collect() };
    for ends in [0, 1, 80_000_000, 333_333_333, 700_000_001, 2_000_000_000] {
        let sent = [false, true].map(|concluded| {
            let mut network = GeneralFairShare::new(links.clone());
            let flows: Vec<_> =
                (1..=9).map(|client| network.start(Time::ZERO, transfer(client, 0, 100 * u64::from(client)))).collect();
            let (at, mut arrived) = (Time::from_nanos(ends), Vec::new());
            network.advance(at, &mut arrived);
            if concluded {
                network.conclude();
            }
            let left = flows.iter().filter(|flow| !arrived.contains(flow));
            left.map(|&flow| network.abort(at, flow).count()).collect::<Vec<_>>()
        });
        assert_eq!(sent[0], sent[1], "at {ends} ns");
    }
}

/// Transfers whose last bit goes as an outage begins: 128 bits at 1 bit/s in every other second, the first from second 2
/// on, and 102 bits of which each of 2 040 windows lets 1/20 through. What rounding leaves does not wait for the next
/// window. The numbers are found by hand.
#[test]
fn who_ends_as_an_outage_begins_has_ended() {
    let ends = |pieces: &[(u64, u64)], server: u64, latency: u64, bits: u64, start: u64| {
        let pieces: Vec<_> = pieces.iter().map(|&(lasts, rate)| (TimeDelta::from_nanos(lasts), rate)).collect();
        let (rate, latency) = (|rate| Rate::new(rate).unwrap(), TimeDelta::from_nanos(latency));
        let clients = vec![AccessLink { up: rate(1), down: rate(1), latency }];
        let links = StarLinks { server_up: rate(1), server_down: rate(server), clients };
        let rates = Arc::new(BTreeMap::from([(LinkId(2), VaryingRate::new(&pieces).unwrap())]));
        let routes = || VaryingLinks { routes: links.clone(), rates: Arc::clone(&rates) };
        let networks: [Box<dyn Network>; 2] = [
            Box::new(GeneralFairShare::new(routes())),
            Box::new(GeneralFairShare::weighted(routes(), Weights::InverseLatency)),
        ];
        let script = [(Time::from_nanos(start), Action::Start(transfer(1, 0, bits)))];
        networks.map(|mut network| match simulate(&mut *network, &script, &[])[0] {
            Fate::Completed(at) => at.as_nanos(),
            Fate::Aborted(..) => unreachable!("nothing is cut off"),
        })
    };
    let second = 1_000_000_000;
    let halves = ends(&[(second, 1), (second, 0)], 100_000, 500_000_000, 128, 500_000_128);
    assert_eq!(halves, [(2 + 2 * 127 + 1) * second; 2]);
    let twentieths = ends(&[(534_235_569, 0), (1_000_000, 1_000)], 50, 0, 102, 0);
    assert_eq!(twentieths, [2_040 * 535_235_569; 2]);
}

/// Beside a flow of the least latency that its access link holds to 1 bit/s, one from far away has the rest of a link of
/// 1 kbit/s, however little it weighs: 999 bits in a second.
#[test]
fn a_flow_from_far_away_has_what_is_left() {
    let rate = |r| Rate::new(r).unwrap();
    for latency in [1_000_000, 1_000_000_000_000, 1_000_000_000_000_000, 30_000_000_000_000_000] {
        let client = |up, latency| AccessLink { up: rate(up), down: rate(1), latency: TimeDelta::from_nanos(latency) };
        let clients = vec![client(1, 0), client(1_000_000_000, latency)];
        let links = StarLinks { server_up: rate(1), server_down: rate(1_000), clients };
        let start = |from, at, bits| (Time::from_nanos(at), Action::Start(transfer(from, 0, bits)));
        let script = [start(2, 0, 999), start(1, latency, 100)];
        let fates = simulate(&mut GeneralFairShare::weighted(links, Weights::InverseLatency), &script, &[]);
        assert_eq!(fates[0], Fate::Completed(Time::from_nanos(latency + 1_000_000_000)), "{latency} ns");
    }
}

/// A transfer between the server and one of the clients, either way.
fn to_or_from_server(dice: &mut Dice, clients: u64) -> (u32, u32) {
    let client = 1 + dice.below(clients) as u32;
    if dice.below(2) == 0 { (0, client) } else { (client, 0) }
}

/// The star's fast path: 1 500 random stars with few clients, so that several flows share one access link, with aborts
/// in mid-flow; the same as the reference and as the general algorithm.
#[test]
fn star_sharing_is_the_definition() {
    for case in 0..1_500 {
        let dice = &mut Dice(1_000_000 + case);
        let clients = 1 + dice.below(8);
        let links = star(dice, clients);
        let script = script(dice, 20, |dice| to_or_from_server(dice, clients));
        let reference = reference_impl::simulate(&links, &script);
        let found = simulate(&mut StarFairShare::new(links.clone()), &script, &[]);
        reference_impl::assert_same(&found, &reference, &links, &format!("star {case}"));
        let general = simulate(&mut GeneralFairShare::new(links.clone()), &script, &[]);
        reference_impl::assert_same(&general, &reference, &links, &format!("star {case}, general"));
        let polled = simulate(&mut StarFairShare::new(links), &script, &polls(dice));
        assert_eq!(polled, found, "star {case}: results depend on when the network is advanced");
    }
}

/// The same where what the server sends flows at once and arrives after its latency.
#[test]
fn bits_first_is_the_definition() {
    for case in 0..1_500 {
        let dice = &mut Dice(3_000_000 + case);
        let clients = 1 + dice.below(8);
        let links = star(dice, clients);
        let script = script(dice, 20, |dice| to_or_from_server(dice, clients));
        let routes = BitsFirst { routes: links.clone(), sender: NodeId(0) };
        let reference = reference_impl::simulate(&routes, &script);
        let found = simulate(&mut StarFairShare::new(links.clone()).bits_first(), &script, &[]);
        reference_impl::assert_same(&found, &reference, &routes, &format!("star {case}"));
        let general = BitsFirst { routes: links.clone(), sender: NodeId(0) };
        let general = simulate(&mut GeneralFairShare::new(general), &script, &[]);
        reference_impl::assert_same(&general, &reference, &routes, &format!("star {case}, general"));
        let polled = simulate(&mut StarFairShare::new(links).bits_first(), &script, &polls(dice));
        assert_eq!(polled, found, "star {case}: results depend on when the network is advanced");
    }
}

/// Up 1 Mbit/s and down D Mbit/s at once, where each bit of data costs κ = header ÷ (2 (header + segment)) bits of
/// acknowledgements on the way back: u = 1 − κ d and d = D − κ u give u = (1 − D κ) ÷ (1 − κ²) and d = (D − κ) ÷ (1 −
/// κ²). The smaller transfer ends at bits ÷ rate, and the other goes on alone. With headers beside which segments are
/// nothing κ is a half.
#[test]
fn acknowledgements_take_room_on_the_way_back() {
    let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
    for (wide, header, segment) in [(10, 320, 11_680), (1, 1 << 40, 8)] {
        let client = AccessLink { up: rate(1), down: rate(wide), latency: TimeDelta::ZERO };
        let links = StarLinks { server_up: rate(1_000), server_down: rate(1_000), clients: vec![client] };
        let framing = Framing { header: Bits::new(header), segment: Bits::new(segment) };
        let script = [(1, 0, 1_000_000), (0, 1, 500_000 * wide)]
            .map(|(from, to, bits)| (Time::ZERO, Action::Start(transfer(from, to, bits))));
        let ends = simulate(&mut GeneralFairShare::new(links).acknowledged(framing), &script, &[]);
        let (wide, kappa) = (wide as f64, header as f64 / (2.0 * (header + segment) as f64));
        let [up, down] = [1.0 - wide * kappa, wide - kappa].map(|rate| 1e6 * rate / (1.0 - kappa * kappa));
        let second = 5e5 * wide / down;
        let first = second + (1e6 - up * second) / 1e6;
        for (end, expected) in ends.iter().zip([first, second]) {
            let Fate::Completed(at) = *end else { panic!("nothing is aborted") };
            assert!((at.as_seconds() / expected - 1.0).abs() < 2e-6, "{at} instead of {expected} s");
        }
    }
}

/// Larger stars, where the level crosses many caps up and down: fast path against the general algorithm and the
/// reference.
#[test]
fn large_stars_agree() {
    for case in 0..20 {
        let dice = &mut Dice(2_000_000 + case);
        let links = star(dice, 60);
        let script = script(dice, 300, |dice| to_or_from_server(dice, 60));
        let reference = reference_impl::simulate(&links, &script);
        reference_impl::assert_same(
            &simulate(&mut StarFairShare::new(links.clone()), &script, &[]),
            &reference,
            &links,
            "fast",
        );
        reference_impl::assert_same(
            &simulate(&mut GeneralFairShare::new(links.clone()), &script, &[]),
            &reference,
            &links,
            "general",
        );
    }
}

/// A server link of C = 3 000 000 007 bit/s, access links of 10^10, one long transfer, and 6 000 transfers of 10^10 + k
/// bits, one each
/// 3.3 s: more arrives than leaves, so the link is full until the last transfer ends at (total bits) ÷ C = 20 333 s.
/// Virtual time is re-based along the way; rounding must not add up.
#[test]
fn a_link_that_never_rests_loses_no_bit() {
    let rate = |r| Rate::new(r).unwrap();
    let client = AccessLink { up: rate(10_000_000_000), down: rate(10_000_000_000), latency: TimeDelta::ZERO };
    let links = StarLinks { server_up: rate(3_000_000_007), server_down: rate(1_000), clients: vec![client; 7] };
    let mut script = vec![(Time::ZERO, transfer(0, 7, 1_000_000_000_000))];
    script.extend(
        (0..6_000u64)
            .map(|k| (Time::from_nanos(k * 3_300_000_000), transfer(0, 1 + (k % 6) as u32, 10_000_000_000 + k))),
    );
    let total: u64 = script.iter().map(|(_, transfer)| transfer.bits.count()).sum();
    let script: Vec<_> = script.into_iter().map(|(at, transfer)| (at, Action::Start(transfer))).collect();
    let ends = |fates: Vec<Fate>| -> Vec<Time> {
        let end = |fate| {
            if let Fate::Completed(at) = fate { at } else { panic!("nothing is aborted") }
        };
        fates.into_iter().map(end).collect()
    };
    let fast = ends(simulate(&mut StarFairShare::new(links.clone()), &script, &[]));
    let general = ends(simulate(&mut GeneralFairShare::new(links), &script, &[]));
    assert!(close(fast.iter().copied().max().unwrap(), total as f64 / 3_000_000_007.0));
    for (fast, general) in fast.into_iter().zip(general) {
        assert!(close(fast, general.as_seconds()), "{fast} by the fast path, {general} by the general one");
    }
}
