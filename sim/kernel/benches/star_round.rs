//! Star rounds through the whole engine: the server sends 16 kbit to all clients at once, each computes for 0.1–1 s and
//! replies with 4 kbit; exact max–min fair sharing, server link 1 Gbit/s, access links of 1–100 Mbit/s and 10–100 ms.
//! Timeline digest and ledger are on, the ledger by host up to 10^5 clients.
//!
//! Prints client-rounds per second, beside them the same rounds by the bare network with an event queue, and by an
//! event queue without a network, in the same run; then the memory of a client that never communicates.
//! `cargo bench -p fedbits-kernel --bench star_round [-- CLIENTS…]`; the fastest of three alternating repetitions
//! counts.

#[path = "common/star.rs"]
mod star;

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::{Bits, Dropout, Framing, LedgerDetail, Speed, StarFairShare, World};
use fedbits_kernel::{Context, Engine, Message, NodeId, Payload, Protocol, Purpose, StopReason};
use fedbits_random::Streams;

use star::{DOWN, SERVER, Setting, UP, seconds};

/// As in the program.
fn main() {
    // First, while there is no freed memory to be used again.
    match bytes_per_idle_client() {
        Some(bytes) => println!("{bytes:.1} bytes per idle client (ledger by host)"),
        None => println!("bytes per idle client: not measured, /proc/self/statm cannot be read here"),
    }
    println!("client-rounds per second");
    println!("{:>9}  {:>10}  {:>12}  {:>11}", "clients", "engine", "bare network", "queue alone");
    for clients in sizes() {
        let rounds = (2_000_000 / clients).max(2);
        let setting = Setting::new(clients);
        let mut best = [f64::INFINITY; 3];
        for _ in 0..3 {
            let mut engine = engine(&setting);
            let mut rounds_left = Rounds::new(clients, rounds);
            best[0] = best[0].min(seconds(|| engine.run(&mut rounds_left, &AtomicBool::new(false))));
            best[1] = best[1].min(seconds(|| setting.simulate_network(rounds)));
            best[2] = best[2].min(seconds(|| setting.simulate_queue_alone(rounds)));
        }
        let [engine, network, queue] = best.map(|seconds| (clients * rounds) as f64 / seconds);
        println!("{clients:>9}  {engine:>10.0}  {network:>12.0}  {queue:>11.0}");
    }
}

/// Numbers of clients named on the command line, or all.
fn sizes() -> Vec<usize> {
    let named: Vec<_> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if named.is_empty() { vec![1_000, 10_000, 100_000, 1_000_000] } else { named }
}

fn world(setting: &Setting, detail: LedgerDetail) -> World {
    let speed = |seconds| Speed::from_seconds_per_unit(seconds).expect("a positive duration");
    let clients = setting.compute.iter().map(|duration| speed(duration.as_seconds()));
    World {
        network: Box::new(StarFairShare::new(setting.links.clone())),
        speeds: std::iter::once(speed(1.0)).chain(clients).collect(),
        dropout: Dropout::Never,
        server: Some(SERVER),
        framing: Framing { header: Bits::ZERO, segment: Bits::new(11_680) },
        detail,
        streams: Streams::new(1, 0),
        overheads: None,
        time_limit: None,
        event_limit: None,
        time_use: None,
    }
}

fn engine(setting: &Setting) -> Engine<Load> {
    let by_host = setting.compute.len() <= 100_000;
    Engine::new(world(setting, if by_host { LedgerDetail::PerHost } else { LedgerDetail::Totals }))
}

/// A payload of the size of those of the star protocols.
struct Load {
    bits: Bits,
    _content: [u64; 3],
}

impl Load {
    fn new(bits: Bits) -> Self {
        Self { bits, _content: black_box([0; 3]) }
    }
}

impl Payload for Load {
    const PURPOSES: &'static [&'static str] = &["broadcast", "update"];

    fn bits(&self) -> Bits {
        self.bits
    }
}

/// Broadcast, compute, reply; the next round starts with the last reply.
struct Rounds {
    clients: usize,
    rounds: usize,
    awaited: usize,
}

impl Rounds {
    fn new(clients: usize, rounds: usize) -> Self {
        Self { clients, rounds, awaited: 0 }
    }

    fn open(&mut self, context: &mut Context<Load>) {
        self.rounds -= 1;
        self.awaited = self.clients;
        for client in 1..=self.clients as u32 {
            let payload = Load::new(DOWN);
            context.send(Message { from: SERVER, to: NodeId(client), purpose: Purpose(0), payload });
        }
    }
}

impl Protocol<Load> for Rounds {
    fn start(&mut self, context: &mut Context<Load>) {
        self.open(context);
    }

    fn on_message(&mut self, context: &mut Context<Load>, message: Message<Load>) {
        if message.to != SERVER {
            return context.compute(message.to, 1);
        }
        self.awaited -= 1;
        match (self.awaited, self.rounds) {
            (0, 0) => context.stop(StopReason::Reached("rounds".to_owned())),
            (0, _) => self.open(context),
            _ => {}
        }
    }

    fn on_computed(&mut self, context: &mut Context<Load>, node: NodeId) {
        context.send(Message { from: node, to: SERVER, purpose: Purpose(1), payload: Load::new(UP) });
    }
}

/// Growth of the address space per client by an engine over clients that do nothing. With this many clients every array
/// is a mapping of its own, so that none hides in memory freed before.
fn bytes_per_idle_client() -> Option<f64> {
    const CLIENTS: usize = 10_000_000;
    let setting = Setting::new(CLIENTS);
    let before = address_space()?;
    let engine: Engine<Load> = Engine::new(world(&setting, LedgerDetail::PerHost));
    let bytes = address_space()? - before;
    black_box(&engine);
    Some(bytes / CLIENTS as f64)
}

/// Bytes of address space of this process; pages have 4 096 bytes on the machines that have this file.
fn address_space() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = statm.split(' ').next()?.parse().ok()?;
    Some(pages * 4_096.0)
}
