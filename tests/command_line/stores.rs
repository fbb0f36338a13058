//! Folders of runs that were damaged in all forms that files can be: all commands say the same about them, and `run`
//! makes whole what was lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fedbits_record::results::RunPlan;
use serde_json::Value;

use crate::command_line::studies::{json, scratch_with, study, undisturbed};
use crate::support::{Output, Scratch, finish, scenario_file};

const CHANGES: [(&str, &str); 1] = [("replicates: 6", "replicates: 3")];
const RUNS: u64 = 12;

/// Numbers that look random, the same in every test run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mutation {
    Flip,
    Zeros,
    Truncate,
    Cut,
    Double,
    Append,
    Delete,
    Swap,
}

const MUTATIONS: [Mutation; 8] = [
    Mutation::Flip,
    Mutation::Zeros,
    Mutation::Truncate,
    Mutation::Cut,
    Mutation::Double,
    Mutation::Append,
    Mutation::Delete,
    Mutation::Swap,
];

fn mutate(path: &Path, mutation: Mutation, draw: &mut Draw) {
    let mut bytes = fs::read(path).unwrap();
    let from = draw.below(bytes.len());
    let to = (from + 1 + draw.below(200)).min(bytes.len());
    match mutation {
        Mutation::Flip => bytes[from] ^= 1 << draw.below(8),
        Mutation::Zeros => bytes[from..to].fill(0),
        Mutation::Truncate => bytes.truncate(from),
        Mutation::Cut => drop(bytes.drain(from..to)),
        Mutation::Double => drop(bytes.splice(from..from, bytes[from..to].to_vec()).collect::<Vec<_>>()),
        Mutation::Append => bytes.extend((0..1 + draw.below(300)).map(|_| draw.below(256) as u8)),
        Mutation::Delete => return fs::remove_file(path).unwrap(),
        // With the other file of its folder: the names of segments mean nothing.
        Mutation::Swap => {
            let files = files(path.parent().unwrap());
            let other = files.iter().find(|file| *file != path).map_or(path, PathBuf::as_path);
            let content = fs::read(other).unwrap();
            fs::write(other, &bytes).unwrap();
            bytes = content;
        }
    }
    fs::write(path, bytes).unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// A finished study in two segments, as `out`.
fn finished() -> Scratch {
    let scratch = scratch_with(&CHANGES);
    finish(study(&scratch, &["-q", "--shard", "0/2"])).done();
    finish(study(&scratch, &["-q"])).done();
    assert_eq!(files(&scratch.path("out/segments")).len(), 2);
    scratch
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let copied = to.join(entry.file_name().unwrap());
        if entry.is_dir() { copy(&entry, &copied) } else { fs::copy(&entry, &copied).map(drop).unwrap() }
    }
}

