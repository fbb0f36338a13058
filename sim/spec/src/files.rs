//! Files are opened for reading here, and asked for here. What is no file (a pipe, a socket, a device) is an error
//! before it is opened: to open or to read it may last for ever. That the system cannot tell whether something is
//! there is an error, and not a no.

use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Cursor, Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Opens a file for reading.
///
/// # Errors
/// That of the system; [`ErrorKind::InvalidInput`] for a pipe, a socket or a device.
pub fn open(path: impl AsRef<Path>) -> Result<File> {
    open_as(path, OpenOptions::new().read(true))
}

/// Opens a file in some way.
///
/// # Errors
/// As for [`open`].
pub fn open_as(path: impl AsRef<Path>, how: &OpenOptions) -> Result<File> {
    let path = path.as_ref();
    match about(path)?.map(|about| about.file_type()) {
        Some(kind) if !kind.is_file() && !kind.is_dir() => {
            Err(Error::new(ErrorKind::InvalidInput, "it is a pipe, a socket or a device: expected a file"))
        }
        // What there is not may be made, and of a folder the system says what is wrong.
        _ => how.open(path),
    }
}

/// Opens a file to be read from its beginning: one that [`hold`] was given, or one of the system.
///
/// # Errors
/// As for [`open`].
pub fn reader(path: impl AsRef<Path>) -> Result<Box<dyn Read + Send>> {
    match held(path.as_ref()) {
        Some(bytes) => Ok(Box::new(Cursor::new(bytes))),
        None => Ok(Box::new(open(path)?)),
    }
}

/// Files of a process that has no file system, by their paths.
static HELD: Mutex<BTreeMap<PathBuf, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

/// Gives this process a file, which takes precedence over a file of the system. Browsers have no other files.
pub fn hold(path: impl Into<PathBuf>, bytes: Vec<u8>) {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into(), bytes.into());
}

fn held(path: &Path) -> Option<Arc<[u8]>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}

/// All bytes of a file.
///
/// # Errors
/// As for [`open`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    if let Some(bytes) = held(path.as_ref()) {
        return Ok(bytes.to_vec());
    }
    let (mut file, mut bytes) = (open(path)?, Vec::new());
    bytes.try_reserve_exact(file.metadata().map_or(0, |about| usize::try_from(about.len()).unwrap_or(usize::MAX)))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file.
///
/// # Errors
/// As for [`open`]; [`ErrorKind::InvalidData`] where it is not UTF-8.
pub fn read_text(path: impl AsRef<Path>) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|_| Error::new(ErrorKind::InvalidData, "expected UTF-8 text"))
}

/// What is at a path; none where nothing is.
///
/// # Errors
/// That of the system.
pub fn about(path: impl AsRef<Path>) -> Result<Option<Metadata>> {
    if_there(std::fs::metadata(path))
}

/// Whether a file is at a path.
///
/// # Errors
/// As for [`about`].
pub fn is_file(path: impl AsRef<Path>) -> Result<bool> {
    Ok(held(path.as_ref()).is_some() || about(path)?.is_some_and(|about| about.is_file()))
}

/// Whether a folder is at a path.
///
/// # Errors
/// As for [`about`].
pub fn is_folder(path: impl AsRef<Path>) -> Result<bool> {
    Ok(about(path)?.is_some_and(|about| about.is_dir()))
}

/// Nothing instead of the error that nothing is at the path: it is free, leads through a file, or is longer than any
/// that there can be.
///
/// # Errors
/// All others.
pub fn if_there<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(there) => Ok(Some(there)),
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Ok(None),
            // A browser has no files.
            ErrorKind::Unsupported if cfg!(target_family = "wasm") => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_opened() {
        use std::os::unix::net::UnixListener;
        let home = std::env::temp_dir().join(format!("fedbits-files-{}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        let (pipe, socket, link) = (home.join("pipe"), home.join("socket"), home.join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &socket, &link, Path::new("/dev/null")] {
            for error in [open(path).map(drop), read(path).map(drop), read_text(path).map(drop)] {
                assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidInput, "{}", path.display());
            }
            assert!(about(path).unwrap().is_some() && !is_file(path).unwrap() && !is_folder(path).unwrap());
        }
        assert_eq!(read(&home).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(read(home.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        let long = home.join("n".repeat(5_000));
        for absent in [home.join("none"), socket.join("below"), long] {
            assert!(about(&absent).unwrap().is_none());
        }
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn other_errors_are_told() {
        for kind in [ErrorKind::StaleNetworkFileHandle, ErrorKind::PermissionDenied, ErrorKind::TimedOut] {
            assert!(if_there::<()>(Err(kind.into())).is_err());
        }
        assert!(is_folder(std::env::temp_dir()).unwrap());
    }
}
