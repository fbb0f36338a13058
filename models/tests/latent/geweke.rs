//! Geweke's test of a sampler (2004) in many short chains: z and y start as a draw from p(z) p(y | z), then z moves by
//! the kernel at that y, and y is drawn anew at that z, again and again. A kernel that leaves p(z | y) invariant leaves
//! the joint law as it is, so that at the end z, and the mean of y, are ranked uniformly among fresh draws from
//! p(z) p(y | z). The laws of y are written here once more.

use fedbits_models::bifactor::{BiFactor, Law};
use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::latent::{Chain, ChainStart, Kernel, Place, SampledModel, Sampler};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_models::topics::TopicModel;
use fedbits_random::{CounterKey, DrawPurpose, Stream, Streams};

use super::calibration::{DRAWS, LEAST, Ranks, SIMULATIONS, uniformity};
use super::{bifactor, topics};

/// How often z and y change places.
const ALTERNATIONS: u64 = 8;

/// The model of subjects with these y.
type Make<'a> = &'a dyn Fn(&[Vec<f64>]) -> Box<dyn SampledModel>;

/// A family of models: what y is at z, and the model of subjects with such y.
struct Family<'a> {
    theta: Vec<f64>,
    draw: &'a dyn Fn(&[f64], &mut Stream) -> Vec<f64>,
    model: Make<'a>,
}

fn mean(y: &[f64]) -> f64 {
    y.iter().sum::<f64>() / y.len() as f64
}

/// How many of `fresh` are below `value`; ties fall by chance.
fn rank(value: f64, fresh: &[f64], stream: &mut Stream) -> usize {
    let (below, equal) = (fresh.iter().filter(|x| **x < value).count(), fresh.iter().filter(|x| **x == value).count());
    below + stream.below(equal as u64 + 1) as usize
}

/// The smallest p-value over the components of z and the mean of y, after `transitions` of the kernel per alternation.
fn geweke(family: &Family<'_>, kernel: Kernel, transitions: u32) -> f64 {
    let (theta, streams) = (&family.theta, Streams::new(47, 0));
    let design = (family.model)(&[(family.draw)(&[0.0; 8], &mut streams.at(DrawPurpose::Data, 0, u64::MAX))]);
    let (p, prior) = (design.latent_dimension(), design.posterior(theta).expect("a parameter"));
    let joint = |stream: &mut Stream| {
        let mut z = vec![0.0; p];
        prior.draw_prior(0, stream, &mut z);
        let y = (family.draw)(&z, stream);
        (z, y)
    };
    let start = |i| joint(&mut streams.at(DrawPurpose::Data, i, 0));
    let (mut zs, mut ys): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (0..SIMULATIONS as u64).map(start).unzip();
    let sampler = Sampler {
        kernel,
        chains: 1,
        burn_in: 0,
        iterations: transitions,
        keep: 1,
        start: ChainStart::Warm,
        target: None,
    };
    for turn in 1..=ALTERNATIONS {
        let model = (family.model)(&ys);
        let posterior = model.posterior(theta).expect("a parameter");
        for (i, (z, y)) in zs.iter_mut().zip(&mut ys).enumerate() {
            let stream = streams.at(DrawPurpose::Sampler, i as u64, turn);
            let place = Place { latent_dimension: p, stream, dither: CounterKey::new(0), map: None };
            let mut chain = Chain::at(z);
            sampler.run(posterior.as_ref(), i, &mut chain, place, &mut |_| {}).expect("a stable chain");
            z.copy_from_slice(chain.z());
            *y = (family.draw)(z, &mut streams.at(DrawPurpose::Data, i as u64, turn));
        }
    }
    let mut ranks: Ranks = vec![[0; DRAWS + 1]; p + 1];
    for (i, (z, y)) in zs.iter().zip(&ys).enumerate() {
        let mut stream = streams.at(DrawPurpose::Probe, i as u64, 0);
        let fresh: Vec<(Vec<f64>, f64)> = (0..DRAWS).map(|_| joint(&mut stream)).map(|(z, y)| (z, mean(&y))).collect();
        for j in 0..p {
            let draws: Vec<f64> = fresh.iter().map(|(z, _)| z[j]).collect();
            ranks[j][rank(z[j], &draws, &mut stream)] += 1;
        }
        let draws: Vec<f64> = fresh.iter().map(|(_, mean)| *mean).collect();
        ranks[p][rank(mean(y), &draws, &mut stream)] += 1;
    }
    uniformity(&ranks)
}

#[track_caller]
fn assert_invariant(family: &Family<'_>, kernels: &[(Kernel, u32)]) {
    for &(kernel, transitions) in kernels {
        let p = geweke(family, kernel, transitions);
        assert!(p > LEAST, "{kernel:?}: p = {p:e}");
    }
}

const WALKS: Kernel = Kernel::RandomWalk { prior: 1, single: 1, block: 1 };

fn subjects(ys: &[Vec<f64>], times: &[f64], dose: Option<f64>) -> Longitudinal {
    let doses: Vec<(f64, f64)> = dose.map(|amount| (0.0, amount)).into_iter().collect();
    let subject =
        |y: &Vec<f64>| Subject { name: String::new(), times: times.to_vec(), values: y.clone(), doses: doses.clone() };
    Longitudinal { subjects: ys.iter().map(subject).collect() }
}

