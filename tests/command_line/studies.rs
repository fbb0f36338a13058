//! Studies from the command line: resumed after any end, sharded in any way, changed, refused before the first run,
//! compared.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::command_line::running::Running;
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish, scenario_file};

/// A scratch folder with the tiny study in it, changed by replacing texts.
pub(crate) fn scratch_with(changes: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    fs::copy(scenario_file("tiny.ron"), scratch.path("tiny.ron")).unwrap();
    write_study(&scratch, changes);
    scratch
}

fn write_study(scratch: &Scratch, changes: &[(&str, &str)]) {
    let mut text = fs::read_to_string(scenario_file("study.ron")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(scratch.path("study.ron"), text).unwrap();
}

pub(crate) fn study(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "out", "--json"]);
    command.args(arguments);
    command
}

/// What is there; the exit code says whether runs have failed.
fn status(scratch: &Scratch) -> Value {
    let output = finish(scratch.fedbits(["status", "out", "--json"]));
    let counts = json(&output.out);
    assert_eq!(output.code, Some(i32::from(counts["failed"] != 0 || counts["not_run"] != 0)), "{}", output.err);
    counts
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What the undisturbed study gives: the digest, and `runs.csv`.
pub(crate) fn undisturbed(changes: &[(&str, &str)]) -> (String, String) {
    let scratch = scratch_with(changes);
    let digest = json(&finish(study(&scratch, &[])).done())["digest"].as_str().unwrap().to_owned();
    (digest, fs::read_to_string(scratch.path("out/runs.csv")).unwrap())
}

#[test]
fn a_study_leaves_its_tables_and_is_done_once() {
    let scratch = scratch_with(&[]);
    let output = finish(study(&scratch, &[]));
    assert!(output.err.contains("24 runs to make"), "{}", output.err);
    let first = json(&output.done());
    assert_eq!((&first["planned"], &first["finished"]), (&24.into(), &24.into()));
    let mut reader = csv::Reader::from_path(scratch.path("out/runs.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    assert_eq!(header.iter().take(5).collect::<Vec<_>>(), ["arm", "compressor", "participation", "replicate", "seed"]);
    assert_eq!(reader.records().count(), 24);
    // 21 rows of rounds 0 to 20 per run.
    assert_eq!(csv::Reader::from_path(scratch.path("out/rounds.csv")).unwrap().records().count(), 24 * 21);
    let readme = fs::read_to_string(scratch.path("out/README.md")).unwrap();
    assert!(readme.contains("read_csv") && readme.contains("DuckDB"), "{readme}");
    let results = fs::read(scratch.path("out/runs.csv")).unwrap();
    let again = finish(study(&scratch, &["--threads", "1"]));
    assert!(again.err.contains("24 runs are there already, none to make"), "{}", again.err);
    assert_eq!(json(&again.done()), first);
    assert_eq!(fs::read(scratch.path("out/runs.csv")).unwrap(), results);
}

/// Common random numbers: replicate r of every arm has the data of replicate r, and other replicates have others.
#[test]
fn arms_meet_the_same_data() {
    let (_, results) = undisturbed(&[]);
    let mut reader = csv::Reader::from_reader(results.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let (replicate, data) = (column("replicate"), column("data_digest"));
    let mut digests = vec![Vec::new(); 6];
    for row in reader.records() {
        let row = row.unwrap();
        digests[row[replicate].parse::<usize>().unwrap()].push(row[data].to_owned());
    }
    for group in &mut digests {
        assert_eq!(group.len(), 4);
        group.dedup();
        assert_eq!(group.len(), 1);
    }
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 6);
}

/// What a changed study keeps: an arm that is still the same scenario, whatever its level is called now.
#[test]
fn a_changed_study_keeps_what_is_valid() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &[])).done();
    write_study(
        &scratch,
        &[("replicates: 6", "replicates: 8"), ("RandK(k: 2)", "RandK(k: 1)"), ("\"none\"", "\"off\"")],
    );
    let output = finish(study(&scratch, &[]));
    // The two arms without compression keep 6 of 8 replicates; two new arms of 8 replace two of 6.
    assert!(
        output.err.contains("12 runs are there already, 20 to make, 12 results of other settings stay"),
        "{}",
        output.err
    );
    assert_eq!(json(&output.done())["finished"], 32);
}

