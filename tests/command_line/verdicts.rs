//! A run whose fit has collapsed has reached nothing: every answer counts it alike.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::command_line::studies::json;
use crate::support::{Scratch, finish, run_of};

/// Few clients, coarse messages and a large step: in some replicates the mixture is destroyed, in others not.
pub(crate) const BASE: &str = r#"(
    name: "base",
    data: GaussianMixture(examples: 600, weights: [0.3, 0.3, 0.4], means: [[3, 0], [0, 3], [-3, -3]],
        covariance: Common([[1, 0], [0, 1]])),
    clients: 20, partition: Iid,
    model: GaussianMixture(components: 3, covariance: Diagonal),
    initial: KMeans(iterations: 10, restarts: 2),
    protocol: FedEm(gamma: 0.5, compressor: Dithering(levels: 1, norm: Infinity, code: Packed),
        domain: Clip(floor: 1e-3)),
    network: (client_up: "1 Mbps", client_down: "1 Mbps"),
    stop: (rounds: 200, mean_field_sq: 1e-6),
    record: (every: 5, probe_every: 5),
)"#;

/// Every run meets the target at its start.
const STUDY: &str = r#"(
    name: "verdicts", base: "base.ron", replicates: 8,
    axes: [Grid(path: "protocol.participation", values: ["Bernoulli(0.05)", "Bernoulli(0.2)", "All"],
        labels: ["few", "many", "all"])],
    targets: [Objective(5)], stop: (rounds: 200, mean_field_sq: 1e-6),
    figures: [
        (name: "f", kind: Forest()),
        (name: "r", kind: Reach()),
        (name: "p", kind: Named("pareto")),
    ],
)"#;

fn scratch(study: &str) -> Scratch {
    let scratch = Scratch::new();
    fs::write(scratch.path("base.ron"), BASE).unwrap();
    fs::write(scratch.path("study.ron"), study).unwrap();
    finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "out", "--quiet"])).done();
    scratch
}

/// By arm: runs, runs that reached the target, degenerate runs, as the rows of a CSV table say.
type Counts = BTreeMap<String, [u64; 3]>;

pub(crate) fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(text.as_bytes())
        .deserialize()
        .map(Result::unwrap)
        .collect()
}

fn counts_of<'a>(rows: impl IntoIterator<Item = &'a BTreeMap<String, String>>) -> Counts {
    let counts =
        |row: &BTreeMap<String, String>| ["runs", "reached", "degenerate"].map(|column| row[column].parse().unwrap());
    rows.into_iter().map(|row| (row["arm"].clone(), counts(row))).collect()
}

/// What `runs.csv` says, run by run.
fn counts_of_runs(scratch: &Scratch) -> Counts {
    let mut counts = Counts::new();
    for row in rows(&fs::read_to_string(scratch.path("out/runs.csv")).unwrap()) {
        let counted = counts.entry(row["arm"].clone()).or_default();
        let (verdict, status) = (&*row["verdict_to_objective_5"], &*row["status"]);
        assert_eq!(verdict == "reached", row["reached_to_objective_5"] == "1");
        assert_eq!(verdict == "degenerate", status == "degenerate", "{row:?}");
        counted[0] += 1;
        counted[1] += u64::from(verdict == "reached");
        counted[2] += u64::from(verdict == "degenerate");
    }
    counts
}

/// Tables in four formats, figures, the page, `status` and its line while the study is watched say the same of each
/// arm, and the caveat names the arm with its count. No collapsed fit is among those that reached a target, although
/// every run meets the target at its start.
#[test]
fn everything_counts_degenerate_runs_alike() {
    let scratch = scratch(STUDY);
    let counts = counts_of_runs(&scratch);
    let [few, many, all] = ["few", "many", "all"].map(|arm| counts[arm]);
    assert!(few[2] > 0 && few[1] > 0 && few[1] + few[2] == 8 && [many, all] == [[8, 8, 0]; 2], "{counts:?}");
    let compare = |format: &str| finish(scratch.fedbits(["compare", "out", "--format", format])).done();
    let to_target = |row: &&BTreeMap<String, String>| row["target"] == "objective ≤ 5";
    assert_eq!(counts_of(rows(&compare("csv")).iter().filter(to_target)), counts);
    let all = json(&compare("json"));
    for row in all["rows"].as_array().unwrap().iter().filter(|row| row["target"] == "objective ≤ 5") {
        let told = ["runs", "reached", "degenerate"].map(|column| row[column].as_u64().unwrap());
        assert_eq!(told, counts[row["arm"].as_str().unwrap()], "{row}");
    }
    let counted = format!("{}/8, {} degenerate", few[1], few[2]);
    assert!(compare("latex").contains(&format!("few & {counted} &")), "{}", compare("latex"));
    let human = compare("human");
    let is_row =
        |line: &&str| line.split_whitespace().take(4).eq(["few", &few[1].to_string(), "8", &few[2].to_string()]);
    assert!(human.lines().any(|line| is_row(&line)), "{human}");
    let caveat = format!(
        "{} of 24 runs ended with a degenerate fit and count as not reaching a target (few: {} of 8)",
        few[2], few[2]
    );
    assert!(compare("csv").contains(&caveat), "{}", compare("csv"));

    finish(scratch.fedbits(["report", "out", "--format", "svg,html", "--quiet"])).done();
    let figure = |name: &str| fs::read_to_string(scratch.path("out/figures").join(name)).unwrap();
    for name in ["f.csv", "p-objective_5.csv"] {
        assert_eq!(counts_of(&rows(&figure(name))), counts, "{name}");
    }
    assert!(figure("f.svg").contains(&format!("{}/8, {} deg.", few[1], few[2])));
    for name in ["p-objective_5-details.txt", "r-details.txt"] {
        assert!(figure(name).contains(&counted) && figure(name).contains(&caveat), "{}", figure(name));
    }
    assert!(figure("report.html").contains(&caveat));

    let status = json(&finish(scratch.fedbits(["status", "out", "--json"])).done());
    assert_eq!((&status["finished"], &status["degenerate"]), (&Value::from(24), &Value::from(few[2])));
    let arms = rows(&finish(scratch.fedbits(["status", "out", "--format", "csv"])).done());
    let of = |name: &str| arms.iter().find(|row| row["arm"] == name).unwrap()["degenerate"].parse::<u64>().unwrap();
    assert_eq!([of("few"), of("many")], [few[2], 0]);
    let line = finish(scratch.fedbits(["status", "--watch", "out"])).done();
    assert!(
        line.starts_with(&format!("24 of 24 runs done, {} degenerate\n", few[2])) && line.contains("many, all lead,"),
        "{line}"
    );
}

