//! What a machine may do to a command: other processes that write into the same folder, threads and memory that are
//! refused, files that are none, names that a terminal obeys, folders that cannot be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use fedbits_record::Claim;
use serde_json::{Value, json};

use crate::outcomes::manifest;
use crate::running::Running;
use crate::skips::{Lacks, skipped};
use crate::studies::{scratch_with, study};
use crate::support::{Output, Scratch, finish, scenario_file};

fn run<'a>(scratch: &Scratch, further: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = scratch.fedbits(["run", "-q", "--no-figures"]);
    command.arg(scenario_file("tiny.ron")).args(further);
    command
}

/// Runs at a time into one folder: those that are refused say by whom, and the arms are of one run.
#[test]
fn runs_into_one_folder_do_not_mix() {
    for _ in 0..3 {
        let scratch = Scratch::new();
        let seeds = ["1", "2", "3"];
        let command =
            |seed| scratch.fedbits(["run", "quickstart", "-q", "--no-figures", "--out", "out", "--seed", seed]);
        let started: Vec<Running> = seeds.map(|seed| Running::quietly(&mut command(seed))).into_iter().collect();
        let codes: Vec<_> = started.into_iter().map(|mut own| own.wait().unwrap().code()).collect();
        assert!(codes.contains(&Some(0)) && codes.iter().all(|code| matches!(code, Some(0 | 2))), "{codes:?}");
        let folders = fs::read_dir(scratch.path("out")).unwrap().map(|entry| entry.unwrap().path());
        let seeds: Vec<Value> = folders.map(|folder| manifest(&folder)["seed"].clone()).collect();
        assert!(seeds.len() == 4 && seeds.iter().all(|seed| *seed == seeds[0]), "{seeds:?}");
    }
}

/// Who writes into the folder of a run, above it or in it is refused with the name of the process that does.
#[test]
fn a_folder_in_use_is_left_alone() {
    let scratch = Scratch::new();
    finish(run(&scratch, ["--out", "out/record"])).done();
    let claims = [("out/record", true), ("out", false), ("out/record/figures", false)];
    for (claimed, traced) in claims {
        let claim = Claim::of(&scratch.path(claimed)).unwrap();
        // As if another process had it.
        let file = fs::read_dir(scratch.path(claimed).parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        let file = file.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".fedbits-claim-"));
        file.for_each(|path| fs::write(path, "7 elsewhere\n").unwrap());
        let refused = |command: Command| {
            let output = finish(command);
            assert_eq!(output.code, Some(2), "{claimed}: {}", output.err);
            assert!(output.err.contains("is in use: process 7 on elsewhere writes there"), "{}", output.err);
        };
        refused(run(&scratch, ["--out", "out/record"]));
        if traced || claimed == "out" {
            refused(scratch.fedbits(["trace", "out/record", "--slowest"]));
        }
        refused(scratch.fedbits(["report", "out/record", "--format", "svg"]));
        drop(claim);
    }
    finish(run(&scratch, ["--out", "out/record"])).done();
    finish(scratch.fedbits(["trace", "-q", "--slowest", "out/record"])).done();
    assert!(crate::outcomes::tree(&scratch.path("out")).iter().all(|name| !name.contains(".fedbits-")));
}

/// Results of all commands, in a folder that anybody may write.
fn prepared() -> Scratch {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &["-q"])).done();
    finish(run(&scratch, ["--out", "record"])).done();
    fs::copy(scenario_file("tiny.ron"), scratch.path("tiny.ron")).unwrap();
    fs::write(scratch.path("my.csv"), "x,y\n1,2\n3,4\n5,6\n7,9\n2,2\n").unwrap();
    fs::set_permissions(scratch.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    scratch
}

