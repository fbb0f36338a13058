//! Files of LIBSVM and NumPy: golden ones of scikit-learn and NumPy (tests/golden/make_tables.py), and damaged ones.

use crate::data::{directory, message, write};
use crate::golden::golden_path;
use fedbits_models::data::csv::MissingObservations;
use fedbits_models::data::lda_c::read_corpus;
use fedbits_models::data::lib_svm;
use fedbits_models::data::npy::{self, Stored};
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::{DataSet, FileError, Remarks};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    golden_path("arrays")
}

fn held() -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder().join("held.json")).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect()
}

fn read_lib_svm(path: &Path, features: Option<usize>, remarks: &Remarks) -> Result<DataSet, FileError> {
    let sparse = lib_svm::read_lib_svm(path, features, remarks, MemoryLimit::default())?;
    Ok(sparse.dense(MemoryLimit::default()).expect("there is no limit"))
}

fn read_npy(examples: Stored<'_>, labels: Option<Stored<'_>>) -> Result<DataSet, FileError> {
    npy::read_npy(examples, labels, MemoryLimit::default()).map(|(data, _)| data)
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

/// As `load_svmlight_file` reads them.
#[test]
fn labels_of_lib_svm_are_numbers() {
    let directory = directory();
    let path = write(&directory, "t.svm", b"+1 1:1\n-1 1:2\n1.0 1:3\n1 1:4\n-1e0 1:5\n");
    assert_eq!(read_lib_svm(&path, None, &Remarks::default()).unwrap().labels(), Some(&[1, 0, 1, 1, 0][..]));
}

/// What editors of another system put before the text is no part of the first label, nor of a word.
#[test]
fn a_byte_order_mark_is_no_text() {
    let directory = directory();
    let path = write(&directory, "t.svm", "\u{feff}+1 1:1\n1 1:2\n2 1:3\n".as_bytes());
    assert_eq!(read_lib_svm(&path, None, &Remarks::default()).unwrap().labels(), Some(&[0, 0, 1][..]));
    let documents = write(&directory, "t.dat", "\u{feff}1 0:2\n1 1:1\n".as_bytes());
    let words = write(&directory, "words.txt", "\u{feff}no\nyes\n".as_bytes());
    assert_eq!(
        read_corpus(&documents, Some(&words), MissingObservations::Error, &Remarks::default(), MemoryLimit::default())
            .unwrap()
            .vocabulary,
        ["no", "yes"]
    );
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
    for label in ["1:2", "1,3", "abc", "inf", "nan", "0x1"] {
        let said =
            format!("t.svm:2: column 0: expected a finite number as label, and then `index:value` …, found `{label}`");
        assert_eq!(read(&format!("1 1:2\n{label} 1:2\n"), None).unwrap_err(), said);
    }
    // As `load_svmlight_file` does, which passes over queries unless it is asked for them.
    let remarks = Remarks::default();
    let queries = write(&directory, "t.svm", b"1 qid:3 1:2\n0 qid:4 2:3\n");
    assert_eq!(read_lib_svm(&queries, None, &remarks).unwrap().rows(), [2.0, 0.0, 0.0, 3.0]);
    assert!(remarks.into_parts().0.contains(&"the queries (`qid:`) of 2 examples are not used".to_owned()));
    assert!(read("1 1:2 qid:3\n", None).unwrap_err().contains("`index:value`"));
    assert!(read("1 qid:x 1:2\n", None).unwrap_err().contains("`index:value`"));
    assert!(read("1 5:2\n", Some(4)).unwrap_err().contains("an index from 1 to 4"));
    assert!(read("# nothing\n", None).unwrap_err().contains("no data"));
}

/// A sparse table takes the memory of its entries: rows with all zeros are refused before they are made, and hashing
/// keeps scalar products in expectation.
#[test]
fn sparse_rows_are_kept_without_their_zeros() {
    let directory = directory();
    let text = "1 1:2 1000000:4\n-1 3:1.5\n1\n";
    let path = write(&directory, "t.svm", text.as_bytes());
    let limit = MemoryLimit::new(80_000_000);
    let read = || lib_svm::read_lib_svm(&path, None, &Remarks::default(), limit).expect("a sparse table");
    let sparse = read();
    assert_eq!((sparse.len(), sparse.dimension(), sparse.bytes()), (3, 1_000_000, 80));
    let mut entries = Vec::new();
    sparse.find_map(|example, column, value| {
        entries.push((example, column, value));
        None::<()>
    });
    assert_eq!(entries, [(0, 0, 2.0), (0, 999_999, 4.0), (1, 2, 1.5)]);
    assert_eq!(
        sparse.dense(limit).expect_err("too many zeros").to_string(),
        "3 examples of 1000000 numbers, of which 0.00 % are not 0, take 0.0 GB as a table with all zeros, and 0.1 GB \
         can be had"
    );
    let hashed = read().hashed(16, limit).expect("few columns");
    assert_eq!(
        (hashed.dimension(), hashed.labels(), hashed.columns()[15].as_str()),
        (16, Some(&[1, 0, 1][..]), "hash 15")
    );
    let squares: Vec<f64> = hashed.rows().chunks_exact(16).map(|row| row.iter().map(|x| x * x).sum()).collect();
    assert!([4.0, 20.0, 36.0].contains(&squares[0]) && squares[1..] == [2.25, 0.0], "{squares:?}");
    // Of many pairs of rows the products are those before, on average.
    let text: String = (0..2_000).map(|row| format!("1 {}:1 {}:1\n", 7 * row + 1, 7 * row + 3)).collect();
    let many = lib_svm::read_lib_svm(&write(&directory, "m.svm", text.as_bytes()), None, &Remarks::default(), limit);
    let hashed = many.expect("a sparse table").hashed(8, limit).expect("few columns");
    let norms: f64 = hashed.rows().iter().map(|x| x * x).sum::<f64>() / 2_000.0;
    // Two entries share a column with probability 1/8: the variance of a squared norm is 4/8.
    assert!((norms - 2.0).abs() < 5.0 * (0.5_f64 / 2_000.0).sqrt(), "{norms}");
}

#[test]
fn arrays_are_those_of_numpy() {
    let held = held();
    let names = held.as_object().unwrap().keys().filter(|name| name.ends_with(".npy"));
    let mut count = 0;
    for name in names {
        let data = read_npy(folder().join(name).as_path().into(), None).unwrap();
        assert_eq!(data.rows(), numbers(&held[name]["numbers"]), "{name}");
        let shape = [data.len() as f64, data.dimension() as f64];
        assert_eq!(&shape[..], numbers(&held[name]["shape"]), "{name}");
        count += 1;
    }
    assert!(count > 25, "{count}");
    let [cube, classes] = ["cube.npy", "classes.npy"].map(|name| folder().join(name));
    let labelled = read_npy(cube.as_path().into(), Some(classes.as_path().into())).unwrap();
    assert_eq!(labelled.labels(), Some(&[2, 0, 2, 1][..]));
}

#[test]
fn damaged_arrays_are_refused() {
    let directory = directory();
    let whole = std::fs::read(folder().join("little-f8-C.npy")).unwrap();
    let read = |bytes: &[u8]| -> Result<usize, FileError> {
        read_npy(write(&directory, "t.npy", bytes).as_path().into(), None).map(|data| data.len())
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
        ("<f8", "<c8", "floats of 2, 4 or 8 bytes or integers"),
        ("<f8", "|O8", "floats of 2, 4 or 8 bytes or integers"),
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
    let [line, cube] = ["line.npy", "cube.npy"].map(|name| folder().join(name));
    let halves = read_npy(line.as_path().into(), Some(cube.as_path().into())).unwrap_err().to_string();
    assert!(halves.contains("expected 4 labels, one per example, found 24"), "{halves}");
}

/// Labels are whole numbers, whatever the type: −0 is 0.
#[test]
fn labels_of_arrays_are_whole_numbers() {
    let directory = directory();
    let array = |name: &str, numbers: &[f64]| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", numbers.len());
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        write(&directory, name, &[b"\x93NUMPY\x01\0\x76\0", format!("{header:<117}\n").as_bytes(), &numbers].concat())
    };
    let examples = array("x.npy", &[1.5, 2.5, 3.5]);
    let read = |labels: [f64; 3]| {
        let read = read_npy(examples.as_path().into(), Some(array("y.npy", &labels).as_path().into()));
        read.map(|data| data.labels().unwrap().to_vec()).map_err(|error| message(error, &directory))
    };
    assert_eq!(read([-0.0, 0.0, 1.0]), Ok(vec![0, 0, 1]));
    assert_eq!(read([1e300, -1.0, 1e300]), Ok(vec![1, 0, 1]));
    for wrong in [f64::INFINITY, f64::NAN, 0.5] {
        let said = format!("y.npy: expected whole numbers as labels, found {wrong} at 1 (counted from 0)");
        assert_eq!(read([0.0, wrong, 1.0]), Err(said));
    }
}

/// Files of several arrays (tests/golden/make_npz.py), stored and deflated.
#[test]
fn arrays_of_a_file_of_several() {
    let held = held();
    for file in ["several.npz", "several-deflated.npz"] {
        let path = folder().join(file);
        let stored = |array| Stored { path: &path, array: Some(array) };
        let data = read_npy(stored("examples"), Some(stored("classes"))).unwrap();
        assert_eq!(data.rows(), numbers(&held["cube.npy"]["numbers"]), "{file}");
        assert_eq!(data.labels(), Some(&[2, 0, 2, 1][..]), "{file}");
        assert_eq!(read_npy(stored("a/b ü"), None).unwrap().rows(), numbers(&held["line.npy"]["numbers"]));
        let said = |array: Option<&str>| {
            let error = read_npy(Stored { path: &path, array }, None).unwrap_err().to_string();
            error.split_once(": ").unwrap().1.to_owned()
        };
        assert_eq!(
            said(None),
            "expected the name of one of its arrays (`array`, `labels_array`), found `examples`, `classes`, `a/b ü`, `words`"
        );
        assert_eq!(
            said(Some("exmaples")),
            "expected an array `exmaples`, found `examples`, `classes`, `a/b ü`, `words`; did you mean `examples`?"
        );
        assert_eq!(said(Some("words")), "expected floats of 2, 4 or 8 bytes or integers of 1 to 8, found '<U3'");
    }
    let only = folder().join("only.npz");
    assert_eq!(read_npy(only.as_path().into(), None).unwrap().rows(), numbers(&held["line.npy"]["numbers"]));
    let plain = Stored { path: &folder().join("line.npy"), array: Some("x") };
    let error = read_npy(plain, None).unwrap_err().to_string();
    assert!(error.contains("expected a file of several arrays (`.npz`), for the name `x`"), "{error}");
}

/// Whatever is damaged in an archive is an error: it is never read as something else.
#[test]
fn damaged_archives_are_refused() {
    let directory = directory();
    for file in ["several.npz", "several-deflated.npz"] {
        let whole = std::fs::read(folder().join(file)).unwrap();
        let read = |bytes: &[u8]| {
            let path = write(&directory, "t.npz", bytes);
            read_npy(Stored { path: &path, array: Some("examples") }, None).map(|data| data.rows().to_vec())
        };
        let expected = read(&whole).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            // Dates, and the other arrays, are not looked at.
            assert!(read(&bytes).map_or(true, |found| found == expected), "{file}, byte {place}");
            assert!(read(&whole[..place]).is_err(), "{file}, cut at {place}");
        }
    }
}
