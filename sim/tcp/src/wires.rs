//! The links, and how packets go from one to the next along their routes. This file must not know connections.

use std::collections::VecDeque;

use fedbits_random::{CounterKey, DrawPurpose, Streams};

use crate::agenda::Agenda;
use crate::link::{Flying, Link};
use crate::packet::Packet;
use fedbits_kernel::network::transport::Loss;
use fedbits_kernel::network::{LinkId, Queue, Routes};

/// Behind the last link of a route.
const END: u32 = u32::MAX;

pub(super) struct Wires {
    links: Vec<Link>,
    /// By link; empty when no link loses anything.
    lossy: Vec<Option<Lossy>>,
    /// The links of all routes, each route ending with [`END`].
    table: Vec<u32>,
    /// By place in the table: the packets that wait there, if its link has a queue for each flow.
    lanes: Vec<VecDeque<Packet>>,
    /// Has any link a queue for each flow?
    any_fair: bool,
    /// Numbers below that of links are links; the others belong to connections.
    pub(super) agenda: Agenda,
}

/// What became of a packet that was handed to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handed {
    /// It has left then.
    Leaves(u64),
    /// It waits for its turn.
    Waits,
    Dropped,
}

/// What has happened on a link.
pub(super) enum Event {
    /// Something that only links need know.
    Nothing,
    /// A packet is where it should go.
    Arrived(Packet),
    /// A packet has left a link with a queue for each flow; another is being sent and leaves then.
    Left(Packet, Option<(u64, Packet)>),
}

impl Wires {
    pub(super) fn new(
        routes: &dyn Routes,
        queues: &[Queue],
        losses: &[Loss],
        sizes: [u32; 2],
        streams: &Streams,
    ) -> Self {
        let count = routes.link_count();
        let link = |number: usize| {
            let id = LinkId(number as u32);
            let queue = queues.get(number).copied().unwrap_or_default();
            Link::new(routes.capacity(id), routes.latency(id).as_nanos(), queue, sizes)
        };
        let any = losses.iter().copied().any(Loss::is_possible);
        let lossy = |number: usize| {
            let loss = losses.get(number).copied().filter(|loss| loss.is_possible())?;
            Some(Lossy::new(loss, number as u32, streams))
        };
        let mut agenda = Agenda::default();
        agenda.extend(count);
        Self {
            links: (0..count).map(link).collect(),
            lossy: if any { (0..count).map(lossy).collect() } else { Vec::new() },
            table: Vec::new(),
            lanes: Vec::new(),
            any_fair: queues.contains(&Queue::Fair),
            agenda,
        }
    }

    pub(super) fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Bits that a link was given to send so far.
    pub(super) fn bits(&self, link: LinkId) -> u64 {
        self.links[link.0 as usize].bits
    }

    /// Writes a route into the table; tells its place.
    pub(super) fn add_route(&mut self, route: &[LinkId]) -> u32 {
        let place = u32::try_from(self.table.len()).expect("fewer than 2^32 links on all routes");
        self.table.extend(route.iter().map(|link| link.0));
        self.table.push(END);
        if self.any_fair {
            self.lanes.resize_with(self.table.len(), VecDeque::new);
        }
        place
    }

    fn link(&self, place: u32) -> &Link {
        &self.links[self.table[place as usize] as usize]
    }

    pub(super) fn is_fair(&self, place: u32) -> bool {
        self.link(place).turns.is_some()
    }

    /// Of a packet that has left its first link at `end`: its bits that had left at `now`.
    pub(super) fn left_by(&self, place: u32, now: u64, end: u64, bits: u32) -> u64 {
        self.link(place).left_by(now, end, bits)
    }

    /// Hands a packet to the link at its place.
    #[inline]
    pub(super) fn push(&mut self, now: u64, packet: Packet) -> Handed {
        let number = self.table[packet.place as usize];
        let link = &mut self.links[number as usize];
        let rested = link.flying.is_empty();
        let handed = match &mut link.turns {
            None => link.push(now, packet).map_or(Handed::Dropped, Handed::Leaves),
            Some(turns) if turns.serving.is_some() => {
                let lane = &mut self.lanes[packet.place as usize];
                if lane.is_empty() {
                    turns.order.push_back(packet.place);
                }
                lane.push_back(packet);
                return Handed::Waits;
            }
            Some(_) => Handed::Leaves(link.serve(now, packet)),
        };
        if rested || link.turns.is_some() {
            let next = link.next();
            self.agenda.set(number, next);
        }
        handed
    }

