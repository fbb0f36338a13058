use crate::data::names;
use fedbits_models::data::{DataSet, DataSetError};

fn small() -> DataSet {
    DataSet::new(names(&["a", "b"]), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Some(vec![0, 1, 0]), Some(vec![2, 0, 1]))
        .expect("a table")
}

#[test]
fn broken_invariants_are_named() {
    let table = |columns: &[&str], rows: &[f64], labels| {
        DataSet::new(names(columns), rows.to_vec(), labels, None).unwrap_err().to_string()
    };
    assert_eq!(table(&[], &[1.0], None), "a data set needs at least one column and one example");
    assert_eq!(table(&["a"], &[], None), "a data set needs at least one column and one example");
    assert_eq!(table(&["a", "b"], &[1.0, 2.0, 3.0], None), "3 numbers do not make rows of 2");
    assert_eq!(table(&["a"], &[1.0, 2.0], Some(vec![0])), "1 label for 2 examples");
    assert_eq!(
        table(&["a", "b"], &[1.0, 2.0, 3.0, f64::INFINITY], None),
        "example 1 (counted from 0) has inf in column `b`: expected finite numbers"
    );
}

#[test]
fn selecting_moves_labels_and_groups_along() {
    let picked = small().select(&[2, 0, 2]).unwrap();
    assert_eq!(picked.rows(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
    assert_eq!(picked.labels(), Some(&[0, 0, 0][..]));
    assert_eq!(picked.groups(), Some(&[1, 2, 1][..]));
    assert!(small().select(&[]).is_err());
}

#[test]
fn appending_needs_the_same_columns_and_parts() {
    let joined = small().append(&small()).unwrap();
    assert_eq!((joined.len(), joined.labels().unwrap().len()), (6, 6));
    assert_eq!(joined.select(&[3, 4, 5]).unwrap(), small());
    let renamed = DataSet::new(names(&["a", "c"]), vec![1.0, 2.0], Some(vec![0]), Some(vec![0])).unwrap();
    let message = small().append(&renamed).unwrap_err().to_string();
    assert_eq!(message, "data sets with different columns cannot be joined");
    let bare = DataSet::new(names(&["a", "b"]), vec![1.0, 2.0], None, Some(vec![0])).unwrap();
    assert_eq!(small().append(&bare), Err(DataSetError::different("labels")));
}

/// The digest is BLAKE3 of N, d, the numbers, then for labels and groups one byte "present" and the codes, all
/// little-endian.
#[test]
fn digest_is_the_hash_of_the_documented_bytes() {
    let data = small();
    let mut bytes = Vec::new();
    bytes.extend(3u64.to_le_bytes());
    bytes.extend(2u64.to_le_bytes());
    data.rows().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    for codes in [[0u32, 1, 0], [2, 0, 1]] {
        bytes.push(1);
        codes.iter().for_each(|code| bytes.extend(code.to_le_bytes()));
    }
    assert_eq!(data.digest(), *blake3::hash(&bytes).as_bytes());
}

/// Each part enters: changing the sign of a zero, a label or the shape changes the digest; a column's name does not.
#[test]
fn digest_sees_every_part() {
    let make = |columns: &[&str], first: f64, labels| {
        DataSet::new(names(columns), vec![first, 1.0, 2.0, 3.0], labels, None).unwrap().digest()
    };
    let base = make(&["a", "b"], 0.0, Some(vec![0, 1]));
    assert_eq!(base, make(&["x", "y"], 0.0, Some(vec![0, 1])));
    assert_ne!(base, make(&["a", "b"], -0.0, Some(vec![0, 1])));
    assert_ne!(base, make(&["a", "b"], 0.0, Some(vec![1, 0])));
    assert_ne!(base, make(&["a", "b"], 0.0, None));
    assert_ne!(make(&["a", "b"], 0.0, None), make(&["a", "b", "c", "d"], 0.0, None));
}
