//! The timeline digest: what happened, in integers, hashed as it happens.
//!
//! Beside the BLAKE3 digest it keeps one check byte per event, taken from a running hash of everything so far: from the
//! first event that differs between two runs on, the bytes differ with probability 255/256 each, so that a verification
//! can name that event without keeping the events.

use crate::{NodeId, Time};

/// What kind of thing happened. The numbers are part of the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A message was lost in flight.
    Lost = 0,
    /// A message set out.
    Sent = 1,
    /// A message arrived.
    Delivered = 2,
    /// A message was cut off.
    Aborted = 3,
    /// A computation began; between two nodes: the first codes or decodes a message of both.
    Computing = 4,
    /// A computation ended.
    Computed = 5,
    /// A timer rang.
    Timer = 6,
    /// A node dropped out.
    Dropout = 7,
}

/// One entry of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub time: Time,
    /// What.
    pub kind: Kind,
    /// The acting node.
    pub from: NodeId,
    /// The other node, or the same.
    pub to: NodeId,
    /// Bits on the wire, units of work, bits that are coded or decoded, or the timer's tag.
    pub amount: u64,
}

/// Check bytes are kept for this many events at most; a difference after that is still seen by the digest.
const MAX_CHECKS: usize = 1 << 24;
/// Events that are hashed together: a multiple of BLAKE3's chunks that stays in the cache.
const BATCH: usize = 1024;
/// Bytes of an event.
const ENTRY: usize = 24;

/// An event in words: time, nodes, kind and amount.
type Words = [u64; 3];

/// the running digest.
#[derive(Clone, Debug)]
pub struct Timeline {
    hash: Hash,
    /// Not hashed yet.
    pending: Vec<Words>,
    /// Number of the watched event.
    watched: Option<u64>,
    seen: Option<Entry>,
    events: u64,
}

/// The hash of everything up to some event.
#[derive(Clone, Debug)]
struct Hash {
    hasher: blake3::Hasher,
    /// Room for the bytes of a batch.
    bytes: Vec<u8>,
    chain: u64,
    checks: Vec<u8>,
}

impl Hash {
    fn take_in(&mut self, events: &[Words]) {
        self.bytes.resize(events.len() * ENTRY, 0);
        for (place, words) in self.bytes.chunks_exact_mut(ENTRY).zip(events) {
            for (place, word) in place.chunks_exact_mut(8).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        self.hasher.update(&self.bytes);
        let checked = events.len().min(MAX_CHECKS - self.checks.len());
        let chain = &mut self.chain;
        self.checks.extend(events[..checked].iter().map(|[time, nodes, amount]| {
            // One dependent multiplication per event; the three others run beside it.
            let entry = time.wrapping_mul(0xBF58_476D_1CE4_E5B9)
                ^ nodes.wrapping_mul(0x94D0_49BB_1331_11EB).rotate_left(21)
                ^ amount.wrapping_mul(0xD1B5_4A32_D192_ED03).rotate_left(42);
            *chain = (*chain ^ entry).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
            (*chain ^ *chain >> 32) as u8
        }));
    }
}

impl Timeline {
    /// An empty timeline.
    pub fn new() -> Self {
        let hash = Hash { hasher: blake3::Hasher::new(), bytes: Vec::new(), chain: 0, checks: Vec::new() };
        Self { hash, pending: Vec::with_capacity(BATCH), watched: None, seen: None, events: 0 }
    }

    /// Keeps event number `index` (from 0) as it passes: how a verification shows the first difference.
    pub fn watch(&mut self, index: u64) {
        self.watched = Some(index);
    }

    /// The watched event, when it has passed.
    pub fn watched(&self) -> Option<Entry> {
        self.seen
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) {
        if self.watched == Some(self.events) {
            self.seen = Some(entry);
        }
        self.events += 1;
        let nodes = u64::from(entry.from.0) | u64::from(entry.to.0) << 32;
        self.pending.push([entry.time.as_nanos(), nodes, entry.amount << 3 | entry.kind as u64]);
        if self.pending.len() == BATCH {
            self.hash.take_in(&self.pending);
            self.pending.clear();
        }
    }

    /// Number of events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// One check byte per event (the first 2²⁴).
    pub fn checks(&self) -> Vec<u8> {
        self.hash_of_all().checks
    }

    /// BLAKE3 of everything so far, in hexadecimal.
    pub fn digest(&self) -> String {
        self.hash_of_all().hasher.finalize().to_hex().to_string()
    }

    fn hash_of_all(&self) -> Hash {
        let mut hash = self.hash.clone();
        hash.take_in(&self.pending);
        hash
    }
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(amounts: impl IntoIterator<Item = u64>) -> Timeline {
        let mut timeline = Timeline::new();
        for (index, amount) in amounts.into_iter().enumerate() {
            let time = Time::from_nanos(index as u64);
            timeline.push(Entry { time, kind: Kind::Sent, from: NodeId(0), to: NodeId(1), amount });
        }
        timeline
    }

    #[test]
    fn the_check_bytes_find_the_first_difference() {
        let one = timeline(0..5_000);
        let other = timeline((0..5_000).map(|index| if index == 3_210 { 7 } else { index }));
        let first = one.checks().into_iter().zip(other.checks()).position(|(a, b)| a != b);
        assert_eq!(first, Some(3_210));
        assert_ne!(one.digest(), other.digest());
    }

    #[test]
    fn the_digest_does_not_depend_on_buffering() {
        // Slow reference: hash the 24 bytes of every event at once.
        let mut hasher = blake3::Hasher::new();
        for index in 0..5_000u64 {
            for word in [index, 1 << 32, index << 3 | 1] {
                hasher.update(&word.to_le_bytes());
            }
        }
        assert_eq!(timeline(0..5_000).digest(), hasher.finalize().to_hex().to_string());
    }
}
