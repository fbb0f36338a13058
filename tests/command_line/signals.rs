//! Signals: every command ends by them soon, with 128 + the number, and leaves nothing half-written; what is ignored
//! from the start stays ignored.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use crate::command_line::outcomes::tree;
use crate::command_line::running::Running;
use crate::command_line::studies::{scratch_with, study};
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish, runs, scenario_file};

const SIGNALS: [(&str, i32); 3] = [("HUP", 129), ("INT", 130), ("TERM", 143)];

/// The most that a command may compute between a signal and its end.
const PROCESSOR_SECONDS: f64 = 2.0;

/// The signals that this test may send: whoever ignores one passes that on to its children.
pub fn heard() -> impl Iterator<Item = (&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(mask.trim(), 16).unwrap();
    SIGNALS.into_iter().filter(move |(signal, code)| {
        let hears = ignored & (1 << (code - 129)) == 0;
        if !hears {
            skipped(Lacks::System, &format!("SIG{signal} is ignored by whoever started the tests"));
        }
        hears
    })
}

fn send(child: &Child, signal: &str) {
    let kill = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
}

/// The state of a process, and the processor time that it has taken in seconds.
fn state(child: &Child) -> (char, f64) {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // The name of the program stands in brackets and may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    (fields[0].chars().next().unwrap(), ticks / 100.0)
}

/// Waits until the program listens to a signal.
fn listening(child: &Child, code: i32) {
    for _ in 0..4_000 {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("the process is running");
        if u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (code - 129)) != 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the program does not listen to signal {}", code - 128);
}

/// Sends a signal and waits for the end: the exit code, and the processor time between the two.
pub fn signal_and_wait(child: &mut Child, signal: &str) -> (Option<i32>, f64) {
    let before = state(child).1;
    send(child, signal);
    let after = loop {
        match state(child) {
            ('Z', seconds) => break seconds,
            _ => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    (child.wait().unwrap().code(), after - before)
}

/// Starts a run and waits until it says a word on standard error.
pub fn begun(mut command: Command, word: &str) -> (Running, BufReader<ChildStderr>) {
    let mut child = Running(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert!(messages.read_line(&mut line).unwrap() > 0, "the run ended before it output `{word}`");
    }
    (child, messages)
}

/// A run that would take very long.
fn long_run(scratch: &Scratch) -> Command {
    let mut command = scratch.fedbits(["run", "-v", "--no-figures", "--out", "deep/er/record"]);
    command.arg(scenario_file("environment.ron")).args(["--set", "stop.rounds=100000000000"]);
    command
}

/// The same command where a signal is ignored from the start, as under `nohup`.
fn ignoring(signal: &str, command: &Command, scratch: &Scratch) -> Command {
    let mut sh = Command::new("sh");
    sh.args(["-c", &format!("trap '' {signal}; exec \"$@\""), "sh"]).arg(command.get_program());
    sh.args(command.get_args()).current_dir(scratch.path("")).env_remove("FEDBITS_DATA");
    sh
}

/// A signal in the middle of a run ends it with 128 + its number and leaves the plan alone, with which a run goes on.
#[test]
fn signals_end_a_run_without_debris() {
    for (signal, code) in heard() {
        let scratch = Scratch::new();
        let (mut child, mut messages) = begun(long_run(&scratch), "ready");
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(signal_and_wait(&mut child, signal).0, Some(code));
        let mut rest = String::new();
        messages.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("what was not left nothing"), "{rest}");
        assert_eq!(tree(&scratch.path("deep/er")), ["record", "record/plan.json"]);
    }
}

/// A run killed outright cannot clean up; the next one takes the same path, and no reader mistakes the rest for a
/// result.
#[test]
fn a_killed_run_does_not_block_its_path() {
    let scratch = Scratch::new();
    let (mut child, _) = begun(long_run(&scratch), "ready");
    std::thread::sleep(Duration::from_millis(200));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(finish(scratch.fedbits(["report", "deep/er/record"])).code, Some(2));
    let mut again = scratch.fedbits(["run", "-q", "--no-figures", "--out", "deep/er/record"]);
    again.arg(scenario_file("environment.ron"));
    finish(again).done();
    assert_eq!(runs(&scratch.path("deep/er/record")).len(), 1);
    assert!(tree(&scratch.path("")).iter().all(|name| !name.contains(".fedbits-")));
}

/// `nohup fedbits run …` goes on when its terminal ends; so it is with the other signals. Those not ignored still end
/// it.
#[test]
fn an_ignored_signal_stays_ignored() {
    let heard: Vec<_> = heard().collect();
    let mut runs = Vec::new();
    for (ignored, _) in SIGNALS {
        let Some(other) = heard.iter().rev().find(|(signal, _)| *signal != ignored) else {
            return skipped(Lacks::System, "all signals but one are ignored from the start here");
        };
        let scratch = Scratch::new();
        let (child, messages) = begun(ignoring(ignored, &long_run(&scratch), &scratch), "ready");
        send(&child, ignored);
        runs.push((ignored, other, child, messages, scratch));
    }
    // All are waited for together.
    std::thread::sleep(Duration::from_millis(1_500));
    for (ignored, (other, code), child, ..) in &mut runs {
        assert_eq!(child.try_wait().unwrap(), None, "SIG{ignored} was ignored from the start");
        assert_eq!(signal_and_wait(child, other).0, Some(*code));
    }
    let scratch = scratch_with(&[("replicates: 6", "replicates: 100")]);
    let mut child = Running::quietly(&mut ignoring("HUP", &study(&scratch, &[]), &scratch));
    while !scratch.path("out/segments").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    send(&child, "HUP");
    assert_eq!(child.wait().unwrap().code(), Some(0), "a study under nohup runs to its end");
}

/// A step that computes for minutes (a million transitions of a chain, as many draws of a probe) is broken off.
#[test]
fn a_long_step_is_broken_off() {
    let walk = "protocol.local=Sample(kernel: RandomWalk(), iterations: 1000000)";
    for long in [walk, "protocol.likelihood_draws=10000000"] {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path("there")).unwrap();
        let mut command = scratch.fedbits(["run", "-v", "--out", "there/record"]);
        command.arg(scenario_file("sampling.ron")).env("FEDBITS_DATA", scenario_file(""));
        command.args(["--set", long, "--set", "arms=[(name: \"walks\")]"]);
        let (mut child, _messages) = begun(command, "ready");
        std::thread::sleep(Duration::from_millis(300));
        let (code, seconds) = signal_and_wait(&mut child, "TERM");
        assert_eq!(code, Some(143));
        assert!(seconds < PROCESSOR_SECONDS, "{long}: {seconds} s");
        assert_eq!(tree(&scratch.path("there")), ["record", "record/plan.json"]);
    }
}

