//! TCP: the slow twin, closed forms, real measurements, bad input.

use std::sync::Arc;

use fedbits_kernel::network::transport::{Loss, Transport, TransportLayer, TransportOptions, stall};
use fedbits_kernel::network::{
    AccessLink, Ideal, Link, LinkId, Network, Outcome, Routes, SharedLinks, SharingSetting, StarLinks, Transfer, laws,
};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::laws::DurationLaw;
use fedbits_spec::range::whole;
use fedbits_spec::{Described, Duration};
use fedbits_tcp::{Congestion, Tcp, TcpPackets};
use serde::{Deserialize, Serialize};

use crate::script::{Action, Fate, simulate, transfer};
use crate::settings::{Queue, TcpSettings};
use crate::table::RouteTable;
use crate::twin::Twin;

const MILLISECOND: u64 = 1_000_000;

fn mbps(rate: u64) -> Rate {
    Rate::new(rate * 1_000_000).unwrap()
}

/// Ethernet and Linux's timestamps, 66 + 1 448 bytes; what Linux does, over endless queues.
fn linux(queues: Vec<Queue>) -> TcpSettings {
    TcpSettings {
        framing: Framing { header: Bits::new(8 * 66), segment: Bits::new(8 * 1_448) },
        congestion: Congestion::Cubic,
        initial_window: 10,
        set_up: 1,
        restart_after_idle: true,
        acknowledgements: true,
        queues,
        losses: Vec::new(),
        streams: Streams::new(1, 0),
    }
}

/// A generator of test cases; nothing of it is pinned.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

fn random_star(dice: &mut Dice) -> StarLinks {
    let rate = |dice: &mut Dice| {
        Rate::new([20_000, 300_000, 2_000_000, 9_000_000, 1_000_000_000][dice.below(5) as usize] + dice.below(700_001))
    };
    let client = |dice: &mut Dice| AccessLink {
        up: rate(dice).unwrap(),
        down: rate(dice).unwrap(),
        latency: TimeDelta::from_nanos(
            [0, 1_000_000, dice.below(80_000_000), dice.below(2_000_000_000)][dice.below(4) as usize],
        ),
    };
    let (server_up, server_down) = (rate(dice).unwrap(), rate(dice).unwrap());
    StarLinks { server_up, server_down, clients: (0..2 + dice.below(3)).map(|_| client(dice)).collect() }
}

fn random_settings(dice: &mut Dice, links: usize) -> TcpSettings {
    let queue = |dice: &mut Dice| match dice.below(4) {
        0 => Queue::Fair,
        1 => Queue::Fifo(None),
        _ => Queue::Fifo(Some(Bits::new(12_112 * (1 + dice.below(12))))),
    };
    let loses = dice.below(3) == 0;
    let loss = |dice: &mut Dice| {
        if loses { Loss::Bernoulli([0.0, 0.02, 0.2, 0.6][dice.below(4) as usize]) } else { Loss::Never }
    };
    let header = Bits::new([0, 320, 528][dice.below(3) as usize]);
    let segment = Bits::new([5_000, 11_584][dice.below(2) as usize]);
    TcpSettings {
        framing: Framing { header, segment },
        congestion: if dice.below(2) == 0 { Congestion::Cubic } else { Congestion::Reno },
        initial_window: [1, 3, 10][dice.below(3) as usize],
        set_up: dice.below(3) as u32,
        restart_after_idle: dice.below(2) == 0,
        acknowledgements: dice.below(3) > 0,
        losses: (0..links).map(|_| loss(dice)).collect(),
        streams: Streams::new(dice.below(1_000), 0),
        ..linux((0..links).map(|_| queue(dice)).collect())
    }
}

fn random_script(dice: &mut Dice, mut pair: impl FnMut(&mut Dice) -> (u32, u32)) -> Vec<(Time, Action)> {
    let (mut now, mut script) = (0, Vec::new());
    for number in 0..14 {
        now += [0, 0, dice.below(30 * MILLISECOND), dice.below(3_000 * MILLISECOND)][dice.below(4) as usize];
        let bits = [0, 1 + dice.below(30_000), dice.below(800_000), dice.below(2_000_000)][dice.below(4) as usize];
        let (from, to) = pair(dice);
        let transfer = transfer(from, to, bits);
        script.push((Time::from_nanos(now), Action::Start(transfer)));
        if dice.below(6) == 0 {
            now += dice.below(80 * MILLISECOND);
            script.push((Time::from_nanos(now), Action::Abort(dice.below(number + 1) as usize)));
        }
    }
    script
}

