//! A window of each local day, such as the night when a phone is charged.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Interval, PROBABILITY};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::setting::{AvailabilitySetting, Presence};
use crate::{NodeId, Time};

/// [0, 24].
const HOUR: Interval = Interval::closed(0.0, 24.0, "from 0 to 24 (hours of the day)");
/// [−14, 14].
const ZONE: Interval = Interval::closed(-14.0, 14.0, "from -14 to 14 (hours)");

/// In a daily window of local time; runs begin at midnight of zone 0.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = window)]
pub struct Diurnal {
    /// Local hour of its start; below 24.
    #[range(HOUR)]
    pub from: f64,
    /// Local hour of its end, other than `from`; if less, on the next day.
    #[range(HOUR)]
    pub to: f64,
    /// Time zones, one of which each client draws.
    #[serde(default = "one_zone")]
    #[range(ZONE)]
    pub zones: Vec<f64>,
    /// Probability of a client's window on a day.
    #[serde(default = "certain")]
    #[range(PROBABILITY)]
    pub probability: f64,
}

fn one_zone() -> Vec<f64> {
    vec![0.0]
}

fn certain() -> f64 {
    1.0
}

fn window(diurnal: &Diurnal, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let Diurnal { from, to, ref zones, .. } = *diurnal;
    if HOUR.contains(from) && HOUR.contains(to) && (from == to || from == 24.0) {
        let expected = "expected a window: `from` below 24 and different from `to`";
        findings.error(at.field("from"), "the window of the day is empty", expected);
    }
    if zones.is_empty() {
        findings.error(at.field("zones"), "there is no time zone", "expected at least one, such as `[0]`");
    }
}

const DAY: i128 = 86_400_000_000_000;
/// A run that waits looks ahead at most this many days.
const MAX_DAYS: i128 = 100_000;

fn nanoseconds(hours: f64) -> i128 {
    (hours * 3_600.0 * 1e9).round() as i128
}

impl Diurnal {
    /// What local time is ahead of the clock.
    fn offset(&self, streams: &Streams, node: NodeId) -> i128 {
        let zone = streams.at(DrawPurpose::Availability, u64::from(node.0), 0).below(self.zones.len() as u64);
        i128::from((self.zones[zone as usize] * 3_600.0) as i64) * 1_000_000_000
    }

    /// Whether a local time lies in a window, and the day on which that window, if so, began.
    fn window(&self, local: i128) -> (bool, i128) {
        let (day, time) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (from, to) = (nanoseconds(self.from), nanoseconds(self.to));
        match from < to {
            true => ((from..to).contains(&time), day),
            false => (time >= from || time < to, if time >= from { day } else { day - 1 }),
        }
    }

    /// Does the client have its window that begins on this local day?
    fn is_drawn(&self, streams: &Streams, node: NodeId, day: i128) -> bool {
        // Zones reach back less than two days: the addresses of days stay positive.
        streams.at(DrawPurpose::Availability, u64::from(node.0), (day + 3) as u64).bernoulli(self.probability)
    }
}

impl AvailabilitySetting for Diurnal {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        Box::new(self.clone())
    }

    fn share(&self, _: usize) -> Option<f64> {
        // From 0 to 24 is the whole day.
        let length = nanoseconds(self.to) - nanoseconds(self.from);
        let window = if length == DAY { DAY } else { length.rem_euclid(DAY) };
        Some(self.probability * window as f64 / DAY as f64)
    }

    fn examples() -> Vec<Self> {
        vec![Diurnal { from: 22.0, to: 6.0, zones: vec![-5.0, 1.0], probability: 0.4 }]
    }
}

impl Presence for Diurnal {
    fn is_available(&mut self, streams: &Streams, node: NodeId, _: u64, now: Time) -> bool {
        let local = i128::from(now.as_nanos()) + self.offset(streams, node);
        let (inside, began) = self.window(local);
        inside && self.is_drawn(streams, node, began)
    }

    /// The beginning of the next window.
    fn next_after(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let offset = self.offset(streams, node);
        let local = i128::from(now.as_nanos()) + offset;
        let (day, from) = (local.div_euclid(DAY), nanoseconds(self.from));
        let first = if local.rem_euclid(DAY) < from { day } else { day + 1 };
        let day = (first..first + MAX_DAYS).find(|&day| self.is_drawn(streams, node, day))?;
        u64::try_from(day * DAY + from - offset).ok().map(Time::from_nanos)
    }

    fn until(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time> {
        let offset = self.offset(streams, node);
        let (_, began) = self.window(i128::from(now.as_nanos()) + offset);
        let (from, to) = (nanoseconds(self.from), nanoseconds(self.to));
        let end = began * DAY + if from < to { to } else { DAY + to };
        u64::try_from(end - offset).ok().map(Time::from_nanos)
    }
}
