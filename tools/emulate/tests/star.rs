//! Transfers over real sockets against what the links allow. Skipped without the rights, unless `FEDBITS_EMULATE=1`
//! requires them. Nothing arrives before the links allow it, on any machine; that it arrives soon after is asserted where
//! the machine is idle (`--ignored`).

#![cfg(target_os = "linux")]

use crate::script::{Reply, Step, Timed, plain_options, play};
use crate::skips::{Lacks, skipped};
use std::sync::{Arc, Mutex, PoisonError};

use fedbits_emulate::{Connections, EmulateError, Options, Queue, Report, Sockets, Wiring};
use fedbits_kernel::network::{AccessLink, Fifo, StarLinks, transport::Loss};
use fedbits_kernel::{Bits, Framing, Network, NodeId, Rate, Time, TimeDelta, Transfer};

const MS: u64 = 1_000_000;

fn star(clients: &[(u64, u64)], server: u64) -> Arc<StarLinks> {
    let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
    let client = |&(mbps, ms): &(u64, u64)| AccessLink {
        up: rate(mbps),
        down: rate(mbps),
        latency: TimeDelta::from_nanos(ms * MS),
    };
    Arc::new(StarLinks {
        server_up: rate(server),
        server_down: rate(server),
        clients: clients.iter().map(client).collect(),
    })
}

fn framing(header: u64, segment: u64) -> Framing {
    Framing { header: Bits::new(8 * header), segment: Bits::new(8 * segment) }
}

/// One emulation at a time: they are measured.
static ALONE: Mutex<()> = Mutex::new(());

/// None where this machine does not let us, and nobody requires it.
fn allowed<T>(opened: Result<T, EmulateError>) -> Option<T> {
    match opened {
        Err(error @ EmulateError::Rights { .. }) if std::env::var_os("FEDBITS_EMULATE").is_none() => {
            skipped(Lacks::Rights, &error.to_string());
            None
        }
        other => Some(other.unwrap()),
    }
}

fn real(wiring: Wiring, options: Options, script: &[Step]) -> Option<(Vec<Timed>, Report)> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let pairs = (1..wiring.nodes).map(|node| [node, 0]).collect();
    let framing = wiring.framing;
    let (mut sockets, watch) = allowed(Sockets::open(wiring, Options { pairs, ..options }))?;
    let played = play(&mut sockets, framing, script);
    drop(sockets);
    assert!(watch.failure().is_none());
    let report = watch.report();
    assert_eq!((report.relay.foreign, report.relay.refused), (0, 0));
    Some((played, report))
}

fn upload(at_ms: u64, from: u32, bytes: u64) -> Step {
    Step { at_ns: at_ms * MS, from, to: 0, bytes, reply: None }
}

/// Milliseconds from start to end.
fn durations(played: &[Timed]) -> Vec<f64> {
    played.iter().map(|timed| (timed.end_ns.unwrap() - timed.start_ns) as f64 / MS as f64).collect()
}

/// The relay's clock and the sockets' are read at different moments.
fn not_before(found: f64, expected: f64) {
    assert!(found > 0.98 * expected, "{found} ms, not before {expected} ms");
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.1, "{found} ms, expected {expected} ms");
}

/// A message and its answer: their times and those of the simulation, and the bits that were sent again.
fn exchange() -> Option<([(f64, f64); 2], u64)> {
    let wiring = Wiring::new(2, star(&[(10, 20)], 100), framing(40, 1460));
    let back = Reply { after_ns: 10 * MS, bytes: 10_000 };
    let script = [Step { reply: Some(back), ..upload(0, 1, 10_000) }];
    let (played, report) = real(wiring.clone(), plain_options(), &script)?;
    let mut simulated = Fifo::new(wiring.routes, Some(Bits::new(12_000)), None);
    let expected = play(&mut simulated, wiring.framing, &script);
    let [up, down] = [(1, 0), (0, 1)].map(|pair| report.relay.counts[&pair]);
    assert_eq!((up.data, up.headers), (80_000, 7 * 320));
    assert_eq!((down.data, down.headers), (80_000, 7 * 320));
    assert_eq!(report.compared_bytes, 20_000);
    let pairs: Vec<(f64, f64)> = durations(&played).into_iter().zip(durations(&expected)).collect();
    Some((pairs.try_into().expect("there and back"), up.retransmitted))
}

/// Four uploads at once through one link: when the last arrives, and when it does at the link's rate.
fn shared(header: u64) -> Option<(f64, f64)> {
    let wiring = Wiring::new(5, star(&[(10, 5); 4], 10), framing(header, 1448));
    let script: Vec<Step> = (1..5).map(|client| upload(0, client, 100_000)).collect();
    let (played, report) = real(wiring, plain_options(), &script)?;
    // 70 packets each.
    let up = report.relay.sum(|_, to| to == 0);
    assert_eq!((up.data, up.headers), (3_200_000, 4 * 70 * 8 * header));
    let last = durations(&played).into_iter().fold(0.0, f64::max);
    Some((last, 5.0 + 4.0 * 8e-4 * (100_000 + 70 * header) as f64))
}

/// A message over a connection that stands, and over one that is made for it.
fn kept_and_fresh() -> Option<[f64; 2]> {
    let duration = |connections| {
        let wiring = Wiring::new(2, star(&[(10, 30)], 100), framing(40, 1460));
        let (played, _) = real(wiring, Options { connections, ..plain_options() }, &[upload(0, 1, 5_000)])?;
        Some(durations(&played)[0])
    };
    Some([duration(Connections::Kept)?, duration(Connections::PerMessage)?])
}

