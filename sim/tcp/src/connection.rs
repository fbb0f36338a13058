//! One connection: two nodes, and in each direction a stream of messages with a sender and a receiver.

use std::collections::VecDeque;

use crate::congestion::Congestion;
use crate::link::Flying;
use crate::packet::{Kind, Packet};
use crate::receiver::Receiver;
use crate::sender::{Report, Sender, Turn};
use crate::set_up::SetUp;
use crate::wires::{Handed, Wires};
use fedbits_kernel::Bits;
use fedbits_kernel::network::Outcome;

/// What all connections have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common {
    /// Bits of a whole packet and of a header.
    pub(super) packet: u32,
    pub(super) header: u32,
    pub(super) congestion: Congestion,
    pub(super) initial_window: u64,
    /// Packets that a receiver has room for.
    pub(super) most: u64,
    pub(super) set_up: u32,
    pub(super) restart_after_idle: bool,
    pub(super) acknowledgements: bool,
}

/// A transfer as a part of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// What its owner calls it.
    pub(super) slot: u32,
    pub(super) bits: Bits,
    /// Its packets: the first, and how many.
    pub(super) first: u64,
    pub(super) packets: u64,
}

impl Message {
    fn bits_of(&self, number: u64, packet: u32) -> u32 {
        let before = number - self.first;
        (self.bits.count() - before * u64::from(packet)).min(u64::from(packet)) as u32
    }

    /// Those of its packets that are not among the first `arrived` of the stream, and their bits.
    pub(super) fn missing(&self, arrived: u64, packet: u32) -> (u64, Bits) {
        let here = arrived.saturating_sub(self.first).min(self.packets);
        let bits = self.bits.count() - (here * u64::from(packet)).min(self.bits.count());
        (self.packets - here, Bits::new(bits))
    }
}

/// One direction. The sender and what is to be sent are at one node, the receiver at the other.
pub(super) struct Half {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Those that have not arrived; `sending` of them are sent.
    pub(super) messages: VecDeque<Message>,
    sending: usize,
    /// Packets of all messages so far.
    end: u64,
    /// Bits sent again that nobody was told of, from when they are handed to the first link.
    repeated: Bits,
    /// Bits of acknowledgements of the other direction that nobody was told of, where they take room.
    pub(super) acknowledgements: Bits,
    /// Packets in the queue of the first link.
    queued: u64,
    /// Acknowledgements that take no room on links.
    express: VecDeque<Flying>,
}

impl Half {
    fn new(now: u64, common: &Common) -> Self {
        let Common { congestion, initial_window, most, restart_after_idle, .. } = *common;
        Self {
            sender: Sender::new(congestion, initial_window, most, restart_after_idle, now),
            receiver: Receiver::default(),
            messages: VecDeque::new(),
            sending: 0,
            end: 0,
            repeated: Bits::ZERO,
            acknowledgements: Bits::ZERO,
            queued: 0,
            express: VecDeque::new(),
        }
    }

    /// Is everything sent and acknowledged?
    #[inline]
    fn is_idle(&self) -> bool {
        self.end == self.sender.board.first
    }

    fn next_alarm(&self) -> Option<u64> {
        let express = self.express.front().map(|flying| flying.at);
        [express, self.receiver.due, self.sender.alarm()].into_iter().flatten().min()
    }

    /// The bits of the next packet that was never sent, and is it the last of its message?
    fn next_packet(&mut self, packet: u32) -> (u32, bool) {
        let next = self.sender.board.next();
        let message = self.messages[self.sending];
        let is_last = next + 1 == message.first + message.packets;
        self.sending += usize::from(is_last);
        (message.bits_of(next, packet), is_last)
    }
}

/// The way from a node to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Its place in the table of routes.
    pub(super) place: u32,
    pub(super) latency: u64,
    /// Has the first link a queue for each flow?
    pub(super) is_fair: bool,
}

pub(super) struct Connection {
    number: u32,
    pub(super) epoch: u32,
    ways: [Way; 2],
    pub(super) halves: [Half; 2],
    set_up: SetUp,
    /// Bits of headers of the set-up that nobody was told of.
    pub(super) set_up_bits: Bits,
}

