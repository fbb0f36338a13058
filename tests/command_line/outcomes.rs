//! What commands leave behind and how they end: whole folders or nothing, exit codes, output for machines, pipes.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use fedbits::Results;
use fedbits_record::RoundRow;
use fedbits_record::results::{RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoredRun};
use serde_json::Value;

use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish, run_of, runs, scenario_file};

/// `fedbits run` of a file of `tests/scenarios` in a scratch folder; the runs go to `record`.
pub fn run(scratch: &Scratch, scenario: &str, arguments: &[&str]) -> Command {
    let mut command = scratch.fedbits(["run", "--out", "record"]);
    command.arg(scenario_file(scenario)).args(arguments);
    command
}

/// Every file below a folder, sorted, relative to it.
pub fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            // A run under way may have moved what was there a moment ago.
            Err(error) if error.kind() == ErrorKind::NotFound && next != folder => continue,
            entries => entries.unwrap(),
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push(path.strip_prefix(folder).unwrap().display().to_string());
        }
    }
    found.sort();
    found
}

/// Exactly the files that a command without figures leaves in a folder of runs, a table for each of its runs' tables.
pub fn assert_whole(folder: &Path) {
    let record = Results::open(folder).unwrap();
    let is_listed = |name: &String| !["segments", "models"].iter().any(|part| name.starts_with(part));
    let found: BTreeSet<String> = tree(folder).into_iter().filter(is_listed).collect();
    let tables = record.table_names().unwrap().into_iter().map(|name| format!("{name}.csv"));
    let expected: BTreeSet<String> = ["plan.json", "README.md"].map(str::to_owned).into_iter().chain(tables).collect();
    assert_eq!(found, expected, "{}", folder.display());
    let models =
        record.plan().arm_files().into_iter().flat_map(|arm| ["json", "npz"].map(|end| format!("{arm}.{end}")));
    let models: BTreeSet<String> = models.collect();
    let found = fs::read_dir(folder.join("models")).into_iter().flatten().map(|entry| entry.unwrap().file_name());
    for name in found.map(|name| name.into_string().unwrap()) {
        assert!(models.contains(&name), "{name} is none of {models:?}");
    }
}

/// Writes the plan and the runs of a folder into a new one, changed.
pub fn rewrite(from: &Path, to: &Path, change: impl FnOnce(&mut RunPlan, &mut Vec<fedbits::Record>)) {
    let (mut plan, mut all) = (RunPlan::read(from).unwrap(), runs(from));
    change(&mut plan, &mut all);
    fs::create_dir(to).unwrap();
    plan.write(to).unwrap();
    let mut writer = SegmentWriter::new(&to.join(SEGMENTS_FOLDER));
    for run in all {
        let key = plan.arms[run.manifest.arm_index as usize].key(run.manifest.replicate).unwrap();
        writer.append(key, &StoredRun::finished(run)).unwrap();
    }
    writer.sync().unwrap();
}

/// The sentences of the caveats of a run.
pub fn caveats(run: &fedbits::Record) -> Vec<String> {
    run.manifest.caveats.iter().map(ToString::to_string).collect()
}

/// Settings with which a coarse operator throws Ŝ out of the domain of T in the arms of `covariances`.
const COARSE: [&str; 4] = ["--set", "protocol.gamma=Constant(1)", "--set", "protocol.compressor=RandK(k: 1)"];

