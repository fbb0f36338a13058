//! The engine with toy protocols: times, conservation, order, limits, and that nobody notices an idle neighbour.

mod whims;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_kernel::network::transport::{Delivery, Loss, Repair, Transport, TransportLayer, TransportOptions};
use fedbits_kernel::network::{Outcome, Packets};
use fedbits_kernel::{
    AccessLink, Bits, Context, Direction, Dropout, Engine, Fate, FlowId, Framing, Hazard, Ideal, LedgerDetail,
    LedgerRow, Message, Network, NodeId, Payload, Protocol, Purpose, Rate, Speed, StarFairShare, StarLinks, State,
    StopReason, Time, TimeDelta, Transfer, World,
};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Duration;

/// Sends and forgets which sending it was.
fn send<P: Payload>(context: &mut Context<P>, message: Message<P>) {
    context.send(message);
}

const SERVER: NodeId = NodeId(0);

struct Load(u64);

impl Payload for Load {
    const PURPOSES: &'static [&'static str] = &["update"];

    fn bits(&self) -> Bits {
        Bits::new(self.0)
    }

    fn acknowledgement_bits(&self) -> Bits {
        Bits::new(self.0 % 2)
    }
}

/// Access links of 1 Mbit/s and 5 ms, a server link of 1 Gbit/s, work of 1 µs per unit, no headers.
fn world(clients: usize) -> World {
    let rate = |bits_per_second| Rate::new(bits_per_second).expect("a positive rate");
    let access = AccessLink { up: rate(1_000_000), down: rate(1_000_000), latency: TimeDelta::from_nanos(5_000_000) };
    let server = rate(1_000_000_000);
    let links = StarLinks { server_up: server, server_down: server, clients: vec![access; clients] };
    World {
        network: Box::new(StarFairShare::new(links)),
        speeds: vec![Speed::from_seconds_per_unit(1e-6).expect("a positive duration"); clients + 1],
        dropout: Dropout::Never,
        server: Some(SERVER),
        framing: Framing { header: Bits::ZERO, segment: Bits::new(1_000) },
        detail: LedgerDetail::PerHost,
        streams: Streams::new(1, 0),
        overheads: None,
        time_limit: None,
        event_limit: None,
        time_use: None,
    }
}

fn message(from: u32, to: u32, bits: u64) -> Message<Load> {
    Message { from: NodeId(from), to: NodeId(to), purpose: Purpose(0), payload: Load(bits) }
}

/// What a toy does when something happens; it writes down what happened when.
struct Toy<F> {
    react: F,
    seen: Vec<(u64, Happening)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Happening {
    Start,
    Arrival { from: u32, to: u32 },
    Timer(u64),
    Computed(u32),
    Dropout(u32),
    Loss { from: u32, to: u32 },
}

impl<F: FnMut(&mut Context<Load>, Happening)> Toy<F> {
    fn new(react: F) -> Self {
        Self { react, seen: Vec::new() }
    }

    fn happens(&mut self, context: &mut Context<Load>, happening: Happening) {
        self.seen.push((context.now().as_nanos(), happening));
        (self.react)(context, happening);
    }
}

impl<F: FnMut(&mut Context<Load>, Happening)> Protocol<Load> for Toy<F> {
    fn start(&mut self, context: &mut Context<Load>) {
        self.happens(context, Happening::Start);
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        self.happens(context, Happening::Arrival { from: message.from.0, to: message.to.0 });
    }

    fn on_timer(&mut self, context: &mut Context<Load>, tag: u64) {
        self.happens(context, Happening::Timer(tag));
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        self.happens(context, Happening::Computed(node.0));
    }

    fn on_dropout(&mut self, context: &mut Context<Load>, node: NodeId) {
        self.happens(context, Happening::Dropout(node.0));
    }

