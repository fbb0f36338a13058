//! Who makes which run of a search, among processes that share its folder: a file per run, which its maker keeps
//! locked. The lock ends with the process, however that ends. Where the file system has no locks, a run may be made
//! twice, with the same result.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use fedbits_record::results::Key;
use fedbits_spec::files;

use crate::error::Error;

const FOLDER: &str = "leases";
/// What stands in the file of a run whose result is in the store.
const DONE: &str = "done\n";

/// Of one folder, while a lease is taken: more than there are processes that end a search.
const MOST_REMOVALS: usize = 100;

pub(crate) struct Leases {
    folder: PathBuf,
}

/// The right to make a run, until it is dropped.
pub(crate) struct Lease {
    path: PathBuf,
    file: File,
}

impl Leases {
    pub(crate) fn of(directory: &Path) -> Self {
        Self { folder: directory.join(FOLDER) }
    }

    /// The right to make a run; `None` while another has it, and when it is done.
    pub(crate) fn take(&self, key: &Key) -> Result<Option<Lease>, Error> {
        let path = self.path(key);
        let failed = |error| Error::file(&path, error);
        let mut file = self.open(&path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Without locks nobody knows of the others.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut state = String::new();
        file.read_to_string(&mut state).map_err(failed)?;
        Ok((state != DONE).then_some(Lease { path, file }))
    }

    /// A file of the folder. Processes that have ended the search remove it, perhaps while it is made here.
    fn open(&self, path: &Path) -> std::io::Result<File> {
        let open = || {
            fedbits_record::make_folder(&self.folder)?;
            files::open_as(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
        };
        let is_removed =
            |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists);
        for _ in 0..MOST_REMOVALS {
            match open() {
                Err(error) if is_removed(&error) => {}
                opened => return opened,
            }
        }
        open()
    }

    /// Whether a run is said to be done. One whose file another process removes at this moment is not.
    pub(crate) fn is_done(&self, key: &Key) -> bool {
        files::read_text(self.path(key)).is_ok_and(|state| state == DONE)
    }

    /// Forgets that a run is done: its result was lost.
    pub(crate) fn forget(&self, key: &Key) {
        // Where it stays, the run is not made again by this process, which the search then says.
        let _ = std::fs::remove_file(self.path(key));
    }

    /// Removes all of them, once the search has ended.
    pub(crate) fn clear(&self) {
        // Left over, they keep no run from being made: those that are done have results.
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(key.to_string())
    }
}

impl Lease {
    pub(crate) fn done(mut self) -> Result<(), Error> {
        self.file.write_all(DONE.as_bytes()).map_err(|error| Error::file(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_removed_meanwhile_keeps_nobody_from_a_lease() {
        let directory = tempfile::tempdir().unwrap();
        let ends = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                    Leases::of(directory.path()).clear();
                }
            });
            let key = fedbits_record::results::ArmIdentity::of("0", "", &[]).key(1, 0);
            for _ in 0..500 {
                assert!(Leases::of(directory.path()).take(&key).is_ok());
            }
            ends.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }
}
