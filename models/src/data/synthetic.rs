//! Synthetic examples from a Gaussian mixture: z ~ Categorical(π), y | z = g ~ N(μ_g, Σ_g).
//!
//! Example j is a function of its address (Data, j) alone, so the first N examples stay when N grows. It must not know
//! the mixture *models*: it shares no code with what will be tested on its output.

use super::affine::Affine;
use super::observations::{DataKind, Observations};
use super::set::{DataSet, DataSetError};
use super::source::{Beside, DataSource, ReadError, Reading, Truth};
use crate::matrix::{Covariances, Matrix, asymmetry, means, weights};
use fedbits_numerics::lanes::normals;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{POSITIVE, PROBABILITY, Range, whole};
use fedbits_spec::{Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The law of the examples: G components in dimension d.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// π: positive, sum 1 within 1e-9.
    pub weights: Vec<f64>,
    /// μ_g, d numbers each.
    pub means: Vec<Vec<f64>>,
    /// Σ or Σ_g: symmetric and positive definite.
    pub covariances: Covariances,
}

/// Draws from a Gaussian mixture, the known truth.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "GaussianMixture")]
#[described(rules = parameters)]
pub struct DrawnMixture {
    /// N, over all clients.
    #[range(whole(1, MAX_EXAMPLES))]
    pub examples: u64,
    /// π, G positive weights of sum 1 (± 1e-9).
    #[described(by_rules)]
    pub weights: Vec<f64>,
    /// μ, G rows of d coordinates.
    #[described(by_rules)]
    pub means: Matrix,
    /// Σ, symmetric and positive definite.
    pub covariance: Covariances,
    /// Size of a pool from which all replicates sample without replacement; `examples` to 10⁹. Default: new draws per
    /// replicate.
    #[serde(default)]
    #[described(by_rules)]
    pub pool: Option<u64>,
}

const MAX_EXAMPLES: u64 = 1_000_000_000;
/// Entity of the sample from a pool; beyond all examples, before the mixtures.
const SAMPLE: u64 = 1 << 62;
/// Entity of the first component of a mixture that is drawn.
const FIRST_COMPONENT: u64 = 1 << 63;

fn parameters(mixture: &DrawnMixture, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let pool = whole(mixture.examples, MAX_EXAMPLES).note(", at least the number of examples");
    pool.check(&mixture.pool, &at.field("pool"), facts, findings);
    weights(&mixture.weights, &at.field("weights"), findings);
    means(&mixture.means, mixture.weights.len(), None, &at.field("means"), findings);
    mixture.covariance.check(mixture.weights.len(), mixture.features(), &at.field("covariance"), findings);
}

impl DataSource for DrawnMixture {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn features(&self) -> Option<usize> {
        self.means.first().map(Vec::len)
    }

    fn size(&self) -> Option<u64> {
        Some(self.examples)
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let Self { weights, means, covariance, .. } = self.clone();
        let mixture = Mixture { weights, means, covariances: covariance };
        let Some(size) = self.pool else {
            return Ok(Observations::Examples(generate(&mixture, self.examples as usize, with.streams)?));
        };
        let pool = generate(&mixture, size as usize, with.pool)?;
        let mut chosen = Vec::new();
        with.streams.at(DrawPurpose::Data, SAMPLE, 0).subset(pool.len() as u32, self.examples as u32, &mut chosen);
        Ok(Observations::Examples(pool.select(&chosen)?))
    }

    fn truth(&self) -> Option<Truth> {
        let matrices = self.covariance.matrices();
        let covariance = |g: usize| matrices[g.min(matrices.len() - 1)].clone();
        Some(Truth {
            weights: self.weights.clone(),
            means: self.means.clone(),
            covariances: (0..self.weights.len()).map(covariance).collect(),
        })
    }

    fn beside(&self) -> Option<Beside> {
        let (pool, row) = (self.pool?, 8 * self.features().unwrap_or(0) as u64);
        Some(Beside {
            what: format!("a pool of {pool} examples"),
            field: "data.pool",
            bytes: pool.saturating_mul(row + 8),
        })
    }

