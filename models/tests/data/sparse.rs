//! Sparse rows: whatever is done with them is that of the same rows with all zeros.

use fedbits_models::data::holdout::Holdout;
use fedbits_models::data::packed::MemoryLimit;
use fedbits_models::data::preprocess::{Preprocess, prepare};
use fedbits_models::data::{DataSet, DataSetError, columns_underflow};
use fedbits_models::{Batch, Examples, Response, Row, Rows};
use fedbits_random::Streams;
use proptest::prelude::*;

/// N × d numbers of which few are not 0, with labels.
fn tables() -> impl Strategy<Value = DataSet> {
    (1_usize..30, 1_usize..12).prop_flat_map(|(n, d)| {
        let number = prop_oneof![3 => Just(0.0), 1 => -1e3..1e3];
        let rows = prop::collection::vec(number, n * d);
        (rows, prop::collection::vec(0_u32..3, n)).prop_map(move |(rows, labels)| {
            let columns = (0..d).map(|column| format!("c{column}")).collect();
            DataSet::new(columns, rows, Some(labels), None).expect("a table")
        })
    })
}

fn dense(data: DataSet) -> DataSet {
    data.dense(MemoryLimit::default()).expect("there is no limit")
}

/// Bits of a sum of gradients of a smooth loss of aᵀ x.
fn gradient(examples: Examples<'_>, batch: Batch<'_>, x: &[f64]) -> Vec<u64> {
    let mut sum = vec![0.0; x.len()];
    let slope = |j, product: f64| examples.response().at(j).unwrap_or(0.5) - 1.0 / (1.0 + libm::exp(-product / 100.0));
    examples.add_products(batch, x, slope, &mut sum);
    sum.into_iter().map(f64::to_bits).collect()
}

proptest! {
    /// The same bits, of all examples, of some, of a range and of chunks.
    #[test]
    fn gradients_have_the_bits_of_dense_rows(data in tables(), x in prop::collection::vec(-2.0..2.0, 12), seed: u64) {
        let (sparse, x) = (data.sparsified(), &x[..data.dimension()]);
        prop_assert!(sparse.is_sparse() && !data.is_sparse());
        let n = data.len() as u64;
        let some: Vec<u32> = (0..n).map(|j| (seed.wrapping_mul(j + 3) % n) as u32).collect();
        let [one, other] = [sparse.examples(), data.examples()];
        for batch in [Batch::All, Batch::Indices(&some)] {
            prop_assert_eq!(gradient(one, batch, x), gradient(other, batch, x));
        }
        let range = n as usize / 3..n as usize;
        prop_assert_eq!(one.range(range.clone()).len(), range.len());
        prop_assert_eq!(gradient(one.range(range.clone()), Batch::All, x), gradient(other.range(range), Batch::All, x));
        prop_assert_eq!(one.chunks(4).count(), other.chunks(4).count());
        for (one, other) in one.chunks(4).zip(other.chunks(4)) {
            prop_assert_eq!((one.len(), one.dimension()), (other.len(), other.dimension()));
            prop_assert_eq!(gradient(one, Batch::All, x), gradient(other, Batch::All, x));
        }
    }

    /// Choosing, holding out, joining and looking for numbers commute with the zeros; digests follow the examples.
    #[test]
    fn what_is_done_to_sparse_rows_is_done_to_dense_ones(data in tables(), seed: u64) {
        let sparse = data.sparsified();
        prop_assert_eq!(&dense(sparse.clone()), &data);
        let n = data.len() as u64;
        let some: Vec<u32> = (0..n).map(|j| (seed.wrapping_mul(j + 3) % n) as u32).collect();
        let chosen = sparse.select(&some).expect("some examples");
        prop_assert_eq!(&dense(chosen.clone()), &data.select(&some).expect("some examples"));
        prop_assert_eq!(chosen.digest() == sparse.digest(), chosen == sparse);
        let joined = chosen.append(&sparse).expect("the same columns");
        prop_assert_eq!(&dense(joined), &data.select(&some).expect("some").append(&data).expect("the same columns"));
        let streams = Streams::new(seed, 0);
        match (Holdout::Rows(0.3).split(&sparse, &streams), Holdout::Rows(0.3).split(&data, &streams)) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!([dense(one.kept), dense(one.held_out)], [other.kept, other.held_out]);
            }
            (one, other) => prop_assert_eq!(one.is_err(), other.is_err()),
        }
        let large = |_, column, value: f64| (value.abs() > 500.0).then_some((column, value));
        prop_assert_eq!(sparse.find_map(large), data.find_map(large));
        let same_order = |data: &DataSet| data.find_map(|j, column, value| (value > 0.0).then_some((j, column)));
        prop_assert_eq!(same_order(&sparse), same_order(&data));
    }
}

fn names(d: usize) -> Vec<String> {
    (0..d).map(|column| format!("c{column}")).collect()
}

