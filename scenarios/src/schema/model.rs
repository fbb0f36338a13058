//! The statistical model that is fitted, and where the fit starts. This file must not know the mathematics of it.

use fedbits_models::low_rank::Family;
use fedbits_models::{Covariances, Matrix};
use serde::{Deserialize, Serialize};

use super::longitudinal::{Curve, Effects, ResidualError};

/// The model, in the sufficient-statistics form of EM.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Model {
    /// A mixture of G Gaussians.
    GaussianMixture {
        /// G, the number of components; 1 to 10 000.
        components: usize,
        /// What is known or shared of the covariances.
        covariance: Covariance,
    },
    /// A curve per subject whose parameters vary between subjects; for longitudinal data.
    MixedEffects {
        /// The curve.
        curve: Curve,
        /// The covariance of its parameters; default `Full`.
        #[serde(default)]
        effects: Effects,
        /// The residual error; default `Constant`.
        #[serde(default)]
        error: ResidualError,
    },
    /// A low-rank matrix of sites × times behind counts: q = J·L.
    LowRank {
        /// r, the largest rank; 1 to the smaller side of the matrix.
        rank: usize,
        /// λ, the weight of the nuclear norm; 0 to 10⁹, default 0.
        #[serde(default)]
        lambda: f64,
        /// The law of an observation; default `Gaussian`.
        #[serde(default)]
        family: Family,
        /// M, how many complete matrices the observations are part of; default `PerObserver`.
        #[serde(default)]
        matrices: Matrices,
        /// Steps of the M-step where it has no closed form (`Poisson`, `Binomial`); 1 to 1 000, default 1.
        #[serde(default = "one_step")]
        steps: u32,
    },
    /// Item responses with a general factor and one more per group of items; for `Responses` data.
    BiFactor {
        /// The group of every item, from 1 without gaps.
        groups: Vec<usize>,
        /// The law of a response given the factors; default `Logit`.
        #[serde(default)]
        law: ResponseLaw,
    },
    /// Latent Dirichlet allocation: topics behind the words of documents; for `Corpus` data. q = V·K for V words.
    Topics {
        /// K; 2 to 1 000.
        topics: usize,
        /// α, the concentration of a document's proportions; above 0, small is few topics per document. No unit.
        alpha: f64,
        /// ε, tokens of every word that every topic is given beforehand; above 0. Dirichlet(1 + ε) is the prior of a topic.
        smoothing: f64,
    },
}

/// The law of a response, given its linear predictor η = intercept + general · z₀ + specific · z_g.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum ResponseLaw {
    /// Normal with mean η and a variance per item: any finite number.
    Gaussian,
    /// 0 or 1, by a normal variable around η that is positive or not.
    Probit,
    /// 0 or 1 with log-odds η.
    #[default]
    Logit,
}

/// The complete data of low-rank imputation. EM is valid for every M that holds each cell at most once per matrix, and the
/// slower the larger M is.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Matrices {
    /// One matrix per observer, as in the FedEM paper.
    #[default]
    PerObserver,
    /// The smallest number that holds all observations: the most observations of one cell. With one observation per cell EM
    /// becomes hard- or soft-impute.
    Fewest,
}

fn one_step() -> u32 {
    1
}

/// The covariance structure of the mixture; it decides the length q of the statistic (d features, G components).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Covariance {
    /// One known d × d matrix: q = G + G·d.
    Known(Matrix),
    /// One unknown matrix for all components: q = G + G·d.
    Tied,
    /// Unknown variances per component and feature: q = G + 2·G·d.
    Diagonal,
    /// An unknown matrix per component: q = G·(1 + d + d(d + 1)/2).
    Full,
}

/// Where the fit starts: θ₀, from which S₀ = s̄(θ₀).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Initial {
    /// Given parameters.
    Theta {
        /// π₀, G weights; each above 0, sum 1 (± 1e-9).
        weights: Vec<f64>,
        /// μ₀, G rows of d coordinates.
        means: Matrix,
        /// Σ₀; default none: the known one, or the covariance of all examples.
        #[serde(default)]
        covariance: Option<Covariances>,
    },
    /// The typical subject of a mixed-effects model.
    Typical {
        /// The curve's p parameters, on their natural scale (ka, not its logarithm); above 0 where they are log-normal.
        values: Vec<f64>,
        /// Standard deviations between subjects, on the scale where parameters are normal; above 0.
        deviations: Vec<f64>,
        /// σ, the residual standard deviation (proportional error: a fraction); above 0.
        sigma: f64,
    },
    /// The same item for all items of a bi-factor model.
    Loadings {
        /// Intercept; default 0.
        #[serde(default)]
        intercept: f64,
        /// Loading on the general factor; above 0 (the sign of a factor is free).
        general: f64,
        /// Loading on the group's factor; above 0.
        specific: f64,
        /// Variance of a response given the factors; above 0, default 1. Has no effect without `Gaussian` responses.
        #[serde(default = "unit")]
        variance: f64,
    },
    /// Topics drawn from Dirichlet(concentration, …) over the words.
    RandomTopics {
        /// The concentration; above 0, large is similar topics. No unit; default 1.
        #[serde(default = "unit")]
        concentration: f64,
    },
    /// θ₀ = 0, for a low-rank matrix: Gaussian entries that are missing start as zeros.
    Zero,
    /// For a low-rank matrix: every cell starts at (mean) × (ratio of its site) × (ratio of its time), ratios shrunk towards 1.
    Margins,
    /// Means at G distinct random examples, equal weights, the covariance of all examples.
    RandomExamples,
    /// Means by k-means++ seeding and Lloyd iterations.
    KMeansPlusPlus {
        /// Lloyd iterations after the seeding; 0 to 10 000, default 0.
        #[serde(default)]
        iterations: usize,
        /// Independent attempts, the best kept; 1 to 10 000, default 1.
        #[serde(default = "one")]
        restarts: usize,
    },
    /// Weights, means and covariances of the clusters of k-means, as scikit-learn starts its mixtures.
    KMeans {
        /// Lloyd iterations at most; 1 to 10 000, default 300.
        #[serde(default = "three_hundred")]
        iterations: usize,
        /// Independent attempts, the best kept; 1 to 10 000, default 10.
        #[serde(default = "ten")]
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

impl Default for Initial {
    /// k-means++ seeding alone, one attempt.
    fn default() -> Self {
        Initial::KMeansPlusPlus { iterations: 0, restarts: 1 }
    }
}
