//! The store of a study: all segments of its folder, indexed by key.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::frame::{self, FrameKind, HEADER, Header};
use super::segment::{Found, Scanner, segments};
use super::{Key, StoreError, StoredRun};
use crate::{Cut, RunRecord};

/// A stretch of a segment that holds no whole frame; the runs that stood there are made again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Damage {
    /// The segment.
    pub path: PathBuf,
    /// Its first byte.
    pub at: u64,
    /// Its length.
    pub bytes: u64,
    /// Whether it reaches to the end of the file, as where a writer was stopped in the middle of a frame.
    pub tail: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, at, bytes, tail } = self;
        let what = if *tail {
            "are no whole result: a process was stopped while it wrote, or writes now"
        } else {
            "are damaged"
        };
        write!(
            f,
            "{}: {bytes} bytes from byte {at} on {what}; a run that stood there counts as not run",
            path.display()
        )
    }
}

/// Where a run lies.
#[derive(Clone, Copy, Debug)]
struct StoreEntry {
    header: Header,
    segment: usize,
    at: u64,
}

/// All runs in the segments of a folder.
pub struct Store {
    segments: Vec<PathBuf>,
    entries: BTreeMap<Key, StoreEntry>,
    damage: Vec<Damage>,
    /// The segment that was read last, kept open.
    open: RefCell<Option<(usize, File)>>,
}

impl Store {
    /// Opens all segments in `folder` and looks at every byte; no segment when there is no such folder.
    ///
    /// # Errors
    /// [`StoreError::Io`], and [`StoreError::Conflict`] when one key has two results. Damage is no error.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let (segments, open) = (segments(folder)?, RefCell::new(None));
        let mut store = Self { segments, entries: BTreeMap::new(), damage: Vec::new(), open };
        for segment in 0..store.segments.len() {
            store.scan(segment)?;
        }
        Ok(store)
    }

    fn scan(&mut self, segment: usize) -> Result<(), StoreError> {
        let path = self.segments[segment].clone();
        let mut scanner = Scanner::open(&path)?;
        while let Some(found) = scanner.next()? {
            match found {
                Found::Frame(header, at) => self.enter(StoreEntry { header, segment, at })?,
                Found::Damage { at, bytes, tail } => self.damage.push(Damage { path: path.clone(), at, bytes, tail }),
            }
        }
        Ok(())
    }

    /// A result stays; that a run could not be run holds until there is a result.
    fn enter(&mut self, entry: StoreEntry) -> Result<(), StoreError> {
        match self.entries.get(&entry.header.key) {
            Some(known) if known.header.kind != FrameKind::NotRun => {
                if entry.header.kind != FrameKind::NotRun && entry.header.hash != known.header.hash {
                    return Err(StoreError::Conflict {
                        key: entry.header.key.to_string(),
                        first: self.segments[known.segment].clone(),
                        second: self.segments[entry.segment].clone(),
                    });
                }
            }
            _ => drop(self.entries.insert(entry.header.key, entry)),
        }
        Ok(())
    }

    /// Stretches of segments that hold nothing whole.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// What became of the run of a key, if anything did.
    #[must_use]
    pub fn kind(&self, key: &Key) -> Option<FrameKind> {
        self.entries.get(key).map(|entry| entry.header.kind)
    }

    /// Where a run is found: by its own key where it is there, else as a search ended it.
    pub(super) fn key_of(&self, key: Key, cut: Option<Cut>) -> Key {
        let is_whole = self.kind(&key).is_some_and(|kind| kind != FrameKind::NotRun);
        let cut = cut.filter(|_| !is_whole).map(|cut| key.with_cut(&cut));
        cut.filter(|own| self.kind(own).is_some()).unwrap_or(key)
    }

    /// Keys of all runs, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.keys()
    }

    /// What the header says of the run of a key.
    pub(super) fn header(&self, key: &Key) -> Option<&Header> {
        self.entries.get(key).map(|entry| &entry.header)
    }

    /// BLAKE3 of the result of a key: equal for equal results.
    pub(super) fn hash(&self, key: &Key) -> Option<[u8; 32]> {
        self.entries.get(key).filter(|entry| entry.header.kind != FrameKind::NotRun).map(|entry| entry.header.hash)
    }

    /// Reads the run of a key; `None` when there is none.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Damaged`].
    pub fn run(&self, key: &Key) -> Result<Option<StoredRun>, StoreError> {
        let Some(entry) = self.entries.get(key) else { return Ok(None) };
        let bytes = self.bytes(entry)?;
        let path = || self.segments[entry.segment].clone();
        let run = frame::payload(&entry.header, &bytes[HEADER..]);
        run.map(Some).ok_or_else(|| StoreError::Damaged { path: path(), at: entry.at })
    }

    /// Reads the record of a finished run; `None` when there is none.
    pub(super) fn record(&self, key: &Key) -> Result<Option<RunRecord>, StoreError> {
        Ok(match self.run(key)? {
            Some(StoredRun::Finished(record)) => Some(*record),
            _ => None,
        })
    }

    /// The whole frame of a key, to be copied into another store.
    pub(super) fn frame(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.entries.get(key).map(|entry| self.bytes(entry)).transpose()
    }

    fn bytes(&self, entry: &StoreEntry) -> Result<Vec<u8>, StoreError> {
        let path = &self.segments[entry.segment];
        let failed = |error| StoreError::io(path, error);
        let mut open = self.open.borrow_mut();
        if open.as_ref().is_none_or(|(segment, _)| *segment != entry.segment) {
            *open = Some((entry.segment, File::open(path).map_err(failed)?));
        }
        let length = HEADER + entry.header.payload_length().unwrap_or(0) as usize;
        let mut bytes = vec![0; length];
        if let Some((_, file)) = open.as_mut() {
            file.seek(SeekFrom::Start(entry.at)).and_then(|_| file.read_exact(&mut bytes)).map_err(failed)?;
        }
        Ok(bytes)
    }
}
