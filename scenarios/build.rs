//! Lists the files of `library/`, so that a scenario added there needs no registration. It knows no RON.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let library = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("library");
    println!("cargo::rerun-if-changed={}", library.display());
    let mut files = Vec::new();
    collect(&library, &mut files)?;
    files.sort_by_key(|file| file.with_extension(""));
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&library).map_err(io::Error::other)?.with_extension("");
        // Names are the same on every system.
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(list, "    ({name:?}, include_str!({:?})),", file.display()).map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(variable("OUT_DIR")?).join("library.rs"), list)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            files.push(path);
        }
    }
    Ok(())
}
