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
