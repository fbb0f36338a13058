//! The ledger's rows: where every bit went.

use crate::words;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Direction {
    /// From a client towards the server.
    Up,
    /// From the server towards a client.
    Down,
    /// Between nodes of equal rank.
    Peer,
}

words!(Direction, word: Up = "up", Down = "down", Peer = "peer");

/// What became of a message; the best comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fate {
    /// Arrived before its round was closed, or before the run ended; it may not have been decoded or used by then.
    Delivered,
    /// Arrived after its round was closed.
    Late,
    /// Never arrived.
    Lost,
    /// Cut off while being sent.
    Aborted,
    /// Still in flight when the run ended: what had been sent by then.
    InFlight,
}

words!(Fate, word:
    Delivered = "delivered",
    Late = "late",
    Lost = "lost",
    Aborted = "aborted",
    InFlight = "in_flight",
);

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Bits of one link, direction, purpose and fate over the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// Link or host that was charged.
    pub link: String,
    /// The direction.
    pub direction: Direction,
    /// What the messages were for (broadcast, update, initial, acknowledgement, …).
    pub purpose: String,
    /// What became of them.
    pub fate: Fate,
    /// Number of messages.
    pub messages: u64,
    /// Bits of the exact encodings.
    pub payload_bits: u64,
    /// Bits of packet headers.
    pub header_bits: u64,
    /// Bits sent again because packets were lost (payload and headers).
    pub retransmitted_bits: u64,
}
