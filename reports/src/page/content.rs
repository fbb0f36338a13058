//! What the page holds besides numbers, as HTML: figures, tables, scenarios, digests and caveats.

use super::about::About;
use super::decision;
use super::finding;
use super::numbers::{self, file_name};
use super::opening::Opening;
use crate::caption;
use crate::decision::Decided;
use crate::export::svg;
use crate::figures::components;
use crate::options::Format;
use crate::quantity::PARAMETER;
use crate::report::{Drawing, Report};
use crate::text::escape;
use fedbits_spec::so_many;

/// Tables of more runs than this are left to `runs.csv`.
const MAX_RUNS: usize = 2_000;
/// Up to this many scenarios are shown in full.
const MAX_SCENARIOS: usize = 64;

/// The figures of a report on the page.
pub(crate) struct Figures<'a> {
    pub drawings: &'a [Drawing],
    /// What each of them is written as, beside the page.
    pub formats: &'a [Format],
}

/// Which parts of the page there are.
#[derive(Clone, Copy)]
pub(crate) struct There {
    pub lines: bool,
    /// Somebody sent something.
    pub bits: bool,
    pub tables: bool,
    pub caveats: bool,
}

impl Figures<'_> {
    /// Of those that the script draws itself the ones of the quantity that the page opens with, for where scripts are
    /// off; the others, and what is very large, are files beside the page.
    pub(crate) fn lines(&self, opening: &Opening) -> String {
        let live = || self.drawings.iter().filter(|drawing| drawing.live && drawing.name != LEDGER);
        let names = opening.charts.iter().map(|chart| file_name(&chart.quantity));
        let mut names = names.chain(live().map(|drawing| drawing.data.0.as_str()));
        let quantity = names.find(|name| live().any(|drawing| drawing.data.0 == *name));
        let is_shown = |drawing: &Drawing| {
            quantity == Some(&drawing.data.0) && svg::element(&drawing.scene, "", "").len() <= LARGEST
        };
        let one = |drawing: &Drawing| match is_shown(drawing) {
            true => self.figure(drawing),
            false => format!("<p class=\"files\">{} {}</p>\n", escape(&drawing.name), self.links(drawing)),
        };
        live().map(one).collect()
    }

    /// The bars, likewise.
    pub(crate) fn ledger(&self) -> String {
        self.of(|drawing| drawing.name == LEDGER)
    }

    /// The files of the bars.
    pub(crate) fn ledger_files(&self) -> String {
        self.drawings.iter().filter(|drawing| drawing.name == LEDGER).map(|drawing| self.files(drawing)).collect()
    }

    /// The files of every figure that the script draws itself, from which it takes those of its charts.
    pub(crate) fn live_files(&self) -> String {
        let live = self.drawings.iter().filter(|drawing| drawing.live && drawing.name != LEDGER);
        let files = |drawing: &Drawing| {
            format!("<template data-files=\"{}\">{}</template>\n", escape(&drawing.name), self.links(drawing))
        };
        live.map(files).collect()
    }

    /// All others.
    pub(crate) fn still(&self) -> String {
        self.of(|drawing| !drawing.live)
    }

    fn of(&self, wanted: impl Fn(&Drawing) -> bool) -> String {
        self.drawings.iter().filter(|drawing| wanted(drawing)).map(|drawing| self.figure(drawing)).collect()
    }

    /// The table of contents.
    pub(crate) fn contents(&self, there: There) -> String {
        let entry = |id: &str, words: &str| format!("<li><a href=\"#{id}\">{words}</a></li>\n");
        let still = || self.drawings.iter().filter(|drawing| !drawing.live);
        let figure = |name: String| entry(&format!("{FIGURE}{name}"), &name);
        let figures: String = still().map(|drawing| figure(escape(&drawing.name))).collect();
        let figures = format!("<li><a href=\"#figures\">Figures</a>\n<ul>\n{figures}</ul></li>\n");
        let entries = [
            (there.lines, entry("lines", "Convergence")),
            (there.bits, entry("round-section", "A round")),
            (there.bits, entry("ledger-section", "Where the bits went")),
            (!self.still().is_empty(), figures),
            (there.tables, entry("tables", "Tables")),
            (there.caveats, entry("caveats", "Caveats")),
            (true, entry("scenarios", "Scenarios") + &entry("runs", "Runs")),
        ];
        entries.into_iter().filter_map(|(is_there, entry)| is_there.then_some(entry)).collect()
    }

    /// A figure as it is, without the font, which the page has once, and without metadata, which the page has itself.
    fn figure(&self, drawing: &Drawing) -> String {
        let words = [&drawing.words.caption, &drawing.words.details].map(|text| escape(text.trim_end()));
        let (name, [caption, details]) = (escape(&drawing.name), words);
        let svg = svg::element(&drawing.scene, &format!("role=\"img\" aria-label=\"{name}\" "), "");
        let files = self.files(drawing);
        format!(
            "<figure \
             id=\"{FIGURE}{name}\">\n<div class=\"paper\" tabindex=\"0\" role=\"group\" \
             aria-label=\"{name}\">{svg}</div><figcaption>{caption}\n\
             <details><summary>Details</summary>{details}</details></figcaption>\n{files}</figure>\n"
        )
    }

    fn files(&self, drawing: &Drawing) -> String {
        format!("<p class=\"files\">{}</p>\n", self.links(drawing))
    }

    /// Links to the files beside the page.
    fn links(&self, drawing: &Drawing) -> String {
        let pictures = self.formats.iter().filter(|format| **format != Format::Html);
        let pictures = pictures.map(|format| format!("{}.{}", drawing.name, format.ending()));
        links(pictures.chain([format!("{}.csv", drawing.data.0)]))
    }
}

