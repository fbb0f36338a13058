//! The sending side of one direction of a connection: which packet may be sent now, and what acknowledgements and
//! timers change.
//!
//! Losses are repaired as Linux does: three later packets that have arrived (or a quarter of the least round trip after
//! one) start a recovery, in which the window shrinks in proportion to what arrives (RFC 6937); a probe after two round
//! trips without an acknowledgement (RFC 8985) finds losses at the end; a timeout begins anew with a window of one,
//! unless the next acknowledgement shows that nothing was lost (RFC 4015). This file must not know links or messages.

use crate::congestion::{Congestion, Window};
use crate::round_trip::{LEAST_TIMEOUT, RoundTrip};
use crate::scoreboard::{Doubt, News, Scoreboard};

/// So many timeouts in a row, and the connection is given up (Linux's `tcp_retries2`).
pub(super) const MOST_TIMEOUTS: u32 = 15;
/// Later packets that have arrived before one is taken for lost.
const REORDERING: u64 = 3;
/// What a probe waits for beyond two round trips: two ticks of Linux's clock.
const TICKS: u64 = 2_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Until all packets before `until` are acknowledged.
    Recovery {
        until: u64,
    },
    /// After a timeout: what was sent again first since then.
    Loss {
        until: u64,
        since: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alarm {
    Timeout,
    Probe,
    Patience,
}

/// What an acknowledgement says to the sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    pub(super) acknowledged: u64,
    pub(super) echo: u64,
    pub(super) duplicate: bool,
    /// It comes without data.
    pub(super) is_bare: bool,
}

/// Of the reduction of the window that goes on (RFC 6937).
#[derive(Clone, Copy, Debug, Default)]
struct Reduction {
    delivered: u64,
    sent: u64,
    from: u64,
}

pub(super) struct Sender {
    pub(super) board: Scoreboard,
    pub(super) window: Window,
    pub(super) trip: RoundTrip,
    /// Packets that the receiver has room for.
    most: u64,
    first_window: u64,
    restarts: bool,
    state: State,
    reduction: Reduction,
    /// Window and threshold before the timeout.
    before: (u64, u64),
    alarm: Option<(u64, Alarm)>,
    pub(super) timeouts: u32,
    /// A probe is out: the packets before this one were sent, and whether it was a repetition.
    probe: Option<(u64, bool)>,
    /// The probe waits to be sent, whatever the window says.
    probe_due: bool,
    usage: Usage,
    last_sent: Option<u64>,
    /// Of the acknowledgement being dealt with.
    news: News,
}

/// Is the window used? Of the present round, which ends when packet `round` is acknowledged.
#[derive(Debug, Default)]
struct Usage {
    is_full: bool,
    most_out: u64,
    round: u64,
    /// Since it was last full: when, and the most packets out.
    full_at: u64,
    used: u64,
}

/// What may be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    New,
    Again(u64),
}

impl Sender {
    pub(super) fn new(kind: Congestion, first_window: u64, most: u64, restarts: bool, now: u64) -> Self {
        Self {
            board: Scoreboard::default(),
            window: Window::new(kind, first_window, now),
            trip: RoundTrip::new(),
            most,
            first_window,
            restarts,
            state: State::Open,
            reduction: Reduction::default(),
            before: (0, 0),
            alarm: None,
            timeouts: 0,
            probe: None,
            probe_due: false,
            usage: Usage { full_at: now, ..Usage::default() },
            last_sent: None,
            news: News::default(),
        }
    }

    pub(super) fn alarm(&self) -> Option<u64> {
        self.alarm.map(|(at, _)| at)
    }

    /// What may be sent, of a stream that has packets before `end`.
    #[inline]
    pub(super) fn turn(&mut self, end: u64) -> Option<Turn> {
        let next = self.board.next();
        if self.probe_due {
            return if next < end { Some(Turn::New) } else { next.checked_sub(1).map(Turn::Again) };
        }
        if self.board.on_the_way() >= self.window.size {
            return None;
        }
        if let Some(number) = self.board.first_repair() {
            return Some(Turn::Again(number));
        }
        (next < end && self.board.outstanding() < self.most).then_some(Turn::New)
    }

    /// What the flow sends in a millisecond at the rate that its window stands for, in packets, and at least two.
    pub(super) fn per_millisecond(&self) -> u64 {
        let Some(trip) = self.trip.smoothed() else { return 2 };
        let micro = if self.window.size < self.window.threshold / 2 { 2_000_000 } else { 1_200_000 };
        (self.window.size.saturating_mul(micro) / trip.max(1)).max(2)
    }

    /// Something is to be sent after a rest: a window that was not used for a timeout halves, once per timeout.
    pub(super) fn wake(&mut self, now: u64) {
        let Some(last) = self.last_sent.filter(|_| self.restarts && self.board.outstanding() == 0) else { return };
        let (timeout, mut idle) = (self.trip.timeout(), now - last);
        if idle <= timeout {
            return;
        }
        self.window.remember();
        let least = self.first_window.min(self.window.size);
        while idle > timeout && self.window.size > least {
            idle -= timeout;
            self.window.size /= 2;
        }
        self.window.size = self.window.size.max(least);
        (self.usage.full_at, self.usage.used) = (now, 0);
    }

