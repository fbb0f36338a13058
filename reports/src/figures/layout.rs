//! Where things stand on the page, in points: legend, frames, axes. Everything is measured, so nothing overlaps.

use super::ends;
use super::figure::{Figure, Panel};
use super::legend::legend_of;
use super::plot::Frame;
use super::units;
use crate::axes::{Axis, Scale, range};
use crate::curves::Curve;
use crate::quantity::Quantity;
use crate::replicates::CurvePoint;
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::renamed;
use fedbits_figures::Ends;
use std::collections::BTreeMap;

/// A legend entry: left end of its sample, baseline, words, what the sample shows.
pub(crate) struct LegendEntry<'a> {
    pub x: f64,
    pub y: f64,
    pub words: String,
    pub sample: Sample<'a>,
}

/// What a legend entry explains.
#[derive(Clone, Copy)]
pub(crate) enum Sample<'a> {
    /// The line of an arm.
    Curve(&'a Curve),
    /// The dashes of a quantity, by their number.
    Quantity(usize),
    /// Horizontal lines at values, by their number.
    Rule(usize),
}

/// A horizontal axis in the unit it is labelled with.
pub(crate) struct Horizontal {
    pub axis: Axis,
    pub label: Rich,
    /// Values are divided by this before they are drawn.
    pub unit: f64,
}

/// A measured figure.
pub(crate) struct Layout<'a> {
    pub width: f64,
    pub height: f64,
    pub entries: Vec<LegendEntry<'a>>,
    pub frames: Vec<Frame>,
    pub horizontals: Vec<Horizontal>,
    /// Of each of the figure's vertical axes.
    pub verticals: Vec<Axis>,
    /// Of each panel the baseline of the label of its vertical axis; none where the panel to the left has the same one.
    pub label_x: Vec<Option<f64>>,
    /// Length of a legend's sample line.
    pub sample: f64,
}

/// A frame among many rows keeps this share of its height where others can stand beside it.
const LOWEST: f64 = 0.4;
/// Width of the narrowest panel, in sizes of tick labels.
const NARROWEST: f64 = 14.0;
/// Length of a legend's sample line, in sizes of tick labels.
const SAMPLE: f64 = 3.2;
/// Up to this many lines of a frame are labelled at their ends, …
const MOST_ENDS: usize = 5;
/// … with labels that take this share of the width, …
const WIDEST_ENDS: f64 = 0.3;
/// … where all end that far to the right.
const AT_EDGE: f64 = 0.96;

/// Vertical axes, and the room that they leave.
struct Upright {
    verticals: Vec<Axis>,
    /// Room left of the frames of each column.
    lefts: Vec<f64>,
    frame_width: f64,
}

/// What panels have around their frames, in points.
struct Around {
    /// Where the first row starts.
    top: f64,
    heading: f64,
    below: f64,
    between: f64,
}

impl Around {
    fn new(figure: &Figure, look: &Look, legend_height: f64) -> Self {
        let has_heading = figure.panels.iter().any(|panel| panel.heading.is_some());
        Self {
            top: legend_height + look.tick * 0.6,
            heading: if has_heading { look.tick * 1.5 } else { 0.0 },
            below: look.tick_length() + look.gap() + look.tick * 0.95 + look.label * 1.35,
            between: look.tick * 0.6,
        }
    }

    /// Height of a frame of which `rows` fit on the page.
    fn room(&self, rows: usize, look: &Look) -> f64 {
        (look.tallest - self.top + self.between) / rows as f64 - self.heading - self.below - self.between
    }
}

/// Panels side by side, at most: more than usual only where these are too many for the page.
pub(crate) fn most_columns(look: &Look) -> usize {
    look.columns.max((look.width / (NARROWEST * look.tick)) as usize)
}

