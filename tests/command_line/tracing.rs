//! The trace of chosen rounds: it adds up to the tables of rounds and clients, whether the run leaves it or `trace` makes
//! it later, and viewers can read it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fedbits::{Record, Results};
use fedbits_record::{Cell, RunTable};
use serde_json::Value;

use crate::command_line::studies::{scratch_with, study};
use crate::command_line::verification::replace_run;
use crate::support::{Output, Scratch, finish, run_of};

/// Clients that come and go, drop out, lose messages, and are late.
const TROUBLE: [&str; 7] = [
    "stop.rounds=30",
    "availability=OnOff(on: Exponential(Sec(2)), off: Exponential(Sec(1)))",
    "dropout=Hazard(per_second: 0.5, restart: Ms(300))",
    "round=Deadline(Ms(130))",
    "protocol.memory=Memory(initial: Zero)",
    "record.probe_every=None",
    "network.loss=Bernoulli(0.02)",
];

/// The run of an arm, in the folder `out`.
fn record(scratch: &Scratch, [scenario, arm, out]: [&str; 3], sets: &[&str]) -> Record {
    let mut command = scratch.fedbits(["run", scenario, "-q", "--no-figures", "--replicates", "1", "--out", out]);
    sets.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    finish(command).done();
    run_of(&scratch.path(out), arm)
}

fn trace(scratch: &Scratch, args: &[&str]) -> Output {
    finish(scratch.fedbits([&["trace", "-q"], args].concat()))
}

fn table(run: &Record, name: &str) -> RunTable {
    run.table(name).unwrap_or_else(|| panic!("no table {name}")).into_owned()
}

fn column<'a>(table: &'a RunTable, name: &str) -> impl Iterator<Item = &'a Cell> + use<'a> {
    let place = table.columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
    table.rows.iter().map(move |row| &row[place])
}

/// A column of whole numbers or nanoseconds; missing cells count nothing.
fn numbers(table: &RunTable, name: &str) -> Vec<i64> {
    let number = |cell: &Cell| match cell {
        Cell::Whole(number) | Cell::Nanoseconds(number) => *number as i64,
        Cell::Missing => 0,
        other => panic!("{name} holds {other}"),
    };
    column(table, name).map(number).collect()
}

fn words<'a>(table: &'a RunTable, name: &str) -> Vec<&'a str> {
    let word = |cell: &'a Cell| match cell {
        Cell::Text(text) => text.as_str(),
        Cell::Missing => "",
        other => panic!("{name} holds {other}"),
    };
    column(table, name).map(word).collect()
}

/// What the table of rounds says that was settled in each round, as sums over the rows that ended in it.
fn settled(trace: &RunTable) -> BTreeMap<i64, [i64; 5]> {
    let bits = ["payload_bits", "header_bits", "retransmitted_bits"].map(|name| numbers(trace, name));
    let (parts, fates, ended) = (words(trace, "part"), words(trace, "fate"), numbers(trace, "ended_in"));
    let mut sums: BTreeMap<i64, [i64; 5]> = BTreeMap::new();
    for (row, part) in parts.iter().enumerate() {
        let [payload, header, again] = [bits[0][row], bits[1][row], bits[2][row]];
        let sum = sums.entry(ended[row]).or_default();
        if let Some(direction) = ["upload", "download", "message"].iter().position(|name| name == part) {
            sum[direction] += payload + again;
        }
        sum[3] += header;
        sum[4] += again + if ["late", "lost", "aborted"].contains(&fates[row]) { payload + header } else { 0 };
    }
    sums
}

/// The same by the table of rounds.
fn recorded(rounds: &RunTable) -> BTreeMap<i64, [i64; 5]> {
    let names = ["bits_up", "bits_down", "bits_peer", "bits_header", "bits_wasted"];
    let columns = names.map(|name| numbers(rounds, name));
    let since = |column: &[i64], row: usize| column[row] - if row > 0 { column[row - 1] } else { 0 };
    let of = |row: usize| [0, 1, 2, 3, 4].map(|column: usize| since(&columns[column], row));
    numbers(rounds, "round").into_iter().enumerate().map(|(row, round)| (round, of(row))).collect()
}

