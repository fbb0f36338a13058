//! Where things stand on the page, in points: legend, frames, axes. Everything is measured, so nothing overlaps.

use super::figure::{Figure, Panel};
use super::plot::Frame;
use super::units::bit_unit;
use crate::axes::{Axis, Scale, range};
use crate::curves::Curve;
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use crate::x_axis::XAxis;

/// A legend entry: left end of its sample, baseline, words, curve.
pub(crate) struct LegendEntry<'a> {
    pub x: f64,
    pub y: f64,
    pub words: String,
    pub curve: &'a Curve,
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
    pub vertical: Axis,
    /// Panels side by side.
    pub columns: usize,
    /// Baseline of the vertical label.
    pub label_x: f64,
    /// Length of a legend's sample line.
    pub sample: f64,
}

/// A frame among many rows keeps this share of its height.
const LOWEST: f64 = 0.4;

/// Measures a figure.
pub(crate) fn layout<'a>(figure: &'a Figure, look: &Look, metrics: &Metrics) -> Layout<'a> {
    let rows = figure.panels.len().div_ceil(look.columns);
    // Four panels stand two by two, not three and one.
    let columns = figure.panels.len().div_ceil(rows);
    let sample = look.tick * 3.2;
    let (entries, legend_height) = legend(figure, look, metrics, sample);
    let heading = if figure.panels.iter().any(|panel| panel.heading.is_some()) { look.tick * 1.5 } else { 0.0 };
    let below = look.tick_length() + look.gap() + look.tick * 0.95 + look.label * 1.35;
    let top = legend_height + look.tick * 0.6;
    let wanted = if figure.panels.len() == 1 { look.single_height } else { look.panel_height };
    // Frames of many rows are lower, so that the figure fits on the page.
    let room = (look.tallest - top + look.tick * 0.6) / rows as f64 - heading - below - look.tick * 0.6;
    let height = wanted.min(room).max(LOWEST * wanted);
    let vertical = vertical_axis(figure, height, look);
    let widest = vertical.widest_label(look.tick, metrics);
    // Room for the hat of Ŝ, the highest letter of any label.
    let label_x = look.label * 1.05;
    let left = label_x + look.label * 0.3 + 1.5 * look.gap() + widest + look.gap() + look.tick_length();
    let between = look.tick * 2.6;
    let right = look.tick * 1.2;
    let frame_width = (look.width - left - right - between * (columns - 1) as f64) / columns as f64;
    let horizontals: Vec<Horizontal> =
        figure.panels.iter().map(|panel| horizontal(figure, panel, frame_width, look, metrics)).collect();
    let row_height = heading + height + below + look.tick * 0.6;
    let frames = (0..figure.panels.len()).map(|index| {
        let left = left + (index % columns) as f64 * (frame_width + between);
        let top = top + (index / columns) as f64 * row_height + heading;
        Frame { left, top, right: left + frame_width, bottom: top + height }
    });
    let frames = frames.collect();
    let total = top + rows as f64 * row_height - look.tick * 0.6;
    Layout { width: look.width, height: total, entries, frames, horizontals, vertical, columns, label_x, sample }
}

/// One axis for all panels, so that they can be compared.
fn vertical_axis(figure: &Figure, height: f64, look: &Look) -> Axis {
    let points = || figure.curves().flat_map(|curve| &curve.points);
    let most = (height / (look.tick * 2.4)).floor() as usize;
    match (&figure.window, figure.y_scale) {
        (Some(window), _) => Axis::linear(window.low, window.high, most, true),
        (None, Scale::Linear) => {
            let (low, high) = range(points().flat_map(|point| [point.low, point.high]));
            Axis::linear(low, high, most, false)
        }
        (None, Scale::Log) => {
            let all = points().flat_map(|point| [point.low, point.median, point.high]);
            let (low, high) = range(all.filter(|&value| value > 0.0));
            // Nothing positive: an empty frame, and the note says why.
            if low <= high { Axis::log(low, high, most) } else { Axis::log(0.1, 1.0, most) }
        }
    }
}

/// The axis up to the last value of any curve of the panels that share it, from zero or from the first value above,
/// with as many ticks as there is room for their labels.
fn horizontal(figure: &Figure, panel: &Panel, width: f64, look: &Look, metrics: &Metrics) -> Horizontal {
    let curves = || figure.beside(panel).flat_map(|panel| &panel.curves);
    let coordinates = || curves().flat_map(|curve| &curve.points).map(|point| point.at(panel.x));
    let high = coordinates().fold(0.0, f64::max);
    let (label, unit) = unit(panel.x, high);
    let low = coordinates().filter(|&at| at > 0.0).fold(high, f64::min);
    let (low, high) = if high > 0.0 { (low / unit, high / unit) } else { (0.1, 1.0) };
    let with = |most: usize| match panel.x_scale {
        Scale::Linear => Axis::linear(0.0, high, most, true),
        Scale::Log => Axis::log(low, high, most),
    };
    let fits = |axis: &Axis| axis.ticks.len() > 1 && axis.has_room(width, 0.9 * look.tick, look.tick, metrics);
    let axis = (2..=7).rev().map(with).find(fits).unwrap_or_else(|| with(2));
    Horizontal { axis, label, unit }
}

