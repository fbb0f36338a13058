//! A packet on its way.

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A header of the set-up: number 0 from the node that opens, 1 its answer, 2 the next question, ….
    SetUp,
    Data,
    /// Only what every packet says: what has arrived.
    Acknowledgement,
}

/// A packet of one direction of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// The direction: twice the connection, + 1 from its second node.
    pub(super) half: u32,
    /// Which life of the connection it belongs to.
    pub(super) epoch: u32,
    /// The place of its link in the table of routes.
    pub(super) place: u32,
    pub(super) bits: u32,
    /// Number of the packet in its direction, or of the set-up.
    pub(super) number: u64,
    /// All packets of the other direction before this one have arrived.
    pub(super) acknowledged: u64,
    /// Beyond these, the first so many that arrived before their turn (selective acknowledgement), modulo 2³².
    pub(super) heard: u32,
    /// When it was sent.
    pub(super) stamp: u64,
    /// The stamp of the packet that is acknowledged (of the first, where there are several).
    pub(super) echo: u64,
    pub(super) kind: Kind,
    /// The last one of a message.
    pub(super) is_last: bool,
    /// Says that something has arrived twice.
    pub(super) duplicate: bool,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Packet>() == 56, "a packet is copied once per link");
