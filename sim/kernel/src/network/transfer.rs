//! What a network carries.

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
