//! A fitted model, handed over: its parameters as named arrays in the units of the data, and what it says of further
//! data.

mod arrays;
mod check;
mod npz;
mod origin;

pub use arrays::{Array, Content};
pub use npz::NpzFile;
pub use origin::{Features, Origin};

use crate::DomainError;
use crate::data::DataSet;

/// A model at given parameters, which says something of each example.
pub trait Predictor: Send + Sync {
    /// Names of what it says of an example.
    fn columns(&self) -> Vec<String>;
    /// The values, as many per example as there are columns, example after example.
    ///
    /// # Errors
    /// When the parameters have no density.
    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError>;
}
