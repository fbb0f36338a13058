//! The fitted models of a folder of runs: `models/ARM.json` and `.npz`, of each arm's first replicate.

use std::path::{Path, PathBuf};

use fedbits_record::results::{MODELS_FOLDER, Results, move_aside};
use fedbits_record::{make_folder, remove_if_there, write_whole};
use fedbits_scenarios::fitted::{FittedError, FittedModel, MODEL_FORMAT};
use fedbits_spec::{Caveat, files};

use super::definition::MOST_MODELS;
use crate::error::Error;
use crate::listener::Listener;

/// The fitted model of an arm's first replicate; none where that is not there, failed, or kept no model.
pub(crate) fn of_arm(record: &Results, arm: usize) -> Result<Option<FittedModel>, Error> {
    stored(record, arm)?.transpose().map_err(|error| Error::Input(format!("the stored model: {error}")))
}

/// The same, or why it cannot be read: a model of Python is known in Python alone.
fn stored(record: &Results, arm: usize) -> Result<Option<Result<FittedModel, FittedError>>, Error> {
    let plan = record.plan();
    let Some(text) = record.run(arm, plan.first_replicate)?.and_then(|run| run.model) else { return Ok(None) };
    Ok(Some(FittedModel::read(&text).map(|mut model| {
        // The store has no names: the plan says which arm this run is now.
        (model.fit.scenario, model.fit.arm) = (plan.arms[arm].scenario.clone(), plan.arms[arm].name.clone());
        model
    })))
}

/// The files of models that are not what the runs give; none where no model was written yet.
pub(crate) fn changed(record: &Results) -> Result<Vec<String>, Error> {
    let folder = record.directory().join(MODELS_FOLDER);
    let mut changed = Vec::new();
    if folder.is_dir() {
        for (name, bytes) in all(record)? {
            // A run with an unknown model cannot be made again, which the verification says.
            let Some(bytes) = bytes else { continue };
            let is_same = files::read(folder.join(&name)).is_ok_and(|found| found == bytes);
            changed.extend((!is_same).then(|| format!("{MODELS_FOLDER}/{name}")));
        }
    }
    Ok(changed)
}

/// Name and bytes of a file; no bytes where this program does not know the model.
type ModelFile = (String, Option<Vec<u8>>);

fn all(record: &Results) -> Result<Vec<ModelFile>, Error> {
    let mut found = Vec::new();
    let arms = record.plan().arm_files();
    for (arm, name) in arms.iter().enumerate().filter(|_| arms.len() <= MOST_MODELS) {
        let (text, arrays) = match stored(record, arm)? {
            None => continue,
            Some(Err(FittedError::Model(_))) => (None, None),
            Some(model) => {
                let files = model.and_then(|model| Ok((model.text().into_bytes(), model.arrays()?)));
                files.map(|(text, arrays)| (Some(text), Some(arrays))).map_err(|error| Error::Run(error.to_string()))?
            }
        };
        found.extend([(format!("{name}.json"), text), (format!("{name}.npz"), arrays)]);
    }
    Ok(found)
}

/// Writes the models, and returns where files are now that stood at their paths and are none.
pub(super) fn write(record: &Results, listener: &dyn Listener) -> Result<Vec<PathBuf>, Error> {
    let folder = record.directory().join(MODELS_FOLDER);
    let (mut names, mut moved_aside) = (Vec::new(), Vec::new());
    if folder.symlink_metadata().is_ok() && !folder.is_dir() {
        moved_aside.push(move_aside(record.directory(), &folder)?);
    }
    for (file, bytes) in all(record)? {
        let Some(bytes) = bytes else {
            if !folder.join(&file).is_file() {
                let why = format!("only the Python script of the run knows the model of `{file}`");
                listener.caveat(&Caveat::NoModelFile { why });
            }
            names.push(file);
            continue;
        };
        make_folder(&folder).map_err(|error| Error::file(&folder, error))?;
        let path = folder.join(&file);
        if path.symlink_metadata().is_ok() && !is_ours(&path) {
            moved_aside.push(move_aside(record.directory(), &path)?);
        }
        if files::read(&path).ok().as_ref() != Some(&bytes) {
            write_whole(&path, &bytes)?;
        }
        names.push(file);
    }
    remove_others(record.directory(), &names)?;
    Ok(moved_aside)
}

pub(super) fn remove_others(directory: &Path, names: &[String]) -> Result<(), Error> {
    let folder = directory.join(MODELS_FOLDER);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let is_named = |path: &Path| names.iter().any(|name| path.file_name().is_some_and(|file| file == name.as_str()));
    let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| !is_named(path)).collect();
    // The arrays first: what tells that they are ours is the model beside them.
    for ending in ["npz", "json"] {
        let of_ending = |path: &&PathBuf| path.extension().is_some_and(|found| found == ending) && is_ours(path);
        for path in paths.iter().filter(of_ending) {
            remove_if_there(path)?;
        }
    }
    // Refused when something else is in it.
    let _ = std::fs::remove_dir(&folder);
    Ok(())
}

/// Whether a file is a fitted model, or the arrays beside one.
fn is_ours(path: &Path) -> bool {
    let has_mark = |text: Vec<u8>| text.windows(MODEL_FORMAT.len()).any(|part| part == MODEL_FORMAT.as_bytes());
    files::read(path.with_extension("json")).is_ok_and(has_mark)
}