    fn examples() -> Vec<Self> {
        let covariance = Covariances::Common(vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        let (weights, means) = (vec![0.5, 0.5], vec![vec![-2.0, 0.0], vec![2.0, 0.0]]);
        vec![Self { examples: 100, weights, means, covariance, pool: None }]
    }
}

/// A random Gaussian mixture with weights Dirichlet(5, …) and means N(0, `separation`² I). Covariances are `correlated`
/// · A Aᵀ / d + (1 − `correlated`) I, A standard normal.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RandomMixture {
    /// N, over all clients.
    #[range(whole(1, MAX_EXAMPLES))]
    pub examples: u64,
    /// d.
    #[range(whole(1, 2_000))]
    pub features: usize,
    /// G.
    #[range(whole(1, 1_000))]
    pub components: usize,
    /// Standard deviation of the means; components have variances of about 1.
    #[range(POSITIVE)]
    pub separation: f64,
    /// Share of the correlated part.
    #[serde(default = "mostly")]
    #[range(PROBABILITY)]
    pub correlated: f64,
}

fn mostly() -> f64 {
    0.8
}

impl RandomMixture {
    /// Component k at address (Data, 2⁶³ + k, 0), the weights at (Data, 2⁶³ + G, 0).
    fn draw(&self, streams: &Streams) -> Mixture {
        let Self { features: d, components, separation, correlated, .. } = *self;
        let (mut means, mut covariances) = (Vec::new(), Vec::new());
        for k in 0..components as u64 {
            let mut stream = streams.at(DrawPurpose::Data, FIRST_COMPONENT + k, 0);
            means.push((0..d).map(|_| separation * stream.normal()).collect());
            let a: Vec<f64> = (0..d * d).map(|_| stream.normal()).collect();
            let mut sigma = vec![vec![0.0; d]; d];
            for i in 0..d {
                for j in 0..=i {
                    let product: f64 = a[i * d..][..d].iter().zip(&a[j * d..][..d]).map(|(x, y)| x * y).sum();
                    let diagonal = if i == j { 1.0 - correlated } else { 0.0 };
                    sigma[i][j] = correlated * product / d as f64 + diagonal;
                    sigma[j][i] = sigma[i][j];
                }
            }
            covariances.push(sigma);
        }
        let mut weights = vec![0.0; components];
        let mut stream = streams.at(DrawPurpose::Data, FIRST_COMPONENT + components as u64, 0);
        stream.dirichlet(&vec![5.0; components], &mut weights);
        Mixture { weights, means, covariances: Covariances::PerComponent(covariances) }
    }
}

impl DataSource for RandomMixture {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn features(&self) -> Option<usize> {
        Some(self.features)
    }

    fn size(&self) -> Option<u64> {
        Some(self.examples)
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Examples(generate(&self.draw(with.streams), self.examples as usize, with.streams)?))
    }

    fn beside(&self) -> Option<Beside> {
        let (components, d) = (self.components as u64, self.features as u64);
        let bytes = 24_u64.saturating_mul(components).saturating_mul(d).saturating_mul(d);
        Some(Beside { what: format!("covariances of {components} components"), field: "data.features", bytes })
    }

    fn examples() -> Vec<Self> {
        vec![Self { examples: 100, features: 3, components: 2, separation: 2.0, correlated: 0.8 }]
    }
}

/// Why a mixture is none. Components count from 0.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MixtureError {
    /// No component or no dimension.
    #[error("a mixture needs at least one component and one dimension")]
    Empty,
    /// Lists of different lengths.
    #[error("{}, but {}", so_many(.expected, "weight"), so_many(.found, .what))]
    Count {
        /// "mean" or "covariance".
        what: &'static str,
        /// Number of weights.
        expected: usize,
        /// Number of the others.
        found: usize,
    },
    /// A weight is not a positive number.
    #[error("weight {component} is {value}: it must be positive and finite")]
    Weight {
        /// Which.
        component: usize,
        /// Its value.
        value: f64,
    },
    /// Weights do not sum to 1.
    #[error("the weights sum to {0}: they must sum to 1")]
    WeightSum(f64),
    /// A mean or covariance has the wrong length.
    #[error("{what} {component} has {}: expected {expected}", so_many(.found, "number"))]
    Length {
        /// "mean" or "covariance".
        what: &'static str,
        /// Which.
        component: usize,
        /// Numbers needed.
        expected: usize,
        /// Numbers there are.
        found: usize,
    },
    /// A number is infinite or not a number.
    #[error("{what} {component} contains {value}: it must be finite")]
    NotFinite {
        /// "mean" or "covariance".
        what: &'static str,
        /// Which.
        component: usize,
        /// The value.
        value: f64,
    },
    /// A covariance is not symmetric.
    #[error(
        "covariance {component} is not symmetric: entry ({row}, {column}) is {value}, entry ({column}, {row}) is \
         {mirrored}"
    )]
    Asymmetric {
        /// Which.
        component: usize,
        /// Row of the first entry.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
        /// The value across the diagonal.
        mirrored: f64,
    },
    /// A covariance is not positive definite.
    #[error("covariance {component} is not positive definite (pivot {pivot} is {value})")]
    Indefinite {
        /// Which.
        component: usize,
        /// Which pivot of the Cholesky factorization.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// No or too many examples asked for.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
}