/// Every bit of every round, every close, and all seconds of computing, from three tables that are led apart.
#[test]
fn a_trace_adds_up() {
    let all = |rounds: u64| format!("record.trace={:?}", (0..=rounds).collect::<Vec<_>>());
    for seed in ["seed=1", "seed=2"] {
        let scratch = Scratch::new();
        let every = all(30);
        let sets = [&TROUBLE[..], &[&every, seed]].concat();
        let late = [&sets[..], &["late=Apply"]].concat();
        let secure = ["stop.rounds=4", &all(4), seed];
        let peers = ["stop.rounds=2", &all(2), seed];
        let runs = [
            record(&scratch, ["network/fast-slow-bias", "estimated", "deadline"], &sets),
            record(&scratch, ["network/fast-slow-bias", "estimated", "apply"], &late),
            record(&scratch, ["network/secure-aggregation", "all-pairs", "secure"], &secure),
            record(&scratch, ["papers/vpem-cycle5", "vp-em-1-hop", "peers"], &peers),
        ];
        for run in runs {
            let (trace, rounds) = (table(&run, "trace"), table(&run, "rounds"));
            let (found, expected) = (settled(&trace), recorded(&rounds));
            // What was still in flight at the end was settled after the last row.
            for (round, sums) in &expected {
                assert_eq!(
                    found.get(round).copied().unwrap_or_default(),
                    *sums,
                    "round {round} of {}",
                    run.manifest.arm
                );
            }
            let of = |part: &str| -> Vec<usize> {
                words(&trace, "part")
                    .iter()
                    .enumerate()
                    .filter(|(_, word)| **word == part)
                    .map(|(row, _)| row)
                    .collect()
            };
            let [starts, ends] = ["start_s", "end_s"].map(|name| numbers(&trace, name));
            let mut closes: Vec<i64> = of("round").into_iter().map(|row| ends[row]).collect();
            closes.sort_unstable();
            assert_eq!(closes, numbers(&rounds, "time_s"));
            let clients = table(&run, "clients");
            let mut computing = vec![0; clients.rows.len()];
            for row in of("compute") {
                let node: usize = words(&trace, "node")[row].rsplit('-').next().unwrap().parse().unwrap();
                computing[node] += ends[row] - starts[row];
            }
            assert_eq!(computing, numbers(&clients, "computing_s"), "{}", run.manifest.arm);
        }
    }
}

/// What links carried over time adds up to what they carried, of every direction and kind of bits; nothing of the run
/// changes. Messages are lost, late and in flight.
#[test]
fn links_over_time_add_up() {
    for seed in ["seed=1", "seed=2"] {
        let scratch = Scratch::new();
        let trouble = ["stop.rounds=14", "network.loss=Bernoulli(0.05)", "round=Deadline(Ms(700))", seed];
        let every = [&trouble[..], &["record.links_every=4"]].concat();
        let network = "network/topologies";
        let plain = record(&scratch, [network, "scale-free", "plain"], &trouble);
        let tabled = record(&scratch, [network, "scale-free", "own"], &every);
        assert!(plain.table("links_over_time").is_none());
        assert_eq!(tabled.manifest.digests, plain.manifest.digests, "a table changes nothing");
        let sums = |table: &RunTable| {
            let mut sums: BTreeMap<(i64, String), [i64; 3]> = BTreeMap::new();
            let bits = ["payload_bits", "header_bits", "retransmitted_bits"].map(|name| numbers(table, name));
            for (row, (link, from)) in numbers(table, "link").into_iter().zip(words(table, "from")).enumerate() {
                let sum = sums.entry((link, from.to_owned())).or_default();
                (0..3).for_each(|kind| sum[kind] += bits[kind][row]);
            }
            sums
        };
        let (times, links) = (table(&tabled, "links_over_time"), table(&tabled, "links"));
        let fates: BTreeSet<&str> = words(&links, "fate").into_iter().collect();
        assert!(fates.len() > 1, "{fates:?}");
        assert_eq!(sums(&times), sums(&links));
        // Intervals follow each other, up to the end of the run.
        let ends: BTreeSet<i64> = numbers(&times, "to_s").into_iter().collect();
        let rounds: BTreeSet<i64> = numbers(&times, "round").into_iter().collect();
        assert!(rounds.is_superset(&BTreeSet::from([4, 8, 12])), "{rounds:?}");
        let begins: BTreeSet<i64> = numbers(&times, "from_s").into_iter().collect();
        assert!(begins.iter().skip(1).all(|begin| ends.contains(begin)), "{begins:?} {ends:?}");
    }
}