/// Commands that work in a prepared folder; they write to `new`.
const COMMANDS: [&[&str]; 11] = [
    &["run", "tiny.ron", "--threads", "16", "--out", "new/run"],
    &["check", "tiny.ron", "--pilot-seconds", "1"],
    &["study", "study.ron", "--no-figures", "--threads", "16", "--out", "new/study"],
    &["report", "record", "--format", "svg,png", "--out", "new/figures"],
    &["compare", "out"],
    &["status", "out"],
    &["verify", "record"],
    &["merge", "out", "--out", "new/merged"],
    &["trace", "record", "--slowest", "--out", "new/trace"],
    &["diff", "record", "record"],
    &["new", "fit", "--data", "my.csv"],
];

/// Runs each command behind a limit; returns how it ended where that is neither work nor a clear error.
fn survive(limit: &str, uid: Option<u32>) -> String {
    let scratch = prepared();
    let mut bad = String::new();
    for words in COMMANDS {
        let _ = fs::remove_dir_all(scratch.path("new"));
        let _ = fs::remove_file(scratch.path("fit.ron"));
        let own = scratch.fedbits(words);
        let mut command = match uid {
            Some(uid) => {
                let mut command = Command::new("setpriv");
                let (uid, gid) = (format!("--reuid={uid}"), format!("--regid={uid}"));
                command.args([&*uid, &*gid, "--clear-groups", "bash"]);
                command
            }
            None => Command::new("bash"),
        };
        command.args(["-c", &format!("{limit}; exec \"$@\""), "bash"]).arg(own.get_program()).args(own.get_args());
        command.current_dir(scratch.path("")).env_remove("FEDBITS_DATA");
        let Output { code, err, .. } = finish(command);
        let told = ["panicked", "memory allocation of", "a bug of fedbits"].iter().any(|sign| err.contains(sign));
        // The loader's own, before the program begins; and where memory is refused.
        let refused = code == Some(127) || code == Some(71) && err.contains("out of memory");
        if !(matches!(code, Some(0 | 1 | 2 | 74)) && !told || refused) {
            bad += &format!("{limit}: {words:?} ends with {code:?}: {err}\n");
        }
    }
    bad
}

/// Where memory is scarce, commands do their work with fewer threads, or say that memory is refused.
#[test]
fn scarce_address_space_is_survived() {
    let bad: String = [300, 500, 800].map(|mb| survive(&format!("ulimit -v {}", mb << 10), None)).concat();
    assert!(bad.is_empty(), "{bad}");
}

/// Where no threads, or few, can be made, commands go on with those that there are. Processes of root are not limited:
/// there another user runs them.
#[test]
fn scarce_threads_are_survived() {
    let is_root = finish(command("id", &["-u"])).out.trim() == "0";
    if !is_root {
        return skipped(
            Lacks::Rights,
            "only for a user without other processes the limit is exact, and only root can be one",
        );
    }
    let uid = 61_234;
    let program = Scratch::new().fedbits([""; 0]).get_program().to_owned();
    let reaches =
        command("setpriv", &[&format!("--reuid={uid}"), "--clear-groups", "test", "-x"]).arg(program).status();
    if !reaches.is_ok_and(|status| status.success()) {
        return skipped(Lacks::Rights, "another user cannot reach the program");
    }
    let bad: String = [1, 2, 3, 7].map(|threads| survive(&format!("ulimit -u {threads}"), Some(uid))).concat();
    assert!(bad.is_empty(), "{bad}");
}

fn command(name: &str, args: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(args);
    command
}

