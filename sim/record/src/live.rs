//! Where others can read how far a run is: a small file that its process writes anew every second, beside the folder of
//! the record or in it, and removes at the end.
//!
//! The process holds a lock on it: who finds it free knows that the process is gone. Where the file system has no
//! locks, that the file changes is the sign of life.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::ending;
use crate::files::{TEMPORARY, folder_of, make, open_to_lock};
use crate::folder::is_record;
use crate::{RecordError, undivided};

/// What stands between [`TEMPORARY`] and the random part of the name.
const MARK: &str = "live-";
/// What the file says first, with a sum over what follows.
const FORMAT: &str = "fedbits live 1";
/// How often a process tries to hold its file, a millisecond apart.
const HOLD_TRIES: u32 = 1_000;
/// As long as such a file may be.
const MAX_BYTES: u64 = 64 << 20;

/// What stands in the file below its first line.
#[derive(Serialize)]
struct Content<'a, T> {
    target: &'a str,
    state: &'a T,
}

/// The file while its process runs; removed when dropped.
#[derive(Debug)]
pub struct LiveFile {
    file: NamedTempFile,
    target: String,
    /// Folders that were made for it, deepest first; removed when nothing else is in them.
    folders: Vec<PathBuf>,
}

impl LiveFile {
    /// Makes one for the run or study whose results will be in `target`, beside it, or in it where it is a folder and
    /// holds no record. Those that killed processes left for the same target are removed.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn create(target: &Path) -> Result<Self, RecordError> {
        for former in find(target)? {
            if former.hold == Hold::Free {
                remove_left(&former.path);
            }
        }
        let (folder, target) = home(target);
        let folders = make(&folder)?;
        loop {
            let file = new_file(&folder)?;
            hold(file.as_file());
            // Another process may have taken it for one that was left, before it was held.
            if file.path().exists() {
                return Ok(Self { file, target, folders });
            }
        }
    }

    /// Replaces what it says.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn write(&mut self, state: &impl Serialize) -> Result<(), RecordError> {
        let io = |source| RecordError::io(self.file.path(), source);
        let body = serde_json::to_string(&Content { target: &self.target, state }).map_err(|error| io(error.into()))?;
        let text = format!("{FORMAT} {:08x}\n{body}\n", crc32fast::hash(body.as_bytes()));
        let file = self.file.as_file_mut();
        let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(text.as_bytes()));
        let whole = written.and_then(|()| file.set_len(text.len() as u64));
        whole.map_err(|source| RecordError::io(self.file.path(), source))
    }
}

fn new_file(folder: &Path) -> Result<NamedTempFile, RecordError> {
    let mut builder = tempfile::Builder::new();
    let prefix = format!("{TEMPORARY}{MARK}");
    builder.prefix(&prefix).suffix(".json");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = ending::temporary(|| builder.tempfile_in(folder), NamedTempFile::path);
    file.map_err(|source| RecordError::io(folder, source))
}

/// Locks a file. Who looks whether it is held has the lock for a moment: that is waited for. Where there are no locks,
/// readers go by whether the file changes.
fn hold(file: &File) {
    for _ in 0..HOLD_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            Ok(()) | Err(TryLockError::Error(_)) => return,
        }
    }
}

/// Removes a file that a killed process left, unless a process has begun to hold it.
fn remove_left(path: &Path) {
    if let Ok(file) = open_to_lock(path)
        && file.try_lock().is_ok()
    {
        let _ = std::fs::remove_file(path);
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        undivided(|| {
            let path = self.file.path();
            let _ = std::fs::remove_file(path);
            ending::no_longer_temporary(path);
            self.folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
        });
    }
}

/// Whether a process holds a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hold {
    /// None does.
    Free,
    /// One does.
    Held,
    /// The file system has no locks.
    Unknown,
}

/// Such a file, found by another process.
#[derive(Debug)]
pub struct FoundLive {
    /// Where it is.
    pub path: PathBuf,
    /// Does a process hold it?
    pub hold: Hold,
    /// What it says; none while it is being written. One that is held and being written may be of another target.
    pub state: Option<Value>,
}

/// The files of the processes that make results for `target` now, or that were killed while they did.
///
/// # Errors
/// [`RecordError::Io`].
pub fn find(target: &Path) -> Result<Vec<FoundLive>, RecordError> {
    let mut found = in_folder(target, "")?;
    if let Some(name) = name_of(target) {
        found.extend(in_folder(folder_of(&whole(target)), &name)?);
    }
    Ok(found)
}

/// The folder of the file of a target, and what the file calls the target.
fn home(target: &Path) -> (PathBuf, String) {
    match name_of(target) {
        Some(name) if !target.is_dir() || is_record(target).unwrap_or(false) => {
            (folder_of(&whole(target)).to_path_buf(), name)
        }
        _ => (target.to_path_buf(), String::new()),
    }
}

/// The path without links, as far as it exists.
fn whole(target: &Path) -> PathBuf {
    target.canonicalize().unwrap_or_else(|_| target.to_path_buf())
}

fn name_of(target: &Path) -> Option<String> {
    whole(target).file_name().map(|name| name.to_string_lossy().into_owned())
}

