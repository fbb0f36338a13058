//! Connections between pairs of nodes, and the congestion windows of their two senders: what a sender in slow start may
//! send at once. This file must not know transfers.
//!
//! As Linux does it: a sender's window grows by what is acknowledged as long as it is used (RFC 5681, RFC 7661), and a
//! sender that has sent nothing for longer than its retransmission timeout halves its window for each timeout that has
//! passed, down to the first window (RFC 2861). The timeout of a route without queues is its round trip and the 200 ms
//! that Linux adds at the least.

use std::num::NonZeroU32;

use super::setting::{Connections, Transport};
use crate::{NodeId, Time, TimeDelta};

/// What Linux adds to the smoothed round trip at the least (`TCP_RTO_MIN`).
const LEAST_TIMEOUT: TimeDelta = TimeDelta::from_nanos(200_000_000);

/// All connections that have been opened. A node that has none costs 4 bytes, and those of a node lie in a list: in a
/// star each client has one at most.
#[derive(Debug, Default)]
pub(super) struct ConnectionTable {
    /// By the node with the larger number, because a server has the smallest: the first of its connections.
    by_node: Vec<Place>,
    all: Vec<Connection>,
    /// Places of connections that were closed.
    free: Vec<NonZeroU32>,
    /// How many were opened.
    opened: u64,
}

/// Where a connection lies (its index + 1), if there is one.
type Place = Option<NonZeroU32>;

/// One line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Connection {
    /// The how-manieth it is: two nodes have another one when theirs was closed.
    number: u64,
    peer: NodeId,
    /// Another one of the same node.
    next: Place,
    /// When it is, or was, set up.
    established: Time,
    /// Of the node with the larger number, and of its peer.
    senders: [Sender; 2],
    /// Messages of these under way.
    in_flight: [u32; 2],
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Connection>() == 64, "a connection costs 64 bytes");

#[derive(Clone, Copy, Debug)]
struct Sender {
    /// Segments.
    window: u64,
    last_sent: Time,
}

/// How a message finds its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Its number; 0 where messages have connections of their own.
    pub(super) number: u64,
    /// Does the message set it up?
    pub(super) is_new: bool,
    /// How long the message waits until it is set up.
    pub(super) wait: TimeDelta,
    /// The sender's window, in segments; 0 where nobody counts it.
    pub(super) window: u64,
}

impl ConnectionTable {
    /// A message goes from `from` to `to` at `now`.
    pub(super) fn open(
        &mut self,
        transport: &Transport,
        now: Time,
        [from, to]: [NodeId; 2],
        round_trip: TimeDelta,
    ) -> Opening {
        let first = transport.slow_start.map_or(0, u64::from);
        let set_up = round_trip.checked_mul(transport.set_up.into()).unwrap_or(TimeDelta::MAX);
        if transport.connections == Connections::PerMessage {
            return Opening { number: 0, is_new: true, wait: set_up, window: first };
        }
        let place = self.place([from, to]);
        let is_new = place.is_none();
        let place = place.unwrap_or_else(|| {
            self.opened += 1;
            let senders = [Sender { window: first, last_sent: now }; 2];
            let (number, peer, established) = (self.opened, from.min(to), after(now, set_up));
            let connection = Connection { number, peer, next: None, established, senders, in_flight: [0; 2] };
            self.insert(from.max(to), connection)
        });
        let connection = self.at(place);
        let side = side(from, to);
        let sender = &mut connection.senders[side];
        if transport.restart_after_idle && connection.in_flight[side] == 0 {
            sender.window = sender.after_idling(now, round_trip, first);
        }
        connection.in_flight[side] += 1;
        let wait = connection.established.checked_since(now).unwrap_or_default();
        let window = sender.window;
        Opening { number: connection.number, is_new, wait, window }
    }

    /// A message of `segments` from `from` has been sent on connection `number`, the last segment at `at`.
    pub(super) fn sent(&mut self, [from, to]: [NodeId; 2], number: u64, segments: u64, at: Time) {
        let Some(place) = self.place([from, to]) else { return };
        let connection = self.at(place);
        if connection.number == number {
            let side = side(from, to);
            connection.in_flight[side] = connection.in_flight[side].saturating_sub(1);
            let sender = &mut connection.senders[side];
            sender.last_sent = sender.last_sent.max(at);
            sender.window = grown(sender.window, segments);
        }
    }

