//! The baselines: against independent numpy trajectories (`tests/golden/make_baselines.py`), and where one of them must
//! be another algorithm.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use crate::fedem::common::simulate::{
    F64, Memory, Place, Settings, Simulated, Site, after, everybody, fed_em, kept, settings, simulate,
};
use crate::fedem::common::{
    assert_close, contribute, em, em_step, federation, golden, numbers, one_client, start_memories, streams,
    tied_federation,
};
use fedbits_codec::{
    Bernoulli, CompositionOf, Compressor, CompressorSetting, Draw, Encoded, Indices, Lazy, Mask, RandK, TopK, WireFloat,
};
use fedbits_models::{Batch, Scratch};
use fedbits_protocols::alone::{AloneAlgorithm, AloneRun};
use fedbits_protocols::baselines::fed_avg_em::{FedAvgEm, FedAvgEmSetting};
use fedbits_protocols::baselines::fiem::FiemSetting;
use fedbits_protocols::baselines::iem::IncrementalEm;
use fedbits_protocols::baselines::online_em::OnlineEm;
use fedbits_protocols::baselines::pooled::{PooledEm, Rule};
use fedbits_protocols::baselines::presets::{self, DistributedEm, Ef21, Marina, Preset};
use fedbits_protocols::baselines::sem_vr::SemVrSetting;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::fedem::{BatchRule, Broadcast, Domain, DownMemory, Downlink, FedEm, FedEmSetting};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::journal::{Journal, Subject};
use fedbits_protocols::plan::{Measure, Participation, Patience, RecordPlan, RoundPolicy, StopRules};
use fedbits_protocols::run::{Experiment, Observers, Runnable, run};
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Contribution, Counts, Halves, Rounds, StarAlgorithm, StarHalves};
use fedbits_protocols::uplink::{self, Alpha, Commit, MemoryStart, Uplink};
use fedbits_random::Streams;
use fedbits_record::{Recorder, RoundRow};
use fedbits_spec::{Caveat, Choice, Described, Facts, Findings, Path};
use serde_json::Value;

const GAMMA: Schedule = Schedule::Constant(0.4);

fn inputs() -> Value {
    golden("g2_fedem.json")["inputs"].clone()
}