/// What stands where a file is expected: nothing hangs, whatever is asked; the error names the path.
#[test]
fn pipes_instead_of_files_hold_nobody_up() {
    let scratch = prepared();
    let pipe = |path: &Path| assert!(command("mkfifo", &[path.to_str().unwrap()]).status().unwrap().success());
    let readers: [(&str, &[&[&str]]); 2] = [
        (
            "record",
            &[
                &["compare"],
                &["verify"],
                &["status"],
                &["report", "--format", "svg"],
                &["trace", "--slowest"],
                &["diff"],
            ],
        ),
        ("out", &[&["compare"], &["verify"], &["status"], &["report", "--format", "svg"], &["merge"]]),
    ];
    for (folder, commands) in readers {
        let names = crate::outcomes::tree(&scratch.path(folder));
        for name in names.iter().filter(|name| scratch.path(folder).join(name).is_file()) {
            let path = scratch.path(folder).join(name);
            let kept = path.with_extension("kept");
            fs::rename(&path, &kept).unwrap();
            pipe(&path);
            for words in commands {
                let mut own = scratch.fedbits(*words);
                own.arg(folder).args((words[0] == "diff").then_some("record"));
                let mut timed = command("timeout", &["60"]);
                timed.arg(own.get_program()).args(own.get_args()).current_dir(scratch.path(""));
                let Output { code, err, .. } = finish(timed);
                assert!(matches!(code, Some(0..=2 | 74)), "{words:?} with {name}: {code:?}: {err}");
                assert!(!err.contains("panicked"), "{words:?} with {name}: {err}");
            }
            let _ = fs::remove_file(&path);
            let _ = fs::rename(&kept, &path);
        }
    }
    pipe(&scratch.path("pipe"));
    let inputs: [&[&str]; 5] = [
        &["run", "pipe"],
        &["check", "pipe"],
        &["study", "pipe", "--no-figures"],
        &["new", "other", "--data", "pipe"],
        &["predict", "pipe", "--data", "my.csv"],
    ];
    for words in inputs {
        let mut timed = command("timeout", &["60"]);
        let own = scratch.fedbits(words);
        timed.arg(own.get_program()).args(own.get_args()).current_dir(scratch.path(""));
        let output = finish(timed);
        assert!(output.code == Some(2) && output.err.contains("pipe"), "{words:?}: {}", output.err);
    }
}

/// A folder of which the system cannot tell what is in it holds not "no record": the error is the system's, and the
/// code that of files.
#[test]
fn what_cannot_be_read_is_no_absence() {
    let scratch = prepared();
    for (folder, name) in [("record", "manifest.json"), ("out", "study.json")] {
        fs::remove_file(scratch.path(folder).join(name)).unwrap();
        symlink(name, scratch.path(folder).join(name)).unwrap();
        for words in ["compare", "verify", "report", "trace --slowest"] {
            let output = finish(scratch.fedbits(words.split(' ').chain([folder])));
            assert!(output.code == Some(74) && output.err.contains(name), "{words}: {}", output.err);
        }
    }
    assert_eq!(finish(run(&scratch, ["--out", "record"])).code, Some(74));
}

/// Whoever made a record may have meant its names for the terminal.
#[test]
fn names_of_records_give_no_commands() {
    let scratch = Scratch::new();
    finish(run(&scratch, ["--out", "record"])).done();
    let path = scratch.path("record/manifest.json");
    let mut manifest = manifest(&scratch.path("record"));
    let hostile = "a\u{1b}]0;title\u{7}\u{1b}[8mb\u{202e}c\u{9b}2J";
    for field in ["arm", "scenario", "stop_reason", "engine_version"] {
        manifest[field] = Value::from(hostile);
    }
    manifest["caveats"] = json!([{ "id": "run-failed", "values": { "rounds": "1 round", "why": hostile } }]);
    fs::write(path, manifest.to_string()).unwrap();
    for words in ["compare", "verify", "report", "status", "trace --slowest"] {
        let mut command = scratch.fedbits(words.split(' ').chain(["record"]));
        command.env("CLICOLOR_FORCE", "1");
        let Output { out, err, .. } = finish(command);
        for sign in ["\u{1b}]", "\u{1b}[8m", "\u{202e}", "\u{9b}"] {
            assert!(!(out.clone() + &err).contains(sign), "{words}: {sign:?} in {out}{err}");
        }
    }
    for name in ["name", "arms[0].name"] {
        let set = format!("{name}=\"a\u{202e}b\"");
        let output = finish(scratch.fedbits(["check", "quickstart", "--text-only", "--set", &set]));
        assert!(output.code == Some(2) && !output.err.contains('\u{202e}'), "{name}: {}", output.err);
    }
}
