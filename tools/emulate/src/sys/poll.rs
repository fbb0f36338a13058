//! Waiting for descriptors, to the nanosecond.

use rustix::event::{PollFd, PollFlags};
use rustix::time::Timespec;

/// What is found where reading tells more: there is something to read, or it has ended or failed.
pub(crate) const READ: PollFlags = PollFlags::IN.union(PollFlags::HUP).union(PollFlags::ERR);
/// The same of writing.
pub(crate) const WRITE: PollFlags = PollFlags::OUT.union(PollFlags::HUP).union(PollFlags::ERR);

/// Waits until one of them is ready or `timeout` nanoseconds have passed; a signal ends it, too. Says what was found.
pub(crate) fn poll(mut waiting: Vec<PollFd<'_>>, timeout: u64) -> Vec<PollFlags> {
    let timeout = Timespec { tv_sec: (timeout / 1_000_000_000) as _, tv_nsec: (timeout % 1_000_000_000) as _ };
    match rustix::event::poll(&mut waiting, Some(&timeout)) {
        Ok(_) => waiting.iter().map(PollFd::revents).collect(),
        Err(_) => vec![PollFlags::empty(); waiting.len()],
    }
}
