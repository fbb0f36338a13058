//! FedGMM and FedGrEM: mixtures of which clients have weights, or weights and means, of their own, as numpy computes
//! them.

use crate::fedem::common::simulate::{Place, Site, after, everybody, simulate};
use crate::golden::{assert_within, golden, numbers};
use crate::optimization::problems::{play, round};
use fedbits_codec::WireFloat;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::{Covariance, GaussianMixture, second_moment};
use fedbits_protocols::baselines::presets::FedGmm;
use fedbits_protocols::baselines::presets::Preset;
use fedbits_protocols::byzantine::{Attack, Attacked, Byzantine, Liars};
use fedbits_protocols::fed_grem::{FedGrEm, FedGrEmSetting};
use fedbits_protocols::fedem::{FedEm, FedEmSetting, OwnWeights};
use fedbits_protocols::federation::{Federation, Weighting};
use fedbits_protocols::journal::Subject;
use fedbits_protocols::over::ExamplesOf;
use fedbits_protocols::partition::{Partition, Partitioned};
use fedbits_protocols::personalized::Personalized;
use fedbits_protocols::plan::RoundPolicy;
use fedbits_protocols::schedule::Schedule;
use fedbits_protocols::setting::ProtocolSetting;
use fedbits_protocols::star::{Halves, Rounds};
use fedbits_protocols::uplink::{Alpha, Commit, DivideBy, Memory, MemoryStart, Uplink};
use fedbits_random::Streams;
use fedbits_record::ClientColumn;
use serde_json::Value;

const TOLERANCE: f64 = 1e-12;
const FORMS: [&str; 4] = ["known", "tied", "diagonal", "full"];

/// The federation of the file, and θ of `row`; weights are the first entries.
fn federation(file: &Value, form: &str) -> Federation {
    let sizes = numbers(&file["sizes"]);
    let groups = (0..).zip(sizes).flat_map(|(i, size)| vec![i; size as usize]).collect();
    let data = DataSet::new(vec!["a".into(), "b".into()], numbers(&file["rows"]), None, Some(groups)).unwrap();
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
    let covariance = match form {
        "known" => Covariance::Known(numbers(&file["start"]["sigma"])),
        "tied" => Covariance::Tied { second_moment: second_moment(data.data().examples()) },
        "diagonal" => Covariance::Diagonal,
        _ => Covariance::Full,
    };
    let model = GaussianMixture::new(3, 2, covariance).unwrap();
    Federation::new(data, Box::new(model), Weighting::Examples, None)
}

/// The covariances of θ: one vech for each, or the diagonals.
fn covariances(form: &str, sigmas: &[f64]) -> Vec<f64> {
    let each = sigmas.chunks(4);
    match form {
        "known" => Vec::new(),
        "tied" => each.take(1).flat_map(|sigma| [sigma[0], sigma[2], sigma[3]]).collect(),
        "diagonal" => each.flat_map(|sigma| [sigma[0], sigma[3]]).collect(),
        _ => each.flat_map(|sigma| [sigma[0], sigma[2], sigma[3]]).collect(),
    }
}

fn halves(file: &Value, form: &str, setting: FedEmSetting) -> Halves<FedEm<OwnWeights>> {
    let (federation, start) = (federation(file, form), &file["start"]);
    let sigma = numbers(&start["sigma"]).repeat(3);
    let theta = [numbers(&start["weights"]), numbers(&start["means"]), covariances(form, &sigma)].concat();
    let (s_hat, n) = (federation.statistics_at(&theta).unwrap(), federation.clients());
    let setting = FedGmm(setting).fed_em();
    let rules = (setting.memory, setting.alpha, setting.divide_by);
    let uplink = Uplink::of(setting.operator(n), n, f64::from(n), rules);
    let clients = Personalized::new(federation.clone());
    let fed_em = FedEm::new(federation, setting, uplink, s_hat).unwrap();
    Halves::new(fed_em.with_local_rule(OwnWeights::new(clients)), true)
}

fn column(columns: &[ClientColumn], name: &str) -> Vec<f64> {
    let column = columns.iter().find(|column| column.name == name).unwrap();
    column.values.iter().map(|value| value.unwrap()).collect()
}

