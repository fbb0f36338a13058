//! When clients can be asked: computed on demand from addressed streams, so that nothing ticks for an idle client.
//!
//! Being available decides about being asked, and about nothing else: who works on something finishes it, unless it drops out
//! ([`crate::Hazard`]). The answer depends on the client and the time (or round) only, never on who asks how often, so that
//! different protocols meet the same clients. It must not know protocols.

use std::sync::Arc;

use fedbits_random::{Purpose as Draw, Stream, Streams};

use crate::{NodeId, Span, Time};

/// When a client can be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Availability {
    /// Always.
    Always,
    /// In each round with this probability, independently.
    Bernoulli(f64),
    /// Alternating periods of independent durations, begun long before time zero.
    OnOff {
        /// Durations of availability.
        on: Durations,
        /// Durations of absence.
        off: Durations,
    },
    /// In a window of each local day.
    Diurnal(Diurnal),
    /// In given intervals.
    Trace(Arc<Trace>),
}

/// A law of positive durations.
#[derive(Clone, Debug, PartialEq)]
pub enum Durations {
    /// Exponential with this mean.
    Exponential(Span),
    /// One of these, each equally likely; at least one, all positive.
    Empirical(Arc<[Span]>),
}

/// A window of each local day, such as the night when a phone is charged.
#[derive(Clone, Debug, PartialEq)]
pub struct Diurnal {
    /// Local time of day at which it begins.
    pub from: Span,
    /// Local time of day at which it ends; before `from`: on the next day.
    pub to: Span,
    /// Offsets of local time against the clock of the run (whose time zero is midnight) in seconds; each client has one of them.
    pub zones: Arc<[i64]>,
    /// Probability that a client has its window on a given day.
    pub probability: f64,
}

/// Intervals of availability.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Per row the intervals [from, to), sorted and disjoint; node 1 has the first row, and rows are used again in turn.
    pub rows: Vec<Vec<(Time, Time)>>,
    /// After this span everything repeats; not before the last interval's end.
    pub period: Option<Span>,
}

const DAY: i128 = 86_400_000_000_000;

impl Availability {
    /// Long-run share of time in which a client is available, where it has one.
    pub fn share(&self) -> Option<f64> {
        match self {
            Self::Always => Some(1.0),
            Self::Bernoulli(p) => Some(*p),
            Self::OnOff { on, off } => Some(on.mean() / (on.mean() + off.mean())),
            Self::Diurnal(diurnal) => {
                let window = (nanoseconds(diurnal.to) - nanoseconds(diurnal.from)).rem_euclid(DAY);
                Some(diurnal.probability * window as f64 / DAY as f64)
            }
            Self::Trace(trace) => trace.period.map(|period| {
                let on: u64 = trace.rows.iter().flatten().map(|(from, to)| (*to - *from).as_nanos()).sum();
                on as f64 / (period.as_nanos() as f64 * trace.rows.len() as f64)
            }),
        }
    }
}

impl Durations {
    /// In nanoseconds.
    fn mean(&self) -> f64 {
        match self {
            Self::Exponential(mean) => mean.as_nanos() as f64,
            Self::Empirical(spans) => spans.iter().map(|span| span.as_nanos() as f64).sum::<f64>() / spans.len() as f64,
        }
    }

    /// A whole duration, at least 1 ns.
    fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Exponential(mean) => ((mean.as_nanos() as f64 * stream.exponential()) as u64).max(1),
            Self::Empirical(spans) => spans[stream.below(spans.len() as u64) as usize].as_nanos().max(1),
        }
    }

    /// What is left of the duration under way at a time that knows nothing of it: a long one is met more often (with
    /// probability proportional to its length), at a uniform place. An exponential one has no memory.
    fn draw_rest(&self, stream: &mut Stream) -> u64 {
        let Self::Empirical(spans) = self else { return self.draw(stream) };
        let lengths: Vec<f64> = spans.iter().map(|span| span.as_nanos() as f64).collect();
        let met = lengths[stream.categorical(&lengths)];
        ((met * stream.uniform()) as u64).max(1)
    }
}

/// A run that waits looks ahead so many days.
const MOST_DAYS: i128 = 100_000;

