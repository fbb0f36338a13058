//! A segment: frames one after the other in a file that only grows and that one writer owns. A reader passes over what
//! is damaged and goes on at the next frame that is whole.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::frame::{self, HEADER, Header, MARK};
use super::{Key, StoreError, StoredRun};
use crate::files::allowed;
use crate::{make_folder, uninterrupted};

/// Appends frames to a segment of its own, which is made when the first frame comes.
pub struct SegmentWriter {
    folder: PathBuf,
    open: Option<(PathBuf, File, u64)>,
}

impl SegmentWriter {
    /// Will write into a new segment in `folder`.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), open: None }
    }

    /// Appends a run. When it returns, the operating system has the frame: only a failure of the machine itself can
    /// lose it.
    ///
    /// # Errors
    /// [`StoreError::Io`], a full disk among them; the segment then ends where it did before.
    pub fn append(&mut self, key: Key, run: &StoredRun) -> Result<(), StoreError> {
        self.append_bytes(&frame::frame(key, run))
    }

    pub(super) fn append_bytes(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.open.is_none() {
            self.open = Some(create(&self.folder)?);
        }
        let Some((path, file, end)) = &mut self.open else { return Ok(()) };
        if let Err(error) = uninterrupted(|| allowed().and_then(|()| file.write_all(bytes))) {
            // Whatever part was written is taken back; should even that fail, readers pass over it.
            let _ = file.set_len(*end).and_then(|()| file.seek(SeekFrom::Start(*end)));
            return Err(StoreError::io(path, error));
        }
        *end += bytes.len() as u64;
        Ok(())
    }

    /// Puts on disk what was appended, so that a failure of the machine loses nothing of it either.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        match &self.open {
            Some((path, file, _)) => {
                allowed().and_then(|()| file.sync_data()).map_err(|error| StoreError::io(path, error))
            }
            None => Ok(()),
        }
    }
}

/// A new file with the next free number; two writers never get the same.
fn create(folder: &Path) -> Result<(PathBuf, File, u64), StoreError> {
    make_folder(folder).map_err(|error| StoreError::io(folder, error))?;
    let taken = segments(folder)?;
    let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let mut next = taken.iter().filter_map(number).max().map_or(0, |last| last + 1);
    loop {
        let path = folder.join(format!("{next:06}.{ENDING}"));
        match allowed().and_then(|()| File::create_new(&path)) {
            Ok(file) => {
                // Who finds the lock free knows that no process writes this segment any more. Where the file system has
                // no locks, nobody gets it.
                let _ = file.try_lock();
                return Ok((path, file, 0));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => next += 1,
            Err(error) => return Err(StoreError::io(&path, error)),
        }
    }
}

const ENDING: &str = "seg";

/// The segments in a folder, by name; none when there is no folder.
pub(super) fn segments(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(folder, error)),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(|error| StoreError::io(folder, error)));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == ENDING));
    paths.sort();
    Ok(paths)
}

/// What stands in a segment.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// A frame that begins at this byte.
    Frame(Header, u64),
    /// Bytes that belong to no whole frame; `tail`: they reach to the end, as where a writer was killed or still
    /// writes.
    Damage { at: u64, bytes: u64, tail: bool },
}

/// Bytes that are read at once, and among which a mark is looked for at once.
const WINDOW: usize = 1 << 18;
const STRETCH: usize = 1 << 16;

/// Goes through a segment: a file, or bytes in memory.
pub(super) struct Scanner<R> {
    path: PathBuf,
    file: R,
    /// Bytes of the file that were read last, and where they begin.
    window: Vec<u8>,
    window_at: u64,
    at: u64,
    end: u64,
}

impl Scanner<File> {
    /// Will go from the byte `at` to `end`.
    pub(super) fn open(path: &Path, at: u64, end: u64) -> Result<Self, StoreError> {
        let file = fedbits_spec::files::open(path).map_err(|error| StoreError::io(path, error))?;
        Ok(Self::new(path, file, at, end))
    }
}

impl<R: Read + Seek> Scanner<R> {
    /// Will go through what `file` reads, from the byte `at` to `end`; `path` is its name in errors.
    pub(super) fn new(path: &Path, file: R, at: u64, end: u64) -> Self {
        Self { path: path.to_path_buf(), file, window: Vec::new(), window_at: 0, at, end }
    }

    /// The next frame or stretch of damage; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Found>, StoreError> {
        if self.at >= self.end {
            return Ok(None);
        }
        let start = self.at;
        if let Some((header, next)) = self.frame_at(start)? {
            self.at = next;
            return Ok(Some(Found::Frame(header, start)));
        }
        self.at = self.next_frame(start + 1)?.unwrap_or(self.end);
        Ok(Some(Found::Damage { at: start, bytes: self.at - start, tail: self.at == self.end }))
    }

    /// The frame that begins at a byte, and where it ends.
    fn frame_at(&mut self, at: u64) -> Result<Option<(Header, u64)>, StoreError> {
        if self.end - at < HEADER as u64 {
            return Ok(None);
        }
        let mut bytes = [0; HEADER];
        bytes.copy_from_slice(self.bytes(at, HEADER)?);
        let Some(header) = Header::read(&bytes) else { return Ok(None) };
        let body = at + HEADER as u64;
        let Some(next) = header.payload_length().and_then(|length| body.checked_add(length)) else { return Ok(None) };
        if next > self.end {
            return Ok(None);
        }
        let whole = frame::is_unharmed(&header, self.bytes(body, (next - body) as usize)?);
        Ok(whole.then_some((header, next)))
    }

    /// Where the next whole frame begins, from a byte on.
    fn next_frame(&mut self, from: u64) -> Result<Option<u64>, StoreError> {
        let mut from = from;
        while from + (MARK.len() as u64) <= self.end {
            let length = STRETCH.min((self.end - from) as usize);
            let marks = self.bytes(from, length)?.windows(MARK.len()).enumerate().filter(|(_, bytes)| **bytes == MARK);
            let marks: Vec<u64> = marks.map(|(offset, _)| from + offset as u64).collect();
            for mark in marks {
                if self.frame_at(mark)?.is_some() {
                    return Ok(Some(mark));
                }
            }
            from += (length - (MARK.len() - 1)) as u64;
        }
        Ok(None)
    }

    /// So many bytes before the end; they lie in the window, which is moved where they do not.
    fn bytes(&mut self, at: u64, count: usize) -> Result<&[u8], StoreError> {
        let from = at.checked_sub(self.window_at).map_or(usize::MAX, |from| from as usize);
        if self.window.len().saturating_sub(from) < count {
            let length = count.max(WINDOW).min((self.end - at) as usize);
            self.window.resize(length, 0);
            self.window_at = at;
            let read = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut self.window));
            if let Err(error) = read {
                self.window.clear();
                return Err(StoreError::io(&self.path, error));
            }
        }
        let from = (at - self.window_at) as usize;
        Ok(&self.window[from..from + count])
    }
}