fn s_0() -> Vec<f64> {
    numbers(&inputs()["S0"])
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn indices(value: &Value) -> Vec<Vec<u32>> {
    rows(value).into_iter().map(|row| row.into_iter().map(|x| x as u32).collect()).collect()
}

fn alone<R: Rule>(rule: R) -> PooledEm<R> {
    PooledEm::new(federation(&inputs()), s_0(), rule).unwrap()
}

// ---- in one place

fn sem_vr(gamma: Schedule, batch: BatchRule, refresh: u64) -> SemVrSetting {
    SemVrSetting { gamma, batch, refresh, domain: Domain::Error }
}

fn iem(batch: BatchRule) -> IncrementalEm {
    IncrementalEm { batch, domain: Domain::Error }
}

fn fiem(gamma: Schedule, batch: BatchRule, lambda: f64) -> FiemSetting {
    FiemSetting { gamma, batch, lambda, domain: Domain::Error }
}

fn follows<R: Rule>(name: &str, rule: R) {
    let file = golden("baselines.json");
    let (first, second) = (indices(&file["batches"]), indices(&file["second_batches"]));
    let mut algorithm = alone(rule);
    for (k, expected) in rows(&file[name]).iter().enumerate() {
        let batch = |number: u64| if number == 0 { first[k].clone() } else { second[k].clone() };
        algorithm.step(k as u64 + 1, &batch).unwrap();
        assert_close(&format!("{name}, iteration {}", k + 1), algorithm.subject().state().s_hat, expected);
    }
}

#[test]
fn algorithms_in_one_place_follow_numpy() {
    let batch = BatchRule::WithReplacement(5);
    follows("online", OnlineEm { gamma: GAMMA, batch, silent: 3, domain: Domain::Error });
    follows("sem_vr", sem_vr(GAMMA, batch, 4));
    follows("iem", iem(batch));
    follows("fiem", fiem(GAMMA, batch, 1.0));
    follows("fiem_half", fiem(GAMMA, batch, 0.5));
}

/// With all examples: online EM with γ = 1 is EM bit for bit (of one client's data), the others to rounding.
#[test]
fn all_examples_and_a_full_step_are_em() {
    let one = Schedule::Constant(1.0);
    let streams = Streams::new(1, 0);
    let mut em = em(federation(&inputs()), s_0());
    let mut online = alone(OnlineEm { gamma: one, batch: BatchRule::All, silent: 0, domain: Domain::Error });
    let mut sem_vr = alone(sem_vr(one, BatchRule::All, 3));
    let mut iem = alone(iem(BatchRule::All));
    let mut fiem = alone(fiem(one, BatchRule::WithoutReplacement(32), 1.0));
    for k in 1..=12 {
        em_step(&mut em);
        let algorithms: [&mut dyn AloneAlgorithm; 4] = [&mut online, &mut sem_vr, &mut iem, &mut fiem];
        for (number, algorithm) in algorithms.into_iter().enumerate() {
            algorithm.iterate(&streams, k).unwrap();
            assert_close(&format!("{number}, step {k}"), algorithm.subject().state().s_hat, em.state().s_hat);
        }
    }
}

/// Variance-reduced rules with small batches and a constant step end where EM ends; online EM does not.
#[test]
fn variance_reduced_rules_have_the_fixed_point_of_em() {
    let batch = BatchRule::WithReplacement(4);
    let last = |mut algorithm: Box<dyn AloneAlgorithm>| {
        let streams = Streams::new(5, 0);
        for k in 1..=6_000 {
            algorithm.iterate(&streams, k).unwrap();
        }
        algorithm.subject().probe().unwrap().mean_field_sq.unwrap()
    };
    let step = Schedule::Constant(0.1);
    let online = last(Box::new(alone(OnlineEm { gamma: step, batch, silent: 20, domain: Domain::Error })));
    for (name, h_sq) in [
        ("sem_vr", last(Box::new(alone(sem_vr(step, batch, 8))))),
        ("iem", last(Box::new(alone(iem(batch))))),
        ("fiem", last(Box::new(alone(fiem(step, batch, 1.0))))),
    ] {
        assert!(h_sq < 1e-20, "{name}: ‖h‖² = {h_sq:e}");
    }
    assert!(online > 1e-6, "online EM stays in its noise: {online:e}");
}

/// While θ stays, Ŝ runs towards s̄(θ) and the objective stays: neither ends the run. With γ = ½ ‖s̄(θ) − Ŝ‖² falls by 4
/// in each silent iteration, below 10⁻²⁵ of what it was.
#[test]
fn silent_iterations_end_no_run() {
    let of = |stop: StopRules| {
        let rows = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&rows);
        let observer = Some(Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone())) as _);
        let silent =
            OnlineEm { gamma: Schedule::Constant(0.5), batch: BatchRule::All, silent: 40, domain: Domain::Error };
        let (protocol, record) = (Box::new(AloneRun(alone(silent))), RecordPlan::of(1, Some(5)));
        let recorder = Recorder::nothing(Journal::columns(protocol.subject(), &record));
        let site = Site { up: 1_000, down: 1_000, latency_ms: 1, expectation_us: 1 };
        let world = Place::even(4, site).world();
        let experiment = Experiment { world, protocol, record, stop, data_digest: String::new() };
        run(experiment, recorder, Observers { observer, ..Observers::default() }, &AtomicBool::new(false));
        rows.take()
    };
    let patience = Patience { of: Measure::Objective, probes: 2, least: 0.0 };
    for stop in [
        StopRules { mean_field_sq: Some(1e-20), ..after(1_000) },
        StopRules { objective_change: Some(1e-12), ..after(1_000) },
        StopRules { patience: Some(patience), ..after(1_000) },
    ] {
        let rows = of(stop);
        let last = rows.last().unwrap();
        assert!(last.round > 50 && last.round < 1_000, "ended after {}", last.round);
        assert!(last.mean_field_sq.unwrap() < 1e-9, "{:?}", last.mean_field_sq);
        assert!(rows[1..=40].iter().all(|row| row.mean_field_sq.is_none()), "θ is not T(Ŝ)");
        assert!(rows[0].mean_field_sq.is_some() && rows[5].objective == rows[0].objective);
    }
}

