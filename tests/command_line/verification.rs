//! What `verify` finds in records that were changed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::outcomes::{manifest, run};
use crate::support::{Scratch, finish, scenario_file};

/// What `verify` says about the record of `environment` after `change`.
fn verify(change: impl FnOnce(&Path)) -> crate::support::Output {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures"])).done();
    change(&scratch.path("record"));
    finish(scratch.fedbits(["verify", "-q", "record"]))
}

/// Replaces the digits of a digest in the manifest.
fn change_digest(record: &Path, name: &str) {
    let mut changed = manifest(record);
    changed["digests"][name] = Value::from("0123456789abcdef".repeat(4));
    fs::write(record.join("manifest.json"), changed.to_string()).unwrap();
}

#[test]
fn a_changed_digest_is_found() {
    for name in ["data", "timeline", "state"] {
        let output = verify(|record| change_digest(record, name));
        assert_eq!(output.code, Some(1), "{}", output.err);
        let different: Vec<&str> = output.out.lines().filter(|line| line.contains("DIFFERENT")).collect();
        assert_eq!(different.len(), 1, "{}", output.out);
        assert!(different[0].contains(name) && different[0].contains("0123456789abcdef"), "{}", different[0]);
    }
}

/// Check byte 100 of the record is another one: event 100 is named, with its time and kind.
#[test]
fn the_first_event_that_differs_is_named() {
    let output = verify(|record| {
        change_digest(record, "timeline");
        let path = record.join("timeline.bin");
        let mut checks = fs::read(&path).unwrap();
        checks[100..].iter_mut().for_each(|byte| *byte ^= 1);
        fs::write(path, checks).unwrap();
    });
    assert_eq!(output.code, Some(1));
    insta::assert_snapshot!(output.out);
}

/// The record is of a run that went on for longer, or for less long, than the scenario's.
#[test]
fn events_that_end_early_or_late_are_named() {
    let shortened = verify(|record| {
        change_digest(record, "timeline");
        let checks = fs::read(record.join("timeline.bin")).unwrap();
        fs::write(record.join("timeline.bin"), &checks[..500]).unwrap();
    });
    assert!(shortened.out.contains("number 500;"), "{}", shortened.out);
    let lengthened = verify(|record| {
        change_digest(record, "timeline");
        let mut checks = fs::read(record.join("timeline.bin")).unwrap();
        checks.push(7);
        fs::write(record.join("timeline.bin"), checks).unwrap();
    });
    assert!(lengthened.out.contains("does not happen"), "{}", lengthened.out);
}

/// The tables of a record belong to what `verify` promises: a changed cell is found.
#[test]
fn a_changed_table_is_found() {
    let output = verify(|record| {
        let text = fs::read_to_string(record.join("rounds.csv")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        // The first cell is the round, the fourth the number of expectations.
        let cells: Vec<&str> = lines[5].split(',').collect();
        lines[5] = [&cells[..3], &["424242"], &cells[4..]].concat().join(",");
        fs::write(record.join("rounds.csv"), lines.join("\n") + "\n").unwrap();
    });
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("rounds.csv") && output.out.contains("DIFFERENT"), "{}", output.out);
    let output = verify(|record| fs::remove_file(record.join("timeline.bin")).unwrap());
    assert!(output.code == Some(1) && output.out.contains("DIFFERENT  timeline.bin"), "{}", output.out);
    let output = verify(|record| {
        let mut changed = manifest(record);
        changed["stop_reason"] = Value::from("another");
        fs::write(record.join("manifest.json"), changed.to_string()).unwrap();
    });
    assert!(output.code == Some(1) && output.out.contains("stop reason"), "{}", output.out);
}