/// y = z₁ + z₂ t + σ ε. An unadjusted chain with a large step is found.
#[test]
fn lines_keep_their_joint_law() {
    let times = [-1.0, -0.2, 0.5, 1.0];
    let sigma = 0.6_f64.sqrt();
    let family = Family {
        theta: vec![2.0, 1.0, 1.0, 0.2, 0.5, 0.6],
        draw: &|z, stream| times.iter().map(|t| z[0] + z[1] * t + sigma * stream.normal()).collect(),
        model: &|ys| {
            let (curve, data) = (Curve::Polynomial { degree: 1 }, subjects(ys, &times, None));
            Box::new(MixedModel::new(curve, Effects::Full, ResidualError::Constant, data).expect("a model"))
        },
    };
    let kernels =
        [(Kernel::Gibbs, 1), (Kernel::Mala { step: 0.3 }, 4), (WALKS, 3), (Kernel::Langevin { step: 0.01 }, 4)];
    assert_invariant(&family, &kernels);
    let wrong = geweke(&family, Kernel::Langevin { step: 0.5 }, 10);
    assert!(wrong < LEAST, "a biased kernel is told: p = {wrong:e}");
}

/// One compartment with absorption: log ka, log V, log Cl are normal, y = f (1 + σ ε).
#[test]
fn pharmacokinetics_keep_their_joint_law() {
    let (times, dose, sigma) = ([1.0, 3.0, 8.0, 24.0], 100.0, 0.04_f64.sqrt());
    let concentration = |z: &[f64], t: f64| {
        let (ka, volume, clearance) = (libm::exp(z[0]), libm::exp(z[1]), libm::exp(z[2]));
        let ke = clearance / volume;
        dose * ka / (volume * (ka - ke)) * (libm::exp(-ke * t) - libm::exp(-ka * t))
    };
    let family = Family {
        theta: vec![0.0, 2.0, -1.5, 0.1, 0.05, 0.05, 0.04],
        draw: &|z, stream| times.iter().map(|&t| concentration(z, t) * (1.0 + sigma * stream.normal())).collect(),
        model: &|ys| {
            let (curve, data) = (Curve::OneCompartmentOral { lag: false }, subjects(ys, &times, Some(dose)));
            Box::new(MixedModel::new(curve, Effects::Diagonal, ResidualError::Proportional, data).expect("a model"))
        },
    };
    assert_invariant(&family, &[(WALKS, 3), (Kernel::Mala { step: 0.02 }, 4)]);
}

/// η = b + a z₀ + c z_g per item; y is η + ψ^½ ε, whether η + ε > 0, or 1 with probability 1/(1 + e^−η).
#[test]
fn bi_factor_models_keep_their_joint_law() {
    for law in [Law::Gaussian, Law::Probit, Law::Logit] {
        let theta = bifactor::theta(law);
        let per_item = theta.len() / bifactor::GROUPS.len();
        let response = |item: &[f64], z: &[f64], group: usize, stream: &mut Stream| {
            let eta = item[0] + item[1] * z[0] + item[2] * z[group];
            match law {
                Law::Gaussian => eta + item[3].sqrt() * stream.normal(),
                Law::Probit => f64::from(u8::from(eta + stream.normal() > 0.0)),
                Law::Logit => f64::from(u8::from(stream.uniform() < 1.0 / (1.0 + libm::exp(-eta)))),
            }
        };
        let family = Family {
            draw: &|z, stream| {
                let items = theta.chunks_exact(per_item).zip(bifactor::GROUPS);
                items.map(|(item, group)| response(item, z, group, stream)).collect()
            },
            model: &|ys| {
                let responses = bifactor::responses(ys.concat());
                Box::new(BiFactor::new(law, &bifactor::GROUPS, responses).expect("a model"))
            },
            theta: theta.clone(),
        };
        let mut kernels = vec![(Kernel::Mala { step: 0.4 }, 4), (WALKS, 3), (Kernel::Langevin { step: 0.02 }, 4)];
        if law != Law::Logit {
            kernels.push((Kernel::Gibbs, 1));
        }
        assert_invariant(&family, &kernels);
    }
}

/// Words of a document are drawn from Σ_k ϑ_k β_k with log ϑ_k/ϑ_K = z_k.
#[test]
fn topics_keep_their_joint_law() {
    let (theta, tokens) = (topics::blocks(), 12);
    let draw = |z: &[f64], stream: &mut Stream| -> Vec<f64> {
        let odds = [libm::exp(z[0]), libm::exp(z[1]), 1.0];
        let weights: Vec<f64> =
            theta.chunks_exact(3).map(|beta| beta.iter().zip(&odds).map(|(beta, odds)| beta * odds).sum()).collect();
        (0..tokens).map(|_| stream.categorical(&weights) as f64).collect()
    };
    let document = |words: &Vec<f64>| {
        let count = |word: u32| words.iter().filter(|token| **token == f64::from(word)).count() as u32;
        (0..12).map(|word| (word, count(word))).filter(|(_, count)| *count > 0).collect()
    };
    let family = Family {
        theta: theta.clone(),
        draw: &draw,
        model: &|ys| {
            let corpus = topics::corpus(12, ys.iter().map(document).collect());
            Box::new(TopicModel::new(3, 0.7, 0.1, corpus).expect("a model"))
        },
    };
    let kernels =
        [(Kernel::Gibbs, 1), (Kernel::Mala { step: 1.5 }, 4), (WALKS, 3), (Kernel::Langevin { step: 0.05 }, 4)];
    assert_invariant(&family, &kernels);
}
