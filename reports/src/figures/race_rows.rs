//! Draws a race: a row per arm, left how many replicates it had, right its cost beside the leader's with the bound that
//! decides.

use super::plot::{Frame, HAIRLINE, draw_axes, draw_x_labels};
use crate::axes::{Axis, range};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, Rgb};
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use plotters::prelude::Rectangle;

/// From row to row, in sizes of tick labels.
const PITCH: f64 = 1.55;
/// Above the first row, in sizes of tick labels.
const ABOVE: f64 = 0.6;
/// A bound is shown up to this many times the extent of the means away from them.
const FARTHEST: f64 = 1.0;
const PALE: Rgb = (0x8C, 0x8C, 0x8C);

/// How the race ended for an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Leads,
    Left,
    /// And why.
    Dropped(&'static str),
    /// No run of it reached the target and kept to the constraints.
    Infeasible,
    /// The row stands for several arms, some of which are dropped and some not.
    LeftOrDropped,
}

impl Ending {
    /// Is nobody of the row left?
    fn is_over(self) -> bool {
        matches!(self, Self::Dropped(_) | Self::Infeasible)
    }
}

/// An arm, or several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RaceRow {
    pub label: String,
    /// Replicates that it had.
    pub after: u64,
    pub ending: Ending,
    /// Its cost beside the leader's, and the bound that decides.
    pub mean: Option<f64>,
    pub bound: Option<f64>,
}

/// What is drawn.
pub(crate) struct RacePage<'a> {
    pub rows: &'a [RaceRow],
    /// Those that every arm could have had.
    pub replicates: u64,
    /// Whether costs are compared by ratios, or by differences.
    pub has_ratios: bool,
    /// Where the margin ends.
    pub bound: f64,
}

/// The rows that fit on a page, beside one for the rest.
pub(crate) fn most(look: &Look) -> u32 {
    let rows = (look.tallest - ABOVE * look.tick - below(look)) / (PITCH * look.tick);
    (rows as u32).saturating_sub(1).max(1)
}

/// Below the last row.
fn below(look: &Look) -> f64 {
    look.tick_length() + look.gap() + 0.95 * look.tick + 1.6 * look.label
}

/// The figure as an SVG file.
pub(crate) fn draw(page: &RacePage<'_>, look: &Look, metrics: &Metrics) -> Scene {
    let (first, rows) = (ABOVE * look.tick, page.rows.len() as f64);
    let bottom = first + PITCH * look.tick * rows;
    let mut canvas = Canvas::new(look.width, bottom + below(look));
    let labels: Vec<&str> = page.rows.iter().map(|row| row.label.as_str()).collect();
    let labels = fitted(&labels, 0.34 * look.width, look.tick, metrics);
    let width = |text: &str| metrics.width(&Rich::plain(text), look.tick);
    let left = labels.iter().map(|label| width(label)).fold(0.0, f64::max) + 1.3 * look.tick;
    let right = look.width - width("infeasible") - 1.1 * look.tick;
    let (gap, room) = (2.2 * look.tick, right - left);
    let middle = left + 0.32 * (room - gap);
    let places: Vec<f64> = (0..page.rows.len()).map(|row| first + PITCH * look.tick * (row as f64 + 0.5)).collect();
    for ((row, label), middle) in page.rows.iter().zip(&labels).zip(&places) {
        let words = match row.ending {
            Ending::Leads => "leads",
            Ending::Left => "left",
            Ending::Dropped(why) => why,
            Ending::Infeasible => "infeasible",
            Ending::LeftOrDropped => "some left",
        };
        let baseline = middle + 0.33 * look.tick;
        canvas.text(&Rich::plain(label), (0.3 * look.tick, baseline), look.tick, Anchor::Start);
        canvas.text(&Rich::plain(words), (right + 0.8 * look.tick, baseline), look.tick, Anchor::Start);
    }
    draw_lives(&mut canvas, page, Frame { left, top: first, right: middle, bottom }, (&places, look, metrics));
    let frame = Frame { left: middle + gap, top: first, right, bottom };
    draw_costs(&mut canvas, page, frame, (&places, look, metrics));
    canvas.finish()
}

/// How many replicates each arm had.
fn draw_lives(
    canvas: &mut Canvas,
    page: &RacePage<'_>,
    frame: Frame,
    (places, look, metrics): (&[f64], &Look, &Metrics),
) {
    let most = page.replicates as f64;
    let of = |ticks: usize| {
        let mut axis = Axis::linear(0.0, most, ticks, true);
        axis.ticks.retain(|tick| tick.at.fract() == 0.0);
        axis.minor.retain(|at| at.fract() == 0.0);
        axis
    };
    let axis = fitting(of, frame, look, metrics);
    let at = |value: f64| units(across(&axis, frame, value));
    canvas.layer(Layer::new("lives"), |area| {
        for (row, &middle) in page.rows.iter().zip(places) {
            let color = if row.ending.is_over() { PALE } else { BLACK };
            let (half, end) = (units(0.3 * look.tick), at(row.after as f64));
            let corners = [(at(0.0), units(middle) - half), (end, units(middle) + half)];
            area.draw(&Rectangle::new(corners, fill(color, 1.0)));
        }
    });
    finish(canvas, &axis, frame, "replicates", (look, metrics));
}

