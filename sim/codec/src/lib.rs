//! Vectors to bits and back: integer codes and compressors with exact lengths.
//!
//! A [`Compressor`] turns a vector into an [`Encoded`] message, whose length in bits is counted while it is made;
//! `write_bits` produces the one bit string of exactly that length and `read_bits` gives the same symbols back
//! ([`audit`]). What the receiver uses is `decode` of the message, nothing else. This crate must not know networks,
//! time or models.
//!
//! ```
//! use fedbits_codec::{Compressor, Dithering, Draw, Encoded, LevelCode, Norm, WireFloat, audit};
//! use fedbits_random::{DrawPurpose, Streams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let q = Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::Fixed, wire: WireFloat::F32 };
//! let draw = Draw::Keyed(Streams::new(1, 0).counter(DrawPurpose::Compression, 7, 0));
//! let (mut message, mut received) = (Encoded::new(), [0.0; 3]);
//! q.encode(&[3.0, -4.0, 0.0], draw, &mut message)?;
//! assert_eq!(message.bits(), 32 + 3 * (1 + 3)); // the norm; a sign and a level of 0…4 for each entry
//! audit(&q, &message, draw)?;
//! q.decode(&message, &mut received);
//! assert!(received[0] >= 2.5 && received[1] <= -3.75 && received[2] == 0.0); // multiples of 5/4 around x
//! # Ok(())
//! # }
//! ```
//!
//! A new compressor is one file in `compressors/` and one name in `registry.rs`: then scenarios can name it and its
//! [`laws`] are tested.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod audit;
pub mod bits;
mod claims;
mod compressor;
mod compressors;
mod draw;
mod encoded;
mod entropy;
mod error;
mod expected;
mod indices;
mod lanes;
pub mod laws;
mod level;
mod level_codes;
mod norm;
mod registry;
mod setting;
mod sparse;
mod vectors;
mod wire;

pub use audit::{AuditError, audit, read_back};
pub use bits::{BitReader, BitWriter};
pub use claims::{Claims, FALSE_ALARM, claims};
pub use compressor::{Compressor, Sparsifier, framing_bits};
pub use compressors::*;
pub use draw::Draw;
pub use encoded::Encoded;
pub use error::{CodecError, check_dimension};
pub use expected::ExpectedBits;
pub use fedbits_random::CounterKey;
pub use indices::Indices;
pub use level_codes::LevelCode;
pub use norm::{Norm, check_finite};
pub use registry::{entry, registry};
pub use setting::CompressorSetting;
pub use wire::WireFloat;
