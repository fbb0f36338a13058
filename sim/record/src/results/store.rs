//! The store of results: all segments of a folder, indexed by key.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fedbits_spec::Caveat;

use super::frame::{self, HEADER, Header};
use super::run::{Depth, RunStatus};
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

impl Damage {
    /// The caveat of the runs that are lost.
    #[must_use]
    pub fn caveat(&self) -> Caveat {
        let damage = match self.tail {
            true => "are not a complete result: a process was stopped while it wrote, or writes now",
            false => "are damaged",
        };
        Caveat::DamagedStore {
            file: self.path.display().to_string(),
            bytes: self.bytes.to_string(),
            start: self.at.to_string(),
            damage: damage.to_owned(),
        }
    }
}

/// All runs in the segments of a folder.
pub struct Store {
    segments: Vec<PathBuf>,
    /// In the order in which they lie.
    entries: Vec<Entry>,
    /// All of them by the first bytes of their keys, which nearly always tell keys apart.
    places: Vec<Place>,
    /// How many keys they have.
    distinct: u64,
    damage: Vec<Damage>,
    /// By segment the byte from which on something new may stand: its end, or where it begins to hold nothing whole.
    ends: Vec<u64>,
    /// The segment that was read last, kept open.
    open: RefCell<Option<(usize, File)>>,
    /// The only segment of a store that is in no folder.
    memory: Option<Vec<u8>>,
}

/// Where a run lies.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    header: Header,
    segment: usize,
    at: u64,
}

/// The first bytes of a key, and the number of a frame that has it.
type Place = (u64, usize);

