//! The store against what happens to files: cut off anywhere, changed anywhere, written twice.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use crate::common;
use fedbits_record::results::{
    ArmIdentity, DAMAGED_FOLDER, Key, Results, RunPlan, RunStatus, SEGMENTS_FOLDER, SegmentWriter, Selection, Store,
    StoreError, StoredRun, set_aside,
};
#[cfg(feature = "parquet")]
use fedbits_record::unguarded;
use fedbits_record::{
    Cell, Cut, Digests, Direction, Fate, HistogramSummary, LedgerRow, Manifest, RoundRow, RunRecord, RunTable, Series,
    SeriesRow, Spending, TopologyLink, TopologyRows, TopologySite, Totals,
};
use fedbits_spec::Caveat;

/// A record with something in every column, different for every number.
fn record(number: u64) -> RunRecord {
    let row = |round: u64| RoundRow {
        round,
        time_ns: round * 1_000_000_007,
        epochs: 0.1 * round as f64,
        bits_up: round * number,
        objective: Some(-1.0 / (1 + round + number) as f64),
        mean_field_sq: round.is_multiple_of(2).then_some(5e-324),
        extra: vec![None, Some(number as f64 + 0.5)],
        ..RoundRow::default()
    };
    let cells = vec![vec![Cell::Whole(1), Cell::from("a, \"b\"\n")]];
    let table = RunTable { name: "words".to_owned(), columns: vec!["k".to_owned(), "word".to_owned()], rows: cells };
    let series = |rows| Series { names: vec!["weight[0]".to_owned()], rows };
    RunRecord {
        topology: Some(topology(number)),
        manifest: manifest(number),
        rounds: (0..3).map(row).collect(),
        ledger: vec![ledger_row(number)],
        histograms: vec![histogram(number)],
        theta: Some(series(vec![SeriesRow { round: 0, values: vec![-0.0] }])),
        statistics: None,
        extra: vec![table],
        checks: vec![number as u8; 3],
        model: Some(format!("{{\"of\": {number}}}")),
        no_model: None,
    }
}

fn manifest(number: u64) -> Manifest {
    let digest = |what: &str| format!("{what}{number}");
    let small = common::manifest();
    Manifest {
        seed: 1,
        replicate: number,
        digests: Digests { data: digest("d"), timeline: digest("t"), state: digest("s") },
        caveats: vec![Caveat::MemoryDrift { drift: "1e-3".to_owned() }],
        totals: Totals { bits_up: 1 << 40, bits_down: number, ..small.totals },
        // Bits in its name, and no whole number.
        extra_columns: vec!["one".to_owned(), "bits_up_entropy".to_owned()],
        ..small
    }
}

fn ledger_row(number: u64) -> LedgerRow {
    LedgerRow {
        link: "all".to_owned(),
        direction: Direction::Up,
        purpose: "update".to_owned(),
        fate: Fate::Late,
        messages: 1,
        payload_bits: number,
        header_bits: 320,
        retransmitted_bits: 0,
    }
}

fn histogram(number: u64) -> HistogramSummary {
    HistogramSummary {
        name: "round".to_owned(),
        unit: "ns".to_owned(),
        count: 2,
        mean: Some(1.5),
        min: Some(1),
        p50: None,
        p90: None,
        p99: None,
        p999: None,
        max: Some(number),
    }
}

fn topology(number: u64) -> TopologyRows {
    let site = |name: &str, server| TopologySite { name: name.to_owned(), x: -0.5, y: 1e300, server, clients: number };
    let link = TopologyLink { from: 0, to: 1, capacity_bps: u64::MAX, latency_ns: 1 };
    TopologyRows { sites: vec![site("a", true), site("", false)], links: vec![link] }
}

fn stored(number: u64) -> StoredRun {
    StoredRun::finished(record(number))
}

fn key(number: u64) -> Key {
    ArmIdentity::of("0", "arm", &[]).key(1, number)
}

