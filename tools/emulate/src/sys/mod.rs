//! Calls of the kernel that neither the standard library nor rustix has. The only `unsafe` of this crate: what is
//! handed out is safe.

#![expect(unsafe_code, reason = "namespaces, devices, priorities and TCP's own figures have no safe interface")]

mod device;
mod poll;
mod socket;
mod thread;

pub(crate) use device::{configure, loopback_up, open_tun};
pub(crate) use poll::{READ, WRITE, poll};
pub(crate) use socket::{accept, bytes_acknowledged, connect, listen};
pub(crate) use thread::{Priority, enter, now, unshare_network};

/// The result of a call that returns −1 for an error.
fn check(result: libc::c_int) -> std::io::Result<libc::c_int> {
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(result) }
}