#[test]
fn broken_rows_are_named() {
    let made = |offsets: &[usize], indices: &[u32], values: &[f64]| {
        let entries = (offsets.to_vec(), indices.to_vec(), values.to_vec());
        DataSet::sparse(names(3), entries, None).map_err(|error| error.to_string())
    };
    assert!(made(&[0, 2, 2], &[0, 2], &[1.0, 2.0]).is_ok());
    let divided = "entries make no sparse rows: the offsets do not divide columns and numbers into rows";
    for offsets in [&[0, 1][..], &[1, 2], &[0, 3], &[0, 2, 1, 2]] {
        assert_eq!(made(offsets, &[0, 2], &[1.0, 2.0]).unwrap_err(), divided, "{offsets:?}");
    }
    assert_eq!(made(&[0, 2], &[0, 1], &[1.0]).unwrap_err(), divided);
    let increasing = "entries make no sparse rows: the columns of a row do not increase, or are not there";
    for indices in [[1, 1], [2, 0], [0, 3]] {
        assert_eq!(made(&[0, 2], &indices, &[1.0, 2.0]).unwrap_err(), increasing, "{indices:?}");
    }
    let infinite = made(&[0, 1, 2], &[0, 2], &[1.0, f64::NAN]).unwrap_err();
    assert_eq!(infinite, "example 1 (counted from 0) has NaN in column `c2`: expected finite numbers");
    assert_eq!(made(&[0], &[], &[]).unwrap_err(), "a data set needs at least one column and one example");
}

/// What needs all numbers refuses rows without zeros: it does not take them for dense ones.
#[test]
fn what_needs_all_numbers_refuses_sparse_rows() {
    let data = DataSet::sparse(names(2), (vec![0, 1, 2], vec![0, 1], vec![1.0, 2.0]), None).expect("a table");
    let eigen = |_: &[f64], _| None;
    for step in [Preprocess::DropConstant, Preprocess::Center, Preprocess::Standardize, Preprocess::Pca(1)] {
        let refused = prepare(data.clone(), &[step], eigen).unwrap_err();
        assert!(refused.to_string().contains("kept without their zeros"), "{refused}");
    }
    assert!(prepare(data.clone(), &[], eigen).expect("nothing is to be done").data.is_sparse());
    assert_eq!(data.clone().append(&dense(data.clone())), Err(DataSetError::different("ways to store zeros")));
    let rows = std::panic::catch_unwind(|| data.rows().len()).unwrap_err();
    assert!(rows.downcast_ref::<&str>().expect("a message").contains("takes_sparse"));
}

/// Digests see each part; that of a sparse set is never the one of the same table with zeros.
#[test]
fn digests_see_every_part() {
    let made = |ends: [usize; 3], indices: [u32; 2], second: f64, labels: Option<Vec<u32>>| {
        DataSet::sparse(names(3), (ends.to_vec(), indices.to_vec(), vec![1.0, second]), labels).expect("a table")
    };
    let base = made([0, 1, 2], [0, 1], 2.0, Some(vec![0, 1]));
    let variants = [
        made([0, 0, 2], [0, 1], 2.0, Some(vec![0, 1])),
        made([0, 1, 2], [0, 2], 2.0, Some(vec![0, 1])),
        made([0, 1, 2], [0, 1], 3.0, Some(vec![0, 1])),
        made([0, 1, 2], [0, 1], 2.0, Some(vec![1, 0])),
        made([0, 1, 2], [0, 1], 2.0, None),
        made([0, 1, 2], [0, 1], 2.0, None).with_targets(vec![0.0, 1.0]).expect("numbers"),
        dense(base.clone()),
    ];
    for (at, variant) in variants.iter().enumerate() {
        assert_ne!(base.digest(), variant.digest(), "{at}");
    }
}

/// Numbers to be predicted stand in the place of labels, and go where their examples go.
#[test]
fn targets_travel_with_their_examples() {
    let data = DataSet::new(names(1), vec![5.0, 6.0, 7.0], Some(vec![0, 1, 0]), None).expect("a table");
    let data = data.with_targets(vec![0.5, -1.5, 2.5]).expect("a number each");
    assert_eq!(data.labels(), None);
    let chosen = data.select(&[2, 0]).expect("some").append(&data).expect("the same columns");
    assert!(matches!(chosen.response(), Response::Numbers([2.5, 0.5, 0.5, -1.5, 2.5])));
    assert!(matches!(chosen.examples().range(1..3).response(), Response::Numbers([0.5, 0.5])));
    assert_eq!(data.bytes(), 48);
    let wrong = |targets: &[f64]| data.clone().with_targets(targets.to_vec()).unwrap_err().to_string();
    assert_eq!(wrong(&[1.0]), "1 target for 3 examples");
    assert!(wrong(&[1.0, f64::INFINITY, 2.0]).contains("example 1 (counted from 0) has inf"));
    let labelled = DataSet::new(names(1), vec![5.0], Some(vec![0]), None).expect("a table");
    assert_eq!(data.append(&labelled), Err(DataSetError::different("labels")));
}

/// Zeros that are not stored are numbers of their column.
#[test]
fn underflow_counts_the_zeros() {
    let made = |first: f64, second: f64| {
        let entries = (vec![0, 1, 2], vec![0, 0], vec![first, second]);
        columns_underflow(&DataSet::sparse(names(1), entries, None).expect("a table")).is_some()
    };
    assert!(made(1e-90, 2e-90) && !made(1.0, 1.0));
    let one = DataSet::sparse(names(1), (vec![0, 1, 1], vec![0], vec![1e-90]), None).expect("a table");
    assert!(columns_underflow(&one).is_some());
}

#[test]
fn rows_are_where_the_offsets_say() {
    let rows = Rows::Sparse { offsets: &[1, 2, 2], columns: &[9, 3], values: &[8.0, 5.0] };
    assert!(matches!(rows.row(0, 10), Row::Sparse([3], [5.0])) && matches!(rows.row(1, 10), Row::Sparse([], [])));
    let mut seen = Vec::new();
    rows.row(0, 10).for_each(|column, value| seen.push((column, value)));
    assert_eq!(seen, [(3, 5.0)]);
}
