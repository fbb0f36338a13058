//! The compressors, one file each.

mod bernoulli;
mod dithering;
mod identity;
mod non_zeros;
mod rand_k;

pub use bernoulli::Bernoulli;
pub use dithering::Dithering;
pub use identity::Identity;
pub use non_zeros::NonZeros;
pub use rand_k::RandK;
