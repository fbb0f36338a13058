//! Observations as models see them.

/// Examples in row-major order: `rows.len() / dimension` observations of `dimension` numbers.
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    /// Observations, one after the other.
    pub rows: &'a [f64],
    /// Numbers per observation, d.
    pub dimension: usize,
}

impl Examples<'_> {
    /// Number of observations.
    pub fn len(&self) -> usize {
        self.rows.len() / self.dimension
    }

    /// True without observations.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Which observations an E-step visits. Indices may repeat (sampling with replacement).
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// Every observation once, in order.
    All,
    /// These observations, in this order.
    Indices(&'a [u32]),
}
