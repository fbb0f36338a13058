//! The clock, and the priority of a thread.

use libc::{SCHED_FIFO, SCHED_OTHER};

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is written into a `timespec` of our own.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The real-time priority of the calling thread, until it is dropped.
pub(crate) struct Priority {
    /// Was it allowed?
    pub(crate) granted: bool,
}

impl Priority {
    /// Asks for it, and for timers without slack.
    pub(crate) fn real_time(level: i32) -> Self {
        // SAFETY: plain numbers; it concerns this thread only.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        Self { granted: set(SCHED_FIFO, level) }
    }
}

impl Drop for Priority {
    fn drop(&mut self) {
        if self.granted {
            set(SCHED_OTHER, 0);
        }
    }
}

fn set(policy: i32, level: i32) -> bool {
    // Not through the C library: musl's function does nothing. The kernel's `sched_param` is this one number.
    let policy = policy | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the kernel reads the number; 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const level) == 0 }
}
