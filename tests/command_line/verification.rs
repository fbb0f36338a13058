//! What `verify` finds in folders of runs that were changed.

use std::fs;
use std::path::Path;

use fedbits::{Record, Results};
use fedbits_record::Cell;
use fedbits_record::results::{SegmentWriter, StoredRun};

use crate::command_line::files::contents;
use crate::command_line::outcomes::run;
use crate::command_line::studies::json;
use crate::support::{Output, Scratch, finish, run_of, runs, scenario_file};

/// Puts another result in the place of the first run of its arm, and into the tables.
pub fn replace_run(folder: &Path, run: Record) {
    let record = Results::open(folder).unwrap();
    let arm = record.plan().arms.iter().position(|arm| arm.name == run.manifest.arm).unwrap();
    let mut all: Vec<_> =
        record.keys().filter_map(|(arm, replicate, key)| Some((key, record.run(arm, replicate).unwrap()?))).collect();
    let key = record.plan().arms[arm].key(record.plan().first_replicate).unwrap();
    all.iter_mut().find(|(other, _)| *other == key).unwrap().1 = run;
    let segments = folder.join("segments");
    fs::remove_dir_all(&segments).unwrap();
    let mut writer = SegmentWriter::new(&segments);
    all.into_iter().for_each(|(key, run)| writer.append(key, &StoredRun::finished(run)).unwrap());
    Results::open(folder).unwrap().write_tables().unwrap();
}

/// What `verify` says about the run of `environment` after `change`.
fn verify(change: impl FnOnce(&mut Record)) -> Output {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures"])).done();
    let folder = scratch.path("record");
    let mut changed = run_of(&folder, "environment");
    change(&mut changed);
    replace_run(&folder, changed);
    finish(scratch.fedbits(["verify", "-q", "record"]))
}

/// Another digest.
fn other() -> String {
    "0123456789abcdef".repeat(4)
}

