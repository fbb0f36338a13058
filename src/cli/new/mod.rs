//! `fedbits new`: a commented scenario to start from: with every field, for an algorithm, after one of the
//! library, or for a table of one's own.

mod columns;
pub(crate) mod from_runs;
mod proposal;
mod questions;
mod scenario_text;
mod source;
mod study;
mod table_file;
mod target;

use std::path::Path;

use fedbits_scenarios::library;
use fedbits_text::Tree;

use self::target::Target;
use crate::cli::args::NewOptions;
use crate::cli::failure::Failure;
use crate::cli::host;
use crate::cli::progress::Console;
use crate::error::Error;
use crate::scenario::Scenario;
use crate::texts;

/// Writes NAME.ron, which must not exist.
pub(crate) fn new(options: &NewOptions, console: &Console) -> Result<(), Failure> {
    host::set_threads(None);
    if let Some(name) = study::name_of(options) {
        return study::new(name, options, console);
    }
    if let Some(base) = &options.base {
        let (name, target) = free(&options.words, "--base", "new mine --base quickstart")?;
        return target.write(&over_base(base, name, &target.stem)?, console);
    }
    if let Some(from) = options.from.as_deref().map(Path::new).filter(|from| from_runs::has_runs(from)) {
        let option = "--from with a folder of runs";
        let (_, target) = free(&options.words, option, "new again --from out/quickstart")?;
        return target.write(&from_runs::scenario(from, &target, console)?, console);
    }
    if let Some(data) = &options.data {
        let (_, target) = free(&options.words, "--data", "new my-fit --data my.csv")?;
        return target.write(&scenario_text::for_table(data, &target, options, console)?, console);
    }
    let (target, text) = match &options.from {
        Some(from) => copied(from, &options.words)?,
        None => template(&options.words)?,
    };
    target.write(&text, console)
}

/// The only word as a name of a file that is not there yet.
fn free<'w>(words: &'w [String], option: &str, example: &str) -> Result<(&'w str, Target), Failure> {
    let [name] = words else {
        return Err(Failure::Input(format!("{option} needs one NAME for the scenario, as in `{example}`")));
    };
    let target = Target::of(name)?;
    target.check_free()?;
    Ok((name, target))
}

/// The library's scenario, or a file, under another name.
fn copied(from: &str, words: &[String]) -> Result<(Target, String), Failure> {
    let source = texts::text(from)?;
    let name = match words {
        [] => source.name.rsplit('/').next().unwrap_or(&source.name),
        [name] => name.as_str(),
        _ => return Err(Failure::Input("--from takes at most one NAME for the copy".to_owned())),
    };
    let text = source.source.text;
    if Tree::scan(text.as_str()).root().field("name").is_none() {
        return Err(Failure::Input(format!("{from} has no `name`, as scenarios have: expected a scenario")));
    }
    let target = Target::of(name)?;
    let text = library::renamed(&text, &target.stem);
    Ok((target, text))
}

/// A scenario that says nothing but its base; the file is going to be called `name`.
fn over_base(base: &str, name: &str, stem: &str) -> Result<String, Failure> {
    let written = written_base(base, name)?;
    Ok(format!(
        "// What stands here is laid over the base; `fedbits check --resolved FILE` prints the whole.\n\
        // The fields of `protocol: FedEm(…)`, `stop: (…)` and the like replace those of the base one by one where\n\
        // the name before the parentheses is the base's; all other values, lists too, replace them as a whole.\n\
        (\n    name: {stem:?},\n    base: {written:?},\n    // seed: 2,\n    // stop: (rounds: 100),\n)\n"
    ))
}

/// A base as the file that is going to be called `name` names it.
fn written_base(base: &str, name: &str) -> Result<String, Failure> {
    // What cannot be a base is not written as one.
    Scenario::load(base)?.arms()?;
    let is_file = texts::text(base)?.folder.is_some();
    if is_file && !base.ends_with(".ron") {
        return Err(Failure::Input(format!("the file {base} cannot be a base: its name does not end with .ron")));
    }
    // A file is named from the folder of the new one.
    let is_beside = Path::new(name).parent().is_none_or(|folder| folder.as_os_str().is_empty());
    Ok(match is_file && !is_beside {
        true => std::path::absolute(base).map_err(|error| Error::file(Path::new(base), error))?.display().to_string(),
        false => base.to_owned(),
    })
}

fn template(words: &[String]) -> Result<(Target, String), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_start = |word: &str| library::starts().any(|start| start == word);
    let (name, start) = match words[..] {
        ["scenario", name] => (name, None),
        [name] if !is_start(name) => (name, None),
        [start] if is_start(start) => (start, Some(start)),
        [start, name] if is_start(start) => (name, Some(start)),
        [unknown, _] => {
            let known: Vec<&str> = ["scenario"].into_iter().chain(library::starts()).collect();
            let known = fedbits_text::known(unknown, &known, known.len());
            return Err(Failure::Input(format!("there is no `{unknown}` to start from; there are {known}")));
        }
        _ => return Err(Failure::Input("expected NAME, or what to start from and NAME: `new vpem my-fit`".to_owned())),
    };
    let target = Target::of(name)?;
    let text = start.map_or_else(
        || library::template(&target.stem),
        |start| library::start(start, &target.stem).unwrap_or_default(),
    );
    Ok((target, text))
}
