//! Folders of records below those that a command was given, into which it does not look; and records that are gone.

use std::path::{Path, PathBuf};

use fedbits_record::study::has_plan;
use fedbits_record::{has_manifest, is_temporary, missing_caveat};
use fedbits_spec::Caveat;

use crate::cli::progress::Console;
use crate::listener::Listener;

/// So many are named.
const NAMED: usize = 3;

/// Says which records are missing in the given folders, and what lies below them that the command leaves out.
pub(crate) fn report(folders: &[PathBuf], console: &Console) {
    folders.iter().filter_map(|folder| missing_caveat(folder)).for_each(|why| console.caveat(&why));
    report_left_out(folders, console);
}

/// Says which folders directly in the given ones hold records, or a study, that the command leaves out.
pub(crate) fn report_left_out(folders: &[PathBuf], console: &Console) {
    for folder in folders {
        if let Some(names) = names(folder) {
            console.caveat(&Caveat::RecordsLeftOut { folder: folder.display().to_string(), names });
        }
    }
}

/// Where else records are, for the message that a folder holds none.
pub(crate) fn hint(folder: &Path) -> String {
    names(folder).map_or_else(String::new, |names| format!("; there are records in {names}"))
}

/// The first folders with records that are passed over, and how many others there are.
fn names(folder: &Path) -> Option<String> {
    let found = found(folder);
    let named: Vec<String> = found.iter().take(NAMED).map(|path| format!("`{}`", path.display())).collect();
    match found.len().saturating_sub(NAMED) {
        _ if named.is_empty() => None,
        0 => Some(named.join(", ")),
        1 => Some(format!("{} and one more", named.join(", "))),
        more => Some(format!("{} and {more} more", named.join(", "))),
    }
}

fn found(folder: &Path) -> Vec<PathBuf> {
    // It is a hint: what cannot be read is not named.
    let is_study = |path: &Path| has_plan(path).unwrap_or(false);
    let has_manifest = |path: &Path| has_manifest(path).unwrap_or(false);
    if is_study(folder) {
        return Vec::new();
    }
    let is_record = has_manifest(folder);
    let holds = |path: &Path| match has_manifest(path) {
        true => is_record,
        false => is_study(path) || children(path).iter().any(|child| has_manifest(child)),
    };
    children(folder).into_iter().filter(|path| holds(path)).collect()
}

/// Folders directly in a folder, by name; those of a process at work are left out.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.filter(|entry| !is_temporary(&entry.file_name())).map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
