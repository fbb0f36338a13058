//! The model of a scenario, its initial value and, for synthetic data, the truth.

use fedbits_models::Examples;
use fedbits_models::data::synthetic::DrawnMixture;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_models::initial::{KMeans, random_examples, sample_covariance};
use fedbits_numerics::vech;
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::partition::Partitioned;
use fedbits_random::Streams;

use super::{PrepareError, model_error, start_error};
use crate::schema::{self, Scenario};

pub(super) fn build(
    scenario: &Scenario,
    data: &Partitioned,
    weighting: Weighting,
) -> Result<GaussianMixture, PrepareError> {
    let schema::Model::GaussianMixture { components, covariance } = &scenario.model else {
        return Err(model_error("this protocol fits Gaussian mixtures only"));
    };
    let covariance = match covariance {
        schema::Covariance::Known(matrix) => Covariance::Known(matrix.concat()),
        schema::Covariance::Tied => Covariance::Tied { second_moment: federated_second_moment(data, weighting) },
        schema::Covariance::Diagonal => Covariance::Diagonal,
        schema::Covariance::Full => Covariance::Full,
    };
    GaussianMixture::new(*components, data.data().dimension(), covariance).map_err(model_error)
}

/// C2 as the federation averages it before the first round: the clients' second moments, weighted, in id order.
fn federated_second_moment(data: &Partitioned, weighting: Weighting) -> Vec<f64> {
    let total = data.data().len() as f64;
    let n = data.len() as f64;
    let mut average: Vec<f64> = Vec::new();
    for i in 0..data.len() {
        let examples = data.client(i);
        let weight = match weighting {
            Weighting::Examples => examples.len() as f64 / total,
            Weighting::Clients => 1.0 / n,
        };
        let local = second_moment(examples);
        average.resize(local.len(), 0.0);
        average.iter_mut().zip(local).for_each(|(sum, moment)| *sum += weight * moment);
    }
    average
}

/// A start that the examples give.
pub(super) enum Start {
    /// Means, one row of d numbers per component.
    Means(Vec<f64>),
    /// The component of every example.
    Labels(Vec<u32>),
}

/// The start that the examples give, where the scenario asks for one.
pub(super) fn start(
    scenario: &Scenario,
    components: usize,
    pooled: Examples<'_>,
    streams: &Streams,
) -> Result<Option<Start>, PrepareError> {
    Ok(Some(match scenario.initial {
        schema::Initial::RandomExamples => {
            Start::Means(random_examples(pooled, components, streams).map_err(start_error)?)
        }
        schema::Initial::KMeans { iterations, restarts } => {
            // scikit-learn's rule of when centres rest.
            let kmeans = KMeans { components, iterations, restarts, tolerance: 1e-4 };
            Start::Labels(kmeans.run(pooled, streams).map_err(start_error)?.labels)
        }
        schema::Initial::KMeansPlusPlus { iterations, restarts } => {
            let kmeans = KMeans { components, iterations, restarts, tolerance: 0.0 };
            Start::Means(kmeans.run(pooled, streams).map_err(start_error)?.means)
        }
        _ => return Ok(None),
    }))
}

/// θ₀.
pub(super) fn initial(
    scenario: &Scenario,
    model: &GaussianMixture,
    pooled: Examples<'_>,
    streams: &Streams,
) -> Result<Vec<f64>, PrepareError> {
    let components = model.components();
    match start(scenario, components, pooled, streams)? {
        Some(Start::Means(means)) => {
            return model.initial_theta(&means, &sample_covariance(pooled)).map_err(start_error);
        }
        Some(Start::Labels(labels)) => return model.theta_of_labels(pooled, &labels).map_err(start_error),
        None => {}
    }
    match &scenario.initial {
        schema::Initial::Theta { weights, means, covariance } => {
            let covariances = match covariance {
                Some(covariance) => covariance_part(scenario, components, covariance),
                None => common(scenario, components, &sample_covariance(pooled), pooled.dimension),
            };
            model.theta_from_parts(weights, &means.concat(), &covariances).map_err(start_error)
        }
        schema::Initial::Typical { .. } | schema::Initial::Loadings { .. } | schema::Initial::RandomTopics { .. } => {
            Err(model_error("this start is not for mixtures"))
        }
        _ => Err(PrepareError::Model("this start is for a low-rank matrix".to_owned())),
    }
}

/// θ*, where the data come from a mixture of the fitted form with as many components.
pub(super) fn truth(scenario: &Scenario, model: &GaussianMixture) -> Result<Option<Vec<f64>>, PrepareError> {
    let Some(DrawnMixture { weights, means, covariance, .. }) = scenario.data.get() else { return Ok(None) };
    let same_size = weights.len() == model.components() && scenario.preprocess.is_empty();
    if !same_size || !has_form(scenario, covariance) {
        return Ok(None);
    }
    let covariances = covariance_part(scenario, model.components(), covariance);
    model.theta_from_parts(weights, &means.concat(), &covariances).map(Some).map_err(model_error)
}

/// Can the fitted model have these covariances?
fn has_form(scenario: &Scenario, covariances: &schema::Covariances) -> bool {
    let schema::Model::GaussianMixture { covariance: form, .. } = &scenario.model else { return false };
    let matrices = covariances.matrices();
    let is_diagonal = |matrix: &schema::Matrix| {
        matrix.iter().enumerate().all(|(i, row)| row.iter().enumerate().all(|(j, &entry)| i == j || entry == 0.0))
    };
    match form {
        schema::Covariance::Known(known) => matrices.iter().all(|matrix| matrix == known),
        schema::Covariance::Tied => matches!(covariances, schema::Covariances::Common(_)),
        schema::Covariance::Diagonal => matrices.iter().all(is_diagonal),
        schema::Covariance::Full => true,
    }
}

/// Covariances in the layout of θ. For a common covariance the first stands for all.
fn covariance_part(scenario: &Scenario, components: usize, covariances: &schema::Covariances) -> Vec<f64> {
    match covariances {
        schema::Covariances::Common(matrix) => {
            let d = matrix.len();
            common(scenario, components, &vech(&matrix.concat(), d), d)
        }
        schema::Covariances::PerComponent(matrices) => {
            let each = |matrix: &schema::Matrix| block(scenario, &vech(&matrix.concat(), matrix.len()), matrix.len());
            let blocks: Vec<Vec<f64>> = matrices.iter().map(each).collect();
            blocks.concat()
        }
    }
}

fn common(scenario: &Scenario, components: usize, covariance: &[f64], d: usize) -> Vec<f64> {
    let schema::Model::GaussianMixture { covariance: form, .. } = &scenario.model else { return Vec::new() };
    let blocks = match form {
        schema::Covariance::Known(_) => 0,
        schema::Covariance::Tied => 1,
        schema::Covariance::Diagonal | schema::Covariance::Full => components,
    };
    block(scenario, covariance, d).repeat(blocks)
}

/// One covariance as θ holds it: its vech, or its diagonal.
fn block(scenario: &Scenario, covariance: &[f64], d: usize) -> Vec<f64> {
    let schema::Model::GaussianMixture { covariance: form, .. } = &scenario.model else { return Vec::new() };
    match form {
        schema::Covariance::Known(_) => Vec::new(),
        schema::Covariance::Diagonal => (0..d).map(|i| covariance[i * (i + 1) / 2 + i]).collect(),
        schema::Covariance::Tied | schema::Covariance::Full => covariance.to_vec(),
    }
}
