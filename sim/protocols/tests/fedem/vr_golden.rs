//! VR-FedEM's two pure halves against independent numpy code (golden g3): every variant, every step, every vector.

use crate::fedem::common::simulate::{Settings, fed_em};
use crate::fedem::common::{assert_close, contribute, federation, golden, numbers, start_memories, streams};
use crate::fedem::golden::{settings, v_i};
use fedbits_codec::Draw;
use fedbits_models::{Batch, Scratch};
use fedbits_protocols::fedem::BatchRule;
use fedbits_protocols::star::{Halves, StarHalves};
use fedbits_protocols::vr_fedem::{InnerSteps, Previous, Spider};
use serde_json::Value;

/// s̄_i(θ) over a batch; over everything where none is given.
fn statistics(inputs: &Value, theta: &[f64], i: u32, batch: &Value) -> Vec<f64> {
    let federation = federation(inputs);
    let e_step = federation.model().conditional(theta).unwrap();
    let mut out = vec![0.0; 6];
    let indices: Vec<u32> = batch.as_array().into_iter().flatten().map(|j| j.as_u64().unwrap() as u32).collect();
    let batch = if indices.is_empty() { Batch::All } else { Batch::Indices(&indices) };
    e_step.mean_statistics(federation.examples(i), batch, &mut Scratch::default(), &mut out);
    out
}

fn simulate(name: &str, inputs: &Value, run: &Value) {
    let n = 4;
    let batch = BatchRule::WithReplacement(2);
    let settings = Settings { batch, ..settings(run, f64::from(n)) };
    let fedem = fed_em(federation(inputs), settings, numbers(&inputs["S0"])).unwrap();
    let k_in = run["kin"].as_u64().unwrap();
    let spider = Spider { inner: InnerSteps::Fixed(k_in as u32), previous: Previous::Recomputed };
    let mut vr = Halves::new(fedem.with_local_rule(spider), true);
    if run["V0"] == "h_i(S0)" {
        start_memories(&mut vr, inputs["h_i_S0"].as_array().unwrap().iter().map(numbers));
    }
    let steps = run["steps"].as_array().unwrap();
    let mut theta_before = vr.server.theta.to_vec();
    for (step, expected) in steps.iter().enumerate() {
        let (t, k) = (step / k_in as usize, step % k_in as usize);
        let (s_hat, theta) = (vr.server.s_hat.to_vec(), vr.server.theta.to_vec());
        let mut arrived = Vec::new();
        for i in 0..n {
            let batch = &run["batches"][t][k][i as usize];
            let uniforms = if run["xi"].is_null() { Vec::new() } else { numbers(&run["xi"][t][k][i as usize]) };
            // The first step of an outer loop sends the refreshed statistic of all examples.
            let now = statistics(inputs, &theta, i, if k == 0 { &Value::Null } else { batch });
            let before = (k > 0).then(|| statistics(inputs, &theta_before, i, batch));
            let estimate = &mut vr.clients[i as usize];
            estimate.stage(&now, before.as_deref());
            let (staged, message) = (estimate.staged.to_vec(), (i, step as u64 + 1));
            arrived.push(contribute(&mut vr, message, &staged, (&s_hat, false), Draw::Given(&uniforms)));
        }
        theta_before = theta;
        let field_sq = vr.step(&streams(), step as u64 + 1, &arrived).unwrap().field_sq;
        let what = |vector: &str| format!("{name}, t = {}, k = {}, {vector}", t + 1, k + 1);
        assert_close(&what("H"), &vr.server.h, &numbers(&expected["H"]));
        assert_close(&what("‖H‖²"), &[field_sq], &numbers(&expected["normH2"]));
        assert_close(&what("S"), &vr.server.s_hat, &numbers(&expected["S"]));
        assert_close(&what("V"), vr.v(), &numbers(&expected["V"]));
        for i in 0..n {
            assert_close(&what("S_i"), &vr.clients[i as usize].s_i, &numbers(&expected["S_i"][i as usize]));
            assert_close(&what("V_i"), &v_i(&vr, i), &numbers(&expected["V_i"][i as usize]));
        }
        assert_close(&what("pi"), &vr.server.theta[..2], &numbers(&expected["pi"]));
        assert_close(&what("mu"), &vr.server.theta[2..], &numbers(&expected["mu"]));
    }
}

#[test]
fn every_variant_of_g3_is_reproduced() {
    let file = golden("g3_vrfedem.json");
    let runs = file["runs"].as_object().unwrap();
    assert_eq!(runs.len(), 4, "all variants of the file are simulated");
    for (name, run) in runs {
        simulate(name, &file["inputs"], run);
    }
}
