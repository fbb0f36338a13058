//! Every run of a study that has a result is made again and compared with it, to the last bit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fedbits_record::RunRecord;
use fedbits_record::study::{StoredRun, StudyRecord};
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_scenarios::{Checked, Source};

use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Silent;
use crate::options::RunOptions;
use crate::scenario::recorded;
use crate::verify::record::{found_files, listed};

/// What running a study again showed.
#[derive(Debug, Default)]
pub struct StudyVerification {
    /// How many runs are what their scenarios give.
    pub same: u64,
    /// The runs that are not.
    pub different: Vec<String>,
    /// Data that are other ones now, each by its files.
    pub data: BTreeSet<String>,
    /// The runs that cannot be made again, and why.
    pub impossible: Vec<(String, Error)>,
    /// How many runs have no result.
    pub missing: u64,
    /// Tables that are not what the runs give.
    pub tables: Vec<String>,
    /// The files that the scenarios name, where they were found.
    pub data_files: BTreeSet<PathBuf>,
}

/// Runs every run of the study in a directory again that has a result, and compares it; as [`crate::verify()`].
///
/// # Errors
/// Results that cannot be read; [`Error::Stopped`].
pub fn verify_study(directory: &Path, options: &RunOptions) -> Result<StudyVerification, Error> {
    options.with_threads(|threads| {
        let record = StudyRecord::open(directory)?;
        let executor = Executor { listener: &Silent, stop: options.watch.switch(), threads };
        compare(&record, options, &executor)
    })
}

/// Runs every run of the study again that has a result, and compares it with the result except for what the host
/// contributed; and the tables with the runs.
///
/// # Errors
/// Results that cannot be read; [`Error::Stopped`].
pub(crate) fn compare(
    record: &StudyRecord,
    options: &RunOptions,
    executor: &Executor<'_>,
) -> Result<StudyVerification, Error> {
    let mut found = StudyVerification::default();
    let mut preparers = Vec::new();
    for (arm, replicate, _) in record.keys() {
        let Some(was) = record.run(arm, replicate)? else { continue };
        let name = format!("{} / replicate {replicate}", was.manifest.arm);
        let made = again(&name, &was, &mut preparers, options, executor);
        match made.map_err(|error| error.of_script(was.manifest.host.script.as_deref())) {
            Ok((checked, is)) => {
                if was.manifest.digests.data != is.manifest.digests.data {
                    found.data.extend(listed(&found_files(checked.scenario.data.files(), &was.manifest, options)));
                }
                found.data_files.extend(found_files(checked.scenario.files(), &was.manifest, options));
                match equal(was, is) {
                    true => found.same += 1,
                    false => found.different.push(name),
                }
            }
            Err(why) if why.is_of_one_run() => found.impossible.push((name, why)),
            Err(other) => return Err(other),
        }
    }
    let counts = record.counts();
    Ok(StudyVerification { missing: counts.missing() + counts.not_run, tables: record.changed_tables()?, ..found })
}

/// The scenario of the run, and the run as it gives it now.
fn again(
    name: &str,
    was: &RunRecord,
    preparers: &mut Vec<(Option<PathBuf>, Preparer)>,
    options: &RunOptions,
    executor: &Executor<'_>,
) -> Result<(Checked, RunRecord), Error> {
    let folder = was.manifest.host.scenario_folder.as_ref().map(PathBuf::from);
    let preparer = preparer_of(preparers, folder, options)?;
    let source = Source::new(name, was.manifest.scenario_text.clone());
    let checked = recorded(source, was.manifest.host.script.as_deref())?;
    // The listener is notified of whole runs alone.
    let until = |prepared: &mut Prepared| {
        prepared.experiment.stop.cut = was.manifest.cut;
        Ok(())
    };
    let run = Executor { listener: &Silent, ..*executor }.keep_changed(&checked, preparer, until)?;
    Ok((checked, run.record))
}

/// The preparer for a data folder: runs that share data load them once.
fn preparer_of<'p>(
    known: &'p mut Vec<(Option<PathBuf>, Preparer)>,
    folder: Option<PathBuf>,
    options: &RunOptions,
) -> Result<&'p mut Preparer, Error> {
    let index = match known.iter().position(|(own, _)| *own == folder) {
        Some(index) => index,
        None => {
            let preparer = options.preparer(&options.folders(folder.clone()))?;
            known.push((folder, preparer));
            known.len() - 1
        }
    };
    Ok(&mut known[index].1)
}

fn equal(was: RunRecord, mut is: RunRecord) -> bool {
    is.manifest.host = was.manifest.host.clone();
    if was.manifest.reference.is_none() {
        // Results of former programs have no reference and no stop rules.
        (is.manifest.reference, is.manifest.stop_rules) = (None, was.manifest.stop_rules.clone());
    }
    StoredRun::finished(was) == StoredRun::finished(is)
}
