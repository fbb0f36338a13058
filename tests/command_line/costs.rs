//! The table of clients: its seconds are the run's, its joules powers times seconds, its counts those of the rounds.

use std::fs;
use std::path::Path;

use crate::outcomes::{assert_whole, manifest};
use crate::support::{Scratch, finish};

/// The rows of a table of a record, with the names of its columns.
pub fn table(record: &Path, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = fs::read_to_string(record.join(name)).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut lines = text.lines();
    (cells(lines.next().unwrap()), lines.map(cells).collect())
}

/// The values of a column that are there.
pub fn column(table: &(Vec<String>, Vec<Vec<String>>), name: &str) -> Vec<f64> {
    let place = table.0.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"));
    table.1.iter().filter(|row| !row[place].is_empty()).map(|row| row[place].parse().unwrap()).collect()
}

/// Decimal seconds as whole nanoseconds.
pub fn nanoseconds(table: &(Vec<String>, Vec<Vec<String>>), name: &str) -> Vec<i64> {
    let place = table.0.iter().position(|own| own == name).unwrap();
    table.1.iter().map(|row| row[place].replace('.', "").parse().unwrap()).collect()
}

/// Clients that come and go, drop out, and are late; constant powers.
const SETS: [&str; 7] = [
    "stop.rounds=40",
    "availability=OnOff(on: Exponential(Sec(2)), off: Exponential(Sec(1)))",
    "dropout=Hazard(per_second: 0.5, restart: Ms(300))",
    "round=Deadline(Ms(130))",
    "energy=(compute: W(4), send: W(2), receive: W(1), idle: W(0.5), server: (send: W(10), idle: W(90)))",
    "protocol.memory=Memory(initial: Zero)",
    "record.probe_every=None",
];

/// After the last round the table of chosen rounds is the table of the end; counts and seconds grow from round to round,
/// and looking changes nothing.
#[test]
fn clients_are_seen_after_chosen_rounds() {
    let scratch = Scratch::new();
    let run = |out: &str, further: &[&str]| {
        let mut command =
            scratch.fedbits(["run", "network/fast-slow-bias", "--replicates", "1", "--no-figures", "--out", out]);
        SETS.iter().chain(further).for_each(|set| {
            command.args(["--set", set]);
        });
        finish(command).done();
        scratch.path(out).join("estimated")
    };
    let (plain, seen) = (run("plain", &[]), run("seen", &["record.clients_at=[0, 10, 40, 41]"]));
    assert_eq!(manifest(&plain)["digests"], manifest(&seen)["digests"]);
    assert_whole(&seen);
    let (end, at) = (table(&seen, "clients.csv"), table(&seen, "clients_at.csv"));
    assert_eq!(at.0[1..], end.0);
    let of = |round: &str| -> Vec<Vec<String>> {
        at.1.iter().filter(|row| row[0] == round).map(|row| row[1..].to_vec()).collect()
    };
    assert_eq!(at.1.len(), 120);
    // What was on its way when the run ended is charged at the end.
    let bits = |name: &str| name.starts_with("bits_");
    for (mine, ends) in of("40").iter().zip(&end.1) {
        for ((mine, ends), name) in mine.iter().zip(ends).zip(&end.0) {
            let (a, b) = (mine.parse::<f64>().unwrap(), ends.parse::<f64>().unwrap());
            assert!(mine == ends || bits(name) && a < b, "{name}: {mine}, {ends} at the end");
        }
    }
    assert_eq!(table(&plain, "clients.csv"), end);
    let sum = |round: &str, name: &str| column(&(end.0.clone(), of(round)), name).iter().sum::<f64>();
    assert_eq!((sum("0", "contributions"), sum("0", "computing_s")), (0.0, 0.0));
    let rounds = table(&seen, "rounds.csv");
    let arrived: f64 = column(&rounds, "arrived")[..=10].iter().sum();
    assert_eq!(sum("10", "contributions"), arrived);
    assert!(sum("10", "energy_j") > 0.0 && sum("10", "energy_j") < sum("40", "energy_j"));
    let caveats = manifest(&seen)["caveats"].to_string();
    assert!(caveats.contains("the run ended before round 41 of `record.clients_at`"), "{caveats}");
    for wrong in ["[3, 2]", "[2, 2]"] {
        let mut command = scratch.fedbits(["check", "network/fast-slow-bias", "--set"]);
        command.arg(format!("record.clients_at={wrong}"));
        let refused = finish(command);
        assert!(refused.code == Some(2) && refused.err.contains("do not increase"), "{}", refused.err);
    }
}

