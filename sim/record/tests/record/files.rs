//! What stands in a folder of runs for other tools: exact text, whole files; and what a recorder refuses.

use crate::common::{columns, first_row, histograms, ledger, manifest, plan, second_row, write_folder};
use fedbits_record::results::{PlanAxis, PlanTarget, Results, RunPlan, StoredRun};
use fedbits_record::{
    Cell, Columns, Digests, Manifest, Recorder, RoundRow, RunRecord, RunTable, TopologyLink, TopologyRows,
    TopologySite, Totals, write_whole,
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

/// Two arms on an axis whose name two tables have a column for; one name needs quotes, one begins like a formula.
fn two_arms() -> RunPlan {
    let mut plan = plan(&["no, \"comp\"", "=rand"], 2);
    let levels = ["fast", "-slow"].map(str::to_owned).to_vec();
    plan.axes =
        vec![PlanAxis { name: "time_s".to_owned(), paths: vec!["x".to_owned()], levels, ..PlanAxis::default() }];
    plan.arms.iter_mut().zip(0..).for_each(|(arm, level)| arm.levels = vec![level]);
    plan.targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
    plan
}

/// A run without columns of its own, whose first round is its last.
fn failed_early() -> RunRecord {
    let mut recorder = Recorder::memory(Columns::default());
    recorder.round(&RoundRow { epochs: 1e22, ..RoundRow::default() }).unwrap();
    let stop_reason = "failed: round 1: no number".to_owned();
    let digests = Digests { data: "0a".to_owned(), timeline: "0d".to_owned(), state: "0e".to_owned() };
    recorder.finish(Manifest { stop_reason, digests, ..Manifest::default() }, &[], &[]).unwrap().unwrap()
}

/// One with columns that the first arm has not, in a table that its failed runs lack.
fn with_words() -> RunRecord {
    let mut recorder = Recorder::memory(Columns { extra: vec!["accuracy".to_owned()], ..Columns::default() });
    recorder.round(&RoundRow { extra: vec![Some(0.5)], ..RoundRow::default() }).unwrap();
    recorder.extra(&words()).unwrap();
    recorder.finish(of_no_round(), &[], &[]).unwrap().unwrap()
}

/// The contract with other tools, letter by letter: 12 000 000 345 ns = 12.000000345 s; the shortest decimals of 0.1,
/// −19.418403, 10⁻³⁰⁰, −0; names with commas and quotes quoted as RFC 4180 says; what begins like a formula behind an
/// apostrophe; missing values empty. An axis that is called like a column of a table is `axis_NAME` there, columns are
/// those of all arms, and a run that failed early or was not run is a row of `runs.csv`.
#[test]
fn the_text_of_every_table() {
    let home = tempfile::tempdir().unwrap();
    let plan = two_arms();
    let runs = [
        (0, 0, StoredRun::finished(record_into(Recorder::memory(columns())).unwrap())),
        (0, 1, StoredRun::NotRun("no file, \"a.csv\"".to_owned())),
        (1, 0, StoredRun::finished(failed_early())),
        (1, 1, StoredRun::finished(with_words())),
    ];
    let written = write_folder(home.path(), &plan, runs).write_tables().unwrap();
    assert!(written.moved_aside.is_empty() && written.too_large.is_empty(), "{written:?}");
    assert_eq!(
        text(home.path(), "rounds.csv"),
        "arm,axis_time_s,replicate,round,time_s,epochs,expectations,bits_up,bits_down,bits_peer,bits_header,\
         bits_wasted,selected,arrived,late,lost,objective,mean_field_sq,field_sq,drift_sq,\"weight, \"\"first\"\"\",\
         accuracy\n\
         \"no, \"\"comp\"\"\",fast,0,0,0.000000000,0.0,0,0,0,0,0,0,0,0,0,0,,,,,0.5,\n\
         \"no, \"\"comp\"\"\",fast,0,1,12.000000345,0.1,2000,18446744073709551615,64,0,320,7,10,8,1,1,-19.418403,\
         1e-300,,-0.0,,\n\
         '=rand,'-slow,0,0,0.000000000,1e22,0,0,0,0,0,0,0,0,0,0,,,,,,\n\
         '=rand,'-slow,1,0,0.000000000,0.0,0,0,0,0,0,0,0,0,0,0,,,,,,0.5\n"
    );
    assert_eq!(
        text(home.path(), "ledger.csv"),
        "arm,time_s,replicate,link,direction,purpose,fate,messages,payload_bits,header_bits,retransmitted_bits\n\
         \"no, \"\"comp\"\"\",fast,0,\"client 3, up\",up,update,aborted,2,400,640,1\n"
    );
    // Of 1, …, 100 the mean is 50.5 and the q-quantile is the ⌈100 q⌉-th value; all are below 2048, so kept exactly.
    assert_eq!(
        text(home.path(), "histograms.csv"),
        "arm,time_s,replicate,name,unit,count,mean,min,p50,p90,p99,p99.9,max\n\
         \"no, \"\"comp\"\"\",fast,0,round duration,ns,100,50.5,1,50,90,99,100,100\n\
         \"no, \"\"comp\"\"\",fast,0,staleness,rounds,0,,,,,,,\n"
    );
    assert_eq!(
        text(home.path(), "theta.csv"),
        "arm,time_s,replicate,round,pi_1,pi_2\n\"no, \"\"comp\"\"\",fast,0,0,0.25,0.75\n\
         \"no, \"\"comp\"\"\",fast,0,1,2.2250738585072014e-308,5e-324\n"
    );
    assert_eq!(text(home.path(), "words.csv"), "arm,time_s,replicate,k,word\n'=rand,'-slow,1,0,\"one, \"\"two\"\"\"\n");
    runs_have_a_row_each(home.path(), &plan);
    let tables = ["histograms.csv", "ledger.csv", "plan.json", "rounds.csv", "runs.csv", "segments", "theta.csv"];
    assert_eq!(names(home.path()), [&tables[..], &["words.csv"]].concat());
}

/// The sum of bits saturates; the energy is that of clients and server; the first row at or below 10⁻³ is the second of
/// the first run, and no other run has one.
fn runs_have_a_row_each(home: &Path, plan: &RunPlan) {
    let key = |arm: usize, replicate| plan.arms[arm].key(replicate).unwrap();
    let end = |suffix: &str| {
        ["reached", "verdict", "rounds", "time_s", "bits_up", "bits_total"]
            .map(|column| format!("{column}{suffix}"))
            .join(",")
    };
    let expected = format!(
        "arm,axis_time_s,replicate,seed,status,stop_reason,rounds,time_s,expectations,bits_up,bits_down,bits_peer,\
         bits_header,bits_wasted,bits_total,energy_j,objective,mean_field_sq,parameter_error_sq,caveats,{},data_digest,\
         timeline_digest,state_digest,key\n\
         \"no, \"\"comp\"\"\",fast,0,1,finished,rounds reached,1,12.000000345,2000,18446744073709551615,64,0,320,7,\
         18446744073709551615,1e300,-19.418403,1e-300,,early-end,1,reached,1,12.000000345,18446744073709551615,\
         18446744073709551615,0a,0b,0c,{}\n\
         \"no, \"\"comp\"\"\",fast,1,1,not_run,\"no file, \"\"a.csv\"\"\"{}{}\n\
         '=rand,'-slow,0,1,failed,failed: round 1: no number,0,0.000000000,0,0,0,0,0,0,0,,,,,,0,failed,0,0.000000000,0,\
         0,0a,0d,0e,{}\n\
         '=rand,'-slow,1,1,finished,rounds reached,0,12.000000345,2000,18446744073709551615,64,0,320,7,\
         18446744073709551615,1e300,,,,early-end,0,not_reached,0,0.000000000,0,0,0a,0b,0c,{}\n",
        end("_to_mean_field_sq_0.001"),
        key(0, 0),
        ",".repeat(24),
        key(0, 1),
        key(1, 0),
        key(1, 1)
    );
    assert_eq!(text(home, "runs.csv"), expected);
}

/// What stands at the path of a table and is none is kept in `damaged/`; files of other names are left alone, whatever
/// their columns; a table that only former runs had goes with them.
#[test]
fn what_is_no_table_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let run = |record: RunRecord| [(0, 0, StoredRun::finished(record))];
    write_folder(home.path(), &plan(&["a"], 1), run(with_words())).write_tables().unwrap();
    let of_user = "arm,replicate,score\na,0,1\n";
    std::fs::write(home.path().join("scores.csv"), of_user).unwrap();
    assert!(home.path().join("words.csv").is_file());
    Results::remove_tables(home.path()).unwrap();
    assert_eq!(names(home.path()), ["plan.json", "scores.csv", "segments"]);
    std::fs::remove_dir_all(home.path().join("segments")).unwrap();
    std::fs::write(home.path().join("ledger.csv"), "mine").unwrap();
    std::fs::write(home.path().join("notes.csv"), "mine, too").unwrap();
    let record = write_folder(home.path(), &plan(&["a"], 1), run(failed_early()));
    let moved = record.write_tables().unwrap().moved_aside;
    assert_eq!(moved, [home.path().join("damaged/ledger.csv")]);
    assert_eq!(
        (std::fs::read_to_string(&moved[0]).unwrap(), text(home.path(), "notes.csv")),
        ("mine".to_owned(), "mine, too".to_owned())
    );
    assert!(text(home.path(), "ledger.csv").starts_with("arm,replicate,link,"));
    assert_eq!(text(home.path(), "scores.csv"), of_user);
    std::fs::write(home.path().join("rounds.csv"), text(home.path(), "rounds.csv").replace("1e22", "1e23")).unwrap();
    assert_eq!(record.changed_tables().unwrap(), ["rounds.csv"]);
    assert!(record.write_tables().unwrap().moved_aside.is_empty());
    assert_eq!(record.changed_tables().unwrap(), Vec::<String>::new());
}

