//! Vectors to bits and back: integer codes and compressors with exact lengths.
//!
//! A [`Compressor`] turns a vector into an [`Encoded`] message, whose length in bits is counted while it is made; `write_bits`
//! produces the one bit string of exactly that length and `read_bits` gives the same symbols back ([`audit`]). What the receiver
//! uses is `decode` of the message, nothing else. This crate must not know networks, time or models.
//!
//! A new compressor is one file in `compressors/` and one line in [`registry`], over which the law tests run.

mod audit;
pub mod bits;
mod compressor;
mod compressors;
mod encoded;
mod error;
mod lanes;
mod level_codes;
mod norm;
mod registry;
mod sparse;
mod wire;

pub use audit::{AuditError, audit};
pub use bits::{BitReader, BitWriter};
pub use compressor::{Compressor, Draw};
pub use compressors::*;
pub use encoded::Encoded;
pub use error::CodecError;
pub use level_codes::LevelCode;
pub use norm::Norm;
pub use registry::registry;
pub use sparse::Places;
pub use wire::WireFloat;