    fn on_lost(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        self.happens(context, Happening::Loss { from: message.from.0, to: message.to.0 });
    }
}

/// Plays `react` on `world`; returns the engine, why it stopped, and what happened.
fn simulate(
    world: World,
    react: impl FnMut(&mut Context<Load>, Happening),
) -> (Engine<Load>, StopReason, Vec<(u64, Happening)>) {
    let mut engine = Engine::new(world);
    let mut toy = Toy::new(react);
    let reason = engine.run(&mut toy, &AtomicBool::new(false));
    (engine, reason, toy.seen)
}

fn rows(engine: &Engine<Load>) -> Vec<LedgerRow> {
    engine.context().ledger().rows(|node| node.0.to_string())
}

/// 3 000 bits at 1 Mbit/s take 3 ms, after 5 ms of latency; 40 units of work at 1 µs take 40 µs.
#[test]
fn a_message_takes_latency_plus_bits_over_rate() {
    let (_, reason, seen) = simulate(world(1), |context, happening| match happening {
        Happening::Start => send(context, message(0, 1, 3_000)),
        Happening::Arrival { to: 1, .. } => context.compute(NodeId(1), 40),
        Happening::Computed(1) => send(context, message(1, 0, 2_000)),
        _ => {}
    });
    let expected = [
        (0, Happening::Start),
        (8_000_000, Happening::Arrival { from: 0, to: 1 }),
        (8_040_000, Happening::Computed(1)),
        (15_040_000, Happening::Arrival { from: 1, to: 0 }),
    ];
    assert_eq!(seen, expected);
    assert_eq!(reason, StopReason::Idle);
}

/// Arrivals of one instant (8 ms) come in the order of their starts, and before a timer that was set earlier.
#[test]
fn at_equal_times_arrivals_come_first_in_start_order() {
    let (_, _, seen) = simulate(world(3), |context, happening| {
        if happening == Happening::Start {
            context.timer(TimeDelta::from_nanos(8_000_000), 7);
            [2, 3, 1].into_iter().for_each(|client| send(context, message(client, 0, 3_000)));
        }
    });
    let order: Vec<_> = seen[1..].iter().map(|&(_, happening)| happening).collect();
    let arrival = |from| Happening::Arrival { from, to: 0 };
    assert_eq!(order, [arrival(2), arrival(3), arrival(1), Happening::Timer(7)]);
    assert!(seen[1..].iter().all(|&(at, _)| at == 8_000_000));
}

/// Headers of 100 bits before every 1 000 payload bits; an upload of 4 000 is cut 2.25 ms after it began to flow, that
/// is after 2 250 bits: 100 | 1 000 | 100 | 1 000 | 50. Payload 2 000, header 250.
#[test]
fn what_is_cut_off_stays_charged_as_far_as_it_got() {
    let mut setting = world(1);
    setting.framing.header = Bits::new(100);
    let (engine, _, seen) = simulate(setting, |context, happening| match happening {
        Happening::Start => {
            send(context, message(1, 0, 4_000));
            context.timer(TimeDelta::from_nanos(7_250_000), 0);
        }
        Happening::Timer(_) => context.abandon(NodeId(1)),
        _ => {}
    });
    assert_eq!(seen.len(), 2, "what is cut off never arrives");
    let rows = rows(&engine);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].fate, rows[0].payload_bits, rows[0].header_bits), (Fate::Aborted, 2_000, 250));
    assert_eq!((rows[0].link.as_str(), rows[0].messages), ("1", 1));
    assert_eq!(engine.context().ledger().totals().wasted, 2_250);
}