/// A folder with one segment of this many runs.
fn folder(runs: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SegmentWriter::new(folder.path());
    (0..runs).for_each(|number| writer.append(key(number), &stored(number)).unwrap());
    folder
}

fn segment(folder: &Path) -> std::path::PathBuf {
    folder.join("000000.seg")
}

/// What is read under each key; everything that is found must be what was written there.
fn found(folder: &Path, runs: u64) -> Vec<u64> {
    let store = Store::open(folder).unwrap();
    let right = |number: u64| match store.run(&key(number)) {
        Ok(Some(run)) => {
            assert_eq!(run, stored(number));
            true
        }
        Ok(None) => false,
        Err(error) => panic!("{error}"),
    };
    let found: Vec<u64> = (0..runs).filter(|&number| right(number)).collect();
    let keys: BTreeMap<Key, u64> = (0..runs).map(|number| (key(number), number)).collect();
    assert!(store.keys().all(|key| keys.contains_key(key)), "a key that nobody wrote");
    found
}

/// What is written reads back the same, but for what the plan knows.
#[test]
fn runs_round_trip() {
    let folder = folder(3);
    assert_eq!(found(folder.path(), 3), [0, 1, 2]);
    let StoredRun::Finished(read) = stored(1) else { panic!("it was simulated") };
    assert_eq!(read.manifest.scenario_text, "");
    assert_eq!(read.rounds, record(1).rounds);
}

/// Cut off after any byte, a segment keeps every run that was whole by then, and nothing else.
#[test]
fn a_segment_may_end_anywhere() {
    let folder = folder(3);
    let whole = std::fs::read(segment(folder.path())).unwrap();
    let frame = whole.len() / 3;
    for length in 0..whole.len() {
        std::fs::write(segment(folder.path()), &whole[..length]).unwrap();
        let kept = Store::open(folder.path()).unwrap();
        let expected = if (kept.distinct_keys() as usize) * frame <= length { length / frame } else { usize::MAX };
        // Frames differ by a byte or two (numbers of different length): count those that end before the cut.
        assert!((kept.distinct_keys() as usize).abs_diff(expected) <= 1, "{length} of {}", whole.len());
        assert!(kept.damage().iter().all(|damage| damage.tail));
    }
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(segment(folder.path()), &whole[..length]).unwrap();
        found(folder.path(), 3);
    }
}

/// 1 000 mutations — bits flipped, bytes overwritten, stretches cut out, doubled or moved — give no wrong result and no
/// panic, and a flipped bit costs at most the run that it lies in.
#[test]
fn mutations_give_nothing_wrong() {
    const RUNS: u64 = 8;
    let folder = folder(RUNS);
    let whole = std::fs::read(segment(folder.path())).unwrap();
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    for round in 0..1_000 {
        let mut bytes = whole.clone();
        let (from, to, length) = (draw(whole.len() - 400), draw(whole.len() - 400), 1 + draw(300));
        match round % 5 {
            0 => bytes[from] ^= 1 << draw(8),
            1 => bytes[from..from + length].iter_mut().for_each(|byte| *byte = draw(256) as u8),
            2 => drop(bytes.drain(from..from + length)),
            3 => bytes.splice(to..to, whole[from..from + length].iter().copied()).for_each(drop),
            _ => bytes.copy_within(from..from + length, to),
        }
        std::fs::write(segment(folder.path()), &bytes).unwrap();
        let kept = found(folder.path(), RUNS);
        if round % 5 == 0 {
            assert!(kept.len() as u64 >= RUNS - 1, "one flipped bit cost {} runs", RUNS - kept.len() as u64);
        }
    }
}

