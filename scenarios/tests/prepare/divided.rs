//! What is made of data after they are divided, and how many there are for whom.

use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Set, Source, load};

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
        let columns = Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record);
        let outcome =
            run(prepared.experiment, Recorder::nothing(columns), Observers::default(), &AtomicBool::new(false));
        outcome.measures["objective"]
    };
    let standardized = inertia("[Standardize]");
    assert!(standardized < 2.0 && inertia("[]") > 5.0);
    for steps in ["[StandardizeFederated]", "[StandardizePerClient]", "[StandardizePerClient, Center]"] {
        let own = inertia(steps);
        assert!((own / standardized - 1.0).abs() < 1e-9, "{steps}: {own}, {standardized}");
    }
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
            "protocol=FlSaem(gain: Constant(1), local: Expect)",
        ];
        let sets: Vec<Set> = sets.iter().chain(further).map(|set| set.parse().unwrap()).collect();
        let checked = load(Source::new("good.ron", super::GOOD), &sets);
        checked.unwrap_or_else(|problems| panic!("{}", problems.render(false))).remove(0).scenario
    };
    let folders = DataFolders { option: Some(folder.path().to_path_buf()), ..DataFolders::default() };
    let mut preparer = Preparer::new(folders, false);
    let (held_out, clients) = ("holdout=Rows(0.5)", "clients=15");
    preparer.check_fit(&scenario(&[held_out, "clients=5"])).unwrap();
    preparer.check_fit(&scenario(&[clients])).unwrap();
    let error = preparer.check_fit(&scenario(&[held_out, clients])).unwrap_err().to_string();
    assert!(error.contains("15 clients share 10 subjects"), "{error}");
}