/// A recorder that keeps nothing gives nothing; the last row may be completed until the record is finished, and no
/// other.
#[test]
fn the_last_row_can_be_completed() {
    assert!(record_into(Recorder::nothing(columns())).is_none());
    let mut recorder = Recorder::memory(columns());
    recorder.round(&first_row()).unwrap();
    recorder.round(&RoundRow { objective: None, mean_field_sq: None, ..second_row() }).unwrap();
    assert!(recorder.complete_round(&RoundRow { extra: Vec::new(), ..second_row() }).is_err());
    recorder.complete_round(&second_row()).unwrap();
    let rounds = recorder.finish(manifest(), &[], &[]).unwrap().unwrap().rounds;
    assert_eq!(rounds, [first_row(), second_row()]);
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
    let rows = vec![vec![Cell::Whole(0), Cell::from("one, \"two\"")]];
    RunTable { name: "words".to_owned(), columns: vec!["k".to_owned(), "word".to_owned()], rows }
}

/// Columns of a run's tables are found by name; as numbers only where every cell is one.
#[test]
fn columns_of_tables() {
    let table = words();
    assert_eq!(table.numbers("k"), Some(vec![0.0]));
    assert_eq!((table.column("word"), table.numbers("word"), table.numbers("none")), (Some(1), None, None));
    assert_eq!(RunTable { rows: vec![vec![Cell::Missing; 2]], ..table }.numbers("k"), None);
}

