//! Unadjusted Langevin against its closed form, MALA and random walks against the exact posterior.

use fedbits_models::latent::{Chain, ChainStart, Kernel, Place, SampledModel, Sampler, SamplerError};
use fedbits_random::{CounterKey, DrawPurpose, Stream, Streams};

use super::{lines, subject};

/// Mean and covariance (c00, c01, c11) of a long chain on the posterior of one line.
fn moments(kernel: Kernel, map: Option<fedbits_models::latent::GradientMap<'_>>, n: u32) -> ([f64; 2], [f64; 3]) {
    let model = lines(vec![subject(&[-1.0, -0.4, 0.1, 0.5, 1.0], &[2.0, 3.0, 5.0, 4.5, 7.0], None)]);
    let posterior = model.posterior(&THETA).expect("a parameter");
    let sampler =
        Sampler { kernel, chains: 1, burn_in: 1_000, iterations: n, keep: n, start: ChainStart::Restart, target: None };
    let stream = Streams::new(17, 0).at(DrawPurpose::Sampler, 0, 0);
    let place = Place { latent_dimension: 2, stream, dither: CounterKey::new(5), map };
    let (mut sum, mut products) = ([0.0; 2], [0.0; 3]);
    sampler
        .run(posterior.as_ref(), 0, &mut Chain::default(), place, &mut |z| {
            sum[0] += z[0];
            sum[1] += z[1];
            products[0] += z[0] * z[0];
            products[1] += z[0] * z[1];
            products[2] += z[1] * z[1];
        })
        .expect("a stable chain");
    let n = f64::from(n);
    let mean = sum.map(|sum| sum / n);
    let covariance =
        [products[0] / n - mean[0] * mean[0], products[1] / n - mean[0] * mean[1], products[2] / n - mean[1] * mean[1]];
    (mean, covariance)
}

const THETA: [f64; 6] = [4.0, 2.0, 2.0, 0.3, 1.0, 0.5];

/// Λ = Ω⁻¹ + XᵀX/σ² of that posterior, by hand: Ω = [[2, .3], [.3, 1]], XᵀX = [[5, .2], [.2, 2.42]].
fn precision() -> [f64; 3] {
    let determinant = 2.0 - 0.09;
    [1.0 / determinant + 10.0, -0.3 / determinant + 0.4, 2.0 / determinant + 4.84]
}

fn inverse([a, b, c]: [f64; 3]) -> [f64; 3] {
    let determinant = a * c - b * b;
    [c / determinant, -b / determinant, a / determinant]
}

/// (Λ (I − γ Λ/4))⁻¹, γ = 0.15 with λ_max ≈ 10.6: an inflation by more than half, seen to 4 %.
#[test]
fn unadjusted_langevin_has_its_closed_form_covariance() {
    let gamma = 0.15;
    let [a, b, c] = precision();
    let square = [a * a + b * b, a * b + b * c, b * b + c * c];
    let biased = inverse([a - gamma / 4.0 * square[0], b - gamma / 4.0 * square[1], c - gamma / 4.0 * square[2]]);
    let (_, found) = moments(Kernel::Langevin { step: gamma }, None, 200_000);
    for (found, expected) in found.iter().zip(biased) {
        assert!((found - expected).abs() < 0.04 * biased[0], "{found} and not {expected}");
    }
    let exact = inverse(precision());
    assert!(biased[0] > 1.5 * exact[0], "the bias is large enough to be told from none");
}

/// A gradient multiplied by an independent factor with mean 1 and variance ω (in every coordinate the same relative
/// variance, as an unbiased compressor has): in the eigenbasis v = v (1 − γλ/2)² + γ²λ²ωv/4 + γ, so v = λ⁻¹/(1 − γλ(1 +
/// ω)/4).
#[test]
fn a_noisy_gradient_inflates_by_its_relative_variance() {
    let model = lines(vec![subject(&[0.0], &[0.0], None)]);
    // One observation at time 0: components decouple when Ω is diagonal; Λ = diag(1/4 + 1/0.25, 1).
    let theta = [0.0, 0.0, 4.0, 0.0, 1.0, 0.25];
    let posterior = model.posterior(&theta).expect("a parameter");
    let (gamma, omega) = (0.3, 1.0);
    // Each coordinate is doubled or dropped, independently: ω = 1 per coordinate.
    let map = |g: &[f64], key: CounterKey, out: &mut [f64]| {
        for (j, (out, g)) in out.iter_mut().zip(g).enumerate() {
            *out = if key.uniform(j as u64) < 0.5 { 2.0 * g } else { 0.0 };
        }
        Ok(())
    };
    let n = 400_000;
    let kernel = Kernel::Langevin { step: gamma };
    let sampler =
        Sampler { kernel, chains: 1, burn_in: 1_000, iterations: n, keep: n, start: ChainStart::Restart, target: None };
    let stream = Streams::new(18, 0).at(DrawPurpose::Sampler, 0, 0);
    let place = Place { latent_dimension: 2, stream, dither: CounterKey::new(6), map: Some(&map) };
    let mut squares = [0.0; 2];
    let visit = &mut |z: &[f64]| squares.iter_mut().zip(z).for_each(|(sum, z)| *sum += z * z);
    sampler.run(posterior.as_ref(), 0, &mut Chain::default(), place, visit).expect("a stable chain");
    for (squares, lambda) in squares.iter().zip([4.25, 1.0]) {
        let expected = 1.0 / lambda / (1.0 - gamma * lambda * (1.0 + omega) / 4.0);
        let found = squares / f64::from(n);
        assert!((found / expected - 1.0).abs() < 0.03, "{found} and not {expected}");
    }
}

