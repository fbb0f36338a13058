//! What is damaged in a folder of runs, or stands in the way of one of its files, goes to `damaged/`, where its bytes
//! are kept: nothing is thrown away, and nothing is reported again and again.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::segment::{Found, Scanner};
use super::{DAMAGED_FOLDER, Damage, StoreError};
use crate::files::{make, open_to_lock, persist, remove_if_there, rename, temporary_in};
use crate::write_whole;

/// Takes damaged stretches out of their segments and returns where their bytes are now. A segment that a process writes
/// at this moment is left alone.
///
/// # Errors
/// [`StoreError::Io`], and [`StoreError::Record`] for a file that cannot be written; every whole result is still there.
pub fn set_aside(directory: &Path, damage: &[Damage]) -> Result<Vec<PathBuf>, StoreError> {
    let segments: BTreeSet<&Path> = damage.iter().map(|damage| damage.path.as_path()).collect();
    let moved = segments.into_iter().map(|segment| repair(segment, &directory.join(DAMAGED_FOLDER)));
    Ok(moved.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The segment without what is damaged replaces it at once, after the damaged bytes are on disk elsewhere.
fn repair(segment: &Path, damaged: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let io = |error| StoreError::io(segment, error);
    let mut file = match open_to_lock(segment) {
        // Another process has set it aside.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(io)?,
    };
    // Held until the file is closed. What the writer of a segment has locked is not damaged but in progress.
    if file.try_lock().is_err() {
        return Ok(Vec::new());
    }
    let length = file.metadata().map_err(io)?.len();
    let mut part = |from: u64, to: u64| -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(from)).and_then(|_| (&mut file).take(to - from).read_to_end(&mut bytes));
        read.map(|_| bytes).map_err(io)
    };
    let mut whole = temporary_in(segment.parent().unwrap_or(damaged))?;
    let (mut moved, mut frames, mut scanner) = (Vec::new(), 0, Scanner::open(segment, 0, length)?);
    while let Some(found) = scanner.next()? {
        match found {
            Found::Frame(header, at) => {
                frames += 1;
                whole.write_all(&part(at, header.end(at))?).map_err(io)?;
            }
            Found::Damage { at, bytes, .. } => {
                make(damaged)?;
                let stem = segment.file_stem().unwrap_or_default().to_string_lossy();
                let path = free(damaged, &format!("{stem}-{at}"), "seg");
                write_whole(&path, &part(at, at + bytes)?)?;
                moved.push(path);
            }
        }
    }
    match (moved.is_empty(), frames) {
        (true, _) => {}
        (false, 0) => remove_if_there(segment)?,
        (false, _) => persist(whole, segment)?,
    }
    Ok(moved)
}

/// Moves a file or folder that is in the way, or damaged, to `damaged/`, and returns where it is now.
pub fn move_aside(directory: &Path, path: &Path) -> Result<PathBuf, StoreError> {
    let damaged = directory.join(DAMAGED_FOLDER);
    make(&damaged)?;
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let free_path = free(&damaged, &text(path.file_stem()), &text(path.extension()));
    rename(path, &free_path)?;
    Ok(free_path)
}

/// `NAME.ENDING`, or `NAME-2.ENDING`, … where that is taken.
fn free(folder: &Path, name: &str, ending: &str) -> PathBuf {
    let names = std::iter::once(name.to_owned()).chain((2u64..).map(|number| format!("{name}-{number}")));
    let mut paths = names.map(|name| folder.join(name).with_added_extension(ending));
    paths.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| folder.join(name))
}
