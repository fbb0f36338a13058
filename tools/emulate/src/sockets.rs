//! A network of the kernel whose transfers are messages over TCP: its clock is the wall's, and going on to the next
//! completion is waiting for it.
//!
//! The clock stands while nothing is under way and the engine computes: what it sends next begins when the engine says.
//! While something is under way it runs, and how late the engine hands its transfers over is noted as their lag.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use fedbits_kernel::network::{FlowId, LinkId, Network, Transfer};
use fedbits_kernel::{Bits, NodeId, Time};
use serde::Serialize;

use crate::error::EmulateError;
use crate::log::{Ending, Log, Played};
use crate::messages::{Arrival, Connections, MessageOptions, MessageThread, Note};
use crate::namespace::Namespace;
use crate::relay::{Relay, RelayReport};
use crate::sys::{self, Priority};
use crate::wiring::Wiring;

const PRIORITY: i32 = 40;
/// Between two looks at whether it should end.
const LOOK: u64 = 100_000_000;
/// For making all connections.
const CONNECTING: u64 = 30_000_000_000;

/// What messages say.
pub trait MessageContents {
    /// How the bytes of a transfer begin that is about to start, and how many bits of them are meant; what is missing
    /// up to its length is filled.
    fn content(&mut self, from: NodeId, to: NodeId) -> (Vec<u8>, u64);

    /// These bytes are what has arrived; called when the engine is told.
    fn delivered(&mut self, _from: NodeId, _to: NodeId, _bytes: &[u8]) {}
}

/// How a network is emulated.
pub struct Options {
    /// The congestion control of all connections.
    pub congestion: String,
    /// When they are made.
    pub connections: Connections,
    /// Do they keep their windows while they are idle? Linux begins anew with a small one (`false`).
    pub keeps_window: bool,
    /// The pairs of nodes that will exchange messages, the one that opens the connection first.
    pub pairs: Vec<[u32; 2]>,
    /// Seconds of real time after which it is ended.
    pub max_seconds: u64,
    /// What the messages say.
    pub contents: Box<dyn MessageContents>,
    /// Ends it when it is set; is set when it fails. The engine should look at it, too.
    pub halt: Arc<AtomicBool>,
}

/// What an emulation found, once its network is dropped.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The relay.
    pub relay: RelayReport,
    /// Transfers that were handed over while others were under way, and of these more than a millisecond late.
    pub timed: u64,
    /// See `timed`.
    pub late: u64,
    /// The latest, in nanoseconds.
    pub worst_lag_ns: u64,
    /// How long the clock stood because nothing was under way and the engine computed, in nanoseconds.
    pub stood_ns: u64,
    /// The longest that it stood at once.
    pub longest_stand_ns: u64,
    /// Bytes that arrived, were compared with what was sent, and were the same.
    pub compared_bytes: u64,
    /// Bits of what was sent that the content gave; the others are filled in.
    pub content_bits: u64,
    /// Bits of all messages without headers.
    pub payload_bits: u64,
}

/// Looks at an emulation from outside: its transfers, its failure, its report.
#[derive(Clone, Default)]
pub struct Watch {
    /// The transfers so far.
    pub log: Log,
    shared: Rc<RefCell<Shared>>,
}

#[derive(Default)]
struct Shared {
    failure: Option<EmulateError>,
    report: Report,
}

impl Watch {
    /// Why it failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<EmulateError> {
        self.shared.borrow_mut().failure.take()
    }

    /// What it found; complete when its network has been dropped.
    #[must_use]
    pub fn report(&self) -> Report {
        self.shared.borrow().report.clone()
    }
}

/// Nanoseconds from `zero` to `now`, 0 before it.
fn since(now: u64, zero: i128) -> u64 {
    u64::try_from(i128::from(now) - zero).unwrap_or(0)
}

struct UnderWay {
    transfer: Transfer,
    start: u64,
    lag: u64,
}

/// See the head of this file.
pub struct Sockets {
    // Connections are closed before the relay ends: fields are dropped in their order.
    messages: Option<MessageThread>,
    relay: Option<Relay>,
    wiring: Wiring,
    options: Options,
    watch: Watch,
    report: Report,
    /// The wall's clock at time zero, as far as the clock has not stood since; none before the first transfer. Before
    /// the machine was started, where that is at a late time.
    zero: Option<i128>,
    began: u64,
    under_way: BTreeMap<u32, UnderWay>,
    /// Arrived and not told: when, which.
    arrived: BTreeMap<(u64, u32), Vec<u8>>,
    started: u32,
    /// The engine's time.
    last: u64,
    failed: bool,
    _priority: Priority,
}

