//! What is said before a run: that it would never end, that nothing measures a target, and how long it will be where its
//! participants are drawn.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{Scratch, finish};

const MIXTURE: &str = r#"(
    name: "mixture",
    data: GaussianMixture(examples: 200, weights: [0.5, 0.5], means: [[-2], [2]], covariance: Common([[1]])),
    clients: 10,
    model: GaussianMixture(components: 2, covariance: Known([[1]])),
    initial: RandomExamples,
    protocol: FedEm(gamma: 0.3, participation: Bernoulli(0.1), domain: Clip(floor: 1e-3)),
    stop: (STOP),
)"#;

/// A folder with that scenario.
fn with_mixture(stop: &str) -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.path("mixture.ron"), MIXTURE.replace("STOP", stop)).unwrap();
    scratch
}

/// A rule that cannot hold is a mistake where there is no other: of an arm, of a file over a base, of `--set`.
#[test]
fn a_run_that_would_never_end_is_refused() {
    let refused = |scratch: &Scratch, args: &[&str], rule: &str| {
        for command in ["check", "run"] {
            let output = finish(scratch.fedbits([&[command], args].concat()));
            let said = format!("`stop.{rule}` cannot hold: the run would never end");
            assert!(output.code == Some(2) && output.err.contains(&said), "{command} {args:?}: {}", output.err);
        }
    };
    let alone = ["--set", "protocol=CentralizedEm()"];
    let scratch = with_mixture("bits: \"1 MB\"");
    refused(&scratch, &["mixture.ron", alone[0], alone[1]], "bits");
    let arms = r#"arms=[(name: "fed"), (name: "cen", set: {"protocol": "CentralizedEm()"})]"#;
    refused(&scratch, &["mixture.ron", "--set", arms], "bits");
    let scratch = with_mixture("mean_field_sq: 1e-7");
    refused(&scratch, &["mixture.ron", "--set", "record.probe_every=None"], "mean_field_sq");
    let over = r#"(name: "over", base: "mixture.ron", record: (probe_every: None))"#;
    fs::write(scratch.path("over.ron"), over).unwrap();
    refused(&scratch, &["over.ron"], "mean_field_sq");
    let scratch = with_mixture("time: \"1 s\"");
    refused(&scratch, &["mixture.ron", alone[0], alone[1], "--set", "compute.server_expectation=\"0 s\""], "time");
    let scratch = with_mixture("energy: \"1 J\"");
    refused(&scratch, &["mixture.ron", "--set", "energy=(compute: W(0), send: W(0), receive: W(0))"], "energy");

    // Beside another rule it is left out, and nothing is said of it.
    let scratch = with_mixture("rounds: 20, mean_field_sq: 1e-30");
    let set = ["mixture.ron", "--set", "record.probe_every=None"];
    let text = finish(scratch.fedbits([&["check"], &set[..]].concat())).done();
    assert!(!text.contains("ends earlier") && !text.contains("at most") && !text.contains("‖h(Ŝ)‖² ≤"), "{text}");
    let text = finish(scratch.fedbits([&["run", "--no-figures"], &set[..]].concat())).done();
    assert!(!text.contains("was asked for"), "{text}");
    // k-means ends after its one round.
    let text = MIXTURE.replace("STOP", "mean_field_sq: 1e-7").replace("Known([[1]])", "Full");
    fs::write(scratch.path("means.ron"), text).unwrap();
    let kmeans = ["--set", "protocol=KMeans(vertical: false)", "--set", "initial=KMeansPlusPlus()"];
    finish(scratch.fedbits([&["run", "means.ron", "--no-figures"], &kmeans[..]].concat())).done();
}

