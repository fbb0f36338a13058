//! What a probe finds out beside the mean field and the objective: how well the fit clusters,
//! and what it is worth on examples that no client has. It never feeds back.

mod components;
mod held_out;
pub mod rounding;

pub use components::Findings;
pub use held_out::HeldOut;

use std::sync::Arc;

use fedbits_codec::WireFloat;
use fedbits_models::clusters::Clusters;
use fedbits_record::{OCCUPIED, QUALITY_COLUMNS};
use fedbits_spec::Caveat;

use crate::error::Result;
use crate::federation::accuracy_of;
use crate::problem::{Clustering, Problem};
use crate::state::State;

/// What is assessed at every probe and at the end.
#[derive(Clone, Default)]
pub struct Assessment {
    /// Whether components, or predicted classes, are compared with labels, and components with each other at the end.
    pub clustering: bool,
    /// Examples that no client has.
    pub held_out: Option<Arc<HeldOut>>,
    /// Names of the classes, by label; a class without one is known by its label.
    pub classes: Vec<String>,
    /// The least variance that `domain: Clip(…)` leaves; 0 without it.
    pub floor: f64,
    /// The floats in which whole statistics travel.
    pub floats: WireFloat,
    /// What rounding takes of the variances of the components that the start leads to ([`rounding::of_start`]): why a
    /// covariance may be none.
    pub rounding: Vec<Caveat>,
}

impl Assessment {
    fn clustering<'a>(&self, problem: &'a dyn Problem) -> Option<&'a dyn Clustering> {
        problem.clustering().filter(|_| self.clustering)
    }

    /// Names of its columns.
    pub fn columns(&self, problem: &dyn Problem) -> Vec<String> {
        let clustering = self.clustering(problem).map(components::columns).unwrap_or_default();
        let predicted = held_out::predicted(problem).filter(|_| self.clustering);
        let predicted = predicted.map(|_| QUALITY_COLUMNS[0].to_owned()).into_iter().collect();
        let held_out = self.held_out.as_ref().map(|held_out| held_out.columns(problem)).unwrap_or_default();
        let occupied = emptied(problem).map(|_| OCCUPIED.to_owned()).into_iter().collect();
        [clustering, predicted, occupied, held_out].concat()
    }

    /// Their values at this state.
    ///
    /// # Errors
    /// When the state has no density.
    pub fn values(&self, problem: &dyn Problem, state: &State<'_>) -> Result<Vec<Option<f64>>> {
        let wanted = problem.clustering().filter(|_| self.clustering || self.held_out.is_some());
        let table = wanted.map(|clusters| components::agreement(clusters, state)).transpose()?.flatten();
        let mut values = Vec::new();
        values.extend(table.iter().filter(|_| self.clustering).flat_map(components::values));
        let predicted = held_out::predicted(problem).filter(|_| self.clustering);
        values.extend(predicted.map(|(descent, examples)| accuracy_of(descent, examples, state.theta)));
        values.extend(emptied(problem).map(|model| Some(model.occupied(state.theta) as f64)));
        if let Some(held_out) = &self.held_out {
            values.extend(held_out.values(problem, state, table.as_ref())?);
        }
        Ok(values)
    }

    /// Tables and caveats of the final state; of one that `is_silent` θ is not T(Ŝ).
    ///
    /// # Errors
    /// When the state has no density.
    pub fn end(&self, problem: &dyn Problem, state: &State<'_>, is_silent: bool) -> Result<Findings> {
        let mut found = Findings::default();
        if let Some(clusters) = problem.clustering() {
            let defects = components::Defects::of(clusters, state, self.floor)?;
            if self.clustering {
                found = components::end(clusters, state, &self.classes, &defects)?;
            }
            found.fit = defects.fit();
        }
        found.caveats.extend(rounding::of_state(problem, state.theta, self.floats)?);
        let imputation = held_out::imputation(problem).filter(|_| !is_silent);
        let unrest = imputation.and_then(|model| model.unrest(state.s_hat, state.theta));
        found.caveats.extend(unrest.map(|fall| Caveat::MStepUnfinished { fall: format!("{fall:.1e}") }));
        Ok(found)
    }
}

/// The model, if it lets components be empty.
fn emptied(problem: &dyn Problem) -> Option<&dyn Clusters> {
    problem.clustering()?.model().filter(|model| model.may_be_empty())
}
