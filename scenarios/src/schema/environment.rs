//! The world around the algorithm: rounds, computing, availability, dropouts. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::laws::SpanLaw;
use super::units::Span;

/// When the server closes a round.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Round {
    /// When every selected client has answered or is known to be lost.
    #[default]
    WaitForAll,
    /// So long after its start; what comes later is late. Above 0.
    Deadline(Span),
    /// When the first m have answered; 1 to the size of the cohort.
    First(usize),
}

/// How long computing takes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// A client's span per conditional expectation (one example); drawn once per client; default `Us(10)`.
    pub expectation: SpanLaw,
    /// The server's span per conditional expectation (centralized EM); default `Us(1)`.
    pub server_expectation: Span,
}

impl Default for Compute {
    fn default() -> Self {
        Compute { expectation: SpanLaw::Us(10.0), server_expectation: Span::Us(1.0) }
    }
}

/// Whether a client can be selected.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Availability {
    /// In every round.
    #[default]
    Always,
    /// In each round independently with this probability; in (0, 1].
    Bernoulli(f64),
}

/// Whether clients drop out while they are busy.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Dropout {
    /// They do not.
    #[default]
    Never,
    /// At a constant hazard; the transfer under way is cut off and its bits stay charged.
    Hazard {
        /// Dropouts per second of busy time; above 0.
        per_second: f64,
        /// The span until the client can be selected again; default `Sec(0)`.
        #[serde(default = "at_once")]
        restart: Span,
    },
}

fn at_once() -> Span {
    Span::Sec(0.0)
}
