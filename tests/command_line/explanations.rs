//! `diff` and `explain`: in what two runs differ, and what words mean.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fedbits_protocols::setting::ProtocolSetting;
use fedbits_record::{CLIENT_COLUMNS, ENERGY, EPSILON, PARAMETER_ERROR, QUALITY_OF_CLIENTS, ROUND_COLUMNS};
use fedbits_spec::Kind;
use serde_json::Value;

use crate::command_line::outcomes::{rewrite, run};
use crate::support::{Scratch, finish, runs};

// --- diff ------------------------------------------------------------------------------------------------------------

fn diff(scratch: &Scratch, arguments: &[&str]) -> crate::support::Output {
    finish(scratch.fedbits([&["diff"], arguments].concat()))
}

/// The same run differs in nothing, one of another seed in the seed and from its first event on; and the numbers are
/// those of the runs.
#[test]
fn runs_are_compared() {
    let scratch = Scratch::new();
    for (name, seed) in [("a", "1"), ("b", "1"), ("c", "2")] {
        let out = scratch.path(name);
        let out = out.to_str().unwrap();
        let sets = ["-q", "--no-figures", "--seed", seed, "--set", "stop.rounds=9"];
        let mut command = scratch.fedbits(["run"]);
        command.arg(crate::support::scenario_file("environment.ron")).args(sets).args(["--out", out]);
        finish(command).done();
    }
    let same = diff(&scratch, &["a", "b"]);
    assert!(same.code == Some(0) && same.out.contains("the same"), "{}", same.out);
    let other = diff(&scratch, &["a", "c", "--replay"]);
    assert_eq!(other.code, Some(1), "{}", other.err);
    let words = other.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("seed 1 2") && words.contains("the first event that differs is number"), "{words}");
    assert!(words.contains("; A: ") && words.contains("; B: "), "{words}");
    let found: Value = serde_json::from_str(&diff(&scratch, &["a", "c", "--json"]).out).unwrap();
    let values = found["pairs"][0]["numbers"]["values"].as_array().unwrap();
    let up = values.iter().find(|row| row["number"] == "bits_up").unwrap();
    let bits = |name: &str| runs(&scratch.path(name))[0].manifest.totals.bits_up as f64;
    assert_eq!((up["a"].as_f64(), up["b"].as_f64()), (Some(bits("a")), Some(bits("c"))));
    let relative = (bits("c") - bits("a")) / bits("a");
    assert!((up["relative"].as_f64().unwrap() - relative).abs() < 1e-12);
}

/// Replicates of an arm are compared with the same replicates; one that is there alone is told.
#[test]
fn replicates_are_compared_by_their_numbers() {
    let scratch = Scratch::new();
    for (name, replicates) in [("two", "2"), ("three", "3")] {
        let mut command = scratch.fedbits(["run"]);
        command.arg(crate::support::scenario_file("environment.ron"));
        command.args(["-q", "--no-figures", "--set", "stop.rounds=3", "--replicates", replicates]);
        command.args(["--out", name]);
        finish(command).done();
    }
    let same = diff(&scratch, &["two", "two"]);
    assert!(same.code == Some(0) && same.out.contains(", replicate 1"), "{}{}", same.out, same.err);
    let more = diff(&scratch, &["two", "three"]);
    assert!(more.out.contains("only in three: ") && more.out.contains(", replicate 2"), "{}", more.out);
    assert!(!more.out.contains("settings differ") && !more.out.contains("setting differs"), "{}", more.out);
}

/// Check bytes say where two timelines part: after as many events as are the same.
#[test]
fn the_first_event_is_counted() {
    let scratch = Scratch::new();
    finish(run(&scratch, "environment.ron", &["-q", "--no-figures"])).done();
    rewrite(&scratch.path("record"), &scratch.path("copy"), |_, runs| {
        runs[0].manifest.digests.timeline = "0".repeat(64);
        runs[0].checks[77] ^= 1;
    });
    let output = diff(&scratch, &["record", "copy"]);
    assert!(
        output.code == Some(1) && output.out.contains("the first event that differs is number 77 of"),
        "{}",
        output.out
    );
}

