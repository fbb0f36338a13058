//! One mixture of several: reduction, distances and draws, for servers that get fits of clients.
//!
//! A pool of components N(µ_m, Σ_m) with weights w_m is reduced to G components N(ν_g, S_g) by an MM algorithm of Zhang
//! and Chen, "Distributed learning of finite Gaussian mixtures" (JMLR 2022). It lowers the composite transportation
//! divergence whose cost is the Kullback-Leibler divergence.
//!
//! ```text
//! objective   Σ_m w_m min_g KL(N(µ_m, Σ_m) ‖ N(ν_g, S_g))
//! assign      m to the g of the smallest KL
//! move        π_g = Σ w_m,  ν_g = Σ w_m µ_m / π_g,  S_g = Σ w_m (Σ_m + δ_m δ_mᵀ) / π_g,  δ_m = µ_m − ν_g, over the m of g
//! ```
//!
//! The paper has full covariances. For the other forms the same objective is minimized within the form, which is our
//! derivation: a diagonal S_g has the diagonal of that matrix, a tied S is Σ_g π_g S_g, and a known one stays, so that
//! assignments are those of k-means in its metric.
//!
//! The L² distance of two mixtures is closed: ∫ N(y; µ, Σ) N(y; µ', Σ') dy = N(µ; µ', Σ + Σ').

use std::ops::Range;

use fedbits_numerics::{cholesky, log_determinant, row_dot};
use fedbits_random::{Stream, running_sums};

use super::clusters::whitened;
use super::layout::{Form, Layout};
use super::matching::precision;
use super::mixture::GaussianMixture;
use super::pack::LOG_TWO_PI;
use crate::{DomainError, FitPooling, ReducedMixture};

/// Iterations of a reduction at most. Assignments are finitely many and the objective falls: it ends far before.
const ITERATIONS: u32 = 1_000;

impl FitPooling for GaussianMixture {
    fn normalize(&self, theta: &mut [f64]) -> Result<(), DomainError> {
        self.condition(theta)?;
        let weights = &mut theta[..self.layout.components];
        let total: f64 = weights.iter().fold(0.0, |sum, weight| sum + weight);
        weights.iter_mut().for_each(|weight| *weight /= total);
        DomainError::check_finite(theta)
    }

    fn spread(&self, pool: &[(f64, &[f64])]) -> Result<Vec<f64>, DomainError> {
        let (pool, count) = (Pool::new(self, pool)?, self.layout.components);
        let heaviest = (0..pool.weights.len()).fold(0, |best, m| better(&pool.weights, m, best));
        let (mut chosen, mut least) = (vec![heaviest], vec![f64::INFINITY; pool.weights.len()]);
        while chosen.len() < count {
            let last = pool.alone(chosen[chosen.len() - 1]);
            pool.lower(&last, 0, &mut least, &mut Vec::new())?;
            chosen.iter().for_each(|&m| least[m] = f64::NEG_INFINITY);
            let far: Vec<f64> = least.iter().zip(&pool.weights).map(|(kl, weight)| kl * weight).collect();
            chosen.push((0..far.len()).fold(0, |best, m| better(&far, m, best)));
        }
        let mut group = vec![usize::MAX; pool.weights.len()];
        chosen.iter().enumerate().for_each(|(g, &m)| group[m] = g);
        Ok(pool.moved(&group))
    }

    fn reduce(&self, pool: &[(f64, &[f64])], start: &[f64]) -> Result<ReducedMixture, DomainError> {
        let (pool, count) = (Pool::new(self, pool)?, self.layout.components);
        let (mut theta, mut before, mut refilled) = (start.to_vec(), Vec::new(), 0);
        for _ in 0..ITERATIONS {
            let (mut group, mut costs) = (Vec::new(), vec![f64::INFINITY; pool.weights.len()]);
            for g in 0..count {
                pool.lower(&theta, g, &mut costs, &mut group)?;
            }
            refilled = pool.refill(count, &mut costs, &mut group);
            if group == before {
                break;
            }
            theta = pool.moved(&group);
            before = group;
        }
        Ok(ReducedMixture { divergence: pool.divergence(&theta, &before)?, theta, refilled })
    }

    fn means(&self) -> Range<usize> {
        self.layout.mean(0).start..self.layout.mean(self.layout.components).start
    }

