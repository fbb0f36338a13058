//! A namespace per node, with one TUN device whose other end the relay holds. They have no names: the kernel removes
//! them when this process ends, however it ends.

use std::fs::File;
use std::thread;

use crate::error::EmulateError;
use crate::sys;
use crate::wiring::{PacketSizes, address_of};

/// What is set of TCP in a namespace.
#[derive(Clone, Copy)]
pub(crate) struct TcpSettings {
    pub(crate) packets: PacketSizes,
    /// Does a connection keep its window while it is idle?
    pub(crate) keeps_window: bool,
}

/// The network of one node.
pub(crate) struct Namespace {
    /// To enter it.
    pub(crate) handle: File,
    /// What the node sends is read here, what it is to receive is written here.
    pub(crate) device: File,
}

impl Namespace {
    /// The network of `node`.
    pub(crate) fn new(node: u32, tcp: TcpSettings) -> Result<Self, EmulateError> {
        let made = thread::Builder::new().name(format!("namespace {node}")).spawn(move || make(node, tcp));
        let made = made.map_err(EmulateError::failed("a thread cannot be made"))?;
        made.join().unwrap_or_else(|_| Err(EmulateError::Unfit("the thread of a namespace panicked".to_owned())))
    }
}

/// The calling thread moves to the new network, and ends there.
fn make(node: u32, TcpSettings { packets, keeps_window }: TcpSettings) -> Result<Namespace, EmulateError> {
    sys::unshare_network().map_err(EmulateError::rights("make a network namespace"))?;
    let handle = sys::own_namespace().map_err(EmulateError::failed("/proc/thread-self/ns/net"))?;
    sys::loopback_up().map_err(EmulateError::rights("switch on a loopback"))?;
    let switch = |name: &str, on: bool| setting(name, if on { "1" } else { "0" });
    switch("tcp_timestamps", packets.timestamps)?;
    switch("tcp_no_metrics_save", true)?;
    switch("tcp_slow_start_after_idle", !keeps_window)?;
    // Announcements of a protocol that nobody uses here; a kernel without it has no such setting.
    let _ = std::fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    let _ = std::fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    let device = sys::open_tun().map_err(EmulateError::rights("make a TUN device"))?;
    let given = sys::Device { address: address_of(node), mtu: packets.mtu };
    sys::configure(&given).map_err(EmulateError::rights("configure a TUN device"))?;
    Ok(Namespace { handle, device })
}

/// Sets a setting of the calling thread's network.
fn setting(name: &str, value: &str) -> Result<(), EmulateError> {
    let path = format!("/proc/sys/net/ipv4/{name}");
    std::fs::write(&path, value).map_err(EmulateError::rights(format!("write {path}")))
}
