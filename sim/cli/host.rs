//! The machine that simulates: its clock, its memory, its threads, its signals. Nothing of it enters a result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::failure::Failure;

/// Host time since a start.
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts.
    #[expect(clippy::disallowed_methods, reason = "host time, for progress and the manifest's host part only")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Peak resident memory of this process in bytes, where the system tells it.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Sets the number of threads for the whole process; returns it.
pub fn set_threads(threads: Option<u16>) -> usize {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = threads {
        pool = pool.num_threads(usize::from(threads));
    }
    // A second call in one process (tests) keeps the first pool; results do not depend on it.
    let _ = pool.build_global();
    rayon::current_num_threads()
}

/// Listens for Ctrl-C, termination and the end of the terminal.
pub struct Signals {
    number: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
}

impl Signals {
    /// Starts to listen; a second signal of the same kind ends the process at once.
    pub fn listen() -> Result<Self, Failure> {
        let number = Arc::new(AtomicUsize::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let at_once = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
            let now = signal_hook::flag::register_conditional_default(signal, Arc::clone(&at_once));
            let again = signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop));
            let first = signal_hook::flag::register_usize(signal, Arc::clone(&number), signal as usize);
            let flag = signal_hook::flag::register(signal, Arc::clone(&stop));
            now.and(again)
                .and(first)
                .and(flag)
                .map_err(|error| Failure::File(format!("cannot listen for signals: {error}")))?;
        }
        Ok(Self { number, stop, at_once })
    }

    /// Does something that leaves nothing behind, wherever it is broken off: a signal ends the process at once.
    pub fn interruptible<T>(&self, act: impl FnOnce() -> T) -> T {
        self.at_once.store(true, Ordering::Relaxed);
        let done = act();
        self.at_once.store(false, Ordering::Relaxed);
        done
    }

    /// The flag that a run looks at.
    pub fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// The failure of having been signalled.
    pub fn failure(&self) -> Failure {
        Failure::Signal(self.number.load(Ordering::Relaxed) as u8)
    }
}
