//! Progress: results are the same however one looks on, and another process can follow runs by their folder.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::command_line::outcomes::tree;
use crate::command_line::running::Running;
use crate::command_line::studies::{json, scratch_with, study, undisturbed};
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish, runs, scenario_file};

/// A run in `out` of this many rounds, of which it keeps every thousandth.
fn run_of(scratch: &Scratch, rounds: u64) -> Command {
    let mut command = scratch.fedbits(["run", "--no-figures", "--out", "out", "--set", "record.every=1000"]);
    command.arg(scenario_file("environment.ron")).args(["--set", &format!("stop.rounds={rounds}")]);
    command
}

/// Rounds that no machine does while a test lasts.
const ENDLESS: u64 = 100_000_000_000;

/// Waits until a process has claimed a folder.
fn claimed(folder: &Path) {
    while !tree(folder).iter().any(|name| name.contains(".fedbits-claim-")) {
        std::thread::sleep(Duration::from_millis(5));
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
    claimed(&scratch.path(""));
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
    assert!(err.contains("no process works on it; runs without a result: 1 of 1"), "{err}");
    assert_eq!(watching.wait().unwrap().code(), Some(1));
    assert_eq!(tree(&scratch.path("out")), ["plan.json"], "neither left anything else");
}

/// What is there already is said at once; where nothing is, that is an error; a killed process is noticed.
#[test]
fn what_does_not_run_is_not_waited_for() {
    let scratch = Scratch::new();
    let nothing = finish(watch(&scratch));
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.err.contains("by default out/NAME): there is no folder out"), "{}", nothing.err);
    let mut run = Running::quietly(&mut run_of(&scratch, ENDLESS));
    claimed(&scratch.path(""));
    // Its first state stands in the file a moment later.
    let mut once = watch(&scratch).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(once.stdout.take().unwrap()).read_line(&mut first).unwrap();
    once.kill().unwrap();
    once.wait().unwrap();
    assert!(!first.is_empty());
    let found = json(&finish(scratch.fedbits(["status", "out", "--json"])).done());
    let process = &found["processes"][0];
    assert_eq!((&process["process"], &process["state"]), (&run.id().into(), &"at work".into()), "{found}");
    run.kill().unwrap();
    run.wait().unwrap();
    let killed = finish(watch(&scratch));
    assert_eq!(killed.code, Some(1), "{}{}", killed.out, killed.err);
    assert!(
        killed.out.contains(&format!("process {} on ", run.id())) && killed.out.contains("was killed"),
        "{}",
        killed.out
    );
    let found = json(&finish(scratch.fedbits(["status", "out", "--json"])).out);
    let process = &found["processes"][0];
    assert_eq!((&process["process"], &process["state"]), (&run.id().into(), &"killed".into()), "{found}");
    let said = finish(scratch.fedbits(["status", "out"])).err;
    assert!(said.contains("was killed"), "{said}");
    // The next run removes what that one left.
    finish(run_of(&scratch, 50)).done();
    assert!(!tree(&scratch.path("")).iter().any(|name| name.contains("claim")));
    let over = finish(watch(&scratch)).done();
    assert_eq!(over, "1 of 1 run done\n");
    assert_eq!(
        finish(scratch.fedbits(["status", "--watch", "out", "--json"])).code,
        Some(2),
        "what is watched is not a table"
    );
}

/// Shards write their own files; who watches sees all of them, and their end.
#[test]
fn a_study_is_watched_over_its_shards() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &["-q", "--shard", "0/2"])).done();
    let half = finish(watch(&scratch));
    assert_eq!(half.code, Some(1));
    assert!(half.out.starts_with("12 of 24 runs done\n"), "{}", half.out);
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
    claimed(&scratch.path(""));
    let mut second = Running(study(&scratch, &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut said = BufReader::new(second.stderr.take().unwrap()).lines().map(Result::unwrap);
    let other = format!("process {} on ", first.id());
    let mut caveat = String::new();
    while !caveat.contains("divide them") {
        caveat = caveat + " " + said.next().expect("it says so").trim();
    }
    assert!(caveat.contains("makes the missing runs") && caveat.contains(&other), "{caveat}");
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

/// On a terminal there are bars while runs are made, for a run and for a study, and the results are those that they are
/// without it; nothing is left of the bars but the results.
#[test]
fn bars_on_a_terminal_change_no_result() {
    let scratch = scratch_with(&[]);
    let scenario = scenario_file("environment.ron").display().to_string();
    let command = format!("run --no-figures --out run --replicates 2 '{scenario}'");
    let Some((seen, code)) = on_a_terminal(&scratch, &command, "", &[]) else { return };
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("of 2 runs done") && seen.contains(", replicate 1"), "{seen}");
    let (_, after) = seen.rsplit_once("runs done").unwrap();
    assert!(after.contains("medians over the replicates"), "{seen}");
    let (seen, code) = on_a_terminal(&scratch, "run study.ron --out out", "", &[]).unwrap();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("of 24 runs done"), "{seen}");
    let (digest, _) = undisturbed(&[]);
    assert_eq!(json(&finish(scratch.fedbits(["status", "out", "--json"])).done())["digest"], digest.as_str());
    // Watched afterwards, on a terminal and in a pipe, it is the same.
    let (seen, code) = on_a_terminal(&scratch, "status --watch out", "", &[]).unwrap();
    let piped = finish(watch(&scratch)).done();
    assert_eq!((code, seen.replace('\r', "")), (Some(0), piped));
}

