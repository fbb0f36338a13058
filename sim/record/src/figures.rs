//! `figures.json`: the files that reports wrote into a folder. These may be replaced or removed, and nothing else
//! there.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use fedbits_spec::files;
use serde::{Deserialize, Serialize};

use crate::files::{Temporary, first_entry, is_plain, lock, make, persist, remove_if_there, written};
use crate::{RecordError, uninterrupted, write_whole};

/// Name of the list.
const FIGURES_FILE: &str = "figures.json";
/// Name of the folder of the figures inside a folder of runs, or of several such.
pub const FIGURES_FOLDER: &str = "figures";
/// What the list says first.
const FORMAT: &str = "fedbits figures 1";

/// The list of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct List {
    format: String,
    files: BTreeSet<String>,
}

/// A folder of figures and what is known to be ours in it.
#[derive(Debug)]
pub struct FigureFolder {
    folder: PathBuf,
    written: BTreeSet<String>,
}

impl FigureFolder {
    /// Opens a folder, which need not be there; without a list nothing in it is ours.
    ///
    /// # Errors
    /// [`RecordError::Io`]; [`RecordError::Syntax`] for a `figures.json` that is no such list.
    pub fn open(folder: &Path) -> Result<Self, RecordError> {
        let path = folder.join(FIGURES_FILE);
        let text = files::if_there(files::read(&path)).map_err(|source| RecordError::io(&path, source))?;
        let Some(text) = text else { return Ok(Self { folder: folder.to_path_buf(), written: BTreeSet::new() }) };
        let syntax = |at, why: &str| {
            let message = "this is not a list of figures that a report wrote";
            RecordError::syntax(&path, at, format!("{message} ({why}): remove it, or choose another folder"))
        };
        let list: List = serde_json::from_slice(&text)
            .map_err(|error| syntax((error.line(), error.column()), "it cannot be read"))?;
        if list.format != FORMAT {
            return Err(syntax((1, 1), &format!("its `format` is not `{FORMAT}`")));
        }
        let written = list.files.into_iter().filter(|name| is_plain(name)).collect();
        Ok(Self { folder: folder.to_path_buf(), written })
    }

    /// The first file or folder here that is none of ours; temporary files are nobody's.
    pub fn foreign_entry(&self) -> Result<Option<PathBuf>, RecordError> {
        let is_written = |name: &std::ffi::OsStr| {
            name == FIGURES_FILE || name.to_str().is_some_and(|name| self.written.contains(name))
        };
        first_entry(&self.folder, is_written)
    }

    /// Writes files. All are on disk under temporary names before the first replaces a former one; each is whole at any
    /// moment.
    ///
    /// # Errors
    /// [`RecordError::InTheWay`] for a file of that name that is not ours, before anything is written;
    /// [`RecordError::Io`].
    pub fn write(&mut self, files: &[(String, Vec<u8>)]) -> Result<Vec<PathBuf>, RecordError> {
        self.check(files.iter().map(|(name, _)| name.as_str()))?;
        make(&self.folder)?;
        let _lock = self.lock()?;
        self.check(files.iter().map(|(name, _)| name.as_str()))?;
        let staged = |(name, bytes): &(String, Vec<u8>)| {
            let path = self.folder.join(name);
            Ok((written(&path, bytes)?, path))
        };
        let staged: Vec<(Temporary, PathBuf)> = files.iter().map(staged).collect::<Result<_, RecordError>>()?;
        self.written.extend(files.iter().map(|(name, _)| name.clone()));
        // Figures of one report belong together: a signal ends the process before the first or after the last.
        uninterrupted(|| {
            // Before the files: what the list does not name could not be replaced next time.
            self.write_list()?;
            let persist_at = |(file, path): (Temporary, PathBuf)| persist(file, &path).map(|()| path);
            staged.into_iter().map(persist_at).collect()
        })
    }

    /// Waits until no other process writes here, and takes over what the list says by then.
    fn lock(&mut self) -> Result<Option<File>, RecordError> {
        let lock = lock(&self.folder);
        self.written = Self::open(&self.folder)?.written;
        Ok(lock)
    }

    /// Nothing foreign has one of these names.
    ///
    /// # Errors
    /// [`RecordError::InTheWay`].
    pub fn check<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<(), RecordError> {
        for name in names {
            let path = self.folder.join(name);
            let exists = path.symlink_metadata().is_ok();
            if exists && (path.is_dir() || !self.written.contains(name)) {
                return Err(RecordError::InTheWay { path, what: "no figure that a report wrote here" });
            }
        }
        Ok(())
    }

    /// Counts our files that are not among these: earlier reports wrote them.
    #[must_use]
    pub fn others(&self, written: &[PathBuf]) -> usize {
        self.written.iter().filter(|name| !written.contains(&self.folder.join(name))).count()
    }

    /// Removes our files that are not `kept`, and with the last of them the list and the folder, unless it holds other
    /// things. Gives the number of files removed.
    pub fn remove_others(&mut self, kept: &[PathBuf]) -> Result<usize, RecordError> {
        let _lock = self.lock()?;
        let is_kept = |name: &String| kept.contains(&self.folder.join(name));
        let (stay, go): (BTreeSet<String>, BTreeSet<String>) = self.written.iter().cloned().partition(is_kept);
        go.iter().try_for_each(|name| remove_if_there(&self.folder.join(name)))?;
        let removed = go.len();
        let any = removed > 0 || self.folder.join(FIGURES_FILE).exists();
        self.written = stay;
        match (any, self.written.is_empty()) {
            (false, _) => {}
            (true, false) => self.write_list()?,
            (true, true) => {
                remove_if_there(&self.folder.join(FIGURES_FILE))?;
                // Refused when something else is in it.
                let _ = std::fs::remove_dir(&self.folder);
            }
        }
        Ok(removed)
    }

    fn write_list(&self) -> Result<(), RecordError> {
        let list = List { format: FORMAT.to_owned(), files: self.written.clone() };
        let text = serde_json::to_string_pretty(&list).expect("texts always serialize");
        write_whole(&self.folder.join(FIGURES_FILE), (text + "\n").as_bytes())
    }
}
