//! `fedbits-emulate`: scenarios over real sockets against their simulations. What needs namespaces is skipped where there
//! are none, unless `FEDBITS_EMULATE=1` requires it.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::skips::{Lacks, skipped};
use fedbits::{RunOptions, Scenario};
use tempfile::TempDir;

const WITHOUT_RIGHTS: &str = "this process may not";

/// A star of five clients with a megabit each.
const STAR: &str = "network=(client_up: Mbps(1), client_down: Mbps(2), latency: Ms(10), server_up: Mbps(4), \
                    server_down: Mbps(4), sharing: Fifo())";

/// Five rounds of it.
const SMALL: [&str; 6] = ["--rounds", "5", "--set", STAR, "--set", "stop.time=None"];

fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("fedbits-test-").tempdir().unwrap()
}

fn scenario_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios").join(name)
}

/// The program, to be run in a folder, with `out` as the folder that it writes.
fn emulate(folder: &TempDir, scenario: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fedbits-emulate"));
    command.current_dir(folder.path()).env_remove("FEDBITS_DATA");
    command.arg(scenario_file(scenario)).args(["--out", "out"]).args(more);
    command
}

/// How a command ended and what it said.
struct Output {
    code: Option<i32>,
    out: String,
    err: String,
}

fn finish(mut command: Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes| String::from_utf8(bytes).expect("the program speaks UTF-8");
    Output { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// One emulation at a time: they are measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs to the end, alone. None where this machine does not allow it, and nobody requires it.
fn allowed(command: Command) -> Option<Output> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = finish(command);
    if output.err.contains(WITHOUT_RIGHTS) && std::env::var_os("FEDBITS_EMULATE").is_none() {
        skipped(Lacks::Rights, &output.err);
        return None;
    }
    Some(output)
}

/// Asserts success, but for the verdict that a loaded machine was late; the standard output.
#[track_caller]
fn played(output: Output) -> String {
    let is_late = output.code == Some(1) && output.err.contains("more than a millisecond late");
    assert!(output.code == Some(0) || is_late, "{:?}: {}{}", output.code, output.out, output.err);
    output.out
}

/// The numbers of the line of a summary that begins with `name`.
#[track_caller]
fn numbers(summary: &str, name: &str) -> Vec<f64> {
    let line = summary.lines().find_map(|line| line.trim_start().strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no line `{name}`: {summary}"));
    line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The rows of the table, without its header.
fn transfers(folder: &TempDir) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.path().join("out/transfers.csv")).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = [
        "arm",
        "repeat",
        "transfer",
        "round",
        "from",
        "to",
        "bits",
        "simulated_start_ns",
        "simulated_end_ns",
        "measured_start_ns",
        "measured_end_ns",
    ];
    assert_eq!(rows.next().unwrap(), header);
    rows.collect()
}

#[test]
fn a_small_star_is_as_the_simulation_says() {
    let folder = scratch();
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &SMALL)) else { return };
    let summary = played(output);
    // Its simulation is that of `fedbits run`.
    let scenario = Scenario::load(scenario_file("tiny.ron").to_str().unwrap()).unwrap();
    let scenario = scenario.set("network", STAR.strip_prefix("network=").unwrap()).set("stop.rounds", "5");
    let record = fedbits::run(&scenario.arms().unwrap()[0], &RunOptions::default()).unwrap();
    let (totals, state) = (&record.manifest.totals, &record.manifest.digests.state[..16]);
    assert!(summary.contains(&format!("state {state} and payload bits: equal to the simulation's in 1 of 1")));
    let bits = |name: &str| numbers(&summary, name).last().map(|bits| *bits as u64);
    // The ledger of the simulation has two headers of 40 bytes more for each of five connections.
    let set_up = 5 * 2 * 320;
    assert_eq!(bits("- of data"), Some(totals.bits_header - set_up));
    let content = summary.lines().find(|line| line.contains("content:")).unwrap();
    let content: Vec<u64> = content.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [_, coded, payload] = content[..] else { panic!("{summary}") };
    assert_eq!(payload, coded + 25, "all is coded but for a bit that acknowledges");
    for name in ["transfers up", "transfers down", "rounds"] {
        // Initial memories and five rounds of five clients, up and down.
        let [count, median, ..] = numbers(&summary, name)[..] else { panic!("{summary}") };
        assert_eq!(count, if name == "rounds" { 5.0 } else { 30.0 });
        assert!(median < 2.0, "a loaded machine is late, but nothing arrives before the links allow it: {summary}");
    }
    let rows = transfers(&folder);
    assert_eq!(rows.len(), 60);
    let sent: u64 = rows.iter().map(|row| row[6].parse::<u64>().unwrap()).sum();
    assert_eq!(sent, totals.bits_up + totals.bits_down + totals.bits_header - set_up);
    let again = finish(emulate(&folder, "environment.ron", &SMALL));
    assert_eq!((again.code, again.out.as_str()), (Some(2), ""), "{}", again.err);
    assert!(again.err.contains("out is not empty"), "{}", again.err);
}

