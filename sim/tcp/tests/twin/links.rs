//! Links of the twin: lists of everything that was ever sent, searched from the beginning.

use crate::settings::Queue;
use fedbits_random::{CounterKey, DrawPurpose, Streams};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    SetUp,
    Data,
    Acknowledgement,
}

#[derive(Clone, Debug)]
pub struct Packet {
    pub connection: usize,
    pub side: usize,
    pub life: u32,
    pub hop: usize,
    pub bits: u64,
    pub kind: Kind,
    pub number: u64,
    pub stamp: u64,
    pub is_last: bool,
    /// All before this have arrived; what has arrived besides, in the order of arrival; what was echoed; twice?
    pub next: u64,
    pub early: Vec<u64>,
    pub echo: u64,
    pub duplicate: bool,
}

/// What was sent from `begin` to `end` and arrives at `arrives`.
struct Sent {
    begin: u64,
    end: u64,
    arrives: Option<u64>,
    packet: Packet,
}

pub struct Link {
    capacity: u64,
    latency: u64,
    queue: Queue,
    loss: f64,
    draws: CounterKey,
    crossed: u64,
    sent: Vec<Sent>,
    /// The busy period: its begin, and the bits sent in it.
    busy: (u64, u64),
    /// By turn: the flows that wait.
    waiting: Vec<(usize, usize, Vec<Packet>)>,
    /// Of a fair link: the number of the one being sent.
    serving: Option<usize>,
}

pub enum Happening {
    Arrived(Packet),
    /// Left a fair link; the next is sent until then.
    Left(Packet, Option<(u64, Packet)>),
    Lost,
}

impl Link {
    pub fn new(capacity: u64, latency: u64, queue: Queue, loss: f64, number: u64, streams: &Streams) -> Self {
        let draws = streams.counter(DrawPurpose::Loss, number, 0);
        let (sent, waiting) = (Vec::new(), Vec::new());
        Self { capacity, latency, queue, loss, draws, crossed: 0, sent, busy: (0, 0), waiting, serving: None }
    }

    fn end_of(&self, bits: u64) -> u64 {
        let nanos = (u128::from(bits) * 1_000_000_000).div_ceil(u128::from(self.capacity));
        self.busy.0 + nanos as u64
    }

    fn send(&mut self, now: u64, packet: Packet) -> u64 {
        let begin = now.max(self.end_of(self.busy.1));
        self.busy.1 += packet.bits;
        let end = self.end_of(self.busy.1);
        self.sent.push(Sent { begin, end, arrives: Some(end + self.latency), packet });
        end
    }

    /// Nothing: it waits. `Some(None)`: it is dropped. `Some(Some(end))`: it has left then.
    pub fn push(&mut self, now: u64, packet: Packet) -> Option<Option<u64>> {
        let end = self.end_of(self.busy.1);
        if let Queue::Fifo(room) = self.queue {
            let waiting: u64 = self.sent.iter().filter(|sent| sent.begin > now).map(|sent| sent.packet.bits).sum();
            if end <= now {
                self.busy = (now, 0);
            } else if room.is_some_and(|room| waiting + packet.bits > room.count()) {
                return Some(None);
            }
            return Some(Some(self.send(now, packet)));
        }
        if self.serving.is_some() {
            let key = (packet.connection, packet.side);
            match self.waiting.iter_mut().find(|(connection, side, _)| (*connection, *side) == key) {
                Some((_, _, flow)) => flow.push(packet),
                None => self.waiting.push((key.0, key.1, vec![packet])),
            }
            return None;
        }
        Some(Some(self.serve(now, packet)))
    }

    fn serve(&mut self, now: u64, packet: Packet) -> u64 {
        if self.end_of(self.busy.1) < now {
            self.busy = (now, 0);
        }
        self.serving = Some(self.sent.len());
        self.send(now, packet)
    }

    pub fn next(&self) -> Option<u64> {
        let arrivals = self.sent.iter().filter_map(|sent| sent.arrives);
        arrivals.chain(self.serving.map(|number| self.sent[number].end)).min()
    }

    pub fn happen(&mut self, now: u64) -> Happening {
        if let Some(number) = self.serving.filter(|&number| self.sent[number].end <= now) {
            self.serving = None;
            let gone = self.sent[number].packet.clone();
            let mut next = None;
            if !self.waiting.is_empty() {
                let (connection, side, mut flow) = self.waiting.remove(0);
                let packet = flow.remove(0);
                if !flow.is_empty() {
                    self.waiting.push((connection, side, flow));
                }
                next = Some((self.serve(now, packet.clone()), packet));
            }
            return Happening::Left(gone, next);
        }
        let first = self.sent.iter_mut().find(|sent| sent.arrives.is_some()).unwrap();
        first.arrives = None;
        let packet = first.packet.clone();
        self.crossed += 1;
        if self.draws.uniform(2 * (self.crossed - 1)) < self.loss {
            Happening::Lost
        } else {
            Happening::Arrived(packet)
        }
    }

    /// The bits of a packet that leaves at `end` that had left at `now`.
    pub fn left_by(&self, now: u64, end: u64, bits: u64) -> u64 {
        let takes = (u128::from(bits) * 1_000_000_000).div_ceil(u128::from(self.capacity)) as u64;
        let passed = u128::from((now + takes).saturating_sub(end));
        if end <= now { bits } else { bits.min((passed * u128::from(self.capacity) / 1_000_000_000) as u64) }
    }

    pub fn is_fair(&self) -> bool {
        self.queue == Queue::Fair
    }
}
