//! Background traffic: shares it takes, and that it is the same whenever one looks.

use std::sync::Arc;

use fedbits_kernel::network::{
    AccessLink, Background, BackgroundTraffic, GeneralFairShare, LinkId, Network, SingleLinks, StarLinks, Weights,
};
use fedbits_kernel::{Rate, Time, TimeDelta};
use fedbits_random::Streams;
use fedbits_spec::{Duration, Size};

use crate::network::script::{Action, Fate, simulate, transfer};

const SECOND: u64 = 1_000_000_000;

fn star() -> Arc<StarLinks> {
    let rate = |r| Rate::new(r).unwrap();
    let client =
        AccessLink { up: rate(100_000_000), down: rate(100_000_000), latency: TimeDelta::from_nanos(1_000_000) };
    Arc::new(StarLinks { server_up: rate(10_000_000), server_down: rate(10_000_000), clients: vec![client; 2] })
}

/// On the route into the server (link 1).
fn network(law: Background, seed: u64) -> BackgroundTraffic {
    let inner = Box::new(GeneralFairShare::new(SingleLinks::new(star())));
    BackgroundTraffic::new(inner, &[(LinkId(1), law)], Streams::new(seed, 0))
}

/// A source that is hardly ever off and sends for ever takes half the link: 10 Mbit then take 2 s. Transfers in the
/// other direction do not notice.
#[test]
fn an_endless_flow_takes_its_share() {
    let law = Background::OnOff { flows: 1, mean_off: Duration::Ns(1.0), mean_size: Size::Bits((1_u64 << 50) as f64) };
    let mut network = network(law, 1);
    let start = Time::from_nanos(1_000);
    let fates = simulate(
        &mut network,
        &[(start, Action::Start(transfer(1, 0, 10_000_000))), (start, Action::Start(transfer(0, 2, 10_000_000)))],
        &[],
    );
    assert_eq!(fates[0], Fate::Completed(Time::from_nanos(1_000 + 1_000_000 + 2 * SECOND)));
    assert_eq!(fates[1], Fate::Completed(Time::from_nanos(1_000 + 1_000_000 + SECOND)));
}

/// Shares in proportion to 1 ÷ latency. The server's link has no latency of its own, so others on it are as far away as
/// our clients are on average (1 ms and 3 ms: 2 ms), and beside one endless flow the near client (1 ms) has 2/3 of the
/// link, the far one (3 ms) 2/5. On a client's own link (latency 3 ms, link 4) the other is as far away as the client:
/// half.
#[test]
fn weighted_shares_know_how_far_others_are() {
    let rate = |r| Rate::new(r).unwrap();
    let client = |ms: u64, up| AccessLink { up, down: up, latency: TimeDelta::from_nanos(ms * 1_000_000) };
    let clients = vec![client(1, rate(100_000_000)), client(3, rate(8_000_000))];
    let star = Arc::new(StarLinks { server_up: rate(6_000_000), server_down: rate(6_000_000), clients });
    let law = Background::OnOff { flows: 1, mean_off: Duration::Ns(1.0), mean_size: Size::Bits((1_u64 << 50) as f64) };
    let ends = |from: u32, ms: u64, on: LinkId, bits: u64| {
        let inner = Box::new(GeneralFairShare::weighted(SingleLinks::new(Arc::clone(&star)), Weights::InverseLatency));
        let mut network = BackgroundTraffic::new(inner, &[(on, law)], Streams::new(1, 0));
        let start = Time::from_nanos(SECOND);
        let fates = simulate(&mut network, &[(start, Action::Start(transfer(from, 0, bits)))], &[]);
        let end = Time::from_nanos(2 * SECOND + ms * 1_000_000);
        assert_eq!(fates[0], Fate::Completed(end), "client {from}, link {on:?}");
    };
    ends(1, 1, LinkId(1), 4_000_000);
    ends(2, 3, LinkId(1), 2_400_000);
    ends(2, 3, LinkId(4), 4_000_000);
}

