//! FedMissEM: the reference vectors g10, and sparse messages against the dense statistics of plain FedEM.

use crate::fedem::common::simulate::{Memory, Place, Settings, Site, after, everybody, fed_em, simulate};
use crate::fedem::common::{em, em_step};
use crate::golden::golden;
use fedbits_codec::{Dithering, Encoded, Identity, LevelCode, Norm, WireFloat};
use fedbits_models::data::DataSet;
use fedbits_models::data::visits::Visits;
use fedbits_models::low_rank::{Family, LowRank, margins};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fed_miss_em::{FedMissEm, FedMissEmSetting};
use fedbits_protocols::fedem::{BatchRule, Broadcast, Domain, Downlink, FedEmSetting};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::over::Catalogue;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::plan::{RoundPolicy, Staleness};
use fedbits_protocols::problem::Problem;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_protocols::star::{Addressed, Contribution, Halves, StarHalves};
use fedbits_protocols::state::State;
use fedbits_protocols::uplink::{self, Alpha, Commit, Divisor, MemoryStart};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Caveat;
use serde_json::Value;

fn settings(gamma: f64, n: f64, memory: Memory) -> Settings {
    Settings {
        gamma: Schedule::Constant(gamma),
        memory,
        batch: BatchRule::All,
        divisor: Divisor::Expected(n),
        staleness: Staleness::Constant,
        compressor: Box::new(Identity { wire: WireFloat::F64 }),
        floats: WireFloat::F64,
        downlink: Downlink::Whole,
        broadcast: Broadcast::Statistic,
        domain: Domain::Error,
    }
}

fn miss_em(over: (&Partitioned, LowRank), settings: Settings, theta: &[f64]) -> Result<FedMissEm, ProtocolError> {
    let (setting, uplink) = settings.parts(over.0.len() as u32);
    FedMissEm::new(over, &setting, uplink, theta, Catalogue::default())
}

fn kept(alpha: f64) -> Memory {
    Memory::Kept { alpha: Alpha::Constant(alpha), start: MemoryStart::Zero, commit: Commit::OnSend, recovery: None }
}

/// One full round by hand: every client answers, in id order.
fn round(fit: &mut Halves<FedMissEm>, number: u64, streams: &Streams) -> f64 {
    let everybody: Vec<u32> = (0..fit.clients.len() as u32).collect();
    let body = fit.open_round(streams, number, &everybody).expect("a broadcast");
    let contribution = |client: u32| {
        let to = Addressed { streams, position: client as usize, parity: fit.acknowledgement(client), memory: None };
        let mut encoded = Encoded::new();
        fit.receive(client, &body, &to, &mut encoded).expect("finite");
        fit.send(streams, client, number, &encoded).expect("an honest length");
        Contribution { client, encoded: Box::new(encoded), age: 0 }
    };
    let arrived: Vec<Contribution> = everybody.iter().copied().map(contribution).collect();
    fit.step(streams, number, &arrived).expect("a step").field_sq
}

fn matrix(value: &Value) -> Vec<f64> {
    let rows = value.as_array().expect("rows").iter();
    rows.flat_map(|row| row.as_array().expect("a row")).map(|x| x.as_f64().expect("a number")).collect()
}

/// The observations of g10, examples (j, l, x), groups = servers.
fn golden_data(inputs: &Value) -> DataSet {
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for (observer, value) in inputs["observers"].as_array().expect("observers").iter().enumerate() {
        let (mask, x) = (matrix(&value["mask"]), matrix(&value["X"]));
        for (cell, _) in mask.iter().enumerate().filter(|(_, mask)| **mask == 1.0) {
            rows.extend([(cell / 4) as f64, (cell % 4) as f64, x[cell]]);
            groups.push(observer as u32 / 2);
        }
    }
    DataSet::new(["site", "time", "value"].map(str::to_owned).to_vec(), rows, None, Some(groups)).expect("data")
}

