//! One thread writes and reads all connections, and notes when messages have arrived. A connection joins two nodes and
//! carries the messages of both directions, each in its order; a message that is withdrawn while it is on its way
//! resets it.

mod connection;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use rustix::event::{PollFd, PollFlags};
use serde::Serialize;

pub(crate) use self::connection::Arrival;
use self::connection::{Connection, Message};
use crate::error::EmulateError;
use crate::sys::{self, Priority};
use crate::wiring::{address_of, node_at};
use crate::worker::Worker;

const PORT: u16 = 7000;
const PRIORITY: i32 = 45;
const BUFFER: usize = 1 << 18;

/// When connections are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Connections {
    /// Before the first message, one for each pair of nodes; they are kept.
    #[default]
    Kept,
    /// One for each pair of nodes, by the sender of their first message and in its time; they are kept until a message
    /// is withdrawn.
    FirstMessage,
    /// For each message one, by its sender; the time that takes is the message's.
    PerMessage,
}

/// What the thread is told.
enum Order {
    Send { flow: u32, ends: [u32; 2], bytes: Vec<u8> },
    Withdraw { flow: u32, answer: Sender<u64> },
}

/// What it tells.
pub(crate) enum Note {
    /// All connections that are kept are there.
    Ready,
    Arrived(Arrival),
    Failed(EmulateError),
}

/// What the thread needs to know.
pub(crate) struct MessageOptions {
    /// The networks of nodes 0, 1, ….
    pub(crate) namespaces: Vec<File>,
    /// Pairs of nodes with a connection each.
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) congestion: String,
    pub(crate) connections: Connections,
}

/// The running thread; it ends when it is dropped.
pub(crate) struct MessageThread {
    // Fields are dropped in their order: without orders the thread ends when it wakes.
    orders: Sender<Order>,
    worker: Worker,
    pub(crate) notes: Receiver<Note>,
}

impl MessageThread {
    /// Begins to connect.
    pub(crate) fn start(options: MessageOptions) -> Result<Self, EmulateError> {
        let (orders, ordered) = channel();
        let (noted, notes) = channel();
        let worker = Worker::start("messages", move |woken| {
            let mut thread = MessageLoop::new(options, noted, woken);
            if let Err(error) = thread.run(&ordered) {
                thread.note(Note::Failed(error));
            }
        });
        Ok(Self { orders, worker: worker?, notes })
    }

    /// Sends a message of at least one byte.
    pub(crate) fn send(&mut self, flow: u32, ends: [u32; 2], bytes: Vec<u8>) {
        self.order(Order::Send { flow, ends, bytes });
    }

    /// Withdraws a message; the bytes of it that have arrived, as far as its sender knows.
    pub(crate) fn withdraw(&mut self, flow: u32) -> Option<u64> {
        let (answer, answered) = channel();
        self.order(Order::Withdraw { flow, answer });
        answered.recv().ok()
    }

    fn order(&mut self, order: Order) {
        // A thread that has failed has said so in a note.
        let _ = self.orders.send(order);
        self.worker.wake();
    }
}

/// The thread's own.
struct MessageLoop {
    options: MessageOptions,
    listeners: Vec<TcpListener>,
    connections: BTreeMap<u64, Connection>,
    made: u64,
    /// The kept connections.
    by_pair: BTreeMap<[u32; 2], u64>,
    /// Connections whose other end has not been accepted yet, by the opener, its port, and who accepts: a node may use
    /// one port for several of the others.
    opening: BTreeMap<(u32, u16, u32), u64>,
    carried_by: BTreeMap<u32, u64>,
    notes: Sender<Note>,
    woken: UnixStream,
    ready: bool,
}

impl MessageLoop {
    fn new(options: MessageOptions, notes: Sender<Note>, woken: UnixStream) -> Self {
        Self {
            options,
            listeners: Vec::new(),
            connections: BTreeMap::new(),
            made: 0,
            by_pair: BTreeMap::new(),
            opening: BTreeMap::new(),
            carried_by: BTreeMap::new(),
            notes,
            woken,
            ready: false,
        }
    }

