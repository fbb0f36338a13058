//! What a probe finds out beside the mean field and the objective: how well the fit clusters. It never feeds back.

mod components;

pub use components::Findings;

use crate::clustering::Clustering;
use crate::error::ProtocolError;
use crate::problem::Problem;
use crate::state::State;

/// What is assessed at every probe and at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assessment {
    /// Whether components are compared with labels, and with each other at the end.
    pub clustering: bool,
}

impl Assessment {
    fn clustering<'a>(&self, problem: &'a dyn Problem) -> Option<&'a dyn Clustering> {
        problem.clustering().filter(|_| self.clustering)
    }

    /// Names of its columns.
    pub fn columns(&self, problem: &dyn Problem) -> Vec<String> {
        self.clustering(problem).map(components::columns).unwrap_or_default()
    }

    /// Their values at this state.
    ///
    /// # Errors
    /// When the state has no density.
    pub fn values(&self, problem: &dyn Problem, state: &State<'_>) -> Result<Vec<Option<f64>>, ProtocolError> {
        self.clustering(problem).map_or_else(|| Ok(Vec::new()), |clusters| components::values(clusters, state))
    }

    /// Tables and caveats of the final state.
    ///
    /// # Errors
    /// When the state has no density.
    pub fn end(&self, problem: &dyn Problem, state: &State<'_>) -> Result<Findings, ProtocolError> {
        self.clustering(problem).map_or_else(|| Ok(Findings::default()), |clusters| components::end(clusters, state))
    }
}
