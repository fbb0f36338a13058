//! Golden g9 (independent numpy code): quantized Langevin with given uniforms and normals, statistics, Top-k,
//! stochastic approximation, M-steps, the failure of Top-k on raw statistics and its repair. Tolerance 1e-9 after
//! scaling by max(1, |x|).

use fedbits_codec::{
    Compressor, CompressorSetting, Dithering, Draw, Encoded, Indices, LevelCode, Norm, TopK, WireFloat,
};
use fedbits_models::data::longitudinal::{Longitudinal, Subject};
use fedbits_models::latent::{SampledModel, langevin_drift};
use fedbits_models::mixed::{Curve, Effects, MixedModel, ResidualError};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::Domain;
use fedbits_protocols::saem::Saem;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Contribution, Halves, Outgoing, StarAlgorithm, StarHalves};
use fedbits_protocols::uplink::{Commit, DivideBy, Memory, MemoryStart};
use fedbits_spec::Choice;
use serde_json::Value;

use crate::golden::{assert_close, golden, numbers};
use crate::saem::lines::{self, RAW, Rules};

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn model(file: &Value) -> MixedModel {
    let subject =
        |group: &Value| Subject { times: numbers(&group["age"]), values: numbers(&group["y"]), ..Subject::default() };
    let data = Longitudinal { subjects: items(&file["inputs"]["groups"]).iter().map(subject).collect() };
    MixedModel::new(Curve::Polynomial { degree: 1 }, Effects::Full, ResidualError::Constant, data).expect("a model")
}

/// θ = (β, vech Ω, σ²).
fn theta(step: &Value) -> Vec<f64> {
    let omega = numbers(&step["Omega"]);
    [numbers(&step["beta"]), vec![omega[0], omega[2], omega[3]], numbers(&step["sigma2"])].concat()
}

/// Every step of every chain: gradient, quantized gradient, next state; then the mean statistic of the two chains.
#[test]
fn quantized_langevin_step_by_step() {
    let file = golden("g9_flsaem_pieces.json");
    let model = model(&file);
    let theta = theta(&file["inputs"]);
    let posterior = model.posterior(&theta).expect("a parameter");
    let gamma = file["inputs"]["gamma"].as_f64().expect("a number");
    let quantizer = Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::Fixed, wire: WireFloat::F64 };
    for (subject, worker) in items(&file["workers"]).iter().enumerate() {
        let mut statistics = vec![0.0; 6];
        for chain in items(&worker["chains"]) {
            let mut z = vec![0.0; 2];
            posterior.start(subject, &mut z);
            for step in items(&chain["steps"]) {
                let (mut g, mut quantized, mut message) = ([0.0; 2], [0.0; 2], Encoded::new());
                posterior.gradient(subject, &z, &mut g);
                assert_close("gradient", &g, &numbers(&step["grad"]));
                // ⌊u⌋ + 1{ξ ≤ frac u} is ⌊u + ξ'⌋ with ξ' = 1 − ξ.
                let xi: Vec<f64> = numbers(&step["xi"]).iter().map(|xi| 1.0 - xi).collect();
                quantizer.encode(&g, Draw::Given(&xi), &mut message).expect("finite");
                quantizer.decode(&message, &mut quantized);
                assert_close("quantized", &quantized, &numbers(&step["quantized"]));
                let noise = numbers(&step["noise"]);
                for j in 0..2 {
                    z[j] = langevin_drift(z[j], quantized[j], gamma, noise[j]);
                }
                assert_close("z", &z, &numbers(&step["z"]));
            }
            posterior.add_statistics(subject, &z, 0.5, &mut statistics);
        }
        assert_close("statistic", &statistics, &numbers(&worker["stat"]));
    }
}

