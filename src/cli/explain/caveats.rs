//! Caveats by their names: `docs/caveats.md` has the text of each, with … for what differs from run to run.

use super::pages::Entry;

/// What the page is called.
pub(super) const PLACE: &str = "docs/caveats.md";

/// The page.
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/caveats.md"));

/// The names, and what stands below each.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n## ").skip(1).map(|section| {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        (name.trim(), body)
    })
}

/// The texts that a name stands for.
fn texts(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter_map(|line| line.strip_prefix("    "))
}

/// What is to be said of them.
fn prose(body: &str) -> String {
    let prose = body.lines().filter(|line| !line.starts_with("    "));
    prose.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// All caveats.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |(name, body): (&str, &str)| Entry {
        title: name.to_owned(),
        place: PLACE.to_owned(),
        words: vec![name.to_owned()],
        mentions: Vec::new(),
        around: Vec::new(),
        text: format!(
            "{}\n{}",
            texts(body).map(|text| format!("  {text}\n")).collect::<String>().trim_end(),
            prose(body)
        ),
    };
    sections().map(entry).collect()
}

/// The names of caveats, each once; none for what is no caveat.
pub(crate) fn names_of<'a>(caveats: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for caveat in caveats {
        let found = sections().find(|(_, body)| texts(body).any(|text| matches(text, caveat)));
        if let Some((name, _)) = found
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// A text with … for each example in braces.
fn with_holes(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "…" + part.split_once('}').map_or(part, |(_, after)| after))
}

/// Whether a caveat is one of a text in which … and what stands in braces stand for anything.
fn matches(text: &str, caveat: &str) -> bool {
    let text = with_holes(text);
    let first = text.split('…').next().unwrap_or_default();
    // Behind "arm: " too, as runs of several arms say it.
    let begins = |caveat: &str| caveat.strip_prefix(first).map(str::to_owned);
    let behind = caveat.match_indices(": ").map(|(at, _)| &caveat[at + 2..]);
    std::iter::once(caveat).chain(behind).filter_map(begins).any(|rest| {
        let mut rest = rest.as_str();
        for part in text.split('…').skip(1) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.is_empty() || text.ends_with('…')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_numbers_are_recognized() {
        let name = |caveat: &str| names_of([caveat]).join(" ");
        assert_eq!(name("Ŝ left the domain of T: 58 rounds were skipped"), "domain");
        assert_eq!(name("dithering-2-naive: Ŝ left the domain of T: 58 rounds were skipped"), "domain");
        assert_eq!(name("the memories drifted: ‖V − mean V_i‖² = 1.00e-3 at the end"), "memory-drift");
        assert_eq!(
            name("the memories drifted: ‖V − mean V_i‖² = 1.00e-3 at the end, the limit is biased"),
            "memory-drift"
        );
        assert_eq!(name("1 of 30 rows was left out: a value is missing there"), "values-missing");
        assert_eq!(name("something else"), "");
    }

    /// Names are in order, and each has its texts and its paragraph.
    #[test]
    fn the_page_is_complete() {
        let all: Vec<_> = sections().collect();
        assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, body) in all {
            assert!(texts(body).next().is_some() && prose(body).len() > 40, "{name}");
        }
    }
}
