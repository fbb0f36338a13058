//! The fit on examples that no client has.
//!
//! | column | holds |
//! |---|---|
//! | `held_out_log_likelihood` | mean of log p(y; θ) over the examples held out, in nats |
//! | `held_out_accuracy` | share of them whose class is that of their component, as the clients' examples match them |

use fedbits_models::clusters::{Clusters, Contingency};
use fedbits_models::data::DataSet;
use fedbits_models::{Examples, Scratch};

use crate::error::ProtocolError;
use crate::federation::classify;
use crate::problem::Problem;
use crate::state::State;

/// Examples whose densities are asked for at a time.
const BLOCK: usize = 4096;

/// Examples that no client has, prepared as those of the clients are.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// They.
    pub data: DataSet,
}

impl HeldOut {
    /// Names of the columns.
    pub(super) fn columns(&self, problem: &dyn Problem) -> Vec<String> {
        let accuracy = self.labels(problem).map(|_| "held_out_accuracy");
        ["held_out_log_likelihood"].into_iter().chain(accuracy).map(str::to_owned).collect()
    }

    /// Labels of the examples held out, where those of the clients have labels and components, too.
    fn labels(&self, problem: &dyn Problem) -> Option<&[u32]> {
        let clusters = problem.clustering()?;
        clusters.labels().and(clusters.model()).and(self.data.labels())
    }

    /// Their values.
    pub(super) fn values(&self, problem: &dyn Problem, state: &State<'_>) -> Result<Vec<Option<f64>>, ProtocolError> {
        let mut values = vec![self.log_likelihood(problem, state)?];
        if let Some(labels) = self.labels(problem) {
            values.push(self.accuracy(problem, state, labels)?);
        }
        Ok(values)
    }

    fn log_likelihood(&self, problem: &dyn Problem, state: &State<'_>) -> Result<Option<f64>, ProtocolError> {
        let examples = self.data.examples();
        if let Some(model) = problem.clustering().and_then(|clusters| clusters.model()) {
            return Ok(Some(sum_of_densities(model, examples, state.theta)? / examples.len() as f64));
        }
        let Some(federation) = problem.federation() else { return Ok(None) };
        let e_step = federation.model().conditional(state.theta)?;
        let mut statistics = vec![0.0; federation.model().statistic_dimension()];
        Ok(Some(-e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut statistics)))
    }

    /// Components stand for the classes that they stand for among the clients' examples.
    fn accuracy(&self, problem: &dyn Problem, state: &State<'_>, labels: &[u32]) -> Result<Option<f64>, ProtocolError> {
        let Some(clusters) = problem.clustering() else { return Ok(None) };
        let (Some(model), Some(known)) = (clusters.model(), clusters.labels()) else { return Ok(None) };
        let table = Contingency::new(&clusters.classify(state)?, known, clusters.components());
        let classes: Vec<Option<u32>> =
            table.matching().into_iter().map(|class| class.map(|class| table.label(class))).collect();
        let found = classify(model, self.data.examples(), state.theta)?;
        let hits = found.iter().zip(labels).filter(|&(&found, &label)| classes[found as usize] == Some(label)).count();
        Ok(Some(hits as f64 / labels.len() as f64))
    }
}

/// Σ log p(y; θ), in the order of the examples.
fn sum_of_densities(model: &dyn Clusters, examples: Examples<'_>, theta: &[f64]) -> Result<f64, ProtocolError> {
    let mut sum = 0.0;
    for rows in examples.rows.chunks(BLOCK * examples.dimension) {
        let found = model.posterior_weights(Examples { rows, ..examples }, theta)?;
        sum = found.log_densities.iter().fold(sum, |sum, density| sum + density);
    }
    Ok(sum)
}
