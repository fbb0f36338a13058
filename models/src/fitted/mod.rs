//! A fitted model, handed over: its parameters as named arrays in the units of the data, and what it says of further
//! data.

mod npz;
mod origin;

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

/// A named part of a model's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name, as other tools call it.
    pub name: &'static str,
    /// What it holds.
    pub content: Content,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Numbers, row-major.
    Numbers {
        /// Lengths of the sides; their product is the number of values.
        shape: Vec<usize>,
        /// The numbers.
        values: Vec<f64>,
    },
    /// A word.
    Text(String),
}

impl Array {
    /// Numbers; `values` has as many as the sides of `shape` multiply to.
    pub fn numbers(name: &'static str, shape: &[usize], values: Vec<f64>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len(), "{name} fills its shape");
        Self { name, content: Content::Numbers { shape: shape.to_vec(), values } }
    }

    /// A word.
    pub fn text(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, content: Content::Text(text.into()) }
    }
}
