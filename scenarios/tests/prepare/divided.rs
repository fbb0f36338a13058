//! What is made of data after they are divided, and how many there are for whom.

use std::sync::atomic::AtomicBool;

use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, Outcome, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::{Set, Source, load};
use fedbits_spec::Caveat;

fn outcome(prepared: Prepared) -> Outcome {
    let columns = Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record);
    run(prepared.experiment, Recorder::nothing(columns), Observers::default(), &AtomicBool::new(false))
}

/// k-means in one place fits the table as the whole preparation leaves it, whichever of its steps need to know clients.
#[test]
fn k_means_takes_the_whole_preparation() {
    let text = r#"(name: "k", seed: 3,
        data: GaussianMixture(examples: 300, weights: [0.5, 0.5], means: [[0, 0], [30, 1]],
            covariance: Common([[9, 0], [0, 1]])),
        preprocess: STEPS, model: GaussianMixture(components: 2), protocol: KMeans(vertical: false), stop: (rounds: 1))"#;
    let inertia = |steps: &str| {
        let checked = load(Source::new("k.ron", text.replace("STEPS", steps)), &[]);
        let checked = checked.unwrap_or_else(|problems| panic!("{}", problems.render(false))).remove(0);
        let prepared = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).unwrap();
        outcome(prepared).measures["objective"]
    };
    let standardized = inertia("[Standardize]");
    assert!(standardized < 2.0 && inertia("[]") > 5.0);
    for steps in ["[StandardizeFederated]", "[StandardizePerClient]", "[StandardizePerClient, Center]"] {
        let found = inertia(steps);
        assert!((found / standardized - 1.0).abs() < 1e-9, "{steps}: {found}, {standardized}");
    }
}

/// How a run ends of two clients with a column each of 300 rows.
fn of_two_columns(rows: impl Fn(u32) -> [f64; 2], sets: [&str; 2]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..300).map(rows).map(|[a, b]| format!("{a},{b}\n")).collect();
    std::fs::write(folder.path().join("two.csv"), format!("a,b\n{rows}")).unwrap();
    let text = r#"(name: "two", seed: 3, data: Csv(path: "two.csv", columns: Columns(["a", "b"])), clients: 2,
        partition: EvenFeatures, model: GaussianMixture(components: 3), network: (), stop: (rounds: 3))"#;
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let checked = load(Source::new("two.ron", text), &sets);
    let checked = checked.unwrap_or_else(|problems| panic!("{}", problems.render(false))).remove(0);
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    outcome(Preparer::new(folders, false).prepare(&checked.scenario).unwrap())
}

/// A client with a column of 0 and 1 has two clusters of its own: 64 · 2 + 300 bits, beside 64 · 3 + 2 · 300.
#[test]
fn clients_of_k_means_have_as_many_centres_as_different_rows() {
    let found = of_two_columns(
        |j| [f64::from(j / 3 % 2), f64::from(10 * (j % 3)) + f64::from(j % 7) / 10.0],
        ["protocol=KMeans(vertical: true)", "record=(every: 1)"],
    );
    assert!(matches!(found.stop, StopReason::Reached(_)), "{:?}", found.stop);
    assert_eq!(found.totals.bits_up, 64 * 2 + 300 + 64 * 3 + 2 * 300);
    assert!(found.measures["objective"] < 0.5, "{:?}", found.measures);
}

/// Columns that follow from each other are no reason to refuse weights and means as the start of VP-EM, whose blocks
/// alone must be regular, if need be by a ridge.
#[test]
fn means_start_blocks_that_are_regular_alone() {
    let initial = "initial=Theta(weights: [0.2, 0.3, 0.5], means: [[0, 0], [1, 2], [2, 4]])";
    let run = |protocol: &str, level: fn(u32) -> f64| {
        of_two_columns(|j| [f64::from(j % 50) / 20.0, level(j)], [initial, protocol])
    };
    let found = run("protocol=VpEm(setting: Federated)", |j| f64::from(j % 50) / 10.0);
    assert!(!matches!(found.stop, StopReason::Failed(_)), "{:?}", found.stop);
    let found = run("protocol=VpEm(setting: Federated, singular: Ridge(0.1))", |_| 1.0);
    assert!(!matches!(found.stop, StopReason::Failed(_)), "{:?}", found.stop);
}

/// Subjects that one scenario holds out are no fewer for another, of which the same preparer reads the sizes next.
#[test]
fn what_is_held_out_counts_for_its_own_scenario() {
    let folder = tempfile::tempdir().unwrap();
    super::write_curves(folder.path());
    let scenario = |further: &[&str]| {
        let sets = [
            "data=Longitudinal(path: \"curves.csv\", header: false, subject: Index(0), time: Index(1), value: Index(2))",
            "model=MixedEffects(curve: Polynomial(degree: 1))",
            "initial=Typical(values: [3, 1], deviations: [1, 1], sigma: 1)",
            "partition=Iid",
            "protocol=FlSaem(gamma: Constant(1), local: Expect)",
        ];
        let sets: Vec<Set> = sets.iter().chain(further).map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", super::GOOD), &sets);
        checked.unwrap_or_else(|problems| panic!("{}", problems.render(false))).remove(0).scenario
    };
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    let mut preparer = Preparer::new(folders, false);
    let (held_out, clients) = ("holdout=Rows(0.5)", "clients=15");
    preparer.check_replicates(&scenario(&[held_out, "clients=5"]), 1).unwrap();
    preparer.check_replicates(&scenario(&[clients]), 1).unwrap();
    let error = preparer.check_replicates(&scenario(&[held_out, clients]), 1).unwrap_err().to_string();
    assert!(error.contains("15 clients share 10 subjects"), "{error}");
}

/// Terms and the first round leave an agent of VP-EM together; fair sharing overlaps them, a connection does not.
#[test]
fn fair_sharing_overlaps_messages_of_a_pair() {
    let said = |sharing: &str| {
        let sets = ["arms=[]", sharing].map(|set| set.parse().unwrap());
        let text = include_str!("../../library/papers/vpem-cycle5.ron");
        let checked =
            load(Source::new("cycle5.ron", text), &sets).unwrap_or_else(|problems| panic!("{problems}")).remove(0);
        let prepared = Preparer::new(DataFolders::default(), false).prepare(&checked.scenario).unwrap();
        prepared.caveats.iter().any(|caveat| matches!(caveat, Caveat::MessagesOverlap { .. }))
    };
    let found = ["FairShare", "WeightedFairShare", "Ideal", "Fifo()", "Tcp()"];
    assert_eq!(found.map(|name| said(&format!("network.sharing={name}"))), [true, true, false, false, false]);
}