#[test]
fn clients_spend_the_time_of_the_run() {
    let scratch = Scratch::new();
    let mut command =
        scratch.fedbits(["run", "network/fast-slow-bias", "--replicates", "1", "--no-figures", "--out", "out"]);
    for set in SETS {
        command.args(["--set", set]);
    }
    let said = finish(command).done();
    assert!(said.contains("per client") && said.contains("energy (J)"), "{said}");
    let record = scratch.path("out/known-p");
    assert_whole(&record);
    let (clients, rounds, manifest) = (table(&record, "clients.csv"), table(&record, "rounds.csv"), manifest(&record));
    assert_eq!(clients.1.len(), 40);
    let end = manifest["totals"]["time_ns"].as_i64().unwrap();
    let names = ["computing_s", "sending_s", "receiving_s", "waiting_s", "away_s", "overlap_s"];
    let [computing, sending, receiving, waiting, away, overlap] = names.map(|name| nanoseconds(&clients, name));
    for i in 0..40 {
        assert_eq!(computing[i] + sending[i] + receiving[i] + waiting[i] + away[i] - overlap[i], end, "client {i}");
    }
    assert!(away.iter().sum::<i64>() > 0 && waiting.iter().all(|&own| own > 0));
    let joules = column(&clients, "energy_j");
    for i in 0..40 {
        let by_hand = [(computing[i], 4.0), (sending[i], 2.0), (receiving[i], 1.0), (waiting[i], 0.5)];
        let by_hand: f64 = by_hand.iter().map(|&(time, watts)| watts * time as f64 / 1e9).sum();
        assert!((joules[i] - by_hand).abs() < 1e-9 * by_hand, "client {i}: {} {by_hand}", joules[i]);
    }
    let sum = |table, name| column(table, name).iter().sum::<f64>();
    for (of_clients, of_rounds) in
        [("selected", "selected"), ("contributions", "arrived"), ("late", "late"), ("lost", "lost")]
    {
        assert_eq!(sum(&clients, of_clients), sum(&rounds, of_rounds), "{of_clients}");
    }
    assert!(sum(&clients, "late") > 0.0 && sum(&clients, "lost") > 0.0);
    // What the fit is worth to each client adds up to what it is worth to all.
    let examples = column(&clients, "examples");
    for name in ["objective", "accuracy"] {
        let own = column(&clients, name);
        let mean = own.iter().zip(&examples).map(|(own, size)| own * size).sum::<f64>() / examples.iter().sum::<f64>();
        let whole = *column(&rounds, name).last().unwrap();
        assert!((mean - whole).abs() < 1e-9, "{name}: {mean}, {whole}");
        let least = own.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(manifest["per_client"]["further"][name]["min"].as_f64().unwrap(), least);
    }
    let energy = &manifest["energy"];
    let (own, server) = (energy["clients_j"].as_f64().unwrap(), energy["server_j"].as_f64().unwrap());
    assert!((own - joules.iter().sum::<f64>()).abs() < 1e-9 * own && server > 0.0);
    let last = *column(&rounds, "energy_j").last().unwrap();
    assert!((last - own - server).abs() < 1e-9 * last);
    let contributions = column(&clients, "contributions");
    let spread = &manifest["per_client"]["contributions"];
    let mean = contributions.iter().sum::<f64>() / 40.0;
    let squares: f64 = contributions.iter().map(|x| x * x).sum();
    assert!((spread["mean"].as_f64().unwrap() - mean).abs() < 1e-12 * mean);
    assert!((spread["jain"].as_f64().unwrap() - mean * mean * 40.0 / squares).abs() < 1e-12);
}

/// Where a run fails, the table counts the rounds that closed, which are those of rounds.csv.
#[test]
fn the_table_of_clients_adds_up_where_a_run_fails() {
    let coarse = ["protocol.memory=NoMemory", "protocol.compressor=Dithering(levels: 1)", "protocol.domain=Error"];
    let other = ["protocol.gamma=0.05", "arms=[]", "stop.rounds=30", "round=Deadline(Ms(400))"];
    let mut failed = 0;
    for every in ["record.every=1", "record.every=5"] {
        let scratch = Scratch::new();
        let mut command =
            scratch.fedbits(["run", "quickstart", "-q", "--no-figures", "--out", "x", "--replicates", "3"]);
        for set in coarse.iter().chain(&other).chain(&[every, "dropout=Hazard(per_second: 0.1, restart: Ms(300))"]) {
            command.args(["--set", set]);
        }
        assert_eq!(finish(command).code, Some(1));
        for record in fs::read_dir(scratch.path("x")).unwrap().map(|entry| entry.unwrap().path()) {
            failed += u32::from(manifest(&record)["stop_reason"].as_str().unwrap().starts_with("failed"));
            let (clients, rounds) = (table(&record, "clients.csv"), table(&record, "rounds.csv"));
            for (of_clients, of_rounds) in
                [("selected", "selected"), ("contributions", "arrived"), ("late", "late"), ("lost", "lost")]
            {
                let sum = |table, name| column(table, name).iter().sum::<f64>();
                assert_eq!(sum(&clients, of_clients), sum(&rounds, of_rounds), "{every}: {of_clients}");
            }
        }
    }
    assert!(failed > 0);
}

/// Small runs have the table unless they are told otherwise, large ones where they are told to.
#[test]
fn tables_of_clients_are_for_who_wants_them() {
    let scratch = Scratch::new();
    let has = |sets: &[&str]| {
        let mut command =
            scratch.fedbits(["run", "network/fast-slow-bias", "--replicates", "1", "--no-figures", "--out", "out"]);
        // The scenario's own figures show the clients: without a table of them it is refused.
        command.args(["--set", "stop.rounds=1", "--set", "figures=[]"]);
        for set in sets {
            command.args(["--set", set]);
        }
        finish(command).done();
        scratch.path("out/known-p/clients.csv").is_file()
    };
    assert!(has(&[]) && !has(&["record.clients=false"]));
    assert!(!has(&["clients=1001"]) && has(&["clients=1001", "record.clients=true"]));
}