/// `count` examples of `mixture`; labels are components, columns `y1`, `y2`, ….
///
/// # Errors
/// [`MixtureError`] when `mixture` is not a law, or `count` is 0.
pub fn generate(mixture: &Mixture, count: usize, streams: &Streams) -> Result<DataSet, MixtureError> {
    let d = check_shape(mixture)?;
    let factors = factors(&mixture.covariances, d)?;
    let mut rows = Affine::new(&mixture.means, &factors, count);
    let mut labels = Vec::with_capacity(count);
    let mut z = vec![0.0; d];
    for example in 0..count as u64 {
        let mut stream = streams.at(DrawPurpose::Data, example, 0);
        let g = stream.categorical(&mixture.weights);
        normals(&mut stream, &mut z);
        rows.push(example as usize, g, &z);
        labels.push(g as u32);
    }
    let columns = (1..=d).map(|j| format!("y{j}")).collect();
    Ok(DataSet::new(columns, rows.finish(), Some(labels), None)?)
}

/// Checks weights and means; returns d.
fn check_shape(mixture: &Mixture) -> Result<usize, MixtureError> {
    let components = mixture.weights.len();
    if mixture.means.len() != components {
        return Err(MixtureError::Count { what: "mean", expected: components, found: mixture.means.len() });
    }
    let d = mixture.means.first().map_or(0, Vec::len);
    if d == 0 {
        return Err(MixtureError::Empty);
    }
    if let Covariances::PerComponent(list) = &mixture.covariances
        && list.len() != components
    {
        return Err(MixtureError::Count { what: "covariance", expected: components, found: list.len() });
    }
    for (component, &value) in mixture.weights.iter().enumerate() {
        if !(value > 0.0 && value.is_finite()) {
            return Err(MixtureError::Weight { component, value });
        }
    }
    let sum: f64 = mixture.weights.iter().sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(MixtureError::WeightSum(sum));
    }
    for (component, mean) in mixture.means.iter().enumerate() {
        check_numbers("mean", component, mean, d)?;
    }
    Ok(d)
}

fn check_numbers(what: &'static str, component: usize, numbers: &[f64], expected: usize) -> Result<(), MixtureError> {
    if numbers.len() != expected {
        return Err(MixtureError::Length { what, component, expected, found: numbers.len() });
    }
    match numbers.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(MixtureError::NotFinite { what, component, value }),
        None => Ok(()),
    }
}

/// The lower Cholesky factor of every covariance, row-major d × d: one factor for a common covariance.
fn factors(covariances: &Covariances, d: usize) -> Result<Vec<Vec<f64>>, MixtureError> {
    covariances.matrices().iter().enumerate().map(|(component, sigma)| cholesky(component, sigma, d)).collect()
}

fn cholesky(component: usize, sigma: &Matrix, d: usize) -> Result<Vec<f64>, MixtureError> {
    let sigma = sigma.concat();
    check_numbers("covariance", component, &sigma, d * d)?;
    let entry = |row: usize, column: usize| sigma[row * d + column];
    if let Some((row, column)) = asymmetry(d, entry) {
        let (value, mirrored) = (entry(row, column), entry(column, row));
        return Err(MixtureError::Asymmetric { component, row, column, value, mirrored });
    }
    let mut l = vec![0.0f64; d * d];
    for row in 0..d {
        for column in 0..=row {
            let rest =
                (0..column).fold(entry(row, column), |rest, k| (-l[row * d + k]).mul_add(l[column * d + k], rest));
            l[row * d + column] = match row == column {
                true if rest > 0.0 => rest.sqrt(),
                true => {
                    return Err(MixtureError::Indefinite { component, pivot: row, value: rest });
                }
                false => rest / l[column * d + column],
            };
        }
    }
    Ok(l)
}
