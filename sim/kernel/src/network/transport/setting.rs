//! Transport as scenarios name it.

use fedbits_spec::range::{POSITIVE_SHORT_DURATION, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// Connection set-up, slow start, acknowledgements and repair of losses.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// What happens to lost packets.
    pub delivery: Delivery,
    /// Round trips to set up a connection, with two headers each. A round trip here is the latency of both directions:
    /// the headers are charged as bits, and take no time on the links (with `Tcp` they are packets as others are).
    #[range(whole(0, 10).note(" round trips"))]
    pub set_up: u32,
    /// Slow start: the first window of a connection in segments, doubled each round trip until the links limit the
    /// sender and not the window. `None`: no window.
    #[range(whole(1, 1_000_000).note(" segments"))]
    pub slow_start: Option<u32>,
    /// Whether messages between two nodes share a connection.
    pub connections: Connections,
    /// A sender that has sent nothing for longer than the round trip and 200 ms halves its window for each of these,
    /// down to the first window (RFC 2861, the default of Linux).
    pub restart_after_idle: bool,
    /// Acknowledgements are charged, a header for every second packet of the other direction (with `Tcp` as Linux sends
    /// them: the first 16 packets of a connection or after a rest one by one), and take room on the links (not with
    /// `Ideal` and `Fifo`, where they are charged alone); else they are free.
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

/// Whether messages between two nodes share a connection.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Connections {
    /// One connection, which lasts until a message on it is cut off; its windows last as long.
    #[default]
    Kept,
    /// Nothing: each message has a connection of its own.
    PerMessage,
}

/// What happens to lost packets.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Delivery {
    /// Nothing: a lost packet loses its message.
    #[default]
    Datagram,
    /// They are sent again until they arrive (at most 1000 times); retransmissions are charged and take time.
    Reliable(Repair),
}

/// When lost packets are sent again, counted from when the last packet of the transfer arrived or should have.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Repair {
    /// When the receiver has reported what is missing: after the latency of the route back.
    RoundTrip,
    /// After a fixed duration.
    Timeout(#[range(POSITIVE_SHORT_DURATION)] Duration),
}
