//! The page: one HTML file with everything inside, which opens without a network. It has the figures as they are in
//! print, the table of the arms, and one chart, which its script draws from the lines of the figures.
//!
//! uPlot (`uPlot.iife.min.js`, `uPlot.min.css`) is version 1.6.32 as published on the npm registry (MIT,
//! `uPlot-LICENSE.txt`).

mod book;
mod chart;
mod content;
mod finding;
mod tables;

use crate::data::{PlannedRuns, collect};
use crate::error::ReportError;
use crate::export::svg::font_face;
use crate::figures::round;
use crate::options::{PageEngine, ReportOptions, Wanted};
use crate::origin::{Origin, ascii};
use crate::registry::{Figures, possible};
use crate::report::{Drawing, Report};
use crate::style::Style;
use crate::text::escape;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fedbits_record::results::Results;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub use book::PageBook;

/// Name of the page's file without ending.
pub(crate) const NAME: &str = "report";

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const ENGINE: &str = include_str!("engine.html");
const RUN_SCRIPT: &str = concat!(include_str!("fuse.js"), include_str!("run.js"));
const PLOT_STYLE: &str = include_str!("uPlot.min.css");
const PLOT_SCRIPT: &str = include_str!("uPlot.iife.min.js");
const PLOT_LICENSE: &str = include_str!("uPlot-LICENSE.txt");
/// The page has at most so many bytes: the chart gets what the rest of the page leaves.
const LARGEST_PAGE: usize = 3_000_000;
/// The chart gets at least so many bytes.
const LEAST_CHART: usize = 500_000;

/// The page of a report, and of the files that stand beside it.
pub(crate) fn page(source: &Report<'_>, drawings: &[Drawing], tables: &[String]) -> Result<String, ReportError> {
    let abouts = content::abouts(source);
    let title = abouts.iter().map(|about| about.name.as_str()).collect::<Vec<_>>().join(", ");
    let formats = source.options.formats.iter().map(|format| format.ending().to_owned());
    let origin = Origin { formats: formats.collect(), ..source.origin.named(NAME) };
    let mut parts = vec![
        ("title", escape(&title)),
        ("about", content::head(source, &abouts)),
        ("origin", escape(&origin.line()?)),
        ("tables", content::tables(tables)),
        ("style", format!("{}\n{PLOT_STYLE}\n{STYLE}", font_face())),
        ("license", PLOT_LICENSE.trim_end().replace("*/", "")),
        ("plot", PLOT_SCRIPT.to_owned()),
        ("script", SCRIPT.to_owned()),
    ];
    if let Some(engine) = &source.options.engine {
        parts.extend(running(source, engine)?);
    }
    let rest = TEMPLATE.len() + parts.iter().map(|(_, text)| text.len()).sum::<usize>();
    parts.extend(results(source, drawings, rest)?);
    Ok(fill(TEMPLATE, &parts))
}

/// What a page has with which the runs are made again in the browser.
fn running(source: &Report<'_>, engine: &PageEngine) -> Result<[(&'static str, String); 3], ReportError> {
    let planned = source.collected.planned.as_ref().ok_or(ReportError::EngineForSeveral)?;
    let PlannedRuns { plan, digest, .. } = &**planned;
    let style = |style: &Style| {
        let selected = if *style == source.options.style { " selected" } else { "" };
        format!("<option{selected}>{}</option>", style.name())
    };
    let styles = Style::ALL.iter().map(style).collect();
    let files = engine.files.iter().map(|(path, bytes)| json!([path, STANDARD.encode(bytes)]));
    let files: Vec<Value> = files.collect();
    let program = json!({ "name": plan.name, "digest": digest, "files": files });
    let script = format!(
        "<script type=\"application/json\" id=\"program\">{}</script>\n\
         <script type=\"application/octet-stream\" id=\"module\">{}</script>\n<script>\n{RUN_SCRIPT}</script>\n",
        ascii(&program.to_string()),
        STANDARD.encode(&engine.module)
    );
    Ok([
        // A module is compiled by its workers, which are made of a text of the page.
        ("policy", " 'wasm-unsafe-eval' blob:; worker-src blob:".to_owned()),
        (
            "engine",
            fill(ENGINE, &[("styles", styles), ("offers", engine.form.clone()), ("text", escape(&plan.scenario_text))]),
        ),
        ("run", script),
    ])
}

