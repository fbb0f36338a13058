//! The scenario of records, or of a study, to be varied: what the first arm says, and what each of the others sets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::Manifest;
use fedbits_record::study::{PLAN_FILE, StudyRecord};
use fedbits_scenarios::{Checked, Source, library};
use fedbits_spec::{Caveat, so_many};
use fedbits_text::{Difference, Tree, differences};
use serde_json::Value;

use super::target::Target;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::verify::records;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::{Scenario, recorded};

/// Does this name a record, a folder of records or a study?
pub(super) fn is_recorded(path: &Path) -> bool {
    path.is_dir() && (path.join(PLAN_FILE).is_file() || records(path).is_ok())
}

/// What is recorded of an arm.
struct Recorded {
    name: String,
    text: String,
    /// The replicates, in order.
    replicates: Vec<u64>,
}

/// What is recorded of all arms.
struct Runs {
    /// What the scenario is called.
    scenario: String,
    version: String,
    arms: Vec<Recorded>,
    figures: Value,
    /// The folder in which the runs looked for data files.
    folder: Option<PathBuf>,
    /// The Python script that made them.
    script: Option<String>,
    /// Was a run cut by a search?
    is_cut: bool,
}

/// The text of the scenario.
///
/// # Errors
/// What cannot be read; records that are not of one scenario.
pub(super) fn scenario(from: &Path, target: &Target, console: &Console) -> Result<String, Failure> {
    let runs = if from.join(PLAN_FILE).is_file() { of_study(from)? } else { of_records(from)? };
    let checked: Vec<Checked> = runs.arms.iter().map(|arm| again(arm, &runs)).collect::<Result<_, _>>()?;
    let text = composed(&runs, target, console)?;
    is_the_same(&runs, &text, &checked)?;
    let text = found_from(&runs, text, &checked, target, console);
    if runs.is_cut {
        console.caveat(&Caveat::CutRunsGoOn {});
    }
    let version = &runs.version;
    let of = from.display();
    Ok(format!(
        "// Made by `fedbits new --from` of the runs in {of} (fedbits {version}): it gives the same digests.\n{text}"
    ))
}

fn of_records(from: &Path) -> Result<Runs, Failure> {
    let mut manifests: Vec<Manifest> =
        records(from)?.iter().map(|folder| Manifest::read(folder)).collect::<Result<_, _>>().map_err(Failure::from)?;
    manifests.sort_by_key(|manifest| (manifest.arm_index, manifest.seed, manifest.replicate));
    let Some(first) = manifests.first().cloned() else {
        return Err(Failure::Input(format!("{} holds no record", from.display())));
    };
    if let Some(other) = manifests.iter().find(|other| other.scenario != first.scenario) {
        let names = format!("`{}` and `{}`", first.scenario, other.scenario);
        return Err(Failure::Input(format!("these are records of {names}: expected records of one scenario")));
    }
    let seeds: Vec<u64> = manifests.iter().map(|manifest| manifest.seed).collect();
    let has_seeds = seeds.iter().any(|seed| *seed != seeds[0]);
    let mut arms: Vec<Recorded> = Vec::new();
    for manifest in &manifests {
        let of_seed = if has_seeds { format!(", seed {}", manifest.seed) } else { String::new() };
        let name = format!("{}{of_seed}", manifest.arm);
        match arms.iter_mut().find(|arm| arm.name == name) {
            Some(arm) => arm.replicates.push(manifest.replicate),
            None => {
                let (text, replicates) = (manifest.scenario_text.clone(), vec![manifest.replicate]);
                arms.push(Recorded { name, text, replicates });
            }
        }
    }
    Ok(Runs {
        is_cut: manifests.iter().any(|manifest| manifest.cut.is_some()),
        scenario: first.scenario,
        version: first.engine_version,
        arms,
        figures: first.figures,
        folder: first.host.scenario_folder.map(PathBuf::from),
        script: first.host.script,
    })
}

