//! The world around the algorithm: rounds, network, computing, availability, dropouts. This file must not know the engine.

use serde::{Deserialize, Serialize};

use super::laws::{RateLaw, SpanLaw};
use super::units::{Rate, Span};

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
