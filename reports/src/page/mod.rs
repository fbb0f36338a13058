//! The interactive page: one HTML file with everything inside, which opens without a network. Its script draws
//! convergence and the ledger from the same numbers as the figures; where scripts are off the figures themselves are
//! there.
//!
//! uPlot (`uPlot.iife.min.js`, `uPlot.min.css`) is version 1.6.32 as published on the npm registry (MIT,
//! `uPlot-LICENSE.txt`).

mod content;

use crate::error::ReportError;
use crate::report::{Drawing, Report};
use crate::svg::font_face;
use crate::text::escape;

/// Name of the page's file without ending.
pub(crate) const NAME: &str = "report";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PLOT_STYLE: &str = include_str!("uPlot.min.css");
const PLOT_SCRIPT: &str = include_str!("uPlot.iife.min.js");
const PLOT_LICENSE: &str = include_str!("uPlot-LICENSE.txt");

/// The page of a report.
pub(crate) fn page(source: &Report<'_>, drawings: &[Drawing]) -> Result<String, ReportError> {
    let live = || drawings.iter().filter(|drawing| drawing.live);
    let ledger = |drawing: &&Drawing| drawing.name == "ledger";
    let title = match &source.collected.study {
        Some(study) => study.plan.name.clone(),
        None => source.collected.arms[0].runs[0].record.manifest.scenario.clone(),
    };
    let still = |drawings: &mut dyn Iterator<Item = &Drawing>| drawings.map(figure).collect::<String>();
    let parts = [
        ("{{title}}", escape(&title)),
        ("{{about}}", about(source)),
        ("{{origin}}", escape(&source.origin.named(NAME).line()?)),
        ("{{lines}}", still(&mut live().filter(|drawing| !ledger(drawing)))),
        ("{{ledger}}", still(&mut live().filter(ledger))),
        ("{{figures}}", still(&mut drawings.iter().filter(|drawing| !drawing.live))),
        ("{{caveats}}", content::caveats(source)),
        ("{{scenarios}}", content::scenarios(source)),
        ("{{digests}}", content::digests(source)),
        ("{{data}}", content::json(source)),
        ("{{style}}", format!("{}\n{PLOT_STYLE}\n{STYLE}", font_face())),
        ("{{license}}", PLOT_LICENSE.trim_end().replace("*/", "")),
        ("{{plot}}", PLOT_SCRIPT.to_owned()),
        ("{{script}}", SCRIPT.to_owned()),
    ];
    Ok(fill(TEMPLATE, &parts))
}

/// The template with its parts; a part's own text is not looked at again.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((at, (mark, text))) =
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|(at, _)| *at)
    {
        out.push_str(&rest[..at]);
        out.push_str(text);
        rest = &rest[at + mark.len()..];
    }
    out + rest
}

/// A figure as it is, without the font, which the page has once, and without metadata, which the page has itself.
fn figure(drawing: &Drawing) -> String {
    let without = |text: &str, tag: &str| {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>\n"));
        match (text.find(&open), text.find(&close)) {
            (Some(start), Some(end)) => format!("{}{}", &text[..start], &text[end + close.len()..]),
            _ => text.to_owned(),
        }
    };
    let svg = without(&without(&drawing.svg, "metadata"), "style");
    let words = [&drawing.words.caption, &drawing.words.details].map(|text| escape(text.trim_end()));
    let (name, [caption, details]) = (escape(&drawing.name), words);
    let label = format!("<svg role=\"img\" aria-label=\"{name}\" ");
    let svg = svg.replacen("<svg ", &label, 1);
    format!(
        "<figure \
         id=\"{name}\">\n{svg}<figcaption>{caption}\n\
         <details><summary>Details</summary>{details}</details></figcaption>\n</figure>\n"
    )
}

/// The study's question, or what the arms are.
fn about(source: &Report<'_>) -> String {
    let runs = source.origin.runs;
    let arms = source.collected.arms.len();
    let counts = format!("{arms} {}, {runs} {}", plural(arms, "arm"), plural(runs, "run"));
    match &source.collected.study {
        None => format!("<p>{counts}.</p>"),
        Some(study) => {
            let plan = &study.plan;
            let planned = plan.arms.len() as u64 * plan.replicates;
            let paragraphs = plan.about.split("\n\n").map(|text| format!("<p>{}</p>\n", escape(text)));
            format!("<p>{counts} of {planned} planned.</p>\n{}", paragraphs.collect::<String>())
        }
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

#[cfg(test)]
mod tests {
    use super::fill;

    /// A part's text is put in as it is, even when it looks like a mark.
    #[test]
    fn parts_are_filled_in_once() {
        let parts = [("{{a}}", "{{b}}".to_owned()), ("{{b}}", "2".to_owned())];
        assert_eq!(fill("x{{a}}y{{b}}z{{a}}", &parts), "x{{b}}y2z{{b}}");
    }
}