/// A run that fails says so in the store; the other arms are run; the exit code is 1.
#[test]
fn a_run_that_fails_says_so_and_stops_nobody_else() {
    let scratch = Scratch::new();
    let error = ["--no-figures", "--set", "protocol.domain=Error"];
    let output = finish(run(&scratch, "covariances.ron", &[&COARSE[..], &error].concat()));
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert_whole(&scratch.path("record"));
    let full = run_of(&scratch.path("record"), "full");
    let reason = full.manifest.failure().expect("a coarse operator leaves the domain");
    assert!(caveats(&full).iter().any(|caveat| caveat.starts_with("the run failed after")), "{:?}", caveats(&full));
    assert!(output.err.contains(reason), "{}", output.err);
    // `centralized` comes after `full` and has no compressor.
    assert_eq!(run_of(&scratch.path("record"), "centralized").manifest.stop_reason, "rounds: 30");
    let mut verify = scratch.fedbits(["verify", "-q", "record"]);
    verify.stderr(Stdio::null());
    assert!(!finish(verify).done().contains("DIFFERENT"), "a failure happens again in the same way");
}

/// An arm that cannot be run (its label is no column) keeps no other arm from running; the exit code is 1. Where no arm
/// can be run, the input is wrong, and nothing is written.
#[test]
fn an_arm_that_cannot_be_run_stops_nobody_else() {
    let scratch = Scratch::new();
    let arms = r#"arms=[(name: "one", set: {"data.label": "Name(\"klass\")"}), (name: "two", set: {})]"#;
    let mut command = run(&scratch, "table.ron", &["--no-figures", "--set", arms]);
    command.env("FEDBITS_DATA", scenario_file(""));
    let output = finish(command);
    assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
    assert!(output.err.contains("could not be begun") && output.err.contains("did you mean `class`"), "{}", output.err);
    assert_whole(&scratch.path("record"));
    let found: Vec<String> = runs(&scratch.path("record")).into_iter().map(|run| run.manifest.arm).collect();
    assert_eq!(found, ["two"]);
    assert!(output.out.contains("two"), "the summary shows what was run: {}", output.out);
    let before = tree(&scratch.path(""));
    let mut command = scratch.fedbits(["run", "--set", "data.label=klass", "--out", "none"]);
    let output = finish({
        command.arg(scenario_file("table.ron")).env("FEDBITS_DATA", scenario_file(""));
        command
    });
    assert!(output.code == Some(2) && output.err.contains("did you mean `class`"), "{}", output.err);
    assert_eq!(tree(&scratch.path("")), before);
}

/// Running a changed scenario leaves no table of the former one.
#[test]
fn no_table_of_former_settings_stays() {
    let scratch = Scratch::new();
    let more = ["-q", "--no-figures", "--set", "record.statistics=true"];
    finish(run(&scratch, "environment.ron", &more)).done();
    assert!(scratch.path("record/statistics.csv").exists());
    finish(run(&scratch, "environment.ron", &more[..2])).done();
    assert_whole(&scratch.path("record"));
    assert!(!scratch.path("record/statistics.csv").exists());
}

/// Two arms whose names give the same file keep their models apart; figures, tables and models show the arms of the last
/// run, and no former ones.
#[test]
fn arms_do_not_get_into_each_others_way() {
    let scratch = Scratch::new();
    let arms = |names: &[&str]| {
        let arms: Vec<String> = names
            .iter()
            .zip(1..)
            .map(|(name, seed)| format!("(name: {name:?}, set: {{\"seed\": \"{seed}\"}})"))
            .collect();
        format!("arms=[{}]", arms.join(", "))
    };
    let first = arms(&["a b", "a-b"]);
    finish(run(&scratch, "environment.ron", &["-q", "--set", &first])).done();
    for (file, arm) in [("a-b", "a b"), ("a-b-2", "a-b")] {
        let text = fs::read_to_string(scratch.path(format!("record/models/{file}.json"))).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["fit"]["arm"], arm);
    }
    finish(run(&scratch, "environment.ron", &["-q", "--set", &arms(&["now"])])).done();
    assert_eq!(tree(&scratch.path("record/models")), ["now.json", "now.npz"]);
    let table = fs::read_to_string(scratch.path("record/runs.csv")).unwrap();
    assert!(table.contains("\nnow,") && !table.contains("a b"), "{table}");
    let figures = scratch.path("record/figures");
    let svgs: Vec<String> = tree(&figures).into_iter().filter(|name| name.ends_with(".csv")).collect();
    assert!(!svgs.is_empty());
    for name in svgs {
        let text = fs::read_to_string(figures.join(&name)).unwrap();
        assert!(text.contains("now") && !text.contains("a b"), "{name}: {text}");
    }
}

