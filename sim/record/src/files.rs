//! Files and folders that are whole or absent: made under a temporary name beside their path, then renamed.

use crate::results::StoreError;
use crate::{RecordError, ending};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, PersistError, TempDir};

/// How the names of all temporary files and folders begin.
pub(crate) const TEMPORARY: &str = ".fedbits-";

/// Whether a name is that of a temporary file or folder, which a killed process may have left.
pub fn is_temporary(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(TEMPORARY)
}

/// A file under a temporary name, with the permissions an ordinary new file would have; removed when dropped.
pub(crate) struct Temporary(NamedTempFile);

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        allowed()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A temporary file in `directory`.
pub(crate) fn temporary_in(directory: &Path) -> Result<Temporary, RecordError> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY).suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = ending::temporary(|| allowed().and_then(|()| builder.tempfile_in(directory)), NamedTempFile::path);
    file.map(Temporary).map_err(|source| RecordError::io(directory, without_name(source)))
}

/// An error of a temporary file or folder without its name, which says nothing to anybody.
fn without_name(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((what, _)) => io::Error::new(error.kind(), what.to_owned()),
        None => error,
    }
}

/// Whether a name is that of a file in the folder that it is listed for, and leads nowhere else.
pub(crate) fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
}

/// Makes a folder and what is missing above it.
///
/// # Errors
/// That of the operating system, also where it cannot tell whether what is there is a folder: `create_dir_all` takes
/// that for something in the way.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match allowed().and_then(|()| std::fs::create_dir_all(folder)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match std::fs::metadata(folder)?.is_dir() {
            true => Ok(()),
            false => Err(error),
        },
        made => made,
    }
}

/// Waits until no other process writes into a folder. File systems without locks give none: each file is whole all the
/// same.
pub(crate) fn lock(folder: &Path) -> Option<File> {
    fedbits_spec::files::open(folder).ok().filter(|folder| folder.lock().is_ok())
}

/// Makes `directory` and what is missing above it; the folders made, deepest first.
pub(crate) fn make(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    allowed()
        .and_then(|()| ending::folders(directory, make_folder))
        .map_err(|source| RecordError::io(directory, source))
}

/// Puts a finished temporary file on disk and gives it its name, replacing what stood there.
pub(crate) fn persist(file: Temporary, path: &Path) -> Result<(), RecordError> {
    named(file, path, |file| file.persist(path))
}

fn named(
    file: Temporary,
    path: &Path,
    rename: impl FnOnce(NamedTempFile) -> Result<File, PersistError>,
) -> Result<(), RecordError> {
    // Renaming before the data has reached the disk could leave an empty file behind after a power failure.
    let synced = allowed().and_then(|()| file.0.as_file().sync_all());
    synced.and_then(|()| allowed()).map_err(|source| RecordError::io(path, source))?;
    let temporary = file.0.path().to_path_buf();
    rename(file.0).map_err(|refused| RecordError::io(path, refused.error))?;
    ending::no_longer_temporary(&temporary);
    Ok(())
}

/// Whether something is at a path. Where the system cannot tell, that is an error, and not a no.
pub fn is_there(path: &Path) -> Result<bool, RecordError> {
    path.try_exists().map_err(|source| RecordError::io(path, source))
}

/// Writes a file so that at any moment `path` holds either its former content or all of `bytes`.
///
/// # Errors
/// [`RecordError::Io`] when the directory is missing or the operating system refuses; no temporary file stays behind.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    persist(written(path, bytes)?, path)
}

/// Writes a file that is whole or not there, and replaces nothing: where something is at `path`, the error is
/// [`io::ErrorKind::AlreadyExists`].
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    write_new_with(path, |file| file.write_all(bytes).map_err(|source| RecordError::io(path, source)))
}

/// As [`write_new`], with what `write` writes.
///
/// # Errors
/// [`RecordError::Io`]; what `write` says.
pub fn write_new_with<E: From<RecordError>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = temporary_in(folder_of(path))?;
    write(&mut file)?;
    Ok(named(file, path, |file| file.persist_noclobber(path))?)
}

/// A temporary file beside `path` with all of `bytes`.
pub(crate) fn written(path: &Path, bytes: &[u8]) -> Result<Temporary, RecordError> {
    let mut file = temporary_in(folder_of(path))?;
    file.write_all(bytes).map_err(|source| RecordError::io(path, source))?;
    Ok(file)
}

/// Opens a file to be locked by this process alone. On NFS, where locks are those of the server, only who may write a
/// file gets such a lock.
pub(crate) fn open_to_lock(path: &Path) -> io::Result<File> {
    match fedbits_spec::files::open_as(path, OpenOptions::new().read(true).write(true)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => fedbits_spec::files::open(path),
        opened => opened,
    }
}