    fn distances(&self, mixtures: &[&[f64]]) -> Result<Vec<f64>, DomainError> {
        let n = mixtures.len();
        let mut products = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                products[i * n + j] = self.product(mixtures[i], mixtures[j])?;
            }
        }
        let distance = |at: usize| {
            let (i, j) = ((at / n).max(at % n), (at / n).min(at % n));
            let square = products[i * n + i] + products[j * n + j] - 2.0 * products[i * n + j];
            // Of equal mixtures rounding may leave a square below 0.
            square.max(0.0).sqrt()
        };
        Ok((0..n * n).map(distance).collect())
    }

    fn draw(&self, pool: &[(f64, &[f64])], count: u32, stream: &mut Stream) -> Result<Vec<f64>, DomainError> {
        let (pool, d) = (Pool::new(self, pool)?, self.layout.dimension);
        let (sums, mut counts) = (running_sums(pool.weights.iter().copied()), vec![0_u32; pool.weights.len()]);
        (0..count).for_each(|_| counts[stream.categorical_of_sums(&sums)] += 1);
        let (mut rows, mut z) = (Vec::with_capacity(count as usize * d), vec![0.0; d]);
        for (m, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let mut factor = pool.covariances[m].to_vec();
            if self.layout.form == Form::Diagonal {
                factor.iter_mut().for_each(|variance| *variance = variance.sqrt());
            } else {
                cholesky(&mut factor, d).map_err(DomainError::covariance(None))?;
            }
            for _ in 0..count {
                z.iter_mut().for_each(|z| *z = stream.normal());
                rows.extend(pool.means[m].iter().enumerate().map(|(a, mean)| match self.layout.form {
                    Form::Diagonal => mean + factor[a] * z[a],
                    Form::Known | Form::Tied | Form::Full => mean + row_dot(&factor, a, &z),
                }));
            }
        }
        Ok(rows)
    }
}

impl GaussianMixture {
    /// ∫ f f' of two mixtures.
    fn product(&self, one: &[f64], other: &[f64]) -> Result<f64, DomainError> {
        let (layout, d) = (&self.layout, self.layout.dimension as f64);
        let mut sum = 0.0;
        for g in 0..layout.components {
            for h in 0..layout.components {
                let [left, right] =
                    [(one, g), (other, h)].map(|(theta, g)| layout.covariance_of(&self.constant, theta, g));
                let sigma: Vec<f64> = left.iter().zip(right).map(|(left, right)| left + right).collect();
                let means = one[layout.mean(g)].iter().zip(&other[layout.mean(h)]);
                let between: Vec<f64> = means.map(|(left, right)| left - right).collect();
                let (square, logarithm) = match layout.form {
                    Form::Diagonal => {
                        let squares = between.iter().zip(&sigma).map(|(delta, variance)| delta * delta / variance);
                        (squares.sum(), sigma.iter().fold(0.0, |sum, variance| sum + libm::log(*variance)))
                    }
                    Form::Known | Form::Tied | Form::Full => whitened(&sigma, &between, None)?,
                };
                sum += one[g] * other[h] * libm::exp(-0.5 * (square + logarithm + d * LOG_TWO_PI));
            }
        }
        Ok(sum)
    }
}

/// The later of two places where it has the larger value, else the earlier.
fn better(values: &[f64], later: usize, earlier: usize) -> usize {
    if values[later] > values[earlier] { later } else { earlier }
}

/// Components of several mixtures of one form.
struct Pool<'a> {
    layout: Layout,
    /// Row and column of every number of a covariance.
    entries: Vec<(usize, usize)>,
    /// Σ of the known form.
    known: &'a [f64],
    weights: Vec<f64>,
    means: Vec<&'a [f64]>,
    covariances: Vec<&'a [f64]>,
    /// log |Σ_m|.
    logarithms: Vec<f64>,
}