/// Nobody reads what the run says, and its pipe is full: it ends all the same.
#[test]
fn a_full_pipe_does_not_hold_a_signal_up() {
    let scratch = Scratch::new();
    let mut command = scratch.fedbits(["run", "-v", "--no-figures", "--set", "stop.rounds=100000000000"]);
    command.arg(scenario_file("environment.ron"));
    let (reader, writer) = std::io::pipe().unwrap();
    let mut fill = writer.try_clone().unwrap();
    let filling = std::thread::spawn(move || {
        // Blocks when the pipe is full, until the test drops the reader.
        let _ = std::io::Write::write_all(&mut fill, &vec![b'.'; 1 << 20]);
    });
    std::thread::sleep(Duration::from_millis(300));
    let mut child = Running(command.stdout(Stdio::null()).stderr(writer).spawn().unwrap());
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(signal_and_wait(&mut child, "TERM").0, Some(143));
    drop(reader);
    drop(command);
    filling.join().unwrap();
}

/// What `report`, `compare` and `merge` read is large; a signal ends them while they read, and everything is as it was.
#[test]
fn readers_of_results_end_without_debris() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &["-q"])).done();
    finish(scratch.fedbits(["report", "out", "--format", "svg"])).done();
    // The same results many times over: each of these files is read.
    let segment = scratch.path("out/segments/000000.seg");
    for copy in 1..COPIES {
        fs::hard_link(&segment, scratch.path(format!("out/segments/{copy:06}.seg"))).unwrap();
    }
    let contents = || -> Vec<(String, Vec<u8>)> {
        let names = tree(&scratch.path("")).into_iter().filter(|name| !name.contains("segments"));
        names.map(|name| (name.clone(), fs::read(scratch.path(name)).unwrap_or_default())).collect()
    };
    let before = contents();
    let commands: [&[&str]; 4] =
        [&["report", "out"], &["compare", "out"], &["merge", "out"], &["merge", "out", "--json"]];
    for arguments in commands {
        for (signal, code) in heard() {
            let mut command = scratch.fedbits(arguments);
            let mut child = Running::quietly(&mut command);
            listening(&child, code);
            std::thread::sleep(Duration::from_millis(50));
            let (ended, seconds) = signal_and_wait(&mut child, signal);
            assert_eq!(ended, Some(code), "{arguments:?}");
            assert!(seconds < PROCESSOR_SECONDS, "{arguments:?}: {seconds} s");
            assert!(contents() == before, "{arguments:?} leaves everything as it was");
        }
    }
}

