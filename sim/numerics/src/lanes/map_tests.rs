use super::super::exp::expm1_not_positive;
use super::super::normal::{cos, normals};
use super::*;
use crate::levels::levels;
use fedbits_random::{DrawPurpose, Streams};

/// Numbers of every size and many bits, around the places where `libm` changes its path, and those that are none.
fn numbers() -> Vec<f64> {
    let mut numbers = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 5e-324];
    let high_words = [0x3fd6_2e42_i64, 0x3ff0_a2b2, 0x3e30_0000, 0x4086_232b, 0x4043_687a, 0x3c90_0000, 0x3ff0_0000];
    for high in high_words.into_iter().chain([0x3fe6_a09e, 0x4026_bbaa, 0x4086_2e42, 0x4087_4910]) {
        for low in [-2, -1, 0, 1, 2, 0x7fff_ffff, 0x1_0000_0000, 0x1_0000_0001] {
            numbers.push(f64::from_bits(((high << 32) + low) as u64));
        }
    }
    let mut stream = Streams::new(3, 0).at(DrawPurpose::Data, 0, 0);
    for scale in [1e-300, 1e-20, 1e-9, 1e-4, 0.1, 1.0, 3.0, 40.0, 800.0, 1e10, 1e300] {
        numbers.extend((0..20_000).map(|_| scale * stream.uniform()));
    }
    numbers.extend((1..2000).map(|k| f64::from(k) * core::f64::consts::LN_2 / 2.0));
    let negative: Vec<f64> = numbers.iter().map(|x| -x).collect();
    numbers.extend(negative);
    numbers
}

fn check(name: &str, op: impl Op, slow: impl Fn(f64) -> f64, numbers: &[f64]) {
    for level in levels() {
        // Twice, so that every number stands beside its neighbours in the order and beside others.
        for step in [1, 7919] {
            let order: Vec<f64> = (0..numbers.len()).map(|k| numbers[k * step % numbers.len()]).collect();
            let mut fast = order.clone();
            level.dispatch(Map(&mut fast, op));
            for (&x, &fast) in order.iter().zip(&fast) {
                let slow = slow(x);
                let same = fast.to_bits() == slow.to_bits() || (fast.is_nan() && slow.is_nan());
                assert!(same, "{name}({x:e}) = {slow:e} by libm, {fast:e} in lanes of {level:?}");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Expm1Op;

impl Op for Expm1Op {
    fn apply<S: Simd>(self, simd: S, x: S::f64s) -> S::f64s {
        expm1_not_positive(simd, x)
    }
}

#[test]
fn functions_have_the_bits_of_libm_at_every_level() {
    let numbers = numbers();
    check("exp", ExpOp, libm::exp, &numbers);
    check("log", LogOp, libm::log, &numbers);
    // Without the lanes that are left to libm, so that others cannot hide behind them.
    let usual: Vec<f64> = numbers.iter().copied().filter(|x| x.abs() < 707.0).collect();
    check("exp", ExpOp, libm::exp, &usual);
    let usual: Vec<f64> = numbers.iter().copied().filter(|&x| x >= f64::MIN_POSITIVE && x.is_finite()).collect();
    check("log", LogOp, libm::log, &usual);
    let not_positive: Vec<f64> = numbers.iter().copied().filter(|&x| x <= 0.0 || x.is_nan()).collect();
    check("expm1", Expm1Op, libm::expm1, &not_positive);
}

#[test]
fn normals_are_the_draws_of_the_stream() {
    for count in [0, 1, 3, 8, 21, 100_000] {
        let (mut fast, mut slow) = (vec![0.0; count], Streams::new(5, 0).at(DrawPurpose::Data, 1, 2));
        normals(&mut Streams::new(5, 0).at(DrawPurpose::Data, 1, 2), &mut fast);
        for (place, fast) in fast.iter().enumerate() {
            assert_eq!(fast.to_bits(), slow.normal().to_bits(), "draw {place} of {count}");
        }
    }
}

#[derive(Clone, Copy)]
struct CosOp;

impl Op for CosOp {
    fn apply<S: Simd>(self, simd: S, x: S::f64s) -> S::f64s {
        cos(simd, x)
    }
}

#[test]
fn cosines_have_the_bits_of_libm_at_every_level() {
    let mut stream = Streams::new(4, 0).at(DrawPurpose::Data, 0, 0);
    let mut angles: Vec<f64> = (0..200_000).map(|_| core::f64::consts::TAU * stream.uniform()).collect();
    for eighth in 0..16 {
        let angle = f64::from(eighth) * core::f64::consts::FRAC_PI_4;
        for shift in [-1e-5, -1e-6, -1e-7, -1e-9, -1e-12, -1e-16, 0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5] {
            angles.push((angle + shift).clamp(0.0, core::f64::consts::TAU));
        }
    }
    angles.extend((0..60).map(|k| libm::exp2(f64::from(-k))));
    check("cos", CosOp, libm::cos, &angles);
}
