//! The broadcast of FedEM.

use fedbits_models::EStep;

/// What a broadcast of FedEM says; `T` is what the local rule adds.
pub struct Content<T> {
    /// Round that it opens.
    pub round: u64,
    /// Ŝ as the wire carries it.
    pub s_hat: Vec<f64>,
    /// c_k of MARINA, which comes from a seed that all share.
    pub full: bool,
    /// What the local rule adds; it comes from a seed that all share.
    pub local: T,
    /// The conditional distribution at the parameter that a client derives from what it received.
    pub(super) e_step: Box<dyn EStep>,
}

impl<T> Content<T> {
    /// The conditional distribution at the parameter that a client derives from what it received.
    pub fn e_step(&self) -> &dyn EStep {
        self.e_step.as_ref()
    }
}
