//! Laws of what a fit gives to users: named arrays, θ for other preparations, predictions.

use std::collections::BTreeSet;

use super::assert_close;
use crate::data::{Coding, DataSet, Observations};
use crate::fitted::{Content, Features, Predictor};
use crate::setting::ModelSetting;

/// At a θ of the model, fitted to these data.
pub(super) fn laws(setting: &dyn ModelSetting, theta: &[f64], data: &Observations) {
    let coding = match data {
        Observations::Counts(table) => {
            Coding { sites: table.sites.clone(), times: table.times.clone(), ..Coding::default() }
        }
        _ => Coding::default(),
    };
    let features = Features { columns: data.columns().to_vec(), coding, ..Features::default() };
    arrays(setting, theta, &features);
    let carried = setting.carry(theta, &features, &features).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    assert_close(setting, "θ carried to data that are prepared in the same way", &carried, theta, 1e-12);
    let predictor = setting.predictor(theta, &features).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    if let (Some(predictor), Observations::Examples(data)) = (predictor, data) {
        predictions(setting, predictor.as_ref(), data);
    }
    judged(setting, theta, &features, data);
}

/// Arrays have names of their own, fill their shapes and are finite.
fn arrays(setting: &dyn ModelSetting, theta: &[f64], features: &Features) {
    let arrays = setting.arrays(theta, features).unwrap_or_else(|error| panic!("{setting:?}: arrays: {error}"));
    let names: BTreeSet<&str> = arrays.iter().map(|array| array.name).collect();
    assert_eq!(names.len(), arrays.len(), "{setting:?}: two arrays have one name");
    let mut numbers = 0;
    for array in &arrays {
        let Content::Numbers { shape, values } = &array.content else { continue };
        assert_eq!(shape.iter().product::<usize>(), values.len(), "{setting:?}: the shape of `{}`", array.name);
        assert!(values.iter().all(|value| value.is_finite()), "{setting:?}: `{}` is {values:?}", array.name);
        numbers += values.len() as u64;
    }
    let said = setting.array_numbers(features.columns.len() as u64);
    assert!(said.is_none_or(|said| said >= numbers), "{setting:?}: {numbers} numbers in arrays, {said:?} were said");
}

/// There are as many finite numbers as columns for each row, and they do not depend on what other rows there are.
fn predictions(setting: &dyn ModelSetting, predictor: &dyn Predictor, data: &DataSet) {
    let width = predictor.columns().len();
    let of = |data: &DataSet| predictor.predict(data).unwrap_or_else(|error| panic!("{setting:?}: predict: {error}"));
    let all = of(data);
    assert!(width > 0 && all.len() == width * data.len(), "{setting:?}: {} predictions, {width} columns", all.len());
    assert!(all.iter().all(|value| value.is_finite()), "{setting:?}: a prediction is not finite");
    for j in [0, data.len() as u32 / 2, data.len() as u32 - 1] {
        let one = of(&data.select(&[j]).expect("an example"));
        assert_close(setting, "the prediction of a row alone", &one, &all[j as usize * width..][..width], 1e-9);
    }
}

/// A table of predictions has a cell per column, and finite numbers where it has no names.
fn judged(setting: &dyn ModelSetting, theta: &[f64], features: &Features, data: &Observations) {
    let judged = setting.judge(theta, features, data.clone());
    let Some(table) = judged.unwrap_or_else(|error| panic!("{setting:?}: judge: {error}")) else { return };
    assert!(!table.rows.is_empty(), "{setting:?}: a table of predictions without rows");
    for row in &table.rows {
        assert_eq!(row.len(), table.columns.len(), "{setting:?}: cells of {row:?}");
        let cells = row.iter().enumerate().filter(|(column, cell)| !table.names.contains(column) && !cell.is_empty());
        for (column, cell) in cells {
            let is_finite = cell.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(is_finite, "{setting:?}: `{}` is `{cell}`", table.columns[column]);
        }
    }
}