fn between_nodes_of_a_star(clients: u64) -> impl FnMut(&mut Dice) -> (u32, u32) {
    move |dice| {
        let (from, step) = (dice.below(clients + 1), 1 + dice.below(clients));
        (from as u32, ((from + step) % (clients + 1)) as u32)
    }
}

/// The same ends to the nanosecond, the same bits of what was cut off, and the same again if the network is looked at
/// more often. What is cut off lets others of its connection wait for a new one until time goes on: what takes no time
/// over it has arrived at that time, and the network tells of it a nanosecond later.
fn assert_twins<R: Routes + Clone + Sync + 'static>(
    routes: &R,
    settings: &TcpSettings,
    script: &[(Time, Action)],
    context: &str,
) {
    let found = simulate(&mut settings.over(routes.clone()), script, &[]);
    let twin = Twin::new(routes, settings).simulate(routes, script);
    for (number, (found, twin)) in found.iter().zip(&twin).enumerate() {
        let cut = |at: Time| script.iter().any(|&(cut, action)| cut == at && matches!(action, Action::Abort(_)));
        let is_told_late = matches!((found, twin), (Fate::Completed(found), Fate::Completed(at))
            if cut(*at) && found.as_nanos() == at.as_nanos() + 1);
        assert!(found == twin || is_told_late, "{context}, transfer {number}: {found:?}, the twin {twin:?}");
    }
    let looks: Vec<_> = (0..100).map(|k| Time::from_nanos(k * 23_456_789)).collect();
    let looked = simulate(&mut settings.over(routes.clone()), script, &looks);
    assert_eq!(looked, found, "{context}: results depend on when the network is advanced");
}

/// Random stars, settings and scripts, with aborts and losses.
#[test]
fn the_twin_agrees_to_the_nanosecond() {
    for case in 0..300 {
        let dice = &mut Dice(case);
        let star = random_star(dice);
        let settings = random_settings(dice, star.link_count());
        let script = random_script(dice, between_nodes_of_a_star(star.clients.len() as u64));
        assert_twins(&star, &settings, &script, &format!("star {case}"));
    }
}

/// Routes over up to eight links, which pairs of nodes share in any order.
#[test]
fn the_twin_agrees_on_any_routes() {
    for case in 0..300 {
        let dice = &mut Dice(1_000_000 + case);
        let mut routes = RouteTable::new();
        let links = 2 + dice.below(7) as u32;
        for _ in 0..links {
            let capacity = Rate::new([100_000, 3_000_000][dice.below(2) as usize] + dice.below(5_000_000)).unwrap();
            routes.add_link(Link { capacity, latency: TimeDelta::from_nanos(dice.below(30 * MILLISECOND)) });
        }
        for (from, to) in (0..4).flat_map(|pair| [(2 * pair, 2 * pair + 1), (2 * pair + 1, 2 * pair)]) {
            let mut route: Vec<_> = (0..links).map(LinkId).collect();
            (0..links as usize).for_each(|place| route.swap(place, dice.below(u64::from(links)) as usize));
            route.truncate(1 + dice.below(u64::from(links)) as usize);
            routes.set_route(NodeId(from), NodeId(to), route);
        }
        let settings = random_settings(dice, links as usize);
        let script = random_script(dice, |dice| {
            let (pair, back) = (2 * dice.below(4) as u32, dice.below(2) as u32);
            (pair + back, pair + 1 - back)
        });
        assert_twins(&routes, &settings, &script, &format!("routes {case}"));
    }
}

/// One client on a link of `rate` and `latency`, and a server whose links take no time to speak of; no headers.
fn alone(rate: Rate, latency: u64, settings: TcpSettings) -> TcpPackets {
    let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(latency) };
    let star = StarLinks { server_up: Rate::MAX, server_down: Rate::MAX, clients: vec![client] };
    let framing = Framing { header: Bits::ZERO, segment: Bits::new(12_000) };
    TcpSettings { framing, congestion: Congestion::Reno, acknowledgements: false, ..settings }.over(star)
}

