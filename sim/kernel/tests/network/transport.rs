//! Transport over a network: waits, losses, repetitions; in closed forms and against each other.

use std::sync::Arc;

use fedbits_kernel::network::transport::{
    Connections, Delivery, Loss, Repair, Transport, TransportLayer, TransportOptions, stall,
};
use fedbits_kernel::network::{
    AccessLink, BitsFirst, Fifo, GeneralFairShare, Ideal, Network, Outcome, Routes, StarFairShare, StarLinks, Transfer,
};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::Duration;
use fedbits_spec::laws::DurationLaw;

use crate::network::reference_impl::Dice;
use crate::network::script::{Action, Fate, simulate, transfer};

const PACKET: u64 = 12_000;
const ROUND_TRIP: Delivery = Delivery::Reliable(Repair::RoundTrip);

fn ms(ms: u64) -> TimeDelta {
    TimeDelta::from_nanos(ms * 1_000_000)
}

fn at_ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn rate(mbps: u64) -> Rate {
    Rate::new(mbps * 1_000_000).unwrap()
}

/// Access links of 12 Mbit/s and 10 ms: a packet of 12 000 bits takes 1 ms.
fn star(clients: usize) -> StarLinks {
    let client = AccessLink { up: rate(12), down: rate(12), latency: ms(10) };
    StarLinks { server_up: rate(1_000), server_down: rate(1_000), clients: vec![client; clients] }
}

fn plain(delivery: Delivery) -> TransportOptions {
    let framing = Framing { header: Bits::new(320), segment: Bits::new(PACKET - 320) };
    let transport = Transport { delivery, ..Transport::NONE };
    TransportOptions { transport, framing, jitter: None, losses: Vec::new() }
}

fn with(transport: Transport) -> TransportOptions {
    TransportOptions { transport, ..plain(Delivery::Datagram) }
}

fn carrier(options: TransportOptions, loss: Loss, seed: u64) -> TransportLayer {
    let routes = Arc::new(star(4));
    let losses = (0..routes.link_count()).map(|link| if link < 2 { Loss::Never } else { loss }).collect();
    let inner = Box::new(Ideal::new(Arc::clone(&routes)));
    TransportLayer::new(inner, routes, TransportOptions { losses, ..options }, Streams::new(seed, 0))
}

/// Plays one transfer to its end.
fn carry(network: &mut TransportLayer, now: Time, transfer: Transfer) -> (Time, Outcome) {
    let flow = network.start(now, transfer);
    let mut completed = Vec::new();
    loop {
        let next = network.next_completion().expect("a transfer ends");
        network.advance(next, &mut completed);
        if completed.pop() == Some(flow) {
            return (next, network.outcome(flow));
        }
    }
}

/// A sharing model on the routes of a star.
type Build = fn(Arc<StarLinks>) -> Box<dyn Network>;

/// Without loss, jitter, set-up and slow start a carrier changes nothing, over any network, also when transfers are cut
/// off.
#[test]
fn a_carrier_of_nothing_changes_nothing() {
    for case in 0..200 {
        let dice = &mut Dice(case);
        let (mut now, mut script) = (0, Vec::new());
        for number in 0..20 {
            now += [0, 1_000_000, dice.below(30_000_000)][dice.below(3) as usize];
            let client = 1 + dice.below(4) as u32;
            let (from, to) = if dice.below(2) == 0 { (0, client) } else { (client, 0) };
            let action = match dice.below(5) {
                0 if number > 0 => Action::Abort(dice.below(number) as usize),
                _ => Action::Start(transfer(from, to, dice.below(200_000))),
            };
            script.push((Time::from_nanos(now), action));
        }
        // Numbers of aborts count starts only.
        let starts = script.iter().filter(|(_, action)| matches!(action, Action::Start(_))).count();
        script.retain(|(_, action)| !matches!(action, Action::Abort(number) if *number >= starts / 2));
        let routes = Arc::new(star(4));
        let networks: [Build; 3] = [
            |routes| Box::new(Ideal::new(routes)),
            |routes| Box::new(StarFairShare::new((*routes).clone())),
            |routes| Box::new(Fifo::new(routes, Some(Bits::new(PACKET)), None)),
        ];
        for network in networks {
            for delivery in [Delivery::Datagram, ROUND_TRIP] {
                let bare = simulate(&mut *network(Arc::clone(&routes)), &script, &[]);
                let inner = network(Arc::clone(&routes));
                let streams = Streams::new(1, 0);
                let mut carried = TransportLayer::new(inner, Arc::clone(&routes) as _, plain(delivery), streams);
                assert_eq!(simulate(&mut carried, &script, &[]), bare, "case {case}");
            }
        }
    }
}

