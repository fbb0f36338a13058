//! The places of the documentation, by the words that they are about.

use std::collections::BTreeSet;

use fedbits_scenarios::schema::{Scenario, Study};
use fedbits_spec::Described;
use fedbits_spec::describe::Types;
use fedbits_spec::reference::{all, sections};

/// A place that is about some words.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) title: String,
    /// The page, and the heading on it.
    pub(super) place: String,
    /// What it is about.
    pub(super) words: Vec<String>,
    /// What it mentions besides.
    pub(super) mentions: Vec<String>,
    /// The names of what it is a part of.
    pub(super) around: Vec<String>,
    /// Lines; those that begin with `- ` are points.
    pub(super) text: String,
}

/// Pages with fields and columns, as they are in the repository.
const PAGES: [(&str, &str); 3] = [
    ("docs/fields.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fields.md"))),
    ("docs/records.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/records.md"))),
    ("docs/command-line.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/command-line.md"))),
];

/// All places: those of the documentation, and what parts that a user's crate added say of themselves.
pub(super) fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = PAGES.iter().flat_map(|(page, text)| of_page(page, text)).collect();
    let known: BTreeSet<String> = entries.iter().map(|entry| entry.title.clone()).collect();
    let registered = of_page("the parts of this program", &registered());
    entries.extend(registered.into_iter().filter(|entry| !known.contains(&entry.title)));
    entries
}

/// `docs/fields.md` with the parts that are registered now.
fn registered() -> String {
    let mut types = Types::new();
    Study::types(&mut types);
    Scenario::types(&mut types);
    sections(&all(types))
}

fn of_page(page: &str, text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
        let heading = heading.replace('`', "");
        let place = format!("{page} › {heading}");
        entries.push(of_section(&place, &heading, body));
        entries.extend(rows(&place, &heading, body));
        entries.extend(points(&place, &heading, body));
    }
    entries
}

/// A section as a whole: of a long one its first paragraph and its outer points.
fn of_section(place: &str, heading: &str, body: &str) -> Entry {
    let outer = |line: &&str| !line.starts_with(' ') && !line.starts_with('|');
    let first = body.split("\n\n").find(|part| !part.trim().is_empty() && !part.starts_with('|')).unwrap_or_default();
    let points: Vec<&str> = body.lines().filter(outer).filter(|line| line.starts_with("- ")).collect();
    let text =
        if first.starts_with("- ") { points.join("\n") } else { format!("{}\n{}", joined(first), points.join("\n")) };
    Entry {
        title: heading.to_owned(),
        place: place.to_owned(),
        words: vec![heading.to_owned()],
        mentions: Vec::new(),
        around: Vec::new(),
        text: text.trim().to_owned(),
    }
}

/// A row of a table is about the words of its first cell.
fn rows(place: &str, heading: &str, body: &str) -> Vec<Entry> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("|--");
    let row = |line: &str| {
        let (first, rest) = line.trim_matches('|').split_once('|')?;
        let (first, rest) = (first.trim(), rest.trim());
        let plain: Vec<String> = first.split(',').map(|word| word.trim().replace('`', "")).collect();
        (!rest.is_empty()).then(|| Entry {
            title: first.replace('`', ""),
            place: place.to_owned(),
            words: plain,
            mentions: quoted(rest),
            around: vec![heading.to_owned()],
            text: rest.to_owned(),
        })
    };
    body.lines().filter(is_row).filter_map(row).filter(|entry| !is_head(&entry.title)).collect()
}

/// The first cells of tables' heads.
fn is_head(title: &str) -> bool {
    ["column", "protocol"].contains(&title) || title.starts_with("in the table")
}

/// A point is about the name at its beginning; the points below it belong to it.
fn points(place: &str, heading: &str, body: &str) -> Vec<Entry> {
    let lines: Vec<&str> = body.lines().collect();
    let mut entries = Vec::new();
    let mut around: Vec<(usize, String)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some(point) = line.trim_start().strip_prefix("- `") else { continue };
        let Some((head, _)) = point.split_once('`') else { continue };
        around.retain(|(own, _)| *own < indent);
        let belongs = |line: &&&str| line.len() - line.trim_start().len() > indent;
        let below: Vec<&str> = lines[number + 1..].iter().take_while(belongs).copied().collect();
        let name = head.split([':', '(']).next().unwrap_or(head).trim().to_owned();
        let other = point.split(": ").next().unwrap_or_default();
        let mut words = vec![name.clone()];
        words.extend(quoted(&format!("`{other}")).into_iter().filter(|word| *word != name && word.contains('.')));
        let mut own_around = vec![heading.to_owned()];
        own_around.extend(around.iter().map(|(_, name)| name.clone()));
        let text = format!("{}\n{}", line.trim_start().trim_start_matches("- "), below.join("\n"));
        entries.push(Entry {
            title: [&own_around[..], std::slice::from_ref(&name)].concat().join(" › "),
            place: place.to_owned(),
            words,
            mentions: quoted(&text),
            around: own_around,
            text: continued(&text),
        });
        around.push((indent, name));
    }
    entries
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(|part| part.split(", ")).map(str::to_owned).collect()
}

/// A paragraph on one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines that continue a sentence are joined to it; points keep lines of their own.
fn continued(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match lines.last_mut() {
            Some(last) if !line.trim_start().starts_with("- ") => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}
