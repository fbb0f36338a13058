//! The memory that is estimated before a run against the memory that runs take.

use crate::skips::{Lacks, skipped};
use serde_json::Value;

use crate::support::{Scratch, finish, runs};

/// A run takes at most so much more than its estimate, which covers what was measured when it was made.
const ABOVE: f64 = 1.1;
/// The estimate is at most this many times what the run takes …
const BELOW: f64 = 3.0;
/// … beside what the program itself is allowed, in bytes.
const PROGRAM: f64 = 40e6;

const MIXTURE: &str = r#"(
    name: "m",
    data: RandomMixture(examples: 5000, features: 10, components: 30, separation: 2),
    clients: 5000,
    model: GaussianMixture(components: 30, covariance: Diagonal),
    initial: RandomExamples,
    protocol: FedEm(gamma: Constant(0.1), domain: SkipRound),
    record: (probe_every: None),
    stop: (rounds: 1),
)"#;

const COUNTS: &str = r#"(
    name: "c",
    data: Visits(sites: 4000, times: 500, observers: 50, observations: 100000, rank: 2, level: 1, spread: 0.5, skew: 0),
    clients: 10,
    partition: Observers,
    model: LowRank(rank: 2),
    initial: Margins,
    protocol: FedEm(gamma: Constant(0.5)),
    stop: (rounds: 1),
)"#;

/// Many components of many features, of data that have few.
const WIDE: [&str; 5] =
    ["clients=10", "data.examples=500", "data.features=400", "data.components=2", "model.components=100"];

/// The bytes that a refusal says would be taken: nothing is prepared for it, as it is for what `check` says.
fn estimate(refusal: &str) -> f64 {
    let said = refusal.split("takes about ").nth(1).unwrap_or_else(|| panic!("no estimate: {refusal}"));
    let (number, unit) = (said.split(' ').next().unwrap(), said.split(' ').nth(1).unwrap());
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let (_, power) = units.into_iter().find(|(name, _)| unit.starts_with(name)).expect("a unit");
    number.parse::<f64>().unwrap() * f64::from(1_u32 << power)
}

/// `check` says the same, where it has time for a pilot.
#[test]
fn check_says_what_a_refusal_says() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("m.ron"), MIXTURE).unwrap();
    let words = ["check", "m.ron", "--set", "clients=10", "--set", "data.components=2", "--set", "model.components=2"];
    let check = |more: &[&str]| finish(scratch.fedbits(words.iter().chain(more)));
    let costs: Value = serde_json::from_str(&check(&["--json", "--pilot-seconds", "600"]).done()).unwrap();
    let said = costs["arms"][0]["memory_bytes"].as_f64().expect("an estimate");
    let refused = estimate(&check(&["--max-memory", "1kB"]).err);
    assert!((said / refused - 1.0).abs() < 0.01, "{said} and {refused}");
}

/// Estimate and peak agree for a scenario with these settings.
fn agree(text: &str, sets: &[&str]) {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("m.ron"), text).unwrap();
    let words = |command: &[&'static str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        scratch.fedbits(command.iter().copied().chain(sets))
    };
    let estimate = estimate(&finish(words(&["check", "m.ron", "--max-memory", "1kB"])).err);
    finish(words(&["run", "m.ron", "--no-figures", "--out", "out", "-q"])).done();
    let Some(peak) = runs(&scratch.path("out"))[0].manifest.host.peak_memory_bytes.map(|bytes| bytes as f64) else {
        return skipped(Lacks::System, "this system does not report the peak of memory");
    };
    println!("{:.1} MB of {:.1} MB: {sets:?}", peak / 1e6, estimate / 1e6);
    assert!(peak <= ABOVE * estimate, "{sets:?} takes {peak} bytes, estimated {estimate}");
    assert!(estimate <= BELOW * peak + PROGRAM, "{sets:?} takes {peak} bytes, estimated {estimate}");
}

#[test]
fn a_run_takes_what_was_estimated() {
    agree(MIXTURE, &["clients=2000"]);
    agree(MIXTURE, &["clients=10", "data.examples=300000", "model.components=2"]);
    agree(MIXTURE, &["clients=10", "network=(shape: Graph(sites: Grid(rows: 300, columns: 300)))"]);
    // Many chains are kept, and states of few of them.
    let sampler = "Sample(kernel: Gibbs, chains: 20, iterations: 4, keep: 4)";
    let saem = format!("protocol=FlSaem(gamma: Constant(1), local: {sampler}, domain: SkipRound)");
    agree(MIXTURE, &["clients=10", "data.examples=30000", "model.components=2", &saem]);
    // Diagonal covariances are no matrices.
    agree(MIXTURE, &WIDE);
}

#[test]
#[ignore = "slow tier: minutes"]
fn every_kind_of_run_takes_what_was_estimated() {
    for protocol in [
        "FedEm(gamma: Constant(0.1), domain: SkipRound)",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, memory: NoMemory)",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, compressor: RandK(k: 10))",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, compressor: Dithering(levels: 4))",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, compressor: CountSketch(rows: 4, columns: 500))",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, memory: Memory(commit: Resynchronized(every: 2)))",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, variance_reduction: Spider(inner: Fixed(2)))",
        "FedEm(gamma: Constant(0.1), domain: SkipRound, participation: Cohort(10))",
        "Ef21(gamma: Constant(0.1), domain: SkipRound, compressor: TopK(k: 10))",
        "Marina(gamma: Constant(0.1), domain: SkipRound, probability: 0.5, compressor: RandK(k: 10))",
        "FedAvgEm(domain: Clip(floor: 0.01))",
        "DistributedEm(domain: SkipRound)",
        "IncrementalEm(batch: WithReplacement(100), domain: Clip(floor: 0.01))",
        "Fiem(gamma: Constant(0.1), batch: WithReplacement(100), domain: Clip(floor: 0.01))",
        "FlSaem(gamma: Constant(1), local: Sample(kernel: Gibbs), domain: SkipRound)",
    ] {
        agree(MIXTURE, &[&format!("protocol={protocol}")]);
    }
    for sites in [
        "KRegular(sites: 20000, degree: 50)",
        "ErdosRenyi(sites: 3000, probability: 0.3)",
        "Geometric(sites: 3000, reach: MeanDegree(100))",
        "Geometric(sites: 3000, reach: Radius(0.2))",
        "BarabasiAlbert(sites: 50000, links: 20)",
        "Complete(2000)",
        "Star(300000)",
        "Hierarchical(fan_out: [500, 500])",
    ] {
        agree(MIXTURE, &["clients=10", &format!("network=(shape: Graph(sites: {sites}))")]);
    }
    agree(MIXTURE, &["clients=1000", "network=(shape: Graph(sites: Path(10000)))"]);
    agree(MIXTURE, &["clients=100", "data.features=100", "model.components=20", "model.covariance=Full"]);
    agree(MIXTURE, &[&WIDE[..], &["model.covariance=Tied"]].concat());
    for features in ["data.features=5", "data.features=50", "data.features=200"] {
        agree(MIXTURE, &["clients=10", features, "data.components=300", "model.components=2"]);
    }
    agree(
        MIXTURE,
        &["clients=10", "data.features=50", "data.examples=200000", "model.components=2", "initial=KMeansPlusPlus()"],
    );
    agree(
        MIXTURE,
        &["clients=10", "data.features=50", "data.examples=200000", "model.components=2", "preprocess=[Pca(20)]"],
    );
    agree(COUNTS, &[]);
    agree(COUNTS, &["protocol=FedMissEm(gamma: Constant(0.5))", "data.observations=1000000"]);
}
