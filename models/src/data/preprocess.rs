//! Preparation of data: a list of steps applied in order, each of which says in words what it did.
//!
//! Sums run in the order of the examples.

use super::gram::column_means;
use super::pca::{Eigen, Pca, PcaError};
use super::set::{DataSet, DataSetError};
use super::transform::Transform;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One step of preparation, applied to all examples in the order written, before the split over clients.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Preprocess {
    /// Drop the features whose value is the same in every example.
    DropConstant,
    /// Subtract each feature's mean.
    Center,
    /// Subtract each feature's mean and divide by its standard deviation (divisor N − 1).
    Standardize,
    /// Project on this many of the first principal components; 1 to the number of features.
    Pca(#[described(by_rules)] usize),
}

/// Prepared data and what was done, one line per step.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The data after the last step.
    pub data: DataSet,
    /// For the record.
    pub notes: Vec<String>,
    /// The steps as they were fitted, to be applied to further data.
    pub transformation: Vec<Transform>,
}

/// Why a step is impossible.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PreprocessError {
    /// Nothing would remain.
    #[error("drop constant columns: all {0} are constant")]
    AllConstant(usize),
    /// A constant column has no scale.
    #[error("standardize: column `{column}` is constant ({value}): expected `DropConstant` before it")]
    Constant {
        /// Its name.
        column: String,
        /// Its value.
        value: f64,
    },
    /// A standard deviation needs two examples.
    #[error("standardize: one example has no standard deviation")]
    OneExample,
    /// The principal components fail.
    #[error(transparent)]
    Pca(#[from] PcaError),
    /// The result overflows.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
}

/// Applies `steps` in order; `eigen` is for principal components.
///
/// # Errors
/// The [`PreprocessError`] of the first impossible step.
pub fn prepare(data: DataSet, steps: &[Preprocess], eigen: Eigen) -> Result<Prepared, PreprocessError> {
    let mut prepared = Prepared { data, notes: Vec::with_capacity(steps.len()), transformation: Vec::new() };
    for step in steps {
        let (transform, note) = step.fit(&prepared.data, eigen)?;
        prepared.data = transform.apply(prepared.data)?;
        prepared.notes.push(note);
        prepared.transformation.push(transform);
    }
    Ok(prepared)
}

impl Preprocess {
    /// d after the step, as far as it is known; no feature of data that are `drawn` is constant.
    #[must_use]
    pub fn features(self, before: Option<usize>, drawn: bool) -> Option<usize> {
        match self {
            Self::Pca(components) => Some(components),
            Self::DropConstant if !drawn => None,
            Self::DropConstant | Self::Center | Self::Standardize => before,
        }
    }

    /// What the step does to data like these, and that in words.
    fn fit(self, data: &DataSet, eigen: Eigen) -> Result<(Transform, String), PreprocessError> {
        match self {
            Self::DropConstant => drop_constant(data),
            Self::Center => Ok(center(data)),
            Self::Standardize => standardize(data),
            Self::Pca(components) => project(data, components, eigen),
        }
    }
}

fn drop_constant(data: &DataSet) -> Result<(Transform, String), PreprocessError> {
    let d = data.dimension();
    let (minima, maxima) = extremes(data);
    let kept: Vec<usize> = (0..d).filter(|&j| minima[j] != maxima[j]).collect();
    if kept.is_empty() {
        return Err(PreprocessError::AllConstant(d));
    }
    let note = format!("dropped {}, {} left", count(d - kept.len(), "constant column"), kept.len());
    Ok((Transform::Keep { columns: kept }, note))
}

fn extremes(data: &DataSet) -> (Vec<f64>, Vec<f64>) {
    let d = data.dimension();
    let (mut minima, mut maxima) = (data.rows()[..d].to_vec(), data.rows()[..d].to_vec());
    for row in data.rows().chunks_exact(d) {
        for ((minimum, maximum), &value) in minima.iter_mut().zip(&mut maxima).zip(row) {
            *minimum = if value < *minimum { value } else { *minimum };
            *maximum = if value > *maximum { value } else { *maximum };
        }
    }
    (minima, maxima)
}

fn center(data: &DataSet) -> (Transform, String) {
    let means = column_means(data.examples());
    let note = format!("centred {}", count(means.len(), "column"));
    let scales = vec![1.0; means.len()];
    (Transform::Affine { means, scales }, note)
}

fn standardize(data: &DataSet) -> Result<(Transform, String), PreprocessError> {
    if data.len() == 1 {
        return Err(PreprocessError::OneExample);
    }
    let (minima, maxima) = extremes(data);
    if let Some(j) = (0..data.dimension()).find(|&j| minima[j] == maxima[j]) {
        return Err(PreprocessError::Constant { column: data.columns()[j].clone(), value: minima[j] });
    }
    let means = column_means(data.examples());
    let scales = standard_deviations(data, &means);
    let note =
        format!("standardized {} (mean 0, standard deviation 1 with divisor N - 1)", count(means.len(), "column"));
    Ok((Transform::Affine { means, scales }, note))
}

fn standard_deviations(data: &DataSet, means: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; means.len()];
    for row in data.rows().chunks_exact(means.len()) {
        for ((square, &value), &mean) in squares.iter_mut().zip(row).zip(means) {
            *square += (value - mean) * (value - mean);
        }
    }
    let divisor = (data.len() - 1) as f64;
    squares.into_iter().map(|square| (square / divisor).sqrt()).collect()
}

fn project(data: &DataSet, components: usize, eigen: Eigen) -> Result<(Transform, String), PreprocessError> {
    let pca = Pca::fit(data.examples(), components, eigen)?;
    let note = format!(
        "projected {} on {}: {:.1} % of the variance, eigenvalues {:.3} to {:.3}",
        count(data.dimension(), "column"),
        count(components, "principal component"),
        100.0 * pca.explained_share(),
        pca.eigenvalues()[0],
        pca.eigenvalues()[components - 1],
    );
    Ok((Transform::Project(pca), note))
}

/// `1 constant column`, `67 constant columns`: a count with its noun, for the record.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
