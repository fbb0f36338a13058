//! `fedbits verify` of a study: every run that has a result is made again from its resolved scenario and compared with it, to
//! the last bit, except for what the host contributed.

use std::path::{Path, PathBuf};

use fedbits_record::RunRecord;
use fedbits_record::study::{StoredRun, StudyRecord};
use fedbits_scenarios::Source;

use super::tell_state;
use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::host::Signals;
use crate::cli::progress::Talk;
use crate::cli::{input, output, play};

/// Verifies a study.
pub fn verify(directory: &Path, options: &VerifyOptions, talk: &Talk, threads: usize) -> Result<(), Failure> {
    let signals = Signals::listen()?;
    let record = StudyRecord::open(directory)?;
    tell_state(&record, talk);
    let (mut same, mut different) = (0_u64, 0_u64);
    let mut preparers = Vec::new();
    for (arm, replicate, _) in record.keys() {
        let Some(was) = record.run(arm, replicate)? else { continue };
        let name = format!("{} / replicate {replicate}", was.manifest.arm);
        let folder = was.manifest.host.scenario_folder.as_ref().map(PathBuf::from);
        let preparer = preparer_of(&mut preparers, folder, options);
        let checked = input::recorded(Source::new(name.clone(), was.manifest.scenario_text.clone()))?;
        let Some(is) = play::in_memory(&checked, preparer, signals.stop(), threads)? else {
            return Err(signals.failure());
        };
        if equal(was, is) {
            same += 1;
        } else {
            different += 1;
            output::line(format_args!("{name}  DIFFERENT"))?;
        }
    }
    let missing = record.counts().missing();
    let also = if missing > 0 { format!(", {missing} are missing") } else { String::new() };
    output::line(format_args!("{same} runs are the same, {different} differ{also}"))?;
    let tables = record.changed_tables()?;
    tables.iter().try_for_each(|name| output::line(format_args!("{name}  DIFFERENT from what the runs give")))?;
    match (different, &tables[..]) {
        (0, []) => Ok(()),
        (0, tables) => Err(Failure::Run(format!(
            "{} are not what the runs give: `fedbits study` or `fedbits merge` writes them anew",
            tables.join(", ")
        ))),
        _ => Err(Failure::Run(format!("{different} runs differ from what their scenarios give"))),
    }
}

/// The preparer for a data folder: runs that share data load them once.
fn preparer_of<'p>(
    known: &'p mut Vec<(Option<PathBuf>, fedbits_scenarios::prepare::Preparer)>,
    folder: Option<PathBuf>,
    options: &VerifyOptions,
) -> &'p mut fedbits_scenarios::prepare::Preparer {
    let place = known.iter().position(|(own, _)| *own == folder).unwrap_or_else(|| {
        let preparer = input::preparer(&options.host, folder.clone());
        known.push((folder, preparer));
        known.len() - 1
    });
    &mut known[place].1
}

fn equal(was: RunRecord, mut is: RunRecord) -> bool {
    is.manifest.host = was.manifest.host.clone();
    if was.manifest.reference.is_none() {
        // Results of former programs have no reference and no stop rules.
        (is.manifest.reference, is.manifest.stop_rules) = (None, was.manifest.stop_rules.clone());
    }
    StoredRun::played(was) == StoredRun::played(is)
}
