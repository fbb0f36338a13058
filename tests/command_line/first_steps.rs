//! What a newcomer meets: messages say where, what and what was expected, wrong input ends with 2, and nothing is left.

use std::fs;
use std::process::Command;

use crate::command_line::outcomes::{rewrite, tree};
use crate::command_line::studies::{scratch_with, study};
use crate::support::{Scratch, finish};

/// Tries words in a folder with the tiny study; returns the code and the message, in which lines are joined.
fn said(scratch: &Scratch, words: &[&str]) -> (Option<i32>, String) {
    let output = finish(scratch.fedbits(words));
    (output.code, output.err.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn wrong_input_is_told_by_what_was_expected() {
    let scratch = scratch_with(&[]);
    fs::write(scratch.path("empty.ron"), "// nothing yet\n\n").unwrap();
    fs::write(scratch.path("j.json"), "[{\"a\": 1}]").unwrap();
    fs::create_dir(scratch.path("folder")).unwrap();
    finish(scratch.fedbits(["run", "study.ron", "--no-figures", "--out", "s", "-q"])).done();
    let before = tree(&scratch.path(""));
    let cases: [(&[&str], &str); 13] = [
        (&["check", "empty.ron"], "empty.ron is empty: expected the text of a scenario"),
        (&["run", "empty.ron"], "empty.ron is empty: expected the text of a scenario"),
        (
            &["run", "study.ron", "--no-figures", "--shard", "0/0"],
            "`0/0` is not a shard: expected I/N, for example 0/4",
        ),
        (&["run", "study.ron", "--no-figures", "--threads", "-1"], "expected a whole number from 1 to 1024"),
        (
            &["predict", "tiny.ron", "--data", "j.json"],
            "tiny.ron: this is not a fitted model: expected a file of `models/` in a folder of runs, or the folder",
        ),
        (&["diff", "folder", "s"], "folder is not a folder of runs: it has no plan.json"),
        (&["diff", "tiny.ron", "nosuch/s"], "expected a folder of runs, the file of a scenario, or the name of one"),
        (&["diff", "tiny.ron", "nosuch/s"], "there is no folder nosuch/s"),
        (&["status", "sx"], "there is no folder sx: did you mean `s`?"),
        (&["status"], "tip: there are runs in `s`"),
        (&["explain", " "], "there is no word to explain: expected a caveat"),
        (&["new", "mine", "--data", "j.json"], "j.json is not a table by its ending: expected CSV"),
        (&["compare", "folder"], "folder: no plan.json of runs in this folder, nor directly below it"),
    ];
    for (words, expected) in cases {
        let (code, message) = said(&scratch, words);
        assert_eq!(code, Some(2), "{words:?}: {message}");
        assert!(message.contains(expected), "{words:?}: {message}");
    }
    assert_eq!(tree(&scratch.path("")), before, "nothing is left behind");
}

/// The folder that was asked for is named, nothing else is said, and nothing is left.
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let scratch = scratch_with(&[]);
    fs::write(scratch.path("file"), "").unwrap();
    let before = tree(&scratch.path(""));
    if cfg!(target_os = "linux") {
        let (code, message) = said(&scratch, &["run", "tiny.ron", "--out", "/proc/x"]);
        assert_eq!(code, Some(74), "{message}");
        assert!(message.starts_with("fedbits: nothing can be written to /proc/x: /proc: "), "{message}");
        assert!(message.contains("expected a writable folder") && !message.contains(".fedbits-"), "{message}");
    }
    let (code, message) = said(&scratch, &["run", "study.ron", "--no-figures", "--out", "file/x"]);
    assert!(code == Some(2) && message.contains("file is not a folder; expected a writable folder"), "{message}");
    assert_eq!(tree(&scratch.path("")), before);
}

/// What was planned is missed when a part of it is gone: in every command, in figures and in their page.
#[test]
fn a_run_that_is_gone_is_missed() {
    let scratch = Scratch::new();
    let words = ["run", "quickstart", "--set", "stop.rounds=3", "--no-figures", "--out", "whole", "-q"];
    finish(scratch.fedbits(words)).done();
    let gone = "runs without a result: 1 of 4";
    for command in ["verify", "status", "compare"] {
        let (code, message) = said(&scratch, &[command, "whole"]);
        assert!(code == Some(0) && !message.contains("without a result"), "{command}: {message}");
    }
    let is_kept = |run: &fedbits::Record| run.manifest.arm != "dithering-2";
    rewrite(&scratch.path("whole"), &scratch.path("q"), |_, runs| runs.retain(is_kept));
    for command in ["verify", "status", "compare"] {
        let (code, message) = said(&scratch, &[command, "q"]);
        assert!(code == Some(0) && message.matches(gone).count() == 1, "{command}: {message}");
    }
    let (code, message) = said(&scratch, &["report", "q", "--format", "svg"]);
    assert!(code == Some(0) && message.contains(gone), "{message}");
    let (code, message) = said(&scratch, &["report", "q", "--format", "svg,html", "--out", "f"]);
    assert_eq!(code, Some(0), "{message}");
    let files: Vec<_> = fs::read_dir(scratch.path("f")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let about = |end: &str| files.iter().filter(|path| path.to_string_lossy().ends_with(end)).collect::<Vec<_>>();
    assert!(!about("-details.txt").is_empty() && about(".html").len() == 1);
    for file in about("-details.txt").into_iter().chain(about(".html")) {
        assert!(fs::read_to_string(file).unwrap().contains(gone), "{}", file.display());
    }
}

/// The parts of a merge have not all runs: that is no caveat. What is wrong with their files is said once.
#[test]
fn a_merge_repeats_nothing() {
    let scratch = scratch_with(&[]);
    for part in ["0/3", "1/3", "2/3"] {
        let mut command: Command = scratch.fedbits(["run", "study.ron", "--no-figures", "-q", "--shard", part]);
        command.arg("--out").arg(format!("part-{}", &part[..1]));
        finish(command).done();
    }
    let output = finish(scratch.fedbits(["merge", "part-0", "part-1", "part-2", "--out", "all"]));
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(!output.err.contains("caveat"), "{}", output.err);
    finish(study(&scratch, &["-q"])).done();
    let digest = |folder: &str| finish(scratch.fedbits(["status", folder, "--json"])).done();
    let of = |text: &str| crate::command_line::studies::json(text)["digest"].clone();
    assert_eq!(of(&digest("all")), of(&digest("out")));
}

/// `check` says of a study what it says of its arms' scenarios.
#[test]
fn check_tells_the_caveats_of_the_runs_of_a_study() {
    let scratch = scratch_with(&[("targets: [MeanFieldSq(1e-3)]", "stop: (rounds: 20, mean_field_sq: 1e3)")]);
    let expected = "the run ends before its first round:";
    for words in [&["check", "study.ron"][..], &["check", "tiny.ron", "--set", "stop.mean_field_sq=1e3", "--resolved"]]
    {
        let output = finish(scratch.fedbits(words));
        let page = output.err.clone() + &output.done();
        assert_eq!(page.matches(expected).count(), 1, "{words:?}: {page}");
    }
    let (code, message) = said(&scratch, &["run", "tiny.ron", "--set", "stop.mean_field_sq=1e3", "--no-figures"]);
    assert!(code == Some(0) && message.contains(expected), "{message}");
}