/// The counts of conditional expectations in the heads of the files.
#[test]
fn work_is_what_the_rules_say() {
    fn work<R: Rule>(rule: R) -> [u64; 3] {
        [1, 2, 5].map(|k| rule.work(k, 32))
    }
    let batch = BatchRule::WithReplacement(5);
    assert_eq!(work(OnlineEm { gamma: GAMMA, batch, silent: 0, domain: Domain::Error }), [5, 5, 5]);
    assert_eq!(work(sem_vr(GAMMA, batch, 4)), [42, 10, 42]);
    assert_eq!(work(iem(batch)), [37, 5, 5]);
    assert_eq!(work(fiem(GAMMA, batch, 1.0)), [42, 10, 10]);
}

// ---- in the star, by their pure halves

/// s̄_i(θ), all examples.
pub fn statistics(federation: &Federation, i: u32, theta: &[f64]) -> Vec<f64> {
    let e_step = federation.model().conditional(theta).unwrap();
    let mut out = vec![0.0; federation.model().statistic_dimension()];
    e_step.mean_statistics(federation.examples(i), Batch::All, &mut Scratch::default(), &mut out);
    out
}

pub fn floats(client: u32, x: &[f64]) -> Contribution {
    let mut encoded = Encoded::new();
    F64.encode(x, Draw::Given(&[]), &mut encoded).unwrap();
    Contribution { client, encoded: Box::new(encoded), age: 0 }
}

/// V_{0,i} = h_i(Ŝ₀).
fn start_at_fields(fedem: &mut Halves<FedEm>) {
    let field = |i: u32| -> Vec<f64> {
        let s_bar = statistics(fedem.algorithm.federation(), i, &fedem.server.theta);
        s_bar.iter().zip(&fedem.server.s_hat).map(|(s_bar, s)| s_bar - s).collect()
    };
    let fields: Vec<Vec<f64>> = (0..4).map(field).collect();
    start_memories(fedem, fields);
}

/// Round k of FedEM with everybody; `uniforms` of client i, where its compressor draws.
fn round(fedem: &mut Halves<FedEm>, k: u64, uniforms: &dyn Fn(u32) -> Vec<f64>) {
    let (s_hat, theta) = (fedem.server.s_hat.to_vec(), fedem.server.theta.to_vec());
    let mut arrived = Vec::new();
    for i in 0..4 {
        let s_bar = statistics(fedem.algorithm.federation(), i, &theta);
        arrived.push(contribute(fedem, (i, k), &s_bar, (&s_hat, false), Draw::Given(&uniforms(i))));
    }
    fedem.step(&streams(), k, &arrived).unwrap();
}

fn uniforms(file: &Value, k: usize, i: u32) -> Vec<f64> {
    numbers(&file["uniforms"][k][i as usize])
}

const HALF: Bernoulli = Bernoulli { p: 0.5, mask: Mask::Sent, wire: WireFloat::F64 };

fn half() -> Box<dyn Compressor> {
    Box::new(HALF)
}

/// Top-k with the k of a trajectory, of which no coordinate is chosen by rounding.
fn top(k: &Value) -> TopK {
    let k = k.as_u64().expect("a number of coordinates");
    TopK::new(k as u32, Indices::Enumerative, WireFloat::F64)
}

