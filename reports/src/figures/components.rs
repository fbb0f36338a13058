//! Components of a model over the replicates of an arm: where a random start numbers them, component 0 of one replicate
//! can be component 1 of another. Nothing here matches them.

use crate::data::Arm;
use crate::words::first_few;
use fedbits_record::RunRecord;
use fedbits_text::Tree;

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

/// What must be known of lines over replicates where parameters of components are among those that are shown.
pub(crate) fn caveat(arms: &[Arm], is_shown: impl Fn(&str) -> bool) -> Option<String> {
    let mixes = |arm: &&Arm| {
        arm.runs.len() > 1 && arm.records().any(|run| has_component(run, &is_shown)) && arm.records().any(is_random)
    };
    let names: Vec<String> = arms.iter().filter(mixes).map(|arm| arm.label.clone()).collect();
    let named = first_few(names.into_iter(), NAMED);
    (!named.is_empty()).then(|| {
        format!(
            "components are numbered by the random start of each replicate (of {named}): medians and bands of their \
             parameters can mix different components"
        )
    })
}

/// Is a parameter of a component among those that are shown: of a mixture, of k-means, which has centres alone, or of
/// topics, which have probabilities of words?
fn has_component(run: &RunRecord, is_shown: impl Fn(&str) -> bool) -> bool {
    let Some(theta) = &run.theta else { return false };
    let all = |start: &str| theta.names.iter().all(|name| name.starts_with(start));
    // A covariance of all components has no number of a component before its row and column.
    let is_common = |name: &str| name.starts_with("covariance_") && name.split('_').count() < 4;
    let is_divided = theta.names.iter().any(|name| name == "weight_0") || all("mean_") || all("beta_");
    is_divided && theta.names.iter().any(|name| !is_common(name) && is_shown(name))
}

/// Does the run start anywhere but where its scenario says?
fn is_random(run: &RunRecord) -> bool {
    let tree = Tree::scan(&run.manifest.scenario_text);
    let start = tree.root().field("initial").and_then(|initial| initial.name());
    !matches!(start, Some("Theta" | "Parameters" | "Model"))
}
