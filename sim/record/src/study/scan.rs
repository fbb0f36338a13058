//! Goes through a segment with several threads. Each begins at the first whole frame of its part. A part that does not begin where
//! the one before ends (what looked like a frame lay in another, or in what is damaged) is gone through again from there,
//! so that the same is found as by one thread.

use std::num::NonZero;
use std::path::Path;
use std::thread;

use super::StoreError;
use super::segment::{Found, Scanner};

/// Bytes that are worth a thread.
const PART: u64 = 1 << 26;
/// Room that is taken for so many results at once.
const RESERVED: u64 = 1 << 20;

/// What stands in a segment, in its order.
pub(super) fn all(path: &Path) -> Result<Vec<Found>, StoreError> {
    let end = std::fs::metadata(path).map_err(|error| StoreError::io(path, error))?.len();
    let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    in_parts(path, end, processors.min(end / PART).max(1))
}

/// The first `end` bytes in so many parts of equal length.
fn in_parts(path: &Path, end: u64, count: u64) -> Result<Vec<Found>, StoreError> {
    let borders: Vec<u64> = (0..=count).map(|number| end / count * number + (end % count) * number / count).collect();
    let part = |from, to| -> Result<Part, StoreError> {
        let mut scanner = Scanner::open(path, from, end)?;
        if from > 0 {
            scanner.skip_to_frame()?;
        }
        Part::scan(scanner, to)
    };
    let parts: Vec<Result<Part, StoreError>> = thread::scope(|scope| {
        let threads: Vec<_> =
            borders.windows(2).skip(1).map(|border| scope.spawn(move || part(border[0], border[1]))).collect();
        let first = part(borders[0], borders[1]);
        let joined =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(joined).collect()
    });
    let (mut all, mut at) = (Vec::new(), 0);
    for (part, &to) in parts.into_iter().zip(&borders[1..]) {
        let mut part = part?;
        if part.begin != at {
            part = Part::scan(Scanner::open(path, at, end)?, to)?;
        }
        all.append(&mut part.found);
        at = part.end;
    }
    Ok(all)
}

/// What begins in a part of a segment.
struct Part {
    begin: u64,
    found: Vec<Found>,
    /// Where the last ends, which can be behind the part.
    end: u64,
}

impl Part {
    fn scan(mut scanner: Scanner, to: u64) -> Result<Self, StoreError> {
        let (begin, mut found) = (scanner.at(), Vec::new());
        while scanner.at() < to
            && let Some(next) = scanner.next()?
        {
            if found.len() == found.capacity()
                && let Found::Frame(header, _) = &next
            {
                // Results of a study are about as long as each other.
                found.reserve((to.saturating_sub(scanner.at()) / header.end(0) + 1).min(RESERVED) as usize);
            }
            found.push(next);
        }
        Ok(Self { begin, found, end: scanner.at() })
    }
}

#[cfg(test)]
mod tests {
    use super::in_parts;
    use crate::study::Key;
    use crate::study::frame::{FrameKind, with_payload};
    use proptest::prelude::*;

    fn frame(payload: &[u8]) -> Vec<u8> {
        with_payload(Key::from_bytes([7; 32]), FrameKind::NotRun, 0.0, &[], payload)
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
            let end = bytes.len() as u64;
            prop_assert_eq!(in_parts(file.path(), end, count).unwrap(), in_parts(file.path(), end, 1).unwrap());
        }
    }
}