/// A dropout by the hazard in mid-upload at time t charges ⌊(t − 5 ms) · 1 Mbit/s⌋ bits: the upload of 1 Gbit would
/// take 1 000 s and the hazard strikes every 10 ms on average. The client is down for the restart duration, and up
/// again after it.
#[test]
fn a_dropout_in_mid_upload_charges_the_bits_sent() {
    let mut struck_while_flowing = 0;
    for seed in 0..40 {
        let mut setting = world(1);
        setting.streams = Streams::new(seed, 0);
        setting.dropout = Dropout::Hazard(Hazard { per_second: 100.0, restart: Duration::Us(1.0), state: State::Kept });
        let mut up = Vec::new();
        let (engine, _, seen) = simulate(setting, |context, happening| match happening {
            Happening::Start => send(context, message(1, 0, 1_000_000_000)),
            Happening::Dropout(1) => {
                context.timer(TimeDelta::from_nanos(999), 0);
                context.timer(TimeDelta::from_nanos(1_000), 1);
            }
            Happening::Timer(_) => up.push(context.is_up(NodeId(1))),
            _ => {}
        });
        let (at, dropout) = seen[1];
        assert_eq!(dropout, Happening::Dropout(1));
        assert_eq!(up, [false, true]);
        let expected = at.saturating_sub(5_000_000) / 1_000;
        struck_while_flowing += u64::from(expected > 0);
        assert_eq!(engine.context().ledger().totals().up, expected);
        assert!(rows(&engine).iter().all(|row| row.fate == Fate::Aborted));
    }
    assert!(struck_while_flowing > 10);
}

/// Late is what the protocol says is late: the bits leave the account of what was delivered.
#[test]
fn a_rejected_message_is_booked_as_late() {
    let (engine, ..) = simulate(world(1), |context, happening| match happening {
        Happening::Start => send(context, message(1, 0, 3_000)),
        Happening::Arrival { .. } => context.reject_late(),
        _ => {}
    });
    let fates: Vec<_> = rows(&engine).iter().map(|row| (row.fate, row.payload_bits)).collect();
    assert_eq!(fates, [(Fate::Late, 3_000)]);
}

/// So do the bits that were sent back to acknowledge it: four packets of 1 000 bits take two headers of 100.
#[test]
fn what_acknowledges_a_rejected_message_is_late_too() {
    let transport = Transport { acknowledgements: true, ..Transport::NONE };
    let (engine, ..) = simulate(carried(0.0, transport), |context, happening| match happening {
        Happening::Start => send(context, message(1, 0, 3_600)),
        Happening::Arrival { .. } => context.reject_late(),
        _ => {}
    });
    let fates: Vec<_> = rows(&engine).iter().map(|row| (row.direction, row.fate, row.header_bits)).collect();
    assert_eq!(fates, [(Direction::Up, Fate::Late, 400), (Direction::Down, Fate::Late, 200)]);
    assert_eq!(engine.context().ledger().totals().wasted, 4_000 + 200);
}

/// Links that lose packets of 1 000 bits, one header of 100 in each, with this probability.
fn losing(loss: f64, delivery: Delivery) -> World {
    carried(loss, Transport { delivery, set_up: 1, ..Transport::NONE })
}

fn carried(loss: f64, transport: Transport) -> World {
    let mut world = world(2);
    world.framing = Framing { header: Bits::new(100), segment: Bits::new(900) };
    let rate = Rate::new(1_000_000).unwrap();
    let client = AccessLink { up: rate, down: rate, latency: TimeDelta::from_nanos(5_000_000) };
    let routes = Arc::new(StarLinks { server_up: rate, server_down: rate, clients: vec![client; 2] });
    let inner = Box::new(Ideal::new(Arc::clone(&routes)));
    let options =
        TransportOptions { transport, framing: world.framing, jitter: None, losses: vec![Loss::Bernoulli(loss); 6] };
    world.network = Box::new(TransportLayer::new(inner, routes, options, Streams::new(1, 0)));
    world
}

/// A lost datagram is told to the protocol when it would have arrived (10 ms of set-up, 5 ms, 2 ms), is booked in full
/// as lost with the headers that set up the connection, and nothing more happens to it.
#[test]
fn a_lost_message_is_told_and_booked() {
    let (engine, reason, seen) = simulate(losing(0.999, Delivery::Datagram), |context, happening| {
        if happening == Happening::Start {
            send(context, message(1, 0, 1_800));
        }
    });
    assert_eq!(seen[1..], [(17_000_000, Happening::Loss { from: 1, to: 0 })]);
    assert_eq!(reason, StopReason::Idle);
    let rows = rows(&engine);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].fate, rows[0].payload_bits, rows[0].header_bits), (Fate::Lost, 1_800, 200 + 200));
    assert_eq!(engine.context().ledger().totals().wasted, 2_200);
}