    /// What happens on link `number` at `now`.
    #[inline]
    pub(super) fn step(&mut self, now: u64, number: u32) -> Event {
        let link = &mut self.links[number as usize];
        let gone = link.turns.as_mut().and_then(|turns| turns.serving.take_if(|serving| serving.at <= now));
        if let Some(Flying { packet, .. }) = gone {
            return Event::Left(packet, self.serve_next(now, number));
        }
        let arrived = link.flying.pop_front();
        let next = link.next();
        self.agenda.set(number, next);
        let Some(Flying { mut packet, .. }) = arrived else { return Event::Nothing };
        if let Some(Some(lossy)) = self.lossy.get_mut(number as usize)
            && lossy.strikes()
        {
            return Event::Nothing;
        }
        if self.table[packet.place as usize + 1] == END {
            return Event::Arrived(packet);
        }
        packet.place += 1;
        self.push(now, packet);
        Event::Nothing
    }

    /// The flow whose turn it is sends a packet.
    fn serve_next(&mut self, now: u64, number: u32) -> Option<(u64, Packet)> {
        let link = &mut self.links[number as usize];
        let place = link.turns.as_mut().and_then(|turns| turns.order.pop_front());
        let served = place.and_then(|place| {
            let lane = &mut self.lanes[place as usize];
            let packet = lane.pop_front();
            if let Some(turns) = link.turns.as_mut().filter(|_| !lane.is_empty()) {
                turns.order.push_back(place);
            }
            packet.map(|packet| (link.serve(now, packet), packet))
        });
        let next = link.next();
        self.agenda.set(number, next);
        served
    }
}

/// One direction of a link that loses packets, each after it has been sent. The draws have the address (loss, link,
/// packet): number 2 k decides on packet k, number 2 k + 1 on the state of a Gilbert–Elliott link after it.
struct Lossy {
    loss: Loss,
    draws: CounterKey,
    /// Packets that have crossed it.
    crossed: u64,
    is_bad: bool,
}

impl Lossy {
    fn new(loss: Loss, link: u32, streams: &Streams) -> Self {
        let draws = streams.counter(DrawPurpose::Loss, u64::from(link), 0);
        let is_bad = match loss {
            Loss::GilbertElliott { to_bad, to_good, .. } => {
                // The chain begins in its stationary law.
                let first = streams.counter(DrawPurpose::Loss, u64::from(link), 1).uniform(0);
                first * (to_bad + to_good) < to_bad
            }
            Loss::Never | Loss::Bernoulli(_) => false,
        };
        Self { loss, draws, crossed: 0, is_bad }
    }

    /// Does it lose the next packet?
    fn strikes(&mut self) -> bool {
        let (decides, moves) = (2 * self.crossed, 2 * self.crossed + 1);
        self.crossed += 1;
        match self.loss {
            Loss::Never => false,
            Loss::Bernoulli(p) => self.draws.uniform(decides) < p,
            Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
                let lost = self.draws.uniform(decides) < if self.is_bad { in_bad } else { in_good };
                self.is_bad ^= self.draws.uniform(moves) < if self.is_bad { to_good } else { to_bad };
                lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of loss: p, and of Gilbert–Elliott π · in_bad + (1 − π) · in_good (standard deviations as in
    /// `transport/loss.rs`; z-limit 7).
    #[test]
    fn links_lose_their_share() {
        let burst = Loss::GilbertElliott { to_bad: 0.02, to_good: 0.18, in_good: 0.01, in_bad: 0.8 };
        for (loss, expected, deviation) in [(Loss::Bernoulli(0.05), 20_000.0, 138.0), (burst, 35_600.0, 461.0)] {
            for seed in 0..4 {
                let mut link = Lossy::new(loss, 3, &Streams::new(seed, 0));
                let lost = (0..400_000).filter(|_| link.strikes()).count() as f64;
                assert!((lost - expected).abs() < 7.0 * deviation, "{loss:?}: {lost}");
            }
        }
    }
}