/// What stands in the element of this id, up to `end`.
fn element<'p>(page: &'p str, id: &str, end: &str) -> Option<&'p str> {
    Some(page.split_once(&format!("id=\"{id}\">"))?.1.split_once(end)?.0)
}

/// The engine in a page, if it has one.
pub(crate) fn engine_in(page: &[u8]) -> Option<PageEngine> {
    let page = std::str::from_utf8(page).ok()?;
    let program: Value = serde_json::from_str(element(page, "program", "<")?).ok()?;
    let file = |file: &Value| Some((file[0].as_str()?.to_owned(), STANDARD.decode(file[1].as_str()?).ok()?));
    let files = program["files"].as_array()?.iter().map(file).collect::<Option<_>>()?;
    let form = element(page, "engine-offers", "</div>")?.to_owned();
    Some(PageEngine { module: STANDARD.decode(element(page, "module", "<")?).ok()?, files, form })
}

/// The parts of a page that follow from the runs, as HTML by the id of its element, and `data`: the chart's numbers.
///
/// # Errors
/// [`ReportError`]: no finished run, labels that do not pair up.
pub fn page_parts(runs: &[Results], style: Style) -> Result<BTreeMap<&'static str, String>, ReportError> {
    let options = ReportOptions { wanted: Wanted::Declared, ..ReportOptions::new(style, &[], PathBuf::new()) };
    let collected = collect(runs)?;
    let source = Report::new(&collected, &options);
    let (mut drawings, left_out) = Figures::builtin().draw(&source)?;
    if !left_out.is_empty() {
        let options = possible(&options, &collected, &left_out)?;
        (drawings, _) = Figures::builtin().draw(&Report::new(&collected, &options))?;
    }
    let mut parts: BTreeMap<_, _> = results(&source, &drawings, 0)?.into_iter().collect();
    let errors = left_out.iter().map(|(_, error)| format!("<p class=\"note\">{}</p>\n", escape(&error.to_string())));
    parts.entry("drawings").or_default().extend(errors);
    Ok(parts)
}

/// What follows from the runs: the chart gets the bytes that `rest` leaves.
fn results(source: &Report<'_>, drawings: &[Drawing], rest: usize) -> Result<Vec<(&'static str, String)>, ReportError> {
    let samples = finding::samples(&source.collected);
    let mut parts = vec![
        ("answer", content::answer(source, &samples)),
        ("notes", content::caveats(source)?),
        ("table", tables::arms_section(&samples)),
        ("drawings", content::figures(source, drawings, &rounds(source, drawings)?)),
        ("resolved", content::scenarios(source)),
        ("digests", content::digests(source)),
    ];
    let rest = rest + parts.iter().map(|(_, text)| text.len()).sum::<usize>();
    let room = LARGEST_PAGE.saturating_sub(rest).max(LEAST_CHART);
    parts.push(("data", chart::json(source, &samples, room)?));
    Ok(parts)
}

/// Drawings of the traced rounds that no figure of the report shows.
fn rounds(source: &Report<'_>, drawings: &[Drawing]) -> Result<Vec<Drawing>, ReportError> {
    let mut rounds = (round::KIND.draw)(source)?;
    rounds.retain(|round| drawings.iter().all(|drawing| drawing.scene != round.scene));
    Ok(rounds)
}

/// The template with its parts; a part's own text is not looked at again.
fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, mark)| Some((before, mark.split_once("}}")?)))
    {
        out.push_str(before);
        out.extend(parts.iter().find(|(part, _)| *part == name).map(|(_, text)| text.as_str()));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::fill;

    /// A part's text is put in as it is, even when it looks like a mark.
    #[test]
    fn parts_are_filled_in_once() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(fill("x{{a}}y{{b}}z{{a}}", &parts), "x{{b}}y2z{{b}}");
    }
}
