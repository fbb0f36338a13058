//! Bit strings: a writer, a reader, and the codes of integers and subsets between them.
//!
//! All strings are written most significant bit first.

pub(crate) mod arithmetic;
pub mod elias;
mod reader;
mod subsets;
mod writer;

pub use reader::BitReader;
pub use subsets::SubsetCode;
pub use writer::BitWriter;
