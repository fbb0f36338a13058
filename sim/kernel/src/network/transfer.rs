//! What a network carries.

use crate::{Bits, NodeId};

/// What is to be carried, and between whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node, another one.
    pub to: NodeId,
    /// Bits on the wire.
    pub bits: Bits,
}

/// A transfer in flight: the index of its slot, which is used again after completion or abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId(pub u32);
