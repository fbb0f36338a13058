//! Moments by sampling at d = 300, with keyed draws as in a run.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use fedbits_codec::{Compressor, Draw, Encoded, registry};
use fedbits_random::{Purpose, Streams};

const D: usize = 300;
const SAMPLES: u64 = 1500;
/// P(|Z| > 6.5) = 8e-11: over the fewer than 3000 statistics here a false alarm has probability below 2.5e-7. The statistics are sums
/// of at least 1500 independent terms; seeds are fixed.
const Z: f64 = 6.5;

/// z value of the mean of the samples against `expected`; the standard deviation is estimated. Rounding is forgiven.
fn z_value(samples: &[f64], expected: f64, forgiven: f64) -> f64 {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    ((mean - expected).abs() - forgiven).max(0.0) / (variance / n).sqrt().max(f64::MIN_POSITIVE)
}

/// ⟨a, Q(x) − x⟩ has mean 0 for random signs a, and ‖Q(x) − x‖² has mean `variance_at`, where that is known.
fn check(q: &dyn Compressor, x: &[f64]) {
    let streams = Streams::new(21, 0);
    let mut signs = streams.at(Purpose::Data, 1, 0);
    let directions: Vec<Vec<f64>> =
        (0..8).map(|_| x.iter().map(|_| if signs.bernoulli(0.5) { 1.0 } else { -1.0 }).collect()).collect();
    let (mut message, mut error) = (Encoded::new(), vec![0.0; D]);
    let (mut projections, mut squares) = (vec![Vec::new(); directions.len()], Vec::new());
    for sample in 0..SAMPLES {
        q.encode(x, Draw::Keyed(streams.counter(Purpose::Compression, 0, sample)), &mut message).unwrap();
        q.decode(&message, &mut error);
        error.iter_mut().zip(x).for_each(|(e, v)| *e -= v);
        squares.push(error.iter().map(|e| e * e).sum::<f64>());
        for (values, a) in projections.iter_mut().zip(&directions) {
            values.push(a.iter().zip(&error).map(|(a, e)| a * e).sum());
        }
    }
    let norm = x.iter().map(|v| v.abs()).sum::<f64>();
    for values in &projections {
        // 32-bit wires round the entries by up to 2⁻²⁴ each.
        let z = z_value(values, 0.0, 6e-8 * norm);
        assert!(z < Z, "{}: mean off by {z} standard errors", q.name());
    }
    let Some(variance) = q.variance_at(x) else { return };
    // A 32-bit norm, rounded up, leaves rare outcomes of that much variance, which 1500 samples need not contain.
    let rare = 1.2e-7 * x.iter().map(|v| v * v).sum::<f64>();
    let z = z_value(&squares, variance, 1e-9 * variance + rare);
    assert!(z < Z, "{}: variance off by {z} standard errors", q.name());
}

#[test]
fn unbiased_with_the_exact_variance() {
    let mut stream = Streams::new(20, 0).at(Purpose::Data, 0, 0);
    let x: Vec<f64> = (0..D).map(|_| stream.normal()).collect();
    let all = registry();
    assert!(all.len() * 9 < 3000);
    for q in all.iter().filter(|q| q.is_unbiased()) {
        check(q.as_ref(), &x);
    }
}
