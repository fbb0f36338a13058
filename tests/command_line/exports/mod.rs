//! Records as the files of other tools. Each format is decoded by code of its own (`decoders`), and compared with the
//! record; and read by the tool itself where Python has it (`tests/golden/read_exports.py`; the variable
//! `FEDBITS_PYTHON` names another Python).

mod decoders;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::skips::{Lacks, skipped};
use crate::studies::scratch_with;
use crate::support::{Scratch, finish};
use decoders::{Field, all, log_data, message, stored_arrays, tf_records, whole};

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

fn export(scratch: &Scratch, from: &str, to: &str) -> PathBuf {
    let out = finish(scratch.fedbits(["export", from, "--to", to])).done();
    scratch.path(out.trim_end())
}

/// Per arm and column the rounds and the numbers that were measured, as their text.
type Numbers = BTreeMap<String, BTreeMap<String, Vec<(u64, String)>>>;

fn of_records(folder: &Path) -> Numbers {
    let mut numbers = Numbers::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let manifest: Value = serde_json::from_slice(&fs::read(entry.join("manifest.json")).unwrap()).unwrap();
        let arm = numbers.entry(manifest["arm"].as_str().unwrap().to_owned()).or_default();
        let mut reader = csv::Reader::from_path(entry.join("rounds.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        for row in reader.records().map(Result::unwrap) {
            let cell = |name: &str| &row[header.iter().position(|own| own == name).unwrap()];
            let round = cell("round").parse().unwrap();
            let bits =
                ["bits_up", "bits_down", "bits_peer", "bits_header"].map(|name| cell(name).parse::<u64>().unwrap());
            let total = bits.iter().sum::<u64>().to_string();
            let cells = header.iter().zip(&row).chain([("bits_total", total.as_str())]);
            for (name, text) in cells.filter(|(name, text)| *name != "round" && !text.is_empty()) {
                arm.entry(name.to_owned()).or_default().push((round, text.to_owned()));
            }
        }
    }
    assert_eq!(numbers.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(ARMS));
    let probed = &numbers[".."]["objective"];
    assert!(probed.len() < numbers[".."]["bits_up"].len(), "some cells are empty: {probed:?}");
    numbers
}

/// Compares numbers as doubles, or as floats.
fn assert_same(found: &Numbers, expected: &Numbers, single: bool) {
    let number = |text: &String| match single {
        true => f64::from(text.parse::<f64>().unwrap() as f32),
        false => text.parse().unwrap(),
    };
    let numbers = |all: &Numbers| -> BTreeMap<(String, String), Vec<(u64, u64)>> {
        let bits =
            |points: &[(u64, String)]| points.iter().map(|(round, text)| (*round, number(text).to_bits())).collect();
        let columns = all.iter().flat_map(|(arm, columns)| columns.iter().map(move |column| (arm, column)));
        columns.map(|(arm, (name, points))| ((arm.clone(), name.clone()), bits(points))).collect()
    };
    let (found, expected) = (numbers(found), numbers(expected));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (column, points) in expected {
        assert_eq!(found[&column], points, "{column:?}");
    }
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

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

#[test]
fn mlflow() {
    let scratch = records();
    let store = export(&scratch, "out", "mlflow");
    let experiments = folders(&store);
    assert_eq!(experiments.len(), 1);
    assert!(fs::read_to_string(experiments[0].join("meta.yaml")).unwrap().contains("name: \"odd names\"\n"));
    let mut found = Numbers::new();
    for run in folders(&experiments[0]) {
        let arm = fs::read_to_string(run.join("tags/fedbits.arm")).unwrap();
        let seed = ARMS.iter().position(|own| *own == arm).unwrap() + 3;
        assert_eq!(fs::read_to_string(run.join("params/seed")).unwrap(), seed.to_string());
        assert_eq!(fs::read_to_string(run.join("params/protocol.compressor.levels")).unwrap(), "2");
        let note = fs::read_to_string(run.join("tags/mlflow.note.content")).unwrap();
        assert!(note.starts_with("Two clusters\nof \"points\"."), "{note}");
        // The artifacts are a record.
        if arm == ARMS[4] {
            finish(scratch.fedbits([Path::new("verify"), &run.join("artifacts")])).done();
        }
        let columns = found.entry(arm).or_default();
        for file in fs::read_dir(run.join("metrics")).unwrap().map(|file| file.unwrap().path()) {
            let lines = fs::read_to_string(&file).unwrap();
            let points = lines.lines().map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                assert_eq!(words.len(), 3, "{line}");
                (words[2].parse().unwrap(), words[1].to_owned())
            });
            columns.insert(file.file_name().unwrap().to_str().unwrap().to_owned(), points.collect());
        }
    }
    assert_same(&found, &of_records(&scratch.path("out")), false);
    read_by_the_tool(&scratch, "mlflow", &store);
}

