//! Running an arm.

use fedbits_record::RunRecord;
use fedbits_spec::Caveat;

use crate::error::Error;
use crate::executor::Executor;
use crate::options::RunOptions;
use crate::scenario::{Arm, check_fit};

/// Runs an arm and keeps its record in memory. A run that diverges has a record, too:
/// [`Manifest::failure`](crate::Manifest::failure) says why.
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
    Ok(run_and_tell(arm, options)?.0)
}

/// The same, with what rounding takes of the variances that the start leads to.
pub(crate) fn run_and_tell(arm: &Arm, options: &RunOptions) -> Result<(RunRecord, Vec<Caveat>), Error> {
    options.with_threads(|threads| {
        let mut preparer = options.preparer(&arm.folders(options))?;
        check_fit(&mut preparer, [&arm.checked])?;
        let executor = Executor { listener: &options.watch, stop: options.watch.switch(), threads };
        let mut rounding = Vec::new();
        let kept = executor.keep(&arm.checked, &mut preparer, |prepared| {
            rounding.clone_from(&prepared.experiment.record.assessment.rounding);
            prepared.fitting = None;
        })?;
        Ok((kept.record, rounding))
    })
}