impl Sockets {
    /// Makes namespaces, relay and connections; the clock begins with the first transfer.
    ///
    /// # Errors
    /// When the machine does not allow it, or the network is none that can be emulated.
    pub fn open(wiring: Wiring, options: Options) -> Result<(Self, Watch), EmulateError> {
        let packets = wiring.check()?;
        let mut devices = Vec::new();
        let mut namespaces = Vec::new();
        for node in 0..wiring.nodes {
            let Namespace { handle, device } = Namespace::new(node, packets, options.keeps_window)?;
            devices.push(device);
            namespaces.push(handle);
        }
        let relay = Relay::start(&wiring, packets, devices)?;
        let (congestion, pairs, connections) = (options.congestion.clone(), options.pairs.clone(), options.connections);
        let messages = MessageThread::start(MessageOptions { namespaces, pairs, congestion, connections })?;
        wait_for_connections(&messages)?;
        let watch = Watch::default();
        let sockets = Self {
            messages: Some(messages),
            relay: Some(relay),
            wiring,
            options,
            watch: watch.clone(),
            report: Report::default(),
            zero: None,
            began: sys::now(),
            under_way: BTreeMap::new(),
            arrived: BTreeMap::new(),
            started: 0,
            last: 0,
            failed: false,
            _priority: Priority::real_time(PRIORITY),
        };
        Ok((sockets, watch))
    }

    fn clock(&self) -> u64 {
        self.zero.map_or(self.last, |zero| since(sys::now(), zero))
    }

    fn fail(&mut self, error: EmulateError) {
        self.watch.shared.borrow_mut().failure.get_or_insert(error);
        self.failed = true;
        self.options.halt.store(true, Ordering::Relaxed);
    }

    /// The time that a transfer is handed over, which the engine says is `at`, on the clock.
    fn lag(&mut self, at: u64) -> u64 {
        let Some(zero) = self.zero else {
            self.zero = Some(i128::from(sys::now()) - i128::from(at));
            return 0;
        };
        let lag = self.clock().saturating_sub(at);
        if self.under_way.is_empty() {
            self.report.stood_ns += lag;
            self.report.longest_stand_ns = self.report.longest_stand_ns.max(lag);
            self.zero = Some(zero + i128::from(lag));
            return 0;
        }
        self.report.timed += 1;
        self.report.late += u64::from(lag > crate::relay::LATE);
        self.report.worst_lag_ns = self.report.worst_lag_ns.max(lag);
        lag
    }

    /// The bytes of a message of this many bits: what the content gives, filled up.
    fn bytes(&mut self, transfer: Transfer, payload: u64) -> Vec<u8> {
        let length = payload.div_ceil(8).max(1) as usize;
        let (mut bytes, meant) = self.options.contents.content(transfer.from, transfer.to);
        if meant > payload {
            bytes.clear();
        } else {
            self.report.content_bits += meant;
        }
        self.report.payload_bits += payload;
        bytes.resize(length, 0xa5);
        bytes
    }

    fn payload(&self, bits: Bits) -> u64 {
        self.wiring.framing.split(bits, bits).0.count()
    }

    fn take(&mut self, note: Note) {
        match note {
            Note::Ready => {}
            Note::Failed(error) => self.fail(error),
            Note::Arrived(arrival) => self.arrive(arrival),
        }
    }

    fn arrive(&mut self, Arrival { flow, at, sent, received }: Arrival) {
        let Some(UnderWay { transfer, .. }) = self.under_way.get(&flow) else { return };
        if let Some(byte) = sent.iter().zip(&received).position(|(one, other)| one != other) {
            let (from, to) = (transfer.from.0, transfer.to.0);
            return self.fail(EmulateError::Bytes { from, to, byte, length: sent.len() });
        }
        self.report.compared_bytes += received.len() as u64;
        let at = self.zero.map_or(0, |zero| since(at, zero));
        self.arrived.insert((at, flow), received);
    }

    fn listen(&mut self) {
        while let Some(note) = self.messages.as_ref().and_then(|messages| messages.notes.try_recv().ok()) {
            self.take(note);
        }
    }

