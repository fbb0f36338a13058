//! Compressors as scenarios name them.

use fedbits_spec::Part;

use crate::{Compressor, WireFloat};

/// A compressor with its parameters, which a scenario names: `RandK(k: 3)`.
pub trait CompressorSetting: Part {
    /// The operator whose floats travel as `wire`; of client 0 for operators that differ among `clients`
    /// ([`Compressor::member`]).
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor>;

    /// Does it divide the coordinates among all clients? It then is no part of another compressor.
    fn divides_among_clients(&self) -> bool {
        false
    }

    /// Bytes of memory that a message of a vector of this length takes, about; its bits on the wire are others.
    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(12)
    }

    /// Representative parameters, which fit every dimension of at least 3: the laws of compressors are tested over
    /// them.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}
