//! How a process that has to end leaves its files: none half-written, no temporary one. Steps that belong together
//! are made [`uninterrupted`]; who ends the process calls [`end_process`], which waits for such a step and removes what
//! is temporary.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What this process has begun on disk.
struct Unfinished {
    /// Undivided steps that have begun and not ended, nested ones counted too.
    steps: usize,
    /// Temporary files and folders.
    files: Vec<PathBuf>,
    /// Folders made for a record, each before those in it.
    folders: Vec<PathBuf>,
}

static UNDER_WAY: Mutex<Unfinished> = Mutex::new(Unfinished { steps: 0, files: Vec::new(), folders: Vec::new() });
static NO_STEP: Condvar = Condvar::new();

/// Does something that [`end_process`] does not break off, such as giving several files their names. Keep it short.
pub fn uninterrupted<T>(act: impl FnOnce() -> T) -> T {
    unfinished().steps += 1;
    let _step = UndividedStep;
    act()
}

/// Ends the process with an exit code, from any thread: when no uninterrupted step is in progress, and after removing
/// temporary files and folders, and the folders made for records where they are empty. No other step begins meanwhile.
pub fn end_process(code: u8) -> ! {
    let mut unfinished = unfinished();
    while unfinished.steps > 0 {
        unfinished = NO_STEP.wait(unfinished).unwrap_or_else(PoisonError::into_inner);
    }
    // What cannot be removed stays: nobody is left to be notified, and readers pass over it.
    for path in unfinished.files.iter().rev() {
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
    for folder in unfinished.folders.iter().rev() {
        let _ = std::fs::remove_dir(folder);
    }
    // The lock is held to the end, so that no file appears after the removal.
    std::process::exit(i32::from(code))
}

/// Makes a temporary file or folder; `path` says where it is.
pub(crate) fn temporary<T>(make: impl FnOnce() -> Result<T>, path: impl FnOnce(&T) -> &Path) -> Result<T> {
    let mut unfinished = unfinished();
    let made = make()?;
    unfinished.files.push(path(&made).to_path_buf());
    Ok(made)
}

/// What was temporary has its final name, or is to be kept.
pub(crate) fn no_longer_temporary(path: &Path) {
    unfinished().files.retain(|file| file != path);
}

/// Makes a folder and what is missing above it, as `make` does; the folders made, deepest first.
pub(crate) fn folders(directory: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<Vec<PathBuf>> {
    let mut unfinished = unfinished();
    let missing = directory.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    let missing: Vec<PathBuf> = missing.take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    unfinished.folders.extend(missing.iter().rev().cloned());
    make(directory)?;
    Ok(missing)
}

/// A panic elsewhere leaves the lists as they were: every change of them stands alone.
fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An uninterrupted step in progress; it also ends when it panics.
struct UndividedStep;

impl Drop for UndividedStep {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        unfinished.steps -= 1;
        if unfinished.steps == 0 {
            NO_STEP.notify_all();
        }
    }
}