/// One server step from S₀ = `S_prev` with the workers' statistics.
fn step(
    gain: f64,
    rules: Rules,
    compressor: Choice<dyn CompressorSetting>,
    domain: Domain,
) -> Result<Halves<Saem>, ProtocolError> {
    let file = golden("g9_flsaem_pieces.json");
    let theta = theta(&file["inputs"]);
    let settings = lines::settings(Schedule::Constant(gain), rules, compressor, domain);
    let mut saem = Halves::new(lines::saem(Box::new(model(&file)), settings, 3, theta.clone()), true);
    assert_close("S₀", &saem.server.s, &numbers(&file["inputs"]["S_prev"]));
    let mut arrived = Vec::new();
    for (i, worker) in items(&file["workers"]).iter().enumerate() {
        arrived.push(coded(&mut saem, i, &numbers(&worker["stat"]), &theta)?);
    }
    saem.step(&fedbits_random::Streams::new(7, 0), 1, &arrived)?;
    Ok(saem)
}

/// What client `i` sends of `x`.
fn coded(saem: &mut Halves<Saem>, i: usize, x: &[f64], theta: &[f64]) -> Result<Contribution, ProtocolError> {
    let Halves { algorithm, clients, memories, counts, .. } = saem;
    let (client, mut encoded, mut scratch) = (i as u32, Encoded::new(), Vec::new());
    let compressor = algorithm.coder(&fedbits_random::Streams::new(7, 0), client, 1).compressor;
    let randomness = Draw::Given(&[]);
    let out = Outgoing::plain(compressor, randomness, &mut encoded, counts, &mut scratch);
    let mut out = out.remembering(algorithm.uplink().expect("memories"), &mut memories[i]);
    algorithm.local_encode((client, &mut clients[i]), x, (theta, 1), &mut out)?;
    Ok(Contribution { client, encoded: Box::new(encoded), age: 0 })
}

fn identity() -> Choice<dyn CompressorSetting> {
    Choice::default()
}

fn top_4() -> Choice<dyn CompressorSetting> {
    Choice::of(TopK::new(4, Indices::Enumerative, WireFloat::F64))
}

/// Algorithm 2 (g = 1), and the stochastic approximation with g = 0.3.
#[test]
fn statistics_averaging() {
    let file = golden("g9_flsaem_pieces.json");
    let averaged = step(1.0, RAW, identity(), Domain::Error).expect("in the domain");
    assert_close("S", &averaged.server.s, &numbers(&file["aggregated"]));
    assert_close("θ", &averaged.server.theta, &theta(&file["mstep_uncompressed"]));
    let approximated = step(0.3, RAW, identity(), Domain::Error).expect("in the domain");
    assert_close("S", &approximated.server.s, &numbers(&file["sa_update"]["S"]));
    assert_close("θ", &approximated.server.theta, &theta(&file["sa_update"]["mstep"]));
}

/// Algorithm 5 as written: Top-4 of raw statistics keeps the mean of z₁ z₂ and drops that of z₂, so that Ω is
/// indefinite. The policy acts and is counted.
#[test]
fn top_k_of_raw_statistics_leaves_the_domain() {
    let file = golden("g9_flsaem_pieces.json");
    let clipped = step(1.0, RAW, top_4(), Domain::Clip { floor: 1e-3 }).expect("the policy goes on");
    assert_close("S", &clipped.server.s, &numbers(&file["aggregated_topk"]));
    assert_eq!(clipped.counts.domain_events, 1);
    let eigenvalues = numbers(&file["mstep_topk"]["Omega_eigenvalues"]);
    assert!(eigenvalues[0] < 0.0, "{eigenvalues:?}");
    let trace = clipped.server.theta[2] + clipped.server.theta[4];
    assert_close("trace of the clipped Ω", &[trace], &[eigenvalues[1] + 1e-3]);
    let skipped = step(1.0, RAW, top_4(), Domain::SkipRound).expect("the policy goes on");
    assert_close("θ stays", &skipped.server.theta, &theta(&file["inputs"]));
    assert_eq!(skipped.counts.domain_events, 1);
    let error = step(1.0, RAW, top_4(), Domain::Error).err().expect("the run ends");
    let error = error.to_string();
    assert!(error.contains("not positive definite"), "{error}");
}

