//! Circles of modules: files of a crate that take names from each other in a ring.
//!
//! A path that begins with `crate`, `super` or `self` leads to the file that defines its name; names that a file only
//! hands on are followed to where they are defined. The root of a crate declares its modules: a ring through `lib.rs` or
//! `main.rs` is none here.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::source::Source;

/// A module: its path inside its crate, `["gmm", "kernel"]`.
type Path = Vec<String>;

/// One crate's modules.
#[derive(Default)]
struct Crate<'a> {
    modules: BTreeMap<Path, Module<'a>>,
}

struct Module<'a> {
    file: &'a str,
    text: String,
    /// Names that it imports or hands on, and from where.
    imports: BTreeMap<String, Path>,
}

/// Every circle, as the files in it.
pub fn cycles(sources: &[Source]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Crate<'_>> = BTreeMap::new();
    for source in sources {
        let Some((root, inside)) = source.name.split_once("src/") else { continue };
        let path = module_path(inside);
        let text = code(source.without_tests());
        let module = Module { file: &source.name, imports: imports(&text, &path), text };
        crates.entry(root).or_default().modules.insert(path, module);
    }
    crates.values().flat_map(Crate::cycles).collect()
}

fn module_path(inside: &str) -> Path {
    let mut path: Path = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        path.pop();
    }
    path
}

/// The text without comments. String literals stay: a path that stands in one is taken for a use of its file.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.split(" // ").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// What `use` declarations bring into a module, by the name that they give it.
fn imports(text: &str, home: &Path) -> BTreeMap<String, Path> {
    let mut all = BTreeMap::new();
    for (at, _) in text.match_indices("use ") {
        let before = text[..at].trim_end_matches(' ');
        let starts = before.is_empty() || before.ends_with(['\n', ')']) || before.ends_with("pub");
        let Some((tree, _)) = text[at + 4..].split_once(';') else { continue };
        if starts {
            for (path, name) in leaves(tree) {
                all.extend(absolute(&path, home).map(|path| (name, path)));
            }
        }
    }
    all
}

/// The paths of a tree `a::{b, c::d as e}` with the names that they give.
fn leaves(tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    if let Some((head, rest)) = tree.split_once('{') {
        let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
        let prefix: Path = segments(head);
        let parts = split(inner).into_iter().flat_map(leaves);
        return parts.map(|(path, name)| (prefix.iter().cloned().chain(path).collect(), name)).collect();
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path = segments(path);
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.map(|alias| alias.trim().to_owned()).or_else(|| path.last().cloned());
    name.map(|name| (path, name)).into_iter().collect()
}

fn segments(path: &str) -> Path {
    path.split("::").map(|segment| segment.trim().to_owned()).filter(|segment| !segment.is_empty()).collect()
}

/// The items between commas that stand in no inner braces.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[start..]);
    items.into_iter().filter(|item| !item.trim().is_empty()).collect()
}

/// The path from the root of the crate, for those that stay inside it. A path that begins with a child module is one
/// too; whether there is such a child is seen when it is looked up.
fn absolute(path: &[String], home: &Path) -> Option<Path> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => home.clone(),
        _ => return Some(home.iter().chain(path).cloned().collect()),
    };
    let mut rest = path;
    while let Some(first) = rest.first().filter(|first| ["crate", "self", "super"].contains(&first.as_str())) {
        if first == "super" {
            base.pop()?;
        }
        rest = &rest[1..];
    }
    base.extend_from_slice(rest);
    Some(base)
}

impl Crate<'_> {
    /// The module that defines the name at the end of a path.
    fn definer(&self, path: &[String], steps: usize) -> Option<&Path> {
        let inside = (0..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length]))?;
        let (module, rest) = path.split_at(inside);
        let (key, found) = self.modules.get_key_value(module)?;
        match rest.first() {
            Some(name) if steps > 0 => match found.imports.get(name) {
                Some(further) if further != path && !defines(&found.text, name) => {
                    self.definer(further, steps - 1).or(Some(key))
                }
                _ => Some(key),
            },
            _ => Some(key),
        }
    }

    /// Modules that one takes names from.
    fn uses<'c>(&'c self, home: &'c Path, module: &'c Module<'_>) -> BTreeSet<&'c Path> {
        let qualified = ["crate::", "super::", "self::"].into_iter().flat_map(|start| {
            module.text.match_indices(start).filter_map(move |(at, _)| {
                let alone = !module.text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
                let end = module.text[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
                let path = segments(&module.text[at..at + end.unwrap_or(module.text.len() - at)]);
                alone.then(|| absolute(&path, home)).flatten()
            })
        });
        // What a module only hands on, it does not use.
        let imported = module.imports.iter().filter(|(name, _)| uses_name(&module.text, name));
        let paths = qualified.chain(imported.map(|(_, path)| path.clone()));
        let reached = paths.filter(|path| path.len() > home.len() || !home.starts_with(path));
        reached
            .filter_map(|path| self.definer(&path, 8))
            .filter(|target| *target != home && !target.is_empty())
            .collect()
    }

    fn cycles(&self) -> Vec<String> {
        let edges: BTreeMap<&Path, BTreeSet<&Path>> =
            self.modules.iter().map(|(path, module)| (path, self.uses(path, module))).collect();
        let reach: BTreeMap<&Path, BTreeSet<&Path>> =
            edges.keys().map(|path| (*path, reachable(path, &edges))).collect();
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for (path, reached) in &reach {
            if !reached.contains(path) || seen.contains(path) {
                continue;
            }
            let ring: Vec<&Path> = reached.iter().copied().filter(|other| reach[other].contains(path)).collect();
            seen.extend(ring.iter().copied());
            let arrows = ring.iter().flat_map(|from| {
                let inner = edges[from].iter().filter(|to| ring.contains(to));
                inner.map(|to| format!("{} -> {}", self.modules[*from].file, self.modules[*to].file))
            });
            found.push(arrows.collect::<Vec<_>>().join("\n    "));
        }
        found
    }
}

/// Is an item of this name defined in the text?
fn defines(text: &str, name: &str) -> bool {
    ["struct ", "enum ", "trait ", "fn ", "const ", "type ", "static ", "macro_rules! ", "mod "].iter().any(|keyword| {
        text.match_indices(&format!("{keyword}{name}")).any(|(at, found)| {
            !text[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
                && (*keyword != "mod " || !text[at + found.len()..].starts_with(';'))
        })
    })
}

/// Does the name stand anywhere outside of `use` declarations?
fn uses_name(text: &str, name: &str) -> bool {
    let body: String = text.split_inclusive(';').filter(|part| !part.contains("use ")).collect();
    body.match_indices(name).any(|(at, _)| {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        !body[..at].ends_with(letter) && !body[at + name.len()..].starts_with(letter)
    })
}

fn reachable<'c>(from: &'c Path, edges: &BTreeMap<&'c Path, BTreeSet<&'c Path>>) -> BTreeSet<&'c Path> {
    let (mut queue, mut reached) = (vec![from], BTreeSet::new());
    while let Some(path) = queue.pop() {
        for next in edges.get(path).into_iter().flatten() {
            if reached.insert(*next) {
                queue.push(next);
            }
        }
    }
    reached
}
