//! Mixtures of regressions with a label per client: numpy's EM on the points themselves, and rows of R.

use crate::golden::{assert_within, expected, golden, numbers};
use fedbits_models::data::DataSet;
use fedbits_models::data::regressions::RegressionSums;
use fedbits_models::fit::{ExactSetting, Given};
use fedbits_models::initial::InitialSetting;
use fedbits_models::regressions::{Noise, RegressionMixtureSetting};
use fedbits_models::{DomainPolicy, ExactModel};
use fedbits_random::Streams;
use serde_json::Value;

/// The rows of the file's clients; `order` of their points does not matter.
fn rows(file: &Value, order: impl Fn(&mut Vec<Vec<f64>>)) -> Vec<f64> {
    let row = |client: &Value| {
        let (x, y) = (numbers(&client["x"]), numbers(&client["y"]));
        let mut points: Vec<Vec<f64>> = x.chunks(3).zip(y).map(|(x, y)| [x, &[y]].concat()).collect();
        order(&mut points);
        let mut sums = RegressionSums::new(3);
        points.iter_mut().for_each(|point| sums.add(point));
        sums.into_row()
    };
    file["clients"].as_array().unwrap().iter().flat_map(row).collect()
}

fn model(file: &Value, noise: Noise, rows: &[f64]) -> (Box<dyn ExactModel>, Vec<f64>) {
    let start = &file["start"];
    let mut theta = [numbers(&start["weights"]), numbers(&start["coefficients"])].concat();
    theta.extend((noise == Noise::Unknown).then(|| start["variance"].as_f64().unwrap()));
    let initial = InitialSetting::Parameters(theta);
    let data = DataSet::new(RegressionSums::columns(3), rows.to_vec(), None, None).unwrap();
    let streams = Streams::new(1, 0);
    let given = Given { source: None, counts: None, initial: &initial, streams: &streams, average: &|_| Vec::new() };
    let fit = RegressionMixtureSetting { components: 2, covariates: 3, noise }.fit(&data, &given).unwrap();
    (fit.model, fit.theta)
}

#[test]
fn em_follows_numpy() {
    let file = golden("regressions.json");
    let known = file["known"].as_f64().unwrap();
    for (name, noise) in [("estimated_noise", Noise::Unknown), ("known_noise", Noise::Known(known))] {
        for reversed in [false, true] {
            let rows = rows(&file, |points| {
                if reversed {
                    points.reverse()
                }
            });
            let (model, mut theta) = model(&file, noise, &rows);
            for (k, row) in file[name].as_array().unwrap().iter().enumerate() {
                let (s, objective) = expected(model.as_ref(), &rows, &theta);
                assert_within(&format!("{name}, θ {k}"), &theta, &numbers(&row["theta"]), 1e-12);
                assert_within(&format!("{name}, F {k}"), &[objective], &[row["objective"].as_f64().unwrap()], 1e-12);
                model.maximize(&s, DomainPolicy::Error, &mut theta).unwrap();
            }
        }
    }
}
