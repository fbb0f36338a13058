//! Every run of a study that has a result is made again and compared with it, to the last bit.

use std::path::PathBuf;

use fedbits_record::RunRecord;
use fedbits_record::study::{StoredRun, StudyRecord};
use fedbits_scenarios::Source;
use fedbits_scenarios::prepare::{Prepared, Preparer};

use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Silent;
use crate::options::RunOptions;
use crate::scenario::recorded;
use crate::study::as_of_study;

/// What running a study again showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct StudyVerification {
    /// How many runs are what their scenarios give.
    pub(crate) same: u64,
    /// The runs that are not.
    pub(crate) different: Vec<String>,
    /// How many runs have no result.
    pub(crate) missing: u64,
    /// Tables that are not what the runs give.
    pub(crate) tables: Vec<String>,
}

/// Runs every run of the study again that has a result, and compares it with the result except for what the host
/// contributed; and the tables with the runs.
///
/// # Errors
/// Results that cannot be read; data that are no longer there.
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
        let folder = was.manifest.host.scenario_folder.as_ref().map(PathBuf::from);
        let preparer = preparer_of(&mut preparers, folder, options)?;
        let checked = as_of_study(recorded(Source::new(name.clone(), was.manifest.scenario_text.clone()))?);
        // The listener is notified of whole runs alone.
        let until = |prepared: &mut Prepared| {
            prepared.experiment.stop.cut = was.manifest.cut;
            Ok(())
        };
        let is = Executor { listener: &Silent, ..*executor }.keep_changed(&checked, preparer, until)?.record;
        if equal(was, is) { found.same += 1 } else { found.different.push(name) }
    }
    Ok(StudyVerification { missing: record.counts().missing(), tables: record.changed_tables()?, ..found })
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
