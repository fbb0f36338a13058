//! Records as tables in Parquet.

#[cfg(feature = "parquet")]
mod parquet;

use std::path::{Path, PathBuf};

use fedbits_record::new_folder;

use crate::error::Error;

/// Writes the tables of a study, or of the records in and directly under the given folders, as Parquet files into a new
/// folder. The folder appears whole or not at all. Returns the number of runs.
///
/// # Errors
/// A folder without runs, or with files that are not as documented; something at `out`; a file that cannot be written;
/// a program that was built without the feature `parquet`.
pub fn export(folders: &[PathBuf], out: &Path) -> Result<usize, Error> {
    if out.symlink_metadata().is_ok() {
        let path = out.display();
        return Err(Error::Input(format!("{path} is there already: expected the name of a folder that is not")));
    }
    let arms = fedbits_reports::arms(folders)?;
    new_folder(out, |folder| write(&arms, folder))
}

#[cfg(feature = "parquet")]
use self::parquet::write;

#[cfg(not(feature = "parquet"))]
fn write(_arms: &[fedbits_reports::Arm], _folder: &Path) -> Result<usize, Error> {
    let why = "this program was built without the feature `parquet`: expected one built with `--features parquet`";
    Err(Error::Input(why.to_owned()))
}
