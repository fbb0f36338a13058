//! Folders of runs and lists of figures against a file system that fails or a process that dies: at every single
//! operation.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::files::tests::watched;
use crate::results::{
    ArmIdentity, DAMAGED_FOLDER, Key, PLAN_FILE, PlanArm, Results, RunPlan, SEGMENTS_FOLDER, SegmentWriter, StoreError,
    StoredRun, set_aside,
};
use crate::{FigureFolder, Manifest, RoundRow, RunRecord, RunTable};

/// The numbers of runs whose results were appended.
type Appended = Rc<RefCell<BTreeSet<u64>>>;

const RUNS: u64 = 4;

fn plan() -> RunPlan {
    let arm = PlanArm {
        name: "arm".to_owned(),
        seed: 1,
        scenario: "base".to_owned(),
        identity: ArmIdentity::of("0", "arm", &[]).to_string(),
        ..PlanArm::default()
    };
    RunPlan {
        engine_version: "0".to_owned(),
        name: "interrupted".to_owned(),
        arms: vec![arm],
        replicates: RUNS,
        ..RunPlan::default()
    }
}

fn key(number: u64) -> Key {
    plan().arms[0].key(number).expect("an identity")
}

/// A run whose every number is `number`; the last has a table that the others have not.
fn run(number: u64) -> StoredRun {
    StoredRun::finished(RunRecord {
        manifest: Manifest { replicate: number, ..Manifest::default() },
        rounds: vec![RoundRow { round: number, ..RoundRow::default() }],
        extra: if number + 1 == RUNS { vec![table("words", number)] } else { Vec::new() },
        ..RunRecord::default()
    })
}

fn table(name: &str, number: u64) -> RunTable {
    RunTable { name: name.to_owned(), columns: vec!["k".to_owned()], rows: vec![vec![number.into()]] }
}

/// Does what `run` does: writes the plan, sets aside what is damaged, makes the runs that are missing, writes the
/// tables and a trace.
fn make(folder: &Path, appended: &Appended, trace: u64) -> Result<(), StoreError> {
    plan().write(folder)?;
    let record = Results::open(folder)?;
    set_aside(folder, record.store().damage())?;
    let mut writer = SegmentWriter::new(&folder.join(SEGMENTS_FOLDER));
    for missing in record.runs().filter(|run| run.kind.is_none()) {
        writer.append(missing.key, &run(missing.replicate))?;
        appended.borrow_mut().insert(missing.replicate);
    }
    writer.sync()?;
    let record = record.reread()?;
    record.write_tables()?;
    record.write_trace((0, 0), &table("trace", trace), b"{}").map(drop)
}

/// What stands in `home/runs` before: nothing, or a folder with a damaged result and the end of one, tables of two of
/// three runs and another trace.
fn prepare(home: &Path, is_begun: bool) -> (PathBuf, Appended) {
    let (folder, appended) = (home.join("runs"), Appended::default());
    if !is_begun {
        return (folder, appended);
    }
    plan().write(&folder).expect("a plan");
    let mut writer = SegmentWriter::new(&folder.join(SEGMENTS_FOLDER));
    (0..3).for_each(|number| writer.append(key(number), &run(number)).expect("a result"));
    drop(writer);
    let path = folder.join(SEGMENTS_FOLDER).join("000000.seg");
    let mut bytes = fs::read(&path).expect("a segment");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes.extend_from_within(..middle / 2);
    fs::write(&path, bytes).expect("a segment");
    let record = Results::open(&folder).expect("a folder of runs");
    assert_eq!((record.counts().finished, record.counts().damaged), (2, 2));
    record.write_tables().expect("tables");
    record.write_trace((0, 0), &table("trace", 1), b"{\"former\": 1}").expect("a trace");
    appended.borrow_mut().extend([0, 2]);
    (folder, appended)
}

/// The tables and traces that stand in a folder, with their content.
fn texts(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_ours = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|ending| ending != "part");
    let all = entries(folder).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
    let all = all.chain(entries(&folder.join("traces"))).filter(is_ours);
    let content =
        |path: PathBuf| (path.strip_prefix(folder).expect("inside").to_owned(), fs::read(&path).expect("a file"));
    all.map(content).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect()
}

/// The store has every result that was appended; the plan is whole or not there; tables and traces are whole, of the
/// former runs or of all, and tables of both never stand beside each other; no damaged byte is lost.
fn check(folder: &Path, appended: &BTreeSet<u64>, [before, after]: [&BTreeMap<PathBuf, Vec<u8>>; 2], at: &str) {
    if !folder.join(PLAN_FILE).exists() {
        assert!(appended.is_empty() && before.is_empty(), "{at}: the plan is gone");
        return;
    }
    assert_eq!(RunPlan::read(folder).expect("a plan that is there is whole"), plan());
    let record = Results::open(folder).expect("the store can be read");
    for &number in appended {
        assert_eq!(record.store().run(&key(number)).expect("it can be read"), Some(run(number)), "{at}: run {number}");
    }
    let of = |all: &BTreeMap<PathBuf, Vec<u8>>, (path, content): (&PathBuf, &Vec<u8>)| all.get(path) == Some(content);
    let there = texts(folder);
    assert!(there.iter().all(|file| of(before, file) || of(after, file)), "{at}: {:?}", there.keys());
    let is_table = |path: &Path| path.parent().is_some_and(|parent| parent.as_os_str().is_empty());
    let tables = || there.iter().filter(|(path, _)| is_table(path));
    let is_one = [before, after].iter().any(|all| tables().all(|file| of(all, file)));
    assert!(is_one, "{at}: tables of different runs");
    if !before.is_empty() {
        let kept = entries(&folder.join(DAMAGED_FOLDER))
            .iter()
            .map(|path| fs::read(path).expect("a file").len())
            .sum::<usize>();
        let damaged: u64 = record.store().damage().iter().map(|damage| damage.bytes).sum();
        assert!(kept as u64 + damaged >= damaged_bytes(), "{at}: damaged bytes are lost");
    }
}

