//! Habits of the source that no compiler checks: lengths of lines, functions and files, no `unwrap`, no cycles between
//! modules. What the night does with slow tests. That the documentation is short, and names what the code has.

mod architecture;
mod budget;
mod cycles;
#[cfg(unix)]
mod night;
mod paper;
mod prose;
#[cfg(unix)]
mod source;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use source::{Source, sources};

const LONGEST_LINE: usize = 120;
const LONGEST_FUNCTION: usize = 60;
const LONGEST_FILE: usize = 500;

/// Fails with everything that was found.
fn none(found: Vec<String>, rule: &str) {
    let mut text = String::new();
    found.iter().for_each(|line| writeln!(text, "  {line}").unwrap());
    assert!(found.is_empty(), "{rule}:\n{text}");
}

#[test]
fn lines_and_files_are_short() {
    let mut found = Vec::new();
    // Tests quote long inputs and outputs as they are.
    for Source { name, text, .. } in sources().iter().filter(|source| source.is_library) {
        let lines = text.lines().count();
        if lines > LONGEST_FILE {
            found.push(format!("{name}: {lines} lines"));
        }
        let long = text.lines().enumerate().filter(|(_, line)| line.chars().count() > LONGEST_LINE && can_break(line));
        found.extend(long.map(|(index, line)| format!("{name}:{}: {} characters", index + 1, line.chars().count())));
    }
    none(found, "lines have at most 120 characters, files 500 lines");
}

/// Rows of tables and equations in documentation cannot go on in the next line.
fn can_break(line: &str) -> bool {
    let text = line.trim_start();
    let inside = text.trim_start_matches(['/', '!', ' ']);
    !text.starts_with("//") || !(inside.contains('|') || inside.contains("  "))
}

/// Formatted source ends a function with a brace as far in as its first line.
#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for Source { name, text, .. } in &sources() {
        let lines: Vec<&str> = text.lines().collect();
        for first in (0..lines.len()).filter(|&at| begins_function(lines[at])) {
            let length = length_of_function(&lines[first..]);
            if length > LONGEST_FUNCTION {
                found.push(format!("{name}:{}: {length} lines", first + 1));
            }
        }
    }
    none(found, "functions have at most 60 lines");
}

fn begins_function(line: &str) -> bool {
    let words = line.trim_start().split("fn ").next().unwrap_or_default();
    let known = |word: &str| word.starts_with("pub") || ["const", "unsafe", "async"].contains(&word);
    line.contains("fn ") && words.split_whitespace().all(known)
}

/// Lines from the first of a function to its last; 1 where it has no body of its own lines.
fn length_of_function(lines: &[&str]) -> usize {
    let indent = &lines[0][..lines[0].len() - lines[0].trim_start().len()];
    let head = lines.iter().position(|line| line.ends_with(['{', ';', '}'])).unwrap_or(0);
    if !lines[head].ends_with('{') {
        return 1;
    }
    lines.iter().position(|line| *line == format!("{indent}}}")).map_or(1, |last| last + 1)
}

/// `unwrap` says nothing of why it cannot fail. Tests may use it: they fail as they should.
#[test]
fn nothing_is_unwrapped() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| source.is_library) {
        let lines = source.without_tests().lines().enumerate();
        let bad = lines.filter(|(_, line)| line.contains(".unwrap()") && !line.trim_start().starts_with("//"));
        found.extend(bad.map(|(index, _)| format!("{}:{}", source.name, index + 1)));
    }
    none(found, "no `unwrap` outside of tests");
}