fn ef21(gamma: f64, compressor: impl CompressorSetting) -> FedEmSetting {
    Ef21::of(Schedule::Constant(gamma), Choice::of(compressor)).fed_em()
}

/// FedEM as a scenario says it, of four clients who all take part.
fn said(setting: FedEmSetting) -> FedEm {
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.operator(4), 4, 4.0, rules);
    FedEm::new(federation(&inputs()), setting, uplink, s_0()).unwrap()
}

fn ascending(federation: Federation, settings: Settings, s_hat: &[f64]) -> Result<FedEm, ProtocolError> {
    let (setting, uplink) = settings.parts(federation.clients());
    presets::gradient_ascent(federation, setting, uplink, s_hat)
}

#[test]
fn distributed_em_and_ef21_follow_numpy() {
    let file = golden("baselines.json");
    let exact = DistributedEm::default().fed_em();
    // Nothing is lost here: clients may commit at once.
    let memory = uplink::Memory::of(MemoryStart::MeanField, Commit::OnSend);
    let feedback = FedEmSetting { memory, ..ef21(0.5, top(&file["ef21_k"])) };
    for (name, setting) in [("distributed", exact), ("ef21", feedback)] {
        let starts = setting.memory != uplink::Memory::NoMemory;
        let mut fedem = Halves::new(said(setting), true);
        if starts {
            start_at_fields(&mut fedem);
        }
        for (k, expected) in rows(&file[name]).iter().enumerate() {
            round(&mut fedem, k as u64 + 1, &|_| Vec::new());
            assert_close(&format!("{name}, round {}", k + 1), &fedem.server.s_hat, expected);
        }
    }
}

#[test]
fn ef21_refuses_what_is_no_contraction() {
    // rand-2 of 6 has ω = 2: its error can be larger than the vector.
    let compressor = Choice::of(RandK::new(2, Indices::Enumerative, WireFloat::F64));
    let mut findings = Findings::default();
    let facts = Facts::default().with_vector(Some(6));
    Ef21::of(GAMMA, compressor).check(&Path::Root, &facts, &mut findings);
    let refused = findings.iter().next().expect("an error");
    assert!(refused.message.contains("needs a contraction"), "{refused:?}");
}

#[test]
fn marina_follows_numpy() {
    let file = golden("baselines.json");
    let gamma = Schedule::Constant(0.3);
    let mut marina = Halves::new(said(marina(gamma, 0.5, HALF)), true);
    let coins: Vec<bool> = file["coins"].as_array().unwrap().iter().map(|coin| coin.as_bool().unwrap()).collect();
    // A seed that draws these coins, as the operators that it chooses tell.
    let floats = F64.name();
    let draws = |streams: &Streams| {
        (1..).zip(&coins).all(|(k, &coin)| (marina.algorithm.coder(streams, 0, k).compressor.name() == floats) == coin)
    };
    let seeds = (0..1_000_000).map(|seed| Streams::new(seed, 0));
    let streams = seeds.into_iter().find(draws).expect("one of many seeds");
    for (k, expected) in rows(&file["marina"]).iter().enumerate() {
        let round = k as u64 + 1;
        let body = marina.open_round(&streams, round, &[]).unwrap();
        assert_eq!(marina.said(&body).content.full, coins[k]);
        let (s_hat, theta) = (marina.server.s_hat.to_vec(), marina.server.theta.to_vec());
        let mut arrived = Vec::new();
        for i in 0..4_u32 {
            let s_bar = statistics(marina.algorithm.federation(), i, &theta);
            let (mut delta, mut encoded) = (Vec::new(), Encoded::new());
            let Halves { algorithm, memories, .. } = &mut marina;
            algorithm.difference((i, &mut memories[i as usize]), &s_bar, (&s_hat, coins[k]), &mut delta);
            let coder = algorithm.coder(&streams, i, round);
            coder.compressor.encode(&delta, Draw::Given(&uniforms(&file, k, i)), &mut encoded).unwrap();
            marina.sent(i, round, &encoded);
            arrived.push(Contribution { client: i, encoded: Box::new(encoded), age: 0 });
        }
        marina.step(&streams, round, &arrived).unwrap();
        assert_close(&format!("round {round}"), &marina.server.s_hat, expected);
        let missing = marina.step(&streams, round, &arrived[..3]).unwrap_err().to_string();
        assert!(missing.starts_with("1 contribution is missing"), "{missing}");
    }
}

