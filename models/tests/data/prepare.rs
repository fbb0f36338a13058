use crate::data::names;
use crate::golden::golden;
use fedbits_eigen::symmetric_eigen;
use fedbits_models::Examples;
use fedbits_models::data::DataSet;
use fedbits_models::data::csv::{Column, Columns};
use fedbits_models::data::pca::{Pca, PreprocessError};
use fedbits_models::data::preprocess::{Preprocess, prepare, prepare_clients};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;

fn table(columns: &[&str], rows: &[f64]) -> DataSet {
    DataSet::new(names(columns), rows.to_vec(), None, None).expect("a table")
}

#[test]
fn constant_columns_are_dropped_and_counted() {
    let data = table(&["a", "b", "c"], &[1.0, 5.0, 2.0, 1.0, 6.0, 2.0]);
    let prepared = prepare(data, &[Preprocess::DropConstant], symmetric_eigen).unwrap();
    assert_eq!((prepared.data.columns(), prepared.data.rows()), (&names(&["b"])[..], &[5.0, 6.0][..]));
    assert_eq!(prepared.notes, ["dropped 2 constant columns, 1 left"]);
    let error = prepare(table(&["a"], &[1.0, 1.0]), &[Preprocess::DropConstant], symmetric_eigen).unwrap_err();
    assert_eq!(error.to_string(), "drop constant columns: all 1 are constant");
}

/// Column (1, 2, 6): mean 3, squared deviations 4 + 1 + 9 = 14, variance with divisor 2 is 7.
#[test]
fn standardizing_has_divisor_n_minus_one() {
    let centred = prepare(table(&["a"], &[1.0, 2.0, 6.0]), &[Preprocess::Center], symmetric_eigen).unwrap();
    assert_eq!(centred.data.rows(), [-2.0, -1.0, 3.0]);
    assert_eq!(centred.notes, ["centred 1 column"]);
    let scaled = prepare(table(&["a"], &[1.0, 2.0, 6.0]), &[Preprocess::Standardize], symmetric_eigen).unwrap();
    let root = 7f64.sqrt();
    assert_eq!(scaled.data.rows(), [-2.0 / root, -1.0 / root, 3.0 / root]);
    assert_eq!(scaled.notes, ["standardized 1 column (mean 0, standard deviation 1 with divisor N - 1)"]);
}

/// Against numpy (tests/golden/make_tables.py). A client with one example, and one with a constant column.
#[test]
fn clients_are_standardized() {
    let file = golden("standardized.json");
    let numbers =
        |key: &str| -> Vec<f64> { file[key].as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect() };
    let mut offsets = vec![0];
    numbers("sizes").iter().for_each(|&size| offsets.push(offsets[offsets.len() - 1] + size as usize));
    let data = table(&["a", "b", "c"], &numbers("rows"));
    let done = |step: Preprocess| prepare_clients(data.clone(), &offsets, &[step], symmetric_eigen).unwrap();
    let log = Preprocess::Log(Columns::Columns(vec![Column::Name("a".to_owned())]));
    for (step, key) in
        [(Preprocess::StandardizePerClient, "own"), (Preprocess::StandardizeFederated, "all"), (log, "log")]
    {
        let (found, expected) = (done(step), numbers(key));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        assert!(found.data.rows().iter().zip(&expected).all(near), "{key}");
    }
    let standardized = done(Preprocess::StandardizePerClient);
    assert_eq!(standardized.notes, ["standardized 3 columns within each of 4 clients"]);
    assert_eq!(
        Caveat::sentences(&standardized.caveats),
        ["a column is constant in 2 clients, and 0 in the fit (first: client 1, `a`)"]
    );
    assert_eq!(Preprocess::StandardizeFederated.exchanged(3), (7, 6));
}