/// Scenarios differ in their resolved settings, arm by arm; defaults that are written are no difference.
#[test]
fn scenarios_are_compared() {
    let scratch = Scratch::new();
    finish(scratch.fedbits(["new", "--from", "quickstart", "one"])).done();
    let text = fs::read_to_string(scratch.path("one.ron")).unwrap();
    fs::write(scratch.path("two.ron"), text.replace("clients: 30,", "clients: 30, late: Discard, // a default"))
        .unwrap();
    let same = diff(&scratch, &["one.ron", "two.ron"]);
    assert_eq!(same.code, Some(0), "{}{}", same.out, same.err);
    fs::write(scratch.path("two.ron"), text.replace("rounds: 400", "rounds: 40").replace("rand-6", "rand-six"))
        .unwrap();
    let output = diff(&scratch, &["one.ron", "two.ron", "--format", "csv"]);
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("uncompressed,stop.rounds,400,40\n"), "{}", output.out);
    assert!(output.err.contains("only in one.ron: rand-6") && output.err.contains("only in two.ron: rand-six"));
    let missing = diff(&scratch, &["one.ron", "nothing"]);
    assert_eq!(missing.code, Some(2), "{}", missing.out);
}

// --- explain ---------------------------------------------------------------------------------------------------------

fn explain(words: &[&str]) -> crate::support::Output {
    finish(Scratch::new().fedbits([&["explain"], words].concat()))
}

#[test]
fn words_are_explained() {
    for (words, expected) in [
        (&["mean_field_sq"][..], "‖h(Ŝ)‖²"),
        (&["ledger.csv"], "payload_bits"),
        (&["protocol.gamma"], "gamma"),
        (&["network.client_up"], "client_up"),
        (&["Dithering"], "levels"),
        (&["few-participants"], "n p below 1"),
        (&["γ", "max"], "Theorem 1"),
        (&["gamma", "max"], "Theorem 1"),
        (&["omega"], "constant of the compressor"),
        (&["bits", "up"], "bits so far"),
        (&["covered"], "biased"),
        (&["headers"], "packet headers"),
        (&["In one place"], "sends messages"),
        (&["inertia"], "mean squared distance of the examples to the centre"),
        (&["acceptance"], "accepted proposals ÷ proposals"),
        (&["divergences"], "the mode of p(z; θ)"),
        (&["outer_loop"], "number t of the outer loop"),
        (&["likelihood_spread"], "log p per visited example"),
        (&["totals.time_ns"], "simulated time, ns"),
        (&["k_opt"], "rounds and conditional expectations"),
        (&["V_i"], "memories of client i"),
        (&["Ef21"], "server: g ← g + n⁻¹ Σ c_i"),
        (&["Qsgd"], "ω = min("),
        (&["domain"], "SkipRound"),
        (&["nobody-arrived"], "deadline"),
    ] {
        let text = explain(words).done();
        assert!(text.contains(expected), "{words:?}: {text}");
    }
    let unknown = explain(&["mean_feld_sq"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("`mean_field_sq`"), "{}", unknown.err);
    let near = [("protocol.gama", "`gamma`"), ("roundss.csv", "`rounds.csv`"), ("nobody-arived", "`nobody-arrived`")];
    for (path, near) in near {
        let unknown = explain(&[path]);
        assert!(unknown.code == Some(2) && unknown.err.contains(near), "{}", unknown.err);
    }
}

// --- what is installed -----------------------------------------------------------------------------------------------

/// Completions and pages go where the variables of XDG say, and nothing that is not theirs is replaced.
#[test]
fn completions_and_pages_are_installed() {
    let scratch = Scratch::new();
    let home = scratch.path("home");
    let install = |arguments: &[&str]| {
        let mut command = scratch.fedbits(arguments);
        command.env("HOME", &home).env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
        finish(command)
    };
    for (shell, path) in [
        ("bash", ".local/share/bash-completion/completions/fedbits"),
        ("zsh", ".local/share/zsh/site-functions/_fedbits"),
        ("fish", ".config/fish/completions/fedbits.fish"),
    ] {
        let output = install(&["completions", shell, "--install"]);
        assert!(output.code == Some(0) && output.err.contains(path), "{}", output.err);
        assert!(fs::read_to_string(home.join(path)).unwrap().contains("retry-failed"), "{shell}");
        assert_eq!(install(&["completions", shell, "--install"]).code, Some(0), "again");
    }
    assert_eq!(install(&["completions", "powershell", "--install"]).code, Some(2));
    assert_eq!(install(&["man", "--install"]).code, Some(0));
    assert!(home.join(".local/share/man/man1/fedbits-run.1").is_file());
    fs::write(home.join(".config/fish/completions/fedbits.fish"), "complete -c fedbits -a 'run study'").unwrap();
    assert_eq!(install(&["completions", "fish", "--install"]).code, Some(2));
}

/// What docs/records.md defines: the words of the first cells of its tables.
fn defined() -> BTreeSet<&'static str> {
    let page = include_str!("../../docs/records.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.flat_map(|first| first.split('`').skip(1).step_by(2)).collect()
}

/// The first lines of all tables in a folder, by the tables' names; none where no run was made.
fn headers(folder: &Path) -> Vec<(String, Vec<String>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let header = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(path).unwrap();
        (name, text.lines().next().unwrap().split(',').map(str::to_owned).collect())
    };
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "csv")).map(header).collect()
}