impl Store {
    /// Opens all segments in `folder` and looks at every byte; no segment when there is no such folder.
    ///
    /// # Errors
    /// [`StoreError::Io`], and [`StoreError::Conflict`] when one key has two results that differ, failures
    /// aside. Damage is no error.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::read(folder, None)
    }

    /// The same folder as it is now; of what was read before only segments that have become shorter are read again.
    pub(super) fn reread(&self, folder: &Path) -> Result<Self, StoreError> {
        Self::read(folder, Some(self))
    }

    fn read(folder: &Path, former: Option<&Self>) -> Result<Self, StoreError> {
        let segments = segments(folder)?;
        let (mut entries, mut damage, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for (segment, path) in segments.iter().enumerate() {
            let end = std::fs::metadata(path).map_err(|error| StoreError::io(path, error))?.len();
            let known = former.and_then(|former| former.of_segment(path)).filter(|known| known.1 <= end);
            let (before, begin) = known.unwrap_or_default();
            if let Some(former) = former.filter(|_| begin > 0) {
                damage.extend(former.damage.iter().filter(|damage| damage.path == *path && !damage.tail).cloned());
            }
            entries.extend(before.iter().map(|entry| Entry { segment, ..*entry }));
            ends.push(scan(Scanner::open(path, begin, end)?, (segment, path, end), &mut entries, &mut damage)?);
        }
        Self::indexed(segments, entries, (damage, ends), None)
    }

    /// The store whose frames are these bytes.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], as for [`Store::open`].
    pub(super) fn in_memory(bytes: Vec<u8>) -> Result<Self, StoreError> {
        let (path, end) = (PathBuf::from("memory"), bytes.len() as u64);
        let (mut entries, mut damage) = (Vec::new(), Vec::new());
        let scanner = Scanner::new(&path, Cursor::new(&bytes), 0, end);
        let ends = vec![scan(scanner, (0, &path, end), &mut entries, &mut damage)?];
        Self::indexed(vec![path], entries, (damage, ends), Some(bytes))
    }

    fn indexed(
        segments: Vec<PathBuf>,
        entries: Vec<Entry>,
        (damage, ends): (Vec<Damage>, Vec<u64>),
        memory: Option<Vec<u8>>,
    ) -> Result<Self, StoreError> {
        let numbered = entries.iter().enumerate();
        let mut places: Vec<Place> = numbered.map(|(number, entry)| (entry.header.key.prefix(), number)).collect();
        places.sort_unstable();
        let mut store = Self { segments, entries, places, distinct: 0, damage, ends, open: RefCell::new(None), memory };
        let groups = store.places.chunk_by(|one, next| one.0 == next.0);
        store.distinct = groups.map(|group| store.distinct(group)).sum::<Result<u64, StoreError>>()?;
        Ok(store)
    }

    /// What was read of a segment, and up to where.
    fn of_segment(&self, path: &Path) -> Option<(&[Entry], u64)> {
        let segment = self.segments.binary_search_by(|known| known.as_path().cmp(path)).ok()?;
        let begin = self.entries.partition_point(|entry| entry.segment < segment);
        let length = self.entries[begin..].partition_point(|entry| entry.segment == segment);
        Some((&self.entries[begin..begin + length], self.ends[segment]))
    }

    /// How many keys there are among frames whose keys begin alike; results of one key must be equal, but for failures:
    /// a run that failed can be made again, by a program in which the cause is repaired.
    fn distinct(&self, group: &[Place]) -> Result<u64, StoreError> {
        if group.len() == 1 {
            return Ok(1);
        }
        let mut entries: Vec<&Entry> = group.iter().map(|(_, number)| &self.entries[*number]).collect();
        entries.sort_by_key(|entry| entry.header.key);
        let mut keys = 0;
        for of_key in entries.chunk_by(|one, next| one.header.key == next.header.key) {
            keys += 1;
            let mut results = of_key.iter().filter(|entry| entry.header.kind.is_final());
            let Some(first) = results.next() else { continue };
            if let Some(second) = results.find(|second| second.header.hash != first.header.hash) {
                return Err(StoreError::Conflict {
                    key: first.header.key.to_string(),
                    first: self.segments[first.segment].clone(),
                    second: self.segments[second.segment].clone(),
                });
            }
        }
        Ok(keys)
    }

    /// What there is of a key: a result stays; that a run failed or could not be run holds until there is something
    /// better, the last of several.
    fn entry(&self, key: &Key) -> Option<&Entry> {
        self.number(key).map(|number| &self.entries[number])
    }

    fn number(&self, key: &Key) -> Option<usize> {
        let prefix = key.prefix();
        let begin = self.places.partition_point(|place| place.0 < prefix);
        let alike = self.places[begin..].iter().take_while(|place| place.0 == prefix).map(|(_, number)| *number);
        let same = alike.filter(|number| self.entries[*number].header.key == *key);
        let kind = |number: usize| self.entries[number].header.kind;
        same.reduce(|best, next| match !kind(best).is_final() && kind(next).rank() >= kind(best).rank() {
            true => next,
            false => best,
        })
    }

    /// The frame of a run, by its own key where it is there, else as a search ended it.
    pub(super) fn frame_of(&self, key: Key, cut: Option<Cut>) -> Option<usize> {
        let whole = self.number(&key);
        let cut = || cut.and_then(|cut| self.number(&key.with_cut(&cut)));
        match whole.filter(|number| self.header(*number).kind != RunStatus::NotRun) {
            None => cut().or(whole),
            result => result,
        }
    }

    /// Of a frame.
    pub(super) fn header(&self, number: usize) -> &Header {
        &self.entries[number].header
    }

    /// Stretches of segments that hold nothing whole.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// What became of the run of a key, if anything did.
    #[must_use]
    pub fn kind(&self, key: &Key) -> Option<RunStatus> {
        self.entry(key).map(|entry| entry.header.kind)
    }

    /// Where a run is found: by its own key where it is there, else as a search ended it.
    pub(super) fn key_of(&self, key: Key, cut: Option<Cut>) -> Key {
        self.frame_of(key, cut).map_or(key, |number| self.header(number).key)
    }

    /// How many runs have a result, or could not be run.
    #[must_use]
    pub fn distinct_keys(&self) -> u64 {
        self.distinct
    }

    /// The key of every frame, in the order in which they lie.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.iter().map(|entry| &entry.header.key)
    }

    /// What there is of a key, and the segment in which it lies.
    pub(super) fn found(&self, key: &Key) -> Option<(&Header, &Path)> {
        self.entry(key).map(|entry| (&entry.header, self.segments[entry.segment].as_path()))
    }

    /// Reads the run of a key; `None` when there is none.
    pub fn run(&self, key: &Key) -> Result<Option<StoredRun>, StoreError> {
        self.read_run(key, Depth::Tables)
    }

    fn read_run(&self, key: &Key, depth: Depth) -> Result<Option<StoredRun>, StoreError> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let bytes = self.bytes(entry)?;
        let path = || self.segments[entry.segment].clone();
        let run = frame::payload(&entry.header, &bytes[HEADER..], depth);
        run.map(Some).ok_or_else(|| StoreError::Damaged { path: path(), at: entry.at })
    }

    /// Reads the record of a finished run; `None` when there is none.
    pub(super) fn record(&self, key: &Key, depth: Depth) -> Result<Option<RunRecord>, StoreError> {
        Ok(match self.read_run(key, depth)? {
            Some(StoredRun::Finished(record)) => Some(*record),
            _ => None,
        })
    }

    /// The whole frame of a key, to be copied into another store.
    pub(super) fn frame(&self, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
        self.entry(key).map(|entry| self.bytes(entry)).transpose()
    }

    fn bytes(&self, entry: &Entry) -> Result<Vec<u8>, StoreError> {
        let length = HEADER + entry.header.payload_length().unwrap_or(0) as usize;
        if let Some(memory) = &self.memory {
            return Ok(memory[entry.at as usize..][..length].to_vec());
        }
        let path = &self.segments[entry.segment];
        let failed = |error| StoreError::io(path, error);
        let mut open = self.open.borrow_mut();
        if open.as_ref().is_none_or(|(segment, _)| *segment != entry.segment) {
            *open = Some((entry.segment, fedbits_spec::files::open(path).map_err(failed)?));
        }
        let mut bytes = vec![0; length];
        if let Some((_, file)) = open.as_mut() {
            file.seek(SeekFrom::Start(entry.at)).and_then(|_| file.read_exact(&mut bytes)).map_err(failed)?;
        }
        Ok(bytes)
    }
}

/// Adds the frames of a segment and its damage; returns the byte from which on something new may stand.
fn scan<R: Read + Seek>(
    mut scanner: Scanner<R>,
    (segment, path, end): (usize, &Path, u64),
    entries: &mut Vec<Entry>,
    all_damage: &mut Vec<Damage>,
) -> Result<u64, StoreError> {
    let mut next = end;
    while let Some(found) = scanner.next()? {
        match found {
            Found::Frame(header, at) => entries.push(Entry { header, segment, at }),
            Found::Damage { at, bytes, tail } => {
                all_damage.push(Damage { path: path.to_path_buf(), at, bytes, tail });
                next = if tail { at } else { end };
            }
        }
    }
    Ok(next)
}