/// What each of the five commands says about the study in `out`.
fn five(scratch: &Scratch) -> [(&'static str, Output); 5] {
    let report = ["report", "out", "--figure", "ledger", "--format", "svg", "--out", "figures"];
    let merge = ["merge", "out", "--out", "merged", "--json"];
    [
        ("status", finish(scratch.fedbits(["status", "out", "--json"]))),
        ("compare", finish(scratch.fedbits(["compare", "out", "--format", "json"]))),
        ("report", finish(scratch.fedbits(report))),
        ("verify", finish(scratch.fedbits(["verify", "out"]))),
        ("merge", finish(scratch.fedbits(merge))),
    ]
}

/// The number of runs that a command shows.
fn shown(scratch: &Scratch, command: &str, output: &Output) -> u64 {
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<u64>().unwrap();
    match command {
        "status" | "merge" => json(&output.out)["finished"].as_u64().unwrap(),
        "compare" => {
            let rows = json(&output.out)["rows"].as_array().unwrap().clone();
            rows.iter()
                .filter(|row| row["target"].is_null() && row["measure"] == "bits_total")
                .map(|row| row["runs"].as_u64().unwrap())
                .sum()
        }
        "report" => {
            let table = fs::read_to_string(scratch.path("figures/ledger.csv")).unwrap();
            number(table.split_once("\"runs\":").unwrap().1)
        }
        _ => number(output.out.lines().find(|line| line.contains("runs are the same")).unwrap()),
    }
}

/// The caveats on standard error about the store.
fn caveats(output: &Output) -> Vec<String> {
    let about = |line: &&str| line.contains("counts as not run") || line.contains("without a result");
    output.err.lines().filter(about).map(str::to_owned).collect()
}

/// One mutation: nothing is silent, nothing is stuck.
fn survives(whole: &Scratch, file: &str, mutation: Mutation, draw: &mut Draw, undisturbed: &(String, String)) {
    let scratch = Scratch::new();
    copy(&whole.path(""), &scratch.path(""));
    let path = scratch.path("out").join(file);
    let before = fs::read(&path).unwrap();
    mutate(&path, mutation, draw);
    let what = format!("{mutation:?} of {file}");
    let changed = fs::read(&path).ok().as_ref() != Some(&before);
    let output = five(&scratch);
    if file == "plan.json" && changed {
        // Space between the fields means nothing; every other change is refused by all.
        let harmless = output.iter().all(|(_, output)| output.code == Some(0));
        for (command, output) in output.iter().filter(|_| !harmless) {
            assert_eq!(output.code, Some(2), "{what}, {command}: {}{}", output.out, output.err);
            assert!(output.err.contains("plan.json"), "{what}: {}", output.err);
        }
    } else {
        let status = json(&output[0].1.out);
        let (finished, reported) = (status["finished"].as_u64().unwrap(), caveats(&output[0].1));
        assert!(finished == RUNS || !reported.is_empty(), "{what}: a run is lost in silence");
        for (command, output) in &output {
            let verdict = output.code == Some(0) || ["merge", "verify"].contains(command) && output.code == Some(1);
            assert!(verdict || finished == 0, "{what}, {command}: {}", output.err);
            if verdict {
                assert_eq!(shown(&scratch, command, output), finished, "{what}, {command}: {}", output.err);
                assert_eq!(caveats(output), reported, "{what}, {command}");
            }
        }
        let tables_differ = output[3].1.out.contains("DIFFERENT");
        assert!(
            file.starts_with("segments") || !changed || mutation == Mutation::Delete || tables_differ,
            "{what}: {}",
            output[3].1.out
        );
    }
    let mended = finish(study(&scratch, &[]));
    assert_eq!(mended.code, Some(0), "{what} is stuck: {}", mended.err);
    assert_eq!(json(&mended.out)["digest"], undisturbed.0.as_str(), "{what}");
    assert_eq!(fs::read_to_string(scratch.path("out/runs.csv")).unwrap(), undisturbed.1, "{what}");
    let verified = finish(scratch.fedbits(["verify", "out"]));
    assert_eq!((verified.code, caveats(&verified)), (Some(0), Vec::new()), "{what}: {}{}", verified.out, verified.err);
}

fn mutations(count: usize, seed: u64) {
    let (whole, undisturbed, mut draw) = (finished(), undisturbed(&CHANGES), Draw(seed));
    let files = ["segments/000000.seg", "plan.json", "segments/000001.seg", "runs.csv", "rounds.csv"];
    for number in 0..count {
        let mutation = MUTATIONS[number % MUTATIONS.len()];
        let file = files[(number / MUTATIONS.len() + number) % files.len()];
        let alone = !file.starts_with("segments");
        let mutation = if alone && mutation == Mutation::Swap { Mutation::Flip } else { mutation };
        survives(&whole, file, mutation, &mut draw, &undisturbed);
    }
}

#[test]
fn damaged_stores_are_reported_and_repaired() {
    mutations(10, 1);
}

#[test]
#[ignore = "slow tier: 330 mutations of stores, seven commands each"]
fn three_hundred_and_thirty_damaged_stores() {
    mutations(330, 2);
}

/// Plans that somebody wrote, and not this program, as the text of `plan.json`, and what is said of them: no plans;
/// plans without a mark, or with that of another plan; and plans whose mark is right, and whose numbers are not.
#[cfg(target_os = "linux")]
fn tampered(folder: &Path) -> Vec<(String, &'static str)> {
    let text = fs::read_to_string(folder.join("plan.json")).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut plan: Value = serde_json::from_str(&text).unwrap();
        change(&mut plan);
        plan
    };
    let unmarked = |change: &dyn Fn(&mut Value)| {
        let mut plan = changed(change);
        let fields = plan.as_object_mut().unwrap();
        fields.remove("format");
        fields.remove("digest");
        plan.to_string()
    };
    let marked = |change: &dyn Fn(&mut Value)| {
        let plan: RunPlan = serde_json::from_value(changed(change)).unwrap();
        plan.write(folder).unwrap();
        fs::read_to_string(folder.join("plan.json")).unwrap()
    };
    let million = "x".repeat(1 << 20);
    let (differs, unmarked_said) = ("its digest differs", "neither `format` nor `digest`");
    let (runs, levels) = ("expected 1 to 10000000 runs", "an arm has levels that the axes have not, or no identity");
    vec![
        (text.replace("\"replicates\": 3", "\"replicates\": 1000000000000"), differs),
        (text.replace("\"replicates\": 3", "\"replicates\": 2"), differs),
        (text.replace("none / all", "nome / all"), differs),
        (text.replace("fedbits plan 1", "fedbits plan 2"), "the format is `fedbits plan 2`"),
        (unmarked(&|_| ()), unmarked_said),
        (unmarked(&|plan| plan["replicates"] = 1_000_000_000_000_u64.into()), unmarked_said),
        (unmarked(&|plan| plan["replicates"] = "three".into()), "invalid type"),
        (unmarked(&|plan| plan["targets"] = million.clone().into()), "invalid type"),
        ("[".repeat(1 << 20), ""),
        (marked(&|plan| plan["replicates"] = 1_000_000_000_000_u64.into()), runs),
        (marked(&|plan| plan["replicates"] = 0.into()), runs),
        (marked(&|plan| plan["first_replicate"] = u64::MAX.into()), "there is no such number"),
        (marked(&|plan| plan["baseline"] = 99.into()), "the baseline is none of the arms"),
        (marked(&|plan| plan["arms"] = Vec::<u8>::new().into()), "the baseline is none of the arms"),
        (marked(&|plan| plan["arms"][0]["levels"] = vec![0, 77].into()), levels),
        (marked(&|plan| plan["arms"][0]["levels"] = vec![0].into()), levels),
        (marked(&|plan| plan["arms"][0]["identity"] = million.clone().into()), levels),
        (marked(&|plan| plan["axes"][0]["values"] = vec![vec!["1"]].into()), "an axis has not a value of every path"),
    ]
}

