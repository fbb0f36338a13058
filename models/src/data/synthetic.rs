//! Synthetic examples from a Gaussian mixture: z ~ Categorical(π), y | z = g ~ N(μ_g, Σ_g).
//!
//! Example j is a function of its address (Data, j) alone, so the first N examples stay when N grows. It must not know
//! the mixture *models*: it shares no code with what will be tested on its output.

use super::set::{DataSet, DataSetError};
use fedbits_random::{Purpose, Streams};
use thiserror::Error;

/// Covariance matrices, each row-major d × d, symmetric and positive definite.
#[derive(Clone, Debug, PartialEq)]
pub enum Covariances {
    /// One Σ for all components.
    Common(Vec<f64>),
    /// Σ_g for every component.
    PerComponent(Vec<Vec<f64>>),
}

/// The law of the examples: G components in dimension d.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// π: positive, sum 1 within 1e-9.
    pub weights: Vec<f64>,
    /// μ_g, d numbers each.
    pub means: Vec<Vec<f64>>,
    /// Σ or Σ_g.
    pub covariances: Covariances,
}

/// Why a mixture is none. Components count from 0.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MixtureError {
    /// No component or no dimension.
    #[error("a mixture needs at least one component and one dimension")]
    Empty,
    /// Lists of different lengths.
    #[error("{expected} weights, but {found} {what}")]
    Count {
        /// "means" or "covariances".
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
    #[error("{what} {component} has {found} numbers: expected {expected}")]
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
        "covariance {component} is not symmetric: entry ({row}, {column}) is {value}, entry ({column}, {row}) is {mirrored}"
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
    let mut rows = Vec::with_capacity(count * d);
    let mut labels = Vec::with_capacity(count);
    let mut z = vec![0.0; d];
    for example in 0..count as u64 {
        let mut stream = streams.at(Purpose::Data, example, 0);
        let g = stream.categorical(&mixture.weights);
        z.iter_mut().for_each(|coordinate| *coordinate = stream.normal());
        let factor = &factors[if factors.len() == 1 { 0 } else { g }];
        for (i, &mean) in mixture.means[g].iter().enumerate() {
            rows.push(z[..=i].iter().zip(&factor[i * d..]).fold(mean, |sum, (&z, &l)| l.mul_add(z, sum)));
        }
        labels.push(g as u32);
    }
    let columns = (1..=d).map(|j| format!("y{j}")).collect();
    Ok(DataSet::new(columns, rows, Some(labels), None)?)
}

/// Checks weights and means; returns d.
fn check_shape(mixture: &Mixture) -> Result<usize, MixtureError> {
    let components = mixture.weights.len();
    if mixture.means.len() != components {
        return Err(MixtureError::Count { what: "means", expected: components, found: mixture.means.len() });
    }
    let d = mixture.means.first().map_or(0, Vec::len);
    if d == 0 {
        return Err(MixtureError::Empty);
    }
    if let Covariances::PerComponent(list) = &mixture.covariances
        && list.len() != components
    {
        return Err(MixtureError::Count { what: "covariances", expected: components, found: list.len() });
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
    let list = match covariances {
        Covariances::Common(one) => std::slice::from_ref(one),
        Covariances::PerComponent(list) => list,
    };
    list.iter().enumerate().map(|(component, sigma)| cholesky(component, sigma, d)).collect()
}

fn cholesky(component: usize, sigma: &[f64], d: usize) -> Result<Vec<f64>, MixtureError> {
    check_numbers("covariance", component, sigma, d * d)?;
    let mut l = vec![0.0f64; d * d];
    for row in 0..d {
        for column in 0..=row {
            let (value, mirrored) = (sigma[row * d + column], sigma[column * d + row]);
            if value != mirrored {
                return Err(MixtureError::Asymmetric { component, row, column, value, mirrored });
            }
            let rest = (0..column).fold(value, |rest, k| (-l[row * d + k]).mul_add(l[column * d + k], rest));
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