/// Ŝ and θ of every step to 1e-9 (relative above 1), with memory and without: identity compression makes V irrelevant.
#[test]
fn every_step_of_g10() {
    let file = golden("g10_fedmissem_derived.json");
    let streams = Streams::new(1, 0);
    let data = golden_data(&file["inputs"]);
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).expect("two servers");
    for (lambda, gamma) in [(0.0, 1.0), (0.0, 0.3), (0.2, 1.0), (0.2, 0.3)] {
        for memory in [Memory::None, kept(0.4)] {
            let model = LowRank::new((5, 4), 1, lambda, Family::Gaussian, data.data().len(), 4).expect("a model");
            let settings = settings(gamma, 2.0, memory);
            let fit = miss_em((&data, model), settings, &[0.0; 9]).expect("a fit");
            let mut fit = Halves::new(fit, true);
            let steps = file["runs"][format!("lambda{lambda:.1}_gamma{gamma:.1}")].as_array().expect("a run");
            for (number, step) in steps.iter().enumerate() {
                if number > 0 {
                    let h_sq: f64 = matrix(&step["h"]).iter().map(|h| h * h).sum();
                    let field_sq = round(&mut fit, number as u64, &streams);
                    assert!((field_sq - h_sq).abs() <= 1e-9 * h_sq.max(1.0));
                }
                let theta: Vec<f64> =
                    (0..20).map(|cell| fit.algorithm.model().parameter_at(&fit.server.at.theta, cell)).collect();
                for (found, expected) in fit
                    .server
                    .at
                    .s_hat
                    .iter()
                    .chain(&theta)
                    .zip(matrix(&step["S"]).iter().chain(&matrix(&step["theta"])))
                {
                    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found}, not {expected}");
                }
            }
        }
    }
}

fn problem(streams: &Streams) -> (Partitioned, LowRank, Vec<f64>) {
    let visits = Visits {
        sites: 40,
        times: 36,
        observers: 20,
        observations: 700,
        rank: 2,
        level: 2.0,
        spread: 0.7,
        skew: 0.5,
        family: Family::Gaussian,
        held_out: 0.0,
    };
    let table = visits.generate(streams).expect("visits");
    let model = LowRank::new((40, 36), 2, 0.5, Family::Gaussian, 700, table.fewest_matrices()).expect("a model");
    let data = Partitioned::new(&table.data, &Partition::Observers.rule(5), streams).expect("clients");
    let theta = margins(&model, data.data().examples()).expect("a start");
    (data, model, theta)
}

/// Reference: with γ = 1 and identity compression sparse messages over five clients are centralized EM on dense
/// statistics, but for what T leaves open: singular vectors whose values lie close together are known to fewer digits.
#[test]
fn sparse_messages_carry_the_dense_statistics() {
    let streams = Streams::new(2, 0);
    let (data, model, theta) = problem(&streams);
    let federation = Federation::new(data.clone(), Box::new(model), Weighting::Examples, None);
    let s_hat = federation.statistics_at(&theta).expect("a statistic");
    let mut central = em(federation, s_hat);
    let settings = settings(1.0, 5.0, kept(0.3));
    let mut fit = Halves::new(miss_em((&data, model), settings, &theta).expect("a fit"), true);
    for number in 1..=30 {
        let (sparse, dense) = (round(&mut fit, number, &streams), em_step(&mut central));
        assert!((sparse - dense).abs() <= 1e-7 * dense, "round {number}: {sparse:e} and {dense:e}");
        let probes = (fit.probe().expect("a probe"), central.probe().expect("a probe"));
        let (sparse, dense) = (probes.0.objective.expect("F"), probes.1.objective.expect("F"));
        assert!((sparse - dense).abs() <= 1e-9 * dense);
    }
    let largest = fit.server.at.s_hat.iter().zip(central.state().s_hat).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(largest < 1e-6, "{largest}");
}

/// What the table of clients says of a client is what plain FedEM says of it.
#[test]
fn clients_are_described_as_those_of_plain_fedem() {
    let streams = Streams::new(2, 0);
    let (data, model, theta) = problem(&streams);
    let plain = Federation::new(data.clone(), Box::new(model), Weighting::Examples, None);
    let fit = miss_em((&data, model), settings(1.0, 5.0, kept(0.3)), &theta).expect("a fit");
    let state = State { s_hat: &plain.statistics_at(&theta).expect("a statistic"), theta: &theta };
    let (found, expected) = (fit.client_columns(&state).expect("F_i"), plain.client_columns(&state).expect("F_i"));
    assert_eq!(found[0].name, expected[0].name);
    for i in 0..5 {
        assert_eq!(fit.examples_of(i), plain.examples_of(i));
        let [a, b] = [&found, &expected].map(|columns| columns[0].values[i as usize].expect("a value"));
        assert!((a - b).abs() <= 1e-12 * b, "{a} and {b}");
    }
}

