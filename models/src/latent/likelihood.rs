//! What is known of log p(y; θ).

/// An estimate of log p(y; θ) over all subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogLikelihood {
    /// Σ log p(y_i; θ).
    pub value: f64,
    /// Its standard error; of a quadrature, the distance from a coarser one; 0 of a closed form. None where it is not
    /// known: of one draw per subject.
    pub error: Option<f64>,
}