impl<'a> Pool<'a> {
    /// The components of weighted mixtures, mixture after mixture.
    fn new(mixture: &'a GaussianMixture, mixtures: &[(f64, &'a [f64])]) -> Result<Self, DomainError> {
        let (layout, known) = (mixture.layout, &mixture.constant[..]);
        let (mut weights, mut means) = (Vec::new(), Vec::new());
        let (mut covariances, mut logarithms) = (Vec::new(), Vec::new());
        for &(weight, theta) in mixtures {
            for g in 0..layout.components {
                let sigma = layout.covariance_of(known, theta, g);
                weights.push(weight * theta[g]);
                means.push(&theta[layout.mean(g)]);
                covariances.push(sigma);
                // Components that share a covariance share its logarithm.
                let shared = g > 0 && matches!(layout.form, Form::Known | Form::Tied);
                logarithms.push(if shared { logarithms[logarithms.len() - 1] } else { logarithm(&layout, sigma)? });
            }
        }
        Ok(Self { layout, entries: layout.covariance_entries(), known, weights, means, covariances, logarithms })
    }

    /// KL(m ‖ `g` of θ) of every m, where it is less than its cost so far: then that is it, and m is assigned to `g`.
    fn lower(&self, theta: &[f64], g: usize, costs: &mut [f64], group: &mut Vec<usize>) -> Result<(), DomainError> {
        let (layout, d) = (&self.layout, self.layout.dimension as f64);
        group.resize(self.weights.len(), 0);
        let sigma = layout.covariance_of(self.known, theta, g);
        let (precision, logarithm) = (precision(layout, &self.entries, sigma)?, logarithm(layout, sigma)?);
        for (m, cost) in costs.iter_mut().enumerate() {
            let delta = self.between(m, &theta[layout.mean(g)]);
            let moments = self.entries.iter().zip(self.covariances[m]).map(|(&(a, b), x)| x + delta[a] * delta[b]);
            let trace: f64 = precision.iter().zip(moments).map(|(precision, moment)| precision * moment).sum();
            let divergence = 0.5 * (trace - d + logarithm - self.logarithms[m]);
            if divergence < *cost {
                *cost = divergence;
                group[m] = g;
            }
        }
        Ok(())
    }

    /// µ_m − ν.
    fn between(&self, m: usize, mean: &[f64]) -> Vec<f64> {
        self.means[m].iter().zip(mean).map(|(one, other)| one - other).collect()
    }

    /// Gives every group of none the component that costs most, weight times divergence, of a group of two or more.
    /// How many there were.
    fn refill(&self, count: usize, costs: &mut [f64], group: &mut [usize]) -> u32 {
        let mut sizes = vec![0_u32; count];
        group.iter().for_each(|&g| sizes[g] += 1);
        let mut refilled = 0;
        for empty in 0..count {
            if sizes[empty] > 0 {
                continue;
            }
            let cost = |m: usize| if sizes[group[m]] > 1 { self.weights[m] * costs[m] } else { f64::NEG_INFINITY };
            let far: Vec<f64> = (0..group.len()).map(cost).collect();
            let m = (0..far.len()).fold(0, |best, m| better(&far, m, best));
            sizes[group[m]] -= 1;
            sizes[empty] += 1;
            (group[m], costs[m]) = (empty, 0.0);
            refilled += 1;
        }
        refilled
    }

    /// θ of the groups, by their moments; components of no group do not count.
    fn moved(&self, group: &[usize]) -> Vec<f64> {
        let layout = &self.layout;
        let mut theta = vec![0.0; layout.parameter_dimension()];
        let members = || group.iter().enumerate().filter(|(_, g)| **g < layout.components);
        for (m, &g) in members() {
            theta[g] += self.weights[m];
            theta[layout.mean(g)].iter_mut().zip(self.means[m]).for_each(|(sum, x)| *sum += self.weights[m] * x);
        }
        for g in 0..layout.components {
            let weight = theta[g];
            theta[layout.mean(g)].iter_mut().for_each(|mean| *mean /= weight);
        }
        let total = theta[..layout.components].iter().fold(0.0, |sum, weight| sum + weight);
        if layout.form != Form::Known {
            for (m, &g) in members() {
                let delta = self.between(m, &theta[layout.mean(g)]);
                let (block, of) = if layout.form == Form::Tied { (0, total) } else { (g, theta[g]) };
                let moments = self.entries.iter().zip(self.covariances[m]).map(|(&(a, b), x)| x + delta[a] * delta[b]);
                let share = self.weights[m] / of;
                theta[layout.covariance(block)].iter_mut().zip(moments).for_each(|(sum, x)| *sum += share * x);
            }
        }
        theta[..layout.components].iter_mut().for_each(|weight| *weight /= total);
        theta
    }

    /// θ whose first component is that of the pool.
    fn alone(&self, m: usize) -> Vec<f64> {
        let mut theta = vec![0.0; self.layout.parameter_dimension()];
        theta[self.layout.mean(0)].copy_from_slice(self.means[m]);
        if self.layout.form != Form::Known {
            theta[self.layout.covariance(0)].copy_from_slice(self.covariances[m]);
        }
        theta
    }

    /// Σ_m w_m KL(m ‖ the component of θ of its group) ÷ Σ_m w_m.
    fn divergence(&self, theta: &[f64], group: &[usize]) -> Result<f64, DomainError> {
        let (mut sum, mut total) = (0.0, 0.0);
        for g in 0..self.layout.components {
            let mut costs = vec![f64::INFINITY; self.weights.len()];
            self.lower(theta, g, &mut costs, &mut Vec::new())?;
            for m in (0..costs.len()).filter(|&m| group[m] == g) {
                sum += self.weights[m] * costs[m];
                total += self.weights[m];
            }
        }
        Ok(sum / total)
    }
}

/// log |Σ|.
fn logarithm(layout: &Layout, sigma: &[f64]) -> Result<f64, DomainError> {
    if layout.form == Form::Diagonal {
        return Ok(sigma.iter().fold(0.0, |sum, variance| sum + libm::log(*variance)));
    }
    let mut factor = sigma.to_vec();
    cholesky(&mut factor, layout.dimension).map_err(DomainError::covariance(None))?;
    Ok(2.0 * log_determinant(&factor, layout.dimension))
}
