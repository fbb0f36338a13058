//! The model and its initial value, against each other and against the data. This file must not know the map T.

use fedbits_models::matrix::{covariance, means, weights};
use fedbits_spec::Path;

use super::numbers::count;
use super::{Facts, Findings, latent, saem};
use crate::schema::{Covariance, Covariances, Initial, Matrix, Model, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let (components, structure) = match &scenario.model {
        Model::GaussianMixture { components, covariance } => (components, covariance),
        Model::MixedEffects { curve, .. } => return saem::model(scenario, *curve, findings),
        Model::BiFactor { .. } | Model::Topics { .. } => return latent::model(scenario, findings),
        // Told by `low_rank::check`.
        Model::LowRank { .. } => return,
    };
    count(findings, "model.components", *components as u64, 1, 10_000, "");
    if let Covariance::Known(matrix) = structure {
        covariance(matrix, facts.features, &Path::Root.field("model.covariance[0]"), findings);
    }
    match &scenario.initial {
        Initial::Theta { weights: pi, means, covariance } => {
            theta(facts, pi, means, findings);
            if let Some(covariance) = covariance {
                initial_covariance(facts, structure, covariance, findings);
            }
        }
        // Told by `saem::fit` and `latent::fit`.
        Initial::Typical { .. } | Initial::Loadings { .. } | Initial::RandomTopics { .. } => {}
        Initial::Zero | Initial::Margins => {
            let expected = "expected `Theta(…)`, `RandomExamples` or `KMeansPlusPlus(…)`";
            findings.error("initial", "this start is for a low-rank matrix", expected);
        }
        Initial::RandomExamples => enough_examples(facts, findings),
        Initial::KMeansPlusPlus { iterations, restarts } => {
            count(findings, "initial.iterations", *iterations as u64, 0, 10_000, "");
            count(findings, "initial.restarts", *restarts as u64, 1, 10_000, "");
            enough_examples(facts, findings);
        }
        Initial::KMeans { iterations, restarts } => {
            count(findings, "initial.iterations", *iterations as u64, 1, 10_000, "");
            count(findings, "initial.restarts", *restarts as u64, 1, 10_000, "");
            enough_examples(facts, findings);
        }
    }
}

fn enough_examples(facts: &Facts, findings: &mut Findings) {
    if let Some(examples) = facts.examples.filter(|examples| *examples < facts.components as u64) {
        let found = format!("{} components start at different examples, but there are {examples}", facts.components);
        findings.error("model.components", found, "expected at most the number of examples");
    }
}

fn theta(facts: &Facts, pi: &[f64], mu: &Matrix, findings: &mut Findings) {
    if pi.len() == facts.components {
        weights(pi, &Path::Root.field("initial.weights"), findings);
    } else {
        let expected = format!("expected {}, one per component of the model", facts.components);
        findings.error("initial.weights", format!("there are {} weights", pi.len()), expected);
    }
    means(mu, facts.components, facts.features, &Path::Root.field("initial.means"), findings);
}

fn initial_covariance(facts: &Facts, structure: &Covariance, given: &Covariances, findings: &mut Findings) {
    let path = "initial.covariance";
    given.check(facts.components, facts.features, &Path::Root.field(path), findings);
    match (structure, given) {
        (Covariance::Known(_), _) => findings.no_effect(path, "the model's covariance is known"),
        (Covariance::Tied, Covariances::PerComponent(_)) => {
            findings.error(path, "the model has one covariance for all components", "expected `Common(…)`");
        }
        (Covariance::Diagonal, Covariances::Common(matrix)) => diagonal(findings, &format!("{path}[0]"), matrix),
        (Covariance::Diagonal, Covariances::PerComponent(matrices)) => {
            for (index, matrix) in matrices.iter().enumerate() {
                diagonal(findings, &format!("{path}[0][{index}]"), matrix);
            }
        }
        _ => {}
    }
}

fn diagonal(findings: &mut Findings, path: &str, matrix: &Matrix) {
    for (row, values) in matrix.iter().enumerate() {
        if let Some(column) = (0..values.len()).find(|column| *column != row && values[*column] != 0.0) {
            let path = format!("{path}[{row}][{column}]");
            findings.error(&path, "the model's covariances are diagonal", "expected 0 off the diagonal");
        }
    }
}