#[test]
fn tensorboard() {
    let scratch = records();
    let logs = export(&scratch, "out", "tensorboard");
    let index: Value = serde_json::from_slice(&fs::read(logs.join("runs.json")).unwrap()).unwrap();
    assert_eq!(folders(&logs).len(), ARMS.len());
    let mut found = Numbers::new();
    for entry in index.as_array().unwrap() {
        let folder = logs.join(entry["folder"].as_str().unwrap());
        assert_eq!(folder.parent(), Some(logs.as_path()));
        let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        assert!(file.to_str().unwrap().contains("tfevents"));
        let events: Vec<_> = tf_records(&fs::read(file).unwrap()).iter().map(|bytes| message(bytes)).collect();
        assert_eq!(all(&events[0], 3)[0].text(), "brain.Event:2");
        let columns = found.entry(entry["arm"].as_str().unwrap().to_owned()).or_default();
        for event in &events[1..] {
            let (step, time) = (whole(event, 2), f64::from_bits(whole(event, 1)));
            for value in all(&all(event, 5)[0].message(), 1).iter().map(Field::message) {
                let tag = all(&value, 1)[0].text();
                if all(&value, 2).is_empty() {
                    assert!(
                        ["scenario", "_hparams_/session_start_info", "_hparams_/session_end_info"].contains(&&*tag)
                    );
                    continue;
                }
                let number = f32::from_bits(whole(&value, 2) as u32);
                assert!(tag != "time_s" || number == time as f32);
                columns.entry(tag).or_default().push((step, f64::from(number).to_string()));
            }
        }
    }
    assert_same(&found, &of_records(&scratch.path("out")), true);
    read_by_the_tool(&scratch, "tensorboard", &logs);
}

#[test]
fn wandb() {
    let scratch = records();
    let runs = export(&scratch, "out", "wandb");
    let mut found = Numbers::new();
    let mut cut = false;
    for folder in folders(&runs) {
        let id = folder.file_name().unwrap().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
        let file = fs::read(folder.join(format!("run-{id}.wandb"))).unwrap();
        cut |= file.len() > 32768;
        let records: Vec<_> = log_data(&file).iter().map(|bytes| message(bytes)).collect();
        let numbers: Vec<u64> = records.iter().map(|record| whole(record, 1)).collect();
        assert_eq!(numbers, (1..=records.len() as u64).collect::<Vec<_>>());
        let run = records.iter().find_map(|record| all(record, 17).pop()).unwrap().message();
        assert_eq!((all(&run, 1)[0].text(), all(&run, 3)[0].text()), (id, "odd_names".to_owned()));
        let config: BTreeMap<String, Value> = all(&all(&run, 4)[0].message(), 1)
            .iter()
            .map(|item| (all(&item.message(), 1)[0].text(), all(&item.message(), 16)[0].text()))
            .map(|(name, json)| (name, serde_json::from_str(&json).unwrap()))
            .collect();
        assert_eq!((&config["name"], &config["model.components"]), (&"odd names".into(), &2.into()));
        let arm = config["fedbits.arm"].as_str().unwrap();
        assert_eq!(all(&run, 8)[0].text(), arm);
        let columns = found.entry(arm.to_owned()).or_default();
        for history in records.iter().flat_map(|record| all(record, 2)).map(|history| history.message()) {
            let step = whole(&all(&history, 2)[0].message(), 1);
            for item in all(&history, 1).iter().map(Field::message) {
                let (name, json) = (all(&item, 2)[0].text(), all(&item, 16)[0].text());
                match name.as_str() {
                    "_step" => assert_eq!(json, step.to_string()),
                    "_runtime" | "_timestamp" => {}
                    _ => columns.entry(name).or_default().push((step, json)),
                }
            }
        }
        assert!(all(records.last().unwrap(), 18).len() == 1, "the exit is the last");
    }
    assert!(cut || found.len() == ARMS.len());
    assert_same(&found, &of_records(&scratch.path("out")), false);
    read_by_the_tool(&scratch, "wandb", &runs);
}

