//! What can go wrong between a vector and its bits.

use thiserror::Error;

/// Why a vector could not be encoded, a configuration is wrong, or a bit string could not be read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CodecError {
    /// The vector has a NaN or an infinity.
    #[error("entry {index} of the vector is not a finite number")]
    NotFinite {
        /// The first such entry.
        index: usize,
    },
    /// A number that the message must carry, or its decoded value, is beyond the largest float.
    #[error("entry {index} or its scaled value exceeds the largest {bits}-bit float")]
    ValueOverflow {
        /// The first such entry.
        index: usize,
        /// Bits of a float on the wire.
        bits: u64,
    },
    /// The norm that the message must carry is beyond the largest float.
    #[error("the norm of the vector exceeds the largest {bits}-bit float")]
    NormOverflow {
        /// Bits of a float on the wire.
        bits: u64,
    },
    /// A parameter of the compressor does not fit; the text says what was expected.
    #[error("{parameter} is {found}: expected {expected}")]
    Parameter {
        /// Which parameter.
        parameter: &'static str,
        /// Its value.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// Fewer uniforms were given than the compressor draws.
    #[error("{given} uniforms were given: {needed} are needed")]
    TooFewUniforms {
        /// How many the compressor draws.
        needed: usize,
        /// How many there were.
        given: usize,
    },
    /// Sender and receiver of this compressor share a seed, and the reader was not given it.
    #[error("the shared key is needed to read this message")]
    KeyNeeded,
    /// The bit string ends inside a symbol.
    #[error("the bit string ends too early, at bit {at}")]
    Truncated {
        /// Length of the string.
        at: u64,
    },
    /// The bit string is not one that the encoder writes.
    #[error("corrupt bit string before bit {at}: {what}")]
    Corrupt {
        /// Position of the reader.
        at: u64,
        /// What was found.
        what: &'static str,
    },
    /// Another reason, of a compressor from outside of the project.
    #[error("{0}")]
    Other(String),
}

impl CodecError {
    /// The same error about a part of a vector, with entry `index` of the part at `in_vector(index)` of the vector.
    pub(crate) fn at(self, in_vector: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::NotFinite { index } => Self::NotFinite { index: in_vector(index) },
            Self::ValueOverflow { index, bits } => Self::ValueOverflow { index: in_vector(index), bits },
            other => other,
        }
    }
}

/// Is it a dimension that messages can have: indices are 32-bit numbers?
///
/// # Errors
/// [`CodecError::Parameter`].
pub fn check_dimension(dimension: usize) -> Result<(), CodecError> {
    if (1..=u32::MAX as usize).contains(&dimension) {
        return Ok(());
    }
    Err(parameter("dimension", dimension, format!("1 to {}", u32::MAX)))
}

/// The error for a parameter that does not fit.
#[cold]
pub(crate) fn parameter(parameter: &'static str, found: impl ToString, expected: String) -> CodecError {
    CodecError::Parameter { parameter, found: found.to_string(), expected }
}

/// The error for an entry that no float of so many bits holds, if there is one.
pub(crate) fn check_overflow(first: Option<usize>, bits: u64) -> Result<(), CodecError> {
    first.map_or(Ok(()), |index| Err(CodecError::ValueOverflow { index, bits }))
}

/// Is `p` in (0, 1]?
pub(crate) fn check_probability(p: f64) -> Result<(), CodecError> {
    // Below the smallest normal float, 1/p would be infinite.
    if (f64::MIN_POSITIVE..=1.0).contains(&p) {
        return Ok(());
    }
    Err(parameter("p", p, "a probability, 0 < p ≤ 1".to_owned()))
}
