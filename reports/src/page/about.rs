//! What scenarios say about themselves, as HTML.

use crate::report::Report;
use crate::text::escape;
use fedbits_text::Tree;

/// A name and the text of its field `about`.
pub(crate) struct About {
    pub name: String,
    text: String,
}

/// Of the study, or of every scenario of the runs, in their order.
pub(crate) fn abouts(report: &Report<'_>) -> Vec<About> {
    if let Some(study) = &report.collected.planned {
        return vec![About { name: study.plan.name.clone(), text: study.plan.about.clone() }];
    }
    let mut all: Vec<About> = Vec::new();
    for manifest in report.arms().iter().map(|arm| &arm.runs[0].record.manifest) {
        if all.iter().all(|about| about.name != manifest.scenario) {
            let tree = Tree::scan(&manifest.scenario_text);
            let text = tree.root().field("about").and_then(|about| about.string()).unwrap_or_default();
            all.push(About { name: manifest.scenario.clone(), text });
        }
    }
    all
}

impl About {
    /// The first paragraph, and what follows behind a heading that opens it.
    pub(crate) fn html(&self) -> String {
        let paragraphs = paragraphs(&self.text);
        let html = |text: &String| match text.strip_prefix(' ') {
            Some(item) => format!("<p class=\"item\">{}</p>\n", escape(item)),
            None => format!("<p>{}</p>\n", escape(text)),
        };
        match paragraphs.split_first() {
            None => String::new(),
            Some((first, [])) => html(first),
            Some((first, rest)) => {
                let rest: String = rest.iter().map(html).collect();
                format!("{}<details><summary>More about it</summary>\n{rest}</details>\n", html(first))
            }
        }
    }
}

/// The text without the breaks of its source: a line goes on with the next unless it ends a sentence or a list begins.
/// Items of a list keep one space before them.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut ended = true;
    for line in text.lines() {
        let words = line.trim();
        let is_item = line.starts_with(char::is_whitespace);
        match all.last_mut().filter(|_| !ended && !is_item && !words.is_empty()) {
            Some(last) => *last += &format!(" {words}"),
            None if words.is_empty() => {}
            None if is_item => all.push(format!(" {words}")),
            None => all.push(words.to_owned()),
        }
        ended = words.is_empty() || words.ends_with(['.', ':', ';', '?', '!']);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::paragraphs;

    /// Lines that the source breaks are one, items of a list and sentences that end with their line are apart.
    #[test]
    fn breaks_of_the_source_go() {
        let text = "What does it\ncost?\nShows: a,\nb.\nMeasured:\n  one: 1;\n  two: 2.\nBroadcasts go\ndown.\n\nEnd";
        let expected =
            ["What does it cost?", "Shows: a, b.", "Measured:", " one: 1;", " two: 2.", "Broadcasts go down."];
        assert_eq!(paragraphs(text)[..6], expected);
        assert_eq!(paragraphs(text)[6..], ["End"]);
        assert!(paragraphs("\n \n").is_empty());
    }
}
