//! p(y_i, z; θ) of a bi-factor model, its gradient in z, its statistics, and draws; what a fit says of items and
//! persons.
//!
//! With Gaussian responses the E-step is exact: z | y ~ N(m, C), C = (I + Λᵀ Ψ⁻¹ Λ)⁻¹, m = C Λᵀ Ψ⁻¹ (y − µ).
//!
//! log p(y; θ) of binary responses is found by quadrature in two dimensions, however many groups there are: given the
//! general factor the groups are independent (Gibbons and Hedeker 1992).
//!
//! p(y_i) = Σ_a w_a Π_g Σ_b w_b Π_{j in g} P(y_ij | η = µ_j + a_j x_a + c_j x_b), x and w of Gauss–Hermite.

use super::law::{HALF_LOG_TAU, Law, normal_above, sign};
use super::model::{BiFactor, parameter_gradient, residual};
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::{Abilities, Difference, FinalTable, LogLikelihood, Posterior, SampledModel, mode};
use crate::{DomainError, Model};
use fedbits_numerics::{
    BadPivot, column_dot, gauss_hermite, gram_entry, inverse_root, log_determinant, solve, vech_index, vech_length,
};
use fedbits_random::{Stream, Streams};
use rayon::prelude::*;

/// The latent distributions at θ.
pub(super) struct Conditional<'a> {
    pub model: &'a BiFactor,
    pub theta: &'a [f64],
    /// R⁻¹ of the posterior precision R Rᵀ = I + Σ_j ℓ_j ℓ_jᵀ/ψ_j given Gaussian responses (probit: given w), vech.
    pub root: Vec<f64>,
}

impl<'a> Conditional<'a> {
    /// At θ. An error when a number is not finite, a variance not positive, or a loading too large.
    pub fn new(model: &'a BiFactor, theta: &'a [f64]) -> Result<Self, DomainError> {
        DomainError::check_finite(theta)?;
        let p = 1 + model.groups;
        let mut conditional = Self { model, theta, root: vec![0.0; vech_length(p)] };
        if model.law == Law::Logit {
            return Ok(conditional);
        }
        if let Some(value) = (0..model.items()).map(|j| conditional.psi(j)).find(|&psi| psi <= 0.0) {
            return Err(DomainError::Variance { value });
        }
        (0..p).for_each(|i| conditional.root[vech_index(i, i)] = 1.0);
        for j in 0..model.items() {
            let ([_, a, c], psi) = (*conditional.item(j), conditional.psi(j));
            let g = 1 + model.group[j];
            conditional.root[0] += a * a / psi;
            conditional.root[vech_index(g, 0)] += a * c / psi;
            conditional.root[vech_index(g, g)] += c * c / psi;
        }
        conditional.root = inverse_root(conditional.root, p).map_err(|BadPivot { pivot, value }| {
            DomainError::Other(format!(
                "the posterior precision of the factors is not positive definite (pivot {pivot} is {value:e}): the \
                 loadings are too large"
            ))
        })?;
        Ok(conditional)
    }

    pub fn item(&self, j: usize) -> &[f64; 3] {
        self.model.weights(self.theta, j).first_chunk().expect("an item has three weights")
    }

    /// ψ_j; 1 with binary responses.
    pub fn psi(&self, j: usize) -> f64 {
        if self.model.law == Law::Gaussian { self.theta[4 * j + 3] } else { 1.0 }
    }

    pub fn eta(&self, j: usize, z: &[f64]) -> f64 {
        let [mu, a, c] = self.item(j);
        mu + a * z[0] + c * z[1 + self.model.group[j]]
    }

    /// m = R⁻ᵀ R⁻¹ Σ_j ℓ_j (t_j − µ_j)/ψ_j, the posterior mean given responses t.
    pub fn mean(&self, t: &[f64]) -> Vec<f64> {
        let p = 1 + self.model.groups;
        let mut moment = vec![0.0; p];
        for (j, t) in t.iter().enumerate() {
            let [mu, a, c] = self.item(j);
            let residual = (t - mu) / self.psi(j);
            moment[0] += a * residual;
            moment[1 + self.model.group[j]] += c * residual;
        }
        solve(&self.root, &moment)
    }

