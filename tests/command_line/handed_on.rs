//! Runs that are handed on: verified with files that were handed on with them, varied by another person, made with
//! Python; and what is known of runs and figures before they are made.

use std::fs;
use std::path::Path;

use fedbits_record::Digests;
use serde_json::Value;

use crate::command_line::outcomes::{rewrite, run, tree};
use crate::support::{Scratch, finish, runs, scenario_file};

/// The rehearsal of a supplement, as docs/records.md prescribes it, on the author's machine: his own files, which are
/// still there, do not stand in for those that are handed on. Of paths of each kind.
#[test]
fn what_data_names_is_all_that_verify_reads() {
    let scratch = Scratch::new();
    for folder in ["author/scenarios", "author/data", "empty", "handed", "changed"] {
        fs::create_dir_all(scratch.path(folder)).unwrap();
    }
    let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
    let table = fs::read_to_string(scenario_file("table.csv")).unwrap();
    fs::write(scratch.path("author/data/table.csv"), &table).unwrap();
    fs::write(scratch.path("author/scenarios/table.csv"), &table).unwrap();
    fs::write(scratch.path("handed/table.csv"), &table).unwrap();
    fs::write(scratch.path("changed/table.csv"), table.replacen("-1.092", "-1.093", 1)).unwrap();
    let absolute = scratch.path("author/data/table.csv").display().to_string();
    for (name, path) in [("beside", "table.csv"), ("above", "../data/table.csv"), ("absolute", absolute.as_str())] {
        let scenario = format!("author/scenarios/{name}.ron");
        fs::write(scratch.path(&scenario), text.replace("table.csv", path)).unwrap();
        let gamma = r#"axes=[Grid(path: "protocol.gamma", values: ["0.1", "0.2"])]"#;
        finish(scratch.fedbits(["run", &scenario, "-q", "--no-figures", "--set", gamma, "--out", name])).done();
        let verify = |data: &str| {
            let mut command = scratch.fedbits(["verify", name, "--data", data]);
            command.env("FEDBITS_DATA", scratch.path("author/data")).env("COLUMNS", "400");
            finish(command)
        };
        let same = verify("handed");
        let named = same.out.contains("files read: handed/table.csv");
        assert!(same.code == Some(0) && named, "{name}: {}{}", same.out, same.err);
        let changed = verify("changed");
        let named = changed.out.contains("changed/table.csv") && !changed.out.contains("author");
        assert!(changed.code == Some(1) && named, "{name}: {}{}", changed.out, changed.err);
        let empty = verify("empty");
        let named = empty.err.contains("table.csv` was not found") && empty.err.contains("no other folder");
        assert!(empty.code == Some(1) && named, "{name}: {}{}", empty.out, empty.err);
        let none = verify("no-such-folder");
        assert!(none.code == Some(2) && none.err.contains("no-such-folder"), "{name}: {}", none.err);
    }
    let output = finish(scratch.fedbits(["verify", "beside", "--json"])).done();
    assert!(output.contains("author/scenarios/table.csv"), "{output}");
    // So do the other commands that make a run again.
    let gamma = ["--set", "protocol.gamma=0.2", "-q", "--no-figures", "--out", "slower"];
    finish(scratch.fedbits([&["run", "author/scenarios/beside.ron"], &gamma[..]].concat())).done();
    let trace = &["trace", "beside", "--arm", "0.1", "--rounds", "1", "--out", "traced"][..];
    let diff = &["diff", "beside", "slower", "--arm", "0.1", "--arm", "table", "--replay"][..];
    for command in [trace, diff] {
        let with = |data: &str| finish(scratch.fedbits([command, &["--data", data]].concat()));
        let (handed, changed, empty, none) = (with("handed"), with("changed"), with("empty"), with("no-such-folder"));
        assert_eq!(handed.code, Some(i32::from(command == diff)), "{}", handed.err);
        let is_traced = command == trace && !changed.err.contains("is not traced");
        assert!(changed.code == Some(1) && !is_traced, "{}", changed.err);
        assert!(empty.err.contains("no other folder"), "{}{}", empty.out, empty.err);
        assert!(none.code == Some(2) && none.err.contains("no-such-folder"), "{}", none.err);
    }
}

/// Arm, replicate and digests of the runs in a folder.
fn digests(folder: &Path) -> Vec<(String, u64, Digests)> {
    runs(folder).into_iter().map(|run| (run.manifest.arm, run.manifest.replicate, run.manifest.digests)).collect()
}