/// Has somebody given up?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    GoesOn,
    GivenUp,
}

impl Connection {
    pub(super) fn new(number: u32, ways: [Way; 2], now: u64, common: &Common) -> Self {
        let halves = [Half::new(now, common), Half::new(now, common)];
        Self { number, epoch: 0, ways, halves, set_up: SetUp::default(), set_up_bits: Bits::ZERO }
    }

    /// What was sent beyond messages for direction `d`, and nobody was told of: it is told now.
    pub(super) fn uncharged(&mut self, d: usize) -> Outcome {
        Outcome {
            retransmitted: std::mem::take(&mut self.halves[d].repeated),
            acknowledgements: std::mem::take(&mut self.halves[1 - d].acknowledgements),
            set_up: std::mem::take(&mut self.set_up_bits),
            ..Outcome::default()
        }
    }

    /// Everything begins anew; what is on the way belongs to nobody.
    pub(super) fn reset(&mut self, now: u64, common: &Common) {
        self.epoch = self.epoch.wrapping_add(1);
        self.set_up = SetUp::default();
        for half in &mut self.halves {
            let (repeated, acknowledgements) = (half.repeated, half.acknowledgements);
            *half = Half { repeated, acknowledgements, ..Half::new(now, common) };
        }
    }

    /// A message more in direction `d`.
    pub(super) fn append(&mut self, now: u64, d: usize, slot: u32, bits: Bits, wires: &mut Wires, common: &Common) {
        let half = &mut self.halves[d];
        let packets = bits.count().div_ceil(u64::from(common.packet)).max(1);
        half.sender.wake(now);
        half.messages.push_back(Message { slot, bits, first: half.end, packets });
        half.end += packets;
        if self.set_up.opener.is_none()
            && let Some(number) = self.set_up.open(now, d, common.set_up)
        {
            self.send_header(now, d, number, wires, common);
            self.schedule(d, wires);
        }
        self.transmit(now, d, wires, common);
    }

    /// Of a message in direction `d`, the bits that have left its sender.
    pub(super) fn left(&self, now: u64, d: usize, message: &Message, wires: &Wires, common: &Common) -> Bits {
        let half = &self.halves[d];
        let board = &half.sender.board;
        let (_, missing) = message.missing(board.first, common.packet);
        let of_message =
            board.iter().filter(|&(number, _)| (message.first..message.first + message.packets).contains(&number));
        let place = self.ways[d].place;
        let left = of_message.filter(|(_, sent)| sent.leaves != u64::MAX);
        let left: u64 = left.map(|(_, sent)| wires.left_by(place, now, sent.leaves, sent.bits)).sum();
        message.bits - missing + Bits::new(left)
    }

    /// A packet of direction `d` that says what has arrived in the other one.
    fn packet(&mut self, now: u64, d: usize, kind: Kind, number: u64, bits: u32) -> Packet {
        let (acknowledged, heard, echo, duplicate) = self.halves[1 - d].receiver.tell();
        Packet {
            half: 2 * self.number + d as u32,
            epoch: self.epoch,
            place: self.ways[d].place,
            bits,
            number,
            acknowledged,
            heard,
            stamp: now,
            echo,
            kind,
            is_last: false,
            duplicate,
        }
    }

    fn send_header(&mut self, now: u64, d: usize, number: u64, wires: &mut Wires, common: &Common) {
        let packet = self.packet(now, d, Kind::SetUp, number, common.header);
        if wires.push(now, packet) != Handed::Dropped {
            self.set_up_bits += Bits::new(u64::from(common.header));
        }
    }

