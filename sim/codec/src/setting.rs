//! Compressors as scenarios name them.

use fedbits_spec::Part;

use crate::{Compressor, WireFloat};

/// A compressor with its parameters, which a scenario names: `RandK(k: 3)`.
pub trait CompressorSetting: Part {
    /// The operator that sends floats as `wire`; that of client 0 for operators that differ among `clients`
    /// ([`Compressor::member`]).
    fn build(&self, wire: WireFloat, clients: u32) -> Box<dyn Compressor>;

    /// Do all clients draw together ([`Compressor::member`])? Then it cannot be part of another compressor.
    fn is_drawn_together(&self) -> bool {
        false
    }

    /// Approximate bytes of memory for a message of a vector of this length (not its bits on the wire).
    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(12)
    }

    /// Representative parameters, which fit every dimension of at least 3: the laws of compressors are tested over
    /// them.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}

/// [`CompressorSetting::build`] of a setting that is its operator, but for the field `wire`.
macro_rules! build_over_wire {
    () => {
        fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
            Box::new(Self { wire, ..Self::clone(self) })
        }
    };
}
pub(crate) use build_over_wire;
