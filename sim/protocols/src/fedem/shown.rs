//! What the record shows where Ŝ are coordinates of another model.

use crate::error::ProtocolError;
use crate::federation::Federation;
use crate::state::OwnedState;

/// How the record looks at coordinates x: as Ŝ and θ of the model whose coordinates they are.
pub(crate) struct Coordinates {
    /// The clients' data under that model.
    pub(crate) em: Federation,
    /// Where the run starts.
    pub(crate) start: OwnedState,
}

impl Coordinates {
    /// Of the model of `em`, from `x`.
    ///
    /// # Errors
    /// When it has none.
    pub(crate) fn new(em: Federation, x: &[f64]) -> Result<Self, ProtocolError> {
        let start = show(&em, x)?;
        Ok(Self { em, start })
    }

    /// Ŝ and θ of `x`.
    ///
    /// # Errors
    /// When the model has no coordinates.
    pub(crate) fn show(&self, x: &[f64]) -> Result<OwnedState, ProtocolError> {
        show(&self.em, x)
    }
}

fn show(em: &Federation, x: &[f64]) -> Result<OwnedState, ProtocolError> {
    let model = em.model();
    let (Some(coordinates), Some(parameters)) = (model.coordinates(), model.parameters()) else {
        return Err(ProtocolError::Constrained);
    };
    let (theta, mut s_hat) = (coordinates.theta_of(x), Vec::new());
    parameters.statistic_of(&theta, &mut s_hat);
    Ok(OwnedState { s_hat, theta })
}
