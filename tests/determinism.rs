//! Same scenario, same seed, same version: same digests. Checked here because everything else stands on it.
//!
//! The digests of the small scenarios in `tests/scenarios` are kept in `golden.txt` there and compared with whatever
//! program `FEDBITS_PROGRAM` names (the development build by default). `.ci/promise` runs other builds and other
//! processors for the same lines. A change of that file is a change of results: `UPDATE_GOLDEN=1 cargo test --test
//! tests determinism` writes it, the changelog says why. `pca` is not required of other processors: its basis comes from a
//! library that chooses kernels by processor.

use std::path::Path;

use crate::support::{Scratch, finish, run_of, scenario_file};
use fedbits::Results;
use fedbits_record::{Fate, HistogramSummary};
use serde_json::Value;

/// Scenarios whose arms' digests are kept.
const SCENARIOS: [&str; 11] = [
    "network",
    "compressors",
    "covariances",
    "table",
    "environment",
    "policies",
    "wires",
    "imputation",
    "sampling",
    "baselines",
    "vpem",
];

/// One line per arm: scenario, arm, and the digests of data, timeline and state.
fn digests(scenario: &str, arguments: &[&str]) -> String {
    digests_of(&scenario_file(&format!("{scenario}.ron")), arguments)
}

fn digests_of(file: &Path, arguments: &[&str]) -> String {
    let scratch = Scratch::new();
    let mut command = scratch.fedbits(["run", "--json", "--no-figures", "--out", "record"]);
    command.arg(file).args(arguments);
    let summary: Value = serde_json::from_str(&finish(command).done()).expect("--json gives JSON");
    let runs = summary["runs"].as_array().expect("a list of runs");
    let scenario = summary["scenario"].as_str().expect("a name");
    runs.iter().map(|run| line(scenario, run)).collect()
}

fn line(scenario: &str, run: &Value) -> String {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let digest = |name: &str| text(&run["digests"][name]);
    let arm = text(&run["arm"]);
    format!("{scenario} {arm} {} {} {}\n", digest("data"), digest("timeline"), digest("state"))
}

#[test]
fn digests_are_those_of_the_golden_file() {
    let now: String = SCENARIOS.iter().map(|scenario| digests(scenario, &[])).collect();
    let path = scenario_file("golden.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let golden =
        std::fs::read_to_string(&path).expect("tests/scenarios/golden.txt is there: UPDATE_GOLDEN=1 writes it");
    for (now, golden) in now.lines().zip(golden.lines()) {
        assert_eq!(now, golden);
    }
    assert_eq!(now, golden);
}

/// What must not matter: a second time, the number of threads, the audit, messages, how often rows are written, what
/// they hold.
#[test]
fn neither_threads_nor_lookers_on_change_a_digest() {
    let variants: [&[&str]; 5] = [
        &["-q"],
        &["--threads", "1", "--audit", "-q"],
        &["--threads", "4", "-v"],
        &["--set", "record.every=7", "--set", "record.probe_every=21"],
        &["--set", "record.every=1", "--set", "record.probe_every=1", "--set", "record.theta=true"],
    ];
    for scenario in SCENARIOS {
        let first = digests(scenario, &["--threads", "3"]);
        for variant in variants {
            assert_eq!(digests(scenario, variant), first, "{scenario} {variant:?}");
        }
    }
}

/// One thread computes the statistics of so many clients when each needs its own, two compute them ahead: the same
/// numbers, also where contributions are late, memories are resynchronized, or the previous statistic counts (MARINA).
#[test]
fn statistics_computed_ahead_are_those_computed_when_needed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions/fedem.ron");
    let fed_em = |more: &str| {
        format!(
            "protocol=FedEm(gamma: Constant(1e-5), compressor: Dithering(levels: 4), batch: WithReplacement(60){more})"
        )
    };
    let marina = "protocol=Marina(gamma: Constant(1e-5), compressor: RandK(k: 200), probability: 0.5)";
    for change in [
        &["--set", &fed_em("")][..],
        &["--set", &fed_em(", memory: Memory(commit: Resynchronized(every: 2))")],
        &["--set", &fed_em(""), "--set", "round=Buffered(40)"],
        &["--set", marina],
    ] {
        let with =
            |threads| digests_of(&file, &[change, &["--set", "stop=(rounds: 3)", "--threads", threads]].concat());
        assert_eq!(with("1"), with("2"), "{change:?}");
    }
}

/// Principal components, too, are the same for any number of threads on one machine.
#[test]
fn principal_components_do_not_depend_on_threads() {
    let pca = ["--set", "preprocess=[Standardize, Pca(3)]", "--threads"];
    let with = |threads| digests("compressors", &[&pca[..], &[threads]].concat());
    let one = with("1");
    assert_ne!(one, digests("compressors", &[]));
    assert_eq!(with("4"), one);
}