/// Curves whose expectations can only be sampled: nothing measures ‖h‖², and without draws nothing the objective, nor
/// what is held out.
#[test]
fn what_nothing_measures_is_no_end_and_no_target() {
    let scratch = Scratch::new();
    let mut table = "id,time,amt,conc\n".to_owned();
    for subject in 0..9 {
        let _ = writeln!(table, "{subject},0,100,");
        for time in [1, 2, 4, 8] {
            let _ = writeln!(table, "{subject},{time},,{:.3}", 4.0 * f64::from(1 + subject % 3) / f64::from(time));
        }
    }
    fs::write(scratch.path("pk.csv"), table).unwrap();
    let text = r#"(
        name: "pk",
        data: Longitudinal(path: "pk.csv", subject: "id", time: "time", value: "conc", doses: Rows(amount: "amt")),
        holdout: Rows(0.34),
        clients: 3,
        model: MixedEffects(curve: OneCompartmentOral(), effects: Diagonal),
        initial: Typical(values: [1, 20, 2], deviations: [0.5, 0.5, 0.5], sigma: 0.5),
        protocol: FlSaem(gamma: Saem(k1: 5), local: Sample(kernel: RandomWalk()), likelihood_draws: DRAWS),
        stop: (STOP),
    )"#;
    let write = |draws: &str, stop: &str| {
        fs::write(scratch.path("pk.ron"), text.replace("DRAWS", draws).replace("STOP", stop)).unwrap();
    };
    for (draws, stop) in [
        ("100", "mean_field_sq: 1e-3"),
        ("0", "objective_change: 1e-3"),
        ("0", "patience: (of: Objective, probes: 3)"),
        ("0", "patience: (of: HeldOut, probes: 3)"),
    ] {
        write(draws, stop);
        let check = finish(scratch.fedbits(["check", "pk.ron"]));
        assert!(check.code == Some(2) && check.err.contains("the run would never end"), "{}{}", check.out, check.err);
        let run = finish(scratch.fedbits(["run", "pk.ron", "--no-figures"]));
        let said = [run.out, run.err].concat();
        assert!(run.code == Some(1) && said.contains("the run would never end"), "{said}");
    }
    for (draws, target, column) in [
        ("100", "MeanFieldSq(1e-3)", "mean_field_sq"),
        ("0", "Objective(5)", "objective"),
        ("100", "Objective(5)", ""),
        ("0", "HeldOut(-5)", "held_out_log_likelihood"),
        ("100", "HeldOut(-5)", ""),
    ] {
        write(draws, "rounds: 3");
        let axes = r#"axes: [Grid(path: "clients", values: [3, 6])], replicates: 1"#;
        let study = format!(r#"(name: "s", base: "pk.ron", {axes}, targets: [{target}])"#);
        fs::write(scratch.path("s.ron"), study).unwrap();
        let output = finish(scratch.fedbits(["check", "s.ron"]));
        let said = format!("no arm measures a column `{column}`");
        assert_eq!(output.code, Some(if column.is_empty() { 0 } else { 2 }), "{}", output.err);
        assert!(column.is_empty() || output.err.contains(&said), "{}", output.err);
    }
}

/// A tenth of ten clients in a round: of ten rounds the number of those who take part is known to a third only. The
/// prediction is as close as five parts in a hundred allow, three standard deviations of it.
#[test]
fn drawn_participants_are_counted_over_many_rounds() {
    let scratch = with_mixture("rounds: 1500");
    let parse = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    for seed in ["1", "2", "3", "8"] {
        let predicted = parse(finish(scratch.fedbits(["check", "mixture.ron", "--json", "--seed", seed])).done());
        let run = ["run", "mixture.ron", "--no-figures", "--json", "--seed", seed, "--out", seed];
        let made = parse(finish(scratch.fedbits(run)).done());
        let (predicted, totals) = (&predicted["arms"][0], &made["runs"][0]["totals"]);
        let bits: f64 = ["bits_up", "bits_down", "bits_header"].map(|name| totals[name].as_f64().unwrap()).iter().sum();
        for (name, made) in [("bits", bits), ("time_ns", totals["time_ns"].as_f64().unwrap())] {
            let ratio = predicted[name].as_f64().unwrap() / made;
            assert!((ratio - 1.0).abs() < 0.15, "{name}, seed {seed}: {ratio}");
        }
    }
}

/// Units stand as people write them.
#[test]
fn stop_rules_are_said_with_their_units() {
    let scratch = with_mixture("time: Sec(1), bits: \"1 MB\"");
    let text = finish(scratch.fedbits(["check", "mixture.ron"])).done();
    assert!(text.contains("time 1.000 s or bits 8.000 Mbit"), "{text}");
}

/// Of an arm that takes more memory than there is nobody knows what it measures: it keeps no other from its runs, and
/// is counted as not begun.
#[test]
fn an_arm_that_cannot_be_begun_may_measure_a_target() {
    let scratch = Scratch::new();
    let text = MIXTURE.replace("STOP", "rounds: 5").replace("Known([[1]])", "Full");
    fs::write(scratch.path("means.ron"), text).unwrap();
    let study = r#"(
        name: "s", base: "means.ron", replicates: 1, targets: [Objective(5)],
        protocol: KMeans(vertical: false), initial: KMeansPlusPlus(),
        axes: [Grid(path: "data.examples", values: ["100000000", "200"])],
    )"#;
    fs::write(scratch.path("s.ron"), study).unwrap();
    let output = finish(scratch.fedbits(["study", "s.ron", "--no-figures", "--max-memory", "400MiB"]));
    assert!(output.code == Some(1) && output.err.contains("one run could not be begun"), "{}", output.err);
    assert!(output.out.contains("1 of 2 runs finished, 1 could not be begun"), "{}", output.out);
}
