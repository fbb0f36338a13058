//! `fedbits data fetch`: files of public data sets into the cache, each checked by its SHA-256.
//!
//! A file grows as `FILE.part` and gets its name when its sum is right; what was cut off is resumed.

use std::path::Path;

use super::transfer::{Transfer, length, remove, sum};
use super::{set, size};
use crate::cli::args::DataFetchOptions;
use crate::cli::failure::Failure;
use crate::cli::progress::Console;
use crate::listener::Listener;
use crate::options::cache_folder;
use fedbits_scenarios::known_files::{KnownFile, KnownSet};

/// Gets the sets that are named.
pub(super) fn fetch(options: &DataFetchOptions, console: &Console) -> Result<(), Failure> {
    let sets: Vec<&KnownSet> = options.names.iter().map(|name| set(name)).collect::<Result<_, _>>()?;
    let from = options.from.as_deref().map(mirror).transpose()?;
    let cache = cache_folder();
    let folder = options.to.clone().or_else(|| cache.clone()).ok_or_else(|| {
        Failure::Input("there is no folder for caches (XDG_CACHE_HOME or HOME): expected --to DIR".to_owned())
    })?;
    for set in &sets {
        let unpublished = set.files.iter().find(|file| file.url.is_none());
        if let (Some(file), None) = (unpublished, &from) {
            return Err(by_hand(set, file));
        }
    }
    let transfer = Transfer::new(console)?;
    for set in sets {
        for file in &set.files {
            let path = folder.join(set.folder).join(file.file);
            let url = from.as_ref().map(|from| format!("{from}/{}/{}", set.folder, file.file));
            let url = url.or_else(|| file.url.map(str::to_owned)).unwrap_or_default();
            one(file, &url, &path, &transfer, console)?;
        }
        let found = if Some(&folder) == cache.as_ref() {
            "scenarios find it there".to_owned()
        } else {
            format!("for scenarios: --data {}", folder.display())
        };
        console.message(&format!("{} is in {}; {found}", set.name, folder.join(set.folder).display()));
    }
    Ok(())
}

/// The address of a mirror without a slash at its end.
fn mirror(address: &str) -> Result<String, Failure> {
    let known = ["http://", "https://", "file://"].iter().any(|scheme| address.starts_with(scheme));
    if known && !address.contains(char::is_whitespace) {
        return Ok(address.trim_end_matches('/').to_owned());
    }
    let expected = "expected an address, as in https://example.org/data, below which files lie as FOLDER/FILE";
    Err(Failure::Input(format!("--from {address}: {expected}")))
}

fn by_hand(set: &KnownSet, file: &KnownFile) -> Failure {
    Failure::Input(format!(
        "{}: {} is published in another form only, at\n  {}\n  ({})\n  put it into a folder `{}` beside the scenario \
         or in --data DIR, or fetch it --from a mirror that has it; its SHA-256 is\n  {}",
        set.name, file.file, set.address, file.remark, set.folder, file.sha256
    ))
}

pub(super) fn one(
    file: &KnownFile,
    url: &str,
    path: &Path,
    transfer: &Transfer,
    console: &Console,
) -> Result<(), Failure> {
    if sum(path)?.as_deref() == Some(file.sha256) {
        console.message(&format!("{} is there", path.display()));
        return Ok(());
    }
    if fedbits_record::is_there(path)? {
        let what = format!("{} is there and is another file: expected SHA-256 {}", path.display(), file.sha256);
        return Err(Failure::Input(what));
    }
    let part = path.with_added_extension("part");
    if let Some(folder) = path.parent() {
        fedbits_record::make_folder(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    let before = length(&part);
    // What is longer than the file is no beginning of it.
    if before > file.bytes {
        remove(&part)?;
    } else if before > 0 {
        console.message(&format!("resuming {} at {} of {}", file.file, size(before), size(file.bytes)));
    }
    if length(&part) < file.bytes {
        transfer.get(url, &part, file)?;
    }
    let found = sum(&part)?.unwrap_or_default();
    if found != file.sha256 {
        remove(&part)?;
        let what = "this is not the file that scenarios were tried with, and was removed";
        return Err(Failure::File(format!("{url}: SHA-256 is {found}, expected {}: {what}", file.sha256)));
    }
    std::fs::rename(&part, path).map_err(|error| Failure::file(path, &error))
}
