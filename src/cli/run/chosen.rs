//! Which scenarios `run` runs: files, names of the library, patterns of both; and the folder of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_scenarios::library;
use glob::{MatchOptions, Pattern};

use crate::cli::failure::Failure;
use crate::cli::project;
use crate::scenario::Scenario;

pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[']) && !Path::new(name).exists()
}

/// The scenarios that are asked for, each once, in the order in which they are.
pub(super) fn chosen(asked: &[String]) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for asked_name in asked {
        let found = if is_pattern(asked_name) { matching(asked_name)? } else { vec![asked_name.clone()] };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// Files and scenarios of the library.
fn matching(text: &str) -> Result<Vec<String>, Failure> {
    let wrong = |error: glob::PatternError| Failure::Input(format!("`{text}` is not a pattern: {error}"));
    let pattern = Pattern::new(text).map_err(wrong)?;
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let files = glob::glob(text).map_err(wrong)?.filter_map(Result::ok).filter(|path| path.is_file());
    let mut names: Vec<String> = Vec::new();
    for path in files.filter_map(|path| path.to_str().map(str::to_owned)) {
        if Path::new(&path).file_name().is_none_or(|name| name != project::FILE) {
            names.push(path);
        }
    }
    let built_in = library::list().filter(|entry| pattern.matches_with(entry.name, options));
    names.extend(built_in.map(|entry| entry.name.to_owned()));
    if names.is_empty() {
        return Err(Failure::Input(format!("`{text}` matches no file and no built-in scenario (`fedbits list`)")));
    }
    Ok(names)
}

/// A folder for each in `out`.
pub(super) fn folders(names: &[String], out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut taken: BTreeMap<PathBuf, &str> = BTreeMap::new();
    let mut folders = Vec::new();
    for name in names {
        // What cannot be read is reported when its turn comes.
        let short = Scenario::load(name).map_or_else(|_| name.clone(), |scenario| scenario.name().to_owned());
        let folder = out.join(short);
        if let Some(earlier) = taken.insert(folder.clone(), name) {
            return Err(Failure::Input(format!(
                "{earlier} and {name} would both go to {}: run them one by one with --out",
                folder.display()
            )));
        }
        folders.push(folder);
    }
    Ok(folders)
}