/// The cost of each arm beside the leader's, with the bound that decides.
fn draw_costs(
    canvas: &mut Canvas,
    page: &RacePage<'_>,
    frame: Frame,
    (places, look, metrics): (&[f64], &Look, &Metrics),
) {
    let (low, high) = limits(page);
    let of = |ticks: usize| match page.has_ratios {
        true => Axis::log(low, high, ticks),
        false => Axis::linear(low, high, ticks, false),
    };
    let axis = fitting(of, frame, look, metrics);
    let at = |value: f64| units(across(&axis, frame, value));
    let (top, bottom) = (units(frame.top), units(frame.bottom));
    let equal = if page.has_ratios { 1.0 } else { 0.0 };
    canvas.layer(Layer::new("reference"), |area| {
        area.path(vec![(at(equal), top), (at(equal), bottom)], stroke(0.7 * look.line, PALE));
    });
    canvas.layer(Layer::new("reference").dashed(crate::style::dashes(&[3.0, 2.0], look)), |area| {
        area.path(vec![(at(page.bound), top), (at(page.bound), bottom)], stroke(0.7 * look.line, PALE));
    });
    canvas.layer(Layer::new("intervals"), |area| {
        for (row, &middle) in page.rows.iter().zip(places) {
            if let Some(mean) = row.mean {
                let bound = row.bound.map(|bound| (at(bound.clamp(low, high)), !(low..=high).contains(&bound)));
                draw_cost(area, (at(mean), bound), units(middle), look);
            }
        }
    });
    finish(
        canvas,
        &axis,
        frame,
        if page.has_ratios { "ratio to the leader" } else { "difference to the leader" },
        (look, metrics),
    );
}

/// What the axis shows: all means, and bounds that are not far from them.
fn limits(page: &RacePage<'_>) -> (f64, f64) {
    let scaled = |value: f64| if page.has_ratios { libm::log(value) } else { value };
    let back = |value: f64| if page.has_ratios { libm::exp(value) } else { value };
    let equal = if page.has_ratios { 1.0 } else { 0.0 };
    let means = page.rows.iter().filter_map(|row| row.mean).chain([equal, page.bound]).map(scaled);
    let (low, high) = range(means);
    let far = FARTHEST * (high - low).max(f64::MIN_POSITIVE);
    let bounds = page.rows.iter().filter_map(|row| row.bound).map(scaled);
    let (least, most) = range(bounds.map(|bound| bound.clamp(low - far, high + far)).chain([low, high]));
    (back(least), back(most))
}

/// With as many ticks as there is room for.
fn fitting(of: impl Fn(usize) -> Axis, frame: Frame, look: &Look, metrics: &Metrics) -> Axis {
    let fits = |axis: &Axis| axis.has_room(frame.right - frame.left, 0.8 * look.tick, look.tick, metrics);
    (1..=6).rev().map(&of).find(fits).unwrap_or_else(|| of(1))
}

/// Where a value stands; one without a coordinate stands at the low end.
fn across(axis: &Axis, frame: Frame, value: f64) -> f64 {
    let coordinate = axis.coordinate(value).unwrap_or(axis.low).clamp(axis.low, axis.high);
    frame.left + (coordinate - axis.low) / (axis.high - axis.low) * (frame.right - frame.left)
}

/// A square at the mean, a line to the bound, and there a stroke, or an arrowhead where it lies beyond the axis.
fn draw_cost(area: &Area, (mean, bound): (i32, Option<(i32, bool)>), middle: i32, look: &Look) {
    let (line, half) = (stroke(0.8 * look.line, BLACK), units(1.6 * look.line));
    if let Some((end, is_cut)) = bound {
        area.path(vec![(mean, middle), (end, middle)], line);
        let back = if is_cut { end + (mean - end).signum() * units(2.2 * look.line) } else { end };
        area.path(vec![(back, middle - half), (end, middle), (back, middle + half)], line);
    }
    area.draw(&Rectangle::new([(mean - half, middle - half), (mean + half, middle + half)], fill(BLACK, 1.0)));
}

/// The axis below a frame and what it counts.
fn finish(canvas: &mut Canvas, axis: &Axis, frame: Frame, words: &str, (look, metrics): (&Look, &Metrics)) {
    let scale = (frame.right - frame.left) / (axis.high - axis.low);
    let at = |(value, _): (f64, f64)| (units(frame.left + (value - axis.low) * scale), 0);
    let ground = [(frame.left, frame.bottom), (frame.right, frame.bottom)];
    draw_axes(canvas, &ground, (axis, &Axis::bare()), &at, (HAIRLINE, look));
    draw_x_labels(canvas, frame, axis, &|value| at((value, 0.0)).0, look);
    let words = fitted(&[words], frame.right - frame.left + 4.0 * look.tick, look.label, metrics).concat();
    let baseline = look.tick_baseline(frame.bottom) + 1.3 * look.label;
    canvas.text(&Rich::plain(&words), (frame.middle().0, baseline), look.label, Anchor::Middle);
}
