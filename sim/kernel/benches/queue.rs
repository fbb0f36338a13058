//! The hold model: pop the next event, push one at its time + Exp(1 s), with a constant number pending.
//!
//! Prints nanoseconds per event for the event queue and for `BinaryHeap<(u64, u64, u32)>` in the same run, and their
//! ratio.
//! `cargo bench -p fedbits-kernel --bench queue`; the smallest of five alternating repetitions counts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;

use fedbits_kernel::{EventQueue, Time, TimeDelta};
use fedbits_random::{DrawPurpose, Streams};

const REPETITIONS: usize = 5;

fn main() {
    println!("{:>9}  {:>12}  {:>12}  {:>6}", "pending", "heap ns", "queue ns", "ratio");
    for pending in [1_000, 10_000, 100_000, 1_000_000] {
        let events = 2_000_000.max(3 * pending);
        let gaps = exponential_gaps(1 << 16);
        let (mut heap, mut queue) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPETITIONS {
            heap = heap.min(per_event(events, || hold_heap(pending, events, &gaps)));
            queue = queue.min(per_event(events, || hold_queue(pending, events, &gaps)));
        }
        println!("{pending:>9}  {heap:>12.1}  {queue:>12.1}  {:>6.2}", heap / queue);
    }
}

/// Exponential durations with mean 1 s, in nanoseconds, drawn ahead so that only the queue is timed.
fn exponential_gaps(count: usize) -> Vec<u64> {
    let mut stream = Streams::new(1, 0).at(DrawPurpose::Data, 0, 0);
    (0..count).map(|_| (stream.exponential() * 1e9) as u64).collect()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn per_event(events: usize, run: impl FnOnce() -> Instant) -> f64 {
    let started = run();
    let elapsed = Instant::now() - started;
    elapsed.as_nanos() as f64 / events as f64
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn hold_heap(pending: usize, events: usize, gaps: &[u64]) -> Instant {
    let mut heap = BinaryHeap::with_capacity(pending);
    for i in 0..pending {
        heap.push(Reverse((gaps[i % gaps.len()], i as u64, i as u32)));
    }
    let mut step = |i: usize| {
        let Reverse((time, _, payload)) = heap.pop().expect("the hold model never empties");
        heap.push(Reverse((time + gaps[i % gaps.len()], (pending + i) as u64, payload)));
        black_box(payload);
    };
    (0..pending).for_each(&mut step);
    let started = Instant::now();
    (pending..pending + events).for_each(step);
    started
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn hold_queue(pending: usize, events: usize, gaps: &[u64]) -> Instant {
    let mut queue = EventQueue::new();
    for i in 0..pending {
        queue.push(Time::from_nanos(gaps[i % gaps.len()]), i as u32);
    }
    let mut step = |i: usize| {
        let (time, payload) = queue.pop().expect("the hold model never empties");
        queue.push(time + TimeDelta::from_nanos(gaps[i % gaps.len()]), payload);
        black_box(payload);
    };
    (0..pending).for_each(&mut step);
    let started = Instant::now();
    (pending..pending + events).for_each(step);
    started
}
