//! Pilots of several arms, one after the other, as long as the user can be expected to wait.

use std::sync::{Arc, OnceLock};

use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_spec::caught;

use super::cost::RunCost;
use crate::cli::failure::Failure;
use crate::cli::time_limit::{Ended, within};
use crate::error::Error;
use crate::machine;
use crate::scenario::arm_name;

pub(crate) enum Piloted {
    Cost(Box<RunCost>),
    /// Why that is not known, and the memory that the run takes, where it could be prepared.
    Not(String, Option<Estimate>),
    /// Why such a run cannot be finished.
    Failed(String),
}

/// Who runs pilots, one after the other, as long as the user can be expected to wait.
pub(crate) struct Pilots {
    /// None when a preparation was given up: it still has it.
    preparer: Option<Preparer>,
    /// Seconds of processor time for an arm.
    each: f64,
    left: f64,
}

/// All pilots of a command together may take this many times the time of one.
const LONG_PILOTS: f64 = 3.0;

impl Pilots {
    /// `each`: seconds of processor time that an arm may take.
    pub(crate) fn new(preparer: Preparer, each: f64) -> Self {
        Self { preparer: Some(preparer), each, left: LONG_PILOTS * each }
    }

    /// Prepares an arm and runs its pilot.
    pub(crate) fn run(&mut self, checked: &Checked) -> Result<Piloted, Failure> {
        let Some(mut preparer) = self.preparer.take() else {
            return Ok(Piloted::Not("no pilot: one before took too long".to_owned(), None));
        };
        if self.left <= 0.0 {
            self.preparer = Some(preparer);
            let why = "no pilot: those before took all the time that `check` takes".to_owned();
            return Ok(Piloted::Not(why, None));
        }
        let (begin, arm) = (machine::processor_seconds(), checked.clone());
        let memory = Arc::new(OnceLock::new());
        let told = Arc::clone(&memory);
        let ended = within(self.each, move |progress| {
            (caught(|| RunCost::of(&arm, &mut preparer, (progress, &told))), preparer)
        })?;
        self.left -= machine::processor_seconds() - begin;
        match ended {
            Ended::Done((cost, preparer)) => {
                self.preparer = Some(preparer);
                let cost = cost.map_err(|panic| Failure::from(Error::from(panic)).about(arm_name(checked)))?;
                cost.map(|cost| Piloted::Cost(Box::new(cost)))
            }
            Ended::NoThread => {
                let why = "no pilot: the system makes no thread for it, so what a run costs is not known".to_owned();
                Ok(Piloted::Not(why, memory.get().cloned()))
            }
            Ended::GivenUp(doing) => {
                let why = format!(
                    "no pilot: {doing} took more than {} s of processor time, so what a run costs is not known \
                     (`--pilot-seconds` allows more)",
                    self.each
                );
                Ok(Piloted::Not(why, memory.get().cloned()))
            }
        }
    }
}
