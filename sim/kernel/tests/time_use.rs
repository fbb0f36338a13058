//! What nodes spend their time and energy on: by hand, and against a sweep over the tasks that a random protocol has
//! written down itself.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::availability::{Always, Interval, Trace};
use fedbits_kernel::{
    AccessLink, AvailabilitySetting, Bits, Context, Dropout, Engine, Framing, Hazard, Ideal, LedgerDetail, Message,
    NodeId, Payload, Power, Protocol, Purpose, Rate, Sending, Speed, StarLinks, State, StopReason, Time, TimeDelta,
    TimeUse, TimeUsePlan, World,
};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Duration;
use proptest::prelude::*;

/// The length of a message is its name.
struct Load(u64);

impl Payload for Load {
    const PURPOSES: &'static [&'static str] = &["update"];

    fn bits(&self) -> Bits {
        Bits::new(self.0)
    }
}

/// Access links of 1 Mbit/s and 5 ms, no contention; 1 µs per unit of work.
fn world(clients: usize, seed: u64, plan: TimeUsePlan) -> World {
    let rate = |bits_per_second| Rate::new(bits_per_second).unwrap();
    let access = AccessLink { up: rate(1_000_000), down: rate(1_000_000), latency: TimeDelta::from_nanos(5_000_000) };
    let server = rate(1_000_000_000);
    let links = StarLinks { server_up: server, server_down: server, clients: vec![access; clients] };
    World {
        network: Box::new(Ideal::new(links)),
        speeds: vec![Speed::from_seconds_per_unit(1e-6).unwrap(); clients + 1],
        dropout: Dropout::Never,
        server: Some(NodeId(0)),
        framing: Framing { header: Bits::ZERO, segment: Bits::new(1_000) },
        detail: LedgerDetail::PerHost,
        streams: Streams::new(seed, 0),
        overheads: None,
        time_limit: None,
        event_limit: None,
        time_use: Some(plan),
    }
}

fn message(from: NodeId, to: NodeId, bits: u64) -> Message<Load> {
    Message { from, to, purpose: Purpose(0), payload: Load(bits) }
}

/// The server asks client 1, which works a millisecond and answers; client 2 has nothing to do.
struct Once;

impl Protocol<Load> for Once {
    fn start(&mut self, context: &mut Context<Load>) {
        context.send(message(NodeId(0), NodeId(1), 1_000_000));
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        match message.to {
            NodeId(0) => context.stop(StopReason::Reached("the end".to_owned())),
            client => context.compute(client, 1_000),
        }
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        context.send(message(node, NodeId(0), 500_000));
    }
}

/// 1 000 000 bits at 1 Mbit/s and 5 ms: 1.005 s; 1 000 µs of work; 500 000 bits: 0.505 s. In all 1.511 s.
#[test]
fn one_answer_by_hand() {
    let client = Power { compute: 3.0, send: 2.0, receive: 1.0, idle: 0.5 };
    let server = Power { compute: 0.0, send: 20.0, receive: 10.0, idle: 90.0 };
    let plan = TimeUsePlan { presence: Always {}.build(3), powers: vec![server, client, client] };
    let mut engine = Engine::new(world(2, 1, plan));
    engine.run(&mut Once, &AtomicBool::new(false));
    let context = engine.context();
    let ms = 1_000_000;
    let expected = [
        TimeUse { sending: 1_005 * ms, receiving: 505 * ms, waiting: ms, ..TimeUse::default() },
        TimeUse { receiving: 1_005 * ms, computing: ms, sending: 505 * ms, ..TimeUse::default() },
        TimeUse { waiting: 1_511 * ms, ..TimeUse::default() },
    ];
    assert_eq!(context.time_use().unwrap(), expected);
    assert_eq!(expected.map(|spent| spent.total()), [1_511 * ms; 3]);
    let joules = context.energies().unwrap();
    let by_hand = [1.005 * 20.0 + 0.505 * 10.0 + 0.001 * 90.0, 1.005 * 1.0 + 0.001 * 3.0 + 0.505 * 2.0, 1.511 * 0.5];
    for (joules, by_hand) in joules.into_iter().zip(by_hand) {
        assert!((joules - by_hand).abs() < 1e-12, "{joules} {by_hand}");
    }
}