/// The mean of ten times 0.1 is not 0.1.
#[test]
fn a_constant_column_is_one_over_all_clients() {
    let data = table(&["a", "b"], &(0..10).flat_map(|i| [f64::from(i), 0.1]).collect::<Vec<_>>());
    let error = prepare_clients(data, &[0, 10], &[Preprocess::StandardizeFederated], symmetric_eigen).unwrap_err();
    let said = "standardize: column `b` is constant over all clients: expected other `columns`";
    assert_eq!(error.to_string(), said);
}

#[test]
fn logarithms_need_numbers_above_0() {
    let log = |columns: Vec<Column>| Preprocess::Log(Columns::Columns(columns));
    let message =
        |step| prepare(table(&["a", "b"], &[1.0, 4.0, 0.0, 4.0]), &[step], symmetric_eigen).unwrap_err().to_string();
    assert_eq!(
        message(Preprocess::Log(Columns::All)),
        "logarithm: example 1 (counted from 0) has 0 in column `a`: expected numbers above 0"
    );
    let unknown = message(log(vec![Column::Name("c".to_owned())]));
    assert_eq!(unknown, "logarithm: there is no column `c` among `a`, `b`: expected each once");
    assert!(message(log(vec![Column::Index(2)])).contains("no column 2"));
    let done = prepare(table(&["a", "b"], &[1.0, 4.0]), &[log(vec![Column::Index(1)])], symmetric_eigen).unwrap();
    assert_eq!(done.data.rows(), [1.0, libm::log(4.0)]);
}

#[test]
fn impossible_steps_are_explained() {
    let message =
        |rows: &[f64], step| prepare(table(&["a", "b"], rows), &[step], symmetric_eigen).unwrap_err().to_string();
    assert_eq!(
        message(&[1.0, 4.0, 2.0, 4.0], Preprocess::Standardize),
        "standardize: column `b` is constant (4): expected `DropConstant` before it"
    );
    assert_eq!(message(&[1.0, 4.0], Preprocess::Standardize), "standardize: one example has no standard deviation");
    let pca = Preprocess::Pca;
    assert_eq!(message(&[1.0, 4.0], pca(1)), "principal components: one example has no covariance");
    assert_eq!(message(&[1.0, 4.0, 1.0, 4.0], pca(1)), "principal components: every column is constant");
    assert_eq!(
        message(&[1.0, 4.0, 1.0, 5.0], pca(3)),
        "principal components: 3 asked for, but the data have 2 columns: expected 1 to 2"
    );
    assert_eq!(
        message(&[1.0, 4.0, 1.0, 5.0], pca(0)),
        "principal components: 0 asked for, but the data have 2 columns: expected 1 to 2"
    );
    assert!(Pca::fit(Examples::new(&[1e200, -1e200], 1), 1, symmetric_eigen).is_err());
}

/// y = t·(3, −4)/5: one eigenvalue, the variance of t; loadings (−3, 4)/5 because the larger one is made positive.
#[test]
fn rank_one_data_has_one_component() {
    let rows: Vec<f64> = (0..9).flat_map(|t| [3.0 * f64::from(t) / 5.0, -4.0 * f64::from(t) / 5.0]).collect();
    let examples = Examples::new(&rows, 2);
    assert_eq!(Pca::fit(examples, 2, symmetric_eigen), Err(PreprocessError::Rank { asked: 2, rank: 1 }));
    let pca = Pca::fit(examples, 1, symmetric_eigen).unwrap();
    // Variance of 0..=8 with divisor 8: (81 − 1)/12 · 9/8 = 7.5.
    assert!((pca.eigenvalues()[0] - 7.5).abs() < 1e-7);
    assert!((pca.explained_share() - 1.0).abs() < 1e-8);
    let loadings = pca.loadings(0);
    assert!((loadings[0] + 0.6).abs() < 1e-6 && (loadings[1] - 0.8).abs() < 1e-6, "{loadings:?}");
    // Scores are −(t − 4).
    for (t, score) in pca.project(examples).into_iter().enumerate() {
        assert!((score - (4.0 - t as f64)).abs() < 1e-5);
    }
}

