//! Records as the files of other tools: MLflow, TensorBoard, Weights & Biases, Parquet.
//!
//! Each tool has a file of this folder, which knows its format and takes [`Run`]s; nothing here knows how runs are
//! made. Steps are rounds. What a tool takes for time is simulated time since its epoch, so that the same records give
//! the same files.

mod crc32c;
mod mlflow;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod protobuf;
mod runs;
mod tensorboard;
mod wandb;

use std::fs;
use std::path::{Path, PathBuf};

use fedbits_record::{make_folder, new_folder};

use self::runs::{Run, runs};
use crate::error::Error;

/// The tools whose files [`export`] writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExportFormat {
    /// A file store of MLflow: an experiment per scenario, a run per arm and replicate.
    Mlflow,
    /// Event files of TensorBoard: a folder per arm and replicate.
    Tensorboard,
    /// Offline runs of Weights & Biases, to be uploaded by `wandb sync`.
    Wandb,
    /// Tables in Parquet: rounds of all runs, clients, components; with the feature `parquet`.
    Parquet,
}

/// Writes the runs of a study, or those in and directly under the given folders, as files of a tool into a new folder,
/// which appears whole or not at all; returns how many runs there are.
///
/// # Errors
/// A folder without runs, or with files that are not as documented; something at `out`; a file that cannot be written.
pub fn export(folders: &[PathBuf], to: ExportFormat, out: &Path) -> Result<usize, Error> {
    if out.symlink_metadata().is_ok() {
        let path = out.display();
        return Err(Error::Input(format!("{path} is there already: expected the name of a folder that is not")));
    }
    let arms = fedbits_reports::arms(folders)?;
    let runs = runs(&arms);
    new_folder(out, |folder| match to {
        ExportFormat::Mlflow => mlflow::write(&runs, folder, out),
        ExportFormat::Tensorboard => tensorboard::write(&runs, folder),
        ExportFormat::Wandb => wandb::write(&runs, folder),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => parquet::write(&runs, folder),
        #[cfg(not(feature = "parquet"))]
        ExportFormat::Parquet => {
            let why =
                "this program was built without the feature `parquet`: expected one built with `--features parquet`";
            Err(Error::Input(why.to_owned()))
        }
    })?;
    Ok(runs.len())
}

/// Writes a file and the folders above it.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let above = path.parent().unwrap_or(path);
    make_folder(above).map_err(|source| Error::file(above, source))?;
    fs::write(path, bytes).map_err(|source| Error::file(path, source))
}

/// Puts the files of a run's record into a folder, where it is a record again, and returns their names; of a run of a
/// study, which has no folder of its own, its scenario.
fn put_record(run: &Run<'_>, folder: &Path) -> Result<Vec<String>, Error> {
    let Some(from) = run.folder else {
        const SCENARIO: &str = "scenario.ron";
        put(&folder.join(SCENARIO), run.record.manifest.scenario_text.as_bytes())?;
        return Ok(vec![SCENARIO.to_owned()]);
    };
    let manifest = fedbits_record::MANIFEST_FILE.to_owned();
    let names: Vec<String> = run.record.manifest.files.iter().cloned().chain([manifest]).collect();
    make_folder(folder).map_err(|source| Error::file(folder, source))?;
    for name in &names {
        let path = from.join(name);
        fs::copy(&path, folder.join(name)).map_err(|source| Error::file(&path, source))?;
    }
    Ok(names)
}