/// Two round trips of set-up (20 ms each on a route of 10 ms) and two headers for each.
#[test]
fn setting_up_costs_round_trips_and_headers() {
    let mut network = carrier(with(Transport { set_up: 2, ..Transport::NONE }), Loss::Never, 1);
    let (end, outcome) = carry(&mut network, Time::ZERO, transfer(1, 0, 5 * PACKET));
    assert_eq!(end, at_ms(40 + 10 + 5));
    assert_eq!(outcome, Outcome { set_up: Bits::new(4 * 320), ..Outcome::default() });
}

/// Headers leave at 0, 10, 20 and 30 ms: what is cut off is charged those that have left, kept connections or not.
#[test]
fn set_ups_are_charged_as_far_as_they_got() {
    for connections in [Connections::Kept, Connections::PerMessage] {
        let transport = Transport { set_up: 2, connections, ..Transport::NONE };
        for (ms, headers) in [(0, 1), (9, 1), (10, 2), (29, 3), (30, 4), (39, 4), (41, 4)] {
            let mut network = carrier(with(transport), Loss::Never, 1);
            let flow = network.start(at_ms(100), transfer(1, 0, 5 * PACKET));
            network.abort(at_ms(100 + ms), flow);
            assert_eq!(network.outcome(flow).set_up, Bits::new(headers * 320), "{ms} ms");
        }
    }
}

/// Slow start of 25 packets with a first window of 2 over 1 ms per packet and a round trip of 20 ms: windows 2, 4, 8
/// stand still for 21 − 2, 21 − 4, 21 − 8 ms, the fourth (11 left of 16) is the last: 49 ms + 25 ms + latency.
#[test]
fn slow_start_of_k_segments() {
    let network = || carrier(with(Transport { slow_start: Some(2), ..Transport::NONE }), Loss::Never, 1);
    let end = |packets: u64| carry(&mut network(), Time::ZERO, transfer(1, 0, packets * PACKET)).0;
    assert_eq!([end(1), end(2), end(3)], [at_ms(11), at_ms(12), at_ms(13 + 19)]);
    assert_eq!(end(25), at_ms(49 + 25 + 10));
    let expected = stall(25, Bits::new(PACKET), rate(12), ms(20), 2);
    assert_eq!(expected, ms(49));
    // From a window of 32 on (32 ms > 21 ms) nothing stands still: 2, 4, 8, 16 do, at 16: 21 − 16 = 5.
    assert_eq!(end(1_000), at_ms(49 + 5 + 1_000 + 10));
}

/// A transfer that is alone takes as long with its windows inside sharing as with its stalls laid before it, on both
/// models of sharing and in both orders of latency.
#[test]
fn windows_of_a_lone_transfer_are_its_stalls() {
    for case in 0..500 {
        let dice = &mut Dice(case);
        let mut any = |most: u64| rate(1 + dice.below(most));
        let (up, down, server) = (any(40), any(40), any(60));
        let client = AccessLink { up, down, latency: TimeDelta::from_nanos(dice.below(90_000_000)) };
        let routes = Arc::new(StarLinks { server_up: server, server_down: server, clients: vec![client] });
        let script: Vec<_> = (0..4)
            .map(|k| {
                let (from, to) = if dice.below(2) == 0 { (0, 1) } else { (1, 0) };
                (at_ms(10_000 * k + dice.below(3_000)), Action::Start(transfer(from, to, 1 + dice.below(3_000_000))))
            })
            .collect();
        let transport = Transport { set_up: 1, slow_start: Some(1 + dice.below(20) as u32), ..Transport::NONE };
        let over = |inner: Box<dyn Network>| {
            let mut network = TransportLayer::new(inner, Arc::clone(&routes) as _, with(transport), Streams::new(1, 0));
            simulate(&mut network, &script, &[])
        };
        let stalls = over(Box::new(Ideal::new(Arc::clone(&routes))));
        let first = BitsFirst { routes: Arc::clone(&routes), sender: NodeId(0) };
        let windows = [
            over(Box::new(GeneralFairShare::new(Arc::clone(&routes)))),
            over(Box::new(GeneralFairShare::new(first))),
            over(Box::new(StarFairShare::new((*routes).clone()))),
            over(Box::new(StarFairShare::new((*routes).clone()).bits_first())),
        ];
        for fates in windows {
            for (fate, stalled) in fates.iter().zip(&stalls) {
                let (Fate::Completed(at), Fate::Completed(expected)) = (*fate, *stalled) else { panic!("no aborts") };
                assert!(at.as_nanos().abs_diff(expected.as_nanos()) <= 100, "case {case}: {at} for {expected}");
            }
        }
    }
}

