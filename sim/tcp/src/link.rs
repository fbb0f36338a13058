//! One direction of a link: packets wait, are sent one after the other at the link's capacity, and arrive after its
//! latency.
//!
//! While a link is busy its packets end at ⌈(all their bits) ÷ capacity⌉ after the first began: rounding does not add
//! up. Of one queue it is known when a packet comes how it goes on, so a packet is looked at once, when it arrives;
//! with a queue per flow the link decides each time it has sent one.

use std::collections::VecDeque;

use fedbits_kernel::Rate;
use fedbits_kernel::network::Queue;

use crate::packet::Packet;

const NANOS: u128 = 1_000_000_000;

/// A duration of ⌊·⌋ whole nanoseconds and `part` ÷ capacity of one.
#[derive(Clone, Copy, Debug)]
struct Span {
    bits: u32,
    whole: u64,
    part: u64,
}

/// A packet that is on its way to the end of the link, and when it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flying {
    pub(super) at: u64,
    pub(super) packet: Packet,
}

pub(super) struct Link {
    capacity: u64,
    latency: u64,
    /// All that was taken is sent at `whole` + `part` ÷ capacity.
    whole: u64,
    part: u64,
    /// What a whole packet and a header take, so that nothing is divided for them.
    known: [Span; 2],
    pub(super) flying: VecDeque<Flying>,
    /// Of a link with one queue that does not hold everything.
    room: Option<Box<Room>>,
    /// Of a link with a queue per flow ([`Queue::Fair`]). As the first link of a route it holds two packets of each
    /// flow or what the flow sends in 1 ms, and the flow keeps the others (TCP small queues).
    pub(super) turns: Option<Box<Turns>>,
    /// Bits taken so far.
    pub(super) bits: u64,
}

/// How many bits a queue holds, how many are in it, and when the turn of each packet in it comes.
struct Room {
    size: u64,
    held: u64,
    waiting: VecDeque<(u64, u32)>,
}

impl Room {
    /// Is there room? If so it is taken until the packet's turn.
    fn take(&mut self, now: u64, turn: u64, bits: u32) -> bool {
        while let Some(&(_, bits)) = self.waiting.front().filter(|&&(begins, _)| begins <= now) {
            self.held -= u64::from(bits);
            self.waiting.pop_front();
        }
        if self.held + u64::from(bits) > self.size {
            return false;
        }
        self.held += u64::from(bits);
        self.waiting.push_back((turn, bits));
        true
    }
}

/// The flows that wait, by the place of the link in their route, and when the packet that is being sent has left.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) order: VecDeque<u32>,
    pub(super) serving: Option<Flying>,
}

impl Link {
    pub(super) fn new(rate: Rate, latency: u64, queue: Queue, sizes: [u32; 2]) -> Self {
        let (room, turns) = match queue {
            Queue::Fair => (None, Some(Box::default())),
            queue => (queue.room(rate), None),
        };
        let capacity = rate.bits_per_second();
        Self {
            capacity,
            latency,
            whole: 0,
            part: 0,
            known: sizes.map(|bits| span(bits, capacity)),
            flying: VecDeque::new(),
            room: room.map(|room| Box::new(Room { size: room.count(), held: 0, waiting: VecDeque::new() })),
            turns,
            bits: 0,
        }
    }

    /// When everything that was taken has been sent.
    #[inline]
    fn end(&self) -> u64 {
        self.whole.saturating_add(u64::from(self.part > 0))
    }

    /// Takes a packet into the one queue; tells when it has been sent, or nothing if it is dropped.
    #[inline]
    pub(super) fn push(&mut self, now: u64, packet: Packet) -> Option<u64> {
        let turn = self.end();
        if turn <= now {
            (self.whole, self.part) = (now, 0);
        } else if let Some(room) = &mut self.room
            && !room.take(now, turn, packet.bits)
        {
            return None;
        }
        Some(self.send(packet))
    }

    /// Sends a packet after all that were taken before; tells when it has left.
    #[inline]
    fn send(&mut self, packet: Packet) -> u64 {
        let bits = packet.bits;
        let Span { whole, part, .. } = match self.known {
            [one, _] if one.bits == bits => one,
            [_, second] if second.bits == bits => second,
            _ => span(bits, self.capacity),
        };
        (self.whole, self.part) = (self.whole.saturating_add(whole), self.part + part);
        if self.part >= self.capacity {
            (self.whole, self.part) = (self.whole.saturating_add(1), self.part - self.capacity);
        }
        self.bits += u64::from(bits);
        let end = self.end();
        self.flying.push_back(Flying { at: end.saturating_add(self.latency), packet });
        end
    }

    /// Sends the packet whose turn it is, of a link with a queue per flow; tells when it has left.
    pub(super) fn serve(&mut self, now: u64, packet: Packet) -> u64 {
        if self.end() < now {
            (self.whole, self.part) = (now, 0);
        }
        let end = self.send(packet);
        if let Some(turns) = &mut self.turns {
            turns.serving = Some(Flying { at: end, packet });
        }
        end
    }

    /// When it next has to be looked at.
    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        let arrival = self.flying.front().map(|flying| flying.at);
        let leaves = self.turns.as_ref().and_then(|turns| turns.serving).map(|serving| serving.at);
        match (arrival, leaves) {
            (Some(arrival), Some(leaves)) => Some(arrival.min(leaves)),
            (arrival, leaves) => arrival.or(leaves),
        }
    }

    /// Of `bits` that have left at `end`, those that had left at `now`, rounded down.
    pub(super) fn left_by(&self, now: u64, end: u64, bits: u32) -> u64 {
        if end <= now {
            return u64::from(bits);
        }
        let Span { whole, part, .. } = span(bits, self.capacity);
        let began = end - (whole + u64::from(part > 0)).min(end);
        let passed = u128::from(now.saturating_sub(began));
        u64::from(bits).min((passed * u128::from(self.capacity) / NANOS) as u64)
    }
}

fn span(bits: u32, capacity: u64) -> Span {
    let (nanos, capacity) = (u128::from(bits) * NANOS, u128::from(capacity));
    // 2^32 bits at 1 bit/s are 2^62 ns.
    Span { bits, whole: (nanos / capacity) as u64, part: (nanos % capacity) as u64 }
}
