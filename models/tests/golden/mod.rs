//! The golden files of `tests/golden`: what other programs computed. Shared by the tests; knows no model.

use serde_json::Value;
use std::path::Path;

/// A file of `tests/golden`.
pub fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("the golden file is there")).expect("it is JSON")
}

/// All numbers of nested arrays, in order.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}
