//! `fedbits data`: the public data sets that scenarios of the library use, and how to get them.

mod fetch;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;

use std::path::PathBuf;

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::known_files::{KNOWN_SETS, KnownFile, KnownSet};
use fedbits_spec::so_many;
use serde_json::json;

use crate::cli::args::{DataCommand, DataListOptions};
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::cli::table::Quantity;
use crate::cli::table::number::with_unit;
use crate::cli::{output, project};
use crate::options::RunOptions;

/// What `data` does.
pub(crate) fn data(command: &DataCommand, console: &Console) -> Result<(), Failure> {
    match command {
        DataCommand::List(options) => list(options),
        DataCommand::Fetch(options) => fetch::fetch(options, console),
    }
}

/// The set of a name.
fn set(name: &str) -> Result<&'static KnownSet, Failure> {
    let found = KNOWN_SETS.iter().find(|set| set.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = KNOWN_SETS.iter().map(|set| set.name).collect();
        let known = fedbits_text::known(name, &names, names.len());
        Failure::Input(format!("there is no data set `{name}`; there are {known}"))
    })
}

/// Prints the sets, or one with its files.
fn list(options: &DataListOptions) -> Result<(), Failure> {
    let sets: Vec<&KnownSet> = match &options.name {
        Some(name) => vec![set(name)?],
        None => KNOWN_SETS.iter().collect(),
    };
    let folders = RunOptions { data: project::data(options.data.clone()), ..RunOptions::default() }.folders(None);
    if options.json {
        let sets: Vec<_> = sets.iter().map(|set| machine_readable(set, &folders)).collect();
        return output::line(json!(sets));
    }
    for set in sets {
        let found = set.files.iter().filter(|file| place(set, file, &folders).is_some()).count();
        let files = so_many(set.files.len(), "file");
        let state = match found {
            0 if set.files.iter().all(|file| file.url.is_some()) => format!("fedbits data fetch {}", set.name),
            0 => format!("by hand: {}", set.address),
            found if found == set.files.len() => "here".to_owned(),
            found => format!("{found} of {files} are here"),
        };
        let total = size(set.files.iter().map(|file| file.bytes).sum());
        output::lines(format_args!("{}: {}\n    {files}, {total}; {}", set.name, set.title, set.licence))?;
        if options.name.is_some() {
            set.files.iter().try_for_each(|file| details(set, file, &folders))?;
            output::lines(format_args!("    published at {}", set.address))?;
        }
        output::lines(format_args!("    {state}"))?;
    }
    Ok(())
}

fn details(set: &KnownSet, file: &KnownFile, folders: &DataFolders) -> Result<(), Failure> {
    output::lines(format_args!(
        "    {}/{}, {}\n        SHA-256 {}",
        set.folder,
        file.file,
        size(file.bytes),
        file.sha256
    ))?;
    if !file.remark.is_empty() {
        output::lines(format_args!("        {}", file.remark))?;
    }
    if let Some(url) = file.url {
        output::lines(format_args!("        from {url}"))?;
    }
    place(set, file, folders).map_or(Ok(()), |path| output::lines(format_args!("        is {}", path.display())))
}

/// Where the file is, if it is somewhere.
fn place(set: &KnownSet, file: &KnownFile, folders: &DataFolders) -> Option<PathBuf> {
    folders.find(&format!("{}/{}", set.folder, file.file)).ok()
}

fn machine_readable(set: &KnownSet, folders: &DataFolders) -> serde_json::Value {
    let files: Vec<_> = set
        .files
        .iter()
        .map(|file| {
            json!({
                "path": format!("{}/{}", set.folder, file.file),
                "bytes": file.bytes,
                "sha256": file.sha256,
                "url": file.url,
                "remark": file.remark,
                "is": place(set, file, folders).map(|path| path.display().to_string()),
            })
        })
        .collect();
    json!({"name": set.name, "title": set.title, "licence": set.licence, "address": set.address, "files": files})
}

fn size(bytes: u64) -> String {
    with_unit(Quantity::Bytes, bytes as f64)
}
