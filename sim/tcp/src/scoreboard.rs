//! What a sender knows of the packets that it has sent and that are not all acknowledged.
//!
//! Packets are numbered from 0 in each direction. Those before `first` are acknowledged, those from `next` on are not
//! yet sent; between them each is on its way, known to have arrived, known to be lost, or lost and sent again. A packet
//! is lost when one that was sent later is known to have arrived (RACK, RFC 8985, on links that do not reorder).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// When, and as which transmission; the last time, if it was sent again.
    pub(super) stamp: u64,
    pub(super) transmission: u64,
    /// When the first transmission has left the sender's link; never, if it was dropped there.
    pub(super) leaves: u64,
    pub(super) bits: u32,
    pub(super) is_last: bool,
    pub(super) arrived: bool,
    pub(super) lost: bool,
    /// Sent again since it was found to be lost; ever sent again.
    pub(super) again: bool,
    pub(super) repeated: bool,
}

/// What one acknowledgement has told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// Packets known to have arrived that were not before.
    pub(super) delivered: u64,
    /// Those of them that all before them have, too.
    pub(super) in_order: u64,
    /// When the first and the last of these were sent, and the last of the others, without those sent twice.
    pub(super) first: Option<u64>,
    pub(super) last: Option<u64>,
    pub(super) beyond: Option<u64>,
}

/// Of a packet that was sent twice, the first transmission has arrived if that is known less than the least round trip
/// after the second, or by an acknowledgement that echoes an earlier stamp (RFC 8985, section 6.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    pub(super) least: u64,
    pub(super) echo: u64,
}

#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    pub(super) first: u64,
    sent: VecDeque<Sent>,
    /// Of those on the list: known to have arrived, lost, sent again.
    pub(super) arrived: u64,
    lost: u64,
    again: u64,
    /// Transmissions so far, and (packet, transmission) of those not yet judged.
    transmissions: u64,
    unjudged: VecDeque<(u64, u64)>,
    /// The latest transmission known to have arrived, and how long that took.
    latest: u64,
    latest_took: u64,
    /// Lost and to be sent again.
    repairs: BinaryHeap<Reverse<u64>>,
}

impl Scoreboard {
    pub(super) fn next(&self) -> u64 {
        self.first + self.sent.len() as u64
    }

    /// Packets neither acknowledged in order nor unsent.
    pub(super) fn outstanding(&self) -> u64 {
        self.sent.len() as u64
    }

    /// Packets that should be somewhere in the network.
    pub(super) fn on_the_way(&self) -> u64 {
        self.outstanding() + self.again - self.arrived - self.lost
    }

