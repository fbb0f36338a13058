//! The page: one HTML file with everything inside, which opens without a network. It has the figures as they are in
//! print, the table of the arms, and one chart, which its script draws from the lines of the figures.
//!
//! uPlot (`uPlot.iife.min.js`, `uPlot.min.css`) is version 1.6.32 as published on the npm registry (MIT,
//! `uPlot-LICENSE.txt`).

mod about;
mod arms;
mod chart;
mod content;
mod decision;
mod finding;

use crate::error::ReportError;
use crate::export::svg::font_face;
use crate::figures::round::Rounds;
use crate::kind::FigureKind;
use crate::origin::Origin;
use crate::report::{Drawing, Report};
use crate::text::escape;

/// Name of the page's file without ending.
pub(crate) const NAME: &str = "report";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PLOT_STYLE: &str = include_str!("uPlot.min.css");
const PLOT_SCRIPT: &str = include_str!("uPlot.iife.min.js");
const PLOT_LICENSE: &str = include_str!("uPlot-LICENSE.txt");
/// The page has at most so many bytes: the chart gets what the rest of the page leaves.
const LARGEST_PAGE: usize = 3_000_000;
/// The chart gets at least so many bytes.
const LEAST_CHART: usize = 500_000;

/// The page of a report, and of the files that stand beside it.
pub(crate) fn page(source: &Report<'_>, drawings: &[Drawing], tables: &[String]) -> Result<String, ReportError> {
    let samples = finding::samples(&source.collected);
    let abouts = about::abouts(source);
    let title = abouts.iter().map(|about| about.name.as_str()).collect::<Vec<_>>().join(", ");
    let formats = source.options.formats.iter().map(|format| format.ending().to_owned());
    let origin = Origin { formats: formats.collect(), ..source.origin.named(NAME) };
    let mut parts = vec![
        ("{{title}}", escape(&title)),
        ("{{about}}", content::head(source, &abouts)),
        ("{{answer}}", content::answer(source, &samples)),
        ("{{caveats}}", content::caveats(source)?),
        ("{{origin}}", escape(&origin.line()?)),
        ("{{arms}}", arms::section(&samples)),
        ("{{figures}}", content::figures(source, drawings, &rounds(source, drawings)?)),
        ("{{tables}}", content::tables(tables)),
        ("{{scenarios}}", content::scenarios(source)),
        ("{{digests}}", content::digests(source)),
        ("{{style}}", format!("{}\n{PLOT_STYLE}\n{STYLE}", font_face())),
        ("{{license}}", PLOT_LICENSE.trim_end().replace("*/", "")),
        ("{{plot}}", PLOT_SCRIPT.to_owned()),
        ("{{script}}", SCRIPT.to_owned()),
    ];
    let rest = TEMPLATE.len() + parts.iter().map(|(_, text)| text.len()).sum::<usize>();
    let room = LARGEST_PAGE.saturating_sub(rest).max(LEAST_CHART);
    parts.push(("{{data}}", chart::json(source, &samples, room)?));
    Ok(fill(TEMPLATE, &parts))
}

/// Drawings of the traced rounds that no figure of the report shows.
fn rounds(source: &Report<'_>, drawings: &[Drawing]) -> Result<Vec<Drawing>, ReportError> {
    let mut rounds = Rounds.draw(source)?;
    rounds.retain(|round| drawings.iter().all(|drawing| drawing.scene != round.scene));
    Ok(rounds)
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
