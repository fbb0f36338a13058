//! What a newcomer meets: messages say where, what and what was expected, wrong input ends with 2, and nothing is left.

use std::fs;
use std::process::Command;

use crate::outcomes::tree;
use crate::studies::{scratch_with, study};
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
    finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "s", "-q"])).done();
    let before = tree(&scratch.path(""));
    let cases: [(&[&str], &str); 10] = [
        (&["study", "empty.ron", "--no-figures"], "empty.ron is empty: expected the text of a scenario"),
        (&["run", "empty.ron"], "empty.ron is empty: expected the text of a scenario"),
        (&["study", "study.ron", "--no-figures", "--shard", "0/0"], "`0/0` is no shard: expected I/N, for example 0/4"),
        (&["study", "study.ron", "--no-figures", "--threads", "-1"], "expected a whole number from 1 to 1024"),
        (
            &["predict", "tiny.ron", "--data", "j.json"],
            "tiny.ron: this is no fitted model: expected model.json of a run",
        ),
        (&["diff", "s", "s"], "s is the folder of a study: expected a record"),
        (&["diff", "tiny.ron", "out/nosuch"], "there is no out/nosuch: expected the folder of a record, the file"),
        (&["explain", " "], "there is no word to explain: expected a caveat"),
        (&["new", "mine", "--data", "j.json"], "j.json is no table by its ending: expected CSV"),
        (&["compare", "folder"], "folder: neither this directory nor one directly inside it"),
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
    for words in
        [&["run", "tiny.ron", "--out", "/proc/x"][..], &["study", "study.ron", "--no-figures", "--out", "/proc/x"]]
    {
        if !cfg!(target_os = "linux") {
            continue;
        }
        let (code, message) = said(&scratch, words);
        assert_eq!(code, Some(74), "{message}");
        assert!(message.starts_with("fedbits: nothing can be written to /proc/x: /proc: "), "{message}");
        assert!(message.contains("expected a folder") && !message.contains(".fedbits-"), "{message}");
    }
    let (code, message) = said(&scratch, &["study", "study.ron", "--no-figures", "--out", "file/x"]);
    assert!(code == Some(2) && message.contains("file is no folder; expected a folder"), "{message}");
    assert_eq!(tree(&scratch.path("")), before);
}

/// What was run together is missed when a part of it is gone.
#[test]
fn a_record_that_is_gone_is_missed() {
    let scratch = Scratch::new();
    let words = ["run", "quickstart", "--set", "stop.rounds=3", "--no-figures", "--out", "q", "-q"];
    finish(scratch.fedbits(words)).done();
    let gone = "records are missing in q, of what was run together: `dithering-2`";
    for command in ["verify", "status", "compare"] {
        let (code, message) = said(&scratch, &[command, "q"]);
        assert!(code == Some(0) && !message.contains("missing"), "{command}: {message}");
    }
    fs::remove_dir_all(scratch.path("q/dithering-2")).unwrap();
    for (command, expected) in [("verify", 1), ("status", 1), ("compare", 0)] {
        let (code, message) = said(&scratch, &[command, "q"]);
        assert!(code == Some(expected) && message.matches(gone).count() == 1, "{command}: {message}");
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
    let (_, message) = said(&scratch, &["verify", "q/rand-6"]);
    assert!(!message.contains("missing"), "one record was asked for: {message}");
}

/// The parts of a merge have not all runs: that is no caveat. What is wrong with their files is said once.
#[test]
fn a_merge_repeats_nothing() {
    let scratch = scratch_with(&[]);
    for part in ["0/3", "1/3", "2/3"] {
        let mut command: Command = scratch.fedbits(["study", "study.ron", "--no-figures", "-q", "--shard", part]);
        command.arg("--out").arg(format!("part-{}", &part[..1]));
        finish(command).done();
    }
    let output = finish(scratch.fedbits(["merge", "part-0", "part-1", "part-2", "--out", "all"]));
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(!output.err.contains("caveat"), "{}", output.err);
    finish(study(&scratch, &["-q"])).done();
    let digest = |folder: &str| finish(scratch.fedbits(["status", folder, "--json"])).done();
    let of = |text: &str| crate::studies::json(text)["digest"].clone();
    assert_eq!(of(&digest("all")), of(&digest("out")));
}

/// `check` says of a study what it says of its arms' scenarios.
#[test]
fn check_tells_the_caveats_of_the_runs_of_a_study() {
    let scratch = scratch_with(&[("targets: [MeanFieldSq(1e-3)]", "stop: (rounds: 20, mean_field_sq: 1e3)")]);
    let expected = "the run ends before its first round:";
    let (code, message) = said(&scratch, &["check", "study.ron"]);
    assert!(code == Some(0) && message.matches(expected).count() == 1, "{message}");
    let (code, message) = said(&scratch, &["check", "tiny.ron", "--set", "stop.mean_field_sq=1e3", "--resolved"]);
    assert!(code == Some(0) && message.contains(expected), "{message}");
    let (code, message) = said(&scratch, &["run", "tiny.ron", "--set", "stop.mean_field_sq=1e3", "--no-figures"]);
    assert!(code == Some(0) && message.contains(expected), "{message}");
}
