//! From prepared columns back to those of the data.
//!
//! Every step of preparation is affine in a row: kept columns, shifted, scaled, projected. So x ≈ a + B z, exact unless
//! principal components were taken.

use serde::{Deserialize, Serialize};

use crate::data::pca::Pca;
use crate::data::transform::Transform;
use crate::data::{DataSet, DataSetError};

/// The columns of a table before its preparation, and the preparation.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Features {
    /// Names of the columns as the source has them.
    pub columns: Vec<String>,
    /// The steps, in order.
    pub transformation: Vec<Transform>,
}

/// x = a + B z for prepared z.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Which columns of the data the entries of x are, counted from 0.
    pub columns: Vec<usize>,
    /// a, a number per column.
    offset: Vec<f64>,
    matrix: Matrix,
}

#[derive(Clone, Debug, PartialEq)]
enum Matrix {
    /// A scale per column.
    Diagonal(Vec<f64>),
    /// Row-major, `columns` × `prepared`.
    Dense { prepared: usize, entries: Vec<f64> },
}

impl Features {
    /// Columns after the preparation.
    pub fn prepared(&self) -> usize {
        self.transformation.iter().fold(self.columns.len(), |before, step| step.gives(before))
    }

    /// log |dx/dz| of the preparation: what log-densities of prepared rows exceed those of the data by. Only steps after
    /// the last projection count.
    pub fn log_scale(&self) -> f64 {
        let steps = self.transformation.iter().rev().take_while(|step| !matches!(step, Transform::Project(_)));
        let scale = |step: &Transform| match step {
            Transform::Affine { scales, .. } => scales.iter().map(|&scale| libm::log(scale)).sum(),
            Transform::Keep { .. } | Transform::Project(_) => 0.0,
        };
        steps.map(scale).sum()
    }

    /// The way back from prepared rows.
    pub fn origin(&self) -> Origin {
        let prepared = self.prepared();
        let matrix = Matrix::Diagonal(vec![1.0; prepared]);
        let start = Origin { columns: (0..prepared).collect(), offset: vec![0.0; prepared], matrix };
        self.transformation.iter().rev().fold(start, Origin::before)
    }

    /// Names of the columns that are not dropped.
    pub fn kept_names(&self) -> Vec<String> {
        self.origin().columns.into_iter().map(|at| self.columns[at].clone()).collect()
    }

    /// Names of the columns that the preparation dropped.
    pub fn dropped(&self) -> Vec<String> {
        let kept = self.origin().columns;
        let names = self.columns.iter().enumerate().filter(|(at, _)| !kept.contains(at));
        names.map(|(_, name)| name.clone()).collect()
    }

    /// A row of the columns that are not dropped, prepared.
    ///
    /// # Errors
    /// When a number overflows.
    pub fn prepare(&self, kept: &[f64]) -> Result<Vec<f64>, DataSetError> {
        let mut row = vec![0.0; self.columns.len()];
        self.origin().columns.into_iter().zip(kept).for_each(|(at, &x)| row[at] = x);
        let row = DataSet::new(self.columns.clone(), row, None, None)?;
        let prepared = self.transformation.iter().try_fold(row, |row, step| step.apply(row))?;
        Ok(prepared.rows().to_vec())
    }

    /// The covariance of prepared rows (row-major) that one of the columns that are not dropped has.
    pub fn prepare_covariance(&self, kept: &[f64]) -> Vec<f64> {
        let (d, columns) = (self.columns.len(), self.origin().columns);
        let mut sigma = vec![0.0; d * d];
        for (i, &at) in columns.iter().enumerate() {
            for (j, &to) in columns.iter().enumerate() {
                sigma[at * d + to] = kept[i * columns.len() + j];
            }
        }
        self.transformation.iter().fold((sigma, d), |(sigma, d), step| covariance_after(&sigma, d, step)).0
    }
}

impl Features {
    /// The same of a diagonal covariance; none where principal components are taken, which leave none diagonal.
    pub fn prepare_variances(&self, kept: &[f64]) -> Option<Vec<f64>> {
        let mut variances = vec![0.0; self.columns.len()];
        self.origin().columns.into_iter().zip(kept).for_each(|(at, &variance)| variances[at] = variance);
        self.transformation.iter().try_fold(variances, |variances, step| match step {
            Transform::Keep { columns } => Some(columns.iter().map(|&at| variances[at]).collect()),
            Transform::Affine { scales, .. } => {
                Some(variances.iter().zip(scales).map(|(variance, scale)| variance / (scale * scale)).collect())
            }
            Transform::Project(_) => None,
        })
    }
}

