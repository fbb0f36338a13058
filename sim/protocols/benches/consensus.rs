//! The consensus of one iteration of VP-EM at the size of the paper's dense experiment (N = 100 agents, M = 150 000
//! examples, K = 3, S = 100 rounds), on one core, beside numpy's dense product 100 × 100 × 450 000:
//! `benches/consensus.py` runs both in turn.
//!
//! Linear rounds: S rounds on the coefficients of 100 agents over 100 hubs, then one product of the realized matrix
//! with all terms. Quantized rounds before the cost of quantizing: column blocks of K · 32 numbers through all rounds,
//! as in [`Choco`].
//!
//! [`Choco`]: fedbits_protocols::neighbours::consensus::choco::Choco

use std::hint::black_box;
use std::time::Duration;

use fedbits_models::gmm::vertical::Mixing;
use fedbits_protocols::neighbours::consensus::plain::{Coefficients, Plain};
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::hubs::{Hubs, Ties};
use fedbits_protocols::neighbours::weights::{Averaging, Weights};
use fedbits_random::Streams;

/// As in the program.
const AGENTS: usize = 100;
const COLUMNS: usize = 450_000;
const ROUNDS: u32 = 100;

fn main() {
    let terms: Vec<f64> = (0..AGENTS * COLUMNS).map(|i| ((i * 2_654_435_761) % 1_000) as f64 / 1_000.0 - 0.5).collect();
    // Every agent with 15 on either side: degree 30.
    let links = (0..AGENTS as u32).flat_map(|a| (1..=15).map(move |step| (a, (a + step) % AGENTS as u32)));
    let graph = Graph::new(AGENTS, links).expect("a circulant graph is connected");
    let averaging = Averaging::new(&Weights::Metropolis, &graph).expect("Metropolis weights average");
    let hubs = Hubs::new(&graph, 0, Ties::SmallestIndex, &Streams::new(1, 0)).expect("ties that need no list");
    linear(&averaging, &hubs, &terms);
    blocked(&averaging, &terms);
}

fn linear(averaging: &Averaging, hubs: &Hubs, terms: &[f64]) {
    let mut rows = Vec::new();
    let rounds = shortest(5, || {
        rows = Coefficients::after(ROUNDS, &mut Plain, black_box(averaging), hubs.initial_states()).now;
    });
    let mixing = Mixing::new(rows.iter().map(Vec::as_slice), AGENTS);
    let product = shortest(5, || drop(black_box(mixing.product(black_box(terms), COLUMNS))));
    let flops = (2 * AGENTS * AGENTS * COLUMNS) as f64;
    println!(
        "linear: {:.4} s ({ROUNDS} rounds on coefficients {rounds:.4} s, product {product:.4} s, {:.1} GFLOP/s)",
        rounds + product,
        flops * 1e-9 / product
    );
}

fn blocked(averaging: &Averaging, terms: &[f64]) {
    let dense = averaging.dense();
    let mixing = Mixing::new(dense.chunks_exact(AGENTS), AGENTS);
    for width in [32, 64, 96] {
        let block: Vec<f64> = (0..AGENTS).flat_map(|agent| terms[agent * COLUMNS..][..width].to_vec()).collect();
        let seconds = shortest(20, || {
            let mut state = block.clone();
            (0..ROUNDS).for_each(|_| state = mixing.product(black_box(&state), width));
            drop(black_box(state));
        });
        let flops = (2 * AGENTS * AGENTS * width) as f64 * f64::from(ROUNDS);
        println!("blocked by {width} columns: {:.1} GFLOP/s", flops * 1e-9 / seconds);
    }
}

/// Seconds of the fastest of this many calls.
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