fn repair(commit: Commit) -> Rules {
    (Memory::of(MemoryStart::Zero, commit), DivideBy::Clients)
}

/// The repair: Top-4 of the difference to a memory that starts at S₀ (EF21). Whether its first step is in the domain
/// depends on the data; then θ is numpy's, and else the policy counts.
#[test]
fn top_k_of_differences_follows_numpy() {
    let file = golden("g9_flsaem_pieces.json");
    let expected = &file["topk_of_difference"];
    let repaired = step(1.0, repair(Commit::OnAcknowledgement), top_4(), Domain::Clip { floor: 1e-9 })
        .expect("the policy goes on");
    assert_close("S", &repaired.server.s, &numbers(&expected["S"]));
    assert_close("V", repaired.v(), &repaired.server.s);
    let inside = numbers(&expected["mstep"]["Omega_eigenvalues"]).iter().all(|&eigenvalue| eigenvalue > 1e-9);
    assert_eq!(repaired.counts.domain_events == 0, inside);
    if inside {
        assert_close("θ", &repaired.server.theta, &theta(&expected["mstep"]));
    }
}

/// Statistics of 3 clients with 20 lines each, z ~ N((149, 6), ·), as heights of boys are.
fn drawn(seed: u64) -> Vec<Vec<f64>> {
    let mut stream = fedbits_random::Streams::new(seed, 0).at(fedbits_random::DrawPurpose::Data, 0, 0);
    let mut client = || {
        let mut mean = vec![0.0; 6];
        for _ in 0..20 {
            let (a, b, e) = (stream.normal(), stream.normal(), stream.normal());
            let (z1, z2) = (149.0 + 8.0 * a, 6.0 + a + b);
            let one = [z1, z2, z1 * z1, z1 * z2, z2 * z2, 0.4 * e * e];
            mean.iter_mut().zip(one).for_each(|(sum, x)| *sum += x / 20.0);
        }
        mean
    };
    (0..3).map(|_| client()).collect()
}

/// On drawn data Top-4 of raw statistics leaves the domain, and of differences it does not stay away from what was
/// sent: the memories have six coordinates, of which each round sends four, so that the second round brings S to the
/// mean of the clients' statistics, which is inside. Tried with 100 seeds.
#[test]
fn top_k_of_differences_ends_inside() {
    let file = golden("g9_flsaem_pieces.json");
    let start = theta(&file["inputs"]);
    let clip = Domain::Clip { floor: 1e-9 };
    for seed in 1..=5 {
        let statistics = drawn(seed);
        let run = |rules: Rules, rounds: u64| {
            let settings = lines::settings(Schedule::Constant(1.0), rules, top_4(), clip);
            let saem = lines::saem(Box::new(model(&file)), settings, 3, start.clone());
            let (mut saem, streams) = (Halves::new(saem, true), fedbits_random::Streams::new(7, 0));
            for round in 1..=rounds {
                let mut arrived = Vec::new();
                for (i, statistic) in statistics.iter().enumerate() {
                    let sent = coded(&mut saem, i, statistic, &start).expect("finite");
                    saem.send(&streams, i as u32, round, &sent.encoded).expect("it is sound");
                    arrived.push(sent);
                }
                saem.step(&streams, round, &arrived).expect("the policy goes on");
            }
            saem
        };
        assert!(run(RAW, 1).counts.domain_events > 0, "seed {seed}");
        let repaired = run(repair(Commit::OnSend), 2);
        let mean: Vec<f64> =
            (0..6).map(|j| statistics.iter().map(|statistic| statistic[j]).sum::<f64>() / 3.0).collect();
        assert_close("S", &repaired.server.s, &mean);
        assert_eq!(
            repaired.counts.domain_events,
            run(repair(Commit::OnSend), 1).counts.domain_events,
            "seed {seed}: the second step is inside"
        );
    }
}
