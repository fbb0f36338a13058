//! Initial values as scenarios name them.

use super::examples::{InitialError, random_examples};
use super::kmeans::KMeans;
use crate::Examples;
use crate::matrix::{Covariances, Matrix};
use fedbits_random::Streams;
use fedbits_spec::range::{FINITE, FileName, POSITIVE, whole};
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};

/// Starting point θ₀, free of charge. FedEM, its baselines, FedMissEM and EM in one place begin one EM step further, at
/// Ŝ₀ = s̄(θ₀). FL-SAEM and similar, VP-EM, diffusion EM, and FedEM with `privacy` begin at θ₀, Ŝ₀ = T⁻¹(θ₀). If T⁻¹ is
/// unknown (models in Python), round 0 of diffusion EM shows s̄(θ₀) and T(s̄(θ₀)).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Initial")]
pub enum InitialSetting {
    /// Parameters of a mixture.
    Theta {
        /// π₀, G positive weights of sum 1 (± 1e-9).
        #[described(by_rules)]
        weights: Vec<f64>,
        /// μ₀, G rows of d coordinates.
        means: Matrix,
        /// Σ₀. Default: the known covariance, or that of all examples.
        #[serde(default)]
        covariance: Option<Covariances>,
    },
    /// Typical subject of a mixed-effects model.
    Typical {
        /// The curve's p parameters, untransformed (ka, not log ka); log-normal ones above 0.
        #[described(by_rules)]
        values: Vec<f64>,
        /// Standard deviations between subjects, on the scale of normal parameters.
        #[range(POSITIVE)]
        deviations: Vec<f64>,
        /// σ, residual standard deviation (a fraction for proportional error).
        #[range(POSITIVE)]
        sigma: f64,
    },
    /// Identical items of a bi-factor model.
    Loadings {
        /// Intercept.
        #[serde(default)]
        #[range(FINITE)]
        intercept: f64,
        /// Loading on the general factor.
        #[range(POSITIVE)]
        general: f64,
        /// Loading on the group's factor.
        #[range(POSITIVE)]
        specific: f64,
        /// Residual variance of `Gaussian` responses.
        #[serde(default = "unit")]
        #[range(POSITIVE)]
        variance: f64,
    },
    /// Topics drawn from Dirichlet(`concentration`, …).
    RandomTopics {
        /// Large values give similar topics.
        #[serde(default = "unit")]
        #[range(POSITIVE)]
        concentration: f64,
    },
    /// θ₀ = 0, for regression and low-rank matrices.
    Zero,
    /// Cells of a low-rank matrix at mean × site ratio × time ratio, ratios shrunk towards 1.
    Margins,
    /// Means at G distinct random examples, equal weights, covariance of all examples.
    RandomExamples,
    /// Means by k-means++ and Lloyd iterations.
    KMeansPlusPlus {
        /// Lloyd iterations.
        #[serde(default)]
        #[range(whole(0, 10_000))]
        iterations: usize,
        /// Attempts, of which the best is kept.
        #[serde(default = "one")]
        #[range(whole(1, 10_000))]
        restarts: usize,
    },
    /// Final parameters of another run, from its model file. Only mixtures are converted to the units of the prepared
    /// columns.
    Model(#[range(FileName)] String),
    /// θ₀ in the order of `theta.csv`, for the prepared data.
    Parameters(#[described(by_rules)] Vec<f64>),
    /// Weights, means and covariances of k-means clusters, as in scikit-learn.
    KMeans {
        /// Maximum number of Lloyd iterations.
        #[serde(default = "three_hundred")]
        #[range(whole(1, 10_000))]
        iterations: usize,
        /// Attempts, of which the best is kept.
        #[serde(default = "ten")]
        #[range(whole(1, 10_000))]
        restarts: usize,
    },
}

fn unit() -> f64 {
    1.0
}

fn three_hundred() -> usize {
    300
}

fn ten() -> usize {
    10
}

fn one() -> usize {
    1
}

/// A start that the examples give.
pub enum Start {
    /// Means, one row of d numbers per component.
    Means(Vec<f64>),
    /// The component of every example.
    Labels(Vec<u32>),
}

impl InitialSetting {
    /// Its name in scenarios.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Theta { .. } => "Theta",
            Self::Typical { .. } => "Typical",
            Self::Loadings { .. } => "Loadings",
            Self::RandomTopics { .. } => "RandomTopics",
            Self::Zero => "Zero",
            Self::Margins => "Margins",
            Self::RandomExamples => "RandomExamples",
            Self::KMeansPlusPlus { .. } => "KMeansPlusPlus",
            Self::Model(_) => "Model",
            Self::Parameters(_) => "Parameters",
            Self::KMeans { .. } => "KMeans",
        }
    }

    /// Is it a θ₀ that any model can start at?
    #[must_use]
    pub fn is_of_any_model(&self) -> bool {
        matches!(self, Self::Model(_) | Self::Parameters(_))
    }

    /// Do examples give it, by all of their numbers?
    #[must_use]
    pub fn is_of_examples(&self) -> bool {
        matches!(self, Self::RandomExamples | Self::KMeansPlusPlus { .. } | Self::KMeans { .. })
    }

    /// The file that it names.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        if let Self::Model(path) = self { Some(path) } else { None }
    }

    /// θ₀ as it is given, of so many entries; none where it is given in another way.
    ///
    /// # Errors
    /// When there are more or fewer, or one is not finite.
    pub fn parameters(&self, expected: usize) -> Result<Option<Vec<f64>>, InitialError> {
        let Self::Parameters(theta) = self else { return Ok(None) };
        if theta.len() != expected {
            let found = so_many(theta.len(), "entry");
            return Err(InitialError::new(format!("θ has {found}: the model has {expected}")));
        }
        match theta.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(InitialError::new(format!("entry {index} of θ is {}: it must be finite", theta[index]))),
            None => Ok(Some(theta.clone())),
        }
    }

    /// The start of `components` components, where the examples give one.
    ///
    /// # Errors
    /// [`InitialError`].
    pub fn start(
        &self,
        components: usize,
        examples: Examples<'_>,
        streams: &Streams,
    ) -> Result<Option<Start>, InitialError> {
        Ok(Some(match *self {
            Self::RandomExamples => Start::Means(random_examples(examples, components, streams)?),
            Self::KMeans { iterations, restarts } => {
                // scikit-learn's rule of when centres rest.
                let kmeans = KMeans { components, iterations, restarts, tolerance: 1e-4 };
                Start::Labels(kmeans.run(examples, streams)?.labels)
            }
            Self::KMeansPlusPlus { iterations, restarts } => {
                let kmeans = KMeans { components, iterations, restarts, tolerance: 0.0 };
                Start::Means(kmeans.run(examples, streams)?.means)
            }
            _ => return Ok(None),
        }))
    }
}

impl Default for InitialSetting {
    /// k-means++ seeding alone, one attempt.
    fn default() -> Self {
        InitialSetting::KMeansPlusPlus { iterations: 0, restarts: 1 }
    }
}
