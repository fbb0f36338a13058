//! Bi-factor models: density, gradient and statistics against numpy (`make_latent_models.py`), exact EM, T and its
//! inverse, what bad input is told.

use fedbits_models::bifactor::{BiFactor, Law};
use fedbits_models::data::csv::{Column, Columns, ResponsesFile, read_responses};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::responses::Responses;
use fedbits_models::data::{Remarks, Values};
use fedbits_models::latent::SampledModel;
use fedbits_models::{DomainError, DomainPolicy, Model, Parameters};
use fedbits_random::{DrawPurpose, Streams};

use super::gradients::gap;
use super::{assert_within, golden, numbers};

const LAWS: [Law; 3] = [Law::Gaussian, Law::Probit, Law::Logit];
pub const GROUPS: [usize; 6] = [1, 1, 2, 2, 2, 1];

pub fn responses(rows: Vec<f64>) -> Responses {
    Responses { items: (0..GROUPS.len()).map(|j| format!("item{j}")).collect(), rows }
}

/// θ with other numbers for every item.
pub fn theta(law: Law) -> Vec<f64> {
    let item = |j: usize| {
        let x = j as f64;
        let all = [0.3 - 0.1 * x, 0.7 + 0.1 * x, 0.9 - 0.08 * x, 0.5 + 0.1 * x];
        all[..if law == Law::Gaussian { 4 } else { 3 }].to_vec()
    };
    (0..GROUPS.len()).flat_map(item).collect()
}

/// A model whose persons were drawn from it, with their z.
pub fn simulated(law: Law, persons: u64, theta: &[f64]) -> (BiFactor, Vec<Vec<f64>>) {
    let design = BiFactor::new(law, &GROUPS, responses(vec![0.0; GROUPS.len()])).expect("a model");
    let streams = Streams::new(31, 0);
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    let posterior = design.posterior(theta).expect("a parameter");
    for i in 0..persons {
        let stream = &mut streams.at(DrawPurpose::Data, i, 0);
        let mut z = vec![0.0; 3];
        posterior.draw_prior(0, stream, &mut z);
        for (item, group) in theta.chunks_exact(theta.len() / GROUPS.len()).zip(GROUPS) {
            let eta = item[0] + item[1] * z[0] + item[2] * z[group];
            rows.push(match law {
                Law::Gaussian => eta + item[3].sqrt() * stream.normal(),
                Law::Probit => f64::from(u8::from(eta + stream.normal() > 0.0)),
                Law::Logit => f64::from(u8::from(stream.bernoulli(1.0 / (1.0 + libm::exp(-eta))))),
            });
        }
        truth.push(z);
    }
    (BiFactor::new(law, &GROUPS, responses(rows)).expect("a model"), truth)
}

/// Loadings on two factors that are multiples of each other, and beside which the prior's precision of 1 is lost.
#[test]
fn loadings_can_be_too_large() {
    for law in [Law::Gaussian, Law::Probit] {
        let model = BiFactor::new(law, &GROUPS, responses(vec![1.0; GROUPS.len()])).expect("a model");
        let at = |exponent: i32| {
            let mut theta = theta(law);
            let of_item = theta.len() / GROUPS.len();
            let size = libm::pow(10.0, f64::from(exponent));
            theta.chunks_mut(of_item).for_each(|item| (item[1], item[2]) = (size * item[1], size * item[1] / 3.0));
            model.posterior(&theta).err()
        };
        let refused: Vec<DomainError> = (0..150).filter_map(at).collect();
        assert!(refused.iter().all(|error| error.to_string().contains("the loadings are too large")), "{refused:?}");
        assert!(!refused.is_empty() && at(6).is_none());
    }
}

#[test]
fn densities_gradients_and_statistics_are_those_of_numpy() {
    let file = golden("latent_models.json");
    for (case, law) in file["bi_factor"].as_array().expect("cases").iter().zip(LAWS) {
        let groups: Vec<usize> = numbers(&case["groups"]).iter().map(|&g| g as usize).collect();
        let model = BiFactor::new(law, &groups, responses(numbers(&case["y"]))).expect("a model");
        let (theta, z) = (numbers(&case["theta"]), numbers(&case["z"]));
        let posterior = model.posterior(&theta).expect("a parameter");
        let mut gradient = vec![0.0; z.len()];
        let density = posterior.gradient(0, &z, &mut gradient);
        assert_within(
            "density",
            &[density, posterior.log_density(0, &z)],
            &numbers(&case["log_density"]).repeat(2),
            1e-12,
        );
        assert_within("gradient", &gradient, &numbers(&case["gradient"]), 1e-8);
        let mut s = vec![0.0; model.statistic_dimension()];
        posterior.add_statistics(0, &z, 1.0, &mut s);
        assert_within("statistics", &s, &numbers(&case["statistics"]), 1e-7);
        let mut expected = vec![0.0; s.len()];
        match posterior.expected_statistics(0, 1.0, &mut expected) {
            Some(log_likelihood) => {
                assert_within("log-likelihood", &[log_likelihood], &numbers(&case["log_likelihood"]), 1e-12);
                assert_within("s̄", &expected, &numbers(&case["expected_statistics"]), 1e-12);
            }
            None => assert_ne!(law, Law::Gaussian),
        }
        assert_eq!((model.statistic_names().len(), model.parameter_names().len()), (s.len(), theta.len()));
    }
}

