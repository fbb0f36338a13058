//! A namespace per node, with one TUN device whose other end the relay holds. They have no names: the kernel removes
//! them when this process ends, however it ends.

use std::fs::File;
use std::thread;

use crate::error::EmulateError;
use crate::sys;
use crate::wiring::{PacketSizes, address_of};

/// The network of one node.
pub(crate) struct Namespace {
    /// To enter it.
    pub(crate) handle: File,
    /// What the node sends is read here, what it is to receive is written here.
    pub(crate) device: File,
}

impl Namespace {
    /// The network of `node`. `keeps_window`: does a connection keep its window while it is idle?
    pub(crate) fn new(node: u32, packets: PacketSizes, keeps_window: bool) -> Result<Self, EmulateError> {
        let work = move || make(node, packets, keeps_window);
        let made = thread::Builder::new().name(format!("namespace {node}")).spawn(work);
        let made = made.map_err(EmulateError::failed("a thread cannot be made"))?;
        made.join().unwrap_or_else(|_| Err(EmulateError::Unfit("the thread of a namespace panicked".to_owned())))
    }
}

/// The calling thread moves to the new network, and ends there.
fn make(node: u32, packets: PacketSizes, keeps_window: bool) -> Result<Namespace, EmulateError> {
    sys::unshare_network().map_err(EmulateError::rights("make a network namespace"))?;
    let handle = File::open("/proc/thread-self/ns/net").map_err(EmulateError::failed("/proc/thread-self/ns/net"))?;
    sys::loopback_up().map_err(EmulateError::rights("switch on a loopback"))?;
    let switch = |name: &str, on: bool| setting(name, if on { "1" } else { "0" });
    switch("tcp_timestamps", packets.timestamps)?;
    switch("tcp_no_metrics_save", true)?;
    switch("tcp_slow_start_after_idle", !keeps_window)?;
    // Announcements of a protocol that nobody uses here; a kernel without it has no such setting.
    let _ = std::fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    let _ = std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    let device = sys::open_tun().map_err(EmulateError::rights("make a TUN device"))?;
    sys::configure(address_of(node), packets.mtu).map_err(EmulateError::rights("configure a TUN device"))?;
    Ok(Namespace { handle, device })
}

/// Sets a setting of the calling thread's network.
fn setting(name: &str, value: &str) -> Result<(), EmulateError> {
    let path = format!("/proc/sys/net/ipv4/{name}");
    std::fs::write(&path, value).map_err(EmulateError::rights(format!("write {path}")))
}
