//! Predicted classes against those of the examples, for models of gradient steps.
//!
//! | column | holds |
//! |---|---|
//! | `accuracy` | share of the clients' examples whose class is the one that is predicted |
//! | `held_out_accuracy` | the same of examples that no client has |

use fedbits_models::{Descent, Examples, Response};

use crate::problem::Problem;

/// The model, where it predicts classes that these examples have.
pub(super) fn predicts<'a>(problem: &'a dyn Problem, examples: Examples<'_>) -> Option<&'a dyn Descent> {
    let has_classes = matches!(examples.response(), Response::Classes(_));
    problem.model().and_then(|model| model.descent()).filter(|_| has_classes)
}

/// The examples of all clients, where the model predicts their classes.
pub(super) fn pooled(problem: &dyn Problem) -> Option<(&dyn Descent, Examples<'_>)> {
    let examples = problem.federation()?.pooled();
    Some((predicts(problem, examples)?, examples))
}