    /// A new packet is sent.
    pub(super) fn send(&mut self, now: u64, bits: u32, is_last: bool) -> u64 {
        let was_empty = self.board.outstanding() == 0;
        if was_empty {
            let idle = self.last_sent.map_or(0, |last| now - last);
            self.window.resume(now, idle);
        }
        let number = self.board.send(now, bits, is_last);
        self.sent(now);
        if self.probe_due {
            self.probed(now, false);
        } else if was_empty || !matches!(self.alarm, Some((_, Alarm::Timeout | Alarm::Patience))) {
            self.arm(now, false);
        }
        number
    }

    /// A packet is sent again.
    pub(super) fn repeat(&mut self, now: u64, number: u64) {
        self.board.repeat(now, number);
        self.sent(now);
        if self.probe_due {
            self.probed(now, true);
        } else if self.alarm.is_none() || (number == self.board.first && !self.is_patient()) {
            self.alarm = Some((now.saturating_add(self.trip.timeout()), Alarm::Timeout));
        }
    }

    fn sent(&mut self, now: u64) {
        self.last_sent = Some(now);
        self.reduction.sent += 1;
    }

    fn is_patient(&self) -> bool {
        matches!(self.alarm, Some((_, Alarm::Patience)))
    }

    fn probed(&mut self, now: u64, again: bool) {
        self.probe_due = false;
        self.probe = Some((self.board.next(), again));
        self.alarm = Some((self.timeout_of_oldest(now), Alarm::Timeout));
    }

    fn timeout_of_oldest(&self, now: u64) -> u64 {
        let sent = self.board.oldest().map_or(now, |sent| sent.stamp);
        sent.saturating_add(self.trip.timeout()).max(now + 1)
    }

    /// Sets the alarm anew: a probe where one helps, else the timeout. `advanced`: packets were acknowledged.
    fn arm(&mut self, now: u64, advanced: bool) {
        if self.board.outstanding() == 0 {
            self.alarm = None;
            return;
        }
        let from_now = now.saturating_add(self.trip.timeout());
        if self.state != State::Open || self.probe.is_some() || self.board.arrived > 0 {
            self.alarm = Some((from_now, Alarm::Timeout));
            return;
        }
        let wait = match self.trip.smoothed() {
            Some(trip) if self.board.outstanding() == 1 => 2 * trip + LEAST_TIMEOUT,
            Some(trip) => 2 * trip + TICKS,
            None => crate::round_trip::FIRST_TIMEOUT,
        };
        let timeout = if advanced { from_now } else { self.timeout_of_oldest(now) };
        self.alarm = Some((now.saturating_add(wait).min(timeout), Alarm::Probe));
    }

    /// What the alarm is about has not left the sender: it goes off later.
    pub(super) fn postpone(&mut self, now: u64) {
        self.alarm = self.alarm.map(|(_, alarm)| (now.saturating_add(self.trip.timeout()), alarm));
    }

    /// Has the alarm gone off so often that the connection is given up?
    pub(super) fn ring(&mut self, now: u64) -> bool {
        match self.alarm.take() {
            Some((_, Alarm::Probe)) => self.probe_due = true,
            Some((_, Alarm::Patience)) => {
                self.judge(now);
                if matches!(self.state, State::Recovery { .. }) {
                    self.reduce_in_proportion(1, false);
                }
                if self.alarm.is_none() {
                    self.arm(now, false);
                }
            }
            Some((_, Alarm::Timeout)) => return self.time_out(now),
            None => {}
        }
        false
    }

    fn time_out(&mut self, now: u64) -> bool {
        self.timeouts += 1;
        if self.timeouts > MOST_TIMEOUTS {
            return true;
        }
        if !matches!(self.state, State::Loss { .. }) {
            self.before = (self.window.size, self.window.threshold);
            self.window.reduce();
            self.window.forget(now, self.board.next());
        }
        self.state = State::Loss { until: self.board.next(), since: now };
        (self.probe, self.probe_due) = (None, false);
        self.board.lose_all();
        self.window.size = 1;
        self.trip.back_off();
        self.alarm = Some((now.saturating_add(self.trip.timeout()), Alarm::Timeout));
        false
    }

    /// A packet that arrived before its turn is reported, as a part of an acknowledgement.
    pub(super) fn hear(&mut self, now: u64, number: u64, echo: u64) {
        let doubt = Doubt { least: self.trip.least, echo };
        self.board.arrived(now, number, doubt, &mut self.news);
    }

