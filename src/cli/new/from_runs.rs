//! The scenario of a folder of runs, to be varied.

use std::path::{Path, PathBuf};

use fedbits_record::results::{Results, has_plan};
use fedbits_scenarios::library;
use fedbits_spec::{Caveat, so_many};
use fedbits_text::Tree;

use super::target::Target;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::error::Error;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::{Arm, Scenario, of_python};

pub(super) fn has_runs(path: &Path) -> bool {
    path.is_dir() && has_plan(path).unwrap_or(false)
}

/// The text of the scenario.
pub(super) fn scenario(from: &Path, target: &Target, console: &Console) -> Result<String, Failure> {
    let record = Results::open(from)?;
    let plan = record.plan();
    let text = library::renamed(&plan.scenario_text, &target.stem);
    let host = record.host()?.unwrap_or_default();
    let of_python = |error| of_python(&text, host.script.as_deref()).map_or(error, Error::Input);
    let arms = Scenario::from_text(&target.stem, &text).arms().map_err(of_python)?;
    let folder = host.scenario_folder.map(PathBuf::from);
    let text = found_from(folder.as_deref(), text, &arms, target, console);
    if plan.search.is_some() {
        console.caveat(&Caveat::CutRunsGoOn {});
    }
    let (version, of) = (&plan.engine_version, from.display());
    Ok(format!(
        "// Made by `fedbits new --from` of the runs in {of} (fedbits {version}): it gives the same digests.\n{text}"
    ))
}

/// The text with paths of data files that lead there from its new place; files that are nowhere are named.
fn found_from(runs_folder: Option<&Path>, text: String, arms: &[Arm], target: &Target, console: &Console) -> String {
    let options = RunOptions { data: project::data(None), ..RunOptions::default() };
    let (target_folders, runs_folders) =
        (options.folders(Some(target.folder().to_path_buf())), options.folders(runs_folder.map(Path::to_path_buf)));
    let mut files: Vec<&str> = arms.iter().flat_map(|arm| arm.checked.scenario.files()).collect();
    files.sort_unstable();
    files.dedup();
    let (mut text, mut missing) = (text, Vec::new());
    for file in files.into_iter().filter(|file| target_folders.find_all(file).is_err()) {
        let moved = runs_folder.map(|folder| folder.join(file).display().to_string());
        match moved.filter(|_| runs_folders.find_all(file).is_ok()) {
            Some(moved) => {
                text = replaced(&text, file, &moved);
                console.message(&format!("{file} is read where the runs read it: {moved}"));
            }
            None => missing.push(format!("`{file}`")),
        }
    }
    if !missing.is_empty() {
        let what = so_many(missing.len(), "data file is|data files are");
        let names = missing.join(", ");
        console.caveat(&Caveat::DataNotHere { what, names });
    }
    text
}

/// The text with another path in place of one, also in what arms set.
pub(crate) fn replaced(text: &str, from: &str, to: &str) -> String {
    let tree = Tree::scan(text);
    let mut text = text.to_owned();
    for span in tree.find_texts(from).into_iter().rev() {
        text.replace_range(span, &format!("{to:?}"));
    }
    // A value that an arm sets is a text in a text.
    let [from, to] = [from, to].map(|path| format!("{:?}", format!("{path:?}")).trim_matches('"').to_owned());
    text.replace(&from, &to)
}
