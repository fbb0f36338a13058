//! Moments by enumeration of every outcome (d ≤ 8): E Q(x) = x, E‖Q(x) − x‖² = `variance_at`, and ω never exceeded.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use fedbits_codec::laws::adversarial;
use fedbits_codec::{
    Bernoulli, BlockQuantization, CodecError, Composition, Compressor, Correlated, CountSketch, Dithering, Draw,
    Encoded, Identity, Indices, Induced, Lazy, LevelCode, LloydMax, Mask, Natural, NaturalDithering, Norm, PermK,
    RandK, RandSeqK, RankR, Rotation, ScaledSign, TopK, TopLek, WireFloat, registry,
};
use fedbits_random::{DrawPurpose, Streams};

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
    if let Some(exact) = q.variance_at(x) {
        assert!((variance - exact).abs() <= 1e-12 * square, "{context}: variance {variance}, closed form {exact}");
    }
    let omega = q.omega(x.len()).unwrap();
    assert!(variance <= (omega * (1.0 + 1e-12) + 1e-24) * square, "{context}: {} above ω = {omega}", variance / square);
}

/// ‖x‖_r = M (Σ(|x_j|/M)^r)^(1/r) with M = max |x_j|.
fn norm(x: &[f64], r: Norm) -> f64 {
    let max = x.iter().fold(0.0, |max: f64, v| v.abs().max(max));
    match r {
        Norm::Infinity => max,
        Norm::L(r) => max * libm::pow(x.iter().map(|v| libm::pow(v.abs() / max, r)).sum(), 1.0 / r),
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

const NORMS: [Norm; 5] = [Norm::L(1.0), Norm::L(1.5), Norm::L(2.0), Norm::L(3.5), Norm::Infinity];

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

/// s = 1: ω = √d − 1 and d − 1 at equal entries, (√d − 1)/2 for r = ∞ at (1, t, …, t), t = 1/(1 + √d).
#[test]
fn one_level_attains_omega() {
    for d in [2, 4, 8, 100] {
        let equal = vec![0.7; d];
        let root = (d as f64).sqrt();
        let mut spread = vec![1.0 / (1.0 + root); d];
        spread[0] = 1.0;
        let cases = [
            (Norm::L(1.0), &equal, d as f64 - 1.0),
            (Norm::L(2.0), &equal, root - 1.0),
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
            for indices in [Indices::Enumerative, Indices::SharedSeed] {
                let q = RandK::new(k as u32, indices, WireFloat::F64);
                check(&q, &x, subset_outcomes(d, k), WireFloat::F64);
                let omega = d as f64 / k as f64 - 1.0;
                assert!((q.variance_at(&x).unwrap() - omega * squared(&x)).abs() <= 1e-12 * squared(&x));
            }
            if x.iter().all(|v| v.abs() < 1e30 && (*v == 0.0 || v.abs() > 1e-30)) {
                check(
                    &RandK::new(k as u32, Indices::Enumerative, WireFloat::F32),
                    &x,
                    subset_outcomes(d, k),
                    WireFloat::F32,
                );
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
                let q = Bernoulli { p, mask: Mask::Sent, wire: WireFloat::F64 };
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

/// Vectors at the ends of the range of floats: decoded values are finite, near zero they stay small, at the top they
/// are correct.
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
    let huge = Dithering { s: 1, r: Norm::L(1.0), code: LevelCode::Fixed, wire: WireFloat::F64 };
    let result = huge.encode(&[1.7e308; 2], Draw::Given(&[0.5; 2]), &mut message);
    assert_eq!(result, Err(CodecError::NormOverflow { bits: 64 }));
    let short = Identity { wire: WireFloat::F32 };
    let result = short.encode(&[0.0, 1e39], Draw::Given(&[]), &mut message);
    assert_eq!(result, Err(CodecError::ValueOverflow { index: 1, bits: 32 }));
    let doubled =
        RandK::new(1, Indices::Enumerative, WireFloat::F64).encode(&[1.7e308; 2], Draw::Given(&[0.9]), &mut message);
    assert_eq!(doubled, Err(CodecError::ValueOverflow { index: 1, bits: 64 }));
}

/// Independent choices, "up" with probability p_j where uniform j is below it.
fn choice_outcomes(p: Vec<f64>) -> impl Iterator<Item = (Vec<f64>, f64)> {
    (0u32..1 << p.len()).map(move |outcome| {
        let up = |j: usize| outcome >> j & 1 == 1;
        let uniforms = (0..p.len()).map(|j| if up(j) { 0.5 * p[j] } else { 0.5 * (1.0 + p[j]) });
        let uniforms = uniforms.map(|u| u.min(1.0 - 1e-15)).collect();
        (uniforms, (0..p.len()).map(|j| if up(j) { p[j] } else { 1.0 - p[j] }).product())
    })
}

/// Probability of the upper neighbour of `y` among increasing `levels`.
fn up_among(levels: &[f64], y: f64) -> f64 {
    let above = levels.iter().position(|&level| level > y);
    above.map_or(0.0, |above| (y - levels[above - 1]) / (levels[above] - levels[above - 1]))
}

/// ω = 1/8, attained at 4/3 of powers of two.
#[test]
fn natural() {
    let q = Natural { wire: WireFloat::F64 };
    let up = |v: &f64| {
        let low = libm::exp2(libm::floor(libm::log2(v.abs())));
        if *v == 0.0 { 0.0 } else { v.abs() / low - 1.0 }
    };
    for d in [1, 3, 8] {
        // The floor of the logarithm, above, is not exact next to powers of two; denormal entries have no ω.
        for x in adversarial(d).into_iter().filter(|x| x.iter().all(|v| *v == 0.0 || v.abs() > 1e-300)) {
            check(&q, &x, choice_outcomes(x.iter().map(up).collect()), WireFloat::F64);
        }
    }
    let worst = [4.0 / 3.0, -8.0 / 3.0, 1.0 / 3.0];
    assert!((q.variance_at(&worst).unwrap() / squared(&worst) - 0.125).abs() < 1e-14);
    check(&q, &worst, choice_outcomes(worst.iter().map(up).collect()), WireFloat::F64);
}

/// Below the smallest power, and at the largest, nothing is biased; beyond it is an error.
#[test]
fn natural_at_the_ends_of_the_range() {
    let mut message = Encoded::new();
    for wire in [WireFloat::F64, WireFloat::F32] {
        let q = Natural { wire };
        let smallest = if wire == WireFloat::F64 { f64::MIN_POSITIVE } else { libm::exp2(-126.0) };
        let mut decoded = [0.0];
        for (u, expected) in [(0.2, smallest), (0.3, 0.0)] {
            q.encode(&[smallest / 4.0], Draw::Given(&[u]), &mut message).unwrap();
            q.decode(&message, &mut decoded);
            assert_eq!(decoded, [expected]);
        }
        let largest = libm::exp2(if wire == WireFloat::F64 { 1023.0 } else { 128.0 });
        q.encode(&[-largest], Draw::Given(&[0.0]), &mut message).unwrap();
        q.decode(&message, &mut decoded);
        assert_eq!(decoded, [-largest]);
        let beyond = q.encode(&[0.0, largest * 1.5], Draw::Given(&[0.0; 2]), &mut message);
        assert_eq!(beyond, Err(CodecError::ValueOverflow { index: 1, bits: wire.bits() }));
    }
}

/// Levels 0, 2^(1−s), …, 1/2, 1.
#[test]
fn natural_dithering() {
    for d in [1, 3, 6] {
        for x in adversarial(d) {
            for r in NORMS {
                for s in [1, 2, 5] {
                    let mut levels: Vec<f64> = (0..s).rev().map(|l| libm::exp2(-f64::from(l))).collect();
                    levels.insert(0, 0.0);
                    let n = norm(&x, r);
                    let p = x.iter().map(|v| up_among(&levels, (v.abs() / n).min(1.0)).clamp(0.0, 1.0)).collect();
                    let q = NaturalDithering { s: s as u32, r, code: LevelCode::Fixed, wire: WireFloat::F64 };
                    check(&q, &x, choice_outcomes(p), WireFloat::F64);
                }
            }
        }
    }
}

/// E‖Q(x)‖² = Σ ‖x_l‖₁ ‖x_l‖_p over blocks; ω is attained at equal entries (p ≤ 2) of a whole block.
#[test]
fn block_quantization() {
    for x in adversarial(8) {
        for p in NORMS {
            for block in [1, 3, 8, 100] {
                let q = BlockQuantization { block, p, code: LevelCode::Mask, wire: WireFloat::F64 };
                let share = |l: &[f64]| {
                    let n = norm(l, p);
                    l.iter().map(|v| if n > 0.0 { v.abs() / n } else { 0.0 }).collect::<Vec<_>>()
                };
                let up: Vec<f64> = x.chunks(block).flat_map(share).collect();
                // Dithering goes up where ξ ≥ 1 − p: the mirrored uniforms.
                let outcomes = choice_outcomes(up).map(|(xi, weight)| (xi.iter().map(|u| 1.0 - u).collect(), weight));
                let outcomes = outcomes.map(|(xi, weight): (Vec<f64>, f64)| {
                    (xi.into_iter().map(|u| u.min(1.0 - 1e-15)).collect(), weight)
                });
                check(&q, &x, outcomes, WireFloat::F64);
                let second: f64 =
                    x.chunks(block).map(|l| norm(l, Norm::L(1.0)) * norm(l, p)).filter(|v| !v.is_nan()).sum();
                let found = q.variance_at(&x).unwrap() + squared(&x);
                assert!((found - second).abs() <= 1e-12 * second, "{}: {found} against {second}", q.name());
            }
        }
    }
    let q = BlockQuantization { block: 4, p: Norm::L(2.0), code: LevelCode::Mask, wire: WireFloat::F64 };
    assert_eq!((q.omega(8), q.variance_at(&[1.0; 8])), (Some(1.0), Some(8.0)));
}

/// ω = 1/p − 1 for every x; the message is everything or nothing.
#[test]
fn lazy() {
    for x in adversarial(8) {
        for p in [0.1, 0.75, 1.0] {
            let q = Lazy { p, wire: WireFloat::F64 };
            let outcomes = [(vec![0.5 * p], p), (vec![0.5 * (1.0 + p)], 1.0 - p)];
            check(&q, &x, outcomes.into_iter().filter(|(_, weight)| *weight > 0.0), WireFloat::F64);
        }
    }
}

/// Every permutation and offset of PermK.
fn permutation_outcomes(d: usize, n: usize) -> impl Iterator<Item = (Vec<f64>, f64)> {
    let choices: Vec<usize> = (2..=d).rev().chain([n]).collect();
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

/// Alone: unbiased with ω = n − 1, also where n does not divide d and where n > d. Together: Var n⁻¹ Σ Q_i(a_i) = n⁻¹
/// Σ‖a_i‖² − ‖ā‖².
#[test]
fn perm_k() {
    for (d, n) in [(1, 3), (4, 2), (5, 2), (3, 5), (5, 1)] {
        let members: Vec<PermK> = (0..n).map(|member| PermK { members: n, member, wire: WireFloat::F64 }).collect();
        for x in adversarial(d) {
            for q in &members {
                check(q, &x, permutation_outcomes(d, n as usize), WireFloat::F64);
            }
        }
        let vectors: Vec<Vec<f64>> =
            (0..n).map(|i| (0..d).map(|j| libm::sin(f64::from(i) + 2.0 * j as f64)).collect()).collect();
        let mean: Vec<f64> = (0..d).map(|j| vectors.iter().map(|a| a[j]).sum::<f64>() / f64::from(n)).collect();
        let expected = vectors.iter().map(|a| squared(a)).sum::<f64>() / f64::from(n) - squared(&mean);
        let mut variance = 0.0;
        for (xi, weight) in permutation_outcomes(d, n as usize) {
            let (mut sum, mut message) = (vec![0.0; d], Encoded::new());
            for (q, a) in members.iter().zip(&vectors) {
                q.encode(a, Draw::Given(&xi), &mut message).unwrap();
                q.add_decoded(&message, 1.0 / f64::from(n), &mut sum);
            }
            variance += weight * sum.iter().zip(&mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        assert!((variance - expected).abs() < 1e-12, "d = {d}, n = {n}: {variance} against {expected}");
    }
}

/// Rand-2 of 4, then one level of dithering on the two that are left: both enumerated, ω = (1 + 1)(1 + √2 − 1) − 1 =
/// 2√2 − 1.
#[test]
fn composition() {
    let code = LevelCode::Mask;
    let q = Composition {
        first: Box::new(RandK::new(2, Indices::Enumerative, WireFloat::F64)),
        then: Box::new(Dithering::qsgd(1, code, WireFloat::F64)),
    };
    assert!((q.omega(4).unwrap() - (2.0 * 2.0_f64.sqrt() - 1.0)).abs() < 1e-12);
    // Entries of one size: dithering two of them goes up with probability 1/√2 each, whichever they are.
    let (x, up) = ([1.0, -1.0, 1.0, 1.0], 0.5_f64.sqrt());
    let outcomes = subset_outcomes(4, 2).flat_map(move |(first, weight)| {
        choice_outcomes(vec![up; 2]).map(move |(second, factor)| {
            let second = second.into_iter().map(|u| (1.0 - u).min(1.0 - 1e-15));
            (first.iter().copied().chain(second).collect::<Vec<f64>>(), weight * factor)
        })
    });
    let (mean, variance) = moments(&q, &x, outcomes);
    assert!(mean.iter().zip(&x).all(|(m, v)| (m - v).abs() < 1e-12), "{mean:?}");
    assert!((variance / squared(&x) - q.omega(4).unwrap()).abs() < 1e-12, "ω is attained at equal entries: {variance}");
}

/// Which entries are sent counts as what it says, log₂ C(6, 3) = log₂ 20 or 6 H(1/2) = 6, whatever code tells it; a
/// message without entries has no norm.
#[test]
fn conventions_count_a_composition_as_its_parts() {
    let then = || Box::new(Dithering::qsgd(4, LevelCode::Fixed, WireFloat::F64));
    let counted = |first: Box<dyn Compressor>, xi: &[f64]| {
        let (q, mut message) = (Composition { first, then: then() }, Encoded::new());
        q.encode(&[0.5, -1.0, 2.0, 0.25, 3.0, -0.75], Draw::Given(xi), &mut message).unwrap();
        (message.bits(), q.indices_free_bits(&message), q.entropy_bits(&message))
    };
    let rand_k = |indices| counted(Box::new(RandK::new(3, indices, WireFloat::F64)), &[0.5; 6]);
    let (_, free, shared) = rand_k(Indices::SharedSeed);
    for indices in [Indices::Enumerative, Indices::List, Indices::Mask] {
        let (bits, same, entropy) = rand_k(indices);
        assert!(
            same == free && bits > free && (entropy - shared - libm::log2(20.0)).abs() < 1e-9,
            "{indices}: {entropy}"
        );
    }
    let bernoulli = |mask, xi| counted(Box::new(Bernoulli { p: 0.3, mask, wire: WireFloat::F64 }), xi);
    let half = &[0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
    let [sent, shared] = [Mask::Sent, Mask::SharedSeed].map(|mask| bernoulli(mask, half));
    assert!((sent.2 - shared.2 - 6.0).abs() < 1e-9, "{sent:?} and {shared:?}");
    assert_eq!(bernoulli(Mask::SharedSeed, &[0.9; 12]), (0, 0, 0.0));
    assert_eq!(bernoulli(Mask::Sent, &[0.9; 12]), (6, 0, 0.0));
}

/// Top-1 and rand-1 of what is left: unbiased, E‖·‖² at y = x − C(x), ω = (d − 1)(1 − 1/d).
#[test]
fn induced() {
    for d in [3, 5] {
        let q = Induced {
            contraction: Box::new(TopK::new(1, Indices::Enumerative, WireFloat::F64)),
            rest: Box::new(RandK::new(1, Indices::Enumerative, WireFloat::F64)),
        };
        let expected = (d as f64 - 1.0) * (1.0 - 1.0 / d as f64);
        assert!((q.omega(d).unwrap() - expected).abs() < 1e-12);
        for x in adversarial(d) {
            check(&q, &x, subset_outcomes(d, 1), WireFloat::F64);
        }
    }
}

/// ‖C(x) − x‖² ≤ (1 − δ)‖x‖² for every contraction without randomness; Top-k attains it at equal entries, scaled sign
/// at one spike.
#[test]
fn contractions() {
    for d in [3, 8, 12] {
        for q in registry().iter().filter(|q| !q.is_unbiased() && q.uniforms(d) == 0 && q.validate(d).is_ok()) {
            let delta = q.contraction(d).unwrap();
            for x in
                adversarial(d).iter().filter(|x| x.iter().all(|v| v.abs() < 1e30 && (*v == 0.0 || v.abs() > 1e-30)))
            {
                let error = q.variance_at(x).unwrap();
                assert!(error <= (1.0 - delta + 1e-12) * squared(x), "{} at {x:?}: {error}", q.name());
            }
        }
    }
    let top = TopK::new(2, Indices::Enumerative, WireFloat::F64);
    assert!((top.variance_at(&[1.0; 8]).unwrap() - 6.0).abs() < 1e-12);
    let sign = ScaledSign { wire: WireFloat::F64 };
    assert!((sign.variance_at(&[0.0, 0.0, 2.0, 0.0]).unwrap() - 3.0).abs() < 1e-12);
}

/// The matrix Σ σ_k u_k v_kᵀ of known orthonormal factors: rank r leaves the sum of the squared smaller σ. Signs and
/// scales vary, wide and tall.
#[test]
fn rank_r() {
    // Columns of a Householder reflection I − 2wwᵀ/‖w‖² are orthonormal.
    let reflection = |n: usize, shift: f64| {
        let w: Vec<f64> = (0..n).map(|i| libm::cos(shift + 1.7 * i as f64)).collect();
        let square = squared(&w);
        move |i: usize, k: usize| f64::from(u8::from(i == k)) - 2.0 * w[i] * w[k] / square
    };
    for (a, b) in [(4, 6), (6, 4), (5, 5), (1, 7)] {
        for scale in [1.0, 1e-120, 1e140] {
            let (u, v, sigma) = (reflection(a, 0.3), reflection(b, 1.1), [5.0, 3.0, 2.0, 0.5, 0.1]);
            let small = a.min(b);
            let entry = |index: usize| {
                let (i, j) = (index / b, index % b);
                (0..small).map(|k| scale * sigma[k] * u(i, k) * v(j, k)).sum::<f64>()
            };
            let x: Vec<f64> = (0..a * b).map(entry).collect();
            for rank in 1..=small {
                let q = RankR { rank, rows: a, wire: WireFloat::F64 };
                let left = scale * scale * squared(&sigma[rank.min(small)..small]);
                let error = q.variance_at(&x).unwrap();
                let total = scale * scale * squared(&sigma[..small]);
                assert!((error - left).abs() <= 1e-13 * total, "{a}×{b}, rank {rank}: {error} against {left}");
            }
        }
    }
}

/// All (2 c)^(r d) choices of cells and signs; at d = 1 a sketch is exact.
#[test]
fn count_sketch() {
    for (rows, columns, d) in [(1, 1, 4), (1, 3, 3), (2, 2, 2), (3, 1, 3), (1, 2, 1)] {
        let q = CountSketch { rows, columns, wire: WireFloat::F64 };
        let (indices, digits) = (2 * columns as usize, rows * d as u32);
        let outcomes = || {
            (0..indices.pow(digits)).map(move |outcome| {
                let index_at = |digit: u32| (outcome / indices.pow(digit) % indices) as f64;
                let uniforms = (0..digits).map(|digit| (index_at(digit) + 0.5) / indices as f64).collect();
                (uniforms, 1.0 / indices.pow(digits) as f64)
            })
        };
        for x in adversarial(d) {
            check(&q, &x, outcomes(), WireFloat::F64);
        }
        assert!((q.omega(d).unwrap() - (d - 1) as f64 / f64::from(rows * columns)).abs() < 1e-12);
    }
}

/// All d starts of a sequence: as rand-k, with one index.
#[test]
fn rand_seq_k() {
    for d in [3_usize, 5, 8] {
        for k in 1..=d {
            let q = RandSeqK { k: k as u32, first: Mask::Sent, wire: WireFloat::F64 };
            let expected = d as f64 / k as f64 - 1.0;
            assert!((q.omega(d).unwrap() - expected).abs() < 1e-12);
            for x in adversarial(d) {
                let starts = (0..d).map(|first| (vec![(first as f64 + 0.5) / d as f64], 1.0 / d as f64));
                check(&q, &x, starts, WireFloat::F64);
            }
            let mut message = Encoded::new();
            q.encode(&vec![1.0; d], Draw::Given(&[0.999]), &mut message).unwrap();
            let first = if k == d { 0 } else { u64::from((d - 1).ilog2()) + 1 };
            assert_eq!(message.bits(), 64 * k as u64 + first);
        }
    }
}

/// Both outcomes of the draw: E‖C(x) − x‖² is (1 − k/d)‖x‖² for every x, and never more than k entries are sent.
#[test]
fn top_lek() {
    let outcomes = 10_000;
    for d in [3_usize, 5, 8] {
        for k in 1..=d {
            let q = TopLek { k: k as u32, wire: WireFloat::F64 };
            for x in adversarial(d).iter().filter(|x| x.iter().all(|v| *v == 0.0 || (1e-30..1e30).contains(&v.abs()))) {
                let draws = (0..outcomes).map(|i| (vec![(f64::from(i) + 0.5) / f64::from(outcomes)], 1e-4));
                let (_, error) = moments(&q, x, draws);
                let expected = (1.0 - k as f64 / d as f64) * squared(x);
                // A uniform of 10 000 values splits at most one of them.
                assert!((error - expected).abs() <= 1.1e-4 * squared(x), "top-≤{k} of {x:?}: {error}, not {expected}");
            }
        }
    }
    let q = TopLek { k: 3, wire: WireFloat::F64 };
    let mut message = Encoded::new();
    q.encode(&[0.0, 9.0, 0.1, 0.1], Draw::Given(&[0.9]), &mut message).unwrap();
    assert_eq!((message.indices.len(), message.indices[0]), (1, 1), "one entry is enough");
}

/// The rotation by its matrix H S / √D, H_ij = (−1)^popcount(i ∧ j): DRIVE's error is ‖x‖² − ‖R x‖₁²/D, and with rand-k
/// all first coordinates and signs have the moments of rand-k at D.
#[test]
fn rotations() {
    for d in [2_usize, 4, 8] {
        let q = Rotation { of: Box::new(ScaledSign { wire: WireFloat::F64 }) };
        for x in adversarial(d).iter().filter(|x| x.iter().all(|v| *v == 0.0 || (1e-30..1e30).contains(&v.abs()))) {
            for outcome in 0..1_u32 << d {
                let sign = |j: usize| if outcome >> j & 1 == 0 { 1.0 } else { -1.0 };
                let uniforms: Vec<f64> = (0..d).map(|j| if sign(j) > 0.0 { 0.25 } else { 0.75 }).collect();
                let entry = |i: usize| {
                    let parity = |j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                    (0..d).map(|j| parity(j) * sign(j) * x[j]).sum::<f64>() / (d as f64).sqrt()
                };
                let total: f64 = (0..d).map(|i| entry(i).abs()).sum();
                let (_, error) = moments(&q, x, std::iter::once((uniforms, 1.0)));
                let expected = squared(x) - total * total / d as f64;
                assert!((error - expected).abs() <= 1e-12 * squared(x), "{x:?}: {error}, not {expected}");
            }
        }
    }
    let q = Rotation { of: Box::new(RandK::new(1, Indices::SharedSeed, WireFloat::F64)) };
    let outcomes = || {
        (0..16_u32 * 4).map(|outcome| {
            let signs = (0..4).map(move |j| if outcome >> j & 1 == 0 { 0.25 } else { 0.75 });
            (signs.chain([(f64::from(outcome >> 4) + 0.5) / 4.0]).collect(), 1.0 / 64.0)
        })
    };
    for x in adversarial(3) {
        check(&q, &x, outcomes(), WireFloat::F64);
    }
}

/// After a rotation a vector of a few large entries is as cheap as normal ones: errors near 1 − 2/π, 0.1175, 0.0345, 0.0095, the least of
/// 1 to 4 bits (Max 1960).
#[test]
fn rotated_vectors_have_the_error_of_normal_ones() {
    let d = 4096;
    let x: Vec<f64> = (0..d).map(|j| libm::exp(-0.02 * j as f64)).collect();
    for (bits, expected) in [(1, 0.3634), (2, 0.1175), (3, 0.03454), (4, 0.009_497)] {
        let q = Rotation { of: Box::new(LloydMax { bits, wire: WireFloat::F64 }) };
        let streams = Streams::new(3, 1);
        let errors = (0..20).map(|message| {
            let (mut encoded, mut decoded) = (Encoded::new(), vec![0.0; d]);
            q.encode(&x, Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, message)), &mut encoded).unwrap();
            q.decode(&encoded, &mut decoded);
            decoded.iter().zip(&x).map(|(q, x)| (q - x) * (q - x)).sum::<f64>() / squared(&x)
        });
        let mean = errors.sum::<f64>() / 20.0;
        assert!((mean / expected - 1.0).abs() < 0.1, "{bits} bits: {mean}, not {expected}");
    }
}

/// Alone as dithering: all orders of three clients and levels of γ. Together: the mean of equal entries with the
/// fraction p leaves frac(np)(1 − frac(np))/n² of a squared step, for both signs.
#[test]
fn correlated() {
    let of = |members, member| {
        let (s, r, code, wire) = (1, Norm::Infinity, LevelCode::Packed, WireFloat::F64);
        Correlated { s, r, code, wire, members, member }
    };
    let alone = of(2, 1);
    let steps = 64;
    for x in [[1.0, 0.25], [-0.5, 1.0], [0.75, -1.0]] {
        // The second coordinate's order and γ are those of the first: only one of the two is rounded.
        let outcomes = (0..2 * steps).map(|outcome| {
            let (first, gamma) = (f64::from(outcome % 2), (f64::from(outcome / 2) + 0.5) / f64::from(steps));
            (vec![0.5, first, 0.5, first, gamma, gamma], 1.0 / f64::from(2 * steps))
        });
        check(&alone, &x, outcomes, WireFloat::F64);
    }
    for (n, p) in [(4, 0.3), (5, 0.62), (3, -0.9), (6, -0.5)] {
        let streams = Streams::new(8, u64::from(n as u32));
        let (rounds, mut square) = (20_000, 0.0);
        for round in 0..rounds {
            let draw = Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, round));
            let sum: f64 = (0..n)
                .map(|member| {
                    let (mut message, mut decoded) = (Encoded::new(), [0.0; 2]);
                    let client = of(n as u32, member as u32);
                    client.encode(&[1.0, p], draw, &mut message).unwrap();
                    client.decode(&message, &mut decoded);
                    decoded[1]
                })
                .sum();
            square += (sum / f64::from(n) - p) * (sum / f64::from(n) - p) / rounds as f64;
        }
        let fraction = f64::from(n) * f64::abs(p) - libm::floor(f64::from(n) * f64::abs(p));
        let expected = fraction * (1.0 - fraction) / f64::from(n * n);
        assert!((square - expected).abs() <= 0.06 * expected + 1e-12, "{n} × {p}: {square}, not {expected}");
    }
}