/// Above γ = 4/λ_max the chain explodes: an error that says so, not NaN.
#[test]
fn too_large_a_step_is_told() {
    let model = lines(vec![subject(&[-1.0, 0.0, 1.0], &[2.0, 3.0, 5.0], None)]);
    let posterior = model.posterior(&THETA).expect("a parameter");
    let kernel = Kernel::Langevin { step: 3.0 };
    let sampler =
        Sampler { kernel, chains: 1, burn_in: 0, iterations: 5_000, keep: 1, start: ChainStart::Restart, target: None };
    let stream = Streams::new(17, 0).at(DrawPurpose::Sampler, 0, 0);
    let place = Place { latent_dimension: 2, stream, dither: CounterKey::new(5), map: None };
    let outcome = sampler.run(posterior.as_ref(), 0, &mut Chain::default(), place, &mut |_| ());
    assert_eq!(outcome, Err(SamplerError::Diverged { subject: 0 }));
}

/// Corrected kernels have the exact covariance (3 %) and mean.
#[test]
fn corrected_kernels_have_the_exact_moments() {
    let exact = inverse(precision());
    let kernels = [
        Kernel::Mala { step: 0.15 },
        Kernel::RandomWalk { prior: 0, single: 1, block: 0 },
        Kernel::RandomWalk { prior: 0, single: 0, block: 1 },
        Kernel::RandomWalk { prior: 2, single: 0, block: 0 },
        Kernel::Gibbs,
    ];
    let (mean, _) = moments(Kernel::Gibbs, None, 200_000);
    for kernel in kernels {
        let (found_mean, found) = moments(kernel, None, 200_000);
        for (found, expected) in found.iter().zip(exact) {
            assert!((found - expected).abs() < 0.05 * exact[0], "{kernel:?}: {found} and not {expected}");
        }
        assert!((found_mean[0] - mean[0]).abs() < 0.02 && (found_mean[1] - mean[1]).abs() < 0.02, "{kernel:?}");
    }
}

/// Adaptation reaches its target acceptance and stops when it is told to.
#[test]
fn steps_adapt_to_the_target() {
    let model = lines(vec![subject(&[-1.0, 0.0, 1.0], &[2.0, 3.0, 5.0], None)]);
    let posterior = model.posterior(&THETA).expect("a parameter");
    for (kernel, target) in
        [(Kernel::Mala { step: 5.0 }, 0.574), (Kernel::RandomWalk { prior: 0, single: 1, block: 1 }, 0.4)]
    {
        let mut chain = Chain::default();
        let rate = |adapt: bool, chain: &mut Chain, stream: Stream| {
            let sampler = Sampler {
                kernel,
                chains: 1,
                burn_in: 0,
                iterations: 5_000,
                keep: 1,
                start: ChainStart::Warm,
                target: adapt.then_some(target),
            };
            let place = Place { latent_dimension: 2, stream, dither: CounterKey::new(5), map: None };
            let tally = sampler.run(posterior.as_ref(), 0, chain, place, &mut |_| ()).expect("a stable chain");
            tally.accepted as f64 / tally.proposed as f64
        };
        let streams = Streams::new(4, 0);
        rate(true, &mut chain, streams.at(DrawPurpose::Sampler, 0, 0));
        let after = rate(false, &mut chain, streams.at(DrawPurpose::Sampler, 0, 1));
        assert!((after - target).abs() < 0.05, "{kernel:?}: {after} and not {target}");
    }
}
