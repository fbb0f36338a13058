//! Axes by rules and scenarios with a base, from the file to the results.

use std::fs;

use crate::command_line::studies::{json, scratch_with, study};
use crate::support::{Scratch, finish, runs, scenario_file};

const AXES: &str =
    "Grid(path: \"protocol.compressor\", values: [\"Identity\", \"RandK(k: 2)\"], labels: [\"none\", \"rand-2\"]),";

/// The rows of a table as maps from columns to cells.
fn rows(scratch: &Scratch, file: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(scratch.path(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The spelling of the levels is nothing that results depend on, and a larger search is a search with more points.
#[test]
fn what_is_there_is_kept() {
    let axis = |values: &str| format!("Grid(path: \"protocol.gamma\", values: {values}),");
    let scratch = scratch_with(&[(AXES, &axis("[\"0.01\", \"0.1\"]"))]);
    assert!(finish(study(&scratch, &[])).err.contains("24 runs to make"));
    let random = |points: u32| {
        format!(
            "Random(points: {points}, paths: {{\"protocol.gamma\": LogUniform(0.01, 1), \"protocol.batch\": Choice([\"All\"])}}),"
        )
    };
    for (axis, kept) in [
        (axis("Log(0.01, 0.1, 2)"), "24 runs are there already, none to make"),
        (axis("Linear(0.01, 0.1, 3)"), "24 runs are there already, 12 to make"),
        (random(2), "24 runs to make, 36 results of other settings stay in the store"),
        (random(3), "24 runs are there already, 12 to make, 36 results of other settings stay"),
    ] {
        let text = fs::read_to_string(scenario_file("study.ron")).unwrap().replace(AXES, &axis);
        fs::write(scratch.path("study.ron"), text).unwrap();
        let output = finish(study(&scratch, &[]));
        assert!(output.err.contains(kept), "{axis}: {}", output.err);
        output.done();
    }
}

/// An arm has no level of an axis that does not exist in it: nowhere.
#[test]
fn an_axis_of_some_arms() {
    let axes = format!(
        "{AXES} Grid(path: \"protocol.compressor.k\", values: [1, 2, 3], when: {{\"compressor\": \"rand-2\"}}), \
         Sobol(points: 2, name: \"try\", paths: {{\"protocol.gamma\": Uniform(0.1, 0.4), \"clients\": Uniform(2, 4)}}),"
    );
    let scratch = scratch_with(&[(AXES, &axes), ("replicates: 6", "replicates: 1")]);
    let checked = finish(scratch.fedbits(["check", "study.ron", "--text-only", "--format", "csv"])).done();
    let arms: Vec<&str> = checked.lines().collect();
    assert_eq!(arms.len(), 1 + (1 + 3) * 2 * 2, "{checked}");
    assert!(
        arms[0].starts_with("arm,axis_compressor,axis_k,axis_try,axis_participation,clients,protocol.gamma"),
        "{checked}"
    );
    finish(study(&scratch, &[])).done();
    for row in rows(&scratch, "out/runs.csv") {
        assert_eq!(row["k"].is_empty(), row["compressor"] == "none", "{row:?}");
        assert!(row["try"].starts_with("try "), "{row:?}");
        assert!((0.1..=0.4).contains(&row["gamma"].parse::<f64>().unwrap()), "{row:?}");
        assert!((2..=4).contains(&row["clients"].parse::<u32>().unwrap()), "{row:?}");
        assert!(!row["arm"].contains('–'), "{row:?}");
    }
    let compared = finish(scratch.fedbits(["compare", "out", "--format", "csv"])).done();
    let head = compared.lines().find(|line| !line.starts_with('#')).unwrap();
    assert!(head.contains("axis_k,axis_try") && head.contains("setting_clients,setting_protocol.gamma"), "{head}");
    assert!(!compared.contains('–'), "{compared}");
    finish(scratch.fedbits(["compare", "out"])).done();
    finish(scratch.fedbits(["report", "out", "--out", "figures", "--format", "svg"])).done();
    assert!(finish(scratch.fedbits(["verify", "out"])).done().contains("0 differ"));
    // The plan is read again as it was written, and by a study that says no more of its axes.
    let plan = json(&fs::read_to_string(scratch.path("out/plan.json")).unwrap());
    assert_eq!((&plan["axes"][0]["absent"], &plan["axes"][1]["absent"]), (&serde_json::Value::Null, &3.into()));
}

/// Runs hold their whole scenarios: the base may change or go.
#[test]
fn runs_need_no_base() {
    let scratch = scratch_with(&[]);
    finish(scratch.fedbits(["new", "mine", "--base", "tiny.ron"])).done();
    let text = fs::read_to_string(scratch.path("mine.ron")).unwrap();
    assert!(text.contains("base: \"tiny.ron\"") && text.lines().count() < 12, "{text}");
    fs::write(scratch.path("mine.ron"), text.replace("// seed: 2", "seed: 2")).unwrap();
    finish(scratch.fedbits(["check", "mine.ron", "--text-only"])).done();
    finish(scratch.fedbits(["run", "mine.ron", "--no-figures", "--out", "one"])).done();
    finish(scratch.fedbits(["run", "tiny.ron", "--seed", "2", "--no-figures", "--out", "two"])).done();
    fs::write(scratch.path("study.ron"), "(name: \"s\", base: \"mine.ron\", replicates: 2)").unwrap();
    finish(study(&scratch, &[])).done();
    fs::remove_file(scratch.path("tiny.ron")).unwrap();
    for folder in ["one", "out"] {
        assert!(finish(scratch.fedbits(["verify", folder])).done().contains("0 differ"));
    }
    let [one, two] = ["one", "two"].map(|folder| runs(&scratch.path(folder)).remove(0));
    assert_eq!((one.rounds, one.ledger), (two.rounds, two.ledger));
    let refused = finish(scratch.fedbits(["run", "mine.ron", "--out", "three"]));
    assert!(refused.err.contains("mine.ron:") && refused.err.contains("there is no file"), "{}", refused.err);
    assert_eq!((refused.code, scratch.path("three").exists()), (Some(2), false));
    for refused in [
        vec!["new", "x", "--base", "study.ron"],
        vec!["new", "x", "--base", "nothing"],
        vec!["new", "a", "b", "--base", "quickstart"],
    ] {
        let output = finish(scratch.fedbits(&refused));
        assert_eq!((output.code, scratch.path("x.ron").exists()), (Some(2), false), "{refused:?}: {}", output.err);
    }
}
