//! What stands under a figure: a caption of a sentence or two, which a paper can take, and the details, which a reader
//! must know to trust the figure: arms, seeds, how lines were made, caveats.

use crate::curves::{Curve, windows};
use crate::data::Arm;
use crate::figures::figure::{Figure, Panel};
use crate::figures::left_out;
use crate::figures::units::WORDS;
use crate::replicates::Progress;
use crate::text::{each_once, grouped};
use crate::words::{first_few, listed, naming};
use fedbits_figures::Band;
use fedbits_record::Manifest;
use fedbits_spec::{Caveat, Caveats, so_many};
use std::collections::BTreeSet;

/// Up to this many arms are named where they share something, …
const MAX_ARMS: usize = 6;
/// … and of several that are shown as one.
const MAX_MEMBERS: usize = 20;

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

/// What a figure's lines are.
struct Drawn {
    /// Some line shows what each accuracy cost its replicates.
    costs: bool,
    /// Some line shows values of its replicates at each round.
    values: bool,
    /// Replicates are drawn one by one.
    runs: bool,
    bands: bool,
    /// Windows of running medians; empty without any.
    windows: String,
    /// Replicates of some line of values end before others.
    ends_early: bool,
    /// Replicates of each line in words; none: all have one.
    replicates: Option<String>,
}

impl Drawn {
    fn of(figure: &Figure) -> Self {
        let arms = || figure.curves().filter(|curve| curve.slope.is_none());
        let several = || arms().filter(|curve| curve.replicates > 1);
        let counts: BTreeSet<usize> = arms().map(|curve| curve.replicates).collect();
        let words = match (counts.first(), counts.last()) {
            (Some(least), Some(most)) if least < most => Some(format!("{least} to {most} replicates")),
            (_, Some(most)) if *most > 1 => Some(so_many(*most, "replicate")),
            _ => None,
        };
        Self {
            costs: several().any(|curve| curve.progress.is_some()),
            values: several().any(|curve| curve.progress.is_none()),
            runs: arms().any(|curve| !curve.runs.is_empty() && curve.trend.is_empty()),
            bands: arms().any(|curve| curve.has_band() && curve.trend.is_empty()),
            windows: windows(figure.curves()),
            ends_early: several().any(|curve| curve.progress.is_none() && curve.first_ended() < curve.points.len()),
            replicates: words,
        }
    }
}

/// What is shown against what; what lines and bands are.
fn caption(figure: &Figure) -> String {
    let drawn = Drawn::of(figure);
    let leaves = if left_out::leaves(figure) { " (open arrowheads: lines leave the frame)" } else { "" };
    let text = format!("{}, against {}{leaves}.", capitalized(&upright(figure)), listed(&axes(figure, false)));
    let (middle, windows) = (figure.middle(), &drawn.windows);
    let lines = |replicates: &String| match (drawn.costs, drawn.values) {
        (true, false) => format!("lines: the median cost of each accuracy over {replicates}"),
        (true, true) => format!("lines: the median cost of each accuracy, or {middle}s, over {replicates}"),
        (false, _) => format!("lines: {middle}s over {replicates}"),
    };
    let smoothed = || format!("smoothed by running medians over {windows} recorded rounds; pale: as recorded");
    let has_counts = drawn.costs && figure.panels.iter().any(|panel| shows_counts(figure, panel));
    let parts = [
        drawn.replicates.as_ref().map(lines),
        (!windows.is_empty()).then(smoothed),
        drawn.runs.then(|| "pale: the single runs".to_owned()),
        drawn.bands.then(|| format!("bands: {}", band(figure))),
        has_counts.then(|| "k/n: runs that reach the target".to_owned()),
        drawn.ends_early.then(|| "thin: some replicates have ended and stay at their end".to_owned()),
    ];
    match parts.into_iter().flatten().collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => text,
        parts => format!("{text} {}.", capitalized(&parts)),
    }
}

/// The lines of a panel of which not all replicates get to its target: label, how many do, of how many.
fn counts(panel: &Panel) -> impl Iterator<Item = (&str, usize, usize)> {
    panel.curves.iter().filter_map(|curve| short_of_target(curve).map(|(reached, of)| (&*curve.label, reached, of)))
}

/// How many replicates of a line get to its target, of how many, where not all do.
fn short_of_target(curve: &Curve) -> Option<(usize, usize)> {
    let &Progress { reached, planned: of, .. } = curve.progress.as_ref()?;
    (reached < of).then_some((reached, of))
}