fn next_end(network: &mut TcpPackets, now: Time, transfer: Transfer) -> Time {
    let flow = network.start(now, transfer);
    let mut completed = Vec::new();
    let at = network.advance_to_completion(None, &mut completed).unwrap();
    assert_eq!(completed, [flow]);
    at
}

fn assert_near(at: Time, expected: Time, context: &str) {
    let apart = at.as_nanos().abs_diff(expected.as_nanos());
    assert!(apart < 200, "{context}: {at} instead of {expected}, {apart} ns apart");
}

/// Cold: a round trip for the set-up, then the latency, the bits over the link and the stalls of slow start (Kurose and
/// Ross). At once after that: the latency and the bits, because the window is kept. After ten seconds: the stalls
/// again, but no set-up.
#[test]
fn single_flows_have_their_closed_forms() {
    let packet = Bits::new(12_000);
    for (rate, latency) in [(mbps(10), 20), (mbps(100), 50), (mbps(1), 3), (mbps(1_000), 100)] {
        for packets in [1, 2, 9, 10, 11, 15, 20, 29, 30] {
            let context = format!("{packets} packets at {rate} and {latency} ms");
            let mut network = alone(rate, latency * MILLISECOND, linux(Vec::new()));
            let latency = TimeDelta::from_nanos(latency * MILLISECOND);
            let flowing = latency + rate.time_for(packet * packets);
            let stalled = flowing + stall(packets, packet, rate, latency * 2, 10);
            let transfer = transfer(1, 0, 12_000 * packets);
            let cold = next_end(&mut network, Time::ZERO, transfer);
            assert_near(cold, Time::ZERO + latency * 2 + stalled, &context);
            let start = cold + latency * 3;
            let warm = next_end(&mut network, start, transfer);
            assert_near(warm, start + flowing, &format!("{context}, warm"));
            let start = warm + TimeDelta::from_nanos(10_000 * MILLISECOND);
            let idle = next_end(&mut network, start, transfer);
            assert_near(idle, start + stalled, &format!("{context}, after a rest"));
        }
    }
}

/// Equal flows with large windows into one queue: the last bit is through when all bits are, and all end within one
/// packet of each.
#[test]
fn equal_flows_end_together() {
    for clients in [1, 2, 5, 12] {
        let client = AccessLink { up: mbps(50), down: mbps(50), latency: TimeDelta::from_nanos(7 * MILLISECOND) };
        let star = StarLinks { server_up: mbps(50), server_down: mbps(10), clients: vec![client; clients] };
        let settings = TcpSettings { initial_window: 1_000, set_up: 0, ..linux(Vec::new()) };
        let script: Vec<_> =
            (1..=clients).map(|c| (Time::ZERO, Action::Start(transfer(c as u32, 0, 100 * 12_112)))).collect();
        let ends: Vec<_> = simulate(&mut settings.over(star), &script, &[]).into_iter().map(end).collect();
        let packets = |count: usize, rate: Rate| rate.time_for(Bits::new(12_112) * count as u64);
        let latency = TimeDelta::from_nanos(7 * MILLISECOND);
        let last = Time::ZERO + packets(1, mbps(50)) + latency + packets(100 * clients, mbps(10));
        assert_eq!(ends.iter().max(), Some(&last));
        assert!(ends.iter().all(|&end| end + packets(clients, mbps(10)) > last), "{ends:?}");
    }
}

fn end(fate: Fate) -> Time {
    match fate {
        Fate::Completed(at) => at,
        Fate::Aborted(..) => panic!("nothing is aborted"),
    }
}