/// A trace that is made later is the one that the run itself would have left, and the results stay what they are.
#[test]
fn a_run_is_traced_later() {
    let scratch = Scratch::new();
    let scenario = "network/fast-slow-bias";
    let sets = [&TROUBLE[..], &["record.trace=[5, 6]"]].concat();
    let earlier = record(&scratch, [scenario, "estimated", "own"], &sets);
    let later = record(&scratch, [scenario, "estimated", "later"], &TROUBLE);
    assert_eq!(earlier.manifest.digests, later.manifest.digests, "tracing changes nothing");
    trace(&scratch, &["later", "--arm", "estimated", "--rounds", "5..6"]).done();
    let read = || fs::read_to_string(scratch.path("later/traces/estimated-0.csv")).unwrap();
    assert_eq!(table(&earlier, "trace").text().unwrap(), read());
    finish(scratch.fedbits(["verify", "-q", "later"])).done();
    // Other rounds take the place of the former; the slowest is the one of the longest time.
    trace(&scratch, &["later", "--arm", "estimated", "--slowest"]).done();
    let times = numbers(&table(&later, "rounds"), "time_s");
    let spans: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let longest = 1 + spans.iter().position(|span| span == spans.iter().max().unwrap()).unwrap();
    let traced = traced_later(&scratch.path("later"), "estimated");
    assert_eq!(traced.text().unwrap(), read());
    let row = words(&traced, "part").iter().position(|part| *part == "round").unwrap();
    assert_eq!(numbers(&traced, "round")[row], longest as i64);
}

/// The trace of an arm that was made later, as figures read it.
fn traced_later(folder: &Path, arm: &str) -> RunTable {
    let record = Results::open(folder).unwrap();
    let number = record.plan().arms.iter().position(|planned| planned.name == arm).unwrap();
    table(&record.run_with_trace(number, 0).unwrap().unwrap(), "trace")
}

/// The rules of the Trace Event Format, and of what viewers make of it.
#[test]
fn viewers_can_read_the_events() {
    let scratch = Scratch::new();
    record(&scratch, ["papers/vpem-cycle5", "vp-em-1-hop", "peers"], &["stop.rounds=2"]);
    record(&scratch, ["network/fast-slow-bias", "estimated", "star"], &TROUBLE);
    for (name, arm, arrows) in [("peers", "vp-em-1-hop", false), ("star", "estimated", true)] {
        trace(&scratch, &[name, "--arm", arm, "--rounds", "1..2"]).done();
        let text = fs::read_to_string(scratch.path(name).join(format!("traces/{arm}-0.json"))).unwrap();
        let file: Value = serde_json::from_str(&text).unwrap();
        let events = file["traceEvents"].as_array().unwrap();
        let of = |kind: &str| events.iter().filter(move |event| event["ph"] == kind).collect::<Vec<_>>();
        let number = |event: &Value, name: &str| event[name].as_f64().unwrap();
        let track = |event: &Value| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        // Every track has a name, and every process.
        let named = |what: &str| -> BTreeSet<(u64, u64)> {
            of("M").into_iter().filter(|event| event["name"] == what).map(track).collect()
        };
        let tracks: BTreeSet<(u64, u64)> = of("X").into_iter().map(track).collect();
        assert!(tracks.is_subset(&named("thread_name")), "{name}");
        assert_eq!(named("process_name").len(), 2);
        // Times do not decrease; slices of a track do not overlap (to the precision of microseconds as floats).
        let timed: Vec<f64> =
            events.iter().filter(|event| event["ph"] != "M").map(|event| number(event, "ts")).collect();
        assert!(timed.is_sorted(), "{name}");
        let mut ends: BTreeMap<(u64, u64), f64> = BTreeMap::new();
        for slice in of("X") {
            let end = ends.entry(track(slice)).or_default();
            assert!(number(slice, "ts") >= *end - 1e-6, "{slice}");
            *end = number(slice, "ts") + number(slice, "dur");
        }
        // Every arrow has both ends, at the beginnings of a download and of a later upload of one client.
        let (starts, finishes) = (of("s"), of("f"));
        assert_eq!((starts.len(), starts.is_empty()), (finishes.len(), !arrows));
        let slice_at = |arrow: &Value| {
            let meets = |slice: &&&Value| track(slice) == track(arrow) && slice["ts"] == arrow["ts"];
            of("X").iter().find(meets).map(|slice| slice["cat"].as_str().unwrap().to_owned()).unwrap()
        };
        for start in starts {
            let finish = finishes.iter().find(|arrow| arrow["id"] == start["id"]).unwrap();
            assert_eq!([slice_at(start), slice_at(finish)], ["download", "upload"]);
            assert!(number(start, "ts") <= number(finish, "ts") && finish["bp"] == "e");
        }
        // The slices are the rows of the table.
        let table = traced_later(&scratch.path(name), arm);
        assert_eq!(of("X").len(), table.rows.len());
        let sum = |name: &str| of("X").iter().filter_map(|slice| slice["args"][name].as_i64()).sum::<i64>();
        for bits in ["payload_bits", "header_bits", "retransmitted_bits", "work"] {
            assert_eq!(sum(bits), numbers(&table, bits).iter().sum::<i64>(), "{name}: {bits}");
        }
        // Nothing is under way in the end.
        let last = of("C").last().unwrap()["args"].clone();
        assert!(last.as_object().unwrap().values().all(|count| *count == 0), "{last}");
    }
}

