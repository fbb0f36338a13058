//! All tables of runs, as CSV or as Parquet files.

use std::path::{Path, PathBuf};

use fedbits_record::results::Results;
use fedbits_record::{make_folder, new_folder};
use fedbits_reports::open_folders;

use crate::error::Error;

/// How tables are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TableFiles {
    /// As text.
    Csv,
    /// With types; in a program with the feature `parquet`.
    Parquet,
}

/// Writes the tables of the runs in the given folders into a new folder; those of several folders into folders of their
/// names in it. The folder appears whole or not at all. Returns the number of tables.
///
/// # Errors
/// A folder without runs; something at `out`; a file that cannot be written; Parquet in a program that was built
/// without the feature `parquet`.
pub fn export(folders: &[PathBuf], out: &Path, files: TableFiles) -> Result<usize, Error> {
    export_folders(&open_folders(folders)?, out, files)
}

/// The same of open folders.
pub(crate) fn export_folders(folders: &[Results], out: &Path, files: TableFiles) -> Result<usize, Error> {
    if out.symlink_metadata().is_ok() {
        let path = out.display();
        return Err(Error::Input(format!("{path} is there already: expected the name of a folder that is not")));
    }
    if files == TableFiles::Parquet && !cfg!(feature = "parquet") {
        let why = "this program was built without the feature `parquet`: expected one built with `--features parquet`";
        return Err(Error::Input(why.to_owned()));
    }
    new_folder(out, |made| {
        let mut tables = 0;
        for (number, record) in folders.iter().enumerate() {
            let target = if folders.len() == 1 { made.to_path_buf() } else { made.join(folder_name(folders, number)) };
            make_folder(&target).map_err(|error| Error::file(&target, error))?;
            tables += write(record, &target, files)?;
        }
        Ok(tables)
    })
}

/// The name of a folder of several: its last part, with a number where another one before it has the same.
fn folder_name(folders: &[Results], number: usize) -> String {
    let last = |record: &Results| record.directory().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = last(&folders[number]);
    match folders[..number].iter().filter(|folder| last(folder) == name).count() {
        0 => name,
        before => format!("{name}-{}", before + 1),
    }
}

fn write(record: &Results, folder: &Path, files: TableFiles) -> Result<usize, Error> {
    match files {
        TableFiles::Csv => Ok(record.export_csv(folder)?.len()),
        #[cfg(feature = "parquet")]
        TableFiles::Parquet => Ok(record.export_parquet(folder)?.len()),
        #[cfg(not(feature = "parquet"))]
        TableFiles::Parquet => Ok(0),
    }
}
