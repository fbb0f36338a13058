//! The linear mixed model's exact E-step and T against golden g8 (independent numpy code), and mixtures with known
//! labels.

use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture};
use fedbits_models::latent::SampledModel;
use fedbits_models::{DomainError, DomainPolicy, Model, Parameters};
use fedbits_numerics::vech;

use super::{assert_within, golden, lines, numbers, subject};

/// s̄(θ) over all subjects and Σ log p.
fn expectation(model: &dyn SampledModel, theta: &[f64]) -> (Vec<f64>, f64) {
    let posterior = model.posterior(theta).expect("a parameter");
    let mut s = vec![0.0; model.statistic_dimension()];
    let n = model.subjects();
    let each = |i| posterior.expected_statistics(i, 1.0 / n as f64, &mut s).expect("an exact E-step");
    let log_likelihood = (0..n).map(each).sum();
    (s, log_likelihood)
}

/// Ten iterations of EM from β = (140, 1), Ω = diag(100, 100), σ² = 1 and the log-likelihood of every iterate, then the
/// limit.
#[test]
fn em_follows_the_golden_iterates() {
    let file = golden("g8_lmm_em.json");
    let groups = file["inputs"]["groups"].as_array().expect("groups");
    let model = lines(groups.iter().map(|g| subject(&numbers(&g["age"]), &numbers(&g["y"]), None)).collect());
    let mut theta = model.parameter(&[140.0, 1.0], &[100.0, 100.0], 1.0);
    let parameter = |step: &serde_json::Value| {
        let omega = vech(&numbers(&step["Omega"]), 2);
        [numbers(&step["beta"]), omega, numbers(&step["sigma2"])].concat()
    };
    for step in file["iterates"].as_array().expect("iterates") {
        assert_within("θ", &theta, &parameter(step), 1e-9);
        let (s, log_likelihood) = expectation(&model, &theta);
        assert_within("log-likelihood", &[log_likelihood], &numbers(&step["loglik"]), 1e-9);
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
    }
    for _ in 0..2_000 {
        let (s, _) = expectation(&model, &theta);
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
    }
    assert_within("limit", &theta, &parameter(&file["limit"]), 1e-9);
}

/// T(S(θ)) = θ, and A_θ⁻¹ A_θ = 1.
#[test]
fn statistics_of_theta_map_back() {
    let model = lines(vec![subject(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.5], None)]);
    let theta = [150.0, 6.0, 60.0, 5.0, 3.0, 0.5];
    let (mut s, mut back) = (Vec::new(), Vec::new());
    model.statistic_of(&theta, &mut s);
    assert_within("s", &s, &[150.0, 6.0, 22_560.0, 905.0, 39.0, 0.5], 1e-12);
    model.maximize(&s, DomainPolicy::Error, &mut back).expect("in the domain");
    assert_within("T(s)", &back, &theta, 1e-9);
    let delta = [0.3, -0.2, 1.0, 2.0, -3.0, 0.1];
    let mut u = delta;
    model.standardize(&theta, &mut u);
    model.restore(&theta, &mut u);
    assert_within("A⁻¹ A Δ", &u, &delta, 1e-10);
}

/// Top-4 of raw statistics (golden g9, `mstep_topk`): Ω has the eigenvalue −881.7. An error by default; clipped, it is
/// counted.
#[test]
fn an_indefinite_covariance_is_an_error_or_counted() {
    let s = [149.1108207849152, 0.0, 22238.008650740943, 896.1134951551163, 24.9946933662773, 29.508809846623063];
    let model = lines(vec![subject(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.5], None)]);
    let mut theta = Vec::new();
    let error = model.maximize(&s, DomainPolicy::Error, &mut theta).expect_err("indefinite");
    assert!(matches!(error, DomainError::Covariance { pivot: 1, .. }), "{error}");
    let repairs = model.maximize(&s, DomainPolicy::Clip { floor: 1e-3 }, &mut theta).expect("clipped");
    assert_eq!((repairs.eigenvalues, repairs.weights), (1, 0));
    // The other eigenvalue stays: 910.6583774981489 (g9); the trace is their sum.
    assert_within("trace", &[theta[2] + theta[4]], &[910.6583774981489 + 1e-3], 1e-9);
    let negative = [0.0, 0.0, 1.0, 0.0, 1.0, -0.1];
    assert_eq!(model.maximize(&negative, DomainPolicy::Error, &mut theta), Err(DomainError::Variance { value: -0.1 }));
}

/// With all labels drawn, E S(y, z) = s̄: the mean over many sweeps approaches the E-step (7 standard errors). And S of
/// an observation that belongs to component g surely is the E-step's own statistic.
#[test]
fn sampled_labels_have_the_mixture_as_their_mean() {
    let rows = vec![-1.0, 0.3, -0.2, 0.1, 0.9, 1.2, 1.5, -0.4];
    let data = DataSet::new(vec!["x".to_owned(), "y".to_owned()], rows, None, None).expect("data");
    let mixture = GaussianMixture::new(2, 2, Covariance::Full).expect("a model");
    let theta = [0.4, 0.6, -0.5, 0.0, 0.7, 0.5, 1.0, 0.1, 0.8, 0.5, -0.2, 1.5];
    let exact_model = mixture.clone();
    let model = mixture.with_examples(data.clone());
    let posterior = model.posterior(&theta).expect("a parameter");
    let (exact, log_likelihood) = expectation(&model, &theta);
    let pooled = exact_model.log_likelihood(data.examples(), &theta).expect("a parameter");
    assert_within("log-likelihood", &[log_likelihood / 4.0], &[pooled], 1e-12);
    let sweeps = 40_000;
    let mut mean = vec![0.0; model.statistic_dimension()];
    let streams = fedbits_random::Streams::new(3, 0);
    for subject in 0..4 {
        let mut stream = streams.at(fedbits_random::DrawPurpose::Sampler, subject as u64, 0);
        let mut z = [0.0];
        for _ in 0..sweeps {
            posterior.gibbs(subject, &mut stream, &mut z);
            posterior.add_statistics(subject, &z, 0.25 / f64::from(sweeps), &mut mean);
        }
    }
    // Every statistic of one example is at most 2.5 in size: standard error below 2.5/√40 000/2.
    mean.iter().zip(&exact).for_each(|(a, b)| assert!((a - b).abs() < 7.0 * 0.006, "{a} {b}"));
    let mut s = Vec::new();
    model.statistic_of(&theta, &mut s);
    let mut back = Vec::new();
    model.maximize(&s, DomainPolicy::Error, &mut back).expect("in the domain");
    assert_within("T(s)", &back, &theta, 1e-12);
    assert_eq!(exact_model.statistic_dimension(), s.len());
}