/// What is damaged is taken out of its segment, and its bytes are kept; never out of one that is being written.
#[test]
fn damage_is_set_aside_and_kept() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join(SEGMENTS_FOLDER);
    let mut writer = SegmentWriter::new(&folder);
    (0..3).for_each(|number| writer.append(key(number), &stored(number)).unwrap());
    let path = segment(&folder);
    let whole = std::fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() / 2] ^= 4;
    bytes.extend(b"an end that is no frame");
    std::fs::write(&path, &bytes).unwrap();
    let damage = |expected: usize| {
        let store = Store::open(&folder).unwrap();
        assert_eq!(store.damage().len(), expected);
        store.damage().to_vec()
    };
    assert_eq!(set_aside(directory.path(), &damage(2)).unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "its writer may still append");
    drop(writer);
    let moved = set_aside(directory.path(), &damage(2)).unwrap();
    damage(0);
    assert_eq!(found(&folder, 3), [0, 2]);
    let kept: usize = moved.iter().map(|path| std::fs::read(path).unwrap().len()).sum();
    assert_eq!(kept + std::fs::read(&path).unwrap().len(), bytes.len());
    // A segment without a whole frame goes, and takes no other file's name in `damaged/`.
    std::fs::write(&path, b"nothing").unwrap();
    std::fs::write(folder.join("000001.seg"), b"nothing either").unwrap();
    assert_eq!(set_aside(directory.path(), &damage(2)).unwrap().len(), 2);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(directory.path().join(DAMAGED_FOLDER)).unwrap().count(), 4);
}

/// Equal results may be there twice; different ones under one key are refused.
#[test]
fn one_key_has_one_result() {
    let folder = folder(2);
    let mut writer = SegmentWriter::new(folder.path());
    let mut elsewhere = record(1);
    elsewhere.manifest.host.seconds = 9.0;
    writer.append(key(1), &StoredRun::finished(elsewhere)).unwrap();
    assert_eq!(found(folder.path(), 2).len(), 2, "what the host contributes is no difference");
    writer.append(key(1), &stored(2)).unwrap();
    let conflict = Store::open(folder.path()).err().expect("two results");
    assert!(matches!(conflict, StoreError::Conflict { .. }), "{conflict}");
}

/// That a run could not be simulated holds until it was, whichever stands first.
#[test]
fn a_result_replaces_its_absence() {
    for result_first in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SegmentWriter::new(folder.path());
        let mut runs = [StoredRun::NotRun("no such file".to_owned()), stored(0)];
        if result_first {
            runs.reverse();
        }
        writer.append(key(0), &runs[0]).unwrap();
        let first = Store::open(folder.path()).unwrap();
        assert_eq!(first.kind(&key(0)), Some(if result_first { RunStatus::Finished } else { RunStatus::NotRun }));
        assert_eq!(first.run(&key(0)).unwrap().unwrap(), runs[0]);
        writer.append(key(0), &runs[1]).unwrap();
        assert_eq!(Store::open(folder.path()).unwrap().kind(&key(0)), Some(RunStatus::Finished));
    }
}

/// A run that failed: of number 2 later than of number 1.
fn failed(number: u64) -> StoredRun {
    let mut record = record(number);
    record.manifest.stop_reason = format!("failed: round {number}: the statistic left the domain");
    StoredRun::finished(record)
}

/// A failure holds until the run was made again by a program in which its cause is repaired, whichever stands first; of
/// several failures the last.
#[test]
fn a_result_replaces_a_failure() {
    for runs in [[failed(1), stored(0)], [stored(0), failed(1)]] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SegmentWriter::new(folder.path());
        runs.iter().for_each(|run| writer.append(key(0), run).unwrap());
        let store = Store::open(folder.path()).unwrap();
        assert_eq!((store.kind(&key(0)), store.distinct_keys()), (Some(RunStatus::Finished), 1));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SegmentWriter::new(folder.path());
    [failed(1), failed(2)].iter().for_each(|run| writer.append(key(0), run).unwrap());
    assert_eq!(Store::open(folder.path()).unwrap().run(&key(0)).unwrap().unwrap(), failed(2));
}

