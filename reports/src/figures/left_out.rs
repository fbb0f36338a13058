//! What of a figure's lines its frames do not show: values outside a window, values without a coordinate on a
//! logarithmic axis. They are marked where they leave, and counted here for the caption; the data beside the figure
//! have them all.

use super::figure::{Figure, Line, Panel, Vertical};
use crate::axes::Scale;
use crate::curves::{Curve, moves};
use crate::data::Arm;
use crate::replicates::CurvePoint;
use crate::text::each_once;
use crate::words::raised;
use fedbits_figures::XAxis;
use fedbits_spec::so_many;

/// Up to this many arms are named one by one when they share a peculiarity.
const MAX_NOTES: usize = 6;

/// A sentence for each thing that is not shown, without the full stop.
pub(crate) fn notes(figure: &Figure) -> Vec<String> {
    let window = |vertical: &Vertical| match vertical.window? {
        (low, f64::INFINITY) => {
            Some(format!("values of {} below {low:.0e} are rounding and not shown", vertical.words))
        }
        (low, high) => {
            let [low, high] = [low, high].map(raised);
            Some(format!("the frame holds {low} to {high}, as the figure's declaration says"))
        }
    };
    let is_windowed = figure.shown_verticals().any(|vertical| vertical.window.is_some());
    let why = if is_windowed { "outside the frame" } else { "zero or less, below any logarithmic axis" };
    let hidden = |counts: String| {
        format!("values that are {why} (open arrowheads at its edge mark where the lines leave): {counts}")
    };
    let counts = Some(counts(figure).join(", ")).filter(|counts| !counts.is_empty());
    let band = labels(figure, &|panel, curve| band_leaves(figure.vertical(panel), curve));
    let open = "bands go on to the right edge where too few runs get so far for their upper end";
    let is_outside = |panel: &Panel, curve: &Curve| !panel.holds(curve) && panel.places(curve).next().is_some();
    let outside = |lines| format!("lines without a point within the limits of the horizontal axis: {lines}");
    let idle = labels(figure, &|_, curve| !moves(XAxis::Rounds, std::iter::once(curve)));
    let mut notes: Vec<String> = figure.shown_verticals().filter_map(window).chain(counts.map(hidden)).collect();
    notes.extend(band.map(|_| "bands that leave the frame are cut at its edge".to_owned()));
    notes.extend(figure.curves().any(has_open_band).then(|| open.to_owned()));
    notes.extend(starts(figure).chain(beyond(figure)));
    notes.extend(labels(figure, &is_outside).map(outside));
    notes.extend(idle.map(|lines| format!("{lines}: no rounds, so that only the start is shown")));
    notes
}

/// Which lines go on beyond the limits of a horizontal axis, on either side.
fn beyond(figure: &Figure) -> Vec<String> {
    let leaves = |panel: &Panel, at: f64| at > panel.ends_of_axis().1;
    let enters = |panel: &Panel, at: f64| at < panel.ends_of_axis().0;
    let of = |words: &str, is_outside: &dyn Fn(&Panel, f64) -> bool| {
        let crosses =
            |panel: &Panel, curve: &Curve| panel.holds(curve) && panel.places(curve).any(|at| is_outside(panel, at));
        labels(figure, &crosses).map(|lines| format!("lines that {words}: {lines}"))
    };
    let right = of("go on beyond the horizontal axis (open arrowheads mark where they leave)", &leaves);
    let left = of("begin before the horizontal axis (open arrowheads mark where they enter)", &enters);
    right.into_iter().chain(left).collect()
}

/// The lines of which that is so in some panel, each once; none without any.
fn labels(figure: &Figure, is: &dyn Fn(&Panel, &Curve) -> bool) -> Option<String> {
    let lines = figure.with_panels().filter(|(panel, curve)| is(panel, curve));
    let labels = each_once(lines.map(|(_, curve)| curve.label.as_str()));
    (!labels.is_empty()).then(|| labels.join(", "))
}

/// Whether lines leave the frame, which open arrowheads at its edge mark.
pub(crate) fn leaves(figure: &Figure) -> bool {
    !counts(figure).is_empty() || !beyond(figure).is_empty()
}

/// How many of the values of each line have no coordinate in the frame, if any.
fn counts(figure: &Figure) -> Vec<String> {
    let hidden = |Line { label, vertical, curve }: Line<'_>| {
        let drawn = curve.drawn(XAxis::Rounds);
        let (count, all) = (drawn.iter().filter(|(_, value)| vertical.hides(*value)).count(), drawn.len());
        (count > 0).then(|| format!("{label}: {count} of {all}"))
    };
    figure.lines().into_iter().filter_map(hidden).collect()
}

fn band_leaves(vertical: &Vertical, curve: &Curve) -> bool {
    let leaves = |point: &CurvePoint| vertical.hides(point.low) || vertical.hides(point.high);
    curve.has_band() && curve.progress.is_none() && curve.points.iter().any(leaves)
}

/// Has a band of costs no upper end somewhere?
fn has_open_band(curve: &Curve) -> bool {
    let costs = curve.progress.iter().flat_map(|progress| progress.costs(XAxis::Rounds));
    curve.has_band() && { costs }.any(|cost| cost.high.is_none())
}

/// What stands at zero of a logarithmic horizontal axis.
fn starts(figure: &Figure) -> impl Iterator<Item = String> {
    let at_zero = |panel: &Panel, point: &CurvePoint| panel.x_scale == Scale::Log && point.at(panel.x) <= 0.0;
    let begins = labels(figure, &|panel, curve| curve.points.iter().any(|point| at_zero(panel, point)));
    let stays = |panel: &Panel, curve: &Curve| {
        panel.x_scale == Scale::Log && curve.points.iter().all(|point| at_zero(panel, point))
    };
    let start = "the start of the lines, at zero, has no coordinate on a logarithmic horizontal axis";
    let still = |lines| format!("{lines}: at zero throughout; a marker at the left edge shows the last value");
    begins.map(|_| start.to_owned()).into_iter().chain(labels(figure, &stays).map(still))
}

pub(crate) fn notes_of_curves(arms: &[Arm], curves: &[Curve]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut uneven = Vec::new();
    for arm in arms {
        let last: Vec<u64> = arm.runs.iter().filter_map(|run| run.record.rounds.last().map(|row| row.round)).collect();
        if let (Some(shortest), Some(longest)) = (last.iter().min(), last.iter().max())
            && shortest < longest
        {
            let failed = arm.runs.iter().filter(|run| run.record.manifest.failure().is_some()).count();
            let failed = if failed == 0 { String::new() } else { format!(", {failed} of them because they failed") };
            uneven.push(format!("{}: replicates ended between rounds {shortest} and {longest}{failed}", arm.label));
        }
        match curves.iter().find(|curve| curve.label == arm.label) {
            None => notes.push(format!("{}: not measured", arm.label)),
            Some(curve) if curve.replicates < arm.runs.len() => {
                let without = arm.runs.len() - curve.replicates;
                notes.push(format!("{}: {without} of {} recorded no value", arm.label, so_many(arm.runs.len(), "run")));
            }
            Some(_) => {}
        }
    }
    if uneven.len() > MAX_NOTES {
        uneven = vec![format!("in {} arms replicates ended after different rounds", uneven.len())];
    }
    notes.extend(uneven);
    notes
}
