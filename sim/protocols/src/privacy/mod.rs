//! Differential privacy of what clients send: clipped, and noise added, before it is coded.
//!
//! A client clips its vector x to the norm C and adds Gaussian noise: x min(1, C/‖x‖) + N(0, σ² I).
//!
//! - Against the server, which sees each message: σ = z C.
//! - Where only sums are seen (by the server under secure aggregation; by who sees broadcasts alone): the m clients of
//!   a round share the noise, σ = z C / √m, so that the sum has z C (McMahan et al., *Learning Differentially Private
//!   Recurrent Language Models*, ICLR 2018, with the noise at the clients).
//!
//! Two data sets are neighbours when they differ in one client, whose clipped vectors are zero in one of them.
//! Replacing a client's data by others costs what half of z costs.

pub mod renyi;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Interval, POSITIVE};
use fedbits_spec::{Caveat, Described};
use serde::{Deserialize, Serialize};

use crate::aggregation::Field;
use crate::error::Result;
use renyi::{epsilon, log_a_gaussian, log_a_sampled, log_add, orders};

/// [0.01, 10⁶]: with less noise ε is beyond all use, and its sums overflow.
const NOISE: Interval = Interval::closed(1e-2, 1e6, "from 0.01 to 1 000 000, no unit");
/// (0, 1).
const DELTA: Interval = Interval::above(0.0, 0.5, "above 0, to 0.5, no unit");

/// Differential privacy of clients.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Privacy {
    /// Gaussian mechanism on the clients' vectors before coding. The column `epsilon` has its cost.
    Gaussian(Gaussian),
}

/// The Gaussian mechanism.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// C, the clipping norm.
    #[range(POSITIVE)]
    pub clip: f64,
    /// z, standard deviation of the noise per entry, divided by C.
    #[range(NOISE)]
    pub noise: f64,
    /// δ of the reported (ε, δ).
    #[serde(default = "usual_delta")]
    #[range(DELTA)]
    pub delta: f64,
    /// Unit of protection.
    #[serde(default)]
    pub granularity: Granularity,
    /// The adversary.
    #[serde(default)]
    pub against: Against,
}

impl Gaussian {
    /// The standard deviation of the noise of each of `parties` that share it; of one: all.
    #[must_use]
    pub fn share(&self, parties: f64) -> f64 {
        self.noise * self.clip / parties.sqrt()
    }
}

fn usual_delta() -> f64 {
    1e-5
}

/// Unit of protection of differential privacy.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Granularity {
    /// All contributions of a client.
    #[default]
    Client,
}

/// The adversary.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Against {
    /// The server, which sees participation and messages (with secure aggregation only sums). No amplification by
    /// subsampling.
    #[default]
    Server,
    /// Observers of broadcasts and the final model; the server is trusted. `Bernoulli(p)` participation amplifies
    /// privacy if every contribution arrives and the downlink is uncompressed.
    Outsiders,
}

/// What is done to every vector that a client sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Release {
    pub(crate) privacy: Option<Privacy>,
    /// Do the clients of a round share the noise?
    pub(crate) shares_noise: bool,
    pub(crate) field: Option<Field>,
}

/// Who sends, and when.
#[derive(Clone, Copy)]
pub(crate) struct Sender<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) client: u32,
    pub(crate) round: u64,
    /// m, the clients of the round.
    pub(crate) cohort: usize,
    /// Is it Byzantine?
    pub(crate) lies: bool,
}

impl Release {
    /// Changes `x` to what may leave the client. A liar hides nothing.
    pub(crate) fn apply(&self, sender: Sender<'_>, x: &mut [f64]) -> Result<()> {
        if let Some(Privacy::Gaussian(gaussian)) = self.privacy.as_ref().filter(|_| !sender.lies) {
            self.disturb(gaussian, sender, x);
        }
        match &self.field {
            Some(field) => field.round(x, sender.cohort),
            None => Ok(()),
        }
    }

    fn disturb(&self, gaussian: &Gaussian, sender: Sender<'_>, x: &mut [f64]) {
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if norm > gaussian.clip { gaussian.clip / norm } else { 1.0 };
        let sigma = gaussian.share(if self.shares_noise { sender.cohort as f64 } else { 1.0 });
        let mut stream = sender.streams.at(DrawPurpose::Privacy, u64::from(sender.client), sender.round);
        for entry in x {
            *entry = *entry * factor + sigma * stream.normal();
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn release(noise: f64, shares_noise: bool) -> Release {
        let (granularity, against) = (Granularity::Client, Against::Server);
        let gaussian = Gaussian { clip: 2.0, noise, delta: 1e-5, granularity, against };
        Release { privacy: Some(Privacy::Gaussian(gaussian)), shares_noise, field: None }
    }

    fn sent(release: Release, client: u32, cohort: usize, mut x: Vec<f64>) -> Vec<f64> {
        let streams = Streams::new(3, 0);
        release.apply(Sender { streams: &streams, client, round: 1, cohort, lies: false }, &mut x).unwrap();
        x
    }

    /// A vector of norm 5 is shortened to 2, one of norm 1 stays.
    #[test]
    fn long_vectors_are_shortened() {
        let close = |x: Vec<f64>, y: [f64; 2]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-8);
        assert!(close(sent(release(1e-10, false), 1, 9, vec![3.0, 4.0]), [1.2, 1.6]));
        assert!(close(sent(release(1e-10, false), 1, 9, vec![0.6, 0.8]), [0.6, 0.8]));
    }

    /// Deviations of 40 000 entries: z C, and z C / √9 where nine clients share the noise; the standard error of a
    /// standard deviation is 1/√80 000 of it, z-limit 7. Other clients have other noise.
    #[test]
    fn the_noise_has_its_deviation() {
        for (shares, expected) in [(false, 3.0), (true, 1.0)] {
            let noise = sent(release(1.5, shares), 4, 9, vec![0.0; 40_000]);
            let deviation = (noise.iter().map(|x| x * x).sum::<f64>() / noise.len() as f64).sqrt();
            assert!((deviation / expected - 1.0).abs() < 7.0 / 80_000_f64.sqrt(), "{deviation}");
            assert_ne!(noise[..5], sent(release(1.5, shares), 5, 9, vec![0.0; 5])[..]);
        }
    }
}
