//! Laws of Gaussian mixtures, and the E-step against a slow obvious reference.

use crate::golden::{assert_within, expected};
use fedbits_models::clusters::Clusters;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::initial::sample_covariance;
use fedbits_models::{Batch, DomainError, DomainPolicy, ExactModel, Examples, Model, Repairs, Scratch};
use fedbits_numerics::{vech, vech_length};
use proptest::prelude::*;

/// Deterministic numbers in (−1, 1) without structure.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// A random positive definite matrix A Aᵀ / d + ½ I, row-major.
fn positive_definite(d: usize, seed: u64) -> Vec<f64> {
    let a = numbers(d * d, seed);
    let entry = |i: usize, j: usize| (0..d).map(|k| a[i * d + k] * a[j * d + k]).sum::<f64>() / d as f64;
    (0..d * d).map(|at| entry(at / d, at % d) + if at / d == at % d { 0.5 } else { 0.0 }).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Known,
    Tied,
    Diagonal,
    Full,
}

const FORMS: [Form; 4] = [Form::Known, Form::Tied, Form::Diagonal, Form::Full];

/// A model with a random θ, and the dense covariance of every component.
struct Random {
    model: GaussianMixture,
    theta: Vec<f64>,
    sigmas: Vec<Vec<f64>>,
}

fn random(form: Form, g: usize, d: usize, seed: u64) -> Random {
    let mut sigmas: Vec<Vec<f64>> = (0..g as u64).map(|k| positive_definite(d, seed * 100 + k)).collect();
    if matches!(form, Form::Known | Form::Tied) {
        sigmas = vec![sigmas[0].clone(); g];
    }
    if form == Form::Diagonal {
        let off = |at: usize| at / d != at % d;
        sigmas.iter_mut().flat_map(|sigma| sigma.iter_mut().enumerate()).for_each(|(at, x)| {
            if off(at) {
                *x = 0.0
            }
        });
    }
    let covariance = match form {
        Form::Known => Covariance::Known(sigmas[0].clone()),
        Form::Tied => Covariance::Tied { second_moment: vech(&positive_definite(d, seed), d) },
        Form::Diagonal => Covariance::Diagonal,
        Form::Full => Covariance::Full,
    };
    let model = GaussianMixture::new(g, d, covariance).expect("a valid model");
    let raw: Vec<f64> = numbers(g, seed + 1).iter().map(|x| 1.2 + x).collect();
    let weights: Vec<f64> = raw.iter().map(|x| x / raw.iter().sum::<f64>()).collect();
    let part = match form {
        Form::Known => vec![],
        Form::Tied => vech(&sigmas[0], d),
        Form::Diagonal => sigmas.iter().flat_map(|sigma| (0..d).map(|i| sigma[i * d + i])).collect(),
        Form::Full => sigmas.iter().flat_map(|sigma| vech(sigma, d)).collect(),
    };
    let theta = model.theta_from_parts(&weights, &numbers(g * d, seed + 2), &part).expect("a valid θ");
    Random { model, theta, sigmas }
}