#[test]
fn a_message_takes_latency_and_bits_over_the_rate() {
    let Some((pairs, _)) = exchange() else { return };
    for (found, expected) in pairs {
        not_before(found, expected);
    }
}

#[test]
fn clients_share_the_link_of_the_server() {
    for (last, expected) in [40, 52, 66].into_iter().filter_map(shared) {
        not_before(last, expected);
    }
}

#[test]
fn a_connection_per_message_takes_a_round_trip_more() {
    // 5000 bytes in four packets of 40 bytes more at 10 Mbit/s, and 30 ms; a round trip is 60 ms.
    let alone = 30.0 + 8e-4 * f64::from(5_000 + 4 * 40);
    for (found, trips) in kept_and_fresh().into_iter().flatten().zip([0.0, 60.0]) {
        not_before(found, alone + trips);
    }
}

#[test]
#[ignore = "slow tier: needs the rights of `fedbits-emulate` and an idle machine"]
fn what_the_links_allow_is_reached() {
    let Some([kept, fresh]) = kept_and_fresh() else { return };
    near(fresh - kept, 60.0);
    let Some((exchanged, retransmitted)) = exchange() else { return };
    assert_eq!(retransmitted, 0);
    for (found, expected) in exchanged.into_iter().chain([40, 52, 66].into_iter().filter_map(shared)) {
        near(found, expected);
    }
}

#[test]
fn a_fair_queue_lets_a_small_message_pass() {
    let passes = |is_fair| {
        let queue = Arc::new(move |_| Queue { is_fair, ..Queue::default() });
        let wiring = Wiring { queue, ..Wiring::new(3, star(&[(50, 5); 2], 5), framing(40, 1460)) };
        // 1.6 s of the server's link. Reno doubles its window every round trip: after half of the time all that is left
        // waits in the queue, and then the small message comes.
        let script = [upload(0, 1, 1_000_000), upload(1_000, 2, 1_000)];
        let options = Options { congestion: "reno".to_owned(), ..plain_options() };
        let (played, _) = real(wiring, options, &script)?;
        Some(played[1].end_ns < played[0].end_ns)
    };
    let both = [false, true].map(passes);
    assert!(both == [Some(false), Some(true)] || both == [None; 2], "{both:?}");
}

#[test]
fn losses_and_short_queues_are_repaired() {
    let queue = Arc::new(|_| Queue { is_fair: false, room: 15_000 });
    let loss = Arc::new(|_| Loss::Bernoulli(0.01));
    let wiring = Wiring { queue, loss, ..Wiring::new(3, star(&[(10, 5); 2], 10), framing(40, 1460)) };
    let script = [upload(0, 1, 300_000), upload(0, 2, 300_000)];
    let Some((played, report)) = real(wiring, plain_options(), &script) else { return };
    assert_eq!(played.len(), 2);
    assert!(report.relay.dropped > 0 && report.relay.lost > 0);
    assert!(report.relay.sum(|_, to| to == 0).retransmitted > 0);
}

#[test]
fn what_is_cut_off_resets_the_connection_and_the_rest_arrives() {
    let wiring = Wiring::new(2, star(&[(10, 10)], 100), framing(40, 1460));
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let options = Options { pairs: vec![[1, 0]], ..plain_options() };
    let Some((mut sockets, watch)) = allowed(Sockets::open(wiring, options)) else { return };
    let transfer = |from, to, bits| Transfer::new(NodeId(from), NodeId(to), Bits::new(bits));
    let up = sockets.start(Time::ZERO, transfer(1, 0, 8_000_000));
    let down = sockets.start(Time::ZERO, transfer(0, 1, 4_000_000));
    let (half, mut completed) = (Time::from_nanos(200 * MS), Vec::new());
    assert_eq!(sockets.advance_to_completion(Some(half), &mut completed), None);
    let sent = sockets.abort(half, up).count();
    // At most 190 ms at 10 Mbit/s; at least something.
    assert!((1..1_900_000).contains(&sent), "{sent} bits");
    let end = sockets.advance_to_completion(None, &mut completed).unwrap();
    assert_eq!(completed, [down]);
    assert!(end > Time::from_nanos(400 * MS));
    drop(sockets);
    assert!(watch.failure().is_none());
    assert!(watch.report().relay.sum(|_, _| true).control > 3 * 320);
}

#[test]
fn what_cannot_be_emulated_is_refused() {
    let links = star(&[(10, 10)], 100);
    let refused = |wiring: Wiring, options| Sockets::open(wiring, options).err().unwrap();
    let large = refused(Wiring::new(2, links.clone(), framing(40, 1_000_000)), plain_options());
    assert!(large.to_string().contains("segments from"), "{large}");
    let many = refused(Wiring::new(1_000_000, links.clone(), framing(40, 1460)), plain_options());
    assert!(many.is_refusal() && many.to_string().contains("nodes"), "{many}");
    let narrow = Arc::new(|_| Queue { room: 1_499, ..Queue::default() });
    let narrow = Wiring { queue: narrow, ..Wiring::new(2, links.clone(), framing(40, 1460)) };
    let narrow = refused(narrow, plain_options());
    assert!(narrow.is_refusal() && narrow.to_string().contains("a packet of 1500 bytes"), "{narrow}");
    let options = Options { congestion: "nonsense".to_owned(), ..plain_options() };
    let unknown = refused(Wiring::new(2, links, framing(40, 1460)), options);
    assert!(unknown.is_refusal(), "{unknown}");
}