impl Diurnal {
    /// What local time is ahead of the clock.
    fn offset(&self, streams: &Streams, node: NodeId) -> i128 {
        let zone = streams.at(Draw::Availability, u64::from(node.0), 0).below(self.zones.len() as u64);
        i128::from(self.zones[zone as usize]) * 1_000_000_000
    }

    /// Does the client have its window that begins on this local day?
    fn is_drawn(&self, streams: &Streams, node: NodeId, day: i128) -> bool {
        // Zones reach back less than two days: the addresses of days stay positive.
        streams.at(Draw::Availability, u64::from(node.0), (day + 3) as u64).bernoulli(self.probability)
    }

    fn contains(&self, streams: &Streams, node: NodeId, now: Time) -> bool {
        let local = i128::from(now.as_nanos()) + self.offset(streams, node);
        let (day, time) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (from, to) = (nanoseconds(self.from), nanoseconds(self.to));
        let (inside, began) = match from < to {
            true => ((from..to).contains(&time), day),
            false => (time >= from || time < to, if time >= from { day } else { day - 1 }),
        };
        inside && self.is_drawn(streams, node, began)
    }

    /// The beginning of the next window after `now`.
    fn next(&self, streams: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let offset = self.offset(streams, node);
        let local = i128::from(now.as_nanos()) + offset;
        let (day, from) = (local.div_euclid(DAY), nanoseconds(self.from));
        let first = if local.rem_euclid(DAY) < from { day } else { day + 1 };
        let day = (first..first + MOST_DAYS).find(|&day| self.is_drawn(streams, node, day))?;
        u64::try_from(day * DAY + from - offset).ok().map(Time::from_nanos)
    }
}

fn nanoseconds(span: Span) -> i128 {
    i128::from(span.as_nanos())
}

impl Trace {
    fn contains(&self, node: NodeId, now: Time) -> bool {
        let rows = self.rows.len();
        let row = &self.rows[(node.0 as usize + rows - 1) % rows];
        let now = match self.period {
            Some(period) => Time::from_nanos(now.as_nanos() % period.as_nanos()),
            None => now,
        };
        let after = row.partition_point(|(from, _)| *from <= now);
        after > 0 && now < row[after - 1].1
    }

    /// The beginning of the next interval after `now`.
    fn next(&self, node: NodeId, now: Time) -> Option<Time> {
        let row = &self.rows[(node.0 as usize + self.rows.len() - 1) % self.rows.len()];
        let Some(period) = self.period else { return row.iter().map(|(from, _)| *from).find(|from| *from > now) };
        let (turn, phase) = (now.as_nanos() / period.as_nanos(), now.as_nanos() % period.as_nanos());
        let at = |turn: u64, from: Time| turn.checked_mul(period.as_nanos())?.checked_add(from.as_nanos());
        let in_this = row.iter().find(|(from, _)| from.as_nanos() > phase).and_then(|(from, _)| at(turn, *from));
        in_this.or_else(|| at(turn + 1, row.first()?.0)).map(Time::from_nanos)
    }
}

/// Who is available when. Times asked for must not decrease.
#[derive(Clone, Debug)]
pub struct Presence {
    availability: Availability,
    /// Where each node is in its alternation; empty for the other kinds.
    periods: Vec<Option<Period>>,
}

/// A period of one node: even numbers are on, odd ones off.
#[derive(Clone, Copy, Debug)]
struct Period {
    number: u64,
    until: Time,
}

impl Presence {
    /// For nodes 0..`nodes`.
    pub fn new(availability: Availability, nodes: usize) -> Self {
        let alternates = matches!(availability, Availability::OnOff { .. });
        Self { periods: vec![None; if alternates { nodes } else { 0 }], availability }
    }

    /// Can `node` be asked at `now`, in round `round`?
    #[inline]
    pub fn is_available(&mut self, streams: &Streams, node: NodeId, round: u64, now: Time) -> bool {
        match &self.availability {
            Availability::Always => true,
            Availability::Bernoulli(p) => streams.at(Draw::Availability, u64::from(node.0), round).bernoulli(*p),
            Availability::OnOff { on, off } => {
                let place = &mut self.periods[node.0 as usize];
                let period = at(streams, node, *place, [on, off], now);
                *place = Some(period);
                period.number.is_multiple_of(2)
            }
            Availability::Diurnal(diurnal) => diurnal.contains(streams, node, now),
            Availability::Trace(trace) => trace.contains(node, now),
        }
    }
}

