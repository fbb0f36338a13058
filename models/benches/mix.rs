//! The consensus of one iteration of VP-EM as one product: a 100 × 100 mixing matrix times 100 × 450 000 terms (the paper's dense
//! experiment, M = 150 000, K = 3), on one core; and the same in column blocks of 96 through ten rounds (quantized consensus
//! before the cost of quantizing). Beside numpy, in turn, on an idle machine:
//!
//! ```text
//! cargo bench -p fedbits-models --bench mix
//! python3 benches/numpy_mix.py
//! ```

use fedbits_models::gmm::vertical::Mixing;
use std::hint::black_box;
use std::time::Duration;

const AGENTS: usize = 100;
const COLUMNS: usize = 450_000;

fn main() {
    let number = |i: usize| ((i * 2_654_435_761) % 1_000) as f64 / 1_000.0 - 0.5;
    let matrix: Vec<f64> = (0..AGENTS * AGENTS).map(number).collect();
    let terms: Vec<f64> = (0..AGENTS * COLUMNS).map(number).collect();
    let mixing = Mixing::new(matrix.chunks_exact(AGENTS), AGENTS);
    let flops = (2 * AGENTS * AGENTS * COLUMNS) as f64;
    let seconds = shortest(5, || drop(black_box(mixing.product(black_box(&terms), COLUMNS))));
    println!("100 x 100 x 450 000: {:.3} s, {:.1} GFLOP/s", seconds, flops * 1e-9 / seconds);
    let block = &terms[..AGENTS * 96];
    let rounds = || {
        let mut state = block.to_vec();
        (0..10).for_each(|_| state = mixing.product(black_box(&state), 96));
        drop(black_box(state));
    };
    let seconds = shortest(200, rounds);
    let flops = (10 * 2 * AGENTS * AGENTS * 96) as f64;
    println!("ten rounds on 96 columns: {:.1} µs, {:.1} GFLOP/s", seconds * 1e6, flops * 1e-9 / seconds);
}

/// Seconds of the fastest of so many calls.
fn shortest(calls: usize, mut run: impl FnMut()) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..calls {
        let start = now();
        run();
        best = best.min(start.elapsed());
    }
    best.as_secs_f64()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures host time")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}
