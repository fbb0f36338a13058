//! Values at the edges of their documented ranges, with little memory: every command says what is wrong, or does its
//! work, or is still at it when time is up. None is ended by the system.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::{Scratch, finish, program};

/// KiB of address space that a command has.
const ADDRESS_SPACE: u64 = 8 << 20;
/// Seconds after which a command is signalled to stop.
const PATIENCE: u64 = 20;

/// A line of `edges/values.txt`.
struct Edge {
    scenario: &'static str,
    sets: Vec<&'static str>,
    everywhere: bool,
}

fn edges() -> Vec<Edge> {
    let lines = include_str!("edges/values.txt").lines().filter(|line| !line.starts_with('#'));
    let edge = |line: &'static str| {
        let (scenario, rest) = line.split_once(' ').expect("a scenario, and what is set");
        let everywhere = rest.starts_with("* ");
        Edge { scenario, sets: rest.trim_start_matches("* ").split("; ").collect(), everywhere }
    };
    lines.map(edge).collect()
}

/// The same command with little address space.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("bash");
    limited.args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$@\""), "bash"]);
    limited.arg(command.get_program()).args(command.get_args()).env_remove("FEDBITS_DATA");
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

/// Waits for the end; what lasts is signalled to stop. Panics when the system ended it, or the program did not know
/// what to say.
fn survives(command: &Command) {
    let mut child = limited(command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("bash is installed");
    let mut pipe = child.stderr.take().expect("it is piped");
    let output = std::thread::spawn(move || {
        let mut output = String::new();
        pipe.read_to_string(&mut output).map(|_| output)
    });
    let stopped = stop_in_time(&mut child);
    let status = child.wait().expect("it has ended");
    let output = output.join().expect("the reader lives").expect("the program speaks UTF-8");
    for sign in ["memory allocation of", "panicked", "overflowed its stack"] {
        assert!(!output.contains(sign), "{command:?}: {output}");
    }
    let code = status.code();
    assert!(stopped || matches!(code, Some(0 | 1 | 2 | 74)), "{command:?} ends with {status}: {output}");
}

/// Whether it had to be stopped.
fn stop_in_time(child: &mut Child) -> bool {
    for tenth in 0..10 * (PATIENCE + 20) {
        if child.try_wait().expect("a child").is_some() {
            return tenth > 10 * PATIENCE;
        }
        if tenth == 10 * PATIENCE {
            Command::new("kill").arg(child.id().to_string()).status().expect("kill");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().expect("it was still there");
    true
}

fn scenario(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line/edges").join(format!("{name}.ron"))
}

impl Edge {
    /// The command on the scenario with these settings.
    fn command(&self, scratch: &Scratch, words: &[&str]) -> Command {
        let mut command = scratch.fedbits(words);
        command.arg(scenario(self.scenario));
        for set in &self.sets {
            command.args(["--set", set]);
        }
        command
    }

    /// A study with these settings in one of its arms, and one arm as usual.
    fn study(&self, scratch: &Scratch) {
        std::fs::copy(scenario(self.scenario), scratch.path("base.ron")).unwrap();
        let (path, value) = self.sets[0].split_once('=').expect("a setting");
        let settings = self.sets[1..].iter().map(|set| set.split_once('=').expect("a setting"));
        let settings: String = settings.map(|(path, value)| format!("{path:?}: {value:?}, ")).collect();
        let text = format!(
            "(name: \"edges\", base: \"base.ron\", arms: [(name: \"others\", set: {{{settings}}})], \
             axes: [Grid(name: \"edge\", path: {path:?}, values: [{value:?}])])"
        );
        std::fs::write(scratch.path("study.ron"), text).unwrap();
    }

    fn try_with(&self, commands: &[&str]) {
        let scratch = Scratch::new();
        for &command in commands {
            match command {
                "check" => survives(&self.command(&scratch, &["check", "--pilot-seconds", "2"])),
                "run" => survives(&self.command(&scratch, &["run", "--no-figures", "--out", "out"])),
                "study" => {
                    self.study(&scratch);
                    survives(&scratch.fedbits(["check", "study.ron", "--pilot-seconds", "2"]));
                    survives(&scratch.fedbits(["run", "study.ron", "--no-figures", "--out", "studied"]));
                    ["status", "compare", "report", "merge"]
                        .iter()
                        .for_each(|again| survives(&scratch.fedbits([*again, "studied"])));
                }
                again => survives(&scratch.fedbits([again, "out"])),
            }
        }
    }
}

/// Those that once ended the program.
#[test]
fn no_value_that_once_did_ends_a_command() {
    for edge in edges().iter().filter(|edge| edge.everywhere) {
        edge.try_with(&["check", "run"]);
    }
}

#[test]
#[ignore = "slow tier: an hour"]
fn no_value_ends_a_command() {
    for edge in edges() {
        edge.try_with(&["check", "run", "report", "verify", "study"]);
    }
}

/// The largest part is named with its position; `--max-memory` and its variable decide.
#[test]
fn missing_memory_is_reported_at_its_position() {
    let scratch = Scratch::new();
    std::fs::copy(scenario("mixture"), scratch.path("m.ron")).unwrap();
    let wide =
        ["run", "m.ron", "--no-figures", "--set", "protocol.compressor=CountSketch(rows: 64, columns: 1073741824)"];
    let output = finish(scratch.fedbits(wide));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("of memory, and") && output.err.contains("messages of 5 clients"), "{}", output.err);
    assert!(output.err.contains("protocol.compressor=CountSketch"), "{}", output.err);
    let many = ["check", "m.ron", "--set", "data.examples=3000000"];
    let output = finish(limited_to(&scratch, &many, "100MB"));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("95.4 MiB can be had: 3000000 examples"), "{}", output.err);
    let mut by_variable = scratch.fedbits(many);
    by_variable.env("FEDBITS_MAX_MEMORY", "100MB");
    assert_eq!(finish(by_variable).code, Some(2));
    let mut wrong = scratch.fedbits(many);
    wrong.env("FEDBITS_MAX_MEMORY", "much");
    let output = finish(wrong);
    assert!(output.code == Some(2) && output.err.contains("`much` is not a size"), "{}", output.err);
}

fn limited_to(scratch: &Scratch, words: &[&str], memory: &str) -> Command {
    let mut command = scratch.fedbits(words);
    command.args(["--max-memory", memory]);
    command
}

/// Four bytes are hardly what is meant.
#[test]
fn a_size_of_memory_has_a_unit() {
    let scratch = Scratch::new();
    std::fs::copy(scenario("mixture"), scratch.path("m.ron")).unwrap();
    let output = finish(limited_to(&scratch, &["run", "m.ron"], "4"));
    assert_eq!(output.code, Some(2), "{}", output.err);
    assert!(output.err.contains("`4` has no unit: expected for example 4GiB"), "{}", output.err);
    let mut by_variable = scratch.fedbits(["run", "m.ron"]);
    by_variable.env("FEDBITS_MAX_MEMORY", "4");
    let output = finish(by_variable);
    assert!(output.code == Some(2) && output.err.contains("FEDBITS_MAX_MEMORY: `4` has no unit"), "{}", output.err);
    assert!(!scratch.path("out").exists());
}

/// What a machine cannot hold is no result: where there is more memory, the run is made. Where no run can begin, nothing
/// is written.
#[test]
fn more_memory_makes_the_runs_that_did_not_fit() {
    let scratch = Scratch::new();
    std::fs::copy(scenario("mixture"), scratch.path("m.ron")).unwrap();
    let large = r#"arms=[(name: "small"), (name: "large", set: {"data.examples": "300000"})]"#;
    let words = ["run", "m.ron", "--no-figures", "--set", large, "--set", "stop=(rounds: 1)", "--out"];
    let run = |out: &'static str| [&words[..], &[out]].concat();
    let none = finish(limited_to(&scratch, &run("none"), "1kB"));
    assert!(none.code == Some(2) && none.err.contains("1000 bytes can be had"), "{}", none.err);
    assert!(!scratch.path("none").exists());
    let output = finish(limited_to(&scratch, &run("out"), "45MB"));
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.err.contains("one run could not be begun: replicate 0 of `large`: "), "{}", output.err);
    let again = finish(scratch.fedbits(run("out")));
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("1 run is there already, 1 to make"), "{}", again.err);
    assert!(again.err.contains("1 run could not be begun before, and is tried again"), "{}", again.err);
    let digest = |words: &[&str]| -> serde_json::Value {
        let said = finish(scratch.fedbits(words.iter().chain(&["--json"]))).done();
        serde_json::from_str::<serde_json::Value>(&said).unwrap()["digest"].clone()
    };
    assert_eq!(digest(&["status", "out"]), digest(&run("other")));
}