/// How many panels of a figure have room on a page.
pub(crate) fn most_panels(figure: &Figure, look: &Look, metrics: &Metrics) -> usize {
    let around = Around::new(figure, look, legend(figure, look, metrics, SAMPLE * look.tick).1);
    let rows = (1..=figure.panels.len()).rev().find(|&rows| around.room(rows, look) >= LOWEST * look.panel_height);
    rows.unwrap_or(1) * figure.columns.unwrap_or(most_columns(look))
}

/// Measures a figure: with labels at the ends of its lines where they have room, else with a legend.
pub(crate) fn layout<'a>(figure: &'a Figure, look: &Look, metrics: &Metrics) -> Layout<'a> {
    at_ends(figure, look, metrics).unwrap_or_else(|| {
        let sample = look.tick * SAMPLE;
        let (entries, height) = legend(figure, look, metrics, sample);
        Layout { entries, sample, ..measured(figure, height, 0.0, look, metrics) }
    })
}

/// The figure with a label beside the end of each line: of a single frame with few lines, all of which end at its right
/// edge, apart from each other.
fn at_ends<'a>(figure: &'a Figure, look: &Look, metrics: &Metrics) -> Option<Layout<'a>> {
    if figure.ends != Ends::Hidden {
        return None;
    }
    let samples = samples(figure);
    let curve = |(_, sample): &(&str, Sample<'a>)| if let Sample::Curve(curve) = sample { Some(*curve) } else { None };
    let curves: Vec<&Curve> = samples.iter().map(curve).collect::<Option<_>>()?;
    let ([panel], 2..=MOST_ENDS) = (&figure.panels[..], curves.len()) else { return None };
    let (sample, gap) = (1.6 * look.tick, 0.5 * look.tick);
    let words = |curve: &Curve| Rich::plain(&curve.label);
    let widest = curves.iter().map(|curve| metrics.width(&words(curve), look.tick)).fold(0.0, f64::max);
    let margin = sample + 2.0 * gap + widest;
    if margin > WIDEST_ENDS * look.width {
        return None;
    }
    let layout = measured(figure, 0.0, margin, look, metrics);
    let (frame, horizontal, vertical) = (layout.frames[0], &layout.horizontals[0], &layout.verticals[panel.vertical]);
    let share = |axis: &Axis, value: f64| Some((axis.coordinate(value)? - axis.low) / (axis.high - axis.low));
    let end = |&curve: &&'a Curve| {
        let last = curve.points.last()?;
        let across = share(&horizontal.axis, last.at(panel.x) / horizontal.unit)?;
        let up = share(vertical, curve.trend.last().copied().unwrap_or(last.median))?;
        let is_at_edge = (AT_EDGE..=1.0).contains(&across) && (0.0..=1.0).contains(&up);
        is_at_edge.then_some((frame.bottom - up * (frame.bottom - frame.top), curve))
    };
    let mut ends = curves.iter().map(end).collect::<Option<Vec<_>>>()?;
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut entries: Vec<LegendEntry<'a>> = Vec::new();
    for (height, curve) in ends {
        // Nearer ones are moved down a little.
        let y = entries.last().map_or(height, |above| height.max(above.y - 0.3 * look.tick + 1.2 * look.tick));
        if y > height + 0.6 * look.tick {
            return None;
        }
        let (words, sample) = (curve.label.clone(), Sample::Curve(curve));
        entries.push(LegendEntry { x: frame.right + gap, y: y + 0.3 * look.tick, words, sample });
    }
    entries.sort_by_key(|entry| curves.iter().position(|curve| curve.label == entry.words));
    Some(Layout { entries, sample, ..layout })
}

/// The figure without its legend, which takes that height, or has that margin at the right: more where a label of a
/// horizontal axis would leave the page.
fn measured<'a>(figure: &'a Figure, legend_height: f64, margin: f64, look: &Look, metrics: &Metrics) -> Layout<'a> {
    let layout = within_margin(figure, legend_height, margin, look, metrics);
    let over = overhang(&layout, look, metrics);
    if over > 0.0 { within_margin(figure, legend_height, margin + over, look, metrics) } else { layout }
}

