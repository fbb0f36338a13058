//! Mixtures of linear regressions with one latent label per client: "EM for the federated mixture of linear
//! regressions", arXiv 2408.05819.
//!
//! ```text
//! y_j = ⟨β_z, x_j⟩ + σ ε_j for all points j of a client, with P(z = k) = π_k
//! E:  w_k ∝ π_k σ^{−m} exp(−‖y − X β_k‖² / 2σ²)                       of a client, from all its m points
//! M:  π_k = E w_k,   β_k = (E w_k XᵀX)⁻¹ E w_k Xᵀy,   σ² = E Σ_k w_k ‖y − X β_k‖² / E m,  E over clients
//! ```
//!
//! An example is all that a client has, reduced to a row ([`RegressionSums`](crate::data::regressions)): so the model
//! is one of examples like any other, and its statistic is q numbers per client, however many points that has. β_k is
//! pooled least squares.
//!
//! | vector | entries |
//! |---|---|
//! | θ | π_k; β_k, K rows; σ² where it is estimated |
//! | s | E w_k; E w_k XᵀX, K vech; E w_k Xᵀy, K rows; E yᵀy and E m where σ² is estimated |

use crate::assignment::assign;
use crate::data::regressions::{DrawnRegressions, row_length};
use crate::data::{DataKind, DataSet, DataSource, Shape, Values};
use crate::fit::{ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features};
use crate::initial::{InitialSetting, Start};
use crate::setting::{ModelFacts, ModelSetting};
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Repairs, Scratch};
use fedbits_numerics::{dot, inverse_root, solve, vech_index, vech_length, vech_pairs};
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

/// K regressions of p covariates.
#[derive(Clone, Debug)]
pub struct RegressionMixture {
    components: usize,
    covariates: usize,
    /// σ², where it is known.
    variance: Option<f64>,
}

impl RegressionMixture {
    fn coefficients<'a>(&self, theta: &'a [f64], k: usize) -> &'a [f64] {
        &theta[self.components + k * self.covariates..][..self.covariates]
    }

    /// Where the statistic has the products of component `k`, and its products with the response.
    fn places(&self, k: usize) -> [usize; 2] {
        let (of_products, p) = (vech_length(self.covariates), self.covariates);
        [self.components + k * of_products, self.components * (1 + of_products) + k * p]
    }

    fn sums(&self) -> usize {
        self.components * (1 + vech_length(self.covariates) + self.covariates)
    }

    /// β_k = (E w XᵀX)⁻¹ E w Xᵀy, written to `beta`.
    fn solve(
        &self,
        k: usize,
        s: &[f64],
        policy: DomainPolicy,
        (beta, repairs): (&mut [f64], &mut Repairs),
    ) -> Result<(), DomainError> {
        let (p, [products, cross]) = (self.covariates, self.places(k));
        let mut factor = s[products..][..vech_length(p)].to_vec();
        repairs.eigenvalues += policy.raise_eigenvalues(&mut factor, p);
        let inverse = inverse_root(factor, p).map_err(|bad| {
            let (pivot, value) = (bad.pivot, bad.value);
            DomainError::Other(format!(
                "the products of the covariates of component {k} are not positive definite (pivot {pivot} is {value:e})"
            ))
        })?;
        beta.copy_from_slice(&solve(&inverse, &s[cross..][..p]));
        Ok(())
    }

    /// σ² of the statistic, at the coefficients in θ.
    fn variance_of(
        &self,
        s: &[f64],
        theta: &[f64],
        policy: DomainPolicy,
        repairs: &mut Repairs,
    ) -> Result<f64, DomainError> {
        let [squares, points] = [s[self.sums()], s[self.sums() + 1]];
        let explained = (0..self.components)
            .fold(0.0, |sum, k| sum + dot(self.coefficients(theta, k), &s[self.places(k)[1]..][..self.covariates]));
        let mut value = (squares - explained) / points;
        repairs.eigenvalues += policy.raise(&mut value);
        if value > 0.0 { Ok(value) } else { Err(DomainError::Variance { value }) }
    }
}

