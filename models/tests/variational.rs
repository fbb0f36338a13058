//! Mixtures under a conjugate prior: against scikit-learn, and the evidence in closed form.

use crate::golden::{assert_within, golden, numbers};
use fedbits_models::clusters::Clusters;
use fedbits_models::gmm::{Conjugate, Covariance, GaussianMixture};
use fedbits_models::initial::{sample_covariance, sample_mean};
use fedbits_models::{Batch, DomainPolicy, ExactModel, Examples, Model, Scratch};
use serde_json::Value;

/// The mixture of the golden file with so many components, and its prior.
fn mixture(golden: &Value, examples: Examples<'_>, components: usize) -> GaussianMixture {
    let number = |name: &str| golden[name].as_f64().unwrap();
    let scale = number("scatter");
    let prior = Conjugate {
        concentration: number("concentration"),
        strength: number("strength"),
        scale,
        freedom: 3.0,
        examples: examples.len() as f64,
        mean: sample_mean(examples),
        scatter: sample_covariance(examples).iter().map(|entry| scale * entry).collect(),
    };
    GaussianMixture::new(components, 3, Covariance::Full).unwrap().with_prior(prior).unwrap()
}

fn step(model: &dyn ExactModel, examples: Examples<'_>, theta: &mut Vec<f64>) -> f64 {
    let mut s = vec![0.0; model.statistic_dimension()];
    let e_step = model.conditional(theta).unwrap();
    let objective = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut s);
    let objective = objective + model.penalty(theta);
    model.maximize(&s, DomainPolicy::Error, theta).unwrap();
    objective
}

/// From the same hard labels, with components that the prior empties.
#[test]
fn iterations_are_those_of_scikit_learn() {
    let golden = golden("variational.json");
    let rows = numbers(&golden["rows"]);
    let (examples, labels) = (Examples::new(&rows, 3), numbers(&golden["labels"]));
    let components = golden["components"].as_u64().unwrap() as usize;
    let model = mixture(&golden, examples, components);
    // The statistic of hard labels: responsibilities of a mixture with one component, put where the label is.
    let single = GaussianMixture::new(1, 3, Covariance::Full).unwrap();
    let [mut one, mut s] = [10, 10 * components].map(|length| vec![0.0; length]);
    let theta = single.initial_theta(&sample_mean(examples), &sample_covariance(examples)).unwrap();
    let e_step = single.conditional(&theta).unwrap();
    for (j, label) in (0..).zip(&labels) {
        e_step.mean_statistics(examples, Batch::Indices(&[j]), &mut Scratch::default(), &mut one);
        let (g, n) = (*label as usize, labels.len() as f64);
        s[g] += one[0] / n;
        for (block, length) in [(1, 3), (4, 6)] {
            let at = components * block + g * length;
            s[at..at + length].iter_mut().zip(&one[block..]).for_each(|(sum, x)| *sum += x / n);
        }
    }
    let mut theta = Vec::new();
    model.maximize(&s, DomainPolicy::Error, &mut theta).unwrap();
    let (mut done, mut last) = (0, f64::INFINITY);
    for fit in golden["fits"].as_array().unwrap() {
        let iterations = fit["iterations"].as_u64().unwrap();
        for _ in done..iterations {
            let objective = step(&model, examples, &mut theta);
            assert!(objective <= last + 1e-12, "the bound fell: −ELBO / N from {last} to {objective}");
            last = objective;
        }
        done = iterations;
        let covariances = numbers(&fit["covariances"]);
        let lower = covariances.chunks_exact(9).flat_map(|full| [0, 3, 4, 6, 7, 8].map(|at| full[at]));
        let expected = [numbers(&fit["weights"]), numbers(&fit["means"]), lower.collect()].concat();
        assert_within(&format!("θ after {iterations}"), &theta, &expected, 1e-9);
    }
    assert!(model.may_be_empty() && model.occupied(&theta) < components, "some components are emptied");
}

/// With one component the variational posterior is the posterior, and the objective −log p(x) / N.
#[test]
fn the_bound_of_one_component_is_the_evidence() {
    let golden = golden("variational.json");
    let rows = numbers(&golden["rows"]);
    let examples = Examples::new(&rows, 3);
    let model = mixture(&golden, examples, 1);
    let mut theta = model.initial_theta(&[0.0; 3], &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]).unwrap();
    step(&model, examples, &mut theta);
    let evidence = golden["evidence"].as_f64().unwrap();
    let bound = -step(&model, examples, &mut theta) * examples.len() as f64;
    assert!((bound / evidence - 1.0).abs() < 1e-12, "{bound} is not {evidence}");
}

#[test]
fn a_prior_that_is_none_is_refused() {
    let golden = golden("variational.json");
    let rows = numbers(&golden["rows"]);
    let examples = Examples::new(&rows, 3);
    let prior = |change: fn(&mut Conjugate)| {
        let mut prior = plain_prior(examples);
        change(&mut prior);
        GaussianMixture::new(2, 3, Covariance::Full).unwrap().with_prior(prior)
    };
    assert!(prior(|_| ()).is_ok());
    let broken: [fn(&mut Conjugate); 5] = [
        |prior| prior.concentration = 0.0,
        |prior| prior.strength = f64::NAN,
        |prior| prior.mean.truncate(2),
        |prior| prior.scatter.fill(0.0),
        |prior| prior.freedom = 1.5,
    ];
    assert!(broken.into_iter().all(|change| prior(change).is_err()));
    let diagonal = GaussianMixture::new(2, 3, Covariance::Diagonal).unwrap();
    assert!(diagonal.with_prior(plain_prior(examples)).is_err());
}

fn plain_prior(examples: Examples<'_>) -> Conjugate {
    let (mean, scatter) = (sample_mean(examples), sample_covariance(examples));
    Conjugate { concentration: 1.0, strength: 1.0, scale: 1.0, freedom: 3.0, examples: 120.0, mean, scatter }
}