    fn run(&mut self, orders: &Receiver<Order>) -> Result<(), EmulateError> {
        let _priority = Priority::real_time(PRIORITY);
        self.open_all()?;
        let mut buffer = vec![0; BUFFER];
        loop {
            if !self.ready && self.by_pair.values().all(|id| self.connections[id].is_open()) {
                self.ready = true;
                self.note(Note::Ready);
            }
            let (places, found) = self.wait();
            if found[0].intersects(sys::READ) && !self.obey(orders)? {
                return Ok(());
            }
            for node in 0..self.listeners.len() {
                if found[1 + node].intersects(sys::READ) {
                    self.accept(node)?;
                }
            }
            for (&found, &(id, end)) in found[1 + self.listeners.len()..].iter().zip(&places) {
                self.serve(id, end, found, &mut buffer)?;
            }
        }
    }

    fn note(&self, note: Note) {
        // Nobody listens any more when the emulation is over.
        let _ = self.notes.send(note);
    }

    fn open_all(&mut self) -> Result<(), EmulateError> {
        let congestion = &self.options.congestion;
        for handle in &self.options.namespaces {
            sys::enter(handle).map_err(EmulateError::rights("enter a network namespace"))?;
            let listener = sys::listen(PORT, congestion).map_err(|error| refused(congestion, error))?;
            self.listeners.push(listener);
        }
        if self.options.connections == Connections::Kept {
            for pair in self.options.pairs.clone() {
                let id = self.open(pair)?;
                self.by_pair.insert(sorted(pair), id);
            }
        }
        Ok(())
    }

    /// Begins a connection of the first node to the second.
    fn open(&mut self, nodes: [u32; 2]) -> Result<u64, EmulateError> {
        self.made += 1;
        self.connections.insert(self.made, Connection::new(nodes));
        self.dial(self.made)?;
        Ok(self.made)
    }

    fn dial(&mut self, id: u64) -> Result<(), EmulateError> {
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        let [from, to] = connection.nodes;
        let MessageOptions { namespaces, congestion, .. } = &self.options;
        let fails = || EmulateError::failed(format!("node {from} cannot connect to node {to}"));
        sys::enter(&namespaces[from as usize]).map_err(fails())?;
        let socket = sys::connect(address_of(to), PORT, congestion).map_err(fails())?;
        let port = socket.local_addr().map_err(fails())?.port();
        self.opening.insert((from, port, to), id);
        connection.place(0, socket).map_err(fails())
    }

