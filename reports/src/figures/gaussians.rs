//! The mixtures in the fitted models of runs: what was fitted, the truth, the ways of the means. Knows no drawing.

use crate::data::Run;
use serde::Deserialize;
use serde_json::Value;

/// A mixture of normal distributions.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Gaussians {
    pub weights: Vec<f64>,
    /// By component, then column.
    pub means: Vec<Vec<f64>>,
    /// By component, d × d.
    pub covariances: Vec<Vec<Vec<f64>>>,
}

/// What a run fitted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FittedMixture {
    pub columns: Vec<String>,
    pub estimate: Gaussians,
    /// What the data were drawn from.
    pub truth: Option<Gaussians>,
    /// By component: the means of the recorded rounds; empty where θ was not recorded, or of prepared columns.
    pub ways: Vec<Vec<Vec<f64>>>,
}

impl FittedMixture {
    /// Of a run that fitted a mixture with covariances in the units of the data.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let model: Value = serde_json::from_str(run.record.model.as_ref()?).ok()?;
        let columns = Vec::<String>::deserialize(&model["parameter_columns"]).ok()?;
        let estimate = estimate(&model["parameters"])?;
        let truth = Gaussians::deserialize(&model["truth"]).ok();
        let fits = |mixture: &Gaussians| mixture.means.iter().all(|mean| mean.len() == columns.len());
        if !fits(&estimate) {
            return None;
        }
        let is_plain = model["transformation"].as_array().is_some_and(Vec::is_empty);
        let ways = if is_plain { ways(run, &estimate) } else { Vec::new() };
        Some(Self { truth: truth.filter(fits), columns, estimate, ways })
    }

    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// The fitted mixture, its covariances one per component.
fn estimate(parameters: &Value) -> Option<Gaussians> {
    let weights = Vec::deserialize(&parameters["weights"]).ok()?;
    let means = Vec::deserialize(&parameters["means"]).ok()?;
    let written = &parameters["covariances"];
    let diagonal = |row: &Vec<f64>| {
        let entry = |i: usize, j: usize| if i == j { row[i] } else { 0.0 };
        (0..row.len()).map(|i| (0..row.len()).map(|j| entry(i, j)).collect()).collect()
    };
    let covariances = match parameters["covariance_type"].as_str()? {
        "full" => Vec::deserialize(written).ok()?,
        "tied" => vec![Vec::deserialize(written).ok()?; weights.len()],
        "diag" => Vec::<Vec<f64>>::deserialize(written).ok()?.iter().map(diagonal).collect(),
        _ => return None,
    };
    Some(Gaussians { weights, means, covariances })
}

fn ways(run: &Run, estimate: &Gaussians) -> Vec<Vec<Vec<f64>>> {
    let Some(theta) = &run.record.theta else { return Vec::new() };
    let way = |(component, mean): (usize, &Vec<f64>)| -> Option<Vec<Vec<f64>>> {
        let name = |column: usize| format!("mean_{component}_{column}");
        let find = |column: usize| theta.names.iter().position(|known| *known == name(column));
        let at: Vec<usize> = (0..mean.len()).map(find).collect::<Option<_>>()?;
        Some(theta.rows.iter().map(|row| at.iter().map(|&at| row.values[at]).collect()).collect())
    };
    estimate.means.iter().enumerate().map(way).collect::<Option<_>>().unwrap_or_default()
}

impl Gaussians {
    /// The ellipse of a component at so many standard deviations over two columns: closed. None where the covariance is
    /// not positive definite.
    pub(crate) fn ellipse(&self, component: usize, (i, j): (usize, usize), deviations: f64) -> Option<Vec<(f64, f64)>> {
        const POINTS: u32 = 72;
        let (mean, sigma) = (&self.means[component], self.covariances.get(component)?);
        // L of Σ = L Lᵀ.
        let first = libm::sqrt(sigma[i][i]);
        let below = sigma[i][j] / first;
        let second = libm::sqrt(sigma[j][j] - below * below);
        if !(first > 0.0 && second > 0.0) {
            return None;
        }
        let point = |step: u32| {
            let angle = std::f64::consts::TAU * f64::from(step) / f64::from(POINTS);
            let (x, y) = (deviations * libm::cos(angle), deviations * libm::sin(angle));
            (mean[i] + first * x, mean[j] + below * x + second * y)
        };
        Some((0..=POINTS).map(point).collect())
    }

    pub(crate) fn density(&self, column: usize, value: f64) -> f64 {
        let component = |(g, weight): (usize, &f64)| {
            let variance = self.covariances[g][column][column];
            let distance = value - self.means[g][column];
            let norm = libm::sqrt(std::f64::consts::TAU * variance);
            weight * libm::exp(-0.5 * distance * distance / variance) / norm
        };
        self.weights.iter().enumerate().map(component).sum()
    }

    /// From where to where a column is denser than next to nothing: three and a half standard deviations around each
    /// component.
    pub(crate) fn reach(&self, column: usize) -> (f64, f64) {
        let ends = self.means.iter().zip(&self.covariances).flat_map(|(mean, sigma)| {
            let far = 3.5 * libm::sqrt(sigma[column][column]);
            [mean[column] - far, mean[column] + far]
        });
        crate::axes::range(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::Gaussians;
    use proptest::prelude::*;

    proptest! {
        /// Every point of an ellipse has its Mahalanobis distance; densities integrate to 1.
        #[test]
        fn ellipses_and_densities(
            variances in (0.1f64..9.0, 0.1f64..9.0), correlation in -0.95f64..0.95, weight in 0.05f64..0.95,
            mean in (-5.0f64..5.0, -5.0f64..5.0), deviations in 0.5f64..3.0,
        ) {
            let (a, b) = variances;
            let c = correlation * libm::sqrt(a * b);
            let sigma = vec![vec![a, c], vec![c, b]];
            let mixture = Gaussians {
                weights: vec![weight, 1.0 - weight],
                means: vec![vec![mean.0, mean.1], vec![0.0, 0.0]],
                covariances: vec![sigma.clone(), sigma],
            };
            let determinant = a * b - c * c;
            for (x, y) in mixture.ellipse(0, (0, 1), deviations).unwrap() {
                let (x, y) = (x - mean.0, y - mean.1);
                let distance = (b * x * x - 2.0 * c * x * y + a * y * y) / determinant;
                prop_assert!((distance - deviations * deviations).abs() < 1e-9 * (1.0 + distance));
            }
            let (low, high) = (-40.0, 40.0);
            let step = (high - low) / 8_000.0;
            let sum: f64 = (0..8_000).map(|at| mixture.density(1, low + step * f64::from(at)) * step).sum();
            prop_assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }
}