/// All that numpy knows of a state.
#[track_caller]
fn is_as_in(halves: &Halves<FedEm<OwnWeights>>, form: &str, row: &Value, what: &str) {
    let means_and_covariances = [numbers(&row["means"]), covariances(form, &numbers(&row["sigmas"]))].concat();
    assert_within(&format!("θ, {what}"), &halves.state().theta[3..], &means_and_covariances, TOLERANCE);
    let columns = halves.client_columns(true).unwrap();
    let each: Vec<Vec<f64>> = (0..3).map(|g| column(&columns, &format!("weight_{g}"))).collect();
    let pi: Vec<f64> = (0..each[0].len()).flat_map(|i| each.iter().map(move |weights| weights[i])).collect();
    assert_within(&format!("π, {what}"), &pi, &numbers(&row["pi"]), TOLERANCE);
    let objectives = column(&columns, "objective");
    assert_within(&format!("F_i, {what}"), &objectives, &numbers(&row["objectives"]), TOLERANCE);
    let probe = halves.probe().unwrap();
    let found = [probe.objective.unwrap(), probe.objective_worst_tenth.unwrap()];
    assert_within(
        &format!("F, {what}"),
        &found,
        &numbers(&Value::from(vec![row["objective"].clone(), row["worst_tenth"].clone()])),
        TOLERANCE,
    );
}

/// Without compression and with everybody it is EM of this model, which never raises the objective, and rests where ‖h‖
/// is 0: whatever the covariances, and with memories, which change nothing then.
#[test]
fn it_is_em_of_the_model() {
    let file = golden("personalized.json");
    for form in FORMS {
        for memory in [Memory::NoMemory, Memory::of(MemoryStart::MeanField, Commit::OnAcknowledgement)] {
            let setting = FedEmSetting { memory, ..FedEmSetting::of(Schedule::Constant(1.0)) };
            let mut halves = halves(&file, form, setting);
            let rows = file[form].as_array().unwrap();
            is_as_in(&halves, form, &rows[0], &format!("{form}, start"));
            let clients = 0..halves.clients.len() as u32;
            if memory != Memory::NoMemory {
                play(&mut halves, 0, |_| clients.clone().collect(), None, |_, _| {});
            }
            let mut before = halves.probe().unwrap();
            for (k, row) in (1..).zip(&rows[1..]) {
                round(&mut halves, k, &clients.clone().collect::<Vec<_>>(), None);
                is_as_in(&halves, form, row, &format!("{form}, round {k}"));
                let now = halves.probe().unwrap();
                assert!(now.objective.unwrap() <= before.objective.unwrap() + 1e-14, "{form}, round {k}");
                before = now;
            }
            for k in 13..=2_000 {
                round(&mut halves, k, &clients.clone().collect::<Vec<_>>(), None);
            }
            let rest = halves.probe().unwrap().mean_field_sq.unwrap();
            assert!(rest < 1e-20 && before.mean_field_sq.unwrap() > 1e-9, "{form}: {rest:e}");
        }
    }
}

/// Memories and partial participation: who does not take part keeps its weights, and clients 10 and more never do.
#[test]
fn memories_and_partial_participation_follow_numpy() {
    let file = golden("personalized.json");
    let setting = FedEmSetting {
        alpha: Alpha::Constant(0.5),
        memory: Memory::of(MemoryStart::Zero, Commit::OnSend),
        divide_by: DivideBy::Clients,
        ..FedEmSetting::of(Schedule::Constant(0.3))
    };
    let mut halves = halves(&file, "known", setting);
    let cohorts: Vec<Vec<u32>> = file["cohorts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cohort| numbers(cohort).into_iter().map(|i| i as u32).collect())
        .collect();
    for (k, row) in (1..).zip(file["memories"].as_array().unwrap()) {
        round(&mut halves, k, &cohorts[(k as usize - 1) % cohorts.len()], None);
        is_as_in(&halves, "known", row, &format!("round {k}"));
    }
}

/// A client that has no example of a component keeps its weight above 0 when that would underflow.
#[test]
fn weights_do_not_underflow() {
    let rows: Vec<f64> = (0..40).map(|j| f64::from(j / 20) * 60.0 + f64::from(j % 20) * 0.1).collect();
    let groups = (0..40).map(|j| j / 20).collect();
    let data = DataSet::new(vec!["y".into()], rows, None, Some(groups)).unwrap();
    let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
    let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).unwrap();
    let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
    let s_hat = federation.statistics_at(&[0.5, 0.5, 10.0, 50.0]).unwrap();
    let setting =
        FedGmm(FedEmSetting { memory: Memory::NoMemory, ..FedEmSetting::of(Schedule::Constant(1.0)) }).fed_em();
    let uplink = Uplink::of(setting.operator(2), 2, 2.0, (setting.memory, setting.alpha, setting.divide_by));
    let clients = Personalized::new(federation.clone());
    let fed_em = FedEm::new(federation, setting, uplink, s_hat).unwrap();
    let mut halves = Halves::new(fed_em.with_local_rule(OwnWeights::new(clients)), true);
    (1..=20).for_each(|k| drop(round(&mut halves, k, &[0, 1], None)));
    let columns = halves.client_columns(true).unwrap();
    assert_eq!(column(&columns, "weight_0"), [1.0, f64::MIN_POSITIVE]);
    assert_eq!(column(&columns, "weight_1"), [f64::MIN_POSITIVE, 1.0]);
    assert!(halves.probe().unwrap().objective.unwrap() < 1.3);
}

