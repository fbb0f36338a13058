//! The Rust files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// One file.
pub struct Source {
    /// Its path from the root of the project, with `/`.
    pub name: String,
    pub text: String,
    /// Does it belong to a library or a program, and not to tests, benchmarks or examples?
    pub is_library: bool,
}

impl Source {
    /// The text up to its tests.
    pub fn without_tests(&self) -> &str {
        self.text.split("\n#[cfg(test)]\n").next().unwrap_or(&self.text)
    }
}

/// Every Rust file, in a fixed order.
pub fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in
        ["src", "sim", "search", "scenarios", "models", "reports", "python", "tests", "benches", "docs", "tools", "web"]
    {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    files.iter().map(|file| source(root, file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(root: &Path, file: &Path) -> Source {
    let parts = file.strip_prefix(root).unwrap().components();
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let text = fs::read_to_string(file).unwrap();
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let is_library = parts.iter().any(|part| part == "src") && !stem.ends_with("tests");
    Source { name: parts.join("/"), text, is_library }
}
