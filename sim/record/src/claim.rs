//! Which processes make runs in a folder. Each has a claim file in it, which it keeps locked, so that the claim ends
//! with the process, however that ends. A claim also says how far its process is, for [`claims_on`].
//!
//! Claims keep nobody out: results of several processes lie side by side in the store. Where the file system has no
//! locks, a claim counts while its process runs on this machine.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::files::{TEMPORARY, make, open_to_lock};
use crate::{RecordError, ending, uninterrupted};

/// What stands between [`TEMPORARY`] and the digest of the process.
const MARK: &str = "claim-";
/// How often the file of a claim is made that another process removes at that moment.
const TRIES: u32 = 100;
/// As much of a claim is read.
const LONGEST: u64 = 4_096;

/// That this process makes runs in a folder, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    file: File,
    path: PathBuf,
    /// Folders that were made for it, deepest first; removed when nothing else is in them.
    folders: Vec<PathBuf>,
}

/// The process that has claimed a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number; 0 where that is not known.
    pub process: u32,
    /// The machine it runs on.
    pub host: String,
}

/// Whether a process holds its claim.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hold {
    /// It does not: it was killed, or its machine was.
    Free,
    /// It does.
    Held,
    /// That cannot be seen: the file system has no locks, and the process is on another machine.
    Unknown,
}

/// A claim as other processes see it.
#[derive(Debug)]
pub struct FoundClaim {
    /// Whose it is.
    pub holder: Holder,
    /// Whether it still is.
    pub hold: Hold,
    /// What [`Claim::report`] wrote last; empty where nothing was written.
    pub report: String,
}

impl Claim {
    /// Claims a folder, which need not be there. Claims that killed processes left in it are removed.
    pub fn of(folder: &Path) -> Result<Self, RecordError> {
        let folders = make(folder)?;
        let claim = Self::in_folder(folder);
        let mut claim = claim.inspect_err(|_| folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder))))?;
        claim.folders = folders;
        Ok(claim)
    }

    fn in_folder(folder: &Path) -> Result<Self, RecordError> {
        let whole = folder.canonicalize().map_err(|source| RecordError::io(folder, source))?;
        for path in claims_in(&whole) {
            // A process that has begun to hold it keeps it.
            if let Ok(file) = open_to_lock(&path)
                && file.try_lock().is_ok()
            {
                let _ = std::fs::remove_file(&path);
            }
        }
        let Holder { process, host } = Holder::here();
        let name = &blake3::hash(format!("{process} {host}").as_bytes()).to_hex()[..16];
        Self::take(&whole.join(format!("{TEMPORARY}{MARK}{name}")))
    }

    /// Writes a line into the claim: how far its process is. `report` has no line breaks.
    pub fn report(&self, report: &str) -> Result<(), RecordError> {
        Holder::here().write(&self.file, report).map_err(|source| RecordError::io(&self.path, source))
    }

    /// Makes the file of a claim, and locks it where the file system can.
    fn take(path: &Path) -> Result<Self, RecordError> {
        let io = |source| RecordError::io(path, source);
        let open = || {
            let how = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
            let file = fedbits_spec::files::open_as(path, &how).map_err(io)?;
            // Without a lock, others see whether the process runs.
            let _ = file.try_lock();
            Ok(file)
        };
        let mut file = open()?;
        for _ in 0..TRIES {
            // A process that began at the same moment may have removed it before it was locked.
            if is_at(&file, path) {
                break;
            }
            file = open()?;
        }
        let claim = Self { file, path: path.to_path_buf(), folders: Vec::new() };
        ending::temporary(|| Holder::here().write(&claim.file, "").map(|()| path), |path| *path).map_err(io)?;
        Ok(claim)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        uninterrupted(|| {
            if is_at(&self.file, &self.path) {
                let _ = std::fs::remove_file(&self.path);
            }
            ending::no_longer_temporary(&self.path);
            self.folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
        });
    }
}

impl Holder {
    fn here() -> Self {
        Self { process: std::process::id(), host: host() }
    }

