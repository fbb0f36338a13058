//! Data of regressions by client: what a client's points say of any coefficients, in one row.
//!
//! Of the points (x_j, y_j) of a client only m and the sums of squares and products enter a Gaussian likelihood:
//!
//! ```text
//! [X y]ᵀ [X y] = Rᵀ R,   ‖y − X β‖² = ‖R (−β, 1)‖²
//! ```
//!
//! The row of a client is m and the upper triangle of R, row by row: 1 + (p + 1)(p + 2)/2 numbers for p covariates. R
//! is found by Givens rotations, point by point: it exists for any number of points, and no square is summed. Every row
//! of numbers with m ≥ 0 is that of some points.

use super::{DataKind, DataSet, DataSource, Observations, ReadError, Reading, SourceFacts};
use crate::matrix::{Matrix, means, weights};
use fedbits_random::{DrawPurpose, Stream};
use fedbits_spec::range::{POSITIVE, whole};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

/// m and R of some points.
#[derive(Clone, Debug)]
pub struct RegressionSums {
    covariates: usize,
    row: Vec<f64>,
}

/// The place of R_ij, i ≤ j, in a row for `covariates`.
fn place(covariates: usize, i: usize, j: usize) -> usize {
    let side = covariates + 1;
    1 + i * side - i * i.saturating_sub(1) / 2 + j - i
}

/// The length of a row for so many covariates; none beyond what can be counted.
pub(crate) fn row_length(covariates: usize) -> Option<usize> {
    let side = covariates.checked_add(1)?;
    (side.checked_mul(side.checked_add(1)?)? / 2).checked_add(1)
}

impl RegressionSums {
    /// Of no points.
    pub fn new(covariates: usize) -> Self {
        Self { covariates, row: vec![0.0; place(covariates, covariates, covariates) + 1] }
    }

    /// Adds a point: its covariates, with its response behind them.
    pub fn add(&mut self, point: &mut [f64]) {
        self.row[0] += 1.0;
        for i in 0..=self.covariates {
            let at = place(self.covariates, i, i);
            let (r, x) = (self.row[at], point[i]);
            if x == 0.0 {
                continue;
            }
            let length = libm::hypot(r, x);
            let (cosine, sine) = (r / length, x / length);
            for (r, x) in self.row[at..].iter_mut().zip(&mut point[i..]) {
                (*r, *x) = (cosine * *r + sine * *x, cosine * *x - sine * *r);
            }
        }
    }

    /// The row.
    pub fn into_row(self) -> Vec<f64> {
        self.row
    }

    /// Names of the columns of rows.
    pub fn columns(covariates: usize) -> Vec<String> {
        let entries = (0..=covariates).flat_map(|i| (i..=covariates).map(move |j| format!("r_{i}_{j}")));
        std::iter::once("points".to_owned()).chain(entries).collect()
    }
}

/// K linear regressions with one latent label per client: x ~ N(0, I), y = ⟨β_k, x⟩ + σ ε. An example holds one
/// client's sums (`partition: ClientColumn`).
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "RegressionMixture")]
#[described(rules = parameters)]
pub struct DrawnRegressions {
    /// M.
    #[range(whole(1, 100_000_000))]
    pub clients: u64,
    /// n, points per client.
    #[range(whole(1, 1_000_000))]
    pub points: u32,
    /// π, K positive weights of sum 1 (± 1e-9).
    #[described(by_rules)]
    pub weights: Vec<f64>,
    /// β, K rows of p coefficients.
    #[described(by_rules)]
    pub coefficients: Matrix,
    /// σ, in units of y.
    #[range(POSITIVE)]
    pub noise: f64,
}

fn parameters(setting: &DrawnRegressions, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    weights(&setting.weights, &at.field("weights"), findings);
    means(&setting.coefficients, setting.weights.len(), None, &at.field("coefficients"), findings);
}

impl DrawnRegressions {
    fn covariates(&self) -> usize {
        self.coefficients.first().map_or(0, Vec::len)
    }

    /// The label of a client, and its row.
    fn client(&self, stream: &mut Stream) -> (u32, Vec<f64>) {
        let component = stream.categorical(&self.weights);
        let (beta, mut sums) = (&self.coefficients[component], RegressionSums::new(self.covariates()));
        let mut point = vec![0.0; beta.len() + 1];
        for _ in 0..self.points {
            point.iter_mut().for_each(|x| *x = stream.normal());
            let mean = point.iter().zip(beta).fold(0.0, |sum, (x, beta)| sum + x * beta);
            point[beta.len()] = mean + self.noise * point[beta.len()];
            sums.add(&mut point);
        }
        (component as u32, sums.into_row())
    }
}

impl DataSource for DrawnRegressions {
    fn facts(&self) -> SourceFacts {
        SourceFacts {
            is_labelled: true,
            names_clients: true,
            size_field: "data.clients",
            ..SourceFacts::drawn(DataKind::Examples, self.clients, row_length(self.covariates()))
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let (mut labels, mut rows) = (Vec::new(), Vec::new());
        for client in 0..self.clients {
            let (label, row) = self.client(&mut with.streams.at(DrawPurpose::Data, client, 0));
            labels.push(label);
            rows.extend(row);
        }
        let groups = (0..self.clients as u32).collect();
        let columns = RegressionSums::columns(self.covariates());
        Ok(Observations::Examples(DataSet::new(columns, rows, Some(labels), Some(groups))?))
    }

    fn examples() -> Vec<Self> {
        let (weights, coefficients) = (vec![0.5, 0.5], vec![vec![1.0, 0.0], vec![-1.0, 0.5]]);
        vec![Self { clients: 60, points: 5, weights, coefficients, noise: 0.5 }]
    }
}
