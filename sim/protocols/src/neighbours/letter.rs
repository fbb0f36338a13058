//! Messages between neighbours.

use std::rc::Rc;

use fedbits_kernel::{Bits, Payload};

/// A message between neighbours. What it says has mostly been computed ahead; it carries its place in the order, its
/// length, and what the algorithm needs to know about what really happened.
#[derive(Clone, Debug)]
pub struct Letter {
    pub(super) content: Content,
    pub(super) bits: Bits,
    pub(super) carried: Option<Carried>,
}

/// What an algorithm lets messages of rounds carry.
pub type Carried = Rc<[f64]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Data of `owner` on their way to its root.
    Features { owner: u32 },
    /// What a root has computed for an iteration, on its way to the leaves.
    Announcement { iteration: u64 },
    /// Round of an iteration.
    Round { iteration: u64, round: u32 },
}

/// What letters are sent for.
pub(super) mod purpose {
    purposes! {
        /// Finding out who works with whom.
        CLUSTERING = "clustering",
        /// Data that a node hands over, once.
        FEATURES = "features",
        /// What one node has computed for a sum over nodes.
        TERMS = "terms",
        /// Rounds of averaging among neighbours.
        CONSENSUS = "consensus",
    }
}

impl Payload for Letter {
    const PURPOSES: &'static [&'static str] = purpose::NAMES;

    fn bits(&self) -> Bits {
        self.bits
    }
}
