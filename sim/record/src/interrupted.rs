//! Records, lists of figures and stores against a file system that fails or a process that dies: at every single
//! operation.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::files::tests::watched;
use crate::{
    Columns, FigureFolder, Manifest, RecordError, Recorder, RoundRow, RunRecord, RunTable, add_to_record,
    foreign_entry, remove_record,
};

/// Makes a record whose every number is `number`; the first has tables that the second has not, and vice versa.
fn record(folder: &Path, number: u64) -> Result<(), RecordError> {
    let names = vec!["a".to_owned()];
    let (theta, statistics) = if number == 1 { (names, Vec::new()) } else { (Vec::new(), names) };
    let mut recorder = Recorder::files(folder, Columns { extra: Vec::new(), theta, statistics })?;
    recorder.round(&RoundRow { round: number, ..RoundRow::default() })?;
    recorder.theta(number, &[1.0])?;
    recorder.statistics(number, &[2.0])?;
    let name = format!("words-{number}");
    recorder.extra(&RunTable { name, columns: vec!["k".to_owned()], rows: vec![vec!["w".to_owned()]] })?;
    recorder.timeline(&[1, 2, 3])?;
    recorder.finish(Manifest { seed: number, ..Manifest::default() }, &[], &[]).map(drop)
}

/// The number of the record in a folder, which is whole: every file is there, and no other. `None` without a record.
fn whole(folder: &Path) -> Option<u64> {
    let manifest = Manifest::read(folder).ok()?;
    let read = RunRecord::read(folder).expect("a record with a manifest is whole");
    assert_eq!(read.rounds[0].round, manifest.seed);
    assert_eq!((read.theta.is_some(), read.statistics.is_some()), (manifest.seed == 1, manifest.seed == 2));
    assert_eq!(read.extra[0].name, format!("words-{}", manifest.seed));
    assert_eq!(foreign_entry(folder, &[]).expect("the folder can be read"), None);
    let mut listed = manifest.files.clone();
    listed.push(crate::MANIFEST_FILE.to_owned());
    listed.sort();
    let names = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name().into_string().expect("UTF-8");
    let mut names: Vec<String> = fs::read_dir(folder).expect("a folder").map(names).collect();
    names.retain(|name| !name.starts_with(crate::files::TEMPORARY) && name != "figures");
    names.sort();
    assert_eq!(names, listed);
    Some(manifest.seed)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let copied = to.join(entry.file_name().expect("a name"));
        if entry.is_dir() { copy(&entry, &copied) } else { fs::copy(&entry, &copied).map(drop).expect("a copy") }
    }
}

/// What stands in `home/record` before the new record is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Nothing,
    EmptyFolder,
    Record,
}

const CASES: [Before; 3] = [Before::Nothing, Before::EmptyFolder, Before::Record];

fn prepare(home: &Path, before: Before) -> PathBuf {
    let folder = home.join("record");
    match before {
        Before::Nothing => {}
        Before::EmptyFolder => fs::create_dir(&folder).expect("a folder"),
        Before::Record => record(&folder, 1).expect("a record"),
    }
    folder
}