    /// Connection `number` is closed: a message on it was cut off.
    pub(super) fn close(&mut self, ends: [NodeId; 2], number: u64) {
        let Some(place) = self.place(ends) else { return };
        let &mut Connection { number: present, next, .. } = self.at(place);
        if present != number {
            return;
        }
        let node = ends[0].max(ends[1]).0 as usize;
        let before = self.list(node).find(|&candidate| self.all[index_of(candidate)].next == Some(place));
        match before {
            Some(before) => self.at(before).next = next,
            None => self.by_node[node] = next,
        }
        self.free.push(place);
    }

    #[inline]
    fn at(&mut self, place: NonZeroU32) -> &mut Connection {
        &mut self.all[index_of(place)]
    }

    /// The places of a node's connections.
    fn list(&self, node: usize) -> impl Iterator<Item = NonZeroU32> {
        let first = self.by_node.get(node).copied().flatten();
        std::iter::successors(first, |&place| self.all[index_of(place)].next)
    }

    fn place(&self, [from, to]: [NodeId; 2]) -> Place {
        let (node, peer) = (from.max(to).0 as usize, from.min(to));
        self.list(node).find(|&place| self.all[index_of(place)].peer == peer)
    }

    fn insert(&mut self, node: NodeId, connection: Connection) -> NonZeroU32 {
        let node = node.0 as usize;
        if node >= self.by_node.len() {
            self.by_node.resize(node + 1, None);
        }
        let connection = Connection { next: self.by_node[node], ..connection };
        let place = self.free.pop().unwrap_or_else(|| {
            self.all.push(connection);
            let count = u32::try_from(self.all.len()).ok().and_then(NonZeroU32::new);
            count.expect("between 1 and 2^32 - 1 connections are open")
        });
        *self.at(place) = connection;
        self.by_node[node] = Some(place);
        place
    }
}

#[inline]
fn index_of(place: NonZeroU32) -> usize {
    place.get() as usize - 1
}

/// Which of the two senders of a connection sends from `from` to `to`.
fn side(from: NodeId, to: NodeId) -> usize {
    usize::from(from < to)
}

impl Sender {
    /// The window of a sender that begins to send again at `now`.
    fn after_idling(&self, now: Time, round_trip: TimeDelta, first: u64) -> u64 {
        let timeout = (round_trip + LEAST_TIMEOUT).as_nanos();
        let idle = now.checked_since(self.last_sent).unwrap_or_default().as_nanos();
        let timeouts = idle.saturating_sub(1) / timeout;
        // 64 halvings are the last of any window.
        let halved = self.window >> timeouts.min(63);
        if timeouts == 0 { self.window } else { halved.max(first.min(self.window)) }
    }
}

/// The window, in segments, after `segments` were sent and acknowledged: doubled for each window that was sent whole;
/// the rest counts as far as it used more than half of its window.
fn grown(mut window: u64, mut segments: u64) -> u64 {
    while window > 0 && segments >= window {
        segments -= window;
        window = window.saturating_mul(2);
    }
    window.max((2 * segments).min(window.saturating_add(segments)))
}

/// The instant that is so much later, or the last one there is: a run ends long before.
pub(super) fn after(now: Time, wait: TimeDelta) -> Time {
    now.checked_add(wait).unwrap_or(Time::MAX)
}

/// Headers that have left after `elapsed` of a set-up of `round_trips`: one at the beginning of each, and its answer
/// when it has arrived, which takes `forth`.
pub(super) fn set_up_headers(elapsed: TimeDelta, forth: TimeDelta, back: TimeDelta, round_trips: u32) -> u64 {
    let all = 2 * u64::from(round_trips);
    let [elapsed, forth, round_trip] = [elapsed, forth, forth + back].map(TimeDelta::as_nanos);
    let Some(answered) = elapsed.checked_div(round_trip) else { return all };
    (2 * answered + 1 + u64::from(elapsed % round_trip >= forth)).min(all)
}

#[cfg(test)]
mod tests {
    use fedbits_random::{DrawPurpose, Streams};

    use super::*;

    /// Acknowledgement by acknowledgement, as `tcp_slow_start` and `tcp_is_cwnd_limited` of Linux have it.
    fn grown_one_by_one(mut window: u64, segments: u64) -> u64 {
        let mut left = segments;
        while left > 0 {
            let round = left.min(window);
            for _ in 0..round {
                window += u64::from(window < 2 * round);
            }
            left -= round;
        }
        window
    }

    #[test]
    fn windows_grow_as_far_as_they_are_used() {
        for window in 1..60 {
            for segments in 0..400 {
                assert_eq!(grown(window, segments), grown_one_by_one(window, segments), "{window}, {segments}");
            }
        }
    }

