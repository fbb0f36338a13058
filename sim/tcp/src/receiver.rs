//! The receiving side of one direction of a connection: what has arrived, and when that is acknowledged.
//!
//! As Linux does: the first 16 packets, those after a rest, and those with which the window that is granted grows, each
//! at once; the others every second one, or after 40 ms; the last of a message at once, because its reader has taken
//! everything; what arrives twice or before its turn at once. This file must not know who sends.

use std::collections::VecDeque;

use crate::packet::Packet;

const QUICK: u32 = 16;
const DELAY: u64 = 40_000_000;

#[derive(Debug, Default)]
pub(super) struct Receiver {
    /// All packets before this one have arrived.
    pub(super) next: u64,
    /// Of those from `next` on: which have arrived.
    early: VecDeque<bool>,
    /// These in the order of their arrival, without those that the sender has heard of.
    log: VecDeque<u64>,
    logged: u32,
    heard: u32,
    /// Packets that have arrived and are not acknowledged.
    pending: u32,
    is_urgent: bool,
    duplicate: bool,
    quick: u32,
    pub(super) due: Option<u64>,
    last: Option<u64>,
    /// The stamp of the first packet that is not acknowledged.
    echo: u64,
    grant: Grant,
}

impl Receiver {
    /// The other side was heard of, by a packet that needs no acknowledgement.
    pub(super) fn note(&mut self, stamp: u64) {
        if self.pending == 0 {
            self.echo = stamp;
        }
    }

    /// A packet of data arrives; `timeout` is how long a rest is.
    pub(super) fn receive(&mut self, now: u64, packet: &Packet, timeout: u64) {
        let Packet { number, stamp, is_last, .. } = *packet;
        if self.last.is_none_or(|last| now - last > timeout) {
            self.quick = QUICK;
        }
        self.last = Some(now);
        let place = number.wrapping_sub(self.next) as usize;
        if number < self.next || self.early.get(place) == Some(&true) {
            (self.duplicate, self.is_urgent, self.quick) = (true, true, QUICK);
        } else if place == 0 {
            self.in_order(stamp, is_last);
        } else {
            if place >= self.early.len() {
                self.early.resize(place + 1, false);
            }
            self.early[place] = true;
            self.log.push_back(number);
            self.logged = self.logged.wrapping_add(1);
            self.is_urgent = true;
        }
        if self.grant.grows(now, self.next, packet.echo) {
            // An odd number, so that the others are kept for later.
            self.quick |= 1;
        }
        self.due.get_or_insert(now.saturating_add(DELAY));
    }

    #[inline]
    fn in_order(&mut self, stamp: u64, is_last: bool) {
        if self.pending == 0 {
            self.echo = stamp;
        }
        // Whatever fills a gap, or leaves one, is told at once.
        self.is_urgent |= is_last || !self.early.is_empty();
        self.next += 1;
        self.pending += 1;
        self.early.pop_front();
        while self.early.front() == Some(&true) {
            self.early.pop_front();
            self.next += 1;
        }
    }

    /// Has an acknowledgement to be sent now, unless a packet of data carries it?
    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.is_urgent
            || self.pending >= 2
            || (self.pending > 0 && self.quick > 0)
            || self.due.is_some_and(|at| at <= now)
    }

    /// What a packet to the sender says: what has arrived, how many before their turn so far, the echo, whether
    /// something arrived twice. With that everything is acknowledged.
    #[inline]
    pub(super) fn tell(&mut self) -> (u64, u32, u64, bool) {
        let duplicate = std::mem::take(&mut self.duplicate);
        if self.pending > 0 || self.is_urgent {
            self.quick = self.quick.saturating_sub(1);
        }
        (self.pending, self.is_urgent, self.due) = (0, false, None);
        (self.next, self.logged, self.echo, duplicate)
    }

    /// The packets before their turn that a sender hears of who is told of `count` altogether, one after the other.
    #[inline]
    pub(super) fn hear(&mut self, count: u32) -> Option<u64> {
        // An older acknowledgement than one before counts less: a negative difference.
        if count.wrapping_sub(self.heard).cast_signed() <= 0 {
            return None;
        }
        self.heard = self.heard.wrapping_add(1);
        self.log.pop_front()
    }
}