/// What the verdict rests on is in the manifest of the run, and the scenario may let degenerate fits count.
#[test]
fn a_scenario_may_accept_degenerate_fits() {
    let accepting = STUDY.replace("targets:", "record: (accept_degenerate: true), targets:");
    let counts = counts_of_runs(&scratch(&accepting));
    assert_eq!(counts.values().copied().collect::<Vec<_>>(), [[8, 8, 0]; 3]);
    let scratch = Scratch::new();
    fs::write(scratch.path("base.ron"), BASE).unwrap();
    let run = ["run", "base.ron", "--set", "protocol.participation=Bernoulli(0.05)", "--set", "stop.rounds=200"];
    let output = finish(scratch.fedbits(run.into_iter().chain(["--no-figures", "--out", "out"])));
    let fit = run_of(&scratch.path("out"), "base").manifest.fit.unwrap();
    assert!(fit.is_degenerate() && fit.components == 3, "{fit:?}");
    assert!(output.err.contains("the final fit is degenerate ("), "{}", output.err);
    let status = finish(scratch.fedbits(["status", "out", "--format", "csv"])).done();
    assert!(status.contains("degenerate"), "{status}");
}

/// Neither a distance between components nor a component within another makes a fit degenerate. The variances of groups
/// 30 days apart in seconds are 10⁻⁹ of that of the column; a floor above them holds both components.
#[test]
fn right_fits_are_not_degenerate() {
    let defects = |data: &str, start: &str, further: &str| {
        let scratch = Scratch::new();
        let model = "GaussianMixture(components: 2, covariance: Full)";
        let text = format!(
            "(name: \"right\", data: {data}, model: {model}, initial: {start}, stop: (rounds: 300, mean_field_sq: 1e-9), \
             {further})"
        );
        fs::write(scratch.path("right.ron"), text).unwrap();
        finish(scratch.fedbits(["run", "right.ron", "-q", "--no-figures", "--out", "out"])).done();
        let fit = run_of(&scratch.path("out"), "right").manifest.fit.unwrap();
        [fit.components, fit.empty, fit.collapsed]
    };
    let apart = "GaussianMixture(examples: 400, weights: [0.5, 0.5], means: [[0], [43200]], covariance: Common([[1]]))";
    let standardized = "preprocess: [Standardize], protocol: CentralizedEm";
    assert_eq!(defects(apart, "KMeansPlusPlus()", &format!("{standardized}()")), [2, 0, 0]);
    let held = format!("{standardized}(domain: Clip(floor: 1e-3))");
    assert_eq!(defects(apart, "KMeansPlusPlus()", &held), [2, 0, 2]);
    // The narrow component is nowhere the more probable one of the two.
    let covariance = "PerComponent([[[1]], [[6.25]]])";
    let (weights, means) = ("weights: [0.3, 0.7]", "means: [[0], [0]]");
    let within = format!("GaussianMixture(examples: 4000, {weights}, {means}, covariance: {covariance})");
    let start = format!("Theta({weights}, {means}, covariance: Some({covariance}))");
    assert_eq!(defects(&within, &start, "protocol: CentralizedEm()"), [2, 0, 0]);
}

/// A race does not choose an arm for fits that have collapsed, however early their rows meet the target.
#[test]
fn a_race_counts_degenerate_runs_as_short_of_the_target() {
    let race = "search: Race(objective: BitsTo(Objective(5)), cut: None), targets:";
    let scratch = scratch(&STUDY.replace("targets:", race));
    let status = json(&finish(scratch.fedbits(["status", "out", "--json"])).done());
    let best = status["search"]["best"].as_array().unwrap();
    assert!(!best.is_empty() && !best.contains(&"few".into()), "{status}");
}

/// A target has one form of its number wherever it is printed.
#[test]
fn a_target_is_called_the_same_everywhere() {
    let scratch = Scratch::new();
    let text =
        r#"(name: "t", base: "quickstart", arms: [], replicates: 2, stop: (rounds: 3), targets: [MeanFieldSq(1e-4)])"#;
    fs::write(scratch.path("t.ron"), text).unwrap();
    let checked = finish(scratch.fedbits(["check", "t.ron", "--text-only"])).done();
    finish(scratch.fedbits(["run", "t.ron", "--out", "out", "--no-figures", "-q"])).done();
    let compared = finish(scratch.fedbits(["compare", "out"])).done();
    for text in [&checked, &compared] {
        assert!(text.contains("mean_field_sq ≤ 1e-4\n"), "{text}");
    }
    let table = fs::read_to_string(scratch.path("out/runs.csv")).unwrap();
    assert!(table.lines().next().unwrap().contains(",reached_to_mean_field_sq_1e-4,"), "{table}");
}
