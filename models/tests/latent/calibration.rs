//! Simulation-based calibration (Talts et al. 2018): z from the prior, y from p(y | z), then the rank of z among L
//! draws from p(z | y) is uniform on 0..=L when the kernel is right. One subject is one simulation.

use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::latent::{Chain, ChainStart, Kernel, Place, SampledModel, Sampler};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_random::{CounterKey, DrawPurpose, Streams};

use super::{bifactor, topics};
use fedbits_models::bifactor::Law;

pub const SIMULATIONS: usize = 1_000;
/// Draws per rank: 19 gives 20 bins of 50 simulations each.
pub const DRAWS: usize = 19;
/// A right kernel has a smaller p-value with this probability: with fewer than 200 of them in all, a false alarm has a
/// probability below 2e-7. A posterior that is off by 0.4 standard deviations, or whose spread is off by 40 %, is found
/// (`the_test_of_ranks_has_power`).
pub const LEAST: f64 = 1e-9;

/// How often each rank came, per component.
pub type Ranks = Vec<[u32; DRAWS + 1]>;

/// P(χ²_19 > x) by the series of the incomplete gamma function.
fn p_value(x: f64, freedom: f64) -> f64 {
    // Beyond this it is below 1e-40, and the series has no room.
    if x > 20.0 * freedom {
        return 0.0;
    }
    let (a, x) = (freedom / 2.0, x / 2.0);
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > sum * 1e-15 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    1.0 - sum * libm::exp(-x + a * libm::log(x) - libm::lgamma(a))
}

/// The smallest p-value over components whose ranks should be uniform, by Pearson's X².
pub fn uniformity(ranks: &Ranks) -> f64 {
    let expected = SIMULATIONS as f64 / (DRAWS + 1) as f64;
    let statistic = |bins: &[u32; DRAWS + 1]| -> f64 {
        bins.iter().map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected) / expected).sum()
    };
    ranks.iter().map(|bins| p_value(statistic(bins), DRAWS as f64)).fold(1.0, f64::min)
}

/// What the test of ranks can tell: normal draws against others that are shifted or spread.
#[test]
fn the_test_of_ranks_has_power() {
    let p = |shift: f64, spread: f64| {
        let mut ranks: Ranks = vec![[0; DRAWS + 1]];
        for number in 0..SIMULATIONS {
            let mut stream = Streams::new(43, 0).at(DrawPurpose::Sampler, number as u64, 0);
            let truth = stream.normal();
            let below = (0..DRAWS).filter(|_| shift + spread * stream.normal() < truth).count();
            ranks[0][below] += 1;
        }
        uniformity(&ranks)
    };
    assert!(p(0.0, 1.0) > LEAST);
    for (shift, spread) in [(0.4, 1.0), (-0.4, 1.0), (0.0, 1.4), (0.0, 1.0 / 1.4)] {
        assert!(p(shift, spread) < LEAST, "{shift}, {spread}");
    }
}

/// Smallest p-value over the components of z; `thin` transitions between draws after `burn_in`.
fn calibrate(
    model: &dyn SampledModel,
    truth: &[Vec<f64>],
    theta: &[f64],
    kernel: Kernel,
    burn_in: u32,
    thin: u32,
) -> f64 {
    let posterior = model.posterior(theta).expect("a parameter");
    let p = model.latent_dimension();
    let mut bins: Ranks = vec![[0; DRAWS + 1]; p];
    let streams = Streams::new(23, 0);
    let iterations = thin * DRAWS as u32;
    let sampler =
        Sampler { kernel, chains: 1, burn_in, iterations, keep: iterations, start: ChainStart::Restart, target: None };
    for (subject, truth) in truth.iter().enumerate() {
        let stream = streams.at(DrawPurpose::Sampler, subject as u64, 0);
        let place = Place { latent_dimension: p, stream, dither: CounterKey::new(0), map: None };
        let (mut ranks, mut count) = (vec![0; p], 0);
        let visit = &mut |z: &[f64]| {
            count += 1;
            if count % thin == 0 {
                (0..p).for_each(|j| ranks[j] += usize::from(z[j] < truth[j]));
            }
        };
        sampler.run(posterior.as_ref(), subject, &mut Chain::default(), place, visit).expect("a stable chain");
        (0..p).for_each(|j| bins[j][ranks[j]] += 1);
    }
    uniformity(&bins)
}

/// A model whose subjects were drawn from it at θ, with their z.
fn simulated(
    make: &dyn Fn(Longitudinal) -> MixedModel,
    times: &[f64],
    dose: Option<f64>,
    theta: &[f64],
) -> (MixedModel, Vec<Vec<f64>>) {
    let doses: Vec<(f64, f64)> = dose.map(|amount| (0.0, amount)).into_iter().collect();
    let empty = Subject { name: String::new(), times: times.to_vec(), values: vec![1.0; times.len()], doses };
    let design = make(Longitudinal { subjects: vec![empty; SIMULATIONS] });
    let streams = Streams::new(29, 0);
    let (mut truth, mut data) = (Vec::new(), design.data().clone());
    let posterior = design.posterior(theta).expect("a parameter");
    for (i, subject) in data.subjects.iter_mut().enumerate() {
        // The first draws of `simulate` are z; the same stream gives both.
        let mut z = vec![0.0; design.latent_dimension()];
        posterior.draw_prior(i, &mut streams.at(DrawPurpose::Data, i as u64, 0), &mut z);
        design
            .simulate(theta, i, &mut streams.at(DrawPurpose::Data, i as u64, 0), &mut subject.values)
            .expect("a parameter");
        truth.push(z);
    }
    (make(data), truth)
}