/// Solves A x = b by Gaussian elimination; returns x and log det A.
fn solve(a: &[f64], b: &[f64]) -> (Vec<f64>, f64) {
    let d = b.len();
    let (mut a, mut x, mut log_det) = (a.to_vec(), b.to_vec(), 0.0);
    for k in 0..d {
        log_det += libm::log(a[k * d + k]);
        for i in k + 1..d {
            let f = a[i * d + k] / a[k * d + k];
            (k..d).for_each(|j| a[i * d + j] -= f * a[k * d + j]);
            x[i] -= f * x[k];
        }
    }
    for k in (0..d).rev() {
        let known: f64 = (k + 1..d).map(|j| a[k * d + j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k * d + k];
    }
    (x, log_det)
}

/// s̄ and the mean of −log p straight from the definitions, one observation at a time.
fn reference(random: &Random, form: Form, rows: &[f64], d: usize) -> (Vec<f64>, f64) {
    let g = random.sigmas.len();
    let mut s = vec![0.0; random.model.statistic_dimension()];
    let (n, mut objective) = ((rows.len() / d) as f64, 0.0);
    for y in rows.chunks_exact(d) {
        let log_joint: Vec<f64> = (0..g)
            .map(|k| {
                let centred: Vec<f64> = y.iter().zip(random.model.mean(&random.theta, k)).map(|(y, m)| y - m).collect();
                let (x, log_det) = solve(&random.sigmas[k], &centred);
                let square: f64 = x.iter().zip(&centred).map(|(x, c)| x * c).sum();
                let constant = d as f64 * libm::log(2.0 * std::f64::consts::PI) + log_det;
                libm::log(random.model.weights(&random.theta)[k]) - 0.5 * (constant + square)
            })
            .collect();
        let m = log_joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log_p = m + libm::log(log_joint.iter().map(|l| libm::exp(l - m)).sum());
        objective -= log_p / n;
        for k in 0..g {
            let r = libm::exp(log_joint[k] - log_p) / n;
            s[k] += r;
            (0..d).for_each(|i| s[g + k * d + i] += r * y[i]);
            let start = g * (1 + d);
            match form {
                Form::Known | Form::Tied => {}
                Form::Diagonal => (0..d).for_each(|i| s[start + k * d + i] += r * y[i] * y[i]),
                Form::Full => {
                    let pairs = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)));
                    pairs.enumerate().for_each(|(at, (i, j))| s[start + k * vech_length(d) + at] += r * y[i] * y[j]);
                }
            }
        }
    }
    (s, objective)
}

/// The kernel equals the definitions to rounding, around every block boundary; no observations give zeros.
#[test]
fn kernel_equals_the_definition() {
    for form in FORMS {
        for d in [1, 2, 3, 5, 8, 20] {
            for g in [1, 2, 3, 10] {
                let random = random(form, g, d, (d * 100 + g) as u64);
                for n in [0, 1, 7, 8, 9, 31, 32, 33, 100] {
                    let rows: Vec<f64> = numbers(n * d, n as u64 + 5).iter().map(|x| 2.0 * x).collect();
                    let (s, objective) = expected(&random.model, &rows, &random.theta);
                    let (wanted, wanted_objective) = reference(&random, form, &rows, d);
                    let what = format!("{form:?} d {d} G {g} n {n}");
                    assert_within(&what, &s, &wanted, 1e-11);
                    assert_within(&what, &[objective], &[wanted_objective], 1e-11);
                }
            }
        }
    }
}

/// Repeated indices count as often as they occur: the mean over (3, 3, 0) is (2 s̄_3 + s̄_0) / 3.
#[test]
fn indices_may_repeat() {
    let random = random(Form::Full, 2, 3, 4);
    let rows = numbers(5 * 3, 6);
    let mut s = vec![0.0; random.model.statistic_dimension()];
    let step = random.model.conditional(&random.theta).expect("a density");
    let examples = Examples::new(&rows, 3);
    step.mean_statistics(examples, Batch::Indices(&[3, 3, 0]), &mut Scratch::default(), &mut s);
    let single = |j: usize| expected(&random.model, &rows[3 * j..3 * j + 3], &random.theta).0;
    let wanted: Vec<f64> = single(3).iter().zip(single(0)).map(|(x, y)| (2.0 * x + y) / 3.0).collect();
    assert_within("s", &s, &wanted, 1e-14);
}

/// Observations 1e6 standard deviations away, or so far that squares overflow: Σ_g s1_g = 1, nothing is NaN.
#[test]
fn far_observations() {
    for form in FORMS {
        for (g, d) in [(2, 2), (3, 5)] {
            let random = random(form, g, d, 9);
            for distance in [1e6, -1e6, 1e200] {
                let (s, objective) = expected(&random.model, &vec![distance; 3 * d], &random.theta);
                assert!((s[..g].iter().sum::<f64>() - 1.0).abs() < 1e-14, "{form:?} {distance}: {s:?}");
                assert!(s[..g * (1 + d)].iter().all(|x| x.is_finite()) && !objective.is_nan(), "{form:?} {distance}");
            }
        }
    }
}

