//! Waiting for descriptors, to the nanosecond.

use std::os::fd::RawFd;

/// What is waited for at a descriptor, and what was found.
pub(crate) type Interest = libc::pollfd;

/// Waits until one of them is ready or `timeout` nanoseconds have passed; a signal ends it, too.
pub(crate) fn poll(interests: &mut [Interest], timeout: u64) {
    let timeout =
        libc::timespec { tv_sec: (timeout / 1_000_000_000) as _, tv_nsec: (timeout % 1_000_000_000) as libc::c_long };
    let count = interests.len() as libc::nfds_t;
    // SAFETY: the kernel writes into `count` elements of a slice that lives until the call returns.
    let found = unsafe { libc::ppoll(interests.as_mut_ptr(), count, &raw const timeout, std::ptr::null()) };
    if found <= 0 {
        interests.iter_mut().for_each(|interest| interest.revents = 0);
    }
}

/// Waits for reading, and for room to write where `write`.
pub(crate) fn interest(descriptor: RawFd, write: bool) -> Interest {
    let events = if write { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
    Interest { fd: descriptor, events, revents: 0 }
}

/// Can be read, has ended or failed: reading tells which.
pub(crate) fn can_read(interest: &Interest) -> bool {
    interest.revents & (libc::POLLIN | libc::POLLHUP | libc::POLLERR) != 0
}

/// Has room to write.
pub(crate) fn can_write(interest: &Interest) -> bool {
    interest.revents & (libc::POLLOUT | libc::POLLHUP | libc::POLLERR) != 0
}
