//! What the releases of a run cost: Σ over releases of Rényi divergences, and the ε of the client that lost most.

use fedbits_spec::Caveat;

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
        /// The smallest number of clients whose sum is seen. That there is none is seen, too.
        least: u32,
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
    /// Rounds whose sums are released by sampling, or could have been.
    sums: u64,
    /// RDP of one of them at each order, where the claim is of sampling.
    each: Vec<(f64, f64)>,
}

impl Accountant {
    pub(crate) fn new(gaussian: Gaussian, claim: Claim, clients: u32) -> Self {
        let each = match claim {
            Claim::Sampled { p, n, least } => sampled(p, n, least, gaussian.noise),
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

    /// A round used the sum of the contributions of `arrived`, of a cohort of `cohort` that shared the noise; of nobody
    /// where it failed, which by chance costs as much as any other round: that there is no step is seen, too.
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
    pub(crate) fn caveat(&self) -> Caveat {
        Caveat::Epsilon {
            adversary: self.whom(),
            epsilon: format!("{:.4}", self.epsilon()),
            delta: format!("{:e}", self.gaussian.delta),
        }
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

/// RDP of one round at each order.
///
/// A sum that is not seen shows that it is not: one of nobody has no noise, and behind masks one of fewer than `least`
/// clients makes no step. With j others in the round and j + 1 < `least` nothing of the client is seen, whether it is
/// in or not. With j + 1 = `least` it cannot hide: what is seen is, with probability 1 − p, nothing, with p a Gaussian
/// mechanism. With more it hides in a sample. A(α) of the mixture is at most the mean of theirs, as it is jointly
/// convex.
fn sampled(p: f64, n: u32, least: u32, z: f64) -> Vec<(f64, f64)> {
    // log P(j of the others are in).
    let log_chance = |j: u32| {
        let n = f64::from(n - 1);
        let ways = (0..j).map(|i| libm::log((n - f64::from(i)).max(0.0) / f64::from(i + 1))).sum::<f64>();
        ways + f64::from(j) * libm::log(p) + (n - f64::from(j)) * libm::log1p(-p)
    };
    let unseen = (0..least - 1).map(log_chance).fold(f64::NEG_INFINITY, log_add);
    let alone = log_chance(least - 1);
    let company = libm::log(-libm::expm1(log_add(unseen, alone).min(0.0)));
    let at = |order: f64| {
        let gaussian = log_a_gaussian(z, order);
        if p >= 1.0 {
            return Some((order, gaussian / (order - 1.0)));
        }
        let lone = log_add(libm::log1p(-p), libm::log(p) + gaussian);
        let seen = log_add(company + log_a_sampled(p, z, order)?, alone + lone);
        let log_a = log_add(unseen, seen);
        // The series of orders that are not whole can end a rounding error below 0.
        Some((order, (log_a / (order - 1.0)).max(0.0)))
    };
    orders().filter_map(at).collect()
}
