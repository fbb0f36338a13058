//! One TCP connection between two nodes, both of whose ends are here: what is to be written at either, and what has
//! been read. It must not know namespaces.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustix::net::sockopt;

use crate::sys;

/// A message on its way.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) flow: u32,
    /// What is sent.
    bytes: Vec<u8>,
    /// Bytes handed to the kernel.
    written: usize,
    /// What was read at the other end.
    received: Vec<u8>,
    /// Where it begins among the bytes of this connection.
    begins: u64,
    /// Bytes of it that an earlier connection has carried.
    before: usize,
}

impl Message {
    pub(super) fn new(flow: u32, bytes: Vec<u8>) -> Self {
        let received = Vec::with_capacity(bytes.len());
        Self { flow, bytes, written: 0, received, begins: 0, before: 0 }
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.received.len()
    }
}

/// A message that has been read to its last byte.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// Whose it is.
    pub(crate) flow: u32,
    /// When the last byte was read.
    pub(crate) at: u64,
    /// What was sent.
    pub(crate) sent: Vec<u8>,
    /// What was read.
    pub(crate) received: Vec<u8>,
}

/// One end of a connection.
#[derive(Debug, Default)]
struct End {
    socket: Option<TcpStream>,
    /// Can be written to.
    open: bool,
    /// What it sends, in order; the first is the one that the other end is reading.
    messages: VecDeque<Message>,
    /// Bytes written so far.
    written: u64,
    /// What the kernel had counted as acknowledged before anything was written.
    uncounted: u64,
}

/// A connection; end 0 opens it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) nodes: [u32; 2],
    ends: [End; 2],
}

impl Connection {
    pub(super) fn new(nodes: [u32; 2]) -> Self {
        Self { nodes, ends: [End::default(), End::default()] }
    }

    /// An end has its socket; that of end 1 has been accepted, and can be written to at once.
    pub(super) fn place(&mut self, end: usize, socket: TcpStream) -> Result<()> {
        self.ends[end].socket = Some(socket);
        if end == 1 { self.opened(1) } else { Ok(()) }
    }

    fn opened(&mut self, end: usize) -> Result<()> {
        let end = &mut self.ends[end];
        if let Some(socket) = end.socket.as_ref().filter(|_| !end.open) {
            if let Some(error) = socket.take_error()? {
                return Err(error);
            }
            (end.open, end.uncounted) = (true, sys::bytes_acknowledged(socket)?);
        }
        Ok(())
    }

    pub(super) fn is_open(&self) -> bool {
        self.ends.iter().all(|end| end.open)
    }

    /// The descriptor of an end, and whether it waits for room to write.
    pub(super) fn waits(&self, end: usize) -> Option<(&TcpStream, bool)> {
        let End { socket, open, messages, .. } = &self.ends[end];
        let unwritten = messages.iter().any(|message| message.written < message.bytes.len());
        socket.as_ref().map(|socket| (socket, !open || unwritten))
    }

    /// Which end a node has.
    pub(super) fn end_of(&self, node: u32) -> usize {
        usize::from(self.nodes[1] == node)
    }

    pub(super) fn push(&mut self, end: usize, message: Message) {
        self.ends[end].messages.push_back(message);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.ends.iter().all(|end| end.messages.is_empty())
    }

    /// Writes what there is room for.
    pub(super) fn write(&mut self, end: usize) -> Result<()> {
        self.opened(end)?;
        let End { socket: Some(socket), messages, written, .. } = &mut self.ends[end] else { return Ok(()) };
        for message in messages.iter_mut().filter(|message| message.written < message.bytes.len()) {
            if message.written == message.before {
                message.begins = *written;
            }
            while message.written < message.bytes.len() {
                match socket.write(&message.bytes[message.written..]) {
                    Ok(count) => {
                        message.written += count;
                        *written += count as u64;
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Reads at `end` what the other has sent.
    pub(super) fn read(&mut self, end: usize, buffer: &mut [u8], arrivals: &mut Vec<Arrival>) -> Result<()> {
        let [first, second] = &mut self.ends;
        let (reader, writer) = if end == 0 { (first, second) } else { (second, first) };
        let Some(socket) = reader.socket.as_mut() else { return Ok(()) };
        loop {
            let wanted: usize = writer.messages.iter().map(Message::left).sum();
            let room = wanted.clamp(1, buffer.len());
            let count = match socket.read(&mut buffer[..room]) {
                Ok(0) => return Err(Error::from(ErrorKind::UnexpectedEof)),
                Ok(count) if wanted == 0 => return Err(Error::other(format!("{count} bytes that nobody sent"))),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // Not connected yet.
                Err(error) if error.kind() == ErrorKind::NotConnected => return Ok(()),
                Err(error) => return Err(error),
            };
            take(&mut writer.messages, &buffer[..count], arrivals);
        }
    }

    /// The bytes of a message that have arrived as far as its sender knows, when it is withdrawn; the connection has to
    /// be reset when some of the rest is on its way.
    pub(super) fn withdraw(&mut self, flow: u32) -> Option<(u64, bool)> {
        for end in &mut self.ends {
            let Some(index) = end.messages.iter().position(|message| message.flow == flow) else { continue };
            let message = end.messages.remove(index)?;
            if message.written == message.before {
                return Some((message.before as u64, false));
            }
            let counted = end.socket.as_ref().map(sys::bytes_acknowledged).transpose().ok().flatten();
            let acknowledged = counted.unwrap_or(0).saturating_sub(end.uncounted).saturating_sub(message.begins);
            let arrived = message.before as u64 + acknowledged;
            return Some((arrived.min(message.bytes.len() as u64), true));
        }
        None
    }

    /// Resets both ends. What was not read will be written again, on the next connection.
    pub(super) fn reset(&mut self) -> Result<()> {
        for end in &mut self.ends {
            if let Some(socket) = end.socket.take() {
                // Closing it forgets what it had to send.
                sockopt::set_socket_linger(&socket, Some(Duration::ZERO))?;
            }
            (end.open, end.written) = (false, 0);
            for message in &mut end.messages {
                (message.written, message.before) = (message.received.len(), message.received.len());
            }
        }
        Ok(())
    }
}

/// Hands bytes to the messages that they belong to.
fn take(messages: &mut VecDeque<Message>, mut bytes: &[u8], arrivals: &mut Vec<Arrival>) {
    let at = sys::now();
    while let Some(message) = messages.front_mut().filter(|_| !bytes.is_empty()) {
        let (part, rest) = bytes.split_at(message.left().min(bytes.len()));
        message.received.extend_from_slice(part);
        bytes = rest;
        if message.left() > 0 {
            return;
        }
        if let Some(Message { flow, bytes: sent, received, .. }) = messages.pop_front() {
            arrivals.push(Arrival { flow, at, sent, received });
        }
    }
}
