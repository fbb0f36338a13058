//! Components of a model over the replicates of an arm: where a random start numbers them, component 0 of one replicate
//! can be component 1 of another. Nothing here matches them.

use crate::data::Arm;
use crate::words::first_few;
use fedbits_record::RunRecord;
use fedbits_spec::Caveat;
use fedbits_text::Tree;

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

/// What must be known of lines over replicates where parameters of components are among those that are shown.
pub(crate) fn caveat(arms: &[Arm], is_shown: impl Fn(&str) -> bool) -> Option<Caveat> {
    let mixes = |arm: &&Arm| {
        arm.runs.len() > 1 && arm.records().any(|run| has_component(run, &is_shown)) && arm.records().any(is_random)
    };
    let names: Vec<String> = arms.iter().filter(mixes).map(|arm| arm.label.clone()).collect();
    let named = first_few(names.into_iter(), NAMED);
    (!named.is_empty()).then_some(Caveat::ComponentsMixed { arms: named })
}

/// Is a parameter of one of several components among those that are shown?
fn has_component(run: &RunRecord, is_shown: impl Fn(&str) -> bool) -> bool {
    let Some(theta) = &run.theta else { return false };
    // A covariance of all components has no number of a component before its row and column.
    let is_common = |name: &str| name.starts_with("covariance_") && name.split('_').count() < 4;
    has_several(&theta.names) && theta.names.iter().any(|name| !is_common(name) && is_shown(name))
}

/// Are there two components or more: of a mixture, of k-means, which has centres alone, or of topics, which have
/// probabilities of words, with the topic's number behind the word? One component has no other to be mixed with.
fn has_several(names: &[String]) -> bool {
    let all = |start: &str| names.iter().all(|name| name.starts_with(start));
    let any = |is_second: fn(&str) -> bool| names.iter().any(|name| is_second(name));
    any(|name| name == "weight_1")
        || (all("mean_") && any(|name| name.starts_with("mean_1_")))
        || (all("beta_") && any(|name| name.ends_with("_1")))
}

/// Does the run start anywhere but where its scenario says?
fn is_random(run: &RunRecord) -> bool {
    let tree = Tree::scan(&run.manifest.scenario_text);
    let start = tree.root().field("initial").and_then(|initial| initial.name());
    !matches!(start, Some("Theta" | "Parameters" | "Model"))
}

#[cfg(test)]
mod tests {
    use super::has_several;

    #[test]
    fn a_single_component_is_not_mixed() {
        let several = |names: &[&str]| has_several(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert!(several(&["weight_0", "weight_1", "mean_0_0", "mean_1_0"]));
        assert!(several(&["mean_0_0", "mean_0_1", "mean_1_0", "mean_1_1"]));
        assert!(several(&["beta_cat_0", "beta_cat_1"]));
        assert!(!several(&["weight_0", "mean_0_0", "mean_0_1", "covariance_0_1_1"]));
        assert!(!several(&["mean_0_0", "mean_0_1"]));
        assert!(!several(&["beta_cat_0", "beta_1_0"]));
        // Effects of subjects are no components.
        assert!(!several(&["mean_0", "mean_1", "omega_0_0"]));
    }
}