const LEDGER: &str = "ledger";
/// Before the name of a figure in its id: figures may be called as parts of the page are.
const FIGURE: &str = "figure-";
/// A larger figure is not put into the page a second time.
const LARGEST: usize = 1_000_000;

/// Files beside the page, by their endings.
fn links(files: impl Iterator<Item = String>) -> String {
    let link = |file: String| {
        let ending = file.rsplit('.').next().unwrap_or_default().to_uppercase();
        let file = escape(&file);
        format!("<a class=\"button\" href=\"{file}\" download aria-label=\"{file}\">{ending}</a>")
    };
    files.map(link).collect::<Vec<_>>().join(" ")
}

/// The tables beside the page, by name: each under its name, as the files that it is.
pub(crate) fn tables(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut names: Vec<&str> = files.iter().filter_map(|file| Some(file.rsplit_once('.')?.0)).collect();
    names.dedup();
    let row = |name: &str| {
        let own = files.iter().filter(|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == name));
        format!("<p class=\"files\">{} {}</p>\n", escape(name), links(own.cloned()))
    };
    let rows: String = names.into_iter().map(row).collect();
    format!("<section id=\"tables\">\n<h2>Tables</h2>\n{rows}</section>\n")
}

/// What a search has decided, or what was found, in a sentence.
pub(crate) fn finding(source: &Report<'_>) -> String {
    if let Some(decided) = Decided::of_report(&source.collected) {
        return decision::decision(&decided);
    }
    finding::finding(&source.collected)
        .map_or_else(String::new, |text| format!("<p id=\"finding\">{}</p>\n", escape(&text)))
}

/// What the scenarios or the study say, and what there is of them.
pub(crate) fn head(source: &Report<'_>, abouts: &[About]) -> String {
    let own = |about: &About| match abouts.len() {
        1 => about.html(),
        _ => format!("<h3>{}</h3>\n{}", escape(&about.name), about.html()),
    };
    let (arms, runs) = (source.arms().len(), source.origin.runs);
    let counts = format!("{}, {}", so_many(arms, "arm"), so_many(runs, "run"));
    let counts = match &source.collected.planned {
        None => counts,
        Some(study) => {
            let arms = 0..study.plan.arms.len();
            let planned: u64 = arms.map(|arm| study.plan.replicates_of(arm, study.decision.as_ref())).sum();
            format!("{counts} of {planned} {}", if study.plan.search.is_some() { "asked for" } else { "planned" })
        }
    };
    format!("{}<p class=\"hint\">{counts}.</p>\n", abouts.iter().map(own).collect::<String>())
}

/// The caveats as a list.
pub(crate) fn caveats(source: &Report<'_>, opening: &Opening) -> String {
    let shown = numbers::quantities(&opening.page_arms, opening);
    let is_shown = |name: &str| shown.iter().any(|own| own.strip_prefix(PARAMETER) == Some(name));
    let components = components::caveat(&opening.page_arms, is_shown);
    let of_folders = source.collected.caveats.iter().cloned();
    let notes: Vec<String> = of_folders.chain(components).map(|caveat| caveat.to_string()).collect();
    let items = caption::caveats(&notes, &source.collected.arms);
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|caveat| format!("<li>{}</li>\n", escape(caveat))).collect();
    format!("<section id=\"caveats\">\n<h2>Caveats</h2>\n<ul>\n{items}</ul>\n</section>\n")
}

/// The resolved scenarios, each once, under the arms that have it.
pub(crate) fn scenarios(source: &Report<'_>) -> String {
    let mut out = String::new();
    for arm in source.collected.arms.iter().take(MAX_SCENARIOS) {
        let text = &arm.runs[0].record.manifest.scenario_text;
        let (label, text) = (escape(&arm.label), escape(text));
        out += &format!("<details><summary>{label}</summary><pre>{text}</pre></details>\n");
    }
    if source.collected.arms.len() > MAX_SCENARIOS {
        let more = source.collected.arms.len() - MAX_SCENARIOS;
        out += &format!("<p>{more} more are in <code>plan.json</code>.</p>\n");
    }
    out
}

/// How the page was made, and one row per run: seed, replicate, how it ended, digests.
pub(crate) fn digests(source: &Report<'_>) -> String {
    let mut out = String::new();
    for line in
        source.collected.planned.iter().map(|study| format!("runs of {}: digest {}", study.plan.name, study.digest))
    {
        out += &format!("<p><code>{}</code></p>\n", escape(&line));
    }
    out += &format!("<p><code>all runs shown: {}</code></p>\n", source.origin.digest);
    out += &format!("<p>made by <code>{}</code></p>\n", escape(&source.origin.command()));
    if source.origin.runs > MAX_RUNS {
        source.runs.iter().for_each(|line| out += &format!("<p><code>{}</code></p>\n", escape(line)));
        return out;
    }
    out.push_str(
        "<div class=\"wide\"><table \
        class=\"digests sortable\">\n<thead><tr><th>arm</th><th>seed</th><th>replicate</th><th>ended by</th>",
    );
    out.push_str("<th>data</th><th>timeline</th><th>state</th></tr></thead>\n<tbody>\n");
    for arm in &source.collected.arms {
        for manifest in arm.runs.iter().map(|run| &run.record.manifest) {
            let digests = &manifest.digests;
            let cells = [
                &arm.label,
                &manifest.seed.to_string(),
                &manifest.replicate.to_string(),
                &manifest.stop_reason,
                &digests.data,
                &digests.timeline,
                &digests.state,
            ];
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            out += &format!("<tr>{cells}</tr>\n");
        }
    }
    out.push_str("</tbody></table></div>\n");
    out
}