/// The axis label and its unit for values up to `high`.
fn unit(x: XAxis, high: f64) -> (Rich, f64) {
    let bits = bit_unit(high);
    let times = [(7200.0, "h"), (1.0, "s"), (1e-3, "ms"), (1e-6, "\u{b5}s")];
    let time = times.into_iter().find(|&(size, _)| high >= size).map_or((1e-9, "ns"), |(size, name)| match name {
        "h" => (3600.0, name),
        _ => (size, name),
    });
    let energies = [(1e6, "MJ"), (1e3, "kJ"), (1.0, "J")];
    let energy = energies.into_iter().find(|&(size, _)| high >= size).unwrap_or((1e-3, "mJ"));
    let (text, unit) = match x {
        XAxis::Rounds => ("rounds".to_owned(), 1.0),
        XAxis::Epochs => ("epochs".to_owned(), 1.0),
        XAxis::BitsUp => (format!("bits sent, uplink ({})", bits.1), bits.0),
        XAxis::BitsTotal => (format!("bits sent, total ({})", bits.1), bits.0),
        XAxis::Time => (format!("simulated time ({})", time.1), time.0),
        XAxis::Energy => (format!("energy ({})", energy.1), energy.0),
        XAxis::Epsilon => ("privacy loss \u{3b5}".to_owned(), 1.0),
    };
    (Rich::plain(&text), unit)
}

/// The legend's entries, none when there is nothing to distinguish; and the height they take.
fn legend<'a>(figure: &'a Figure, look: &Look, metrics: &Metrics, sample: f64) -> (Vec<LegendEntry<'a>>, f64) {
    let curves = figure.legend();
    if curves.len() < 2 {
        return (Vec::new(), 0.0);
    }
    let labels: Vec<&str> = curves.iter().map(|curve| curve.label.as_str()).collect();
    let labels = fitted(&labels, look.width - sample - 2.0 * look.tick, look.tick, metrics);
    let words: Vec<&str> = labels.iter().map(String::as_str).collect();
    let (positions, height) = legend_rows(&words, sample, look, metrics);
    let entry = |((curve, (x, y)), words)| LegendEntry { x, y, words, curve };
    (curves.into_iter().zip(positions).zip(labels.clone()).map(entry).collect(), height)
}

/// Left end and baseline of each entry, in centred rows at the top, and the height of all rows. An entry is a sample of
/// that width and its label.
pub(crate) fn legend_rows(labels: &[&str], sample: f64, look: &Look, metrics: &Metrics) -> (Vec<(f64, f64)>, f64) {
    let gap = look.tick * 1.6;
    let width = |label: &str| sample + look.tick * 0.5 + metrics.width(&Rich::plain(label), look.tick);
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for label in labels {
        match rows.last_mut() {
            Some((row, used)) if *used + gap + width(label) <= look.width - look.tick => {
                row.push(width(label));
                *used += gap + width(label);
            }
            _ => rows.push((vec![width(label)], width(label))),
        }
    }
    let line = look.tick * 1.35;
    let height = rows.len() as f64 * line;
    let mut positions = Vec::new();
    for (index, (row, used)) in rows.into_iter().enumerate() {
        let mut x = ((look.width - used) / 2.0).max(0.0);
        for width in row {
            positions.push((x, index as f64 * line + look.tick));
            x += width + gap;
        }
    }
    (positions, height)
}

#[cfg(test)]
mod tests {
    use super::layout;
    use crate::axes::Scale;
    use crate::curves::Curve;
    use crate::figures::figure::{Figure, Panel};
    use crate::options::XScale;
    use crate::replicates::CurvePoint;
    use crate::style::Style;
    use crate::text::Metrics;
    use crate::x_axis::{AXES, XAxis};
    use proptest::prelude::*;

    /// A figure with a panel for each line of 10 points that ends at one of these values.
    fn figure(ends: &[f64]) -> Figure {
        let panel = |&end: &f64| {
            let point = |k: u32| CurvePoint {
                x: [end * f64::from(k) / 9.0; AXES],
                median: 1.0,
                low: 1.0,
                high: 1.0,
                running: 1,
            };
            let points = (0..10).map(point).collect();
            let curve = Curve { label: "a".to_owned(), style: 0, replicates: 1, points, trend: Vec::new() };
            Panel::new(XAxis::BitsUp, &[curve])
        };
        Figure { panels: ends.iter().map(panel).collect(), ..Figure::default() }
    }

    proptest! {
        /// Panels over the same quantity share axis, scale and unit and show all of the longest line; each has its own
        /// only on request.
        #[test]
        fn panels_share_their_axis(ends in proptest::collection::vec(1.0f64..1e13, 2..6), free_x: bool) {
            let figure = figure(&ends).with_axes(XScale::Auto, free_x);
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
