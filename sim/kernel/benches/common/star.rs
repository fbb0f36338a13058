//! The star that the star benchmark simulates, and two smaller machines that simulate its events.

use std::time::Instant;

use fedbits_kernel::network::{AccessLink, Network, StarFairShare, StarLinks, Transfer};
use fedbits_kernel::{Bits, EventQueue, NodeId, Rate, Time, TimeDelta};
use fedbits_random::{DrawPurpose, Streams};

pub const SERVER: NodeId = NodeId(0);
pub const DOWN: Bits = Bits::new(16_000);
pub const UP: Bits = Bits::new(4_000);

/// Seconds of processor time where the system tells them (other programs may be running), of wall clock elsewhere.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
pub fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let (started, on_cpu) = (Instant::now(), processor_time());
    std::hint::black_box(run());
    let elapsed = started.elapsed().as_secs_f64();
    on_cpu.zip(processor_time()).map_or(elapsed, |(before, after)| after - before)
}

/// Seconds that this process, which has one thread, has run.
fn processor_time() -> Option<f64> {
    let schedstat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = schedstat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

pub struct Setting {
    pub links: StarLinks,
    pub compute: Vec<TimeDelta>,
}

impl Setting {
    pub fn new(clients: usize) -> Self {
        let mut stream = Streams::new(1, 0).at(DrawPurpose::Data, 0, 0);
        let mut draw = |from: u64, to: u64| from + stream.below(to - from);
        let rate = |bits_per_second| Rate::new(bits_per_second).expect("a positive rate");
        let access = (0..clients).map(|_| {
            let both = rate(draw(1_000_000, 100_000_000));
            AccessLink { up: both, down: both, latency: TimeDelta::from_nanos(draw(10_000_000, 100_000_000)) }
        });
        let access = access.collect();
        let compute = (0..clients).map(|_| TimeDelta::from_nanos(draw(100_000_000, 1_000_000_000))).collect();
        let server = rate(1_000_000_000);
        Self { links: StarLinks { server_up: server, server_down: server, clients: access }, compute }
    }

    /// Plays rounds over the network; returns the end of the last.
    pub fn simulate_network(&self, rounds: usize) -> Time {
        let mut network = StarFairShare::new(self.links.clone());
        let mut computing = EventQueue::new();
        // By flow id: the client, and whether the transfer goes up.
        let mut owner = vec![(0u32, false); 2 * self.compute.len()];
        let (mut now, mut completed) = (Time::ZERO, Vec::new());
        for _ in 0..rounds {
            for client in 0..self.compute.len() as u32 {
                let flow = network.start(now, Transfer::new(SERVER, NodeId(client + 1), DOWN));
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
                        let flow = network.start(now, Transfer::new(NodeId(client + 1), SERVER, UP));
                        owner[flow.0 as usize] = (client, true);
                    }
                }
            }
        }
        now
    }

    /// The same number of events with durations as if nobody shared: down, compute, up.
    pub fn simulate_queue_alone(&self, rounds: usize) -> Time {
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