/// What is copied from another folder must not differ from what is there, whichever is copied into which.
#[test]
fn copied_results_are_compared() {
    let study = |run: &StoredRun| {
        let directory = tempfile::tempdir().unwrap();
        plan(1).write(directory.path()).unwrap();
        SegmentWriter::new(&directory.path().join(SEGMENTS_FOLDER)).append(key(0), run).unwrap();
        (Results::open(directory.path()).unwrap(), directory)
    };
    let copied = |from: &StoredRun, into: &StoredRun| {
        let ((from, _from), (into, home)) = (study(from), study(into));
        from.copy_missing(&into, &mut SegmentWriter::new(&home.path().join(SEGMENTS_FOLDER)))
    };
    assert_eq!(copied(&stored(0), &stored(0)).unwrap(), (0, 0));
    assert_eq!(copied(&stored(0), &failed(1)).unwrap(), (1, 0));
    assert_eq!(copied(&failed(1), &stored(0)).unwrap(), (0, 0));
    assert_eq!(copied(&failed(1), &failed(1)).unwrap(), (0, 0));
    assert_eq!(copied(&failed(1), &failed(2)).unwrap(), (0, 1));
    for (from, into) in [(0, 1), (1, 0)] {
        let conflict = copied(&stored(from), &stored(into)).expect_err("two results");
        assert!(matches!(conflict, StoreError::Conflict { .. }), "{conflict}");
    }
}

/// Whoever goes on reading finds what is there: what was added to a segment, also behind a frame that was half written,
/// other segments, and less where one was mended. What was read is not read again.
#[test]
fn what_is_added_is_read() {
    let home = tempfile::tempdir().unwrap();
    plan(6).write(home.path()).unwrap();
    let folder = home.path().join(SEGMENTS_FOLDER);
    let mut study = Results::open(home.path()).unwrap();
    let mut again = |finished: u64, damaged: u64| {
        study = study.reread().unwrap();
        let whole = Results::open(home.path()).unwrap();
        assert_eq!(
            (study.counts(), study.digest(), study.caveats()),
            (whole.counts(), whole.digest(), whole.caveats())
        );
        assert_eq!(study.store().keys().collect::<Vec<_>>(), whole.store().keys().collect::<Vec<_>>());
        assert_eq!((study.counts().finished, study.counts().damaged), (finished, damaged));
        assert!((0..6).all(|number| study.run(0, number).is_ok()));
    };
    again(0, 0);
    let mut writers = [(); 2].map(|()| SegmentWriter::new(&folder));
    for (finished, number, writer) in [(1, 3, 0), (2, 1, 1), (3, 0, 0)] {
        writers[writer].append(key(number), &stored(number)).unwrap();
        again(finished, 0);
    }
    let (path, donor) = (folder.join("000000.seg"), self::folder(3));
    let frame = std::fs::read(segment(donor.path())).unwrap().split_off(frame_lengths(2));
    let whole = std::fs::read(&path).unwrap();
    for (end, finished, damaged) in [(frame.len() / 2, 3, 1), (frame.len(), 4, 0)] {
        std::fs::write(&path, [&whole, &frame[..end]].concat()).unwrap();
        again(finished, damaged);
    }
    std::fs::write(&path, [&whole[..whole.len() - 1], &frame].concat()).unwrap();
    again(3, 1);
    std::fs::write(&path, &whole).unwrap();
    again(3, 0);
    let mut changed = whole.clone();
    changed[20] ^= 1;
    std::fs::write(&path, &changed).unwrap();
    assert_eq!(study.reread().unwrap().counts().finished, 3, "it is not read again");
    assert_eq!(Results::open(home.path()).unwrap().counts().finished, 2);
}

/// Bytes of the frames of so many runs.
fn frame_lengths(runs: u64) -> usize {
    std::fs::metadata(segment(folder(runs).path())).unwrap().len() as usize
}

