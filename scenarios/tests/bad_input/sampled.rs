//! Cases of FL-SAEM: longitudinal data, item responses, documents.

use fedbits_scenarios::{Source, load};

use crate::bad_input::message;

/// Good scenarios of FL-SAEM: longitudinal data, item responses, documents.
const SAMPLED: [&str; 3] = [include_str!("../saem.ron"), include_str!("../answers.ron"), include_str!("../words.ron")];

/// Each case: a name, which of the scenarios, and the values of `--set`.
const SAMPLED_CASES: &[(&str, usize, &[&str])] = &[
    ("gain_ranges", 0, &["protocol.gamma=Saem(first: 2, k1: 10, exponent: 0)"]),
    ("gain_zero", 0, &["protocol.gamma=Constant(0)"]),
    ("keep_above_iterations", 0, &["protocol.local.keep=5", "protocol.local.chains=0"]),
    ("negative_step", 0, &["protocol.local.kernel=Langevin(step: -1)"]),
    ("quantized_gradients_of_three_numbers", 0, &["protocol.local.kernel=Langevin(step: 0.1, quantize: RandK(k: 4))"]),
    ("a_kernel_that_does_not_move", 0, &["protocol.local.kernel=RandomWalk(prior: 0, single: 0, block: 0)"]),
    ("no_gibbs_kernel", 0, &["protocol.local.kernel=Gibbs"]),
    ("no_exact_step", 0, &["protocol.local=Expect"]),
    ("misspelt_kernel", 0, &["protocol.local.kernel=RandomWlk()"]),
    ("local_steps_zero", 0, &["protocol.local_steps=0"]),
    ("k_above_q", 0, &["protocol.compressor=TopK(k: 8)"]),
    ("no_contraction", 0, &["protocol.compressor=Composition(first: TopK(k: 4), then: RandK(k: 1))"]),
    ("a_part_of_a_gradient", 0, &["protocol.local.kernel=Langevin(step: 0.1, quantize: PermK)"]),
    ("sketch_ranges", 0, &["protocol.compressor=CountSketch(rows: 0, columns: 0)"]),
    ("likelihood_draws", 0, &["protocol.likelihood_draws=10000001"]),
    ("start_of_other_size", 0, &["initial.values=[1, 8]", "initial.sigma=0"]),
    ("negative_rate", 0, &["initial.values=[1, -8, 0.1]"]),
    ("no_doses", 0, &["data.doses=NoDoses"]),
    ("one_column_twice", 0, &["data.value=Name(\"time\")"]),
    ("memories_in_the_open", 0, &["protocol.memory=Memory()", "privacy=Gaussian(clip: 1, noise: 4)"]),
    ("noise_in_memories", 0, &["privacy=Gaussian(clip: 1, noise: 4, against: Outsiders)"]),
    ("sums_of_chosen_entries", 0, &["aggregation=SecureAggregation()"]),
    ("prepared_curves", 0, &["preprocess=[Center]", "partition=SortedByLabel"]),
    ("a_protocol_without_samples", 0, &["protocol=CentralizedEm(domain: Error)"]),
    ("a_mixture_of_curves", 0, &["model=GaussianMixture(components: 2, covariance: Full)"]),
    ("groups_with_a_gap", 1, &["model.groups=[1, 1, 3, 3]"]),
    ("groups_of_other_items", 1, &["model.groups=[1, 1, 2]"]),
    ("group_zero", 1, &["model.groups=[0, 1, 1, 9]"]),
    ("no_groups", 1, &["model.groups=[]"]),
    ("loadings", 1, &["initial=Loadings(general: 0, specific: -0.5, variance: 2)"]),
    ("logit_has_no_gibbs", 1, &["protocol.local.kernel=Gibbs"]),
    ("no_items", 1, &["data.items=Columns([])"]),
    ("item_as_frequency", 1, &["data.frequency=Some(Name(\"a\"))"]),
    ("names_without_header", 1, &["data.header=false"]),
    ("answers_start_as_words", 1, &["initial=RandomTopics()"]),
    ("answers_by_fedem", 1, &["protocol=FedEm(gamma: Constant(0.1))"]),
    ("topics_and_priors", 2, &["model=Topics(topics: 1, alpha: 0, smoothing: -1)"]),
    ("hold_out_all", 2, &["data.hold_out_every=Some(1)"]),
    ("concentration", 2, &["initial.concentration=0"]),
    ("likelihood_of_documents", 2, &["protocol.likelihood_draws=100"]),
    ("gradient_on_a_simplex", 2, &["protocol.sends=Gradient"]),
    ("words_of_other_models", 2, &["model=BiFactor(groups: [1, 1])"]),
    ("words_start_as_answers", 2, &["initial=Loadings(general: 1, specific: 1)"]),
    ("empty_file_names", 2, &["data.path=\"\"", "data.vocabulary=Some(\" \")"]),
];

/// Settings without effect, which only a text can have: a name, which of the scenarios, what is replaced in it.
const SAMPLED_EDITS: &[(&str, usize, &str, &str)] = &[
    ("coordinates_of_nothing", 0, "compressor: RandK(k: 3),", ""),
    ("coordinates_of_models", 0, "memory: Memory(initial: Zero),", "sends: Parameters,"),
    ("local_steps_without_models", 0, "memory: Memory(initial: Zero),", "local_steps: 3,"),
    ("coordinates_that_are_the_same", 1, "gamma:", "coordinates: Standardized, compressor: RandK(k: 3), gamma:"),
    ("adapting_a_kernel_that_accepts_everything", 0, "RandomWalk()", "Langevin(step: 0.1)"),
    ("adapting_proposals_without_a_step", 0, "RandomWalk()", "RandomWalk(single: 0, block: 0)"),
    ("variance_of_answers", 1, "specific: 0.5", "specific: 0.5, variance: 2"),
];

#[test]
fn each_case_of_sampled_models_says_what_is_wrong() {
    for text in SAMPLED {
        assert!(load(Source::new("good.ron", text), &[]).is_ok());
    }
    let set = SAMPLED_CASES.iter().map(|(name, base, sets)| format!("## {name}\n{}\n", message(SAMPLED[*base], sets)));
    let edited = SAMPLED_EDITS.iter().map(|(name, base, from, to)| {
        assert!(SAMPLED[*base].contains(from), "{name}");
        format!("## {name}\n{}\n", message(&SAMPLED[*base].replacen(from, to, 1), &[]))
    });
    let all = set.chain(edited);
    insta::assert_snapshot!("sampled", all.collect::<String>());
}