/// Arms stand in the order of the scenario, whatever their names are: in the tables, in the figures of `run` and of
/// `report`, and for `compare`, whose baseline is the first of them; the figures of one arm alone are drawn in its own
/// colour.
#[test]
fn arms_stand_in_the_order_of_the_scenario() {
    let scratch = Scratch::new();
    let names = ["zeta", "mu", "alpha"];
    let arms: Vec<String> =
        names.iter().zip(1..).map(|(name, seed)| format!("(name: {name:?}, set: {{\"seed\": \"{seed}\"}})")).collect();
    finish(run(&scratch, "environment.ron", &["-q", "--set", &format!("arms=[{}]", arms.join(", "))])).done();
    let table = fs::read_to_string(scratch.path("record/runs.csv")).unwrap();
    let found: Vec<&str> = table.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(found, names);
    let report = |from: &str, arm: &[&str], to: &str| {
        finish(
            scratch.fedbits(
                ["report", "-q", from, "--figure", "ledger", "--figure", "ecdf", "--format", "svg", "--out", to]
                    .into_iter()
                    .chain(arm.iter().copied()),
            ),
        )
        .done();
        ["ledger.csv", "ecdf.svg"].map(|name| fs::read_to_string(scratch.path(to).join(name)).unwrap())
    };
    let of_run = report("record", &[], "all");
    let [ledger, picture] = of_run;
    let positions = names.map(|name| ledger.find(&format!("\n{name},")).unwrap());
    assert!(positions.is_sorted(), "{positions:?}");
    // The colours of lines, arm by arm; every panel has all arms.
    let outlines = |picture: &str| -> Vec<String> {
        let lines = picture.split("<g class=\"line\"").skip(1);
        let mut colors: Vec<String> =
            lines.map(|line| line.split(" stroke=\"#").nth(1).unwrap()[..6].to_owned()).collect();
        let panels = picture.matches("<g class=\"axes\"").count();
        colors.truncate(colors.len() / panels);
        colors
    };
    let all = outlines(&picture);
    assert_eq!(all.len(), 3);
    assert_eq!(
        outlines(&report("record", &["--arm", "alpha", "--arm", "zeta"], "two")[1]),
        [&all[2], &all[0]].map(Clone::clone)
    );
    assert_eq!(outlines(&report("record", &["--arm", "mu"], "one")[1]), [all[1].clone()]);
    let comparison = finish(scratch.fedbits(["compare", "record", "--format", "json"])).done();
    let comparison: Value = serde_json::from_str(&comparison).unwrap();
    assert_eq!(comparison["baseline"], "zeta", "{comparison}");
}

// --- output ----------------------------------------------------------------------------------------------------------

