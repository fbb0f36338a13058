//! What tests share: the golden files of `tests/golden`, which other programs computed, what is close to them, and what
//! a model computes.

#![allow(dead_code, reason = "each test uses some of it")]

use fedbits_models::{ExactModel, Examples, Scratch};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The path of a file or folder of `tests/golden`, whichever crate asks.
pub fn golden_path(name: &str) -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let path = folders.find_map(|folder| Some(folder.join("tests/golden").join(name)).filter(|path| path.exists()));
    path.expect("the golden file is there")
}

/// A file of `tests/golden`.
pub fn golden(name: &str) -> Value {
    let text = std::fs::read_to_string(golden_path(name)).expect("it can be read");
    serde_json::from_str(&text).expect("it is JSON")
}

/// All numbers of nested arrays, in order.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

/// |x − y| ≤ 1e-9 max(1, |y|), entry by entry: the golden files' own tolerance.
#[track_caller]
pub fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_within(what, found, expected, 1e-9);
}

/// The same with another tolerance.
#[track_caller]
pub fn assert_within(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * y.abs().max(1.0), "{what}[{at}]: {x} and not {y}");
    }
}

/// s̄(θ) and the objective over all examples.
pub fn expected(model: &dyn ExactModel, rows: &[f64], theta: &[f64]) -> (Vec<f64>, f64) {
    let mut s = vec![f64::NAN; model.statistic_dimension()];
    let examples = Examples::new(rows, model.example_dimension());
    let step = model.conditional(theta).expect("a density");
    let objective = step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut s);
    (s, objective)
}