/// The number of the former record.
fn former(before: Before) -> Option<u64> {
    (before == Before::Record).then_some(1)
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

/// Every operation fails once, as on a full disk: the former record stays whole, or the new one stands, and the next
/// attempt replaces it.
#[test]
fn a_failed_operation_leaves_the_former_record_or_the_new_one() {
    for before in CASES {
        let mut replaced = 0;
        for failing in 0.. {
            let home = tempfile::tempdir().expect("a folder");
            let folder = prepare(home.path(), before);
            let (done, failed) = with_failing(failing, || record(&folder, 2));
            let there = whole(&folder);
            if !failed {
                assert!(done.is_ok() && there == Some(2) && failing > 20, "{before:?}: {failing} operations");
                break;
            }
            assert!(there == former(before) || there == Some(2), "{before:?}, operation {failing}: {there:?}");
            assert!(done.is_err(), "{before:?}: operation {failing} failed in silence");
            replaced += u32::from(there == Some(2));
            record(&folder, 2).unwrap_or_else(|error| panic!("{before:?}, after operation {failing}: {error}"));
            assert_eq!(whole(&folder), Some(2));
        }
        // Once the new record stands, only what is left of the former one can fail to be removed.
        assert!(replaced == 0 || before == Before::Record, "{before:?}: {replaced}");
    }
}

/// The process dies before any operation: the same.
#[test]
fn a_kill_leaves_the_former_record_or_the_new_one() {
    for before in CASES {
        let home = tempfile::tempdir().expect("a folder");
        let copies = tempfile::tempdir().expect("a folder");
        let folder = prepare(home.path(), before);
        let (source, target, count) = (home.path().to_path_buf(), copies.path().to_path_buf(), Rc::new(Cell::new(0)));
        let counted = Rc::clone(&count);
        let photograph = move || {
            copy(&source, &target.join(counted.get().to_string()));
            counted.set(counted.get() + 1);
            Ok(())
        };
        watched(photograph, || record(&folder, 2)).expect("a record");
        assert!(count.get() > 20);
        for at in 0..count.get() {
            let folder = copies.path().join(at.to_string()).join("record");
            let there = whole_or_none(&folder);
            assert!(there == former(before) || there == Some(2), "{before:?}, killed before operation {at}: {there:?}");
            record(&folder, 2).unwrap_or_else(|error| panic!("{before:?}, killed before operation {at}: {error}"));
            assert_eq!(whole(&folder), Some(2));
        }
    }
}

/// The process dies before any operation while it adds files to a record: adding them again works, and so does another
/// record in its place. A file of such a name that nobody added stays.
#[test]
fn a_kill_while_files_are_added_blocks_nothing() {
    let table = RunTable { name: "trace".to_owned(), columns: vec!["k".to_owned()], rows: Vec::new() };
    let add = |folder: &Path| add_to_record(folder, &table, ("trace.json", b"{}"));
    let home = tempfile::tempdir().expect("a folder");
    let copies = tempfile::tempdir().expect("a folder");
    let folder = prepare(home.path(), Before::Record);
    fs::write(folder.join("trace.json"), "mine").expect("a file");
    assert!(matches!(add(&folder), Err(RecordError::InTheWay { .. })));
    fs::remove_file(folder.join("trace.json")).expect("a file");
    let (source, target, count) = (home.path().to_path_buf(), copies.path().to_path_buf(), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&count);
    let photograph = move || {
        copy(&source, &target.join(counted.get().to_string()));
        counted.set(counted.get() + 1);
        Ok(())
    };
    watched(photograph, || add(&folder)).expect("added");
    assert!(count.get() > 10);
    for at in 0..count.get() {
        let folder = copies.path().join(at.to_string()).join("record");
        RunRecord::read(&folder).expect("it is whole");
        let other = copies.path().join(format!("other-{at}"));
        copy(&folder, &other);
        add(&folder).unwrap_or_else(|error| panic!("killed before operation {at}: {error}"));
        assert_eq!(whole(&folder), Some(1));
        record(&other, 2).unwrap_or_else(|error| panic!("killed before operation {at}: {error}"));
        assert_eq!(whole(&other), Some(2));
    }
}

/// As [`whole`]; files without a manifest are no record.
fn whole_or_none(folder: &Path) -> Option<u64> {
    folder.join(crate::MANIFEST_FILE).exists().then(|| whole(folder)).flatten()
}

/// What is no part of a record is never touched: a file in its folder, a manifest of something else, what its manifest
/// points at outside.
#[test]
fn what_is_not_ours_stays() {
    let home = tempfile::tempdir().expect("a folder");
    let web = home.path().join("web");
    fs::create_dir(&web).expect("a folder");
    fs::write(web.join("manifest.json"), r#"{"name": "a web application", "icons": []}"#).expect("a file");
    fs::write(web.join("theta.csv"), "mine").expect("a file");
    let error = record(&web, 1).expect_err("it is in the way").to_string();
    assert!(error.contains("manifest.json is in the way"), "{error}");
    assert_eq!(fs::read(web.join("theta.csv")).expect("a file"), b"mine");
    assert_eq!(fs::read_dir(&web).expect("a folder").count(), 2);

    let folder = home.path().join("record");
    record(&folder, 1).expect("a record");
    fs::write(folder.join("statistics.csv"), "mine").expect("a file");
    let error = record(&folder, 2).expect_err("it is in the way").to_string();
    assert!(error.contains("statistics.csv is in the way"), "{error}");
    fs::remove_file(folder.join("statistics.csv")).expect("a file");
    fs::create_dir(folder.join("figures")).expect("a folder");
    fs::write(folder.join("figures/drawing.svg"), "mine").expect("a file");
    let error = record(&folder, 2).expect_err("it is in the way").to_string();
    assert!(error.contains("drawing.svg is in the way"), "{error}");
    assert_eq!(RunRecord::read(&folder).expect("a record").manifest.seed, 1);

    // A manifest that anybody may have written names files elsewhere: it is none of a record.
    fs::remove_dir_all(folder.join("figures")).expect("a folder");
    let outside = home.path().join("precious.csv");
    fs::write(&outside, "mine").expect("a file");
    let path = folder.join("manifest.json");
    let text =
        fs::read_to_string(&path).expect("a file").replace("\"words-1.csv\"", "\"words-1.csv\", \"../precious.csv\"");
    fs::write(path, text).expect("a file");
    remove_record(&folder).expect("nothing to remove");
    assert!(folder.join("rounds.csv").exists() && outside.exists());
}

/// What was put beside a record while its successor was made is kept.
#[test]
fn what_comes_meanwhile_is_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("record");
    record(&folder, 1).expect("a record");
    let recorder = Recorder::files(&folder, Columns::default()).expect("a recorder");
    fs::write(folder.join("notes.txt"), "mine").expect("a file");
    recorder.finish(Manifest { seed: 7, ..Manifest::default() }, &[], &[]).expect("a record");
    assert_eq!(Manifest::read(&folder).expect("a record").seed, 7);
    assert_eq!(fs::read(folder.join("notes.txt")).expect("a file"), b"mine");
    assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 1);
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
