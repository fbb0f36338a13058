//! The ledger's rows: where every bit went.

use crate::Cell;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Header of `ledger.csv`.
pub(crate) const LEDGER_COLUMNS: [&str; 8] =
    ["link", "direction", "purpose", "fate", "messages", "payload_bits", "header_bits", "retransmitted_bits"];

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

impl Direction {
    /// All directions.
    pub const ALL: [Self; 3] = [Self::Up, Self::Down, Self::Peer];

    /// The word that stands in `ledger.csv`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Peer => "peer",
        }
    }

    /// The direction of this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.word() == word)
    }
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fate {
    /// Arrived and was used.
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

impl Fate {
    /// All fates, best first.
    pub const ALL: [Self; 5] = [Self::Delivered, Self::Late, Self::Lost, Self::Aborted, Self::InFlight];

    /// The word that stands in `ledger.csv`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Late => "late",
            Self::Lost => "lost",
            Self::Aborted => "aborted",
            Self::InFlight => "in_flight",
        }
    }

    /// The fate of this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.word() == word)
    }
}

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

impl LedgerRow {
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let words = [&self.link, self.direction.word(), &self.purpose, self.fate.word()];
        let counts = [self.messages, self.payload_bits, self.header_bits, self.retransmitted_bits];
        words.map(Cell::from).into_iter().chain(counts.map(Cell::from)).collect()
    }
}