/// Client 2 of the same run is there for the second of every three nanoseconds: the 503 666 666 repetitions in its
/// 1.511 s are counted at once, and of the two nanoseconds after them it is there for one.
#[test]
fn many_repetitions_are_counted_at_once() {
    let row = |from, to| vec![Interval { from: Duration::Ns(from), to: Duration::Ns(to) }];
    let trace = Trace { rows: vec![row(0.0, 3.0), row(1.0, 2.0)], repeat: Some(Duration::Ns(3.0)) };
    let mut engine = Engine::new(world(2, 1, TimeUsePlan { presence: trace.build(3), powers: Vec::new() }));
    engine.run(&mut Once, &AtomicBool::new(false));
    let expected = TimeUse { waiting: 503_666_667, away: 2 * 503_666_666 + 1, ..TimeUse::default() };
    assert_eq!(engine.context().time_use().unwrap()[2], expected);
}

/// A task of a node, from when to when.
#[derive(Clone, Copy)]
struct Task {
    node: u32,
    kind: usize,
    from: u64,
    to: Option<u64>,
}

/// Does anything that a protocol may do, and writes down who is busy with what, and who is down.
#[derive(Default)]
struct Random {
    nodes: u32,
    sends: u64,
    open: BTreeMap<u64, (Sending, [usize; 2])>,
    /// When messages were cut off.
    cut: BTreeMap<u64, Time>,
    computing: BTreeMap<u32, usize>,
    tasks: Vec<Task>,
}

const COMPUTE: usize = 0;
const SEND: usize = 1;
const RECEIVE: usize = 2;
const DOWN: usize = 3;

/// A dropout takes 30 ms.
const RESTART: u64 = 30_000_000;

impl Random {
    fn begin(&mut self, node: NodeId, kind: usize, now: Time) -> usize {
        self.tasks.push(Task { node: node.0, kind, from: now.as_nanos(), to: None });
        self.tasks.len() - 1
    }

    fn end(&mut self, task: usize, now: Time) {
        self.tasks[task].to = Some(now.as_nanos());
    }

    fn close(&mut self, name: u64, now: Time) {
        let (_, ends) = self.open.remove(&name).expect("a message that is known");
        ends.into_iter().for_each(|task| self.end(task, now));
    }

    fn act(&mut self, context: &mut Context<Load>) {
        self.sends += 1;
        if self.sends > 200 {
            return;
        }
        let now = context.now();
        let mut stream = context.streams().at(DrawPurpose::Data, 0, self.sends);
        let client = NodeId(1 + stream.below(u64::from(self.nodes) - 1) as u32);
        match stream.below(6) {
            0..=2 => {
                let (from, to) = if stream.below(2) == 0 { (client, NodeId(0)) } else { (NodeId(0), client) };
                let name = 1 + 40_000 * stream.below(3) + self.sends;
                let sending = context.send(message(from, to, name));
                let ends = [self.begin(from, SEND, now), self.begin(to, RECEIVE, now)];
                self.open.insert(name, (sending, ends));
            }
            3 => {
                if let Some(task) = self.computing.remove(&client.0) {
                    self.end(task, now);
                }
                context.compute(client, 1 + stream.below(50_000));
                let task = self.begin(client, COMPUTE, now);
                self.computing.insert(client.0, task);
            }
            4 => {
                if let Some((&name, &(sending, _))) = self.open.iter().next() {
                    context.abort(sending);
                    self.close(name, now);
                    self.cut.insert(name, now);
                }
            }
            _ => {
                context.timer(TimeDelta::from_nanos(stream.below(90_000_000)), 1);
            }
        }
    }
}

impl Protocol<Load> for Random {
    fn start(&mut self, context: &mut Context<Load>) {
        (0..6).for_each(|_| self.act(context));
        for step in 0..40 {
            context.timer(TimeDelta::from_nanos(step * 17_000_003), 0);
        }
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        let (name, now) = (message.payload.0, context.now());
        // Of several that arrive at one instant, the first may have cut off another, too late.
        if self.cut.get(&name) != Some(&now) {
            self.close(name, now);
        }
        self.act(context);
    }

    fn on_timer(&mut self, context: &mut Context<Load>, _: u64) {
        self.act(context);
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        let task = self.computing.remove(&node.0).expect("it was computing");
        self.end(task, context.now());
        self.act(context);
    }

