//! Sizes that ranges may depend on, as far as they are known.

/// What is known of the sizes of a problem: from the scenario alone, or also from its data. `None` is not known yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// n, the number of clients.
    pub clients: Option<usize>,
    /// d, the number of features after preparation.
    pub features: Option<usize>,
    /// G, the number of components of the model; 0 before the model is known.
    pub components: usize,
    /// N, the number of examples, or of subjects.
    pub examples: Option<u64>,
    /// q, the length of the statistic.
    pub statistic: Option<usize>,
    /// The length of z, of models whose latent variables can be sampled.
    pub latent: Option<usize>,
    /// The length of θ.
    pub parameters: Option<usize>,
    /// The length of the vectors that a compressor works on.
    pub vector: Option<usize>,
}

impl Facts {
    /// The same for a compressor of vectors of this length.
    #[must_use]
    pub fn with_vector(&self, vector: Option<usize>) -> Self {
        Self { vector, ..self.clone() }
    }
}
