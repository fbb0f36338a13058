//! Running an arm.

use std::path::{Path, PathBuf};

use fedbits_record::{Claim, Manifest, RunRecord, is_temporary};
use fedbits_scenarios::prepare::Preparer;
use fedbits_spec::Caveat;

use crate::error::Error;
use crate::executor::{Beside, Executor};
use crate::options::RunOptions;
use crate::scenario::{Arm, check_fit, made_together, record_folders};

/// Runs an arm and keeps its record in memory. A run that diverges has a record, too: [`Manifest::failure`] says why.
///
/// # Errors
/// Data that are missing or do not fit; a record with numbers that are not finite; [`Error::Stopped`].
///
/// ```
/// # fn main() -> Result<(), fedbits::Error> {
/// use fedbits::{RunOptions, Scenario, run};
///
/// let arms = Scenario::load("quickstart")?.set("stop.rounds", "5").arms()?;
/// let record = run(&arms[0], &RunOptions::default())?;
/// assert_eq!(record.manifest.totals.rounds, 5);
/// let bits: Vec<u64> = record.rounds.iter().map(|row| row.bits_up).collect();
/// assert!(bits.is_sorted());
/// # Ok(())
/// # }
/// ```
pub fn run(arm: &Arm, options: &RunOptions) -> Result<RunRecord, Error> {
    alone(arm, options, |executor, preparer| Ok(executor.keep(&arm.checked, preparer)?.record))
}

/// The same, with what rounding takes of the variances that the start leads to.
pub(crate) fn run_and_tell(arm: &Arm, options: &RunOptions) -> Result<(RunRecord, Vec<Caveat>), Error> {
    alone(arm, options, |executor, preparer| {
        let mut rounding = Vec::new();
        let kept = executor.keep_changed(&arm.checked, preparer, |prepared| {
            rounding.clone_from(&prepared.experiment.record.assessment.rounding);
            Ok(())
        })?;
        Ok((kept.record, rounding))
    })
}

/// Runs an arm and writes its record into a new or empty directory, where it appears whole or not at all;
/// [`RunRecord::read`] reads it.
///
/// # Errors
/// Data that are missing or do not fit; a directory that is not empty; a file that cannot be written;
/// [`Error::Stopped`].
pub fn run_into(arm: &Arm, directory: &Path, options: &RunOptions) -> Result<Manifest, Error> {
    alone(arm, options, |executor, preparer| {
        let _claim = Claim::of(directory)?;
        executor.record(&arm.checked, preparer, directory, Beside { figures: &arm.figures, ..Beside::default() })
    })
}

/// Runs some arms of a scenario, each into a directory of its own in `out`, which is new or empty, or into `out` itself
/// where there is one that has no name. Returns the directories; data that several arms have are read once.
///
/// # Errors
/// As [`run_into`], at the first arm that cannot be run: before any is run where the data tell it.
pub fn run_all_into(arms: &[Arm], out: &Path, options: &RunOptions) -> Result<Vec<(PathBuf, Manifest)>, Error> {
    let Some(first) = arms.first() else { return Ok(Vec::new()) };
    let _claim = Claim::of(out)?;
    if std::fs::read_dir(out).is_ok_and(|entries| entries.flatten().any(|entry| !is_temporary(&entry.file_name()))) {
        return Err(Error::Input(format!("{} is not empty: expected a new or an empty folder", out.display())));
    }
    options.with_threads(|threads| {
        let mut preparer = options.preparer(&first.folders(options))?;
        check_fit(&mut preparer, arms.iter().map(|arm| &arm.checked))?;
        let executor = Executor { listener: &options.watch, stop: options.watch.switch(), threads };
        let together = made_together(arms);
        let record = |(arm, folder): (&Arm, PathBuf)| {
            let beside = Beside { together: &together, figures: &arm.figures, ..Beside::default() };
            let manifest = executor.record(&arm.checked, &mut preparer, &folder, beside)?;
            Ok((folder, manifest))
        };
        arms.iter().zip(record_folders(arms, out)).map(record).collect()
    })
}

fn alone<T: Send>(
    arm: &Arm,
    options: &RunOptions,
    perform: impl FnOnce(&Executor<'_>, &mut Preparer) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    options.with_threads(|threads| {
        let mut preparer = options.preparer(&arm.folders(options))?;
        check_fit(&mut preparer, [&arm.checked])?;
        let executor = Executor { listener: &options.watch, stop: options.watch.switch(), threads };
        perform(&executor, &mut preparer)
    })
}