/// A network that gives every transfer up after 127 s: nothing of it has left, and the first is charged seven headers
/// that asked for a connection.
struct NoAnswer(Vec<Bits>);

impl Network for NoAnswer {
    fn start(&mut self, _: Time, transfer: Transfer) -> FlowId {
        self.0.push(transfer.bits);
        FlowId(self.0.len() as u32 - 1)
    }

    fn next_completion(&mut self) -> Option<Time> {
        (!self.0.is_empty()).then_some(Time::from_nanos(127_000_000_000))
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        if Some(to) == self.next_completion() {
            completed.extend((0..std::mem::take(&mut self.0).len() as u32).map(FlowId));
        }
    }

    fn abort(&mut self, _: Time, _: FlowId) -> Bits {
        panic!("nothing is cut off")
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        let (bits, set_up) = (Bits::new([2_000, 2_102][flow.0 as usize]), Bits::new([700, 0][flow.0 as usize]));
        Outcome { lost: Packets { count: 3, bits }, unsent: bits, set_up, ..Outcome::default() }
    }
}

/// What is booked as lost is what asked for a connection, and nothing of the messages that never left.
#[test]
fn what_never_left_is_not_charged() {
    let mut world = losing(0.0, Delivery::Datagram);
    world.network = Box::new(NoAnswer(Vec::new()));
    let (engine, reason, seen) = simulate(world, |context, happening| {
        if happening == Happening::Start {
            [1_800, 1_801].into_iter().for_each(|bits| send(context, message(1, 0, bits)));
        }
    });
    assert_eq!(seen[1..], [(127_000_000_000, Happening::Loss { from: 1, to: 0 }); 2]);
    assert_eq!(reason, StopReason::Idle);
    let [row] = &rows(&engine)[..] else { panic!("one row of what was lost") };
    assert_eq!((row.fate, row.payload_bits, row.header_bits), (Fate::Lost, 0, 700));
    assert_eq!(engine.context().ledger().totals().wasted, 700);
}

/// Reliable: everything arrives; what was sent again is in the ledger's own column, in whole packets, and in the totals
/// of its direction.
#[test]
fn what_is_sent_again_is_charged() {
    let repair = Delivery::Reliable(Repair::RoundTrip);
    let (engine, _, seen) = simulate(losing(0.5, repair), |context, happening| {
        if happening == Happening::Start {
            (0..20).for_each(|_| send(context, message(1, 0, 9_000)));
        }
    });
    assert!(seen[1..].iter().all(|(_, happening)| *happening == Happening::Arrival { from: 1, to: 0 }));
    let rows = rows(&engine);
    let again = rows[0].retransmitted_bits;
    assert_eq!((rows.len(), rows[0].fate, rows[0].payload_bits), (1, Fate::Delivered, 180_000));
    assert!(again > 0 && again.is_multiple_of(1_000), "{again}");
    let totals = engine.context().ledger().totals();
    assert_eq!((totals.up, totals.wasted), (180_000 + again, again));
}

/// A protocol that does not say what a loss means fails at the first one.
#[test]
fn a_loss_that_nobody_expects_fails_the_run() {
    struct Trusting;
    impl Protocol<Load> for Trusting {
        fn start(&mut self, context: &mut Context<Load>) {
            send(context, message(1, 0, 900));
        }
        fn on_message(&mut self, _: &mut Context<Load>, _: Message<Load>) {}
        fn on_timer(&mut self, _: &mut Context<Load>, _: u64) {}
        fn on_computed(&mut self, _: &mut Context<Load>, _: NodeId) {}
        fn on_dropout(&mut self, _: &mut Context<Load>, _: NodeId) {}
    }
    let reason = Engine::new(losing(0.999, Delivery::Datagram)).run(&mut Trusting, &AtomicBool::new(false));
    assert_eq!(
        reason.to_string(),
        "failed: a message from node 1 to node 0 was lost, and this protocol needs every message"
    );
}

