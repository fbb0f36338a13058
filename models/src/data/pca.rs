//! Principal components of the sample covariance (divisor N − 1), projected reproducibly.
//!
//! Means and covariance are summed in fixed order and have the same bits on every machine. The eigenvectors come from
//! faer, whose last bits depend on the CPU, and the scores enter the data digest: so the loadings are rounded to
//! multiples of 2⁻²⁰ before anything is projected. CPUs then agree unless a loading lies within faer's difference
//! (about 1e-15 for well-separated eigenvalues) of the boundary between two multiples: for 20 × 717 loadings a chance
//! of about 1e-4. A grid of 2⁻³⁰ would raise that to about a tenth; 2⁻²⁰ moves a loading by at most 4.8e-7 and the
//! scores accordingly. Eigenvalues, which are reported, are rounded to 30 significant bits for the same reason.
//! Components of (nearly) equal eigenvalues are not determined by the data: no rounding helps there.

use super::gram::{centred_gram, centred_product, column_means};
use crate::Examples;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};
use thiserror::Error;

/// Steps of the grid of loadings per unit: 2²⁰.
const GRID: f64 = 1_048_576.0;

/// The first principal components of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    means: Vec<f64>,
    components: usize,
    /// Row-major d × components: one component per column.
    weights: Vec<f64>,
    eigenvalues: Vec<f64>,
    total_variance: f64,
}

/// Why there are no components.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PcaError {
    /// More components than columns, or none.
    #[error("principal components: {asked} asked for, but there are {dimension} columns: expected 1 to {dimension}")]
    Components {
        /// How many were asked for.
        asked: usize,
        /// d.
        dimension: usize,
    },
    /// A covariance needs two examples.
    #[error("principal components: one example has no covariance")]
    OneExample,
    /// All columns are constant.
    #[error("principal components: every column is constant")]
    NoVariance,
    /// The numbers are too large, or the iteration fails.
    #[error("principal components: the eigenvalues of the covariance do not converge")]
    NoConvergence,
}

impl Pca {
    /// The `components` leading eigenvectors of the covariance of `examples`, eigenvalues decreasing; the largest
    /// loading of each (in absolute value; the first of equals) is positive.
    ///
    /// # Errors
    /// [`PcaError`].
    pub fn fit(examples: Examples<'_>, components: usize) -> Result<Self, PcaError> {
        let (n, d) = (examples.len(), examples.dimension);
        if components == 0 || components > d {
            return Err(PcaError::Components { asked: components, dimension: d });
        }
        if n < 2 {
            return Err(PcaError::OneExample);
        }
        let means = column_means(examples);
        let mut covariance = centred_gram(examples, &means);
        covariance.iter_mut().for_each(|sum| *sum /= (n - 1) as f64);
        let total_variance: f64 = (0..d).map(|j| covariance[j * d + j]).sum();
        if !total_variance.is_finite() {
            return Err(PcaError::NoConvergence);
        }
        if total_variance <= 0.0 {
            return Err(PcaError::NoVariance);
        }
        let (eigenvalues, vectors) = eigen(&covariance, d)?;
        let mut weights = vec![0.0; d * components];
        for c in 0..components {
            for (j, loading) in snapped(&vectors, d - 1 - c).into_iter().enumerate() {
                weights[j * components + c] = loading;
            }
        }
        let eigenvalues = (0..components).map(|c| rounded(eigenvalues[d - 1 - c])).collect();
        Ok(Self { means, components, weights, eigenvalues, total_variance })
    }

    /// Variances along the components, decreasing.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Share of the total variance that the components explain, in [0, 1].
    pub fn explained_share(&self) -> f64 {
        self.eigenvalues.iter().sum::<f64>() / self.total_variance
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

/// Increasing eigenvalues and their vectors as columns.
fn eigen(covariance: &[f64], d: usize) -> Result<(Vec<f64>, Mat<f64>), PcaError> {
    let matrix = MatRef::from_row_major_slice(covariance, d, d);
    let (mut values, mut vectors) = (Diag::<f64>::zeros(d), Mat::<f64>::zeros(d, d));
    let yes = ComputeEigenvectors::Yes;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(d, yes, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(matrix, values.as_mut(), Some(vectors.as_mut()), Par::Seq, stack, Default::default())
        .map_err(|_| PcaError::NoConvergence)?;
    Ok((values.column_vector().iter().copied().collect(), vectors))
}

/// Column `c` on the grid, with its sign fixed.
fn snapped(vectors: &Mat<f64>, c: usize) -> Vec<f64> {
    let mut loadings: Vec<f64> = vectors.col(c).iter().map(|loading| (loading * GRID).round() / GRID).collect();
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