/// With diagonal Σ_g the full form has the same posterior, so s1, s2 and the diagonal of s3 agree.
#[test]
fn diagonal_agrees_with_full() {
    let (g, d) = (3, 4);
    let diagonal = random(Form::Diagonal, g, d, 11);
    let full = GaussianMixture::new(g, d, Covariance::Full).expect("a valid model");
    let vechs: Vec<f64> = diagonal.sigmas.iter().flat_map(|sigma| vech(sigma, d)).collect();
    let theta =
        full.theta_from_parts(&diagonal.theta[..g], &diagonal.theta[g..g * (1 + d)], &vechs).expect("a valid θ");
    let rows = numbers(50 * d, 12);
    let ((small, f), (large, f_full)) =
        (expected(&diagonal.model, &rows, &diagonal.theta), expected(&full, &rows, &theta));
    let start = g * (1 + d);
    let squares = (0..g).flat_map(|k| (0..d).map(move |i| start + k * vech_length(d) + (i + 1) * (i + 2) / 2 - 1));
    let picked: Vec<f64> = (0..start).chain(squares).map(|at| large[at]).collect();
    assert_within("s", &small, &picked, 1e-13);
    assert_within("F", &[f], &[f_full], 1e-13);
}

/// A single full Gaussian: T(s̄) is the sample mean and covariance, whatever θ was.
#[test]
fn one_component_is_estimated_in_one_step() {
    let random = random(Form::Full, 1, 3, 13);
    let rows = numbers(40 * 3, 14);
    let mut theta = Vec::new();
    let s = expected(&random.model, &rows, &random.theta).0;
    random.model.maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
    let mean: Vec<f64> = (0..3).map(|i| rows.iter().skip(i).step_by(3).sum::<f64>() / 40.0).collect();
    let covariance = sample_covariance(Examples::new(&rows, 3));
    assert_within("θ", &theta, &[vec![1.0], mean, covariance].concat(), 1e-13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// EM never increases −log p: F(T(s̄(θ))) ≤ F(θ) for every form.
    #[test]
    fn em_is_monotone(form in 0usize..4, g in 1usize..4, d in 1usize..5, seed in 1u64..1000) {
        let form = FORMS[form];
        let rows = numbers(60 * d, seed + 3);
        let mut random = random(form, g, d, seed);
        let examples = Examples::new(&rows, d);
        if form == Form::Tied {
            let second_moment = second_moment(examples);
            random.model = GaussianMixture::new(g, d, Covariance::Tied { second_moment }).expect("a valid model");
        }
        let (mut s, mut before) = expected(&random.model, &rows, &random.theta);
        for _ in 0..5 {
            let mut theta = Vec::new();
            random.model.maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
            let (next, after) = expected(&random.model, &rows, &theta);
            prop_assert!(after <= before + 1e-12, "{form:?}: {before} then {after}");
            (s, before) = (next, after);
        }
    }

    /// Renumbering the components of θ renumbers s̄ and leaves F and parameter_error(θ', θ) = 0.
    #[test]
    fn permutation_equivariance(form in 0usize..4, g in 1usize..6, d in 1usize..4, seed in 1u64..1000, turn in 0usize..6) {
        let form = FORMS[form];
        let random = random(form, g, d, seed);
        let block = match form { Form::Known | Form::Tied => 0, Form::Diagonal => d, Form::Full => vech_length(d) };
        let permute = |v: &[f64]| -> Vec<f64> {
            let of = |k: usize| (k + turn) % g;
            let cut = |start: usize, size: usize| -> Vec<f64> {
                (0..g).flat_map(|k| v[start + of(k) * size..][..size].to_vec()).collect()
            };
            [cut(0, 1), cut(g, d), cut(g * (1 + d), block), v[g * (1 + d + block)..].to_vec()].concat()
        };
        let rows = numbers(20 * d, seed + 4);
        let turned = permute(&random.theta);
        let ((s, f), (s_turned, f_turned)) =
            (expected(&random.model, &rows, &random.theta), expected(&random.model, &rows, &turned));
        assert_within("s", &s_turned, &permute(&s), 1e-12);
        assert_within("F", &[f_turned], &[f], 1e-12);
        prop_assert_eq!(random.model.parameter_error(&turned, &random.theta), 0.0);
    }
}

/// Two components with swapped labels and the first mean moved by 0.1: the error is 0.01, not the swap.
#[test]
fn parameter_error_ignores_labels() {
    let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).expect("a valid model");
    let error = model.parameter_error(&[0.7, 0.3, 5.0, -1.1], &[0.3, 0.7, -1.0, 5.0]);
    assert!((error - 0.01).abs() < 1e-15, "{error}");
}