/// What links carry is what is told: the data, two headers of the set-up, what was sent again, and a header for each
/// acknowledgement. What the first link has no room for it does not carry.
#[test]
fn every_bit_is_told() {
    let small = Some(Bits::new(60_000));
    for (door, room, loss) in [(None, None, 0.0), (None, small, 0.0), (None, None, 0.03), (small, None, 0.0)] {
        let client = AccessLink { up: mbps(50), down: mbps(50), latency: TimeDelta::from_nanos(7 * MILLISECOND) };
        let star = StarLinks { server_up: mbps(50), server_down: mbps(10), clients: vec![client] };
        let mut settings = linux(vec![Queue::Fifo(None), Queue::Fifo(room), Queue::Fifo(door)]);
        settings.losses = vec![Loss::Never, Loss::Bernoulli(loss)];
        let (header, bits) = (settings.framing.header, Bits::new(8_000_000));
        let mut network = settings.over(star);
        let flow = network.start(Time::ZERO, Transfer::new(NodeId(1), NodeId(0), bits));
        let mut completed = Vec::new();
        network.advance(Time::MAX, &mut completed);
        let outcome = network.outcome(flow);
        assert!(outcome.arrived() && completed == [flow]);
        assert!(outcome.set_up == header * 2 || loss > 0.0 && outcome.set_up > header * 2);
        assert_eq!(outcome.retransmitted > Bits::ZERO, room.is_some() || loss > 0.0);
        // Up: the question (each time), the acknowledgement of the answer, the data. Down: the answer and acknowledgements.
        let up = outcome.set_up + bits + outcome.retransmitted;
        assert_eq!(network.carried(LinkId(2)), up);
        let down = network.carried(LinkId(3)).count();
        assert_eq!(down % header.count(), 0);
        assert!(down / header.count() > 330, "one acknowledgement for every second of 661 packets");
    }
}

/// Behind a wait (jitter) a message is charged the same, whether it arrives or is cut off.
#[test]
fn jitter_hides_no_charge() {
    let client = AccessLink { up: mbps(50), down: mbps(50), latency: TimeDelta::from_nanos(7 * MILLISECOND) };
    let star = || Arc::new(StarLinks { server_up: mbps(50), server_down: mbps(10), clients: vec![client] });
    let mut settings = linux(Vec::new());
    (settings.losses, settings.acknowledgements) = (vec![Loss::Never, Loss::Bernoulli(0.03)], true);
    let packets = |seed| TcpSettings { streams: Streams::new(seed, 0), ..settings.clone() }.over(star());
    let wait = Duration::Ms(20.0);
    let jitter = Some(DurationLaw::Uniform { min: wait, max: wait });
    let options =
        TransportOptions { transport: Transport::NONE, framing: settings.framing, jitter, losses: Vec::new() };
    let charges = |outcome: Outcome| [outcome.retransmitted, outcome.acknowledgements, outcome.set_up];
    let played = |network: &mut dyn Network, cut: Option<Time>| {
        let flow = network.start(Time::ZERO, Transfer::new(NodeId(1), NodeId(0), Bits::new(8_000_000)));
        let mut completed = Vec::new();
        network.advance(cut.unwrap_or(Time::MAX), &mut completed);
        cut.map(|at| network.abort(at, flow));
        charges(network.outcome(flow))
    };
    let middle = Some(Time::from_nanos(500 * MILLISECOND));
    // A lost header of the set-up is sent again after a second: nothing else would be, until then.
    let any = |charges: [Bits; 3]| charges.iter().all(|bits| *bits > Bits::ZERO);
    let seed = (0..20).find(|&seed| any(played(&mut packets(seed), middle))).expect("most set-ups lose nothing");
    for cut in [None, middle] {
        let later = cut.map(|at| at + TimeDelta::from_nanos(20 * MILLISECOND));
        let alone = played(&mut packets(seed), cut);
        assert!(any(alone), "{alone:?}");
        let mut carried = TransportLayer::new(Box::new(packets(seed)), star(), options.clone(), Streams::new(1, 0));
        assert_eq!(played(&mut carried, later), alone);
    }
}

