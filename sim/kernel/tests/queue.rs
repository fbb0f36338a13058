//! The event queue against its slow obvious reference, a map ordered by (time, insertion number).

use std::collections::BTreeMap;

use fedbits_kernel::{EventId, EventQueue, Time, TimeDelta};
use proptest::prelude::*;

/// The order the queue promises, by definition.
#[derive(Default)]
struct Reference {
    events: BTreeMap<(u64, u64), u32>,
    pushed: u64,
}

impl Reference {
    fn push(&mut self, at: Time, event: u32) -> (u64, u64) {
        self.pushed += 1;
        self.events.insert((at.as_nanos(), self.pushed), event);
        (at.as_nanos(), self.pushed)
    }

    fn peek(&self) -> Option<Time> {
        self.events.keys().next().map(|&(at, _)| Time::from_nanos(at))
    }

    fn pop(&mut self) -> Option<(Time, u32)> {
        self.events.pop_first().map(|((at, _), event)| (Time::from_nanos(at), event))
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Push this far after the last time popped.
    Push(u64),
    /// As many pushes at one time.
    Burst(u64, u8),
    /// Push at the end of time.
    PushLast,
    Pop,
    PopMany(u8),
    Peek,
    /// Cancel one of all ids ever given, living or stale.
    Cancel(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![Just(0u64), 0..5u64, 0..1_000u64, 0..2_000_000_000u64, any::<u64>().prop_map(|x| x >> 1)];
    prop_oneof![
        6 => gap.clone().prop_map(Step::Push),
        1 => (gap, 1..200u8).prop_map(|(gap, count)| Step::Burst(gap, count)),
        1 => Just(Step::PushLast),
        4 => Just(Step::Pop),
        1 => any::<u8>().prop_map(Step::PopMany),
        3 => Just(Step::Peek),
        3 => any::<prop::sample::Index>().prop_map(Step::Cancel),
    ]
}

/// Both queues side by side, and the ids both gave.
#[derive(Default)]
struct Pair {
    queue: EventQueue<u32>,
    reference: Reference,
    ids: Vec<(EventId, (u64, u64))>,
    now: Time,
}

impl Pair {
    fn push(&mut self, at: Time) {
        let event = self.ids.len() as u32;
        self.ids.push((self.queue.push(at, event), self.reference.push(at, event)));
    }

    fn later(&self, gap: u64) -> Time {
        Time::from_nanos(self.now.as_nanos().saturating_add(gap))
    }

    fn pop(&mut self) -> Result<(), TestCaseError> {
        let (popped, expected) = (self.queue.pop(), self.reference.pop());
        prop_assert_eq!(popped, expected);
        self.now = popped.map_or(self.now, |(at, _)| at);
        Ok(())
    }

    fn apply(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Push(gap) => self.push(self.later(gap)),
            Step::Burst(gap, count) => (0..count).for_each(|_| self.push(self.later(gap))),
            Step::PushLast => self.push(Time::MAX),
            Step::Pop => self.pop()?,
            Step::PopMany(count) => (0..count).try_for_each(|_| self.pop())?,
            Step::Peek => prop_assert_eq!(self.queue.peek_time(), self.reference.peek()),
            Step::Cancel(which) if !self.ids.is_empty() => {
                let (id, key) = self.ids[which.index(self.ids.len())];
                prop_assert_eq!(self.queue.cancel(id), self.reference.events.remove(&key));
            }
            Step::Cancel(_) => {}
        }
        prop_assert_eq!(self.queue.len(), self.reference.events.len());
        prop_assert_eq!(self.queue.is_empty(), self.reference.events.is_empty());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is pushed, popped, peeked and cancelled in whatever order: same answers as the reference, to the last
    /// event.
    #[test]
    fn behaves_like_the_ordered_map(steps in prop::collection::vec(step(), 1..400)) {
        let mut pair = Pair::default();
        for step in steps {
            pair.apply(step)?;
        }
        while !pair.reference.events.is_empty() {
            pair.pop()?;
        }
        prop_assert_eq!(pair.queue.pop(), None);
        prop_assert_eq!(pair.queue.peek_time(), None);
    }

    /// Large populations: several rungs, keys that cluster at many scales, and pushes below what has been peeked.
    #[test]
    fn large_populations_leave_in_order(seed in any::<u64>(), scale in 0..60u32, count in 1_000..6_000usize) {
        let mut pair = Pair::default();
        let mut state = seed;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 4
        };
        for _ in 0..count {
            let shift = draw() % u64::from(scale + 1);
            pair.push(pair.later(draw() >> shift >> (60 - scale)));
            if draw() % 4 == 0 {
                prop_assert_eq!(pair.queue.peek_time(), pair.reference.peek());
            }
            if draw() % 3 == 0 {
                pair.pop()?;
            }
        }
        while !pair.reference.events.is_empty() {
            pair.pop()?;
        }
    }
}

/// Equal times leave in insertion order, also a million of them, and pushes at the current time go behind.
#[test]
fn a_crowd_at_one_instant_is_first_in_first_out() {
    let at = Time::from_nanos(5);
    let mut queue = EventQueue::new();
    (0..200_000u32).for_each(|event| _ = queue.push(at, event));
    for event in 0..100_000 {
        assert_eq!(queue.pop(), Some((at, event)));
        queue.push(at, 200_000 + event);
    }
    for event in 100_000..300_000 {
        assert_eq!(queue.pop(), Some((at, event)));
    }
    assert!(queue.is_empty());
}

/// Timers that are always cancelled before they are due must not pile up, and their ids stay stale when slots are used
/// again.
#[test]
fn cancelled_timers_leave_nothing_behind() {
    let mut queue = EventQueue::new();
    queue.push(Time::MAX, 0u32);
    let mut stale = Vec::new();
    for event in 1..200_000u32 {
        let id = queue.push(Time::from_nanos(1 << 60), event);
        assert_eq!(queue.peek_time(), Some(Time::from_nanos(1 << 60)));
        assert_eq!(queue.cancel(id), Some(event));
        assert_eq!(queue.peek_time(), Some(Time::MAX));
        stale.push(id);
    }
    assert!(stale.into_iter().all(|id| queue.cancel(id).is_none()));
    assert_eq!(queue.pop(), Some((Time::MAX, 0)));
    assert_eq!(queue.pop(), None);
}

/// A peek shows a far event; what is pushed before it afterwards still leaves first, at no quadratic cost.
#[test]
fn pushes_below_the_peeked_time_leave_first() {
    let mut queue = EventQueue::new();
    let far = Time::from_nanos(100_000_000_000);
    (0..1_000u32).for_each(|event| _ = queue.push(far + TimeDelta::from_nanos(u64::from(event)), event));
    let mut expected = BTreeMap::new();
    for event in 0..300_000u64 {
        assert!(queue.peek_time().is_some_and(|at| at <= far));
        let at = Time::from_nanos(1_000_000_000 - event * 7_919 % 900_000_000);
        queue.push(at, 1_000 + event as u32);
        expected.insert((at, event), 1_000 + event as u32);
    }
    for ((at, _), event) in expected {
        assert_eq!(queue.pop(), Some((at, event)));
    }
    assert_eq!(queue.pop(), Some((far, 0)));
}

/// Time is monotone: a push before the last time popped is a bug and stops the run.
#[test]
#[should_panic(expected = "after time has reached 10 ns")]
fn the_past_is_closed() {
    let mut queue = EventQueue::new();
    queue.push(Time::from_nanos(10), ());
    queue.pop();
    queue.push(Time::from_nanos(9), ());
}
