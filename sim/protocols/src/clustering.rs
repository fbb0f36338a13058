//! Problems whose examples come from components.

use std::borrow::Cow;
use std::ops::Range;

use fedbits_models::Examples;
use fedbits_models::clusters::Clusters;

use crate::error::Result;
use crate::state::State;

/// A problem whose examples come from components.
pub trait Clustering {
    /// G.
    fn components(&self) -> usize;
    /// The class of every example, where it is known.
    fn labels(&self) -> Option<&[u32]>;
    /// The component of every example.
    ///
    /// # Errors
    /// When the state has no density.
    fn classify(&self, state: &State<'_>) -> Result<Vec<u32>>;
    /// The model, where the components have densities.
    fn model(&self) -> Option<&dyn Clusters>;
    /// The examples whose squares are in statistics, where these have squares.
    fn squared(&self) -> Option<Squared<'_>>;
}

/// Examples whose squares are summed.
pub struct Squared<'a> {
    /// All of them.
    pub examples: Examples<'a>,
    /// Which of them have which weight, each of them.
    pub weights: Vec<(Range<usize>, f64)>,
    /// The names of the columns.
    pub columns: &'a [String],
    /// What squares are counted from, a number per column; none: 0.
    pub origin: Option<Cow<'a, [f64]>>,
}

impl Squared<'_> {
    /// Examples of one weight each, with that weight.
    #[must_use]
    pub fn parts(&self) -> Vec<(Examples<'_>, f64)> {
        self.weights.iter().map(|(range, weight)| (self.examples.range(range.clone()), *weight)).collect()
    }
}
