//! What the page holds besides the table of the arms and the chart, as HTML: figures, tables, scenarios, digests and
//! caveats.

use super::tables::{decision, table};
use super::{chart, finding};
use crate::caption;
use crate::compare::Samples;
use crate::decision::Decided;
use crate::error::ReportError;
use crate::export::svg;
use crate::figures::components;
use crate::options::Format;
use crate::quantity::PARAMETER;
use crate::report::{Drawing, Report};
use crate::text::{each_once_by, escape};
use fedbits_record::Manifest;
use fedbits_spec::so_many;
use fedbits_text::Tree;

/// Tables of more runs than this are left to `runs.csv`.
const MAX_RUNS: usize = 1_000;
/// Up to this many scenarios are shown in full.
const MAX_SCENARIOS: usize = 64;
/// Drawings of more bytes are files beside the page only.
const LARGEST: usize = 1_000_000;
/// More caveats than this are folded away.
const FEW_CAVEATS: usize = 3;
/// Before the name of a figure in its id: figures may be called as parts of the page are.
const FIGURE: &str = "figure-";

/// The figures, with links to their files; and those of traced rounds, which have none.
pub(crate) fn figures(source: &Report<'_>, drawings: &[Drawing], rounds: &[Drawing]) -> String {
    let formats = || source.options.formats.iter().filter(|format| **format != Format::Html);
    let files = |drawing: &Drawing| {
        let pictures = formats().map(|format| format!("{}.{}", drawing.name, format.ending()));
        let is_beside = !source.options.formats.is_empty();
        links(pictures.chain(is_beside.then(|| format!("{}.csv", drawing.data.0))))
    };
    let of_round = "A file of it: <code>fedbits report DIR --figure round</code>.".to_owned();
    let all = drawings.iter().map(|drawing| figure(drawing, &files(drawing)));
    let all: String = all.chain(rounds.iter().map(|drawing| figure(drawing, &of_round))).collect();
    if all.is_empty() { all } else { format!("<section id=\"figures\">\n<h2>Figures</h2>\n{all}</section>\n") }
}

/// A figure as it is in print, its caption, its details and its files.
fn figure(drawing: &Drawing, files: &str) -> String {
    let [name, caption, details] =
        [&drawing.name, &drawing.words.caption, &drawing.words.details].map(|text| escape(text.trim_end()));
    let width = drawing.scene.width;
    let label = format!("role=\"img\" aria-label=\"{name}\" style=\"--width: {width}pt\" ");
    let svg = svg::element(&drawing.scene, &label, "");
    let picture = match svg.len() > LARGEST {
        true => {
            let size = svg.len() as f64 / 1e6;
            format!("<p class=\"note\">The drawing of {name} takes {size:.1} MB: it is not on this page.</p>\n")
        }
        false => format!("<div class=\"paper\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\">{svg}</div>"),
    };
    format!(
        "<figure id=\"{FIGURE}{name}\">\n{picture}<figcaption>{caption}\n\
         <details><summary>Details</summary>{details}</details></figcaption>\n\
         <p class=\"files\">{files}</p>\n</figure>\n"
    )
}

/// Files beside the page, by their endings.
fn links(files: impl Iterator<Item = String>) -> String {
    let link = |file: String| {
        let ending = file.rsplit('.').next().unwrap_or_default().to_uppercase();
        let file = escape(&file);
        format!("<a class=\"button\" href=\"{file}\" download aria-label=\"{file}\">{ending}</a>")
    };
    files.map(link).collect::<Vec<_>>().join(" ")
}

/// The tables beside the page: each under its name, as the files that it is.
pub(crate) fn tables(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut names: Vec<&str> = files.iter().filter_map(|file| Some(file.rsplit_once('.')?.0)).collect();
    names.dedup();
    let row = |name: &str| {
        let files = files.iter().filter(|file| file.rsplit_once('.').is_some_and(|(stem, _)| stem == name));
        format!("<p class=\"files\">{} {}</p>\n", escape(name), links(files.cloned()))
    };
    let rows: String = names.into_iter().map(row).collect();
    format!("<section id=\"tables\">\n<h2>Tables</h2>\n{rows}</section>\n")
}

/// What a search has decided, or what was found, in a sentence.
pub(crate) fn answer(source: &Report<'_>, samples: &Samples) -> String {
    if let Some(decided) = Decided::of_report(&source.collected) {
        return decision(&decided);
    }
    finding::finding(&source.collected, samples)
        .map_or_else(String::new, |text| format!("<p id=\"finding\">{}</p>\n", escape(&text)))
}