/// The name of an arm of a study as one of a scenario, which names a folder; another one than those that are taken.
fn named(name: &str, taken: &[Recorded]) -> String {
    let safe = |c: char| if c.is_control() || r#"/\:*?"<>|"#.contains(c) { '-' } else { c };
    let name: String = name.replace(" / ", ", ").chars().map(safe).collect();
    let name = if name.starts_with('.') { format!("-{name}") } else { name };
    let numbered = (2u32..).map(|number| format!("{name} ({number})"));
    let is_free = |name: &String| taken.iter().all(|arm| arm.name != *name);
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

fn of_study(from: &Path) -> Result<Runs, Failure> {
    let record = StudyRecord::open(from)?;
    let plan = record.plan();
    let replicates: Vec<u64> = plan.replicate_numbers().collect();
    let mut arms: Vec<Recorded> = Vec::new();
    for arm in &plan.arms {
        let (name, text) = (named(&arm.name, &arms), arm.scenario_text.clone());
        arms.push(Recorded { name, text, replicates: replicates.clone() });
    }
    let first = replicates.first().copied().unwrap_or_default();
    let run = (0..plan.arms.len()).find_map(|arm| record.run(arm, first).transpose()).transpose()?;
    let host = run.map(|run| run.manifest.host).unwrap_or_default();
    Ok(Runs {
        scenario: plan.name.clone(),
        version: plan.engine_version.clone(),
        arms,
        figures: plan.figures.clone(),
        folder: host.scenario_folder.map(PathBuf::from),
        script: host.script,
        is_cut: plan.search.is_some(),
    })
}

fn again(arm: &Recorded, runs: &Runs) -> Result<Checked, Failure> {
    Ok(recorded(Source::new(arm.name.clone(), arm.text.clone()), runs.script.as_deref())?)
}

/// The first arm's text, with the replicates, and with what the other arms set.
fn composed(runs: &Runs, target: &Target, console: &Console) -> Result<String, Failure> {
    let first = &runs.arms[0];
    if let Some(other) = runs.arms.iter().find(|arm| arm.replicates != first.replicates) {
        let names = format!("`{}` and `{}`", first.name, other.name);
        let expected = "expected the same replicates of all arms, or the record of one arm";
        return Err(Failure::Input(format!("the arms {names} have different replicates: {expected}")));
    }
    let (from, count) = (first.replicates[0], first.replicates.len() as u64);
    if !(from..).zip(&first.replicates).all(|(wanted, own)| wanted == *own) {
        let expected = "expected numbers without gaps";
        return Err(Failure::Input(format!("the replicates are {:?}: {expected}", first.replicates)));
    }
    let tree = Tree::scan(library::renamed(&first.text, target.stem()));
    let mut text = "(\n".to_owned();
    for (name, value) in tree.root().fields() {
        let name = &tree.text()[name];
        match name {
            "arms" | "figures" | "replicates" => {}
            "replicate" => text += &format!("    replicate: {from},\n    replicates: {count},\n"),
            _ => text += &format!("    {name}: {},\n", &tree.text()[value.span()]),
        }
    }
    if runs.arms.len() > 1 || first.name != runs.scenario {
        text += "    arms: [\n";
        for arm in &runs.arms {
            let sets: Vec<String> =
                sets(&first.text, &arm.text).iter().map(|(path, value)| format!("{path:?}: {value:?}")).collect();
            text += &format!("        (name: {:?}, set: {{{}}}),\n", arm.name, sets.join(", "));
        }
        text += "    ],\n";
    }
    let figures: Vec<fedbits_figures::Figure> = serde_json::from_value(runs.figures.clone()).unwrap_or_default();
    let with_figures = format!("{text}    figures: {},\n)\n", fedbits_text::write(&figures));
    if Scenario::from_text(target.stem(), &with_figures).arms().is_ok() {
        return Ok(with_figures);
    }
    if !figures.is_empty() {
        console.caveat(&Caveat::FiguresNotTakenOver {});
    }
    Ok(format!("{text})\n"))
}

/// Values of one field that are set one by one; more are set as a whole.
const SINGLE_VALUES: usize = 6;

/// What an arm sets over the first one: the smallest values that differ and that both have, by path.
fn sets(first: &str, arm: &str) -> BTreeMap<String, String> {
    let (one, other) = (Tree::scan(first), Tree::scan(arm));
    let top = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let differing: Vec<Difference> = differences(&one, &other)
        .into_iter()
        .filter(|own| !["name", "replicate"].contains(&own.path.as_str()))
        .collect();
    let mut sets = BTreeMap::new();
    for Difference { path, values } in &differing {
        let field = top(path);
        let of_field = differing.iter().filter(|own| top(&own.path) == field);
        let is_whole = of_field.clone().any(|own| own.values.contains(&None)) || of_field.count() > SINGLE_VALUES;
        match values {
            [_, Some(value)] if !is_whole => sets.insert(path.clone(), value.clone()),
            _ => {
                let value = other.compact(&field).unwrap_or_else(|| "None".to_owned());
                sets.insert(field, value)
            }
        };
    }
    sets
}

/// Every arm of the text is the arm that was recorded.
fn is_the_same(runs: &Runs, text: &str, recorded: &[Checked]) -> Result<(), Failure> {
    let arms = Scenario::from_text(&runs.scenario, text).arms()?;
    let is_same = |(now, was): (&crate::scenario::Arm, &Checked)| {
        let (now, was) = (&now.checked.scenario, &was.scenario);
        now.identity() == was.identity() && now.seed == was.seed
    };
    if arms.len() != recorded.len() || !arms.iter().zip(recorded).all(is_same) {
        let expected = "expected the record of one arm, as in `fedbits new NAME --from FOLDER/ARM`";
        return Err(Failure::Input(format!(
            "what these arms have in common cannot be written as one scenario: {expected}"
        )));
    }
    Ok(())
}

/// The text with paths of data files that lead there from its new place; files that are nowhere are named.
fn found_from(runs: &Runs, text: String, arms: &[Checked], target: &Target, console: &Console) -> String {
    let options = RunOptions { data: project::data(None), ..RunOptions::default() };
    let (here, there) = (options.folders(Some(target.folder().to_path_buf())), options.folders(runs.folder.clone()));
    let mut files: Vec<&str> = arms.iter().flat_map(|arm| arm.scenario.files()).collect();
    files.sort_unstable();
    files.dedup();
    let (mut text, mut missing) = (text, Vec::new());
    for file in files.into_iter().filter(|file| here.find_all(file).is_err()) {
        let moved = runs.folder.as_ref().map(|folder| folder.join(file).display().to_string());
        match moved.filter(|_| there.find_all(file).is_ok()) {
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
fn replaced(text: &str, from: &str, to: &str) -> String {
    let tree = Tree::scan(text);
    let mut text = text.to_owned();
    for span in tree.find_texts(from).into_iter().rev() {
        text.replace_range(span, &format!("{to:?}"));
    }
    // A value that an arm sets is a text in a text.
    let [from, to] = [from, to].map(|path| format!("{:?}", format!("{path:?}")).trim_matches('"').to_owned());
    text.replace(&from, &to)
}