/// ∇ log p(y, z; θ) at random z, also far from 0.
#[test]
fn gradients_in_z_are_derivatives() {
    let mut stream = Streams::new(13, 0).at(DrawPurpose::Sampler, 0, 0);
    for law in LAWS {
        let theta = theta(law);
        let (model, _) = simulated(law, 8, &theta);
        let posterior = model.posterior(&theta).expect("a parameter");
        for person in 0..8 {
            let z: Vec<f64> = (0..3).map(|_| 4.0 * stream.normal()).collect();
            let mut g = vec![0.0; 3];
            posterior.gradient(person, &z, &mut g);
            let gap = gap(&|z| posterior.log_density(person, z), &z, &g);
            assert!(gap < 1e-7, "{law:?}: {gap:e} at {z:?}");
        }
    }
}

/// T(S(θ)) = θ; outside the domain an error, or a counted repair; the Fisher gradient is 0 at θ = T(s), and the
/// derivative of the complete-data log-likelihood ⟨s, φ(θ)⟩ − ψ(θ), here that of one person with known z (and w, ω
/// integrated out at θ).
#[test]
fn the_maximization_step() {
    for law in LAWS {
        let theta = theta(law);
        let (model, truth) = simulated(law, 40, &theta);
        let (mut s, mut back) = (Vec::new(), Vec::new());
        model.statistic_of(&theta, &mut s);
        model.maximize(&s, DomainPolicy::Error, &mut back).expect("in the domain");
        assert_within("T(s)", &back, &theta, 1e-12);
        let mut gradient = vec![1.0; theta.len()];
        assert_eq!(model.parameter_gradient(&s, &theta, &mut gradient), Ok(true));
        assert_within("gradient at T(s)", &gradient, &vec![0.0; theta.len()], 1e-12);

        let mean_density = |theta: &[f64]| {
            let posterior = model.posterior(theta).expect("a parameter");
            (0..40).map(|i| posterior.log_density(i, &truth[i]) / 40.0).sum::<f64>()
        };
        s.fill(0.0);
        let posterior = model.posterior(&theta).expect("a parameter");
        (0..40).for_each(|i| posterior.add_statistics(i, &truth[i], 1.0 / 40.0, &mut s));
        model.parameter_gradient(&s, &theta, &mut gradient).expect("a parameter");
        let gap = gap(&mean_density, &theta, &gradient);
        assert!(gap < 1e-7, "{law:?}: {gap:e}");

        let second = if law == Law::Logit { 2 } else { 1 };
        s[second] = -1.0;
        let error = model.maximize(&s, DomainPolicy::Error, &mut back).expect_err("indefinite");
        assert!(matches!(error, DomainError::Covariance { component: Some(0), .. }), "{error}");
        let repairs = model.maximize(&s, DomainPolicy::Clip { floor: 1e-3 }, &mut back).expect("clipped");
        assert!(repairs.eigenvalues > 0 && back.iter().all(|x| x.is_finite()));
    }
}

/// Exact EM climbs the likelihood and ends where its gradient (Fisher's identity) is 0; with 2 000 persons that is near
/// the truth.
#[test]
fn exact_em_climbs_to_a_stationary_point() {
    let truth = theta(Law::Gaussian);
    let (model, _) = simulated(Law::Gaussian, 2_000, &truth);
    let mut theta = model.parameter(0.0, 0.5, 0.5, 1.0);
    let mut before = f64::NEG_INFINITY;
    let mut s = vec![0.0; model.statistic_dimension()];
    for _ in 0..400 {
        let posterior = model.posterior(&theta).expect("a parameter");
        s.fill(0.0);
        let each = |i| posterior.expected_statistics(i, 1.0 / 2_000.0, &mut s).expect("an exact E-step");
        let log_likelihood: f64 = (0..2_000).map(each).sum();
        assert!(log_likelihood > before - 1e-8, "{log_likelihood} after {before}");
        before = log_likelihood;
        drop(posterior);
        model.maximize(&s, DomainPolicy::Error, &mut theta).expect("in the domain");
    }
    let mut gradient = vec![0.0; theta.len()];
    model.parameter_gradient(&s, &theta, &mut gradient).expect("a parameter");
    assert!(gradient.iter().all(|g| g.abs() < 2e-4), "{gradient:?}");
    let error = model.parameter_error(&theta, &truth).sqrt();
    assert!(error < 0.5, "‖θ − θ*‖ = {error}");
    // Signs of factors do not count.
    let turned: Vec<f64> = theta.iter().enumerate().map(|(at, x)| if at % 4 == 2 { -x } else { *x }).collect();
    assert!((model.parameter_error(&turned, &truth).sqrt() - error).abs() < 1e-12);
    let tables = model.final_tables(&turned, &Streams::new(1, 0)).expect("a parameter");
    assert!(tables[0].rows.iter().all(|row| row.len() == 6) && tables[0].rows.len() == 6);
    assert!(!tables[0].rows[0][4].starts_with('-'), "the first loading of a factor is shown positive");
}

