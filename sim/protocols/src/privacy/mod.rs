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
mod release;
pub mod renyi;

use fedbits_spec::Described;
use fedbits_spec::range::{Interval, POSITIVE};
use serde::{Deserialize, Serialize};

pub(crate) use accountant::Accountant;
pub use accountant::Claim;
pub(crate) use release::{Release, Sender};

/// [0.01, 10⁶]: with less noise ε is beyond all use, and its sums overflow.
const NOISE: Interval = Interval::closed(1e-2, 1e6, "from 0.01 to 1 000 000, no unit");
/// (0, 1).
const DELTA: Interval = Interval::above(0.0, 0.5, "above 0, to 0.5, no unit");

/// Noise that hides a client.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Privacy {
    /// The Gaussian mechanism on what clients send, before it is coded; the column `epsilon` says what it has cost.
    Gaussian(Gaussian),
}

/// The Gaussian mechanism.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// C: a longer vector is shortened to this norm.
    #[range(POSITIVE)]
    pub clip: f64,
    /// z: the standard deviation of the noise in each entry, divided by C.
    #[range(NOISE)]
    pub noise: f64,
    /// δ of the reported (ε, δ).
    #[serde(default = "usual_delta")]
    #[range(DELTA)]
    pub delta: f64,
    /// What is hidden.
    #[serde(default)]
    pub granularity: Granularity,
    /// From whom.
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

/// What differential privacy hides.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Granularity {
    /// All that a client contributes.
    #[default]
    Client,
}

/// The adversary, who should learn little about a client.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Against {
    /// The server, which sees who takes part and each message, or with secure aggregation the sums. No amplification by
    /// random participation is claimed.
    #[default]
    Server,
    /// Who sees broadcasts and the final model, and neither messages nor who takes part: the server is trusted.
    /// Participation by chance (`Bernoulli(p)`) counts where every contribution arrives, and where broadcasts are the
    /// same for all: a compressed downlink tells each client what it has missed.
    Outsiders,
}