/// A clock that rings every millisecond for ever.
fn ticking(context: &mut Context<Load>, _: Happening) {
    context.timer(TimeDelta::from_nanos(1_000_000), 0);
}

/// With a limit of 10.5 ms ten rings of 1 ms are simulated; a ring exactly at the limit still is.
#[test]
fn the_time_limit_is_included() {
    for (limit, rings) in [(10_500_000, 10), (11_000_000, 11)] {
        let mut setting = world(1);
        setting.time_limit = Some(Time::from_nanos(limit));
        let (engine, reason, seen) = simulate(setting, ticking);
        assert_eq!((reason, seen.len()), (StopReason::TimeLimit, 1 + rings));
        assert!(engine.context().now().as_nanos() <= limit);
    }
}

#[test]
fn the_event_limit_counts_entries_of_the_timeline() {
    let mut setting = world(1);
    setting.event_limit = Some(25);
    let (engine, reason, _) = simulate(setting, ticking);
    assert_eq!((reason, engine.context().timeline().events()), (StopReason::EventLimit, 25));
}

/// An endless run ends soon after the flag is set from inside its 100th ring: within 2^12 further events.
#[test]
fn the_flag_interrupts() {
    let flag = AtomicBool::new(false);
    let mut rings = 0;
    let mut toy = Toy::new(|context: &mut Context<Load>, happening| {
        rings += 1;
        if rings == 100 {
            flag.store(true, Ordering::Relaxed);
        }
        ticking(context, happening);
    });
    let reason = Engine::new(world(1)).run(&mut toy, &flag);
    assert_eq!(reason, StopReason::Interrupted);
    assert!(toy.seen.len() <= 100 + (1 << 12));
}

/// The first reason counts, and the current reaction is the last.
#[test]
fn a_protocol_stops_itself() {
    let (_, reason, seen) = simulate(world(1), |context, happening| {
        ticking(context, happening);
        if context.timeline().events() == 3 {
            context.stop(StopReason::Reached("three rings".to_owned()));
            context.stop(StopReason::Idle);
        }
    });
    assert_eq!((reason, seen.len()), (StopReason::Reached("three rings".to_owned()), 4));
}

/// New work replaces old: only the second end is told. Work beyond the clock fails the run.
#[test]
fn a_node_works_on_one_thing_at_a_time() {
    let (_, _, seen) = simulate(world(1), |context, happening| {
        if happening == Happening::Start {
            context.compute(NodeId(1), 10);
            context.compute(NodeId(1), 20);
        }
    });
    assert_eq!(seen, [(0, Happening::Start), (20_000, Happening::Computed(1))]);
    let (_, reason, _) = simulate(world(1), |context, _| context.compute(NodeId(1), u64::MAX));
    assert!(reason.is_failure());
}

/// Dropouts are those of the hazard's own stream: a client that sends for ever first drops out at −ln(U)/λ of its draw
/// at (dropout, node, period 0), rounded up to a nanosecond.
#[test]
fn the_first_dropout_is_the_draw_at_its_address() {
    let mut setting = world(2);
    setting.dropout = Dropout::Hazard(Hazard { per_second: 0.5, restart: Duration::ZERO, state: State::Kept });
    let draw = |node| (setting.streams.at(DrawPurpose::Dropout, node, 0).exponential() / 0.5 * 1e9).ceil() as u64;
    let mut expected = [(draw(1), Happening::Dropout(1)), (draw(2), Happening::Dropout(2))];
    expected.sort_by_key(|&(at, _)| at);
    let (_, _, seen) = simulate(setting, |context, happening| {
        if happening == Happening::Start {
            [1, 2].into_iter().for_each(|client| send(context, message(client, 0, 1_000_000_000_000)));
        }
    });
    assert_eq!(seen[1..], expected);
}
