//! The interactive page: one HTML file with everything inside, which opens without a network. Its script draws
//! convergence and the ledger from the same numbers as the figures; where scripts are off the figures themselves are
//! there.
//!
//! uPlot (`uPlot.iife.min.js`, `uPlot.min.css`) is version 1.6.32 as published on the npm registry (MIT,
//! `uPlot-LICENSE.txt`).

mod about;
mod content;
mod decision;
mod finding;
mod floats;
mod marks;
mod network;
mod numbers;
mod opening;
mod routes;
mod traces;

use crate::data::Arm;
use crate::error::ReportError;
use crate::export::svg::font_face;
use crate::report::{Drawing, Report};
use crate::text::escape;

/// Name of the page's file without ending.
pub(crate) const NAME: &str = "report";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script in its order: a file uses what those before it define.
const SCRIPTS: [&str; 24] = [
    include_str!("script/data.js"),
    include_str!("script/numbers.js"),
    include_str!("script/state.js"),
    include_str!("script/link.js"),
    include_str!("script/theme.js"),
    include_str!("script/lines.js"),
    include_str!("script/canvas.js"),
    include_str!("script/marks.js"),
    include_str!("script/scene.js"),
    include_str!("script/svg.js"),
    include_str!("script/pdf.js"),
    include_str!("script/figure.js"),
    include_str!("script/tex.js"),
    include_str!("script/chart.js"),
    include_str!("script/charts.js"),
    include_str!("script/arms.js"),
    include_str!("script/ledger.js"),
    include_str!("script/tables.js"),
    include_str!("script/downloads.js"),
    include_str!("script/traces.js"),
    include_str!("script/gantt.js"),
    include_str!("script/network.js"),
    include_str!("script/player.js"),
    include_str!("script/start.js"),
];
const PLOT_STYLE: &str = include_str!("uPlot.min.css");
const PLOT_SCRIPT: &str = include_str!("uPlot.iife.min.js");
const PLOT_LICENSE: &str = include_str!("uPlot-LICENSE.txt");

/// The page of a report, and of the files that stand beside it.
pub(crate) fn page(source: &Report<'_>, drawings: &[Drawing], tables: &[String]) -> Result<String, ReportError> {
    let opening = opening::opening(source)?;
    let figures = content::Figures { drawings, formats: &source.options.formats };
    let abouts = about::abouts(source);
    let title = abouts.iter().map(|about| about.name.as_str()).collect::<Vec<_>>().join(", ");
    let caveats = content::caveats(source, &opening);
    let has_ledger = source.arms().iter().flat_map(Arm::records).any(|record| !record.ledger.is_empty());
    let has_lines = !opening.charts.is_empty();
    let there =
        content::There { lines: has_lines, bits: has_ledger, tables: !tables.is_empty(), caveats: !caveats.is_empty() };
    let parts = [
        ("{{title}}", escape(&title)),
        ("{{about}}", content::head(source, &abouts)),
        ("{{finding}}", content::finding(source)),
        ("{{origin}}", escape(&source.origin.named(NAME).with_formats(&source.options.formats).line()?)),
        ("{{contents}}", figures.contents(there)),
        ("{{lines}}", figures.lines(&opening)),
        ("{{files}}", figures.live_files()),
        ("{{ledger}}", figures.ledger()),
        ("{{ledger-files}}", figures.ledger_files()),
        ("{{figures}}", figures.still()),
        ("{{tables}}", content::tables(tables)),
        ("{{caveats}}", caveats),
        ("{{scenarios}}", content::scenarios(source)),
        ("{{digests}}", content::digests(source)),
        ("{{data}}", numbers::json(source, &opening, drawings)),
        ("{{style}}", format!("{}\n{PLOT_STYLE}\n{STYLE}", font_face())),
        ("{{license}}", PLOT_LICENSE.trim_end().replace("*/", "")),
        ("{{plot}}", PLOT_SCRIPT.to_owned()),
        ("{{script}}", SCRIPTS.concat()),
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