#[test]
fn repeats_connections_and_other_queues() {
    let folder = scratch();
    let tcp = "network=(client_up: Mbps(1), client_down: Mbps(2), latency: Ms(10), server_up: Mbps(4), \
               server_down: Mbps(4), sharing: Tcp(congestion: Reno), transport: (set_up: 1, restart_after_idle: false), \
               queues: (client_up: Fair, server_down: Room(KiB(64))))";
    let more = ["--repeat", "2", "--rounds", "5", "--set", tcp];
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &more)) else { return };
    let summary = played(output);
    assert!(summary.contains("in 2 of 2"), "{summary}");
    assert_eq!(numbers(&summary, "rounds")[0], 10.0);
    assert_eq!(transfers(&folder).iter().filter(|row| row[1] == "2").count(), 60);
}

#[test]
fn deadlines_dropouts_and_losses_are_played() {
    let folder = scratch();
    let arms = ["--set", "arms=[]", "--set", "round=First(4)"];
    let more = [&["--rounds", "4", "--set", "network.loss=Bernoulli(0.02)"], &arms[..]].concat();
    let Some(output) = allowed(emulate(&folder, "network.ron", &more)) else { return };
    assert!(output.err.contains("differs from the simulation, as it may"), "{}", output.err);
    played(output);
}

#[test]
fn neighbours_are_played() {
    let folder = scratch();
    let graph = "network=(shape: Graph(sites: Ring(6), link_capacity: Law(Mbps(2)), link_latency: Law(Ms(5))))";
    let more = ["--rounds", "1", "--set", graph, "--set", "arms=[]"];
    let Some(output) = allowed(emulate(&folder, "vpem.ron", &more)) else { return };
    let summary = played(output);
    assert!(summary.contains("other transfers"), "{summary}");
}

#[test]
fn sites_between_server_and_clients_are_played() {
    let folder = scratch();
    let graph = "network=(shape: Graph(sites: Hierarchical(fan_out: [2]), link_capacity: Law(Mbps(1)), link_latency: \
                 Law(Ms(10)), clients: Leaves), sharing: Fifo())";
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &["--rounds", "3", "--set", graph])) else { return };
    let summary = played(output);
    assert!(summary.contains("equal to the simulation's in 1 of 1"), "{summary}");
}