/// What goes on on another link changes nothing here: the sources of a link have draws of their own.
#[test]
fn traffic_on_another_link_changes_no_draws() {
    let law = Background::OnOff { flows: 2, mean_off: Duration::Sec(1.0), mean_size: Size::Bits(2_000_000.0) };
    let ends = |links: &[(LinkId, Background)]| {
        let inner = Box::new(GeneralFairShare::new(SingleLinks::new(star())));
        let starts = (0..20u64).map(|k| (Time::from_nanos(k * SECOND), Action::Start(transfer(1, 0, 1_500_000))));
        simulate(&mut BackgroundTraffic::new(inner, links, Streams::new(4, 0)), &starts.collect::<Vec<_>>(), &[])
    };
    assert_eq!(ends(&[(LinkId(0), law), (LinkId(1), law)]), ends(&[(LinkId(1), law)]));
}

/// Nothing of ours in flight: nothing happens, the run can end. Looking in between changes nothing.
#[test]
fn background_is_caught_up() {
    let law = Background::OnOff { flows: 3, mean_off: Duration::Sec(1.0), mean_size: Size::Bits(2_000_000.0) };
    let mut slowed = 0;
    for seed in 0..20 {
        assert_eq!(network(law, seed).next_completion(), None);
        let script: Vec<_> = (0..12u64)
            .map(|k| (Time::from_nanos(k * SECOND / 3), Action::Start(transfer(1 + k as u32 % 2, 0, 1_500_000))))
            .collect();
        let polls: Vec<_> = (0..400).map(|k| Time::from_nanos(k * SECOND / 37)).collect();
        let ends = simulate(&mut network(law, seed), &script, &[]);
        assert_eq!(simulate(&mut network(law, seed), &script, &polls), ends);
        let alone = simulate(&mut GeneralFairShare::new(star()), &script, &[]);
        slowed += usize::from(ends != alone);
    }
    // All sources may happen to be off whenever one of ours is sent, in about one of some thousand seeds.
    assert!(slowed >= 15, "background traffic slows {slowed} of 20");
}

/// After a long idle time it catches up in pieces, between which whoever waits can be stopped, and in any pieces the
/// next transfer finds the same traffic.
#[test]
fn a_long_idle_time_is_caught_up_in_pieces() {
    let law = Background::OnOff { flows: 3, mean_off: Duration::Ms(1.0), mean_size: Size::Bits(10_000.0) };
    let start = Time::from_nanos(100 * SECOND);
    let end = |network: &mut BackgroundTraffic| {
        network.start(start, transfer(1, 0, 1_500_000));
        network.advance_to_completion(None, &mut Vec::new())
    };
    let mut in_pieces = network(law, 3);
    let pieces = (1..).find(|_| in_pieces.catch_up(start)).unwrap();
    assert!(pieces > 2, "{pieces}");
    assert_eq!(end(&mut in_pieces), end(&mut network(law, 3)));
}

/// Long-run share: with one source of mean off duration 1 s and mean size 10 Mbit on a link of 10 Mbit/s that it has
/// for itself, it is on half of the time. A transfer of 1 bit at random times that finds it on or off has the same
/// latency; its presence shows in a transfer of 1 Mbit: 0.1 s alone, 0.2 s beside it, in between when it comes or goes.
/// The mean over 400 starts 30 s apart lies between.
#[test]
fn sources_are_on_part_of_the_time() {
    let law = Background::OnOff { flows: 1, mean_off: Duration::Sec(1.0), mean_size: Size::Bits(10_000_000.0) };
    let script: Vec<_> =
        (1..=400u64).map(|k| (Time::from_nanos(k * 30 * SECOND), Action::Start(transfer(1, 0, 1_000_000)))).collect();
    let took = |(start, fate): (&(Time, Action), Fate)| match fate {
        Fate::Completed(at) => (at - start.0).as_seconds() - 0.001,
        other => panic!("{other:?}"),
    };
    let times: Vec<f64> = script.iter().zip(simulate(&mut network(law, 5), &script, &[])).map(took).collect();
    assert!(times.iter().all(|&t| (0.1 - 1e-6..=0.2 + 1e-6).contains(&t)));
    let on = times.iter().filter(|&&t| t > 0.15).count() as f64 / 400.0;
    // A half, but for what 0.1 s of change beside means of 1 s can do; standard deviation 0.025.
    assert!((on - 0.5).abs() < 7.0 * 0.025, "{on}");
}