/// A scenario made of runs gives their digests: of arms, of replicates, of axes; data files are found from the new
/// place.
#[test]
fn runs_become_a_scenario_with_the_same_digests() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("author")).unwrap();
    for name in ["table.ron", "table.csv"] {
        fs::copy(scenario_file(name), scratch.path("author").join(name)).unwrap();
    }
    let arms = r#"arms=[(name: "one"), (name: "two", set: {"protocol.compressor": "RandK(k: 3)", "protocol.gamma": "0.2"}),
        (name: "alone", set: {"protocol": "CentralizedEm()"})]"#;
    let short = ["-q", "--no-figures", "--set", "stop.rounds=3", "--out"];
    finish(scratch.fedbits([&["run", "quickstart"], &short[..], &["q"]].concat())).done();
    finish(
        scratch
            .fedbits([&["run", "author/table.ron", "--set", arms, "--replicates", "2"], &short[..], &["t"]].concat()),
    )
    .done();
    let study = r#"(name: "s", base: "table.ron", stop: (rounds: 3), replicates: 2,
        axes: [Grid(path: "protocol.gamma", values: ["0.1", "0.2"]), Grid(path: "protocol.compressor", values: ["Identity", "RandK(k: 3)"])])"#;
    fs::write(scratch.path("author/study.ron"), study).unwrap();
    finish(scratch.fedbits(["run", "author/study.ron", "--no-figures", "-q", "--out", "s"])).done();
    let made = [("q", 4, "a"), ("t", 6, "c"), ("s", 8, "d")];
    for (from, runs, name) in made {
        let new = finish(scratch.fedbits(["new", name, "--from", from]));
        assert_eq!(new.code, Some(0), "{}", new.err);
        let text = fs::read_to_string(scratch.path(format!("{name}.ron"))).unwrap();
        let out = format!("out-{name}");
        finish(scratch.fedbits(["run", &format!("{name}.ron"), "-q", "--no-figures", "--out", &out])).done();
        let (was, is) = (digests(&scratch.path(from)), digests(&scratch.path(&out)));
        assert_eq!((was.len(), &was), (runs, &is), "{text}");
    }
    // Where the author's folder is not, the file is named.
    fs::rename(scratch.path("author"), scratch.path("moved")).unwrap();
    let new = finish(scratch.fedbits(["new", "e", "--from", "t"]));
    assert!(new.code == Some(0) && new.err.contains("`table.csv`") && new.err.contains("--data"), "{}", new.err);
    finish(scratch.fedbits(["run", "e.ron", "-q", "--no-figures", "--data", "moved", "--out", "out-e"])).done();
    assert_eq!(digests(&scratch.path("t")), digests(&scratch.path("out-e")));
    let twice = finish(scratch.fedbits(["new", "e", "--from", "t"]));
    assert!(twice.code == Some(2) && twice.err.contains("e.ron exists"), "{}", twice.err);
    let unnamed = finish(scratch.fedbits(["new", "--from", "t"]));
    assert!(unnamed.code == Some(2) && unnamed.err.contains("needs one NAME"), "{}", unnamed.err);
}

/// A run with a part of Python says what made it, and what to do: the program has no such part.
#[test]
fn a_run_of_python_says_who_can_run_it_again() {
    let scratch = Scratch::new();
    finish(run(&scratch, "tiny.ron", &["-q", "--no-figures"])).done();
    let model = r#"PythonModel(name: "Mean", source: "0123456789abcdef", settings: "", versions: "Python 3.12.1, NumPy 2.0.0")"#;
    let of_python = |text: &str| {
        let at = text.find("model: ").unwrap() + "model: ".len();
        let end = at + text[at..].find("\n    ),").unwrap() + "\n    )".len();
        format!("{}{model}{}", &text[..at], &text[end..])
    };
    rewrite(&scratch.path("record"), &scratch.path("python"), |plan, runs| {
        plan.scenario_text = of_python(&plan.scenario_text);
        plan.arms[0].scenario_text = of_python(&plan.arms[0].scenario_text);
        runs[0].manifest.host.script = Some("/home/me/fit.py".to_owned());
    });
    for command in [&["verify", "python"][..], &["trace", "python", "--slowest"], &["new", "x", "--from", "python"]] {
        let said = finish(scratch.fedbits(command));
        assert!(matches!(said.code, Some(1 | 2)), "{command:?}: {}", said.err);
        let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in ["/home/me/fit.py", "the class `Mean`", "Python 3.12.1", "fedbits.verify(FOLDER, Mean(…))"] {
            assert!(words.contains(wanted), "{command:?}: {words}");
        }
    }
}

