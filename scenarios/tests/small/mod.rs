//! The scenarios of the library in small versions, and the digests of these: shared by the tests and by the program
//! `examples/night/digests.rs`, which other builds and other processors run.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Observers, run};
use fedbits_record::Recorder;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{PrepareError, Preparer};
use fedbits_scenarios::{Checked, Set, library, load};
use serde::Deserialize;

/// What makes a scenario small.
#[derive(Debug, Deserialize)]
pub struct Cut {
    /// No arm simulates more rounds.
    pub rounds: u64,
    /// Edits, before those of the arms.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// The arms that are simulated; all when there are none.
    #[serde(default)]
    pub arms: Vec<String>,
}

/// What every scenario of the library is cut to, by name.
pub fn cuts() -> BTreeMap<String, Cut> {
    ron::from_str(include_str!("library.ron")).expect("tests/small/library.ron holds cuts")
}

/// What the digests must be, a line per arm as [`line`] writes them.
pub const GOLDEN: &str = include_str!("golden.txt");

/// The lines of a scenario.
pub fn golden(name: &str) -> String {
    let is_named = |line: &&str| line.split(' ').next() == Some(name);
    GOLDEN.lines().filter(is_named).map(|line| format!("{line}\n")).collect()
}

/// Prepares runs on the data in the folder that `FEDBITS_DATA` names.
pub fn preparer(audit: bool) -> Preparer {
    let data = std::env::var_os("FEDBITS_DATA").map(PathBuf::from);
    Preparer::new(DataFolders { variable: data, ..DataFolders::default() }, audit)
}

/// The arms of a small version.
pub fn arms(name: &str, cut: &Cut) -> Result<Vec<Checked>, Box<dyn Error>> {
    let edits = cut.set.iter().map(|(path, value)| format!("{path}={value}").parse());
    let edits = edits.collect::<Result<Vec<Set>, _>>()?;
    let mut arms = load(library::find(name)?, &edits).map_err(|problems| problems.to_string())?;
    arms.retain(|checked| cut.arms.is_empty() || checked.arm.as_ref().is_some_and(|arm| cut.arms.contains(arm)));
    for checked in &mut arms {
        let stop = &mut checked.scenario.stop;
        stop.rounds = Some(stop.rounds.map_or(cut.rounds, |rounds| rounds.min(cut.rounds)));
    }
    Ok(arms)
}

/// The digests of all arms, a line each; nothing when the data of the scenario are not here.
pub fn digests(name: &str, cut: &Cut, audit: bool) -> Result<Option<String>, Box<dyn Error>> {
    let mut preparer = preparer(audit);
    let mut lines = String::new();
    for checked in arms(name, cut)? {
        match line(name, &checked, &mut preparer) {
            Err(error) if is_missing(&*error) => return Ok(None),
            line => lines += &line?,
        }
    }
    Ok(Some(lines))
}

fn is_missing(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(PrepareError::MissingFile(_)))
}

/// The name, the arm, and the digests of data, timeline and state of its run.
pub fn line(name: &str, checked: &Checked, preparer: &mut Preparer) -> Result<String, Box<dyn Error>> {
    let prepared = preparer.prepare(&checked.scenario)?;
    let recorder =
        Recorder::nothing(Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record));
    let outcome = run(prepared.experiment, recorder, Observers::default(), &AtomicBool::new(false));
    let arm = checked.arm.as_deref().unwrap_or(name);
    if let StopReason::Failed(reason) = outcome.stop {
        return Err(format!("{name} {arm}: {reason}").into());
    }
    let digests = outcome.digests;
    Ok(format!("{name} {arm} {} {} {}\n", digests.data, digests.timeline, digests.state))
}
