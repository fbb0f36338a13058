//! Network namespaces without names: they live as long as a file, a device or a socket of theirs is open.

use std::fs::File;
use std::io::Result;
use std::os::fd::AsRawFd;

use super::check;

/// The calling thread leaves its network for a new, empty one.
pub(crate) fn unshare_network() -> Result<()> {
    // SAFETY: a number is handed over; only the calling thread is concerned.
    check(unsafe { libc::unshare(libc::CLONE_NEWNET) }).map(|_| ())
}

/// The network of the calling thread.
pub(crate) fn own_namespace() -> Result<File> {
    File::open("/proc/thread-self/ns/net")
}

/// The calling thread enters a network; sockets that it makes from now on belong there.
pub(crate) fn enter(namespace: &File) -> Result<()> {
    // SAFETY: the descriptor is open while it is borrowed; only the calling thread is concerned.
    check(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) }).map(|_| ())
}