/// A table that is gone keeps no other record from being verified.
#[test]
fn a_missing_table_is_found_beside_other_records() {
    let scratch = Scratch::new();
    let arms = r#"arms=[(name: "one", set: {}), (name: "two", set: {"seed": "9"})]"#;
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures", "--set", arms])).done();
    fs::remove_file(scratch.path("record/one/ledger.csv")).unwrap();
    fs::remove_file(scratch.path("record/two/model.json")).unwrap();
    let output = finish(scratch.fedbits(["verify", "-q", "record"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    for found in ["record/one  files  DIFFERENT  ledger.csv is missing", "record/two  files  DIFFERENT  model.json"] {
        assert!(output.out.contains(found), "{found}: {}", output.out);
    }
}

/// So do those that only some networks have: what each link carried.
#[test]
fn a_changed_table_of_links_is_found() {
    let scratch = Scratch::new();
    let ring = ["--set", "network=Graph(sites: Ring(6))", "--set", "clients=5", "--set", "stop.rounds=2"];
    let run = [&["run", "quickstart", "-q", "--no-figures", "--out", "a"], &ring[..]].concat();
    finish(scratch.fedbits(run)).done();
    finish(scratch.fedbits(["verify", "a", "-q"])).done();
    let links = scratch.path("a/uncompressed/links.csv");
    let text = fs::read_to_string(&links).unwrap();
    let (head, last) = text.trim_end().rsplit_once(',').unwrap();
    fs::write(&links, format!("{head},{}\n", last.parse::<u64>().unwrap() + 1)).unwrap();
    let output = finish(scratch.fedbits(["verify", "a", "-q"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("DIFFERENT  links.csv"), "{}", output.out);
}

/// The manifest holds the objective where exact EM rests when it goes on from the end: at most the last one of the run,
/// of a problem that is the data and the model. `verify` makes it again.
#[test]
fn a_record_holds_what_gaps_are_counted_from() {
    let scratch = Scratch::new();
    finish(run(&scratch, "covariances.ron", &["--no-figures"])).done();
    let mut problems = std::collections::BTreeMap::new();
    for arm in fs::read_dir(scratch.path("record")).unwrap().map(|arm| arm.unwrap().path()).filter(|arm| arm.is_dir()) {
        let manifest = manifest(&arm);
        assert_eq!(manifest["stop_rules"]["mean_field_sq"], Value::Null);
        let reference = &manifest["reference"];
        let rounds = fs::read_to_string(arm.join("rounds.csv")).unwrap();
        let column = rounds.lines().next().unwrap().split(',').position(|name| name == "objective").unwrap();
        let last = rounds.lines().last().unwrap().split(',').nth(column).unwrap().parse::<f64>().unwrap();
        match reference["objective"].as_f64() {
            Some(objective) => assert!(objective <= last + 1e-12, "{}: {reference}, last {last}", arm.display()),
            None => assert!(reference["how"].as_str().unwrap().contains("not converged"), "{reference}"),
        }
        assert!(reference["passes"].as_u64().unwrap() <= 60);
        problems.insert(manifest["arm"].as_str().unwrap().to_owned(), reference["problem"].to_string());
    }
    assert_eq!(problems["full"], problems["centralized"], "the same data and model");
    let distinct: std::collections::BTreeSet<&String> = problems.values().collect();
    assert_eq!((problems.len(), distinct.len()), (5, 4), "other covariances are other problems");
    finish(scratch.fedbits(["verify", "record"])).done();
    let path = scratch.path("record/full/manifest.json");
    let text = fs::read_to_string(&path).unwrap().replace("\"passes\": ", "\"passes\": 1");
    fs::write(&path, text).unwrap();
    let output = finish(scratch.fedbits(["verify", "record"]));
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("reference in manifest.json"), "{}", output.out);
}

/// A figure beside runs with other arms: both lists, and the exit code of a difference.
#[test]
fn a_figure_beside_other_arms_is_one_of_other_runs() {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q"])).done();
    let arms = "arms=[(name: \"alpha\"), (name: \"beta\", set: {\"seed\": \"2\"})]";
    finish(scratch.fedbits(["run", "quickstart", "--out", "other", "-q", "--no-figures", "--set", arms])).done();
    let page = "record/figures/report.html";
    let output = finish(scratch.fedbits(["verify", page, "--runs", "other", "--format", "csv"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("these are other runs: it has the arms `"), "{}", output.out);
    assert!(output.out.contains("they have `alpha`, `beta`"), "{}", output.out);
}

/// Files that are no tables are compared to the last byte: a model, its arrays, and events that were traced later.
#[test]
fn a_changed_document_is_found() {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures"])).done();
    finish(scratch.fedbits(["trace", "record", "--slowest", "-q"])).done();
    let verify = || finish(scratch.fedbits(["verify", "record", "--json", "-q"]));
    let files = |out: &str| {
        let found: Value = serde_json::from_str(out).unwrap();
        let parts = found["records"].as_array().unwrap().clone();
        let files = parts.into_iter().find(|part| part["part"] == "files").unwrap();
        (files["verdict"].as_str().unwrap().to_owned(), files["value"].as_str().unwrap().to_owned())
    };
    let (verdict, value) = files(&verify().done());
    assert_eq!(verdict, "same");
    for name in ["model.json", "model.npz", "trace.json"] {
        assert!(value.contains(name), "{name}: {value}");
        let path = scratch.path("record").join(name);
        let bytes = fs::read(&path).unwrap();
        for changed in [Some([&bytes[..], b"\n"].concat()), None] {
            match changed {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let output = verify();
            assert_eq!(output.code, Some(1), "{name}: {}", output.err);
            assert_eq!(files(&output.out), ("differs".to_owned(), name.to_owned()));
        }
        fs::write(&path, bytes).unwrap();
    }
    finish(scratch.fedbits(["verify", "record", "-q"])).done();
}

/// Runs that were given in another order than the report got are those of the figure.
#[test]
fn a_figure_is_verified_in_any_order_of_its_runs() {
    let scratch = Scratch::new();
    for (seed, folder) in [("1", "b"), ("2", "a"), ("3", "c")] {
        let small = ["--set", "stop.rounds=3", "--set", "arms=[]", "--seed", seed, "--out", folder];
        finish(scratch.fedbits([&["run", "quickstart", "-q", "--no-figures"], &small[..]].concat())).done();
    }
    finish(scratch.fedbits(["report", "b", "a", "c", "--out", "f", "--format", "svg", "-q"])).done();
    let table = fs::read_dir(scratch.path("f")).unwrap().map(|entry| entry.unwrap().path());
    let table = table.filter(|path| path.extension().is_some_and(|ending| ending == "csv")).min().unwrap();
    let table = table.display().to_string();
    for order in [["b", "a", "c"], ["c", "a", "b"], ["a", "b", "c"], ["a", "c", "b"]] {
        let found = finish(scratch.fedbits([&["verify", &table, "-q", "--runs"], &order[..]].concat()));
        assert_eq!(found.code, Some(0), "{order:?}: {}{}", found.out, found.err);
    }
}

/// A record whose data are others now keeps no other from being verified, and its scenario is not blamed.
#[test]
fn a_record_that_cannot_be_run_again_keeps_no_other_from_it() {
    let scratch = Scratch::new();
    for name in ["table.ron", "table.csv", "tiny.ron"] {
        fs::copy(scenario_file(name), scratch.path(name)).unwrap();
    }
    for (scenario, out) in [("table.ron", "mix/first"), ("tiny.ron", "mix/second")] {
        finish(scratch.fedbits(["run", scenario, "-q", "--no-figures", "--out", out])).done();
    }
    let study = r#"(name: "s", base: "table.ron", replicates: 1, axes: [Grid(path: "protocol.gamma", values: ["0.1", "0.2"])])"#;
    fs::write(scratch.path("study.ron"), study).unwrap();
    finish(scratch.fedbits(["study", "study.ron", "--no-figures", "-q", "--out", "study"])).done();
    let data = fs::read_to_string(scratch.path("table.csv")).unwrap();
    let (whole, _) = data.trim_end().rsplit_once('\n').unwrap();
    fs::write(scratch.path("table.csv"), whole).unwrap();
    let shorter = finish(scratch.fedbits(["verify", "mix/first"]));
    let named = shorter.out.split_whitespace().collect::<Vec<_>>().join(" ").contains("table.csv");
    assert!(shorter.code == Some(1) && named, "{}{}", shorter.out, shorter.err);
    fs::write(scratch.path("table.csv"), data.replacen("class", "kind", 1)).unwrap();
    let output = finish(scratch.fedbits(["verify", "mix", "--format", "csv"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("mix/second,files,same,"), "{}", output.out);
    assert!(output.out.contains("mix/first,run,cannot be run again,"), "{}", output.out);
    let why = "it cannot be run again here";
    assert!(output.err.contains(&format!("mix/first: {why}")) && output.err.contains("`class`"), "{}", output.err);
    assert!(output.err.contains("1 record cannot be run again"), "{}", output.err);
    let alone = finish(scratch.fedbits(["verify", "mix/first"]));
    assert!(alone.code == Some(1) && alone.err.contains(why), "{}", alone.err);
    let study = finish(scratch.fedbits(["verify", "study"]));
    assert!(study.code == Some(1) && study.err.contains(why), "{}", study.err);
    assert!(study.out.contains("0 runs are the same, 0 differ, 2 cannot be run again"), "{}", study.out);
}
