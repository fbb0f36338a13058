//! Runs scenarios of the library, with settings changed, without files.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Audience, Experiment, Outcome, run};
use fedbits_record::{Recorder, RoundRow};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::library::find;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Checked, Set, load};

/// The folder of data sets, or none with a line that says so.
pub fn data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("FEDBITS_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED {test}: it needs real data; set FEDBITS_DATA to the folder that holds mnist/ and htru2/");
    }
    folder
}

/// The arms of a library scenario with changed settings.
pub fn arms(name: &str, sets: &[&str]) -> Vec<Checked> {
    let sets: Vec<Set> = sets.iter().map(|set| set.parse().expect("a setting")).collect();
    load(find(name).expect("a library scenario"), &sets).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The arm of that name.
pub fn arm(name: &str, arm: &str, sets: &[&str]) -> Checked {
    let found = arms(name, sets).into_iter().find(|checked| checked.arm.as_deref() == Some(arm));
    found.unwrap_or_else(|| panic!("{name} has no arm {arm}"))
}

pub fn preparer(folder: Option<PathBuf>) -> Preparer {
    Preparer::new(DataFolders { variable: folder, ..DataFolders::default() }, false)
}

/// Rows of a run, and what it leaves besides.
pub fn play(experiment: Experiment) -> (Vec<RoundRow>, Outcome) {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let columns = Journal::columns(experiment.protocol.subject(), false, false);
    let audience = Audience { observer: Some(observer), watch: None };
    let outcome = run(experiment, Recorder::nothing(columns), audience, &AtomicBool::new(false));
    assert!(!outcome.stop.is_failure(), "{}", outcome.stop);
    let rows = rows.borrow().clone();
    (rows, outcome)
}

/// Runs an arm that needs no data files.
pub fn run_arm(checked: &Checked) -> Vec<RoundRow> {
    play(preparer(None).prepare(&checked.scenario).expect("a scenario that can be run").experiment).0
}
