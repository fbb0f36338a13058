//! One direction of a link: a rate, a queue, losses. It must not know where packets come from or go to.

use std::collections::{BTreeMap, VecDeque};

use fedbits_kernel::network::transport::Loss;

use crate::wiring::Queue;

/// A packet on its way.
#[derive(Debug)]
pub(super) struct Packet {
    /// The node that sent it, and the one that is to receive it.
    pub(super) ends: [u32; 2],
    /// How many links of its route it has crossed.
    pub(super) hop: usize,
    /// Bytes that it is charged on every link.
    pub(super) charged: u64,
    /// The packet itself.
    pub(super) bytes: Vec<u8>,
}

/// What waits for a link: the packets of each pair of nodes or of all together, and whose turn it is.
#[derive(Debug)]
struct Waiting {
    is_fair: bool,
    packets: BTreeMap<[u32; 2], VecDeque<Packet>>,
    turns: VecDeque<[u32; 2]>,
}

impl Waiting {
    fn push(&mut self, packet: Packet) {
        let pair = if self.is_fair { packet.ends } else { [0; 2] };
        let queue = self.packets.entry(pair).or_default();
        if queue.is_empty() {
            self.turns.push_back(pair);
        }
        queue.push_back(packet);
    }

    fn pop(&mut self) -> Option<Packet> {
        let pair = self.turns.pop_front()?;
        let queue = self.packets.get_mut(&pair)?;
        let packet = queue.pop_front();
        if !queue.is_empty() {
            self.turns.push_back(pair);
        }
        packet
    }
}

/// One direction of a link.
#[derive(Debug)]
pub(super) struct Line {
    /// Bits per second.
    rate: u64,
    room: u64,
    waiting: Waiting,
    /// Bytes that wait.
    held: u64,
    sending: Option<Packet>,
    loss: Loss,
    bad: bool,
    draws: u64,
    /// Packets that found no room, and that were lost on the way.
    pub(super) dropped: u64,
    pub(super) lost: u64,
}

impl Line {
    pub(super) fn new(rate: u64, queue: Queue, loss: Loss, seed: u64) -> Self {
        let waiting = Waiting { is_fair: queue.is_fair, packets: BTreeMap::new(), turns: VecDeque::new() };
        Self {
            rate,
            room: queue.room,
            waiting,
            held: 0,
            sending: None,
            loss,
            bad: false,
            draws: seed,
            dropped: 0,
            lost: 0,
        }
    }

    /// A packet comes to the link. When it can be sent at once: how many nanoseconds that takes.
    pub(super) fn take(&mut self, packet: Packet) -> Option<u64> {
        if self.sending.is_none() {
            let duration = self.duration(&packet);
            self.sending = Some(packet);
            return Some(duration);
        }
        if self.held + packet.charged > self.room {
            self.dropped += 1;
            return None;
        }
        self.held += packet.charged;
        self.waiting.push(packet);
        None
    }

    /// The packet that was being sent has left, unless it was lost; and how long the next one takes, if one waits.
    pub(super) fn sent(&mut self) -> (Option<Packet>, Option<u64>) {
        let left = self.sending.take();
        self.sending = self.waiting.pop();
        let next = self.sending.as_ref().map(|packet| (packet.charged, self.duration(packet)));
        self.held -= next.map_or(0, |(charged, _)| charged);
        let lost = self.loses();
        self.lost += u64::from(lost);
        (left.filter(|_| !lost), next.map(|(_, duration)| duration))
    }

    fn duration(&self, packet: &Packet) -> u64 {
        (u128::from(packet.charged) * 8_000_000_000 / u128::from(self.rate.max(1))) as u64
    }

    /// Is the next packet lost?
    fn loses(&mut self) -> bool {
        match self.loss {
            Loss::Never => false,
            Loss::Bernoulli(probability) => self.draw() < probability,
            Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
                let lost = self.draw() < if self.bad { in_bad } else { in_good };
                let turns = self.draw() < if self.bad { to_good } else { to_bad };
                self.bad ^= turns;
                lost
            }
        }
    }

    /// A number from 0 to 1 (SplitMix64: its state is a counter).
    fn draw(&mut self) -> f64 {
        self.draws = self.draws.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.draws ^ (self.draws >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(from: u32, charged: u64) -> Packet {
        Packet { ends: [from, 9], hop: 0, charged, bytes: Vec::new() }
    }

    fn line(is_fair: bool, room: u64) -> Line {
        Line::new(8_000_000, Queue { is_fair, room }, Loss::Never, 1)
    }

    fn order(mut line: Line) -> Vec<u32> {
        let mut senders = Vec::new();
        while let (Some(packet), _) = line.sent() {
            senders.push(packet.ends[0]);
        }
        senders
    }

    #[test]
    fn a_packet_takes_its_bits_over_the_rate() {
        let mut line = line(false, 10_000);
        assert_eq!(line.take(packet(1, 1_500)), Some(1_500_000));
        assert_eq!(line.take(packet(2, 500)), None);
        let (first, next) = line.sent();
        assert_eq!((first.unwrap().ends[0], next), (1, Some(500_000)));
        assert_eq!(line.sent().1, None);
    }

    #[test]
    fn packets_leave_as_they_came_or_in_turn() {
        for (is_fair, expected) in [(false, [1, 1, 1, 2, 2]), (true, [1, 1, 2, 1, 2])] {
            let mut line = line(is_fair, 10_000);
            for from in [1, 1, 1, 2, 2] {
                line.take(packet(from, 100));
            }
            assert_eq!(order(line), expected);
        }
    }

    #[test]
    fn what_finds_no_room_is_dropped() {
        let mut line = line(false, 250);
        for from in 1..=5 {
            line.take(packet(from, 100));
        }
        assert_eq!(line.dropped, 2);
        assert_eq!(order(line), [1, 2, 3]);
    }

    #[test]
    fn losses_have_their_share() {
        let share = |loss| {
            let mut line = Line::new(1, Queue::default(), loss, 7);
            for _ in 0..20_000 {
                line.take(packet(1, 1));
                line.sent();
            }
            line.lost as f64 / 20_000.0
        };
        assert!((share(Loss::Bernoulli(0.1)) - 0.1).abs() < 0.01);
        let bursts = Loss::GilbertElliott { to_bad: 0.05, to_good: 0.2, in_good: 0.0, in_bad: 1.0 };
        assert!((share(bursts) - 0.2).abs() < 0.03);
    }
}
