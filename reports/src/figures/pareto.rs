//! Which arms no other beats: points over bits, time and error, the front, and how often each arm is on it. Drawn by
//! [`super::scatter`].

use super::heat::{heading, words};
use super::scatter::{Dot, Entry, Measured, Panel, Scatter};
use crate::compare::{Place, Quantity, Sample, Samples, places};
use crate::data::Arm;
use std::fmt::Write;

/// So many arms have a colour and a marker of their own; the rest of a larger front shares one.
const MOST_NAMED: usize = 14;
/// Fewer arms have no front worth a figure.
const FEWEST_ARMS: usize = 3;

/// One figure: arms as points in the costs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pareto {
    pub scatter: Scatter,
    shown: String,
    about: String,
}

/// The front at the end of the runs, and one per target in bits and time.
pub(crate) fn fronts(arms: &[Arm], samples: &Samples) -> Vec<Pareto> {
    if arms.len() < FEWEST_ARMS {
        return Vec::new();
    }
    let ends = |sample: &Sample| Some([sample.bits_total as f64, seconds(sample.time_ns), sample.error?]);
    let what = [Quantity::BitsTotal, Quantity::Time, Quantity::Error];
    let error = error_words(arms);
    let shown = format!("Bits sent in all, simulated time and {error}, all at the end of the runs");
    let about = format!("{shown}. On the front is an arm whom no other arm beats in all three");
    let end = places(samples, ends);
    let panels = [(0, 2), (1, 2), (0, 1)];
    let end = pareto("pareto", (arms, samples), &end, what, &panels, Some(&error), (shown, about));
    let target = |(number, target): (usize, &fedbits_record::study::PlanTarget)| {
        let there = |sample: &Sample| {
            let reach = sample.reaches.get(number)?.filter(|reach| reach.reached)?;
            Some([reach.bits_total as f64, seconds(reach.time_ns)])
        };
        let name = format!("pareto-{}", target.column_name());
        let goal = words(&target.column, target.at_most);
        let shown = format!("Bits sent in all and simulated time that it takes to get to {goal}");
        let about = format!(
            "{shown}; runs that do not get there are left out. On the front is an arm whom no other arm beats in both"
        );
        let costs = [Quantity::BitsTotal, Quantity::Time];
        pareto(&name, (arms, samples), &places(samples, there), costs, &[(0, 1)], None, (shown, about))
    };
    end.into_iter().chain(samples.targets.iter().enumerate().filter_map(target)).collect()
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// What the error of the arms is.
fn error_words(arms: &[Arm]) -> String {
    let mut measured = arms.iter().flat_map(|arm| &arm.runs).flat_map(|run| &run.record.rounds);
    let squared = measured.any(|row| row.mean_field_sq.is_some());
    if squared { "‖h(Ŝ)‖²".to_owned() } else { "the objective".to_owned() }
}

/// `None` when fewer than two arms have a place.
fn pareto<const N: usize>(
    name: &str,
    (arms, samples): (&[Arm], &Samples),
    places: &[Option<Place<N>>],
    what: [Quantity; N],
    panels: &[(usize, usize)],
    error: Option<&str>,
    (shown, about): (String, String),
) -> Option<Pareto> {
    if places.iter().flatten().count() < 2 {
        return None;
    }
    let styles = styles(arms, places);
    let highest = |cost: usize| places.iter().flatten().map(|place| place.medians[cost]).fold(0.0, f64::max);
    let axis = |cost: usize| match (what[cost], error) {
        (Quantity::Error, Some(words)) => (format!("final {}", words.trim_start_matches("the ")), 1.0),
        (what, _) => heading(what, highest(cost)),
    };
    let dot = |arm: usize, (x, y): (usize, usize)| {
        let place = places[arm].as_ref()?;
        let measured = |cost: usize| {
            let unit = axis(cost).1;
            let (low, high) = place.quartiles[cost];
            Measured { median: place.medians[cost] / unit, low: low / unit, high: high / unit }
        };
        Some(Dot { x: measured(x), y: measured(y), style: styles[arm], of_front: place.on_front })
    };
    let panel = |&(x, y): &(usize, usize)| Panel {
        x: axis(x).0,
        y: axis(y).0,
        dots: (0..places.len()).filter_map(|arm| dot(arm, (x, y))).collect(),
    };
    let entry = |arm: usize| {
        let place = places[arm].as_ref()?;
        let words = format!("{} ({}/{})", samples.arms[arm].name, place.times, place.of);
        styles[arm].map(|style| Entry { style: Some(style), words })
    };
    let mut entries: Vec<Entry> = (0..places.len()).filter_map(entry).collect();
    if places.iter().zip(&styles).any(|(place, style)| place.is_some() && style.is_none()) {
        let others = if styles.iter().flatten().count() < MOST_NAMED { "never on the front" } else { "other arms" };
        entries.push(Entry { style: None, words: others.to_owned() });
    }
    let rows = table(samples, places, what);
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-");
    let scatter = Scatter { name, panels: panels.iter().map(panel).collect(), entries, rows };
    Some(Pareto { scatter, shown, about })
}

/// Colours and markers for the arms that are on the front, the same as in other figures; where they are many, for those that are
/// oftenest there.
fn styles<const N: usize>(arms: &[Arm], places: &[Option<Place<N>>]) -> Vec<Option<usize>> {
    let rank = |place: &Place<N>| (place.on_front, place.times);
    let mut front: Vec<(usize, (bool, usize))> = Vec::new();
    for (arm, place) in places.iter().enumerate() {
        front.extend(place.as_ref().filter(|own| own.on_front || own.times > 0).map(|own| (arm, rank(own))));
    }
    front.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    front.truncate(MOST_NAMED);
    let is_named = |arm: usize| front.iter().any(|(own, _)| *own == arm);
    arms.iter().enumerate().map(|(place, arm)| is_named(place).then_some(arm.style)).collect()
}

/// Rows of the CSV.
fn table<const N: usize>(samples: &Samples, places: &[Option<Place<N>>], what: [Quantity; N]) -> String {
    let put = "a string takes everything";
    let mut out = String::from("arm,on_front,times_on_front,runs");
    for cost in what {
        let name = cost.name();
        write!(out, ",{name},{name}_low,{name}_high").expect(put);
    }
    out.push('\n');
    for (arm, place) in samples.arms.iter().zip(places) {
        let Some(place) = place else { continue };
        let name = arm.name.replace('"', "\"\"");
        write!(out, "\"{name}\",{},{},{}", u8::from(place.on_front), place.times, place.of).expect(put);
        for (median, (low, high)) in place.medians.iter().zip(place.quartiles) {
            write!(out, ",{median:?},{low:?},{high:?}").expect(put);
        }
        out.push('\n');
    }
    out
}

impl Pareto {
    /// A tidy table, one row per arm: medians and quartiles.
    pub(crate) fn csv(&self, comments: &[String]) -> String {
        let comments: String = comments.iter().map(|line| format!("# {line}\n")).collect();
        format!("{comments}{}", self.scatter.rows)
    }

    /// What the figure shows, for its caption.
    pub(crate) fn caption(&self) -> String {
        format!(
            "{}: medians and quartiles over the replicates. Filled: no other arm is better in all of them.",
            self.shown
        )
    }

    /// What the figure shows, in sentences.
    pub(crate) fn words(&self) -> String {
        format!(
            "{} at once; filled: by the medians over the replicates; in brackets: in how many of the replicates, each compared on its \
             own. Crosses reach from the lower to the upper quartile; grey lines bound what is beaten in the two quantities of a panel.",
            self.about
        )
    }
}
