//! What the runs of a command and those who look on have in common.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fedbits_record::study::StudyRecord;

use super::state::{ArmState, Ended, LiveState};
use super::tally::Tally;
use crate::machine::Stopwatch;

/// The state of a command while it works.
pub(crate) struct Shared {
    state: Mutex<LiveState>,
    /// Results of a study, where a screen shows them.
    tally: Mutex<Option<Tally>>,
    /// The folder of a study, until what was in it before was taken in.
    former: Mutex<Option<PathBuf>>,
    /// The arm of a run that is being prepared, by the name that tells it from its replicates.
    prepared: Mutex<Option<String>>,
    clock: Stopwatch,
}

impl Shared {
    /// At the beginning.
    pub(crate) fn new(state: LiveState) -> Self {
        Self {
            state: Mutex::new(state),
            tally: Mutex::default(),
            former: Mutex::default(),
            prepared: Mutex::default(),
            clock: Stopwatch::start(),
        }
    }

    /// Host seconds since the beginning.
    pub(crate) fn seconds(&self) -> f64 {
        self.clock.seconds()
    }

    /// The state, to be changed.
    pub(crate) fn state(&self) -> MutexGuard<'_, LiveState> {
        locked(&self.state)
    }

    /// The results of a study, where they are kept.
    pub(crate) fn tally(&self) -> MutexGuard<'_, Option<Tally>> {
        locked(&self.tally)
    }

    /// Keeps the results of a study from now on; those that its folder has already are read later, by
    /// [`Shared::take_former`].
    pub(crate) fn keep_results(&self, record: &StudyRecord) {
        *locked(&self.tally) = Some(Tally::of(record));
        *locked(&self.former) = Some(record.directory().to_path_buf());
    }

    /// Reads the results that the folder had before; may take long in a large one.
    pub(crate) fn take_former(&self) {
        let Some(folder) = locked(&self.former).take() else { return };
        // Whatever cannot be read is reported by the study itself.
        let Ok(record) = StudyRecord::open(&folder) else { return };
        let mut former = Tally::new(record.plan());
        let read = former.absorb(&record);
        if let (Ok(()), Some(tally)) = (read, &mut *self.tally()) {
            tally.merge(former);
        }
    }

    /// The step from now on.
    pub(crate) fn doing(&self, what: &str) {
        self.state().doing = what.to_owned();
    }

    /// An arm of a run is prepared from now on.
    pub(crate) fn prepare_arm(&self, name: &str) {
        self.doing(&format!("preparing {name}"));
        *locked(&self.prepared) = Some(name.to_owned());
    }

    /// The arm that was prepared begins its rounds.
    pub(crate) fn begin_arm(&self, caveats: &[String]) {
        let name = locked(&self.prepared).take().unwrap_or_default();
        let mut state = self.state();
        state.doing.clear();
        state.arms.push(ArmState { name, ..ArmState::default() });
        for caveat in caveats {
            if !state.caveats.contains(caveat) {
                state.caveats.push(caveat.clone());
            }
        }
    }

    /// An arm of a run has ended, or could not be begun; `seconds` is what it took.
    pub(crate) fn end_arm(&self, name: &str, ended: Ended, seconds: f64) {
        let mut state = self.state();
        if state.arms.last().is_none_or(|arm| arm.ended.is_some() || arm.name != name) {
            state.arms.push(ArmState { name: name.to_owned(), ..ArmState::default() });
        }
        if let Some(arm) = state.arms.last_mut() {
            (arm.ended, arm.seconds, arm.rounds_per_second) = (Some(ended), seconds, None);
        }
    }
}

/// A panic elsewhere leaves the state as it was: every change of it stands alone.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