/// A column that is the sum of two others adds no component, nor do rows that are no more than the columns.
#[test]
fn components_that_are_rounding_noise_are_refused() {
    let streams = Streams::new(8, 0);
    let row = |example| {
        let mut stream = streams.at(DrawPurpose::Data, example, 0);
        let (a, b) = (70.0 + 12.0 * stream.normal(), 0.3 * stream.normal());
        [a, b, a + b]
    };
    let fit = |n: u64, k| {
        let rows: Vec<f64> = (0..n).flat_map(row).collect();
        Pca::fit(Examples::new(&rows, 3), k, symmetric_eigen)
    };
    assert_eq!(fit(2, 2), Err(PreprocessError::Rank { asked: 2, rank: 1 }));
    assert_eq!(
        fit(200, 3).unwrap_err().to_string(),
        "principal components: 3 asked for, but the columns have rank 2: expected at most 2"
    );
    assert!(fit(200, 2).unwrap().eigenvalues()[1] > 0.01);
}

/// Loadings are multiples of 2⁻²⁰: beside a column of standard deviation 1e5, half a step of them is a twentieth of the
/// other's.
#[test]
fn components_that_rounding_mixes_are_a_caveat() {
    let prepared = |scale: f64, steps: &[Preprocess]| {
        let rows = correlated(400, 2).chunks(2).flat_map(|row| [scale * row[0], row[1]]).collect::<Vec<_>>();
        Caveat::sentences(&prepare(table(&["income", "x"], &rows), steps, symmetric_eigen).unwrap().caveats)
    };
    let said = prepared(1e5, &[Preprocess::Pca(2)]);
    assert!(said[0].contains("of component 2: scales differ too much; use `Standardize` before `Pca`"), "{said:?}");
    for (scale, steps) in [
        (1.0, &[Preprocess::Pca(2)][..]),
        (1e5, &[Preprocess::Pca(1)]),
        (1e5, &[Preprocess::Standardize, Preprocess::Pca(2)]),
    ] {
        assert_eq!(prepared(scale, steps), [""; 0]);
    }
}