    /// Sends what may be sent in direction `d`.
    pub(super) fn transmit(&mut self, now: u64, d: usize, wires: &mut Wires, common: &Common) {
        if !self.set_up.ready[d] {
            return;
        }
        let way = self.ways[d];
        let mut any = false;
        loop {
            let half = &mut self.halves[d];
            if way.is_fair && half.queued >= half.sender.per_millisecond() {
                break;
            }
            let Some(turn) = half.sender.turn(half.end) else { break };
            any = true;
            let (number, bits, is_last, again) = match turn {
                Turn::New => {
                    let (bits, is_last) = half.next_packet(common.packet);
                    (half.sender.send(now, bits, is_last), bits, is_last, false)
                }
                Turn::Again(number) => {
                    half.sender.repeat(now, number);
                    let sent = half.sender.board.get(number);
                    let (bits, is_last) = sent.map_or((0, false), |sent| (sent.bits, sent.is_last));
                    // What one queue has dropped at its door never crossed the link: it crosses it for the first time.
                    let again = way.is_fair || sent.is_some_and(|sent| sent.leaves != u64::MAX);
                    (number, bits, is_last, again)
                }
            };
            let packet = Packet { is_last, ..self.packet(now, d, Kind::Data, number, bits) };
            let handed = wires.push(now, packet);
            if again && handed != Handed::Dropped {
                self.halves[d].repeated += Bits::new(u64::from(bits));
            }
            self.handed(d, number, handed, way.is_fair);
        }
        let half = &mut self.halves[d];
        if any || half.sender.board.on_the_way() >= half.sender.window.size {
            half.sender.note_usage(now);
        }
        if let Some(alarm) = half.sender.alarm() {
            wires.agenda.at_latest(self.agenda_number(d, wires), alarm);
        }
    }

    #[inline]
    fn handed(&mut self, d: usize, number: u64, handed: Handed, is_fair: bool) {
        let half = &mut self.halves[d];
        half.queued += u64::from(is_fair);
        if let Handed::Leaves(at) = handed {
            self.leaves(d, number, at);
        }
    }

    /// Packet `number` of direction `d` leaves its first link at `at`.
    #[inline]
    pub(super) fn leaves(&mut self, d: usize, number: u64, at: u64) {
        if let Some(sent) = self.halves[d].sender.board.get_mut(number) {
            sent.leaves = sent.leaves.min(at);
        }
    }

    /// Does a packet stand in the queue of its first link?
    pub(super) fn is_first(&self, packet: &Packet) -> bool {
        packet.kind == Kind::Data
            && packet.epoch == self.epoch
            && packet.place == self.ways[packet.half as usize & 1].place
    }

    /// A packet of direction `d` has left its first link: there is room for another.
    pub(super) fn has_left(&mut self, now: u64, d: usize, wires: &mut Wires, common: &Common) {
        self.halves[d].queued -= 1;
        self.transmit(now, d, wires, common);
    }

    /// Looks at direction `d` when something of it is due.
    fn schedule(&mut self, d: usize, wires: &mut Wires) {
        let set_up = self.set_up.alarm.filter(|_| self.set_up.opener == Some(d));
        if let Some(next) = self.halves[d].next_alarm().into_iter().chain(set_up).min() {
            wires.agenda.at_latest(self.agenda_number(d, wires), next);
        }
    }

    fn agenda_number(&self, d: usize, wires: &Wires) -> u32 {
        wires.link_count() as u32 + 2 * self.number + d as u32
    }

    /// A packet arrives at the end of its route. Messages that have arrived with it are put on `done`.
    pub(super) fn arrive(
        &mut self,
        now: u64,
        packet: Packet,
        wires: &mut Wires,
        common: &Common,
        done: &mut Vec<Message>,
    ) {
        let from = packet.half as usize & 1;
        let here = 1 - from;
        if packet.kind == Kind::SetUp {
            return self.set_up_arrived(now, here, packet.number, wires, common);
        }
        if !self.set_up.ready[here] {
            self.make_ready(now, here);
        }
        // Who has nothing to send and nothing on the way learns nothing from data.
        let is_idle = self.halves[here].is_idle() && packet.kind == Kind::Data && !packet.duplicate;
        if !is_idle {
            self.hear(now, here, &packet);
        }
        if packet.kind == Kind::Data {
            self.receive(now, &packet, done);
        } else {
            self.halves[from].receiver.note(packet.stamp);
        }
        if !is_idle {
            self.transmit(now, here, wires, common);
        }
        if packet.kind == Kind::Data {
            if self.halves[from].receiver.is_due(now) {
                self.acknowledge(now, here, wires, common);
            }
            if let Some(due) = self.halves[from].receiver.due {
                wires.agenda.at_latest(self.agenda_number(from, wires), due);
            }
        }
    }

