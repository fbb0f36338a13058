//! Fitted mixtures, handed over: against scikit-learn, and from one preparation to another.

use crate::golden::{assert_within, golden, numbers};
use fedbits_models::clusters::Clusters;
use fedbits_models::data::DataSet;
use fedbits_models::data::pca::Pca;
use fedbits_models::data::transform::Transform;
use fedbits_models::fitted::{Array, Content, Features};
use fedbits_models::gmm::{Covariance, CovarianceForm, GaussianMixture, MixturePrior, MixtureSetting};
use fedbits_models::{DomainError, Examples, ModelSetting};

fn names() -> Vec<String> {
    ["a", "b", "c"].map(str::to_owned).to_vec()
}

/// Lower triangles, row by row, of d × d matrices one after the other.
fn triangles(matrices: &[f64], d: usize) -> Vec<f64> {
    let triangle = |matrix: &[f64]| (0..d).flat_map(|i| matrix[i * d..=i * d + i].to_vec()).collect::<Vec<_>>();
    matrices.chunks_exact(d * d).flat_map(triangle).collect()
}

fn array(arrays: &[Array], name: &str) -> (Vec<usize>, Vec<f64>) {
    match arrays.iter().find(|array| array.name == name).map(|array| &array.content) {
        Some(Content::Numbers { shape, values }) => (shape.clone(), values.clone()),
        other => panic!("{name}: {other:?}"),
    }
}

#[track_caller]
fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_within(what, found, expected, 1e-10);
}

/// Every form, fitted in three preparations of the same data: what is handed over is what scikit-learn has.
#[test]
fn mixtures_are_those_of_scikit_learn() {
    let golden = golden("fitted.json");
    let (rows, weights, means) = (numbers(&golden["rows"]), numbers(&golden["weights"]), numbers(&golden["means"]));
    let plain = Features { columns: names(), ..Features::default() };
    let affine = Transform::Affine { means: vec![9.0, -150.0, 0.02], scales: vec![3.0, 40.0, 0.005] };
    let standardized = Features { columns: names(), transformation: vec![affine.clone()], ..Features::default() };
    // A constant column, shifted before it is dropped.
    let columns = [&names()[..1], &["constant".to_owned()], &names()[1..]].concat();
    let centred = Transform::Affine { means: vec![9.0, 5.0, -150.0, 0.02], scales: vec![1.0; 4] };
    let dropped = Features {
        columns,
        transformation: vec![centred, Transform::Keep { columns: vec![0, 2, 3] }],
        ..Features::default()
    };
    for (word, form) in
        [("full", CovarianceForm::Full), ("diag", CovarianceForm::Diagonal), ("tied", CovarianceForm::Tied)]
    {
        let (case, setting) =
            (&golden["forms"][word], MixtureSetting { components: 3, covariance: form, prior: MixturePrior::Flat });
        let covariances = numbers(&case["covariances"]);
        let part = if word == "diag" { covariances.clone() } else { triangles(&covariances, 3) };
        let theta = [weights.clone(), means.clone(), part].concat();
        for features in [&plain, &standardized, &dropped] {
            let carried = setting.carry(&theta, &plain, features).unwrap();
            let arrays = setting.arrays(&carried, features).unwrap();
            assert_close("means", &array(&arrays, "means").1, &means);
            assert_close("covariances", &array(&arrays, "covariances").1, &covariances);
            let (shape, factors) = array(&arrays, "precisions_cholesky");
            assert_eq!(shape.iter().product::<usize>(), factors.len());
            assert_close(word, &factors, &numbers(&case["precisions_cholesky"]));
            assert_eq!(features.kept_names(), names());
            let data = DataSet::new(names(), rows.clone(), None, None).unwrap();
            let prepared = rows.chunks_exact(3).flat_map(|row| features.prepare(row).unwrap()).collect();
            let prepared = DataSet::new(data.columns().to_vec(), prepared, None, None).unwrap();
            let predictor = setting.predictor(&carried, features).unwrap().unwrap();
            let found = predictor.predict(&prepared).unwrap();
            let column = |at: usize| found.iter().skip(at).step_by(5).copied().collect::<Vec<_>>();
            assert_close("log-densities", &column(1), &numbers(&case["log_densities"]));
            let expected = numbers(&case["responsibilities"]);
            for g in 0..3 {
                let responsibilities: Vec<f64> = expected.iter().skip(g).step_by(3).copied().collect();
                assert_close("responsibilities", &column(2 + g), &responsibilities);
            }
        }
    }
    assert_eq!(dropped.dropped(), ["constant"]);
}

