//! Who makes which run of a search, among processes that share its folder: a file per run, which its maker keeps
//! locked. The lock ends with the process, however that ends. Where the file system has no locks, a run may be made
//! twice, with the same result.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use fedbits_record::study::Key;

use crate::error::Error;

/// Name of their folder inside a study's directory.
const FOLDER: &str = "leases";
/// What stands in the file of a run whose result is in the store.
const DONE: &str = "done\n";

/// The leases of one folder.
pub(crate) struct Leases {
    folder: PathBuf,
}

/// The right to make a run, until it is dropped.
pub(crate) struct Lease {
    path: PathBuf,
    file: File,
}

impl Leases {
    /// Of a study's directory.
    pub(crate) fn of(directory: &Path) -> Self {
        Self { folder: directory.join(FOLDER) }
    }

    /// The right to make a run; `None` while another has it, and when it is done.
    pub(crate) fn take(&self, key: &Key) -> Result<Option<Lease>, Error> {
        let path = self.path(key);
        let failed = |error| Error::file(&path, error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Without locks nobody knows of the others.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut state = String::new();
        file.read_to_string(&mut state).map_err(failed)?;
        Ok((state != DONE).then_some(Lease { path, file }))
    }

    /// The keys of the runs that are done, as they are shown.
    pub(crate) fn done(&self) -> Result<BTreeSet<String>, Error> {
        let failed = |error| Error::file(&self.folder, error);
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
            entries => entries.map_err(failed)?,
        };
        let mut done = BTreeSet::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            // One that another process removes at this moment is none.
            if std::fs::read_to_string(&path).is_ok_and(|state| state == DONE) {
                done.extend(path.file_name().map(|name| name.display().to_string()));
            }
        }
        Ok(done)
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
    /// Says that the result is in the store.
    pub(crate) fn done(mut self) -> Result<(), Error> {
        self.file.write_all(DONE.as_bytes()).map_err(|error| Error::file(&self.path, error))
    }
}