#[test]
fn what_takes_too_long_is_refused_before_anything_is_made() {
    let folder = scratch();
    let output = finish(emulate(&folder, "tiny.ron", &["--max-seconds", "1", "--set", "network.latency=Ms(500)"]));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("--max-seconds allows 1: choose fewer --rounds"), "{}", output.err);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn what_cannot_be_emulated_is_named() {
    let folder = scratch();
    let output = finish(emulate(&folder, "network.ron", &["--arm", "first"]));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("no arm `first`: expected `deadline`"), "{}", output.err);
    let cases = [
        ("network.jitter=Some(Ms(2))", "`network.jitter` cannot be emulated"),
        (
            "network.background=OnOff(flows: 1, mean_off: Ms(10), mean_size: KiB(10))",
            "`network.background` cannot be emulated",
        ),
        ("network.headers=Bytes(header: 40, segment: 10)", "expected `headers` with segments from 88"),
        ("compute.coding=(server_send: Ns(5), server_lanes: 2)", "`compute.coding` cannot be emulated"),
        ("protocol=CentralizedEm()", "nothing is sent"),
        ("stop.ronds=3", "did you mean `rounds`?"),
    ];
    for (set, expected) in cases {
        let output = finish(emulate(&folder, "tiny.ron", &["--set", set]));
        assert_eq!(output.code, Some(2), "{set}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{set}: {}", output.err);
    }
    assert!(!folder.path().join("out").exists());
}

/// The program as a user without rights, but to write in the folder; none where this test has none to give up.
fn unprivileged(folder: &TempDir, more: &[&str]) -> Option<Command> {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.path().join("fedbits-emulate");
    fs::copy(env!("CARGO_BIN_EXE_fedbits-emulate"), &program).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let works = Command::new("setpriv").args(nobody).arg("true").status().is_ok_and(|status| status.success());
    if !works {
        skipped(Lacks::Rights, "this test needs root and setpriv");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(nobody).arg(program).args(more).current_dir("/");
    Some(command)
}

#[test]
fn without_rights_the_error_says_what_is_missing() {
    let folder = scratch();
    let out = folder.path().join("out");
    let more = ["quickstart", "--rounds", "1", "--out", out.to_str().unwrap()];
    let Some(command) = unprivileged(&folder, &more) else { return };
    let output = finish(command);
    assert_eq!(output.code, Some(2), "{}{}", output.out, output.err);
    for word in [WITHOUT_RIGHTS, "CAP_NET_ADMIN", "/dev/net/tun", "sudo"] {
        assert!(output.err.contains(word), "{}", output.err);
    }
    assert!(!out.exists());
}

/// Network namespaces that a process holds open.
fn namespaces(process: u32) -> Vec<String> {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{process}/fd")) else { return Vec::new() };
    let target = |entry: fs::DirEntry| fs::read_link(entry.path()).ok().map(|path| path.display().to_string());
    descriptors.flatten().filter_map(target).filter(|target| target.starts_with("net:[")).collect()
}

/// The processes that hold one of these.
fn holders(namespaces: &[String]) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let held = |name: &str| {
        let process = name.parse().ok()?;
        let inside = fs::read_link(format!("/proc/{process}/ns/net")).ok().map(|path| path.display().to_string());
        self::namespaces(process).into_iter().chain(inside).any(|held| namespaces.contains(&held)).then_some(process)
    };
    processes.filter_map(|entry| held(&entry.file_name().to_string_lossy())).collect()
}

/// A process that ends with its test, also where an assertion fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing is left to do where it has ended by itself.
        drop(self.0.kill().and_then(|()| self.0.wait()));
    }
}