impl Presence {
    /// Does the clock decide who is there, and not a draw for each round?
    pub fn goes_by_the_clock(&self) -> bool {
        !matches!(self.availability, Availability::Always | Availability::Bernoulli(_))
    }

    /// When `node` can be asked next: `now`, if it can; `None`, if never again. Where rounds decide and not the clock: `now`.
    pub fn next(&mut self, streams: &Streams, node: NodeId, round: u64, now: Time) -> Option<Time> {
        if matches!(self.availability, Availability::Bernoulli(_)) || self.is_available(streams, node, round, now) {
            return Some(now);
        }
        match &self.availability {
            Availability::Always | Availability::Bernoulli(_) => Some(now),
            Availability::OnOff { .. } => self.periods[node.0 as usize].map(|period| period.until),
            Availability::Diurnal(diurnal) => diurnal.next(streams, node, now),
            Availability::Trace(trace) => trace.next(node, now),
        }
    }
}

/// The period of `node` at `now`, from an earlier one or from the beginning.
fn at(streams: &Streams, node: NodeId, from: Option<Period>, laws: [&Durations; 2], now: Time) -> Period {
    let stream = |number| streams.at(Draw::Availability, u64::from(node.0), number);
    let mut period = from.unwrap_or_else(|| {
        let [on, off] = laws.map(Durations::mean);
        let mut first = stream(0);
        let number = u64::from(!first.bernoulli(on / (on + off)));
        Period { number, until: Time::from_nanos(laws[number as usize].draw_rest(&mut first)) }
    });
    while period.until <= now {
        period.number += 1;
        let span = laws[(period.number % 2) as usize].draw(&mut stream(period.number));
        // Beyond the clock it stays as it is.
        period.until = period.until.checked_add(Span::from_nanos(span)).unwrap_or(Time::MAX);
    }
    period
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAMS: fn() -> Streams = || Streams::new(5, 0);

    fn seconds(count: u64) -> Span {
        Span::from_nanos(count * 1_000_000_000)
    }

    fn time(count: f64) -> Time {
        Time::from_nanos((count * 1e9) as u64)
    }

    fn on_off() -> [Availability; 2] {
        let exponential = |mean| Durations::Exponential(seconds(mean));
        let empirical = |spans: &[u64]| Durations::Empirical(spans.iter().map(|&span| seconds(span)).collect());
        [
            Availability::OnOff { on: exponential(30), off: exponential(70) },
            Availability::OnOff { on: empirical(&[10, 50]), off: empirical(&[1, 69, 140]) },
        ]
    }

    /// E on = 30, E off = 70: at any time a share of 0.3 of the clients is available, also at time zero (stationary start).
    /// 20 000 clients: standard error 0.0033, z-limit 5.
    #[test]
    fn alternation_is_stationary_from_the_start() {
        for availability in on_off() {
            assert!((availability.share().unwrap() - 0.3).abs() < 1e-12);
            let mut presence = Presence::new(availability, 20_001);
            for at in [0.0, 3.0, 50.0, 1_000.0] {
                let on = (1..=20_000).filter(|&i| presence.is_available(&STREAMS(), NodeId(i), 0, time(at))).count();
                assert!((on as f64 / 20_000.0 - 0.3).abs() < 5.0 * 0.0033, "{on} at {at} s");
            }
        }
    }

    /// The time that is named is the first at which the client is there: it is there then, and not a nanosecond earlier.
    #[test]
    fn the_next_time_is_the_first() {
        let hours = |count: u64| seconds(3_600 * count);
        let window = Diurnal { from: hours(22), to: hours(6), zones: [-5 * 3_600, 3_600].into(), probability: 0.4 };
        let rows = vec![vec![(time(1.0), time(2.0)), (time(5.0), time(6.0))], vec![(time(0.0), time(3.0))]];
        let trace = Trace { rows, period: Some(seconds(7)) };
        let [first, second] = on_off();
        for availability in [first, second, Availability::Diurnal(window), Availability::Trace(Arc::new(trace))] {
            for (node, at) in (1..40).map(NodeId).zip((0..).map(|step| time(1_234.5 * f64::from(step)))) {
                let mut presence = Presence::new(availability.clone(), 41);
                let there = presence.is_available(&STREAMS(), node, 0, at);
                let next = presence.next(&STREAMS(), node, 0, at).unwrap();
                assert_eq!(next == at, there);
                if !there {
                    let before = Time::from_nanos(next.as_nanos() - 1);
                    assert!(!presence.is_available(&STREAMS(), node, 0, before), "{availability:?}");
                    assert!(presence.is_available(&STREAMS(), node, 0, next), "{availability:?}");
                }
            }
        }
        let ends = Availability::Trace(Arc::new(Trace { rows: vec![vec![(time(0.0), time(1.0))]], period: None }));
        assert_eq!(Presence::new(ends, 2).next(&STREAMS(), NodeId(1), 0, time(1.0)), None);
    }

    /// Asked every second, or only once: the same answer.
    #[test]
    fn the_answer_does_not_depend_on_who_asks_how_often() {
        for availability in on_off() {
            let (mut often, mut once) = (Presence::new(availability.clone(), 50), Presence::new(availability, 50));
            for node in (1..50).map(NodeId) {
                for at in 0..300 {
                    often.is_available(&STREAMS(), node, at, time(at as f64));
                }
                let [often, once] =
                    [&mut often, &mut once].map(|presence| presence.is_available(&STREAMS(), node, 7, time(300.0)));
                assert_eq!(often, once);
            }
        }
    }

    /// 22:00 to 06:00 local time in two zones: at 03:00 of the clock those of offset 0 are there, at 15:00 those of +12 h, at
    /// 08:00 (20:00 there) nobody. With probability 1/2 per day about half of them, and the same ones at both ends of a night.
    #[test]
    fn days_have_their_time_zones() {
        let hours = |count: u64| seconds(3_600 * count);
        let zones: Arc<[i64]> = [0, 12 * 3_600].into();
        let diurnal = |probability| {
            let window = Diurnal { from: hours(22), to: hours(6), zones: Arc::clone(&zones), probability };
            Presence::new(Availability::Diurnal(window), 0)
        };
        let there = |presence: &mut Presence, hour: f64| -> Vec<u32> {
            let at = time(3_600.0 * hour);
            (1..=2_000).filter(|&i| presence.is_available(&STREAMS(), NodeId(i), 0, at)).collect()
        };
        let mut always = diurnal(1.0);
        let (night, day) = (there(&mut always, 3.0), there(&mut always, 15.0));
        assert_eq!(night.len() + day.len(), 2_000);
        assert!(night.iter().all(|i| !day.contains(i)));
        assert!((night.len() as f64 - 1_000.0).abs() < 5.0 * 22.4, "a fair coin decides about the zone");
        assert!(there(&mut always, 8.0).is_empty());
        let mut sometimes = diurnal(0.5);
        let (evening, morning, next) =
            (there(&mut sometimes, 23.0), there(&mut sometimes, 29.0), there(&mut sometimes, 47.0));
        assert_eq!(evening, morning, "one night, before and after midnight");
        assert_ne!(evening, next);
        assert!((evening.len() as f64 - 500.0).abs() < 5.0 * 19.4);
        let share = Availability::Diurnal(Diurnal { from: hours(22), to: hours(6), zones, probability: 0.5 }).share();
        assert!((share.unwrap() - 0.5 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn traces_are_half_open_and_repeat() {
        let interval = |from, to| (time(from), time(to));
        let rows = vec![vec![interval(0.0, 1.0), interval(2.0, 3.0)], vec![interval(1.0, 2.0)]];
        let once = Trace { rows, period: None };
        let on = |trace: &Trace, node, at| trace.contains(NodeId(node), time(at));
        let ask = [0.0, 0.999, 1.0, 1.999, 2.0, 3.0, 4.5];
        assert_eq!(ask.map(|at| on(&once, 1, at)), [true, true, false, false, true, false, false]);
        assert_eq!(ask.map(|at| on(&once, 2, at)), [false, false, true, true, false, false, false]);
        assert_eq!(ask.map(|at| on(&once, 3, at)), ask.map(|at| on(&once, 1, at)), "rows are used in turn");
        let again = Trace { period: Some(seconds(4)), ..once };
        assert!(on(&again, 1, 4.5) && on(&again, 1, 4_002.5) && !on(&again, 1, 4_001.5));
        assert_eq!(Availability::Trace(Arc::new(again)).share(), Some(3.0 / 8.0));
    }
}
