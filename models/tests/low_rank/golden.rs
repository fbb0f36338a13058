//! g10: four observers of a 5×4 matrix in two servers, rank 1, λ 0 and 0.2, γ 1 and 0.3, eight steps each.

use fedbits_models::low_rank::{Family, LowRank};
use fedbits_models::{Batch, DomainPolicy, Examples, Model, Scratch};
use serde_json::Value;
use std::path::Path;

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/g10_fedmissem_derived.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the golden file is there")).expect("it is JSON")
}

fn matrix(value: &Value) -> Vec<f64> {
    let rows = value.as_array().expect("rows").iter();
    rows.flat_map(|row| row.as_array().expect("a row")).map(|x| x.as_f64().expect("a number")).collect()
}

/// All observations (j, l, x) of all observers.
fn observations(inputs: &Value) -> Vec<f64> {
    let mut rows = Vec::new();
    for observer in inputs["observers"].as_array().expect("observers") {
        let (mask, x) = (matrix(&observer["mask"]), matrix(&observer["X"]));
        for (cell, _) in mask.iter().enumerate().filter(|(_, mask)| **mask == 1.0) {
            rows.extend([(cell / 4) as f64, (cell % 4) as f64, x[cell]]);
        }
    }
    rows
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
    }
}

/// h(S), S and θ = T(S) of every step to 1e-9: the servers hold equally many observers, so the mean over servers of
/// their means is the pooled statistic with M = 4 matrices.
#[test]
fn every_step_of_g10() {
    let file = golden();
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
                close(&h, &matrix(&step["h"]), "h");
                s.iter_mut().zip(&h).for_each(|(s, h)| *s += gamma * h);
            }
            close(&s, &matrix(&step["S"]), "S");
            model.maximize(&s, DomainPolicy::Error, &mut theta).expect("T exists");
            let dense: Vec<f64> = (0..20).map(|cell| model.parameter_at(&theta, cell)).collect();
            close(&dense, &matrix(&step["theta"]), "θ");
        }
    }
}