/// What a protocol ends by itself, or a rule that nobody can count, is "at most" in every form of `check`; what ends
/// within the pilot is known.
#[test]
fn costs_of_runs_that_end_early_are_at_most() {
    let scratch = Scratch::new();
    let scenario = scenario_file("vpem.ron").display().to_string();
    let check = |sets: &[&str], format: &[&str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let words: Vec<&str> =
            ["check", scenario.as_str()].into_iter().chain(sets).chain(format.iter().copied()).collect();
        finish(scratch.fedbits(words)).done()
    };
    let arms = r#"arms=[(name: "a", set: {"network": "()", "protocol.setting": "Federated"})]"#;
    let long = "stop=(rounds: 400)";
    for rule in [
        &["protocol.stopping=Flood(tolerance: 1e-12)", long][..],
        &["protocol.stopping=Alone(tolerance: 1e-12)", long],
        &["stop=(rounds: 400, objective_change: 1e-9)"],
        &["stop=(rounds: 400, mean_field_sq: 1e-12)"],
        &["stop=(rounds: 400, patience: (probes: 5, of: Objective))"],
    ] {
        let sets = [rule, &[arms]].concat();
        let found: Value = serde_json::from_str(&check(&sets, &["--json"])).unwrap();
        assert_eq!(found["may_end_earlier"], true, "{rule:?}: {found}");
        assert!(found["arms"][0]["ends_earlier_when"].is_string(), "{rule:?}: {found}");
        assert!(check(&sets, &[]).contains("A run, at most about"), "{rule:?}");
        assert!(check(&sets, &["--resolved"]).contains("// a run, at most about:\n"), "{rule:?}");
    }
    let plain: Value = serde_json::from_str(&check(&[long, arms], &["--json"])).unwrap();
    assert_eq!((&plain["may_end_earlier"], &plain["arms"][0]["rounds"]), (&Value::from(false), &Value::from(400.0)));
    // k-means is one round, whatever `stop` allows.
    let alone = r#"arms=[(name: "a", set: {"network": "()", "protocol": "KMeans(vertical: true)"})]"#;
    let kmeans = [long, alone];
    let ends: Value = serde_json::from_str(&check(&kmeans, &["--json"])).unwrap();
    assert_eq!((&ends["may_end_earlier"], &ends["arms"][0]["rounds"]), (&Value::from(false), &Value::from(1.0)));
}

/// Before a run, a figure that only some arms fill is a caveat; after it, the page is there without a figure that could
/// not be drawn.
#[test]
fn a_figure_that_cannot_be_drawn_is_said_and_the_page_made() {
    let scratch = Scratch::new();
    let figure = r#"figures=[(name: "f", kind: Forest(target: MeanFieldSq(1e-200)))]"#;
    let run = ["run", "quickstart", "-q", "--set", "stop.rounds=3", "--set", figure, "--out", "a"];
    let output = finish(scratch.fedbits(run));
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert!(output.err.contains("a figure is missing: `f`"), "{}", output.err);
    assert!(scratch.path("a/figures/report.html").is_file());
    finish(scratch.fedbits(["verify", "a/figures/report.html", "--runs", "a", "-q"])).done();
    let none = finish(scratch.fedbits(["run", "quickstart", "-q", "--set", "record.probe_every=None", "--out", "b"]));
    assert!(none.code == Some(0) && none.err.contains("nothing is probed"), "{}", none.err);
}

