//! Predicted classes against those of the clients' examples, for models of gradient steps, in the column `accuracy`;
//! and the fit on examples that no client has:
//!
//! | column | holds |
//! |---|---|
//! | `held_out_log_likelihood` | mean of log p(y; θ) over the examples or subjects held out, in nats |
//! | `held_out_accuracy` | share of them whose class is that of their component, as the clients' examples match them, or the one that is predicted |
//! | `held_out_minus_2ll` | of subjects: −2 log p of all of them |
//! | `held_out_minus_2ll_error` | its standard error where it is drawn, its error by quadrature; 0 in closed form |
//! | `held_out_rmse` | of curves and counts: root mean square of the observations less the curve of the typical subject, or what the cell should hold |

use std::sync::Arc;

use fedbits_models::clusters::{Clusters, Contingency};
use fedbits_models::data::DataSet;
use fedbits_models::latent::{self, SampledModel};
use fedbits_models::{Descent, Examples, Imputation, Response, Scratch};
use fedbits_random::Streams;
use fedbits_record::HELD_OUT_COLUMNS;

use crate::error::{ProtocolError, Result};
use crate::federation::{accuracy_of, classify};
use crate::problem::Problem;
use crate::state::State;

/// Examples whose densities are asked for at a time.
const BLOCK: usize = 4096;

/// What no client has.
pub enum HeldOut {
    /// Examples, prepared as those of the clients are.
    Examples(Arc<DataSet>),
    /// Subjects under the model of the clients' subjects.
    Subjects {
        /// The model with them.
        model: Box<dyn SampledModel>,
        /// Importance draws per subject, where the likelihood takes such.
        draws: u32,
        /// Where they are drawn.
        streams: Streams,
    },
}

impl HeldOut {
    /// Names of the columns.
    pub(super) fn columns(&self, problem: &dyn Problem) -> Vec<String> {
        let [log_likelihood, accuracy, of_subjects @ ..] = HELD_OUT_COLUMNS;
        if problem.is_personalized() {
            return Vec::new();
        }
        let further = match self {
            Self::Examples(_) if imputation(problem).is_some() => &of_subjects[2..],
            Self::Examples(_) if self.labels(problem).is_some() => &[accuracy][..],
            Self::Examples(data) if predicts(problem, data.examples()).is_some() => &[accuracy],
            Self::Examples(_) => &[],
            Self::Subjects { .. } => &of_subjects,
        };
        [log_likelihood].iter().chain(further).map(|&name| name.to_owned()).collect()
    }

    /// Labels of the examples held out, where those of the clients have labels and components, too.
    fn labels(&self, problem: &dyn Problem) -> Option<&[u32]> {
        let (Self::Examples(data), Some(clusters)) = (self, problem.clustering()) else { return None };
        clusters.labels().and(clusters.model()).and(data.labels())
    }

    /// Their values.
    pub(super) fn values(
        &self,
        problem: &dyn Problem,
        state: &State<'_>,
        table: Option<&Contingency>,
    ) -> Result<Vec<Option<f64>>> {
        if problem.is_personalized() {
            return Ok(Vec::new());
        }
        match self {
            Self::Examples(data) => {
                let mut values = vec![log_likelihood(data.examples(), problem, state)?];
                if let Some(labels) = self.labels(problem) {
                    let model = problem.clustering().and_then(|clusters| clusters.model());
                    let share = |(model, table)| accuracy((data.examples(), labels), model, table, state);
                    values.push(model.zip(table).map(share).transpose()?);
                }
                let predicted = predicts(problem, data.examples());
                values.extend(predicted.map(|descent| accuracy_of(descent, data.examples(), state.theta)));
                let imputation = imputation(problem);
                values.extend(imputation.map(|model| Some(model.root_mean_square(state.theta, data.examples()))));
                Ok(values)
            }
            Self::Subjects { model, draws, streams } => {
                let found = latent::log_likelihood(model.as_ref(), state.theta, *draws, streams);
                let found = found.map_err(ProtocolError::Unfit)?;
                let mean = found.map(|found| found.value / model.subjects() as f64);
                let twice = found.map(|found| -2.0 * found.value);
                let error = found.and_then(|found| found.error).map(|error| 2.0 * error);
                Ok(vec![mean, twice, error, model.typical_error(state.theta)?])
            }
        }
    }
}

/// The model, where it says what an observation should be.
pub(super) fn imputation(problem: &dyn Problem) -> Option<&dyn Imputation> {
    problem.model().and_then(|model| model.imputation())
}

/// The mean of log p(y; θ).
fn log_likelihood(examples: Examples<'_>, problem: &dyn Problem, state: &State<'_>) -> Result<Option<f64>> {
    if let Some(model) = problem.clustering().and_then(|clusters| clusters.model()) {
        return Ok(Some(sum_of_densities(model, examples, state.theta)? / examples.len() as f64));
    }
    let Some(model) = problem.model() else { return Ok(None) };
    let e_step = model.conditional(state.theta)?;
    let mut statistics = vec![0.0; model.statistic_dimension()];
    Ok(Some(-e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut statistics)))
}

/// Components stand for the classes that they stand for among the clients' examples.
fn accuracy(
    (examples, labels): (Examples<'_>, &[u32]),
    model: &dyn Clusters,
    table: &Contingency,
    state: &State<'_>,
) -> Result<f64> {
    let (classes, found) = (table.matched_labels(), classify(model, examples, state.theta)?);
    let hits = found.iter().zip(labels).filter(|&(&found, &label)| classes[found as usize] == Some(label)).count();
    Ok(hits as f64 / labels.len() as f64)
}

/// Σ log p(y; θ), in the order of the examples.
fn sum_of_densities(model: &dyn Clusters, examples: Examples<'_>, theta: &[f64]) -> Result<f64> {
    let mut sum = 0.0;
    for block in examples.chunks(BLOCK) {
        let found = model.posterior_weights(block, theta)?;
        sum = found.log_densities.iter().fold(sum, |sum, density| sum + density);
    }
    Ok(sum)
}

/// The model, where it predicts classes that these examples have.
pub(super) fn predicts<'a>(problem: &'a dyn Problem, examples: Examples<'_>) -> Option<&'a dyn Descent> {
    let has_classes = matches!(examples.response(), Response::Classes(_));
    problem.model().and_then(|model| model.descent()).filter(|_| has_classes)
}

/// The examples of all clients, where the model predicts their classes.
pub(super) fn predicted(problem: &dyn Problem) -> Option<(&dyn Descent, Examples<'_>)> {
    let examples = problem.federation()?.pooled();
    Some((predicts(problem, examples)?, examples))
}
