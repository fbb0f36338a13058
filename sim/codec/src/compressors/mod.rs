//! The compressors, one file each.

mod announced;
mod bernoulli;
mod block;
mod composition;
mod count_sketch;
mod dithering;
mod identity;
mod induced;
mod lazy;
mod named;
mod natural;
mod natural_dithering;
mod non_zeros;
mod perm_k;
mod rand_k;
mod rank_r;
mod scaled_sign;
mod top_k;

pub use announced::Announced;
pub use bernoulli::{Bernoulli, Mask};
pub use block::BlockQuantization;
pub use composition::{Composition, CompositionOf};
pub use count_sketch::CountSketch;
pub use dithering::Dithering;
pub use identity::Identity;
pub use induced::{Induced, InducedBy};
pub use lazy::Lazy;
pub use named::{Qsgd, TernGrad};
pub use natural::Natural;
pub use natural_dithering::NaturalDithering;
pub use non_zeros::NonZeros;
pub use perm_k::PermK;
pub use rand_k::RandK;
pub use rank_r::RankR;
pub use scaled_sign::ScaledSign;
pub use top_k::TopK;
