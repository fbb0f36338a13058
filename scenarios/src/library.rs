//! The scenarios that are built into the program, and the one to start from.

use thiserror::Error;

use fedbits_text::{Source, Tree};

/// Names and texts of the files below `library/`, sorted by name.
const LIBRARY: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// A scenario with every field of FedEM on a mixture explained; its name is put in by `template`.
const TEMPLATE: &str = include_str!("template.ron");

/// Commented scenarios to start from, by the algorithm; their names are put in by `start`.
const STARTS: &[(&str, &str)] = &[
    ("fedem", include_str!("starts/fedem.ron")),
    ("vr-fedem", include_str!("starts/vr-fedem.ron")),
    ("fedmissem", include_str!("starts/fedmissem.ron")),
    ("vpem", include_str!("starts/vpem.ron")),
    ("kmeans", include_str!("starts/kmeans.ron")),
    ("diffusion", include_str!("starts/diffusion.ron")),
    ("flsaem", include_str!("starts/flsaem.ron")),
    ("centralized", include_str!("starts/centralized.ron")),
    ("baselines", include_str!("starts/baselines.ron")),
    ("optimization", include_str!("starts/optimization.ron")),
];

/// What one may want to do, in the order of the list, and the scenarios for it: names, or beginnings of names (with `/`
/// or `-`). A scenario belongs to the first that has it.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["quickstart"]),
    (
        "Compare compressors and algorithms",
        &[
            "compressors",
            "one-round",
            "papers/fedem-baselines",
            "papers/fedem-compression",
            "papers/fedem-heterogeneity",
        ],
    ),
    ("Look at a data set", &["htru2-em", "htru2-fedem", "mnist-fedem", "unknown-components", "fedem-imputation"]),
    ("Fit clients that differ", &["clients/"]),
    ("Vary the network", &["network/"]),
    ("Vary several things, over many seeds", &["studies/"]),
    ("Reproduce FedEM and its relatives", &["papers/fedem-", "papers/geom-", "papers/spider-"]),
    (
        "Optimize with gradients: compressed messages and local steps",
        &["optimization/", "papers/diana-", "papers/ef21-", "papers/marina-"],
    ),
    ("Reproduce FL-SAEM: sampled E-steps", &["papers/flsaem-"]),
    ("Reproduce VP-EM: features divided over a graph", &["papers/vpem-", "papers/network-em"]),
    ("Go to the limits of size", &["scale/"]),
];

/// One scenario of the library.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LibraryEntry {
    /// Its name, for example `papers/fedem-figure1`.
    pub name: &'static str,
    /// The first paragraph of its `about`, on one line.
    pub about: String,
    /// What it is for: one of [`groups`].
    pub group: &'static str,
}

/// No scenario of that name.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("the library has no scenario `{name}`; {}", hint(nearest))]
pub struct NotInLibrary {
    /// The name that was requested.
    pub name: String,
    /// The names that may be meant, the nearest first: one, or three where none is near.
    pub nearest: Vec<&'static str>,
}

fn hint(nearest: &[&str]) -> String {
    match nearest {
        [name] => format!("did you mean `{name}`?"),
        names => format!("the nearest are {} (`fedbits list` shows all)", fedbits_text::one_of(names)),
    }
}

/// What one may want to do with the library, in order.
pub fn groups() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(title, _)| *title)
}

/// All scenarios of the library, sorted by name.
pub fn list() -> impl Iterator<Item = LibraryEntry> {
    LIBRARY.iter().map(|&(name, text)| LibraryEntry { name, about: first_paragraph_of_about(text), group: group(name) })
}

fn group(name: &str) -> &'static str {
    let has = |member: &&str| name == *member || member.ends_with(['/', '-']) && name.starts_with(member);
    // A test holds every scenario against the groups.
    GROUPS.iter().find(|(_, members)| members.iter().any(&has)).map_or("Others", |(title, _)| title)
}

fn first_paragraph_of_about(text: &'static str) -> String {
    let about = Tree::scan(text).root().field("about").and_then(fedbits_text::Element::string).unwrap_or_default();
    about.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The scenario of a name.
pub fn find(name: &str) -> Result<Source, NotInLibrary> {
    if let Some((name, text)) = LIBRARY.iter().find(|(known, _)| *known == name) {
        return Ok(Source::new(format!("library/{name}.ron"), *text));
    }
    // The last part of a name is often all that is remembered.
    let by_end = LIBRARY.iter().map(|(known, _)| *known).find(|known| known.rsplit('/').next() == Some(name));
    let names = || LIBRARY.iter().map(|(known, _)| *known);
    let nearest = match by_end.or_else(|| fedbits_text::nearest(name, names())) {
        Some(nearest) => vec![nearest],
        None => fedbits_text::nearest_few(name, names(), 3),
    };
    Err(NotInLibrary { name: name.to_owned(), nearest })
}

/// The commented scenario that `fedbits new NAME` writes: every field of FedEM on a mixture with its unit, default and
/// range, and the other choices by example or by name.
#[must_use]
pub fn template(name: &str) -> String {
    renamed(TEMPLATE, name)
}

/// The names of the commented scenarios to start from.
pub fn starts() -> impl Iterator<Item = &'static str> {
    STARTS.iter().map(|(start, _)| *start)
}

/// The commented scenario for an algorithm that `fedbits new START NAME` writes; none when there is none of that name.
#[must_use]
pub fn start(start: &str, name: &str) -> Option<String> {
    STARTS.iter().find(|(known, _)| *known == start).map(|(_, text)| renamed(text, name))
}

/// The text of a scenario under another name: its comments and everything else stay.
#[must_use]
pub fn renamed(text: &str, name: &str) -> String {
    let span = Tree::scan(text).root().field("name").map(fedbits_text::Element::span);
    match span {
        Some(span) => format!("{}{name:?}{}", &text[..span.start], &text[span.end..]),
        None => text.to_owned(),
    }
}
