//! Every protocol that optimizes follows numpy to 1e-12 on three problems.

use crate::golden::{assert_within, numbers};
use crate::optimization::problems::{CASES, Case, everybody, file, play, streams};
use fedbits_codec::{Bernoulli, Compressor, Draw, Encoded, Identity, Indices, Mask, TopK, WireFloat};
use fedbits_models::{Batch, Scratch};
use fedbits_protocols::baselines::presets::{Ef21, Marina, Preset};
use fedbits_protocols::fedem::{BatchRule, FedEm, FedEmSetting};
use fedbits_protocols::federation::Weighting;
use fedbits_protocols::local::{
    ControlVariate, LoCoDl, LoCoDlSetting, LocalSteps, ProxSkip, ProxSkipSetting, Relaxation, Scaffold,
    ScaffoldSetting, local_steps,
};
use fedbits_protocols::operator::Operator;
use fedbits_protocols::plan::Participation;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::star::{Contribution, Halves, StarAlgorithm, StarHalves};
use fedbits_protocols::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink};
use fedbits_spec::Choice;
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;
const ROUNDS: u64 = 40;
const KEEP: f64 = 0.5;

fn half() -> Operator {
    Choice::of(Bernoulli { p: KEEP, mask: Mask::Sent, wire: WireFloat::F64 })
}

/// Ŝ after the rounds that numpy has written down.
#[track_caller]
fn follows(case: &Case, run: &str, found: &[Vec<f64>]) {
    let file = file();
    let shown = numbers(&file["shown"]);
    let rows = file[case.name][run].as_array().expect("a trajectory");
    assert_eq!(rows.len(), shown.len());
    for (k, row) in shown.into_iter().zip(rows) {
        let what = format!("{} of {}, round {k}", run, case.name);
        assert_within(&what, &found[k as usize - 1], &numbers(row), TOLERANCE);
    }
}

/// FedEM as a scenario says it, of everybody.
fn fed_em(case: &Case, setting: FedEmSetting) -> Halves<FedEm> {
    let n = case.clients();
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.operator(n), n, f64::from(n), rules);
    Halves::new(FedEm::new(case.federation(), setting, uplink, case.start()).unwrap(), true)
}

fn trajectory<A: StarAlgorithm>(case: &Case, mut halves: Halves<A>) -> Vec<Vec<f64>> {
    play(&mut halves, ROUNDS, everybody(case.clients()), None, |_, _| {})
}

fn with_uniforms<A: StarAlgorithm>(case: &Case, mut halves: Halves<A>) -> Vec<Vec<f64>> {
    let uniforms = |k: u64, i: u32| case.uniforms(k, i);
    play(&mut halves, ROUNDS, everybody(case.clients()), Some(&uniforms), |_, _| {})
}

#[test]
fn gradient_descent_is_fed_em() {
    for case in &CASES {
        let setting = FedEmSetting { memory: Memory::NoMemory, ..FedEmSetting::of(Schedule::Constant(0.9)) };
        follows(case, "gd", &trajectory(case, fed_em(case, setting)));
    }
}

#[test]
fn diana_and_marina_follow_numpy() {
    let coins: Vec<bool> = file()["coins"].as_array().unwrap().iter().map(|coin| coin.as_bool().unwrap()).collect();
    for case in &CASES {
        let setting = FedEmSetting {
            alpha: Alpha::Constant(0.5),
            memory: Memory::of(MemoryStart::Zero, Commit::OnSend),
            divide_by: DivideBy::Clients,
            compressor: half(),
            ..FedEmSetting::of(Schedule::Constant(0.3))
        };
        follows(case, "diana", &with_uniforms(case, fed_em(case, setting)));
        let (gamma, floats, domain) = (Schedule::Constant(0.3), WireFloat::F64, Default::default());
        let marina = Marina { gamma, probability: 0.3, compressor: half(), allow_biased: false, floats, domain };
        let halves = fed_em(case, marina.fed_em());
        let whole = Identity::default().name();
        let is_full = |k: u64| halves.algorithm.coder(&streams(), 0, k).compressor.name() == whole;
        assert_eq!((1..=ROUNDS).map(is_full).collect::<Vec<_>>(), coins);
        follows(case, "marina", &with_uniforms(case, halves));
    }
}

fn ef21(case: &Case, k: usize) -> Ef21 {
    let compressor = match k < case.loss.columns {
        true => Choice::of(TopK::new(k as u32, Indices::Enumerative, WireFloat::F64)),
        false => Operator::default(),
    };
    Ef21::of(Schedule::Constant(0.4), compressor)
}

#[test]
fn ef21_and_its_lazy_forms_follow_numpy() {
    for case in &CASES {
        follows(case, "ef21", &trajectory(case, fed_em(case, ef21(case, 2).fed_em())));
        for (run, k, lazy) in [("lag", case.loss.columns, 3.0), ("clag", 2, 2.0)] {
            let mut halves = fed_em(case, Ef21 { lazy, ..ef21(case, k) }.fed_em());
            let spoke = &file()[case.name][format!("{run}_sent")];
            let expected: Vec<Vec<f64>> = spoke.as_array().unwrap().iter().map(numbers).collect();
            // Who says nothing sends one bit, and who speaks one more than the message.
            let message = |sent: &Contribution| match (run, sent.encoded.bits()) {
                (_, 1) => None,
                ("lag", bits) => {
                    assert_eq!(bits, 1 + 64 * case.loss.columns as u64);
                    Some(f64::from(sent.client))
                }
                _ => Some(f64::from(sent.client)),
            };
            let look = |k: u64, arrived: &[Contribution]| {
                let spoke: Vec<f64> = arrived.iter().filter_map(message).collect();
                assert_eq!(spoke, expected[k as usize - 1], "{run} of {}, round {k}", case.name);
            };
            let found = play(&mut halves, ROUNDS, everybody(case.clients()), None, look);
            follows(case, run, &found);
        }
    }
}