/// Three messages behind one set-up, of which one header has been sent: cut off at once, as at the end of a run, they are
/// charged it once; where one alone is cut off, the others wait for a connection of their own, which is charged to them.
#[test]
fn a_new_connection_is_charged_to_whom_it_serves() {
    let client = AccessLink { up: mbps(50), down: mbps(50), latency: TimeDelta::from_nanos(100 * MILLISECOND) };
    let star = || StarLinks { server_up: mbps(50), server_down: mbps(50), clients: vec![client] };
    let settings = linux(Vec::new());
    let (header, nothing) = (settings.framing.header, Bits::ZERO);
    let packets = || settings.over(star());
    let expected =
        [(3, [header, nothing, nothing]), (2, [header, nothing, header * 2]), (1, [header, header * 2, nothing])];
    for (cut, set_ups) in expected {
        assert_eq!(set_ups_of_three(&mut packets(), 40, cut), set_ups);
        for wait in [0, 20] {
            let jitter = Some(Duration::Ms(wait as f64)).map(|wait| DurationLaw::Uniform { min: wait, max: wait });
            let options =
                TransportOptions { transport: Transport::NONE, framing: settings.framing, jitter, losses: Vec::new() };
            let mut carried = TransportLayer::new(Box::new(packets()), Arc::new(star()), options, Streams::new(1, 0));
            assert_eq!(set_ups_of_three(&mut carried, 40 + wait, cut), set_ups, "{cut} cut off behind {wait} ms");
        }
    }
    let mut network = packets();
    set_ups_of_three(&mut network, 40, 1);
    // Up: two questions, an acknowledgement of the answer, the data.
    assert_eq!(network.carried(LinkId(2)), header * 3 + Bits::new(2_000));
}

/// What three messages of 1 000 bits are charged for set-ups, of which `cut` are cut off after so many milliseconds.
fn set_ups_of_three(network: &mut dyn Network, ms: u64, cut: usize) -> [Bits; 3] {
    let transfer = Transfer::new(NodeId(1), NodeId(0), Bits::new(1_000));
    let flows = [0; 3].map(|_| network.start(Time::ZERO, transfer));
    let (at, mut completed) = (Time::from_nanos(ms * MILLISECOND), Vec::new());
    network.advance(at, &mut completed);
    for &flow in &flows[..cut] {
        network.abort(at, flow);
        // So a run goes on to another event of this instant.
        assert_eq!(network.advance_to_completion(Some(at), &mut completed), None);
    }
    network.advance(Time::MAX, &mut completed);
    assert_eq!(completed, flows[cut..]);
    flows.map(|flow| network.outcome(flow).set_up)
}

/// Two messages of 1 Mbit at 50 Mbit/s, of which 1.5 Mbit have left after 30 ms: cut off together they are charged these,
/// and nothing as sent again. Where the first alone is cut off, the other begins anew when the rest of the old connection
/// has left the queue, at 40 ms: what it had sent before is sent again as far as that has got.
#[test]
fn what_was_sent_once_is_not_sent_again() {
    let client = AccessLink { up: mbps(50), down: mbps(50), latency: TimeDelta::from_nanos(100 * MILLISECOND) };
    let star = StarLinks { server_up: mbps(50), server_down: mbps(50), clients: vec![client] };
    let settings = TcpSettings { initial_window: 1_000, set_up: 0, ..linux(Vec::new()) };
    let at = |ms: u64| Time::from_nanos(ms * MILLISECOND);
    let begin = || {
        let mut network = settings.over(star.clone());
        let flows = [0; 2].map(|_| network.start(Time::ZERO, transfer(1, 0, 1_000_000)));
        (network, flows)
    };
    let cut = |network: &mut TcpPackets, ms, flow| {
        let sent = network.abort(at(ms), flow).count();
        (sent, network.outcome(flow).retransmitted.count())
    };
    for order in [[0, 1], [1, 0]] {
        let (mut network, flows) = begin();
        let charged = order.map(|number| cut(&mut network, 30, flows[number]));
        assert_eq!(order.map(|number| charged[number]), [(1_000_000, 0), (500_000, 0)]);
    }
    for (ms, charged) in [(35, (500_000, 0)), (45, (500_000, 250_000)), (55, (750_000, 500_000))] {
        let (mut network, [first, second]) = begin();
        assert_eq!(cut(&mut network, 30, first), (1_000_000, 0));
        assert_eq!(cut(&mut network, ms, second), charged, "{ms} ms");
    }
    let (mut network, [first, second]) = begin();
    network.abort(at(30), first);
    let mut completed = Vec::new();
    network.advance(Time::MAX, &mut completed);
    assert_eq!(completed, [second]);
    assert_eq!(network.outcome(second).retransmitted, Bits::new(500_000));
}

/// Rates up and down in Mbit/s, latency in ms.
type Access = (u64, u64, u64);