/// The sweeps of the paper and of its code, with an outlier: every client's weights and means.
/// A Byzantine client of FedGrEM replaces what it sends, as of every other protocol.
#[test]
fn a_liar_of_fedgrem_is_heard() {
    let data =
        DataSet::new(vec!["a".to_owned()], vec![-2.0, -1.0, 1.0, 2.0, -2.5, 1.5], None, Some(vec![0, 0, 1, 1, 2, 2]));
    let after_one_round = |byzantine| {
        let data =
            Partitioned::new(data.as_ref().unwrap(), &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
        let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0])).unwrap();
        let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
        let (setting, theta) = (FedGrEmSetting::examples().remove(0), vec![0.5, 0.5, -1.0, 1.0]);
        let s_hat = federation.statistics_at(&theta).unwrap();
        let protocol = FedGrEm::new(ExamplesOf { federation, theta, s_hat }, setting);
        let rounds = Rounds { byzantine, ..everybody(RoundPolicy::WaitForAll) };
        let site = Site { up: 1_000_000, down: 1_000_000, latency_ms: 10, expectation_us: 1 };
        simulate(protocol, rounds, &Place::even(3, site), after(1)).run.halves().state().theta.to_vec()
    };
    let (clients, attack) = (Liars::First(1), Attack::Scaled(-10.0));
    let lied = after_one_round(Some(Byzantine { clients, attack, on: Attacked::Everything }));
    assert_ne!(lied, after_one_round(None));
}

#[test]
fn fedgrem_follows_numpy() {
    let file = golden("fedgrem.json");
    let groups = (0..150).map(|j| j / 30).collect();
    let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
    let data = DataSet::new(columns, numbers(&file["rows"]), None, Some(groups)).unwrap();
    let start = [numbers(&file["start"]["weights"]), numbers(&file["start"]["means"])].concat();
    let value = |name: &str| file[name].as_f64().unwrap();
    for (name, sweeps, local_steps) in [("paper", 20, 0), ("code", 1, 0), ("fitted_alone", 20, 4)] {
        let data = Partitioned::new(&data, &Partition::ClientColumn.rule(1), &Streams::new(1, 0)).unwrap();
        let unit = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let model = GaussianMixture::new(2, 3, Covariance::Known(unit)).unwrap();
        let federation = Federation::new(data, Box::new(model), Weighting::Examples, None);
        let s_hat = federation.statistics_at(&start).unwrap();
        let (step, penalty, decay) = (value("step"), value("penalty"), value("decay"));
        let setting = FedGrEmSetting { step, penalty, decay, sweeps, local_steps, floats: WireFloat::F64 };
        let mut halves =
            Halves::new(FedGrEm::new(ExamplesOf { federation, theta: start.clone(), s_hat }, setting), true);
        for (k, row) in (1..).zip(file[name].as_array().unwrap()) {
            round(&mut halves, k, &[0, 1, 2, 3, 4], None);
            let columns = halves.client_columns(true).unwrap();
            let client = |i: usize| columns[1..].iter().map(move |column| column.values[i].unwrap());
            let found: Vec<f64> = (0..5).flat_map(client).collect();
            let (w, mu) = (numbers(&row["w"]), numbers(&row["mu"]));
            let expected: Vec<f64> = w.chunks(2).zip(mu.chunks(6)).flat_map(|(w, mu)| [w, mu].concat()).collect();
            assert_within(&format!("θ_k, {name}, round {k}"), &found, &expected, TOLERANCE);
            assert_within(&format!("v, {name}, round {k}"), &halves.state().theta[2..], &numbers(&row["v"]), TOLERANCE);
            let objectives = column(&columns, "objective");
            assert_within(&format!("F_k, {name}, round {k}"), &objectives, &numbers(&row["objectives"]), TOLERANCE);
        }
    }
}