/// T's domain: typed errors, and what clipping replaces, by hand.
#[test]
fn domain_of_t() {
    let model = GaussianMixture::new(2, 2, Covariance::Full).expect("a valid model");
    // Component 0: π 0.5, µ 0, Σ = I. Component 1: s3/s1 − µµᵀ = [[1, 2], [2, 1]] with eigenvalues 3 and −1.
    let mut s = vec![0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.5, 1.0, 0.5];
    let mut theta = Vec::new();
    let error = model.maximize(&s, DomainPolicy::Error, &mut theta);
    assert_eq!(error, Err(DomainError::Covariance { component: Some(1), pivot: 1, value: -3.0 }));
    // Raising −1 to 0.1: Σ = 3 · vvᵀ + 0.1 · wwᵀ with v = (1, 1)/√2, w = (1, −1)/√2: [[1.55, 1.45], [1.45, 1.55]].
    let clip = DomainPolicy::Clip { floor: 0.1 };
    let repairs = model.maximize(&s, clip, &mut theta).expect("clipped");
    assert_eq!(repairs, Repairs { weights: 0, eigenvalues: 1 });
    assert_within("Σ", &theta[6..], &[1.0, 0.0, 1.0, 1.55, 1.45, 1.55], 1e-14);
    s[0] = -0.25;
    let error = model.maximize(&s, DomainPolicy::Error, &mut theta);
    assert_eq!(error, Err(DomainError::Weight { component: 0, value: -0.25 }));
    assert_eq!(model.maximize(&s, clip, &mut theta).expect("clipped").weights, 1);
    assert_within("π", &theta[..2], &[0.1 / 0.6, 0.5 / 0.6], 1e-15);
    s[3] = f64::NAN;
    assert!(matches!(model.maximize(&s, clip, &mut theta), Err(DomainError::NotFinite { index: 3, .. })));
}

/// A column of zeros has a singular C2: Σ = C2 − µµᵀ = [[1, 0], [0, 0]], whose 0 is raised to the floor.
#[test]
fn a_singular_tied_covariance_is_clipped() {
    let tied = |second_moment| GaussianMixture::new(1, 2, Covariance::Tied { second_moment });
    let model = tied(vec![5.0, 0.0, 0.0]).expect("a valid model");
    let (s, mut theta) = ([1.0, 2.0, 0.0], Vec::new());
    let error = model.maximize(&s, DomainPolicy::Error, &mut theta);
    assert_eq!(error, Err(DomainError::Covariance { component: None, pivot: 1, value: 0.0 }));
    let repairs = model.maximize(&s, DomainPolicy::Clip { floor: 0.1 }, &mut theta).expect("clipped");
    assert_eq!(repairs, Repairs { weights: 0, eigenvalues: 1 });
    assert_within("θ", &theta, &[1.0, 2.0, 0.0, 1.0, 0.0, 0.1], 1e-15);
    assert!(matches!(tied(vec![f64::NAN, 0.0, 1.0]), Err(DomainError::NotFinite { .. })));
}

/// Clipping a larger matrix: the repaired Σ has no eigenvalue below the floor (Σ − 0.999 floor·I still factors), and
/// the part of s in the domain is untouched: clipping again repairs nothing.
#[test]
fn clipping_is_idempotent() {
    let d = 8;
    let model = GaussianMixture::new(1, d, Covariance::Full).expect("a valid model");
    let indefinite = vech(&numbers(d * d, 15), d);
    let s = [vec![1.0], vec![0.0; d], indefinite].concat();
    let mut theta = Vec::new();
    let repairs = model.maximize(&s, DomainPolicy::Clip { floor: 0.2 }, &mut theta).expect("clipped");
    assert!(repairs.eigenvalues > 0);
    let mut again = Vec::new();
    let repaired = [vec![1.0], vec![0.0; d], theta[1 + d..].to_vec()].concat();
    let repairs = model.maximize(&repaired, DomainPolicy::Clip { floor: 0.199 }, &mut again).expect("in the domain");
    assert_eq!(repairs, Repairs::default());
}

