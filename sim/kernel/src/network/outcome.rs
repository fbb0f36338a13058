//! What became of a transfer, beyond when it ended. This file must not know networks.

use crate::Bits;

/// Packets, and the bits they have together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// How many.
    pub count: u64,
    /// Their bits, headers included.
    pub bits: Bits,
}

/// What became of a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What of it was lost and not sent again; if any was, the transfer has not arrived.
    pub lost: Packets,
    /// Bits of it that were never sent, where it was given up before.
    pub unsent: Bits,
    /// Bits that were sent again, beyond the transfer's own.
    pub retransmitted: Bits,
    /// Bits of acknowledgements that the receiver sent back, where they are counted.
    pub acknowledgements: Bits,
    /// Bits of packets that set up the connection, beyond the transfer's own.
    pub set_up: Bits,
}

impl Outcome {
    /// Did all of it arrive?
    pub fn arrived(&self) -> bool {
        self.lost.count == 0
    }

    /// Adds what the network below has not sent of the same transfer, and what it has sent beside its bits.
    pub(crate) fn charge(&mut self, below: &Self) {
        self.unsent += below.unsent;
        self.retransmitted += below.retransmitted;
        self.acknowledgements += below.acknowledgements;
        self.set_up += below.set_up;
    }
}