/// A run that a search ended stands beside the whole one, which it is no result of; one that ended elsewhere is another.
#[test]
fn cut_runs_stand_beside_whole_ones() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = SegmentWriter::new(folder.path());
    let cut = |above| Cut { of: Spending::Bits, above };
    let run = |above| {
        let mut changed = record(0);
        (changed.manifest.cut, changed.manifest.stop_reason) = (Some(cut(above)), "failed: or not".to_owned());
        StoredRun::finished(changed)
    };
    for above in [7, 8] {
        writer.append(key(0).with_cut(&cut(above)), &run(above)).unwrap();
    }
    writer.append(key(0), &stored(0)).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.distinct_keys(), 3);
    assert_eq!(store.kind(&key(0)), Some(RunStatus::Finished));
    for above in [7, 8] {
        let cut_key = key(0).with_cut(&cut(above));
        assert_eq!(store.kind(&cut_key), Some(RunStatus::Cut));
        assert_eq!(store.run(&cut_key).unwrap().unwrap(), run(above));
    }
    assert_ne!(key(0).with_cut(&cut(7)), key(0).with_cut(&Cut { of: Spending::Rounds, above: 7 }));
}

fn plan(replicates: u64) -> RunPlan {
    common::plan(&["arm"], replicates)
}

/// A plan that has lost the lines by which it is known is refused, whatever else it says.
#[test]
fn a_plan_without_its_mark_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    plan(5).write(directory.path()).unwrap();
    let path = directory.path().join("plan.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(RunPlan::read(directory.path()).unwrap(), plan(5));
    let is_mark = |line: &&str| line.contains("\"format\"") || line.contains("\"digest\"");
    let left: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    assert_eq!(left.len() + 2, text.lines().count());
    std::fs::write(&path, left.join("\n")).unwrap();
    let refused = RunPlan::read(directory.path()).unwrap_err().to_string();
    assert!(refused.contains("neither `format` nor `digest`: expected both"), "{refused}");
}

/// The digest and the tables are those of the runs, in however many segments and whatever order they were written.
#[test]
fn order_and_files_do_not_matter() {
    let directories: Vec<TempDir> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
    let orders: [&[&[u64]]; 2] = [&[&[0, 1, 2, 3, 4]], &[&[4, 2], &[], &[3, 0, 1, 4]]];
    let mut seen = Vec::new();
    for (directory, segments) in directories.iter().zip(orders) {
        plan(5).write(directory.path()).unwrap();
        for numbers in segments {
            let mut writer = SegmentWriter::new(&directory.path().join(SEGMENTS_FOLDER));
            numbers.iter().for_each(|&number| writer.append(key(number), &stored(number)).unwrap());
        }
        let study = Results::open(directory.path()).unwrap();
        assert_eq!(study.counts().finished, 5);
        study.write_tables().unwrap();
        let names = ["runs", "rounds", "ledger", "histograms", "theta", "topology", "words"];
        let table = |name: &str| std::fs::read_to_string(directory.path().join(format!("{name}.csv"))).unwrap();
        seen.push((study.digest(), names.map(table)));
    }
    assert_eq!(seen[0], seen[1]);
    let [runs, rounds, _, _, _, topology, words] = &seen[0].1;
    assert_eq!((runs.lines().count(), rounds.lines().count(), topology.lines().count()), (6, 16, 16));
    // One row of words per run.
    let expected: String = (0..5).map(|number| format!("arm,{number},1,\"a, \"\"b\"\"\n\"\n")).collect();
    assert_eq!(*words, format!("arm,replicate,k,word\n{expected}"));
    let link = |number: u64| format!("arm,{number},link,0,,,,,,1,18446744073709551615,1\n");
    assert!((0..5).all(|number| topology.contains(&link(number))), "{topology}");
    Results::remove_tables(directories[0].path()).unwrap();
    let left = std::fs::read_dir(directories[0].path()).unwrap().count();
    assert_eq!(left, 2, "the plan and the segments");
    let study = Results::open(directories[0].path()).unwrap();
    let run = study.run(0, 3).unwrap().unwrap();
    assert_eq!(run.manifest.arm, "arm");
    assert!(run.manifest.scenario_text.contains("replicate: 3,"));
}