fn marina(gamma: Schedule, probability: f64, compressor: impl CompressorSetting) -> FedEmSetting {
    let (compressor, floats, domain) = (Choice::of(compressor), WireFloat::F64, Domain::Error);
    Marina { gamma, probability, compressor, allow_biased: false, floats, domain }.fed_em()
}

fn downlink(compressor: impl CompressorSetting, alpha: Option<f64>) -> Downlink {
    let memory = alpha.map_or(DownMemory::NoDownMemory, |alpha| DownMemory::DownMemory(Alpha::Constant(alpha)));
    Downlink::Compressed { compressor: Choice::of(compressor), allow_biased: true, memory }
}

fn with_memories(gamma: f64) -> Settings {
    settings(gamma, kept(0.5, MemoryStart::MeanField, Commit::OnAcknowledgement), 4.0)
}

#[test]
fn a_compressed_downlink_follows_numpy() {
    let file = golden("baselines.json");
    let top = top(&file["artemis_k"]);
    let memory = kept(0.5, MemoryStart::MeanField, Commit::OnSend);
    let settings = Settings { downlink: downlink(top, Some(0.25)), ..settings(0.5, memory, 4.0) };
    let mut fedem = halves(settings);
    start_at_fields(&mut fedem);
    for (k, expected) in rows(&file["artemis"]).iter().enumerate() {
        round(&mut fedem, k as u64 + 1, &|_| Vec::new());
        assert_close(&format!("round {}", k + 1), &fedem.server.s_hat, expected);
    }
}

/// Client 0 takes part always, client 1 in rounds 1, 2 and 6, client 2 for the first time in round 7. rand-1 of 6 with
/// its place enumerated is 3 + 64 bits; Ŝ as it is 384. One bit says which, and one acknowledges.
#[test]
fn who_was_away_is_sent_what_it_missed() {
    let rand = RandK::new(1, Indices::Enumerative, WireFloat::F64);
    let settings = Settings { downlink: downlink(rand, None), ..settings(0.1, Memory::None, 4.0) };
    let mut fedem = halves(settings);
    let (omega, whole) = (67, 384);
    let away = |round: u64| match round {
        1 => whole,
        2 => omega,
        6 => 4 * omega,
        _ => unreachable!("client 1 is not there"),
    };
    let mut copy = s_0();
    for k in 1..=7 {
        let expected = if k == 1 { whole } else { omega };
        let part = fedem.own_part(0, k);
        assert_eq!((part.bits.count(), part.catches_up), (expected + 2, false), "round {k}");
        let mut there = vec![0];
        if matches!(k, 1 | 2 | 6) {
            let part = fedem.own_part(1, k);
            assert_eq!((part.bits.count(), part.catches_up), (away(k) + 2, k == 6), "round {k}");
            there.push(1);
        }
        if k == 7 {
            let part = fedem.own_part(2, k);
            assert_eq!((part.bits.count(), part.catches_up), (whole + 2, true));
        }
        let (s_hat, theta) = (fedem.server.s_hat.to_vec(), fedem.server.theta.to_vec());
        let mut arrived = Vec::new();
        for i in there {
            let s_bar = statistics(fedem.algorithm.federation(), i, &theta);
            arrived.push(contribute(&mut fedem, (i, k), &s_bar, (&s_hat, false), Draw::Given(&[])));
        }
        fedem.step(&streams(), k, &arrived).unwrap();
        // The direction holds no more than what was coded, and whoever makes the same steps has the server's Ŝ.
        assert!(fedem.server.h.iter().filter(|h| **h != 0.0).count() <= 1);
        copy.iter_mut().zip(&fedem.server.h).for_each(|(s, h)| *s += 0.1 * h);
        assert_eq!(copy, fedem.server.s_hat);
    }
    fedem.on_lost(0, Some(7));
    assert_eq!(fedem.own_part(0, 8).bits.count(), whole + 2, "who has lost its state needs everything");
}

