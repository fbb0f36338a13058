//! Problems whose examples come from components.

use fedbits_models::clusters::Clusters;

use crate::error::ProtocolError;
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
    fn classify(&self, state: &State<'_>) -> Result<Vec<u32>, ProtocolError>;
    /// The model, where the components have densities.
    fn model(&self) -> Option<&dyn Clusters>;
}