/// `--out` replaces a trace, and no other file.
#[test]
fn a_trace_replaces_nothing_but_a_trace() {
    let scratch = Scratch::new();
    let sets = ["stop.rounds=4", "record.probe_every=None"];
    record(&scratch, ["network/fast-slow-bias", "estimated", "own"], &sets);
    let to =
        |out: &str, rounds: &str| trace(&scratch, &["own", "--arm", "estimated", "--rounds", rounds, "--out", out]);
    fs::create_dir(scratch.path("mine")).unwrap();
    for name in ["trace.csv", "trace.json"] {
        fs::write(scratch.path("mine").join(name), "mine").unwrap();
        let refused = to("mine", "1");
        assert!(refused.code == Some(2) && refused.err.contains("is in the way"), "{}", refused.err);
        assert_eq!(fs::read_to_string(scratch.path("mine").join(name)).unwrap(), "mine");
        fs::remove_file(scratch.path("mine").join(name)).unwrap();
    }
    to("mine", "1").done();
    let first = fs::read(scratch.path("mine/trace.json")).unwrap();
    to("mine", "2").done();
    assert_ne!(fs::read(scratch.path("mine/trace.json")).unwrap(), first);
}

#[test]
fn what_cannot_be_traced_is_said() {
    let scratch = scratch_with(&[]);
    let mut run = record(
        &scratch,
        ["network/fast-slow-bias", "estimated", "star"],
        &["stop.rounds=4", "record.every=2", "record.probe_every=None"],
    );
    record(&scratch, ["papers/fedem-baselines", "EM", "alone"], &["stop.rounds=2"]);
    let says = |args: &[&str], code: i32, words: &str| {
        let output = trace(&scratch, args);
        assert_eq!(output.code, Some(code), "{args:?}: {}", output.err);
        assert!(output.err.contains(words), "{args:?}: {}", output.err);
    };
    let estimated = ["star", "--arm", "estimated"];
    let of_estimated = |further: &[&str], code, words| says(&[&estimated, further].concat(), code, words);
    says(&["star", "--rounds", "1"], 2, "there are several arms: expected --arm with one of");
    says(&["star", "--arm", "estimatd", "--rounds", "1"], 2, "there is no arm `estimatd`; there are ");
    says(&["star", "--arm", "estimatd", "--rounds", "1"], 2, "; did you mean `estimated`?");
    of_estimated(&["--rounds", "2..5"], 2, "the run has no round 5: expected rounds from 0 to 4");
    of_estimated(&["--rounds", "1..x"], 2, "expected two rounds as in 10..12, or one");
    of_estimated(&["--rounds", "3..1"], 2, "the first round comes after the last");
    of_estimated(&[], 2, "--rounds <A..B>");
    of_estimated(&["--slowest"], 2, "has no row between rounds 0 and 2");
    of_estimated(&["--replicate", "7", "--rounds", "1"], 2, "replicate 7");
    says(&["alone", "--arm", "EM", "--rounds", "1"], 2, "nothing is sent, and there is nothing to trace");
    says(&["nowhere", "--rounds", "1"], 2, "there is no folder nowhere");
    finish(study(&scratch, &[])).done();
    says(&["out", "--arm", "none / all", "--replicate", "3", "--rounds", "1"], 0, "");
    assert_eq!(fs::read_dir(scratch.path("out/traces")).unwrap().count(), 3);
    // A run that its scenario does not give is not traced.
    run.manifest.digests.timeline = "0123456789abcdef".repeat(4);
    replace_run(&scratch.path("star"), run);
    of_estimated(&["--rounds", "1"], 1, "is not what it was when");
    assert!(!scratch.path("star/traces").exists());
}