/// A run that does not fit fails, with its reason, and the others are run, also when they are resumed.
#[test]
fn a_run_that_does_not_fit_keeps_no_other_from_being_played() {
    let scratch = Scratch::new();
    std::fs::copy(scenario("mixture"), scratch.path("base.ron")).unwrap();
    let text = "(name: \"edges\", base: \"base.ron\", replicates: 2, axes: [Grid(name: \"sketch\", path: \
                \"protocol.compressor\", values: [\"Identity\", \"CountSketch(rows: 64, columns: 1073741824)\"])])";
    std::fs::write(scratch.path("study.ron"), text).unwrap();
    for _ in 0..2 {
        let output = finish(scratch.fedbits(["run", "study.ron", "--no-figures", "--out", "studied"]));
        assert!(matches!(output.code, Some(0 | 1)), "{}", output.err);
        let status = finish(scratch.fedbits(["status", "studied", "--json"]));
        assert_eq!(status.code, Some(1), "{}", status.err);
        let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
        assert_eq!((&status["planned"], &status["finished"], &status["not_run"]), (&4.into(), &2.into(), &2.into()));
        let results = std::fs::read_to_string(scratch.path("studied/runs.csv")).unwrap();
        assert_eq!(results.matches("can be had").count(), 2, "{results}");
    }
}

