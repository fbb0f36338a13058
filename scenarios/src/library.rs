//! The scenarios that are built into the program, and the one to start from.

use thiserror::Error;

use crate::study;
use fedbits_text::Source;

/// Names and texts of the files below `library/`, sorted by name.
const LIBRARY: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// A scenario with every field explained; its name is put in by `template`.
const TEMPLATE: &str = include_str!("template.ron");

/// A study with every field explained; its name is put in by `study_template`.
const STUDY_TEMPLATE: &str = include_str!("study_template.ron");

/// One scenario of the library.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LibraryEntry {
    /// Its name, for example `papers/fedem-figure1`.
    pub name: &'static str,
    /// The first line of its `about`.
    pub about: &'static str,
    /// Whether it is a study, and not a scenario.
    pub is_study: bool,
}

/// No scenario of that name.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("the library has no scenario `{name}`; {}", hint(nearest))]
pub struct NotInLibrary {
    /// The name that was requested.
    pub name: String,
    /// The name that may be meant.
    pub nearest: Option<&'static str>,
}

fn hint(nearest: &Option<&'static str>) -> String {
    let all: Vec<&str> = LIBRARY.iter().map(|(name, _)| *name).collect();
    nearest.map_or_else(|| format!("it has {}", fedbits_text::one_of(&all)), |name| format!("did you mean `{name}`?"))
}

/// All scenarios of the library, sorted by name.
pub fn list() -> impl Iterator<Item = LibraryEntry> {
    LIBRARY.iter().map(|&(name, text)| LibraryEntry {
        name,
        about: first_line_of_about(text),
        is_study: study::is_study(text),
    })
}

fn first_line_of_about(text: &'static str) -> &'static str {
    let about = text.split_once("about: \"").map_or("", |(_, after)| after);
    about.split(['\n', '"']).next().unwrap_or("")
}

/// The scenario of a name.
///
/// # Errors
/// When there is none; with the nearest name.
pub fn find(name: &str) -> Result<Source, NotInLibrary> {
    if let Some((name, text)) = LIBRARY.iter().find(|(known, _)| *known == name) {
        return Ok(Source::new(format!("library/{name}.ron"), *text));
    }
    // The last part of a name is often all that is remembered.
    let by_end = LIBRARY.iter().map(|(known, _)| *known).find(|known| known.rsplit('/').next() == Some(name));
    let nearest = by_end.or_else(|| fedbits_text::nearest(name, LIBRARY.iter().map(|(known, _)| *known)));
    Err(NotInLibrary { name: name.to_owned(), nearest })
}

/// The commented scenario that `fedbits new NAME` writes: every field with its unit, default and range.
#[must_use]
pub fn template(name: &str) -> String {
    let quoted = format!("{name:?}");
    TEMPLATE.replacen("\"NAME\"", &quoted, 1)
}

/// The commented study that `fedbits new study NAME` writes: every field with its default and range.
#[must_use]
pub fn study_template(name: &str) -> String {
    let quoted = format!("{name:?}");
    STUDY_TEMPLATE.replacen("\"NAME\"", &quoted, 1)
}