    fn write(&self, mut file: &File, report: &str) -> io::Result<()> {
        let text = format!("{} {}\n{report}", self.process, self.host);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }

    fn read(mut file: &File) -> Option<(Self, String)> {
        let mut text = String::new();
        file.seek(SeekFrom::Start(0)).ok()?;
        file.take(LONGEST).read_to_string(&mut text).ok()?;
        let (holder, report) = text.split_once('\n')?;
        let (process, host) = holder.split_once(' ')?;
        Some((Self { process: process.parse().ok()?, host: host.to_owned() }, report.to_owned()))
    }

    /// Does it run on this machine, as far as can be seen?
    fn runs_here(&self) -> bool {
        let here = Self::here();
        self.host == here.host && self.process != here.process && Path::new(&format!("/proc/{}", self.process)).exists()
    }
}

/// The claims on a folder, which need not be there: those of processes that work in it, and those that killed processes
/// left.
pub fn claims_on(folder: &Path) -> Result<Vec<FoundClaim>, RecordError> {
    let whole = match folder.canonicalize() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        found => found.map_err(|source| RecordError::io(folder, source))?,
    };
    Ok(claims_in(&whole).iter().filter_map(|path| found(path)).collect())
}

/// A claim by its file; none where there is no such file.
fn found(path: &Path) -> Option<FoundClaim> {
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let file = open_to_lock(path).ok()?;
    let lock = file.try_lock_shared();
    // A file that is held is written in the next moment.
    let unknown = || (Holder { process: 0, host: String::new() }, String::new());
    let read = Holder::read(&file);
    let hold = match (&lock, &read) {
        // It was removed since, with the end of its process, or is just being made.
        (Ok(()), _) if !is_at(&file, path) => return None,
        (Ok(()), None) => return None,
        (Ok(()), _) => Hold::Free,
        (Err(TryLockError::WouldBlock), _) => Hold::Held,
        (Err(TryLockError::Error(_)), Some((holder, _))) if holder.runs_here() => Hold::Held,
        (Err(TryLockError::Error(_)), Some((holder, _))) if holder.host == Holder::here().host => Hold::Free,
        (Err(TryLockError::Error(_)), _) => Hold::Unknown,
    };
    let (holder, report) = read.unwrap_or_else(unknown);
    Some(FoundClaim { holder, hold, report })
}

/// The claims in a folder.
fn claims_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_claim = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(&format!("{TEMPORARY}{MARK}"));
    entries.filter(|entry| is_claim(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// Is this open file the one at a path?
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |about: std::fs::Metadata| (about.dev(), about.ino());
    let there = path.symlink_metadata().map(id);
    there.is_ok_and(|there| file.metadata().is_ok_and(|open| id(open) == there))
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_else(|_| "this machine".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim is found with its report while it is held, and as a free one where a killed process left it; the next
    /// claim removes that.
    #[test]
    fn claims_are_found_with_their_reports() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("deep/runs");
        let seen = || -> Vec<(Hold, String)> {
            claims_on(&folder).unwrap().into_iter().map(|found| (found.hold, found.report)).collect()
        };
        assert_eq!(seen(), []);
        let claim = Claim::of(&folder).unwrap();
        claim.report("a longer report").unwrap();
        claim.report("short").unwrap();
        assert_eq!(seen(), [(Hold::Held, "short".to_owned())]);
        drop(claim);
        assert_eq!(seen(), []);
        assert!(!home.path().join("deep").exists(), "folders made for it are gone");
        std::fs::create_dir_all(&folder).unwrap();
        let killed = Holder { process: 1, host: "elsewhere".to_owned() };
        let left = folder.join(format!("{TEMPORARY}{MARK}left"));
        killed.write(&File::create(&left).unwrap(), "half").unwrap();
        assert_eq!(seen(), [(Hold::Free, "half".to_owned())]);
        let _claim = Claim::of(&folder).unwrap();
        assert!(!left.exists());
    }

    /// NFS gives a lock for one process alone to who may write the file.
    #[test]
    fn what_is_to_be_locked_is_open_for_writing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        open_to_lock(file.path()).unwrap().write_all(b"here").unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"here");
    }
}