/// How far labels of horizontal axes lie beyond the right edge of the page.
fn overhang(layout: &Layout<'_>, look: &Look, metrics: &Metrics) -> f64 {
    let ends = layout.frames.iter().zip(&layout.horizontals).flat_map(|(frame, Horizontal { axis, .. })| {
        let scale = (frame.right - frame.left) / (axis.high - axis.low);
        axis.ticks
            .iter()
            .map(move |tick| frame.left + (tick.at - axis.low) * scale + 0.5 * metrics.width(&tick.label, look.tick))
    });
    ends.fold(layout.width, f64::max) - layout.width
}

fn within_margin<'a>(
    figure: &'a Figure,
    legend_height: f64,
    margin: f64,
    look: &Look,
    metrics: &Metrics,
) -> Layout<'a> {
    let count = figure.panels.len();
    let around = Around::new(figure, look, legend_height);
    let wanted = if count == 1 { look.single_height } else { look.panel_height };
    // Of too many rows for the page more panels stand side by side.
    let fits = |columns: &usize| around.room(count.div_ceil(*columns), look) >= LOWEST * wanted;
    let most = most_columns(look);
    let most = figure.columns.or_else(|| (look.columns..=most).find(fits)).unwrap_or(most);
    let rows = count.div_ceil(most);
    // Four panels stand two by two, not three and one.
    let columns = figure.columns.map_or(count.div_ceil(rows), |columns| columns.min(count));
    let first = upright(figure, wanted, (columns, margin), look, metrics);
    let wanted = figure.aspect.map_or(wanted, |aspect| aspect * first.frame_width);
    // Frames of many rows are lower, so that the figure fits on the page.
    let height = wanted.min(around.room(rows, look)).max(2.0 * look.tick);
    let Around { top, heading, below, .. } = around;
    let Upright { verticals, lefts, frame_width } = upright(figure, height, (columns, margin), look, metrics);
    let horizontals: Vec<Horizontal> =
        figure.panels.iter().map(|panel| horizontal(figure, panel, frame_width, look, metrics)).collect();
    let row_height = heading + height + below + look.tick * 0.6;
    let strip = ends::strip(figure, look);
    let frame = |index: usize| {
        let column = index % columns;
        let left = lefts[..=column].iter().sum::<f64>() + column as f64 * (frame_width + strip);
        let top = top + (index / columns) as f64 * row_height + heading;
        Frame { left, top, right: left + frame_width, bottom: top + height }
    };
    let frames: Vec<Frame> = (0..count).map(frame).collect();
    let label = |index: usize| {
        let left = frames[index].left - beside(&verticals[figure.panels[index].vertical], look, metrics);
        has_own_labels(figure, index, columns).then_some(left + look.label * 1.05)
    };
    let label_x = (0..count).map(label).collect();
    let total = top + rows as f64 * row_height - look.tick * 0.6;
    let (width, height, entries) = (look.width, total, Vec::new());
    Layout { width, height, entries, frames, horizontals, verticals, label_x, sample: 0.0 }
}

/// Does a panel label its vertical axis? Not where the panel to its left has the same one.
fn has_own_labels(figure: &Figure, index: usize, columns: usize) -> bool {
    index.is_multiple_of(columns) || figure.panels[index].vertical != figure.panels[index - 1].vertical
}

/// Room for the labels of a vertical axis; the hat of Ŝ is the highest letter of any label.
fn beside(vertical: &Axis, look: &Look, metrics: &Metrics) -> f64 {
    let widest = vertical.widest_label(look.tick, metrics);
    look.label * 1.35 + 1.5 * look.gap() + widest + look.gap() + look.tick_length()
}

