//! What the releases of a run cost: Σ over releases of Rényi divergences, and the ε of the client that lost most.

use super::renyi::{epsilon, log_a_gaussian, log_a_sampled, log_add, orders};
use super::{Against, Gaussian};

/// What is claimed of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// Each message hides its sender: who sent most messages lost most.
    Messages,
    /// Each sum hides those who are in it: who was in most sums lost most.
    Sums,
    /// Each sum hides those who may be in it: everybody with probability `p`, of `n`.
    Sampled {
        /// The probability to take part.
        p: f64,
        /// The number of clients.
        n: u32,
    },
}

/// Counts what is released.
#[derive(Clone, Debug)]
pub(crate) struct Accountant {
    gaussian: Gaussian,
    claim: Claim,
    /// Σ 1/z² over the releases that each client is in.
    spent: Vec<f64>,
    /// The largest of these.
    most: f64,
    /// Sums that are released by sampling.
    sums: u64,
    /// RDP of one of them at each order, where the claim is of sampling.
    each: Vec<(f64, f64)>,
}

impl Accountant {
    pub(crate) fn new(gaussian: Gaussian, claim: Claim, clients: u32) -> Self {
        let each = match claim {
            Claim::Sampled { p, n } => sampled(p, n, gaussian.noise),
            Claim::Messages | Claim::Sums => Vec::new(),
        };
        Self { gaussian, claim, spent: vec![0.0; clients as usize], most: 0.0, sums: 0, each }
    }

    /// Client `i` begins to send a message of its own.
    pub(crate) fn sends(&mut self, i: u32) {
        if self.claim == Claim::Messages {
            self.spend(i, self.gaussian.noise);
        }
    }

    /// A step used the sum of the contributions of `arrived`, of a cohort of `cohort` that shared the noise.
    pub(crate) fn sums(&mut self, arrived: impl ExactSizeIterator<Item = u32>, cohort: usize) {
        match self.claim {
            Claim::Messages => {}
            Claim::Sampled { .. } => self.sums += 1,
            Claim::Sums => {
                let z = self.gaussian.noise * (arrived.len() as f64 / cohort as f64).sqrt();
                arrived.for_each(|i| self.spend(i, z));
            }
        }
    }

    fn spend(&mut self, i: u32, z: f64) {
        let spent = &mut self.spent[i as usize];
        *spent += 1.0 / (z * z);
        self.most = self.most.max(*spent);
    }

    /// ε so far, at the δ of the scenario.
    pub(crate) fn epsilon(&self) -> f64 {
        let delta = self.gaussian.delta;
        match self.claim {
            Claim::Sampled { .. } if self.sums == 0 => 0.0,
            Claim::Sampled { .. } => {
                epsilon(self.each.iter().map(|&(order, each)| (order, self.sums as f64 * each)), delta)
            }
            Claim::Messages | Claim::Sums => epsilon(orders().map(|order| (order, order * self.most / 2.0)), delta),
        }
    }

    /// What is claimed, in words.
    pub(crate) fn caveat(&self) -> String {
        let (epsilon, delta, whom) = (self.epsilon(), self.gaussian.delta, self.whom());
        format!(
            "(ε, δ) = ({epsilon:.4}, {delta:e}) of a client against {whom}: batches drawn by chance, and replacing a \
             client's data instead of leaving them out (which costs as half of `noise`), are not claimed"
        )
    }

    /// Against whom.
    fn whom(&self) -> String {
        match (self.claim, self.gaussian.against) {
            (Claim::Messages, _) => "whoever sees the messages of the client that sent most".to_owned(),
            (Claim::Sums, Against::Server) => "a server that sees sums and who is in them".to_owned(),
            (Claim::Sums, Against::Outsiders) => {
                "who sees broadcasts alone; nothing is claimed for who takes part by chance".to_owned()
            }
            (Claim::Sampled { p, .. }, _) => {
                format!("who sees broadcasts alone and not who takes part, everybody with probability {p}")
            }
        }
    }
}

/// RDP of one sum at each order.
///
/// Who is in nobody's company cannot hide in a sample: with the probability (1 − p)ⁿ⁻¹ no other client is in the sum,
/// and an empty sum shows itself, because it has no noise. What is seen is then: with probability 1 − p nothing, with p
/// a Gaussian mechanism; the Rényi divergence of the mixture is that of the mean of the A(α).
fn sampled(p: f64, n: u32, z: f64) -> Vec<(f64, f64)> {
    let alone = f64::from(n - 1) * libm::log1p(-p);
    let company = libm::log(-libm::expm1(alone));
    let at = |order: f64| {
        let gaussian = log_a_gaussian(z, order);
        if p >= 1.0 {
            return Some((order, gaussian / (order - 1.0)));
        }
        let lone = log_add(libm::log1p(-p), libm::log(p) + gaussian);
        let log_a = log_add(company + log_a_sampled(p, z, order)?, alone + lone);
        // The series of orders that are not whole can end a rounding error below 0.
        Some((order, (log_a / (order - 1.0)).max(0.0)))
    };
    orders().filter_map(at).collect()
}
