//! `fedbits list` and `fedbits new`: the library, and a scenario to start from.

use std::io::Write;
use std::path::Path;

use fedbits_scenarios::library;
use serde_json::json;

use crate::args::{ListOptions, NewOptions};
use crate::failure::Failure;
use crate::progress::Talk;

/// Prints the library.
pub fn list(options: &ListOptions) -> Result<(), Failure> {
    if options.json {
        let entries: Vec<_> = library::list().map(|entry| json!({"name": entry.name, "about": entry.about})).collect();
        println!("{}", json!(entries));
        return Ok(());
    }
    let width = library::list().map(|entry| entry.name.len()).max().unwrap_or(0);
    for entry in library::list() {
        println!("{:<width$}  {}", entry.name, entry.about);
    }
    Ok(())
}

/// Writes NAME.ron, which must not exist.
pub fn new(options: &NewOptions, talk: &Talk) -> Result<(), Failure> {
    let name = options.name.trim_end_matches(".ron");
    let path = Path::new(name).with_extension("ron");
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).filter(|stem| !stem.is_empty());
    let stem = stem.ok_or_else(|| Failure::Input(format!("`{}` is not a name for a scenario", options.name)))?;
    let mut file = std::fs::File::create_new(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Input(format!("{} exists: choose another name", path.display())),
        _ => Failure::file(&path, &error),
    })?;
    file.write_all(library::template(&stem).as_bytes()).map_err(|error| Failure::file(&path, &error))?;
    talk.say(format!("wrote {}; now: fedbits check {}", path.display(), path.display()));
    Ok(())
}
