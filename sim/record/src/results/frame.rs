//! A frame: a header that guards itself, and a payload that the header guards.
//!
//! Three sums, one for each thing that can go wrong. The CRC of the header says, before a byte of the payload is read,
//! that a mark in the middle of damage is no frame and that lengths and key can be trusted. The CRC of the payload says
//! that nothing of host's part and result was cut off, flipped or overwritten; it is checked whenever a frame is read.
//! BLAKE3 is no guard: it names the result, so that two results under one key, and two folders, are compared without
//! reading them. It is computed once, when the frame is written.
//!
//! | bytes | hold (whole numbers little-endian) |
//! |---|---|
//! | 0–7 | the mark by which a reader finds the next frame after damage |
//! | 8 | the kind: 1 finished, 2 the simulation failed, 3 could not be run, 4 ended early, 5 finished and degenerate |
//! | 9 | the layout of what follows: 1. A frame of another layout is passed over, and its run made again |
//! | 10–11 | 0 |
//! | 12–15 | length of the host's part |
//! | 16–23 | length of the result |
//! | 24–31 | host seconds, the bits of a float |
//! | 32–63 | the key |
//! | 64–95 | BLAKE3 of the result: what must be equal under equal keys |
//! | 96–99 | CRC-32 of the payload |
//! | 100–103 | CRC-32 of bytes 0–99 |
//! | 104– | the host's part, then the result |

use super::Key;
use super::run::{Depth, RunStatus, StoredRun};

pub(super) const MARK: [u8; 8] = *b"\xF5fedbit\n";
pub(super) const HEADER: usize = 104;
/// How a result is laid out.
const LAYOUT: u8 = 1;

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) kind: RunStatus,
    pub(super) host_length: u32,
    pub(super) body_length: u64,
    pub(super) seconds: f64,
    pub(super) key: Key,
    pub(super) hash: [u8; 32],
    pub(super) crc: u32,
}

impl Header {
    /// Bytes after the header; `None` when no file can hold this many.
    pub(super) fn payload_length(&self) -> Option<u64> {
        self.body_length.checked_add(u64::from(self.host_length))
    }

    /// Where a frame ends that begins at a byte.
    pub(super) fn end(&self, at: u64) -> u64 {
        at + HEADER as u64 + self.payload_length().unwrap_or(0)
    }

    /// The header in the first bytes, if it is one and unharmed.
    pub(super) fn read(bytes: &[u8; HEADER]) -> Option<Self> {
        let part = |from: usize, to: usize| &bytes[from..to];
        let four = |from: usize| u32::from_le_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]]);
        let eight = |from: usize| u64::from(four(from)) | u64::from(four(from + 4)) << 32;
        let thirty_two = |from: usize| <[u8; 32]>::try_from(part(from, from + 32)).ok();
        if *part(0, 8) != MARK || *part(9, 12) != [LAYOUT, 0, 0] || four(100) != crc32fast::hash(part(0, 100)) {
            return None;
        }
        Some(Self {
            kind: *RunStatus::ALL.get(usize::from(bytes[8]).checked_sub(1)?)?,
            host_length: four(12),
            body_length: eight(16),
            seconds: f64::from_bits(eight(24)),
            key: Key(thirty_two(32)?),
            hash: thirty_two(64)?,
            crc: four(96),
        })
    }

    fn write(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MARK);
        let place = RunStatus::ALL.iter().position(|kind| *kind == self.kind);
        bytes[8] = place.map_or(0, |place| place as u8 + 1);
        bytes[9] = LAYOUT;
        bytes[12..16].copy_from_slice(&self.host_length.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.body_length.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.seconds.to_bits().to_le_bytes());
        bytes[32..64].copy_from_slice(&self.key.0);
        bytes[64..96].copy_from_slice(&self.hash);
        bytes[96..100].copy_from_slice(&self.crc.to_le_bytes());
        let guard = crc32fast::hash(&bytes[..100]);
        bytes[100..].copy_from_slice(&guard.to_le_bytes());
        bytes
    }
}

/// A run as bytes: the frame that a segment has of it.
#[must_use]
pub fn frame(key: Key, run: &StoredRun) -> Vec<u8> {
    let (host, body) = run.write();
    let seconds = if let StoredRun::Finished(record) = run { record.manifest.host.seconds } else { 0.0 };
    with_payload(key, run.kind(), seconds, &host, &body)
}

/// A whole frame of what the host says and of a result.
pub(super) fn with_payload(key: Key, kind: RunStatus, seconds: f64, host: &[u8], body: &[u8]) -> Vec<u8> {
    let mut crc = crc32fast::Hasher::new();
    crc.update(host);
    crc.update(body);
    let header = Header {
        kind,
        host_length: u32::try_from(host.len()).expect("the host's part has less than 4 GiB"),
        body_length: body.len() as u64,
        seconds,
        key,
        hash: *blake3::hash(body).as_bytes(),
        crc: crc.finalize(),
    };
    [&header.write()[..], host, body].concat()
}

/// Is a payload the one that was written? That nothing is decoded makes `status` of many runs four times as fast.
pub(super) fn is_unharmed(header: &Header, payload: &[u8]) -> bool {
    crc32fast::hash(payload) == header.crc
}

/// The run in a payload, if the payload is unharmed.
pub(super) fn payload(header: &Header, payload: &[u8], depth: Depth) -> Option<StoredRun> {
    if !is_unharmed(header, payload) {
        return None;
    }
    let (host, body) = payload.split_at_checked(header.host_length as usize)?;
    match header.kind {
        RunStatus::NotRun => std::str::from_utf8(host).ok().map(|why| StoredRun::NotRun(fedbits_spec::visible(why))),
        _ => StoredRun::read_finished(host, body, depth).map(|record| StoredRun::Finished(Box::new(record))),
    }
}