    /// `out += scale · S` for one person at z, with E[z zᵀ] = z zᵀ + C where `covariance` gives C.
    pub fn add(
        &self,
        subject: usize,
        z: &[f64],
        covariance: &dyn Fn(usize, usize) -> f64,
        scale: f64,
        out: &mut [f64],
    ) {
        let model = self.model;
        let second = |i: usize, j: usize| z[i] * z[j] + covariance(i, j);
        if model.law != Law::Logit {
            out[0] += scale * z[0];
            out[1] += scale * second(0, 0);
            for g in 1..=model.groups {
                let moments = [z[g], second(g, 0), second(g, g)];
                out[3 * g - 1..][..3].iter_mut().zip(moments).for_each(|(out, x)| *out += scale * x);
            }
        }
        for (j, &y) in model.data.of(subject).iter().enumerate() {
            let (t, omega) = model.law.expected_augmentation(y, self.eta(j, z));
            let (z0, zg) = (z[0], z[1 + model.group[j]]);
            let at = model.item_statistics(j);
            if model.law == Law::Logit {
                let products = [1.0, z0, z0 * z0, zg, z0 * zg, zg * zg];
                out[at..][..6].iter_mut().zip(products).for_each(|(out, x)| *out += scale * omega * x);
            }
            let first = at + if model.law == Law::Logit { 6 } else { 0 };
            let last = [t, t * z0, t * zg, y * y];
            out[first..][..model.law.parameters()].iter_mut().zip(last).for_each(|(out, x)| *out += scale * x);
        }
    }

    /// ψ_j of all items by residuals: the mean of (y − xᵀ E[u])² + ℓᵀ C ℓ, with the weights of θ.
    pub fn residual_variances(&self) -> Vec<f64> {
        let (model, n) = (self.model, self.model.data.persons());
        let mut sums = vec![0.0; model.items()];
        for person in 0..n {
            let y = model.data.of(person);
            let m = self.mean(y);
            let covariance = |i, j| gram_entry(&self.root, m.len(), i, j);
            for (j, (sum, y)) in sums.iter_mut().zip(y).enumerate() {
                let ([mu, a, c], g) = (*self.item(j), 1 + model.group[j]);
                let residual = (y - mu) - a * m[0] - c * m[g];
                let spread = a * a * covariance(0, 0) + 2.0 * a * c * covariance(g, 0) + c * c * covariance(g, g);
                *sum += residual * residual + spread;
            }
        }
        sums.into_iter().map(|sum| sum / n as f64).collect()
    }

    /// `out += scale · s̄_i(θ)`; returns log p(y_i; θ) = log p(y_i, m) + (p/2) log 2π + ½ log det C (Laplace's formula
    /// is exact here).
    pub fn add_expected(&self, subject: usize, scale: f64, out: &mut [f64]) -> f64 {
        let y = self.model.data.of(subject);
        let m = self.mean(y);
        let p = m.len();
        let covariance = |i, j| gram_entry(&self.root, p, i, j);
        self.add(subject, &m, &covariance, scale, out);
        self.log_density(subject, &m)
            + p as f64 * libm::log(core::f64::consts::TAU) / 2.0
            + log_determinant(&self.root, p)
    }
}

impl BiFactor {
    /// Where the statistics of item `j` begin.
    pub(super) fn item_statistics(&self, j: usize) -> usize {
        match self.law {
            Law::Gaussian => 2 + 3 * self.groups + 4 * j,
            Law::Probit => 2 + 3 * self.groups + 3 * j,
            Law::Logit => 9 * j,
        }
    }
}

impl Posterior for Conditional<'_> {
    fn start(&self, _subject: usize, z: &mut [f64]) {
        z.fill(0.0);
    }

    fn prior_scale(&self, _j: usize) -> f64 {
        1.0
    }

    fn log_density(&self, subject: usize, z: &[f64]) -> f64 {
        let y = self.model.data.of(subject).iter().enumerate();
        let terms = y.map(|(j, &y)| self.model.law.density_and_slope(y, self.eta(j, z), self.psi(j)).0);
        let density = terms.sum::<f64>() + self.log_prior(subject, z);
        if density.is_nan() { f64::NEG_INFINITY } else { density }
    }

    fn gradient(&self, subject: usize, z: &[f64], out: &mut [f64]) -> f64 {
        out.iter_mut().zip(z).for_each(|(out, z)| *out = -z);
        let mut sum = 0.0;
        for (j, &y) in self.model.data.of(subject).iter().enumerate() {
            let (density, slope) = self.model.law.density_and_slope(y, self.eta(j, z), self.psi(j));
            let [_, a, c] = self.item(j);
            sum += density;
            out[0] += a * slope;
            out[1 + self.model.group[j]] += c * slope;
        }
        let density = sum + self.log_prior(subject, z);
        if density.is_nan() { f64::NEG_INFINITY } else { density }
    }

    fn add_statistics(&self, subject: usize, z: &[f64], scale: f64, out: &mut [f64]) {
        self.add(subject, z, &|_, _| 0.0, scale, out);
    }

    fn draw_prior(&self, _subject: usize, stream: &mut Stream, z: &mut [f64]) {
        z.iter_mut().for_each(|z| *z = stream.normal());
    }

    fn log_prior(&self, _subject: usize, z: &[f64]) -> f64 {
        -z.iter().map(|z| z * z).sum::<f64>() / 2.0 - z.len() as f64 * HALF_LOG_TAU
    }

    /// Given z the probit model draws w; given w (or Gaussian y) z is Gaussian.
    fn gibbs(&self, subject: usize, stream: &mut Stream, z: &mut [f64]) {
        let y = self.model.data.of(subject);
        let mean = match self.model.law {
            Law::Probit => {
                let draw = |(j, &y): (usize, &f64)| {
                    let eta = self.eta(j, z);
                    eta + sign(y) * normal_above(-sign(y) * eta, stream)
                };
                let w: Vec<f64> = y.iter().enumerate().map(draw).collect();
                self.mean(&w)
            }
            Law::Gaussian => self.mean(y),
            Law::Logit => unreachable!("the logit model has no Gibbs kernel, and `abilities` says so"),
        };
        let xi: Vec<f64> = z.iter().map(|_| stream.normal()).collect();
        for (i, z) in z.iter_mut().enumerate() {
            *z = mean[i] + column_dot(&self.root, i, &xi);
        }
    }

    fn expected_statistics(&self, subject: usize, scale: f64, out: &mut [f64]) -> Option<f64> {
        (self.model.law == Law::Gaussian).then(|| self.add_expected(subject, scale, out))
    }
}

