//! What a network carries, and what became of it.

use crate::{Bits, NodeId, TimeDelta};

/// What is to be carried, and between whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node, another one.
    pub to: NodeId,
    /// Bits on the wire.
    pub bits: Bits,
    /// Its sender is in slow start: how much it may send before it is acknowledged.
    pub window: Option<Window>,
}

impl Transfer {
    /// A transfer whose sender is not held back by any window.
    #[must_use]
    pub fn new(from: NodeId, to: NodeId, bits: Bits) -> Self {
        Self { from, to, bits, window: None }
    }
}

/// The congestion window of a sender in slow start: `first` bits in the first round, twice as many in each round
/// after it, until a window of `limit` bits keeps the route busy for a whole round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What may be sent in the first round; less than `limit`.
    pub first: Bits,
    /// What the route alone carries in a round: a window as large as this holds nobody back.
    pub limit: Bits,
    /// From the first bit of a window to the acknowledgement of its first segment: round trip, and a segment at the
    /// rate of the route; positive.
    pub round: TimeDelta,
}

/// A transfer in flight: the index of its slot, which is used again after completion or abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(pub u32);

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
