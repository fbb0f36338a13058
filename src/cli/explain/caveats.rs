//! Caveats by their ids: the table has the sentences, `docs/caveats.md` the explanations.

use fedbits_spec::Caveat;

use super::pages::Entry;

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/caveats.md"));

pub(super) fn entries() -> impl Iterator<Item = Entry> {
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
    let section = PAGE.split("\n## ").find_map(|section| section.strip_prefix(id)?.strip_prefix('\n'));
    let lines = section.unwrap_or_default().lines().filter(|line| !line.starts_with("    "));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