/// The vertical axes of frames of a height, and how wide they leave the frames.
fn upright(figure: &Figure, height: f64, (columns, margin): (usize, f64), look: &Look, metrics: &Metrics) -> Upright {
    let verticals: Vec<Axis> =
        (0..figure.verticals.len()).map(|number| vertical_axis(figure, number, height, look)).collect();
    let left = |column: usize| {
        let own = (column..figure.panels.len()).step_by(columns);
        let between = if column > 0 { look.tick * 1.2 } else { 0.0 };
        let labels = own
            .filter(|&index| has_own_labels(figure, index, columns))
            .map(|index| between + beside(&verticals[figure.panels[index].vertical], look, metrics));
        labels.fold(if column > 0 { look.tick * 2.6 } else { 0.0 }, f64::max)
    };
    let lefts: Vec<f64> = (0..columns).map(left).collect();
    let right = look.tick * 1.2 + margin;
    let cell = (look.width - lefts.iter().sum::<f64>() - right) / columns as f64;
    let frame_width = cell - ends::strip(figure, look);
    Upright { verticals, lefts, frame_width }
}

/// One axis for all panels that share it, so that they can be compared.
fn vertical_axis(figure: &Figure, number: usize, height: f64, look: &Look) -> Axis {
    let own = &figure.verticals[number];
    let points = || figure.curves_over(number).flat_map(|(panel, curve)| shown(panel, curve));
    let rules = || figure.panels.iter().filter(|panel| panel.vertical == number).flat_map(|panel| &panel.rules);
    let most = (height / (look.tick * 2.4)).floor() as usize;
    let values = || {
        let points = points().flat_map(|point| [point.low, point.median, point.high]);
        points.chain(rules().map(|rule| rule.y)).chain(ends::values(figure, number))
    };
    match (&own.window, own.scale) {
        (Some(window), Scale::Linear) => Axis::linear(window.low, window.high, most, true),
        (Some(window), Scale::Log) => Axis::log(window.low, window.high, most),
        (None, Scale::Linear) => {
            let (low, high) = range(values());
            Axis::linear(low, high, most, false)
        }
        (None, Scale::Log) => {
            let (low, high) = range(values().filter(|&value| value > 0.0));
            // Nothing positive: an empty frame, and the note says why.
            if low <= high { Axis::log(low, high, most) } else { Axis::log(0.1, 1.0, most) }
        }
    }
}

/// The points of a curve that are within the limits of its panel; all of a line that passes between two of them.
fn shown<'a>(panel: &'a Panel, curve: &'a Curve) -> impl Iterator<Item = &'a CurvePoint> {
    let is_inside = |point: &CurvePoint| panel.limits_hold(point.at(panel.x));
    let passes = panel.holds(curve) && !curve.points.iter().any(is_inside);
    curve.points.iter().filter(move |point| passes || is_inside(point))
}

/// The axis up to the last value of any curve of the panels that share it, from zero or from the first value above, or
/// within the panel's limits, with as many ticks as there is room for their labels.
fn horizontal(figure: &Figure, panel: &Panel, width: f64, look: &Look, metrics: &Metrics) -> Horizontal {
    let curves = || figure.beside(panel).flat_map(|panel| &panel.curves);
    let coordinates = || curves().flat_map(|curve| &curve.points).map(|point| point.at(panel.x));
    let high = panel.limits.to.unwrap_or_else(|| coordinates().fold(0.0, f64::max));
    let (words, unit) = units::axis(panel.x, high);
    let least = coordinates().filter(|&at| at > 0.0).fold(high, f64::min);
    let low = panel.limits.from.unwrap_or(match panel.x_scale {
        Scale::Linear => 0.0,
        Scale::Log => least,
    });
    let (low, high) = match panel.x_scale {
        _ if high > 0.0 => (low / unit, high / unit),
        // Everything lies at 0.
        Scale::Linear => (0.0, 1.0),
        Scale::Log => (0.1, 1.0),
    };
    let with = |most: usize| match panel.x_scale {
        Scale::Linear => Axis::linear(low, high, most, true),
        Scale::Log => Axis::log(low, high, most),
    };
    let fits = |axis: &Axis| axis.ticks.len() > 1 && axis.has_room(width, 0.9 * look.tick, look.tick, metrics);
    let axis = (2..=7).rev().map(with).find(fits).unwrap_or_else(|| with(2));
    let label = figure.x_label.as_ref().map_or_else(|| words.clone(), |own| renamed(&words, own));
    Horizontal { axis, label: Rich::plain(&label), unit }
}

