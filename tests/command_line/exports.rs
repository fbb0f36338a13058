//! The tables of runs in Parquet, and fitted models as NumPy arrays, read back by pyarrow and NumPy
//! (`tests/golden/read_exports.py`; the variable `FEDBITS_PYTHON` names the interpreter).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command_line::outcomes::rewrite;
use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

/// Names that are no names of files: a slash, other scripts, the folder above, two that become the same. Scenarios have
/// no such arms, but other programs may write plans; the last one is a scenario's.
const ARMS: [&str; 5] = ["γ = 0.1/α", "γ = 0.1-α", "..", "\"quoted\": yes", "50 %"];

/// Runs of arms with such names, few rounds, probes that leave cells empty.
fn odd_runs() -> Scratch {
    let scratch = Scratch::new();
    let arms: Vec<String> = (3..7).map(|seed| format!("(name: \"{seed}\", set: {{\"seed\": \"{seed}\"}})")).collect();
    let scenario = format!(
        "(name: \"odd names\", about: \"Two clusters\\nof \\\"points\\\".\", clients: 6,
          data: RandomMixture(examples: 300, features: 2, components: 2, separation: 3),
          model: GaussianMixture(components: 2, covariance: Full),
          protocol: FedEm(gamma: Constant(0.1), compressor: Dithering(levels: 2), domain: SkipRound),
          stop: (rounds: 7), record: (probe_every: 3, clients: true), arms: [{}, (name: {:?}, set: {{\"seed\": \"7\"}})])",
        arms.join(", "),
        ARMS[4]
    );
    fs::write(scratch.path("odd.ron"), scenario).unwrap();
    finish(scratch.fedbits(["run", "odd.ron", "--no-figures", "--out", "plain"])).done();
    rewrite(&scratch.path("plain"), &scratch.path("out"), |plan, _| {
        plan.arms.iter_mut().zip(ARMS).for_each(|(arm, name)| arm.name = name.to_owned());
    });
    // Writes tables and models.
    finish(scratch.fedbits(["merge", "out"])).done();
    scratch
}

/// Whether Python reads the export with the tool itself, and finds every number.
fn read_by_the_tool(scratch: &Scratch, tool: &str, export: &Path) {
    let python = std::env::var("FEDBITS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/read_exports.py");
    let mut command = Command::new(&python);
    command.arg(script).arg(tool).arg(export).arg(scratch.path("out"));
    let Ok(output) = command.output() else {
        return skipped(Lacks::Program, &format!("reading {tool}: there is no {python}"));
    };
    match output.status.code() {
        Some(0) => {}
        Some(3) => {
            skipped(Lacks::Program, &format!("reading {tool}: {}", String::from_utf8_lossy(&output.stdout).trim()))
        }
        _ => panic!("{tool}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Tables are read back by the tool alone; a program without the feature says what it lacks.
#[test]
fn parquet() {
    let scratch = odd_runs();
    let output = finish(scratch.fedbits(["export", "out", "--parquet"]));
    if cfg!(feature = "parquet") {
        let tables = scratch.path(output.done().trim_end());
        for name in ["rounds", "runs", "clients", "components"] {
            let bytes = fs::read(tables.join(format!("{name}.parquet"))).unwrap();
            assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        }
        read_by_the_tool(&scratch, "parquet", &tables);
    } else {
        assert_eq!(output.code, Some(2), "{}", output.err);
        assert!(output.err.contains("built without the feature `parquet`"), "{}", output.err);
        assert!(!scratch.path("tables").exists());
    }
}

/// As CSV they are the tables of the folder, byte for byte; of several folders each has its own.
#[test]
fn tables_are_exported_as_csv() {
    let scratch = odd_runs();
    let tables = |folder: &str| {
        let entries = fs::read_dir(scratch.path(folder)).unwrap().map(|entry| entry.unwrap().path());
        let tables = entries.filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
        let read = |path: std::path::PathBuf| (path.file_name().unwrap().to_owned(), fs::read(path).unwrap());
        tables.map(read).collect::<BTreeMap<_, _>>()
    };
    finish(scratch.fedbits(["export", "out", "plain", "--out", "both"])).done();
    assert!(tables("out").len() > 5 && tables("both/out") == tables("out") && tables("both/plain") == tables("plain"));
}

#[test]
fn arrays_of_the_fitted_model_are_read_by_numpy() {
    let scratch = odd_runs();
    read_by_the_tool(&scratch, "numpy", &scratch.path("out"));
}

/// An existing folder is refused; an export that fails leaves no folder; runs that are damaged are said to be.
#[test]
fn nothing_is_overwritten_and_nothing_is_left_half_written() {
    let scratch = odd_runs();
    fs::create_dir(scratch.path("tables")).unwrap();
    let refused = |arguments: &[&str], expected: &str, code: i32| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(code), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    refused(&["export", "out"], "tables is there already: expected the name of a folder that is not", 2);
    refused(&["export", "nowhere", "--out", "new"], "there is no folder nowhere", 2);
    fs::write(scratch.path("file"), "mine").unwrap();
    refused(&["export", "out", "--out", "file/tables"], "file", 2);
    // A plan that somebody has changed; the first folder was whole.
    let plan = fs::read_to_string(scratch.path("out/plan.json")).unwrap();
    fs::write(scratch.path("out/plan.json"), plan.replace("50 %", "60 %")).unwrap();
    refused(&["export", "plain", "out", "--out", "deep/er/tables"], "plan.json", 2);
    assert!(!scratch.path("deep").exists() && !scratch.path("new").exists());
    // One run of five is damaged; the folder is found in another one.
    fs::create_dir(scratch.path("all")).unwrap();
    fs::rename(scratch.path("plain"), scratch.path("all/plain")).unwrap();
    let segment = scratch.path("all/plain/segments/000000.seg");
    let mut bytes = fs::read(&segment).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    fs::write(&segment, bytes).unwrap();
    for command in [&["export", "all", "--out", "rest"][..], &["compare", "all"], &["report", "all", "--out", "f"]] {
        let output = finish(scratch.fedbits(command));
        assert!(output.code == Some(0) && output.err.contains("without a result"), "{command:?}: {}", output.err);
    }
    let runs = fs::read_to_string(scratch.path("rest/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 5, "{runs}");
}