/// EF21-SGDM on given batches.
#[test]
fn momentum_follows_numpy() {
    for case in &CASES {
        let memory = Memory::of(MemoryStart::MeanField, Commit::OnSend);
        let setting = Ef21 { momentum: 0.4, gamma: Schedule::Constant(0.3), ..ef21(case, 2) }.fed_em();
        let mut halves = fed_em(case, FedEmSetting { memory, ..setting });
        let mut found = Vec::new();
        for k in 0..=ROUNDS {
            let (s_hat, theta) = (halves.server.s_hat.to_vec(), halves.server.theta.to_vec());
            let mut arrived = Vec::new();
            for i in 0..case.clients() {
                let (size, k) = (case.sizes[i as usize], k as u32);
                let indices: Vec<u32> =
                    (0..3).filter(|_| k > 0).map(|b| (5 * (k - 1) + 3 * i + 7 * b) % size).collect();
                let batch = if k > 0 { Batch::Indices(&indices) } else { Batch::All };
                let federation = halves.algorithm.federation();
                let mut s = vec![0.0; s_hat.len()];
                let e_step = federation.model().conditional(&theta).unwrap();
                e_step.mean_statistics(federation.examples(i), batch, &mut Scratch::default(), &mut s);
                arrived.push(contribute(&mut halves, (i, u64::from(k)), &s, &s_hat));
            }
            halves.step(&streams(), k, &arrived).unwrap();
            found.push(halves.server.s_hat.to_vec());
        }
        follows(case, "sgdm", &found[1..]);
    }
}

fn contribute(halves: &mut Halves<FedEm>, (i, k): (u32, u64), s: &[f64], s_hat: &[f64]) -> Contribution {
    let Halves { algorithm, memories, .. } = &mut *halves;
    let (mut delta, mut encoded) = (Vec::new(), Encoded::new());
    algorithm.difference((i, &mut memories[i as usize]), s, (s_hat, false), &mut delta);
    algorithm.coder(&streams(), i, k).compressor.encode(&delta, Draw::Given(&[]), &mut encoded).unwrap();
    halves.sent(i, k, &encoded);
    Contribution { client: i, encoded: Box::new(encoded), age: 0 }
}

fn steps(case: &Case, gamma: f64) -> LocalSteps {
    LocalSteps::new(case.federation(), gamma, BatchRule::All, WireFloat::F64, case.start()).unwrap()
}

pub const SCAFFOLD: ScaffoldSetting = ScaffoldSetting {
    local_steps: 3,
    gamma: 0.25,
    server_step: 0.75,
    control: ControlVariate::Steps,
    batch: BatchRule::All,
    participation: Participation::All,
    floats: WireFloat::F64,
    weighting: Weighting::Examples,
};

#[test]
fn scaffold_follows_numpy() {
    let cohorts: Vec<Value> = file()["cohorts"].as_array().unwrap().clone();
    for case in &CASES {
        let some = |k: u64| -> Vec<u32> {
            let named = numbers(&cohorts[(k as usize - 1) % cohorts.len()]);
            named.into_iter().map(|i| i as u32).filter(|&i| i < case.clients()).collect()
        };
        for (control, full, partial) in [
            (ControlVariate::Gradient, "scaffold_1", "scaffold_partial_1"),
            (ControlVariate::Steps, "scaffold_2", "scaffold_partial"),
        ] {
            let of = |setting: ScaffoldSetting| {
                Halves::new(Scaffold::new(steps(case, setting.gamma), &setting).unwrap(), true)
            };
            let setting = ScaffoldSetting { control, ..SCAFFOLD };
            follows(case, full, &trajectory(case, of(setting)));
            let mut halves = of(ScaffoldSetting { local_steps: 2, gamma: 0.2, server_step: 0.9, ..setting });
            follows(case, partial, &play(&mut halves, ROUNDS, some, None, |_, _| {}));
        }
    }
}

/// The numbers of local steps that numpy was told are those that are drawn.
#[test]
fn proxskip_and_locodl_follow_numpy() {
    let drawn: Vec<f64> = (1..=ROUNDS).map(|k| local_steps(&streams(), k, 0.3) as f64).collect();
    assert_eq!(drawn, numbers(&file()["numbers"]));
    for case in &CASES {
        let (floats, weighting) = (WireFloat::F64, Weighting::Examples);
        let setting = ProxSkipSetting { gamma: 0.8, probability: 0.3, floats, weighting };
        let skip = ProxSkip::new(steps(case, 0.8), &setting).unwrap();
        follows(case, "proxskip", &trajectory(case, Halves::new(skip, true)));
        let rate = Relaxation::Constant(1.0 / (1.0 + (1.0 / KEEP - 1.0) / f64::from(case.clients())));
        let setting = LoCoDlSetting {
            gamma: 0.8,
            probability: 0.3,
            compressor: half(),
            allow_biased: false,
            chi: rate,
            rho: rate,
            shared: 0.02,
            floats,
            weighting,
        };
        let locodl = LoCoDl::new(steps(case, 0.8), &setting).unwrap();
        follows(case, "locodl", &with_uniforms(case, Halves::new(locodl, true)));
    }
}