/// Starts a run and waits until it says a word on standard error.
fn begun(mut command: Command, word: &str) -> (Running, BufReader<ChildStderr>) {
    let mut child = Running(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut messages = BufReader::new(child.0.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert!(messages.read_line(&mut line).unwrap() > 0, "the run ended before it output `{word}`");
    }
    (child, messages)
}

/// Ends a process by a signal that it does not handle.
fn end(child: &mut Running, messages: &mut impl Read, signal: (&str, i32)) {
    let (name, number) = signal;
    let kill = Command::new("kill").args([&format!("-{name}"), &child.0.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.0.wait().unwrap().signal(), Some(number));
    messages.read_to_string(&mut String::new()).unwrap();
}

/// Signals end the process, and the kernel removes what no process holds.
#[test]
fn signals_leave_no_namespaces() {
    let folder = scratch();
    if allowed(emulate(&folder, "tiny.ron", &SMALL)).is_none() {
        return;
    }
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for signal in [("TERM", 15), ("KILL", 9)] {
        let more = ["--rounds", "100", "--set", "network.latency=Ms(400)"];
        let more = [&more[..], &["--max-seconds", "3600"]].concat();
        let (mut child, mut messages) = begun(emulate(&folder, "tiny.ron", &more), "1 of 1");
        let held = (0..400).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            Some(namespaces(child.0.id())).filter(|held| held.len() >= 6)
        });
        let held = held.expect("the namespaces are made");
        let before = holders(&held);
        assert!(before.contains(&child.0.id()));
        end(&mut child, &mut messages, signal);
        // What another test makes may have the number of a namespace that is gone.
        assert!(!holders(&held).iter().any(|process| before.contains(process)), "{signal:?}");
        assert!(!Path::new("/run/netns").join("fedbits0").exists());
        assert!(!folder.path().join("out").exists());
    }
}

/// The order of two arms that differ by much is that of the simulation, and its table has both; of one arm there is none.
#[test]
fn the_ranking_of_arms_survives() {
    let folder = scratch();
    let arms = r#"arms=[(name: "far", set: {"network.latency": "Ms(60)"}), (name: "near", set: {"network.latency": "Ms(5)"})]"#;
    let more = [&SMALL[2..], &["--set", arms, "--rounds", "3", "--repeat", "2", "--replicates", "2"]].concat();
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &more)) else { return };
    let summary = played(output);
    let verdict = "The ranking of the arms survives: Kendall's tau is 1.00, none of 1 pair is swapped.";
    assert!(summary.contains("order of 2 arms by the mean time of a round") && summary.contains(verdict), "{summary}");
    assert!(summary.contains("far, replicate 1"), "{summary}");
    let table = fs::read_to_string(folder.path().join("out/ranking.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let header =
        ["arm", "simulated_s", "measured_s", "measured_least_s", "measured_most_s", "simulated_rank", "measured_rank"];
    assert_eq!(rows[0], header);
    assert_eq!([rows[1][0], rows[2][0]], ["near", "far"]);
    assert_eq!([rows[1][6], rows[2][6]], ["1", "2"]);
    for row in &rows[1..] {
        let [simulated, mean, least, most] = [1, 2, 3, 4].map(|at| row[at].parse::<f64>().unwrap());
        assert!(least <= mean && mean <= most && (simulated / mean - 1.0).abs() < 0.2, "{table}");
    }
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let one = [&more[..], &["--arm", "near"]].concat();
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &one)) else { return };
    assert!(!played(output).contains("ranking") && !folder.path().join("out/ranking.csv").exists());
}

/// `--rounds` holds for arms that set their own; the transfers of arms that ended before a signal are kept.
#[test]
fn finished_arms_are_kept() {
    let folder = scratch();
    let arms =
        r#"arms=[(name: "short", set: {"stop.rounds": "30"}), (name: "long", set: {"network.latency": "Ms(400)"})]"#;
    let more = [&SMALL[2..], &["--set", arms, "--rounds", "2"]].concat();
    let Some(output) = allowed(emulate(&folder, "tiny.ron", &[&more[..], &["--arm", "short"]].concat())) else {
        return;
    };
    assert_eq!(numbers(&played(output), "rounds")[0], 2.0);
    let short = transfers(&folder).len();
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut child, mut messages) = begun(emulate(&folder, "tiny.ron", &more), "long: ");
    end(&mut child, &mut messages, ("TERM", 15));
    let rows = transfers(&folder);
    assert!(rows.len() == short && rows.iter().all(|row| row[0] == "short"), "{rows:?}");
}