/// Compressed residuals with memory end where uncompressed ones end: Δ → 0, so the quantization noise dies out, and
/// with it ‖h(Ŝ)‖². Without memory it does not.
#[test]
fn memories_take_the_quantization_noise_away() {
    let streams = Streams::new(2, 0);
    let (data, model, theta) = problem(&streams);
    let last = |memory| {
        let compressor = Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::EliasSparse, wire: WireFloat::F64 };
        let settings = Settings { compressor: Box::new(compressor), ..settings(0.5, 5.0, memory) };
        let mut fit = Halves::new(miss_em((&data, model), settings, &theta).expect("a fit"), true);
        for number in 1..=400 {
            round(&mut fit, number, &streams);
        }
        fit.probe().expect("a probe").mean_field_sq.expect("‖h‖²")
    };
    let (with, without) = (last(kept(0.2)), last(Memory::None));
    assert!(with < 1e-3 * without, "{with:e} against {without:e}");
}

/// The same low-rank model fitted in one place by L-BFGS on its factors (`tests/golden/make_imputation.py`: no EM, no
/// singular values): FedMissEM over five servers with dithered residuals predicts held-out observations within
/// 10 % of its error.
#[test]
fn federated_imputation_is_as_good_as_another_fit_in_one_place() {
    let file = golden("imputation.json");
    let streams = Streams::new(3, 0);
    for problem in file["problems"].as_array().expect("problems") {
        let number = |name: &str| problem[name].as_f64().expect("a number");
        let family = match problem["family"].as_str() {
            Some("poisson") => Family::Poisson,
            _ => Family::Gaussian,
        };
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for seen in matrix(&problem["seen"]).chunks_exact(3) {
            rows.extend([(seen[0] as u64 / 30) as f64, (seen[0] as u64 % 30) as f64, seen[1]]);
            groups.push(seen[2] as u32);
        }
        let names = ["site", "time", "value"].map(str::to_owned).to_vec();
        let data = DataSet::new(names, rows, None, Some(groups)).expect("data");
        let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).expect("five servers");
        let model = LowRank::new((40, 30), 2, number("lambda"), family, 700, 1).expect("a model");
        let theta = margins(&model, data.data().examples()).expect("a start");
        let compressor = Dithering { s: 4, r: Norm::L(2.0), code: LevelCode::EliasSparse, wire: WireFloat::F64 };
        let settings = Settings { compressor: Box::new(compressor), ..settings(0.5, 5.0, kept(0.2)) };
        let mut fit = Halves::new(miss_em((&data, model), settings, &theta).expect("a fit"), true);
        for round_number in 1..=600 {
            round(&mut fit, round_number, &streams);
        }
        let held_out = matrix(&problem["held_out"]);
        let squares = held_out.chunks_exact(2).map(|pair| {
            let error =
                family.mean(fit.algorithm.model().parameter_at(&fit.server.at.theta, pair[0] as usize)) - pair[1];
            error * error
        });
        let rmse = (squares.sum::<f64>() / (held_out.len() / 2) as f64).sqrt();
        eprintln!("{}: {rmse:.4}, L-BFGS {:.4}", problem["family"], number("rmse"));
        assert!(rmse < 1.1 * number("rmse"), "{}: {rmse} against {}", problem["family"], number("rmse"));
    }
}