/// A covariance (d × d, row-major) after a step, and its size.
fn covariance_after(sigma: &[f64], d: usize, step: &Transform) -> (Vec<f64>, usize) {
    match step {
        Transform::Keep { columns } => {
            let entries = columns.iter().flat_map(|i| columns.iter().map(move |j| sigma[i * d + j]));
            (entries.collect(), columns.len())
        }
        Transform::Affine { scales, .. } => {
            ((0..d * d).map(|at| sigma[at] / (scales[at / d] * scales[at % d])).collect(), d)
        }
        Transform::Project(pca) => {
            let k = pca.components();
            let loadings: Vec<Vec<f64>> = (0..k).map(|c| pca.loadings(c)).collect();
            let image = |c: usize, j: usize| (0..d).map(|i| loadings[c][i] * sigma[i * d + j]).sum::<f64>();
            let images: Vec<Vec<f64>> = (0..k).map(|c| (0..d).map(|j| image(c, j)).collect()).collect();
            let entry = |c: usize, e: usize| images[c].iter().zip(&loadings[e]).map(|(x, y)| x * y).sum();
            ((0..k * k).map(|at| entry(at / k, at % k)).collect(), k)
        }
    }
}

impl Origin {
    /// The way back through one more step.
    fn before(self, step: &Transform) -> Self {
        match step {
            Transform::Keep { columns } => {
                Self { columns: self.columns.iter().map(|&at| columns[at]).collect(), ..self }
            }
            Transform::Affine { means, scales } => self.rescaled(means, scales),
            Transform::Project(pca) => self.unprojected(pca),
        }
    }

    fn rescaled(mut self, means: &[f64], scales: &[f64]) -> Self {
        for (row, &at) in self.columns.iter().enumerate() {
            self.offset[row] = means[at] + scales[at] * self.offset[row];
            match &mut self.matrix {
                Matrix::Diagonal(diagonal) => diagonal[row] *= scales[at],
                Matrix::Dense { prepared, entries } => {
                    entries[row * *prepared..][..*prepared].iter_mut().for_each(|entry| *entry *= scales[at]);
                }
            }
        }
        self
    }

    fn unprojected(self, pca: &Pca) -> Self {
        let (d, prepared) = (pca.dimension(), self.matrix.prepared());
        let loadings: Vec<Vec<f64>> = self.columns.iter().map(|&component| pca.loadings(component)).collect();
        let back = |j: usize, of: &dyn Fn(usize) -> f64| {
            loadings.iter().enumerate().map(|(row, loading)| loading[j] * of(row)).sum::<f64>()
        };
        let offset = (0..d).map(|j| pca.means()[j] + back(j, &|row| self.offset[row])).collect();
        let places = (0..d).flat_map(|j| (0..prepared).map(move |k| (j, k)));
        let entries = places.map(|(j, k)| back(j, &|row| self.matrix.entry(row, k))).collect();
        Self { columns: (0..d).collect(), offset, matrix: Matrix::Dense { prepared, entries } }
    }

    /// x of a prepared row.
    pub fn point(&self, z: &[f64]) -> Vec<f64> {
        let product = |j: usize| match &self.matrix {
            Matrix::Diagonal(diagonal) => diagonal[j] * z[j],
            Matrix::Dense { prepared, entries } => {
                entries[j * prepared..][..*prepared].iter().zip(z).map(|(entry, z)| entry * z).sum()
            }
        };
        self.offset.iter().enumerate().map(|(j, a)| a + product(j)).collect()
    }

    /// B Σ Bᵀ of a covariance of prepared rows, d × d row-major; none where principal components were taken: it would be
    /// singular.
    pub fn covariance(&self, sigma: &[f64]) -> Option<Vec<f64>> {
        let Matrix::Diagonal(diagonal) = &self.matrix else { return None };
        let d = diagonal.len();
        Some((0..d * d).map(|at| diagonal[at / d] * sigma[at] * diagonal[at % d]).collect())
    }

    /// The same of a diagonal covariance, d variances.
    pub fn variances(&self, variances: &[f64]) -> Option<Vec<f64>> {
        let Matrix::Diagonal(diagonal) = &self.matrix else { return None };
        Some(variances.iter().zip(diagonal).map(|(variance, scale)| variance * scale * scale).collect())
    }
}

impl Matrix {
    fn prepared(&self) -> usize {
        match self {
            Self::Diagonal(diagonal) => diagonal.len(),
            Self::Dense { prepared, .. } => *prepared,
        }
    }

    fn entry(&self, j: usize, k: usize) -> f64 {
        match self {
            Self::Diagonal(diagonal) => {
                if j == k {
                    diagonal[j]
                } else {
                    0.0
                }
            }
            Self::Dense { prepared, entries } => entries[j * prepared + k],
        }
    }
}
