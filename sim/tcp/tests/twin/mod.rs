//! A slow and obvious model of TCP, packet by packet: lists that are searched, timers that are looked at one by one, no
//! queue of events. The fast one must agree with it to the nanosecond.
//!
//! What happens next is the least (time, number), links before sides of connections; a fair link first lets go what it
//! has sent; of one side, in this order: an acknowledgement that takes no room, a delayed acknowledgement to be sent,
//! the set-up, the timer of the sender.

mod links;
mod side;
mod window;

use fedbits_kernel::network::transport::Loss;
use fedbits_kernel::network::{LinkId, Routes, Transfer};
use fedbits_kernel::{Bits, NodeId, Time};

use crate::script::{Action, Fate};
use crate::settings::{Queue, TcpSettings};
use links::{Happening, Kind, Link, Packet};
use side::{Side, Turn};

const SECOND: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
struct Message {
    number: usize,
    side: usize,
    bits: u64,
    first: usize,
    packets: usize,
    /// The most bits that had left on a connection before.
    furthest: u64,
}

struct Connection {
    nodes: [NodeId; 2],
    routes: [Vec<usize>; 2],
    latencies: [u64; 2],
    life: u32,
    sides: [Side; 2],
    queued: [u64; 2],
    messages: Vec<Message>,
    express: [Vec<(u64, Packet)>; 2],
    opener: Option<usize>,
    ready: [bool; 2],
    /// The header that the opener waits to have answered, when it was said, how often again; what the other answered.
    asked: u64,
    said: [Option<u64>; 2],
    repetitions: u32,
    alarm: Option<u64>,
    answered: Vec<u64>,
}

pub struct Twin<'a> {
    settings: &'a TcpSettings,
    links: Vec<Link>,
    connections: Vec<Connection>,
    fates: Vec<Option<Fate>>,
    /// Of each transfer that was given up: the bits that had not arrived.
    pub lost: Vec<u64>,
}

impl<'a> Twin<'a> {
    pub fn new(routes: &dyn Routes, settings: &'a TcpSettings) -> Self {
        let link = |number: usize| {
            let id = LinkId(number as u32);
            let loss = match settings.losses.get(number) {
                Some(Loss::Bernoulli(p)) => *p,
                _ => 0.0,
            };
            let queue = settings.queues.get(number).copied().unwrap_or(Queue::Fifo(None));
            let (rate, latency) = (routes.capacity(id).bits_per_second(), routes.latency(id).as_nanos());
            Link::new(rate, latency, queue, loss, number as u64, &settings.streams)
        };
        let links = (0..routes.link_count()).map(link).collect();
        Self { settings, links, connections: Vec::new(), fates: Vec::new(), lost: Vec::new() }
    }

    pub fn simulate(&mut self, routes: &dyn Routes, script: &[(Time, Action)]) -> Vec<Fate> {
        for &(at, action) in script {
            let now = at.as_nanos();
            self.run(now);
            match action {
                Action::Start(transfer) => self.start(now, routes, transfer),
                Action::Abort(number) => self.abort(now, number),
            }
        }
        self.run(u64::MAX);
        self.fates.iter().map(|fate| fate.unwrap()).collect()
    }

    fn packet_bits(&self) -> u64 {
        (self.settings.framing.header + self.settings.framing.segment).count()
    }

    fn new_sides(&self, now: u64) -> [Side; 2] {
        let most = ((3u64 << 23) / self.packet_bits()).max(2) as usize;
        let TcpSettings { congestion, initial_window, restart_after_idle, .. } = *self.settings;
        [0, 1].map(|_| Side::new(congestion, u64::from(initial_window), most, restart_after_idle, now))
    }

