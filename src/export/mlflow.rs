//! A file store of MLflow: `EXPERIMENT/RUN/{meta.yaml,metrics,params,tags,artifacts}`, a file per key, as
//! `mlflow.store.tracking.file_store` reads it.
//!
//! Steps are rounds, timestamps simulated milliseconds since 1970. Settings are parameters, the columns of the rounds
//! metrics, digests and caveats tags, and the artifacts are the record.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fedbits_record::study::FrameKind;

use super::names::Names;
use super::runs::Run;
use super::{put, put_record};
use crate::error::Error;
use crate::yaml::quoted;

/// The longest value of a parameter that MLflow takes from its clients, in characters.
const LONGEST_VALUE: usize = 6000;

/// `RunStatus` of MLflow.
const FINISHED: u32 = 3;
const FAILED: u32 = 4;
/// Ended by a search, which needed no more of it.
const KILLED: u32 = 5;

/// Writes the store of `runs` into `folder`, which will be `target`.
pub(super) fn write(runs: &[Run<'_>], folder: &Path, target: &Path) -> Result<(), Error> {
    let target = std::path::absolute(target).map_err(|source| Error::file(target, source))?;
    let mut experiments: BTreeMap<&str, String> = BTreeMap::new();
    for run in runs {
        let scenario = run.record.manifest.scenario.as_str();
        let id = experiment_id(scenario);
        let address = address(&target.join(&id));
        if experiments.insert(scenario, id.clone()).is_none() {
            let meta = [
                ("artifact_location", quoted(&address)),
                ("creation_time", "0".to_owned()),
                ("experiment_id", quoted(&id)),
                ("last_update_time", "0".to_owned()),
                ("lifecycle_stage", "active".to_owned()),
                ("name", quoted(scenario)),
            ];
            put(&folder.join(&id).join("meta.yaml"), yaml(&meta).as_bytes())?;
        }
        write_run(run, &id, &address, &folder.join(&id).join(&run.id))?;
    }
    Ok(())
}

/// A number of at most 18 digits that only this scenario has.
fn experiment_id(scenario: &str) -> String {
    let hash = blake3::hash(scenario.as_bytes());
    let number = hash.as_bytes()[..8].iter().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    (1 + number % 999_999_999_999_999_999).to_string()
}

fn write_run(run: &Run<'_>, experiment: &str, address: &str, folder: &Path) -> Result<(), Error> {
    let manifest = &run.record.manifest;
    let status = match FrameKind::of(run.record) {
        FrameKind::Cut => KILLED,
        FrameKind::Failed => FAILED,
        FrameKind::Finished | FrameKind::Degenerate | FrameKind::NotRun => FINISHED,
    };
    let meta = [
        ("artifact_uri", quoted(&format!("{address}/{}/artifacts", run.id))),
        ("end_time", (manifest.totals.time_ns / 1_000_000).to_string()),
        ("entry_point_name", quoted("")),
        ("experiment_id", quoted(experiment)),
        ("lifecycle_stage", "active".to_owned()),
        ("run_id", quoted(&run.id)),
        ("run_name", quoted(&run.name)),
        ("run_uuid", quoted(&run.id)),
        ("source_name", quoted("fedbits")),
        ("source_type", "4".to_owned()),
        ("source_version", quoted("")),
        ("start_time", "0".to_owned()),
        ("status", status.to_string()),
        ("tags", "[]".to_owned()),
        ("user_id", quoted("fedbits")),
    ];
    put(&folder.join("meta.yaml"), yaml(&meta).as_bytes())?;
    for (key, text) in tags(run) {
        put(&folder.join("tags").join(key), text.as_bytes())?;
    }
    let mut keys = Names::default();
    for (path, value) in &run.settings {
        put(&folder.join("params").join(keys.of_key(path)), shortened(value).as_bytes())?;
    }
    for (file, lines) in metrics(run) {
        put(&folder.join("metrics").join(file), lines.as_bytes())?;
    }
    put_record(run, &folder.join("artifacts")).map(drop)
}

/// What MLflow would refuse from a client is cut, and says so; the artifacts have the whole.
fn shortened(value: &str) -> String {
    let length = value.chars().count();
    if length <= LONGEST_VALUE {
        return value.to_owned();
    }
    let note = format!("… ({length} characters; the scenario among the artifacts has them all)");
    let kept = LONGEST_VALUE - note.chars().count();
    value.chars().take(kept).chain(note.chars()).collect()
}

fn tags(run: &Run<'_>) -> Vec<(&'static str, String)> {
    let manifest = &run.record.manifest;
    let caveats = manifest.caveats.join("\n");
    let note = [run.about.as_str(), caveats.as_str()].join("\n\n").trim().to_owned();
    let tags = [
        ("mlflow.runName", run.name.clone()),
        ("mlflow.source.name", "fedbits".to_owned()),
        ("mlflow.source.type", "LOCAL".to_owned()),
        ("mlflow.user", "fedbits".to_owned()),
        ("mlflow.note.content", note),
        ("fedbits.version", manifest.engine_version.clone()),
        ("fedbits.scenario", manifest.scenario.clone()),
        ("fedbits.arm", run.arm.to_owned()),
        ("fedbits.seed", manifest.seed.to_string()),
        ("fedbits.replicate", manifest.replicate.to_string()),
        ("fedbits.stop_reason", manifest.stop_reason.clone()),
        ("fedbits.caveats", caveats),
        ("fedbits.digest.data", manifest.digests.data.clone()),
        ("fedbits.digest.timeline", manifest.digests.timeline.clone()),
        ("fedbits.digest.state", manifest.digests.state.clone()),
    ];
    tags.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// Per column a file of lines `TIMESTAMP VALUE STEP`.
fn metrics(run: &Run<'_>) -> Vec<(PathBuf, String)> {
    let mut keys = Names::default();
    let columns = run.columns();
    let mut files: Vec<(PathBuf, String)> =
        columns.iter().map(|name| (PathBuf::from(keys.of_key(name)), String::new())).collect();
    for row in &run.record.rounds {
        let time_ms = row.time_ns / 1_000_000;
        for (number, (_, lines)) in run.numbers(row).into_iter().zip(&mut files) {
            if let Some(number) = number {
                let _ = writeln!(lines, "{time_ms} {} {}", number.text(), row.round);
            }
        }
    }
    files.retain(|(_, lines)| !lines.is_empty());
    files
}

fn yaml(entries: &[(&str, String)]) -> String {
    entries.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// A folder as an address `file:///…`.
fn address(folder: &Path) -> String {
    let mut address = String::from("file://");
    for &byte in folder.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => address.push(byte as char),
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(address(Path::new("/tmp/a b/γ%")), "file:///tmp/a%20b/%CE%B3%25");
    }

    #[test]
    fn long_values_say_that_they_are_cut() {
        let long = shortened(&"é".repeat(7000));
        assert_eq!(long.chars().count(), LONGEST_VALUE);
        assert!(long.ends_with("… (7000 characters; the scenario among the artifacts has them all)"), "{long}");
        assert_eq!(shortened("1"), "1");
    }
}