    /// Waits; gives the ends of connections, and what was found at orders, listeners and these.
    fn wait(&self) -> (Vec<(u64, usize)>, Vec<PollFlags>) {
        let (mut places, mut waiting) = (Vec::new(), vec![PollFd::new(&self.woken, PollFlags::IN)]);
        waiting.extend(self.listeners.iter().map(|listener| PollFd::new(listener, PollFlags::IN)));
        for (&id, connection) in &self.connections {
            for end in [0, 1] {
                if let Some((socket, write)) = connection.waits(end) {
                    let flags = if write { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
                    waiting.push(PollFd::new(socket, flags));
                    places.push((id, end));
                }
            }
        }
        (places, sys::poll(waiting, 1_000_000_000))
    }

    fn accept(&mut self, node: usize) -> Result<(), EmulateError> {
        let fails = || EmulateError::failed(format!("node {node} cannot accept a connection"));
        while let Some((socket, peer)) = sys::accept(&self.listeners[node]).map_err(fails())? {
            let opener = match peer {
                SocketAddr::V4(peer) => node_at(u32::from(*peer.ip())).map(|from| (from, peer.port(), node as u32)),
                SocketAddr::V6(_) => None,
            };
            // The other end of a connection that was reset while it was being made is closed.
            let id = opener.and_then(|opener| self.opening.remove(&opener));
            if let Some(connection) = id.and_then(|id| self.connections.get_mut(&id)) {
                connection.place(1, socket).map_err(fails())?;
            }
        }
        Ok(())
    }

    /// Writes and reads at one end.
    fn serve(&mut self, id: u64, end: usize, found: PollFlags, buffer: &mut [u8]) -> Result<(), EmulateError> {
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        let nodes = connection.nodes;
        let fails = || EmulateError::failed(format!("the connection of nodes {} and {} broke", nodes[0], nodes[1]));
        if found.intersects(sys::WRITE) {
            connection.write(end).map_err(fails())?;
        }
        let mut arrivals = Vec::new();
        if found.intersects(sys::READ) {
            connection.read(end, buffer, &mut arrivals).map_err(fails())?;
        }
        let ends = self.options.connections == Connections::PerMessage && !arrivals.is_empty() && connection.is_idle();
        if ends {
            self.connections.remove(&id);
        }
        for arrival in arrivals {
            self.carried_by.remove(&arrival.flow);
            self.note(Note::Arrived(arrival));
        }
        Ok(())
    }

    /// Does what was ordered; false when nothing more will be.
    fn obey(&mut self, orders: &Receiver<Order>) -> Result<bool, EmulateError> {
        let mut bytes = [0; 64];
        while (&self.woken).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        loop {
            match orders.try_recv() {
                Ok(Order::Send { flow, ends, bytes }) => self.send(flow, ends, bytes)?,
                Ok(Order::Withdraw { flow, answer }) => {
                    // Whoever asked waits for the answer.
                    let _ = answer.send(self.withdraw(flow)?);
                }
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
    }

    fn send(&mut self, flow: u32, ends: [u32; 2], bytes: Vec<u8>) -> Result<(), EmulateError> {
        let kept = self.by_pair.get(&sorted(ends)).copied();
        let id = match kept {
            Some(id) => id,
            None => {
                let id = self.open(ends)?;
                if self.options.connections != Connections::PerMessage {
                    self.by_pair.insert(sorted(ends), id);
                }
                id
            }
        };
        self.carried_by.insert(flow, id);
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        let end = connection.end_of(ends[0]);
        connection.push(end, Message::new(flow, bytes));
        if connection.is_open() {
            let fails = EmulateError::failed(format!("node {} cannot send to node {}", ends[0], ends[1]));
            connection.write(end).map_err(fails)?;
        }
        Ok(())
    }

    fn withdraw(&mut self, flow: u32) -> Result<u64, EmulateError> {
        let Some(id) = self.carried_by.remove(&flow) else { return Ok(0) };
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(0) };
        let Some((arrived, on_its_way)) = connection.withdraw(flow) else { return Ok(0) };
        if on_its_way {
            let nodes = connection.nodes;
            let fails = EmulateError::failed(format!("the connection of nodes {} and {}", nodes[0], nodes[1]));
            connection.reset().map_err(fails)?;
            self.opening.retain(|_, opening| *opening != id);
        }
        let is_idle = connection.is_idle();
        match self.options.connections {
            Connections::PerMessage => {
                self.connections.remove(&id);
            }
            Connections::FirstMessage if on_its_way && is_idle => {
                let nodes = self.connections.remove(&id).map(|connection| connection.nodes);
                nodes.map(|nodes| self.by_pair.remove(&sorted(nodes)));
            }
            _ if on_its_way => self.dial(id)?,
            _ => {}
        }
        Ok(arrived)
    }
}

fn sorted([one, other]: [u32; 2]) -> [u32; 2] {
    [one.min(other), one.max(other)]
}

/// Why nobody listens: most often the congestion control.
fn refused(congestion: &str, source: std::io::Error) -> EmulateError {
    if source.kind() != std::io::ErrorKind::NotFound && !congestion.is_empty() {
        return EmulateError::Failed { what: "a socket that listens".to_owned(), source };
    }
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let available = std::fs::read_to_string(path).unwrap_or_default();
    let names: Vec<&str> = available.split_whitespace().collect();
    EmulateError::Congestion { name: congestion.to_owned(), available: names.join(", ") }
}