    fn start(&mut self, now: u64, routes: &dyn Routes, transfer: Transfer) {
        let nodes = [transfer.from.min(transfer.to), transfer.from.max(transfer.to)];
        let known = self.connections.iter().position(|connection| connection.nodes == nodes);
        let at = known.unwrap_or_else(|| {
            let mut links = [Vec::new(), Vec::new()];
            let latency_0 = routes.route(nodes[0], nodes[1], &mut links[0]).as_nanos();
            let latency_1 = routes.route(nodes[1], nodes[0], &mut links[1]).as_nanos();
            self.connections.push(Connection {
                nodes,
                routes: links.map(|links| links.iter().map(|link| link.0 as usize).collect()),
                latencies: [latency_0, latency_1],
                life: 0,
                sides: self.new_sides(now),
                queued: [0; 2],
                messages: Vec::new(),
                express: [Vec::new(), Vec::new()],
                opener: None,
                ready: [false; 2],
                asked: 0,
                said: [None; 2],
                repetitions: 0,
                alarm: None,
                answered: Vec::new(),
            });
            self.connections.len() - 1
        });
        let side = usize::from(transfer.from == nodes[1]);
        let number = self.fates.len();
        self.fates.push(None);
        self.lost.push(0);
        self.append(now, at, side, number, transfer.bits.count(), 0);
    }

    fn append(&mut self, now: u64, at: usize, side: usize, number: usize, bits: u64, furthest: u64) {
        let packet = self.packet_bits();
        let connection = &mut self.connections[at];
        connection.sides[side].wake(now);
        let first = connection.sides[side].stream.len();
        let packets = (bits.div_ceil(packet)).max(1) as usize;
        for k in 0..packets as u64 {
            connection.sides[side].stream.push(((bits - k * packet).min(packet), k + 1 == packets as u64));
        }
        connection.messages.push(Message { number, side, bits, first, packets, furthest });
        if connection.opener.is_none() {
            connection.opener = Some(side);
            if self.settings.set_up == 0 {
                connection.ready = [true; 2];
            } else {
                self.ask(now, at, 0);
            }
        }
        self.transmit(now, at, side);
    }

    fn ask(&mut self, now: u64, at: usize, number: u64) {
        let connection = &mut self.connections[at];
        let opener = connection.opener.unwrap();
        (connection.asked, connection.repetitions, connection.alarm) = (number, 0, Some(now + SECOND));
        connection.said[opener] = Some(now);
        self.send(now, at, opener, Kind::SetUp, number, false);
    }

    /// Sends a packet over the first link; tells what became of it there.
    fn send(
        &mut self,
        now: u64,
        at: usize,
        side: usize,
        kind: Kind,
        number: u64,
        is_last: bool,
    ) -> Option<Option<u64>> {
        let header = self.settings.framing.header.count();
        let connection = &mut self.connections[at];
        let bits = if kind == Kind::Data { connection.sides[side].sent[number as usize].bits } else { header };
        let mut packet = Packet {
            connection: at,
            side,
            life: connection.life,
            hop: 0,
            bits,
            kind,
            number,
            stamp: now,
            is_last,
            next: 0,
            early: Vec::new(),
            echo: 0,
            duplicate: false,
        };
        connection.sides[side].say(&mut packet);
        if kind == Kind::Acknowledgement && !self.settings.acknowledgements {
            let arrives = now + connection.latencies[side];
            connection.express[side].push((arrives, packet));
            return None;
        }
        self.links[connection.routes[side][0]].push(now, packet)
    }

    fn transmit(&mut self, now: u64, at: usize, side: usize) {
        if !self.connections[at].ready[side] {
            return;
        }
        let fair = self.links[self.connections[at].routes[side][0]].is_fair();
        let mut any = false;
        loop {
            let connection = &mut self.connections[at];
            if fair && connection.queued[side] >= connection.sides[side].queue_limit() {
                break;
            }
            let Some(turn) = connection.sides[side].turn() else { break };
            any = true;
            connection.sides[side].transmit(now, &turn);
            let (Turn::New(number) | Turn::Again(number)) = turn;
            let is_last = connection.sides[side].sent[number].is_last;
            connection.queued[side] += u64::from(fair);
            if let Some(Some(end)) = self.send(now, at, side, Kind::Data, number as u64, is_last) {
                self.leaves(at, side, number, end);
            }
        }
        let side = &mut self.connections[at].sides[side];
        if any || side.in_flight() >= side.window.cwnd {
            side.cwnd_validate(now);
        }
    }

    fn leaves(&mut self, at: usize, side: usize, number: usize, end: u64) {
        let leaves = &mut self.connections[at].sides[side].sent[number].leaves;
        *leaves = Some(leaves.map_or(end, |before| before.min(end)));
    }