/// The legend's entries, none when there is nothing to distinguish; and the height they take.
fn legend<'a>(figure: &'a Figure, look: &Look, metrics: &Metrics, sample: f64) -> (Vec<LegendEntry<'a>>, f64) {
    let samples = samples(figure);
    if samples.len() < 2 {
        return (Vec::new(), 0.0);
    }
    let labels: Vec<&str> = samples.iter().map(|(label, _)| *label).collect();
    let (labels, positions, height) = legend_of(&labels, sample, look, metrics);
    let entry = |(((_, sample), (x, y)), words)| LegendEntry { x, y, words, sample };
    (samples.into_iter().zip(positions).zip(labels.clone()).map(entry).collect(), height)
}

/// Does a line need no entry: alone in each of its panels, which have headings, and called like their vertical axis?
fn is_explained(figure: &Figure, curve: &Curve) -> bool {
    let mut panels = figure.panels.iter().filter(|panel| panel.curves.iter().any(|own| own.label == curve.label));
    panels.all(|panel| {
        let is_axis = Quantity(&figure.vertical(panel).name).short() == curve.label;
        panel.heading.is_some() && panel.curves.len() == 1 && is_axis
    })
}

/// What is to be explained: each arm, each quantity where several share a panel, each value with a line.
fn samples(figure: &Figure) -> Vec<(&str, Sample<'_>)> {
    let mut curves = figure.legend();
    curves.retain(|curve| !is_explained(figure, curve));
    let quantities: BTreeMap<usize, &str> = figure
        .curves()
        .filter_map(|curve| curve.quantity.as_ref())
        .map(|(dash, name)| (*dash, name.as_str()))
        .collect();
    let mut rules: Vec<&str> = Vec::new();
    for rule in figure.panels.iter().flat_map(|panel| &panel.rules) {
        if !rules.contains(&rule.label.as_str()) {
            rules.push(&rule.label);
        }
    }
    // One arm needs no name beside the names of its quantities.
    let arms = if curves.len() == 1 && quantities.len() > 1 { Vec::new() } else { curves };
    let arms = arms.into_iter().map(|curve| (curve.label.as_str(), Sample::Curve(curve)));
    let quantities = quantities.into_iter().map(|(dash, name)| (name, Sample::Quantity(dash)));
    let rules = rules.into_iter().enumerate().map(|(number, label)| (label, Sample::Rule(number)));
    arms.chain(quantities).chain(rules).collect()
}

#[cfg(test)]
mod tests {
    use super::{layout, overhang};
    use crate::axes::Scale;
    use crate::curves::Curve;
    use crate::figures::figure::{Figure, Panel};
    use crate::replicates::CurvePoint;
    use crate::style::Style;
    use crate::text::Metrics;
    use fedbits_figures::Scale as Choice;
    use fedbits_figures::{AXES, XAxis};
    use proptest::prelude::*;

    /// A figure with a panel for each line of 10 points that ends at one of these values.
    fn figure(ends: &[f64]) -> Figure {
        panels(XAxis::BitsUp, ends)
    }

    fn panels(x: XAxis, ends: &[f64]) -> Figure {
        let panel = |&end: &f64| {
            let point = |k: u32| CurvePoint {
                x: [end * f64::from(k) / 9.0; AXES],
                median: 1.0,
                low: 1.0,
                high: 1.0,
                running: 1,
            };
            let points = (0..10).map(point).collect();
            let curve = Curve::new("a".to_owned(), 0, 1, points);
            Panel::new(x, &[curve])
        };
        Figure { panels: ends.iter().map(panel).collect(), ..Figure::new("a", ("a", "a"), &[], &[]) }
    }