#[test]
fn json_is_json() {
    let scratch = Scratch::new();
    let parse =
        |text: String| -> Value { serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")) };
    let summary = parse(finish(run(&scratch, "compressors.ron", &["--json"])).done());
    assert_eq!(summary["runs"].as_array().unwrap().len(), 10);
    let directory = scratch.path(summary["directory"].as_str().unwrap());
    for (found, run) in summary["runs"].as_array().unwrap().iter().zip(runs(&directory)) {
        let manifest = serde_json::to_value(&run.manifest).unwrap();
        for name in ["arm", "seed", "replicate", "clients", "stop_reason", "digests", "totals", "caveats"] {
            assert_eq!(found[name], manifest[name], "{name}");
        }
    }
    for figure in summary["figures"].as_array().unwrap() {
        assert!(scratch.path(figure.as_str().unwrap()).is_file(), "{figure}");
    }
    let mut check = scratch.fedbits(["check", "--json"]);
    check.arg(scenario_file("environment.ron"));
    let costs = parse(finish(check).done());
    assert_eq!(costs["arms"][0]["clients"], 8);
    assert_eq!(costs["arms"][0]["rounds"], 80.0);
    let library = parse(finish(scratch.fedbits(["list", "--json"])).done());
    assert!(library.as_array().unwrap().iter().any(|entry| entry["name"] == "quickstart"));
}

/// A run that ends by itself between two rows, with answers still on their way: its last row is as of the server's step.
#[test]
fn the_last_row_is_of_its_round_whatever_the_cadence() {
    let last = |every: &str| {
        let scratch = Scratch::new();
        let there = ["--set", "availability=Trace(rows: [[(from: Sec(0), to: Sec(3))]])", "--set", "dropout=Never"];
        let rows = ["--set", "round=First(3)", "--set", every];
        finish(run(&scratch, "environment.ron", &[&there[..], &rows].concat())).done();
        let run = runs(&scratch.path("record")).remove(0);
        // Round, time, passes and bits; then come counts since the row before.
        run.table("rounds").unwrap().rows.last().unwrap()[..9].to_vec()
    };
    let of_all = last("record.every=1");
    assert!(of_all[0].whole().unwrap() > 3, "{of_all:?}");
    assert_eq!(last("record.every=1000"), of_all);
}

/// `environment` without its environment.
const CALM: [&str; 6] =
    ["--set", "availability=Always", "--set", "dropout=Never", "--set", "protocol.participation=All"];

/// VR-FedEM pays N expectations in the first round of an outer loop of k_in = 7: what `check` predicts comes from whole
/// outer loops, so that the run ends within one of them of the prediction (ten rounds hold two refreshes, and predict
/// 14 % less). A rule on ‖h‖² can only end it earlier, and the text says so.
/// Agents without a server send to each other alone, and these bits are reported too.
#[test]
fn check_reports_bits_between_peers() {
    let scratch = Scratch::new();
    let mut check = scratch.fedbits(["check", "--resolved"]);
    let arms = r#"arms=[
        (name: "decentralized"),
        (name: "federated", set: {"protocol": "VpEm(setting: Federated)", "network": "()"}),
    ]"#;
    check.arg(scenario_file("vpem.ron")).args(["--set", arms]);
    let text = finish(check).done();
    let lines: Vec<&str> = text.lines().collect();
    let heads = lines.windows(2).filter(|pair| pair[0].contains("a round, mean of")).map(|pair| pair[1]);
    let heads: Vec<bool> = heads.map(|head| head.contains(" peers ")).collect();
    assert_eq!(heads, [true, false], "{text}");
}

#[test]
fn check_predicts_runs_of_outer_loops() {
    let scratch = Scratch::new();
    let parse = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    let spider = [
        "--set",
        "protocol.variance_reduction=Spider(inner: Fixed(7))",
        "--set",
        "protocol.batch=WithReplacement(5)",
        "--set",
        "stop=(epochs: 48)",
    ];
    let mut check = scratch.fedbits(["check", "--json"]);
    check.arg(scenario_file("environment.ron")).args(CALM).args(spider);
    let predicted = parse(finish(check).done())["arms"][0]["rounds"].as_f64().unwrap();
    let summary = parse(finish(run(&scratch, "environment.ron", &[&CALM[..], &spider, &["--json"]].concat())).done());
    let made = summary["runs"][0]["totals"]["rounds"].as_f64().unwrap();
    assert!((predicted - made).abs() < 7.0, "{predicted} and {made}");
    let mut check = scratch.fedbits(["check", "--resolved"]);
    check.arg(scenario_file("environment.ron")).args(["--set", "stop=(rounds: 30, mean_field_sq: 1e-7)"]);
    check.args(["--set", "record.probe_every=Some(5)"]);
    let text = finish(check).done();
    assert!(text.contains("// a run, at most about:\n") && text.contains("ends earlier when ‖h(Ŝ)‖² ≤ 1e-7"), "{text}");
}

