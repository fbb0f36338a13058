//! Goes through a segment with several threads. Each begins at the first whole frame of its part. A part that does not
//! begin where the one before ends (what looked like a frame lay in another, or in what is damaged) is gone through
//! again from there, so that the same is found as by one thread.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use fedbits_spec::threads;

use super::StoreError;
use super::frame::Header;
use super::segment::{Found, Scanner};

/// Bytes that are worth a thread.
const PART: u64 = 1 << 26;
/// Room that is taken for so many results at once.
const RESERVED: u64 = 1 << 20;

/// Where a run lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) header: Header,
    pub(super) segment: usize,
    pub(super) at: u64,
}

/// What begins in a part of a segment: its frames in their order, and what is damaged.
pub(super) struct Part {
    begin: u64,
    pub(super) entries: Vec<Entry>,
    pub(super) damage: Vec<Found>,
    /// Where the last ends, which can be behind the part.
    end: u64,
}

/// What stands in a segment, whose number is given, between two bytes, of which the first begins something.
pub(super) fn between(path: &Path, segment: usize, (begin, end): (u64, u64)) -> Result<Part, StoreError> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    in_parts(path, segment, (begin, end), processors.min((end - begin) / PART).max(1))
}

/// The same in so many parts, of equal length but for the last.
fn in_parts(path: &Path, segment: usize, (begin, end): (u64, u64), count: u64) -> Result<Part, StoreError> {
    let border = |number: u64| begin + (end - begin) / count * number;
    let borders: Vec<u64> = (0..count).map(border).chain([end]).collect();
    let part = |from, to| -> Result<Part, StoreError> {
        let mut scanner = Scanner::open(path, from, end)?;
        if from > begin {
            scanner.skip_to_frame()?;
        }
        Part::scan(scanner, segment, to)
    };
    thread::scope(|scope| {
        let begun = |border: &[u64]| {
            let (from, to) = (border[0], border[1]);
            (to, threads::spawn_scoped(scope, move || part(from, to)))
        };
        let others: Vec<_> = borders[1..].windows(2).map(begun).collect();
        let mut all = part(begin, borders[1])?;
        for (to, other) in others {
            let mut next = match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                Err(work) => work()?,
            };
            if next.begin != all.end {
                next = Part::scan(Scanner::open(path, all.end, end)?, segment, to)?;
            }
            all.entries.append(&mut next.entries);
            all.damage.append(&mut next.damage);
            all.end = next.end;
        }
        Ok(all)
    })
}

impl Part {
    fn scan(mut scanner: Scanner, segment: usize, to: u64) -> Result<Self, StoreError> {
        let (begin, mut entries, mut damage) = (scanner.at(), Vec::new(), Vec::new());
        while scanner.at() < to
            && let Some(found) = scanner.next()?
        {
            match found {
                Found::Frame(header, at) => {
                    if entries.len() == entries.capacity() {
                        // Results in one segment are about as long as each other.
                        entries.reserve((to.saturating_sub(at) / header.end(0) + 1).min(RESERVED) as usize);
                    }
                    entries.push(Entry { header, segment, at });
                }
                Found::Damage { .. } => damage.push(found),
            }
        }
        Ok(Self { begin, entries, damage, end: scanner.at() })
    }
}

#[cfg(test)]
mod tests {
    use super::in_parts;
    use crate::results::Key;
    use crate::results::frame::with_payload;
    use crate::results::status::RunStatus;
    use proptest::prelude::*;

    fn frame(payload: &[u8]) -> Vec<u8> {
        with_payload(Key::from_bytes([7; 32]), RunStatus::NotRun, 0.0, &[], payload)
    }

    /// Frames, frames in frames, frames that are cut off or changed, and anything else.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..300);
        let harmed = (bytes(), any::<prop::sample::Index>(), any::<bool>()).prop_map(|(payload, at, is_cut)| {
            let mut frame = frame(&[&frame(&payload)[..], &payload].concat());
            let at = at.index(frame.len());
            frame[at] ^= 1;
            frame.truncate(if is_cut { at } else { frame.len() });
            frame
        });
        let within = prop::collection::vec(bytes(), 1..6)
            .prop_map(|payloads| frame(&payloads.iter().flat_map(|payload| frame(payload)).collect::<Vec<u8>>()));
        prop_oneof![4 => bytes().prop_map(|payload| frame(&payload)), 2 => within, 1 => harmed, 1 => bytes()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// However many threads look, the same is found.
        #[test]
        fn parts_find_what_one_finds(pieces in prop::collection::vec(piece(), 0..12), count in 2u64..9) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let bytes = pieces.concat();
            std::fs::write(file.path(), &bytes).unwrap();
            let found = |count| {
                let part = in_parts(file.path(), 0, (0, bytes.len() as u64), count).unwrap();
                (part.entries, part.damage)
            };
            prop_assert_eq!(found(count), found(1));
        }
    }
}
