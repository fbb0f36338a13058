//! The relay: it reads what the nodes send from their TUN devices, and hands each packet over when the links of its
//! route would have. Rates, queues and losses are those of [`line`], times are those at which a packet came, not those
//! at which the relay got round to it; what it hands over late it counts.

mod counts;
mod line;
mod packet;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use fedbits_kernel::NodeId;
use fedbits_kernel::network::LinkId;
use rustix::event::{PollFd, PollFlags};
use serde::Serialize;

use self::counts::Counter;
pub use self::counts::Counts;
use self::line::{Line, Packet};
use crate::error::EmulateError;
use crate::sys::{self, Priority};
use crate::wiring::{PacketSizes, Wiring, node_at};
use crate::worker::Worker;

/// A packet handed over later than this, in nanoseconds, was late.
pub const LATE: u64 = 1_000_000;
const PRIORITY: i32 = 50;
/// Packets read from one device before the others have their turn.
const PER_TURN: usize = 64;
/// The longest packet of IPv4.
const LONGEST: usize = 65_536;

/// What the relay did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RelayReport {
    /// Packets handed over.
    pub packets: u64,
    /// Of these, more than a millisecond late.
    pub late: u64,
    /// The worst, in nanoseconds.
    pub worst_ns: u64,
    /// Packets that found no room in a queue.
    pub dropped: u64,
    /// Packets that a link lost.
    pub lost: u64,
    /// Packets that were no TCP between nodes.
    pub foreign: u64,
    /// Packets that a device did not take.
    pub refused: u64,
    /// Was its real-time priority allowed?
    pub real_time: bool,
    /// Bits by sender and receiver.
    #[serde(serialize_with = "as_list")]
    pub counts: BTreeMap<(u32, u32), Counts>,
}

fn as_list<S: serde::Serializer>(counts: &BTreeMap<(u32, u32), Counts>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(counts.iter().map(|((from, node), counts)| (from, node, counts)))
}

impl RelayReport {
    /// The share of packets that were late.
    #[must_use]
    pub fn late_share(&self) -> f64 {
        self.late as f64 / self.packets.max(1) as f64
    }

    /// The sum over the pairs of nodes that `wanted` names.
    #[must_use]
    pub fn sum(&self, wanted: impl Fn(u32, u32) -> bool) -> Counts {
        let mut sum = Counts::default();
        self.counts.iter().filter(|((from, to), _)| wanted(*from, *to)).for_each(|(_, counts)| sum += *counts);
        sum
    }
}

/// A running relay; it ends when it is dropped.
pub(crate) struct Relay {
    worker: Worker,
    report: Arc<Mutex<RelayReport>>,
}

impl Relay {
    /// Relays between the devices of nodes 0, 1, ….
    pub(crate) fn start(wiring: &Wiring, packets: PacketSizes, devices: Vec<File>) -> Result<Self, EmulateError> {
        let report = Arc::new(Mutex::new(RelayReport::default()));
        let mut work = Work::new(wiring, packets, devices, Arc::clone(&report));
        Ok(Self { worker: Worker::start("relay", move |woken| work.run(&woken))?, report })
    }

