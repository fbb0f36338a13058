//! Transport as scenarios name it.

use fedbits_spec::range::{POSITIVE_SHORT_DURATION, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// Connections and repair of losses.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// Treatment of lost packets.
    pub delivery: Delivery,
    /// Round trips of connection set-up, each with two charged headers that take no time (with `Tcp` normal packets).
    #[range(whole(0, 10).note(" round trips"))]
    pub set_up: u32,
    /// Initial window, doubled each round trip until links limit the sender. `None`: no window.
    #[range(whole(1, 1_000_000).note(" segments"))]
    pub slow_start: Option<u32>,
    /// Connections between two nodes.
    pub connections: Connections,
    /// Idle senders halve their window per round trip plus 200 ms, down to the initial one (RFC 2861).
    pub restart_after_idle: bool,
    /// Charges a header per second packet of the other direction (`Tcp`: per packet for the first 16 of a connection or
    /// after a rest). Uses capacity, except with `Ideal` and `Fifo`.
    pub acknowledgements: bool,
}

impl Transport {
    /// Nothing but sending: no connections to set up, no windows.
    pub const NONE: Self = Self {
        delivery: Delivery::Datagram,
        set_up: 0,
        slow_start: None,
        connections: Connections::Kept,
        restart_after_idle: true,
        acknowledgements: false,
    };

    /// Does it matter which connection a message takes?
    #[must_use]
    pub(crate) fn has_connections(&self) -> bool {
        self.set_up > 0 || self.slow_start.is_some()
    }
}

/// TCP as Linux has it: a handshake for each connection, and a first window of ten segments.
impl Default for Transport {
    fn default() -> Self {
        Self { set_up: 1, slow_start: Some(10), ..Self::NONE }
    }
}

/// Connections between two nodes.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Connections {
    /// One, with its window, until a message on it is cut off.
    #[default]
    Kept,
    /// One per message.
    PerMessage,
}

/// Treatment of lost packets.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Delivery {
    /// A lost packet loses its message.
    #[default]
    Datagram,
    /// Lost packets are retransmitted until they arrive (at most 1000 times), charged and timed.
    Reliable(Repair),
}

/// Delay of retransmissions after the transfer's last packet.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Repair {
    /// Latency of the return route.
    RoundTrip,
    /// A fixed duration.
    Timeout(#[range(POSITIVE_SHORT_DURATION)] Duration),
}
