//! What the relay reads in the headers of a packet: IPv4 and TCP.

/// A packet of TCP, as its headers describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Headers {
    /// The addresses of sender and receiver.
    pub(super) addresses: [u32; 2],
    /// Their ports.
    pub(super) ports: [u16; 2],
    /// Number of the first byte.
    pub(super) sequence: u32,
    /// Bytes that it carries.
    pub(super) payload: u32,
    /// Opens a connection.
    pub(super) opens: bool,
    /// Opens, ends or resets a connection, and carries nothing.
    pub(super) controls: bool,
}

const TCP: u8 = 6;
const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;

/// None for a packet that is not TCP over IPv4.
pub(super) fn read(packet: &[u8]) -> Option<Headers> {
    let ip = usize::from(packet.first()? & 15) * 4;
    if packet[0] >> 4 != 4 || *packet.get(9)? != TCP {
        return None;
    }
    let tcp = packet.get(ip..)?;
    let (two, four) = (
        |at: usize| Some(u16::from_be_bytes(tcp.get(at..at + 2)?.try_into().ok()?)),
        |bytes: &[u8], at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)),
    );
    let (headers, flags) = (ip + usize::from(tcp.get(12)? >> 4) * 4, *tcp.get(13)?);
    let total = usize::from(u16::from_be_bytes(packet.get(2..4)?.try_into().ok()?)).min(packet.len());
    let payload = total.checked_sub(headers)? as u32;
    Some(Headers {
        addresses: [four(packet, 12)?, four(packet, 16)?],
        ports: [two(0)?, two(2)?],
        sequence: four(tcp, 4)?,
        payload,
        opens: flags & SYN != 0,
        controls: flags & (SYN | RST) != 0 || (flags & FIN != 0 && payload == 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10.0.0.1:1000 → 10.0.0.2:7000, sequence 5, three bytes.
    fn packet(flags: u8) -> Vec<u8> {
        let mut bytes = vec![0x45, 0, 0, 43, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        bytes.extend([3, 232, 27, 88, 0, 0, 0, 5, 0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0, 7, 7, 7]);
        bytes
    }

    #[test]
    fn headers_are_read() {
        let read = read(&packet(16)).unwrap();
        assert_eq!(read.addresses, [0x0a00_0001, 0x0a00_0002]);
        assert_eq!((read.ports, read.sequence, read.payload), ([1000, 7000], 5, 3));
        assert!(!read.opens && !read.controls);
    }

    #[test]
    fn flags_are_told_apart() {
        assert!(read(&packet(SYN)).unwrap().opens);
        assert!(read(&packet(FIN | 16)).is_some_and(|packet| !packet.controls && !packet.opens));
        let mut empty = packet(FIN | 16);
        empty[3] = 40;
        assert!(read(&empty).unwrap().controls);
        assert!(read(&packet(RST)).unwrap().controls);
    }

    #[test]
    fn what_is_no_tcp_and_what_was_cut_is_nothing() {
        let mut datagram = packet(16);
        datagram[9] = 17;
        assert_eq!(read(&datagram), None);
        assert_eq!(read(&[0x60; 40]), None);
        let whole = packet(16);
        (0..38).for_each(|length| assert!(read(&whole[..length]).is_none_or(|read| read.payload == 0)));
    }
}
