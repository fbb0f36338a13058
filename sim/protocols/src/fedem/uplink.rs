//! The operator on the uplink: who encodes with what, by which key, and what the literature's conventions would charge.

use fedbits_codec::{Compressor, Encoded};
use fedbits_random::{CounterKey, Streams};

use crate::audit::{entity, message_key};

/// One operator per client where they draw together (PermK), and the sums of what was sent.
pub(crate) struct Uplink {
    members: Vec<Box<dyn Compressor>>,
    sums: Conventions,
}

/// Sums over all contributions by conventions of the literature. They are never what is charged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conventions {
    /// 32 bits for every coordinate.
    pub(crate) dense32: u64,
    /// Bits of the message without those that tell where its entries are.
    pub(crate) indices_free: u64,
    /// Empirical entropy of the symbols, and the floats.
    pub(crate) entropy: f64,
}

impl Uplink {
    /// For `n` clients that use `compressor`.
    pub(crate) fn new(compressor: &dyn Compressor, n: u32) -> Self {
        let grouped = compressor.member(0).is_some();
        let members = if grouped { (0..n).filter_map(|i| compressor.member(i)).collect() } else { Vec::new() };
        Self { members, sums: Conventions::default() }
    }

    /// What client `i` encodes with, and what reads its strings: its own operator, or `shared` by all.
    pub(crate) fn of<'a>(&'a self, i: u32, shared: &'a dyn Compressor) -> &'a dyn Compressor {
        self.members.get(i as usize).map_or(shared, AsRef::as_ref)
    }

    /// The key of client `i` in `round`: its own, or the group's.
    pub(crate) fn key(&self, streams: &Streams, i: u32, round: u64) -> CounterKey {
        let sender = if self.members.is_empty() { u64::from(i) } else { entity::COMMON };
        message_key(streams, sender, round)
    }

    /// Counts a message of `compressor` by all conventions.
    pub(crate) fn count(&mut self, compressor: &dyn Compressor, encoded: &Encoded) {
        self.sums.dense32 += 32 * encoded.dimension() as u64;
        self.sums.indices_free += compressor.indices_free_bits(encoded);
        self.sums.entropy += compressor.entropy_bits(encoded);
    }

    /// The sums so far.
    pub(crate) fn sums(&self) -> Conventions {
        self.sums
    }
}