    /// A frame with lines that rise to these values.
    fn lines(ends: &[f64]) -> Figure {
        let curve = |(index, &end): (usize, &f64)| {
            let point = |k: u32| {
                let value = end * f64::from(k) / 9.0;
                CurvePoint { x: [f64::from(k); AXES], median: value, low: value, high: value, running: 1 }
            };
            let points = (0..10).map(point).collect();
            Curve::new(format!("line {index}"), index, 1, points)
        };
        let curves: Vec<Curve> = ends.iter().enumerate().map(curve).collect();
        Figure::new("a", ("a", "a"), &[XAxis::Rounds], &curves)
    }

    /// The axis of 24 600 epochs ends at the label `25 000`, which is wider than the usual margin.
    #[test]
    fn the_last_label_stays_on_the_page() {
        let (metrics, figure) = (Metrics::new(), panels(XAxis::Epochs, &[24_600.0; 4]));
        for style in Style::ALL {
            let look = style.look();
            let layout = layout(&figure, &look, &metrics);
            assert!(overhang(&layout, &look, &metrics) <= 0.0, "{}", style.name());
            assert_eq!(layout.horizontals[0].axis.ticks.last().unwrap().at, 25_000.0, "{}", style.name());
        }
    }

    proptest! {
        /// Each of a few lines that end apart has its label beside its end; others have a legend above the frame. No
        /// two labels meet.
        #[test]
        fn lines_are_labelled_at_their_ends(ends in proptest::collection::vec(1.0f64..100.0, 2..8)) {
            let (figure, look) = (lines(&ends), Style::Neurips.look());
            let layout = layout(&figure, &look, &Metrics::new());
            prop_assert_eq!(layout.entries.len(), ends.len());
            let (frame, axis) = (layout.frames[0], &layout.verticals[0]);
            let beside = layout.entries.iter().all(|entry| entry.x > frame.right);
            let height = |value: f64| {
                frame.bottom - (value - axis.low) / (axis.high - axis.low) * (frame.bottom - frame.top)
            };
            for entry in layout.entries.iter().filter(|_| beside) {
                let super::Sample::Curve(curve) = entry.sample else { unreachable!("no other samples") };
                let end = height(curve.points[9].median);
                prop_assert!((entry.y - 0.3 * look.tick - end).abs() <= 0.6 * look.tick + 1e-9);
                let apart = |other: &&super::LegendEntry<'_>| (other.y - entry.y).abs() >= 1.15 * look.tick;
                prop_assert_eq!(layout.entries.iter().filter(apart).count(), ends.len() - 1);
            }
            prop_assert!(beside || layout.entries.iter().all(|entry| entry.y < frame.top));
            let mut sorted = ends.clone();
            sorted.sort_by(f64::total_cmp);
            let near = sorted.windows(2).any(|pair| height(pair[0]) - height(pair[1]) < 0.5 * look.tick);
            prop_assert!(!beside || ends.len() <= 5 && !near);
            prop_assert!(beside || ends.len() > 5 || sorted.windows(2).any(|pair| pair[1] - pair[0] < 12.0));
        }

        /// Panels over the same quantity share axis, scale and unit and show all of the longest line; each has its own
        /// only on request.
        #[test]
        fn panels_share_their_axis(ends in proptest::collection::vec(1.0f64..1e13, 2..6), free_x: bool) {
            let figure = Figure { free_x, ..figure(&ends) }.with_axes(Choice::Auto);
            let layout = layout(&figure, &Style::Neurips.look(), &Metrics::new());
            for (index, own) in layout.horizontals.iter().enumerate() {
                let longest = if free_x { ends[index] } else { ends.iter().copied().fold(0.0, f64::max) };
                let end = own.axis.coordinate(longest / own.unit).unwrap();
                prop_assert!(end <= own.axis.high + 1e-9 && end > own.axis.low);
                let first = &layout.horizontals[0];
                prop_assert!(free_x || own.axis == first.axis && own.unit == first.unit);
                prop_assert!(!free_x || own.axis.scale == Scale::Linear, "one line has one end");
            }
        }
    }
}