impl Model for RegressionMixture {
    fn statistic_dimension(&self) -> usize {
        self.sums() + if self.variance.is_none() { 2 } else { 0 }
    }

    fn parameter_dimension(&self) -> usize {
        self.components * (1 + self.covariates) + usize::from(self.variance.is_none())
    }

    fn parameter_names(&self) -> Vec<String> {
        let weights = (0..self.components).map(|k| format!("weight_{k}"));
        let of = |k: usize| (0..self.covariates).map(move |i| format!("coefficient_{k}_{i}"));
        let variance = self.variance.is_none().then(|| "variance".to_owned());
        weights.chain((0..self.components).flat_map(of)).chain(variance).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        let (components, p) = (0..self.components, self.covariates);
        let weights = components.clone().map(|k| format!("w_{k}"));
        let products = components.clone().flat_map(|k| vech_pairs(p).map(move |(i, j)| format!("xx_{k}_{i}_{j}")));
        let cross = components.flat_map(|k| (0..p).map(move |i| format!("xy_{k}_{i}")));
        let rest = ["yy", "points"].into_iter().filter(|_| self.variance.is_none()).map(str::to_owned);
        weights.chain(products).chain(cross).chain(rest).collect()
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        let mut repairs = Repairs::default();
        theta.clear();
        theta.resize(self.parameter_dimension(), 0.0);
        let (weights, coefficients) = theta.split_at_mut(self.components);
        weights.copy_from_slice(&s[..self.components]);
        policy.raise_weights(weights, &mut repairs)?;
        let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
        weights.iter_mut().for_each(|weight| *weight /= total);
        for (k, beta) in coefficients.chunks_exact_mut(self.covariates).take(self.components).enumerate() {
            self.solve(k, s, policy, (beta, &mut repairs))?;
        }
        if self.variance.is_none() {
            let variance = self.variance_of(s, theta, policy, &mut repairs)?;
            if let Some(last) = theta.last_mut() {
                *last = variance;
            }
        }
        DomainError::check_finite(theta)?;
        Ok(repairs)
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        let count = self.components;
        let squared = |x: f64, y: f64| (x - y) * (x - y);
        let apart = |at: usize| {
            let (k, l) = (at / count, at % count);
            let coefficients = self.coefficients(theta, k).iter().zip(self.coefficients(truth, l));
            coefficients.fold(squared(theta[k], truth[l]), |sum, (x, y)| sum + squared(*x, *y))
        };
        let cost: Vec<f64> = (0..count * count).map(apart).collect();
        let matched = assign(&cost, count, count);
        let components = matched.iter().enumerate().fold(0.0, |sum, (k, &l)| sum + cost[k * count + l]);
        let rest = theta[count * (1 + self.covariates)..].iter().zip(&truth[count * (1 + self.covariates)..]);
        rest.fold(components, |sum, (x, y)| sum + squared(*x, *y))
    }
}

impl ExactModel for RegressionMixture {
    fn example_dimension(&self) -> usize {
        1 + vech_length(self.covariates + 1)
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        if let Some(component) = theta[..self.components].iter().position(|&weight| weight <= 0.0) {
            return Err(DomainError::Weight { component, value: theta[component] });
        }
        let variance = self.variance.unwrap_or(theta[theta.len() - 1]);
        if variance <= 0.0 {
            return Err(DomainError::Variance { value: variance });
        }
        Ok(Box::new(ClientLabels { model: self.clone(), theta: theta.to_vec(), variance }))
    }
}

/// Posterior weights of the regressions for each client.
struct ClientLabels {
    model: RegressionMixture,
    theta: Vec<f64>,
    variance: f64,
}

/// ‖R (−β, 1)‖², of a row behind m.
fn residual_squares(mut r: &[f64], beta: &[f64]) -> f64 {
    let p = beta.len();
    (0..=p).fold(0.0, |sum, i| {
        let (row, rest) = r.split_at(p + 1 - i);
        r = rest;
        let fitted = row[..p - i].iter().zip(&beta[i..]).fold(0.0, |sum, (r, beta)| sum + r * beta);
        let residual = row[p - i] - fitted;
        sum + residual * residual
    })
}