/// Where the fair share is below the window, slow start changes nothing: 8 clients send 20 kB at once over a link that
/// gives each a window of ten packets in 96 ms, and acknowledges after 20.
#[test]
fn windows_that_sharing_does_not_fill_change_nothing() {
    let client = AccessLink { up: rate(10), down: rate(10), latency: ms(10) };
    let routes = StarLinks { server_up: rate(10), server_down: rate(10), clients: vec![client; 8] };
    let script: Vec<_> = (1..=8).map(|client| (Time::ZERO, Action::Start(transfer(client, 0, 14 * PACKET)))).collect();
    let ends = |slow_start| {
        let inner = Box::new(StarFairShare::new(routes.clone()));
        let options = with(Transport { slow_start, ..Transport::NONE });
        simulate(&mut TransportLayer::new(inner, Arc::new(routes.clone()), options, Streams::new(1, 0)), &script, &[])
    };
    assert_eq!(ends(Some(10)), ends(None));
    // 8 · 14 packets at 10 Mbit/s, after the latency.
    assert_eq!(ends(None), [Fate::Completed(Time::from_nanos(10_000_000 + 8 * 14 * 1_200_000)); 8]);
}

/// A kept connection is set up once, keeps its window as long as its sender does not rest, halves it for each 220 ms of
/// rest (20 ms of round trip, 200), and is gone when a message on it is cut off. Windows of 2, 4, 8 of 1 ms a packet
/// stall 19, 17, 13 ms in rounds of 21 ms.
#[test]
fn connections_are_kept_until_something_is_cut_off() {
    let transport = Transport { set_up: 1, slow_start: Some(2), ..Transport::NONE };
    let mut network = carrier(with(transport), Loss::Never, 1);
    let mut took = |at: u64, packets| {
        let (end, outcome) = carry(&mut network, at_ms(at), transfer(1, 0, packets * PACKET));
        ((end - at_ms(at)).as_nanos() / 1_000_000, outcome.set_up.count() / 320)
    };
    assert_eq!(took(0, 14), (20 + 19 + 17 + 14 + 10, 2));
    // The window is 16 now.
    assert_eq!(took(100, 16), (16 + 10, 0));
    // And 32 now, half of it after 224 ms of rest: 16 of 1 ms in a round trip of 20 stall before the seventeenth.
    assert_eq!(took(340, 17), (17 + (21 - 16) + 10, 0));
    // It is 32 again, and 4 after 700 ms of rest.
    assert_eq!(took(362 + 700, 12), (12 + (21 - 4) + 10, 0));
    let cut_off = network.start(at_ms(2_050), transfer(0, 1, PACKET));
    network.abort(at_ms(2_051), cut_off);
    let (end, outcome) = carry(&mut network, at_ms(2_060), transfer(1, 0, 2 * PACKET));
    assert_eq!((end, outcome.set_up), (at_ms(2_060 + 20 + 2 + 10), Bits::new(2 * 320)));
}

/// A header back for every second packet, of what was sent if a message is cut off.
#[test]
fn acknowledgements_are_counted() {
    let mut network = carrier(with(Transport { acknowledgements: true, ..Transport::NONE }), Loss::Never, 1);
    let headers = |outcome: Outcome| outcome.acknowledgements.count() / 320;
    for (packets, expected) in [(1, 1), (2, 1), (5, 3)] {
        assert_eq!(headers(carry(&mut network, Time::ZERO, transfer(1, 0, packets * PACKET)).1), expected);
    }
    let flow = network.start(at_ms(1_000), transfer(1, 0, 100 * PACKET));
    network.abort(at_ms(1_000 + 10 + 7), flow);
    assert_eq!(headers(network.outcome(flow)), 4);
}

