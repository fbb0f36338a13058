//! VR-FedEM's two pure halves against independent numpy code (golden g3): every variant, every step, every vector.

use crate::common::{assert_close, federation, golden, numbers};
use crate::golden::{settings, uncompressed};
use fedbits_codec::{Draw, Encoded};
use fedbits_models::{Batch, Scratch};
use fedbits_protocols::fedem::{BatchRule, FedEm};
use fedbits_protocols::star::{Contribution, StarAlgorithm};
use fedbits_protocols::vr_fedem::{InnerSteps, Previous, VrFedEm, VrSettings};
use fedbits_random::Streams;
use serde_json::Value;

/// s̄_i(θ) over a batch; over everything where none is given.
fn statistics(vr: &VrFedEm, inputs: &Value, theta: &[f64], i: u32, batch: &Value) -> Vec<f64> {
    let federation = federation(inputs);
    let e_step = federation.model().conditional(theta).unwrap();
    let mut out = vec![0.0; vr.fedem().s_hat().len()];
    let indices: Vec<u32> = batch.as_array().into_iter().flatten().map(|j| j.as_u64().unwrap() as u32).collect();
    let batch = if indices.is_empty() { Batch::All } else { Batch::Indices(&indices) };
    e_step.mean_statistics(federation.examples(i), batch, &mut Scratch::default(), &mut out);
    out
}

fn play(name: &str, inputs: &Value, run: &Value) {
    let n = 4;
    let fedem = FedEm::new(federation(inputs), settings(run, f64::from(n)), numbers(&inputs["S0"]), true).unwrap();
    let k_in = run["kin"].as_u64().unwrap();
    let vr = VrSettings {
        inner: InnerSteps::Fixed(k_in as u32),
        batch: BatchRule::WithReplacement(2),
        previous: Previous::Recomputed,
    };
    let mut vr = VrFedEm::new(fedem, vr);
    if run["V0"] == "h_i(S0)" {
        let rows = inputs["h_i_S0"].as_array().unwrap();
        let memories: Vec<Contribution> =
            rows.iter().enumerate().map(|(i, row)| uncompressed(i as u32, &numbers(row))).collect();
        vr.take_initial_memories(&memories);
    }
    let steps = run["steps"].as_array().unwrap();
    let mut theta_before = vr.fedem().theta().to_vec();
    for (step, expected) in steps.iter().enumerate() {
        let (t, k) = (step / k_in as usize, step % k_in as usize);
        vr.enter(&Streams::new(1, 0), step as u64 + 1);
        let (s_hat, theta) = (vr.fedem().s_hat().to_vec(), vr.fedem().theta().to_vec());
        let mut arrived = Vec::new();
        for i in 0..n {
            let batch = &run["batches"][t][k][i as usize];
            let uniforms = if run["xi"].is_null() { Vec::new() } else { numbers(&run["xi"][t][k][i as usize]) };
            let mut encoded = Encoded::new();
            // The first step of an outer loop sends the refreshed statistic of all examples.
            let now = statistics(&vr, inputs, &theta, i, if k == 0 { &Value::Null } else { batch });
            let before = (k > 0).then(|| statistics(&vr, inputs, &theta_before, i, batch));
            vr.local_update(i, (&now, before.as_deref()), &s_hat, Draw::Given(&uniforms), &mut encoded).unwrap();
            vr.local_commit(i, &encoded);
            arrived.push(Contribution { client: i, encoded: Box::new(encoded), age: 0 });
        }
        theta_before = theta;
        let field_sq = vr.server_step(step as u64 + 1, &arrived).unwrap().field_sq;
        let what = |vector: &str| format!("{name}, t = {}, k = {}, {vector}", t + 1, k + 1);
        assert_close(&what("H"), vr.fedem().h(), &numbers(&expected["H"]));
        assert_close(&what("‖H‖²"), &[field_sq], &numbers(&expected["normH2"]));
        assert_close(&what("S"), vr.fedem().s_hat(), &numbers(&expected["S"]));
        assert_close(&what("V"), vr.fedem().v(), &numbers(&expected["V"]));
        for i in 0..n {
            assert_close(&what("S_i"), vr.s_i(i), &numbers(&expected["S_i"][i as usize]));
            assert_close(&what("V_i"), vr.fedem().v_i(i), &numbers(&expected["V_i"][i as usize]));
        }
        assert_close(&what("pi"), &vr.fedem().theta()[..2], &numbers(&expected["pi"]));
        assert_close(&what("mu"), &vr.fedem().theta()[2..], &numbers(&expected["mu"]));
    }
}

#[test]
fn every_variant_of_g3_is_reproduced() {
    let file = golden("g3_vrfedem.json");
    let runs = file["runs"].as_object().unwrap();
    assert_eq!(runs.len(), 4, "all variants of the file are played");
    for (name, run) in runs {
        play(name, &file["inputs"], run);
    }
}
