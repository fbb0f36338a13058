//! The world around the algorithm: network and computing. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::laws::{RateLaw, SpanLaw};
use super::units::{Rate, Span};

/// The network between the server and the clients.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Network {
    /// One server, an access link per client, in each direction its own rate.
    Star {
        /// Rate out of the server, shared by all its transfers; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_up: Rate,
        /// Rate into the server, shared by all transfers to it; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_down: Rate,
        /// Rate from a client; default `Mbps(10)`.
        #[serde(default = "ten_mbps")]
        client_up: RateLaw,
        /// Rate to a client; default `Mbps(50)`.
        #[serde(default = "fifty_mbps")]
        client_down: RateLaw,
        /// One-way delay of a client's access link; default `Ms(40)`.
        #[serde(default = "forty_ms")]
        latency: SpanLaw,
        /// How transfers share the server's links; default `FairShare`.
        #[serde(default)]
        sharing: Sharing,
        /// Bytes of headers per segment; 0 to 10 000, default 40.
        #[serde(default = "forty")]
        header_bytes: u32,
        /// Bytes of payload per segment; 1 to 1 000 000, default 1460.
        #[serde(default = "ethernet")]
        segment_bytes: u32,
    },
}

fn one_gbps() -> Rate {
    Rate::Gbps(1.0)
}

fn ten_mbps() -> RateLaw {
    RateLaw::Mbps(10.0)
}

fn fifty_mbps() -> RateLaw {
    RateLaw::Mbps(50.0)
}

fn forty_ms() -> SpanLaw {
    SpanLaw::Ms(40.0)
}

fn forty() -> u32 {
    40
}

fn ethernet() -> u32 {
    1460
}

impl Default for Network {
    fn default() -> Self {
        Network::Star {
            server_up: one_gbps(),
            server_down: one_gbps(),
            client_up: ten_mbps(),
            client_down: fifty_mbps(),
            latency: forty_ms(),
            sharing: Sharing::default(),
            header_bytes: forty(),
            segment_bytes: ethernet(),
        }
    }
}

/// How concurrent transfers share links.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Sharing {
    /// No contention: latency + bits / slowest link.
    Ideal,
    /// Max–min fair rates, updated whenever a transfer starts or ends.
    #[default]
    FairShare,
}

/// How long computing takes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// A client's span per conditional expectation (one example); drawn once per client; default `Us(10)`.
    pub expectation: SpanLaw,
    /// The server's span per conditional expectation (centralized EM); default `Us(1)`.
    pub server_expectation: Span,
    /// Standard deviation of the logarithm of a factor with median 1, drawn for every round of every client, by which the span
    /// of its work varies; from 0 to 10, no unit, default 0.
    pub variation: f64,
    /// Clients that are slower than the others; default `None`.
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
    /// The last of the clients, as a share of all; in (0, 1], no unit. Sorted by label they hold the last labels.
    pub share: f64,
    /// So many times as long takes each of their expectations; above 0, no unit.
    pub factor: f64,
}
