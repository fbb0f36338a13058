//! What stands under a figure: a caption of a sentence or two, which a paper can take, and the details, which a reader
//! must know to trust the figure: arms, seeds, how lines were made, caveats.

use crate::curves::Curve;
use crate::data::Arm;
use crate::figures::ends;
use crate::figures::figure::Figure;
use crate::figures::left_out;
use crate::words::{first_few, listed};
use fedbits_figures::Band;
use fedbits_figures::XAxis;
use fedbits_record::Manifest;
use fedbits_spec::{Caveat, Caveats, so_many};
use std::collections::BTreeSet;

/// Up to this many arms are named where they share something, …
const MAX_ARMS: usize = 6;
/// … and of several that are shown as one.
const MAX_MEMBERS: usize = 20;

/// Why a curve over time and a heat map need not agree.
const CROSSING: &str = "so the time at which a curve crosses a level may differ from the median time of the heat map.";

/// The caption of a figure, and its details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    /// A sentence or two.
    pub caption: String,
    /// Whole sentences; caveats last, none left out.
    pub details: String,
}

impl Words {
    /// A caption; as details a text, the arms, and all caveats.
    pub(crate) fn new(caption: &str, about: &str, arms: &[Arm]) -> Self {
        let details = format!("{about}{}\n{}", arm_sentences(arms), caveat_lines(&[], arms));
        Self { caption: caption.to_owned(), details }
    }

    /// The same with further caveats.
    pub(crate) fn with_caveats(mut self, caveats: impl IntoIterator<Item = Caveat>) -> Self {
        caveats.into_iter().for_each(|caveat| self.details += &format!("Caveat: {caveat}.\n"));
        self
    }
}

/// Of a figure of lines.
pub(crate) fn lines(figure: &Figure, arms: &[Arm]) -> Words {
    Words { caption: caption(figure), details: details(figure, arms) }
}

/// All that is drawn.
fn caption(figure: &Figure) -> String {
    let inset = figure.inset.map(|_| "inset: the outlined part");
    let beside: String = ends::caption(figure).into_iter().chain(inset).map(|part| format!("; {part}")).collect();
    format!("{}{beside}.", lines_caption(figure).trim_end_matches('.'))
}

/// What is shown against what; what lines and bands are.
fn lines_caption(figure: &Figure) -> String {
    let what = capitalized(&upright(figure));
    let leaves = if left_out::leaves(figure) { " (open arrowheads: lines leave the frame)" } else { "" };
    let text = format!("{what}, against {}{leaves}.", listed(&axes(figure, short_axis)));
    let arms = figure.legend().into_iter().filter(|curve| curve.slope.is_none());
    let replicates: BTreeSet<usize> = arms.map(|curve| curve.replicates).collect();
    let count = match (replicates.first(), replicates.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most} replicates"),
        (_, most) => so_many(most.unwrap_or(&1), "replicate"),
    };
    let replicated = replicates.last().is_some_and(|&most| most > 1);
    let pale = if others(figure).next().is_some() { "Of noisy lines pale" } else { "Pale" };
    let thin = if ends_early(figure) { "; thin: some have ended and stay at their end" } else { "" };
    let bands = if has_bands(figure) { format!("; bands: {}", band(figure)) } else { String::new() };
    match (replicated, windows(figure)) {
        (true, None) => {
            format!("{text} Lines: {}s over {count}{bands}{thin}.", figure.middle())
        }
        (true, Some(windows)) => {
            let middle = figure.middle();
            format!(
                "{text} {pale}: {middle}s over {count}; full lines: running medians over {windows} recorded \
                 rounds{bands}{thin}."
            )
        }
        (false, None) => text,
        (false, Some(windows)) => {
            format!("{text} {pale}: recorded values; full lines: running medians over {windows} recorded rounds.")
        }
    }
}

/// The vertical axes in words.
fn upright(figure: &Figure) -> String {
    listed(&figure.shown_verticals().map(|vertical| vertical.words.clone()).collect::<Vec<_>>())
}

/// What of several replicates a band shows.
fn band(figure: &Figure) -> &'static str {
    match figure.band {
        Band::Quartiles | Band::Nothing => "lower to upper quartile",
        Band::Mean95 => "95 % intervals of the mean by Student's t",
        Band::Range => "least to most",
    }
}

/// Have replicates of some line ended before others.
fn ends_early(figure: &Figure) -> bool {
    figure.curves().any(|curve| curve.first_ended() < curve.points.len())
}