    /// Waits for what arrives, at most `nanoseconds`.
    fn wait(&mut self, nanoseconds: u64) {
        let Some(messages) = &self.messages else { return };
        match messages.notes.recv_timeout(Duration::from_nanos(nanoseconds.min(LOOK))) {
            Ok(note) => self.take(note),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                self.fail(EmulateError::Unfit("the thread of the connections has ended".to_owned()));
            }
        }
    }

    /// Should it end?
    fn look(&mut self) {
        let now = sys::now();
        if self.options.halt.load(Ordering::Relaxed) {
            self.failed = true;
        } else if now - self.began > self.options.max_seconds.saturating_mul(1_000_000_000) {
            let under_way = self.under_way.len();
            self.fail(EmulateError::TooLong { under_way, seconds: self.options.max_seconds });
        }
    }

    /// The first message that has arrived and was not told.
    fn hand_over(&mut self) -> Option<FlowId> {
        let ((at, flow), bytes) = self.arrived.pop_first()?;
        self.last = self.last.max(at);
        let Transfer { from, to, .. } = self.ended(flow, at, Ending::Arrived)?;
        self.options.contents.delivered(from, to, &bytes);
        Some(FlowId(flow))
    }

    fn ended(&mut self, flow: u32, at: u64, ending: Ending) -> Option<Transfer> {
        let UnderWay { transfer, start, lag } = self.under_way.remove(&flow)?;
        let Transfer { from, to, bits, .. } = transfer;
        let (start_ns, lag_ns, end_ns) = (start, lag, at);
        self.watch.log.push(Played { from: from.0, to: to.0, bits: bits.count(), start_ns, lag_ns, end_ns, ending });
        Some(transfer)
    }
}

fn wait_for_connections(messages: &MessageThread) -> Result<(), EmulateError> {
    match messages.notes.recv_timeout(Duration::from_nanos(CONNECTING)) {
        Ok(Note::Failed(error)) => Err(error),
        Ok(_) => Ok(()),
        Err(_) => {
            let seconds = CONNECTING / 1_000_000_000;
            Err(EmulateError::Unfit(format!("the connections were not made within {seconds} s")))
        }
    }
}

impl Network for Sockets {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        self.last = self.last.max(now.as_nanos());
        let (flow, payload) = (self.started, self.payload(transfer.bits));
        let bytes = self.bytes(transfer, payload);
        let lag = self.lag(now.as_nanos());
        self.started += 1;
        self.under_way.insert(flow, UnderWay { transfer, start: now.as_nanos(), lag });
        if let Some(messages) = self.messages.as_mut().filter(|_| !self.failed) {
            messages.send(flow, [transfer.from.0, transfer.to.0], bytes);
        }
        FlowId(flow)
    }

    fn next_completion(&mut self) -> Option<Time> {
        (!self.under_way.is_empty()).then(|| Time::from_nanos(self.last))
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        while self.advance_to_completion(Some(to), completed).is_some() {}
    }

    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let horizon = horizon.map(Time::as_nanos);
        loop {
            self.listen();
            self.look();
            if self.failed {
                return None;
            }
            let first = self.arrived.first_key_value().map(|(&(at, _), _)| at);
            if first.is_some_and(|at| horizon.is_none_or(|horizon| at <= horizon)) {
                completed.extend(self.hand_over());
                return Some(Time::from_nanos(self.last));
            }
            let clock = self.clock();
            let wait = match horizon {
                // Before the first transfer nothing needs to be waited for.
                Some(horizon) if clock >= horizon || self.zero.is_none() => {
                    self.last = self.last.max(horizon);
                    return None;
                }
                Some(horizon) => horizon - clock,
                None if self.under_way.is_empty() => return None,
                None => LOOK,
            };
            self.wait(wait);
        }
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        let arrived = self.messages.as_mut().and_then(|messages| messages.withdraw(flow.0)).unwrap_or(0);
        self.listen();
        let whole = self.arrived.keys().any(|&(_, id)| id == flow.0);
        self.arrived.retain(|&(_, id), _| id != flow.0);
        let Some(transfer) = self.ended(flow.0, now.as_nanos(), Ending::CutOff) else { return Bits::ZERO };
        if whole {
            return transfer.bits;
        }
        let payload = Bits::new((8 * arrived).min(self.payload(transfer.bits)));
        let header = if arrived > 0 { self.wiring.framing.header_bits(payload) } else { Bits::ZERO };
        (payload + header).min(transfer.bits)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.wiring.routes.route(from, to, links);
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(relay) = self.relay.take() {
            self.report.relay = relay.stop();
        }
        self.watch.shared.borrow_mut().report = std::mem::take(&mut self.report);
    }
}
