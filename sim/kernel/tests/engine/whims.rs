//! Random sendings, computations and cuts: whatever happens, bits are conserved and runs repeat themselves.

use std::sync::atomic::AtomicBool;

use fedbits_kernel::{
    Activity, Bits, Context, Dropout, Engine, Framing, Hazard, NodeId, Overhead, Overheads, Span, Speed, State,
    StopReason, TimeDelta, World,
};
use fedbits_kernel::{Fate, LedgerRow};
use fedbits_spec::Duration;
use proptest::prelude::*;

use super::{Happening, Load, Toy, message, rows, send, simulate, world};

#[derive(Clone, Copy, Debug)]
enum Whim {
    Send { client: u32, up: bool, bits: u64 },
    Compute { client: u32, work: u64 },
    Abandon { client: u32 },
}

fn whim(clients: u32) -> impl Strategy<Value = Whim> {
    let client = 1..=clients;
    prop_oneof![
        4 => (client.clone(), any::<bool>(), 0..20_000u64).prop_map(|(client, up, bits)| Whim::Send { client, up, bits }),
        1 => (client.clone(), 0..20_000u64).prop_map(|(client, work)| Whim::Compute { client, work }),
        1 => client.prop_map(|client| Whim::Abandon { client }),
    ]
}

fn act(context: &mut Context<Load>, whim: Whim) {
    match whim {
        Whim::Send { client, up: true, bits } => send(context, message(client, 0, bits)),
        Whim::Send { client, up: false, bits } => send(context, message(0, client, bits)),
        Whim::Compute { client, work } => context.compute(NodeId(client), work),
        Whim::Abandon { client } => context.abandon(NodeId(client)),
    }
}

/// Plays whims at given times with dropouts; asks for the digest and the rows.
fn simulate_whims(mut world: World, whims: &[(u64, Whim)]) -> (String, Vec<LedgerRow>, StopReason) {
    world.dropout = Dropout::Hazard(Hazard { per_second: 10.0, restart: Duration::Ms(2.0), state: State::Kept });
    world.framing = Framing { header: Bits::new(80), segment: Bits::new(3_000) };
    let (engine, reason, _) = simulate(world, |context, happening| match happening {
        Happening::Start => {
            for (tag, &(at, _)) in whims.iter().enumerate() {
                context.timer(TimeDelta::from_nanos(at), tag as u64);
            }
        }
        Happening::Timer(tag) => act(context, whims[tag as usize].1),
        _ => {}
    });
    (engine.context().timeline().digest(), rows(&engine), reason)
}

/// The same with dropouts, where a round closes before each whim; with what these rounds leave.
fn trace_whims(whims: &[(u64, Whim)], rounds: Vec<u64>) -> (String, Vec<LedgerRow>, Vec<Span>) {
    let dropout = Dropout::Hazard(Hazard { per_second: 10.0, restart: Duration::Ms(2.0), state: State::Kept });
    let mut engine = Engine::new(World { dropout, ..world(4) });
    engine.trace(rounds);
    let mut closed = 0;
    let mut toy = Toy::new(|context: &mut Context<Load>, happening| match happening {
        Happening::Start => {
            for (tag, &(at, _)) in whims.iter().enumerate() {
                context.timer(TimeDelta::from_nanos(at), tag as u64);
            }
        }
        Happening::Timer(tag) => {
            context.close_round(closed);
            closed += 1;
            act(context, whims[tag as usize].1);
        }
        _ => {}
    });
    engine.run(&mut toy, &AtomicBool::new(false));
    let context = engine.context();
    (context.timeline().digest(), rows(&engine), context.spans().unwrap())
}

fn whims(clients: u32) -> impl Strategy<Value = Vec<(u64, Whim)>> {
    prop::collection::vec((0..60_000_000u64, whim(clients)), 0..60)
}