/// A component has collapsed where some direction, not only a column, has no more variance than the floor, or than
/// rounding leaves of the square of its own mean. How far other components lie does not matter.
#[test]
fn collapsed_components_are_found() {
    let none: [usize; 0] = [];
    let full = GaussianMixture::new(2, 2, Covariance::Full).unwrap();
    // Of variances 1 and 1 with the correlation ρ, that along the second diagonal is 1 − ρ.
    let theta = |far: f64, rest: f64| {
        let means = [far, 0.0, 1.0, 1.0];
        [&[0.5, 0.5][..], &means, &[1.0, 0.0, 4.0], &[1.0, 1.0 - rest, 1.0]].concat()
    };
    for far in [0.0, 1e7] {
        assert_eq!(full.collapsed(&theta(far, 1e-9), None, 0.0), none, "{far}");
        assert_eq!(full.collapsed(&theta(far, 1e-15), None, 0.0), [1], "{far}");
        assert_eq!(full.collapsed(&theta(far, 1e-3), None, 1e-3), [1], "{far}");
        assert_eq!(full.collapsed(&theta(far, 1.1e-3), None, 1e-3), none, "{far}");
    }
    // The squares of the first component are counted from 0, or from its mean.
    assert_eq!(full.collapsed(&theta(1e8, 1e-9), None, 0.0), [0]);
    assert_eq!(full.collapsed(&theta(1e8, 1e-9), Some(&[1e8, 0.0]), 0.0), [1]);
    let tied = GaussianMixture::new(2, 2, Covariance::Tied { second_moment: vec![1.0, 0.0, 13.0] }).unwrap();
    let theta = |least: f64| [0.5, 0.5, 0.0, -3.0, 0.0, 3.0, 1.0, 0.0, least];
    assert_eq!(tied.collapsed(&theta(1e-3), None, 1e-3), [0, 1]);
    assert_eq!(tied.collapsed(&theta(1e-12), None, 0.0), none);
    let diagonal = GaussianMixture::new(2, 2, Covariance::Diagonal).unwrap();
    let theta = [0.5, 0.5, 0.0, -3.0, 0.0, 3.0, 1.0, 4.0, 1e-15, 4.0];
    assert_eq!(diagonal.collapsed(&theta, None, 0.0), none);
    assert_eq!(diagonal.collapsed(&theta, None, 1e-15), [1]);
}

/// A column that is the same in all examples of a class has no variance there, whatever sign rounding gives it.
#[test]
fn classes_without_variance_start_nothing() {
    for shift in (0..40).map(|k| 0.37 * f64::from(k)) {
        let rows: Vec<f64> = (0..12).flat_map(|i| [f64::from(i * i % 7), f64::from(i / 4) + shift]).collect();
        let examples = Examples::new(&rows, 2);
        let labels: Vec<u32> = (0..12).map(|i| i / 4).collect();
        for covariance in [Covariance::Diagonal, Covariance::Full] {
            let mixture = GaussianMixture::new(3, 2, covariance).unwrap();
            let error = mixture.theta_of_labels(examples, &labels).unwrap_err();
            assert!(matches!(error, DomainError::Singular { component: Some(_) }), "{shift}: {error}");
            let two: Vec<u32> = labels.iter().map(|label| label % 2).collect();
            let two_classes = GaussianMixture::new(2, 2, Covariance::Diagonal).unwrap();
            let error = two_classes.theta_of_labels(examples, &two).unwrap_err();
            assert_eq!(error, DomainError::Singular { component: Some(1) }, "{shift}");
        }
    }
}

