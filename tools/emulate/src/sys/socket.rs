//! TCP sockets whose congestion control is named and that never wait.

use std::io::{ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with, sockopt};

use super::check;

/// Where `tcpi_bytes_acked` stands in the kernel's `struct tcp_info`.
const BYTES_ACKED: usize = 120;

/// A new socket in the network of the calling thread.
fn socket(congestion: &str) -> Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_congestion(&socket, congestion)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    Ok(socket)
}

/// A socket that begins to connect. Accepted sockets inherit the congestion control of whoever listens.
pub(crate) fn connect(ip: Ipv4Addr, port: u16, congestion: &str) -> Result<TcpStream> {
    let socket = socket(congestion)?;
    match rustix::net::connect(&socket, &SocketAddrV4::new(ip, port)) {
        Err(error) if error != Errno::INPROGRESS => Err(error.into()),
        _ => Ok(TcpStream::from(socket)),
    }
}

/// A socket that listens at every address of the calling thread's network.
pub(crate) fn listen(port: u16, congestion: &str) -> Result<TcpListener> {
    let socket = socket(congestion)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    rustix::net::listen(&socket, 1024)?;
    Ok(TcpListener::from(socket))
}

/// The next connection, if one is there, with the address and port of its other end.
pub(crate) fn accept(listener: &TcpListener) -> Result<Option<(TcpStream, SocketAddr)>> {
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

/// Bytes that the other end has acknowledged, as the kernel counts them.
pub(crate) fn bytes_acknowledged(socket: &TcpStream) -> Result<u64> {
    let mut info = [0u8; 256];
    let mut length = info.len() as libc::socklen_t;
    let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
    // SAFETY: the kernel writes at most `length` bytes into an array of that length.
    check(unsafe { libc::getsockopt(socket.as_raw_fd(), level, name, info.as_mut_ptr().cast(), &raw mut length) })?;
    let field = info[..length as usize].get(BYTES_ACKED..BYTES_ACKED + 8).ok_or(ErrorKind::Unsupported)?;
    Ok(u64::from_ne_bytes(field.try_into().map_err(|_| ErrorKind::Unsupported)?))
}
