//! Transport as scenarios name it.

use fedbits_spec::range::{POSITIVE_SHORT_DURATION, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// What is done for a message besides sending it.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// What is done about lost packets.
    pub delivery: Delivery,
    /// Round trips to set up the connection before each message, with two headers each. A round trip here is the
    /// latency of both directions: the headers are charged as bits, and take no time on the links.
    #[range(whole(0, 10).note(" round trips"))]
    pub set_up: u32,
    /// Slow start: the first window in segments, doubled each round trip until the rate of the route is reached.
    #[range(whole(1, 1_000_000).note(" segments"))]
    pub slow_start: Option<u32>,
}

/// What is done about lost packets.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Delivery {
    /// Nothing: a lost packet loses its message.
    #[default]
    Datagram,
    /// They are sent again until they arrive (at most 1000 times); what is sent again is charged and takes time.
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