/// Shards of any number, run in any order, in one directory or merged from several, give one digest and one table.
#[test]
fn shards_in_any_order_are_the_whole() {
    let (digest, results) = undisturbed(&[]);
    for count in [1_usize, 2, 3, 7, 16] {
        let scratch = scratch_with(&[]);
        let apart = count == 3;
        let mut folders = vec!["out".to_owned()];
        for index in (0..count).rev() {
            let folder = if apart { format!("part-{index}") } else { "out".to_owned() };
            let shard = format!("{index}/{count}");
            let out = ["--out", &folder, "--shard", &shard, "-q"];
            finish(scratch.fedbits([&["study", "study.ron", "--no-figures"], &out[..]].concat())).done();
            folders.extend(apart.then_some(folder));
        }
        let parts: Vec<&str> = folders.iter().skip(usize::from(apart)).map(String::as_str).collect();
        let merged = finish(scratch.fedbits([&["merge"], &parts[..], &["--out", "out", "--json"]].concat())).done();
        assert_eq!(json(&merged)["digest"], digest.as_str(), "{count} shards");
        assert_eq!(fs::read_to_string(scratch.path("out/runs.csv")).unwrap(), results, "{count} shards");
    }
}

/// Shards that all start at once in a directory that is not there yet do not mistake each other's files for somebody
/// else's.
#[test]
fn shards_may_start_together() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 2")]);
    let shard = |index: usize| {
        let shard = format!("{index}/8");
        let mut command = study(&scratch, &["-q", "--threads", "1", "--shard", &shard]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = (0..8).map(shard).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let merged = json(&finish(scratch.fedbits(["merge", "out", "--json"])).done());
    assert_eq!(merged["digest"], undisturbed(&[("replicates: 6", "replicates: 2")]).0.as_str());
}

#[test]
fn a_merge_of_different_studies_or_of_a_part_says_so() {
    let scratch = scratch_with(&[]);
    finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "a", "--shard", "0/2", "-q"])).done();
    let part = finish(scratch.fedbits(["merge", "a"]));
    assert_eq!(part.code, Some(1));
    assert!(part.err.contains("runs that are missing: 12 of 24"), "{}", part.err);
    write_study(&scratch, &[("replicates: 6", "replicates: 5")]);
    finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "b", "--shard", "0/2", "-q"])).done();
    let other = finish(scratch.fedbits(["merge", "a", "b"]));
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("a and b hold different runs"), "{}", other.err);
}