fn in_folder(folder: &Path, target: &str) -> Result<Vec<FoundLive>, RecordError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if [std::io::ErrorKind::NotFound, std::io::ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(RecordError::io(folder, error)),
    };
    let is_live = |name: &OsStr| name.to_string_lossy().starts_with(&format!("{TEMPORARY}{MARK}"));
    let mut paths: Vec<PathBuf> =
        entries.flatten().filter(|entry| is_live(&entry.file_name())).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths.into_iter().filter_map(|path| read(path, target)).collect())
}

/// A file, if it is one of the target. One that is gone meanwhile is none.
fn read(path: PathBuf, target: &str) -> Option<FoundLive> {
    let mut file =
        fedbits_spec::files::open(&path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    let hold = match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            Hold::Free
        }
        Err(TryLockError::WouldBlock) => Hold::Held,
        Err(TryLockError::Error(_)) => Hold::Unknown,
    };
    let mut text = String::new();
    let whole = Read::by_ref(&mut file).take(MAX_BYTES).read_to_string(&mut text).ok().and_then(|_| parse(&text));
    match whole {
        Some((own, state)) => (own == target).then_some(FoundLive { path, hold, state: Some(state) }),
        // One that is being written may have been known to be of this target before; of those that were left, only
        // those of the folder itself are surely meant.
        None => (hold != Hold::Free || target.is_empty()).then_some(FoundLive { path, hold, state: None }),
    }
}

fn parse(text: &str) -> Option<(String, Value)> {
    let (head, body) = text.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    let sum = u32::from_str_radix(head.strip_prefix(FORMAT)?.trim(), 16).ok()?;
    if sum != crc32fast::hash(body.as_bytes()) {
        return None;
    }
    let mut whole: Value = serde_json::from_str(body).ok()?;
    Some((whole.get("target")?.as_str()?.to_owned(), whole.get_mut("state")?.take()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn states(target: &Path) -> Vec<(bool, Option<Value>)> {
        find(target).unwrap().into_iter().map(|found| (found.hold == Hold::Held, found.state)).collect()
    }

    #[test]
    fn it_is_found_while_it_is_written_and_gone_afterwards() {
        let home = tempfile::tempdir().unwrap();
        for (target, there) in [("deep/er/record", false), ("there", true), ("deep/er/record/", false)] {
            let target = home.path().join(target);
            if there {
                std::fs::create_dir(&target).unwrap();
            }
            let mut live = LiveFile::create(&target).unwrap();
            live.write(&json!({"rounds": 12_345, "values": [1.5, null]})).unwrap();
            live.write(&json!(7)).unwrap();
            assert_eq!(states(&target), [(true, Some(json!(7)))]);
            assert_eq!(states(&target.with_file_name("other")), []);
            drop(live);
            assert_eq!(states(&target), []);
            assert!(!home.path().join("deep").exists(), "folders made for it are gone");
        }
    }

    /// A file that is being written is there all the same, beside its target, too: who knows it goes on with what it
    /// said before. Who looks while it is made does not keep its process from holding it.
    #[test]
    fn a_file_that_is_being_written_is_held() {
        let home = tempfile::tempdir().unwrap();
        for target in ["record", "."] {
            let target = home.path().join(target);
            let mut live = LiveFile::create(&target).unwrap();
            live.write(&json!([1, 2, 3])).unwrap();
            live.file.as_file().set_len(20).unwrap();
            assert_eq!(states(&target), [(true, None)]);
        }
        let looked_at = new_file(home.path()).unwrap();
        let viewer = File::open(looked_at.path()).unwrap();
        viewer.try_lock_shared().unwrap();
        let leaves = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            drop(viewer);
        });
        hold(looked_at.as_file());
        leaves.join().unwrap();
        assert_eq!(states(home.path()), [(true, None)]);
        remove_left(looked_at.path());
        assert!(looked_at.path().exists(), "it is held");
    }

    /// NFS gives a lock for one process alone to who may write the file.
    #[test]
    fn what_is_to_be_locked_is_open_for_writing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        open_to_lock(file.path()).unwrap().write_all(b"here").unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"here");
    }

    /// A file that is being written, or that something damaged, says nothing; one of a process that is gone is free,
    /// and goes when the next process comes.
    #[test]
    fn torn_and_left_files() {
        let home = tempfile::tempdir().unwrap();
        let mut live = LiveFile::create(home.path()).unwrap();
        live.write(&json!([1, 2, 3])).unwrap();
        let bytes = std::fs::read(live.file.path()).unwrap();
        let left = home.path().join(format!("{TEMPORARY}{MARK}left.json"));
        drop(live);
        for at in 0..bytes.len() {
            std::fs::write(&left, &bytes[..at]).unwrap();
            assert_eq!(states(home.path()), [(false, None)], "cut after {at}");
            let mut torn = bytes.clone();
            torn[at] ^= 1;
            std::fs::write(&left, &torn).unwrap();
            assert_eq!(states(home.path()), [(false, None)], "changed at {at}");
        }
        std::fs::write(&left, &bytes).unwrap();
        assert_eq!(states(home.path()), [(false, Some(json!([1, 2, 3])))]);
        let live = LiveFile::create(home.path()).unwrap();
        assert!(!left.exists() && live.file.path().exists());
    }
}
