//! Files of LIBSVM and NumPy: golden ones of scikit-learn and NumPy (tests/golden/make_tables.py), and damaged ones.

use crate::{directory, message, write};
use fedbits_models::data::lib_svm::read_lib_svm;
use fedbits_models::data::npy::read_npy;
use fedbits_models::data::{FileError, Remarks};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/arrays")
}

fn held() -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join("held.json")).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
}

#[test]
fn lib_svm_is_that_of_scikit_learn() {
    let held = held();
    for (name, first) in [("one.svm", "feature 1"), ("zero.svm", "feature 0")] {
        let data = read_lib_svm(&folder().join(name), None, &Remarks::default()).unwrap();
        assert_eq!(data.rows(), numbers(&held[name]["numbers"]), "{name}");
        assert_eq!(data.columns()[0], first);
        let labels: Vec<f64> = data.labels().unwrap().iter().map(|&label| f64::from(label)).collect();
        assert_eq!(labels, numbers(&held["labels"]), "{name}");
    }
}

#[test]
fn lib_svm_says_what_is_wrong() {
    let directory = directory();
    let read = |text: &str, features| {
        let read = read_lib_svm(&write(&directory, "t.svm", text.as_bytes()), features, &Remarks::default());
        read.map(|data| data.rows().to_vec()).map_err(|error| message(error, &directory))
    };
    assert_eq!(
        read("+1 1:2 3:4 # a comment\n\n-1\n1 2:5\n", None).unwrap(),
        [2.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0]
    );
    assert_eq!(read("1 1:2\n", Some(2)).unwrap(), [2.0, 0.0]);
    assert_eq!(
        read("1 1:2\n1 2:3 2:4\n", None).unwrap_err(),
        "t.svm:2: column 2: expected indices that increase, here above 2, found `2:4`"
    );
    assert!(read("1 1:x\n", None).unwrap_err().starts_with("t.svm:1: column 1: expected `index:value`"));
    assert!(read("1 1:inf\n", None).unwrap_err().contains("a finite one"));
    assert!(read("1:2\n", None).unwrap_err().contains("a label"));
    assert!(read("1 qid:3 1:2\n", None).unwrap_err().contains("`index:value`"));
    assert!(read("1 5:2\n", Some(4)).unwrap_err().contains("an index from 1 to 4"));
    assert!(read("# nothing\n", None).unwrap_err().contains("no data"));
}

#[test]
fn arrays_are_those_of_numpy() {
    let held = held();
    let names = held.as_object().unwrap().keys().filter(|name| name.ends_with(".npy"));
    let mut count = 0;
    for name in names {
        let data = read_npy(&folder().join(name), None).unwrap();
        assert_eq!(data.rows(), numbers(&held[name]["numbers"]), "{name}");
        let shape = [data.len() as f64, data.dimension() as f64];
        assert_eq!(&shape[..], numbers(&held[name]["shape"]), "{name}");
        count += 1;
    }
    assert!(count > 25, "{count}");
    let labelled = read_npy(&folder().join("cube.npy"), Some(&folder().join("classes.npy"))).unwrap();
    assert_eq!(labelled.labels(), Some(&[2, 0, 2, 1][..]));
}

#[test]
fn damaged_arrays_are_refused() {
    let directory = directory();
    let whole = std::fs::read(folder().join("little-f8-C.npy")).unwrap();
    let read = |bytes: &[u8]| -> Result<usize, FileError> {
        read_npy(&write(&directory, "t.npy", bytes), None).map(|data| data.len())
    };
    assert_eq!(read(&whole).unwrap(), 5);
    for cut in [0, 7, 9, 40, whole.len() - 1] {
        assert!(read(&whole[..cut]).is_err(), "{cut}");
    }
    assert!(read(&[&whole[..], &[0]].concat()).unwrap_err().to_string().contains("nothing behind 15 numbers"));
    let changed = |from: &str, to: &str| {
        let text: Vec<u8> = whole.clone();
        let place = text.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
        [&text[..place], to.as_bytes(), &text[place + from.len()..]].concat()
    };
    for (from, to, said) in [
        ("<f8", "<c8", "floats or integers"),
        ("<f8", "|O8", "floats or integers"),
        ("(5, 3)", "(0, 3)", "at least one row"),
        ("(5, 3)", "(9, 9)", "648 bytes of numbers"),
        ("shape", "shope", "'shape'"),
    ] {
        let error = read(&changed(from, to)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let large = [&whole[..whole.len() - 120], &u64::MAX.to_le_bytes(), &[0; 112]].concat();
    let place = large.windows(3).position(|window| window == b"<f8").expect("it is there");
    let large = [&large[..place], b"<u8", &large[place + 3..]].concat();
    assert!(read(&large).unwrap_err().to_string().contains("at most 2^53"));
    let halves = read_npy(&folder().join("line.npy"), Some(&folder().join("cube.npy"))).unwrap_err().to_string();
    assert!(halves.contains("expected 4 labels, one per example, found 24"), "{halves}");
}
