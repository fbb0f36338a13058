//! `fedbits list` and `fedbits new`: the library, and a scenario to start from.

use std::io::Write;
use std::path::{Path, PathBuf};

use fedbits_scenarios::library;
use serde_json::json;

use crate::args::{ListOptions, NewOptions};
use crate::failure::Failure;
use crate::output;
use crate::progress::Talk;

/// Prints the library.
pub fn list(options: &ListOptions) -> Result<(), Failure> {
    if options.json {
        let entries: Vec<_> = library::list().map(|entry| json!({"name": entry.name, "about": entry.about})).collect();
        return output::line(json!(entries));
    }
    let width = library::list().map(|entry| entry.name.len()).max().unwrap_or(0);
    library::list().try_for_each(|entry| output::line(format_args!("{:<width$}  {}", entry.name, entry.about)))
}

/// Writes NAME.ron, which must not exist.
pub fn new(options: &NewOptions, talk: &Talk) -> Result<(), Failure> {
    let name = options.name.trim_end_matches(".ron");
    let stem = Path::new(name).file_name().filter(|_| !name.ends_with('/'));
    let stem = stem.ok_or_else(|| Failure::Input(format!("`{}` is not a name for a scenario", options.name)))?;
    let path = PathBuf::from(format!("{name}.ron"));
    let mut file = std::fs::File::create_new(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Input(format!("{} exists: choose another name", path.display())),
        _ => Failure::file(&path, &error),
    })?;
    if let Err(error) = file.write_all(library::template(&stem.to_string_lossy()).as_bytes()) {
        let _ = std::fs::remove_file(&path);
        return Err(Failure::file(&path, &error));
    }
    talk.say(format!("wrote {}; now: fedbits check {}", path.display(), path.display()));
    Ok(())
}