/// What the scenarios or the study say, and what there is of them.
pub(crate) fn head(source: &Report<'_>, abouts: &[About]) -> String {
    let html = |about: &About| match abouts.len() {
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
    format!("{}<p class=\"hint\">{counts}.</p>\n", abouts.iter().map(html).collect::<String>())
}

/// The caveats as a list, which is folded if they are many.
pub(crate) fn caveats(source: &Report<'_>) -> Result<String, ReportError> {
    let shown = chart::quantities(source)?;
    let is_shown = |name: &str| shown.iter().any(|quantity| quantity.strip_prefix(PARAMETER) == Some(name));
    let components = components::caveat(source.arms(), is_shown);
    let of_folders = source.collected.caveats.iter().cloned();
    let notes: Vec<String> = of_folders.chain(components).map(|caveat| caveat.to_string()).collect();
    let all = caption::caveats(&notes, source.arms());
    if all.is_empty() {
        return Ok(String::new());
    }
    let items: String = all.iter().map(|caveat| format!("<li>{}</li>\n", escape(caveat))).collect();
    let open = if all.len() > FEW_CAVEATS { "" } else { " open" };
    let count = so_many(all.len(), "caveat");
    Ok(format!("<details id=\"caveats\"{open}><summary>{count}</summary>\n<ul>\n{items}</ul>\n</details>\n"))
}

/// The resolved scenarios, each once, under the arms that have it.
pub(crate) fn scenarios(source: &Report<'_>) -> String {
    let scenario = |arm: &crate::data::Arm| {
        let (label, text) = (escape(&arm.label), escape(&arm.runs[0].record.manifest.scenario_text));
        format!("<details><summary>{label}</summary><pre>{text}</pre></details>\n")
    };
    let all: String = source.arms().iter().take(MAX_SCENARIOS).map(scenario).collect();
    match source.arms().len().saturating_sub(MAX_SCENARIOS) {
        0 => all,
        more => format!("{all}<p>{more} more are in <code>plan.json</code>.</p>\n"),
    }
}

/// How the page was made, and one row per run: seed, replicate, how it ended, digests.
pub(crate) fn digests(source: &Report<'_>) -> String {
    let line = |text: &str| format!("<p><code>{}</code></p>\n", escape(text));
    let study = source.collected.planned.iter();
    let mut out: String =
        study.map(|study| line(&format!("runs of {}: digest {}", study.plan.name, study.digest))).collect();
    out += &line(&format!("all runs shown: {}", source.origin.digest));
    out += &format!("<p>made by <code>{}</code></p>\n", escape(&source.origin.command()));
    if source.origin.runs > MAX_RUNS {
        return out + &source.runs.iter().map(|text| line(text)).collect::<String>();
    }
    let head = ["arm", "seed", "replicate", "ended by", "data", "timeline", "state"].map(str::to_owned);
    let rows = source.arms().iter().flat_map(|arm| arm.records().map(move |record| (arm, &record.manifest)));
    let rows = rows.map(|(arm, manifest)| {
        let digests = &manifest.digests;
        let (seed, replicate) = (manifest.seed.to_string(), manifest.replicate.to_string());
        let digests = [&digests.data, &digests.timeline, &digests.state].map(Clone::clone);
        [vec![arm.label.clone(), seed, replicate, manifest.stop_reason.clone()], digests.to_vec()].concat()
    });
    out + &table(&head, rows).replacen("<table>", "<table class=\"digests\">", 1)
}

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
    let manifests = report.arms().iter().map(|arm| &arm.runs[0].record.manifest);
    let about = |manifest: &Manifest| {
        let tree = Tree::scan(&manifest.scenario_text);
        let text = tree.root().field("about").and_then(|about| about.string()).unwrap_or_default();
        About { name: manifest.scenario.clone(), text }
    };
    each_once_by(manifests, |one, other| one.scenario == other.scenario).into_iter().map(about).collect()
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
    use super::{LARGEST, figure, paragraphs};
    use crate::caption::Words;
    use crate::report::Drawing;
    use crate::scene::{Scene, SceneGroup, stroke};

    /// A very large figure is named with its size and its files.
    #[test]
    fn a_large_figure_stays_a_file() {
        let drawing = |length: usize| {
            let mut canvas = Scene::new(100.0, 10.0);
            // A point of a line takes ten bytes: `1000,1000 `.
            let points = vec![(10.0, 10.0); length / 10];
            canvas.layer(SceneGroup::new("line"), |area| area.line(&points, stroke(1.0, (0, 0, 0))));
            let data = ("large".to_owned(), String::new());
            let words = Words { caption: "What it shows.".to_owned(), details: String::new() };
            Drawing { name: "large".to_owned(), scene: canvas, data, words }
        };
        let large = figure(&drawing(LARGEST + 1_000), "FILES");
        assert!(large.len() < 1_000 && large.contains("The drawing of large takes 1.0 MB: it is not on this page."));
        assert!(large.contains("FILES") && large.contains("What it shows."));
        let small = figure(&drawing(LARGEST - 2_000), "FILES");
        assert!(small.len() > LARGEST - 4_000 && small.contains("aria-label=\"large\" style=\"--width: 100pt\" width"));
    }

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
