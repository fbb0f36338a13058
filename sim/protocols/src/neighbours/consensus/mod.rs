//! Consensus: how the roots of hubs come to see the sum of the terms Q^b of all hubs.
//!
//! Agents of hub b begin at z_n = (N / |H_b|) Q^b, whose average over all agents is the sum; rounds of messages between
//! neighbours bring the z_n near their average. An [`Averager`] is one way to do so: [`plain`], [`adaptive`],
//! [`choco`], [`lossy`] (push-sum). A new one is a file here, with a variant of [`Consensus`].

pub mod adaptive;
mod averager;
pub mod choco;
pub mod lossy;
pub mod plain;

use fedbits_codec::WireFloat;
use fedbits_random::Streams;
use fedbits_spec::range::{POSITIVE, POSITIVE_DURATION, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

pub(super) use averager::Left;
pub(crate) use averager::MAX_ROUNDS;
pub use averager::{Agents, Averager, LITTLE, Terms};

use adaptive::Adaptive;
use choco::{Choco, ChocoSettings};
use lossy::{Lossy, Missing};
use plain::{Chebyshev, Fixed, Plain, Recursion};

/// Averaging among agents.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Consensus {
    /// S rounds z ← W z.
    Rounds(#[range(whole(0, MAX_ROUNDS))] u32),
    /// S rounds of Chebyshev's iteration.
    Chebyshev(#[range(whole(0, MAX_ROUNDS))] u32),
    /// Rounds until no agent's state changes by more than `tolerance`, plus as many as the diameter to inform all.
    Adaptive {
        /// Root mean square change, relative to the initial state.
        #[range(POSITIVE)]
        tolerance: f64,
        /// Maximum number of rounds.
        #[range(whole(1, MAX_ROUNDS))]
        at_most: u32,
        /// Chebyshev's iteration.
        #[serde(default)]
        chebyshev: bool,
    },
    /// S rounds that tolerate lost and late messages. Needs `stopping: Never`.
    Lossy {
        /// S.
        #[range(whole(1, MAX_ROUNDS))]
        rounds: u32,
        /// Missing messages.
        #[serde(default)]
        missing: Missing,
        /// Wait for a message. Default: until it arrives or is lost.
        #[serde(default)]
        #[range(POSITIVE_DURATION)]
        patience: Option<Duration>,
    },
    /// CHOCO-gossip.
    Choco(ChocoSettings),
}

impl Default for Consensus {
    fn default() -> Self {
        Consensus::Rounds(100)
    }
}

impl Consensus {
    /// The consensus among `agents`. `audit`: every coded message is checked bit by bit.
    ///
    /// # Panics
    /// If a patience is out of its range.
    #[must_use]
    pub fn build(&self, agents: Agents<'_>, audit: bool, streams: Streams) -> Box<dyn Averager> {
        match *self {
            Self::Rounds(rounds) => Box::new(Fixed::new(&mut Plain, agents, rounds)),
            Self::Chebyshev(rounds) => Box::new(Fixed::new(&mut Chebyshev::default(), agents, rounds)),
            Self::Adaptive { tolerance, at_most, chebyshev } => {
                let recursion: Box<dyn Recursion> =
                    if chebyshev { Box::new(Chebyshev::default()) } else { Box::new(Plain) };
                Box::new(Adaptive::new(recursion, agents, tolerance, at_most))
            }
            Self::Lossy { rounds, missing, patience } => Box::new(Lossy::new(missing, agents, rounds, patience)),
            Self::Choco(ref choco) => Box::new(Choco::new(choco, agents, WireFloat::F32, audit, streams)),
        }
    }

    /// Does nobody say anything?
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Rounds(0) | Self::Chebyshev(0))
    }
}
