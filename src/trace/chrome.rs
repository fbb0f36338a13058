//! A trace in the Trace Event Format, which Perfetto and chrome://tracing open.
//!
//! Times are microseconds. Process 1 is the server, or the run where there is none: a slice per round, and how many
//! transfers are under way as a counter. Process 2 are the clients or agents, each with a track; slices of a track must
//! not overlap, so that who does several things at once has further tracks. A message is a slice of the client, or of
//! the agent that sends it. An arrow goes from the last download that had ended to each upload.

use std::collections::BTreeMap;

use fedbits_record::{Fate, Manifest, TracePart, TraceRow};
use serde_json::{Value, json};

const SERVER: u64 = 1;
const NODES: u64 = 2;

/// How every such file begins.
pub(crate) const BEGINNING: &str = "{\"displayTimeUnit\":\"ms\",\"otherData\":{";

pub(crate) fn events(rows: &[TraceRow], manifest: &Manifest) -> String {
    let mut names = processes(rows);
    let mut timed: Vec<(u64, Value)> = Vec::new();
    for row in rows.iter().filter(|row| row.part == TracePart::Round) {
        let name = format!("round {}", row.rounds[0]);
        timed.push((row.times_ns[0], slice(&name, row, (SERVER, 1))));
    }
    let mut track = 0;
    let mut arrows = 0;
    for ((_, node), slices) in by_node(rows) {
        let lanes = lanes(&slices);
        for lane in 0..=lanes.iter().copied().max().unwrap_or(0) {
            let name = if lane == 0 { node.to_owned() } else { format!("{node} ({})", lane + 1) };
            names.push(named("thread_name", (NODES, track + lane + 1), &name));
            names.push(json!({
                "ph": "M", "name": "thread_sort_index", "pid": NODES, "tid": track + lane + 1,
                "args": {"sort_index": track + lane + 1},
            }));
        }
        let tid = |index: usize| track + lanes[index] + 1;
        for (index, row) in slices.iter().enumerate() {
            timed.push((row.times_ns[0], slice(&words(row), row, (NODES, tid(index)))));
        }
        for (from, to) in answers(&slices) {
            arrows += 1;
            for (kind, index) in [("s", from), ("f", to)] {
                let at = slices[index].times_ns[0];
                let mut arrow = json!({
                    "ph": kind, "id": arrows, "name": "answer", "cat": "answer",
                    "ts": micros(at), "pid": NODES, "tid": tid(index),
                });
                if kind == "f" {
                    arrow["bp"] = json!("e");
                }
                timed.push((at, arrow));
            }
        }
        track += lanes.iter().copied().max().unwrap_or(0) + 1;
    }
    timed.extend(counters(rows));
    // Stable: a slice stands before the arrows that begin with it.
    timed.sort_by_key(|(at, _)| *at);
    let lines: Vec<String> = names.iter().chain(timed.iter().map(|(_, event)| event)).map(Value::to_string).collect();
    let about = json!({
        "scenario": manifest.scenario, "arm": manifest.arm, "seed": manifest.seed, "replicate": manifest.replicate,
        "timeline": manifest.digests.timeline,
    });
    let about = about.to_string();
    format!("{BEGINNING}{},\"traceEvents\":[\n{}\n]}}\n", &about[1..], lines.join(",\n"))
}