/// Packets that were lost are acknowledged by nobody.
#[test]
fn acknowledgements_are_of_what_has_come() {
    let transport = Transport { acknowledgements: true, ..Transport::NONE };
    let mut network = carrier(with(transport), Loss::Bernoulli(0.5), 1);
    let mut seen = [0; 2];
    for k in 0..100 {
        let outcome = carry(&mut network, at_ms(1_000 * k), transfer(1, 0, 3 * PACKET)).1;
        let came = 3 - outcome.lost.count;
        assert_eq!(outcome.acknowledgements, Bits::new(320 * came.div_ceil(2)));
        seen = [seen[0] + usize::from(came == 0), seen[1] + usize::from(came == 3)];
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

/// Jitter is drawn per message at (sender and receiver, number): the same for the same place, whatever others send.
#[test]
fn jitter_is_addressed() {
    let jitter = || {
        let law = DurationLaw::Uniform { min: Duration::ZERO, max: Duration::Ms(50.0) };
        TransportOptions { jitter: Some(law), ..plain(Delivery::Datagram) }
    };
    let mut alone = carrier(jitter(), Loss::Never, 1);
    let ends: Vec<_> = (0..5).map(|k| carry(&mut alone, at_ms(1_000 * k), transfer(1, 0, PACKET)).0).collect();
    let waits: Vec<_> =
        ends.iter().zip(0..).map(|(end, k)| (*end - at_ms(1_000 * k)).as_nanos() - 11_000_000).collect();
    assert!(waits.iter().all(|&wait| wait < 50_000_000) && waits.windows(2).all(|pair| pair[0] != pair[1]));
    let mut busy = carrier(jitter(), Loss::Never, 1);
    for (k, end) in ends.iter().enumerate() {
        busy.start(at_ms(1_000 * k as u64), transfer(2, 0, PACKET));
        assert_eq!(carry(&mut busy, at_ms(1_000 * k as u64), transfer(1, 0, PACKET)).0, *end);
    }
}

/// Datagrams of s packets over a link with loss p arrive with probability (1 − p)^s: 0.95^4 = 0.8145. Of 4 000 the
/// standard deviation is √(N q (1 − q)) = 24.6; z-limit 7. What is lost has used its route in full, and its time.
#[test]
fn a_lost_packet_loses_a_datagram() {
    let mut network = carrier(plain(Delivery::Datagram), Loss::Bernoulli(0.05), 3);
    let mut arrived = 0.0;
    for k in 0..4_000 {
        let (end, outcome) = carry(&mut network, at_ms(100 * k), transfer(1, 0, 4 * PACKET));
        assert_eq!(end, at_ms(100 * k + 14));
        assert_eq!((outcome.retransmitted, outcome.set_up), (Bits::ZERO, Bits::ZERO));
        arrived += f64::from(u8::from(outcome.arrived()));
    }
    assert!((arrived - 4_000.0 * 0.814_506_25).abs() < 7.0 * 24.6, "{arrived}");
}

/// Reliable: each packet is sent until it arrives, a geometric number of times. Of N packets of B bits the
/// retransmitted bits have mean N B p / (1 − p) and variance N B² p / (1 − p)²; p = 0.2, N = 40 000: 10 000 packets,
/// standard deviation 111.8; z-limit 7. A message ends k round trips later when it needs k repetitions: 10 ms back, 10
/// ms there again, and its packets.
#[test]
fn retransmitted_bits_are_what_is_expected() {
    let p = 0.2;
    let mut network = carrier(plain(ROUND_TRIP), Loss::Bernoulli(p), 4);
    let mut retransmitted = 0.0;
    for k in 0..4_000u64 {
        let (end, outcome) = carry(&mut network, at_ms(1_000 * k), transfer(1, 0, 10 * PACKET));
        assert!(outcome.arrived());
        let packets = outcome.retransmitted.count() / PACKET;
        assert_eq!(outcome.retransmitted.count() % PACKET, 0);
        retransmitted += packets as f64;
        // 20 ms for the message; each repetition 20 ms and 1 ms for each of its packets.
        let beyond = (end - at_ms(1_000 * k + 20)).as_nanos() - packets * 1_000_000;
        assert_eq!(beyond % 20_000_000, 0);
        assert_eq!(beyond == 0, packets == 0);
    }
    let (mean, deviation) = (40_000.0 * p / (1.0 - p), (40_000.0 * p).sqrt() / (1.0 - p));
    assert!((retransmitted - mean).abs() < 7.0 * deviation, "{retransmitted}");
}

/// The last, smaller packet is sent again with its own size: a message of one packet and 100 bits, whatever is lost,
/// has retransmitted a 12 000 + b 100 bits, with a and b of mean p / (1 − p) each.
#[test]
fn the_last_packet_keeps_its_size() {
    let mut network = carrier(plain(ROUND_TRIP), Loss::Bernoulli(0.5), 5);
    let (mut whole, mut small) = (0u64, 0u64);
    for k in 0..2_000 {
        let (_, outcome) = carry(&mut network, at_ms(10_000 * k), transfer(1, 0, PACKET + 100));
        whole += outcome.retransmitted.count() / PACKET;
        small += outcome.retransmitted.count() % PACKET / 100;
        assert_eq!(outcome.retransmitted.count() % PACKET % 100, 0);
    }
    // Mean 2 000 each, standard deviation √(2 000 · 0.5) / 0.5 = 63.
    assert!((whole as f64 - 2_000.0).abs() < 7.0 * 63.3 && (small as f64 - 2_000.0).abs() < 7.0 * 63.3);
}

/// A timeout replaces the route back: 200 ms instead of 10.
#[test]
fn timeouts_take_their_time() {
    let seeds = |delivery| {
        let end = |seed| {
            carry(&mut carrier(plain(delivery), Loss::Bernoulli(0.3), seed), Time::ZERO, transfer(1, 0, PACKET)).0
        };
        (0..50).map(end).collect::<Vec<_>>()
    };
    let (round_trip, timeout) = (seeds(ROUND_TRIP), seeds(Delivery::Reliable(Repair::Timeout(Duration::Ms(200.0)))));
    for (round_trip, timeout) in round_trip.iter().zip(&timeout) {
        // 11 ms, and for each repetition 21 or 211.
        let repetitions = (round_trip.as_nanos() / 1_000_000 - 11) / 21;
        assert_eq!(*timeout, at_ms(11 + 211 * repetitions));
    }
    assert!(round_trip.iter().any(|&end| end > at_ms(11)));
}

/// Losses on several links of a route compose: 1 − (1 − p)² for a message of one packet between two clients (up and
/// down link).
#[test]
fn losses_of_a_route_compose() {
    let mut network = carrier(plain(Delivery::Datagram), Loss::Bernoulli(0.3), 6);
    let lost = |k: u64| u32::from(!carry(&mut network, at_ms(100 * k), transfer(1, 2, PACKET)).1.arrived());
    let lost = f64::from((0..4_000).map(lost).sum::<u32>());
    // 0.51, standard deviation √(4 000 · 0.51 · 0.49) = 31.6.
    assert!((lost - 2_040.0).abs() < 7.0 * 31.6, "{lost}");
}

/// Gilbert–Elliott over a link: in the long run the stationary share of packets is lost, however they are grouped in
/// messages.
#[test]
fn bursts_have_their_stationary_share() {
    let loss = Loss::GilbertElliott { to_bad: 0.05, to_good: 0.2, in_good: 0.0, in_bad: 1.0 };
    for packets in [1, 40] {
        let mut network = carrier(plain(Delivery::Datagram), loss, 7);
        let messages = 40_000 / packets;
        let lost = |k| carry(&mut network, at_ms(1_000 * k), transfer(1, 0, packets * PACKET)).1.lost.count;
        let lost = (0..messages).map(lost).sum::<u64>() as f64;
        // π = 0.2; variance per packet 0.16 (1 + 2 · 0.75 / 0.25) = 1.12: standard deviation √(40 000 · 1.12) = 212.
        assert!((lost - 8_000.0).abs() < 7.0 * 212.0, "{packets} packets a message: {lost}");
    }
}

/// Reliable over a Fifo with a small buffer: what is dropped is sent again until it is there.
#[test]
fn dropped_packets_are_sent_again() {
    let mut links = star(1);
    links.server_down = rate(6);
    let routes = Arc::new(links);
    let fifo = Fifo::new(Arc::clone(&routes), Some(Bits::new(PACKET)), Some(Bits::new(2 * PACKET)));
    let streams = Streams::new(1, 0);
    let mut network = TransportLayer::new(Box::new(fifo), routes, plain(ROUND_TRIP), streams);
    let (_, outcome) = carry(&mut network, Time::ZERO, transfer(1, 0, 20 * PACKET));
    assert!(outcome.arrived() && outcome.retransmitted.count() >= PACKET, "{outcome:?}");
    assert_eq!(outcome.retransmitted.count() % PACKET, 0);
}

/// Cut off during a repetition: the message itself has been sent in full, and of the repetition what flowed.
#[test]
fn a_repetition_is_cut_off_where_it_is() {
    let seed = (0..100).find(|&seed| {
        let mut network = carrier(plain(ROUND_TRIP), Loss::Bernoulli(0.5), seed);
        network.start(Time::ZERO, transfer(1, 0, PACKET));
        let mut completed = Vec::new();
        network.advance(at_ms(11), &mut completed);
        completed.is_empty()
    });
    let mut network = carrier(plain(ROUND_TRIP), Loss::Bernoulli(0.5), seed.unwrap());
    let flow = network.start(Time::ZERO, transfer(1, 0, PACKET));
    network.advance(at_ms(21), &mut Vec::new());
    // The repetition departs at 21 ms, flows from 31 ms on; half a packet by 31.5 ms.
    let sent = network.abort(Time::from_nanos(31_500_000), flow);
    assert_eq!((sent, network.outcome(flow).retransmitted), (Bits::new(PACKET), Bits::new(PACKET / 2)));
}

/// Splitting a message in two: the payload is the same, and there is one header more when the halves do not fill
/// segments.
#[test]
fn halves_have_more_headers() {
    let framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };
    let header = |bits| framing.header_bits(Bits::new(bits)).count();
    assert_eq!(header(23_360), 640);
    assert_eq!(header(11_680) + header(11_680), 640);
    assert_eq!(header(11_681) + header(11_679), 640 + 320);
}

/// General fair sharing below a carrier: two clients' losses do not disturb the third's time when the links are their
/// own.
#[test]
fn losses_of_others_are_others() {
    let ends = |loss: Loss| {
        let routes = Arc::new(star(2));
        let losses = vec![Loss::Never, Loss::Never, loss, loss];
        let inner = Box::new(GeneralFairShare::new(Arc::clone(&routes)));
        let mut network =
            TransportLayer::new(inner, routes, TransportOptions { losses, ..plain(ROUND_TRIP) }, Streams::new(2, 0));
        network.start(Time::ZERO, transfer(1, 0, 50 * PACKET));
        carry(&mut network, Time::ZERO, transfer(2, 0, 50 * PACKET)).0
    };
    assert_eq!(ends(Loss::Bernoulli(0.4)), ends(Loss::Never));
}

/// Routes so long that ten round trips are beyond the last instant, or that what is under way on them is beyond 2^64
/// bits: the first message of a connection waits, and the window of slow start holds it back in the second only.
#[test]
fn the_longest_routes_overflow_nothing() {
    let begin = |latency: u64, set_up| {
        let fastest = Rate::MAX;
        let client = AccessLink { up: fastest, down: fastest, latency: TimeDelta::from_nanos(latency) };
        let routes = Arc::new(StarLinks { server_up: fastest, server_down: fastest, clients: vec![client] });
        let options = with(Transport { set_up, slow_start: Some(10), ..Transport::NONE });
        let inner = Box::new(StarFairShare::new((*routes).clone()));
        let mut network = TransportLayer::new(inner, routes, options, Streams::new(1, 0));
        network.start(Time::from_nanos(1), transfer(1, 0, 20 * PACKET));
        network
    };
    assert_eq!(begin(1 << 60, 10).next_completion(), Some(Time::MAX));
    let days = 1_000_000_000_000_000;
    let mut network = begin(days, 0);
    let mut completed = Vec::new();
    // Ten packets, a round trip and a packet later the others; a packet takes 1.2 ns, and the second ten 12.
    let end = network.advance_to_completion(None, &mut completed).unwrap();
    assert_eq!(end, Time::from_nanos(1 + days + 2 * days + 2 + 12));
}
