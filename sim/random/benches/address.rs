//! What a fresh generator at an address costs, with its first draw, beside a draw from a running generator and a
//! counter hash. `cargo bench -p fedbits-random`; the smallest of five repetitions counts.

use std::hint::black_box;
use std::time::Instant;

use fedbits_random::{DrawPurpose, Streams};

const DRAWS: u64 = 10_000_000;

fn main() {
    let streams = Streams::new(1, 0);
    let mut running = streams.at(DrawPurpose::Data, 0, 0);
    let counter = streams.counter(DrawPurpose::Data, 0, 0);
    report("fresh generator at an address + first draw", |i| {
        streams.at(DrawPurpose::Minibatch, black_box(i), 7).next_u64()
    });
    report("next draw of a running generator", |_| running.next_u64());
    report("uniform number of a counter hash", |i| counter.uniform(i).to_bits());
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn report(what: &str, mut draw: impl FnMut(u64) -> u64) {
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let started = Instant::now();
        black_box((0..DRAWS).fold(0, |sum: u64, i| sum.wrapping_add(draw(i))));
        best = best.min(started.elapsed().as_nanos() as f64 / DRAWS as f64);
    }
    println!("{best:6.2} ns  {what}");
}