/// The digests depend on the run: another seed or replicate changes all three of them in every arm.
#[test]
fn another_seed_or_replicate_is_another_run() {
    let first = digests("compressors", &[]);
    for change in [["--seed", "13"], ["--set", "replicate=1"]] {
        let other = digests("compressors", &change);
        for (first, other) in first.lines().zip(other.lines()) {
            let pairs = first.split(' ').zip(other.split(' '));
            assert_eq!(pairs.filter(|(first, other)| first == other).count(), 2, "all but the names differ: {other}");
        }
    }
}

/// Arms that differ in the compressor meet the same environment: the same cohorts, and (when broadcasts have the same
/// length, and nobody drops out) the same downloads and computations, to the nanosecond.
#[test]
fn arms_meet_the_same_weather() {
    let scratch = Scratch::new();
    let mut command = scratch.fedbits(["run", "-q", "--no-figures", "--out", "record"]);
    command.arg(scenario_file("compressors.ron"));
    finish(command).done();
    let arm = |name: &str| run_of(&scratch.path("record"), name);
    let environment = |run: &fedbits::Record| {
        let selected: Vec<u64> = run.rounds.iter().map(|row| row.selected).collect();
        (selected, durations(run, "downlink transfer"), durations(run, "compute"))
    };
    let first = arm("identity");
    let (cohorts, ..) = environment(&first);
    assert!(cohorts.iter().any(|cohort| *cohort != cohorts[1]), "the cohorts vary");
    for name in ["dithering-l2-sparse", "dithering-max-fixed", "rand-5", "rand-5-shared", "bernoulli"] {
        let run = arm(name);
        assert_eq!(environment(&run), environment(&first), "{name}");
        assert_ne!(durations(&run, "uplink transfer"), durations(&first, "uplink transfer"), "{name}");
    }
}

/// A histogram of a run.
fn durations(run: &fedbits::Record, name: &str) -> HistogramSummary {
    run.histograms.iter().find(|histogram| histogram.name == name).expect("every run has it").clone()
}

/// One more client changes nobody else's draws. Eight clients, and the same eight with a ninth: the links do not meet,
/// and a Bernoulli sparsifier's bits are drawn and do not depend on values, so the ledger's rows of a client are a
/// function of its own draws (participation, availability, link, speed, latency, mask, dropouts) alone. They must be
/// the same.
///
/// A client that restarts is not there for a round that opens meanwhile, and when rounds open is everybody's doing: so
/// clients restart at once here.
#[test]
fn one_more_client_changes_no_other_clients_draws() {
    let ledger = |clients: &str, seed: &str, sets: &[&str]| {
        let scratch = Scratch::new();
        let options = ["run", "-q", "--no-figures", "--out", "record", "--seed", seed, "--set", clients];
        let mut command = scratch.fedbits(options);
        command.args(sets).arg(scenario_file("environment.ron"));
        finish(command).done();
        // What is still in flight at the end depends on when the run ends, which is everybody's doing.
        let mut rows = run_of(&scratch.path("record"), "environment").ledger;
        rows.retain(|row| row.link != "client-8" && row.fate != Fate::InFlight);
        rows
    };
    for seed in ["1", "2", "3", "4", "5", "6", "7", "15"] {
        let at_once = ["--set", "dropout.restart=Ns(0)"];
        let eight = ledger("clients=8", seed, &at_once);
        assert!(eight.iter().any(|row| row.fate == Fate::Aborted), "dropouts happen");
        assert_eq!(ledger("clients=9", seed, &at_once), eight, "seed {seed}");
    }
}

/// A folder of runs verifies: they give their digests again.
#[test]
fn runs_verify() {
    for scenario in SCENARIOS {
        let scratch = Scratch::new();
        let mut command = scratch.fedbits(["run", "-q", "--no-figures", "--out", "record"]);
        command.arg(scenario_file(&format!("{scenario}.ron")));
        finish(command).done();
        let mut command = scratch.fedbits(["verify", "-q", "record", "--threads", "2", "--json"]);
        command.env("FEDBITS_DATA", scenario_file(""));
        let found: Value = serde_json::from_str(&finish(command).done()).expect("--json gives JSON");
        let planned = Results::open(&scratch.path("record")).unwrap().counts().planned;
        assert_eq!((&found["same"], &found["missing"]), (&planned.into(), &0.into()), "{found}");
        for what in ["different", "data_that_differ", "cannot_be_run_again", "tables_that_differ"] {
            assert_eq!(found[what], Value::Array(Vec::new()), "{what}: {found}");
        }
        let files = found["files_read"].as_array().expect("a list of files");
        let is_beside = |file: &Value| Path::new(file.as_str().expect("a path")).starts_with(scenario_file(""));
        assert!(files.iter().all(is_beside), "{found}");
    }
}
