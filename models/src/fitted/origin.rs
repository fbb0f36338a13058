//! From prepared columns back to those of the data.
//!
//! Most steps of preparation are affine in a row: kept columns, shifted, scaled, projected. So x ≈ a + B z, exact
//! unless principal components were taken, where x are the columns of the data, or what they are after the last step
//! that is not affine: logarithms, columns standardized within each client.

use serde::{Deserialize, Serialize};

use crate::data::Coding;
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
    /// How a file gave these columns, and what codes stand for.
    #[serde(flatten)]
    pub coding: Coding,
}

/// x = a + B z for prepared z.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// Which columns the entries of x are, counted from 0.
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

    /// log |dx/dz| of the preparation: what log-densities of prepared rows exceed those of x by. Only steps after the
    /// last projection count.
    pub fn log_scale(&self) -> f64 {
        let steps = self.tail().steps.iter().rev().take_while(|step| !matches!(step, Transform::Project(_)));
        let scale = |step: &Transform| match step {
            Transform::Affine { scales, .. } => scales.iter().map(|&scale| libm::log(scale)).sum(),
            _ => 0.0,
        };
        steps.map(scale).sum()
    }

    /// The way back from prepared rows.
    pub fn origin(&self) -> Origin {
        let prepared = self.prepared();
        let matrix = Matrix::Diagonal(vec![1.0; prepared]);
        let start = Origin { columns: (0..prepared).collect(), offset: vec![0.0; prepared], matrix };
        self.tail().steps.iter().rev().fold(start, Origin::before)
    }

    /// A linear function wᵀz of prepared rows as one of x: the coefficients of x, and a constant.
    pub fn linear(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let Tail { steps, names } = self.tail();
        let mut sizes = vec![names.len()];
        sizes.extend(steps.iter().scan(names.len(), |before, step| {
            *before = step.gives(*before);
            Some(*before)
        }));
        let (mut w, mut constant) = (w.to_vec(), 0.0);
        for (step, &columns) in steps.iter().zip(&sizes).rev() {
            match step {
                Transform::Keep { columns: kept } => {
                    let mut all = vec![0.0; columns];
                    kept.iter().zip(&w).for_each(|(&at, &w)| all[at] = w);
                    w = all;
                }
                Transform::Affine { means, scales } => {
                    w.iter_mut().zip(scales).for_each(|(w, scale)| *w /= scale);
                    constant -= w.iter().zip(means).map(|(w, mean)| w * mean).sum::<f64>();
                }
                Transform::Project(pca) => {
                    let loadings: Vec<Vec<f64>> = (0..pca.components()).map(|c| pca.loadings(c)).collect();
                    let entry = |j: usize| w.iter().zip(&loadings).map(|(w, loading)| w * loading[j]).sum::<f64>();
                    w = (0..columns).map(entry).collect();
                    constant -= w.iter().zip(pca.means()).map(|(w, mean)| w * mean).sum::<f64>();
                }
                // Before these, nothing is undone.
                Transform::Log { .. } | Transform::WithinClients => {}
            }
        }
        (self.origin().columns.into_iter().map(|at| w[at]).collect(), constant)
    }

    /// Names of the columns that x has: those that are not dropped, `log(…)` where logarithms were taken.
    pub fn kept_names(&self) -> Vec<String> {
        let names = self.tail().names;
        self.origin().columns.into_iter().map(|at| names[at].clone()).collect()
    }

    /// Names of the columns that the preparation dropped.
    pub fn dropped(&self) -> Vec<String> {
        let before_projection = self.transformation.iter().take_while(|step| !matches!(step, Transform::Project(_)));
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let kept = before_projection.fold(all, |kept, step| match step {
            Transform::Keep { columns } => columns.iter().map(|&at| kept[at]).collect(),
            _ => kept,
        });
        let mut is_kept = vec![false; self.columns.len()];
        kept.into_iter().for_each(|at| is_kept[at] = true);
        self.columns.iter().zip(is_kept).filter(|(_, is_kept)| !is_kept).map(|(name, _)| name.clone()).collect()
    }

    /// A row x, prepared.
    ///
    /// # Errors
    /// When a number overflows.
    pub fn prepare(&self, x: &[f64]) -> Result<Vec<f64>, DataSetError> {
        let Tail { steps, names } = self.tail();
        let mut row = vec![0.0; names.len()];
        self.origin().columns.into_iter().zip(x).for_each(|(at, &x)| row[at] = x);
        let row = DataSet::new(names, row, None, None)?;
        let prepared = steps.iter().try_fold(row, |row, step| step.apply(row))?;
        Ok(prepared.rows().to_vec())
    }

    /// The covariance of prepared rows (row-major) that one of x has.
    pub fn prepare_covariance(&self, x: &[f64]) -> Vec<f64> {
        let Tail { steps, names } = self.tail();
        let (d, columns) = (names.len(), self.origin().columns);
        let mut sigma = vec![0.0; d * d];
        for (i, &at) in columns.iter().enumerate() {
            for (j, &to) in columns.iter().enumerate() {
                sigma[at * d + to] = x[i * columns.len() + j];
            }
        }
        steps.iter().fold((sigma, d), |(sigma, d), step| covariance_after(&sigma, d, step)).0
    }

    /// The variances of prepared rows that a diagonal covariance of x gives; none where principal components are taken,
    /// which leave none diagonal.
    pub fn prepare_variances(&self, x: &[f64]) -> Option<Vec<f64>> {
        let Tail { steps, names } = self.tail();
        let mut variances = vec![0.0; names.len()];
        self.origin().columns.into_iter().zip(x).for_each(|(at, &variance)| variances[at] = variance);
        steps.iter().try_fold(variances, |variances, step| match step {
            Transform::Keep { columns } => Some(columns.iter().map(|&at| variances[at]).collect()),
            Transform::Affine { scales, .. } => {
                Some(variances.iter().zip(scales).map(|(variance, scale)| variance / (scale * scale)).collect())
            }
            _ => None,
        })
    }

    /// The file gives the columns, every step takes the columns that the one before leaves, and its numbers make sense.
    ///
    /// # Errors
    /// What is wrong, and with which step.
    pub fn check(&self) -> Result<(), String> {
        self.coding.check(&self.columns)?;
        let mut columns = self.columns.len();
        for (index, step) in self.transformation.iter().enumerate() {
            checked(step, columns).map_err(|problem| format!("step {index} of `transformation`: {problem}"))?;
            columns = step.gives(columns);
        }
        Ok(())
    }

    /// The steps after the last that is not affine, and the names of the columns there.
    fn tail(&self) -> Tail<'_> {
        let is_affine = |step: &Transform| !matches!(step, Transform::Log { .. } | Transform::WithinClients);
        let first = self.transformation.iter().rposition(|step| !is_affine(step)).map_or(0, |last| last + 1);
        let (before, steps) = self.transformation.split_at(first);
        Tail { steps, names: before.iter().fold(self.columns.clone(), names_after) }
    }
}

