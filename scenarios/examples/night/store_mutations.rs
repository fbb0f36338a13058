//! Changes the files of a folder of runs as often as requested, and reads what comes out: nothing may panic or take
//! long, a run that is read is the one that was written, and so is a plan. A change is a function of its number.
//!
//! `cargo run --release -p fedbits-scenarios --example night -- store_mutations 100000`; a second number is that of the first change.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::draws::Draws;
use fedbits_record::results::{ArmIdentity, PlanArm, Results, RunPlan, SegmentWriter, Store, StoredRun};
use fedbits_record::{Columns, FigureFolder, Manifest, Recorder, RoundRow, RunRecord, RunTable};
use fedbits_spec::Caveat;

const RUNS: u64 = 6;

pub fn main(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut arguments = arguments.iter();
    let count: u64 = arguments.next().ok_or("usage: store_mutations COUNT [FIRST]")?.parse()?;
    let first: u64 = arguments.next().map_or(Ok(0), |first| first.parse())?;
    let home = std::env::temp_dir().join(format!("fedbits-mutations-{}", std::process::id()));
    let made =
        make(&home).and_then(|files| (first..first + count).try_for_each(|number| survives(&home, &files, number)));
    fs::remove_dir_all(&home)?;
    made?;
    println!("{count} mutations of segments, plans, traces and lists of figures: no panic, nothing wrong read");
    Ok(())
}

fn run(number: u64) -> Result<RunRecord, Box<dyn Error>> {
    let columns = Columns { extra: vec!["own".to_owned()], theta: vec!["a".to_owned()], statistics: Vec::new() };
    let mut recorder = Recorder::memory(columns);
    for round in 0..4 {
        let (objective, extra) = (Some(-1.5 / (1 + round + number) as f64), vec![Some(number as f64)]);
        recorder.round(&RoundRow { round, time_ns: round * 1_000_007, objective, extra, ..RoundRow::default() })?;
        recorder.theta(round, &[0.1 * round as f64])?;
    }
    let manifest = Manifest { seed: 1, replicate: number, scenario: "mutations".to_owned(), ..Manifest::default() };
    recorder.extra(&table("words", number))?;
    let mut record = recorder.finish(manifest, &[], &[])?.ok_or("a record in memory")?;
    // The first replicate has a fitted model.
    record.model = (number == 0).then(|| "{\"weights\": [0.25, 0.75]}".to_owned());
    record.no_model = (number == 1).then(|| "none".to_owned());
    Ok(record)
}

fn table(name: &str, number: u64) -> RunTable {
    RunTable {
        name: name.to_owned(),
        columns: vec!["k".to_owned(), "word".to_owned()],
        rows: vec![vec![number.into(), "a".into()]],
    }
}

fn identity() -> ArmIdentity {
    ArmIdentity::of("0", "mutations", &[])
}

fn plan() -> RunPlan {
    let arm = PlanArm {
        name: "arm".to_owned(),
        seed: 1,
        scenario: "mutations".to_owned(),
        scenario_text: "(\n    replicate: 0,\n)".to_owned(),
        identity: identity().to_string(),
        caveats: vec![Caveat::RunIdle {}],
        ..PlanArm::default()
    };
    RunPlan {
        engine_version: "0".to_owned(),
        name: "mutations".to_owned(),
        arms: vec![arm],
        replicates: RUNS,
        ..RunPlan::default()
    }
}

/// A file with what is in it.
type Whole = (PathBuf, Vec<u8>);

/// A folder of runs; the files to be changed.
fn make(home: &Path) -> Result<Vec<Whole>, Box<dyn Error>> {
    let folder = home.join("study");
    plan().write(&folder)?;
    let mut writer = SegmentWriter::new(&folder.join("segments"));
    for number in 0..RUNS {
        writer.append(identity().key(1, number), &StoredRun::finished(run(number)?))?;
    }
    Results::open(&folder)?.write_trace((0, 0), &table("trace", 0), b"{}")?;
    FigureFolder::open(&folder.join("figures"))?.write(&[("a.svg".to_owned(), vec![1; 9])])?;
    let names =
        ["study/segments/000000.seg", "study/plan.json", "study/traces/arm-0.trace", "study/figures/figures.json"];
    names.iter().map(|name| Ok((home.join(name), fs::read(home.join(name))?))).collect()
}

/// One mutated file is read and put back.
fn survives(home: &Path, files: &[Whole], number: u64) -> Result<(), Box<dyn Error>> {
    let mut draws = Draws(number);
    let (path, whole) = &files[draws.below(files.len())];
    let mutated = (0..=draws.below(3)).fold(whole.clone(), |bytes, _| changed(bytes, &mut draws));
    fs::write(path, &mutated)?;
    let right = reads(home)?;
    fs::write(path, whole)?;
    if right {
        Ok(())
    } else {
        Err(format!("mutation {number} of {}: something wrong was read", path.display()).into())
    }
}

/// Reads all; whether what comes out of the study is what was written.
fn reads(home: &Path) -> Result<bool, Box<dyn Error>> {
    let store = Store::open(&home.join("study/segments"))?;
    let mut right = true;
    for number in 0..RUNS {
        if let Some(found) = store.run(&identity().key(1, number))? {
            right &= found == StoredRun::finished(run(number)?);
        }
    }
    let counted = store.keys().count() as u64;
    if let Ok(study) = Results::open(&home.join("study")) {
        let counts = study.counts();
        right &= *study.plan() == plan() && counts.finished == counted && counts.missing() == RUNS - counted;
        right &= counts.finished == RUNS || !study.caveats().is_empty();
        // A trace has no digest of its own: it may say something else, but must be read or refused.
        study.run_with_trace(0, 0)?;
        drop(FigureFolder::open(&home.join("study/figures")));
        let tables = home.join("tables");
        fs::create_dir(&tables)?;
        study.export_csv(&tables)?;
        fs::remove_dir_all(&tables)?;
    }
    Ok(right)
}

/// One change: a bit, a byte, a stretch zeroed, cut out, doubled or moved, an end cut off or put on.
fn changed(mut bytes: Vec<u8>, draws: &mut Draws) -> Vec<u8> {
    if bytes.is_empty() {
        return vec![draws.below(256) as u8];
    }
    let from = draws.below(bytes.len());
    let to = (from + 1 + draws.below(300)).min(bytes.len());
    let other = draws.below(bytes.len() + 1 - (to - from));
    match draws.below(8) {
        0 => bytes[from] ^= 1 << draws.below(8),
        1 => bytes[from] = b"{}[]\",:0-9e\0\xff"[draws.below(13)],
        2 => bytes[from..to].fill(0),
        3 => drop(bytes.drain(from..to)),
        4 => {
            let stretch = bytes[from..to].to_vec();
            drop(bytes.splice(other..other, stretch));
        }
        5 => bytes.copy_within(from..to, other),
        6 => bytes.truncate(from),
        _ => bytes.extend((0..1 + draws.below(200)).map(|_| draws.below(256) as u8)),
    }
    bytes
}
