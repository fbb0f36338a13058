//! The compressors, one file each.

mod dithering;
mod identity;

pub use dithering::Dithering;
pub use identity::Identity;
