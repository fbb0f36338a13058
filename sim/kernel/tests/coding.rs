//! Times to code and decode messages and of steps: rounds in closed form, queues of lanes, and what is given up.

use std::sync::atomic::AtomicBool;

use fedbits_kernel::availability::Always;
use fedbits_kernel::{
    AccessLink, Activity, AvailabilitySetting, Bits, Context, Dropout, Engine, Fate, Framing, Ideal, LedgerDetail,
    Message, Network, NodeId, Overhead, Overheads, Payload, PerRound, Power, Protocol, Purpose, Rate, Speed,
    StarFairShare, StarLinks, State, StopReason, TimeDelta, TimeUsePlan, World,
};
use fedbits_random::Streams;
use fedbits_spec::Duration;

const SERVER: NodeId = NodeId(0);
const MS: u64 = 1_000_000;

/// Down 100 000 bits, up 50 000 bits; the last bit of it is an acknowledgement.
const DOWN: u64 = 100_000;
const UP: u64 = 50_000;

struct Load(u64);

impl Payload for Load {
    const PURPOSES: &'static [&'static str] = &["update"];

    fn bits(&self) -> Bits {
        Bits::new(self.0 - 1)
    }

    fn acknowledgement_bits(&self) -> Bits {
        Bits::new(1)
    }
}

fn message(from: NodeId, to: NodeId, bits: u64) -> Message<Load> {
    Message { from, to, purpose: Purpose(0), payload: Load(bits) }
}

/// Rounds of all clients: each computes 1 ms and answers; the server makes a step of its own time.
#[derive(Default)]
struct Rounds {
    clients: u32,
    left: u32,
    answers: u32,
    ends: Vec<u64>,
    /// When answers reached the protocol.
    heard: Vec<u64>,
}

impl Rounds {
    fn new(clients: u32, rounds: u32) -> Self {
        Self { clients, left: rounds, ..Self::default() }
    }

    fn ask(&mut self, context: &mut Context<Load>) {
        self.answers = 0;
        (1..=self.clients).for_each(|client| _ = context.send(message(SERVER, NodeId(client), DOWN)));
    }

    fn end(&mut self, context: &mut Context<Load>) {
        context.close_round(self.ends.len() as u64 + 1);
        self.ends.push(context.now().as_nanos());
        self.left -= 1;
        match self.left {
            0 => context.stop(StopReason::Idle),
            _ => self.ask(context),
        }
    }
}

impl Protocol<Load> for Rounds {
    fn start(&mut self, context: &mut Context<Load>) {
        context.close_round(0);
        self.ask(context);
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        if message.to != SERVER {
            return context.compute(message.to, 1_000);
        }
        self.heard.push(context.now().as_nanos());
        self.answers += 1;
        if self.answers < self.clients {
        } else if context.step_time(SERVER) > TimeDelta::ZERO {
            context.compute(SERVER, 0);
        } else {
            self.end(context);
        }
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        match node {
            SERVER => self.end(context),
            client => _ = context.send(message(client, SERVER, UP)),
        }
    }
}

/// Times per bit in nanoseconds.
fn overheads(
    [code, decode, step]: [u64; 3],
    [server_code, server_decode, server_step]: [u64; 3],
    lanes: u32,
) -> Overheads {
    let speed = |nanoseconds| Speed::new(1.0, nanoseconds).unwrap();
    let overhead = |code, decode, step, lanes| Overhead {
        code: speed(code),
        decode: speed(decode),
        step: TimeDelta::from_nanos(step),
        lanes,
    };
    let client = overhead(code, decode, step, 1);
    let server = overhead(server_code, server_decode, server_step, lanes);
    Overheads { server, nodes: client, first_slow: NodeId(u32::MAX), slow: client }
}

/// Access links of 1 Mbit/s and 5 ms, work of 1 µs per unit, no headers.
fn links(clients: u32, server: u64) -> StarLinks {
    let rate = |bits_per_second| Rate::new(bits_per_second).unwrap();
    let access = AccessLink { up: rate(1_000_000), down: rate(1_000_000), latency: TimeDelta::from_nanos(5 * MS) };
    StarLinks { server_up: rate(server), server_down: rate(server), clients: vec![access; clients as usize] }
}

fn world(network: Box<dyn Network>, clients: u32, overheads: Option<Overheads>) -> World {
    World {
        network,
        speeds: vec![Speed::from_seconds_per_unit(1e-6).unwrap(); clients as usize + 1],
        overheads,
        dropout: Dropout::Never,
        server: Some(SERVER),
        framing: Framing { header: Bits::new(80), segment: Bits::new(1_000) },
        detail: LedgerDetail::PerHost,
        streams: Streams::new(1, 0),
        time_limit: None,
        event_limit: None,
        time_use: Some(TimeUsePlan {
            presence: Always {}.build(clients as usize + 1),
            powers: vec![Power { compute: 1.0, ..Power::default() }; clients as usize + 1],
        }),
    }
}