/// Packed files that unpack to very much, and lines without end.
#[test]
fn files_that_grow_are_refused() {
    let scratch = Scratch::new();
    let base = std::fs::read_to_string(scenario("mixture")).unwrap();
    let data = "RandomMixture(examples: 60, features: 2, components: 3, separation: 4)";
    let zeros = |name: &str, line: &str, mib: usize| {
        let lines = (1 << 20) / line.len();
        let make = format!("yes '{}' | head -{lines}", line.trim_end());
        let tail = if line.ends_with('\n') { "cat" } else { "tr -d '\\n'" };
        let mut made = Command::new("bash");
        // One MiB is packed, and written many times: packed files one after the other are a packed file.
        let pack = format!("{make} | {tail} | gzip -1 > mib.gz; for i in $(seq {mib}); do cat mib.gz; done > {name}");
        made.args(["-c", &pack]).current_dir(scratch.path(""));
        assert!(made.status().unwrap().success());
    };
    zeros("endless.csv.gz", "0123456789abcdef", 100);
    zeros("long.csv.gz", "1,2\n", 60);
    for (file, reason) in
        [("endless.csv.gz", "a line is longer than 64 MiB"), ("long.csv.gz", "more memory than there is")]
    {
        std::fs::write(scratch.path("m.ron"), base.replace(data, &format!("Csv(path: {file:?}, header: false)")))
            .unwrap();
        let output = finish(limited_to(&scratch, &["check", "m.ron"], "200MB"));
        assert_eq!(output.code, Some(2), "{file}: {}", output.err);
        assert!(output.err.contains(reason), "{file}: {}", output.err);
    }
    let corpus = "(name: \"c\", data: Corpus(path: \"corpus\"), clients: 1, model: Topics(topics: 2, alpha: 1, \
        smoothing: 1), initial: RandomTopics(), protocol: FlSaem(gamma: Constant(1), local: Sample(kernel: Gibbs)), \
        stop: (rounds: 1))";
    std::fs::write(scratch.path("c.ron"), corpus).unwrap();
    std::fs::write(scratch.path("corpus"), "1 1000000000:1\n").unwrap();
    let output = finish(limited_to(&scratch, &["check", "c.ron"], "1GB"));
    assert!(
        output.code == Some(2) && output.err.contains("corpus:1: column 2: expected a word from 0 to"),
        "{}",
        output.err
    );
}

