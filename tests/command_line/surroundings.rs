//! What a machine may do to a command: other processes that write into the same folder, threads and memory that are
//! refused, files that are none, names that a terminal obeys, folders that cannot be read.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use fedbits_record::results::RunPlan;
use fedbits_spec::Caveat;

use crate::command_line::studies::{scratch_with, study};
use crate::command_line::verification::replace_run;
use crate::skips::{Lacks, skipped};
use crate::support::{Output, Scratch, finish, run_of, runs, scenario_file};

fn run<'a>(scratch: &Scratch, further: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = scratch.fedbits(["run", "-q", "--no-figures"]);
    command.arg(scenario_file("tiny.ron")).args(further);
    command
}

/// Commands with other settings at a time into one folder: the plan and the tables are those of one of them, which has
/// all its runs, and the others say that theirs are not in the tables.
#[test]
fn runs_into_one_folder_do_not_mix() {
    for _ in 0..3 {
        let scratch = Scratch::new();
        let start = |seed: &str| {
            let command = ["run", "quickstart", "-q", "--no-figures", "--out", "out", "--seed", seed];
            scratch.fedbits(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let started = ["1", "2", "3"].map(start);
        let ended = started.map(|child| child.wait_with_output().unwrap());
        assert!(ended.iter().any(|output| output.status.success()), "{ended:?}");
        for output in ended.iter().filter(|output| !output.status.success()) {
            let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(output.status.code() == Some(2) && said.contains("runs of other settings into out"), "{said}");
        }
        let all = runs(&scratch.path("out"));
        assert!(all.len() == 4 && all.iter().all(|run| run.manifest.seed == all[0].manifest.seed));
        finish(scratch.fedbits(["verify", "out"])).done();
    }
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
        let call = scratch.fedbits(words);
        let mut command = match uid {
            Some(uid) => {
                let mut command = Command::new("setpriv");
                let (uid, gid) = (format!("--reuid={uid}"), format!("--regid={uid}"));
                command.args([&*uid, &*gid, "--clear-groups", "bash"]);
                command
            }
            None => Command::new("bash"),
        };
        command.args(["-c", &format!("{limit}; exec \"$@\""), "bash"]).arg(call.get_program()).args(call.get_args());
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
    let commands: [&[&str]; 7] = [
        &["compare"],
        &["verify"],
        &["status"],
        &["report", "--format", "svg"],
        &["trace", "--slowest"],
        &["diff", "out"],
        &["merge"],
    ];
    let names = crate::command_line::outcomes::tree(&scratch.path("record"));
    for name in names.iter().filter(|name| scratch.path("record").join(name).is_file()) {
        let path = scratch.path("record").join(name);
        let kept = scratch.path("kept");
        fs::rename(&path, &kept).unwrap();
        pipe(&path);
        for words in commands {
            let mut call = scratch.fedbits(words);
            call.arg("record");
            let mut timed = command("timeout", &["60"]);
            timed.arg(call.get_program()).args(call.get_args()).current_dir(scratch.path(""));
            let Output { code, err, .. } = finish(timed);
            assert!(matches!(code, Some(0..=2 | 74)), "{words:?} with {name}: {code:?}: {err}");
            assert!(!err.contains("panicked"), "{words:?} with {name}: {err}");
        }
        let _ = fs::remove_file(&path);
        fs::rename(&kept, &path).unwrap();
    }
    pipe(&scratch.path("pipe"));
    let inputs: [&[&str]; 4] = [
        &["run", "pipe"],
        &["check", "pipe"],
        &["new", "other", "--data", "pipe"],
        &["predict", "pipe", "--data", "my.csv"],
    ];
    for words in inputs {
        let mut timed = command("timeout", &["60"]);
        let call = scratch.fedbits(words);
        timed.arg(call.get_program()).args(call.get_args()).current_dir(scratch.path(""));
        let output = finish(timed);
        assert!(output.code == Some(2) && output.err.contains("pipe"), "{words:?}: {}", output.err);
    }
}

/// A folder of which the system cannot tell what is in it holds not "no runs": the error is the system's, and the code
/// that of files.
#[test]
fn what_cannot_be_read_is_no_absence() {
    let scratch = prepared();
    fs::remove_file(scratch.path("record/plan.json")).unwrap();
    symlink("plan.json", scratch.path("record/plan.json")).unwrap();
    for words in ["compare", "verify", "report", "status", "trace --slowest"] {
        let output = finish(scratch.fedbits(words.split(' ').chain(["record"])));
        assert!(output.code == Some(74) && output.err.contains("plan.json"), "{words}: {}", output.err);
    }
    assert_eq!(finish(run(&scratch, ["--out", "record"])).code, Some(74));
}

/// Whoever made a folder of runs may have meant its names for the terminal.
#[test]
fn names_of_runs_give_no_commands() {
    let scratch = Scratch::new();
    let folder = scratch.path("record");
    finish(run(&scratch, ["--out", "record"])).done();
    let hostile = "a\u{1b}]0;title\u{7}\u{1b}[8mb\u{202e}c\u{9b}2J".to_owned();
    let mut changed = run_of(&folder, "tiny");
    changed.manifest.caveats.push(Caveat::RunFailed { rounds: "1 round".to_owned(), why: hostile.clone() });
    let manifest = &mut changed.manifest;
    for field in [&mut manifest.scenario, &mut manifest.stop_reason, &mut manifest.engine_version] {
        field.clone_from(&hostile);
    }
    replace_run(&folder, changed);
    let mut plan = RunPlan::read(&folder).unwrap();
    (plan.name, plan.arms[0].name) = (hostile.clone(), hostile);
    plan.write(&folder).unwrap();
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
