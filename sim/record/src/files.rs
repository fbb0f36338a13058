//! Files that are whole or absent: written under a temporary name beside their target, then renamed.

use crate::RecordError;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// A temporary file in `directory`, with the permissions an ordinary new file would have; removed when dropped.
pub(crate) fn temporary_in(directory: &Path) -> Result<NamedTempFile, RecordError> {
    let mut builder = Builder::new();
    builder.prefix(".fedbits-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory).map_err(|source| RecordError::io(directory, source))
}

/// Makes `directory` and what is missing above it; the folders made, deepest first.
pub(crate) fn make(directory: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let missing = directory.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    let missing = missing.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    std::fs::create_dir_all(directory).map_err(|source| RecordError::io(directory, source))?;
    Ok(missing)
}

/// Puts a finished temporary file on disk and gives it its name, replacing what stood there.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> Result<(), RecordError> {
    // Renaming before the data has reached the disk could leave an empty file behind after a power failure.
    file.as_file().sync_all().map_err(|source| RecordError::io(path, source))?;
    file.persist(path).map_err(|refused| RecordError::io(path, refused.error))?;
    Ok(())
}

/// Writes a file so that at any moment `path` holds either its former content or all of `bytes`.
///
/// # Errors
/// [`RecordError::Io`] when the directory is missing or the operating system refuses; no temporary file stays behind.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = temporary_in(directory)?;
    file.write_all(bytes).map_err(|source| RecordError::io(path, source))?;
    persist(file, path)
}
