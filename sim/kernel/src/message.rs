//! Messages as the kernel sees them: who, to whom, why, and how many bits. What they mean is nobody's business here.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::{Bits, NodeId};

/// Why bits travel: the index of a name in [`Payload::PURPOSES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purpose(pub u8);

/// What a message carries: the kernel asks for exact bit lengths and for nothing else.
pub trait Payload {
    /// What messages are sent for, up to [`crate::MAX_PURPOSES`] names: a column of `ledger.csv`, whose rows are in
    /// this order.
    const PURPOSES: &'static [&'static str];
    /// The purpose of acknowledgements that ride on other messages, where there are any.
    const ACKNOWLEDGEMENT: Purpose = Purpose(0);
    /// Exact length of the payload's bit string.
    fn bits(&self) -> Bits;
    /// Bits of an acknowledgement riding on the message, charged on their own.
    fn acknowledgement_bits(&self) -> Bits {
        Bits::ZERO
    }
}

/// A message between two nodes.
#[derive(Clone, Debug)]
pub struct Message<P> {
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Why it is sent.
    pub purpose: Purpose,
    /// What it carries.
    pub payload: P,
}

/// Packet sizes, for timing and charges.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Headers {
    /// TCP over IPv4 without options: 40 bytes per 1460 of payload.
    #[default]
    Ip,
    /// With time stamps, as Linux sends: 52 bytes per 1448.
    IpTimestamps,
    /// The same in Ethernet frames, closest to Linux hosts: 66 bytes per 1448.
    Ethernet,
    /// Other sizes.
    Bytes {
        /// Bytes of headers per segment.
        #[range(whole(0, 10_000).note(" (bytes)"))]
        header: u32,
        /// Bytes of payload per segment.
        #[range(whole(1, 1_000_000).note(" (bytes)"))]
        segment: u32,
    },
}

impl Headers {
    /// Bits of header and of payload of a full packet.
    #[must_use]
    pub fn framing(self) -> Framing {
        let (header, segment) = match self {
            Self::Ip => (40, 1460),
            Self::IpTimestamps => (52, 1448),
            Self::Ethernet => (66, 1448),
            Self::Bytes { header, segment } => (header, segment),
        };
        let bits = |bytes: u32| Bits::new(8 * u64::from(bytes));
        Framing { header: bits(header), segment: bits(segment) }
    }
}

/// How payloads are cut into segments with headers.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// Header bits in front of every segment; may be zero.
    pub header: Bits,
    /// Payload bits per segment; positive.
    pub segment: Bits,
}

impl Framing {
    /// Header bits of a message with `payload` bits: at least one segment, even for an empty message.
    #[inline]
    pub fn header_bits(&self, payload: Bits) -> Bits {
        // Most messages fit into one segment: that saves the division.
        let segments = if payload <= self.segment { 1 } else { payload.count().div_ceil(self.segment.count()) };
        self.header * segments
    }

    /// How the first `sent` bits on the wire divide into (payload, header): each segment sends its header first.
    pub fn split(&self, sent: Bits, payload: Bits) -> (Bits, Bits) {
        let wire = self.header.count() + self.segment.count();
        let (whole, rest) = (sent.count() / wire, sent.count() % wire);
        let header =
            (whole * self.header.count() + rest.min(self.header.count())).min(self.header_bits(payload).count());
        (Bits::new(sent.count() - header), Bits::new(header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCP: Framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };

    #[test]
    fn one_header_per_started_segment() {
        let header = |bits| TCP.header_bits(Bits::new(bits)).count();
        assert_eq!([header(0), header(1), header(11_680), header(11_681)], [320, 320, 320, 640]);
    }

    #[test]
    fn a_cut_message_divides_where_the_cut_fell() {
        // Two segments on the wire: 320 | 11 680 | 320 | 1.
        let split = |sent| {
            let (payload, header) = TCP.split(Bits::new(sent), Bits::new(11_681));
            (payload.count(), header.count())
        };
        assert_eq!(split(0), (0, 0));
        assert_eq!(split(319), (0, 319));
        assert_eq!(split(12_000), (11_680, 320));
        assert_eq!(split(12_320), (11_680, 640));
        assert_eq!(split(12_321), (11_681, 640));
    }
}