/// The folder that a path lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A folder under a temporary name; removed with all it holds when dropped.
#[derive(Debug)]
pub struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// Makes one in `directory`.
    pub fn make_in(directory: &Path) -> Result<Self, RecordError> {
        let mut builder = Builder::new();
        builder.prefix(TEMPORARY);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let folder = ending::temporary(|| allowed().and_then(|()| builder.tempdir_in(directory)), TempDir::path);
        folder.map(Self).map_err(|source| RecordError::io(directory, without_name(source)))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves the folder to whoever has renamed it or wants it kept.
    pub(crate) fn keep(self) -> PathBuf {
        ending::no_longer_temporary(self.path());
        self.0.keep()
    }
}

/// Makes a folder that is there with all that `fill` puts into it, or not at all. `fill` is given a temporary folder.
///
/// # Errors
/// [`RecordError::InTheWay`] where something stands at `target`; [`RecordError::Io`]; what `fill` says.
pub fn new_folder<T, E: From<RecordError>>(target: &Path, fill: impl FnOnce(&Path) -> Result<T, E>) -> Result<T, E> {
    let free = || match target.symlink_metadata() {
        Ok(_) => Err(RecordError::InTheWay { path: target.to_path_buf(), what: "there already" }),
        Err(_) => Ok(()),
    };
    free()?;
    let above = make(folder_of(target))?;
    let filled = TemporaryFolder::make_in(folder_of(target)).map_err(E::from).and_then(|folder| {
        let filled = fill(folder.path())?;
        ending::uninterrupted(|| free().and_then(|()| rename(folder.path(), target)))?;
        folder.keep();
        Ok(filled)
    });
    if filled.is_err() {
        above.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    filled
}

/// As long as a manifest or a plan may be: 10 000 arms with 50 kB of text each.
const MAX_BYTES: u64 = 512 << 20;

/// The text of a manifest or a plan, which must be a file of a length that these can have.
pub(crate) fn read_text(path: &Path) -> Result<String, StoreError> {
    let io = |source| StoreError::io(path, source);
    if fedbits_spec::files::about(path).map_err(io)?.is_some_and(|about| about.len() > MAX_BYTES) {
        let message = format!("expected a file of at most {MAX_BYTES} bytes");
        return Err(RecordError::syntax(path, (1, 1), message).into());
    }
    String::from_utf8(fedbits_spec::files::read(path).map_err(io)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + valid.iter().rev().take_while(|&&byte| byte != b'\n').count();
        RecordError::syntax(path, (line, column), "expected UTF-8 text, found other bytes").into()
    })
}

/// The first entry of a folder, by name, that neither `is_known` nor is temporary; none when there is no folder.
pub(crate) fn first_entry(folder: &Path, is_known: impl Fn(&OsStr) -> bool) -> Result<Option<PathBuf>, RecordError> {
    let io = |source| RecordError::io(folder, source);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    let names: Vec<_> = entries.map(|entry| Ok(entry?.file_name())).collect::<Result<_, _>>().map_err(io)?;
    let foreign = names.into_iter().filter(|name| !is_temporary(name) && !is_known(name)).min();
    Ok(foreign.map(|name| folder.join(name)))
}

/// Renames a file or folder.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), RecordError> {
    allowed().and_then(|()| std::fs::rename(from, to)).map_err(|source| RecordError::io(to, source))
}

/// Removes a file; that there is none is no error.
pub fn remove_if_there(path: &Path) -> Result<(), RecordError> {
    match allowed().and_then(|()| std::fs::remove_file(path)) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(RecordError::io(path, source)),
        _ => Ok(()),
    }
}

/// Called before every operation that changes the file system: tests make any of them fail.
#[cfg(not(test))]
#[inline]
pub(crate) fn allowed() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(crate) use tests::allowed;

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::io;

    type Watcher = Box<dyn FnMut() -> io::Result<()>>;

    thread_local! {
        static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
    }

    /// What the watcher of this thread says.
    pub(crate) fn allowed() -> io::Result<()> {
        WATCHER.with_borrow_mut(|watcher| watcher.as_mut().map_or(Ok(()), |watcher| watcher()))
    }

    /// Does something while every change of the file system is reported to `watcher`, which may make it fail.
    pub(crate) fn watched<T>(watcher: impl FnMut() -> io::Result<()> + 'static, act: impl FnOnce() -> T) -> T {
        WATCHER.set(Some(Box::new(watcher)));
        let done = act();
        WATCHER.set(None);
        done
    }
}