const EQUAL: [Access; 8] = [(10, 10, 20); 8];
const UNEQUAL: [Access; 8] =
    [(1, 2, 5), (2, 4, 10), (3, 6, 20), (5, 10, 40), (8, 16, 10), (10, 20, 20), (15, 20, 40), (20, 20, 80)];

/// Transfers of `kilobytes` between each client and a server with 10 Mbit/s, all at once over new connections: what
/// they took in ms, and the per cent that the model may be off.
struct Measured {
    clients: [Access; 8],
    up: bool,
    kilobytes: u64,
    /// kB of a queue.
    queue: u64,
    took: [f64; 8],
    tolerance: f64,
}

const fn measured(clients: [Access; 8], up: bool, kilobytes: u64, took: [f64; 8], tolerance: f64) -> Measured {
    Measured { clients, up, kilobytes, queue: 10_000, took, tolerance }
}

/// Real TCP, Linux 6.18, Cubic, median of 5 each, over links with FIFO queues.
const REAL: [Measured; 8] = [
    measured(EQUAL, true, 20, [181.8, 185.3, 185.5, 187.4, 190.2, 192.6, 197.3, 197.1], 2.5),
    measured(EQUAL, true, 200, [1400.0, 1400.3, 1400.5, 1397.4, 1402.8, 1402.3, 1402.0, 1404.2], 1.5),
    measured(EQUAL, false, 20, [163.9, 168.5, 173.4, 178.2, 187.1, 189.5, 192.9, 196.7], 1.5),
    measured(EQUAL, false, 200, [1253.7, 1276.7, 1299.5, 1322.7, 1349.8, 1368.1, 1384.4, 1401.3], 1.5),
    measured(UNEQUAL, true, 20, [185.4, 117.5, 125.5, 227.5, 61.7, 110.8, 214.2, 415.7], 4.0),
    measured(UNEQUAL, true, 200, [1698.0, 1100.6, 1079.7, 1333.7, 477.2, 983.8, 1264.5, 1330.1], 2.5),
    measured(UNEQUAL, false, 200, [1028.3, 1106.0, 1218.1, 1302.7, 931.0, 1129.7, 1335.4, 1650.1], 1.5),
    // A queue that is too small for the first windows of all.
    Measured { queue: 64, ..measured(EQUAL, true, 20, [146.7, 192.8, 193.3, 196.5, 200.6, 201.5, 204.9, 232.4], 3.0) },
];

#[test]
fn real_transfers_take_as_long() {
    for Measured { clients, up, kilobytes, queue, took, tolerance } in REAL {
        let client = |&(up, down, latency): &Access| AccessLink {
            up: mbps(up),
            down: mbps(down),
            latency: TimeDelta::from_nanos(latency * MILLISECOND),
        };
        let clients = clients.iter().map(client).collect();
        let star = StarLinks { server_up: mbps(10), server_down: mbps(10), clients };
        // Where these were measured, the packet being sent counted as well.
        let settings = linux(vec![Queue::Fifo(Some(Bits::new(8_000 * queue - 12_112))); star.link_count()]);
        let payload = Bits::new(8_000 * kilobytes);
        let bits = (payload + settings.framing.header_bits(payload)).count();
        let start = |client: u32| {
            let (from, to) = if up { (client, 0) } else { (0, client) };
            (Time::ZERO, Action::Start(transfer(from, to, bits)))
        };
        let script: Vec<_> = (1..=8).map(start).collect();
        let ends = simulate(&mut settings.over(star), &script, &[]).into_iter().map(end);
        for (end, took) in ends.zip(took) {
            let off = 100.0 * (end.as_seconds() * 1e3 / took - 1.0);
            assert!(off.abs() < tolerance, "{kilobytes} kB, queues of {queue} kB: {end} instead of {took} ms");
        }
    }
}