/// How many rounds running medians take together; none where none is drawn.
fn windows(figure: &Figure) -> Option<String> {
    let windows: BTreeSet<usize> = trends(figure).map(|curve| curve.window()).collect();
    (!windows.is_empty()).then(|| windows.iter().map(usize::to_string).collect::<Vec<_>>().join(" or "))
}

/// All that must be known; caveats last, none left out.
fn details(figure: &Figure, arms: &[Arm]) -> String {
    let mut text = format!("{}, against {}.", capitalized(&upright(figure)), listed(&axes(figure, long_axis)));
    text += &arm_sentences(arms);
    text += &lines_sentence(figure);
    text += &without_interval(figure);
    let replicated = figure.legend().iter().any(|curve| curve.replicates > 1);
    if replicated && figure.panels.iter().any(|panel| panel.x == XAxis::Time) {
        text += &match figure.middle() {
            "median" => format!(" Over time both coordinates are medians of a round, {CROSSING}"),
            middle => format!(" Over time a point is the {middle} of a round at its median time, {CROSSING}"),
        };
    }
    if ends_early(figure) {
        text += &format!(
            " A line is thin where some of its replicates have ended; these stay at their end in the {0}, so that the \
             line ends at the {0} end (the column `running` of the CSV counts those that go on).",
            figure.middle()
        );
    }
    if let Some(windows) = windows(figure) {
        let which = if others(figure).next().is_some() { " of lines that are noise" } else { "" };
        text += &format!(" Full lines{which} are running medians over {windows} recorded rounds.");
    }
    if figure.curves().any(|curve| curve.slope.is_some()) {
        text += " Dotted lines are fitted to the second half of an arm's line, by least squares of logarithms, or have \
            a slope that was given (predicted): these go through the point at a fifth of it or, where it is down \
            sooner, of its way there.";
    }
    if figure.curves().any(Curve::is_sparse) {
        text += " Lines of few values have a marker at each.";
    }
    text += " The drawing keeps what print resolves (first, lowest, highest and last point per 0.4 pt); the CSV holds \
        every recorded round.\n";
    text + &caveat_lines(&figure.notes, arms)
}

fn caveat_lines(notes: &[String], arms: &[Arm]) -> String {
    caveats(notes, arms).iter().map(|caveat| format!("Caveat: {}.\n", caveat.trim_end_matches('.'))).collect()
}

/// What the lines and bands are.
fn lines_sentence(figure: &Figure) -> String {
    let replicated = figure.legend().iter().any(|curve| curve.replicates > 1);
    let (middle, band) = (figure.middle(), band(figure));
    match (replicated, trends(figure).next().is_none()) {
        (true, true) => {
            let bands = if figure.band == Band::Nothing { "no band" } else { "bands:" };
            let band = if figure.band == Band::Nothing { String::new() } else { format!(" {band}") };
            format!(
                " Lines are {middle}s over replicates per recorded round, {bands}{band}; the horizontal position is \
                 the replicates' median."
            )
        }
        (true, false) => {
            let bands = if has_bands(figure) { format!("; bands of others are {band}") } else { String::new() };
            format!(" Pale lines are {middle}s over replicates per recorded round, without a band{bands}.")
        }
        (false, true) => " One run per line; no band.".to_owned(),
        (false, false) => " Pale lines are the recorded values of one run each; no band.".to_owned(),
    }
}

/// Arms that have no interval beside others that have one, in a sentence behind a space.
fn without_interval(figure: &Figure) -> String {
    let arms = || figure.legend().into_iter().filter(|curve| curve.slope.is_none());
    let without = arms().filter(|curve| !figure.band.is_there(curve.replicates));
    let names: Vec<&str> = without.map(|curve| curve.label.as_str()).collect();
    match figure.band == Band::Mean95 && !names.is_empty() && arms().any(|curve| curve.replicates > 1) {
        true => format!(" Without an interval, as there is one run: {}.", names.join("; ")),
        false => String::new(),
    }
}

/// The noisy lines of all panels: an arm may be noise in one and not in another.
fn trends(figure: &Figure) -> impl Iterator<Item = &Curve> {
    figure.curves().filter(|curve| !curve.trend.is_empty())
}

/// The lines of arms that are no noise.
fn others(figure: &Figure) -> impl Iterator<Item = &Curve> {
    figure.curves().filter(|curve| curve.trend.is_empty() && curve.slope.is_none())
}

/// Has a line a band? Not one of a single run.
fn has_bands(figure: &Figure) -> bool {
    figure.band != Band::Nothing && others(figure).any(|curve| curve.replicates > 1)
}