/// A table over all runs has the rows that each run has, in the order of the plan; of one run its own.
#[test]
fn tables_are_selected() {
    let home = tempfile::tempdir().unwrap();
    let runs = [2, 0].map(|number| (0, number, stored(number)));
    let study = common::write_folder(home.path(), &plan(3), runs);
    let table = |run, name| study.table(Selection { run, table: Some(name) }).unwrap();
    let whole = record(0);
    for name in whole.table_names() {
        let expected = |number: u64| -> Vec<Vec<Cell>> {
            let record = study.run(0, number).unwrap().unwrap();
            let key = [Cell::from("arm"), Cell::Whole(number)];
            let table = record.table(name).unwrap();
            table.rows.iter().map(|row| [&key[..], row].concat()).collect()
        };
        assert_eq!(table(None, name).unwrap().rows, [expected(0), expected(2)].concat(), "{name}");
        assert_eq!(table(Some((0, 2)), name).unwrap().rows, expected(2), "{name}");
        assert!(table(Some((0, 1)), name).is_none());
    }
    assert!(table(None, "nothing").is_none());
    let names = study.table_names().unwrap();
    assert_eq!(names, ["runs", "rounds", "ledger", "histograms", "theta", "topology", "words"]);
}

/// A trace is that of its run, also where the run left one itself, and of no other run.
#[test]
fn a_trace_made_later_is_read() {
    let home = tempfile::tempdir().unwrap();
    let study = common::write_folder(home.path(), &plan(2), (0..2).map(|number| (0, number, stored(number))));
    let trace = |number| RunTable {
        name: "trace".to_owned(),
        columns: vec!["k".to_owned()],
        rows: vec![vec![Cell::Nanoseconds(number)]],
    };
    let found = |study: &Results, number| {
        study.run_with_trace(0, number).unwrap().unwrap().table("trace").map(|table| table.into_owned())
    };
    for number in [7, 8] {
        let paths = study.write_trace((0, 1), &trace(number), b"{}").unwrap();
        assert_eq!(paths.map(|path| path.file_name().unwrap().to_owned()), ["arm-1.json", "arm-1.csv"]);
        assert_eq!((found(&study, 0), found(&study, 1)), (None, Some(trace(number))));
    }
    assert_eq!(study.run(0, 1).unwrap().unwrap().extra, record(1).extra, "it is no part of the result");
    let traces = home.path().join("traces");
    std::fs::copy(traces.join("arm-1.trace"), traces.join("arm-0.trace")).unwrap();
    std::fs::write(traces.join("arm-1.trace"), "something").unwrap();
    assert_eq!((found(&study, 0), found(&study, 1)), (None, None));
}

/// Whoever made a store, its tables have names of files in the folder, and rows as wide as their headers.
#[test]
fn records_that_cannot_be_written_are_not_read() {
    let changes: [fn(&mut RunRecord); 6] = [
        |record| record.extra[0].name = "../words".to_owned(),
        |record| record.extra[0].name = "rounds".to_owned(),
        |record| record.extra[0].rows[0].truncate(1),
        |record| record.rounds[0].extra.clear(),
        |record| record.theta.as_mut().unwrap().rows[0].values.clear(),
        |record| record.manifest.extra_columns[0] = "round".to_owned(),
    ];
    for (number, change) in changes.iter().enumerate() {
        let home = tempfile::tempdir().unwrap();
        let mut damaged = record(0);
        change(&mut damaged);
        let study = common::write_folder(home.path(), &plan(1), [(0, 0, StoredRun::finished(damaged))]);
        let refused = study.write_tables().unwrap_err();
        assert!(matches!(refused, StoreError::Damaged { .. }), "{number}: {refused}");
    }
}

