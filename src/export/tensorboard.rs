//! Event files of TensorBoard: records (TFRecord: a length, its checksum, the bytes, theirs) that hold `Event` messages
//! (tensorflow/core/util/event.proto).
//!
//! Steps are rounds, wall times simulated seconds. Scalars are single precision: TensorBoard's data server shows no
//! others (tensorboard/data/server/data_compat.rs). Each folder also has its scenario as a text, and the settings that
//! differ as hyperparameters.

use std::path::Path;

use fedbits_record::study::FrameKind;
use serde_json::{Value, json};

use super::crc32c::crc32c;
use super::protobuf::Message;
use super::put;
use super::runs::Run;
use crate::error::Error;

/// `DataType` of tensors.
const DT_FLOAT: u64 = 1;
const DT_STRING: u64 = 7;
/// `DataClass` of summaries.
const DATA_CLASS_TENSOR: u64 = 2;
/// `Status` of sessions.
const STATUS_UNKNOWN: u64 = 0;
const STATUS_SUCCESS: u64 = 1;
const STATUS_FAILURE: u64 = 2;

/// Names the runs that the folders hold, for other programs.
const INDEX_FILE: &str = "runs.json";

/// Writes a folder per run, and which run each holds.
pub(super) fn write(runs: &[Run<'_>], folder: &Path) -> Result<(), Error> {
    for run in runs {
        // TensorBoard wants `tfevents` in the name, which begins with the time of its writing elsewhere.
        put(&folder.join(&run.file).join("events.out.tfevents.0000000000.fedbits"), &events(run))?;
    }
    let index: Vec<Value> = runs.iter().map(index).collect();
    let text = serde_json::to_string_pretty(&index).map_err(|error| Error::Run(error.to_string()))?;
    put(&folder.join(INDEX_FILE), (text + "\n").as_bytes())
}

fn index(run: &Run<'_>) -> Value {
    let manifest = &run.record.manifest;
    json!({
        "folder": run.file,
        "name": run.name,
        "arm": run.arm,
        "scenario": manifest.scenario,
        "seed": manifest.seed,
        "replicate": manifest.replicate,
        "version": manifest.engine_version,
        "digests": {
            "data": manifest.digests.data,
            "timeline": manifest.digests.timeline,
            "state": manifest.digests.state,
        },
        "stop_reason": manifest.stop_reason,
        "caveats": manifest.caveats,
    })
}

/// The bytes of the event file of a run.
fn events(run: &Run<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    let version = Message::default().double(1, 0.0).text(3, "brain.Event:2");
    record(&mut file, &version);
    let start = summary([text("scenario", &run.record.manifest.scenario_text), session_start(run)]);
    record(&mut file, &event(0.0, 0, &start));
    let columns = run.columns();
    for row in &run.record.rounds {
        let numbers = columns.iter().zip(run.numbers(row));
        let values = numbers.filter_map(|(tag, number)| Some(scalar(tag, number?.double() as f32)));
        let values = summary(values);
        record(&mut file, &event(seconds(row.time_ns), row.round, &values));
    }
    let totals = &run.record.manifest.totals;
    record(&mut file, &event(seconds(totals.time_ns), totals.rounds, &summary([session_end(run)])));
    file
}

fn seconds(time_ns: u64) -> f64 {
    super::runs::Number::Seconds(time_ns).double()
}

/// Appends a record.
fn record(file: &mut Vec<u8>, message: &Message) {
    let bytes = message.as_bytes();
    let length = (bytes.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(crc32c(&length)).to_le_bytes());
    file.extend(bytes);
    file.extend(masked(crc32c(bytes)).to_le_bytes());
}

/// Checksums that are stored beside what they check are turned (tensorflow/core/lib/hash/crc32c.h).
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

fn event(wall_time_s: f64, step: u64, summary: &Message) -> Message {
    Message::default().double(1, wall_time_s).whole(2, step).message(5, summary)
}

fn summary(values: impl IntoIterator<Item = Message>) -> Message {
    values.into_iter().fold(Message::default(), |summary, value| summary.message(1, &value))
}

fn scalar(tag: &str, value: f32) -> Message {
    Message::default().text(1, tag).float(2, value)
}

/// A tensor that belongs to a plugin.
fn tensor(tag: &str, tensor: &Message, plugin: &str, content: &[u8]) -> Message {
    let plugin = Message::default().text(1, plugin).bytes(2, content);
    let metadata = Message::default().message(1, &plugin).whole(4, DATA_CLASS_TENSOR);
    Message::default().text(1, tag).message(8, tensor).message(9, &metadata)
}

/// A list of `length` entries.
fn shape(length: u64) -> Message {
    Message::default().message(2, &Message::default().whole(1, length))
}

/// A text as Markdown shows it, line by line.
fn text(tag: &str, text: &str) -> Message {
    let code: String = text.lines().map(|line| format!("    {line}\n")).collect();
    let content = Message::default().whole(1, DT_STRING).message(2, &shape(1)).text(8, &code);
    tensor(tag, &content, "text", &[])
}

/// The settings that differ between the runs (tensorboard/plugins/hparams/plugin_data.proto).
fn session_start(run: &Run<'_>) -> Message {
    let mut session = Message::default();
    for (path, value) in run.settings.iter().filter(|(path, _)| run.varies.contains(path)) {
        let value = match value.parse::<f64>() {
            Ok(number) if number.is_finite() => Message::default().double(2, number),
            _ => Message::default().text(3, value),
        };
        session = session.message(1, &Message::default().text(1, path).message(2, &value));
    }
    let session = session.text(4, run.arm).double(5, 0.0);
    hyperparameters("_hparams_/session_start_info", &Message::default().message(3, &session))
}

fn session_end(run: &Run<'_>) -> Message {
    let manifest = &run.record.manifest;
    let status = match FrameKind::of(run.record) {
        // Ended by a search: neither a success nor a failure.
        FrameKind::Cut => STATUS_UNKNOWN,
        FrameKind::Failed => STATUS_FAILURE,
        FrameKind::Finished | FrameKind::Degenerate | FrameKind::NotRun => STATUS_SUCCESS,
    };
    let session = Message::default().whole(1, status).double(2, seconds(manifest.totals.time_ns));
    hyperparameters("_hparams_/session_end_info", &Message::default().message(4, &session))
}

/// What counts is in the metadata; the tensor is empty.
fn hyperparameters(tag: &str, content: &Message) -> Message {
    let empty = Message::default().whole(1, DT_FLOAT).message(2, &shape(0));
    tensor(tag, &empty, "hparams", content.as_bytes())
}