const LAZY: Lazy = Lazy { p: 1.0, wire: WireFloat::F64 };

fn acknowledged() -> Settings {
    settings(0.1, kept(0.5, MemoryStart::Zero, Commit::OnAcknowledgement), 4.0)
}

/// Updates of 3 + 64 bits whose strings do not end themselves: one bit says whether another follows, and if so ω(68) of
/// 13 bits how long it is. Client 0 takes part always, client 1 in rounds 1 and 5, client 2 in round 6: after the first
/// step it is sent D, too. Memories have the bit of acknowledgement already.
#[test]
fn updates_that_do_not_end_themselves_say_where_they_end() {
    let rand = RandK::new(1, Indices::Enumerative, WireFloat::F64);
    let compressor = CompositionOf { first: Choice::of(rand), then: Choice::of(LAZY) };
    let mut fedem = halves(Settings { downlink: downlink(compressor, Some(0.25)), ..acknowledged() });
    for k in 1..=6 {
        let mut charged = |i: u32| fedem.own_part(i, k).bits.count() - 1;
        assert_eq!(charged(0), if k == 1 { 384 } else { 1 + 67 }, "round {k}");
        match k {
            1 => assert_eq!(charged(1), 384, "D is 0 at both ends"),
            5 => assert_eq!(charged(1), 4 * (1 + 67) + 3 * 13),
            6 => assert_eq!(charged(2), 2 * 384),
            _ => {}
        }
        let (s_hat, theta) = (fedem.server.s_hat.to_vec(), fedem.server.theta.to_vec());
        let mut arrived = Vec::new();
        for i in 0..if k == 1 { 2 } else { 1 } {
            let s_bar = statistics(fedem.algorithm.federation(), i, &theta);
            arrived.push(contribute(&mut fedem, (i, k), &s_bar, (&s_hat, false), Draw::Given(&[])));
        }
        fedem.step(&streams(), k, &arrived).unwrap();
    }
}

/// The client is told that its contribution was not used: for both ends it has nothing yet.
#[test]
fn a_step_that_is_skipped_tells_nothing_of_clients() {
    let downlink = downlink(LAZY, None);
    let mut fedem = halves(Settings { downlink, domain: Domain::SkipRound, ..acknowledged() });
    let whole = fedem.own_part(0, 1);
    let (s_hat, far_away) = (fedem.server.s_hat.to_vec(), vec![-1e6; 6]);
    let arrived = contribute(&mut fedem, (0, 1), &far_away, (&s_hat, false), Draw::Given(&[]));
    assert!(!fedem.step(&streams(), 1, &[arrived]).unwrap().used);
    assert_eq!(fedem.own_part(0, 2), whole);
}

#[test]
fn gradient_ascent_follows_numpy() {
    let file = golden("baselines.json");
    let settings = Settings { compressor: half(), ..settings(0.3, kept(0.5, MemoryStart::Zero, Commit::OnSend), 4.0) };
    let started = ascending(federation(&inputs()), settings, &s_0()).unwrap();
    let mut ascent = Halves::new(started, true);
    for (k, expected) in rows(&file["ascent"]).iter().enumerate() {
        round(&mut ascent, k as u64 + 1, &|i| uniforms(&file, k, i));
        // The numpy gradient comes from differences.
        for (x, expected) in ascent.server.s_hat.iter().zip(expected) {
            assert!((x - expected).abs() < 1e-7, "round {}: {x} instead of {expected}", k + 1);
        }
    }
    // A component without weight has no coordinates: `Clip` gives it some, and the run says so.
    let mut empty = s_0();
    empty[0] = 0.0;
    let start = |domain| ascending(federation(&inputs()), Settings { domain, ..with_memories(0.1) }, &empty);
    assert!(start(Domain::Error).is_err());
    let clipped = Halves::new(start(Domain::Clip { floor: 1e-3 }).unwrap(), true);
    assert_eq!(Caveat::sentences(&clipped.caveats()), ["Ŝ left the domain of T: 1 entry was clipped"]);
    let tied = ascending(tied_federation(&inputs()), with_memories(0.1), &s_0());
    assert!(tied.err().unwrap().to_string().contains("coordinates without constraints"));
}