fn micros(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

fn named(what: &str, (pid, tid): (u64, u64), name: &str) -> Value {
    json!({"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}})
}

fn processes(rows: &[TraceRow]) -> Vec<Value> {
    let agents = rows.iter().any(|row| row.part == TracePart::Message);
    let (center, nodes) = if agents { ("run", "agents") } else { ("server", "clients") };
    vec![
        named("process_name", (SERVER, 0), center),
        named("thread_name", (SERVER, 1), "rounds"),
        named("process_name", (NODES, 0), nodes),
    ]
}

/// Every row of a node but those of rounds; nodes by number.
fn by_node(rows: &[TraceRow]) -> BTreeMap<(u64, &str), Vec<&TraceRow>> {
    let mut nodes: BTreeMap<(u64, &str), Vec<&TraceRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.part != TracePart::Round) {
        let number = row.node.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX);
        nodes.entry((number, &row.node)).or_default().push(row);
    }
    nodes.values_mut().for_each(|rows| rows.sort_by_key(|row| row.times_ns));
    nodes
}

/// The track of each row, so that rows of one track do not overlap.
fn lanes(rows: &[&TraceRow]) -> Vec<u64> {
    let mut ends: Vec<u64> = Vec::new();
    let lane = |row: &&TraceRow| {
        let [start, end] = row.times_ns;
        let free = ends.iter().position(|&end| end <= start).unwrap_or_else(|| {
            ends.push(0);
            ends.len() - 1
        });
        ends[free] = end;
        free as u64
    };
    rows.iter().map(lane).collect()
}

/// Each upload with the last download that had ended before it began.
fn answers(rows: &[&TraceRow]) -> Vec<(usize, usize)> {
    let of = |part| (0..rows.len()).filter(move |&index| rows[index].part == part);
    let arrived = |&index: &usize| rows[index].fate == Some(Fate::Delivered);
    let mut downloads: Vec<usize> = of(TracePart::Download).filter(arrived).collect();
    downloads.sort_by_key(|&index| rows[index].times_ns[1]);
    let answered = |upload: usize| {
        let before = downloads.partition_point(|&index| rows[index].times_ns[1] <= rows[upload].times_ns[0]);
        Some((downloads[before.checked_sub(1)?], upload))
    };
    of(TracePart::Upload).filter_map(answered).collect()
}

/// What happens, with what became of it where that is not the usual.
fn words(row: &TraceRow) -> String {
    let what = if row.part.is_transfer() { row.purpose.replace('_', " ") } else { row.part.word().to_owned() };
    match row.fate {
        None | Some(Fate::Delivered) => what,
        Some(Fate::InFlight) => format!("{what} (in flight at the end)"),
        Some(fate) => format!("{what} ({})", fate.word()),
    }
}

fn slice(name: &str, row: &TraceRow, (pid, tid): (u64, u64)) -> Value {
    let mut args = json!({"round": row.rounds[0], "ended_in": row.rounds[1]});
    if row.part.is_transfer() {
        let peer = row.peer.as_str();
        args["peer"] = json!(peer);
        args["purpose"] = json!(row.purpose);
        args["payload_bits"] = json!(row.payload_bits);
        args["header_bits"] = json!(row.header_bits);
        args["retransmitted_bits"] = json!(row.retransmitted_bits);
    }
    if row.part == TracePart::Compute {
        args["work"] = json!(row.work);
    }
    if row.fate.is_some() {
        args["fate"] = json!(row.fate_word());
    }
    let [start, end] = row.times_ns;
    json!({
        "ph": "X", "name": name, "cat": row.part.word(), "ts": micros(start), "dur": micros(end - start),
        "pid": pid, "tid": tid, "args": args,
    })
}

/// How many transfers are under way, whenever that changes.
fn counters(rows: &[TraceRow]) -> Vec<(u64, Value)> {
    let parts = [TracePart::Download, TracePart::Upload, TracePart::Message];
    let mut changes: BTreeMap<u64, [i64; 3]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.part.is_transfer()) {
        let part = parts.iter().position(|part| *part == row.part).unwrap_or_default();
        changes.entry(row.times_ns[0]).or_default()[part] += 1;
        changes.entry(row.times_ns[1]).or_default()[part] -= 1;
    }
    let occurs = parts.map(|part| rows.iter().any(|row| row.part == part));
    let mut now = [0; 3];
    let event = |(at, change): (u64, [i64; 3])| {
        (0..3).for_each(|part| now[part] += change[part]);
        let counts =
            (0..3).filter(|&part| occurs[part]).map(|part| (format!("{}s", parts[part].word()), json!(now[part])));
        let counts: serde_json::Map<String, Value> = counts.collect();
        (at, json!({"ph": "C", "name": "transfers under way", "ts": micros(at), "pid": SERVER, "args": counts}))
    };
    changes.into_iter().map(event).collect()
}