/// RᵀR as vech, and Rᵀ times its last column, of a row behind m.
fn products(mut r: &[f64], p: usize, out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..=p {
        let (row, rest) = r.split_at(p + 1 - i);
        r = rest;
        for (a, x) in row.iter().enumerate() {
            for (b, y) in row[..=a].iter().enumerate() {
                out[vech_index(i + a, i + b)] += x * y;
            }
        }
    }
}

impl EStep for ClientLabels {
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64], _: bool) -> f64 {
        let (model, p) = (&self.model, self.model.covariates);
        out.fill(0.0);
        scratch.buffer.resize(model.components + vech_length(p + 1), 0.0);
        let (weights, gram) = scratch.buffer.split_at_mut(model.components);
        let visited = batch.indices(examples.len());
        let (count, mut objective) = (visited.len().max(1) as f64, 0.0);
        for j in visited {
            let (points, r) = (examples.row(j)[0], &examples.row(j)[1..]);
            objective -= self.weigh(points, r, weights);
            products(r, p, gram);
            for (k, &weight) in weights.iter().enumerate() {
                let [at, cross] = model.places(k);
                out[k] += weight;
                out[at..][..vech_length(p)].iter_mut().zip(&*gram).for_each(|(sum, xx)| *sum += weight * xx);
                let xy = &gram[vech_length(p)..][..p];
                out[cross..][..p].iter_mut().zip(xy).for_each(|(sum, xy)| *sum += weight * xy);
            }
            if model.variance.is_none() {
                out[model.sums()] += gram[vech_index(p, p)];
                out[model.sums() + 1] += points;
            }
        }
        out.iter_mut().for_each(|sum| *sum /= count);
        objective / count
    }
}

impl ClientLabels {
    /// The posterior weights of a client; returns log p.
    fn weigh(&self, points: f64, r: &[f64], weights: &mut [f64]) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for (k, weight) in weights.iter_mut().enumerate() {
            let squares = residual_squares(r, self.model.coefficients(&self.theta, k));
            *weight = libm::log(self.theta[k]) - squares / (2.0 * self.variance);
            most = most.max(*weight);
        }
        weights.iter_mut().for_each(|weight| *weight = libm::exp(*weight - most));
        let total = weights.iter().fold(0.0, |sum, weight| sum + weight);
        weights.iter_mut().for_each(|weight| *weight /= total);
        most + libm::log(total) - 0.5 * points * libm::log(2.0 * std::f64::consts::PI * self.variance)
    }
}

/// K linear regressions with one latent label per client (arXiv 2408.05819), for `data: RegressionMixture(…)` or a
/// table with its columns.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "RegressionMixture")]
pub struct RegressionMixtureSetting {
    /// K.
    #[range(whole(1, 1_000))]
    pub components: usize,
    /// p.
    #[range(whole(1, 1_000))]
    pub covariates: usize,
    /// Residual variance.
    #[serde(default)]
    pub noise: Noise,
}

/// Residual variance of the regressions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Noise {
    /// σ² is estimated, common to all clients and components.
    #[default]
    Unknown,
    /// σ, in units of y.
    Known(#[range(POSITIVE)] f64),
}

/// The share of their mean square that is added to the squares of the covariates of a client at which a component
/// starts: it may have fewer points than covariates.
const RIDGE: f64 = 0.01;

impl ModelSetting for RegressionMixtureSetting {
    fn facts(&self) -> ModelFacts {
        let features = row_length(self.covariates);
        ModelFacts { features, ..ModelFacts::new(DataKind::Examples, &["RandomExamples"]) }
    }

    /// The first column counts points.
    fn values_of(&self, column: usize) -> Values {
        if column == 0 { Values::Counts } else { Values::Real }
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        Some(self.model().statistic_dimension())
    }

    fn parameters(&self, _: &Shape) -> Option<usize> {
        Some(self.model().parameter_dimension())
    }