/// Everybody takes part in every round.
pub fn fed_avg_setting(local_steps: u32) -> FedAvgEmSetting {
    FedAvgEmSetting {
        local_steps,
        participation: Participation::All,
        match_components: true,
        floats: WireFloat::F64,
        domain: Domain::Error,
    }
}

fn fed_avg(federation: Federation, local_steps: u32) -> FedAvgEm {
    FedAvgEm::new(federation, fed_avg_setting(local_steps), s_0()).unwrap()
}

#[test]
fn fed_avg_em_follows_numpy() {
    let mut average = Halves::new(fed_avg(federation(&inputs()), 3), true);
    for (k, expected) in rows(&golden("baselines.json")["fed_avg"]).iter().enumerate() {
        let theta = average.server.theta.clone();
        let update = |i| {
            let first = statistics(average.algorithm.problem().federation().unwrap(), i, &theta);
            average.algorithm.local_update(i, &theta, &first, &mut Counts::default()).unwrap()
        };
        let arrived: Vec<Contribution> = (0..4).map(|i| floats(i, &update(i))).collect();
        average.step(&streams(), k as u64 + 1, &arrived).unwrap();
        assert_close(&format!("round {}", k + 1), &average.server.theta, expected);
    }
}

// ---- over the engine

fn place() -> Place {
    Place::even(4, Site { up: 1_000_000, down: 5_000_000, latency_ms: 20, expectation_us: 10 })
}

fn simulated<A: StarAlgorithm>(algorithm: A) -> Simulated<A> {
    simulate(algorithm, everybody(RoundPolicy::WaitForAll), &place(), after(15))
}

fn fedem(settings: Settings) -> FedEm {
    fed_em(federation(&inputs()), settings, s_0()).unwrap()
}

