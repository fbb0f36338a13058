//! VR-FedEM: Algorithm 2 of Dieuleveut, Fort, Moulines and Robin (NeurIPS 2021). FedEM whose local statistics are SPIDER
//! estimators.
//!
//! ```text
//! outer loop t:         S_{t,0,i}   = s̄_i(T(Ŝ_{t,0}))                                        all m_i examples
//! inner step k, client: S_{t,k+1,i} = S_{t,k,i} + batch mean of s̄_ij(T(Ŝ_{t,k})) − s̄_ij(T(Ŝ_{t,k−1}))
//!                       Δ = w_i (S_{t,k+1,i} − Ŝ_{t,k}) − V_{t,k,i}, Quant, V_i and the server: as in FedEM
//! ```
//!
//! | symbol | here | |
//! |---|---|---|
//! | S_{t,k,i} | `Spider::estimate` | client i's estimate of s̄_i(T(Ŝ)) |
//! | k_in | [`InnerSteps`] | inner steps of an outer loop: fixed, or geometric with that mean (Geom-SPIDER-EM) |
//! | b | [`BatchRule`] | minibatch of an inner step |
//!
//! With Ŝ_{t,−1} = Ŝ_{t,0} the increment of the first inner step is zero: it sends the refreshed statistic. So the refresh is the
//! local work of that step, and needs no message of its own. With b = m the increments telescope to S_{t,k+1,i} = s̄_i(T(Ŝ_{t,k})),
//! which is what is computed then: FedEM's full-batch run, bit for bit.
//!
//! **Partial participation is ours**: the paper defines VR-FedEM for full participation. A client remembers the round at whose Ŝ its
//! estimate stands; when it takes part again the increment bridges the gap, and if the gap contains a refresh it makes its full pass
//! then. With full participation this is Algorithm 2. SPIDER-EM is the case n = 1, ω = 0.

mod cost;
mod spider;
mod star;

use fedbits_codec::{Draw as Randomness, Encoded};
use fedbits_random::{Purpose as Draw, Streams};

pub use cost::Previous;

use crate::fedem::{BatchRule, FedEm};
use crate::star::{Contribution, Step};
use spider::Spider;

/// How many inner steps an outer loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerSteps {
    /// k_in.
    Fixed(u32),
    /// Drawn anew for every outer loop from the geometric law on 1, 2, … with this mean; server and clients share the seed.
    Geometric(u32),
}

impl InnerSteps {
    /// Steps of outer loop `t`.
    fn draw(self, streams: &Streams, t: u64) -> u64 {
        match self {
            Self::Fixed(k_in) => u64::from(k_in),
            Self::Geometric(1) => 1,
            Self::Geometric(mean) => {
                let u = streams.at(Draw::Minibatch, OUTER_LOOPS, t).uniform_open();
                // P(K > k) = (1 − 1/mean)^k.
                1 + libm::floor(libm::log(u) / libm::log1p(-1.0 / f64::from(mean))) as u64
            }
        }
    }
}

/// The entity of draws that belong to no client.
const OUTER_LOOPS: u64 = u64::MAX;

/// Settings beyond FedEM's.
#[derive(Clone, Copy, Debug)]
pub struct VrSettings {
    /// k_in.
    pub inner: InnerSteps,
    /// Minibatches of inner steps.
    pub batch: BatchRule,
    /// How the values at the previous Ŝ are had, and so what they cost.
    pub previous: Previous,
}

/// State of VR-FedEM.
pub struct VrFedEm {
    fedem: FedEm,
    settings: VrSettings,
    spider: Spider,
    /// Number of the outer loop, from 1.
    t: u64,
    /// First round of this outer loop, and of the next.
    began: u64,
    next: u64,
    /// θ that clients derived in the rounds of this outer loop.
    thetas: Vec<(u64, Vec<f64>)>,
}

impl VrFedEm {
    /// VR-FedEM on top of `fedem`, whose own batch rule is not used.
    pub fn new(fedem: FedEm, settings: VrSettings) -> Self {
        let spider = Spider::new(fedem.federation().clients(), fedem.s_hat().len(), settings.previous);
        Self { fedem, settings, spider, t: 0, began: 1, next: 1, thetas: Vec::new() }
    }

    /// FedEM's part of the state: Ŝ, θ, H, V and the V_i.
    pub fn fedem(&self) -> &FedEm {
        &self.fedem
    }

    /// S_{t,k,i}, as client `i` has it after its last contribution.
    pub fn s_i(&self, i: u32) -> &[f64] {
        self.spider.estimate(i)
    }

    /// Begins an outer loop when `round` is its first.
    pub fn enter(&mut self, streams: &Streams, round: u64) {
        if round < self.next {
            return;
        }
        self.t += 1;
        self.began = round;
        self.next = round + self.settings.inner.draw(streams, self.t);
        self.thetas.clear();
    }

    /// The client's half of Algorithm 2: S_i ← `now` in the first step of an outer loop (`before`: none), else
    /// S_i + (`now` − `before`); Quant(Δ) into `out`. It takes effect with [`VrFedEm::local_commit`].
    ///
    /// # Errors
    /// When Δ is not finite.
    pub fn local_update(
        &mut self,
        i: u32,
        (now, before): (&[f64], Option<&[f64]>),
        s_hat: &[f64],
        randomness: Randomness<'_>,
        out: &mut Encoded,
    ) -> Result<(), String> {
        self.spider.stage(i, now, before);
        self.fedem.local_update(i, self.spider.staged(i), s_hat, randomness, out)
    }

    /// Client `i` sends: its estimate, and its memory as in FedEM.
    pub fn local_commit(&mut self, i: u32, encoded: &Encoded) {
        self.spider.commit(i);
        self.fedem.local_commit(i, encoded);
    }

    /// The server's half, which is FedEM's.
    ///
    /// # Errors
    /// As [`FedEm::server_step`].
    pub fn server_step(&mut self, round: u64, arrived: &[Contribution]) -> Result<Step, String> {
        self.fedem.server_step(round, arrived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and P(K = 1) of 20 000 draws, within 6.5 standard errors of k_in and 1/k_in.
    #[test]
    fn geometric_loops_have_their_mean() {
        let streams = Streams::new(5, 0);
        for mean in [1, 2, 20] {
            let draws: Vec<f64> = (1..=20_000).map(|t| InnerSteps::Geometric(mean).draw(&streams, t) as f64).collect();
            let (n, k) = (draws.len() as f64, f64::from(mean));
            let deviation = (k * (k - 1.0)).sqrt();
            let average = draws.iter().sum::<f64>() / n;
            assert!((average - k).abs() <= 6.5 * deviation / n.sqrt(), "{average} instead of {k}");
            let ones = draws.iter().filter(|&&k| k == 1.0).count() as f64 / n;
            let error = (1.0 / k * (1.0 - 1.0 / k) / n).sqrt();
            assert!((ones - 1.0 / k).abs() <= 6.5 * error, "P(K = 1) = {ones} instead of {}", 1.0 / k);
        }
    }
}
