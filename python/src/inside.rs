//! Threads that are in the interpreter, or wait for it. It waits for them when it ends: before Python 3.14 it would end
//! them by an exit that unwinds through the frames of Rust, which aborts the process.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

struct State {
    /// The process of each thread: those of its parent are in no fork.
    inside: Vec<u32>,
    /// The same of threads that work for a call of the module, and may come in.
    working: Vec<u32>,
    /// Whether the interpreter ends: nobody enters it any more.
    ends: bool,
}

pub(crate) const ENDS: &str = "the interpreter of Python ends: no method is called any more";

static STATE: Mutex<State> = Mutex::new(State { inside: Vec::new(), working: Vec::new(), ends: false });
static LEFT: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread is in the interpreter, or works for a call of the module, as long as this lives.
pub(crate) struct Inside {
    process: u32,
    list: fn(&mut State) -> &mut Vec<u32>,
}

impl Inside {
    /// In the interpreter; none where it ends.
    pub(crate) fn enter() -> Option<Self> {
        let mut state = state();
        (!state.ends).then(|| Self::noted(&mut state, |state| &mut state.inside))
    }

    /// At work for a call of the module.
    pub(crate) fn working() -> Self {
        Self::noted(&mut state(), |state| &mut state.working)
    }

    fn noted(state: &mut State, list: fn(&mut State) -> &mut Vec<u32>) -> Self {
        let process = std::process::id();
        list(state).push(process);
        Self { process, list }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let mut state = state();
        let threads = (self.list)(&mut state);
        threads.iter().position(|process| *process == self.process).map(|place| threads.swap_remove(place));
        LEFT.notify_all();
    }
}

pub(crate) fn ends() -> bool {
    state().ends
}

/// Waits up to so many milliseconds until no thread is inside and no call of the module works (not even one whose
/// result nobody waits for any more): then all have let their objects go. Returns whether none is inside, and whether
/// none works. If one is inside or works at the beginning, no thread can enter from then on.
#[pyfunction]
pub(crate) fn left(py: Python<'_>, milliseconds: u64) -> (bool, bool) {
    let process = std::process::id();
    let is_none = |threads: &[u32]| !threads.contains(&process);
    let is_busy = |state: &State| !(is_none(&state.inside) && is_none(&state.working));
    py.detach(|| {
        let mut found = state();
        found.ends |= is_busy(&found);
        let found = LEFT.wait_timeout_while(found, Duration::from_millis(milliseconds), |found| is_busy(found));
        let (found, _) = found.unwrap_or_else(PoisonError::into_inner);
        (is_none(&found.inside), is_none(&found.working))
    })
}