/// Nodes per dimension, and those of the coarser rule that tells the error.
const NODES: usize = 31;
const COARSER: usize = 21;

impl Conditional<'_> {
    /// Σ log p(y_i; θ).
    pub(super) fn log_likelihood(&self) -> LogLikelihood {
        let (value, coarser) = (self.by_nodes(NODES), self.by_nodes(COARSER));
        LogLikelihood { value, error: Some((value - coarser).abs()) }
    }

    fn by_nodes(&self, count: usize) -> f64 {
        let (rule, model) = (gauss_hermite(count), self.model);
        let weights: Vec<f64> = rule.iter().map(|&(_, weight)| libm::log(weight)).collect();
        // log P(0) and log P(1) of every item at every pair of nodes.
        let pairs = || rule.iter().flat_map(|&(general, _)| rule.iter().map(move |&(specific, _)| (general, specific)));
        let of_item = |j: usize| {
            let [mu, a, c] = *self.item(j);
            let at = |y: f64, (general, specific): (f64, f64)| {
                model.law.density_and_slope(y, mu + a * general + c * specific, 1.0).0
            };
            [0.0, 1.0].map(|y| pairs().map(|pair| at(y, pair)).collect::<Vec<f64>>())
        };
        let items: Vec<[Vec<f64>; 2]> = (0..model.items()).map(of_item).collect();
        let persons: Vec<u32> = (0..model.data.persons() as u32).collect();
        let of_person = |person: &u32| self.person(model.data.of(*person as usize), &items, &weights);
        // Summed in the order of persons, however many threads there are.
        persons.par_iter().map(of_person).collect::<Vec<f64>>().into_iter().sum()
    }

    /// log p(y_i).
    fn person(&self, responses: &[f64], items: &[[Vec<f64>; 2]], weights: &[f64]) -> f64 {
        let (model, count) = (self.model, weights.len());
        let mut total = weights.to_vec();
        let mut joint = vec![0.0; count * count];
        for group in 0..model.groups {
            joint.fill(0.0);
            for (j, &y) in responses.iter().enumerate().filter(|&(j, _)| model.group[j] == group) {
                let log_probabilities = &items[j][usize::from(y > 0.5)];
                joint.iter_mut().zip(log_probabilities).for_each(|(sum, log)| *sum += log);
            }
            for (total, joint) in total.iter_mut().zip(joint.chunks_exact(count)) {
                *total += log_sum(joint.iter().zip(weights).map(|(log, weight)| log + weight));
            }
        }
        log_sum(total.into_iter())
    }
}

/// log Σ exp(x), without overflow.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + libm::log(logs.map(|log| libm::exp(log - largest)).sum())
}

impl SampledModel for BiFactor {
    fn subjects(&self) -> usize {
        self.data.persons()
    }

    fn abilities(&self) -> Abilities {
        self.law.abilities(self.groups)
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        parameter_gradient(self, s, theta, out);
        Ok(true)
    }

    /// By quadrature, of binary responses.
    fn log_likelihood(&self, theta: &[f64]) -> Result<Option<LogLikelihood>, DomainError> {
        let conditional = Conditional::new(self, theta)?;
        Ok((self.law != Law::Gaussian).then(|| conditional.log_likelihood()))
    }