/// Tables are read back by the tool alone; a program without the feature says what it lacks.
#[test]
fn parquet() {
    let scratch = records();
    let output = finish(scratch.fedbits(["export", "out", "--to", "parquet"]));
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
fn arrays_of_the_fitted_model() {
    fn flat(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(flat).collect(),
            other => vec![other.as_f64().unwrap()],
        }
    }
    let scratch = records();
    for folder in folders(&scratch.path("out")) {
        let arrays = stored_arrays(&fs::read(folder.join("model.npz")).unwrap());
        let model: Value = serde_json::from_slice(&fs::read(folder.join("model.json")).unwrap()).unwrap();
        let parameters = model["parameters"].as_object().unwrap();
        assert_eq!(arrays.len(), parameters.len() + 3);
        for (name, value) in
            parameters.iter().filter(|(_, value)| value.is_array()).chain([(&"theta".to_owned(), &model["theta"])])
        {
            let (header, bytes) = &arrays[name];
            assert!(header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': ("), "{header}");
            let numbers: Vec<f64> =
                bytes.chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
            assert_eq!(numbers, flat(value), "{name}");
        }
        assert!(arrays["covariances"].0.contains("'shape': (2, 2, 2), }"), "{}", arrays["covariances"].0);
        let text = |bytes: &[u8]| -> String {
            bytes.chunks(4).map(|c| char::from_u32(u32::from_le_bytes(c.try_into().unwrap())).unwrap()).collect()
        };
        let (header, bytes) = &arrays["covariance_type"];
        assert!(header.contains("'<U4'") && header.contains("'shape': ()"), "{header}");
        assert_eq!(text(bytes), parameters["covariance_type"].as_str().unwrap());
        assert!(arrays["columns"].0.contains("'shape': (2,)"), "{}", arrays["columns"].0);
    }
    read_by_the_tool(&scratch, "numpy", &scratch.path("out"));
}

#[test]
fn runs_that_failed_say_so() {
    let scratch = Scratch::new();
    let diverging = "protocol=FedEm(gamma: Constant(0.9), memory: NoMemory, compressor: Dithering(levels: 1))";
    let diverging = ["--set", diverging, "--set", "arms=[]"];
    let run = ["run", "quickstart", "--no-figures", "--out", "out"];
    let output = finish(scratch.fedbits(run.iter().chain(&diverging)));
    assert_eq!(output.code, Some(1), "{}", output.err);
    let store = export(&scratch, "out", "mlflow");
    let run = &folders(&folders(&store)[0])[0];
    let meta = fs::read_to_string(run.join("meta.yaml")).unwrap();
    assert!(meta.contains("status: 4\n"), "{meta}");
    assert!(fs::read_to_string(run.join("tags/fedbits.stop_reason")).unwrap().starts_with("failed"));
    let logs = folders(&export(&scratch, "out", "wandb"));
    let file = fs::read_dir(&logs[0]).unwrap().map(|file| file.unwrap().path()).find(|path| path.is_file()).unwrap();
    let exit = all(&message(log_data(&fs::read(file).unwrap()).last().unwrap()), 18)[0].message();
    assert_eq!(whole(&exit, 1), 1);
}

/// A run that a search ended is no finished one.
#[test]
fn runs_that_were_cut_say_so() {
    let scratch = Scratch::new();
    let run = ["run", "quickstart", "--set", "stop=(rounds: 2)", "--set", "arms=[]", "--no-figures", "--out", "out"];
    finish(scratch.fedbits(run)).done();
    let manifest = scratch.path("out/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let cut = "{\n  \"cut\": {\"of\": \"bits\", \"above\": 7},";
    fs::write(&manifest, text.replacen('{', cut, 1)).unwrap();
    let store = export(&scratch, "out", "mlflow");
    let meta = fs::read_to_string(folders(&folders(&store)[0])[0].join("meta.yaml")).unwrap();
    assert!(meta.contains("status: 5\n"), "{meta}");
}

/// Long runs have messages that are cut at the ends of blocks.
#[test]
fn logs_of_many_blocks() {
    let scratch = Scratch::new();
    let run = ["run", "quickstart", "--set", "stop=(rounds: 120)", "--no-figures", "--out", "out"];
    finish(scratch.fedbits(run)).done();
    let runs = export(&scratch, "out", "wandb");
    for folder in folders(&runs) {
        let file = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).find(|path| path.is_file()).unwrap();
        let bytes = fs::read(file).unwrap();
        assert!(bytes.len() > 2 << 15, "{}", bytes.len());
        let histories = log_data(&bytes).iter().filter(|data| !all(&message(data), 2).is_empty()).count();
        assert_eq!(histories, 121);
    }
    read_by_the_tool(&scratch, "wandb", &runs);
}

#[test]
fn every_run_of_a_study() {
    let scratch = scratch_with(&[]);
    finish(scratch.fedbits(["study", "study.ron", "--out", "out"])).done();
    let logs = export(&scratch, "out", "tensorboard");
    assert_eq!(folders(&logs).len(), 24);
    let store = export(&scratch, "out", "mlflow");
    let runs: Vec<PathBuf> = folders(&store).iter().flat_map(|experiment| folders(experiment)).collect();
    assert_eq!(runs.len(), 24);
    let name = |run: &PathBuf| fs::read_to_string(run.join("tags/mlflow.runName")).unwrap();
    let names: BTreeSet<String> = runs.iter().map(name).collect();
    assert_eq!(names.len(), 24, "{names:?}");
    assert!(names.iter().all(|name| name.contains(", replicate ")), "{names:?}");
    let scenario = fs::read_to_string(runs[0].join("artifacts/scenario.ron")).unwrap();
    assert!(scenario.starts_with('('), "{scenario}");
    // The same study gives the same files.
    let again = finish(scratch.fedbits(["export", "out", "--to", "tensorboard", "--out", "again"])).done();
    let differ = Command::new("diff").arg("-r").args([&logs, &scratch.path(again.trim_end())]).output();
    assert!(differ.is_ok_and(|differ| differ.status.success()));
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_half_written() {
    let scratch = records();
    export(&scratch, "out", "wandb");
    let refused = |arguments: &[&str], expected: &str| {
        let output = finish(scratch.fedbits(arguments));
        assert_eq!(output.code, Some(2), "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(expected), "{arguments:?}: {}", output.err);
    };
    let again = ["export", "out", "--to", "wandb"];
    refused(&again, "wandb is there already: expected the name of a folder that is not");
    refused(&["export", "nowhere", "--to", "mlflow"], "there is no folder nowhere");
    refused(&["export", "out", "--to", "mlfow"], "mlflow");
    // A file that the manifest lists and that is gone: no export, no folders made for one.
    fs::remove_file(folders(&scratch.path("out"))[0].join("ledger.csv")).unwrap();
    let output = finish(scratch.fedbits(["export", "out", "--to", "mlflow", "--out", "deep/er/mlruns"]));
    assert_eq!(output.code, Some(74), "{}", output.err);
    assert!(output.err.contains("ledger.csv") && !scratch.path("deep").exists(), "{}", output.err);
    let left: Vec<_> = fs::read_dir(scratch.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}