#[test]
fn every_kernel_is_calibrated_on_lines() {
    let make = |data| {
        MixedModel::new(Curve::Polynomial { degree: 1 }, Effects::Full, ResidualError::Constant, data).expect("a model")
    };
    let theta = [2.0, 1.0, 1.0, 0.2, 0.5, 0.6];
    let (model, truth) = simulated(&make, &[-1.0, -0.2, 0.5, 1.0], None, &theta);
    let kernels = [
        (Kernel::Gibbs, 0, 1),
        (Kernel::Mala { step: 0.3 }, 60, 15),
        (Kernel::RandomWalk { prior: 1, single: 1, block: 1 }, 60, 15),
        (Kernel::RandomWalk { prior: 0, single: 1, block: 0 }, 60, 20),
        (Kernel::RandomWalk { prior: 0, single: 0, block: 1 }, 60, 30),
        (Kernel::RandomWalk { prior: 1, single: 0, block: 0 }, 100, 40),
        // Unadjusted: a variance too large by γλ/4 ≈ 4 % is below what 1 000 simulations tell.
        (Kernel::Langevin { step: 0.02 }, 250, 75),
    ];
    for (kernel, burn_in, thin) in kernels {
        let p = calibrate(&model, &truth, &theta, kernel, burn_in, thin);
        assert!(p > LEAST, "{kernel:?}: p = {p:e}");
    }
    // The test can fail: with γ = 0.45 the unadjusted chain's spread is far too large.
    let wrong = calibrate(&model, &truth, &theta, Kernel::Langevin { step: 0.45 }, 100, 10);
    assert!(wrong < LEAST, "a biased kernel is told: p = {wrong:e}");
}

#[test]
fn the_adjusted_kernels_are_calibrated_on_pharmacokinetics() {
    let make = |data| {
        let curve = Curve::OneCompartmentOral { lag: false };
        MixedModel::new(curve, Effects::Diagonal, ResidualError::Proportional, data).expect("a model")
    };
    let theta = [0.0, 2.0, -1.5, 0.1, 0.05, 0.05, 0.04];
    let (model, truth) = simulated(&make, &[1.0, 3.0, 8.0, 24.0], Some(100.0), &theta);
    for (kernel, burn_in, thin) in
        [(Kernel::RandomWalk { prior: 1, single: 1, block: 1 }, 80, 20), (Kernel::Mala { step: 0.02 }, 150, 30)]
    {
        let p = calibrate(&model, &truth, &theta, kernel, burn_in, thin);
        assert!(p > LEAST, "{kernel:?}: p = {p:e}");
    }
}

/// Gibbs (exact with Gaussian responses, through w with probit ones), Langevin and random walks on person factors.
#[test]
fn every_kernel_is_calibrated_on_bi_factor_models() {
    for law in [Law::Gaussian, Law::Probit, Law::Logit] {
        let theta = bifactor::theta(law);
        let (model, truth) = bifactor::simulated(law, SIMULATIONS as u64, &theta);
        let mut kernels = vec![
            (Kernel::Mala { step: 0.4 }, 60, 12),
            (Kernel::RandomWalk { prior: 1, single: 1, block: 1 }, 60, 12),
            // Unadjusted: its bias, of order γλ/4, is below what 1 000 simulations tell.
            (Kernel::Langevin { step: 0.04 }, 150, 40),
        ];
        match law {
            Law::Gaussian => kernels.push((Kernel::Gibbs, 0, 1)),
            Law::Probit => kernels.push((Kernel::Gibbs, 30, 6)),
            Law::Logit => {}
        }
        for (kernel, burn_in, thin) in kernels {
            let p = calibrate(&model, &truth, &theta, kernel, burn_in, thin);
            assert!(p > LEAST, "{law:?}, {kernel:?}: p = {p:e}");
        }
    }
}

/// Gibbs through the topics of tokens, MALA and random walks on the proportions of documents.
#[test]
fn every_kernel_is_calibrated_on_topics() {
    let (model, truth) = topics::simulated(SIMULATIONS as u64, 12, 0.7);
    let theta = topics::blocks();
    for (kernel, burn_in, thin) in [
        (Kernel::Gibbs, 20, 8),
        (Kernel::Mala { step: 1.5 }, 150, 25),
        (Kernel::RandomWalk { prior: 1, single: 1, block: 1 }, 60, 12),
        (Kernel::Langevin { step: 0.3 }, 200, 60),
    ] {
        let p = calibrate(&model, &truth, &theta, kernel, burn_in, thin);
        assert!(p > LEAST, "{kernel:?}: p = {p:e}");
    }
    // The test can fail: a wrong model (other topics in the same places) is told.
    let mut wrong = theta.clone();
    wrong.rotate_left(1);
    let p = calibrate(&model, &truth, &wrong, Kernel::Gibbs, 20, 8);
    assert!(p < LEAST, "p = {p:e}");
}