    fn on_dropout(&mut self, context: &mut Context<Load>, node: NodeId) {
        let now = context.now();
        if let Some(task) = self.computing.remove(&node.0) {
            self.end(task, now);
        }
        let cut = |tasks: &[Task], ends: &[usize; 2]| ends.iter().any(|&task| tasks[task].node == node.0);
        let names: Vec<u64> =
            self.open.iter().filter(|(_, (_, ends))| cut(&self.tasks, ends)).map(|(&name, _)| name).collect();
        names.into_iter().for_each(|name| self.close(name, now));
        let down = self.begin(node, DOWN, now);
        self.tasks[down].to = Some(now.as_nanos() + RESTART);
        self.act(context);
    }
}

/// Windows of presence in milliseconds, a row per client, used in turn.
const WINDOWS: [&[(u32, u32)]; 3] = [&[(0, 40), (90, 400)], &[(13, 14), (15, 300)], &[(0, 10_000)]];

fn windows() -> Trace {
    let interval =
        |&(from, to): &(u32, u32)| Interval { from: Duration::Ms(f64::from(from)), to: Duration::Ms(f64::from(to)) };
    Trace { rows: WINDOWS.iter().map(|row| row.iter().map(interval).collect()).collect(), repeat: None }
}

/// The slow reference: between two instants at which anything changes, the middle says what a node does.
fn swept(tasks: &[Task], node: u32, end: u64) -> TimeUse {
    let work: Vec<Task> = tasks.iter().copied().filter(|task| task.node == node).collect();
    let row = WINDOWS[(node as usize + 2) % 3];
    let bounds = row.iter().flat_map(|&(from, to)| [u64::from(from) * 1_000_000, u64::from(to) * 1_000_000]);
    let mut times: Vec<u64> = work.iter().flat_map(|task| [task.from, task.to.unwrap_or(end)]).chain(bounds).collect();
    times.extend([0, end]);
    times.retain(|&at| at <= end);
    times.sort_unstable();
    times.dedup();
    let mut spent = TimeUse::default();
    for pair in times.windows(2) {
        let span = pair[1] - pair[0];
        let is = |kind| work.iter().any(|t| t.kind == kind && t.from <= pair[0] && pair[1] <= t.to.unwrap_or(end));
        let there =
            |at: u64| row.iter().any(|&(from, to)| (u64::from(from)..u64::from(to)).contains(&(at / 1_000_000)));
        let [computes, sends, receives] = [COMPUTE, SEND, RECEIVE].map(|kind| u64::from(is(kind)));
        spent.computing += span * computes;
        spent.sending += span * sends;
        spent.receiving += span * receives;
        spent.overlap += span * (computes + sends + receives).saturating_sub(1);
        if computes + sends + receives == 0 {
            match is(DOWN) || (node > 0 && !there(pair[0])) {
                true => spent.away += span,
                false => spent.waiting += span,
            }
        }
    }
    spent
}

/// Every nanosecond of every node is where the sweep finds it, and they add up to the time of the run.
fn the_time_adds_up(seed: u64) -> Result<(), TestCaseError> {
    let plan = TimeUsePlan { presence: windows().build(5), powers: Vec::new() };
    let mut setting = world(4, seed, plan);
    let restart = Duration::Ns(RESTART as f64);
    setting.dropout = Dropout::Hazard(Hazard { per_second: 4.0, restart, state: State::Kept });
    let mut engine = Engine::new(setting);
    let mut random = Random { nodes: 5, ..Random::default() };
    engine.run(&mut random, &AtomicBool::new(false));
    let (context, end) = (engine.context(), engine.context().now().as_nanos());
    prop_assert!(context.energies().is_none());
    for (node, spent) in (0..).zip(context.time_use().unwrap()) {
        prop_assert_eq!(spent, swept(&random.tasks, node, end), "node {}", node);
        prop_assert_eq!(spent.total(), end);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_time_of_a_random_protocol(seed in 0_u64..1 << 40) {
        the_time_adds_up(seed)?;
    }
}

/// A message that arrives cuts off another that has arrived at the same instant.
#[test]
fn cut_off_at_its_arrival() {
    the_time_adds_up(1_062_566_637_561).unwrap();
}
