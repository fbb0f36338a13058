//! Principal components of the sample covariance (divisor N − 1), projected reproducibly.
//!
//! Means and covariance are summed in fixed order and have the same bits on every machine. The last bits of
//! eigenvectors depend on the CPU, and the scores enter the data digest: so the loadings are rounded to
//! multiples of 2⁻²⁰ before anything is projected. CPUs then agree unless a loading lies within that difference
//! (about 1e-15 for well-separated eigenvalues) of the boundary between two multiples: for 20 × 717 loadings a chance
//! of about 1e-4. A grid of 2⁻³⁰ would raise that to about a tenth; 2⁻²⁰ moves a loading by at most 4.8e-7 and the
//! scores accordingly. Eigenvalues, which are reported, are rounded to 30 significant bits for the same reason.
//! Components of (nearly) equal eigenvalues are not determined by the data: no rounding helps there.

use super::DataSetError;
use super::gram::{centred_gram, centred_product, column_means};
use crate::Examples;
use fedbits_spec::so_many;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Steps of the grid of loadings per unit: 2²⁰.
const GRID: f64 = 1_048_576.0;
/// Eigenvalues up to this share of the largest are what rounding left of 0: of d columns they are off by about
/// d · 1e-16 of it.
const NOTHING: f64 = 1e-12;

/// Finds the d increasing eigenvalues of a symmetric d × d matrix and their vectors of length 1, one after the other;
/// nothing when it does not converge. It is handed in, so that this crate needs no large library of linear algebra.
pub type Eigen = fn(&[f64], usize) -> Option<(Vec<f64>, Vec<f64>)>;

/// The first principal components of a sample.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Pca {
    means: Vec<f64>,
    components: usize,
    /// Row-major d × components: one component per column.
    weights: Vec<f64>,
    eigenvalues: Vec<f64>,
    total_variance: f64,
}

/// Why a step of preparation is impossible.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PreprocessError {
    /// More principal components than columns that do not follow from others.
    #[error("principal components: {asked} asked for, but the columns have rank {rank}: expected at most {rank}")]
    Rank {
        /// How many were asked for.
        asked: usize,
        /// Eigenvalues that are not 0 beside the largest.
        rank: usize,
    },
    /// Columns that are constant or not there, one example alone, numbers that overflow.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
}

impl Pca {
    /// The `components` leading eigenvectors of the covariance of `examples`, eigenvalues decreasing; the largest
    /// loading of each (in absolute value; the first of equals) is positive.
    ///
    /// # Errors
    /// [`PreprocessError`], also where the columns are so large that the iteration fails.
    pub fn fit(examples: Examples<'_>, components: usize, eigen: Eigen) -> Result<Self, PreprocessError> {
        let wrong = |why: &str| PreprocessError::from(DataSetError::new(format!("principal components: {why}")));
        let (n, d) = (examples.len(), examples.dimension());
        if components == 0 || components > d {
            let expected = if d == 1 { "1".to_owned() } else { format!("1 to {d}") };
            let found = format!("{components} asked for, but the data have {}", so_many(d, "column"));
            return Err(wrong(&format!("{found}: expected {expected}")));
        }
        if n < 2 {
            return Err(wrong("one example has no covariance"));
        }
        let no_convergence = || wrong("the eigenvalues of the covariance do not converge");
        let means = column_means(examples);
        let mut covariance = centred_gram(examples, &means);
        covariance.iter_mut().for_each(|sum| *sum /= (n - 1) as f64);
        let total_variance: f64 = (0..d).map(|j| covariance[j * d + j]).sum();
        if !total_variance.is_finite() {
            return Err(no_convergence());
        }
        if total_variance <= 0.0 {
            return Err(wrong("every column is constant"));
        }
        let (eigenvalues, vectors) = eigen(&covariance, d).ok_or_else(no_convergence)?;
        let rank = eigenvalues.iter().filter(|&&value| value > NOTHING * eigenvalues[d - 1]).count();
        if components > rank {
            return Err(PreprocessError::Rank { asked: components, rank });
        }
        let mut weights = vec![0.0; d * components];
        for c in 0..components {
            for (j, loading) in snapped(&vectors[(d - 1 - c) * d..][..d]).into_iter().enumerate() {
                weights[j * components + c] = loading;
            }
        }
        let eigenvalues = (0..components).map(|c| rounded(eigenvalues[d - 1 - c])).collect();
        Ok(Self { means, components, weights, eigenvalues, total_variance })
    }

    /// d, the number of columns that are projected.
    pub fn dimension(&self) -> usize {
        self.means.len()
    }

    /// The number of components.
    pub fn components(&self) -> usize {
        self.components
    }

    /// Its numbers belong together, as they do unless a file was changed.
    ///
    /// # Errors
    /// What was expected.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (d, k) = (self.means.len(), self.components);
        let complete = k >= 1 && k <= d && self.weights.len() == d * k && self.eigenvalues.len() == k;
        let finite = self.means.iter().chain(&self.weights).all(|number| number.is_finite());
        let expected = || format!("expected 1 to {d} components, with {d} finite loadings and an eigenvalue each");
        if complete && finite { Ok(()) } else { Err(expected()) }
    }

    /// The column means, which are subtracted first.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Variances along the components, decreasing.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Share of the total variance that the components explain, in [0, 1].
    pub fn explained_share(&self) -> f64 {
        self.eigenvalues.iter().sum::<f64>() / self.total_variance
    }

    /// How far the rounding of loadings, half a step of the grid each, moves the scores of the last component, in its
    /// standard deviations: a bound where no columns are correlated.
    pub fn rounding(&self) -> f64 {
        let last = self.eigenvalues.last().copied().unwrap_or_default();
        0.5 / GRID * (self.total_variance / last).sqrt()
    }

    /// The d loadings of zero-based component `c`, multiples of 2⁻²⁰.
    pub fn loadings(&self, c: usize) -> Vec<f64> {
        self.weights.iter().skip(c).step_by(self.components).copied().collect()
    }

    /// Scores of `examples` (same columns), row-major N × components.
    pub fn project(&self, examples: Examples<'_>) -> Vec<f64> {
        centred_product(examples, &self.means, &self.weights, self.components)
    }
}

/// An eigenvector on the grid, with its sign fixed.
fn snapped(vector: &[f64]) -> Vec<f64> {
    let mut loadings: Vec<f64> = vector.iter().map(|loading| (loading * GRID).round() / GRID).collect();
    let mut largest = 0.0;
    for &loading in &loadings {
        if loading.abs() > f64::abs(largest) {
            largest = loading;
        }
    }
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    // Adding 0 turns −0 into +0: signs of zeros would otherwise differ.
    loadings.iter_mut().for_each(|loading| *loading = *loading * sign + 0.0);
    loadings
}

/// Rounded to 30 significant bits; what rounding made negative in a singular covariance becomes 0.
fn rounded(value: f64) -> f64 {
    let cut = 1u64 << 22;
    f64::from_bits((value.max(0.0).to_bits() + cut / 2) & !(cut - 1))
}
