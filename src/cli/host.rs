//! Signals that end the process, and the threads of the process.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedbits_spec::threads;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::cli::failure::Failure;
use crate::cli::project;
use crate::cli::signal;

/// Sets the number of threads for the whole process, as the option says, else as the project does; returns it.
pub(crate) fn set_threads(threads: Option<u16>) -> usize {
    // A second call in one process (tests) keeps the first pool; results do not depend on it.
    threads::shared(threads.or(project::get().threads).map(usize::from))
}

/// Seconds since 1970, as the variable SOURCE_DATE_EPOCH of reproducible builds says, else as the clock does. No result
/// depends on it.
#[expect(clippy::disallowed_methods, reason = "the date of an archive, in no result")]
pub(crate) fn seconds_since_1970() -> i64 {
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    stated.unwrap_or_else(|| i64::try_from(clock.as_secs()).unwrap_or(0))
}

/// The exit code where the system refuses memory (EX_OSERR).
const OUT_OF_MEMORY: i32 = 71;

/// Prepares for a limit of the address space: what is refused ends the process with a message and its own code.
pub(crate) fn limit_memory() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    fedbits_memory::end_where_refused(
        "fedbits: out of memory: the system refused a block; run with fewer --threads or a smaller problem, or raise \
         the limit (`ulimit -v`, the memory of the job)\n",
        OUT_OF_MEMORY,
        limit.is_some(),
    );
}

/// Ctrl-C, termination and the end of the terminal, unless whoever started this process made it ignore
/// them (`nohup`; the background jobs of scripts).
#[derive(Clone)]
pub(crate) struct Signals {
    stop: Arc<AtomicBool>,
}

/// What the process listens with, once it does.
static LISTENING: Mutex<Option<Signals>> = Mutex::new(None);

/// How long a run has to stop by itself after a signal. Long computations, and figures, look at no flag.
const GRACE: Duration = Duration::from_millis(200);

impl Signals {
    /// Listens from now on; a second call gives what the first gave.
    ///
    /// After a signal the process stops by itself, or is ended where nothing on disk is left half-written; in both
    /// cases its exit code is 128 + the signal's number.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signals) = &*listening {
            return Ok(signals.clone());
        }
        let signals = Self { stop: Arc::new(AtomicBool::new(false)) };
        signals.start().map_err(|error| Failure::File(format!("cannot listen for signals: {error}")))?;
        *listening = Some(signals.clone());
        Ok(signals)
    }

    fn start(&self) -> std::io::Result<()> {
        let ignored = ignored_signals();
        let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
        let heard: Vec<i32> = heard.collect();
        for &signal in &heard {
            signal_hook::flag::register_usize(signal, signal::flag(), signal as usize)?;
            signal_hook::flag::register(signal, Arc::clone(&self.stop))?;
        }
        // A file that grows beyond `ulimit -f` ends in an error that is reported, as on a full disk, not in the end of
        // the process.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let mut arriving = signal_hook::iterator::Signals::new(&heard)?;
        let waits = threads::spawn("signals", None, move || {
            if let Some(signal) = arriving.forever().next() {
                std::thread::sleep(GRACE);
                end(Failure::Signal(signal as u8));
            }
        });
        if waits.is_err() {
            // Without a thread the first signal stops what looks at the flag, and a second one ends the process.
            let stopping = Arc::clone(&self.stop);
            for &signal in &heard {
                signal_hook::flag::register_conditional_default(signal, Arc::clone(&stopping))?;
            }
        }
        Ok(())
    }

    /// The flag that a run looks at.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// Says why and ends the process, even when nobody reads what it says.
fn end(failure: Failure) -> ! {
    let code = failure.code();
    let (sender, wait) = std::sync::mpsc::channel();
    let speaker = threads::spawn("speaker", None, move || {
        failure.print();
        sender.send(())
    });
    if speaker.is_ok() {
        // A full pipe blocks the message; then the process ends without it.
        let _ = wait.recv_timeout(2 * GRACE);
    }
    fedbits_record::end_process(code)
}

/// The signals that were ignored when this process was started, signal n as bit n − 1. Only Linux reports it without a
/// call that is not memory safe (`/proc/self/status`); elsewhere none counts as ignored.
fn ignored_signals() -> u64 {
    let status = fedbits_spec::files::read_text("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
