//! Threads that are in the interpreter, or wait for it. It waits for them when it ends: before Python 3.14 it would end
//! them by an exit that unwinds through the frames of Rust, which aborts the process.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

struct State {
    /// The process of each thread: those of its parent are in no fork.
    inside: Vec<u32>,
    /// Whether the interpreter ends: nobody enters it any more.
    ends: bool,
}

/// Why a method was not called.
pub(crate) const ENDS: &str = "the interpreter of Python ends: no method is called any more";

static STATE: Mutex<State> = Mutex::new(State { inside: Vec::new(), ends: false });
static LEFT: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread is in the interpreter as long as this lives.
pub(crate) struct Inside {
    process: u32,
}

impl Inside {
    /// None where the interpreter ends.
    pub(crate) fn enter() -> Option<Self> {
        let (mut state, process) = (state(), std::process::id());
        (!state.ends).then(|| state.inside.push(process))?;
        Some(Self { process })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let inside = &mut state().inside;
        inside.iter().position(|own| *own == self.process).map(|place| inside.swap_remove(place));
        LEFT.notify_all();
    }
}

/// Whether the interpreter ends.
pub(crate) fn ends() -> bool {
    state().ends
}

/// Waits until no thread is inside, and lets nobody in from then on. A second Ctrl-C ends the process.
#[pyfunction]
fn leave(py: Python<'_>) {
    /// How often the thread looks at signals.
    const LOOK: Duration = Duration::from_millis(50);
    let process = std::process::id();
    state().ends = true;
    let waits = || {
        let is_inside = |state: &mut State| state.inside.contains(&process);
        let (state, _) = LEFT.wait_timeout_while(state(), LOOK, is_inside).unwrap_or_else(PoisonError::into_inner);
        state.inside.contains(&process)
    };
    while py.detach(waits) {
        if py.check_signals().is_err() {
            std::process::exit(130);
        }
    }
}

/// Has the interpreter call [`leave`] before it ends.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.py().import("atexit")?.call_method1("register", (wrap_pyfunction!(leave, module)?,))?;
    Ok(())
}
