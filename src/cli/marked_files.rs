//! Files that a command writes again when it is run again: those that carry its mark, and no others.

use std::path::Path;

use fedbits_record::write_whole;

use crate::cli::failure::Failure;

/// Writes files that all say `mark`; none when another file stands at one of their paths.
pub(crate) fn write(files: &[(impl AsRef<Path>, Vec<u8>)], mark: &str) -> Result<(), Failure> {
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
