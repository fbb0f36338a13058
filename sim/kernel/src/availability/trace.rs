//! Given intervals of presence.

use fedbits_random::Streams;
use fedbits_spec::range::{DURATION, POSITIVE_DURATION};
use fedbits_spec::{Described, Duration, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::setting::{AvailabilitySetting, Presence};
use crate::{NodeId, Time, TimeDelta};

/// Half-open interval since the start of the run.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Start.
    #[range(DURATION)]
    pub from: Duration,
    /// End; after `from`.
    #[range(DURATION)]
    pub to: Duration,
}

/// In given intervals.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = sorted)]
pub struct Trace {
    /// Sorted, disjoint intervals; client i has row i modulo their number.
    pub rows: Vec<Vec<Interval>>,
    /// Period, at least the end of the last interval.
    #[serde(default)]
    #[range(POSITIVE_DURATION)]
    pub repeat: Option<Duration>,
}

/// Rows of intervals: each after the one before.
fn sorted(Trace { rows, repeat }: &Trace, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let field = at.field("rows");
    if rows.is_empty() {
        findings.error(field, "there are no rows", "expected at least one row of intervals");
    }
    for (row, intervals) in rows.iter().enumerate() {
        let mut end = 0;
        for (index, interval) in intervals.iter().enumerate() {
            let (Ok(from), Ok(to)) = (interval.from.nanoseconds(), interval.to.nanoseconds()) else { continue };
            let path = format!("{field}[{row}][{index}]");
            if from >= to {
                findings.error(path, "the interval ends before it begins", "expected `from` below `to`");
            } else if from < end {
                let found = "the interval begins before the one in front of it has ended";
                findings.error(path, found, "expected intervals that are sorted and do not overlap");
            }
            end = end.max(to);
        }
        if repeat.and_then(|repeat| repeat.nanoseconds().ok()).is_some_and(|repeat| repeat < end) {
            let found = format!("row {row} reaches beyond the duration after which everything repeats");
            let expected = "expected a duration of at least the end of the last interval";
            findings.error(at.field("repeat"), found, expected);
        }
    }
}

impl AvailabilitySetting for Trace {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        Box::new(Windows::new(&self.rows, self.repeat))
    }

    fn share(&self, clients: usize) -> Option<f64> {
        let period = TimeDelta::of(self.repeat?).as_nanos() as f64;
        let length = |interval: &Interval| (TimeDelta::of(interval.to) - TimeDelta::of(interval.from)).as_nanos();
        let clients = clients.max(1);
        let (turns, rest) = (clients / self.rows.len(), clients % self.rows.len());
        let on = |(row, intervals): (usize, &Vec<Interval>)| {
            let clients = turns + usize::from(row < rest);
            clients as f64 * intervals.iter().map(length).sum::<u64>() as f64
        };
        Some(self.rows.iter().enumerate().map(on).sum::<f64>() / (period * clients as f64))
    }

    fn examples() -> Vec<Self> {
        let interval = |from, to| Interval { from: Duration::Sec(from), to: Duration::Sec(to) };
        let rows = vec![vec![interval(1.0, 2.0), interval(5.0, 6.0)], vec![interval(0.0, 3.0)]];
        let daily = vec![vec![interval(0.0, 3.0)]];
        vec![
            Trace { rows, repeat: Some(Duration::Sec(7.0)) },
            Trace { rows: daily, repeat: Some(Duration::Sec(86_400.0)) },
        ]
    }
}

/// Intervals in nanoseconds.
pub(super) struct Windows {
    /// At least one. Per row the intervals [from, to), sorted and disjoint; node 1 has the first row, and rows are used
    /// again in turn.
    rows: Vec<Vec<(Time, Time)>>,
    /// After this duration everything repeats.
    period: Option<TimeDelta>,
}

impl Windows {
    pub(super) fn new(rows: &[Vec<Interval>], repeat: Option<Duration>) -> Self {
        let time = |at: Duration| Time::ZERO + TimeDelta::of(at);
        let row = |row: &Vec<Interval>| row.iter().map(|interval| (time(interval.from), time(interval.to))).collect();
        let mut rows: Vec<_> = rows.iter().map(row).collect();
        if rows.is_empty() {
            rows.push(Vec::new());
        }
        Self { rows, period: repeat.map(TimeDelta::of) }
    }

    fn row(&self, node: NodeId) -> &[(Time, Time)] {
        &self.rows[(node.0 as usize + self.rows.len() - 1) % self.rows.len()]
    }
}

impl Presence for Windows {
    fn period(&self) -> Option<TimeDelta> {
        self.period
    }

    fn is_available(&mut self, _: &Streams, node: NodeId, _: u64, now: Time) -> bool {
        let now = match self.period {
            Some(period) => Time::from_nanos(now.as_nanos() % period.as_nanos()),
            None => now,
        };
        let row = self.row(node);
        let after = row.partition_point(|(from, _)| *from <= now);
        after > 0 && now < row[after - 1].1
    }

    /// The beginning of the next interval.
    fn next_after(&mut self, _: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let row = self.row(node);
        let Some(period) = self.period else { return row.iter().map(|(from, _)| *from).find(|from| *from > now) };
        let (turn, phase) = (now.as_nanos() / period.as_nanos(), now.as_nanos() % period.as_nanos());
        let at = |turn: u64, from: Time| turn.checked_mul(period.as_nanos())?.checked_add(from.as_nanos());
        let in_this = row.iter().find(|(from, _)| from.as_nanos() > phase).and_then(|(from, _)| at(turn, *from));
        in_this.or_else(|| at(turn + 1, row.first()?.0)).map(Time::from_nanos)
    }

    fn until(&mut self, _: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let phase = self.period.map_or(now.as_nanos(), |period| now.as_nanos() % period.as_nanos());
        let window = self.row(node).iter().find(|(_, to)| to.as_nanos() > phase)?;
        now.as_nanos().checked_add(window.1.as_nanos() - phase).map(Time::from_nanos)
    }
}
