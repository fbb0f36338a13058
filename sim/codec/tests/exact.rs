//! Moments by enumeration of every outcome (d ≤ 8): E Q(x) = x, E‖Q(x) − x‖² = `variance_at`, and ω never exceeded.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use common::adversarial;
use fedbits_codec::{
    Bernoulli, CodecError, Compressor, Dithering, Draw, Encoded, Identity, LevelCode, Norm, Places, RandK, WireFloat,
};

/// ‖x‖².
fn squared(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// Mean and E‖Q(x) − x‖² over outcomes (uniforms, probability).
fn moments(q: &dyn Compressor, x: &[f64], outcomes: impl Iterator<Item = (Vec<f64>, f64)>) -> (Vec<f64>, f64) {
    let (mut message, mut decoded) = (Encoded::new(), vec![0.0; x.len()]);
    let (mut mean, mut variance, mut total) = (vec![0.0; x.len()], 0.0, 0.0);
    for (uniforms, probability) in outcomes {
        q.encode(x, Draw::Given(&uniforms), &mut message).unwrap();
        q.decode(&message, &mut decoded);
        for j in 0..x.len() {
            mean[j] += probability * decoded[j];
            variance += probability * (decoded[j] - x[j]) * (decoded[j] - x[j]);
        }
        total += probability;
    }
    assert!((total - 1.0_f64).abs() < 1e-12, "probabilities add up to {total}");
    (mean, variance)
}

/// Both moments agree with the closed forms, relative to ‖x‖; ω bounds the second.
fn check(q: &dyn Compressor, x: &[f64], outcomes: impl Iterator<Item = (Vec<f64>, f64)>, wire: WireFloat) {
    let (mean, variance) = moments(q, x, outcomes);
    let (square, context) = (squared(x), format!("{} at {x:?}", q.name()));
    for (m, v) in mean.iter().zip(x) {
        assert!((m - v).abs() <= (1e-13 + wire.unit_roundoff()) * square.sqrt(), "{context}: mean {mean:?}");
    }
    let exact = q.variance_at(x).unwrap();
    assert!((variance - exact).abs() <= 1e-12 * square, "{context}: variance {variance}, closed form {exact}");
    let omega = q.omega(x.len()).unwrap();
    assert!(variance <= (omega * (1.0 + 1e-12) + 1e-24) * square, "{context}: {} above ω = {omega}", variance / square);
}

/// ‖x‖_r = M (Σ(|x_j|/M)^r)^(1/r) with M = max |x_j|.
fn norm(x: &[f64], r: Norm) -> f64 {
    let max = x.iter().fold(0.0, |max: f64, v| v.abs().max(max));
    match r {
        Norm::Infinity => max,
        Norm::P(r) => max * libm::pow(x.iter().map(|v| libm::pow(v.abs() / max, r)).sum(), 1.0 / r),
    }
}

/// All 2^d outcomes of dithering: entry j goes up exactly when ξ_j ≥ 1 − p_j, p_j = frac(s|x_j|/N).
fn dither_outcomes(x: &[f64], norm: f64, s: u32) -> impl Iterator<Item = (Vec<f64>, f64)> {
    let p: Vec<f64> = x.iter().map(|v| f64::from(s) * v.abs() / norm).map(|u| u - libm::floor(u)).collect();
    (0u32..1 << x.len()).map(move |outcome| {
        let up = |j: usize| outcome >> j & 1 == 1;
        // ξ on either side of the threshold 1 − p, in the middle of its interval.
        let uniforms =
            (0..p.len()).map(|j| if up(j) { 1.0 - 0.5 * p[j] } else { 0.5 * (1.0 - p[j]) }).map(|u| u.min(1.0 - 1e-15));
        (uniforms.collect(), (0..p.len()).map(|j| if up(j) { p[j] } else { 1.0 - p[j] }).product())
    })
}

const NORMS: [Norm; 5] = [Norm::P(1.0), Norm::P(1.5), Norm::P(2.0), Norm::P(3.5), Norm::Infinity];

#[test]
fn dithering() {
    for d in [1, 2, 3, 5, 8] {
        for x in adversarial(d) {
            for r in NORMS {
                for s in [1, 2, 4, 7] {
                    let q = Dithering { s, r, code: LevelCode::EliasSparse, wire: WireFloat::F64 };
                    check(&q, &x, dither_outcomes(&x, norm(&x, r), s), WireFloat::F64);
                }
            }
        }
    }
}

/// With a 32-bit norm, rounded up, the operator stays unbiased (no tolerance for the wire) and within its ω.
#[test]
fn dithering_with_a_short_norm() {
    for x in adversarial(5).into_iter().filter(|x| (1e-30..1e30).contains(&norm(x, Norm::Infinity))) {
        for r in NORMS {
            let exact = norm(&x, r);
            let nearest = exact as f32;
            let up = if f64::from(nearest) < exact { nearest.next_up() } else { nearest };
            // The definition's own rounding may fall on the other side of a 32-bit float: such norms are left out.
            if (exact - f64::from(nearest)).abs() < 1e-14 * exact {
                continue;
            }
            let q = Dithering { s: 4, r, code: LevelCode::EliasDense, wire: WireFloat::F32 };
            check(&q, &x, dither_outcomes(&x, f64::from(up), 4), WireFloat::F64);
        }
    }
}

/// s = 1: ω = √d − 1 and d − 1 at equal entries, (√d − 1)/2 for r = ∞ at (1, t, …, t), t = 1/(1 + √d) (algorithms.md 1.3).
#[test]
fn one_level_attains_omega() {
    for d in [2, 4, 8, 100] {
        let equal = vec![0.7; d];
        let root = (d as f64).sqrt();
        let mut spread = vec![1.0 / (1.0 + root); d];
        spread[0] = 1.0;
        let cases = [
            (Norm::P(1.0), &equal, d as f64 - 1.0),
            (Norm::P(2.0), &equal, root - 1.0),
            (Norm::Infinity, &spread, (root - 1.0) / 2.0),
        ];
        for (r, x, expected) in cases {
            let q = Dithering { s: 1, r, code: LevelCode::Fixed, wire: WireFloat::F64 };
            assert!((q.omega(d).unwrap() - expected).abs() < 1e-12 * d as f64, "{}", q.name());
            let attained = q.variance_at(x).unwrap() / squared(x);
            assert!((attained - expected).abs() < 1e-12 * d as f64, "{} at d = {d}: {attained}", q.name());
        }
    }
}

/// Every sequence of choices of Floyd's algorithm, all equally likely: step i chooses among d − k + i.
fn subset_outcomes(d: usize, k: usize) -> impl Iterator<Item = (Vec<f64>, f64)> {
    let choices: Vec<usize> = (d - k + 1..=d).collect();
    let total: usize = choices.iter().product();
    (0..total).map(move |mut number| {
        let mut next = |&n: &usize| {
            let choice = number % n;
            number /= n;
            (choice as f64 + 0.5) / n as f64
        };
        (choices.iter().map(&mut next).collect(), 1.0 / total as f64)
    })
}

/// ω = d/k − 1 for every x, so `variance_at` is checked against ω‖x‖² too.
#[test]
fn rand_k() {
    for (d, k) in [(1, 1), (3, 1), (4, 2), (5, 5), (6, 3), (8, 1), (8, 4)] {
        for x in adversarial(d) {
            for places in [Places::Sent, Places::Shared] {
                let q = RandK::new(k as u32, places, WireFloat::F64);
                check(&q, &x, subset_outcomes(d, k), WireFloat::F64);
                let omega = d as f64 / k as f64 - 1.0;
                assert!((q.variance_at(&x).unwrap() - omega * squared(&x)).abs() <= 1e-12 * squared(&x));
            }
            if x.iter().all(|v| v.abs() < 1e30 && (*v == 0.0 || v.abs() > 1e-30)) {
                check(&RandK::new(k as u32, Places::Sent, WireFloat::F32), &x, subset_outcomes(d, k), WireFloat::F32);
            }
        }
    }
}

fn mask_outcomes(d: usize, p: f64) -> impl Iterator<Item = (Vec<f64>, f64)> {
    (0u32..1 << d).map(move |mask| {
        let kept = |j: usize| mask >> j & 1 == 1;
        let uniforms = (0..d).map(|j| if kept(j) { 0.5 * p } else { 0.5 * (1.0 + p) });
        (uniforms.map(|u| u.min(1.0 - 1e-15)).collect(), (0..d).map(|j| if kept(j) { p } else { 1.0 - p }).product())
    })
}

/// ω = 1/p − 1 for every x.
#[test]
fn bernoulli() {
    for d in [1, 4, 8] {
        for x in adversarial(d) {
            for p in [0.1, 0.5, 0.75] {
                let q = Bernoulli { p, places: Places::Sent, wire: WireFloat::F64 };
                check(&q, &x, mask_outcomes(d, p), WireFloat::F64);
                let omega = 1.0 / p - 1.0;
                assert!((q.variance_at(&x).unwrap() - omega * squared(&x)).abs() <= 1e-12 * squared(&x));
            }
        }
    }
}

/// F64 returns x bit for bit; F32 costs at most 2⁻²⁴ relative.
#[test]
fn identity() {
    for x in adversarial(8) {
        let (mut message, mut decoded) = (Encoded::new(), vec![0.0; 8]);
        let q = Identity { wire: WireFloat::F64 };
        q.encode(&x, Draw::Given(&[]), &mut message).unwrap();
        q.decode(&message, &mut decoded);
        assert!(x.iter().zip(&decoded).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!((message.bits(), q.omega(8), q.variance_at(&x)), (512, Some(0.0), Some(0.0)));
    }
    let q = Identity { wire: WireFloat::F32 };
    let x = [1.0 + 2.0_f64.sqrt() * 1e-8, -3.3, 0.1];
    check(&q, &x, std::iter::once((Vec::new(), 1.0)), WireFloat::F32);
}

/// Vectors at the ends of the range of floats: decoded values are finite, near zero they stay small, at the top they are correct.
#[test]
fn ends_of_the_range() {
    let mut message = Encoded::new();
    for r in NORMS {
        for s in [1, 3, 1000] {
            let q = Dithering { s, r, code: LevelCode::EliasDense, wire: WireFloat::F64 };
            for tiny in [5e-324, 3e-310, 1e-308] {
                let (x, mut decoded) = ([tiny, 0.0, -tiny], [0.0; 3]);
                q.encode(&x, Draw::Given(&[0.5; 3]), &mut message).unwrap();
                q.decode(&message, &mut decoded);
                assert!(decoded.iter().all(|v| v.abs() <= 1e-300), "{}: {decoded:?}", q.name());
            }
            let (x, mut decoded) = ([0.0, -1.7e308, 0.0], [0.0; 3]);
            q.encode(&x, Draw::Given(&[0.5; 3]), &mut message).unwrap();
            q.decode(&message, &mut decoded);
            assert!((decoded[1] / 1.7e308 + 1.0).abs() < 1e-14 && decoded[0] == 0.0, "{}: {decoded:?}", q.name());
        }
    }
    let huge = Dithering { s: 1, r: Norm::P(1.0), code: LevelCode::Fixed, wire: WireFloat::F64 };
    let result = huge.encode(&[1.7e308; 2], Draw::Given(&[0.5; 2]), &mut message);
    assert_eq!(result, Err(CodecError::NormOverflow { bits: 64 }));
    let short = Identity { wire: WireFloat::F32 };
    let result = short.encode(&[0.0, 1e39], Draw::Given(&[]), &mut message);
    assert_eq!(result, Err(CodecError::ValueOverflow { index: 1, bits: 32 }));
    let doubled = RandK::new(1, Places::Sent, WireFloat::F64).encode(&[1.7e308; 2], Draw::Given(&[0.9]), &mut message);
    assert_eq!(doubled, Err(CodecError::ValueOverflow { index: 1, bits: 64 }));
}