/// What the whims send at most: payload, acknowledgement and headers of every message.
fn most_bits(whims: &[(u64, Whim)]) -> u64 {
    let wire = |whim: &Whim| match *whim {
        Whim::Send { bits, .. } => bits + bits % 2 + 80 * (bits + bits % 2).div_ceil(3_000).max(1),
        _ => 0,
    };
    whims.iter().map(|(_, whim)| wire(whim)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Sent = delivered + late + lost + aborted + in flight is asserted by the engine at the end of every run (also of
    /// one that is stopped); here: every message is charged once, nothing exceeds what was sent, all of it if nothing
    /// was cut off; and the run repeats itself.
    #[test]
    fn bits_are_conserved_whatever_happens(whims in whims(4)) {
        let (digest, rows, reason) = simulate_whims(world(4), &whims);
        prop_assert_eq!(reason, StopReason::Idle);
        let sent = whims.iter().filter(|(_, whim)| matches!(whim, Whim::Send { .. })).count() as u64;
        prop_assert_eq!(rows.iter().map(|row| row.messages).sum::<u64>(), sent);
        let charged: u64 = rows.iter().map(|row| row.payload_bits + row.header_bits).sum();
        prop_assert!(charged <= most_bits(&whims));
        if rows.iter().all(|row| row.fate == Fate::Delivered) {
            prop_assert_eq!(charged, most_bits(&whims));
        }
        prop_assert_eq!(simulate_whims(world(4), &whims).0, digest);
    }

    /// So are they where messages take time to be coded and decoded: those that were given up before are charged nothing.
    #[test]
    fn bits_are_conserved_with_coding(whims in whims(4), lanes in 1..4u32, times in prop::array::uniform4(0..3_000u64)) {
        let speed = |nanoseconds| Speed::new(1.0, nanoseconds).unwrap();
        let overhead = |[code, decode]: [u64; 2]| {
            Overhead { code: speed(code), decode: speed(decode), step: TimeDelta::from_nanos(code), lanes }
        };
        let [server, nodes, slow] = [[times[0], times[1]], [times[2], times[3]], [times[3], 0]].map(overhead);
        let overheads = Some(Overheads { server, nodes, first_slow: NodeId(3), slow });
        let (digest, rows, reason) = simulate_whims(World { overheads, ..world(4) }, &whims);
        prop_assert_eq!(reason, StopReason::Idle);
        let sent = whims.iter().filter(|(_, whim)| matches!(whim, Whim::Send { .. })).count() as u64;
        prop_assert!(rows.iter().map(|row| row.messages).sum::<u64>() <= sent);
        prop_assert!(rows.iter().map(|row| row.payload_bits + row.header_bits).sum::<u64>() <= most_bits(&whims));
        prop_assert_eq!(simulate_whims(World { overheads, ..world(4) }, &whims).0, digest);
    }

    /// Idle clients beside four busy ones: the timeline (everything that happened to anybody) and the ledger are the
    /// same.
    #[test]
    fn nobody_notices_an_idle_client(whims in whims(4), idle in 1..50usize) {
        let (digest, rows, _) = simulate_whims(world(4), &whims);
        let (other_digest, other_rows, _) = simulate_whims(world(4 + idle), &whims);
        prop_assert_eq!(digest, other_digest);
        prop_assert_eq!(rows, other_rows);
    }

    /// A trace of all rounds has every bit of the ledger, one of some rounds those of its spans that were under way in
    /// one of them; and nothing happens otherwise.
    #[test]
    fn a_trace_has_what_was_under_way(whims in whims(4), some in prop::collection::btree_set(0..60u64, 0..5)) {
        let (plain, ..) = trace_whims(&whims, Vec::new());
        let (digest, rows, all) = trace_whims(&whims, (0..=60).collect());
        prop_assert_eq!(&plain, &digest);
        let bits = |fate: Fate| {
            let of = rows.iter().filter(|row| row.fate == fate);
            of.map(|row| row.payload_bits + row.header_bits).sum::<u64>()
        };
        let traced = |wanted: Fate| {
            let of = |span: &Span| match span.activity {
                Activity::Transfer { charge, fate, .. } if fate == wanted => charge.payload + charge.header,
                _ => 0,
            };
            all.iter().map(of).sum::<u64>()
        };
        for fate in Fate::ALL {
            prop_assert_eq!(traced(fate), bits(fate));
        }
        prop_assert!(all.iter().all(|span| span.times[0] <= span.times[1] && span.rounds[0] <= span.rounds[1]));
        let under_way = |span: &&Span| (span.rounds[0]..=span.rounds[1]).any(|round| some.contains(&round));
        let expected: Vec<Span> = all.iter().filter(under_way).copied().collect();
        prop_assert_eq!(trace_whims(&whims, some.iter().copied().collect()).2, expected);
    }

    /// A run stopped by a limit of events conserves its bits too: those in flight are neither delivered nor lost.
    #[test]
    fn a_stopped_run_conserves(whims in whims(4), limit in 0..100u64) {
        let mut setting = world(4);
        setting.event_limit = Some(limit);
        let (_, rows, reason) = simulate_whims(setting, &whims);
        prop_assert!(matches!(reason, StopReason::EventLimit | StopReason::Idle));
        let charged: u64 = rows.iter().map(|row| row.payload_bits + row.header_bits).sum();
        prop_assert!(charged <= most_bits(&whims));
    }
}

/// Digests differ when one bit more is sent.
#[test]
fn the_digest_sees_a_single_bit() {
    let digest = |bits| {
        let whims = [(5, Whim::Send { client: 1, up: true, bits })];
        simulate_whims(world(1), &whims).0
    };
    assert_ne!(digest(1_000), digest(1_001));
}
