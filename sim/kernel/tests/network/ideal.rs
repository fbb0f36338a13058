//! The network without contention against its closed form: latency + ⌈bits ÷ slowest rate⌉.

use fedbits_kernel::network::{AccessLink, Ideal, Network, StarLinks};
use fedbits_kernel::{Bits, Rate, Time, TimeDelta};

use crate::network::script::{Action, Fate, simulate, transfer};

fn star() -> StarLinks {
    let rate = |r| Rate::new(r).unwrap();
    let client =
        |up, down, latency| AccessLink { up: rate(up), down: rate(down), latency: TimeDelta::from_nanos(latency) };
    StarLinks {
        server_up: rate(1_000_000),
        server_down: rate(3_000),
        clients: vec![client(7_000, 2_000_000, 11), client(5_000, 900_000, 13)],
    }
}

/// down 0→1: the server's 1 Mbit/s is slower than 2 Mbit/s; up 1→0: 3 kbit/s is; between clients: both latencies, the
/// server's link does not count; zero bits: the latency alone. However many flows there are.
#[test]
fn every_transfer_is_alone() {
    let script = [(0, 1, 1_000), (0, 1, 1_000), (1, 0, 1), (1, 2, 7), (2, 1, 0), (0, 2, 9)];
    let expected = [11 + 1_000_000, 11 + 1_000_000, 11 + 333_334, 24 + 1_000_000, 24, 13 + 10_000];
    let script = script.map(|(from, to, bits)| (Time::from_nanos(5), Action::Start(transfer(from, to, bits))));
    let fates = simulate(&mut Ideal::new(star()), &script, &[]);
    assert_eq!(fates, expected.map(|nanos| Fate::Completed(Time::from_nanos(5 + nanos))));
}

/// Bits sent = ⌊rate · (now − start − latency)⌋: 0 in the latency, 7 kbit/s · 1 ms = 7 bits later.
#[test]
fn aborted_bits_are_what_had_passed() {
    let mut network = Ideal::new(star());
    let flow = network.start(Time::ZERO, transfer(1, 2, 1_000));
    assert_eq!(network.abort(Time::from_nanos(24), flow), Bits::ZERO);
    let flow = network.start(Time::from_nanos(24), transfer(1, 2, 1_000));
    assert_eq!(network.abort(Time::from_nanos(48 + 142_857), flow), Bits::ZERO);
    let flow = network.start(Time::from_nanos(200_000), transfer(1, 2, 1_000));
    assert_eq!(network.abort(Time::from_nanos(200_024 + 1_000_000), flow), Bits::new(7));
    assert_eq!(network.next_completion(), None);
}
