//! What the relay counts: bits of packets as the framing charges them, by what they were for.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;

use super::packet::Headers;

/// Bits on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packets, all of them.
    pub packets: u64,
    /// Bits of messages, each once.
    pub data: u64,
    /// Headers of packets with data.
    pub headers: u64,
    /// Packets that only acknowledge.
    pub acknowledgements: u64,
    /// Packets whose bytes were sent before, headers included.
    pub retransmitted: u64,
    /// Packets that open, end or reset a connection.
    pub control: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.data += other.data;
        self.headers += other.headers;
        self.acknowledgements += other.acknowledgements;
        self.retransmitted += other.retransmitted;
        self.control += other.control;
    }
}

/// Counts by the pair of nodes, and what tells that bytes are sent again.
#[derive(Debug, Default)]
pub(super) struct Counter {
    by_pair: BTreeMap<(u32, u32), Counts>,
    /// By sender, receiver and their ports: the number of the next new byte.
    next: BTreeMap<[u64; 2], u32>,
}

impl Counter {
    /// A packet enters the network; `header` are the bytes that it is charged for its headers.
    pub(super) fn count(&mut self, [from, to]: [u32; 2], packet: &Headers, header: u64) {
        let counts = self.by_pair.entry((from, to)).or_default();
        let name = |end: usize| u64::from(packet.addresses[end]) << 16 | u64::from(packet.ports[end]);
        let [source, destination] = [0, 1].map(name);
        let (payload, header) = (8 * u64::from(packet.payload), 8 * header);
        counts.packets += 1;
        if packet.controls {
            counts.control += header + payload;
        } else if payload == 0 {
            counts.acknowledgements += header;
        }
        if packet.opens {
            self.next.insert([source, destination], packet.sequence.wrapping_add(1));
        } else if payload > 0 && !packet.controls {
            let end = packet.sequence.wrapping_add(packet.payload);
            let next = self.next.entry([source, destination]).or_insert(packet.sequence);
            // The numbers go round: what lies less than half a round behind was sent before.
            if (packet.sequence.wrapping_sub(*next) as i32) < 0 {
                counts.retransmitted += header + payload;
            } else {
                *next = end;
                counts.data += payload;
                counts.headers += header;
            }
        }
    }

    pub(super) fn by_pair(self) -> BTreeMap<(u32, u32), Counts> {
        self.by_pair
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(sequence: u32, payload: u32) -> Headers {
        Headers { addresses: [1, 2], ports: [9, 9], sequence, payload, opens: false, controls: false }
    }

    #[test]
    fn bytes_are_counted_once_and_again_as_sent_again() {
        let mut counter = Counter::default();
        let opening = Headers { opens: true, controls: true, ..packet(u32::MAX - 1, 0) };
        // The numbers go round within the second packet.
        let packets = [opening, packet(u32::MAX, 100), packet(99, 50), packet(99, 50), packet(149, 0)];
        packets.iter().for_each(|packet| counter.count([0, 1], packet, 40));
        let counts = counter.by_pair()[&(0, 1)];
        assert_eq!((counts.data, counts.headers), (8 * 150, 2 * 320));
        assert_eq!((counts.retransmitted, counts.control, counts.acknowledgements), (8 * 90, 320, 320));
        assert_eq!(counts.packets, 5);
    }
}
