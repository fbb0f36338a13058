//! What travels in a star: broadcasts that all clients share, and coded contributions.

use std::any::Any;
use std::rc::Rc;

use fedbits_codec::{Compressor, Encoded, ExpectedBits};
use fedbits_kernel::{Bits, Payload, Purpose};
use fedbits_random::{CounterKey, Streams};

use crate::audit::{entity, message_key};

/// What the server tells the clients in a round. One buffer, however many clients.
pub struct Broadcast {
    /// Round that it opens; 0 asks for the initial memory.
    pub round: u64,
    /// Exact length of the bit string of its content.
    pub bits: Bits,
    /// A [`Said`] of the algorithm, without its types: the engine is compiled once for all algorithms.
    said: Box<dyn Any>,
}

/// The content of a broadcast, and what the host has computed ahead for its receivers.
pub struct Said<C, H> {
    /// The content.
    pub content: Rc<C>,
    /// What was computed ahead.
    pub ahead: H,
}

impl Broadcast {
    pub(crate) fn new<C: 'static, H: 'static>(round: u64, bits: Bits, said: Said<C, H>) -> Self {
        Self { round, bits, said: Box::new(said) }
    }

    pub(crate) fn said<C: 'static, H: 'static>(&self) -> &Said<C, H> {
        self.said.downcast_ref().expect("a broadcast of this algorithm")
    }

    /// What was computed ahead, to be used again.
    pub(crate) fn into_ahead<C: 'static, H: 'static>(self) -> H {
        self.said.downcast::<Said<C, H>>().expect("a broadcast of this algorithm").ahead
    }
}

/// Values that the host computes ahead for the receivers of a broadcast, on all cores, or when they are needed. Each
/// receiver sees its own only,
/// and only when the broadcast has reached it: events decide when, this decides how fast the host is.
pub trait Ahead: Default + 'static {
    /// What one receiver sees.
    type Own<'a>
    where
        Self: 'a;
    /// The values for the receiver at `position` of the cohort.
    fn share(&self, position: usize) -> Self::Own<'_>;
}

impl Ahead for () {
    type Own<'a> = ();

    fn share(&self, _position: usize) {}
}

/// A row of numbers per receiver.
#[derive(Debug, Default)]
pub struct Rows {
    width: usize,
    numbers: Vec<f64>,
}

impl Rows {
    /// `count` rows of `width` numbers, to be filled.
    pub fn resize(&mut self, count: usize, width: usize) -> &mut [f64] {
        self.width = width;
        self.numbers.resize(count * width, 0.0);
        &mut self.numbers
    }
}

impl Ahead for Rows {
    type Own<'a> = &'a [f64];

    fn share(&self, position: usize) -> &[f64] {
        &self.numbers[position * self.width..][..self.width]
    }
}

/// The length of a message of `compressor` where all have the same (that of a zero vector apart), and zero where
/// lengths differ.
pub(crate) fn least_bits(compressor: &dyn Compressor, dimension: usize) -> Bits {
    match compressor.expected_bits(dimension) {
        Some(ExpectedBits::Always(bits)) => Bits::new(bits),
        _ => Bits::ZERO,
    }
}

/// An operator, and whose draws it makes.
#[derive(Clone, Copy)]
pub struct Coder<'a> {
    /// The operator.
    pub compressor: &'a dyn Compressor,
    /// The operator by which the literature's conventions are charged; the same, but where clients have one each.
    pub charged: &'a dyn Compressor,
    /// Do all clients of a round draw together?
    pub common: bool,
}

impl<'a> Coder<'a> {
    /// An operator that every client uses with draws of its own.
    pub fn per_client(compressor: &'a dyn Compressor) -> Self {
        Self { compressor, charged: compressor, common: false }
    }

    pub(crate) fn key(&self, streams: &Streams, i: u32, round: u64) -> CounterKey {
        message_key(streams, if self.common { entity::COMMON } else { u64::from(i) }, round)
    }
}

/// A contribution that arrived in time.
pub struct Contribution {
    /// Zero-based client.
    pub client: u32,
    /// What it sent.
    pub encoded: Box<Encoded>,
    /// τ, its staleness: 0 when it answers the broadcast of this round, 1 for the one before, …
    pub age: u64,
}

/// Payloads of star protocols.
pub enum StarPayload {
    /// The model's constants, uncompressed; both sides know the values from the preparation, the bits are charged here.
    Constants(Bits),
    /// A broadcast with, where the protocol acknowledges, one bit for the receiver: see [`crate::star`].
    Broadcast {
        /// The shared content.
        body: Rc<Broadcast>,
        /// Length of what the receiver needs beside it.
        part: Bits,
        /// The receiver's position in the cohort.
        position: u32,
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
        /// What it is charged: the length of its string, or of its masked form.
        bits: Bits,
    },
    /// What secure aggregation exchanges beside vectors; only its length is known.
    Exchange {
        /// The round.
        round: u64,
        /// What it is about: from a client its own, from the server what others sent.
        exchange: Exchange,
        /// Its length.
        bits: Bits,
    },
}

/// The exchanges of secure aggregation beside that of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Public keys.
    Keys,
    /// Encrypted shares of secrets.
    Shares,
    /// Who survived, and shares to take masks off.
    Unmasking,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<StarPayload>() <= 32, "a message in flight is one line of the cache");

/// What messages of a star are sent for.
pub(crate) mod purpose {
    purposes! {
        /// Constants that a federation averages once: of the model (tied covariance: the second moment), and the means
        /// and deviations by which data are standardized.
        CONSTANTS = "constants",
        /// Initial memories V₀,ᵢ, never charged in the papers.
        INITIAL_MEMORY = "initial_memory",
        /// The server's statistic or parameter.
        BROADCAST = "broadcast",
        /// A client's contribution.
        UPDATE = "update",
        /// Acknowledgements that ride on broadcasts.
        ACKNOWLEDGEMENT = "acknowledgement",
        /// Broadcasts that carry the receiver's memory V_i as well, or what it has missed.
        RESYNCHRONIZATION = "resynchronization",
        /// Public keys of secure aggregation.
        KEYS = "keys",
        /// Its encrypted shares of secrets.
        SHARES = "shares",
        /// Lists of survivors and shares that take masks off.
        UNMASKING = "unmasking",
    }
}

impl Payload for StarPayload {
    const PURPOSES: &'static [&'static str] = purpose::NAMES;
    const ACKNOWLEDGEMENT: Purpose = purpose::ACKNOWLEDGEMENT;

    fn bits(&self) -> Bits {
        match self {
            Self::Constants(bits) => *bits,
            Self::Broadcast { body, part, memory, .. } => {
                // Always F64: rounding V_i would part the two ends again.
                let memory = memory.as_ref().map_or(0, |v_i| 64 * v_i.len() as u64);
                body.bits + *part + Bits::new(memory)
            }
            Self::Update { bits, .. } | Self::Exchange { bits, .. } => *bits,
        }
    }

    fn acknowledgement_bits(&self) -> Bits {
        match self {
            Self::Broadcast { acknowledgement: Some(_), .. } => Bits::new(1),
            _ => Bits::ZERO,
        }
    }
}
