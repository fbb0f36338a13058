//! Where compressors draw from.

use fedbits_random::CounterKey;

use crate::CodecError;

/// Where the randomness of a compressor comes from.
#[derive(Clone, Copy, Debug)]
pub enum Draw<'a> {
    /// An addressed key: uniform j of the message is output j of its counter hash (subsets: its stream).
    Keyed(CounterKey),
    /// Uniforms on [0, 1) given by the caller, one per draw: golden vectors, enumeration of all outcomes.
    Given(&'a [f64]),
}

impl<'a> Draw<'a> {
    /// The uniforms, where they are given; there must be `needed` of them.
    ///
    /// # Errors
    /// [`CodecError::TooFewUniforms`].
    pub fn given(&self, needed: usize) -> Result<Option<&'a [f64]>, CodecError> {
        match self {
            Self::Keyed(_) => Ok(None),
            Self::Given(xi) if xi.len() < needed => Err(CodecError::TooFewUniforms { needed, given: xi.len() }),
            Self::Given(xi) => Ok(Some(xi)),
        }
    }

    /// The one uniform of an operator that draws one.
    ///
    /// # Errors
    /// [`CodecError::TooFewUniforms`].
    pub fn one(&self) -> Result<f64, CodecError> {
        let first = self.given(1)?.map(|xi| xi[0]);
        Ok(first.or_else(|| Some(self.key()?.uniform(0))).unwrap_or(0.0))
    }

    /// Uniforms 0, 1, 2, … of the key; none of given ones.
    pub fn uniforms(&self) -> impl Iterator<Item = f64> + use<> {
        self.key().into_iter().flat_map(CounterKey::uniforms)
    }

    /// An independent draw for part `number` of a message; given uniforms have no parts.
    pub fn part(&self, number: u64) -> Self {
        match *self {
            Self::Keyed(key) => Self::Keyed(part(key, number)),
            given => given,
        }
    }

    /// The key that both ends may share, if there is one.
    pub fn key(&self) -> Option<CounterKey> {
        match self {
            Self::Keyed(key) => Some(*key),
            Self::Given(_) => None,
        }
    }
}

/// The key of part `number` of a message: an output that no vector reaches.
pub(crate) fn part(key: CounterKey, number: u64) -> CounterKey {
    CounterKey::new(key.bits((1 << 63) + number))
}
