//! `fedbits emulate`. What needs namespaces is skipped where there are none, unless `FEDBITS_EMULATE=1` requires it.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::signals::{begun, heard, signal_and_wait};
use crate::skips::{Lacks, skipped};
use crate::support::{Output, Scratch, finish, scenario_file};

const WITHOUT_RIGHTS: &str = "this process may not";

/// A star of five clients with a megabit each, five rounds.
const SMALL: [&str; 8] = [
    "--rounds",
    "5",
    "--set",
    "network=Star(client_up: Mbps(1), client_down: Mbps(2), latency: Ms(10), server_up: Mbps(4), server_down: Mbps(4), \
     sharing: Fifo())",
    "--out",
    "record",
    "--set",
    "stop.time=None",
];

fn emulate(scratch: &Scratch, scenario: &str, more: &[&str]) -> Command {
    let mut command = scratch.fedbits(["emulate"]);
    command.arg(scenario_file(scenario)).args(more);
    command
}

/// One emulation at a time: they are measured.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs to the end, alone. None where this machine does not let us, and nobody requires it.
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
    if output.code == Some(1) && output.err.contains("more than a millisecond late") {
        return output.out;
    }
    output.done()
}

#[test]
fn a_small_star_is_as_the_simulation_says() {
    let scratch = Scratch::new();
    let Some(output) = allowed(emulate(&scratch, "tiny.ron", &[&SMALL[..], &["--json"]].concat())) else {
        return;
    };
    let told: serde_json::Value = serde_json::from_str(&played(output)).unwrap();
    let arm = &told["arms"][0];
    let real = &arm["real"][0];
    assert_eq!(real["same"], true, "{arm:#}");
    assert_eq!(real["digests"]["state"], arm["simulated"]["digests"]["state"]);
    assert_eq!(real["wire"]["headers"], real["totals"]["bits_header"]);
    let bits = |name: &str| real["report"][name].as_u64().unwrap();
    assert_eq!(bits("payload_bits"), bits("content_bits") + 25, "all is coded but for a bit that acknowledges");
    // Initial memories and five rounds of five clients, down and up.
    assert_eq!([&arm["errors"][0]["count"], &arm["errors"][1]["count"]], [30, 30]);
    for errors in arm["errors"].as_array().unwrap() {
        let median = errors["median_percent"].as_f64().unwrap();
        assert!(median < 2.0, "a loaded machine is late, but nothing arrives before the links allow it: {errors}");
    }
    let table = fs::read_to_string(scratch.path("record/emulation.csv")).unwrap();
    assert_eq!(table.lines().count(), 61);
    assert!(scratch.path("record/figures/emulation.svg").is_file());
    // What was measured is no result of the scenario.
    finish(scratch.fedbits(["verify", "record"])).done();
    let again = finish(emulate(&scratch, "environment.ron", &SMALL));
    assert_eq!((again.code, again.out.as_str()), (Some(2), ""), "{}", again.err);
    assert!(again.err.contains("record"), "{}", again.err);
}

#[test]
fn repeats_connections_and_other_queues() {
    let scratch = Scratch::new();
    let more = ["--repeat", "2", "--queue", "fair", "--room", "64kB", "--congestion", "reno", "--no-figures"];
    let per_message = ["--set", "network.transport=(set_up: 1)"];
    let Some(output) = allowed(emulate(&scratch, "tiny.ron", &[&SMALL, &more[..], &per_message].concat())) else {
        return;
    };
    let text = played(output);
    assert!(text.contains("in 2 of 2"), "{text}");
    assert_eq!(fs::read_to_string(scratch.path("record/emulation_rounds.csv")).unwrap().lines().count(), 11);
}

#[test]
fn deadlines_dropouts_and_losses_are_played() {
    let scratch = Scratch::new();
    let arms = ["--set", "arms=[]", "--set", "round=First(4)"];
    let more = ["--rounds", "4", "--no-figures", "--set", "network.loss=Bernoulli(0.02)", "--out", "record"];
    let more = [&more[..], &arms].concat();
    let Some(output) = allowed(emulate(&scratch, "network.ron", &more)) else { return };
    assert!(output.err.contains("differs from the simulation, as it may"), "{}", output.err);
    played(output);
}

#[test]
fn neighbours_are_played() {
    let scratch = Scratch::new();
    let graph = "network=Graph(sites: Ring(6), link_capacity: Law(Mbps(2)), link_latency: Law(Ms(5)))";
    let more = ["--rounds", "1", "--no-figures", "--set", graph, "--set", "arms=[]", "--out", "record"];
    let Some(output) = allowed(emulate(&scratch, "vpem.ron", &more)) else { return };
    let text = played(output);
    assert!(text.contains("other transfers"), "{text}");
}

#[test]
fn sites_between_server_and_clients_are_played() {
    let scratch = Scratch::new();
    let graph = "network=Graph(sites: Hierarchical(fan_out: [2]), link_capacity: Law(Mbps(1)), link_latency: \
                 Law(Ms(10)), clients: Leaves, sharing: Fifo())";
    let more = ["--rounds", "3", "--no-figures", "--set", graph, "--out", "record"];
    let Some(output) = allowed(emulate(&scratch, "tiny.ron", &more)) else { return };
    let text = played(output);
    assert!(text.contains("equal to the simulation's in 1 of 1"), "{text}");
}

#[test]
fn what_takes_too_long_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let slow = ["--max-seconds", "1", "--set", "network.latency=Ms(500)", "--out", "record"];
    let output = finish(emulate(&scratch, "tiny.ron", &slow));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("--max-seconds allows 1: choose fewer --rounds"), "{}", output.err);
    assert!(!scratch.path("record").exists());
}