/// Every column of every table that the golden scenarios leave is defined in docs/records.md, where `explain` finds it;
/// so are those of tables that are asked for.
#[test]
fn every_column_of_a_run_is_explained() {
    let scratch = Scratch::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let (mut columns, mut tables) = (BTreeSet::new(), BTreeSet::new());
    let asked = "record=(trace: [1], links_every: 1, marginals: 3, clients_at: [1])";
    let wires = folder.join("wires.ron");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let runs = paths.filter(|path| path.extension().is_some_and(|ending| ending == "ron")).map(|path| (path, None));
    for (path, set) in runs.chain([(wires, Some(asked))]) {
        // What needs data that are not here leaves no table.
        // Which columns there are is known after two rounds.
        let options = ["run", "-q", "--no-figures", "--out", "all", "--set", "stop=(rounds: 2)"].into_iter();
        let options = options.chain(set.iter().flat_map(|set| ["--set", *set])).map(Into::into);
        drop(finish(scratch.fedbits(options.chain([path.into_os_string()]))));
        for (name, header) in headers(&scratch.path("all")) {
            // Names of parameters and statistics depend on data and model, those of axes and targets on the scenario.
            if !["theta.csv", "statistics.csv"].contains(&name.as_str()) {
                columns.extend(header);
            }
            tables.insert(name);
        }
        drop(fs::remove_dir_all(scratch.path("all")));
    }
    let all = "vpc loadings trend topics topology links links_over_time components clients clients_at trace marginals";
    for table in all.split(' ').map(|name| format!("{name}.csv")) {
        assert!(tables.contains(&table), "{table} is none of {tables:?}");
    }
    columns.retain(|name| !name.contains("_to_mean_field_sq_") && !["compressor", "participation"].contains(&&**name));
    let missing: Vec<&String> = columns.iter().filter(|name| !defined().contains(name.as_str())).collect();
    assert!(missing.is_empty(), "not defined in docs/records.md: {missing:?}");
    finish(scratch.fedbits(["explain"].into_iter().chain(columns.iter().map(String::as_str)))).done();
}

