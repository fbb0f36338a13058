//! `ARCHITECTURE.md` agrees with the code: its table of crates, and the paths, types and functions that its text names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::{Source, sources};
use super::{crates, none};

/// Names of the standard library on the page.
const FOREIGN: [&str; 1] = ["BinaryHeap"];

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap()
}

/// What stands between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The packages that a manifest depends on, other than for its tests and its build.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let sections = manifest.split("\n[").filter_map(|section| section.split_once("]\n"));
    let tables = sections
        .filter(|(name, _)| *name == "dependencies" || name.starts_with("target.") && name.ends_with(".dependencies"));
    tables.flat_map(|(_, lines)| lines.lines().filter_map(|line| line.split([' ', '.', '=']).next())).collect()
}

#[test]
fn the_architecture_lists_the_crates_from_top_to_bottom() {
    let (root, page) = (Path::new(env!("CARGO_MANIFEST_DIR")), page());
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let mut cells = quoted(line);
            (cells.next().expect("a folder"), cells.next().expect("a package"))
        })
        .collect();
    let listed: BTreeSet<String> = rows.iter().map(|(folder, _)| (*folder).to_owned()).collect();
    assert_eq!(listed, crates(root).into_iter().collect(), "the table (left) has the members of the workspace (right)");
    let mut found = Vec::new();
    for (index, (folder, package)) in rows.iter().enumerate() {
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        if !manifest.contains(&format!("\nname = \"{package}\"\n")) {
            found.push(format!("{folder} is not called {package}"));
        }
        let used = dependencies(&manifest);
        let above = rows[..index].iter().filter(|(_, above)| used.contains(above));
        found.extend(above.map(|(_, above)| format!("{package} depends on {above}, which stands above it")));
    }
    none(found, "each crate depends only on the crates below it");
}

/// Is a function or a type of this name defined in a source?
fn defines(source: &Source, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type"].iter().any(|kind| {
        let definition = format!("{kind} {name}");
        let mut after = source.text.match_indices(&definition).map(|(at, _)| &source.text[at + definition.len()..]);
        after.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[test]
fn what_the_architecture_names_is_in_the_code() {
    let (root, page, sources) = (Path::new(env!("CARGO_MANIFEST_DIR")), page(), sources());
    let text: String = page.lines().filter(|line| !line.starts_with('|')).map(|line| format!("{line}\n")).collect();
    let is_code = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    let is_name = |word: &&str| word.contains('_') || word.starts_with(char::is_uppercase);
    let words: BTreeSet<&str> = quoted(&text).collect();
    let paths = words.iter().filter(|word| word.contains('/') && !word.contains(' '));
    let missing = paths.filter(|path| {
        let is_end = |source: &Source| source.name.ends_with(&format!("/{path}"));
        !root.join(path).exists() && !sources.iter().any(is_end)
    });
    let names = words.iter().copied().filter(is_code).flat_map(|word| word.split("::")).filter(is_name);
    let unknown = names.filter(|name| !FOREIGN.contains(name) && !sources.iter().any(|source| defines(source, name)));
    none(missing.copied().chain(unknown).map(str::to_owned).collect(), "ARCHITECTURE.md names what the code has");
}