    fn run(&mut self, to: u64) {
        loop {
            let mut next: Option<(u64, usize)> = None;
            for (number, link) in self.links.iter().enumerate() {
                next = earlier(next, link.next(), number);
            }
            for (at, connection) in self.connections.iter().enumerate() {
                for side in [0, 1] {
                    let number = self.links.len() + 2 * at + side;
                    next = earlier(next, connection.next(side), number);
                }
            }
            let Some((now, number)) = next.filter(|&(at, _)| at <= to) else { return };
            if number < self.links.len() {
                self.link(now, number);
            } else {
                let number = number - self.links.len();
                self.side(now, number / 2, number % 2);
            }
        }
    }

    fn link(&mut self, now: u64, number: usize) {
        match self.links[number].happen(now) {
            Happening::Lost => {}
            Happening::Left(gone, next) => {
                if let Some((end, packet)) = next.filter(|(_, packet)| self.is_first(packet)) {
                    self.leaves(packet.connection, packet.side, packet.number as usize, end);
                }
                if self.is_first(&gone) {
                    self.connections[gone.connection].queued[gone.side] -= 1;
                    self.transmit(now, gone.connection, gone.side);
                }
            }
            Happening::Arrived(mut packet) => {
                packet.hop += 1;
                match self.connections[packet.connection].routes[packet.side].get(packet.hop) {
                    Some(&link) => _ = self.links[link].push(now, packet),
                    None => self.arrive(now, packet),
                }
            }
        }
    }

    fn is_first(&self, packet: &Packet) -> bool {
        packet.kind == Kind::Data && packet.hop == 0 && packet.life == self.connections[packet.connection].life
    }

    fn arrive(&mut self, now: u64, packet: Packet) {
        let at = packet.connection;
        let here = 1 - packet.side;
        let connection = &mut self.connections[at];
        if packet.life != connection.life {
            return;
        }
        if packet.kind == Kind::SetUp {
            return self.header(now, at, here, packet.number);
        }
        if !connection.ready[here] {
            self.make_ready(now, at, here);
        }
        let side = &mut self.connections[at].sides[here];
        side.acknowledged(now, &packet);
        let is_data = packet.kind == Kind::Data;
        if is_data {
            side.receive(now, &packet);
            let next = side.next as usize;
            let connection = &mut self.connections[at];
            for message in &connection.messages {
                if message.side == packet.side && message.first + message.packets <= next {
                    self.fates[message.number] = Some(Fate::Completed(Time::from_nanos(now)));
                }
            }
            connection.messages.retain(|m| m.side != packet.side || m.first + m.packets > next);
        } else {
            side.note(packet.stamp);
        }
        self.transmit(now, at, here);
        if is_data && self.connections[at].sides[here].must_acknowledge(now) {
            self.send(now, at, here, Kind::Acknowledgement, 0, false);
        }
    }

    fn make_ready(&mut self, now: u64, at: usize, here: usize) {
        let connection = &mut self.connections[at];
        connection.ready[here] = true;
        if let Some(said) = connection.said[here] {
            connection.sides[here].rtt.sample(now - said, 0, 0);
        }
    }

    fn header(&mut self, now: u64, at: usize, here: usize, number: u64) {
        let connection = &mut self.connections[at];
        if connection.opener != Some(here) {
            let again = connection.answered.contains(&number);
            connection.answered.push(number);
            connection.said[here] = (!again && !connection.ready[here]).then_some(now);
            self.send(now, at, here, Kind::SetUp, number + 1, false);
            return;
        }
        let expected = number == connection.asked + 1 && !connection.ready[here];
        if expected && number + 1 < 2 * u64::from(self.settings.set_up) {
            return self.ask(now, at, number + 1);
        }
        if expected {
            connection.alarm = None;
            self.make_ready(now, at, here);
        }
        if self.connections[at].ready[here] {
            self.send(now, at, here, Kind::Acknowledgement, 0, false);
            self.transmit(now, at, here);
        }
    }

