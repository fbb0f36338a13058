//! Store and forward: closed forms of tandem queues, order, finite buffers.

use crate::network::table::RouteTable;
use fedbits_kernel::network::{Fifo, FlowId, Link, LinkId, Network};
use fedbits_kernel::{Bits, NodeId, Rate, Time, TimeDelta};

use crate::network::script::{Action, Fate, simulate, transfer};

/// Links in a row with (Mbit/s, ms); node 0 to 1 over all of them, 2 to 3 over the first, 4 to 5 over the last.
fn row(links: &[(u64, u64)]) -> RouteTable {
    let mut routes = RouteTable::new();
    let link = |&(mbps, ms): &(u64, u64)| Link {
        capacity: Rate::new(mbps * 1_000_000).unwrap(),
        latency: TimeDelta::from_nanos(ms * 1_000_000),
    };
    let ids: Vec<LinkId> = links.iter().map(|l| routes.add_link(link(l))).collect();
    routes.set_route(NodeId(0), NodeId(1), ids.clone());
    routes.set_route(NodeId(2), NodeId(3), vec![ids[0]]);
    routes.set_route(NodeId(4), NodeId(5), vec![ids[ids.len() - 1]]);
    routes
}

const PACKET: Option<Bits> = Some(Bits::new(12_000));

fn us(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

fn ends(network: &mut Fifo, starts: &[(u64, u32, u32, u64)]) -> Vec<Time> {
    let script: Vec<_> =
        starts.iter().map(|&(at, from, to, bits)| (us(at), Action::Start(transfer(from, to, bits)))).collect();
    let end = |fate| match fate {
        Fate::Completed(at) => at,
        other => panic!("{other:?}"),
    };
    simulate(network, &script, &[]).into_iter().map(end).collect()
}

/// One message of B bits over links of C_i and latencies l_i: Σ (B / C_i + l_i) as one unit. In packets of P bits (B =
/// k P) the first packet takes Σ (P / C_i + l_i), the other k − 1 follow at the pace of the slowest link: + (k − 1) P /
/// min C_i.
#[test]
fn tandem_queues_have_their_closed_forms() {
    let links = [(12, 3), (6, 5), (24, 2)];
    let one = ends(&mut Fifo::new(row(&links), None, None), &[(0, 0, 1, 120_000)]);
    assert_eq!(one, [us(10_000 + 3_000 + 20_000 + 5_000 + 5_000 + 2_000)]);
    let packets = ends(&mut Fifo::new(row(&links), PACKET, None), &[(0, 0, 1, 120_000)]);
    assert_eq!(packets, [us((1_000 + 2_000 + 500) + 10_000 + 9 * 2_000)]);
    let last_is_smaller = ends(&mut Fifo::new(row(&links[..1]), PACKET, None), &[(0, 0, 1, 12_001)]);
    assert_eq!(last_is_smaller, [Time::from_nanos(1_000_084 + 3_000_000)]);
    assert_eq!(ends(&mut Fifo::new(row(&links), PACKET, None), &[(0, 0, 1, 0)]), [us(10_000)]);
}

/// n messages at once on one link end one after the other, in the order of their starts: k B / C + l. Rounding does not
/// add up: 3 000 messages of 1 bit over 7 Mbit/s end at ⌈k / 7 µs⌉ each.
#[test]
fn first_come_first_served() {
    let starts: Vec<_> = (0..5).map(|_| (0, 0, 1, 12_000)).collect();
    let expected: Vec<_> = (1..=5).map(|k| us(1_000 * k + 4_000)).collect();
    assert_eq!(ends(&mut Fifo::new(row(&[(12, 4)]), None, None), &starts), expected);
    let starts: Vec<_> = (0..3_000).map(|_| (0, 0, 1, 1)).collect();
    let expected: Vec<_> = (1..=3_000u64).map(|k| Time::from_nanos((k * 1_000).div_ceil(7))).collect();
    assert_eq!(ends(&mut Fifo::new(row(&[(7, 0)]), None, None), &starts), expected);
}

/// A long message does not let a later short one pass as a whole unit. In packets it does on the second link: the short
/// one comes from another direction and its packet waits for at most one packet.
#[test]
fn packets_of_others_slip_in_between() {
    let starts = [(0, 0, 1, 120_000), (15_000, 4, 5, 12_000)];
    let links = [(12, 0), (12, 0)];
    // As a whole the long message is on the second link from 10 to 20 ms: the short one waits until 20.
    let whole = ends(&mut Fifo::new(row(&links), None, None), &starts);
    assert_eq!(whole, [us(20_000), us(21_000)]);
    // In packets it is through at 11 ms: the short one finds the link empty.
    let packets = ends(&mut Fifo::new(row(&links), PACKET, None), &starts);
    assert_eq!(packets, [us(11_000), us(16_000)]);
    // At 5.5 ms it finds the fifth packet on the link (until 6) and the next not yet arrived.
    let between = ends(&mut Fifo::new(row(&links), PACKET, None), &[(0, 0, 1, 120_000), (5_500, 4, 5, 12_000)]);
    assert_eq!(between, [us(12_000), us(7_000)]);
}

/// Ten packets come every 1 ms to a link that takes 2 ms for each, with room for two beside the one being sent: which
/// are lost says the reference, packet by packet. What is sent ends before what comes at the same moment looks for
/// room.
#[test]
fn finite_buffers_drop() {
    let room = 24_000;
    let mut network = Fifo::new(row(&[(12, 0), (6, 0)]), PACKET, Some(Bits::new(room)));
    let flow = network.start(Time::ZERO, transfer(0, 1, 120_000));
    let mut completed = Vec::new();
    network.advance(Time::MAX, &mut completed);
    assert_eq!(completed, [flow]);
    let lost = network.outcome(flow).lost;
    // Reference: times in ms at which the second link is done with its packets.
    let (mut done, mut dropped): (Vec<u64>, u64) = (Vec::new(), 0);
    for arrival in 1..=10u64 {
        let before = done.iter().filter(|&&end| end > arrival).count() as u64;
        // One of them is being sent, the others wait, two at most.
        if before > 2 {
            dropped += 1;
        } else {
            done.push(done.last().copied().unwrap_or(0).max(arrival) + 2);
        }
    }
    assert!(dropped > 0);
    assert_eq!((lost.count, lost.bits), (dropped, Bits::new(12_000 * dropped)));
    let plenty = &mut Fifo::new(row(&[(12, 0), (6, 0)]), PACKET, Some(Bits::new(120_000)));
    let flow = plenty.start(Time::ZERO, transfer(0, 1, 120_000));
    plenty.advance(Time::MAX, &mut completed);
    assert!(plenty.outcome(flow).arrived());
}

/// Cut off after 3.5 ms, the sender has sent 3.5 of 10 packets; who waits behind goes on at once.
#[test]
fn what_is_cut_off_makes_room() {
    let mut network = Fifo::new(row(&[(12, 1)]), PACKET, None);
    let first = network.start(Time::ZERO, transfer(0, 1, 120_000));
    let second = network.start(Time::ZERO, transfer(2, 3, 12_000));
    assert_eq!(network.abort(us(3_500), first), Bits::new(42_000));
    assert_eq!(network.next_completion(), Some(us(4_000)), "the third packet arrives in vain");
    let mut completed: Vec<FlowId> = Vec::new();
    network.advance(us(5_499), &mut completed);
    assert!(completed.is_empty());
    network.advance(us(5_500), &mut completed);
    assert_eq!(completed, [second]);
}
