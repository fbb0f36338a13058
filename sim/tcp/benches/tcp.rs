//! Packets of TCP per second: bulk transfers over a star, by Cubic over queues with room, with acknowledgements.
//!
//! Prints for each size of the star how many packets cross a link per second, acknowledgements among them, and the
//! nanoseconds for one. `cargo bench -p fedbits-tcp [-- CLIENTS…]`; the fastest of three repetitions
//! counts.

use std::sync::Arc;

#[expect(dead_code, reason = "only its clock is used")]
#[path = "../../kernel/benches/common/star.rs"]
mod star_round;

use fedbits_kernel::network::transport::Transport;
use fedbits_kernel::network::{AccessLink, LinkId, Network, Queue, Routes, SharedLinks, StarLinks, Transfer};
use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Size;
use fedbits_tcp::{Congestion, TcpPackets};
use star_round::seconds;

const HEADER: u64 = 320;
const PACKET: u64 = 12_000;
/// Whole packets sent altogether, on two links each.
const PACKETS: u64 = 2_000_000;

fn main() {
    println!("{:>9}  {:>8}  {:>14}  {:>12}  {:>6}", "clients", "queues", "data packets/s", "packets/s", "ns");
    for clients in sizes() {
        for (name, first) in [("fifo", Queue::Endless), ("fair", Queue::Fair)] {
            let star = star(clients);
            let (mut best, mut crossings) = (f64::INFINITY, 0);
            for _ in 0..3 {
                let mut network = network(&star, first);
                best = best.min(seconds(|| gather(&mut network, clients)));
                crossings = count(&star, &network, clients);
            }
            let data = PACKETS / clients * clients;
            let per_second = |count: u64| count as f64 / best;
            let nanos = 1e9 / per_second(crossings);
            let (data, all) = (per_second(data), per_second(crossings));
            println!("{clients:>9}  {name:>8}  {data:>14.0}  {all:>12.0}  {nanos:>6.1}");
        }
    }
}

/// Numbers of clients named on the command line, or all.
fn sizes() -> Vec<u64> {
    let named: Vec<_> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    if named.is_empty() { vec![1, 10, 100, 1_000, 10_000] } else { named }
}

fn star(clients: u64) -> StarLinks {
    let mut stream = Streams::new(1, 0).at(DrawPurpose::Data, 0, 0);
    let rate = |mbps: u64| Rate::new(mbps * 1_000_000).expect("a positive rate");
    let access = (0..clients).map(|_| {
        let both = rate(10 + stream.below(90));
        AccessLink { up: both, down: both, latency: TimeDelta::from_nanos(5_000_000 + stream.below(40_000_000)) }
    });
    StarLinks { server_up: rate(1_000), server_down: rate(1_000), clients: access.collect() }
}

fn network(star: &StarLinks, first: Queue) -> TcpPackets {
    let mut queues = vec![Queue::Room(Size::Bits(2e6)); star.link_count()];
    queues.iter_mut().step_by(2).for_each(|queue| *queue = first);
    let framing = Framing { header: Bits::new(HEADER), segment: Bits::new(PACKET - HEADER) };
    let transport = Transport { acknowledgements: true, ..Transport::default() };
    let links = SharedLinks { transport, queues, ..SharedLinks::plain(Arc::new(star.clone()), framing) };
    TcpPackets::new(links, Congestion::Cubic)
}

/// All clients send the same to the server, all at once.
fn gather(network: &mut TcpPackets, clients: u64) {
    for client in 1..=clients as u32 {
        let bits = Bits::new(PACKETS / clients * PACKET);
        network.start(Time::ZERO, Transfer::new(NodeId(client), NodeId(0), bits));
    }
    let mut completed = Vec::new();
    network.advance(Time::MAX, &mut completed);
    assert_eq!(completed.len() as u64, clients, "all arrive");
}

/// How often a packet was sent on a link: whole ones and headers.
fn count(star: &StarLinks, network: &TcpPackets, clients: u64) -> u64 {
    let bits = |link: u64| network.carried(LinkId(link as u32)).count();
    let up: u64 = (1..=clients).map(|client| bits(2 * client)).sum();
    let down: u64 = (1..=clients).map(|client| bits(2 * client + 1)).sum();
    assert_eq!(star.link_count() as u64, 2 * clients + 2);
    (up + bits(1)) / PACKET + (down + bits(0)) / HEADER
}
