//! One node's side of a connection in the twin: what it sends, and what it has received from the other. Every question
//! is answered by looking through all packets.

mod receiver;

use fedbits_tcp::Congestion;

use super::links::{Kind, Packet};
use super::window::{Rtt, Window};

const MS: u64 = 1_000_000;

/// A packet that was sent, ever.
pub struct Sent {
    pub bits: u64,
    pub is_last: bool,
    stamp: u64,
    /// Number of its last transmission.
    transmission: u64,
    pub leaves: Option<u64>,
    arrived: bool,
    lost: bool,
    again: bool,
    repeated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Open,
    Recovery(u64),
    Loss(u64, u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timer {
    Rto,
    Probe,
    Reorder,
}

pub struct Side {
    pub window: Window,
    pub rtt: Rtt,
    pub sent: Vec<Sent>,
    /// All before this are acknowledged.
    pub una: usize,
    /// Bits and ends of all messages' packets, sent or not.
    pub stream: Vec<(u64, bool)>,
    transmissions: u64,
    latest: (u64, u64),
    state: State,
    prr: (u64, u64, u64),
    prior: (u64, u64),
    pub timer: Option<(u64, Timer)>,
    timeouts: u32,
    probe: Option<(usize, bool)>,
    pub probe_due: bool,
    limited: bool,
    max_out: usize,
    usage_seq: usize,
    stamp_full: u64,
    used: usize,
    last_sent: Option<u64>,
    most: usize,
    initial: u64,
    restart: bool,
    // What this side has received.
    pub next: u64,
    pub early: Vec<u64>,
    pub pending: u32,
    pub urgent: bool,
    duplicate: bool,
    quick: u32,
    pub due: Option<u64>,
    last_received: Option<u64>,
    echo: u64,
    grant: Grant,
}

struct Grant {
    window: u64,
    limit: u64,
    space: u64,
    first: u64,
    began: u64,
    rtt: Option<u64>,
    echo: u64,
}

/// What a node may send.
pub enum Turn {
    New(usize),
    Again(usize),
}

impl Side {
    pub fn new(kind: Congestion, initial: u64, most: usize, restart: bool, now: u64) -> Self {
        Self {
            window: Window::new(kind, initial, now),
            rtt: Rtt::new(),
            sent: Vec::new(),
            una: 0,
            stream: Vec::new(),
            transmissions: 0,
            latest: (0, 0),
            state: State::Open,
            prr: (0, 0, 0),
            prior: (0, 0),
            timer: None,
            timeouts: 0,
            probe: None,
            probe_due: false,
            limited: false,
            max_out: 0,
            usage_seq: 0,
            stamp_full: now,
            used: 0,
            last_sent: None,
            most,
            initial,
            restart,
            next: 0,
            early: Vec::new(),
            pending: 0,
            urgent: false,
            duplicate: false,
            quick: 0,
            due: None,
            last_received: None,
            echo: 0,
            grant: Grant { window: 45, limit: 57, space: 10, first: 0, began: 0, rtt: None, echo: 0 },
        }
    }

    fn out(&self) -> usize {
        self.sent.len() - self.una
    }

    fn outstanding(&self) -> &[Sent] {
        &self.sent[self.una..]
    }

    pub fn in_flight(&self) -> u64 {
        let copies = |sent: &Sent| u64::from(!sent.arrived && !sent.lost) + u64::from(sent.again);
        self.outstanding().iter().map(copies).sum()
    }

    pub fn turn(&self) -> Option<Turn> {
        let next = self.sent.len();
        if self.probe_due {
            return Some(if next < self.stream.len() { Turn::New(next) } else { Turn::Again(next - 1) });
        }
        if self.in_flight() >= self.window.cwnd {
            return None;
        }
        let lost = self.outstanding().iter().position(|sent| sent.lost && !sent.again);
        let new = (next < self.stream.len() && self.out() < self.most).then_some(Turn::New(next));
        lost.map(|place| Turn::Again(self.una + place)).or(new)
    }

    pub fn queue_limit(&self) -> u64 {
        let ratio = if self.window.cwnd < self.window.ssthresh / 2 { 2_000_000 } else { 1_200_000 };
        self.rtt.srtt().map_or(2, |srtt| (self.window.cwnd * ratio / srtt).max(2))
    }

    pub fn wake(&mut self, now: u64) {
        let Some(last) = self.last_sent else { return };
        if !self.restart || self.out() > 0 || now - last <= self.rtt.rto {
            return;
        }
        self.remember();
        let restart = self.initial.min(self.window.cwnd);
        let mut delta = now - last;
        while delta > self.rtt.rto && self.window.cwnd > restart {
            delta -= self.rtt.rto;
            self.window.cwnd >>= 1;
        }
        self.window.cwnd = self.window.cwnd.max(restart);
        (self.stamp_full, self.used) = (now, 0);
    }

    fn remember(&mut self) {
        self.window.ssthresh = self.window.ssthresh.max((self.window.cwnd >> 1) + (self.window.cwnd >> 2));
    }

    pub fn transmit(&mut self, now: u64, turn: &Turn) {
        self.transmissions += 1;
        let (stamp, transmission) = (now, self.transmissions);
        match *turn {
            Turn::New(number) => {
                let idle = self.last_sent.map_or(0, |last| now - last);
                let first = self.out() == 0;
                if first {
                    self.window.tx_start(now, idle);
                }
                let (bits, is_last) = self.stream[number];
                let [arrived, lost, again, repeated] = [false; 4];
                self.sent.push(Sent {
                    bits,
                    is_last,
                    stamp,
                    transmission,
                    leaves: None,
                    arrived,
                    lost,
                    again,
                    repeated,
                });
                self.note_transmission(now);
                if self.probe_due {
                    self.probed(now, false);
                } else if first || !matches!(self.timer, Some((_, Timer::Rto | Timer::Reorder))) {
                    self.arm(now, false);
                }
            }
            Turn::Again(number) => {
                let sent = &mut self.sent[number];
                (sent.stamp, sent.transmission, sent.repeated) = (stamp, transmission, true);
                sent.again = !sent.arrived;
                self.note_transmission(now);
                let patient = matches!(self.timer, Some((_, Timer::Reorder)));
                if self.probe_due {
                    self.probed(now, true);
                } else if self.timer.is_none() || (number == self.una && !patient) {
                    self.timer = Some((now + self.rtt.rto, Timer::Rto));
                }
            }
        }
    }

    fn note_transmission(&mut self, now: u64) {
        self.last_sent = Some(now);
        self.prr.1 += 1;
    }

    fn probed(&mut self, now: u64, again: bool) {
        self.probe_due = false;
        self.probe = Some((self.sent.len(), again));
        self.timer = Some(((self.sent[self.una].stamp + self.rtt.rto).max(now + 1), Timer::Rto));
    }

    fn arm(&mut self, now: u64, advanced: bool) {
        self.timer = None;
        if self.out() == 0 {
            return;
        }
        if self.state != State::Open || self.probe.is_some() || self.outstanding().iter().any(|sent| sent.arrived) {
            self.timer = Some((now + self.rtt.rto, Timer::Rto));
            return;
        }
        let wait = match self.rtt.srtt() {
            None => 1_000 * MS,
            Some(srtt) => 2 * srtt + if self.out() == 1 { 200 * MS } else { 2 * MS },
        };
        let oldest = (self.sent[self.una].stamp + self.rtt.rto).max(now + 1);
        let rto = if advanced { now + self.rtt.rto } else { oldest };
        self.timer = Some(((now + wait).min(rto), Timer::Probe));
    }

    pub fn postpone(&mut self, now: u64) {
        self.timer = self.timer.map(|(_, timer)| (now + self.rtt.rto, timer));
    }

    /// Is the connection given up?
    pub fn ring(&mut self, now: u64) -> bool {
        match self.timer.take() {
            Some((_, Timer::Probe)) => self.probe_due = true,
            Some((_, Timer::Reorder)) => {
                self.detect(now);
                if let State::Recovery(_) = self.state {
                    self.cwnd_reduction(1, false);
                }
                if self.timer.is_none() {
                    self.arm(now, false);
                }
            }
            Some((_, Timer::Rto)) => return self.time_out(now),
            None => {}
        }
        false
    }

    fn time_out(&mut self, now: u64) -> bool {
        self.timeouts += 1;
        if self.timeouts > 15 {
            return true;
        }
        if !matches!(self.state, State::Loss(..)) {
            self.prior = (self.window.cwnd, self.window.ssthresh);
            self.window.recalc_ssthresh();
            self.window.loss(now, self.sent.len() as u64);
        }
        self.state = State::Loss(self.sent.len() as u64, now);
        (self.probe, self.probe_due) = (None, false);
        let una = self.una;
        self.sent[una..]
            .iter_mut()
            .filter(|sent| !sent.arrived)
            .for_each(|sent| (sent.lost, sent.again) = (true, false));
        self.window.cwnd = 1;
        self.rtt.rto = (2 * self.rtt.rto).min((120_000 * MS).max(self.rtt.rto));
        self.timer = Some((now + self.rtt.rto, Timer::Rto));
        false
    }

    pub fn acknowledged(&mut self, now: u64, packet: &Packet) {
        let (mut first, mut last, mut beyond) = (None, None, None);
        let (before, mut delivered) = (self.una, 0);
        let least = self.rtt.min;
        for &number in packet.early.iter().filter(|&&number| number >= before as u64) {
            let sent = &mut self.sent[number as usize];
            if !sent.arrived {
                delivered += 1;
                deliver(now, sent, least, packet.echo, &mut self.latest);
                if !sent.repeated {
                    beyond = Some(sent.stamp);
                }
            }
        }
        for number in before..packet.next as usize {
            let sent = &mut self.sent[number];
            if !sent.arrived {
                delivered += 1;
                deliver(now, sent, least, packet.echo, &mut self.latest);
                if !sent.repeated {
                    first = first.or(Some(sent.stamp));
                    last = Some(sent.stamp);
                }
            }
        }
        self.una = before.max(packet.next as usize);
        let advanced = self.una > before;
        let (una, next) = (self.una as u64, self.sent.len() as u64);
        if let Some(stamp) = first.or(beyond).or(advanced.then_some(packet.echo)) {
            self.rtt.sample(now - stamp, una, next);
        }
        if let Some(stamp) = last.or(beyond) {
            self.window.pkts_acked(now, now - stamp, una, next);
        }
        self.end_probe(packet, advanced);
        self.timeouts = if advanced { 0 } else { self.timeouts };
        let oldest = self.outstanding().first().map(|sent| sent.stamp);
        if advanced || beyond.is_some_and(|stamp| oldest.is_none_or(|oldest| stamp < oldest)) {
            (self.timer, self.probe_due) = (None, false);
        }
        self.leave_state(packet, advanced);
        self.detect(now);
        if let State::Recovery(_) = self.state {
            self.cwnd_reduction(delivered, advanced);
        } else if advanced && self.is_cwnd_limited() {
            self.window.cong_avoid(now, delivered);
        }
        if self.timer.is_none() {
            self.arm(now, true);
        }
    }

    fn end_probe(&mut self, packet: &Packet, advanced: bool) {
        let Some((high, again)) = self.probe.filter(|&(high, _)| packet.next >= high as u64) else { return };
        let repaired = again && !packet.duplicate && packet.next > high as u64;
        if repaired && self.state == State::Open {
            self.window.recalc_ssthresh();
            self.window.cwnd = self.window.ssthresh;
        }
        if repaired || !again || packet.duplicate || (packet.kind == Kind::Acknowledgement && !advanced) {
            self.probe = None;
        }
    }

    fn leave_state(&mut self, packet: &Packet, advanced: bool) {
        match self.state {
            State::Recovery(until) if packet.next >= until => {
                self.window.cwnd = self.window.ssthresh;
                self.state = State::Open;
            }
            State::Loss(_, since) if advanced && packet.echo < since => {
                self.sent.iter_mut().for_each(|sent| sent.lost = false);
                self.window.cwnd = self.window.cwnd.max(self.prior.0);
                self.window.ssthresh = self.window.ssthresh.max(self.prior.1);
                self.state = State::Open;
            }
            State::Loss(until, _) if packet.next >= until => self.state = State::Open,
            _ => {}
        }
    }

    fn detect(&mut self, now: u64) {
        let arrived = self.outstanding().iter().filter(|sent| sent.arrived).count();
        let at_once = self.state != State::Open || arrived >= 3;
        let patience = (self.rtt.min / 4).min(self.rtt.srtt().unwrap_or(0));
        let (latest, took) = self.latest;
        let (una, mut found) = (self.una, false);
        let is_behind = |sent: &&mut Sent| !sent.arrived && sent.transmission < latest && (!sent.lost || sent.again);
        let mut behind: Vec<_> = self.sent[una..].iter_mut().filter(is_behind).collect();
        behind.sort_by_key(|sent| sent.transmission);
        for sent in behind {
            let due = sent.stamp + took + patience;
            if !at_once && due > now {
                self.timer = Some((due, Timer::Reorder));
                break;
            }
            (sent.lost, sent.again, found) = (true, false, true);
        }
        if found && self.state == State::Open {
            self.prr = (0, 0, self.window.cwnd);
            self.window.recalc_ssthresh();
            self.state = State::Recovery(self.sent.len() as u64);
            self.probe = None;
        }
    }

    fn cwnd_reduction(&mut self, delivered: u64, advanced: bool) {
        if delivered == 0 {
            return;
        }
        self.prr.0 += delivered;
        let (prr_delivered, prr_out, prior_cwnd) = self.prr;
        let (out, ssthresh) = (self.in_flight() as i64, self.window.ssthresh as i64);
        let sndcnt = if ssthresh < out {
            (ssthresh * prr_delivered as i64 + prior_cwnd as i64 - 1) / prior_cwnd as i64 - prr_out as i64
        } else {
            let more = (prr_delivered as i64 - prr_out as i64).max(delivered as i64) + i64::from(advanced);
            more.min(ssthresh - out)
        };
        self.window.cwnd = (out + sndcnt.max(i64::from(prr_out == 0)).max(0)) as u64;
    }

    fn is_cwnd_limited(&self) -> bool {
        let slow = self.window.cwnd < self.window.ssthresh;
        self.limited || (slow && self.window.cwnd < 2 * self.max_out as u64)
    }

    pub fn cwnd_validate(&mut self, now: u64) {
        let full = self.in_flight() >= self.window.cwnd;
        if self.una >= self.usage_seq || full || (!self.limited && self.out() > self.max_out) {
            (self.limited, self.max_out, self.usage_seq) = (full, self.out(), self.sent.len());
        }
        if self.is_cwnd_limited() {
            (self.used, self.stamp_full) = (0, now);
            return;
        }
        self.used = self.used.max(self.out());
        if self.restart && now - self.stamp_full >= self.rtt.rto {
            let used = self.initial.max(self.used as u64);
            if self.state == State::Open && used < self.window.cwnd {
                self.remember();
                self.window.cwnd = (self.window.cwnd + used) >> 1;
            }
            (self.used, self.stamp_full) = (0, now);
        }
    }
}

fn deliver(now: u64, sent: &mut Sent, least: u64, echo: u64, latest: &mut (u64, u64)) {
    let took = now - sent.stamp;
    (sent.arrived, sent.lost, sent.again) = (true, false, false);
    if sent.transmission > latest.0 && !(sent.repeated && (took < least || echo < sent.stamp)) {
        *latest = (sent.transmission, took);
    }
}
