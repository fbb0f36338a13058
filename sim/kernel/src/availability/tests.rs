//! Laws over all availabilities, and single values.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fedbits_spec::{Described, Duration, Kind};
use serde::{Deserialize, Serialize};

use super::trace::Windows;
use fedbits_random::Streams;

use super::*;
use crate::{NodeId, Time, TimeDelta};

const STREAMS: fn() -> Streams = || Streams::new(5, 0);

fn time(count: f64) -> Time {
    Time::from_nanos((count * 1e9) as u64)
}

/// E on = 30, E off = 70: at any time a share of 0.3 of the clients is available, also at time zero (stationary start).
/// 20 000 clients: standard error 0.0033, z-limit 5.
#[test]
fn alternation_is_stationary_from_the_start() {
    for availability in OnOff::examples() {
        assert!((availability.share(2_000).unwrap() - 0.3).abs() < 1e-12);
        let mut presence = availability.build(20_001);
        for at in [0.0, 3.0, 50.0, 1_000.0] {
            let on = (1..=20_000).filter(|&i| presence.is_available(&STREAMS(), NodeId(i), 0, time(at))).count();
            assert!((on as f64 / 20_000.0 - 0.3).abs() < 5.0 * 0.0033, "{on} at {at} s");
        }
    }
}

#[test]
fn every_availability_obeys_the_laws() {
    for entry in <dyn AvailabilitySetting>::registry().entries() {
        (entry.examples)().iter().for_each(|setting| laws::setting(setting.as_ref()));
    }
    let mut ends = Windows::new(&[vec![interval(0.0, 1.0)]], None);
    assert_eq!(ends.next(&STREAMS(), NodeId(1), 0, time(1.0)), None);
}

/// Those of odd seconds, of whom something is wrong.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct OddSeconds {
    wrong: Wrong,
}

#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
enum Wrong {
    Nothing,
    /// Whoever is away is back now.
    Now,
    /// Or was back before.
    Past,
    /// Comes a second late.
    Late,
    /// Is there longer than it says.
    Ends,
    /// Says that it never comes back.
    Never,
    /// Says that it stays.
    Stays,
    /// Is there every other time that it is asked.
    Forgets,
    Share(#[described(by_rules)] f64),
}

struct Odd {
    wrong: Wrong,
    asked: u64,
}

impl AvailabilitySetting for OddSeconds {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        Box::new(Odd { wrong: self.wrong, asked: 0 })
    }

    fn share(&self, _: usize) -> Option<f64> {
        if let Wrong::Share(share) = self.wrong { Some(share) } else { Some(0.5) }
    }

    fn examples() -> Vec<Self> {
        vec![Self { wrong: Wrong::Nothing }]
    }
}

impl Presence for Odd {
    fn is_available(&mut self, _: &Streams, _: NodeId, _: u64, now: Time) -> bool {
        self.asked += 1;
        let seconds = if self.wrong == Wrong::Forgets { self.asked } else { now.as_nanos() / 1_000_000_000 };
        seconds % 2 == 1
    }

    fn next_after(&mut self, _: &Streams, _: NodeId, now: Time) -> Option<Time> {
        let seconds = now.as_nanos() / 1_000_000_000;
        Some(match self.wrong {
            Wrong::Never => return None,
            Wrong::Now => now,
            Wrong::Past => Time::ZERO,
            Wrong::Late => time((seconds + 3) as f64),
            _ => time((seconds + 1) as f64),
        })
    }

    fn until(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time> {
        match self.wrong {
            Wrong::Ends => Some(now + TimeDelta::of(Duration::Sec(2.0))),
            Wrong::Stays => None,
            _ => self.next_after(streams, node, now),
        }
    }

    fn goes_by_the_clock(&self) -> bool {
        self.wrong != Wrong::Forgets
    }
}

fn refuses(setting: &dyn AvailabilitySetting, expected: &str) {
    let law = AssertUnwindSafe(|| laws::setting(setting));
    let refused = catch_unwind(law).expect_err("a wrong availability passed");
    let text = refused.downcast_ref::<String>().expect("a message");
    assert!(text.contains(expected), "{setting:?}: {text}");
}

#[test]
fn the_laws_refuse_wrong_availabilities() {
    laws::availability::<OddSeconds>();
    let cases = [
        (Wrong::Now, "is said to be back"),
        (Wrong::Past, "is said to be back"),
        (Wrong::Late, "and is there at"),
        (Wrong::Ends, "is to be there until"),
        (Wrong::Never, "for good, and back"),
        (Wrong::Stays, "to stay, and away"),
        (Wrong::Forgets, "asked often and once"),
        (Wrong::Share(f64::NAN), "the share"),
        (Wrong::Share(7.0), "the share"),
        (Wrong::Share(0.6), "of the time is there"),
        (Wrong::Share(1.0), "of the time is there"),
    ];
    for (wrong, expected) in cases {
        refuses(&OddSeconds { wrong }, expected);
    }
    refuses(&Bernoulli(0.0), "no client is ever available");
}

/// 22:00 to 06:00 local time in two zones: at 03:00 of the clock those of offset 0 are there, at 15:00 those of +12 h,
/// at 08:00 (20:00 there) nobody. With probability 1/2 per day about half of them, and the same ones at both ends of a
/// night.
#[test]
fn days_have_their_time_zones() {
    let diurnal = |probability| Diurnal { from: 22.0, to: 6.0, zones: vec![0.0, 12.0], probability };
    let there = |presence: &mut Diurnal, hour: f64| -> Vec<u32> {
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
    let whole = Diurnal { from: 0.0, to: 24.0, ..diurnal(1.0) };
    assert_eq!(whole.share(1), Some(1.0));
    assert_ne!(evening, next);
    assert!((evening.len() as f64 - 500.0).abs() < 5.0 * 19.4);
    assert!((diurnal(0.5).share(2_000).unwrap() - 0.5 / 3.0).abs() < 1e-12);
}

fn interval(from: f64, to: f64) -> Interval {
    Interval { from: Duration::Sec(from), to: Duration::Sec(to) }
}

#[test]
fn traces_are_half_open_and_repeat() {
    let rows = vec![vec![interval(0.0, 1.0), interval(2.0, 3.0)], vec![interval(1.0, 2.0)]];
    let (once, again) = (Trace { rows: rows.clone(), repeat: None }, Trace { rows, repeat: Some(Duration::Sec(4.0)) });
    let on = |trace: &Trace, node, at| trace.build(0).is_available(&STREAMS(), NodeId(node), 0, time(at));
    let ask = [0.0, 0.999, 1.0, 1.999, 2.0, 3.0, 4.5];
    assert_eq!(ask.map(|at| on(&once, 1, at)), [true, true, false, false, true, false, false]);
    assert_eq!(ask.map(|at| on(&once, 2, at)), [false, false, true, true, false, false, false]);
    assert_eq!(ask.map(|at| on(&once, 3, at)), ask.map(|at| on(&once, 1, at)), "rows are used in turn");
    assert!(on(&again, 1, 4.5) && on(&again, 1, 4_002.5) && !on(&again, 1, 4_001.5));
    // Of one client the first row counts alone, of three it counts twice.
    assert_eq!([1, 2, 3].map(|clients| again.share(clients)), [2.0 / 4.0, 3.0 / 8.0, 5.0 / 12.0].map(Some));
}
