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

mod accountant;
pub mod renyi;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Described;
use fedbits_spec::range::{Interval, POSITIVE};
use serde::{Deserialize, Serialize};

pub(crate) use accountant::Accountant;
pub use accountant::Claim;

use crate::aggregation::Field;
use crate::error::Result;

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
