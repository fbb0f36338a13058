//! The table of clients: its seconds are the run's, its joules powers times seconds, its counts those of the rounds.

use fedbits_record::{Cell, RunTable};

use crate::command_line::outcomes::assert_whole;
use crate::support::{Scratch, finish, run_of, runs};

/// The cells of a column of a run's table.
fn cells<'t>(table: &'t RunTable, name: &str) -> impl Iterator<Item = &'t Cell> {
    let place = table.column(name).unwrap_or_else(|| panic!("no column {name}"));
    table.rows.iter().map(move |row| &row[place])
}

/// The values of a column that are there.
fn values(table: &RunTable, name: &str) -> Vec<f64> {
    cells(table, name).filter_map(Cell::number).collect()
}

fn sum(table: &RunTable, name: &str) -> f64 {
    values(table, name).iter().sum()
}

/// The nanoseconds of a column of times.
fn times(table: &RunTable, name: &str) -> Vec<i64> {
    let nanoseconds = |cell: &Cell| match cell {
        Cell::Nanoseconds(time_ns) => *time_ns as i64,
        other => panic!("{name}: {other:?}"),
    };
    cells(table, name).map(nanoseconds).collect()
}

/// What clients did adds up to what the rounds say that they did.
fn assert_clients_add_up(run: &fedbits::Record) {
    let (clients, rounds) = (run.table("clients").unwrap(), run.table("rounds").unwrap());
    for (of_clients, of_rounds) in
        [("selected", "selected"), ("contributions", "arrived"), ("late", "late"), ("lost", "lost")]
    {
        assert_eq!(sum(&clients, of_clients), sum(&rounds, of_rounds), "{of_clients}");
    }
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
        assert_whole(&scratch.path(out));
        run_of(&scratch.path(out), "estimated")
    };
    let (plain, seen) = (run("plain", &[]), run("seen", &["record.clients_at=[0, 10, 40, 41]"]));
    assert_eq!(plain.manifest.digests, seen.manifest.digests);
    let (end, at) = (seen.table("clients").unwrap(), seen.table("clients_at").unwrap());
    assert_eq!(at.columns[1..], end.columns);
    let of = |round: u64| {
        let rows = at.rows.iter().filter(|row| row[0] == Cell::Whole(round)).map(|row| row[1..].to_vec()).collect();
        RunTable { rows, ..end.clone().into_owned() }
    };
    assert_eq!(at.rows.len(), 120);
    // What was on its way when the run ended is charged at the end.
    for (row, last) in of(40).rows.iter().zip(&end.rows) {
        for ((cell, last), name) in row.iter().zip(last).zip(&end.columns) {
            let is_charged = name.starts_with("bits_") && cell.number() < last.number();
            assert!(cell == last || is_charged, "{name}: {cell}, {last} at the end");
        }
    }
    assert_eq!(plain.table("clients").unwrap(), end);
    assert_eq!((sum(&of(0), "contributions"), sum(&of(0), "computing_s")), (0.0, 0.0));
    let arrived: f64 = values(&seen.table("rounds").unwrap(), "arrived")[..=10].iter().sum();
    assert_eq!(sum(&of(10), "contributions"), arrived);
    assert!(sum(&of(10), "energy_j") > 0.0 && sum(&of(10), "energy_j") < sum(&of(40), "energy_j"));
    let caveats = format!("{:?}", seen.manifest.caveats.iter().map(ToString::to_string).collect::<Vec<_>>());
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
    assert_whole(&scratch.path("out"));
    let run = run_of(&scratch.path("out"), "known-p");
    let (clients, rounds, manifest) = (run.table("clients").unwrap(), run.table("rounds").unwrap(), &run.manifest);
    assert_eq!(clients.rows.len(), 40);
    let end = manifest.totals.time_ns as i64;
    let names = ["computing_s", "sending_s", "receiving_s", "waiting_s", "away_s", "overlap_s"];
    let [computing, sending, receiving, waiting, away, overlap] = names.map(|name| times(&clients, name));
    for i in 0..40 {
        assert_eq!(computing[i] + sending[i] + receiving[i] + waiting[i] + away[i] - overlap[i], end, "client {i}");
    }
    assert!(away.iter().sum::<i64>() > 0 && waiting.iter().all(|&time| time > 0));
    let joules = values(&clients, "energy_j");
    for i in 0..40 {
        let by_hand = [(computing[i], 4.0), (sending[i], 2.0), (receiving[i], 1.0), (waiting[i], 0.5)];
        let by_hand: f64 = by_hand.iter().map(|&(time, watts)| watts * time as f64 / 1e9).sum();
        assert!((joules[i] - by_hand).abs() < 1e-9 * by_hand, "client {i}: {} {by_hand}", joules[i]);
    }
    assert_clients_add_up(&run);
    assert!(sum(&clients, "late") > 0.0 && sum(&clients, "lost") > 0.0);
    // What the fit is worth to each client adds up to what it is worth to all.
    let (examples, spreads) = (values(&clients, "examples"), manifest.per_client.as_ref().unwrap());
    for name in ["objective", "accuracy"] {
        let qualities = values(&clients, name);
        let weighted = qualities.iter().zip(&examples).map(|(quality, size)| quality * size).sum::<f64>();
        let (mean, of_all) = (weighted / examples.iter().sum::<f64>(), run.last(name).unwrap());
        assert!((mean - of_all).abs() < 1e-9, "{name}: {mean}, {of_all}");
        let least = qualities.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(spreads.further[name].min, least);
    }
    let energy = manifest.energy.unwrap();
    let (of_clients, of_server) = (energy.clients_j, energy.server_j.unwrap());
    assert!((of_clients - joules.iter().sum::<f64>()).abs() < 1e-9 * of_clients && of_server > 0.0);
    let last = *values(&rounds, "energy_j").last().unwrap();
    assert!((last - of_clients - of_server).abs() < 1e-9 * last);
    let contributions = values(&clients, "contributions");
    let mean = contributions.iter().sum::<f64>() / 40.0;
    let squares: f64 = contributions.iter().map(|x| x * x).sum();
    let spread = spreads.contributions.unwrap();
    assert!((spread.mean - mean).abs() < 1e-12 * mean);
    assert!((spread.jain.unwrap() - mean * mean * 40.0 / squares).abs() < 1e-12);
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
        for run in runs(&scratch.path("x")) {
            failed += u32::from(run.manifest.failure().is_some());
            assert_clients_add_up(&run);
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
        scratch.path("out/clients.csv").is_file()
    };
    // A table of former settings does not stay.
    assert!(has(&[]) && !has(&["record.clients=false"]));
    assert!(!has(&["clients=1001"]) && has(&["clients=1001", "record.clients=true"]));
}