/// A store of 10⁵ runs is counted in under a second: `cargo test --release -p fedbits-record -- --ignored --nocapture`.
#[test]
#[ignore = "writes 10⁵ runs; a measurement, for a release build"]
#[expect(clippy::disallowed_methods, reason = "host time is what is measured")]
fn many_runs_are_counted_fast() {
    let directory = tempfile::tempdir().unwrap();
    plan(100_000).write(directory.path()).unwrap();
    let mut writer = SegmentWriter::new(&directory.path().join(SEGMENTS_FOLDER));
    let started = std::time::Instant::now();
    (0..100_000).for_each(|number| writer.append(key(number), &stored(number)).unwrap());
    println!("append: {:.1} µs per run", started.elapsed().as_secs_f64() * 10.0);
    let started = std::time::Instant::now();
    let study = Results::open(directory.path()).unwrap();
    let (counts, digest) = (study.counts(), study.digest());
    let seconds = started.elapsed().as_secs_f64();
    println!("status: {seconds:.3} s, {} runs, {digest}", counts.finished);
    assert_eq!(counts.finished, 100_000);
    assert!(seconds < 1.0);
    let started = std::time::Instant::now();
    study.write_tables().unwrap();
    println!("tables: {:.3} s", started.elapsed().as_secs_f64());
}

/// The Parquet tables hold what the CSV tables hold, cell by cell, with the types that the columns have; also where runs
/// have different columns, a column is a number in one run and a text in another, or no run has a value.
#[test]
#[cfg(feature = "parquet")]
fn parquet_says_what_csv_says() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let home = tempfile::tempdir().unwrap();
    let run = |number: u64| {
        let mut changed = record(number);
        changed.extra[0].rows[0][0] = if number == 3 { Cell::from("=three") } else { Cell::Whole(number) };
        changed.extra[0].columns.push(format!("column {}", number % 2));
        changed.extra[0].rows[0].push(if number == 1 { Cell::Float(0.5) } else { Cell::Missing });
        changed
    };
    let runs = (0..5).map(|number| (0, number, StoredRun::finished(run(number))));
    let record = common::write_folder(home.path(), &plan(6), runs);
    let [csv, parquet] = ["csv", "parquet"].map(|name| home.path().join(name));
    [&csv, &parquet].map(|folder| std::fs::create_dir(folder).unwrap());
    let named = |files: Vec<String>| -> Vec<String> {
        files.iter().map(|file| file.split('.').next().unwrap().to_owned()).collect()
    };
    let tables = named(record.export_csv(&csv).unwrap());
    assert_eq!(named(record.export_parquet(&parquet).unwrap()), tables);
    assert_eq!(tables, ["runs", "rounds", "ledger", "histograms", "theta", "topology", "words"]);
    for name in tables {
        let file = std::fs::File::open(parquet.join(format!("{name}.parquet"))).unwrap();
        let parquet = SerializedFileReader::new(file).unwrap();
        let mut csv = csv::Reader::from_path(csv.join(format!("{name}.csv"))).unwrap();
        let header = csv.headers().unwrap().clone();
        let mut rows = parquet.get_row_iter(None).unwrap();
        for record in csv.records() {
            let (record, row) = (record.unwrap(), rows.next().unwrap().unwrap());
            assert_eq!(header, row.get_column_iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
            for (text, (column, field)) in record.iter().zip(row.get_column_iter()) {
                let same = match field {
                    Field::Null => text.is_empty(),
                    Field::Str(value) => unguarded(text) == value,
                    Field::ULong(value) => text.parse() == Ok(*value),
                    Field::Double(value) => text.parse::<f64>().unwrap().to_bits() == value.to_bits(),
                    other => panic!("{column} is {other:?}"),
                };
                assert!(same, "{name}, {column}: `{text}` and {field:?}");
            }
        }
        assert!(rows.next().is_none());
    }
}