/// Sites by index, then links; a name with a comma is quoted.
#[test]
fn a_topology_is_sites_and_links() {
    let site = |name: &str, x, y, server, clients| TopologySite { name: name.to_owned(), x, y, server, clients };
    let topology = TopologyRows {
        sites: vec![site("Paris, Nord", 2.35, 48.85, true, 0), site("s1", -0.5, 0.0, false, 12)],
        links: vec![TopologyLink { from: 1, to: 0, capacity_bps: 1_000_000, latency_ns: 5_000_001 }],
    };
    let mut recorder = Recorder::memory(Columns::default());
    recorder.topology(&topology);
    let record = recorder.finish(of_no_round(), &[], &[]).unwrap().unwrap();
    assert_eq!((record.topology.as_ref(), record.extra.len()), (Some(&topology), 0));
    assert_eq!(
        record.table("topology").unwrap().text().unwrap(),
        "kind,index,name,x,y,server,clients,to,capacity_bps,latency_ns\n\
         site,0,\"Paris, Nord\",2.35,48.85,1,0,,,\n\
         site,1,s1,-0.5,0.0,0,12,,,\n\
         link,1,,,,,,0,1000000,5000001\n"
    );
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

/// The recorder refuses what no reader would accept.
#[test]
fn the_recorder_refuses() {
    let mut recorder = Recorder::memory(columns());
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut row = first_row();
        row.objective = Some(value);
        let error = recorder.round(&row).unwrap_err().to_string();
        assert_eq!(error, format!("rounds: round 0: `objective` is {value}, which no record may hold"));
    }
    let mut row = first_row();
    row.extra[0] = Some(f64::NAN);
    assert!(recorder.round(&row).unwrap_err().to_string().contains("`drift_sq` is NaN"));
    row.extra.clear();
    assert!(recorder.round(&row).unwrap_err().to_string().contains("2 values were declared, 0 are given"));
    assert!(recorder.theta(0, &[f64::NAN, 0.0]).unwrap_err().to_string().contains("`pi_1` is NaN"));
    assert!(recorder.theta(0, &[0.0]).unwrap_err().to_string().contains("2 values were declared, 1 are given"));
    let rows = vec![vec![Cell::Whole(0), Cell::Float(f64::NAN)]];
    assert!(recorder.extra(&RunTable { rows, ..words() }).unwrap_err().to_string().contains("`word` is NaN"));
    let rows = vec![vec![Cell::Whole(0)]];
    let error = recorder.extra(&RunTable { rows, ..words() }).unwrap_err().to_string();
    assert!(error.contains("2 values were declared, 1 are given"), "{error}");
    let mut endless = manifest();
    endless.host.seconds = f64::INFINITY;
    assert!(recorder.finish(endless, &[], &[]).unwrap_err().to_string().contains("`host.seconds` is inf"));
}

