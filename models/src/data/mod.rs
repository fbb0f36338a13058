//! Data sets: examples with optional labels and groups, from files or generators, and their preparation.

mod affine;
mod codes;
pub mod corpus;
pub mod counts;
pub mod csv;
pub mod documents;
mod error;
pub(crate) mod gram;
pub mod holdout;
pub mod idx;
pub mod lda_c;
pub mod lib_svm;
pub mod longitudinal;
pub mod npy;
mod npz;
mod observations;
pub mod packed;
mod parquet;
pub mod pca;
mod per_client;
pub mod preprocess;
pub mod responses;
mod set;
mod source;
mod sources;
pub mod synthetic;
pub mod transform;
mod values;
pub mod visits;
mod zstd;

pub use error::FileError;
pub use observations::{DataKind, Observations, Overflow, Shape};
pub use set::{DataSet, DataSetError};
pub use source::{Beside, DataSource, ReadError, Reading, Remarks};
pub use sources::entry;
pub use values::Values;