/// Threads are made, and files opened, in one place each, which know what to do where the system refuses and where what
/// is opened is none.
#[test]
fn threads_and_files_have_one_place() {
    let (threads, files) = ("sim/spec/src/threads.rs", "sim/spec/src/files.rs");
    let places = [
        ("thread::spawn(", threads),
        ("Builder::new().spawn(", threads),
        ("thread::Builder::new()", threads),
        ("scope.spawn(", threads),
        ("ThreadPoolBuilder::new()", threads),
        ("enable_steady_tick(", threads),
        ("File::open(", files),
        ("fs::read(", files),
        ("fs::read_to_string(", files),
    ];
    // Namespaces and sockets of `tools/emulate`.
    let elsewhere = |name: &str| name.starts_with("tools/emulate/");
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| source.is_library && !elsewhere(&source.name)) {
        for (number, line) in source.without_tests().lines().enumerate() {
            let is_code = !line.trim_start().starts_with("//");
            let bad = places.iter().filter(|(call, place)| source.name != *place && is_code && line.contains(call));
            found.extend(bad.map(|(call, place)| format!("{}:{}: {call}: {place}", source.name, number + 1)));
        }
    }
    none(found, "threads and files have one place each");
}

#[test]
fn modules_do_not_import_each_other_in_circles() {
    let library: Vec<Source> = sources().into_iter().filter(|source| source.is_library).collect();
    none(cycles::cycles(&library), "modules import each other in no circle");
}

/// What Cargo.toml says that a library lacks, so that it is not compiled to look for it; or that `tests/units` has.
#[test]
fn no_test_is_left_out() {
    let mut found = Vec::new();
    let sources = sources();
    let manifest = |folder: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml")).unwrap()
    };
    let units = manifest("tests/units");
    for source in sources.iter().filter(|source| source.is_library) {
        let (folder, _) = source.name.split_once("src/").expect("a library is in src/");
        let apart = units.contains(&format!("\npath = \"../../{folder}src/lib.rs\"\n"));
        let manifest = manifest(folder);
        // Its programs come after it, and say the same of themselves.
        let library = manifest.split("\n[[").next().unwrap_or_default();
        let has = |sign: &str| source.text.lines().any(|line| line.trim_start().starts_with(sign));
        if library.contains("\ntest = false") != apart && has("#[test]") {
            found.push(format!(
                "{}: a test that is run by neither its library nor tests/units, or by both",
                source.name
            ));
        }
        if library.contains("\ndoctest = false") && (has("/// ```") || has("//! ```")) {
            found.push(format!("{}: `doctest = false`, but an example", source.name));
        }
    }
    none(found, "what Cargo leaves out is not there");
}

/// Where one program has all tests of a crate, a file that it does not name is compiled by nobody.
#[test]
fn no_file_of_tests_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let units = fs::read_to_string(root.join("tests/units/Cargo.toml")).unwrap();
    let mut found = Vec::new();
    for folder in crates(root) {
        let read = |file: &str| fs::read_to_string(root.join(&folder).join(file)).unwrap_or_default();
        let named = ["Cargo.toml", "tests/main.rs", "src/lib.rs"].map(read);
        let Ok(entries) = fs::read_dir(root.join(&folder).join("tests")) else { continue };
        let is_compiled =
            |manifest: &str, path: &str| manifest.contains(&format!("\npath = \"{path}tests/main.rs\"\n"));
        let is_apart = is_compiled(&units, &format!("../../{folder}/"));
        if !named[1].is_empty() && folder != "." && is_compiled(&named[0], "") == is_apart {
            found.push(format!("{folder}/tests/main.rs: compiled by neither its crate nor tests/units, or by both"));
        }
        if !named[0].contains("\nautotests = false\n") {
            continue;
        }
        for path in entries.map(|entry| entry.unwrap().path()) {
            let name = path.file_stem().expect("an entry has a name").to_string_lossy().into_owned();
            let is_tests = path.extension().is_some_and(|ending| ending == "rs") || path.join("mod.rs").exists();
            let is_named = named
                .iter()
                .any(|text| text.contains(&format!("\nmod {name};")) || text.contains(&format!("/{name}.rs\"]\nmod ")));
            if is_tests && name != "main" && !is_named {
                found.push(format!("{folder}/tests/{name}: no program has it as a module"));
            }
        }
    }
    none(found, "every file of tests is compiled");
}

/// The folders of the workspace's crates.
fn crates(root: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = manifest.lines().find_map(|line| line.strip_prefix("members = [")?.strip_suffix(']')).unwrap();
    let names = members.split(", ").map(|name| name.trim_matches('"').to_owned());
    names.chain([".".to_owned()]).collect()
}
