//! Which process writes into a folder: its claim is a file beside the folder, or in it where nothing can be written
//! beside it. The process keeps the file locked, so that the claim ends with the process, however that ends. A folder
//! cannot be claimed while a process claims a folder that it lies in, or one directly in it.
//!
//! Where the file system has no locks, a claim counts while its process runs on this machine.
//!
//! Processes that make runs of the same study share its folder: each has a claim file of its own in it. A claim also
//! says how far its process is, for [`claims_on`].

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::{TEMPORARY, folder_of, make, open_to_lock};
use crate::{RecordError, ending, undivided};

/// What stands between [`TEMPORARY`] and the digest of the folder's name.
const MARK: &str = "claim-";
/// How often a lock is tried that a process holds for a moment while it looks, a millisecond apart.
const TRIES: u32 = 100;
/// As much of a claim is read.
const LONGEST: u64 = 4_096;
/// What stands behind [`MARK`] in the name of a claim that several processes share.
const SHARED: &str = "shared-";

/// The right to write into a folder, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    file: File,
    path: PathBuf,
    locked: bool,
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
    /// Does its process share the folder with others, as those that make runs of a study?
    pub is_shared: bool,
    /// What [`Claim::report`] wrote last; empty where nothing was written.
    pub report: String,
}

impl Claim {
    /// Claims a folder, which need not be there.
    ///
    /// # Errors
    /// [`RecordError::Busy`] names the process that has claimed it; [`RecordError::Io`].
    pub fn of(folder: &Path) -> Result<Self, RecordError> {
        Self::locking(folder, File::try_lock)
    }