/// A name that stands twice, also as one of the common columns, or is empty, could not be read back; nor could a table
/// that is called like another, and one that is called like a path would be written elsewhere.
#[test]
fn bad_names() {
    for name in ["", "round", "lost", "arm"] {
        let columns = Columns { extra: vec![name.into()], ..Columns::default() };
        let row = RoundRow { extra: vec![None], ..RoundRow::default() };
        let refused = Recorder::memory(columns).round(&row).unwrap_err().to_string();
        assert!(refused.contains(&format!("`{name}` is empty or stands twice")), "{refused}");
    }
    for name in ["", "round", "replicate"] {
        let columns = Columns { theta: vec![name.into()], ..Columns::default() };
        let refused = Recorder::memory(columns).finish(of_no_round(), &[], &[]).unwrap_err();
        assert!(refused.to_string().contains(&format!("the column name `{name}` is empty")), "{refused}");
    }
    for name in ["", "../words", "/words", "a/b", "rounds", "Runs", "once"] {
        let mut recorder = Recorder::memory(Columns::default());
        recorder.extra(&RunTable { name: "once".to_owned(), ..words() }).unwrap();
        let taken = recorder.extra(&RunTable { name: name.to_owned(), ..words() });
        let refused = taken.and_then(|()| recorder.finish(of_no_round(), &[], &[])).unwrap_err();
        assert!(refused.to_string().contains(&format!("the table name `{name}` cannot be")), "{refused}");
    }
}
