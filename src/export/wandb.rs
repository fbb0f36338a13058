//! Offline runs of Weights & Biases: folders `offline-run-…-ID` with a log `run-ID.wandb`, which `wandb sync` uploads.
//!
//! The log is that of LevelDB with a header of seven bytes and plain CRC-32 (`wandb/sdk/internal/datastore.py` up to
//! version 0.17); it holds `Record` messages (wandb/proto/wandb_internal.proto). Steps are rounds; `_runtime` and
//! `_timestamp` are simulated seconds.

use std::path::Path;

use fedbits_record::study::FrameKind;
use serde_json::Value;

use super::names::Names;
use super::protobuf::Message;
use super::runs::{Number, Run};
use super::{put, put_record};
use crate::error::Error;

/// Bytes of a block of the log.
const BLOCK: usize = 1 << 15;
/// Bytes before the data of a fragment: checksum, length, kind.
const HEAD: usize = 7;
/// `:W&B`, the lower half of the CRC-32 of "Weights & Biases", version 0.
const LOG_HEADER: [u8; 7] = [b':', b'W', b'&', b'B', 0xe1, 0xbe, 0];
/// Kinds of fragments.
const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// What a reader must understand, as the client of version 0.31 writes it.
const MIN_CONSUMER: &str = "0.70.0";
/// Hexadecimal digits of an id.
const ID: usize = 16;

/// Writes a folder per run.
pub(super) fn write(runs: &[Run<'_>], folder: &Path) -> Result<(), Error> {
    for run in runs {
        let id = &run.id[..ID];
        let folder = folder.join(format!("offline-run-19700101_000000-{id}"));
        let files = put_record(run, &folder.join("files"))?;
        put(&folder.join(format!("run-{id}.wandb")), &log(&messages(run, id, &files)))?;
    }
    Ok(())
}

/// The messages of a run, without their numbers.
fn messages(run: &Run<'_>, id: &str, files: &[String]) -> Vec<Message> {
    let producer = concat!("fedbits ", env!("CARGO_PKG_VERSION"));
    let version = Message::default().text(1, producer).text(2, MIN_CONSUMER);
    let mut messages = vec![Message::default().message(21, &Message::default().message(1, &version))];
    messages.push(Message::default().message(17, &begin(run, id)));
    // Uploaded at the end.
    let file = |name: &String| Message::default().text(1, name).whole(2, 1);
    let files = files.iter().fold(Message::default(), |all, name| all.message(1, &file(name)));
    messages.push(Message::default().message(6, &files));
    let columns = run.columns();
    for row in &run.record.rounds {
        let mut items: Vec<(&str, String)> = vec![("_step", row.round.to_string())];
        items.extend(["_runtime", "_timestamp"].map(|name| (name, Number::Seconds(row.time_ns).text())));
        let numbers = columns.iter().zip(run.numbers(row));
        items.extend(numbers.filter_map(|(name, number)| Some((name.as_str(), number?.text()))));
        let history = items.iter().fold(Message::default(), |history, (name, json)| {
            history.message(1, &Message::default().text(2, name).text(16, json))
        });
        let step = Message::default().whole(1, row.round);
        messages.push(Message::default().message(2, &history.message(2, &step)));
    }
    messages.push(Message::default().message(3, &summary(run)));
    let (exit, seconds) = (u64::from(run.record.manifest.failure().is_some()), run.record.manifest.totals.time_ns);
    let exit = Message::default().whole(1, exit).whole(2, seconds / 1_000_000_000);
    messages.push(Message::default().message(18, &exit));
    messages
}

/// `RunRecord`: names and settings.
fn begin(run: &Run<'_>, id: &str) -> Message {
    let manifest = &run.record.manifest;
    let config = run.settings.iter().map(|(path, value)| (path.clone(), json(value)));
    let own = [
        ("fedbits.scenario", Value::from(manifest.scenario.as_str())),
        ("fedbits.arm", Value::from(run.arm)),
        ("fedbits.version", Value::from(manifest.engine_version.as_str())),
        ("fedbits.status", Value::from(FrameKind::of(run.record).name())),
        ("fedbits.stop_reason", Value::from(manifest.stop_reason.as_str())),
        ("fedbits.caveats", Value::from(manifest.caveats.clone())),
        ("fedbits.digest.data", Value::from(manifest.digests.data.as_str())),
        ("fedbits.digest.timeline", Value::from(manifest.digests.timeline.as_str())),
        ("fedbits.digest.state", Value::from(manifest.digests.state.as_str())),
        ("_wandb", Value::Object(serde_json::Map::new())),
    ];
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), value.to_string()));
    let config = config.chain(own).fold(Message::default(), |config, (name, json)| {
        config.message(1, &Message::default().text(1, &name).text(16, &json))
    });
    Message::default()
        .text(1, id)
        .text(3, &Names::default().of_key(&manifest.scenario))
        .message(4, &config)
        .text(6, run.arm)
        .text(8, &run.name)
        .text(9, &run.about)
        .message(17, &Message::default())
}

/// `SummaryRecord`: the last number of each column, and the steps that were made.
fn summary(run: &Run<'_>) -> Message {
    let totals = &run.record.manifest.totals;
    let time = Number::Seconds(totals.time_ns).text();
    let own = [("_step", totals.rounds.to_string()), ("_runtime", time.clone()), ("_timestamp", time)];
    let last = run.last().into_iter().map(|(name, number)| (name, number.text()));
    let all = own.into_iter().map(|(name, json)| (name.to_owned(), json)).chain(last);
    all.fold(Message::default(), |summary, (name, json)| {
        summary.message(1, &Message::default().text(2, &name).text(16, &json))
    })
}

/// A setting's value: numbers, truth values and texts as such, all else as the text that it is in RON.
fn json(value: &str) -> String {
    match serde_json::from_str::<Value>(value) {
        Ok(json @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => json.to_string(),
        _ => Value::from(value).to_string(),
    }
}

/// The log of messages, which are numbered from 1.
fn log(messages: &[Message]) -> Vec<u8> {
    let mut file = LOG_HEADER.to_vec();
    for (number, message) in (1..).zip(messages) {
        let numbered = [Message::default().whole(1, number).as_bytes(), message.as_bytes()].concat();
        append(&mut file, &numbered);
    }
    file
}

/// Appends data, cut where blocks end.
fn append(file: &mut Vec<u8>, mut data: &[u8]) {
    let mut begun = false;
    loop {
        let mut room = BLOCK - file.len() % BLOCK;
        if room < HEAD {
            file.resize(file.len() + room, 0);
            room = BLOCK;
        }
        let (piece, rest) = data.split_at(data.len().min(room - HEAD));
        let kind = match (begun, rest.is_empty()) {
            (false, true) => FULL,
            (false, false) => FIRST,
            (true, false) => MIDDLE,
            (true, true) => LAST,
        };
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&[kind]);
        checksum.update(piece);
        file.extend(checksum.finalize().to_le_bytes());
        file.extend((piece.len() as u16).to_le_bytes());
        file.push(kind);
        file.extend(piece);
        if rest.is_empty() {
            return;
        }
        (data, begun) = (rest, true);
    }
}
