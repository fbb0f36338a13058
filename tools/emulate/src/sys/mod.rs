//! Calls of the kernel that the standard library does not have. The only `unsafe` of this crate: what is handed out is
//! safe.

#![expect(unsafe_code, reason = "namespaces, devices, priorities and TCP's own figures have no safe interface")]

mod device;
mod namespace;
mod poll;
mod socket;
mod thread;

pub(crate) use device::{Device, configure, loopback_up, open_tun};
pub(crate) use namespace::{enter, own_namespace, unshare_network};
pub(crate) use poll::{Interest, can_read, can_write, interest, poll};
pub(crate) use socket::{Socket, accept, bytes_acknowledged, connect, listen, local_port, reset_on_close};
pub(crate) use thread::{Priority, now};

/// The result of a call that returns −1 for an error.
fn check(result: libc::c_int) -> std::io::Result<libc::c_int> {
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(result) }
}
