//! The live view: results are the same however one looks on, the terminal is given back, and another process can
//! follow a run or a study by its folder.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::outcomes::tree;
use crate::running::Running;
use crate::signals::heard;
use crate::skips::{Lacks, skipped};
use crate::studies::{json, scratch_with, study, undisturbed};
use crate::support::{Scratch, finish, scenario_file};

/// A run in `out` of this many rounds.
fn run_of(scratch: &Scratch, rounds: u64) -> Command {
    let mut command = scratch.fedbits(["run", "--no-figures", "--out", "out"]);
    command.arg(scenario_file("environment.ron")).args(["--set", &format!("stop.rounds={rounds}")]);
    command
}

/// Rounds that no machine does while a test lasts.
const ENDLESS: u64 = 100_000_000_000;

/// The live file in a folder, once there is one.
fn live_file(folder: &Path) -> String {
    loop {
        let names = tree(folder);
        match names.into_iter().find(|name| name.contains(".fedbits-live-")) {
            Some(name) => return name,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn watch(scratch: &Scratch) -> Command {
    scratch.fedbits(["status", "--watch", "out"])
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
}

/// A line whenever something changes, and the end when the run ends.
#[test]
fn a_run_is_watched_in_a_pipe() {
    let scratch = Scratch::new();
    let mut run = Running::quietly(&mut run_of(&scratch, ENDLESS));
    live_file(&scratch.path(""));
    let mut watching = watch(&scratch).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let round =
        |line: &str| line.split_once("round ").map(|(_, rest)| rest.split([';', ',']).next().unwrap().to_owned());
    let mut rounds: Vec<u64> = Vec::new();
    while rounds.len() < 3 {
        let line = lines.next().expect("it is still watching").unwrap();
        rounds.extend(round(&line).map(|round| round.parse::<u64>().unwrap()));
    }
    assert!(rounds.windows(2).all(|pair| pair[0] < pair[1]), "{rounds:?}");
    kill(&run, "TERM");
    assert_eq!(run.wait().unwrap().code(), Some(143));
    lines.for_each(drop);
    let mut err = String::new();
    watching.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(err.contains("stopped before its end"), "{err}");
    assert_eq!(watching.wait().unwrap().code(), Some(1));
    assert_eq!(tree(&scratch.path("")), Vec::<String>::new(), "neither left anything");
}

/// What is there already is said at once; where nothing is, that is an error; a killed process is noticed.
#[test]
fn what_does_not_run_is_not_waited_for() {
    let scratch = Scratch::new();
    let nothing = finish(watch(&scratch));
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.err.contains("there is no run and no study in out"), "{}", nothing.err);
    let mut run = Running::quietly(&mut run_of(&scratch, ENDLESS));
    live_file(&scratch.path(""));
    // Its first state stands in the file a moment later.
    let mut once = watch(&scratch).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(once.stdout.take().unwrap()).read_line(&mut first).unwrap();
    once.kill().unwrap();
    once.wait().unwrap();
    assert!(!first.is_empty());
    let json = finish(scratch.fedbits(["status", "out", "--json"])).done();
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    let process = &found["processes"][0];
    assert_eq!((&process["process"], &process["state"]), (&run.id().into(), &"at work".into()), "{found}");
    let table = finish(scratch.fedbits(["status", "out", "--format", "csv"])).done();
    assert!(table.starts_with("arm,state,why,host_s\n"), "{table}");
    run.kill().unwrap();
    run.wait().unwrap();
    let killed = finish(watch(&scratch));
    assert_eq!(killed.code, Some(1), "{}{}", killed.out, killed.err);
    assert!(
        killed.out.contains(&format!("process {} on ", run.id())) && killed.out.contains("was killed"),
        "{}",
        killed.out
    );
    let json = finish(scratch.fedbits(["status", "out", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let process = &found["processes"][0];
    assert_eq!((&process["process"], &process["state"]), (&run.id().into(), &"killed".into()), "{found}");
    // The next run removes what that one left.
    finish(run_of(&scratch, 50)).done();
    assert!(!tree(&scratch.path("")).iter().any(|name| name.contains("live")));
    let over = finish(watch(&scratch)).done();
    assert!(over.contains("rounds: 50 in "), "{over}");
    assert_eq!(finish(scratch.fedbits(["status", "out"])).done(), over);
    assert_eq!(finish(scratch.fedbits(["status", "--watch", "out", "--json"])).code, Some(2), "a screen is no table");
}

/// Shards write their own files; who watches sees all of them, and their end.
#[test]
fn a_study_is_watched_over_its_shards() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &["-q", "--shard", "0/2"])).done();
    let half = finish(watch(&scratch));
    assert_eq!(half.code, Some(1));
    assert!(half.out.contains("12 of 24 runs done, 0 running"), "{}", half.out);
    assert!(half.err.contains("runs without a result: 12 of 24"), "{}", half.err);
    finish(study(&scratch, &["-q", "--shard", "1/2"])).done();
    let all = finish(watch(&scratch)).done();
    assert!(all.contains("24 of 24 runs done") && all.contains(" leads"), "{all}");
}

/// Two processes without shards would make the same runs: the second says so.
#[test]
fn a_folder_of_two_studies_is_said() {
    let scratch = scratch_with(&[]);
    let tiny = fs::read_to_string(scratch.path("tiny.ron")).unwrap();
    fs::write(scratch.path("tiny.ron"), tiny.replace("rounds: 20", &format!("rounds: {ENDLESS}"))).unwrap();
    let mut first = Running::quietly(&mut study(&scratch, &["-q"]));
    live_file(&scratch.path(""));
    let mut second = Running(study(&scratch, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut said = BufReader::new(second.stderr.take().unwrap()).lines().map(Result::unwrap);
    let other = format!("process {} on ", first.id());
    let mut caveat = String::new();
    while !caveat.contains("divide them") {
        caveat = caveat + " " + said.next().expect("it says so").trim();
    }
    assert!(caveat.contains("are made twice") && caveat.contains(&other), "{caveat}");
    for child in [&mut first, &mut second] {
        kill(child, "TERM");
        child.wait().unwrap();
    }
}

/// `script` runs a command on a terminal of its own; what came to the screen, and the exit code.
pub fn on_a_terminal(
    scratch: &Scratch,
    command: &str,
    keys: &str,
    environment: &[(&str, &str)],
) -> Option<(String, Option<i32>)> {
    let mut script = Command::new("script");
    // `script` runs the command by the shell, in a terminal of no size.
    let program = crate::support::program();
    let words: Vec<String> = std::iter::once(program.get_program())
        .chain(program.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let line = format!("stty rows 24 cols 80; exec {} {command}", words.join(" "));
    script.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(scratch.path("")).env("TERM", "xterm");
    for name in ["FEDBITS_DATA", "NO_COLOR", "COLUMNS"] {
        script.env_remove(name);
    }
    script.envs(environment.iter().copied());
    let spawned = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else {
        skipped(Lacks::Program, "there is no `script`: nothing makes a terminal");
        return None;
    };
    let mut keyboard = child.stdin.take().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut seen = Vec::new();
    if !keys.is_empty() {
        // Keys are pressed when the page is there.
        let mut byte = [0; 1];
        let is_there = |seen: &[u8]| {
            ["round", "column of classes"].iter().any(|word| String::from_utf8_lossy(seen).contains(word))
        };
        while !is_there(&seen) && out.read(&mut byte).unwrap() == 1 {
            seen.push(byte[0]);
        }
        std::thread::sleep(Duration::from_millis(300));
        keyboard.write_all(keys.as_bytes()).unwrap();
    }
    out.read_to_end(&mut seen).unwrap();
    let code = child.wait().unwrap().code();
    drop(keyboard);
    Some((String::from_utf8_lossy(&seen).into_owned(), code))
}

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";

/// The screen is opened, drawn on and left; results go to standard output afterwards, and are what they are without it.
#[test]
fn a_screen_is_left_as_it_was_found() {
    let scratch = Scratch::new();
    let scenario = scenario_file("environment.ron").display().to_string();
    let command = format!("run --live --no-figures --out out '{scenario}'");
    let Some((seen, code)) = on_a_terminal(&scratch, &command, "", &[]) else { return };
    assert_eq!(code, Some(0), "{seen}");
    let (before, after) = seen.split_once(ENTER).expect("a screen");
    let (screen, after) = after.split_once(LEAVE).expect("the end of the screen");
    assert!(!before.contains("round") && screen.contains("environment") && after.contains("rounds: 80"), "{seen}");
    assert!(!after.contains(ENTER));
    let digests = |folder: &str| {
        json(&fs::read_to_string(scratch.path(folder).join("manifest.json")).unwrap())["digests"].clone()
    };
    let mut plain = scratch.fedbits(["run", "-q", "--no-figures", "--out", "plain"]);
    plain.arg(&scenario);
    finish(plain).done();
    assert_eq!(digests("out"), digests("plain"));
    // No colours, where nobody wants them; no screen where the terminal has none, or nobody asks for one.
    let (seen, _) = on_a_terminal(&scratch, &command, "", &[("NO_COLOR", "1")]).unwrap();
    assert!(seen.contains(ENTER) && !["\x1b[36m", "\x1b[38;5;6m"].iter().any(|cyan| seen.contains(cyan)), "{seen:?}");
    let (seen, code) = on_a_terminal(&scratch, &command, "", &[("TERM", "dumb")]).unwrap();
    assert!(!seen.contains(ENTER) && code == Some(0), "{seen:?}");
    let (seen, _) = on_a_terminal(&scratch, &command, "", &[("FEDBITS_LIVE", "no")]).unwrap();
    assert!(seen.contains(ENTER), "the option stands over the variable");
    let (seen, _) = on_a_terminal(&scratch, &command.replace("--live", ""), "", &[]).unwrap();
    assert!(!seen.contains(ENTER));
    let (seen, _) = on_a_terminal(&scratch, &command.replace("--live", ""), "", &[("FEDBITS_LIVE", "yes")]).unwrap();
    assert!(seen.contains(ENTER));
}

/// `q` ends a run as Ctrl-C does, and both give the terminal back before they say so.
#[test]
fn keys_end_a_run() {
    let heard = heard().any(|(signal, _)| signal == "INT");
    for key in ["q", "\u{3}"].into_iter().filter(|key| heard || *key == "q") {
        let scratch = Scratch::new();
        let scenario = scenario_file("environment.ron").display().to_string();
        let command = format!("run --live --no-figures --out out --set stop.rounds={ENDLESS} '{scenario}'");
        let keys = format!("\x1b[C\x1b[B{key}");
        let Some((seen, code)) = on_a_terminal(&scratch, &command, &keys, &[]) else { return };
        assert_eq!(code, Some(130), "{seen}");
        let (_, after) = seen.rsplit_once(LEAVE).expect("the end of the screen");
        assert!(after.contains("what was not left nothing"), "{after}");
        assert_eq!(tree(&scratch.path("")), Vec::<String>::new());
    }
}

/// The same of a study, whose results are those of one that nobody looked at.
#[test]
fn a_study_on_a_screen() {
    let scratch = scratch_with(&[]);
    let Some((seen, code)) = on_a_terminal(&scratch, "study study.ron --out out --live", "", &[]) else { return };
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains(ENTER) && seen.contains(LEAVE), "{seen}");
    let (digest, _) = undisturbed(&[]);
    assert_eq!(json(&finish(scratch.fedbits(["status", "out", "--json"])).done())["digest"], digest.as_str());
}

/// Replicates are arms of the count, once each, under the names that tell them apart.
#[test]
fn replicates_are_counted_once() {
    let scratch = Scratch::new();
    let scenario = scenario_file("environment.ron").display().to_string();
    let command = format!("run --live --no-figures --out out --set stop.rounds=200 --replicates 3 '{scenario}'");
    let Some((seen, code)) = on_a_terminal(&scratch, &command, "", &[]) else { return };
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("of 3)") && !seen.contains("arm 4"), "{seen}");
    let mut run = Running::quietly(&mut {
        let mut command = run_of(&scratch, ENDLESS);
        command.args(["--replicates", "3"]);
        command
    });
    live_file(&scratch.path(""));
    let mut once = watch(&scratch).stdout(Stdio::piped()).spawn().unwrap();
    let first =
        BufReader::new(once.stdout.take().unwrap()).lines().map(Result::unwrap).find(|line| line.contains("round"));
    once.kill().unwrap();
    once.wait().unwrap();
    assert!(first.as_ref().is_some_and(|line| line.contains(", replicate 0: ")), "{first:?}");
    run.kill().unwrap();
    run.wait().unwrap();
}

/// A killed run leaves the records that were finished; `status` names what is missing, and says the same to programs.
#[test]
fn a_killed_run_has_the_records_that_it_finished() {
    let scratch = Scratch::new();
    let whole = |mut command: Command| {
        command.args(["--replicates", "3"]);
        command
    };
    finish(whole(run_of(&scratch, 20))).done();
    let json = || finish(scratch.fedbits(["status", "out", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&json().done()).unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3, "{found}");
    assert!(runs[0]["arm"].as_str().unwrap().ends_with(", replicate 0"), "{found}");
    assert_eq!((&runs[2]["state"], &runs[2]["why"]), (&"done".into(), &"rounds: 20".into()), "{found}");
    assert_eq!(found["processes"].as_array().map(Vec::len), Some(0));
    let people = finish(scratch.fedbits(["status", "out"])).done();
    assert!(people.lines().count() == 3 && people.contains(", replicate 2: rounds: 20 in "), "{people}");
    // Killed when there is a record.
    fs::remove_dir_all(scratch.path("out")).unwrap();
    let mut run = Running::quietly(&mut whole(run_of(&scratch, 20_000)));
    let records = || {
        fs::read_dir(scratch.path("out")).into_iter().flatten().flatten().filter(|entry| {
            !entry.file_name().to_string_lossy().starts_with('.') && entry.path().join("manifest.json").is_file()
        })
    };
    while records().count() < 1 {
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let left = records().count();
    let output = finish(scratch.fedbits(["status", "out"]));
    assert_eq!((output.code, output.out.lines().count()), (Some(1), left + 1), "{}{}", output.out, output.err);
    assert!(left < 3 && output.out.contains("was killed"), "{left} records: {}", output.out);
    assert!(output.err.contains("records are missing in out"), "{}", output.err);
}

/// A manifest that cannot be read is named with the reason.
#[test]
fn a_broken_manifest_is_named() {
    let scratch = Scratch::new();
    finish(run_of(&scratch, 5)).done();
    let path = scratch.path("out/manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    for broken in ["", &text[..text.len() / 2], &text.replace("fedbits record 1", "fedbits record 2")] {
        fs::write(&path, broken).unwrap();
        for also in [&[][..], &["--json"], &["--watch"]] {
            let output = finish(scratch.fedbits([&["status", "out"], also].concat()));
            assert_eq!(output.code, Some(2), "{}", output.err);
            assert!(output.err.contains("out/manifest.json"), "{}", output.err);
        }
    }
}
