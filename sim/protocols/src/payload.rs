//! What travels in a star: broadcasts that all clients share, and coded contributions.

use std::rc::Rc;

use fedbits_codec::{Compressor, Encoded, ExpectedBits};
use fedbits_kernel::{Bits, Payload};
use fedbits_models::EStep;

/// What the server tells the clients in a round. One buffer, however many clients.
#[derive(Default)]
pub struct Broadcast {
    /// Round that it opens; 0 asks for the initial memory.
    pub round: u64,
    /// Exact length of its bit string.
    pub bits: Bits,
    /// Ŝ as the wire carries it.
    pub s_hat: Vec<f64>,
    /// θ as the wire carries it, for protocols whose clients need no more than that.
    pub theta: Vec<f64>,
    /// The conditional distribution at the parameter that a client derives from what it received; none before the first use.
    pub e_step: Option<Box<dyn EStep>>,
    /// Statistics s̄ᵢ of the cohort, computed ahead (q numbers per place in the cohort). A client looks at its own only, and
    /// only when the broadcast has reached it: events decide when, this decides how fast the host is.
    pub ahead: Vec<f64>,
    /// For protocols whose clients send increments: per place, the round at whose Ŝ the increment computed ahead begins.
    pub basis: Vec<Option<u64>>,
}

impl Broadcast {
    /// The conditional distribution of a broadcast of FedEM and its relatives.
    ///
    /// # Panics
    /// When the protocol gave it none.
    pub fn conditional(&self) -> &dyn EStep {
        self.e_step.as_deref().expect("FedEM's broadcasts have a conditional distribution")
    }

    /// s̄ᵢ of the client at `place` of the cohort.
    pub fn statistics(&self, place: u32) -> &[f64] {
        let q = self.s_hat.len();
        &self.ahead[place as usize * q..][..q]
    }
}

/// The length of a message of `compressor` where all have the same (that of a zero vector apart), and zero where lengths differ.
pub(crate) fn least_bits(compressor: &dyn Compressor, dimension: usize) -> Bits {
    match compressor.expected_bits(dimension) {
        Some(ExpectedBits::Always(bits)) => Bits::new(bits),
        _ => Bits::ZERO,
    }
}

/// Payloads of the star protocols.
pub enum StarPayload {
    /// The model's constants, uncompressed; both sides know the values from the preparation, the bits are charged here.
    Constants(Bits),
    /// A broadcast with, where memories commit on acknowledgement, one bit for the receiver: see [`crate::star`].
    Broadcast {
        /// The shared content.
        body: Rc<Broadcast>,
        /// Length of what the receiver needs beside it.
        own: Bits,
        /// The receiver's place in the cohort.
        place: u32,
        /// Parity of the number of the receiver's contributions used so far.
        acknowledgement: Option<bool>,
        /// The receiver's memory V_i from the server's copy, where it is to be (re)stored.
        memory: Option<Rc<Vec<f64>>>,
    },
    /// A client's contribution to `round`.
    Update {
        /// The round whose broadcast it answers.
        round: u64,
        /// The coded vector.
        encoded: Box<Encoded>,
    },
}

const _: () = assert!(size_of::<StarPayload>() <= 32, "a message under way is one line of the cache");

impl Payload for StarPayload {
    fn bits(&self) -> Bits {
        match self {
            Self::Constants(bits) => *bits,
            Self::Broadcast { body, own, memory, .. } => {
                // Always F64: rounding V_i would part the two ends again.
                let memory = memory.as_ref().map_or(0, |v_i| 64 * v_i.len() as u64);
                body.bits + *own + Bits::new(memory)
            }
            Self::Update { encoded, .. } => Bits::new(encoded.bits()),
        }
    }

    fn acknowledgement_bits(&self) -> Bits {
        match self {
            Self::Broadcast { acknowledgement: Some(_), .. } => Bits::new(1),
            _ => Bits::ZERO,
        }
    }
}
