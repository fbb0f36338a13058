//! The setting on data: ρ, errors, coefficients in the units of the data, predictions.

use fedbits_models::data::DataSet;
use fedbits_models::data::transform::Transform;
use fedbits_models::fit::{ExactSetting, Fit, FitError, Given, Moment};
use fedbits_models::fitted::{Array, Content, Features};
use fedbits_models::initial::InitialSetting;
use fedbits_models::regression::{Penalty, RegressionLoss, RegressionSetting, StepSize};
use fedbits_models::{ExactModel, ModelSetting};
use fedbits_random::Streams;

use super::drawn;

fn setting(loss: RegressionLoss, intercept: bool) -> RegressionSetting {
    RegressionSetting { loss, penalty: Penalty::Ridge(0.5), step: StepSize::Auto, intercept }
}

fn table(classes: u32, labelled: bool) -> DataSet {
    let drawn = drawn(50, 3, classes);
    let names = ["age", "height", "weight"].map(str::to_owned).to_vec();
    DataSet::new(names, drawn.rows, labelled.then_some(drawn.classes), None).unwrap()
}

fn fit(setting: RegressionSetting, data: &DataSet) -> Result<Fit<dyn ExactModel>, FitError> {
    let average = |moment: &Moment<'_>| moment(data.examples());
    let (initial, streams) = (InitialSetting::Zero, Streams::new(1, 0));
    setting.fit(data, &Given { source: None, counts: None, initial: &initial, streams: &streams, average: &average })
}

/// ρ = 1/L with L = ¼ λ_max(AᵀA/N) + λ, found here by power iteration.
#[test]
fn the_step_is_one_over_l() {
    let data = table(2, true);
    let found = fit(setting(RegressionLoss::Logistic, true), &data).unwrap();
    let rows: Vec<Vec<f64>> = data.rows().chunks(3).map(|row| [row, &[1.0]].concat()).collect();
    let (mut v, mut largest) = (vec![1.0; 4], 0.0);
    for _ in 0..5_000 {
        let mut image = vec![0.0; 4];
        for row in &rows {
            let score: f64 = row.iter().zip(&v).map(|(a, v)| a * v).sum();
            image.iter_mut().zip(row).for_each(|(sum, a)| *sum += score * a / rows.len() as f64);
        }
        largest = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        v = image.into_iter().map(|x| x / largest).collect();
    }
    let step = found.model.descent().unwrap().step();
    assert!((step * (0.25 * largest + 0.5) - 1.0).abs() < 1e-14, "{step}");
    assert_eq!(found.statistic, Some(vec![0.0; 4]));
    assert_eq!(found.model.parameter_names(), ["age", "height", "weight", "intercept"]);
}

#[test]
fn unfit_data_are_refused_with_reasons() {
    let refused = |setting, data: &DataSet| match fit(setting, data) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{setting:?} was fitted"),
    };
    let logistic = setting(RegressionLoss::Logistic, false);
    assert!(refused(logistic, &table(2, false)).contains("no labels"));
    let found = refused(logistic, &table(3, true));
    assert!(found.contains("3 classes") && found.contains("`Softmax`"), "{found}");
    assert!(refused(setting(RegressionLoss::Squares, false), &table(3, true)).contains("3 classes"));
    let zeros = DataSet::new(vec!["x".to_owned()], vec![0.0; 4], Some(vec![0, 1, 0, 1]), None).unwrap();
    let unpenalized = RegressionSetting { penalty: Penalty::NoPenalty, ..logistic };
    assert!(refused(unpenalized, &zeros).contains("1/L is infinite"));
    assert_eq!(fit(setting(RegressionLoss::Softmax, true), &table(3, true)).unwrap().theta.len(), 3 * 4);
}

fn numbers<'a>(arrays: &'a [Array], name: &str) -> &'a [f64] {
    let array = arrays.iter().find(|array| array.name == name).unwrap();
    let Content::Numbers { values, .. } = &array.content else { panic!("`{name}` is a word") };
    values
}

/// Scores of prepared rows are those of the data with coefficients in their units, also where a column was dropped;
/// carried to other preparations they stay the same.
#[test]
fn coefficients_are_in_the_units_of_the_data() {
    let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
    let steps = vec![
        Transform::Keep { columns: vec![0, 2] },
        Transform::Affine { means: vec![10.0, -3.0], scales: vec![4.0, 0.5] },
    ];
    let prepared = Features { columns: columns.clone(), transformation: steps, ..Features::default() };
    let kept = vec![Transform::Keep { columns: vec![0, 2] }];
    let plain = Features { columns, transformation: kept, ..Features::default() };
    let (setting, theta) = (setting(RegressionLoss::Logistic, true), vec![2.0, -1.5, 0.25]);
    let score = |w: &[f64], constant: f64, row: &[f64]| w.iter().zip(row).map(|(w, x)| w * x).sum::<f64>() + constant;
    let (row, z) = ([17.0, 99.0, -2.0], [7.0 / 4.0, 1.0 / 0.5]);
    let expected = score(&theta[..2], theta[2], &z);
    let arrays = setting.arrays(&theta, &prepared).unwrap();
    let found = score(numbers(&arrays, "coefficients"), numbers(&arrays, "intercept")[0], &[row[0], row[2]]);
    assert!((found - expected).abs() < 1e-13, "{found}, {expected}");
    let carried = setting.carry(&theta, &prepared, &plain).unwrap();
    assert!((score(&carried[..2], carried[2], &[row[0], row[2]]) - expected).abs() < 1e-13, "{carried:?}");
    let back = setting.carry(&carried, &plain, &prepared).unwrap();
    assert!(back.iter().zip(&theta).all(|(back, theta)| (back - theta).abs() < 1e-13), "{back:?}");
    let without = RegressionSetting { intercept: false, ..setting };
    let refused = without.carry(&theta[..2], &prepared, &plain).unwrap_err().to_string();
    assert!(refused.contains("no intercept"), "{refused}");
}

#[test]
fn predictions_are_classes_probabilities_and_values() {
    let features = Features { columns: vec!["a".to_owned()], ..Features::default() };
    let data = DataSet::new(features.columns.clone(), vec![0.0, 2.0, -1.0], None, None).unwrap();
    let of = |loss, theta: &[f64]| {
        let predictor = setting(loss, true).predictor(theta, &features).unwrap().unwrap();
        (predictor.columns(), predictor.predict(&data).unwrap())
    };
    let (columns, values) = of(RegressionLoss::Logistic, &[1.0, 0.5]);
    assert_eq!(columns, ["class_index", "probability"]);
    let sigmoid = |z: f64| 1.0 / (1.0 + libm::exp(-z));
    assert_eq!(values, [1.0, sigmoid(0.5), 1.0, sigmoid(2.5), 0.0, sigmoid(-0.5)]);
    assert_eq!(of(RegressionLoss::Huber(1.0), &[3.0, 0.5]), (vec!["value".to_owned()], vec![0.5, 6.5, -2.5]));
    let (columns, values) = of(RegressionLoss::Softmax, &[1.0, 0.0, 0.0, 0.5, -1.0, 0.0]);
    assert_eq!(columns, ["class_index", "probability_0", "probability_1", "probability_2"]);
    assert_eq!([values[0], values[4], values[8]], [1.0, 0.0, 2.0]);
    assert!(values.chunks(4).all(|row| (row[1..].iter().sum::<f64>() - 1.0).abs() < 1e-15));
}
