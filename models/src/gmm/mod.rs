//! Gaussian mixtures in sufficient-statistics form (FedEM paper, section 4 and appendix F).
//!
//! G components, d dimensions; r_g = p(z = g | y; θ) is the posterior weight of component g.
//!
//! | vector | entries |
//! |---|---|
//! | s | s1_g = mean r_g (G), s2_g = mean r_g y (G×d), s3_g: diagonal mean r_g y² (G×d), full mean r_g vech(y yᵀ) (G×d(d+1)/2) |
//! | θ | π_g (G), µ_g (G×d), covariances: known none, tied vech Σ, diagonal variances (G×d), full vech Σ_g (G×d(d+1)/2) |
//!
//! vech is the lower triangle row by row: (0,0), (1,0), (1,1), (2,0), …

mod accumulate;
mod block;
mod clusters;
mod coordinates;
mod features;
mod fitted;
mod kernel;
mod labels;
mod layout;
mod matching;
mod mixture;
mod pack;
mod prior;
mod reduction;
mod setting;
mod small;
mod softmax;
mod theta;
pub mod vertical;
mod whiten;

#[cfg(test)]
pub(crate) use kernel::tests::levels;
pub use mixture::{Covariance, GaussianMixture, second_moment};
pub use prior::{Conjugate, MixturePrior};
pub use setting::{CovarianceForm, MixtureSetting};
