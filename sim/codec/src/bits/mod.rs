//! Bit strings: a writer, a reader, and the integer codes between them. Knows no vector and no compressor.
//!
//! All strings are written most significant bit first.

pub mod elias;
mod reader;
mod writer;

pub use reader::BitReader;
pub use writer::BitWriter;
