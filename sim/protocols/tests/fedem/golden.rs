//! FedEM's two pure halves against independent numpy code (golden g1, g2): every variant, every round, every vector.

use crate::fedem::common::simulate::{Memory, Settings, fed_em};
use crate::fedem::common::{
    assert_close, contribute, em, em_step, federation, golden, numbers, start_memories, streams,
};
use fedbits_codec::{Compressor, Dithering, Draw, Encoded, Identity, LevelCode, Norm, WireFloat};
use fedbits_models::{Batch, Scratch};
use fedbits_protocols::fedem::{BatchRule, Broadcast, Domain, Downlink, FedEm};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::plan::Staleness;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Contribution, Halves, StarHalves};
use fedbits_protocols::uplink::{Alpha, Commit, Divisor, MemoryStart};
use serde_json::Value;

pub fn settings(run: &Value, n: f64) -> Settings {
    let alpha = run["alpha"].as_f64().unwrap();
    // The golden files commit at once, as the paper's text does; nothing is lost there.
    let kept = Memory::Kept {
        alpha: Alpha::Constant(alpha),
        start: MemoryStart::Zero,
        commit: Commit::OnSend,
        recovery: None,
    };
    let dithering = Dithering { s: 2, r: Norm::L(2.0), code: LevelCode::Fixed, wire: WireFloat::F64 };
    Settings {
        gamma: Schedule::Constant(run["gamma"].as_f64().unwrap()),
        memory: if alpha == 0.0 { Memory::None } else { kept },
        batch: BatchRule::All,
        divisor: Divisor::Expected(n * run["p"].as_f64().unwrap_or(1.0)),
        staleness: Staleness::Constant,
        compressor: if run["quant"].is_null() {
            Box::new(Identity { wire: WireFloat::F64 })
        } else {
            Box::new(dithering)
        },
        floats: WireFloat::F64,
        downlink: Downlink::Whole,
        broadcast: Broadcast::Statistic,
        domain: Domain::Error,
    }
}

pub fn uncompressed(client: u32, x: &[f64]) -> Contribution {
    let mut encoded = Encoded::new();
    Identity { wire: WireFloat::F64 }.encode(x, Draw::Given(&[]), &mut encoded).unwrap();
    Contribution { client, encoded: Box::new(encoded), age: 0 }
}

/// s̄_i(θ) over a batch.
fn statistics(fedem: &Halves<FedEm>, i: u32, batch: &Value) -> Vec<f64> {
    let federation = fedem.algorithm.federation();
    let e_step = federation.model().conditional(&fedem.server.theta).unwrap();
    let mut out = vec![0.0; federation.model().statistic_dimension()];
    let indices: Vec<u32> = numbers(batch).into_iter().map(|x| x as u32).collect();
    let batch = if indices.is_empty() { Batch::All } else { Batch::Indices(&indices) };
    e_step.mean_statistics(federation.examples(i), batch, &mut Scratch::default(), &mut out);
    out
}

/// V_i, zeros without memory.
pub fn v_i<L: fedbits_protocols::fedem::LocalRule>(fedem: &Halves<FedEm<L>>, i: u32) -> Vec<f64> {
    let v_i = fedem.memories[i as usize].committed();
    if v_i.is_empty() { vec![0.0; fedem.server.s_hat.len()] } else { v_i.to_vec() }
}

fn list(value: &Value) -> Value {
    if value.is_null() { Value::Array(Vec::new()) } else { value.clone() }
}

fn simulate(name: &str, inputs: &Value, run: &Value) {
    let n = 4;
    let fedem = fed_em(federation(inputs), settings(run, f64::from(n)), numbers(&inputs["S0"])).unwrap();
    let mut fedem = Halves::new(fedem, true);
    if run["V0"] == "h_i(S0)" {
        start_memories(&mut fedem, inputs["h_i_S0"].as_array().unwrap().iter().map(numbers));
    }
    for (k, expected) in run["rounds"].as_array().unwrap().iter().enumerate() {
        let s_hat = fedem.server.s_hat.to_vec();
        let mut arrived = Vec::new();
        for i in numbers(&expected["active"]).into_iter().map(|i| i as u32) {
            let s_bar = statistics(&fedem, i, &list(&run["batches"][k][i as usize]));
            let uniforms = numbers(&list(&run["xi"][k][i as usize]));
            let round = k as u64 + 1;
            let contribution = contribute(&mut fedem, (i, round), &s_bar, (&s_hat, false), Draw::Given(&uniforms));
            let mut sent = vec![0.0; s_hat.len()];
            settings(run, 4.0).compressor.decode(&contribution.encoded, &mut sent);
            assert_close(&format!("{name}, round {k}, sent by {i}"), &sent, &numbers(&expected["sent"][i.to_string()]));
            arrived.push(contribution);
        }
        let step = fedem.step(&streams(), k as u64 + 1, &arrived).unwrap();
        let what = |vector: &str| format!("{name}, round {k}, {vector}");
        assert_close(&what("H"), &fedem.server.h, &numbers(&expected["H"]));
        assert_close(&what("‖H‖²"), &[step.field_sq], &numbers(&expected["normH2"]));
        assert_close(&what("S"), &fedem.server.s_hat, &numbers(&expected["S"]));
        assert_close(&what("V"), fedem.v(), &numbers(&expected["V"]));
        for i in 0..n {
            assert_close(&what("V_i"), &v_i(&fedem, i), &numbers(&expected["V_i"][i as usize]));
        }
        assert_close(&what("pi"), &fedem.server.theta[..2], &numbers(&expected["pi"]));
        assert_close(&what("mu"), &fedem.server.theta[2..], &numbers(&expected["mu"]));
        probe(&fedem, &what, expected, run["rounds"].get(k + 1));
    }
}

/// F at the new point, and ‖h‖² there, which the golden file states one round later.
fn probe(fedem: &Halves<FedEm>, what: &dyn Fn(&str) -> String, expected: &Value, next: Option<&Value>) {
    let e_step = fedem.problem().federation().unwrap().model().conditional(&fedem.server.theta).unwrap();
    let mut h = vec![0.0; fedem.server.s_hat.len()];
    let objective = fedem.problem().federation().unwrap().mean_field(&fedem.server.s_hat, e_step.as_ref(), &mut h);
    assert_close(&what("F"), &[objective], &numbers(&expected["F"]));
    if let Some(next) = next {
        assert_close(&what("h"), &h, &numbers(&next["h_prev"]));
    }
}

#[test]
fn every_variant_of_g2_is_reproduced() {
    let file = golden("g2_fedem.json");
    let runs = file["runs"].as_object().unwrap();
    assert_eq!(runs.len(), 8, "all variants of the file are simulated");
    for (name, run) in runs {
        simulate(name, &file["inputs"], run);
    }
}

#[test]
fn centralized_em_follows_g1() {
    let file = golden("g1_centralized_em_known_cov.json");
    let s_0 = numbers(&file["inputs"]["S0"]);
    let mut em = em(federation(&file["inputs"]), s_0);
    for (k, expected) in file["iterates"].as_array().unwrap().iter().enumerate() {
        assert_close(&format!("iterate {k}"), em.state().s_hat, &numbers(&expected["S"]));
        em_step(&mut em);
    }
    for _ in 0..5_000 {
        em_step(&mut em);
    }
    assert_close("limit", em.state().s_hat, &numbers(&file["limit"]["S"]));
}
