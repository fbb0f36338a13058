//! Standard output, and files that a command writes. A reader that went away (`fedbits list | head`) is no mistake; a
//! full disk is. Colours are left out where they do not belong ([`super::style`]). A file that a command writes again
//! when it is run again carries its mark; others are not touched.

use fedbits_record::write_whole;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use crate::cli::failure::Failure;
use crate::cli::style::tame;
use crate::cli::wrap;

pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let wrote = match std::io::stdout().is_terminal() {
        true => out.write_all(tame(&text.to_string()).as_bytes()),
        false => write!(out, "{text}"),
    };
    written(wrote.and_then(|()| out.flush()))
}

/// Writes bytes to standard output: names of files need not be text.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// A failure where standard output takes nothing more, but for a reader that went away.
pub(super) fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::File(format!("standard output: {error}"))),
        _ => Ok(()),
    }
}

pub(crate) fn line(text: impl Display) -> Result<(), Failure> {
    print(format_args!("{text}\n"))
}

/// Writes lines that fit the terminal, where it is one; paths, addresses and digests stay whole.
pub(crate) fn lines(text: impl Display) -> Result<(), Failure> {
    line(wrap::message(&text.to_string(), wrap::columns_of_results()))
}

/// A folder to which results are to go can be written, or made; nothing is left of the trial.
pub(crate) fn check_folder(folder: &Path) -> Result<(), Failure> {
    let absolute = std::path::absolute(folder).map_err(|error| Failure::file(folder, &error))?;
    let Some(ancestor) = absolute.ancestors().find(|path| path.symlink_metadata().is_ok()) else { return Ok(()) };
    let expected = "expected a writable folder for --out";
    let is_folder = match ancestor.metadata() {
        Ok(about) => about.is_dir(),
        // It leads nowhere.
        Err(_) if ancestor.is_symlink() => false,
        Err(error) => return Err(Failure::file(ancestor, &error)),
    };
    if !is_folder {
        let (folder, ancestor) = (folder.display(), ancestor.display());
        return Err(Failure::Input(format!(
            "nothing can be written to {folder}: {ancestor} is not a folder; {expected}"
        )));
    }
    match fedbits_record::TemporaryFolder::make_in(ancestor) {
        Ok(_) => Ok(()),
        Err(why) => Err(Failure::File(format!("nothing can be written to {}: {why}; {expected}", folder.display()))),
    }
}

/// There is a folder in which this file can be made.
pub(crate) fn check_parent(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    if fedbits_record::is_there(folder)? {
        return Ok(());
    }
    let (file, folder) = (file.display(), folder.display());
    Err(Failure::File(format!("{file}: there is no folder {folder}: expected one that is there")))
}

/// JSON holds text only: a path that is no text cannot be written in it.
pub(crate) fn check_json_path(path: &Path) -> Result<(), Failure> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(Failure::Input(format!(
            "--json writes the folder as text, and {} is not UTF-8: choose another folder, or leave out --json",
            path.display()
        ))),
    }
}

/// Writes files that all say `mark`; none when another file stands at one of their paths.
pub(crate) fn write_marked(files: &[(impl AsRef<Path>, Vec<u8>)], mark: &str) -> Result<(), Failure> {
    files.iter().try_for_each(|(path, _)| check_owned(path.as_ref(), mark))?;
    files.iter().try_for_each(|(path, bytes)| {
        let path = path.as_ref();
        // Of a link what it leads to is written, and the link stays.
        Ok(write_whole(&path.canonicalize().unwrap_or_else(|_| path.to_owned()), bytes)?)
    })
}

/// Nothing may stand at the path of a file but a former one, which says `mark`.
pub(crate) fn check_owned(path: &Path, mark: &str) -> Result<(), Failure> {
    let has_mark = |bytes: Vec<u8>| bytes.windows(mark.len()).any(|part| part == mark.as_bytes());
    if path.symlink_metadata().is_ok() && !fedbits_spec::files::read(path).is_ok_and(has_mark) {
        return Err(Failure::Input(format!(
            "{} is in the way: this command did not write it; move it, or choose another folder",
            path.display()
        )));
    }
    Ok(())
}