/// Connections are opened once, whatever the length of the run; where rounds are alike, the prediction is exact.
#[test]
fn check_counts_connections_once() {
    let scratch = Scratch::new();
    let rows: String = (0..12).map(|i| format!("{},{}\n", i % 5, (i * i) % 7)).collect();
    fs::write(scratch.path("rows.csv"), format!("u,v\n{rows}")).unwrap();
    let text = r#"(name: "alike", data: Csv(path: "rows.csv"), clients: 3, partition: Iid,
    model: GaussianMixture(components: 1), initial: KMeans(iterations: 1, restarts: 1),
    protocol: DistributedEm(), stop: (rounds: 40))"#;
    fs::write(scratch.path("alike.ron"), text).unwrap();
    let parse = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    // Cycles of one round, and of as many as a pilot otherwise has.
    let spider =
        "FedEm(gamma: 0.5, memory: NoMemory, variance_reduction: Spider(inner: Fixed(10)), batch: WithReplacement(2))";
    for (number, protocol) in ["DistributedEm()", spider].into_iter().enumerate() {
        let (set, out) = (format!("protocol={protocol}"), number.to_string());
        let predicted = parse(finish(scratch.fedbits(["check", "alike.ron", "--json", "--set", &set])).done());
        let run = ["run", "alike.ron", "--no-figures", "--json", "--set", &set, "--out", &out];
        let made = parse(finish(scratch.fedbits(run)).done());
        let (predicted, totals) = (&predicted["arms"][0], &made["runs"][0]["totals"]);
        let bits = ["bits_up", "bits_down", "bits_header"].map(|name| totals[name].as_f64().unwrap());
        assert_eq!(predicted["bits"].as_f64(), Some(bits.iter().sum()), "{protocol}");
        assert_eq!(predicted["time_ns"].as_f64(), totals["time_ns"].as_f64(), "{protocol}");
    }
}

/// `check` says whether the theorem covers the step; a run says nothing of it, whatever the step is.
#[test]
fn the_step_of_the_theorem_is_reported_by_check_alone() {
    let scratch = Scratch::new();
    for (gamma, covered) in [("Constant(0.05)", "below it"), ("Constant(0.9)", "ABOVE it: not covered")] {
        let gamma = format!("protocol.gamma={gamma}");
        let mut check = scratch.fedbits(["check", "--resolved"]);
        check.arg(scenario_file("environment.ron")).args(CALM).args(["--set", &gamma]);
        let text = finish(check).done();
        assert!(text.contains("Theorem 1: γ_max ≈") && text.contains(covered), "{text}");
        finish(run(&scratch, "environment.ron", &[&CALM[..], &["--no-figures", "--set", &gamma]].concat())).done();
        let caveats = caveats(&runs(&scratch.path("record"))[0]);
        assert!(!caveats.iter().any(|caveat| caveat.contains("gamma")), "{caveats:?}");
    }
}