/// Unpacks an archive; modes and dates are not restored.
fn unpack(archive: &Path, into: &Path) {
    let bytes = fs::read(archive).unwrap();
    let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
    for entry in archive.entries() {
        let entry = entry.unwrap();
        let path = into.join(entry.file_path().try_normalize().unwrap().as_ref());
        if entry.is_dir() {
            fs::create_dir_all(path).unwrap();
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let packed = archive.get_entry(entry.wayfinder()).unwrap();
        let mut reader = packed.verifying_reader(flate2::read::DeflateDecoder::new(packed.data()));
        std::io::copy(&mut reader, &mut fs::File::create(path).unwrap()).unwrap();
    }
}

/// Two folders of results, of which the second has figures of former runs.
fn results_of_an_author(scratch: &Scratch) {
    fs::create_dir_all(scratch.path("author/my data")).unwrap();
    let text = fs::read_to_string(scenario_file("table.ron")).unwrap();
    fs::copy(scenario_file("table.csv"), scratch.path("author/my data/table.csv")).unwrap();
    fs::write(scratch.path("author/mine.ron"), text.replace("table.csv", "my data/table.csv")).unwrap();
    let short = ["-q", "--set", "stop.rounds=3", "--out"];
    finish(scratch.fedbits([&["run", "author/mine.ron"], &short[..], &["it's mine"]].concat())).done();
    for earlier in [&["--seed", "7"][..], &["--no-figures"]] {
        finish(scratch.fedbits([&["run", "quickstart"], earlier, &short[..], &["plain"]].concat())).done();
    }
}

/// An archive of two folders verifies without the author's files, and finds what was changed in it.
#[test]
fn a_reader_verifies_an_archive_with_one_command() {
    let scratch = Scratch::new();
    results_of_an_author(&scratch);
    let pack = |out: &str, further: &[&str]| {
        let mut command = scratch.fedbits([&["artifact", "it's mine", "plain", "--out", out], further].concat());
        command.env("SOURCE_DATE_EPOCH", "1800000000");
        finish(command)
    };
    let packed = pack("one.zip", &["--author", "Ada", "--license", "CC-BY-4.0"]);
    assert!(packed.code == Some(0) && packed.err.contains("not in the archive: "), "{}", packed.err);
    pack("two.zip", &["--author", "Ada", "--license", "CC-BY-4.0"]).done();
    assert!(fs::read(scratch.path("one.zip")).unwrap() == fs::read(scratch.path("two.zip")).unwrap());
    pack("without.zip", &["--without-data"]).done();
    let refused = |out: &str, why: &str| {
        let refused = pack(out, &[]);
        assert!(refused.code == Some(2) && refused.err.contains(why), "{}", refused.err);
    };
    refused("one.zip", "is there already");
    refused("one.tar", "ends in .zip");
    fs::remove_dir_all(scratch.path("author")).unwrap();
    refused("three.zip", "table.csv` was not found");
    assert!(!scratch.path("three.zip").exists());

    let reproduce = |folder: &str| {
        let mut command = std::process::Command::new("sh");
        command.arg("reproduce.sh").current_dir(scratch.path(folder)).env("FEDBITS", env!("CARGO_BIN_EXE_fedbits"));
        finish(command)
    };
    unpack(&scratch.path("one.zip"), &scratch.path("reader"));
    assert_eq!(tree(&scratch.path("reader/results/plain/figures")), ["figures.json"]);
    let same = reproduce("reader");
    assert!(same.code == Some(0) && same.out.ends_with("all is as in the archive\n"), "{}{}", same.out, same.err);
    let appendix = fs::read_to_string(scratch.path("reader/README.md")).unwrap();
    assert!(appendix.contains("1 file, in `data/`") && appendix.contains("CC-BY-4.0"), "{appendix}");
    // The line of a figure that is verified.
    assert!(same.out.contains("figures/") && same.out.contains("byte for byte"), "{}", same.out);
    // What no run gives is compared by its sum.
    let scenario = scratch.path("reader/scenarios/plain.ron");
    let whole = fs::read_to_string(&scenario).unwrap();
    fs::write(&scenario, whole.replace("seed: 1,", "seed: 2,")).unwrap();
    let changed = reproduce("reader");
    assert!(changed.code == Some(1) && changed.err.contains("SHA256SUMS"), "{}{}", changed.out, changed.err);
    fs::write(&scenario, whole).unwrap();
    let table = scratch.path("reader/results/plain/runs.csv");
    fs::write(&table, fs::read_to_string(&table).unwrap().replace("uncompressed", "compressed")).unwrap();
    let changed = reproduce("reader");
    assert!(changed.code == Some(1) && changed.out.contains("runs.csv  DIFFERENT"), "{}{}", changed.out, changed.err);

    unpack(&scratch.path("without.zip"), &scratch.path("elsewhere"));
    let lacking = reproduce("elsewhere");
    assert!(lacking.code == Some(1) && lacking.err.contains("table.csv` was not found"), "{}", lacking.err);
    fs::create_dir_all(scratch.path("elsewhere/data/my data")).unwrap();
    fs::copy(scenario_file("table.csv"), scratch.path("elsewhere/data/my data/table.csv")).unwrap();
    assert_eq!(reproduce("elsewhere").code, Some(0));
}
