//! Gradient descent, EF21 and proximal gradient descent: against independent numpy trajectories
//! (`tests/golden/make_descents.py`), round by round.

use crate::fedem::common::simulate::{Place, Simulated, Site, after, everybody, simulate};
use crate::fedem::common::{assert_close, golden, numbers};
use fedbits_codec::{Indices, TopK, WireFloat};
use fedbits_models::data::DataSet;
use fedbits_models::regression::{LinearModel, Penalty, RegressionLoss};
use fedbits_models::{Descent, Response};
use fedbits_protocols::baselines::fed_avg_em::{FedAvgEm, FedAvgEmSetting};
use fedbits_protocols::baselines::presets::{DistributedEm, Ef21, Preset};
use fedbits_protocols::fedem::{FedEm, FedEmSetting};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::plan::RoundPolicy;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::StarAlgorithm;
use fedbits_protocols::uplink::Uplink;
use fedbits_random::Streams;
use fedbits_spec::Choice;
use serde_json::Value;

const COLUMNS: usize = 6;

/// The table of the file over its four clients, with ρ = 1/L; L is that of numpy.
fn federation(file: &Value, loss: RegressionLoss, penalty: Penalty, l: f64) -> Federation {
    let (rows, b) = (numbers(&file["rows"]), numbers(&file["b"]));
    let labels = b.iter().map(|b| u32::from(*b > 0.0)).collect();
    let groups = numbers(&file["clients"]).iter().map(|client| *client as u32).collect();
    let columns: Vec<String> = (0..COLUMNS).map(|k| format!("a{k}")).collect();
    let data = DataSet::new(columns.clone(), rows, Some(labels), Some(groups)).unwrap();
    let mut model = LinearModel { loss, penalty, intercept: false, columns: columns.into(), vectors: 1, step: 1.0 };
    let found = model.smoothness(data.examples());
    assert!((found / l - 1.0).abs() < 1e-14, "L = {found}, numpy has {l}");
    model.step = 1.0 / found;
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
    Federation::new(data, Box::new(model), Weighting::Examples, None)
}

fn logistic(file: &Value) -> Federation {
    federation(file, RegressionLoss::Logistic, Penalty::NonConvex(0.1), file["L"].as_f64().unwrap())
}

/// FedEM as a preset says it, from x = 0.
fn said(federation: Federation, setting: FedEmSetting) -> FedEm {
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.compressor.build(setting.floats, 4), 4, 4.0, rules);
    FedEm::new(federation, setting, uplink, vec![0.0; COLUMNS]).unwrap()
}

/// Twenty rounds have the objectives and the gradients of numpy, and lead to its x.
fn follows<A: StarAlgorithm>(name: &str, algorithm: A, expected: &Value) {
    let site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 1, expectation_us: 1 };
    let played = simulate(algorithm, everybody(RoundPolicy::WaitForAll), &Place::even(4, site), after(20));
    let Simulated { run, rows, .. } = played;
    assert_eq!(rows.len(), 21, "{name}: round 0, and twenty");
    let objectives: Vec<f64> = rows[1..].iter().map(|row| row.objective.unwrap()).collect();
    assert_close(&format!("{name}: objectives"), &objectives, &numbers(&expected["objective"]));
    for (row, expected) in rows[1..].iter().zip(numbers(&expected["gradient_sq"])) {
        // Behind the squared error of the parameters, which is not known.
        let [None, Some(found), ..] = row.extra[..] else { panic!("{name}: no gradient in {:?}", row.extra) };
        // Entries of ∇f are known to 10⁻¹⁵ or so.
        let tolerance = 1e-12 * expected + 1e-14 * expected.sqrt();
        assert!((found - expected).abs() < tolerance, "{name}, round {}: ‖∇f‖² = {found}, {expected}", row.round);
    }
    assert_close(&format!("{name}: x"), run.halves().state().theta, &numbers(&expected["x"]));
}

#[test]
fn gradient_descent_follows_numpy() {
    let file = golden("descents.json");
    let distributed = DistributedEm { floats: WireFloat::F64, ..DistributedEm::default() };
    follows("GD", said(logistic(&file), distributed.fed_em()), &file["gd"]);
}

/// With one local step FedAvg is gradient descent, too.
#[test]
fn one_local_step_is_gradient_descent() {
    let file = golden("descents.json");
    let (participation, domain) = Default::default();
    let one =
        FedAvgEmSetting { local_steps: 1, participation, match_components: false, floats: WireFloat::F64, domain };
    follows("FedAvg", FedAvgEm::new(logistic(&file), one, vec![0.0; COLUMNS]).unwrap(), &file["gd"]);
}

#[test]
fn ef21_follows_numpy() {
    let file = golden("descents.json");
    let top = Choice::of(TopK::new(1, Indices::default(), WireFloat::F64));
    let top = Ef21::of(Schedule::Constant(1.0), top);
    follows("EF21", said(logistic(&file), top.fed_em()), &file["ef21"]);
}

/// Squares of ±1 with ℓ₁: the rows hold the square of the gradient map.
#[test]
fn proximal_gradient_descent_follows_numpy() {
    let file = golden("descents.json");
    let l = file["lasso"]["L"].as_f64().unwrap();
    let federation = federation(&file, RegressionLoss::Squares, Penalty::L1(0.05), l);
    assert!(matches!(federation.pooled().response(), Response::Classes(_)));
    let distributed = DistributedEm { floats: WireFloat::F64, ..DistributedEm::default() };
    follows("ISTA", said(federation, distributed.fed_em()), &file["lasso"]);
}
