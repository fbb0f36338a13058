//! The model of a scenario, its initial value and, for synthetic data, the truth.

use fedbits_models::Examples;
use fedbits_models::data::synthetic::DrawnMixture;
use fedbits_models::gmm::{GaussianMixture, second_moment};
use fedbits_models::initial::{KMeans, random_examples, sample_covariance};
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
    let (components, covariance) = (scenario.model.components(), form(scenario)?);
    let covariance = covariance.build(|| federated_second_moment(data, weighting));
    GaussianMixture::new(components, data.data().dimension(), covariance).map_err(model_error)
}

/// What is known or shared of the covariances.
fn form(scenario: &Scenario) -> Result<&schema::Covariance, PrepareError> {
    match &scenario.model {
        schema::Model::GaussianMixture { covariance, .. } => Ok(covariance),
        _ => Err(model_error("this protocol fits Gaussian mixtures only")),
    }
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
            let form = form(scenario)?;
            let covariances = match covariance {
                Some(covariance) => form.part(components, covariance),
                None => form.common_part(components, &sample_covariance(pooled), pooled.dimension),
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
    let form = form(scenario)?;
    if !same_size || !form.allows(covariance) {
        return Ok(None);
    }
    let covariances = form.part(model.components(), covariance);
    model.theta_from_parts(weights, &means.concat(), &covariances).map(Some).map_err(model_error)
}