/// A part of a run, and a change of it.
type Change = (&'static str, fn(&mut Record));

/// Whatever is changed of a run is found, and named alone.
#[test]
fn every_changed_part_is_found() {
    let changes: [Change; 12] = [
        ("data digest", |run| run.manifest.digests.data = other()),
        ("timeline digest", |run| run.manifest.digests.timeline = other()),
        ("state digest", |run| run.manifest.digests.state = other()),
        ("check bytes", |run| run.checks.clear()),
        ("rounds", |run| run.rounds[5].expectations += 1),
        ("ledger", |run| run.ledger[1].payload_bits += 1),
        ("histograms", |run| drop(run.histograms.pop())),
        ("clients", |run| {
            let clients = run.extra.iter_mut().find(|table| table.name == "clients").unwrap();
            *clients.rows[0].last_mut().unwrap() = Cell::from(0.5);
        }),
        ("components", |run| run.extra.retain(|table| table.name != "components")),
        ("totals", |run| run.manifest.totals.bits_up += 1),
        ("stop reason", |run| run.manifest.stop_reason = "another".to_owned()),
        ("caveats", |run| run.manifest.caveats.clear()),
    ];
    for (part, change) in changes {
        let output = verify(change);
        assert_eq!(output.code, Some(1), "{part}: {}{}", output.out, output.err);
        let line = output.out.lines().find(|line| line.contains("DIFFERENT")).unwrap();
        assert_eq!(line, format!("environment / replicate 0  DIFFERENT  {part}"), "{}", output.out);
    }
    assert_eq!(verify(|_| ()).code, Some(0));
}

/// Check byte 100 of the run is another one: event 100 is named, with its time and kind.
#[test]
fn the_first_event_that_differs_is_named() {
    let output = verify(|run| {
        run.manifest.digests.timeline = other();
        run.checks[100..].iter_mut().for_each(|byte| *byte ^= 1);
    });
    assert_eq!(output.code, Some(1));
    insta::assert_snapshot!(output.out);
}

/// The run went on for longer, or for less long, than the scenario's.
#[test]
fn events_that_end_early_or_late_are_named() {
    let shortened = verify(|run| {
        run.manifest.digests.timeline = other();
        run.checks.truncate(500);
    });
    assert!(shortened.out.contains("number 500;"), "{}", shortened.out);
    let lengthened = verify(|run| {
        run.manifest.digests.timeline = other();
        run.checks.push(7);
    });
    assert!(lengthened.out.contains("does not happen any more"), "{}", lengthened.out);
}

/// What each link carried belongs to a run of some networks.
#[test]
fn a_changed_table_of_links_is_found() {
    let scratch = Scratch::new();
    let ring = ["--set", "network=(shape: Graph(sites: Ring(6)))", "--set", "clients=5", "--set", "stop.rounds=2"];
    let command = [&["run", "quickstart", "-q", "--no-figures", "--out", "a"], &ring[..]].concat();
    finish(scratch.fedbits(command)).done();
    finish(scratch.fedbits(["verify", "a", "-q"])).done();
    let mut changed = run_of(&scratch.path("a"), "uncompressed");
    let links = changed.extra.iter_mut().find(|table| table.name == "links").unwrap();
    *links.rows[0].last_mut().unwrap() = Cell::Whole(1);
    replace_run(&scratch.path("a"), changed);
    let output = finish(scratch.fedbits(["verify", "a", "-q"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("uncompressed / replicate 0  DIFFERENT  links\n"), "{}", output.out);
    assert!(output.out.contains("3 runs are the same, 1 differs"), "{}", output.out);
}

/// Files beside the store are compared with the runs: tables, models and their arrays.
#[test]
fn a_changed_file_is_found() {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures"])).done();
    let verify = || finish(scratch.fedbits(["verify", "record", "--json", "-q"]));
    assert_eq!(json(&verify().done())["same"], 1);
    for name in ["rounds.csv", "clients.csv", "models/environment.json", "models/environment.npz"] {
        let path = scratch.path("record").join(name);
        let bytes = fs::read(&path).unwrap();
        for changed in [Some([&bytes[..], b"\n"].concat()), None] {
            match changed {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let output = verify();
            assert_eq!(output.code, Some(1), "{name}: {}", output.err);
            let found = json(&output.out)["tables_that_differ"].clone();
            assert_eq!(found, serde_json::json!([name]), "{}", output.out);
        }
        fs::write(&path, bytes).unwrap();
    }
    verify().done();
}

/// A run holds the objective where exact EM rests when it goes on from the end: at most the last one of the run, of a
/// problem that is the data and the model. `verify` makes it again.
#[test]
fn a_run_holds_what_gaps_are_counted_from() {
    let scratch = Scratch::new();
    finish(run(&scratch, "covariances.ron", &["--no-figures"])).done();
    let folder = scratch.path("record");
    let mut problems = std::collections::BTreeMap::new();
    for run in runs(&folder) {
        assert_eq!(run.manifest.stop_rules.mean_field_sq, None);
        let last = run.last("objective").unwrap();
        let reference = run.manifest.reference.unwrap();
        match reference.objective {
            Some(objective) => assert!(objective <= last + 1e-12, "{}: {reference:?}, last {last}", run.manifest.arm),
            None => assert!(reference.how.contains("not converged"), "{reference:?}"),
        }
        assert!(reference.passes <= 60);
        problems.insert(run.manifest.arm, reference.problem);
    }
    assert_eq!(problems["full"], problems["centralized"], "the same data and model");
    let distinct: std::collections::BTreeSet<&String> = problems.values().collect();
    assert_eq!((problems.len(), distinct.len()), (5, 4), "other covariances are other problems");
    finish(scratch.fedbits(["verify", "record"])).done();
    let mut changed = run_of(&folder, "full");
    changed.manifest.reference.as_mut().unwrap().passes += 100;
    replace_run(&folder, changed);
    let output = finish(scratch.fedbits(["verify", "record"]));
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("full / replicate 0  DIFFERENT  reference\n"), "{}", output.out);
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

/// Runs whose data are others now keep no others from being verified, and their scenario is not blamed.
#[test]
fn a_run_that_cannot_be_run_again_keeps_no_other_from_it() {
    let scratch = Scratch::new();
    for name in ["table.ron", "table.csv", "tiny.ron"] {
        fs::copy(scenario_file(name), scratch.path(name)).unwrap();
    }
    for (scenario, out) in [("table.ron", "mix/first"), ("tiny.ron", "mix/second")] {
        finish(scratch.fedbits(["run", scenario, "-q", "--no-figures", "--out", out])).done();
    }
    let data = fs::read_to_string(scratch.path("table.csv")).unwrap();
    fs::write(scratch.path("table.csv"), data.replacen("class", "kind", 1)).unwrap();
    let output = finish(scratch.fedbits(["verify", "mix", "--format", "csv"]));
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.out.contains("mix/second,runs,1,same\n"), "{}", output.out);
    assert!(output.out.contains("mix/first,run,table / replicate 0,cannot be run again\n"), "{}", output.out);
    let why = "table / replicate 0: it cannot be run again here";
    assert!(output.err.contains(&format!("mix/first: {why}")) && output.err.contains("`class`"), "{}", output.err);
    assert!(output.err.contains("1 run cannot be made again"), "{}", output.err);
    let alone = finish(scratch.fedbits(["verify", "mix/first"]));
    assert!(alone.code == Some(1) && alone.err.contains(why), "{}", alone.err);
    assert!(alone.out.contains("0 runs are the same, 0 differ, 1 cannot be run again"), "{}", alone.out);
}

const THREE_ARMS: &str = r#"(name: "arms", base: "quickstart", replicates: 2, stop: (rounds: 6), arms: [
    (name: "A"), (name: "twin"), (name: "B", set: {"protocol.compressor": "RandK(k: 6)"})])"#;

/// Arms with the same settings share their runs in the store, and an arm can be renamed: neither is a difference.
#[test]
fn names_of_arms_are_no_difference() {
    let scratch = Scratch::new();
    let go = |text: &str| {
        fs::write(scratch.path("arms.ron"), text).unwrap();
        let done = finish(scratch.fedbits(["run", "arms.ron", "--out", "out", "--no-figures", "--json"])).done();
        let verified = finish(scratch.fedbits(["verify", "out"]));
        assert_eq!(verified.out.lines().next(), Some("6 runs are the same, 0 differ"), "{}", verified.err);
        (json(&done)["digest"].clone(), verified.code)
    };
    let (digest, code) = go(THREE_ARMS);
    assert_eq!(code, Some(0));
    assert_eq!(go(&THREE_ARMS.replace("twin", "renamed")), (digest, Some(0)));
    let model = scratch.path("out/models/renamed.json");
    let wrong = finish(scratch.fedbits(["predict", model.to_str().unwrap(), "--arm", "A", "--data", "arms.ron"]));
    assert!(wrong.code == Some(2) && wrong.err.contains("the model of the arm `renamed`"), "{}", wrong.err);
}

/// A changed scenario whose runs cannot begin leaves the results of the former one as they are.
#[test]
fn a_scenario_that_cannot_begin_replaces_nothing() {
    let scratch = Scratch::new();
    fs::write(scratch.path("arms.ron"), THREE_ARMS).unwrap();
    let run = ["run", "arms.ron", "--out", "out", "--no-figures", "-q"];
    finish(scratch.fedbits(run)).done();
    let folder = scratch.path("out");
    let before = contents(&folder);
    let more = ["--set", "stop.rounds=7", "--max-memory", "1KB"];
    let refused = finish(scratch.fedbits([&run[..], &more[..]].concat()));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(contents(&folder) == before, "files have changed");
}

/// Where nothing is left to verify, that is no success; lost tables of whole results are named.
#[test]
fn lost_results_and_tables_are_found() {
    let scratch = Scratch::new();
    fs::write(scratch.path("arms.ron"), THREE_ARMS).unwrap();
    finish(scratch.fedbits(["run", "arms.ron", "--out", "out", "--no-figures", "-q"])).done();
    let verify = || finish(scratch.fedbits(["verify", "out", "-q"]));
    fs::remove_file(scratch.path("out/runs.csv")).unwrap();
    let output = verify();
    assert!(output.code == Some(1) && output.out.contains("runs.csv  DIFFERENT"), "{}{}", output.out, output.err);
    fs::remove_dir_all(scratch.path("out/segments")).unwrap();
    let output = verify();
    assert!(output.code == Some(1) && output.err.contains("nothing was verified"), "{}{}", output.out, output.err);
}

/// Names of arms that no file may have do not keep models from being written.
#[test]
fn models_of_arms_with_odd_names_are_written() {
    let scratch = Scratch::new();
    let long = "ä".repeat(150);
    let text = THREE_ARMS.replace("twin", &long).replace("\"A\"", "\"..\"");
    fs::write(scratch.path("arms.ron"), text).unwrap();
    finish(scratch.fedbits(["run", "arms.ron", "--out", "out", "--no-figures", "-q"])).done();
    let models = contents(&scratch.path("out/models"));
    assert!(["-..json", "B.json"].iter().all(|&name| models.contains_key(name)), "{:?}", models.keys());
    assert!(models.keys().all(|name| name.len() <= 155) && models.len() == 6, "{:?}", models.keys());
}

/// What something removes while runs are made is missed where they are made, not only by the command line.
#[test]
fn runs_that_are_removed_while_they_are_made_are_an_error() {
    let scratch = Scratch::new();
    let folder = scratch.path("out");
    let segments = folder.join("segments");
    let watch = fedbits::Watch::new(move |event| {
        if matches!(event, fedbits::Event::RunDone) {
            fs::remove_dir_all(&segments).unwrap();
        }
    });
    let options = fedbits::RunOptions { watch, threads: Some(1), ..fedbits::RunOptions::default() };
    let runs = fedbits::Scenario::load("quickstart").unwrap().set("stop.rounds", "2").set("arms", "[]").runs().unwrap();
    let error = runs.run(&folder, &options).err().unwrap().to_string();
    assert!(error.starts_with("1 run that was made is not in "), "{error}");
    assert!(error.ends_with(" any more: something removed them; run the scenario again"), "{error}");
}