    /// Ends it, and says what it did.
    pub(crate) fn stop(self) -> RelayReport {
        let Self { worker, report } = self;
        drop(worker);
        // After a panic the report is as it was.
        report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

enum Event {
    /// A packet comes to its next link, or to its receiver.
    Comes(Packet),
    /// A link has sent a packet.
    Sent(u32),
}

struct Work {
    devices: Vec<File>,
    wiring: Wiring,
    header: u64,
    lines: BTreeMap<u32, Line>,
    routes: BTreeMap<[u32; 2], Vec<u32>>,
    /// By their times and the order in which they became known.
    events: BTreeMap<(u64, u64), Event>,
    pushed: u64,
    counter: Counter,
    report: RelayReport,
    told: Arc<Mutex<RelayReport>>,
}

impl Work {
    fn new(wiring: &Wiring, packets: PacketSizes, devices: Vec<File>, told: Arc<Mutex<RelayReport>>) -> Self {
        Self {
            devices,
            wiring: wiring.clone(),
            header: packets.header,
            lines: BTreeMap::new(),
            routes: BTreeMap::new(),
            events: BTreeMap::new(),
            pushed: 0,
            counter: Counter::default(),
            report: RelayReport::default(),
            told,
        }
    }

    fn run(&mut self, woken: &UnixStream) {
        let priority = Priority::real_time(PRIORITY);
        self.report.real_time = priority.granted;
        let mut found = Vec::new();
        let mut buffer = vec![0; LONGEST];
        loop {
            let ready = found.iter().enumerate().filter(|(_, found): &(usize, &PollFlags)| found.intersects(sys::READ));
            ready.for_each(|(node, _)| self.read(node, &mut buffer));
            while let Some(next) = self.events.first_entry().filter(|next| next.key().0 <= sys::now()) {
                let ((at, _), event) = next.remove_entry();
                self.handle(at, event);
            }
            let next = self.events.first_key_value().map_or(u64::MAX, |(&(at, _), _)| at);
            let devices = self.devices.iter().map(|device| PollFd::new(device, PollFlags::IN));
            let waiting = devices.chain([PollFd::new(woken, PollFlags::IN)]).collect();
            found = sys::poll(waiting, next.saturating_sub(sys::now()).min(1_000_000_000));
            if found.pop().is_some_and(|found| found.intersects(sys::READ)) {
                break;
            }
        }
        drop(priority);
        self.tell();
    }

    fn tell(&mut self) {
        self.report.dropped = self.lines.values().map(|line| line.dropped).sum();
        self.report.lost = self.lines.values().map(|line| line.lost).sum();
        self.report.counts = std::mem::take(&mut self.counter).by_pair();
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = std::mem::take(&mut self.report);
    }

    fn push(&mut self, at: u64, event: Event) {
        self.pushed += 1;
        self.events.insert((at, self.pushed), event);
    }

    /// Reads what a node sends.
    fn read(&mut self, node: usize, buffer: &mut [u8]) {
        for _ in 0..PER_TURN {
            let length = match (&self.devices[node]).read(buffer) {
                Ok(length) if length > 0 => length,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                _ => return,
            };
            let at = sys::now();
            let bytes = &buffer[..length];
            let headers = packet::read(bytes);
            let to = headers.and_then(|headers| node_at(headers.addresses[1])).filter(|&to| to < self.wiring.nodes);
            let (Some(headers), Some(to)) = (headers, to) else {
                self.report.foreign += 1;
                continue;
            };
            let ends = [node as u32, to];
            self.counter.count(ends, &headers, self.header);
            let charged = u64::from(headers.payload) + self.header;
            self.push(at, Event::Comes(Packet { ends, hop: 0, charged, bytes: bytes.to_vec() }));
        }
    }

    fn handle(&mut self, at: u64, event: Event) {
        match event {
            Event::Comes(packet) => match self.next_link(&packet) {
                Some(link) => {
                    let begun = self.line(link).take(packet);
                    begun.into_iter().for_each(|duration| self.push(at + duration, Event::Sent(link)));
                }
                None => self.deliver(at, &packet),
            },
            Event::Sent(link) => {
                let (left, next) = self.line(link).sent();
                next.into_iter().for_each(|duration| self.push(at + duration, Event::Sent(link)));
                if let Some(packet) = left {
                    let latency = self.wiring.routes.latency(LinkId(link)).as_nanos();
                    self.push(at + latency, Event::Comes(Packet { hop: packet.hop + 1, ..packet }));
                }
            }
        }
    }

    /// The link that a packet comes to; none where it has arrived.
    fn next_link(&mut self, packet: &Packet) -> Option<u32> {
        let route = self.routes.entry(packet.ends).or_insert_with(|| {
            let mut links = Vec::new();
            self.wiring.routes.route(NodeId(packet.ends[0]), NodeId(packet.ends[1]), &mut links);
            links.iter().map(|link| link.0).collect()
        });
        route.get(packet.hop).copied()
    }

    fn line(&mut self, link: u32) -> &mut Line {
        let wiring = &self.wiring;
        self.lines.entry(link).or_insert_with(|| {
            let id = LinkId(link);
            let rate = wiring.routes.capacity(id).bits_per_second();
            let seed = wiring.seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(u64::from(link));
            Line::new(rate, (wiring.queue)(id), (wiring.loss)(id), seed)
        })
    }

    fn deliver(&mut self, at: u64, packet: &Packet) {
        let late = sys::now().saturating_sub(at);
        self.report.packets += 1;
        self.report.late += u64::from(late > LATE);
        self.report.worst_ns = self.report.worst_ns.max(late);
        if (&self.devices[packet.ends[1] as usize]).write(&packet.bytes).is_err() {
            self.report.refused += 1;
        }
    }
}