/// Bytes of what [`prepare`] damages.
fn damaged_bytes() -> u64 {
    let home = tempfile::tempdir().expect("a folder");
    let record = Results::open(&prepare(home.path(), true).0).expect("a folder of runs");
    record.store().damage().iter().map(|damage| damage.bytes).sum()
}

/// The next attempt gives everything.
fn complete(folder: &Path, appended: &Appended, after: &BTreeMap<PathBuf, Vec<u8>>, at: &str) {
    make(folder, appended, 2).unwrap_or_else(|error| panic!("{at}: {error}"));
    assert_eq!(Results::open(folder).expect("a folder of runs").counts().finished, RUNS);
    assert!(texts(folder) == *after, "{at}: {:?}", texts(folder).keys());
}

/// Tables and traces before and after.
fn expected(is_begun: bool) -> [BTreeMap<PathBuf, Vec<u8>>; 2] {
    let home = tempfile::tempdir().expect("a folder");
    let (folder, appended) = prepare(home.path(), is_begun);
    let before = texts(&folder);
    make(&folder, &appended, 2).expect("all runs");
    let after = texts(&folder);
    assert!(before.len() == if is_begun { 4 + 3 } else { 0 } && after.len() == 5 + 3, "{:?}", after.keys());
    [before, after]
}

/// Does something while the operation of this number fails, as on a full disk; also whether there are this many
/// operations.
fn with_failing<T>(number: u32, act: impl FnOnce() -> T) -> (T, bool) {
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    let fail = move || {
        counted.set(counted.get() + 1);
        if counted.get() == number + 1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    };
    (watched(fail, act), count.get() > number)
}

/// Every operation fails once, as on a full disk: that is an error, and nothing that was there is lost.
#[test]
fn a_failed_operation_loses_no_result() {
    for is_begun in [false, true] {
        let [before, after] = expected(is_begun);
        for failing in 0.. {
            let home = tempfile::tempdir().expect("a folder");
            let (folder, appended) = prepare(home.path(), is_begun);
            let (done, failed) = with_failing(failing, || make(&folder, &appended, 2));
            let at = format!("{is_begun}, operation {failing}");
            check(&folder, &appended.borrow(), [&before, &after], &at);
            if !failed {
                assert!(done.is_ok() && failing > 30, "{at}: {done:?}");
                break;
            }
            // What is thrown away, as a table that is begun anew with more columns, may fail.
            assert!(done.is_err() || texts(&folder) == after, "{at} failed in silence");
            let is_left = |path: &PathBuf| crate::is_temporary(path.file_name().expect("a name"));
            assert_eq!(entries(&folder).iter().find(|path| is_left(path)), None, "{at}");
            complete(&folder, &appended, &after, &at);
        }
    }
}

/// The process dies before any operation: the same.
#[test]
fn a_kill_loses_no_result() {
    for is_begun in [false, true] {
        let [before, after] = expected(is_begun);
        let home = tempfile::tempdir().expect("a folder");
        let copies = tempfile::tempdir().expect("a folder");
        let (folder, appended) = prepare(home.path(), is_begun);
        let taken = Rc::new(RefCell::new(Vec::new()));
        let (source, target) = (home.path().to_path_buf(), copies.path().to_path_buf());
        let (pictures, results) = (Rc::clone(&taken), Rc::clone(&appended));
        let photograph = move || {
            let mut pictures = pictures.borrow_mut();
            copy(&source, &target.join(pictures.len().to_string()));
            pictures.push(results.borrow().clone());
            Ok(())
        };
        watched(photograph, || make(&folder, &appended, 2)).expect("all runs");
        let taken = taken.take();
        assert!(taken.len() > 30);
        for (number, appended) in taken.into_iter().enumerate() {
            let at = format!("{is_begun}, killed before operation {number}");
            let folder = copies.path().join(number.to_string()).join("runs");
            check(&folder, &appended, [&before, &after], &at);
            complete(&folder, &Rc::new(RefCell::new(appended)), &after, &at);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in entries(from) {
        let copied = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() { copy(&entry, &copied) } else { fs::copy(&entry, &copied).map(drop).expect("a copy") }
    }
}

fn drawn(number: u8) -> Vec<(String, Vec<u8>)> {
    ["a.svg", "a.csv", "b.svg"].map(|name| (name.to_owned(), vec![number; 20_000])).to_vec()
}

/// Figures are whole at any moment; what reports did not write is not touched, and stops them before they write
/// anything.
#[test]
fn figures_replace_figures_only() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("h");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("b.svg"), "mine").expect("a file");
    let write = |number| FigureFolder::open(&folder).and_then(|mut figures| figures.write(&drawn(number)));
    let error = write(1).expect_err("it is in the way").to_string();
    assert!(error.contains("b.svg is in the way"), "{error}");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
    fs::rename(folder.join("b.svg"), folder.join("mine.svg")).expect("renamed");
    write(1).expect("figures");
    for failing in 0.. {
        let (done, failed) = with_failing(failing, || write(2));
        for (name, _) in drawn(0) {
            let bytes = fs::read(folder.join(name)).expect("a figure");
            assert!(bytes == vec![1; 20_000] || bytes == vec![2; 20_000], "operation {failing}");
        }
        if !failed {
            assert!(done.is_ok() && failing > 10);
            break;
        }
        assert!(done.is_err());
        write(1).expect("figures");
    }
    FigureFolder::open(&folder).and_then(|mut figures| figures.remove_others(&[])).expect("removed");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "mine.svg is left");
}