#[test]
fn constructor_errors() {
    let new = GaussianMixture::new;
    assert!(new(0, 2, Covariance::Full).is_err() && new(2, 0, Covariance::Full).is_err());
    let known = |matrix: &[f64]| new(2, 2, Covariance::Known(matrix.to_vec())).unwrap_err();
    assert_eq!(known(&[1.0]).to_string(), "the covariance has 1 number: 4 were expected");
    let asymmetric = "the covariance is not symmetric: entries (1, 0) and (0, 1) differ";
    assert_eq!(known(&[1.0, 0.1, 0.2, 1.0]).to_string(), asymmetric);
    // As the check of a scenario has it: rounding is no asymmetry, and the entries below the diagonal count.
    let rounded = |entry: f64| GaussianMixture::new(2, 2, Covariance::Known(vec![1.0, 0.1 + entry, 0.1, 1.0]));
    assert!(rounded(1e-12).is_ok() && rounded(2e-9).is_err());
    assert!(matches!(known(&[1.0, 2.0, 2.0, 1.0]), DomainError::Covariance { pivot: 1, .. }));
    assert!(matches!(known(&[1.0, f64::NAN, f64::NAN, 1.0]), DomainError::NotFinite { .. }));
    let model = new(2, 1, Covariance::Diagonal).expect("a valid model");
    assert!(model.theta_from_parts(&[0.5, 0.0], &[0.0, 1.0], &[1.0, 1.0]).is_err());
    assert!(model.theta_from_parts(&[0.5, 0.5], &[0.0], &[1.0, 1.0]).is_err());
    assert!(model.theta_from_parts(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 0.0]).is_err());
}

/// Dimensions and names count the same entries.
#[test]
fn names_match_dimensions() {
    for (form, q, parameters) in
        [(Form::Known, 9, 9), (Form::Tied, 9, 12), (Form::Diagonal, 15, 15), (Form::Full, 18, 18)]
    {
        let model = random(form, 3, 2, 3).model;
        assert_eq!((model.statistic_dimension(), model.statistic_names().len()), (q, q), "{form:?}");
        assert_eq!((model.parameter_dimension(), model.parameter_names().len()), (parameters, parameters), "{form:?}");
        assert_eq!(model.constants_dimension(), if form == Form::Tied { 3 } else { 0 });
    }
}

/// Posterior weights are shares, and log-densities are those of the objective.
#[test]
fn posterior_weights() {
    for form in FORMS {
        let random = random(form, 3, 4, 11);
        let rows = numbers(4 * 45, 5);
        let examples = Examples::new(&rows, 4);
        let found = random.model.posterior_weights(examples, &random.theta).expect("a density");
        let (statistics, objective) = reference(&random, form, &rows, 4);
        assert_eq!((found.log_densities.len(), found.weights.len()), (45, 45 * 3));
        assert!((found.log_densities.iter().sum::<f64>() / 45.0 + objective).abs() < 1e-12);
        for (g, expected) in statistics[..3].iter().enumerate() {
            let mean = found.weights.iter().skip(g).step_by(3).sum::<f64>() / 45.0;
            assert!((mean - expected).abs() < 1e-12);
        }
    }
}

/// Well separated components: labels are recovered up to their names.
#[test]
fn classification() {
    let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).expect("a valid model");
    let theta = model.theta_from_parts(&[0.5, 0.5], &[4.0, -4.0], &[]).expect("a valid θ");
    let rows: Vec<f64> = (0..10).map(|j| if j < 4 { -4.0 } else { 4.0 } + 0.1 * f64::from(j)).collect();
    let labels = model.classify(Examples::new(&rows, 1), &theta).expect("a density");
    assert_eq!(labels, [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
}