    /// The table `loadings`: a row per item, the first loading of every factor positive.
    fn final_tables(&self, theta: &[f64], _streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        let columns = ["item", "group", "intercept", "general", "specific", "variance"];
        let kept = 2 + self.law.parameters();
        let row = |(j, item): (usize, &String)| {
            let x = &theta[j * self.law.parameters()..][..self.law.parameters()];
            let signs = [1.0, self.sign(theta, 0), self.sign(theta, 1 + self.group[j]), 1.0];
            let numbers = x.iter().zip(signs).map(|(x, sign)| format!("{:?}", x * sign));
            [item.clone(), (self.group[j] + 1).to_string()].into_iter().chain(numbers).collect()
        };
        Ok(vec![FinalTable {
            name: "loadings".to_owned(),
            columns: columns[..kept].iter().map(|&name| name.to_owned()).collect(),
            names: 0..1,
            rows: self.data.items.iter().enumerate().map(row).collect(),
        }])
    }

    /// ψ_j and the squares of the item's weights, of Gaussian responses.
    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        let items = theta.chunks_exact(self.law.parameters()).filter(|_| self.law == Law::Gaussian);
        items.map(|item| [item[3], item[..3].iter().map(|x| x * x).sum()]).collect()
    }

    fn differences(&self, theta: &[f64], s: &[f64]) -> Result<Vec<Difference>, DomainError> {
        let two_pass = Conditional::new(self, theta)?.residual_variances();
        let of = |(j, ([value, square], two_pass)): (usize, ([f64; 2], f64))| Difference {
            what: format!("item `{}`", self.data.items[j]),
            value,
            raw: residual(self, s, theta, j),
            two_pass,
            square,
            origin: "0",
            shifted: square - theta[4 * j] * theta[4 * j],
            remedy: "subtract a number near the item's mean",
        };
        Ok(self.squares(theta).into_iter().zip(two_pass).enumerate().map(of).collect())
    }
}

/// Intercepts and loadings of the items, and variances of Gaussian responses; the first loading of every factor is
/// positive, as in the tables `loadings` and `scores`.
///
/// # Errors
/// When θ is none of the model.
pub(super) fn arrays(law: Law, groups: &[usize], theta: &[f64]) -> Result<Vec<Array>, FitError> {
    let (items, width) = (groups.len(), law.parameters());
    FitError::theta(theta.len(), items * width)?;
    let of = |part: usize| -> Vec<f64> { theta.iter().skip(part).step_by(width).copied().collect() };
    let (general, specific) = (of(1), of(2));
    let sign = |first: Option<f64>| if first.is_some_and(|loading| loading < 0.0) { -1.0 } else { 1.0 };
    let of_group = |group: usize| sign(groups.iter().position(|&entry| entry == group).map(|item| specific[item]));
    let turned: Vec<f64> = specific.iter().zip(groups).map(|(loading, &group)| loading * of_group(group)).collect();
    let whole = sign(general.first().copied());
    let mut arrays = vec![
        Array::numbers("intercept", &[items], of(0)),
        Array::numbers("general", &[items], general.iter().map(|loading| loading * whole).collect()),
        Array::numbers("specific", &[items], turned),
    ];
    if law == Law::Gaussian {
        arrays.push(Array::numbers("variance", &[items], of(3)));
    }
    Ok(arrays)
}

/// The table `scores`: a row per person with the most probable values of all factors given the responses (maximum a
/// posteriori scores), and their standard deviations, from second derivatives there. The first loading of every factor
/// is taken to be positive, as in the table `loadings`.
///
/// # Errors
/// When θ is none of the model, or the mode of a person is not found.
pub(super) fn scores(model: &BiFactor, theta: &[f64]) -> Result<FinalTable, FitError> {
    FitError::theta(theta.len(), model.parameter_dimension())?;
    let (posterior, p) = (model.posterior(theta).map_err(FitError::model)?, model.latent_dimension());
    let names: Vec<String> =
        (0..p).map(|factor| if factor == 0 { "general".to_owned() } else { format!("group_{factor}") }).collect();
    let deviations = names.iter().map(|name| format!("deviation_{name}"));
    let columns = ["person".to_owned()].into_iter().chain(names.iter().cloned()).chain(deviations).collect();
    let row = |person: usize| {
        let found = mode(posterior.as_ref(), person, p)
            .ok_or_else(|| FitError::model(format!("person {person}: the most probable factors were not found")))?;
        let scores = found.z.iter().enumerate().map(|(factor, z)| z * model.sign(theta, factor));
        let numbers = scores.chain(found.deviations.iter().copied()).map(|value| format!("{value:?}"));
        Ok([person.to_string()].into_iter().chain(numbers).collect())
    };
    let rows = (0..model.subjects()).map(row).collect::<Result<_, FitError>>()?;
    Ok(FinalTable { name: "scores".to_owned(), columns, rows, names: 0..0 })
}
