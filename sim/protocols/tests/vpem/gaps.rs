//! Missing blocks of features: numpy's trajectory (`tests/golden/make_vertical.py`), the likelihood of what was
//! observed, and what messages cost.

use crate::golden::{assert_within, golden, numbers};
use crate::vpem::common::{PLAIN, Problem, complete, streams};
use fedbits_models::Examples;
use fedbits_models::gmm::vertical::{FeatureBlocks, VerticalMixture};
use fedbits_protocols::collective::Collective;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::vpem::fit::{Fit, Known};
use fedbits_protocols::vpem::rules::{GapTreatment, MissingBlocks, VpBatch};
use fedbits_protocols::vpem::{FederatedVpEm, VpEm};
use fedbits_random::Streams;

#[test]
fn marginalization_follows_numpy() {
    let file = golden("vertical.json");
    let rows = numbers(&file["rows"]);
    let blocks = FeatureBlocks::new(vec![vec![0, 1], vec![2], vec![4, 3]], 5).unwrap();
    let flags = file["observed"].as_array().unwrap().iter();
    let observed: Vec<Vec<bool>> = flags.map(|block| numbers(block).iter().map(|&has| has > 0.0).collect()).collect();
    // What is missing is read by nobody.
    let owner = [0, 0, 1, 2, 2];
    let hidden = |(at, x): (usize, &f64)| if observed[owner[at % 5]][at / 5] { *x } else { 0.5 * (at as f64 - 90.0) };
    let rows: Vec<f64> = rows.iter().enumerate().map(hidden).collect();
    let mixture = VerticalMixture::new(Examples::new(&rows, 5), 2, blocks).unwrap().observing(observed);
    let fit = Fit::new(mixture, &numbers(&file["start"]), PLAIN, Known::default(), Streams::new(1, 0)).unwrap();
    let mut algorithm = FederatedVpEm::new(fit, true, streams());
    for (t, expected) in (1..).zip(file["missing"].as_array().unwrap()) {
        algorithm.begin(t).unwrap();
        algorithm.commit().unwrap();
        let what = format!("iteration {t}");
        assert_within(&what, algorithm.state().theta, &numbers(&expected["theta"]), 1e-10);
        let likelihood = algorithm.values(true).unwrap()[0].unwrap();
        assert_within(&what, &[likelihood], &numbers(&expected["likelihood"]), 1e-10);
    }
}

/// A table as far as it is observed says nothing of what is missing: that becomes the mean of what the feature has.
#[test]
fn what_is_missing_is_read_by_nobody() {
    let blocks = FeatureBlocks::new(vec![vec![0, 2], vec![1]], 3).unwrap();
    let observed = [vec![true, false, true], vec![true, true, false]];
    for hidden in [1e9, -7.0] {
        let mut rows = vec![1.0, 2.0, 3.0, hidden, 4.0, hidden, 5.0, hidden, 9.0];
        blocks.fill(&mut rows, &observed);
        assert_eq!(rows, [1.0, 2.0, 3.0, 3.0, 4.0, 6.0, 5.0, 3.0, 9.0]);
    }
}

/// `problem` with gaps, one agent per feature.
fn with_gaps(problem: &Problem, seed: u64, settings: VpEm) -> FederatedVpEm {
    let observed =
        settings.missing_blocks.draw(problem.agents, problem.rows.len() / problem.agents, &Streams::new(seed, 0));
    let blocks = FeatureBlocks::even(problem.agents, problem.agents).unwrap();
    let mixture = VerticalMixture::new(Examples::new(&problem.rows, problem.agents), 2, blocks).unwrap();
    let mixture = mixture.observing(observed.unwrap());
    let fit = Fit::new(mixture, &problem.theta, settings, Known::default(), Streams::new(seed, 0)).unwrap();
    FederatedVpEm::new(fit, true, streams())
}

/// Exact EM, with all examples and incremental: in the first iteration both visit all. Those that guess or drop what is
/// missing end lower, in the same likelihood.
#[test]
fn the_likelihood_of_what_was_observed_never_falls() {
    for seed in 0..20 {
        let problem = Problem::random(seed, &complete(4), 150);
        let end = |treatment, batch| {
            let missing_blocks = MissingBlocks::Drawn { share: 0.05 + 0.012 * seed as f64, treatment };
            let mut algorithm = with_gaps(&problem, seed, VpEm { missing_blocks, batch, ..PLAIN });
            let mut last = algorithm.probe().unwrap().objective.unwrap();
            for t in 1..=40 {
                algorithm.begin(t).unwrap();
                algorithm.commit().unwrap();
                let now = algorithm.probe().unwrap().objective.unwrap();
                if (treatment, batch) == (GapTreatment::Marginalize, VpBatch::All) {
                    assert!(now <= last + 1e-12 * last.abs(), "seed {seed}, iteration {t}: {last}, then {now}");
                }
                last = now;
            }
            last
        };
        let best = end(GapTreatment::Marginalize, VpBatch::All);
        assert!((end(GapTreatment::Marginalize, VpBatch::InTurn(50)) - best).abs() < 1e-2, "seed {seed}");
        for treatment in [GapTreatment::Impute, GapTreatment::Drop] {
            assert!(end(treatment, VpBatch::All) > best - 1e-6, "seed {seed}, {treatment:?}");
        }
    }
}

/// Terms of the examples that an agent has, and once a bit for each example where others must know which they are.
#[test]
fn bits_are_those_of_observed_examples() {
    let problem = Problem::random(3, &complete(4), 100);
    for (treatment, mask) in
        [(GapTreatment::Marginalize, [100, 0]), (GapTreatment::Impute, [0, 0]), (GapTreatment::Drop, [100, 100])]
    {
        let missing_blocks = MissingBlocks::Drawn { share: 0.3, treatment };
        let observed = missing_blocks.draw(4, 100, &Streams::new(3, 0)).unwrap();
        let whole = (0..100).filter(|&m| observed.iter().all(|has| has[m])).count() as u64;
        let visited = if treatment == GapTreatment::Drop { whole } else { 100 };
        let mut algorithm = with_gaps(&problem, 3, VpEm { missing_blocks, ..PLAIN });
        for t in 1..=2 {
            algorithm.begin(t).unwrap();
            let [up, down] = if t == 1 { mask } else { [0, 0] };
            for (client, has) in (0..).zip(&observed) {
                let terms = if treatment == GapTreatment::Marginalize {
                    has.iter().filter(|&&has| has).count() as u64
                } else {
                    visited
                };
                assert_eq!(algorithm.message(client, t).unwrap().count(), up + 128 * terms, "{treatment:?}");
            }
            assert_eq!(algorithm.answer().unwrap().count(), down + 128 * visited, "{treatment:?}");
            algorithm.commit().unwrap();
        }
    }
}
