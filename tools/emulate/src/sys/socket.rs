//! TCP sockets whose congestion control is named and that never wait.

use std::ffi::CString;
use std::io::{ErrorKind, Result};
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::check;

const LENGTH: libc::socklen_t = size_of::<libc::sockaddr_in>() as libc::socklen_t;
/// Where `tcpi_bytes_acked` stands in the kernel's `struct tcp_info`.
const BYTES_ACKED: usize = 120;

/// A TCP socket.
pub(crate) type Socket = std::net::TcpStream;

pub(super) fn address(ip: Ipv4Addr, port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(ip).to_be() },
        sin_zero: [0; 8],
    }
}

/// A new socket in the network of the calling thread.
fn socket(congestion: &str) -> Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: numbers are handed over; what is returned is a new descriptor that nobody else owns.
    let socket = unsafe { OwnedFd::from_raw_fd(check(libc::socket(libc::AF_INET, kind, 0))?) };
    let name = CString::new(congestion).map_err(|_| ErrorKind::InvalidInput)?;
    set(&socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.to_bytes())?;
    set(&socket, libc::IPPROTO_TCP, libc::TCP_NODELAY, &1i32.to_ne_bytes())?;
    Ok(socket)
}

fn set(socket: &impl AsRawFd, level: i32, name: i32, value: &[u8]) -> Result<()> {
    let (data, length) = (value.as_ptr().cast(), value.len() as libc::socklen_t);
    // SAFETY: the kernel reads `length` bytes of a slice that lives until the call returns.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, data, length) }).map(|_| ())
}

/// A socket that begins to connect. Accepted sockets inherit the congestion control of whoever listens.
pub(crate) fn connect(ip: Ipv4Addr, port: u16, congestion: &str) -> Result<Socket> {
    let (socket, to) = (socket(congestion)?, address(ip, port));
    // SAFETY: the address lives until the call returns, and its length is its own.
    let begun = check(unsafe { libc::connect(socket.as_raw_fd(), (&raw const to).cast(), LENGTH) });
    match begun {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(Socket::from(socket)),
    }
}

/// A socket that listens at every address of the calling thread's network.
pub(crate) fn listen(port: u16, congestion: &str) -> Result<std::net::TcpListener> {
    let (socket, to) = (socket(congestion)?, address(Ipv4Addr::UNSPECIFIED, port));
    set(&socket, libc::SOL_SOCKET, libc::SO_REUSEADDR, &1i32.to_ne_bytes())?;
    // SAFETY: the address lives until the call returns, and its length is its own.
    check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const to).cast(), LENGTH) })?;
    // SAFETY: numbers are handed over.
    check(unsafe { libc::listen(socket.as_raw_fd(), 1024) })?;
    Ok(std::net::TcpListener::from(socket))
}

/// The next connection, if one is there, with the address and port of its other end.
pub(crate) fn accept(listener: &std::net::TcpListener) -> Result<Option<(Socket, std::net::SocketAddr)>> {
    match listener.accept() {
        Ok((socket, peer)) => {
            socket.set_nonblocking(true)?;
            socket.set_nodelay(true)?;
            Ok(Some((socket, peer)))
        }
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// The port at this end.
pub(crate) fn local_port(socket: &Socket) -> Result<u16> {
    Ok(socket.local_addr()?.port())
}

/// Closing the socket will reset the connection and forget what it had to send.
pub(crate) fn reset_on_close(socket: &Socket) -> Result<()> {
    let linger = [1i32.to_ne_bytes(), 0i32.to_ne_bytes()].concat();
    set(socket, libc::SOL_SOCKET, libc::SO_LINGER, &linger)
}

/// Bytes that the other end has acknowledged, as the kernel counts them.
pub(crate) fn bytes_acknowledged(socket: &Socket) -> Result<u64> {
    let mut info = [0u8; 256];
    let mut length = info.len() as libc::socklen_t;
    let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
    // SAFETY: the kernel writes at most `length` bytes into an array of that length.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, info.as_mut_ptr().cast(), &raw mut length) })?;
    let field = info[..length as usize].get(BYTES_ACKED..BYTES_ACKED + 8).ok_or(ErrorKind::Unsupported)?;
    Ok(u64::from_ne_bytes(field.try_into().map_err(|_| ErrorKind::Unsupported)?))
}
