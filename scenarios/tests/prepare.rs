//! Caveats that need the model: what only preparing a run can tell.

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Set, Source, load};

const GOOD: &str = include_str!("good.ron");

fn caveats(sets: &[&str]) -> Vec<String> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("good.ron", GOOD), &sets).unwrap().remove(0);
    Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).unwrap().caveats
}

/// rand-3 of q = G + G d = 6 has ω = 1: Theorem 1 covers α up to 1/2.
#[test]
fn a_large_alpha_is_a_caveat() {
    assert!(caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.5)"]).is_empty());
    let large = caveats(&["protocol.compressor=RandK(k: 3)", "protocol.alpha=Constant(0.51)"]);
    assert_eq!(large, ["alpha = 0.51 is above 1/(1 + ω) = 0.5000, the largest value that Theorem 1 covers"]);
}

/// n p < 1.
#[test]
fn hardly_any_participation_is_a_caveat() {
    let few = caveats(&["protocol.participation=Bernoulli(0.001)"]);
    assert!(few.len() == 1 && few[0].contains("participants are expected in a round"), "{few:?}");
}