/// Linux's first window and first limit (64 KiB, and 128 KiB of memory, in segments of 1 448 bytes), and what it takes
/// to arrive in a first round trip.
const FIRST: u64 = 45;
const FIRST_LIMIT: u64 = 57;
const FIRST_SPACE: u64 = 10;
/// Linux's largest window, 6 MiB of memory.
const MOST: u64 = 2_700;

/// The window that a receiver grants: Linux lets it grow by two packets with each that arrives, up to a limit that
/// follows what arrives per round trip (dynamic right-sizing), and acknowledges each packet at once with which it
/// grows. Only this effect on acknowledgements is modelled: senders are held back by the largest window alone.
#[derive(Debug)]
struct Grant {
    window: u64,
    limit: u64,
    /// Most packets in a round trip so far.
    space: u64,
    /// The round trip being counted: its first packet, and when it began.
    first: u64,
    began: u64,
    /// The round-trip time as the receiver sees it, and the echo that it was last measured by.
    trip: Option<u64>,
    echo: u64,
}

impl Default for Grant {
    fn default() -> Self {
        Self { window: FIRST, limit: FIRST_LIMIT, space: FIRST_SPACE, first: 0, began: 0, trip: None, echo: 0 }
    }
}

impl Grant {
    /// A packet has arrived, now all before `next` have; does the window grow?
    #[inline]
    fn grows(&mut self, now: u64, next: u64, echo: u64) -> bool {
        let grows = self.window < self.limit;
        self.window = (self.window + 2).min(self.limit);
        if echo != self.echo {
            self.echo = echo;
            let time = now.saturating_sub(echo);
            self.trip = Some(self.trip.map_or(time, |trip| time.min(trip - trip / 8 + time / 8)));
        }
        if self.trip.is_some_and(|trip| now - self.began >= trip) {
            self.adjust(next - self.first);
            (self.first, self.began) = (next, now);
        }
        grows
    }

    /// Twice what has arrived in a round trip, and more if it is more than before.
    fn adjust(&mut self, arrived: u64) {
        if arrived <= self.space {
            return;
        }
        let twice = 2 * arrived;
        let more = 2 * (twice * (arrived - self.space) / self.space);
        self.limit = self.limit.max((twice + more).min(MOST));
        self.space = arrived;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    fn packet(number: u64, is_last: bool) -> Packet {
        Packet {
            half: 0,
            epoch: 0,
            place: 0,
            bits: 12_000,
            number,
            acknowledged: 0,
            heard: 0,
            stamp: number,
            echo: 0,
            kind: Kind::Data,
            is_last,
            duplicate: false,
        }
    }

    /// Six with which the window grows and 16 more at once, then every second; the last of a message at once; a gap,
    /// what follows it and what fills it at once.
    #[test]
    fn acknowledgements_are_delayed_where_linux_delays_them() {
        let (mut receiver, mut told, mut now) = (Receiver::default(), Vec::new(), 0);
        let mut receive = |number: u64, is_last: bool| {
            now += 1;
            receiver.receive(now, &packet(number, is_last), 1_000_000_000);
            let due = receiver.is_due(now);
            if due {
                told.push(receiver.tell().0);
            }
            due
        };
        assert!((0..22).all(|number| receive(number, false)));
        assert_eq!([22, 23, 24, 25].map(|number| receive(number, false)), [false, true, false, true]);
        assert!(receive(26, true), "the end of a message");
        assert!(receive(28, false), "after a gap");
        assert!(receive(29, false));
        assert!(receive(27, false), "the gap is filled");
        assert!(receive(27, false), "twice");
        assert_eq!(told[24..], [27, 27, 27, 30, 30]);
        assert_eq!([receiver.hear(2), receiver.hear(2), receiver.hear(2)], [Some(28), Some(29), None]);
    }
}
