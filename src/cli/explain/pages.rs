//! The places of the documentation, by the words that they are about.

use std::collections::BTreeSet;

use fedbits_scenarios::schema::Scenario;
use fedbits_spec::describe::Types;
use fedbits_spec::reference::{Repeated, all, sections};
use fedbits_spec::{Caveat, Described};

/// A place that is about some words.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) place: String,
    pub(super) words: Vec<String>,
    pub(super) mentions: Vec<String>,
    /// The names of what it is a part of.
    pub(super) around: Vec<String>,
    /// Lines; those that begin with `- ` are points.
    pub(super) text: String,
}

/// Pages with columns and symbols, as they are in the repository.
const PAGES: [(&str, &str); 6] = [
    ("docs/records.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/records.md"))),
    ("docs/command-line.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/command-line.md"))),
    ("docs/algorithms.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/algorithms.md"))),
    ("docs/comparisons.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/comparisons.md"))),
    ("docs/names.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/names.md"))),
    ("docs/step-sizes.md", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/step-sizes.md"))),
];

/// All places: caveats first, then fields and those of the other pages.
pub(super) fn entries() -> Vec<Entry> {
    let pages = PAGES.iter().flat_map(|(page, text)| of_page(page, text));
    let mut all: Vec<Entry> = caveats().chain(fields()).chain(pages).collect();
    // What a word means comes before the settings of its name.
    all.sort_by_key(|entry| !entry.place.ends_with("› Words"));
    all
}

const FIELDS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fields.md"));

/// The fields of the parts that are registered now: those of `docs/fields.md`, and of parts that a user's crate added.
fn fields() -> impl Iterator<Item = Entry> {
    let page: BTreeSet<String> = of_page("", FIELDS).into_iter().map(|entry| entry.title).collect();
    let mut types = Types::new();
    Scenario::types(&mut types);
    let is_on_page = move |Entry { title, words, around, .. }: &Entry| {
        // The page refers to fields that it has described before; names of fields are lower case.
        let is_field = words.first().is_some_and(|name| name.starts_with(char::is_lowercase));
        page.contains(title) || is_field && page.contains(&around.join(" › "))
    };
    of_page("", &sections(&all(types), Repeated::Whole)).into_iter().map(move |mut entry| {
        let page = if is_on_page(&entry) { "docs/fields.md" } else { "the parts of this program" };
        entry.place = format!("{page}{}", entry.place);
        entry
    })
}

const CAVEATS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/caveats.md"));

fn caveats() -> impl Iterator<Item = Entry> {
    Caveat::KINDS.iter().map(|kind| Entry {
        title: kind.id.to_owned(),
        place: "docs/caveats.md".to_owned(),
        words: vec![kind.id.to_owned()],
        mentions: Vec::new(),
        around: Vec::new(),
        text: format!("  {}\n{}", kind.sentence, explanation(kind.id)),
    })
}

/// What the page says below the sentence of an id.
fn explanation(id: &str) -> String {
    let section = CAVEATS.split("\n## ").find_map(|section| section.strip_prefix(id)?.strip_prefix('\n'));
    let lines = section.unwrap_or_default().lines().filter(|line| !line.starts_with("    "));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn of_page(page: &str, text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let mut parts = section.split("\n### ").map(|part| {
            let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
            (heading.replace('`', ""), body)
        });
        let Some((heading, body)) = parts.next() else { continue };
        let place = format!("{page} › {heading}");
        entries.extend(of_section(&place, std::slice::from_ref(&heading), body));
        for (inner, body) in parts {
            entries.extend(of_section(&format!("{place} › {inner}"), &[heading.clone(), inner], body));
        }
    }
    entries
}

/// A section under these headings, the innermost last: as a whole, and its rows and points.
fn of_section(place: &str, headings: &[String], body: &str) -> Vec<Entry> {
    let (rows, points) = (rows(place, headings, body), points(place, headings, body));
    let heading = headings.last().map_or("", String::as_str);
    let mut whole = Entry {
        title: heading.to_owned(),
        place: place.to_owned(),
        words: heading.split(", ").chain([heading]).map(str::to_owned).collect(),
        mentions: Vec::new(),
        around: headings[..headings.len() - 1].to_vec(),
        text: summary(body),
    };
    if whole.text.is_empty() {
        whole.text = rows.iter().map(|row| row.title.as_str()).collect::<Vec<_>>().join(", ");
    }
    [vec![whole], rows, points].concat()
}

/// Of a long section its first paragraph and its outer points.
fn summary(body: &str) -> String {
    let first = body.split("\n\n").map(str::trim).find(|part| !part.is_empty()).unwrap_or_default();
    let mut inside = false;
    let mut is_outer = |line: &&str| {
        inside = line.starts_with("- ") || inside && line.starts_with("  ") && !line.trim_start().starts_with("- ");
        inside
    };
    let intro = if first.starts_with(['|', '-']) { String::new() } else { joined(first) };
    let points = continued(&body.lines().filter(|line| is_outer(line)).collect::<Vec<_>>().join("\n"));
    [intro, points].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A row of a table is about the words of its first cell.
fn rows(place: &str, headings: &[String], body: &str) -> Vec<Entry> {
    let (lines, mut entries, mut head): (Vec<&str>, _, _) = (body.lines().collect(), Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
        if lines.get(at + 1).is_some_and(|next| next.starts_with("|--")) {
            head = cells;
            continue;
        }
        let Some((first, rest)) = cells.split_first() else { continue };
        let text = match rest {
            [only] => (*only).to_owned(),
            _ => {
                let named = head.iter().skip(1).zip(rest).filter(|(_, cell)| !cell.is_empty());
                named.map(|(name, cell)| format!("- {name}: {cell}")).collect::<Vec<_>>().join("\n")
            }
        };
        if !text.is_empty() {
            entries.push(Entry {
                title: first.replace('`', ""),
                place: place.to_owned(),
                words: first.split(',').map(|word| word.trim().replace('`', "")).collect(),
                mentions: quoted(&text),
                around: headings.to_vec(),
                text,
            });
        }
    }
    entries
}

/// A point is about the name at its beginning; the points below it belong to it.
fn points(place: &str, headings: &[String], body: &str) -> Vec<Entry> {
    let lines: Vec<&str> = body.lines().collect();
    let mut entries = Vec::new();
    let mut around: Vec<(usize, String)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some(point) = line.trim_start().strip_prefix("- `") else { continue };
        let Some((head, _)) = point.split_once('`') else { continue };
        around.retain(|(depth, _)| *depth < indent);
        let belongs = |line: &&&str| line.len() - line.trim_start().len() > indent;
        let below: Vec<&str> = lines[number + 1..].iter().take_while(belongs).copied().collect();
        let name = head.split([':', '(']).next().unwrap_or(head).trim().to_owned();
        let heading = point.split(": ").next().unwrap_or_default();
        let mut words = vec![name.clone()];
        words.extend(quoted(&format!("`{heading}")).into_iter().filter(|word| *word != name && word.contains('.')));
        let around_point: Vec<String> = headings.iter().chain(around.iter().map(|(_, name)| name)).cloned().collect();
        let text = format!("{}\n{}", line.trim_start().trim_start_matches("- "), below.join("\n"));
        entries.push(Entry {
            title: [&around_point[..], std::slice::from_ref(&name)].concat().join(" › "),
            place: place.to_owned(),
            words,
            mentions: quoted(&text),
            around: around_point,
            text: continued(&text),
        });
        around.push((indent, name));
    }
    entries
}

fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(|part| part.split(", ")).map(str::to_owned).collect()
}

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
