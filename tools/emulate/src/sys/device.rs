//! Devices of a network: TUN, its address, its length of packets; the loopback.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, socket_with};

use super::check;

/// Name of the TUN device in every namespace.
const NAME: &str = "fedbits0";
/// Packets that wait in the device for the relay to read them: as many as a deep window has.
const WAITING_PACKETS: u32 = 20_000;
/// From `linux/if_tun.h` and `linux/ethtool.h`.
const TUNSETIFF: libc::Ioctl = 0x4004_54ca_u32 as libc::Ioctl;
const OFFLOADS: [u32; 3] = [
    0x24, // ETHTOOL_SGSO
    0x1f, // ETHTOOL_STSO
    0x19, // ETHTOOL_SSG
];

fn request(name: &str) -> libc::ifreq {
    // SAFETY: a structure of plain numbers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, &from) in request.ifr_name.iter_mut().zip(name.as_bytes()) {
        *to = from as libc::c_char;
    }
    request
}

/// A TUN device in the network of the calling thread; it goes when the file is closed. Reading does not wait.
pub(crate) fn open_tun() -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open("/dev/net/tun")?;
    let mut request = request(NAME);
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the kernel reads and writes the request, which lives until the call returns.
    check(unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF, &raw mut request) })?;
    Ok(file)
}

/// Gives the TUN device of the calling thread's network an address, the length of its longest packet, a long queue and
/// no segmentation by the device, and switches it on.
pub(crate) fn configure(ip: Ipv4Addr, mtu: u32) -> Result<()> {
    let socket = control()?;
    let set = |code: libc::Ioctl, with: &dyn Fn(&mut libc::ifreq)| {
        let mut request = request(NAME);
        with(&mut request);
        ask(&socket, code, &mut request)
    };
    set(libc::SIOCSIFADDR as libc::Ioctl, &|request| request.ifr_ifru.ifru_addr = address(ip))?;
    let mask = Ipv4Addr::new(255, 0, 0, 0);
    set(libc::SIOCSIFNETMASK as libc::Ioctl, &|request| request.ifr_ifru.ifru_netmask = address(mask))?;
    set(libc::SIOCSIFMTU as libc::Ioctl, &|request| request.ifr_ifru.ifru_mtu = mtu as libc::c_int)?;
    lengthen_queue()?;
    for code in OFFLOADS {
        let mut value = [code, 0];
        let mut request = request(NAME);
        request.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        // A kernel that cannot switch one of them off has none: packets longer than the MTU would stop the relay.
        let _ = ask(&socket, libc::SIOCETHTOOL as libc::Ioctl, &mut request);
    }
    up(&socket, NAME)
}

/// The queue of the TUN device of the calling thread's network, by a message to the kernel: the request that other
/// programs use for it is only for the owner of the whole machine.
fn lengthen_queue() -> Result<()> {
    let index = rustix::net::netdevice::name_to_index(control()?, NAME)?;
    let mut message: Vec<u8> = Vec::new();
    // struct nlmsghdr: length, type, flags, sequence, sender.
    message.extend(40u32.to_ne_bytes());
    message.extend(libc::RTM_NEWLINK.to_ne_bytes());
    message.extend(((libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16).to_ne_bytes());
    message.extend([0; 8]);
    // struct ifinfomsg: family, type, index, flags, change.
    message.extend([0; 4]);
    message.extend(index.to_ne_bytes());
    message.extend([0; 8]);
    // struct rtattr with its value.
    message.extend(8u16.to_ne_bytes());
    message.extend(libc::IFLA_TXQLEN.to_ne_bytes());
    message.extend(WAITING_PACKETS.to_ne_bytes());
    // Without a protocol it is that of routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut answer = [0u8; 256];
    rustix::net::send(&socket, &message, SendFlags::empty())?;
    let (length, _) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    // struct nlmsgerr behind the header: an error number below zero, or zero.
    match answer[..length].get(16..20).and_then(|code| code.try_into().ok()).map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(std::io::Error::from_raw_os_error(-code)),
        None => Err(std::io::ErrorKind::InvalidData.into()),
    }
}

/// Switches the loopback of the calling thread's network on.
pub(crate) fn loopback_up() -> Result<()> {
    up(&control()?, "lo")
}

fn up(socket: &OwnedFd, name: &str) -> Result<()> {
    let mut request = request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(socket, libc::SIOCSIFFLAGS as libc::Ioctl, &mut request)
}

/// Any socket of a network takes requests about its devices.
fn control() -> Result<OwnedFd> {
    Ok(socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?)
}

fn ask(socket: &OwnedFd, code: libc::Ioctl, request: &mut libc::ifreq) -> Result<()> {
    // SAFETY: the request, and what it points to, live until the call returns.
    check(unsafe { libc::ioctl(socket.as_raw_fd(), code, &raw mut *request) }).map(|_| ())
}

fn address(of: Ipv4Addr) -> libc::sockaddr {
    let sin_addr = libc::in_addr { s_addr: u32::from(of).to_be() };
    let sin_family = libc::AF_INET as libc::sa_family_t;
    let address = libc::sockaddr_in { sin_family, sin_port: 0, sin_addr, sin_zero: [0; 8] };
    // SAFETY: both have 16 bytes of plain numbers, and the family stands first in both.
    unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(address) }
}