/// Two classes at 0 and 10 with variance 1, nine times as many at 0: Σ₀ is 1, whatever mean over clients C2 is.
#[test]
fn a_tied_covariance_of_labels_is_that_of_the_pooled_examples() {
    let labels: Vec<u32> = (0..40).map(|i| u32::from(i >= 36)).collect();
    let row = |(i, &class): (i32, &u32)| f64::from(10 * class) + f64::from(2 * (i % 2) - 1);
    let rows: Vec<f64> = (0..).zip(&labels).map(row).collect();
    let examples = Examples::new(&rows, 1);
    // The mean over all examples, that over two clients with a class each, and one that is too small.
    for second_moment in [11.0, 51.0, 5.0] {
        let mixture = GaussianMixture::new(2, 1, Covariance::Tied { second_moment: vec![second_moment] }).unwrap();
        let theta = mixture.theta_of_labels(examples, &labels).unwrap();
        assert_close("θ₀", &theta, &[0.9, 0.1, 0.0, 10.0, 1.0]);
    }
}

#[test]
fn models_of_other_columns_are_not_carried_over() {
    let setting = MixtureSetting { components: 1, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };
    let of = |names: &[&str]| Features {
        columns: names.iter().map(|name| (*name).to_owned()).collect(),
        transformation: vec![Transform::Keep { columns: vec![0] }],
        ..Features::default()
    };
    let from = Features { transformation: Vec::new(), ..of(&["a"]) };
    let error = setting.carry(&[1.0, 0.0, 1.0], &from, &of(&["b", "c"])).unwrap_err();
    assert_eq!(error.to_string(), "the model has the columns a, the data b: expected a model of the same columns");
    let unprepared = Features { columns: vec!["b".to_owned()], ..from.clone() };
    assert_eq!(setting.carry(&[1.0, 0.0, 1.0], &from, &unprepared).unwrap_err().to_string(), error.to_string());
    let wrong = setting.predictor(&[1.0, 0.0], &from).err().unwrap().to_string();
    assert!(wrong.contains("2 numbers") && wrong.contains("3 were expected"), "{wrong}");
}

/// Which of the two is of principal components is said as it is.
#[test]
fn principal_components_on_either_side_are_told_apart() {
    let setting = MixtureSetting { components: 1, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };
    let columns = ["a", "b"].map(str::to_owned).to_vec();
    let scaled = Transform::Affine { means: vec![0.0; 2], scales: vec![1.0; 2] };
    let rows = Examples::new(&[0.0, 0.0, 1.0, 1.0], 2);
    let pca = Pca::fit(rows, 2, |_, _| Some((vec![0.5, 1.0], vec![0.8, -0.6, 0.6, 0.8]))).unwrap();
    let of = |transformation| Features { columns: columns.clone(), transformation, ..Features::default() };
    let (plain, standardized) = (of(Vec::new()), of(vec![scaled.clone()]));
    let projected = of(vec![scaled, Transform::Project(pca)]);
    let theta = [1.0, 0.5, -0.5, 1.0, 2.0];
    let refused = |from, to| setting.carry(&theta, from, to).unwrap_err().to_string();
    let expected = "these data are principal components, for which the model's covariances are not diagonal: expected";
    assert!(refused(&standardized, &projected).starts_with(expected), "{}", refused(&standardized, &projected));
    let expected = "the model is one of principal components, and these data are prepared in another way: expected";
    assert!(refused(&projected, &plain).starts_with(expected), "{}", refused(&projected, &plain));
}
