//! The network, the clock and the priority of a thread.

use std::fs::File;
use std::io::Result;
use std::num::NonZeroU64;
use std::os::fd::AsFd;

use libc::{SCHED_FIFO, SCHED_OTHER};
use rustix::thread::{LinkNameSpaceType, UnshareFlags};
use rustix::time::{ClockId, clock_gettime};

/// The calling thread leaves its network for a new, empty one, which lives as long as a file, a device or a socket of
/// it is open.
pub(crate) fn unshare_network() -> Result<()> {
    // SAFETY: only the network of the calling thread changes, and no descriptor.
    Ok(unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }?)
}

/// The calling thread enters a network; sockets that it makes from now on belong there.
pub(crate) fn enter(namespace: &File) -> Result<()> {
    Ok(rustix::thread::move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
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
        // With slack it is later than it could be.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
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
