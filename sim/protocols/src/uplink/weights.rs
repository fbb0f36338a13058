//! How much each contribution counts in the estimate X.
//!
//! ```text
//! X = ω̄ V + Σ_{i∈A} c_i Quant(Δ_i),   c_i = ω(τ_i) / divisor_i,   ω̄ = mean of ω(τ_i) over A (1 when A is empty)
//! ```
//!
//! V + Quant(Δ_i) is x_i as client i sees it, at the statistic of τ_i steps ago; staleness weights ω scale the whole of
//! it, so that they shorten the step and do not pull it towards V. Memories follow α Quant(Δ_i) unweighted: V stays the
//! mean of the V_i. It must not know time.

use crate::payload::Contribution;
use crate::plan::Staleness;

/// The divisor of the sum of contributions, with what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Divisor {
    /// This: n p, the expected number of participants, or n.
    Expected(f64),
    /// |A|, the number that arrived.
    Arrived,
    /// Σ w_i of those that arrived: FedEM's H is their mean field, and with γ = 1 Ŝ is the mean of their statistics.
    Weight,
    /// n π̂_i of each, from the share of the steps so far in which it took part.
    Estimated,
}

/// Counts who takes part, where weights need it.
#[derive(Debug)]
pub(crate) struct StepCounts {
    clients: u32,
    steps: u64,
    /// Steps in which each client took part; empty unless they are estimated from.
    taken: Vec<u64>,
}

/// The weights of one step.
#[derive(Debug, PartialEq)]
pub(crate) enum StepWeights {
    /// ω̄ = 1 and every c_i = 1 / this.
    Equal(f64),
    /// ω̄ and the c_i, in the order of the contributions.
    Each(f64, Vec<f64>),
}

impl StepCounts {
    /// For `n` clients.
    pub fn new(divisor: Divisor, n: u32) -> Self {
        let counted = if divisor == Divisor::Estimated { n as usize } else { 0 };
        Self { clients: n, steps: 0, taken: vec![0; counted] }
    }

    /// Weights of what arrived for the next step; `weight_of` gives w_i.
    pub fn of_step(
        &mut self,
        divisor: Divisor,
        staleness: Staleness,
        arrived: &[Contribution],
        weight_of: impl Fn(u32) -> f64,
    ) -> StepWeights {
        self.steps += 1;
        if divisor == Divisor::Estimated {
            arrived.iter().for_each(|contribution| self.taken[contribution.client as usize] += 1);
        }
        let equal = match divisor {
            Divisor::Expected(number) => Some(number),
            Divisor::Arrived => Some(arrived.len().max(1) as f64),
            // All weights add up to n, here without rounding.
            Divisor::Weight if arrived.is_empty() || arrived.len() == self.clients as usize => {
                Some(arrived.len().max(1) as f64)
            }
            Divisor::Weight => Some(arrived.iter().map(|contribution| weight_of(contribution.client)).sum()),
            Divisor::Estimated => None,
        };
        if let Some(divisor) =
            equal.filter(|_| arrived.iter().all(|contribution| staleness.at(contribution.age) == 1.0))
        {
            return StepWeights::Equal(divisor);
        }
        let omegas: Vec<f64> = arrived.iter().map(|contribution| staleness.at(contribution.age)).collect();
        let divisor = |client: u32| equal.unwrap_or_else(|| self.expected_share(client));
        let each =
            arrived.iter().zip(&omegas).map(|(contribution, omega)| omega / divisor(contribution.client)).collect();
        let mean = if omegas.is_empty() { 1.0 } else { omegas.iter().sum::<f64>() / omegas.len() as f64 };
        StepWeights::Each(mean, each)
    }

    /// n π̂_i.
    fn expected_share(&self, client: u32) -> f64 {
        f64::from(self.clients) * (self.taken[client as usize] as f64 / self.steps as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(of: &[(u32, u64)]) -> Vec<Contribution> {
        of.iter().map(|&(client, age)| Contribution { client, encoded: Box::default(), age }).collect()
    }

    /// Fresh contributions: 1/(n p) each, or 1/|A|, with ω̄ = 1; stale ones (1 + τ)^(−1/2) of that.
    #[test]
    fn staleness_scales_a_contribution_and_its_share_of_v() {
        let half = Staleness::Polynomial(0.5);
        let mut weights = StepCounts::new(Divisor::Arrived, 9);
        let mut of_step =
            |divisor, staleness, of: &[(u32, u64)]| weights.of_step(divisor, staleness, &arrived(of), |_| 1.0);
        assert_eq!(of_step(Divisor::Expected(7.5), half, &[(0, 0), (4, 0)]), StepWeights::Equal(7.5));
        assert_eq!(of_step(Divisor::Arrived, half, &[]), StepWeights::Equal(1.0));
        assert_eq!(of_step(Divisor::Arrived, Staleness::Constant, &[(1, 3)]), StepWeights::Equal(1.0));
        assert_eq!(of_step(Divisor::Arrived, half, &[(0, 0), (4, 3)]), StepWeights::Each(0.75, vec![0.5, 0.25]));
    }

    /// Σ w_i of who arrived, and n of all although 0.1 + 0.2 + 2.7 is not 3.
    #[test]
    fn weights_of_clients_divide_by_their_sum() {
        let mut weights = StepCounts::new(Divisor::Weight, 3);
        let weight_of = |i: u32| [0.1, 0.2, 2.7][i as usize];
        let mut of_step =
            |of: &[(u32, u64)]| weights.of_step(Divisor::Weight, Staleness::Constant, &arrived(of), weight_of);
        assert_eq!(of_step(&[(1, 0), (2, 0)]), StepWeights::Equal(0.2 + 2.7));
        assert_eq!(of_step(&[(0, 0), (1, 0), (2, 0)]), StepWeights::Equal(3.0));
        assert_eq!(of_step(&[]), StepWeights::Equal(1.0));
    }

    /// Client 0 takes part always, client 1 in every fourth step, client 2 never. In the long run c_i = 1/(n π_i): each
    /// that takes part counts 1/n on average over the steps.
    #[test]
    fn estimated_probabilities_even_out_who_takes_part() {
        let mut weights = StepCounts::new(Divisor::Estimated, 3);
        let mut sums = [0.0; 3];
        for step in 0..4_000_u64 {
            let who = if step % 4 == 3 { arrived(&[(0, 0), (1, 0)]) } else { arrived(&[(0, 0)]) };
            let step = weights.of_step(Divisor::Estimated, Staleness::Constant, &who, |_| 1.0);
            let StepWeights::Each(omega, each) = step else { panic!("estimated weights differ") };
            assert_eq!(omega, 1.0);
            who.iter().zip(each).for_each(|(contribution, c)| sums[contribution.client as usize] += c / 4_000.0);
        }
        assert!((sums[0] - 1.0 / 3.0).abs() < 1e-12);
        assert!((sums[1] - 1.0 / 3.0).abs() < 1e-3, "{}", sums[1]);
        assert_eq!(sums[2], 0.0);
    }
}