fn play(world: World, rounds: &mut Rounds) -> Engine<Load> {
    let mut engine = Engine::new(world);
    engine.trace(vec![1, 2]);
    engine.run(rounds, &AtomicBool::new(false));
    engine
}

/// Nanoseconds on a link of 1 Mbit/s: 80 bits of header per 1 000 of payload.
fn flight(bits: u64) -> u64 {
    1_000 * (bits + 80 * bits.div_ceil(1_000)) + 5 * MS
}

/// One client, one link: a round is code + download + decode + compute + step + code + upload + decode + step, to the
/// nanosecond; and that is where the time and energy of both ends are, and the bars of the trace.
#[test]
fn one_client_in_closed_form() {
    let times = overheads([7, 11, 3 * MS], [13, 17, 23 * MS], 1);
    let mut rounds = Rounds::new(1, 2);
    let engine = play(world(Box::new(Ideal::new(links(1, 1_000_000_000))), 1, Some(times)), &mut rounds);
    let of_client = 11 * DOWN + MS + 3 * MS + 7 * UP;
    let of_server = 13 * DOWN + 17 * UP + 23 * MS;
    let round = of_client + of_server + flight(DOWN) + flight(UP);
    assert_eq!(rounds.ends, [round, 2 * round]);
    let context = engine.context();
    let used = context.time_use().unwrap();
    assert_eq!([used[0].computing, used[1].computing], [2 * of_server, 2 * of_client]);
    assert_eq!(used[1].overlap + used[0].overlap, 0);
    assert!(used.iter().all(|used| used.total() == 2 * round));
    assert!((context.energies().unwrap()[0] - 2e-9 * of_server as f64).abs() < 1e-12);
    // Parts of the traced rounds end as the next begin: nothing is left out.
    let spans = context.spans().unwrap();
    let parts: Vec<[u64; 2]> = spans
        .iter()
        .filter(|span| span.activity != Activity::Round)
        .map(|span| span.times.map(|time| time.as_nanos()))
        .collect();
    assert_eq!(parts.len(), 2 * 8);
    assert!(parts.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{parts:?}");
}

/// The slow reference of lanes: each takes the message that came first of those that wait.
fn served(arrivals: &[u64], duration: u64, lanes: usize) -> Vec<u64> {
    let mut free = vec![0; lanes];
    let serve = |&arrival: &u64| {
        let lane = (0..lanes).min_by_key(|&lane| free[lane]).unwrap();
        free[lane] = arrival.max(free[lane]) + duration;
        free[lane]
    };
    arrivals.iter().map(serve).collect()
}

/// Five clients without contention: the server codes and decodes in its lanes, first come, first served.
#[test]
fn lanes_serve_in_order() {
    for lanes in 1..=6 {
        for [code, decode] in [[13, 17], [0, 9], [40, 1]] {
            let times = overheads([7, 11, 0], [code, decode, 0], lanes);
            let mut rounds = Rounds::new(5, 1);
            let network = Box::new(Ideal::new(links(5, 1_000_000_000)));
            play(world(network, 5, Some(times)), &mut rounds);
            let trip = flight(DOWN) + 11 * DOWN + MS + 7 * UP + flight(UP);
            let sent = served(&[0; 5], code * DOWN, lanes as usize);
            let arrived: Vec<u64> = sent.into_iter().map(|at| at + trip).collect();
            assert_eq!(rounds.heard, served(&arrived, decode * UP, lanes as usize), "{lanes} lanes");
        }
    }
}

/// n clients behind one link: n downloads at once, then each decodes, computes and codes, then n uploads at once.
#[test]
fn clients_behind_one_link_in_closed_form() {
    for clients in 1..=4 {
        let times = overheads([7, 11, 0], [0, 0, 23 * MS], 1);
        let mut rounds = Rounds::new(clients, 1);
        let network = Box::new(StarFairShare::new(links(clients, 200_000)));
        play(world(network, clients, Some(times)), &mut rounds);
        let shared = |bits: u64| 5 * (flight(bits) - 5 * MS) * u64::from(clients) + 5 * MS;
        assert_eq!(rounds.ends, [shared(DOWN) + 11 * DOWN + MS + 7 * UP + shared(UP) + 23 * MS]);
    }
}

/// A reaction to each event, by its kind.
struct Script<F>(F);

#[derive(Debug, PartialEq)]
enum Heard {
    Start,
    Message([NodeId; 2]),
    Timer(u64),
    Computed(NodeId),
}

impl<F: FnMut(&mut Context<Load>, Heard)> Protocol<Load> for Script<F> {
    fn start(&mut self, context: &mut Context<Load>) {
        self.0(context, Heard::Start);
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        self.0(context, Heard::Message([message.from, message.to]));
    }

    fn on_timer(&mut self, context: &mut Context<Load>, tag: u64) {
        self.0(context, Heard::Timer(tag));
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        self.0(context, Heard::Computed(node));
    }
}

/// What arrives while the server makes a step is decoded after it, also where that takes no time.
#[test]
fn a_step_keeps_messages_waiting() {
    for decode in [0, 2] {
        let times = overheads([0, 0, 0], [0, decode, 500 * MS], 1);
        let mut heard = Vec::new();
        let mut script = Script(|context: &mut Context<Load>, what| {
            let now = context.now().as_nanos();
            if what == Heard::Start {
                context.compute(SERVER, 0);
                context.send(message(NodeId(1), SERVER, UP));
                context.send(message(NodeId(2), SERVER, UP));
            }
            heard.push((what, now));
        });
        let network = Box::new(Ideal::new(links(2, 1_000_000_000)));
        Engine::new(world(network, 2, Some(times))).run(&mut script, &AtomicBool::new(false));
        let from = |client| Heard::Message([NodeId(client), SERVER]);
        let at = |number: u64| 500 * MS + number * decode * UP;
        assert_eq!(heard[1..], [(Heard::Computed(SERVER), at(0)), (from(1), at(1)), (from(2), at(2))]);
    }
}

/// Of what is given up before it is coded nothing is charged; what has arrived and is not decoded when its receiver
/// drops out is late; and the server goes on with what waits.
#[test]
fn what_is_given_up() {
    let times = overheads([1_000, 1_000, 0], [1_000, 0, 0], 1);
    let mut left = None;
    let mut heard = Vec::new();
    let mut script = Script(|context: &mut Context<Load>, what| match what {
        Heard::Start => {
            // Coded until 50 and 100 ms, and never; at client 1 from 109 ms on.
            (1..=2).for_each(|client| _ = context.send(message(SERVER, NodeId(client), UP)));
            left = Some(context.send(message(SERVER, NodeId(2), DOWN)));
            context.send(message(SERVER, NodeId(1), DOWN));
            context.timer(TimeDelta::from_nanos(120 * MS), 0);
            context.timer(TimeDelta::from_nanos(130 * MS), 1);
        }
        Heard::Timer(0) => context.abort(left.unwrap()),
        Heard::Timer(_) => context.drop_out(NodeId(1)),
        _ => heard.push((what, context.now().as_nanos())),
    });
    let network = Box::new(Ideal::new(links(2, 1_000_000_000)));
    let mut world = world(network, 2, Some(times));
    world.dropout = Dropout::PerRound(PerRound { probability: 0.5, restart: Duration::Sec(1.0), state: State::Kept });
    let mut engine = Engine::new(world);
    engine.run(&mut script, &AtomicBool::new(false));
    assert_eq!(heard, [(Heard::Message([SERVER, NodeId(2)]), 150 * MS + flight(UP))]);
    let rows = engine.context().ledger().rows(|node| node.0.to_string());
    let fates: Vec<(&str, Fate, u64)> =
        rows.iter().map(|row| (row.link.as_str(), row.fate, row.payload_bits)).collect();
    assert_eq!(fates, [("1", Fate::Late, UP), ("2", Fate::Delivered, UP)]);
    assert_eq!(engine.context().time_use().unwrap()[1].computing, 130 * MS - (50 * MS + flight(UP)));
}

/// What has arrived is delivered, also where the run ends before it is decoded.
#[test]
fn what_is_decoded_at_the_end_was_delivered() {
    let mut script = Script(|context: &mut Context<Load>, what| match what {
        Heard::Start => {
            // There at 59 ms, decoded at 109 ms.
            context.send(message(SERVER, NodeId(1), UP));
            context.timer(TimeDelta::from_nanos(80 * MS), 0);
        }
        Heard::Timer(_) => context.stop(StopReason::Idle),
        Heard::Message(_) | Heard::Computed(_) => panic!("not decoded yet"),
    });
    let network = Box::new(Ideal::new(links(1, 1_000_000_000)));
    let mut engine = Engine::new(world(network, 1, Some(overheads([0, 1_000, 0], [0, 0, 0], 1))));
    engine.run(&mut script, &AtomicBool::new(false));
    let rows = engine.context().ledger().rows(|node| node.0.to_string());
    assert_eq!(rows.iter().map(|row| (row.fate, row.payload_bits)).collect::<Vec<_>>(), [(Fate::Delivered, UP)]);
}
