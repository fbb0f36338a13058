//! The mixture of regressions over rows of m and R.
//!
//! | vector | entries |
//! |---|---|
//! | θ | π_k; β_k, K rows; σ² where it is estimated |
//! | s | E w_k; E w_k XᵀX, K vech; E w_k Xᵀy, K rows; E yᵀy and E m where σ² is estimated |

use fedbits_numerics::{dot, inverse_root, raise_eigenvalues, solve, vech_index, vech_length, vech_pairs};

use crate::assignment::assign;
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Repairs, Scratch};

/// K regressions of p covariates.
#[derive(Clone, Debug)]
pub struct RegressionMixture {
    pub(super) components: usize,
    pub(super) covariates: usize,
    /// σ², where it is known.
    pub(super) variance: Option<f64>,
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
        if let DomainPolicy::Clip { floor } = policy {
            repairs.eigenvalues += raise_eigenvalues(&mut factor, p, floor);
        }
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
        let value = (squares - explained) / points;
        match policy {
            DomainPolicy::Clip { floor } if value < floor => {
                repairs.eigenvalues += 1;
                Ok(floor)
            }
            _ if value > 0.0 => Ok(value),
            _ => Err(DomainError::Variance { value }),
        }
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
        for (component, (weight, &value)) in weights.iter_mut().zip(s).enumerate() {
            *weight = match policy {
                DomainPolicy::Clip { floor } if value < floor => {
                    repairs.weights += 1;
                    floor
                }
                _ if value > 0.0 => value,
                _ => return Err(DomainError::Weight { component, value }),
            };
        }
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
pub(super) fn products(mut r: &[f64], p: usize, out: &mut [f64]) {
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
