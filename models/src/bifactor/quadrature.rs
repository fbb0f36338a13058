//! log p(y; θ) of binary responses by quadrature in two dimensions, however many groups there are: given the general
//! factor the groups are independent (Gibbons and Hedeker 1992).
//!
//! p(y_i) = Σ_a w_a Π_g Σ_b w_b Π_{j in g} P(y_ij | η = µ_j + a_j x_a + c_j x_b), x and w of Gauss–Hermite.

use fedbits_numerics::gauss_hermite;
use rayon::prelude::*;

use super::posterior::Conditional;
use crate::latent::LogLikelihood;

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