fn halves(settings: Settings) -> Halves<FedEm> {
    Halves::new(fedem(settings), true)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// EF21 with the identity and γ = 1, and MARINA with p = 1 or with the identity, are distributed EM to rounding; that
/// is EM.
#[test]
fn without_compression_all_are_distributed_em() {
    let distributed = simulated(said(DistributedEm::default().fed_em()));
    let expected = distributed.fedem().s_hat.to_vec();
    let mut em = em(federation(&inputs()), s_0());
    for _ in 0..15 {
        em_step(&mut em);
    }
    assert_close("EM", em.state().s_hat, &expected);
    assert_close("EF21", &simulated(said(ef21(1.0, F64))).fedem().s_hat, &expected);
    let one = Schedule::Constant(1.0);
    for setting in [marina(one, 1.0, HALF), marina(one, 0.3, F64)] {
        let marina = simulated(said(setting));
        assert_close("MARINA", &marina.fedem().s_hat, &expected);
        assert_eq!(marina.last().bits_up, distributed.last().bits_up);
    }
    // 15 rounds of four clients' 6 floats, and nothing before.
    assert_eq!(distributed.last().bits_up, 15 * 4 * 6 * 64);
}

/// A downlink of the identity is no downlink: FedEM bit for bit, with compressed uplinks, partial participation and
/// memories; and the broadcasts of those who were there before have FedEM's bits and one more.
#[test]
fn an_uncompressed_downlink_is_fedem() {
    let run = |downlink: Downlink| {
        let settings = Settings { compressor: half(), downlink, ..with_memories(0.2) };
        let rounds = Rounds { participation: Participation::Cohort(2), ..everybody(RoundPolicy::WaitForAll) };
        simulate(fedem(settings), rounds, &place(), after(40))
    };
    let (plain, artemis) = (run(Downlink::Whole), run(downlink(F64, None)));
    let [plain_v, artemis_v] = [&plain, &artemis].map(|simulated| simulated.run.halves().v());
    for (one, other) in [(&plain.fedem().s_hat[..], &artemis.fedem().s_hat[..]), (plain_v, artemis_v)] {
        assert_eq!(bits(one), bits(other));
    }
    let fields =
        |simulated: &Simulated| simulated.rows.iter().map(|row| row.field_sq.map(f64::to_bits)).collect::<Vec<_>>();
    assert_eq!(fields(&plain), fields(&artemis));
    // Every Ω is as long as Ŝ, and nobody is ever sent more than Ŝ; in round 1 everybody has Ŝ₀ from before.
    let messages = 4 + 40 * 2;
    assert_eq!(artemis.last().bits_down - messages - 40 * 2, (messages - 2) * 384, "and acknowledgements");
    assert_eq!(plain.last().bits_down - 40 * 2, messages * 384);
}

/// No θ travels beside compressed updates of Ŝ, nor beside the coordinates of gradient ascent, whatever `broadcast` says.
#[test]
fn parameters_travel_with_whole_statistics_alone() {
    let end = |run: Simulated| (run.last().bits_down, bits(&run.fedem().s_hat));
    let artemis = |broadcast| {
        let (downlink, floats) = (downlink(HALF, None), WireFloat::F32);
        end(simulated(fedem(Settings { broadcast, downlink, floats, ..with_memories(0.1) })))
    };
    assert_eq!(artemis(Broadcast::Statistic), artemis(Broadcast::StatisticAndParameters));
    let ascent = |broadcast| {
        let settings = Settings { broadcast, floats: WireFloat::F32, ..with_memories(0.1) };
        end(simulated(ascending(federation(&inputs()), settings, &s_0()).unwrap()))
    };
    assert_eq!(ascent(Broadcast::Statistic), ascent(Broadcast::StatisticAndParameters));
}

/// Gradient ascent that sends everything is gradient ascent: DIANA's memories change nothing but rounding.
#[test]
fn uncompressed_diana_is_gradient_ascent() {
    let run = |memory: Memory| simulated(ascending(federation(&inputs()), settings(0.3, memory, 4.0), &s_0()).unwrap());
    let plain = run(Memory::None);
    let diana = run(kept(0.5, MemoryStart::MeanField, Commit::OnAcknowledgement));
    let state = |simulated: &Simulated| simulated.run.halves().state().theta.to_vec();
    assert_close("θ", &state(&diana), &state(&plain));
    let objective = |row: usize| plain.rows[row].objective.unwrap();
    assert!((1..plain.rows.len()).all(|k| objective(k) < objective(k - 1)), "it climbs");
}

/// One local step of one client is EM; and of many clients, what they send is θ: 6 floats each way.
#[test]
fn one_local_step_of_one_client_is_em() {
    let lonely = one_client(&inputs());
    let site = Site { up: 1_000_000, down: 5_000_000, latency_ms: 20, expectation_us: 10 };
    let average = simulate(fed_avg(lonely, 1), everybody(RoundPolicy::WaitForAll), &Place::even(1, site), after(15));
    let mut em = em(federation(&inputs()), s_0());
    for _ in 0..15 {
        em_step(&mut em);
    }
    assert_close("θ", &average.run.halves().server.theta, em.state().theta);
    let four = simulated(fed_avg(federation(&inputs()), 2));
    assert_eq!((four.last().bits_up, four.last().bits_down), (15 * 4 * 384, 15 * 4 * 384));
    assert_eq!(four.last().expectations, 15 * 2 * 32);
}