    /// The sender of direction `d` hears what a packet says of its own.
    #[inline]
    fn hear(&mut self, now: u64, d: usize, packet: &Packet) {
        let Half { sender, receiver, .. } = &mut self.halves[d];
        while let Some(number) = receiver.hear(packet.heard) {
            sender.hear(now, number, packet.echo);
        }
        let Packet { acknowledged, echo, duplicate, kind, .. } = *packet;
        sender.acknowledge(now, Report { acknowledged, echo, duplicate, is_bare: kind == Kind::Acknowledgement });
    }

    /// A packet of data arrives; messages that have arrived with it are put on `done`.
    #[inline]
    fn receive(&mut self, now: u64, packet: &Packet, done: &mut Vec<Message>) {
        let from = packet.half as usize & 1;
        let timeout = self.halves[1 - from].sender.trip.timeout();
        let half = &mut self.halves[from];
        half.receiver.receive(now, packet, timeout);
        while let Some(message) = half.messages.front().filter(|m| m.first + m.packets <= half.receiver.next) {
            done.push(*message);
            half.messages.pop_front();
            half.sending -= 1;
        }
    }

    /// The node that direction `d` begins at acknowledges what has arrived there.
    fn acknowledge(&mut self, now: u64, d: usize, wires: &mut Wires, common: &Common) {
        let packet = self.packet(now, d, Kind::Acknowledgement, 0, common.header);
        if common.acknowledgements {
            if wires.push(now, packet) != Handed::Dropped {
                self.halves[d].acknowledgements += Bits::new(u64::from(common.header));
            }
        } else {
            let at = now.saturating_add(self.ways[d].latency);
            self.halves[d].express.push_back(Flying { at, packet });
            wires.agenda.at_latest(self.agenda_number(d, wires), at);
        }
    }

    fn make_ready(&mut self, now: u64, node: usize) {
        self.set_up.ready[node] = true;
        if let Some(took) = self.set_up.took(now, node) {
            self.halves[node].sender.trip.measure(took, 0, 0);
        }
    }

    fn set_up_arrived(&mut self, now: u64, here: usize, number: u64, wires: &mut Wires, common: &Common) {
        let was_ready = self.set_up.ready[here];
        let answer = self.set_up.arrived(now, here, number, common.set_up);
        if let Some(answer) = answer {
            self.send_header(now, here, answer, wires, common);
        } else if self.set_up.ready[here] {
            if !was_ready {
                self.make_ready(now, here);
            }
            self.acknowledge(now, here, wires, common);
            self.transmit(now, here, wires, common);
        }
        self.schedule(here, wires);
    }

    /// What is due in direction `d`, one thing of it. An acknowledgement without room on links is handed back.
    pub(super) fn ring(&mut self, now: u64, d: usize, wires: &mut Wires, common: &Common) -> (Verdict, Option<Packet>) {
        let (mut verdict, mut arrived) = (Verdict::GoesOn, None);
        let half = &mut self.halves[d];
        if half.express.front().is_some_and(|flying| flying.at <= now) {
            arrived = half.express.pop_front().map(|flying| flying.packet);
        } else if half.receiver.due.is_some_and(|at| at <= now) {
            self.acknowledge(now, 1 - d, wires, common);
        } else if self.set_up.opener == Some(d) && self.set_up.alarm.is_some_and(|at| at <= now) {
            match self.set_up.ring(now) {
                Some(number) => self.send_header(now, d, number, wires, common),
                None => verdict = Verdict::GivenUp,
            }
        } else if half.sender.alarm().is_some_and(|at| at <= now) {
            let waits = half.sender.board.oldest().is_some_and(|sent| sent.leaves > now);
            if self.ways[d].is_fair && waits {
                half.sender.postpone(now);
            } else if half.sender.ring(now) {
                verdict = Verdict::GivenUp;
            } else {
                self.transmit(now, d, wires, common);
            }
        }
        let number = self.agenda_number(d, wires);
        wires.agenda.set(number, None);
        self.schedule(d, wires);
        (verdict, arrived)
    }
}