    pub(super) fn get(&self, number: u64) -> Option<&Sent> {
        self.sent.get(number.checked_sub(self.first)? as usize)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Sent> {
        self.sent.get_mut(number.checked_sub(self.first)? as usize)
    }

    pub(super) fn oldest(&self) -> Option<&Sent> {
        self.sent.front()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &Sent)> {
        (self.first..).zip(&self.sent)
    }

    /// The next packet is sent.
    pub(super) fn send(&mut self, now: u64, bits: u32, is_last: bool) -> u64 {
        let number = self.next();
        let transmission = self.transmit(number);
        self.sent.push_back(Sent {
            stamp: now,
            transmission,
            leaves: u64::MAX,
            bits,
            is_last,
            arrived: false,
            lost: false,
            again: false,
            repeated: false,
        });
        number
    }

    fn transmit(&mut self, number: u64) -> u64 {
        self.transmissions += 1;
        self.unjudged.push_back((number, self.transmissions));
        self.transmissions
    }

    /// A packet is sent again.
    pub(super) fn repeat(&mut self, now: u64, number: u64) {
        let transmission = self.transmit(number);
        let Some(sent) = self.get_mut(number) else { return };
        (sent.stamp, sent.transmission, sent.repeated) = (now, transmission, true);
        // A probe may repeat what has arrived meanwhile.
        if !sent.again && !sent.arrived {
            sent.again = true;
            self.again += 1;
        }
    }

    /// The first of the packets that are lost and not yet sent again.
    pub(super) fn first_repair(&mut self) -> Option<u64> {
        while let Some(&Reverse(number)) = self.repairs.peek() {
            if self.get(number).is_some_and(|sent| sent.lost && !sent.arrived && !sent.again) {
                return Some(number);
            }
            self.repairs.pop();
        }
        None
    }

    /// Packet `number` has arrived before its turn.
    pub(super) fn arrived(&mut self, now: u64, number: u64, doubt: Doubt, news: &mut News) {
        let Some(sent) = self.get(number).copied().filter(|sent| !sent.arrived) else { return };
        self.delivered(now, &sent, doubt, news);
        if !sent.repeated {
            news.beyond = Some(sent.stamp);
        }
        self.arrived += 1;
        if let Some(sent) = self.get_mut(number) {
            (sent.arrived, sent.lost, sent.again) = (true, false, false);
        }
    }

    /// All packets before `number` have arrived.
    pub(super) fn arrived_before(&mut self, now: u64, number: u64, doubt: Doubt, news: &mut News) {
        while self.first < number {
            let Some(sent) = self.sent.pop_front() else { break };
            self.first += 1;
            news.in_order += 1;
            if sent.arrived {
                self.arrived -= 1;
                continue;
            }
            self.delivered(now, &sent, doubt, news);
            if !sent.repeated {
                news.first = news.first.or(Some(sent.stamp));
                news.last = Some(sent.stamp);
            }
        }
    }

    #[inline]
    fn delivered(&mut self, now: u64, sent: &Sent, doubt: Doubt, news: &mut News) {
        news.delivered += 1;
        self.lost -= u64::from(sent.lost);
        self.again -= u64::from(sent.again);
        let took = now - sent.stamp;
        let is_first = sent.repeated && (took < doubt.least || doubt.echo < sent.stamp);
        if sent.transmission > self.latest && !is_first {
            (self.latest, self.latest_took) = (sent.transmission, took);
        }
    }

    /// Finds packets to be lost: sent before one that has arrived, and, unless `at_once`, not for more than `patience`
    /// later. Tells how many, and when to look again.
    pub(super) fn judge(&mut self, now: u64, at_once: bool, patience: u64) -> (u64, Option<u64>) {
        let mut found = 0;
        while let Some(&(number, transmission)) = self.unjudged.front() {
            if transmission >= self.latest {
                break;
            }
            let took = self.latest_took;
            let candidate = self
                .get_mut(number)
                .filter(|sent| !sent.arrived && sent.transmission == transmission && (!sent.lost || sent.again));
            if let Some(sent) = candidate {
                let due = sent.stamp.saturating_add(took).saturating_add(patience);
                if !at_once && due > now {
                    return (found, Some(due));
                }
                let again = sent.again;
                let was_lost = sent.lost;
                (sent.lost, sent.again) = (true, false);
                self.again -= u64::from(again);
                self.lost += u64::from(!was_lost);
                self.repairs.push(Reverse(number));
                found += 1;
            }
            self.unjudged.pop_front();
        }
        (found, None)
    }

    /// After a timeout everything that is not known to have arrived counts as lost.
    pub(super) fn lose_all(&mut self) {
        (self.lost, self.again) = (0, 0);
        self.repairs.clear();
        self.unjudged.clear();
        for (number, sent) in (self.first..).zip(&mut self.sent).filter(|(_, sent)| !sent.arrived) {
            (sent.lost, sent.again) = (true, false);
            self.lost += 1;
            self.repairs.push(Reverse(number));
        }
    }

    /// Nothing is lost after all.
    pub(super) fn find_all(&mut self) {
        self.lost = 0;
        self.repairs.clear();
        self.sent.iter_mut().for_each(|sent| sent.lost = false);
        let unjudged = self.iter().filter(|(_, sent)| !sent.arrived).map(|(number, sent)| (number, sent.transmission));
        let mut unjudged: Vec<_> = unjudged.collect();
        unjudged.sort_unstable_by_key(|&(_, transmission)| transmission);
        self.unjudged = unjudged.into();
    }
}
