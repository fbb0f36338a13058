//! Forks of the process that imported the module. The threads that all calls of a process share do not live on in
//! them, so that a call there makes its own.

use std::sync::OnceLock;
use std::thread::available_parallelism;

use fedbits::Error;
use fedbits_spec::threads;

static IMPORTED_BY: OnceLock<u32> = OnceLock::new();

/// Keeps which process has the shared threads.
pub(crate) fn imported() {
    IMPORTED_BY.get_or_init(std::process::id);
}

/// The number of threads that a call has to make of its own, if any: as many as asked for, in a fork all cores.
pub(crate) fn threads(asked: Option<usize>) -> Option<usize> {
    let is_fork = IMPORTED_BY.get().is_some_and(|&process| process != std::process::id());
    asked.or_else(|| is_fork.then(|| available_parallelism().map_or(1, usize::from)))
}

/// Does `work` where there are threads.
pub(crate) fn with_threads<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    let Some(threads) = threads(None) else { return work() };
    threads::in_pool(threads, |_| work())
}
