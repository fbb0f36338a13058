//! The objective that a run's gaps are counted from, on the federation of the golden files.

use crate::fedem::common::{federation, golden, numbers};
use fedbits_protocols::reference::{ExactEm, MAX_PASSES, reference};
use fedbits_protocols::state::State;

/// From a start, and from where a few steps of EM lead from it, the search comes to the objective of 20 000 plain
/// steps, within its bound; where EM rests already, two passes say so.
#[test]
fn it_is_where_plain_em_ends() {
    let golden = golden("g2_fedem.json");
    let inputs = &golden["inputs"];
    let problem = federation(inputs);
    let step = |s: &[f64]| problem.expectation(&problem.maximize(s).unwrap()).unwrap().unwrap();
    let start = numbers(&inputs["S0"]);
    let early = (0..3).fold(start.clone(), |s, _| step(&s).0);
    let limit = (0..20_000).fold(start.clone(), |s, _| step(&s).0);
    let least = step(&limit).1;
    let from = |s: &[f64]| reference(&problem, &State { s_hat: s, theta: &problem.maximize(s).unwrap() }, MAX_PASSES);
    for s in [&start, &early, &limit] {
        let found = from(s);
        let objective = found.objective.unwrap();
        assert!((objective - least).abs() <= 1e-13 * least.abs(), "{found:?}, plain EM: {least}");
        assert!(objective <= step(s).1 + 1e-14 && found.passes <= MAX_PASSES, "{found:?}");
    }
    assert_eq!(from(&limit).passes, 2);
}
