//! Records as tables in Parquet, and the fitted model as NumPy arrays, read back by pyarrow and NumPy
//! (`tests/golden/read_exports.py`; the variable `FEDBITS_PYTHON` names the interpreter).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::skips::{Lacks, skipped};
use crate::support::{Scratch, finish};

/// Names that are no names of files: a slash, other scripts, the folder above, two that become the same. Scenarios have
/// no such arms, but other programs may write records; the last one is a scenario's.
const ARMS: [&str; 5] = ["γ = 0.1/α", "γ = 0.1-α", "..", "\"quoted\": yes", "50 %"];

/// Records of arms with such names, few rounds, probes that leave cells empty.
fn records() -> Scratch {
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
    finish(scratch.fedbits(["run", "odd.ron", "--no-figures", "--out", "out"])).done();
    for (seed, name) in (3..7).zip(ARMS) {
        let path = scratch.path(format!("out/{seed}/manifest.json"));
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        manifest["arm"] = name.into();
        fs::write(path, manifest.to_string()).unwrap();
    }
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
    let scratch = records();
    let output = finish(scratch.fedbits(["export", "out"]));
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
        assert!(!scratch.path("parquet").exists());
    }
}

#[test]
fn arrays_of_the_fitted_model_are_read_by_numpy() {
    let scratch = records();
    read_by_the_tool(&scratch, "numpy", &scratch.path("out"));
}

/// An existing folder is refused; an export that fails leaves no folder.
#[test]
fn nothing_is_overwritten_and_nothing_is_left_half_written() {
    let scratch = records();
    fs::create_dir(scratch.path("parquet")).unwrap();
    let refused = |arguments: &[&str], expected: &str, code: i32| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(code), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    refused(&["export", "out"], "parquet is there already: expected the name of a folder that is not", 2);
    refused(&["export", "nowhere", "--out", "new"], "there is no folder nowhere", 2);
    // A file that the manifest lists and that is gone.
    fs::remove_file(scratch.path("out/3/ledger.csv")).unwrap();
    refused(&["export", "out", "--out", "deep/er/tables"], "ledger.csv", 74);
    assert!(!scratch.path("deep").exists() && !scratch.path("new").exists());
}
