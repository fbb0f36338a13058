//! Rounds in a star by the bare network and an event queue: the server sends 16 kbit to all clients at once, each computes
//! for 0.1–1 s and sends 4 kbit back; exact max–min fair sharing, server link 1 Gbit/s, access links of 1–100 Mbit/s.
//!
//! Prints client-rounds per second; beside it the smallest thing that plays the same events, an event queue with the three events
//! of a client-round and no network, and the ratio. `cargo bench -p fedbits-kernel --bench star_network`

use std::time::Instant;

use fedbits_kernel::network::{AccessLink, Network, StarFairShare, StarLinks, Transfer};
use fedbits_kernel::{Bits, EventQueue, NodeId, Rate, Span, Time};
use fedbits_random::{Purpose, Streams};

const DOWN: Bits = Bits::new(16_000);
const UP: Bits = Bits::new(4_000);

fn main() {
    println!("{:>9}  {:>16}  {:>16}  {:>6}", "clients", "client-rounds/s", "queue alone", "ratio");
    for clients in [1_000, 10_000, 100_000, 1_000_000] {
        let rounds = (2_000_000 / clients).max(2);
        let setting = Setting::new(clients);
        let (mut network, mut queue) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            network = network.min(seconds(|| setting.play(rounds)));
            queue = queue.min(seconds(|| setting.play_queue_alone(rounds)));
        }
        let per_second = |seconds: f64| (clients * rounds) as f64 / seconds;
        println!("{clients:>9}  {:>16.0}  {:>16.0}  {:>6.2}", per_second(network), per_second(queue), queue / network);
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn seconds(run: impl FnOnce() -> Time) -> f64 {
    let started = Instant::now();
    std::hint::black_box(run());
    started.elapsed().as_secs_f64()
}

struct Setting {
    links: StarLinks,
    compute: Vec<Span>,
}

impl Setting {
    fn new(clients: usize) -> Self {
        let mut stream = Streams::new(1, 0).at(Purpose::Data, 0, 0);
        let mut draw = |from: u64, to: u64| from + stream.below(to - from);
        let rate = |bits_per_second| Rate::new(bits_per_second).expect("a positive rate");
        let access = (0..clients).map(|_| {
            let both = rate(draw(1_000_000, 100_000_000));
            AccessLink { up: both, down: both, latency: Span::from_nanos(draw(10_000_000, 100_000_000)) }
        });
        let access = access.collect();
        let compute = (0..clients).map(|_| Span::from_nanos(draw(100_000_000, 1_000_000_000))).collect();
        let server = rate(1_000_000_000);
        Self { links: StarLinks { server_up: server, server_down: server, clients: access }, compute }
    }

    /// Plays rounds over the network; returns the end of the last.
    fn play(&self, rounds: usize) -> Time {
        let mut network = StarFairShare::new(self.links.clone());
        let mut computing = EventQueue::new();
        // By flow id: the client, and whether the transfer goes up.
        let mut owner = vec![(0u32, false); 2 * self.compute.len()];
        let (mut now, mut completed) = (Time::ZERO, Vec::new());
        for _ in 0..rounds {
            for client in 0..self.compute.len() as u32 {
                let flow = network.start(now, Transfer { from: NodeId(0), to: NodeId(client + 1), bits: DOWN });
                owner[flow.0 as usize] = (client, false);
            }
            while let Some(next) = computing.peek_time().into_iter().chain(network.next_completion()).min() {
                now = next;
                network.advance(now, &mut completed);
                for flow in completed.drain(..) {
                    let (client, up) = owner[flow.0 as usize];
                    if !up {
                        computing.push(now + self.compute[client as usize], client);
                    }
                }
                while computing.peek_time() == Some(now) {
                    if let Some((_, client)) = computing.pop() {
                        let flow = network.start(now, Transfer { from: NodeId(client + 1), to: NodeId(0), bits: UP });
                        owner[flow.0 as usize] = (client, true);
                    }
                }
            }
        }
        now
    }

    /// The same number of events with spans as if nobody shared: down, compute, up.
    fn play_queue_alone(&self, rounds: usize) -> Time {
        let mut queue = EventQueue::new();
        let mut now = Time::ZERO;
        for _ in 0..rounds {
            for (client, link) in self.links.clients.iter().enumerate() {
                queue.push(now + link.latency + link.down.time_for(DOWN), (client, 0));
            }
            while let Some((at, (client, leg))) = queue.pop() {
                now = at;
                let link = self.links.clients[client];
                match leg {
                    0 => _ = queue.push(now + self.compute[client], (client, 1)),
                    1 => _ = queue.push(now + link.latency + link.up.time_for(UP), (client, 2)),
                    _ => {}
                }
            }
        }
        now
    }
}
