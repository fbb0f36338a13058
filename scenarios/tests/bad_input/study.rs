//! Cases of studies.

use fedbits_scenarios::Source;

/// A study with one slip of each kind: all are found at once, each where it stands.
const BAD_STUDY: &str = r#"(
    name: "bad",
    base: "quickstart",
    set: {"protocol.gama": "Constant(0.1)", "compute.server_expectation": "Us(2)"},
    axes: [
        Grid(path: "protocol.compressor", values: ["Identity", "RandK(k: 70)", "RandK(k: 70)"], labels: ["a", "b", "c"]),
        Grid(path: "protocol.participation", values: ["All", "Bernoulli(1.5)"]),
        Zip(name: "zipped", labels: ["x", "y"], paths: {"round": ["WaitForAll"]}),
    ],
    exclude: [{"compresor": "a"}, {"compressor": "d"}],
    replicates: 0,
    targets: [MeanFieldSq(-1)],
    budget: (rounds: 0),
)"#;

fn said_of_study(text: &str) -> String {
    let base = |name: &str| fedbits_scenarios::library::find(name).map_err(|error| error.to_string());
    let problems = fedbits_scenarios::study::load_study(Source::new("bad-study.ron", text), &base);
    problems.expect_err("the study is bad").render(false)
}

#[test]
fn a_bad_study() {
    insta::assert_snapshot!(said_of_study(BAD_STUDY));
}

/// What a run spends is what getting to a target costs.
#[test]
fn targets_that_are_spent() {
    for column in ["round", "selected", "bits_up", "energy_j"] {
        let target = format!("Column(name: \"{column}\", at_most: 3)");
        let said = said_of_study(&BAD_STUDY.replace("MeanFieldSq(-1)", &target));
        assert!(said.contains(&format!("`{column}` is what a run spends, and no target")), "{said}");
    }
}

/// A study of the quickstart with these settings, and this beside them.
fn study_with(set: &str, rest: &str) -> String {
    format!(
        "(name: \"s\", base: \"quickstart\", set: {{{set}}}, replicates: 1, {rest}, axes: [
        Grid(path: \"protocol.participation\", values: [\"All\", \"Bernoulli(0.5)\"])])"
    )
}

/// What only probes measure is no target of runs without probes.
#[test]
fn targets_that_wait_for_probes() {
    for column in ["accuracy", "purity", "held_out_log_likelihood", "held_out_accuracy", "parameter_error_sq"] {
        let target = format!("targets: [Column(name: \"{column}\", at_least: 0.5)]");
        let said = said_of_study(&study_with("\"record.probe_every\": \"None\"", &target));
        assert!(said.contains(&format!("no arm measures `{column}` while it runs")), "{said}");
    }
}

/// Examples that are held out are measured as examples, and not as subjects.
#[test]
fn figures_of_columns_that_other_data_have() {
    let figure = "figures: [(name: \"a\", kind: Curves(y: [\"held_out_accuracy\", \"held_out_rmse\"]))]";
    let said = said_of_study(&study_with("\"holdout\": \"Rows(0.25)\"", figure));
    let found = "no arm of the figure measures `held_out_rmse`, which needs data of subjects";
    assert!(said.contains(found) && !said.contains("measures `held_out_accuracy`"), "{said}");
}

/// Runs of studies leave a table of clients where it is asked for.
#[test]
fn clients_that_no_run_of_a_study_records() {
    let kinds = ["Participation(y: [\"contributions\"])", "Named(\"participation\")"];
    let study = |kind: &str, set: &str| study_with(set, &format!("figures: [(name: \"a\", kind: {kind})]"));
    for kind in kinds {
        let said = said_of_study(&study(kind, ""));
        assert!(said.contains("no arm of the figure leaves `clients.csv`"), "{said}");
        assert!(said.contains("expected `record: (clients: true)` in a scenario with clients"), "{said}");
    }
    let said = said_of_study(&study("Participation(y: [\"late\", \"lates\"])", "\"record.clients\": \"true\""));
    assert!(
        said.contains("no arm of the figure measures `lates` of its clients") && !said.contains("leaves"),
        "{said}"
    );
}

#[test]
fn a_study_of_the_wrong_shape() {
    let text = BAD_STUDY
        .replace("replicates: 0", "replicate: 5")
        .replace("Zip(", "Zipp(")
        .replace("labels: [\"x\"", "label: [\"x\"");
    insta::assert_snapshot!(said_of_study(&text));
}

#[test]
fn a_study_of_a_study() {
    let text = "(name: \"x\", base: \"studies/vpem-rounds-bits\", replicates: 2)";
    assert!(said_of_study(text).contains("`studies/vpem-rounds-bits` is a study itself"));
}

#[test]
fn a_study_without_its_base() {
    insta::assert_snapshot!(said_of_study("(name: \"x\", base: \"quikstart\", replicates: 2)"));
}

/// A race with one slip of each kind.
#[test]
fn bad_searches() {
    let study = |rest: &str| {
        said_of_study(&format!(
            "(name: \"x\", base: \"quickstart\", replicates: 5, axes: [Grid(path: \"protocol.gamma\", \
             values: [\"Constant(0.1)\", \"Constant(0.2)\"])], {rest})"
        ))
    };
    let race = "Race(objective: BitsTo(MeanFieldSq(-1)), error: 0.7, margin: -1, futility: 1, cut: Some(1), \
                constraints: [Reached(2), Time(\"0 s\"), Reached(0.5)])";
    let said = [
        study(&format!("search: {race}")),
        study("search: Races(objective: BitsTo(MeanFieldSq(1e-3)))"),
        study("search: Race(objective: BitsTo(MeanFieldSq(1e-3)), errors: 0.1)"),
        said_of_study(
            "(name: \"x\", base: \"quickstart\", replicates: 1, search: Race(objective: Best(\"objective\"), cut: Some(2)))",
        ),
    ];
    insta::assert_snapshot!(said.concat());
}

/// Replicates are what other seeds would be, wherever arms are to have them.
#[test]
fn seeds_are_no_axes() {
    let study = |rest: &str| said_of_study(&format!("(name: \"s\", base: \"quickstart\", replicates: 3, {rest})"));
    for rest in [
        "axes: [Grid(path: \"seed\", values: [\"1\", \"2\"])]".to_owned(),
        "axes: [Zip(name: \"z\", labels: [\"a\"], paths: {\"seed\": [\"2\"], \"protocol.gamma\": [\"0.2\"]})]"
            .to_owned(),
        "axes: [Cases(name: \"c\", levels: [(name: \"a\", set: {\"seed\": \"2\", \"protocol.gamma\": \"0.2\"})])]"
            .to_owned(),
        "axes: [Random(points: 3, paths: {\"seed\": Uniform(1, 9)})]".to_owned(),
    ] {
        let said = study(&rest);
        assert!(said.contains("other seeds are other replicates, and no other arm"), "{said}");
        assert!(said.contains("expected `replicates: …`") && !said.contains("the same scenario"), "{said}");
    }
}

/// The levels of a race's looks are found before the first one.
#[test]
fn searches_look_at_most_so_often() {
    let study = |replicates: u64| {
        said_of_study(&format!(
            "(name: \"s\", base: \"quickstart\", replicates: {replicates}, axes: [Grid(path: \"protocol.gamma\", \
             values: [\"0.1\", \"0.2\"])], search: Race(objective: BitsTo(MeanFieldSq(-1))))"
        ))
    };
    let said = "expected at most 1000 beside a `search`";
    assert!(study(1_001).contains(said) && !study(1_000).contains(said));
}