/// Enough for seconds of reading.
const COPIES: u32 = 20_000;

/// A signal while figures are drawn leaves those that were there, or none.
#[test]
fn figures_are_written_together_or_not_at_all() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &["-q"])).done();
    let report = || scratch.fedbits(["report", "out", "--all", "--out", "new/figures"]);
    finish(report()).done();
    let all = tree(&scratch.path("new")).len();
    fs::remove_dir_all(scratch.path("new")).unwrap();
    let mut interrupted = 0;
    // On a busy machine a signal may come after the end: more are sent until some have come before it.
    for attempt in 0..200 {
        let mut child = Running::quietly(&mut report());
        listening(&child, 143);
        std::thread::sleep(Duration::from_millis(attempt % 10 * 150));
        match signal_and_wait(&mut child, "TERM").0 {
            Some(143) => {
                interrupted += 1;
                let left = tree(&scratch.path(""));
                let figures = left.iter().filter(|name| name.starts_with("new/")).count();
                assert!(figures == 0 || figures == all, "{figures} of {all}: {left:?}");
            }
            ended => assert_eq!(ended, Some(0)),
        }
        assert!(!tree(&scratch.path("")).iter().any(|name| name.contains(".fedbits-")));
        let _ = fs::remove_dir_all(scratch.path("new"));
        if attempt >= 9 && interrupted >= 3 {
            return;
        }
    }
    panic!("only {interrupted} of 200 signals came before the end");
}

/// Moments at which the library's scenarios are interrupted: seconds after the start.
const MOMENTS: [f64; 6] = [0.0, 0.3, 1.0, 3.0, 10.0, 30.0];

/// Every scenario and study of the library, at several moments: at most 2 s of processor time, and nothing
/// half-written.
/// `FEDBITS_DATA=… cargo test --release --test tests command_line -- --ignored --nocapture the_library_answers`.
#[test]
#[ignore = "slow tier: every scenario of the library, up to half a minute each"]
fn the_library_answers_signals_within_two_seconds() {
    let data = std::env::var_os("FEDBITS_DATA");
    if data.is_none() {
        skipped(
            Lacks::Data,
            "FEDBITS_DATA is not set: scenarios on real data are interrupted before they have read them",
        );
    }
    let library = finish(Scratch::new().fedbits(["list", "--json"])).done();
    let library: serde_json::Value = serde_json::from_str(&library).unwrap();
    // Jobs in the background of a script ignore SIGINT.
    let (signal, ended_by) = heard().last().expect("some signal is heard");
    let mut worst: f64 = 0.0;
    for name in library.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()) {
        let mut line = format!("{name:<32}");
        for moment in MOMENTS {
            let scratch = Scratch::new();
            let mut run = scratch.fedbits(["run", name, "--out", "record"]);
            run.envs(data.iter().map(|data| ("FEDBITS_DATA", data)));
            let mut child = Running::quietly(&mut run);
            listening(&child, ended_by);
            std::thread::sleep(Duration::from_secs_f64(moment));
            let (code, seconds) = signal_and_wait(&mut child, signal);
            assert_no_debris(name, &scratch.path("record"));
            if code != Some(ended_by) {
                assert!([Some(0), Some(2)].contains(&code), "{name} after {moment} s: {code:?}");
                break;
            }
            line += &format!("  {moment} s: {seconds:.2}");
            worst = worst.max(seconds);
        }
        eprintln!("{line}");
    }
    assert!(worst < PROCESSOR_SECONDS, "{worst} s");
}

/// Results are whole, and nothing temporary is left.
fn assert_no_debris(name: &str, folder: &Path) {
    let left = if folder.exists() { tree(folder) } else { Vec::new() };
    assert!(!left.iter().any(|file| file.contains(".fedbits-")), "{name}: {left:?}");
    if left.iter().any(|file| file == "plan.json") {
        let record = fedbits::Results::open(folder).unwrap();
        assert_eq!((record.counts().damaged, record.counts().results()), (0, runs(folder).len() as u64), "{name}");
    }
}
