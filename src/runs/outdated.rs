//! What `run` would do with a folder now: its plan is made anew from the scenario that it keeps, and from the data and
//! the program as they are now.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::store::jobs;
use crate::error::Error;
use crate::options::RunOptions;
use crate::scenario::{Scenario, of_python, texts};
use fedbits_record::results::Results;
use fedbits_scenarios::data_files::DataFolders;
use fedbits_text::Tree;

/// How many runs that have a result `run` would make anew, because what they depend on is not what it was.
pub(crate) fn made_anew(record: &Results, options: &RunOptions) -> Result<u64, Error> {
    let Some(host) = record.host()? else { return Ok(0) };
    let beside = host.scenario_folder.map(PathBuf::from);
    let (plan, results) = (record.plan(), record.counts().results());
    let title = format!("the text of the scenario `{}`", plan.name);
    let now = Scenario::from_text_in(&title, &plan.scenario_text, beside).runs()?.plan(options)?;
    if now.has_runs_of(plan) {
        return Ok(0);
    }
    let now = Results::with_plan(record.directory(), now)?;
    if now.plan().arms.len() != plan.arms.len() {
        return Ok(results);
    }
    let to_make = |record: &Results| jobs(record, None, false).len() as u64;
    Ok(to_make(&now).saturating_sub(to_make(record)))
}

/// The data files of runs: the paths that their scenario gives, and the folders that may have them now.
pub(crate) fn data_files(record: &Results, options: &RunOptions) -> Result<(BTreeSet<String>, DataFolders), Error> {
    let (plan, beside) = (record.plan(), record.host()?.and_then(|host| host.scenario_folder).map(PathBuf::from));
    let folders = options.folders(beside.clone());
    if of_python(&plan.scenario_text, None).is_some() {
        return Ok((named_in(&plan.scenario_text, &folders), folders));
    }
    let runs = Scenario::from_text_in(&plan.name, &plan.scenario_text, beside).runs()?;
    let names = runs.checked.arms.iter().flat_map(|arm| arm.scenario.files()).map(str::to_owned);
    Ok((names.collect(), folders))
}

/// Fields of `data` that name files.
const FILE_FIELDS: [&str; 4] = ["path", "images", "labels", "vocabulary"];

/// Data files of a scenario that only Python can read: the texts of its fields for files, and all others, also in what
/// arms set, that are names of files which are there.
fn named_in(text: &str, folders: &DataFolders) -> BTreeSet<String> {
    let tree = Tree::scan(text);
    let sections = tree.root().fields().into_iter();
    let sections = sections.map(|(name, value)| (tree.text()[name] == *"data", value));
    let mut names = BTreeSet::new();
    for (is_data, section) in sections {
        for (field, text) in texts(section, "") {
            let set = Tree::scan(text.as_str());
            let inside = texts(set.root(), "").into_iter().map(|(_, text)| text);
            let is_named = is_data && FILE_FIELDS.contains(&field);
            let is_there = |name: &String| folders.find(name).is_ok_and(|path| path.is_file());
            names.extend(inside.filter(is_there));
            names.extend(Some(text).filter(|text| is_named || is_there(text)));
        }
    }
    names
}