/// Kills the study again and again, anywhere between its start and its end; nothing that was finished is lost, and what
/// comes out is what an undisturbed study gives.
#[expect(clippy::disallowed_methods, reason = "how long the undisturbed study takes decides when it is killed")]
fn kill(times: u64, changes: &[(&str, &str)]) {
    let started = std::time::Instant::now();
    let (digest, results) = undisturbed(changes);
    let whole = started.elapsed();
    let scratch = scratch_with(changes);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let mut finished = 0;
    let mut redone = 0;
    for kill in 0..times {
        let mut child: Child = study(&scratch, &["-q"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(((kill * 619) % 1_000) as f64 / 1_500.0 / (1.0 + times as f64 / 100.0)));
        let _ = child.kill();
        child.wait().unwrap();
        if !scratch.path("out/plan.json").is_file() {
            continue;
        }
        let now = status(&scratch)["finished"].as_u64().unwrap();
        assert!(now >= finished, "{finished} runs were finished, now {now}");
        finished = now;
        redone += workers;
    }
    let last = json(&finish(study(&scratch, &[])).done());
    assert_eq!(last["digest"], digest.as_str());
    assert_eq!(fs::read_to_string(scratch.path("out/runs.csv")).unwrap(), results);
    // Every frame is of another run: nothing finished was run twice.
    let bytes: Vec<u8> = segments(&scratch.path("out/segments")).into_iter().flatten().collect();
    let frames = bytes.windows(8).filter(|window| *window == b"\xF5fedbit\n").count() as u64;
    let planned = last["planned"].as_u64().unwrap();
    assert!(frames <= planned + redone, "{frames} frames for {planned} runs");
}

fn segments(folder: &Path) -> Vec<Vec<u8>> {
    fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn a_killed_study_loses_nothing() {
    kill(50, &[("replicates: 6", "replicates: 50")]);
}

/// The full measure: `cargo test --release --test tests -- --ignored five_hundred_kills`.
#[test]
#[ignore = "500 kills of a study of 500 runs: minutes"]
fn five_hundred_kills() {
    kill(500, &[("replicates: 6", "replicates: 125")]);
}

/// A signal ends a study with 128 + its number; what is finished stays.
#[test]
#[cfg(unix)]
fn a_signal_ends_it_and_keeps_what_is_finished() {
    let scratch = scratch_with(&[("replicates: 6", "replicates: 200000")]);
    let mut child = Running::quietly(&mut study(&scratch, &["-q"]));
    let begun = || scratch.path("out/segments/000000.seg").metadata().is_ok_and(|file| file.len() > 0);
    for _ in 0..2_000 {
        if begun() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(begun(), "a first run is finished within 20 s");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(status(&scratch)["finished"].as_u64().unwrap() > 0);
}

/// An arm whose simulation fails, and one whose data file is missing, keep no other from running; the exit code is 1,
/// and failed runs are run again only on request.
#[test]
fn failures_are_counted_and_retried_on_demand() {
    let coarse = "RandK(k: 1)\", \"RandK(k: 2)\"], labels: [\"none\", \"coarse\", ";
    let scratch = scratch_with(&[
        ("RandK(k: 2)\"], labels: [\"none\", ", coarse),
        ("replicates: 6", "replicates: 3, protocol: FedEm(domain: Error, gamma: Constant(1))"),
    ]);
    let output = finish(study(&scratch, &[]));
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert!(output.err.contains("runs failed, the first is replicate"), "{}", output.err);
    let counts = status(&scratch);
    assert!(counts["failed"].as_u64().unwrap() > 0 && counts["finished"].as_u64().unwrap() > 0, "{counts}");
    let failed = counts["failed"].as_u64().unwrap();
    let again = finish(study(&scratch, &[]));
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("none to make") && again.err.contains("--retry-failed"), "{}", again.err);
    let retried = finish(study(&scratch, &["--retry-failed"]));
    assert!(retried.err.contains(&format!(" there already, {failed} to make")), "{}", retried.err);
    assert_eq!(status(&scratch), counts, "a simulation that fails, fails again in the same way");
}

/// A file system that is full: exit code 74; when there is space again the study goes on to the right digest.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_it_and_space_resumes_it() {
    let changes = [("replicates: 6", "replicates: 60")];
    let scratch = scratch_with(&changes);
    let folder = scratch.path("small");
    fs::create_dir(&folder).unwrap();
    let mount = |options: &str| {
        let command = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&folder).output();
        command.is_ok_and(|output| output.status.success())
    };
    if !mount("size=192k") {
        skipped(Lacks::Rights, "mounting a tmpfs needs root");
        return;
    }
    let run = || finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "small/out", "-q", "--json"]));
    let full = run();
    let larger = mount("remount,size=64m");
    let resumed = run();
    let unmounted = Command::new("umount").arg(&folder).status().unwrap();
    assert_eq!(full.code, Some(74), "{}", full.err);
    assert!(larger && unmounted.success());
    assert_eq!(json(&resumed.done())["digest"], undisturbed(&changes).0.as_str());
}