/// Three observers of 8 sites at 6 times: `level` a_j b_l with noise of at most 10⁻⁹ of it, not all cells of each.
fn measured(level: f64, streams: &Streams) -> (Partitioned, LowRank) {
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    let mut draw = streams.at(DrawPurpose::Data, 0, 0);
    let factors: Vec<f64> = (0..14).map(|_| 0.5 + draw.uniform()).collect();
    for (observer, site, time) in (0..144_u32).map(|k| (k / 48, k / 6 % 8, k % 6)) {
        if draw.uniform() < 0.7 {
            let mean = factors[site as usize] * factors[8 + time as usize];
            rows.extend([f64::from(site), f64::from(time), level * (mean + 1e-9 * draw.uniform())]);
            groups.push(observer);
        }
    }
    let names = ["site", "time", "value"].map(str::to_owned).to_vec();
    let data = DataSet::new(names, rows, None, Some(groups)).expect("data");
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), streams).expect("three observers");
    let model = LowRank::new((8, 6), 1, 0.0, Family::Gaussian, data.data().len(), 3).expect("a model");
    (data, model)
}

fn of_measured(level: f64, settings: Settings) -> FedMissEm {
    let (data, model) = measured(level, &Streams::new(5, 0));
    miss_em((&data, model), settings, &[0.0; 14]).expect("a fit")
}

/// A memory from 0 that takes over all that was sent, when the client knows that it was used.
fn acknowledged() -> Memory {
    let (start, commit) = (MemoryStart::Zero, Commit::OnAcknowledgement);
    Memory::Kept { alpha: Alpha::Constant(1.0), start, commit, recovery: None }
}

/// Residuals shrink from 10⁹ to 1, and memories with them; what was rounded when they were large stays in V, and is no
/// defect.
#[test]
fn rounding_of_memories_that_were_large_is_no_drift() {
    let streams = Streams::new(5, 0);
    let memory = acknowledged();
    let mut fit = Halves::new(of_measured(1e9, settings(1.0, 3.0, memory)), true);
    let mut largest: f64 = 0.0;
    for number in 1..=60 {
        round(&mut fit, number, &streams);
        largest = largest.max(fit.values(true).expect("V is the mean of the V_i")[0].expect("a drift"));
    }
    let size: f64 = fit.memories.iter().flat_map(|memory| memory.committed()).map(|v| v * v).sum();
    assert!(largest > 1e-20 * size, "this rounding is small beside what memories are now: {largest:e}, {size:e}");
}

/// Three observers whose counts of a cell add up to what rounding leaves of 0: V is that, beside V_i that are not, and
/// it is no drift.
#[test]
fn memories_that_cancel_each_other_are_no_drift() {
    let streams = Streams::new(5, 0);
    let cells = [(0, 0, [0.1, 0.2, -0.3]), (0, 1, [0.7, -0.6, -0.1]), (1, 0, [-0.4, 0.3, 0.1]), (1, 1, [0.0; 3])];
    let counts =
        cells.iter().flat_map(|&(site, time, counts)| counts.map(|count| [f64::from(site), f64::from(time), count]));
    let names = ["site", "time", "value"].map(str::to_owned).to_vec();
    let data = DataSet::new(names, counts.flatten().collect(), None, Some([0, 1, 2].repeat(4))).expect("data");
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).expect("three observers");
    let model = LowRank::new((2, 2), 1, 0.0, Family::Gaussian, 12, 3).expect("a model");
    let memory = Memory::Kept {
        alpha: Alpha::Constant(0.3),
        start: MemoryStart::Zero,
        commit: Commit::OnAcknowledgement,
        recovery: None,
    };
    let fit = miss_em((&data, model), settings(0.5, 3.0, memory), &[0.0; 4]);
    let mut fit = Halves::new(fit.expect("a fit"), true);
    for number in 1..=3 {
        round(&mut fit, number, &streams);
        fit.values(true).expect("V is the mean of the V_i");
    }
}

/// Of three servers the one that is slow is never among the first two: its observations count in none of the steps,
/// whatever weights the others have, which is said.
#[test]
fn a_server_that_never_takes_part_is_a_caveat() {
    let site = Site { up: 1_000_000_000, down: 1_000_000_000, latency_ms: 1, expectation_us: 1 };
    let said = |policy: RoundPolicy| {
        let estimated = Settings { divisor: Divisor::Estimated, ..settings(0.3, 3.0, acknowledged()) };
        let mut place = Place::even(3, site);
        place.sites[2].expectation_us = 100_000;
        let simulated = simulate(of_measured(1e9, estimated), everybody(policy), &place, after(20));
        Caveat::sentences(&simulated.caveats).join("\n")
    };
    assert_eq!(said(RoundPolicy::First(2)), "1 client never took part, and no weighting makes up for their data");
    assert_eq!(said(RoundPolicy::WaitForAll), "");
}

