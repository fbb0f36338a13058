//! Work that may last long: it is stopped, and then given up, when it has taken too much of the processor's time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedbits_spec::threads;

use crate::cli::failure::Failure;
use crate::machine::processor_seconds;

/// What the work and who waits for it have in common.
#[derive(Default)]
pub(crate) struct Progress {
    stop: AtomicBool,
    doing: Mutex<&'static str>,
}

impl Progress {
    /// What is done from now on.
    pub(crate) fn doing(&self, what: &'static str) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    /// The flag that says that time is up.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

pub(crate) enum Ended<T> {
    /// By itself, or soon after it was stopped.
    Done(T),
    /// It was given up, and goes on in the background until the program ends; what it did last.
    GivenUp(&'static str),
    /// It did not begin: nobody could stop it, because no thread can be made for it.
    NoThread,
}

/// Seconds of processor time within which the work stops after it is stopped.
const GRACE: f64 = 2.0;
const LOOK: Duration = Duration::from_millis(20);

/// Does `work`, which may take this many seconds of this process's processor time.
pub(crate) fn within<T: Send + 'static>(
    seconds: f64,
    work: impl FnOnce(&Progress) -> T + Send + 'static,
) -> Result<Ended<T>, Failure> {
    let progress = Arc::new(Progress::default());
    let (send, receive) = channel();
    let inside = Arc::clone(&progress);
    let begin = processor_seconds();
    let thread = threads::spawn("limited", Some(threads::MAIN_STACK), move || {
        // Nobody listens any more when the work was given up.
        let _ = send.send(work(&inside));
    });
    let Ok(thread) = thread else { return Ok(Ended::NoThread) };
    loop {
        match receive.recv_timeout(LOOK) {
            Ok(done) => return Ok(Ended::Done(done)),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Ok(()) => return Err(Failure::Run("the work ended without a result".to_owned())),
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        let spent = processor_seconds() - begin;
        progress.stop.fetch_or(spent > seconds, Ordering::Relaxed);
        if spent > seconds + GRACE {
            return Ok(Ended::GivenUp(*progress.doing.lock().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(until: impl Fn() -> bool) -> u64 {
        let mut rounds = 0_u64;
        while !until() {
            rounds = std::hint::black_box(rounds.wrapping_mul(3) + 1);
        }
        rounds
    }

    #[test]
    fn work_that_listens_is_stopped_and_other_work_given_up() {
        let done = within(0.05, |progress| busy(|| progress.stop().load(Ordering::Relaxed))).unwrap();
        assert!(matches!(done, Ended::Done(_)));
        let begin = processor_seconds();
        let deaf = within(0.05, move |progress| {
            progress.doing("counting");
            busy(|| processor_seconds() - begin > 30.0)
        });
        assert!(matches!(deaf.unwrap(), Ended::GivenUp("counting")));
        assert!(processor_seconds() - begin < 20.0);
        assert!(matches!(within(5.0, |_| 7).unwrap(), Ended::Done(7)));
    }
}