/// The names of many columns take more memory than a row of numbers.
#[test]
fn files_of_many_columns_are_refused() {
    let scratch = Scratch::new();
    let base = std::fs::read_to_string(scenario("mixture")).unwrap();
    let data = "RandomMixture(examples: 60, features: 2, components: 3, separation: 4)";
    let header = format!("{:<117}\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3000000), }");
    let npy = [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), &[1; 3_000_000]].concat();
    let idx = [&b"\0\0\x08\x03\0\0\0\x01\0\0\x03\xe8\0\0\x0b\xb8"[..], &[1; 3_000_000]].concat();
    for (source, bytes) in [
        ("LibSvm(path: \"wide\")", b"1 3000000:1\n".to_vec()),
        ("Npy(path: \"wide\")", npy),
        ("Idx(images: \"wide\")", idx),
    ] {
        std::fs::write(scratch.path("wide"), bytes).unwrap();
        std::fs::write(scratch.path("m.ron"), base.replace(data, source)).unwrap();
        let output = finish(limited_to(&scratch, &["check", "m.ron"], "200MB"));
        assert_eq!(output.code, Some(2), "{source}: {}", output.err);
        assert!(output.err.contains("more memory than there is"), "{source}: {}", output.err);
    }
}

/// A run that a probe ends before its numbers would fail is played by `run` and accepted by `check`, whose pilot makes no
/// probes at first. Without that rule both fail.
#[test]
fn a_pilot_knows_what_a_probe_ends() {
    const SCENARIO: &str = r#"(
        name: "ends",
        data: RandomMixture(examples: 120, features: 2, components: 2, separation: 2.0),
        holdout: Some(Rows(0.2)),
        clients: Some(4),
        model: GaussianMixture(components: 2, covariance: Diagonal),
        initial: KMeansPlusPlus(),
        protocol: Marina(gamma: Power(initial: 0.789, exponent: 0.012, offset: 0.504), probability: 0.00209,
            compressor: BlockQuantization(block: 4, code: EliasDense)),
        stop: (rounds: Some(40), patience: Some((of: HeldOut, probes: 2))),
        record: (probe_every: Some(1)),
    )"#;
    let scratch = Scratch::new();
    std::fs::write(scratch.path("ends.ron"), SCENARIO).unwrap();
    let codes = |set: &[&str], out: &str| {
        let of = |words: &[&str]| finish(scratch.fedbits(words.iter().chain(set).chain(&["ends.ron"]))).code;
        (of(&["run", "--no-figures", "--out", out]), of(&["check"]))
    };
    assert_eq!(codes(&[], "ends"), (Some(0), Some(0)));
    assert_eq!(codes(&["--set", "stop.patience=None"], "fails"), (Some(1), Some(2)));
}

/// A pilot ends, whatever it runs; where the run would fail, `check` does.
#[test]
fn a_check_ends() {
    let scratch = Scratch::new();
    std::fs::copy(scenario("mixture"), scratch.path("m.ron")).unwrap();
    let check = |sets: &[&str]| {
        let mut command = program();
        command.current_dir(scratch.path("")).args(["check", "m.ron", "--resolved", "--pilot-seconds", "1"]);
        for set in sets {
            command.args(["--set", set]);
        }
        finish(command)
    };
    // Each of the ten restarts of k-means has more to do than there is time for.
    let long = check(&["data.examples=2000000", "initial=KMeans(iterations: 10000, restarts: 10000)"]);
    assert!(
        long.out.contains("no pilot: reading and preparing the data took more than 1 s"),
        "{}{}",
        long.out,
        long.err
    );
    assert_eq!(long.code, Some(0));
    // Rounds that go on: this many local steps.
    let cut = check(&[
        "data.examples=100000",
        "model.components=100",
        "protocol=FedAvgEm(local_steps: 1000, domain: Clip(floor: 0.01))",
    ]);
    assert_eq!(cut.code, Some(0), "{}", cut.err);
    assert!(cut.out.contains("took too long") || cut.out.contains("no pilot"), "{}", cut.out);
    assert!(!cut.out.contains("a round, mean"), "{}", cut.out);
    let fails = check(&["network.loss=Bernoulli(0.9999999999999999)"]);
    assert!(
        fails.code == Some(2) && fails.err.contains("`mixture` failed in the pilot: "),
        "{}{}",
        fails.out,
        fails.err
    );
    assert!(!fails.out.contains("a round, mean"), "{}", fails.out);
}