/// Memories that commit on send drift where what was sent is cut off, and only there: whatever the unit of the counts, of
/// FedMissEM and of FedEM on the same.
#[test]
fn what_is_drift_does_not_depend_on_units() {
    let (start, commit) = (MemoryStart::Zero, Commit::OnSend);
    let memory = Memory::Kept { alpha: Alpha::Constant(1.0), start, commit, recovery: None };
    let mut place = Place::even(3, Site { up: 1_000_000, down: 1_000_000_000, latency_ms: 1, expectation_us: 1 });
    place.sites[2].up = 10_000;
    let drifts = |caveats: Vec<Caveat>| caveats.iter().any(|caveat| matches!(caveat, Caveat::MemoryDrift { .. }));
    for level in [1e9, 1e-12] {
        for (policy, expected) in [(RoundPolicy::WaitForAll, false), (RoundPolicy::First(2), true)] {
            let with_memory = || settings(0.3, 3.0, memory);
            let simulated = simulate(of_measured(level, with_memory()), everybody(policy), &place, after(30));
            assert_eq!(drifts(simulated.run.halves().caveats()), expected, "{policy:?} at {level:e}");
            let (data, model) = measured(level, &Streams::new(5, 0));
            let plain = Federation::new(data, Box::new(model), Weighting::Examples, None);
            let s_hat = plain.statistics_at(&[0.0; 14]).expect("a statistic");
            let plain = fed_em(plain, with_memory(), s_hat).expect("FedEM");
            let simulated = simulate(plain, everybody(policy), &place, after(30));
            assert_eq!(drifts(simulated.run.halves().caveats()), expected, "{policy:?} at {level:e}, FedEM");
        }
    }
}

/// Where every cell is counted once, Ŝ is the table, h = 0 from the start, and θ = T(Ŝ) is the largest likelihood of the
/// rank: what a table with cells of means from 1 to 400 is made of lies a little above it.
#[test]
fn a_complete_table_is_fitted_at_once() {
    let (streams, family) = (Streams::new(2, 0), Family::Poisson);
    let cell = |at: usize| libm::log(1.0 + (at / 6) as f64) + 0.5 * (at % 6) as f64;
    let rows = (0..60).flat_map(|at| [(at / 6) as f64, (at % 6) as f64, libm::exp(cell(at)).round()]).collect();
    let names = ["site", "time", "value"].map(str::to_owned).to_vec();
    let data = DataSet::new(names, rows, None, Some((0..60).map(|at| at / 20).collect())).expect("data");
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &streams).expect("three servers");
    let model = LowRank::new((10, 6), 2, 0.0, family, 60, 1).expect("a model");
    let fit = miss_em((&data, model), settings(1.0, 3.0, kept(1.0)), &[0.0; 32]).expect("a fit");
    let mut fit = Halves::new(fit, true);
    let field_sq = round(&mut fit, 1, &streams);
    let theta = &fit.server.at.theta;
    let model = fit.algorithm.model();
    let objective = |theta: &dyn Fn(usize) -> f64| {
        let one = |row: &[f64]| family.objective(row[2], theta(model.cell(row)));
        data.data().rows().chunks_exact(3).map(one).sum::<f64>()
    };
    let (fitted, made) = (objective(&|at| model.parameter_at(theta, at)), objective(&cell));
    assert!(field_sq < 1e-20 && fitted <= made && made - fitted < 5.0, "{field_sq}: {fitted} and {made}");
}

/// All tell the server their cells before round 1, with memories or without: who is estimated to take part are all.
#[test]
fn it_begins_with_everybody() {
    let plain = FedEmSetting::of(Schedule::Constant(0.5));
    let naive = FedEmSetting { memory: uplink::Memory::NoMemory, ..plain.clone() };
    assert!(
        FedMissEmSetting(plain).profile().begins_with_everybody
            && FedMissEmSetting(naive).profile().begins_with_everybody
    );
}
