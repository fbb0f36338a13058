//! What stands on disk: exact text, whole files, no debris; and the same data read back.

use crate::common::{columns, first_row, histograms, ledger, manifest, second_row};
use fedbits_record::write_whole;
use fedbits_record::{
    Columns, RunTable, Manifest, Recorder, RoundRow, RunRecord, TopologyLink, TopologyRows, TopologySite, Totals,
};
use std::path::Path;

fn record_into(mut recorder: Recorder) -> Option<RunRecord> {
    recorder.round(&first_row()).unwrap();
    recorder.theta(0, &[0.25, 0.75]).unwrap();
    recorder.round(&second_row()).unwrap();
    recorder.theta(1, &[f64::MIN_POSITIVE, 5e-324]).unwrap();
    recorder.finish(manifest(), &ledger(), &histograms()).unwrap()
}

fn text(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The contract with other tools, letter by letter: 12 000 000 345 ns = 12.000000345 s; the shortest decimals of 0.1,
/// −19.418403, 10⁻³⁰⁰, −0; names with commas and quotes quoted as RFC 4180 says; missing values empty.
#[test]
fn the_text_of_every_table() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("new/run");
    assert!(record_into(Recorder::files(&directory, columns()).unwrap()).is_none());
    assert_eq!(
        text(&directory, "rounds.csv"),
        "round,time_s,epochs,expectations,bits_up,bits_down,bits_peer,bits_header,bits_wasted,selected,arrived,late,lost,\
         objective,mean_field_sq,field_sq,drift_sq,\"weight, \"\"first\"\"\"\n\
         0,0.000000000,0.0,0,0,0,0,0,0,0,0,0,0,,,,,0.5\n\
         1,12.000000345,0.1,2000,18446744073709551615,64,0,320,7,10,8,1,1,-19.418403,1e-300,,-0.0,\n"
    );
    assert_eq!(
        text(&directory, "ledger.csv"),
        "link,direction,purpose,fate,messages,payload_bits,header_bits,retransmitted_bits\n\
         \"client 3, up\",up,update,aborted,2,400,640,1\n"
    );
    // Of 1, …, 100 the mean is 50.5 and the q-quantile is the ⌈100 q⌉-th value; all are below 2048, so kept exactly.
    assert_eq!(
        text(&directory, "histograms.csv"),
        "name,unit,count,mean,min,p50,p90,p99,p99.9,max\nround duration,ns,100,50.5,1,50,90,99,100,100\nstaleness,rounds,0,,,,,,,\n"
    );
    assert_eq!(text(&directory, "theta.csv"), "round,pi_1,pi_2\n0,0.25,0.75\n1,2.2250738585072014e-308,5e-324\n");
    assert_eq!(names(&directory), ["histograms.csv", "ledger.csv", "manifest.json", "rounds.csv", "theta.csv"]);
}

/// Files and memory are two forms of one record: reading the directory gives what memory holds, but for the list of
/// files.
#[test]
fn reading_gives_what_was_written() {
    let home = tempfile::tempdir().unwrap();
    record_into(Recorder::files(home.path(), columns()).unwrap());
    let mut read = RunRecord::read(home.path()).unwrap();
    assert_eq!(read.manifest.files, ["rounds.csv", "ledger.csv", "histograms.csv", "theta.csv"]);
    read.manifest.files.clear();
    assert_eq!(read, record_into(Recorder::memory(columns())).unwrap());
    assert_eq!(read.rounds[1].extra[0].map(f64::to_bits), Some((-0.0f64).to_bits()));
    assert!(record_into(Recorder::nothing(columns())).is_none());
}

/// The last row may be completed until the record is finished, and no other.
#[test]
fn the_last_row_can_be_completed() {
    let home = tempfile::tempdir().unwrap();
    let whole = |mut recorder: Recorder| {
        recorder.round(&first_row()).unwrap();
        recorder.round(&RoundRow { objective: None, mean_field_sq: None, ..second_row() }).unwrap();
        assert!(recorder.complete_round(&RoundRow { extra: Vec::new(), ..second_row() }).is_err());
        recorder.complete_round(&second_row()).unwrap();
        recorder.finish(manifest(), &[], &[]).unwrap()
    };
    assert!(whole(Recorder::files(home.path(), columns()).unwrap()).is_none());
    let read = RunRecord::read(home.path()).unwrap().rounds;
    assert_eq!(read, whole(Recorder::memory(columns())).unwrap().rounds);
    assert_eq!((read.len(), read[1].objective), (2, second_row().objective));
}

/// An unfinished run leaves nothing: neither files nor the directory made for it; a record that stood there stays.
#[test]
fn an_aborted_run_leaves_no_debris() {
    let home = tempfile::tempdir().unwrap();
    let fresh = home.path().join("fresh");
    let mut recorder = Recorder::files(&fresh, columns()).unwrap();
    recorder.round(&first_row()).unwrap();
    assert!(!fresh.exists(), "the tables are in progress in a folder beside it");
    assert_eq!(names(home.path()).len(), 1);
    drop(recorder);
    assert_eq!(names(home.path()).len(), 0);

    record_into(Recorder::files(&fresh, columns()).unwrap());
    let before = RunRecord::read(&fresh).unwrap();
    drop(Recorder::files(&fresh, Columns::default()).unwrap());
    assert_eq!(RunRecord::read(&fresh).unwrap(), before);
}

