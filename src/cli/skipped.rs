//! Folders of runs below those that a command was given, into which it does not look.

use std::path::{Path, PathBuf};

use fedbits_record::is_temporary;
use fedbits_record::results::has_plan;
use fedbits_spec::Caveat;

use crate::cli::progress::Console;
use crate::listener::Listener;
use crate::texts::absent;

const NAMED: usize = 3;

/// Says which folders of runs lie deeper in the given ones than the command looks.
pub(crate) fn report(folders: &[PathBuf], console: &Console) {
    for folder in folders.iter().filter(|folder| !has_runs(folder)) {
        let without_runs = children(folder).into_iter().filter(|child| !has_runs(child));
        if let Some(names) = names(without_runs.flat_map(|child| children(&child)).collect()) {
            console.caveat(&Caveat::RecordsLeftOut { folder: folder.display().to_string(), names });
        }
    }
}

/// Where else runs are, for the message that a folder holds none.
pub(crate) fn hint(folder: &Path) -> String {
    let deeper = children(folder).into_iter().flat_map(|child| [children(&child), vec![child]].concat());
    names(deeper.collect()).map_or_else(String::new, |names| format!("; there are runs in {names}"))
}

/// That there is no such folder, and which is meant: one beside it with a near name, or those that have runs.
pub(crate) fn no_folder(folder: &Path) -> String {
    let (said, parent) = (absent("folder", folder), folder.parent().filter(|parent| !parent.as_os_str().is_empty()));
    if said.ends_with('?') { said } else { said + &hint(parent.unwrap_or(Path::new("."))) }
}

/// The first of these folders that have runs, and how many others there are.
fn names(mut found: Vec<PathBuf>) -> Option<String> {
    found.retain(|folder| has_runs(folder));
    let shown = found.iter().map(|path| path.strip_prefix(".").unwrap_or(path).display());
    (!found.is_empty()).then(|| fedbits_text::first_few(shown, NAMED))
}

/// It is a hint: what cannot be read is not named.
fn has_runs(folder: &Path) -> bool {
    has_plan(folder).unwrap_or(false)
}

/// Folders directly in a folder, by name; those of a process at work are left out.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let kept = entries.filter(|entry| !is_temporary(&entry.file_name())).map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = kept.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