/// Four points ±(2, 0), ±(0, 1) turned by the angle with cosine .6: covariance eigenvalues 8/3 and 2/3.
#[test]
fn turned_axes_are_recovered() {
    let points = [[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    let turned: Vec<f64> =
        points.iter().flat_map(|p: &[f64; 2]| [0.6 * p[0] - 0.8 * p[1], 0.8 * p[0] + 0.6 * p[1]]).collect();
    let pca = Pca::fit(Examples::new(&turned, 2), 2, symmetric_eigen).unwrap();
    assert!((pca.eigenvalues()[0] - 8.0 / 3.0).abs() < 1e-8 && (pca.eigenvalues()[1] - 2.0 / 3.0).abs() < 1e-8);
    assert!((pca.loadings(0)[0] - 0.6).abs() < 1e-6 && (pca.loadings(0)[1] - 0.8).abs() < 1e-6);
    assert!((pca.loadings(1)[0] - 0.8).abs() < 1e-6 && (pca.loadings(1)[1] + 0.6).abs() < 1e-6);
}

fn correlated(n: usize, d: usize) -> Vec<f64> {
    let streams = Streams::new(5, 0);
    (0..n as u64)
        .flat_map(|example| {
            let mut stream = streams.at(DrawPurpose::Data, example, 0);
            let common = stream.normal();
            (0..d).map(|j| common + (j + 1) as f64 * stream.normal()).collect::<Vec<_>>()
        })
        .collect()
}

/// The slow reference: cyclic Jacobi rotations on the covariance written out from its definition.
fn jacobi(rows: &[f64], d: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = (rows.len() / d) as f64;
    let mean = |j: usize| rows.iter().skip(j).step_by(d).sum::<f64>() / n;
    let means: Vec<f64> = (0..d).map(mean).collect();
    let entry = |i: usize, j: usize| {
        rows.chunks(d).map(|row| (row[i] - means[i]) * (row[j] - means[j])).sum::<f64>() / (n - 1.0)
    };
    let mut a: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect();
    let mut v: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..30 {
        for p in 0..d {
            for q in p + 1..d {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in a.iter_mut().chain(v.iter_mut()) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let vector = |&c: &usize| v.iter().map(|row| row[c]).collect::<Vec<_>>();
    (order.iter().map(|&c| a[c][c]).collect(), order.iter().map(vector).collect())
}

#[test]
fn components_are_those_of_jacobi() {
    let d = 7;
    let rows = correlated(400, d);
    let (values, vectors) = jacobi(&rows, d);
    let pca = Pca::fit(Examples::new(&rows, d), d, symmetric_eigen).unwrap();
    for c in 0..d {
        assert!((pca.eigenvalues()[c] / values[c] - 1.0).abs() < 2e-9, "{} {}", pca.eigenvalues()[c], values[c]);
        let loadings = pca.loadings(c);
        let largest = (0..d).max_by(|&i, &j| loadings[i].abs().total_cmp(&loadings[j].abs())).unwrap();
        assert!(loadings[largest] > 0.0);
        let sign = vectors[c][largest].signum();
        for (loading, reference) in loadings.iter().zip(&vectors[c]) {
            assert!((loading - sign * reference).abs() < 0.5 / 1_048_576.0 + 1e-10);
            assert_eq!((loading * 1_048_576.0).fract(), 0.0, "on the grid of 2^-20");
        }
    }
    assert!((pca.explained_share() - 1.0).abs() < 1e-8);
}

/// What rounding is for: a change of the data in the last bits (another order of the same examples) leaves every
/// loading and eigenvalue as it was.
#[test]
fn last_bits_do_not_reach_the_loadings() {
    let d = 7;
    let rows = correlated(400, d);
    let mut backwards = Vec::new();
    rows.chunks(d).rev().for_each(|row| backwards.extend_from_slice(row));
    let forth = Pca::fit(Examples::new(&rows, d), 4, symmetric_eigen).unwrap();
    let back = Pca::fit(Examples::new(&backwards, d), 4, symmetric_eigen).unwrap();
    assert_eq!(forth.eigenvalues(), back.eigenvalues());
    (0..4).for_each(|c| assert_eq!(forth.loadings(c), back.loadings(c)));
}

#[test]
fn steps_apply_in_order_and_say_so() {
    let data = table(&["a", "b", "c"], &[1.0, 0.0, 9.0, 2.0, 5.0, 9.0, 3.0, 1.0, 9.0, 4.0, 2.0, 9.0]);
    let prepared =
        prepare(data, &[Preprocess::DropConstant, Preprocess::Standardize, Preprocess::Pca(1)], symmetric_eigen)
            .unwrap();
    assert_eq!((prepared.data.len(), prepared.data.columns()), (4, &names(&["pc1"])[..]));
    // Columns (1,2,3,4) and (0,5,1,2): squares 5 and 14, product 1, so the correlation is r = 1/sqrt(70) = .1195;
    // eigenvalue 1 + r, share (1 + r)/2.
    assert_eq!(
        prepared.notes[2],
        "projected 2 columns on 1 principal component: 56.0 % of the variance, eigenvalues 1.120 to 1.120"
    );
}

/// The prepared data of a whole chain, to the bit: the same on every CPU, in debug and release.
#[test]
fn prepared_data_keep_their_digest() {
    let d = 40;
    let rows = correlated(1000, d);
    let columns = (0..d).map(|j| j.to_string()).collect();
    let data = DataSet::new(columns, rows, None, None).unwrap();
    assert_eq!(hex(data.digest()), "8ea3f0ae05f3b79e");
    let prepared =
        prepare(data, &[Preprocess::DropConstant, Preprocess::Standardize, Preprocess::Pca(5)], symmetric_eigen)
            .unwrap();
    assert_eq!(hex(prepared.data.digest()), "dba397b6f3d4b80f");
}

fn hex(digest: [u8; 32]) -> String {
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