/// In a pipe there are no control characters, whoever speaks: progress, summaries, help, diagnostics.
#[test]
fn pipes_get_plain_text() {
    let scratch = Scratch::new();
    fs::write(scratch.path("bad.ron"), "(name: 5)").unwrap();
    let mut commands =
        vec![run(&scratch, "environment.ron", &["-v"]), scratch.fedbits(["check", "quickstart", "--text-only"])];
    let more: [&[&str]; 5] = [&["check", "bad.ron"], &["--help"], &["rum"], &["list"], &["verify", "record"]];
    commands.extend(more.iter().map(|arguments| scratch.fedbits(*arguments)));
    for command in commands {
        let output = finish(command);
        let text = output.out + &output.err;
        assert!(!text.is_empty() && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

/// On a terminal problems are coloured unless NO_COLOR forbids it.
#[test]
fn no_color_is_respected() {
    let scratch = Scratch::new();
    fs::write(scratch.path("bad.ron"), "(name: 5)").unwrap();
    let on_terminal = |variable: &str| {
        let check = format!("{variable} '{}' check bad.ron", env!("CARGO_BIN_EXE_fedbits"));
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-c", &check, "/dev/null"]).current_dir(scratch.path("")).env("TERM", "xterm");
        script.stdin(Stdio::null()).env_remove("NO_COLOR").output()
    };
    let Ok(plain) = on_terminal("NO_COLOR=1") else {
        skipped(Lacks::Program, "`script`, which makes a terminal, is not installed");
        return;
    };
    let coloured = on_terminal("").unwrap().stdout;
    assert!(String::from_utf8_lossy(&plain.stdout).contains("the scenario has"));
    assert!(!plain.stdout.contains(&0x1b));
    assert!(coloured.contains(&0x1b));
}

/// Quiet is quiet: results on standard output, nothing on standard error (there are no caveats here).
#[test]
fn quiet_says_results_only() {
    let scratch = Scratch::new();
    let output = finish(run(&scratch, "tiny.ron", &["-q", "--no-figures"]));
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    assert!(output.out.contains("tiny"));
}

/// Every caveat of the runs is reported once, quiet or not: those of the text (the memories of both arms), of the
/// preparation (the deadline) and of what happened (nobody arrived) in the one arm that has it.
#[test]
fn caveats_are_reported_however_quiet() {
    let scratch = Scratch::new();
    let arms = "arms=[(name: \"none\", set: {\"round\": \"Deadline(Us(1))\"}), (name: \"all\", set: {\"round\": \"Deadline(Sec(9))\"})]";
    let sets = ["-q", "--no-figures", "--json", "--set", "protocol.memory=Memory(commit: OnSend)", "--set", arms];
    let output = finish(run(&scratch, "tiny.ron", &sets));
    assert_eq!(output.code, Some(0));
    let summary: Value = serde_json::from_str(&output.out).unwrap();
    let caveats = |run: usize| summary["runs"][run]["caveats"].as_array().unwrap().clone();
    let (none, all) = (caveats(0), caveats(1));
    assert!(all.len() >= 2 && none.len() > all.len(), "{none:?} {all:?}");
    let lines: Vec<&str> = output.err.lines().collect();
    assert_eq!(lines.len(), none.len(), "{}", output.err);
    for caveat in none {
        let about = if all.contains(&caveat) { "" } else { " (1 of 2 runs: none)" };
        let line = format!("caveat: {}{about}", caveat["sentence"].as_str().unwrap());
        assert!(lines.contains(&line.as_str()), "{caveat}: {}", output.err);
    }
}

/// A reader that went away is no error; a full disk is one.
#[test]
fn nobody_listens_or_the_disk_is_full() {
    let scratch = Scratch::new();
    for arguments in [&["list"][..], &["list", "--json"], &["check", "quickstart", "--text-only"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = scratch.fedbits(arguments);
        assert_eq!(command.stdout(writer).status().unwrap().code(), Some(0), "{arguments:?}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = run(&scratch, "environment.ron", &["-v"]);
    assert_eq!(command.stdout(Stdio::null()).stderr(writer).status().unwrap().code(), Some(0));
    let Ok(full) = fs::File::options().write(true).open("/dev/full") else {
        skipped(Lacks::System, "this system has no /dev/full");
        return;
    };
    for argument in ["list", "--help", "--version"] {
        let mut command = scratch.fedbits([argument]);
        command.stdout(full.try_clone().unwrap()).stderr(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(74), "{argument}");
    }
}

// --- verify ----------------------------------------------------------------------------------------------------------

/// Every shell gets a script that knows the commands, and every command has a page.
#[test]
fn shells_and_manuals_know_the_commands() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = finish(scratch.fedbits(["completions", shell])).done();
        assert!(script.contains("retry-failed") && script.contains("verify"), "{shell}");
    }
    finish(scratch.fedbits(["man", "pages"])).done();
    let pages = tree(&scratch.path("pages"));
    assert!(pages.iter().any(|page| page == "fedbits-run.1"), "{pages:?}");
}

/// Arms in any script: `check` passes, `run` leaves figures that distinguish the arms, and LaTeX gets ASCII.
#[test]
fn names_in_any_script_have_figures() {
    let scratch = Scratch::new();
    let tiny = fs::read_to_string(scenario_file("tiny.ron")).unwrap();
    let end = tiny.rfind(')').unwrap();
    let arms = "    arms: [(name: \"压缩\"), (name: \"无压缩 ❄\", set: {\"protocol.gamma\": \"Constant(0.2)\"})],\n";
    fs::write(scratch.path("names.ron"), format!("{}{arms})\n", &tiny[..end])).unwrap();
    finish(scratch.fedbits(["check", "names.ron"])).done();
    finish(scratch.fedbits(["run", "names.ron", "--out", "out"])).done();
    finish(scratch.fedbits(["report", "-q", "out", "--all"])).done();
    let svg = fs::read_to_string(scratch.path("out/figures/mean_field_sq.svg")).unwrap();
    for name in ["&lt;U+538B&gt;&lt;U+7F29&gt;", "&lt;U+65E0&gt;&lt;U+538B&gt;&lt;U+7F29&gt; &lt;U+2744&gt;"] {
        assert!(svg.contains(name), "no {name}");
    }
    let page = fs::read_to_string(scratch.path("out/figures/report.html")).unwrap();
    assert!(page.contains("无压缩 ❄"), "the page has the names as they are");
    let tables = finish(scratch.fedbits(["compare", "out", "--format", "latex"])).done();
    assert!(tables.contains("\\textless{}U+538B\\textgreater{}"), "{tables}");
}

/// Distributed EM with losses and clients of 1, 2 and 21 examples: Σ_g S2_g is the mean of the examples of those that arrived in a
/// round, whoever they are, or stays where nobody did.
#[test]
fn distributed_em_averages_what_arrives() {
    let scratch = Scratch::new();
    let (sizes, at) = ([1, 2, 21], [-3.0, 0.5, 2.0]);
    let value = |client: usize, number: usize| at[client] + 0.25 * (number % 4) as f64;
    let rows = (0..3).flat_map(|client| (0..sizes[client]).map(move |number| (client, number)));
    let rows: String = rows.map(|(client, number)| format!("{},{client}\n", value(client, number))).collect();
    fs::write(scratch.path("sizes.csv"), format!("x,client\n{rows}")).unwrap();
    let scenario = "(name: \"sizes\", seed: 3, data: Csv(path: \"sizes.csv\", client: \"client\"), partition: ClientColumn, \
        model: GaussianMixture(components: 2, covariance: Known([[1]])), protocol: DistributedEm(), \
        initial: Theta(weights: [0.4, 0.6], means: [[-1], [1]]), network: (loss: Bernoulli(0.4)), \
        stop: (rounds: 40), record: (statistics: true))";
    fs::write(scratch.path("sizes.ron"), scenario).unwrap();
    let output = finish(scratch.fedbits(["run", "sizes.ron", "--no-figures", "--out", "record"]));
    assert_eq!(output.code, Some(0), "{}", output.err);
    let totals: Vec<f64> = (0..3).map(|client| (0..sizes[client]).map(|number| value(client, number)).sum()).collect();
    let mean = |set: usize| {
        let of = |what: &dyn Fn(usize) -> f64| (0..3).filter(|client| set >> client & 1 == 1).map(what).sum::<f64>();
        of(&|client| totals[client]) / of(&|client| sizes[client] as f64)
    };
    let means: Vec<f64> = (1..8).map(mean).collect();
    let statistics = runs(&scratch.path("record"))[0].statistics.clone().unwrap();
    let first_moments: Vec<f64> = statistics.rows.iter().map(|row| row.values[2..].iter().sum()).collect();
    let mut seen = std::collections::BTreeSet::new();
    for pair in first_moments.windows(2) {
        let near = |value: &f64| (pair[1] - value).abs() < 1e-12;
        seen.extend(means.iter().position(near));
        assert!(means.iter().any(near) || near(&pair[0]), "{} is none of {means:?}", pair[1]);
    }
    assert!(seen.len() > 4, "{seen:?}");
}

/// For programs: the numbers that the table has.
#[test]
fn a_run_in_json_has_what_its_table_has() {
    let scratch = Scratch::new();
    let scratch_run =
        |format: &[&str]| finish(run(&scratch, "environment.ron", &[&["-q", "--no-figures"], format].concat())).done();
    let found: Value = serde_json::from_str(&scratch_run(&["--json"])).unwrap();
    let table = scratch_run(&["--format", "csv"]);
    let mut lines = table.lines().skip_while(|line| !line.starts_with("arm,"));
    let (names, values) = (lines.next().unwrap().split(','), lines.next().unwrap().split(','));
    for (name, value) in names.zip(values) {
        let told = &found["arms"][0][name];
        let same = told.as_str().map_or_else(|| told.as_f64() == value.parse().ok(), |text| text == value);
        assert!(same && (value.is_empty() == told.is_null()), "{name}: {told}, {value}");
    }
    assert!(found["arms"][0]["objective"].is_number(), "{found}");
}

/// A run that fails between two probes has no measured values in its last row: the summary has those of the last probe,
/// and medians are of all replicates.
#[test]
fn a_summary_has_the_last_probe() {
    let scratch = Scratch::new();
    let coarse = ["--set", "protocol.memory=NoMemory", "--set", "protocol.compressor=Dithering(levels: 1)"];
    let error = ["--set", "protocol.domain=Error", "--set", "protocol.gamma=0.05", "--set", "arms=[]"];
    let run = ["run", "quickstart", "--no-figures", "--out", "x", "--replicates", "3", "--set", "stop.rounds=30"];
    let run = |format: &[&str]| finish(scratch.fedbits([&run[..], &coarse, &error, format].concat()));
    let found = run(&["--json"]);
    assert_eq!(found.code, Some(1), "{}", found.err);
    let found: Value = serde_json::from_str(&found.out).unwrap();
    let all_runs = runs(&scratch.path("x"));
    assert_eq!(all_runs.iter().filter(|run| run.manifest.failure().is_some()).count(), 2, "{found}");
    let mut between = 0;
    for column in ["objective", "mean_field_sq", "accuracy"] {
        let mut all = Vec::new();
        for run in &all_runs {
            let value = |row: &RoundRow| row.value(column, &run.manifest.extra_columns);
            between += usize::from(value(run.rounds.last().unwrap()).is_none());
            all.extend(run.rounds.iter().rev().find_map(value));
        }
        all.sort_by(f64::total_cmp);
        assert_eq!(found["arms"][0][column].as_f64(), Some(all[1]), "{column}");
        let table = run(&["--format", "csv", "-q"]).out;
        let mut lines = table.lines().skip_while(|line| !line.starts_with("arm,"));
        let place = lines.next().unwrap().split(',').position(|name| name == column).unwrap();
        let median = lines.next().unwrap().split(',').nth(place).unwrap().parse::<f64>().ok();
        assert_eq!(median, Some(all[1]), "{column}: {table}");
    }
    assert!(between > 0, "a run failed between two probes");
    let told = run(&[]).out;
    assert!(told.contains("medians over the replicates of an arm; 2 failed, and count as far as they came"), "{told}");
}