/// Such plans are refused by every command, at once and in little memory.
#[test]
#[cfg(target_os = "linux")]
fn a_tampered_plan_is_refused() {
    let whole = finished();
    for (case, said) in tampered(&whole.path("out")) {
        fs::write(whole.path("out/plan.json"), &case).unwrap();
        for arguments in ["status out", "compare out", "report out --out f", "verify out", "merge out --out m"] {
            let program = env!("CARGO_BIN_EXE_fedbits");
            let mut limited = Command::new("sh");
            limited.args(["-c", &format!("ulimit -v 4000000; ulimit -t 10; exec '{program}' {arguments}")]);
            limited.current_dir(whole.path(""));
            let output = finish(limited);
            let start = &case[..case.len().min(300)];
            assert_eq!(output.code, Some(2), "{arguments}: {start}: {}{}", output.out, output.err);
            assert!(output.err.contains("plan.json:") && output.err.len() < 2_000, "{arguments}: {}", output.err);
            assert!(output.err.contains(said), "{arguments}: `{said}` of {start}: {}", output.err);
        }
        assert!(!whole.path("m").exists() && !whole.path("f").exists());
    }
}

/// A study of two arms on a table.
fn scratch_with_a_table() -> Scratch {
    let scratch = Scratch::new();
    for name in ["table.ron", "table.csv"] {
        fs::copy(scenario_file(name), scratch.path(name)).unwrap();
    }
    let text = r#"(name: "s", base: "table.ron", replicates: 2,
        axes: [Grid(path: "protocol.gamma", values: ["Constant(0.1)", "Constant(0.2)"], labels: ["a", "b"])])"#;
    fs::write(scratch.path("study.ron"), text).unwrap();
    scratch
}

/// `status` says what `study` will do: when a data file is another one, results are made anew.
#[test]
fn status_knows_that_the_data_have_changed() {
    let scratch = scratch_with_a_table();
    finish(study(&scratch, &["-q"])).done();
    let output = finish(scratch.fedbits(["status", "out"]));
    assert!(!output.err.contains("caveat"), "{}", output.err);
    let mut data = fs::read_to_string(scratch.path("table.csv")).unwrap();
    let last = data.trim_end().lines().last().unwrap().to_owned();
    data.push_str(&format!("{last}\n"));
    fs::write(scratch.path("table.csv"), data).unwrap();
    // From another folder too: the study knows where its scenario was.
    fs::create_dir(scratch.path("elsewhere")).unwrap();
    let mut status = scratch.fedbits(["status", "../out"]);
    status.current_dir(scratch.path("elsewhere"));
    let output = finish(status);
    assert!(output.err.contains("would repeat 4 runs that have a result"), "{}", output.err);
    let again = finish(study(&scratch, &[]));
    assert!(again.err.contains("4 runs to make"), "{}", again.err);
    fs::remove_file(scratch.path("table.csv")).unwrap();
    let output = finish(scratch.fedbits(["status", "out"]));
    assert!(output.err.contains("cannot be planned here") && output.err.contains("table.csv"), "{}", output.err);
    // The former results are still there, for the former data.
    fs::copy(scenario_file("table.csv"), scratch.path("elsewhere/table.csv")).unwrap();
    let output = finish(scratch.fedbits(["status", "out", "--data", "elsewhere"]));
    assert!(!output.err.contains("caveat"), "{}", output.err);
}

/// Data that `study` finds are found by `status`, also where only some arms have a run.
#[test]
fn status_of_an_unfinished_study_finds_its_data() {
    let scratch = scratch_with_a_table();
    finish(study(&scratch, &["-q", "--shard", "0/4"])).done();
    let output = finish(scratch.fedbits(["status", "out"]));
    assert!(output.err.contains("runs without a result: 3 of 4"), "{}", output.err);
    assert!(!output.err.contains("not known") && !output.err.contains("table.csv"), "{}", output.err);
}
