//! A mixture of K Poisson laws: counts y with P(y) = Σ_k π_k λ_k^y e^{−λ_k} / y!.
//!
//! | symbol | |
//! |---|---|
//! | ρ_k(y; θ) | probability of component k given y |
//! | s = (mean ρ_1 … mean ρ_K, mean ρ_1 y … mean ρ_K y) | the statistic, q = 2K |
//! | θ = (π_1 … π_K, λ_1 … λ_K) | the parameter |
//! | T | π_k = s_k, λ_k = s_{K+k} / s_k |

use crate::{Batch, DomainError, DomainPolicy, EStep, Examples, Model, Repairs, Scratch};

/// K components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoissonMixture {
    /// K.
    pub components: usize,
}

impl Model for PoissonMixture {
    fn statistic_dimension(&self) -> usize {
        2 * self.components
    }

    fn parameter_dimension(&self) -> usize {
        2 * self.components
    }

    fn example_dimension(&self) -> usize {
        1
    }

    fn parameter_names(&self) -> Vec<String> {
        let names = |what: &str| (0..self.components).map(|k| format!("{what}_{k}")).collect::<Vec<_>>();
        [names("weight"), names("rate")].concat()
    }

    fn statistic_names(&self) -> Vec<String> {
        let names = |what: &str| (0..self.components).map(|k| format!("{what}_{k}")).collect::<Vec<_>>();
        [names("s0"), names("s1")].concat()
    }

    fn constants_dimension(&self) -> usize {
        0
    }

    // T. A statistic outside its domain is a typed error, or is repaired and counted: compression noise can leave it.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let (weights, sums) = s.split_at(self.components);
        let mut repairs = Repairs::default();
        theta.clear();
        for (component, &weight) in weights.iter().enumerate() {
            let repaired = match policy {
                _ if weight > 0.0 => weight,
                DomainPolicy::Error => return Err(DomainError::Weight { component, value: weight }),
                DomainPolicy::Clip { floor } => {
                    repairs.weights += 1;
                    floor
                }
            };
            theta.push(repaired);
        }
        let total: f64 = theta.iter().sum();
        let rates: Vec<f64> =
            theta.iter().zip(sums).map(|(weight, sum)| (sum / weight).max(f64::MIN_POSITIVE)).collect();
        theta.iter_mut().for_each(|weight| *weight /= total);
        theta.extend(rates);
        Ok(repairs)
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        let (weights, rates) = theta.split_at(self.components);
        let bad = |value: &f64| !value.is_finite() || *value <= 0.0;
        if let Some(index) = theta.iter().position(bad) {
            return Err(DomainError::NotFinite { index, value: theta[index] });
        }
        let log = |values: &[f64]| values.iter().map(|&value| libm::log(value)).collect::<Vec<_>>();
        Ok(Box::new(PoissonEStep { log_weights: log(weights), log_rates: log(rates), rates: rates.to_vec() }))
    }

    // Components have no order: the best matching counts.
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        let k = self.components;
        let of = |values: &[f64], j: usize| [values[j], values[k + j]];
        let square = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
        let costs: Vec<f64> = (0..k * k).map(|at| square(of(theta, at / k), of(truth, at % k))).collect();
        crate::assignment::assign(&costs, k).iter().enumerate().map(|(row, &column)| costs[row * k + column]).sum()
    }
}

struct PoissonEStep {
    log_weights: Vec<f64>,
    log_rates: Vec<f64>,
    rates: Vec<f64>,
}

impl PoissonEStep {
    /// Adds the statistic of one count to `out`; returns −log P(y).
    fn add(&self, y: f64, rho: &mut [f64], out: &mut [f64]) -> f64 {
        for (k, rho) in rho.iter_mut().enumerate() {
            *rho = self.log_weights[k] + y * self.log_rates[k] - self.rates[k] - libm::lgamma(y + 1.0);
        }
        // Log-sum-exp: the largest term is taken out, so that far counts do not underflow.
        let largest = rho.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = rho.iter().map(|log| libm::exp(log - largest)).sum();
        let components = rho.len();
        for (k, rho) in rho.iter().enumerate() {
            let share = libm::exp(rho - largest) / sum;
            out[k] += share;
            out[components + k] += share * y;
        }
        -(largest + libm::log(sum))
    }

    /// Means over the examples at these indices, in order; returns the mean of −log P(y).
    fn mean(&self, ys: impl ExactSizeIterator<Item = f64>, scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        out.fill(0.0);
        let count = ys.len().max(1) as f64;
        scratch.buffer.resize(self.rates.len(), 0.0);
        let objective: f64 = ys.map(|y| self.add(y, &mut scratch.buffer, out)).sum();
        out.iter_mut().for_each(|sum| *sum /= count);
        objective / count
    }
}

impl EStep for PoissonEStep {
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64]) {
        match batch {
            Batch::All => self.mean(examples.rows.iter().copied(), scratch, out),
            Batch::Indices(at) => self.mean(at.iter().map(|&j| examples.rows[j as usize]), scratch, out),
        };
    }

    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        self.mean(examples.rows.iter().copied(), scratch, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EM never increases −log likelihood, and for one component T(s̄) is the mean of the counts, in one step.
    #[test]
    fn em_descends_and_one_component_is_the_mean() {
        let counts = [0.0, 1.0, 1.0, 2.0, 3.0, 9.0, 11.0, 12.0, 12.0, 15.0];
        let examples = Examples { rows: &counts, dimension: 1 };
        let (mut scratch, mut s) = (Scratch::default(), vec![0.0; 4]);
        let (model, mut theta) = (PoissonMixture { components: 2 }, vec![0.5, 0.5, 2.0, 5.0]);
        let mut last = f64::INFINITY;
        for _ in 0..50 {
            let objective =
                model.conditional(&theta).unwrap().mean_statistics_and_objective(examples, &mut scratch, &mut s);
            assert!(objective <= last + 1e-12, "{objective} after {last}");
            last = objective;
            model.maximize(&s, DomainPolicy::Error, &mut theta).unwrap();
        }
        assert!(theta[2] < 2.0 && theta[3] > 11.0, "{theta:?}");
        let (one, mut s) = (PoissonMixture { components: 1 }, vec![0.0; 2]);
        one.conditional(&[1.0, 3.0]).unwrap().mean_statistics(examples, Batch::All, &mut scratch, &mut s);
        one.maximize(&s, DomainPolicy::Error, &mut theta).unwrap();
        assert_eq!(theta, [1.0, 6.6]);
    }
}
