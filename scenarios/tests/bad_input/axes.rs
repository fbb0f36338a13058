//! Cases of scenarios with axes, targets and searches.

use fedbits_scenarios::Source;

/// A scenario with one slip of each kind: all are found at once, each where it stands.
const BAD_STUDY: &str = r#"(
    name: "bad",
    base: "quickstart",
    compute: (server_expectation: Us(2)),
    arms: [],
    axes: [
        Grid(path: "protocol.compressor", values: ["Identity", "RandK(k: 70)", "RandK(k: 70)"], labels: ["a", "b", "c"]),
        Grid(path: "protocol.participation", values: ["All", "Bernoulli(1.5)"]),
        Grid(path: "protocol.gama", values: [0.1]),
        Zip(name: "zipped", labels: ["x", "y"], paths: {"round": ["WaitForAll"]}),
    ],
    exclude: [{"compresor": "a"}, {"compressor": "d"}],
    replicates: 0,
    targets: [MeanFieldSq(-1)],
    stop: (rounds: 0),
)"#;

fn message_of(text: &str) -> String {
    let problems = fedbits_scenarios::load(Source::new("bad-axes.ron", text), &[]);
    problems.expect_err("the scenario is bad").render(false)
}

#[test]
fn a_bad_study() {
    insta::assert_snapshot!(message_of(BAD_STUDY));
}

/// What a run spends is what getting to a target costs.
#[test]
fn targets_that_are_spent() {
    for column in ["round", "selected", "bits_up", "energy_j"] {
        let target = format!("Column(name: \"{column}\", at_most: 3)");
        let said = message_of(&BAD_STUDY.replace("MeanFieldSq(-1)", &target));
        assert!(said.contains(&format!("`{column}` is what a run spends, and no target")), "{said}");
    }
}

/// A study of the quickstart with these settings, and this beside them.
fn study_with(set: &str, rest: &str) -> String {
    format!(
        "(name: \"s\", base: \"quickstart\", arms: [], {set} {rest}, axes: [
        Grid(path: \"protocol.participation\", values: [\"All\", \"Bernoulli(0.5)\"])])"
    )
}

/// What only probes measure is no target of runs without probes.
#[test]
fn targets_that_wait_for_probes() {
    for column in ["accuracy", "purity", "held_out_log_likelihood", "held_out_accuracy", "parameter_error_sq"] {
        let target = format!("targets: [Column(name: \"{column}\", at_least: 0.5)]");
        let said = message_of(&study_with("record: (probe_every: None),", &target));
        assert!(said.contains(&format!("no arm measures `{column}` while it runs")), "{said}");
    }
}

/// Examples that are held out are measured as examples, and not as subjects.
#[test]
fn figures_of_columns_that_other_data_have() {
    let figure = "figures: [(name: \"a\", kind: Curves(y: [\"held_out_accuracy\", \"held_out_rmse\"]))]";
    let said = message_of(&study_with("holdout: Rows(0.25),", figure));
    let found = "no arm of the figure measures `held_out_rmse`, which needs data of subjects";
    assert!(said.contains(found) && !said.contains("measures `held_out_accuracy`"), "{said}");
}

#[test]
fn a_study_of_the_wrong_shape() {
    let text = BAD_STUDY
        .replace("replicates: 0", "replicate: 5")
        .replace("Zip(", "Zipp(")
        .replace("labels: [\"x\"", "label: [\"x\"");
    insta::assert_snapshot!(message_of(&text));
}

#[test]
fn a_study_without_its_base() {
    insta::assert_snapshot!(message_of("(name: \"x\", base: \"quikstart\", replicates: 2)"));
}

/// A search with one slip of each kind.
#[test]
fn bad_searches() {
    let study = |rest: &str| {
        message_of(&format!(
            "(name: \"x\", base: \"quickstart\", replicates: 5, arms: [], axes: [Grid(path: \"protocol.gamma\", \
             values: [\"Constant(0.1)\", \"Constant(0.2)\"])], {rest})"
        ))
    };
    let race = "Race(objective: BitsTo(MeanFieldSq(-1)), error: 0.7, margin: -1, futility: 1, cut: Some(1), \
                constraints: [Reached(2), Time(\"0 s\"), Reached(0.5)])";
    let said = [
        study(&format!("search: {race}")),
        study("search: Race(objective: RoundsTo(Column(name: \"objective\")))"),
        study("search: Race(objective: BitsTo(MeanFieldSq(1e-3)), errors: 0.1)"),
        message_of(
            "(name: \"x\", base: \"quickstart\", arms: [], search: Race(objective: Best(\"objective\"), cut: Some(2)))",
        ),
    ];
    insta::assert_snapshot!(said.concat());
}

/// Replicates are what other seeds would be, wherever axes are to have them.
#[test]
fn seeds_are_no_axes() {
    for axis in [
        "Grid(path: \"seed\", values: [\"1\", \"2\"])",
        "Zip(name: \"z\", labels: [\"a\"], paths: {\"seed\": [\"2\"], \"protocol.gamma\": [\"0.2\"]})",
        "Cases(name: \"c\", levels: [(name: \"a\", set: {\"seed\": \"2\", \"protocol.gamma\": \"0.2\"})])",
        "Random(points: 3, paths: {\"seed\": Uniform(1, 9)})",
    ] {
        let said = message_of(&format!("(name: \"s\", base: \"quickstart\", arms: [], axes: [{axis}])"));
        assert!(said.contains("other seeds are other replicates, and no other arm"), "{said}");
        assert!(said.contains("expected `replicates: …`") && !said.contains("the same scenario"), "{said}");
    }
}

/// The levels of a race's looks are found before the first one.
#[test]
fn searches_look_at_most_so_often() {
    let study = |replicates: u64| {
        message_of(&format!(
            "(name: \"s\", base: \"quickstart\", replicates: {replicates}, arms: [], axes: [Grid(path: \"protocol.gamma\", \
             values: [\"0.1\", \"0.2\"])], search: Race(objective: BitsTo(MeanFieldSq(-1))))"
        ))
    };
    let said = "expected at most 1000 beside a `search`";
    assert!(study(1_001).contains(said) && !study(1_000).contains(said));
}
