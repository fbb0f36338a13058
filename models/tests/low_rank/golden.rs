//! g10: four observers of a 5×4 matrix in two servers, rank 1, λ 0 and 0.2, γ 1 and 0.3, eight steps each.

use crate::golden::{assert_close, golden, numbers};
use fedbits_models::low_rank::{Family, LowRank};
use fedbits_models::{Batch, DomainPolicy, Examples, Model, Scratch};
use serde_json::Value;

/// All observations (j, l, x) of all observers.
fn observations(inputs: &Value) -> Vec<f64> {
    let mut rows = Vec::new();
    for observer in inputs["observers"].as_array().expect("observers") {
        let (mask, x) = (numbers(&observer["mask"]), numbers(&observer["X"]));
        for (cell, _) in mask.iter().enumerate().filter(|(_, mask)| **mask == 1.0) {
            rows.extend([(cell / 4) as f64, (cell % 4) as f64, x[cell]]);
        }
    }
    rows
}

/// h(S), S and θ = T(S) of every step to 1e-9: the servers hold equally many observers, so the mean over servers of
/// their means is the pooled statistic with M = 4 matrices.
#[test]
fn every_step_of_g10() {
    let file = golden("g10_fedmissem_derived.json");
    let rows = observations(&file["inputs"]);
    let examples = Examples { rows: &rows, dimension: 3 };
    for (lambda, gamma) in [(0.0, 1.0), (0.0, 0.3), (0.2, 1.0), (0.2, 0.3)] {
        let steps = file["runs"][format!("lambda{lambda:.1}_gamma{gamma:.1}")].as_array().expect("a run");
        let model = LowRank::new((5, 4), 1, lambda, Family::Gaussian, examples.len(), 4).expect("a model");
        // θ = 0 imputes zeros: the start of the file.
        let (mut s, mut theta, mut statistic) = (vec![0.0; 20], Vec::new(), vec![0.0; 20]);
        let zero = model.conditional(&[0.0; 9]).expect("zero is a parameter");
        zero.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut s);
        for step in steps {
            if step["k"] != 0 {
                let e_step = model.conditional(&theta).expect("a parameter");
                e_step.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut statistic);
                let h: Vec<f64> = statistic.iter().zip(&s).map(|(statistic, s)| statistic - s).collect();
                assert_close("h", &h, &numbers(&step["h"]));
                s.iter_mut().zip(&h).for_each(|(s, h)| *s += gamma * h);
            }
            assert_close("S", &s, &numbers(&step["S"]));
            model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
            let dense: Vec<f64> = (0..20).map(|cell| model.parameter_at(&theta, cell)).collect();
            assert_close("θ", &dense, &numbers(&step["theta"]));
        }
    }
}