/// Real TCP as above: four clients with 1 Mbit/s up and 10 Mbit/s down send 100 kB and receive 1 MB at once, over
/// connections that have carried 400 kB each way. The acknowledgements of the one wait among the packets of the other,
/// and timeouts strike in vain.
#[test]
fn both_directions_at_once_take_as_long_as_in_reality() {
    let client = AccessLink { up: mbps(1), down: mbps(10), latency: TimeDelta::from_nanos(20 * MILLISECOND) };
    let star = StarLinks { server_up: mbps(100), server_down: mbps(100), clients: vec![client; 4] };
    let settings = TcpSettings { restart_after_idle: false, ..linux(Vec::new()) };
    let framing = settings.framing;
    let mut network = settings.over(star);
    let with_headers = |kilobytes: u64| {
        let payload = Bits::new(8_000 * kilobytes);
        (payload + framing.header_bits(payload)).count()
    };
    let mut now = Time::ZERO;
    for client in 1..=4 {
        now = next_end(&mut network, now, transfer(client, 0, with_headers(400)));
        now = next_end(&mut network, now, transfer(0, client, with_headers(400)));
    }
    let mut rounds = Vec::new();
    for _ in 0..5 {
        now += TimeDelta::from_nanos(60 * MILLISECOND);
        let start = |client| [transfer(0, client, with_headers(1_000)), transfer(client, 0, with_headers(100))];
        let flows: Vec<_> = (1..=4).flat_map(start).map(|transfer| network.start(now, transfer)).collect();
        let (mut completed, mut took) = (Vec::new(), vec![0.0; 8]);
        let began = now;
        while took.contains(&0.0) {
            now = network.advance_to_completion(None, &mut completed).unwrap();
            for flow in completed.drain(..) {
                let number = flows.iter().position(|&known| known == flow).unwrap();
                took[number] = (now - began).as_seconds() * 1e3;
            }
        }
        rounds.push(took);
    }
    let real = [1_406.1, 893.1, 1_339.8, 897.1, 1_411.9, 895.0, 1_331.6, 899.5];
    for (number, real) in real.into_iter().enumerate() {
        let mut took: Vec<_> = rounds.iter().map(|round| round[number]).collect();
        took.sort_by(f64::total_cmp);
        assert!((took[2] / real - 1.0).abs() < 0.07, "transfer {number}: {took:?} ms for {real} ms");
    }
}

/// A transfer that is alone, without Cubic's guesses: never later over links of twice the rate.
#[test]
fn faster_links_delay_nobody_who_is_alone() {
    for case in 0..100 {
        let dice = &mut Dice(case);
        let star = random_star(dice);
        let twice = |rate: Rate| Rate::new(2 * rate.bits_per_second()).unwrap();
        let access = |client: &AccessLink| AccessLink { up: twice(client.up), down: twice(client.down), ..*client };
        let clients = star.clients.iter().map(access).collect();
        let fast = StarLinks { server_up: twice(star.server_up), server_down: twice(star.server_down), clients };
        let alone = [(Time::ZERO, Action::Start(transfer(1, 0, dice.below(3_000_000))))];
        let ends = [star, fast].map(|star| {
            let settings = TcpSettings { congestion: Congestion::Reno, ..linux(Vec::new()) };
            end(simulate(&mut settings.over(star), &alone, &[])[0])
        });
        assert!(ends[1] <= ends[0], "case {case}: {ends:?}");
    }
}

/// Links that never deliver in time, or lose nearly everything: transfers are given up and told as lost. Charged is what
/// the links carried.
#[test]
fn what_cannot_be_sent_is_given_up() {
    let year = 31_557_600_000 * MILLISECOND;
    let slow = Rate::new(1).unwrap();
    let lossy = TcpSettings { losses: vec![Loss::Bernoulli(0.9); 4], ..linux(Vec::new()) };
    let cases = [(slow, 0, linux(Vec::new())), (mbps(1), year, linux(Vec::new())), (mbps(1), 5, lossy)];
    for (rate, latency, settings) in cases {
        let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(latency) };
        let star = StarLinks { server_up: rate, server_down: rate, clients: vec![client] };
        let mut network = settings.over(star);
        let flows = [(1, 0), (0, 1)].map(|(from, to)| network.start(Time::ZERO, transfer(from, to, 1_000_000_000_000)));
        let mut completed = Vec::new();
        network.advance_to_completion(None, &mut completed).unwrap();
        assert_eq!(completed, flows, "both directions end with their connection");
        let lost = network.outcome(flows[0]).lost;
        assert!(lost.bits > Bits::new(990_000_000_000), "{lost:?}");
        assert_eq!(lost.count, lost.bits.count().div_ceil(12_112));
        let outcomes = flows.map(|flow| network.outcome(flow));
        let charged = outcomes.map(|Outcome { unsent, retransmitted, acknowledgements, set_up, .. }| {
            Bits::new(1_000_000_000_000) - unsent + retransmitted + acknowledgements + set_up
        });
        assert_eq!(charged[0] + charged[1], network.carried(LinkId(2)) + network.carried(LinkId(0)));
        // The next one tries anew.
        network.start(Time::from_nanos(2 * year), transfer(1, 0, 1));
    }
}

