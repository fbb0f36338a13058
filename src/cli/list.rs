//! `fedbits list` and `fedbits new`: the library, and a scenario or a study to start from.

use std::io::Write;
use std::path::{Path, PathBuf};

use fedbits_scenarios::library;
use serde_json::json;

use crate::cli::args::{ListOptions, NewOptions};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::listener::Listener;

/// Prints the library.
pub(crate) fn list(options: &ListOptions) -> Result<(), Failure> {
    if options.json {
        let entries: Vec<_> = library::list()
            .map(|entry| json!({"name": entry.name, "kind": kind(entry), "about": entry.about}))
            .collect();
        return output::line(json!(entries));
    }
    let width = library::list().map(|entry| entry.name.len()).max().unwrap_or(0);
    library::list().try_for_each(|entry| output::line(format_args!("{:<width$}  {}", entry.name, entry.about)))
}

fn kind(entry: library::LibraryEntry) -> &'static str {
    if entry.is_study { "study" } else { "scenario" }
}

/// Writes NAME.ron, which must not exist: a scenario, or a study.
pub(crate) fn new(options: &NewOptions, console: &Console) -> Result<(), Failure> {
    let words: Vec<&str> = options.words.iter().map(String::as_str).collect();
    let (name, template): (&str, fn(&str) -> String) = match words[..] {
        ["study"] => ("study", library::study_template),
        ["study", name] => (name, library::study_template),
        [name] | ["scenario", name] => (name, library::template),
        _ => {
            let words = words.join(" ");
            return Err(Failure::Input(format!("`{words}`: expected NAME, `scenario NAME` or `study [NAME]`")));
        }
    };
    let name = name.trim_end_matches(".ron");
    let stem = Path::new(name).file_name().filter(|_| !name.ends_with('/'));
    let stem = stem.ok_or_else(|| Failure::Input(format!("`{name}` is not a name for a scenario")))?;
    let path = PathBuf::from(format!("{name}.ron"));
    let mut file = std::fs::File::create_new(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Input(format!("{} exists: choose another name", path.display())),
        _ => Failure::file(&path, &error),
    })?;
    if let Err(error) = file.write_all(template(&stem.to_string_lossy()).as_bytes()) {
        let _ = std::fs::remove_file(&path);
        return Err(Failure::file(&path, &error));
    }
    console.message(&format!("wrote {}; now: fedbits check {}", path.display(), path.display()));
    Ok(())
}
