//! Laws over all availabilities, and single values.

use fedbits_spec::{Duration, Kind};

use super::trace::Windows;
use fedbits_random::Streams;

use super::*;
use crate::{NodeId, Time};

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

/// The time that is named is the first at which the client is there: it is there then, and not a nanosecond earlier.
#[test]
fn the_next_time_is_the_first() {
    let parts = <dyn AvailabilitySetting>::registry().entries().into_iter().flat_map(|entry| (entry.examples)());
    let mut clocks = 0;
    for availability in parts.filter(|part| part.build(1).goes_by_the_clock()) {
        clocks += 1;
        for (node, at) in (1..40).map(NodeId).zip((0..).map(|step| time(1_234.5 * f64::from(step)))) {
            let mut presence = availability.build(41);
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
    assert!(clocks >= 5);
    let mut ends = Windows::new(&[vec![interval(0.0, 1.0)]], None);
    assert_eq!(ends.next(&STREAMS(), NodeId(1), 0, time(1.0)), None);
}

/// The time that is named is the last: a nanosecond before it the client is still there, and unless the next window
/// begins at once, not at it.
#[test]
fn the_end_of_a_presence_is_its_end() {
    let parts = <dyn AvailabilitySetting>::registry().entries().into_iter().flat_map(|entry| (entry.examples)());
    let mut ends = 0;
    for availability in parts.filter(|part| part.build(1).goes_by_the_clock()) {
        for (node, at) in (1..40).map(NodeId).zip((0..).map(|step| time(1_234.5 * f64::from(step)))) {
            let mut presence = availability.build(41);
            let from = presence.next(&STREAMS(), node, 0, at).unwrap();
            assert!(presence.is_available(&STREAMS(), node, 0, from));
            let Some(end) = presence.until(&STREAMS(), node, from) else { continue };
            assert!(end > from, "{availability:?}");
            assert!(presence.is_available(&STREAMS(), node, 0, Time::from_nanos(end.as_nanos() - 1)));
            ends += usize::from(!presence.is_available(&STREAMS(), node, 0, end));
        }
    }
    assert!(ends > 5 * 39 / 2, "{ends}");
}

/// Asked every second, or only once: the same answer.
#[test]
fn the_answer_does_not_depend_on_who_asks_how_often() {
    for availability in OnOff::examples() {
        let (mut often, mut once) = (availability.build(50), availability.build(50));
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