/// Does a line end in the frame with how many of its replicates get to the target?
fn shows_counts(figure: &Figure, panel: &Panel) -> bool {
    let (first, last) = panel.ends_of_axis();
    let is_shown = |(at, value): (f64, f64)| (first..=last).contains(&at) && !figure.vertical(panel).hides(value);
    let ends = panel.curves.iter().filter(|curve| short_of_target(curve).is_some());
    ends.filter_map(|curve| curve.drawn(panel.x).last().copied()).any(is_shown)
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

/// All that must be known; caveats last, none left out.
fn details(figure: &Figure, arms: &[Arm]) -> String {
    let (drawn, middle) = (Drawn::of(figure), figure.middle());
    let count = |(label, reached, of): (&str, usize, usize)| format!("{label} {reached}/{of}");
    let counts = each_once(figure.panels.iter().flat_map(counts).map(count));
    let costs = || {
        " A line shows the Kaplan–Meier median of what each accuracy cost, so that its cost at a target is that of \
         `compare`. It ends where not more than half of the replicates get."
            .to_owned()
            + &naming("Not all replicates reach the target", counts)
    };
    let values = || {
        format!(
            " A line shows {middle}s over replicates per recorded round; the horizontal position is the replicates' \
             median."
        )
    };
    let ends_early = || {
        format!(
            " It is thin where some of its replicates have ended: these stay at their end in the {middle} (the column \
             `running` of the CSV counts those that go on)."
        )
    };
    let windows = || {
        format!(
            " Lines are running medians over {} recorded rounds, in every panel in which one is noise from round to \
             round; the recorded values are pale.",
            drawn.windows
        )
    };
    let slopes = " Dotted lines are fitted to the second half of an arm's line, by least squares of logarithms, or \
        have a slope that was given (predicted): these go through the point at a fifth of it or, where it is down \
        sooner, of its way there.";
    let sentences = [
        drawn.costs.then(costs),
        drawn.values.then(values),
        drawn.ends_early.then(ends_early),
        drawn.replicates.is_none().then(|| " One run per line.".to_owned()),
        Some(without_interval(figure)),
        (!drawn.windows.is_empty()).then(windows),
        figure.curves().any(|curve| curve.slope.is_some()).then(|| slopes.to_owned()),
    ];
    format!(
        "{}, against {}.{}{} Points that are far apart are joined by steps. The drawing keeps what print resolves; the \
         CSV holds every number.\n{}",
        capitalized(&upright(figure)),
        listed(&axes(figure, true)),
        arm_sentences(arms),
        sentences.into_iter().flatten().collect::<String>(),
        caveat_lines(&figure.notes, arms)
    )
}

fn caveat_lines(notes: &[String], arms: &[Arm]) -> String {
    caveats(notes, arms).iter().map(|caveat| format!("Caveat: {}.\n", caveat.trim_end_matches('.'))).collect()
}

/// Arms that have no interval beside others that have one, in a sentence behind a space.
fn without_interval(figure: &Figure) -> String {
    let arms = || figure.legend().into_iter().filter(|curve| curve.slope.is_none());
    let without = arms().filter(|curve| !figure.band.is_there(curve.replicates));
    let is_said = figure.band == Band::Mean95 && arms().any(|curve| curve.replicates > 1);
    let names = without.filter(|_| is_said).map(|curve| curve.label.as_str());
    naming("Without an interval, as there is one run", names)
}

/// The horizontal axes of all panels, each once, with how they are counted or without.
fn axes(figure: &Figure, is_counted: bool) -> Vec<String> {
    let words = |panel: &Panel| WORDS[panel.x as usize][2..if is_counted { 4 } else { 3 }].concat();
    each_once(figure.panels.iter().map(words))
}

/// Scenario, n and seeds of every arm, each sentence behind a space; arms that agree in them share one.
fn arm_sentences(arms: &[Arm]) -> String {
    let groups = grouped(arms.iter().map(|arm| (runs(arm), arm.label.as_str())));
    let named = |labels: Vec<&str>| match labels.len() {
        many if many > MAX_ARMS => format!("{many} arms"),
        _ => labels.join("; "),
    };
    groups.into_iter().map(|(runs, labels)| format!(" {}: {runs}.", named(labels))).collect()
}

/// Of several arms as one also which these are.
fn runs(arm: &Arm) -> String {
    let names = each_once(arm.records().map(|record| &record.manifest.arm));
    match names.len() {
        0 | 1 => seeds(arm),
        _ => format!("{}; the arms {}", seeds(arm), first_few(names.into_iter().cloned(), MAX_MEMBERS)),
    }
}

fn seeds(arm: &Arm) -> String {
    let manifests: Vec<&Manifest> = arm.runs.iter().map(|run| &run.record.manifest).collect();
    let first = manifests[0];
    let start = format!("scenario {}, n = {}", first.scenario, so_many(first.clients, "client"));
    let seed = |m: &&Manifest| m.seed.to_string();
    let pair = |m: &&Manifest| format!("{}/{}", m.seed, m.replicate);
    let replicates: Vec<u64> = manifests.iter().map(|m| m.replicate).collect();
    let in_order = replicates.windows(2).all(|pair| pair[1] == pair[0] + 1) && replicates.len() > 1;
    if in_order && manifests.iter().all(|m| m.seed == first.seed) {
        let (from, to) = (first.replicate, first.replicate + replicates.len() as u64 - 1);
        let runs = so_many(replicates.len(), "run");
        return format!("{start}, {runs} each (seed {}, replicates {from} to {to})", first.seed);
    }
    let (word, names): (_, Vec<String>) = match manifests.iter().all(|m| m.replicate == first.replicate) {
        true if manifests.len() == 1 => ("seed", vec![seed(&first)]),
        true => ("seeds", manifests.iter().map(seed).collect()),
        false => ("seeds/replicates", manifests.iter().map(pair).collect()),
    };
    format!("{start}, {} ({word} {})", so_many(names.len(), "run"), names.join(", "))
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
