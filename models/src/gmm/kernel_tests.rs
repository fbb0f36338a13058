//! Equal bits from every instruction set and every way to name a batch.

use super::Conditional;
use crate::gmm::layout::Layout;
use crate::gmm::{Covariance, GaussianMixture};
use crate::{Batch, EStep, Examples, Scratch};
use pulp::Arch;

/// Every instruction set of this processor that the kernel may be dispatched to.
pub fn levels() -> Vec<Arch> {
    let mut levels = vec![Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(pulp::x86::V3::try_new().map(Arch::V3));
        levels.extend(pulp::x86::V4::try_new().map(Arch::V4));
    }
    levels
}

/// Deterministic numbers in (−1, 1) without structure.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn equicorrelated(d: usize) -> Vec<f64> {
    (0..d * d).map(|at| if at / d == at % d { 1.0 } else { 0.2 }).collect()
}

/// A mixture of every covariance form with unequal weights.
fn mixtures(g: usize, d: usize) -> Vec<Conditional> {
    let matrix = equicorrelated(d);
    let vech = fedbits_numerics::vech(&matrix, d);
    let tied = Covariance::Tied { second_moment: vech.clone() };
    let forms = [Covariance::Known(matrix), tied, Covariance::Diagonal, Covariance::Full];
    let condition = |form| {
        let model = GaussianMixture::new(g, d, form).expect("a valid model");
        let mut theta = model.initial_theta(&numbers(g * d, 7), &vech).expect("a valid θ");
        theta[..g].iter_mut().zip(numbers(g, 8)).for_each(|(weight, x)| *weight *= 1.5 + x);
        model.condition(&theta).expect("a density")
    };
    forms.into_iter().map(condition).collect()
}

fn layout(step: &Conditional) -> Layout {
    step.packed.layout
}

/// s̄ and the objective as bits.
fn bits(step: &Conditional, rows: &[f64]) -> Vec<u64> {
    let Layout { dimension, .. } = layout(step);
    let mut out = vec![f64::NAN; layout(step).statistic_dimension()];
    let examples = Examples::new(rows, dimension);
    let objective = step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut out);
    out.iter().chain([&objective]).map(|x| x.to_bits()).collect()
}

/// Scalar, AVX2 and AVX-512 code give equal bits; the small kernel and the general one agree to rounding.
#[test]
fn levels_agree_bit_for_bit() {
    for d in [1, 2, 3, 5, 8, 20] {
        for g in [1, 2, 3, 10] {
            for step in mixtures(g, d) {
                for n in [0, 1, 7, 8, 9, 31, 32, 33, 100] {
                    let rows: Vec<f64> = numbers(n * d, 9).iter().map(|x| 3.0 * x).collect();
                    let scalar = |general| bits(&Conditional { level: Arch::Scalar, general, ..step.clone() }, &rows);
                    let expected = [scalar(false), scalar(true)];
                    for (small, general) in expected[0].iter().zip(&expected[1]) {
                        let (small, general) = (f64::from_bits(*small), f64::from_bits(*general));
                        assert!((small - general).abs() <= 1e-14 * general.abs().max(1.0), "d {d} G {g} n {n}");
                    }
                    for level in levels() {
                        for general in [false, true] {
                            let found = bits(&Conditional { level, general, ..step.clone() }, &rows);
                            assert_eq!(found, expected[usize::from(general)], "{level:?} {general} d {d} G {g} n {n}");
                        }
                    }
                }
            }
        }
    }
}

/// Batch::All is the indices 0 … n − 1, also with a scratch that other calls have used.
#[test]
fn all_equals_every_index() {
    for (d, g) in [(1, 3), (2, 2), (3, 3), (5, 2), (20, 10)] {
        let mut scratch = Scratch { buffer: vec![f64::NAN; 40_000] };
        for step in mixtures(g, d) {
            let rows = numbers(77 * d, 10);
            let examples = Examples::new(&rows, d);
            let indices: Vec<u32> = (0..77).collect();
            let mut s =
                [vec![0.0; layout(&step).statistic_dimension()], vec![0.0; layout(&step).statistic_dimension()]];
            step.mean_statistics(examples, Batch::All, &mut scratch, &mut s[0]);
            step.mean_statistics(examples, Batch::Indices(&indices), &mut scratch, &mut s[1]);
            assert_eq!(s[0], s[1], "d {d} G {g}");
        }
    }
}
