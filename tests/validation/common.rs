//! Runs scenarios of the library, with settings changed, without files.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::assessment::Assessment;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Experiment, Observers, Outcome, run};
use fedbits_record::{Recorder, RoundRow};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::library::find;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Checked, Set, load};

use crate::skips::{Lacks, skipped};

/// The folder of data sets, or none with a line that says so.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FEDBITS_DATA").map(PathBuf::from);
    if folder.is_none() {
        skipped(Lacks::Data, "set FEDBITS_DATA to the folder that holds mnist/ and htru2/");
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

/// Rows of a run, and what it leaves besides: without the columns that compare components with labels, so that those of
/// the protocol have their places whatever the data.
pub fn simulate(mut experiment: Experiment) -> (Vec<RoundRow>, Outcome) {
    experiment.record.assessment = Assessment::default();
    simulate_assessed(experiment)
}

/// The same with these columns.
pub fn simulate_assessed(experiment: Experiment) -> (Vec<RoundRow>, Outcome) {
    let rows = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&rows);
    let observer = Box::new(move |row: &RoundRow| sink.borrow_mut().push(row.clone()));
    let columns = Journal::columns(experiment.protocol.subject(), &experiment.record);
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let outcome = run(experiment, Recorder::nothing(columns), observers, &AtomicBool::new(false));
    assert!(!outcome.stop.is_failure(), "{}", outcome.stop);
    let rows = rows.borrow().clone();
    (rows, outcome)
}

/// Runs an arm that needs no data files.
pub fn run_arm(checked: &Checked) -> Vec<RoundRow> {
    simulate(preparer(None).prepare(&checked.scenario).expect("a scenario that can be run").experiment).0
}

/// Fails with the right phrase when the scenario's text does not contain it.
pub fn assert_states(checked: &Checked, phrase: &str) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = words(&checked.scenario.about);
    assert!(about.contains(&words(phrase)), "`about` should say \"{phrase}\", but it says: {about}");
}

/// Every arm with its rows.
pub fn run_all(name: &str, folder: Option<PathBuf>) -> Vec<(Checked, Vec<RoundRow>)> {
    run_some(name, folder, |_| true)
}

/// Every arm that is wanted, with its rows.
pub fn run_some(scenario: &str, folder: Option<PathBuf>, wanted: fn(&str) -> bool) -> Vec<(Checked, Vec<RoundRow>)> {
    run_by(simulate, scenario, folder, wanted)
}

/// Every arm that is wanted, with its rows as `simulate` makes them.
pub fn run_by(
    simulate: fn(Experiment) -> (Vec<RoundRow>, Outcome),
    scenario: &str,
    folder: Option<PathBuf>,
    wanted: fn(&str) -> bool,
) -> Vec<(Checked, Vec<RoundRow>)> {
    let mut preparer = preparer(folder);
    let mut run = |checked: Checked| {
        let rows = simulate(preparer.prepare(&checked.scenario).expect("a scenario that can be run").experiment).0;
        (checked, rows)
    };
    arms(scenario, &[]).into_iter().filter(|checked| wanted(name(checked))).map(&mut run).collect()
}

/// The arm.
pub fn name(checked: &Checked) -> &str {
    checked.arm.as_deref().expect("the scenario has arms")
}

/// The last row.
pub fn last(rows: &[RoundRow]) -> &RoundRow {
    rows.last().expect("a run has rows")
}

/// The objective of a row that is probed.
pub fn objective(row: &RoundRow) -> f64 {
    row.objective.expect("the last round is probed")
}

/// Simulated time.
pub fn seconds(row: &RoundRow) -> f64 {
    row.time_ns as f64 / 1e9
}

/// In Mbit.
pub fn megabits(bits: u64) -> f64 {
    bits as f64 / 1e6
}

/// All bits, headers too.
pub fn total(row: &RoundRow) -> u64 {
    row.bits_up + row.bits_down + row.bits_header
}
