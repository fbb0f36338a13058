//! Computing: how long the work of clients and server takes. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::Span;
use super::SpanLaw;

/// How long computing takes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// A client's span per conditional expectation (one example); drawn once per client; default `Us(10)`.
    pub expectation: SpanLaw,
    /// The server's span per conditional expectation (centralized EM); default `Us(1)`.
    pub server_expectation: Span,
    /// Standard deviation of the logarithm of a factor with median 1, drawn for every round of every client, by which the span
    /// of its work varies; from 0 to 10, no unit, default 0. VP-EM, k-means and diffusion EM have no such rounds.
    pub variation: f64,
    /// Clients that are slower than the others; default `None`. Of a server: agents of a graph are as fast as `expectation` says.
    pub slow: Option<Slow>,
}

impl Default for Compute {
    fn default() -> Self {
        Compute { expectation: SpanLaw::Us(10.0), server_expectation: Span::Us(1.0), variation: 0.0, slow: None }
    }
}

/// Clients that are slower than the others, whatever their own draw.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Slow {
    /// The last of the clients, as a share of all, rounded to whole clients; in (0, 1], no unit. Sorted by label they hold the last labels.
    pub share: f64,
    /// So many times as long takes each of their expectations; above 0, no unit.
    pub factor: f64,
}