    fn size_field(&self, _: &dyn DataSource) -> &'static str {
        "model.covariates"
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::RandomExamples
    }

    /// `weights` (K), `coefficients` (K × p), and `variance` where it is estimated.
    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        let model = self.model();
        FitError::theta(theta.len(), model.parameter_dimension())?;
        let (weights, rest) = theta.split_at(self.components);
        let (coefficients, variance) = rest.split_at(self.components * self.covariates);
        let mut arrays = vec![
            Array::numbers("weights", &[self.components], weights.to_vec()),
            Array::numbers("coefficients", &[self.components, self.covariates], coefficients.to_vec()),
        ];
        arrays.extend((!variance.is_empty()).then(|| Array::numbers("variance", &[1], variance.to_vec())));
        Ok(arrays)
    }

    fn examples() -> Vec<Self> {
        let estimated = Self { components: 2, covariates: 2, noise: Noise::Unknown };
        vec![Self { noise: Noise::Known(2.0), ..estimated.clone() }, estimated]
    }
}

impl ExactSetting for RegressionMixtureSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let model = self.model();
        let theta = match given.initial.parameters(model.parameter_dimension()).map_err(FitError::start)? {
            Some(theta) => theta,
            None => self.start(data.examples(), given)?,
        };
        model.conditional(&theta).map_err(FitError::start)?;
        let truth = self.truth(given);
        Ok(Fit::new(Box::new(model) as Box<dyn ExactModel>, theta).with_truth(truth))
    }
}

impl RegressionMixtureSetting {
    fn model(&self) -> RegressionMixture {
        let variance = match self.noise {
            Noise::Unknown => None,
            Noise::Known(sigma) => Some(sigma * sigma),
        };
        RegressionMixture { components: self.components, covariates: self.covariates, variance }
    }

    /// Equal weights, the coefficients of K clients alone, and the mean square of y.
    fn start(&self, examples: Examples<'_>, given: &Given<'_>) -> Result<Vec<f64>, FitError> {
        let start = given.initial.start(self.components, examples, given.streams).map_err(FitError::start)?;
        let Some(Start::Means(rows)) = start else {
            return Err(FitError::model("this start is not for this model"));
        };
        let (p, mut gram) = (self.covariates, vec![0.0; vech_length(self.covariates + 1)]);
        let mut theta = vec![1.0 / self.components as f64; self.components];
        for row in rows.chunks_exact(examples.dimension()) {
            products(&row[1..], p, &mut gram);
            theta.extend(ridge(&gram, p).ok_or_else(|| FitError::start("a client's covariates are all 0"))?);
        }
        if self.noise == Noise::Unknown {
            let (mut squares, mut points) = (0.0, 0.0);
            for j in 0..examples.len() {
                products(&examples.row(j)[1..], p, &mut gram);
                squares += gram[vech_index(p, p)];
                points += examples.row(j)[0];
            }
            theta.push(squares / points);
        }
        Ok(theta)
    }

    /// θ*, where the data come from as many regressions of as many covariates.
    fn truth(&self, given: &Given<'_>) -> Option<Vec<f64>> {
        let drawn: &DrawnRegressions = given.source?.as_any().downcast_ref()?;
        let DrawnRegressions { weights, coefficients, noise, .. } = drawn;
        let fits = weights.len() == self.components && coefficients.iter().all(|row| row.len() == self.covariates);
        let variance = (self.noise == Noise::Unknown).then_some(noise * noise);
        fits.then(|| weights.iter().copied().chain(coefficients.concat()).chain(variance).collect())
    }
}

/// The coefficients of one client alone, of its sums of products; none where they are all 0.
fn ridge(gram: &[f64], p: usize) -> Option<Vec<f64>> {
    let mut factor = gram[..vech_length(p)].to_vec();
    let mean = (0..p).fold(0.0, |sum, i| sum + factor[vech_index(i, i)]) / p as f64;
    (0..p).for_each(|i| factor[vech_index(i, i)] += RIDGE * mean);
    Some(solve(&inverse_root(factor, p).ok()?, &gram[vech_length(p)..][..p]))
}