    /// Claims a folder, which need not be there, together with other processes that do the same. Claims that killed
    /// processes left are removed.
    ///
    /// # Errors
    /// [`RecordError::Busy`] names a process that has claimed it for itself alone; [`RecordError::Io`].
    pub fn shared(folder: &Path) -> Result<Self, RecordError> {
        let folders = make(folder)?;
        let claim = Self::shared_in(folder);
        let mut claim = claim.inspect_err(|_| folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder))))?;
        claim.folders = folders;
        Ok(claim)
    }

    fn shared_in(folder: &Path) -> Result<Self, RecordError> {
        let whole = folder.canonicalize().map_err(|source| RecordError::io(folder, source))?;
        if let Some(holder) = [beside(&whole), inside(&whole)].iter().find_map(|path| holder_of(path)) {
            return Err(holder.busy(folder));
        }
        for path in claims_in(&whole).into_iter().filter(|path| is_shared(path)) {
            // A process that has begun to hold it keeps it.
            if let Ok(file) = open_to_lock(&path)
                && file.try_lock().is_ok()
            {
                let _ = std::fs::remove_file(&path);
            }
        }
        let Holder { process, host } = Holder::here();
        let own = &blake3::hash(format!("{process} {host}").as_bytes()).to_hex()[..16];
        Self::take(&whole.join(format!("{TEMPORARY}{MARK}{SHARED}{own}")), folder, &File::try_lock)
    }

    /// Writes a line into the claim: how far its process is. `report` has no line breaks.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn report(&self, report: &str) -> Result<(), RecordError> {
        Holder::here().write(&self.file, report).map_err(|source| RecordError::io(&self.path, source))
    }

    fn locking(folder: &Path, lock: impl Fn(&File) -> Result<(), TryLockError>) -> Result<Self, RecordError> {
        let made = make(folder_of(folder))?;
        let whole = whole(folder).map_err(|source| RecordError::io(folder, source))?;
        let beside = beside(&whole);
        let claim = match Self::take(&beside, folder, &lock) {
            Err(RecordError::Io { source, .. }) if is_read_only(&source) && whole.is_dir() => {
                Self::take(&inside(&whole), folder, &lock)
            }
            taken => taken,
        };
        let mut claim = claim.inspect_err(|_| made.iter().for_each(|folder| drop(std::fs::remove_dir(folder))))?;
        claim.folders = made;
        let above = whole.ancestors().skip(1).flat_map(|folder| [self::beside(folder), inside(folder)]);
        let related = above.chain(claims_in(&whole));
        for path in related.filter(|path| *path != claim.path) {
            // Figures are drawn by the process that has made the records beside them.
            if let Some(holder) = holder_of(&path).filter(|holder| *holder != Holder::here()) {
                return Err(holder.busy(folder));
            }
        }
        Ok(claim)
    }

    /// Locks the file of a claim, which is made where it is missing.
    fn take(
        path: &Path,
        folder: &Path,
        lock: &impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, RecordError> {
        let io = |source| RecordError::io(path, source);
        for _ in 0..TRIES {
            let how = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
            let file = fedbits_spec::files::open_as(path, &how).map_err(io)?;
            let locked = match lock(&file) {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                Err(TryLockError::Error(_)) => false,
            };
            if !locked && let Some(holder) = Holder::read(&file).filter(Holder::runs_here) {
                return Err(holder.busy(folder));
            }
            // The process that had it may have removed the file since it was opened.
            if is_at(&file, path) {
                ending::temporary(|| Holder::here().write(&file, "").map(|()| path), |path| *path).map_err(io)?;
                return Ok(Self { file, path: path.to_path_buf(), locked, folders: Vec::new() });
            }
        }
        Err(holder_of(path).unwrap_or(Holder { process: 0, host: String::new() }).busy(folder))
    }

    /// Does the file system keep others out? Where it has no locks, processes on other machines are not seen.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.locked
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        undivided(|| {
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

    fn busy(self, folder: &Path) -> RecordError {
        let Self { process, host } = self;
        let who = if process == 0 { "another process".to_owned() } else { format!("process {process} on {host}") };
        RecordError::Busy { path: folder.to_path_buf(), who }
    }

    fn write(&self, mut file: &File, report: &str) -> io::Result<()> {
        let text = format!("{} {}\n{report}", self.process, self.host);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }

    fn read(file: &File) -> Option<Self> {
        Some(Self::read_with_report(file)?.0)
    }

    fn read_with_report(mut file: &File) -> Option<(Self, String)> {
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

/// Who holds a claim; none where nobody does.
fn holder_of(path: &Path) -> Option<Holder> {
    let about = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let file = open_to_lock(path).ok()?;
    match file.try_lock_shared() {
        Ok(()) => None,
        // Without a lock it counts while its process is there.
        Err(TryLockError::Error(_)) => Holder::read(&file).filter(Holder::runs_here),
        Err(TryLockError::WouldBlock) => {
            // It is locked first and written then.
            let read = (about.len() > 0).then(|| Holder::read(&file)).flatten();
            Some(read.unwrap_or(Holder { process: 0, host: String::new() }))
        }
    }
}

/// The claims on a folder, which need not be there: those of processes that work in it, and those that killed processes
/// left.
///
/// # Errors
/// [`RecordError::Io`].
pub fn claims_on(folder: &Path) -> Result<Vec<FoundClaim>, RecordError> {
    let whole = match whole(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        found => found.map_err(|source| RecordError::io(folder, source))?,
    };
    let shared = claims_in(&whole).into_iter().filter(|path| is_shared(path));
    let paths = [beside(&whole), inside(&whole)].into_iter().chain(shared);
    Ok(paths.filter_map(|path| found(&path)).collect())
}

/// A claim by its file; none where there is no such file.
fn found(path: &Path) -> Option<FoundClaim> {
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let file = open_to_lock(path).ok()?;
    let lock = file.try_lock_shared();
    // A file that is held is written in the next moment.
    let unknown = || (Holder { process: 0, host: String::new() }, String::new());
    let read = Holder::read_with_report(&file);
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
    Some(FoundClaim { holder, hold, is_shared: is_shared(path), report })
}

fn is_shared(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{TEMPORARY}{MARK}{SHARED}")))
}

/// The path without links, of a folder that need not be there.
fn whole(folder: &Path) -> io::Result<PathBuf> {
    match folder.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(folder_of(folder).canonicalize()?.join(folder.file_name().unwrap_or_default()))
        }
        found => found,
    }
}

/// Where the claim of a folder is.
fn beside(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
    folder_of(folder).join(format!("{TEMPORARY}{MARK}{}", &blake3::hash(name).to_hex()[..16]))
}

/// Where it is if nothing can be written beside the folder.
fn inside(folder: &Path) -> PathBuf {
    folder.join(format!("{TEMPORARY}{MARK}here"))
}

/// The claims in a folder.
fn claims_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_claim = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(&format!("{TEMPORARY}{MARK}"));
    entries.filter(|entry| is_claim(&entry.file_name())).map(|entry| entry.path()).collect()
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
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

    fn busy(claimed: Result<Claim, RecordError>) -> String {
        claimed.expect_err("it is claimed").to_string()
    }

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        for there in [false, true] {
            let folder = home.path().join("deep/er/record");
            if there {
                std::fs::create_dir_all(&folder).unwrap();
            }
            let claim = Claim::of(&folder).unwrap();
            assert!(claim.is_locked());
            let who = format!("process {} on {}", std::process::id(), host());
            let again = busy(Claim::of(&home.path().join("deep/er/../er/record")));
            assert!(again.contains(&who), "{again}");
            drop(Claim::of(&home.path().join("deep/er/other")).unwrap());
            drop(claim);
            assert_eq!(home.path().join("deep").exists(), there, "folders made for it are gone");
            assert!(claims_in(&home.path().join("deep/er")).is_empty());
        }
    }

    /// A claim of another process: of the same folder, of the one above it, and of one in it.
    #[test]
    fn folders_in_each_other_have_one_writer() {
        let home = tempfile::tempdir().unwrap();
        let stranger = Holder { process: 1, host: "elsewhere".to_owned() };
        for (claimed, wanted) in [("record", "record"), ("record", "record/arm"), ("record/arm", "record")] {
            let (claimed, wanted) = (home.path().join(claimed), home.path().join(wanted));
            let claim = Claim::of(&claimed).unwrap();
            stranger.write(&claim.file, "").unwrap();
            let why = busy(Claim::of(&wanted));
            assert!(why.contains("process 1 on elsewhere"), "{why}");
            drop(claim);
            drop(Claim::of(&wanted).unwrap());
        }
    }

    /// What a killed process left is taken over, with and without locks; without them a claim counts whose process
    /// runs here.
    #[test]
    fn claims_end_with_their_processes() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("record");
        let none = |_: &File| Err(TryLockError::Error(ErrorKind::Unsupported.into()));
        for (process, host, free) in [(u32::MAX, host(), true), (1, "elsewhere".into(), true), (1, host(), false)] {
            let holder = Holder { process, host };
            holder.write(&File::create(beside(&folder)).unwrap(), "").unwrap();
            match Claim::locking(&folder, none) {
                Ok(claim) => assert!(free && !claim.is_locked(), "{holder:?}"),
                Err(why) => assert!(!free && why.to_string().contains("process 1 on"), "{why}"),
            }
            holder.write(&File::create(beside(&folder)).unwrap(), "").unwrap();
            assert!(Claim::of(&folder).unwrap().is_locked(), "{holder:?}");
            assert!(claims_in(home.path()).is_empty());
        }
    }

    /// A claim is found with its report while it is held, and as a free one where a killed process left it; the next
    /// shared claim removes that. Who claims the folder alone waits for all of them.
    #[test]
    fn claims_are_found_with_their_reports() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("deep/study");
        let seen = || -> Vec<(Hold, String)> {
            claims_on(&folder).unwrap().into_iter().map(|found| (found.hold, found.report)).collect()
        };
        assert_eq!(seen(), []);
        for claim in [Claim::of, Claim::shared] {
            let claim = claim(&folder).unwrap();
            claim.report("a longer report").unwrap();
            claim.report("short").unwrap();
            assert_eq!(seen(), [(Hold::Held, "short".to_owned())]);
            drop(claim);
            assert_eq!(seen(), []);
            assert!(!home.path().join("deep").exists(), "folders made for it are gone");
        }
        std::fs::create_dir_all(&folder).unwrap();
        let killed = Holder { process: 1, host: "elsewhere".to_owned() };
        let left = folder.join(format!("{TEMPORARY}{MARK}{SHARED}left"));
        killed.write(&File::create(&left).unwrap(), "half").unwrap();
        assert_eq!(seen(), [(Hold::Free, "half".to_owned())]);
        let claim = Claim::shared(&folder).unwrap();
        assert!(!left.exists());
        killed.write(&claim.file, "").unwrap();
        assert!(busy(Claim::of(&folder)).contains("process 1 on elsewhere"));
    }

    /// NFS gives a lock for one process alone to who may write the file.
    #[test]
    fn what_is_to_be_locked_is_open_for_writing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        open_to_lock(file.path()).unwrap().write_all(b"here").unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"here");
    }
}