/// A second record replaces the first wholly: a table it does not have is gone, and a file that no record named stays.
#[test]
fn a_new_record_replaces_the_former_one() {
    let home = tempfile::tempdir().unwrap();
    let mut first = Recorder::files(home.path(), columns()).unwrap();
    first.extra(&words()).unwrap();
    record_into(first);
    assert_eq!(RunRecord::read(home.path()).unwrap().extra, [words()]);
    assert!(home.path().join("words.csv").is_file());
    Recorder::files(home.path(), Columns::default()).unwrap().finish(of_no_round(), &[], &[]).unwrap();
    let read = RunRecord::read(home.path()).unwrap();
    assert_eq!((read.rounds.len(), read.theta, read.manifest.extra_columns.len()), (0, None, 0));
    assert_eq!(names(home.path()), ["histograms.csv", "ledger.csv", "manifest.json", "rounds.csv"]);
}

/// `write_whole` replaces the content and leaves one file.
#[test]
fn write_whole_replaces() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("figure.svg");
    write_whole(&path, b"first").unwrap();
    write_whole(&path, b"second").unwrap();
    assert_eq!((text(home.path(), "figure.svg").as_str(), names(home.path()).len()), ("second", 1));
    let nowhere = home.path().join("missing/figure.svg");
    assert!(write_whole(&nowhere, b"").unwrap_err().to_string().contains("missing"));
}

/// The manifest of a run whose rounds have no rows because there are none.
fn of_no_round() -> Manifest {
    Manifest { totals: Totals { rounds: 0, ..manifest().totals }, ..manifest() }
}

fn words() -> RunTable {
    let rows = vec![vec!["0".to_owned(), "one, \"two\"".to_owned()]];
    RunTable { name: "words".to_owned(), columns: vec!["k".to_owned(), "word".to_owned()], rows }
}

/// Columns of extra tables are found by name; as numbers only where every cell is one.
#[test]
fn columns_of_extra_tables() {
    let table = words();
    assert_eq!(table.numbers("k"), Some(vec![0.0]));
    assert_eq!((table.column("word"), table.numbers("word"), table.numbers("none")), (Some(1), None, None));
    let rows = vec![vec!["NaN".to_owned(), String::new()]];
    assert_eq!(RunTable { rows, ..table }.numbers("k"), None, "no record holds such a number");
}

/// Sites by index, then links; a name with a comma is quoted; what is written is read back, by files and in memory.
#[test]
fn a_topology_is_sites_and_links() {
    let site = |name: &str, x, y, server, clients| TopologySite { name: name.to_owned(), x, y, server, clients };
    let topology = TopologyRows {
        sites: vec![site("Paris, Nord", 2.35, 48.85, true, 0), site("s1", -0.5, 0.0, false, 12)],
        links: vec![TopologyLink { from: 1, to: 0, capacity_bps: 1_000_000, latency_ns: 5_000_001 }],
    };
    let home = tempfile::tempdir().unwrap();
    let record = |mut recorder: Recorder| {
        recorder.topology(&topology).unwrap();
        recorder.finish(of_no_round(), &[], &[]).unwrap()
    };
    assert!(record(Recorder::files(home.path(), Columns::default()).unwrap()).is_none());
    assert_eq!(
        text(home.path(), "topology.csv"),
        "kind,index,name,x,y,server,clients,to,capacity_bps,latency_ns\n\
         site,0,\"Paris, Nord\",2.35,48.85,1,0,,,\n\
         site,1,s1,-0.5,0.0,0,12,,,\n\
         link,1,,,,,,0,1000000,5000001\n"
    );
    let read = RunRecord::read(home.path()).unwrap();
    assert_eq!((read.topology.as_ref(), read.extra.len()), (Some(&topology), 0));
    let kept = record(Recorder::memory(Columns::default())).unwrap();
    assert_eq!(kept.topology.as_ref(), Some(&topology));
    for (from, to, message) in [
        ("link,1", "link,2", "the number of a site above"),
        ("site,1", "site,7", "the number of the site, counted from 0"),
        ("site,0", "node,0", "site or link"),
    ] {
        let bad = text(home.path(), "topology.csv").replacen(from, to, 1);
        let folder = tempfile::tempdir().unwrap();
        record(Recorder::files(folder.path(), Columns::default()).unwrap());
        std::fs::write(folder.path().join("topology.csv"), bad).unwrap();
        let error = RunRecord::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(message) && error.contains("topology.csv"), "{error}");
    }
}

/// What the system refuses in the midst of a run is no failure of the run: there is no record then, whoever heard of it.
#[test]
fn a_table_that_is_refused_leaves_no_record() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("run");
    let mut recorder = Recorder::files(&directory, columns()).unwrap();
    let staging = std::fs::read_dir(home.path()).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_dir_all(&staging).unwrap();
    std::fs::write(&staging, "no folder").unwrap();
    let table = RunTable { name: "own".to_owned(), columns: vec!["a".to_owned()], rows: Vec::new() };
    let refused = recorder.extra(&table).unwrap_err().to_string();
    let finished = recorder.finish(manifest(), &ledger(), &histograms());
    assert_eq!(finished.unwrap_err().to_string(), refused);
    assert!(!directory.exists());
}

/// A table that cannot be looked for is not one that is missing.
#[test]
fn what_cannot_be_looked_for_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    // A path through a file: `ENOTDIR`, which is as good as any error that is not `ENOENT`.
    assert!(fedbits_record::is_there(&file.join("inside")).is_err());
    assert!(!fedbits_record::is_there(&home.path().join("nothing")).unwrap());
}