/// What a horizontal axis counts.
fn short_axis(x: XAxis) -> &'static str {
    match x {
        XAxis::Rounds => "rounds",
        XAxis::Epochs => "epochs",
        XAxis::BitsUp => "bits sent by the clients",
        XAxis::BitsTotal => "all bits sent",
        XAxis::Time => "simulated time",
        XAxis::Energy => "energy",
        XAxis::Epsilon => "privacy loss ε",
    }
}

/// The same, with how it is counted.
fn long_axis(x: XAxis) -> &'static str {
    match x {
        XAxis::Epochs => "epochs (conditional expectations computed, divided by the number of examples)",
        XAxis::BitsUp => "bits sent by the clients (payload of the exact encodings, without packet headers)",
        XAxis::BitsTotal => "all bits sent (payload up, down and between peers, and packet headers)",
        XAxis::Energy => "energy (joules of all clients, and of the server where its power is given)",
        XAxis::Epsilon => "privacy loss ε at the δ of the scenario",
        axis => short_axis(axis),
    }
}

/// The horizontal axes of all panels, each once.
fn axes(figure: &Figure, word: impl Fn(XAxis) -> &'static str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for panel in &figure.panels {
        let word = word(panel.x);
        if words.iter().all(|known| known != word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// Scenario, n and seeds of every arm, each sentence behind a space; arms that agree in them share one.
fn arm_sentences(arms: &[Arm]) -> String {
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for arm in arms {
        let runs = runs(arm);
        match groups.iter_mut().find(|(_, known)| *known == runs) {
            Some((labels, _)) => labels.push(arm.label.clone()),
            None => groups.push((vec![arm.label.clone()], runs)),
        }
    }
    let named = |labels: Vec<String>| match labels.len() {
        many if many > MAX_ARMS => format!("{many} arms"),
        _ => labels.join("; "),
    };
    groups.into_iter().map(|(labels, runs)| format!(" {}: {runs}.", named(labels))).collect()
}

/// Of several arms as one also which these are.
fn runs(arm: &Arm) -> String {
    let mut names: Vec<String> = Vec::new();
    for record in arm.records() {
        if !names.contains(&record.manifest.arm) {
            names.push(record.manifest.arm.clone());
        }
    }
    match names.len() {
        0 | 1 => seeds(arm),
        _ => format!("{}; the arms {}", seeds(arm), first_few(names.into_iter(), MAX_MEMBERS)),
    }
}

fn seeds(arm: &Arm) -> String {
    let manifests: Vec<&Manifest> = arm.runs.iter().map(|run| &run.record.manifest).collect();
    let first = manifests[0];
    let seed = |m: &&Manifest| m.seed.to_string();
    let pair = |m: &&Manifest| format!("{}/{}", m.seed, m.replicate);
    let replicates: Vec<u64> = manifests.iter().map(|m| m.replicate).collect();
    let in_order = replicates.windows(2).all(|pair| pair[1] == pair[0] + 1) && replicates.len() > 1;
    if in_order && manifests.iter().all(|m| m.seed == first.seed) {
        let (from, to) = (first.replicate, first.replicate + replicates.len() as u64 - 1);
        let (scenario, clients, runs, seed) =
            (&first.scenario, so_many(first.clients, "client"), replicates.len(), first.seed);
        return format!(
            "scenario {scenario}, n = {clients}, {} each (seed {seed}, replicates {from} to {to})",
            so_many(runs, "run")
        );
    }
    let (word, names): (_, Vec<String>) = match manifests.iter().all(|m| m.replicate == first.replicate) {
        true if manifests.len() == 1 => ("seed", vec![seed(&first)]),
        true => ("seeds", manifests.iter().map(seed).collect()),
        false => ("seeds/replicates", manifests.iter().map(pair).collect()),
    };
    let (runs, names) = (so_many(names.len(), "run"), names.join(", "));
    let clients = so_many(first.clients, "client");
    format!("scenario {}, n = {clients}, {runs} ({word} {names})", first.scenario)
}

/// Caveats of the runs, with the arms they come from, and the figure's own.
pub(crate) fn caveats(notes: &[String], arms: &[Arm]) -> Vec<String> {
    let mut all = Caveats::default();
    arms.iter().for_each(|arm| arm.records().for_each(|run| all.add(&arm.label, &run.manifest.caveats)));
    all.into_vec().iter().map(ToString::to_string).chain(notes.iter().cloned()).collect()
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