    /// The first thing that is due on a side.
    fn side(&mut self, now: u64, at: usize, side: usize) {
        let connection = &mut self.connections[at];
        if connection.express[side].first().is_some_and(|&(arrives, _)| arrives <= now) {
            let (_, packet) = connection.express[side].remove(0);
            return self.arrive(now, packet);
        }
        // The other side receives what this one sends.
        if connection.sides[1 - side].due.is_some_and(|due| due <= now) {
            self.send(now, at, 1 - side, Kind::Acknowledgement, 0, false);
            return;
        }
        if connection.opener == Some(side) && connection.alarm.is_some_and(|alarm| alarm <= now) {
            connection.repetitions += 1;
            connection.said[side] = None;
            connection.alarm = Some(now + (SECOND << connection.repetitions));
            if connection.repetitions > 6 {
                return self.give_up(now, at);
            }
            let asked = connection.asked;
            self.send(now, at, side, Kind::SetUp, asked, false);
            return;
        }
        let fair = self.links[connection.routes[side][0]].is_fair();
        let sender = &mut connection.sides[side];
        let waits = sender.una < sender.sent.len() && sender.sent[sender.una].leaves.is_none_or(|leaves| leaves > now);
        if fair && waits {
            sender.postpone(now);
        } else if sender.ring(now) {
            self.give_up(now, at);
        } else {
            self.transmit(now, at, side);
        }
    }

    fn give_up(&mut self, now: u64, at: usize) {
        let packet = self.packet_bits();
        for message in std::mem::take(&mut self.connections[at].messages) {
            let next = self.connections[at].sides[1 - message.side].next as usize;
            let here = next.saturating_sub(message.first) as u64;
            self.lost[message.number] = message.bits - (here * packet).min(message.bits);
            self.fates[message.number] = Some(Fate::Completed(Time::from_nanos(now)));
        }
        self.reset(now, at);
    }

    fn reset(&mut self, now: u64, at: usize) {
        let sides = self.new_sides(now);
        let connection = &mut self.connections[at];
        connection.sides = sides;
        connection.life += 1;
        (connection.queued, connection.express) = ([0; 2], [Vec::new(), Vec::new()]);
        (connection.opener, connection.ready, connection.said) = (None, [false; 2], [None; 2]);
        (connection.alarm, connection.asked) = (None, 0);
        connection.messages.clear();
        connection.answered.clear();
    }

    fn abort(&mut self, now: u64, number: usize) {
        if self.fates[number].is_some() {
            return;
        }
        let at = self.connections.iter().position(|c| c.messages.iter().any(|m| m.number == number)).unwrap();
        let mut messages = self.connections[at].messages.clone();
        for message in &mut messages {
            message.furthest = message.furthest.max(self.left(now, at, message));
        }
        let message = messages.iter().find(|message| message.number == number).unwrap();
        self.fates[number] = Some(Fate::Aborted(Time::from_nanos(now), Bits::new(message.furthest)));
        self.reset(now, at);
        messages.sort_by_key(|message| message.number);
        for Message { number, side, bits, furthest, .. } in
            messages.into_iter().filter(|queued| queued.number != number)
        {
            self.append(now, at, side, number, bits, furthest);
        }
    }

    /// The bits of a message that have left on its connection.
    fn left(&self, now: u64, at: usize, message: &Message) -> u64 {
        let side = &self.connections[at].sides[message.side];
        let link = &self.links[self.connections[at].routes[message.side][0]];
        let mut left = 0;
        for packet in message.first..(message.first + message.packets).min(side.sent.len()) {
            let sent = &side.sent[packet];
            left += match sent.leaves {
                _ if packet < side.una => sent.bits,
                Some(leaves) => link.left_by(now, leaves, sent.bits),
                None => 0,
            };
        }
        left
    }
}

impl Connection {
    fn next(&self, side: usize) -> Option<u64> {
        let express = self.express[side].first().map(|&(at, _)| at);
        let set_up = self.alarm.filter(|_| self.opener == Some(side));
        let timer = self.sides[side].timer.map(|(at, _)| at);
        [express, self.sides[1 - side].due, set_up, timer].into_iter().flatten().min()
    }
}

fn earlier(next: Option<(u64, usize)>, time: Option<u64>, number: usize) -> Option<(u64, usize)> {
    next.into_iter().chain(time.map(|time| (time, number))).min()
}