/// A message that fills a year: its packets are not all there at once, and what had left when it is cut off is known.
#[test]
fn long_messages_are_made_while_they_are_sent() {
    let mut network = alone(mbps(10), 20 * MILLISECOND, linux(Vec::new()));
    let flow = network.start(Time::ZERO, transfer(1, 0, u64::MAX / 4));
    let mut completed = Vec::new();
    network.advance(Time::from_nanos(10_000 * MILLISECOND), &mut completed);
    assert!(completed.is_empty());
    let sent = network.abort(Time::from_nanos(10_000 * MILLISECOND), flow).count();
    assert!((98_000_000..99_600_000).contains(&sent), "{sent} bits of 10 Mbit/s in 10 s after the set-up");
}

/// Everything later ends everything as much later, idle nodes are noticed by nobody, and nobody is faster than alone.
#[test]
fn changes_have_known_consequences() {
    let later = TimeDelta::from_nanos(123_456_789);
    for case in 0..60 {
        let dice = &mut Dice(7_000 + case);
        let star = random_star(dice);
        let mut script = random_script(dice, between_nodes_of_a_star(star.clients.len() as u64));
        script.retain(|(_, action)| matches!(action, Action::Start(_)));
        for queue in [Queue::Fifo(None), Queue::Fifo(Some(Bits::new(8 * 12_112)))] {
            let ends = |star: &StarLinks, script: &[(Time, Action)]| -> Vec<Time> {
                let settings = linux(vec![queue; star.link_count()]);
                simulate(&mut settings.over(star.clone()), script, &[]).into_iter().map(end).collect()
            };
            let before = ends(&star, &script);
            let shifted: Vec<_> = script.iter().map(|&(at, action)| (at + later, action)).collect();
            assert!(before.iter().zip(ends(&star, &shifted)).all(|(&before, after)| before + later == after), "{case}");
            let mut more = star.clone();
            more.clients.extend([star.clients[0]; 3]);
            assert_eq!(ends(&more, &script), before, "case {case}");
            let alone = simulate(&mut Ideal::new(star.clone()), &script, &[]).into_iter().map(end);
            assert!(
                before.iter().zip(alone).all(|(shared, alone)| shared.as_nanos() + 1 >= alone.as_nanos()),
                "{case}"
            );
        }
    }
}

/// TCP as a setting, for the laws of sharing alone.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct TcpOfTheLaws {
    /// Is every queue fair, or one for all?
    fair: bool,
    /// Cubic or Reno?
    cubic: bool,
    /// Packets that a queue has room for.
    #[range(whole(1, 1_000))]
    room: Option<u32>,
}

impl SharingSetting for TcpOfTheLaws {
    fn build(&self, SharedLinks { routes, framing, .. }: SharedLinks) -> Box<dyn Network> {
        let room = self.room.map(|packets| (framing.header + framing.segment) * u64::from(packets));
        let queue = if self.fair { Queue::Fair } else { Queue::Fifo(room) };
        let congestion = if self.cubic { Congestion::Cubic } else { Congestion::Reno };
        let settings = linux(vec![queue; routes.link_count()]);
        Box::new(TcpSettings { framing, congestion, ..settings }.over(routes))
    }

    fn examples() -> Vec<Self> {
        let of = |fair, cubic, room| Self { fair, cubic, room };
        vec![of(true, true, None), of(false, true, None), of(false, false, Some(40)), of(false, true, Some(3))]
    }
}

#[test]
fn tcp_obeys_the_laws_of_sharing() {
    laws::sharing::<Tcp>();
    laws::sharing::<TcpOfTheLaws>();
}