    /// An acknowledgement, after what it has reported by [`Sender::hear`].
    pub(super) fn acknowledge(&mut self, now: u64, report: Report) {
        let doubt = Doubt { least: self.trip.least, echo: report.echo };
        self.board.arrived_before(now, report.acknowledged, doubt, &mut self.news);
        let news = std::mem::take(&mut self.news);
        let advanced = news.in_order > 0;
        self.measure(now, news, report);
        self.end_probe(report, advanced);
        if advanced {
            self.timeouts = 0;
        }
        // Not by what was sent after the oldest was sent again: else the timeout would move on and on.
        let oldest = self.board.oldest().map_or(u64::MAX, |sent| sent.stamp);
        if advanced || news.beyond.is_some_and(|sent| sent < oldest) {
            (self.alarm, self.probe_due) = (None, false);
        }
        self.leave_state(report, advanced);
        self.judge(now);
        if matches!(self.state, State::Recovery { .. }) {
            self.reduce_in_proportion(news.delivered, advanced);
        } else if advanced && self.is_limiting() {
            self.window.grow(now, news.delivered);
        }
        if self.alarm.is_none() {
            self.arm(now, true);
        }
    }

    fn measure(&mut self, now: u64, news: News, report: Report) {
        let (next, first) = (self.board.next(), self.board.first);
        let by_echo = (news.in_order > 0).then_some(report.echo);
        if let Some(sent) = news.first.or(news.beyond).or(by_echo) {
            self.trip.measure(now - sent, first, next);
        }
        if let Some(sent) = news.last.or(news.beyond) {
            self.window.measured(now, now - sent, first, next);
        }
    }

    /// What has become of a probe that was a repetition: if nothing arrived twice, it has repaired a loss.
    fn end_probe(&mut self, report: Report, advanced: bool) {
        let Some((high, again)) = self.probe.filter(|&(high, _)| report.acknowledged >= high) else { return };
        if again && !report.duplicate && report.acknowledged > high {
            if self.state == State::Open {
                self.window.reduce();
                self.window.size = self.window.threshold;
            }
            self.probe = None;
        } else if !again || report.duplicate || (report.is_bare && !advanced) {
            self.probe = None;
        }
    }

    /// Ends a recovery, or finds a timeout to have been in vain: then nothing had to be sent again.
    fn leave_state(&mut self, report: Report, advanced: bool) {
        match self.state {
            State::Recovery { until } if report.acknowledged >= until => {
                self.window.size = self.window.threshold;
                self.state = State::Open;
            }
            State::Loss { since, .. } if advanced && report.echo < since => {
                self.board.find_all();
                self.window.size = self.window.size.max(self.before.0);
                self.window.threshold = self.window.threshold.max(self.before.1);
                self.state = State::Open;
            }
            State::Loss { until, .. } if report.acknowledged >= until => self.state = State::Open,
            _ => {}
        }
    }

    /// Looks for losses, and begins a recovery at the first.
    fn judge(&mut self, now: u64) {
        let at_once = self.state != State::Open || self.board.arrived >= REORDERING;
        let patience = (self.trip.least / 4).min(self.trip.smoothed().unwrap_or(0));
        let (found, again) = self.board.judge(now, at_once, patience);
        if let Some(at) = again {
            self.alarm = Some((at, Alarm::Patience));
        }
        if found > 0 && self.state == State::Open {
            self.reduction = Reduction { from: self.window.size, ..Reduction::default() };
            self.window.reduce();
            self.state = State::Recovery { until: self.board.next() };
            self.probe = None;
        }
    }

    /// RFC 6937, section 3.1: of each packets that arrive, threshold ÷ window are sent, until the threshold is reached;
    /// below it as many as arrive, and one more while all goes well.
    fn reduce_in_proportion(&mut self, delivered: u64, advanced: bool) {
        if delivered == 0 {
            return;
        }
        let Reduction { from, sent, .. } = self.reduction;
        self.reduction.delivered += delivered;
        let (out, target) = (self.board.on_the_way(), self.window.threshold);
        let more = if out > target {
            (target * self.reduction.delivered).div_ceil(from.max(1)).saturating_sub(sent)
        } else {
            let more = self.reduction.delivered.saturating_sub(sent).max(delivered) + u64::from(advanced);
            more.min(target - out)
        };
        self.window.size = out + more.max(u64::from(sent == 0));
    }

    /// Does the window hold the sender back? In slow start also if half of it is in use.
    fn is_limiting(&self) -> bool {
        self.usage.is_full || (self.window.is_slow_start() && self.window.size < 2 * self.usage.most_out)
    }

    /// Something was sent, or nothing could be for lack of window: how much of the window is used?
    pub(super) fn note_usage(&mut self, now: u64) {
        let (out, is_full) = (self.board.outstanding(), self.board.on_the_way() >= self.window.size);
        let usage = &mut self.usage;
        if self.board.first >= usage.round || is_full || (!usage.is_full && out > usage.most_out) {
            (usage.is_full, usage.most_out, usage.round) = (is_full, out, self.board.next());
        }
        if self.is_limiting() {
            (self.usage.used, self.usage.full_at) = (0, now);
            return;
        }
        self.usage.used = self.usage.used.max(out);
        if self.restarts && now - self.usage.full_at >= self.trip.timeout() {
            let used = self.usage.used.max(self.first_window);
            if self.state == State::Open && used < self.window.size {
                self.window.remember();
                self.window.size = (self.window.size + used) / 2;
            }
            (self.usage.used, self.usage.full_at) = (0, now);
        }
    }
}
