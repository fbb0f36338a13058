//! The laws of availabilities, for the project's own and for a user's: the next time at which a client is there is the
//! first, the end of its presence is the end, who never comes back or stays does so, answers do not depend on who asks
//! how often, and a share is that of 4000 times the longest first period of a client (or of 4000 rounds, where rounds
//! decide).
//!
//! Each function panics at the first law that is broken, and says which availability broke it: call [`availability`]
//! from a test.

use std::any::type_name;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::{Facts, assert_sound};

use super::{AvailabilitySetting, Presence};
use crate::{NodeId, Time, TimeDelta};

const NODES: usize = 41;
/// Times, or rounds, over which a share is compared with what is there.
const TIMES: u64 = 4_000;
/// P(|Z| > 6) = 2e-9.
const Z: f64 = 6.0;

/// All laws, over the examples of a setting.
///
/// # Panics
/// When a law is broken.
pub fn availability<T: AvailabilitySetting>() {
    let examples = T::examples();
    assert!(!examples.is_empty(), "{}: no examples to test the laws over", type_name::<T>());
    examples.iter().for_each(|example| setting(example));
}

/// All laws of one setting.
///
/// # Panics
/// When a law is broken.
pub fn setting(setting: &dyn AvailabilitySetting) {
    assert_sound(setting, &Facts::default());
    for clients in [1, 2, NODES - 1, 1_000] {
        let share = setting.share(clients);
        assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{setting:?}: the share {share:?}");
    }
    if setting.build(NODES).goes_by_the_clock() {
        // Later and later, far apart and close together.
        let steps = (0..).map(|step| Time::from_nanos(1_234_500_000_000 * step + 7 * step * step));
        clients().zip(steps).for_each(|(node, at)| by_the_clock(setting, node, at));
    }
    clients().for_each(|node| same_answers(setting, node));
    if let Some(share) = setting.share(NODES - 1) {
        is_there_as_often(setting, share);
    }
}

/// The share is the mean over clients and times, but for the chance of which clients and which times they are.
fn is_there_as_often(setting: &dyn AvailabilitySetting, share: f64) {
    let (mut presence, stream) = (setting.build(NODES), &mut Streams::new(6, 0).at(DrawPurpose::Data, 0, 0));
    let long = TIMES.saturating_mul(longest(&mut *presence)).min(u64::MAX / 4);
    let mut times: Vec<u64> = (0..TIMES).map(|_| stream.below(long)).collect();
    times.sort_unstable();
    let (mut of_clients, mut of_times) = (vec![0.0; NODES - 1], vec![0.0; TIMES as usize]);
    for (round, (time, there)) in times.into_iter().zip(&mut of_times).enumerate() {
        for (node, client) in clients().zip(&mut of_clients) {
            if presence.is_available(&streams(), node, round as u64, Time::from_nanos(time)) {
                *client += 1.0 / TIMES as f64;
                *there += 1.0 / (NODES - 1) as f64;
            }
        }
    }
    let mean = of_times.iter().sum::<f64>() / TIMES as f64;
    let error_sq = |all: &[f64]| {
        let n = all.len() as f64;
        all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n * (n - 1.0))
    };
    // Where all clients come and go together, and none of the times need be one of the rare ones.
    let together_sq = share * (1.0 - share) / TIMES as f64;
    let most = Z * (error_sq(&of_clients) + error_sq(&of_times).max(together_sq)).sqrt() + 1e-9;
    assert!((mean - share).abs() <= most, "{setting:?}: the share {share}, and {mean} ± {most} of the time is there");
}

/// Nanoseconds for which a client is there, or away, at first: of those whose first period ends the longest.
fn longest(presence: &mut dyn Presence) -> u64 {
    let ends = clients().filter_map(|node| match presence.is_available(&streams(), node, 0, Time::ZERO) {
        true => presence.until(&streams(), node, Time::ZERO),
        false => presence.next_after(&streams(), node, Time::ZERO),
    });
    ends.map(Time::as_nanos).fold(1, u64::max)
}

fn streams() -> Streams {
    Streams::new(5, 0)
}

fn clients() -> impl Iterator<Item = NodeId> {
    (1..NODES as u32).map(NodeId)
}

/// Times after one: from a millisecond to half a year.
fn later(from: Time) -> impl Iterator<Item = Time> {
    let mut step = 1e6;
    (0..90).map(move |_| {
        step *= 1.3;
        from + TimeDelta::from_nanos(step as u64)
    })
}

/// Times after one and before another: some between them, and the nanosecond before the other.
fn between(from: Time, to: Time) -> impl Iterator<Item = Time> {
    let (from, length) = (from.as_nanos(), (to - from).as_nanos());
    (1..16).map(move |k| from + length / 16 * k).chain([from + length - 1]).map(Time::from_nanos)
}

/// The time that is named is the first at which the client is there, and the end of its presence is the last.
fn by_the_clock(setting: &dyn AvailabilitySetting, node: NodeId, at: Time) {
    let mut presence = setting.build(NODES);
    let there = |presence: &mut dyn Presence, time| presence.is_available(&streams(), node, 0, time);
    let who = format!("{setting:?}: {node:?}");
    let mut from = at;
    if !there(&mut *presence, at) {
        let Some(next) = presence.next_after(&streams(), node, at) else {
            let back = later(at).find(|&time| there(&mut *presence, time));
            return assert_eq!(back, None, "{who} is away at {at:?} for good, and back");
        };
        assert!(next > at, "{who} is away at {at:?}, and is said to be back at {next:?}");
        for before in between(at, next) {
            assert!(!there(&mut *presence, before), "{who} is to be back at {next:?}, and is there at {before:?}");
        }
        assert!(there(&mut *presence, next), "{who} is to be back at {next:?}, and is away");
        from = next;
    }
    let Some(end) = presence.until(&streams(), node, from) else {
        let away = later(from).find(|&time| !there(&mut *presence, time));
        return assert_eq!(away, None, "{who} is there at {from:?} to stay, and away");
    };
    assert!(end > from, "{who} is there at {from:?}, until {end:?}");
    for before in between(from, end) {
        assert!(there(&mut *presence, before), "{who} is to be there until {end:?}, and is away at {before:?}");
    }
}

/// Asked every second or once, or by another with the same draws: the same answer.
fn same_answers(setting: &dyn AvailabilitySetting, node: NodeId) {
    let (mut often, step) = (setting.build(NODES), TimeDelta::from_nanos(1_000_000_000));
    let mut now = Time::ZERO;
    for round in 0..300 {
        let asked = often.is_available(&streams(), node, round, now);
        if round % 37 == 0 {
            let once = setting.build(NODES).is_available(&streams(), node, round, now);
            assert_eq!(asked, once, "{setting:?}: {node:?} at {now:?}, asked often and once");
        }
        now += step;
    }
}