fn checked(step: &Transform, columns: usize) -> Result<(), String> {
    let length = |what: &str, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(format!("{found} {what}: expected {expected}")),
    };
    match step {
        Transform::Keep { columns: kept } | Transform::Log { columns: kept } => {
            let increases = kept.windows(2).all(|pair| pair[0] < pair[1]);
            let is_inside = kept.last().is_some_and(|&last| last < columns);
            let expected = || format!("expected increasing numbers of columns below {columns}");
            if increases && is_inside { Ok(()) } else { Err(expected()) }
        }
        Transform::Affine { means, scales } => {
            length("means", means.len(), columns)?;
            length("scales", scales.len(), columns)?;
            let fine = means.iter().all(|mean| mean.is_finite()) && scales.iter().all(|&scale| scale > 0.0);
            if fine { Ok(()) } else { Err("expected finite means and scales above 0".to_owned()) }
        }
        Transform::WithinClients => Ok(()),
        Transform::Project(pca) => {
            length("means of columns", pca.dimension(), columns)?;
            pca.check()
        }
    }
}

/// What can be undone of a preparation.
struct Tail<'a> {
    steps: &'a [Transform],
    /// Names of the columns before these steps.
    names: Vec<String>,
}

fn names_after(mut names: Vec<String>, step: &Transform) -> Vec<String> {
    match step {
        Transform::Affine { .. } => names,
        Transform::Keep { columns } => columns.iter().map(|&at| names[at].clone()).collect(),
        Transform::Log { columns } => {
            columns.iter().for_each(|&at| names[at] = format!("log({})", names[at]));
            names
        }
        Transform::WithinClients => names.into_iter().map(|name| format!("{name} within its client")).collect(),
        Transform::Project(pca) => (1..=pca.components()).map(|c| format!("pc{c}")).collect(),
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
        // Before these, nothing is undone.
        Transform::Log { .. } | Transform::WithinClients => (sigma.to_vec(), d),
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
            // Before these, nothing is undone.
            Transform::Log { .. } | Transform::WithinClients => self,
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

    /// A linear function wᵀx as one of prepared rows: their coefficients, and a constant.
    pub fn linear(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let constant = self.offset.iter().zip(w).map(|(a, w)| a * w).sum();
        let coefficients = match &self.matrix {
            Matrix::Diagonal(diagonal) => diagonal.iter().zip(w).map(|(scale, w)| scale * w).collect(),
            Matrix::Dense { prepared, entries } => {
                let of = |k: usize| entries.chunks_exact(*prepared).zip(w).map(|(row, w)| row[k] * w).sum();
                (0..*prepared).map(of).collect()
            }
        };
        (coefficients, constant)
    }

    /// B Σ Bᵀ of a covariance of prepared rows, d × d row-major; none where principal components were taken: it would
    /// be singular.
    pub fn covariance(&self, sigma: &[f64]) -> Option<Vec<f64>> {
        let Matrix::Diagonal(diagonal) = &self.matrix else { return None };
        let d = diagonal.len();
        Some((0..d * d).map(|at| diagonal[at / d] * sigma[at] * diagonal[at % d]).collect())
    }

    /// The diagonal of B Σ Bᵀ for a diagonal covariance, d variances.
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