#[test]
fn what_cannot_be_emulated_is_named() {
    let scratch = Scratch::new();
    let output = finish(emulate(&scratch, "network.ron", &["--arm", "first", "--out", "record"]));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("no arm `first`: expected `deadline`"), "{}", output.err);
    let cases = [
        ("network.jitter=Some(Ms(2))", "`network.jitter` cannot be emulated"),
        (
            "network.background=OnOff(flows: 1, mean_off: Ms(10), mean_size: KiB(10))",
            "`network.background` cannot be emulated",
        ),
        ("network.headers=Bytes(header: 40, segment: 10)", "expected `headers` with segments from 88"),
        ("protocol=CentralizedEm()", "nothing is sent"),
    ];
    for name in ["", "qubic"] {
        let output = finish(emulate(&scratch, "tiny.ron", &["--congestion", name, "--out", "record"]));
        let is_told = output.err.contains(WITHOUT_RIGHTS) || output.err.contains("congestion");
        assert!(output.code == Some(2) && is_told, "{name:?}: {}{}", output.out, output.err);
    }
    for (set, expected) in cases {
        let output = finish(emulate(&scratch, "tiny.ron", &["--set", set, "--out", "record"]));
        assert_eq!(output.code, Some(2), "{set}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{set}: {}", output.err);
    }
}

/// The program as a user without rights, but to write in the folder; none where this test has none to give up.
fn unprivileged(scratch: &Scratch, more: &[&str]) -> Option<Command> {
    use std::os::unix::fs::PermissionsExt;
    let program = scratch.path("fedbits");
    fs::copy(env!("CARGO_BIN_EXE_fedbits"), &program).unwrap();
    fs::set_permissions(scratch.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let works = Command::new("setpriv").args(nobody).arg("true").status().is_ok_and(|status| status.success());
    if !works {
        skipped(Lacks::Rights, "this test needs root and setpriv");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(nobody).arg(program).arg("emulate").args(more).current_dir("/");
    Some(command)
}

#[test]
fn without_rights_the_error_says_what_is_missing() {
    let scratch = Scratch::new();
    let out = scratch.path("record");
    let more = ["quickstart", "--rounds", "1", "--out", out.to_str().unwrap()];
    let Some(command) = unprivileged(&scratch, &more) else { return };
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
        let own = fs::read_link(format!("/proc/{process}/ns/net")).ok().map(|path| path.display().to_string());
        self::namespaces(process).into_iter().chain(own).any(|held| namespaces.contains(&held)).then_some(process)
    };
    processes.filter_map(|entry| held(&entry.file_name().to_string_lossy())).collect()
}

/// Not stopped by themselves, signals end the process; the kernel removes what nobody holds.
#[test]
fn signals_leave_no_namespaces() {
    let scratch = Scratch::new();
    let more = ["--rounds", "100", "--set", "network.latency=Ms(400)", "--out", "record"];
    if allowed(emulate(&scratch, "tiny.ron", &[&SMALL[..], &["--no-figures"]].concat())).is_none() {
        return;
    }
    for (signal, code) in heard().map(|(signal, code)| (signal, Some(code))).chain([("KILL", None)]) {
        let (mut child, mut messages) = begun(emulate(&scratch, "tiny.ron", &[&more[..], &["-v"]].concat()), "1 of 1");
        let deadline = 400;
        let held = (0..deadline).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            Some(namespaces(child.id())).filter(|held| held.len() >= 6)
        });
        let held = held.expect("the namespaces are made");
        let before = holders(&held);
        assert!(before.contains(&child.id()));
        let (ended, _) = signal_and_wait(&mut child, signal);
        assert_eq!(ended, code, "{signal}");
        let mut said = String::new();
        messages.read_to_string(&mut said).unwrap();
        // What another test makes may have the number of a namespace that is gone.
        assert!(!holders(&held).iter().any(|process| before.contains(process)), "{signal}: {said}");
        assert!(!Path::new("/run/netns").join("fedbits0").exists());
    }
    // The record of the first emulation only; the next process takes the claim of one that was killed.
    let names = fs::read_dir(scratch.path("")).unwrap().flatten().map(|entry| entry.file_name());
    let folders: Vec<_> = names.filter(|name| !fedbits_record::is_temporary(name)).collect();
    assert_eq!(folders, ["record"]);
}

/// `--rounds` holds for arms that set their own; what was played before a signal is kept.
#[test]
fn finished_arms_are_kept() {
    let scratch = Scratch::new();
    let arms =
        r#"arms=[(name: "short", set: {"stop.rounds": "30"}), (name: "long", set: {"network.latency": "Ms(400)"})]"#;
    let more = [&SMALL[2..], &["--no-figures", "--set", arms, "--rounds", "2"]].concat();
    let short = emulate(&scratch, "tiny.ron", &[&more[..], &["--arm", "short"]].concat());
    let Some(output) = allowed(short) else { return };
    played(output);
    let rounds =
        |record: &str| fs::read_to_string(scratch.path(record).join("emulation_rounds.csv")).unwrap().lines().count();
    assert_eq!(rounds("record/short"), 3);
    fs::remove_dir_all(scratch.path("record")).unwrap();
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut child, mut messages) = begun(emulate(&scratch, "tiny.ron", &[&more[..], &["-v"]].concat()), "long: ");
    let Some((signal, code)) = heard().next() else {
        return skipped(Lacks::System, "all signals are ignored from the start here");
    };
    assert_eq!(signal_and_wait(&mut child, signal).0, Some(code));
    let mut said = String::new();
    messages.read_to_string(&mut said).unwrap();
    assert_eq!(rounds("record/short"), 3, "{said}");
    assert!(!scratch.path("record/long").exists(), "{said}");
}