#[test]
fn groups_must_fit_the_items() {
    let data = || responses(vec![0.0; 6]);
    let found = |groups: &[usize]| BiFactor::new(Law::Logit, groups, data()).err().expect("wrong groups").to_string();
    assert_eq!(found(&[1, 2]), "2 groups for 6 items: expected one group per item");
    assert_eq!(found(&[1, 1, 3, 3, 3, 3]), "group 2 has no item: expected groups 1 to 3, each with items");
    assert_eq!(found(&[0, 1, 1, 1, 1, 1]), "group 0 has no item: expected groups 1 to 1, each with items");
    assert!(BiFactor::new(Law::Logit, &[1; 6], responses(Vec::new())).is_err());
}

fn read(text: &str, frequency: Option<&str>, values: Values) -> Result<Responses, String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("test.csv");
    std::fs::write(&path, text).expect("the temporary directory is writable");
    let frequency = frequency.map(|name| Column::Name(name.to_owned()));
    let options =
        ResponsesFile { path: String::new(), header: Some(true), items: Columns::All, frequency, delimiter: Some(',') };
    let folder = format!("{}/", directory.path().display());
    read_responses(&path, &options, values, &Remarks::default(), MemoryLimit::default())
        .map_err(|error| error.to_string().replace(&folder, ""))
}

#[test]
fn responses_are_read_or_refused() {
    let patterns = read("a,b,n\n1,0,2\n0,0,0\n1,1,1\n", Some("n"), Values::UpTo(1)).expect("patterns");
    assert_eq!((patterns.persons(), patterns.rows), (3, vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0]));
    let real = read("a,b\n1.5,-2\n", None, Values::Real).expect("numbers");
    assert_eq!((real.items, real.rows), (vec!["a".to_owned(), "b".to_owned()], vec![1.5, -2.0]));
    let cases = [
        (
            "a,b\n1,0\n1,\n",
            None,
            "test.csv:3: column `b`: expected a response 0 or 1 (none may be missing), found an empty cell",
        ),
        ("a,b\n2,0\n", None, "test.csv:2: column `a`: expected a response 0 or 1 (none may be missing), found `2`"),
        ("a,b\n1,NA\n", None, "test.csv:2: column `b`: expected a response 0 or 1 (none may be missing), found `NA`"),
        ("a,b,n\n1,0,2.5\n", Some("n"), "test.csv:2: column `n`: expected a whole number of persons, found `2.5`"),
        ("a,b,n\n1,0,-1\n", Some("n"), "test.csv:2: column `n`: expected a whole number of persons, found `-1`"),
        ("a,b,n\n1,0,0\n", Some("n"), "test.csv: no data: expected at least one person"),
        ("a,b\n1\n", None, "test.csv:2: expected 2 fields, found 1"),
        ("a,b,a\n1,0,1\n", None, "test.csv: columns 0 and 2 are both called `a`: expected another name for each"),
    ];
    for (text, frequency, expected) in cases {
        assert_eq!(read(text, frequency, Values::UpTo(1)).expect_err("wrong"), expected);
    }
}

/// Quadrature in two dimensions against brute force over all factors (tests/golden/make_quadrature.py).
#[test]
fn quadrature_is_that_of_brute_force() {
    let golden = golden("quadrature.json");
    let groups: Vec<usize> = numbers(&golden["groups"]).into_iter().map(|group| group as usize).collect();
    let items = (0..groups.len()).map(|item| item.to_string()).collect();
    let responses = Responses { items, rows: numbers(&golden["responses"]) };
    for (name, law) in [("logit", Law::Logit), ("probit", Law::Probit)] {
        let model = BiFactor::new(law, &groups, responses.clone()).unwrap();
        let found = model.log_likelihood(&numbers(&golden["theta"])).unwrap().unwrap();
        let expected = golden["log_likelihood"][name].as_f64().unwrap();
        assert!((found.value - expected).abs() < 1e-6, "{name}: {found:?}, {expected} expected");
        let error = found.error.expect("an error");
        assert!(error < 1e-3 && (found.value - expected).abs() <= error, "{name}: {found:?}, {expected}");
    }
    let gaussian = BiFactor::new(Law::Gaussian, &groups, responses).unwrap();
    let theta = gaussian.parameter(0.0, 1.0, 0.5, 1.0);
    assert_eq!(gaussian.log_likelihood(&theta).unwrap(), None);
}