/// Nothing is run, and nothing is written, when a study is wrong; every problem is shown where it stands.
#[test]
fn a_wrong_study_is_refused_before_its_first_run() {
    let billion = "values: [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"10\"]";
    let axes: String = (0..9).map(|axis| format!("Grid(path: \"compute.a{axis}\", {billion}),")).collect();
    let half = "\"Bernoulli(0.5)\"], labels: [\"all\", \"half\"]";
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[("protocol.participation", "protocol.participaton")], "did you mean `participation`?"),
        (&[("RandK(k: 2)", "RandK(k: 700)")], "(in arm `rand-2 / all` and 1 other)"),
        (&[(half, "\"All\"], labels: [\"all\", \"too\"]")], "are the same scenario"),
        (&[("axes: [", &format!("axes: [ {axes}"))], "arms are too many"),
        (&[("replicates: 6", "replicates: 6, record: (probe_every: None)")], "no arm measures `mean_field_sq`"),
        (&[("MeanFieldSq(1e-3)", "Column(name: \"velocity\", at_most: 1)")], "no arm measures a column `velocity`"),
        (
            &[("MeanFieldSq(1e-3)", "Column(name: \"bits_up\", at_most: 1)")],
            "`bits_up` is what a run spends, and no target",
        ),
        (&[("replicates: 6", "replicates: 6, baseline: {\"compresor\": \"none\"}")], "did you mean `compressor`?"),
    ];
    for (changes, expected) in cases {
        let scratch = scratch_with(changes);
        for command in ["study", "check"] {
            let output = finish(scratch.fedbits([command, "study.ron"]));
            assert_eq!(output.code, Some(2), "{changes:?}: {}{}", output.out, output.err);
            assert!(output.err.contains(expected), "{changes:?}: {}", output.err);
        }
        assert!(!scratch.path("out").exists(), "{changes:?}");
    }
}