    /// `tcp_cwnd_restart` of Linux: the window is halved as often as a whole timeout fits into what is left of the idle
    /// time after the first, and stays above the first window.
    #[test]
    fn windows_shrink_by_timeouts() {
        let round_trip = TimeDelta::from_nanos(40_000_000);
        let linux = |mut window: u64, idle: u64, first: u64| {
            let (mut idle, timeout) = (idle as i64, 240_000_000);
            if idle > timeout {
                loop {
                    idle -= timeout;
                    if idle <= 0 || window <= first {
                        break;
                    }
                    window >>= 1;
                }
                window = window.max(first);
            }
            window
        };
        for window in [10, 11, 37, 80, 1_000_000] {
            for idle in [0, 1, 239, 240, 241, 480, 481, 700, 2_000, 1_000_000].map(|ms| ms * 1_000_000) {
                let sender = Sender { window, last_sent: Time::from_nanos(5) };
                let now = Time::from_nanos(5 + idle);
                assert_eq!(sender.after_idling(now, round_trip, 10), linux(window, idle, 10), "{window} after {idle}");
            }
        }
    }

    #[test]
    fn a_connection_is_set_up_once_and_again_when_it_was_closed() {
        let transport = Transport { set_up: 2, slow_start: Some(10), ..Transport::default() };
        let round_trip = TimeDelta::from_nanos(50_000_000);
        let ends = [NodeId(0), NodeId(3)];
        let back = [NodeId(3), NodeId(0)];
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut connections = ConnectionTable::default();
        let open = |connections: &mut ConnectionTable, at, ends| connections.open(&transport, at, ends, round_trip);
        let first = open(&mut connections, ms(0), ends);
        assert_eq!((first.is_new, first.wait, first.window), (true, TimeDelta::from_nanos(100_000_000), 10));
        let answer = open(&mut connections, ms(70), back);
        assert_eq!((answer.is_new, answer.wait, answer.window), (false, TimeDelta::from_nanos(30_000_000), 10));
        connections.sent(ends, first.number, 30, ms(300));
        let second = open(&mut connections, ms(310), ends);
        assert_eq!((second.is_new, second.wait, second.window), (false, TimeDelta::ZERO, 40));
        connections.close(back, first.number);
        let anew = open(&mut connections, ms(400), ends);
        assert_eq!(anew, Opening { number: anew.number, ..first });
        // What was under way on the former connection tells nothing of the new one.
        connections.sent(back, first.number, 30, ms(500));
        connections.close(back, first.number);
        assert_eq!(
            open(&mut connections, ms(600), back),
            Opening { number: anew.number, is_new: false, wait: TimeDelta::ZERO, window: 10 }
        );
    }

    /// Nodes with many peers, whose connections open and close in any order, against a list of all that are open.
    #[test]
    fn every_pair_finds_its_own_connection() {
        let transport = Transport { set_up: 1, slow_start: Some(10), ..Transport::default() };
        let (mut connections, mut open) = (ConnectionTable::default(), std::collections::BTreeMap::new());
        let mut stream = Streams::new(7, 0).at(DrawPurpose::Data, 0, 0);
        for step in 0..5_000 {
            let (node, peer) = (stream.below(6) as u32 + 6, stream.below(6) as u32);
            let ends = [NodeId(node), NodeId(peer)];
            if stream.bernoulli(0.6) {
                let opening = connections.open(&transport, Time::from_nanos(step), ends, TimeDelta::ZERO);
                assert_eq!(opening.is_new, !open.contains_key(&(node, peer)));
                assert_eq!(*open.entry((node, peer)).or_insert(opening.number), opening.number);
            } else if let Some(number) = open.remove(&(node, peer)) {
                connections.close(ends, number + 1);
                assert!(connections.place(ends).is_some(), "another connection was closed, long ago");
                connections.close(ends, number);
                assert!(connections.place(ends).is_none());
            }
        }
        assert!(connections.all.len() <= 36, "closed connections leave room for others");
    }

    #[test]
    fn headers_leave_one_after_the_other() {
        let after = |elapsed| {
            set_up_headers(TimeDelta::from_nanos(elapsed), TimeDelta::from_nanos(3), TimeDelta::from_nanos(7), 2)
        };
        assert_eq!([0, 2, 3, 9, 10, 12, 13, 19, 20, 1_000].map(after), [1, 1, 2, 2, 3, 3, 4, 4, 4, 4]);
        assert_eq!(set_up_headers(TimeDelta::ZERO, TimeDelta::ZERO, TimeDelta::ZERO, 3), 6);
    }
}
