//! Caveats by their names: `docs/caveats.md` has the text of each, with … for what differs from run to run.

use super::pages::Entry;

/// The page.
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/caveats.md"));

/// A name, the texts that it stands for, and what is to be said of it.
fn sections() -> impl Iterator<Item = (&'static str, Vec<&'static str>, String)> {
    PAGE.split("\n## ").skip(1).map(|section| {
        let (name, body) = section.split_once('\n').unwrap_or((section, ""));
        let texts = body.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        let prose = body.lines().filter(|line| !line.starts_with("    "));
        (name.trim(), texts, prose.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" "))
    })
}

/// All caveats.
pub(super) fn entries() -> Vec<Entry> {
    let entry = |(name, texts, prose): (&str, Vec<&str>, String)| Entry {
        title: name.to_owned(),
        place: "docs/caveats.md".to_owned(),
        words: vec![name.to_owned()],
        mentions: Vec::new(),
        around: Vec::new(),
        text: format!("{}\n{prose}", texts.iter().map(|text| format!("  {text}\n")).collect::<String>().trim_end()),
    };
    sections().map(entry).collect()
}

/// The names of caveats, each once; none for what is no caveat.
pub(crate) fn names_of<'a>(caveats: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let sections: Vec<_> = sections().collect();
    for caveat in caveats {
        let found = sections.iter().find(|(_, texts, _)| texts.iter().any(|text| matches(text, caveat)));
        if let Some((name, ..)) = found
            && !names.iter().any(|known| known == name)
        {
            names.push((*name).to_owned());
        }
    }
    names
}

/// Whether a caveat is one of a text in which … stands for anything.
fn matches(text: &str, caveat: &str) -> bool {
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
        assert_eq!(name("something else"), "");
    }

    /// Names are in order, and each has its texts and its paragraph.
    #[test]
    fn the_page_is_complete() {
        let all: Vec<_> = sections().collect();
        assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, texts, prose) in all {
            assert!(!texts.is_empty() && prose.len() > 40, "{name}");
        }
    }
}