/// The bytes of a folder and all that is in it.
fn bytes_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| if entry.path().is_dir() { bytes_of(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

/// What `check` says of the disk is what a study leaves there, whatever its runs record; tables of theta, statistics and
/// links count.
#[test]
fn check_knows_what_a_study_leaves() {
    let recorded = "record: (theta: true, statistics: true, clients: Some(false))";
    let graph = "record: (probe_every: 2), network: (shape: Graph(sites: Ring(600), link_latency: Law(Ms(1))))";
    for changed in ["record: (probe_every: 2)", recorded, graph] {
        let scratch = scratch_with(&[]);
        let tiny = fs::read_to_string(scratch.path("tiny.ron")).unwrap();
        let tiny = tiny.replace("record: (probe_every: 2)", changed);
        let many = "GaussianMixture(components: 10, covariance: Full)";
        let tiny = tiny.replace("GaussianMixture(components: 2, covariance: Known([[1, 0], [0, 1]]))", many);
        let start = "initial: Theta(weights: [0.5, 0.5], means: [[-0.5, 0], [0.5, 0]])";
        let tiny = tiny.replace(start, "initial: RandomExamples").replace("SkipRound", "Clip(floor: 1e-2)");
        fs::write(scratch.path("tiny.ron"), tiny).unwrap();
        let costs = json(&finish(scratch.fedbits(["check", "study.ron", "--json"])).done());
        finish(scratch.fedbits(["study", "study.ron", "--no-figures", "--out", "out"])).done();
        let ratio = costs["disk_bytes"].as_f64().unwrap() / bytes_of(&scratch.path("out")) as f64;
        assert!((0.6..1.7).contains(&ratio), "{changed}: {ratio}");
    }
}

/// The time of a study has that of preparing its runs: here of a start by k-means, beside which one round is short.
#[test]
fn check_counts_preparation() {
    let scratch = scratch_with(&[]);
    let tiny = fs::read_to_string(scratch.path("tiny.ron")).unwrap();
    let tiny = tiny.replace("examples: 200", "examples: 20_000").replace("rounds: 20", "rounds: 1").replace(
        "initial: Theta(weights: [0.5, 0.5], means: [[-0.5, 0], [0.5, 0]])",
        "initial: KMeans(iterations: 300, restarts: 20)",
    );
    fs::write(scratch.path("tiny.ron"), tiny).unwrap();
    let alone = json(&finish(scratch.fedbits(["check", "tiny.ron", "--json"])).done());
    let prepared = alone["arms"][0]["preparation_seconds"].as_f64().unwrap();
    let whole = json(&finish(scratch.fedbits(["check", "study.ron", "--json"])).done());
    let seconds = whole["host_seconds"].as_f64().unwrap();
    assert!(seconds > 24.0 * 0.3 * prepared, "{seconds} s for 24 runs of {prepared} s before they begin");
}

#[test]
fn check_reports_what_a_study_will_cost() {
    let scratch = scratch_with(&[]);
    let costs = json(&finish(scratch.fedbits(["check", "study.ron", "--json"])).done());
    assert_eq!(costs["runs"], 24);
    assert_eq!(costs["baseline"], "none / all");
    assert!(costs["bits"].as_f64().unwrap() > 0.0 && costs["disk_bytes"].as_f64().unwrap() > 0.0);
    let arms = json(&finish(scratch.fedbits(["check", "study.ron", "--text-only", "--json"])).done());
    assert_eq!((arms["arms"].as_array().unwrap().len(), &arms["arms"][0]["role"]), (4, &"baseline".into()), "{arms}");
    let text = finish(scratch.fedbits(["check", "study.ron"])).done();
    assert!(text.contains("24 runs: 4 arms × 6 replicates") && text.contains("host time: about"), "{text}");
    assert!(!text.contains("\n\n\n"), "{text}");
    // `study` is another name of `run`.
    let output = |command: &str, out: &str| {
        finish(scratch.fedbits([command, "study.ron", "--no-figures", "--json", "--out", out])).done()
    };
    assert_eq!(json(&output("run", "a"))["digest"], json(&output("study", "b"))["digest"]);
}

/// The paired ratio of bits to the target, and its interval, from runs.csv by the formulas: mean and standard
/// deviation of logarithms, t(0.975, 5) = 2.5705818 (tables).
#[test]
fn compare_gives_what_the_table_gives() {
    let scratch = scratch_with(&[]);
    let summary = json(&finish(study(&scratch, &[])).done());
    let mut reader = csv::Reader::from_path(scratch.path("out/runs.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let (arm, reached, bits) =
        (column("arm"), column("reached_to_mean_field_sq_0.001"), column("bits_total_to_mean_field_sq_0.001"));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let of = |name: &str| -> Vec<f64> {
        let kept = rows.iter().filter(|row| &row[arm] == name && &row[reached] == "1");
        kept.map(|row| row[bits].parse().unwrap()).collect()
    };
    let (base, half) = (of("none / all"), of("none / half"));
    assert_eq!((base.len(), half.len()), (6, 6), "every run of these arms reaches the target");
    let logarithms: Vec<f64> = half.iter().zip(&base).map(|(half, base)| libm::log(half / base)).collect();
    let mean = logarithms.iter().sum::<f64>() / 6.0;
    let variance = logarithms.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 5.0;
    let half_width = 2.570_581_835_636_314 * libm::sqrt(variance / 6.0);
    let comparison = json(&finish(scratch.fedbits(["compare", "out", "--format", "json"])).done());
    let row = comparison["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["arm"] == "none / half" && row["measure"] == "bits_total" && row["target"].is_string());
    let row = row.expect("a row of the arm and the measure");
    let close = |name: &str, expected: f64| {
        let value = row[name].as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 1e-9, "{name}: {value}, expected {expected}");
    };
    assert_eq!(row["pairs"], 6);
    close("ratio", libm::exp(mean));
    close("ratio_low", libm::exp(mean - half_width));
    close("ratio_high", libm::exp(mean + half_width));
    for format in ["human", "csv", "latex"] {
        let text = finish(scratch.fedbits(["compare", "out", "--format", format])).done();
        // People's lines are as wide as their terminal.
        let text = text.replace('\n', " ");
        assert!(text.contains("none / half"), "{text}");
        assert!(text.contains(&format!("digest {}", summary["digest"].as_str().unwrap())), "{text}");
    }
    let tables = finish(scratch.fedbits(["compare", "out", "--format", "latex"])).done();
    assert!(tables.lines().all(|line| line.starts_with('%') || line.is_ascii()), "{tables}");
    let line = format!(
        "{:.3} {{[}}{:.3}, {:.3}]",
        libm::exp(mean),
        libm::exp(mean - half_width),
        libm::exp(mean + half_width)
    );
    assert!(tables.contains(&line), "no `{line}` in {tables}");
    for part in ["& rounds &", "the end of the runs", "% Pareto front of the medians", "% ranking by all bits to"] {
        assert!(tables.contains(part), "no `{part}` in {tables}");
    }
    set(&scratch.path("."), &tables);
}

/// LaTeX takes the tables, where it is installed.
fn set(folder: &Path, tables: &str) {
    if !Command::new("kpsewhich").arg("booktabs.sty").output().is_ok_and(|found| found.status.success()) {
        skipped(Lacks::Program, "pdflatex with booktabs (Debian: texlive-latex-recommended) is not installed");
        return;
    }
    let document = format!(
        "\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{tables}\\end{{document}}\n"
    );
    fs::write(folder.join("tables.tex"), document).unwrap();
    let options = ["-interaction=nonstopmode", "-halt-on-error", "tables.tex"];
    let output = Command::new("pdflatex").args(options).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Where data were altered, they are named.
#[test]
fn altered_data_of_a_study_are_named() {
    let scratch = Scratch::new();
    for file in ["table.ron", "table.csv"] {
        fs::copy(scenario_file(file), scratch.path(file)).unwrap();
    }
    let text = r#"(name: "tables", base: "table.ron", replicates: 2, stop: (rounds: 2), axes: [])"#;
    fs::write(scratch.path("study.ron"), text).unwrap();
    finish(study(&scratch, &["-q"])).done();
    let table = fs::read_to_string(scratch.path("table.csv")).unwrap();
    fs::write(scratch.path("table.csv"), table.replacen("-1.092", "-1.093", 1)).unwrap();
    // A path stays whole on any terminal, to be copied.
    let mut command = scratch.fedbits(["verify", "out"]);
    command.env("COLUMNS", "20");
    let output = finish(command);
    assert_eq!(output.code, Some(1), "{}", output.err);
    let named = output.out.lines().skip_while(|line| !line.starts_with("data  DIFFERENT")).nth(1);
    assert!(named.is_some_and(|line| line.starts_with("  /") && line.ends_with("table.csv")), "{}", output.out);
    let found = json(&finish(scratch.fedbits(["verify", "out", "--json"])).out);
    assert!(found["data_that_differ"][0].as_str().unwrap().ends_with("table.csv"), "{found}");
}

/// Settings are no options, and options of other commands are told by name.
#[test]
fn options_of_other_commands_are_told() {
    let scratch = Scratch::new();
    for (arguments, expected) in [
        (["compare", "any", "--seed", "3"], "--seed is an option of `run`, `check`"),
        (["run", "quickstart", "--rounds", "20"], "a setting of the scenario: --set stop.rounds=…"),
        (["check", "quickstart", "--participation", "0.1"], "--set protocol.participation=…"),
        (["run", "quickstart", "--learning-rate", "0.1"], "--set protocol.gamma=…"),
        (["study", "any.ron", "--rounds", "20"], "a setting of the scenario: --set stop.rounds=…"),
        (["study", "any.ron", "--jobs", "2"], "it is called --threads"),
        (["run", "quickstart", "--n-jobs", "2"], "it is called --threads"),
        (["run", "quickstart", "--output-dir", "x"], "it is called --out"),
        (["run", "quickstart", "--trials", "3"], "it is called --replicates"),
        (["run", "quickstart", "--repeats", "3"], "it is called --replicates"),
    ] {
        let output = finish(scratch.fedbits(arguments));
        assert!(output.code == Some(2) && output.err.contains(expected), "{arguments:?}: {}", output.err);
        assert!(!output.err.contains("as a value"), "{}", output.err);
    }
    let surplus = finish(scratch.fedbits(["list", "further"]));
    assert!(surplus.code == Some(2) && !surplus.err.contains("is an option of"), "{}", surplus.err);
}

#[test]
fn new_study_is_a_study_that_checks() {
    let scratch = Scratch::new();
    finish(scratch.fedbits(["new", "study", "mine"])).done();
    finish(scratch.fedbits(["check", "mine.ron", "--text-only"])).done();
    finish(scratch.fedbits(["new", "study"])).done();
    assert!(scratch.path("study.ron").is_file());
    assert_eq!(finish(scratch.fedbits(["new", "tables", "mine"])).code, Some(2));
}

/// `new study` over a scenario, of the library or a file beside it, and over a table, whose scenario is written too.
#[test]
fn new_study_varies_a_scenario_or_a_table() {
    let scratch = Scratch::new();
    let rows: String = (0..60).map(|row| format!("{}.5,{}\n", row % 2 * 10 + row % 7, row % 5)).collect();
    fs::write(scratch.path("my.csv"), format!("a,b\n{rows}")).unwrap();
    finish(scratch.fedbits(["new", "my-fit", "--data", "my.csv"])).done();
    finish(scratch.fedbits(["new", "centralized", "em"])).done();
    finish(scratch.fedbits(["new", "vpem", "vp-em"])).done();
    for (words, made, axis) in [
        (&["study", "--base", "my-fit.ron"][..], &["study.ron"][..], "protocol.compressor"),
        (&["study", "lib", "--base", "quickstart"], &["lib.ron"], "protocol.compressor"),
        (&["study", "one-place", "--base", "em.ron"], &["one-place.ron"], "path: \"initial\""),
        (&["study", "features", "--base", "vp-em.ron"], &["features.ron"], "path: \"initial\""),
        (&["study", "mine", "--data", "my.csv"], &["mine.ron", "mine-fit.ron"], "protocol.compressor"),
    ] {
        finish(scratch.fedbits([&["new"], words].concat())).done();
        let text = fs::read_to_string(scratch.path(made[0])).unwrap();
        assert!(text.contains(axis), "{text}");
        finish(scratch.fedbits(["check", made[0], "--text-only"])).done();
        made.iter().for_each(|file| assert!(scratch.path(file).is_file(), "{file}"));
        let again = finish(scratch.fedbits([&["new"], words].concat()));
        assert!(again.code == Some(2) && again.err.contains("exists: choose another name"), "{}", again.err);
    }
    let fewer = fs::read_to_string(scratch.path("mine.ron")).unwrap().replace("replicates: 10", "replicates: 2");
    fs::write(scratch.path("mine.ron"), fewer.replace("arms: [],", "arms: [], stop: (rounds: 5),")).unwrap();
    finish(scratch.fedbits(["study", "mine.ron", "--no-figures", "-q"])).done();
    // Nothing is written where something is wrong.
    for words in [["study", "x", "--base", "nothing"], ["study", "x", "--data", "nothing.csv"]] {
        assert_eq!(finish(scratch.fedbits([&["new"], &words[..]].concat())).code, Some(2));
        assert!(!scratch.path("x.ron").exists() && !scratch.path("x-fit.ron").exists());
    }
}

/// The README's lines for pandas have all arms: `None` is the name of a level, and not a gap.
#[test]
fn pandas_reads_levels_that_are_called_none() {
    let scratch = scratch_with(&[]);
    let text = r#"(name: "small study", base: "tiny.ron", replicates: 2, axes: [
        Grid(path: "stop.mean_field_sq", values: ["None", "Some(0.5)", "Some(0.1)"])])"#;
    fs::write(scratch.path("study.ron"), text).unwrap();
    finish(study(&scratch, &[])).done();
    let readme = fs::read_to_string(scratch.path("out/README.md")).unwrap();
    let (_, code) = readme.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let lines: Vec<&str> = code.trim().lines().collect();
    let (last, before) = lines.split_last().unwrap();
    let code = format!("{}\nprint(sorted(set({last}.reset_index()['arm'])))", before.join("\n"));
    let python = std::env::var("FEDBITS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let with_pandas = Command::new(&python).args(["-c", "import pandas"]).output();
    if !with_pandas.is_ok_and(|output| output.status.success()) {
        return skipped(Lacks::Program, "pandas reads a README's tables: there is no pandas");
    }
    let mut command = Command::new(&python);
    command.args(["-c", &code]).current_dir(scratch.path("out"));
    assert_eq!(finish(command).done().trim(), "['None', 'Some(0.1)', 'Some(0.5)']", "{code}");
}

/// A run that could not be begun has not failed: every command says which is which.
#[test]
fn runs_that_could_not_be_begun_have_not_failed() {
    let scratch = scratch_with(&[]);
    let text = r#"(name: "small study", base: "tiny.ron", replicates: 2, stop: (rounds: 5), axes: [
        Grid(path: "data.examples", values: ["200", "100000000"])])"#;
    fs::write(scratch.path("study.ron"), text).unwrap();
    let output = finish(study(&scratch, &["--max-memory", "400MiB"]));
    assert!(output.code == Some(1) && output.err.contains("2 runs could not be begun"), "{}", output.err);
    assert_eq!((status(&scratch)["failed"].as_u64(), status(&scratch)["not_run"].as_u64()), (Some(0), Some(2)));
    let people = finish(scratch.fedbits(["status", "out"])).out;
    assert!(people.contains("2 of 4 runs finished, 2 could not be begun\n"), "{people}");
    let table = finish(scratch.fedbits(["status", "out", "--format", "csv"])).out;
    assert!(table.starts_with("arm,finished,degenerate,failed,not_run,missing,host_s_per_run\n"), "{table}");
    assert!(table.ends_with("\n100000000,0,0,0,2,0,\n"), "{table}");
    let verified = finish(scratch.fedbits(["verify", "out"])).done();
    assert!(verified.contains("2 runs are the same, 0 differ, 2 have no result"), "{verified}");
}

/// A study that shares no arm with the one that is there, and is called otherwise, does not take its place.
#[test]
fn another_study_is_in_the_way() {
    let scratch = scratch_with(&[]);
    finish(study(&scratch, &[])).done();
    let before = ["plan.json", "README.md", "runs.csv"].map(|file| fs::read(scratch.path("out").join(file)).unwrap());
    let text = fs::read_to_string(scratch.path("study.ron")).unwrap();
    let other = text.replace("small study", "other study").replace("replicates", "clients: 4, replicates");
    fs::write(scratch.path("study.ron"), other).unwrap();
    let refused = finish(study(&scratch, &[]));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(
        refused.err.contains("it holds runs of `small study`, which has no arm of `other study`"),
        "{}",
        refused.err
    );
    let after = ["plan.json", "README.md", "runs.csv"].map(|file| fs::read(scratch.path("out").join(file)).unwrap());
    assert!(before == after);
    // Under another name it is the same study.
    fs::write(scratch.path("study.ron"), text.replace("small study", "other study")).unwrap();
    let renamed = finish(study(&scratch, &[]));
    assert!(renamed.err.contains("24 runs are there already, none to make"), "{}", renamed.err);
}