/// Runs of several replicates are counted once each; a killed command leaves those that were finished, `status` says
/// what is missing, and the next one makes only that.
#[test]
fn a_killed_command_leaves_the_runs_that_it_finished() {
    let scratch = Scratch::new();
    let whole = || {
        let mut command = run_of(&scratch, 100_000);
        command.args(["--replicates", "3", "--threads", "1"]);
        command
    };
    let mut run = Running::quietly(&mut whole());
    claimed(&scratch.path(""));
    let mut once = watch(&scratch).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(once.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = lines.find(|line| line.contains(" of 3 runs done, 1 running") && !line.starts_with('0'));
    assert!(first.is_some(), "the first of three runs is finished before the last");
    run.kill().unwrap();
    run.wait().unwrap();
    lines.for_each(drop);
    assert_eq!(once.wait().unwrap().code(), Some(1));
    let left = runs(&scratch.path("out")).len();
    assert!((1..3).contains(&left), "{left} runs");
    let output = finish(scratch.fedbits(["status", "out"]));
    assert!(output.out.contains(&format!("{left} of 3 runs finished, {} missing\n", 3 - left)), "{}", output.out);
    assert!(output.err.contains("was killed"), "{}", output.err);
    let again = finish(whole());
    let there = if left == 1 { "1 run is" } else { "2 runs are" };
    assert!(again.err.contains(&format!("{there} there already, {} to make\n", 3 - left)), "{}", again.err);
    let found = json(&finish(scratch.fedbits(["status", "out", "--json"])).done());
    assert_eq!((&found["finished"], &found["processes"]), (&3.into(), &serde_json::json!([])), "{found}");
}

/// Arms of which a different number of rounds ends the runs: most, but not all of them, reach the target.
const UNEQUAL_CAPS: &str = r#"(
    name: "unequal-caps",
    base: "quickstart",
    record: (probe_every: 5),
    arms: [],
    axes: [
        Zip(name: "compression", labels: ["none", "dithering"], paths: {
            "protocol.compressor": ["Identity", "Dithering(levels: 2)"],
            "protocol.memory": ["Memory()", "Memory()"], "stop.rounds": ["260", "165"],
        }),
    ],
    replicates: 9,
    targets: [MeanFieldSq(1e-9)],
    stop: (mean_field_sq: 1e-12),
)"#;

/// `status --watch` and `compare` name the same leading arm with the same median, also where fewer runs of this arm
/// reach the target, because their cap is lower.
#[test]
fn the_leader_is_that_of_compare() {
    let scratch = Scratch::new();
    fs::write(scratch.path("study.ron"), UNEQUAL_CAPS).unwrap();
    finish(scratch.fedbits(["study", "study.ron", "--out", "out", "-q"])).done();
    let compared = json(&finish(scratch.fedbits(["compare", "out", "--json"])).done());
    let rows = compared["rows"].as_array().unwrap();
    let bits = |row: &&serde_json::Value| row["measure"] == "bits_total" && row["target"].is_string();
    let first = rows.iter().filter(bits).find(|row| row["place"] == 1).unwrap();
    let median = first["median"].as_f64().unwrap();
    let watched = finish(watch(&scratch)).done();
    let (_, told) = watched.trim_end().split_once('\n').expect("a line below that of the counts");
    let said = format!("{} leads, all bits to mean_field_sq ≤ 1e-9: median ", first["arm"].as_str().unwrap());
    let rest = told.strip_prefix(&said).unwrap_or_else(|| panic!("{told}: expected {said}"));
    let (value, rest) = rest.split_once(" Mbit, ").unwrap();
    assert_eq!(value, format!("{:.2}", median / 1e6));
    assert_eq!(rest, format!("{}/{}", first["reached"], first["runs"]));
    // An arm with fewer runs at the target leads here: shares of runs do not decide.
    let reached = |row: &serde_json::Value| row["reached"].as_u64().unwrap();
    assert!(rows.iter().filter(bits).any(|row| reached(row) > reached(first)), "{compared}");
}
