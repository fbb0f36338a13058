//! The model and its initial value, against each other and against the data. This file must not know the map T.

use fedbits_models::matrix::{means, weights};
use fedbits_spec::{Described, Path};

use super::{Facts, Findings, latent, saem};
use crate::schema::{Covariance, Covariances, Initial, Matrix, Model, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.model.check(&Path::Root.field("model"), facts, findings);
    scenario.initial.check(&Path::Root.field("initial"), facts, findings);
    let structure = match &scenario.model {
        Model::GaussianMixture { covariance, .. } => covariance,
        Model::MixedEffects { curve, .. } => return saem::model(scenario, *curve, findings),
        Model::BiFactor { groups, law } => return latent::bi_factor(scenario, groups, *law, findings),
        // Told by `low_rank::check`.
        Model::Topics { .. } | Model::LowRank { .. } => return,
    };
    match &scenario.initial {
        Initial::Theta { weights: pi, means, covariance } => {
            theta(facts, pi, means, findings);
            if let Some(covariance) = covariance {
                initial_covariance(facts, structure, covariance, findings);
            }
        }
        Initial::RandomExamples | Initial::KMeansPlusPlus { .. } | Initial::KMeans { .. } => {
            enough_examples(facts, findings);
        }
        // Not of mixtures.
        Initial::Typical { .. }
        | Initial::Loadings { .. }
        | Initial::RandomTopics { .. }
        | Initial::Zero
        | Initial::Margins => {}
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
