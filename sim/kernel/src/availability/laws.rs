//! The laws of availabilities, for the project's own and for a user's: the next time at which a client is there is the
//! first, the end of its presence is the end, answers do not depend on who asks how often, and a share is a share.
//!
//! Each function panics at the first law that is broken, and says which availability broke it: call [`availability`]
//! from a test.

use std::any::type_name;

use fedbits_random::Streams;

use super::{AvailabilitySetting, Presence};
use crate::{NodeId, Time, TimeDelta};

const NODES: usize = 41;

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
}

fn streams() -> Streams {
    Streams::new(5, 0)
}

fn clients() -> impl Iterator<Item = NodeId> {
    (1..NODES as u32).map(NodeId)
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
        let Some(next) = presence.next_after(&streams(), node, at) else { return };
        assert!(next > at, "{who} is away at {at:?}, and is said to be back at {next:?}");
        for before in between(at, next) {
            assert!(!there(&mut *presence, before), "{who} is to be back at {next:?}, and is there at {before:?}");
        }
        assert!(there(&mut *presence, next), "{who} is to be back at {next:?}, and is away");
        from = next;
    }
    let Some(end) = presence.until(&streams(), node, from) else { return };
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