/// Every column that a protocol can record, whatever its settings, is defined in docs/records.md.
#[test]
fn every_column_of_a_protocol_is_defined() {
    for entry in <dyn ProtocolSetting>::registry().entries() {
        for setting in (entry.examples)() {
            let columns = setting.profile().columns.expect("a protocol of the project names its columns");
            for column in columns.into_iter().chain([PARAMETER_ERROR, ENERGY, EPSILON]) {
                assert!(defined().contains(column), "docs/records.md does not define `{column}` of {}", entry.name);
            }
        }
    }
    for column in ROUND_COLUMNS.into_iter().chain(CLIENT_COLUMNS).chain(QUALITY_OF_CLIENTS) {
        assert!(defined().contains(column), "docs/records.md does not define `{column}`");
    }
}

/// So are the columns of tables over axes and targets, and the keys of a manifest.
#[test]
fn columns_of_targets_and_keys_of_manifests_are_defined() {
    let scratch = Scratch::new();
    finish(run(&scratch, "study.ron", &["-q", "--no-figures"])).done();
    let is_defined = |name: &str| {
        let of_target = name.split_once("_to_").map(|(what, _)| format!("{what}_to_TARGET"));
        let axes = ["compressor", "participation"];
        axes.contains(&name) || defined().contains(of_target.as_deref().unwrap_or(name))
    };
    for (table, header) in headers(&scratch.path("record")) {
        let missing: Vec<&String> = header.iter().filter(|name| !is_defined(name)).collect();
        assert!(missing.is_empty(), "{table}: {missing:?} are not defined in docs/records.md");
    }
    let manifest = serde_json::to_value(&runs(&scratch.path("record"))[0].manifest).unwrap();
    for (key, value) in manifest.as_object().unwrap() {
        let inner = value.as_object().filter(|_| ["totals", "host"].contains(&key.as_str()));
        let names = inner.map(|inner| inner.keys().map(|inner| format!("{key}.{inner}")).collect());
        for name in names.unwrap_or_else(|| vec![key.clone()]) {
            assert!(defined().contains(name.as_str()), "docs/records.md does not define the key `{name}`");
        }
    }
}

/// Words that are about nothing together are explained one after the other.
#[test]
fn several_words_are_explained_one_by_one() {
    let scratch = Scratch::new();
    let both = finish(scratch.fedbits(["explain", "stop.rounds", "stop.bits"])).done();
    for word in ["stop.rounds", "stop.bits"] {
        let alone = finish(scratch.fedbits(["explain", word])).done();
        assert!(both.contains(alone.trim_end()), "{word}: {both}");
    }
    let output = finish(scratch.fedbits(["explain", "stop.rounds", "stop.nothingofthekind"]));
    assert!(output.code == Some(2) && output.err.contains("`stop.nothingofthekind`"), "{}", output.err);
}

/// Names of the literature lead to the setting, and to its bits per entry.
#[test]
fn quantizers_of_the_literature_are_explained() {
    let scratch = Scratch::new();
    for (asked, told) in [
        ("OneBit", "setting: `ScaledSign`"),
        ("SignSgd", "bits per entry: 1.03"),
        ("1-bit", "setting: `ScaledSign`"),
        ("4 bit", "setting: `Dithering(levels: 7, norm: Infinity, code: Fixed)`"),
        ("qsgd4", "setting: `Qsgd(levels: 7, code: Fixed)`"),
        ("TernGrad", "bits per entry: 1.63"),
        ("ternary dithering", "setting: `Dithering(levels: 1, code: Packed)`"),
        ("Qsgd", "`levels: 7`"),
        ("Dithering", "on s levels"),
        ("DIANA", "BlockQuantization(block: 250, norm: Infinity)"),
        ("Perm-k", "setting: `PermK`"),
        ("learning_rate", "server step"),
    ] {
        let output = finish(scratch.fedbits(["explain", asked])).done();
        let said = output.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(told), "{asked}: {output}");
    }
}
