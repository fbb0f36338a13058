//! Draws a forest plot: a row per arm, a panel per cost with a logarithmic axis and a line at 1, and right of them how
//! many pairs and runs the ratios are made of.

use super::plot::{Frame, HAIRLINE, draw_axes, draw_x_labels};
use crate::axes::{Axis, range};
use crate::compare::{ConfidenceInterval, reached_in_short};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, Rgb, WHITE};
use crate::style::Look;
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use plotters::prelude::Rectangle;
use std::ops::Range;

/// From row to row, in sizes of tick labels; the least where many rows are to fit on a page.
const PITCH: f64 = 1.75;
const LEAST_PITCH: f64 = 1.3;
/// Width that a panel has at least, in sizes of tick labels.
const NARROWEST: f64 = 7.0;
/// Intervals are shown up to this many times the largest, and down to this part of the least ratio.
const FARTHEST: f64 = 4.0;
const PALE: Rgb = (0x80, 0x80, 0x80);

/// An arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForestRow {
    /// What it shares with the rows before or after it.
    pub group: Option<String>,
    pub label: String,
    /// Its full name.
    pub name: String,
    pub reached: usize,
    /// Runs with a degenerate fit.
    pub degenerate: usize,
    pub of: usize,
    /// By cost.
    pub ratios: Vec<Ratio>,
}

impl ForestRow {
    /// The ratio of the first cost; infinite where there is none.
    pub(crate) fn first(&self) -> f64 {
        match self.ratios.first() {
            Some(Ratio::Interval { ratio, .. }) => ratio.mean,
            Some(Ratio::Baseline) => 1.0,
            _ => f64::INFINITY,
        }
    }
}

/// An arm divided by the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ratio {
    /// It is the baseline.
    Baseline,
    /// The mean with its interval, over so many pairs of so many.
    Interval { ratio: ConfidenceInterval, pairs: usize, of: usize },
    /// There is none, and why.
    None(&'static str),
}

/// What is drawn.
pub(crate) struct ForestPage<'a> {
    /// By cost.
    pub headings: Vec<&'a str>,
    pub rows: &'a [ForestRow],
    /// Those of all pages, which share their axes.
    pub all: &'a [ForestRow],
    /// What groups and labels are levels of.
    pub axes: &'a str,
    pub baseline: &'a str,
    /// Whether runs get to a target or not.
    pub has_target: bool,
}

/// Where everything stands, in points.
struct Measured {
    labels: Vec<String>,
    /// Left end and width of the panels of a block of rows.
    panels: Vec<(f64, f64)>,
    pitch: f64,
    /// Lines of a block: rows, and headings of groups.
    lines: usize,
    /// From a block's top to its first line, and from its last to its end.
    above: f64,
    below: f64,
    /// Right ends of the columns of pairs and of k/n.
    counts: (f64, f64),
}

/// The rows of each page: as few pages as hold all, with about equally many rows.
pub(crate) fn pages(page: &ForestPage<'_>, look: &Look, metrics: &Metrics) -> Vec<Range<usize>> {
    let count = page.rows.len();
    let fits = |pages: usize| {
        let each = count.div_ceil(pages);
        let starts = (0..count).step_by(each.max(1));
        let mut rows = starts.map(|start| &page.rows[start..count.min(start + each)]);
        rows.all(|rows| {
            height(&measure(&ForestPage { rows, headings: page.headings.clone(), ..*page }, look, metrics), page)
                <= look.tallest
        })
    };
    let pages = (1..=count).find(|&pages| fits(pages)).unwrap_or(count.max(1));
    let each = count.div_ceil(pages).max(1);
    (0..count).step_by(each).map(|start| start..count.min(start + each)).collect()
}

/// Whether an interval goes on beyond the axis.
pub(crate) fn is_cut(page: &ForestPage<'_>) -> bool {
    let cut = |cost: usize| {
        let (least, most) = limits(page, cost);
        let beyond = |row: &ForestRow| match row.ratios[cost] {
            Ratio::Interval { ratio, .. } => {
                ratio.low.is_some_and(|low| low < least) || ratio.high.is_some_and(|high| high > most)
            }
            _ => false,
        };
        page.rows.iter().any(beyond)
    };
    (0..page.headings.len()).any(cut)
}

/// The figure as an SVG file.
pub(crate) fn draw(page: &ForestPage<'_>, look: &Look, metrics: &Metrics) -> Scene {
    let measured = measure(page, look, metrics);
    let mut canvas = Canvas::new(look.width, height(&measured, page));
    let block = measured.above + measured.pitch * measured.lines as f64 + measured.below;
    let costs: Vec<usize> = (0..page.headings.len()).collect();
    for (number, costs) in costs.chunks(measured.panels.len()).enumerate() {
        let top = block * number as f64;
        draw_block(&mut canvas, page, &measured, (costs, top), (look, metrics));
    }
    canvas.finish()
}

fn height(measured: &Measured, page: &ForestPage<'_>) -> f64 {
    let blocks = page.headings.len().div_ceil(measured.panels.len());
    (measured.above + measured.pitch * measured.lines as f64 + measured.below) * blocks as f64
}

fn measure(page: &ForestPage<'_>, look: &Look, metrics: &Metrics) -> Measured {
    let labels: Vec<&str> = page.all.iter().map(|row| row.label.as_str()).collect();
    let width = |text: &str| metrics.width(&Rich::plain(text), look.tick);
    let shown = page.rows.iter().map(|row| row.label.as_str());
    let indent = if page.rows.iter().any(|row| row.group.is_some()) { look.tick } else { 0.0 };
    let most = 0.38 * look.width - indent;
    let cut = fitted(&labels, most, look.tick, metrics);
    let start = page.all.iter().position(|row| page.rows.first().is_some_and(|own| own.name == row.name)).unwrap_or(0);
    let labels = cut[start..start + page.rows.len()].to_vec();
    let widest = shown.zip(&labels).map(|(_, label)| width(label)).fold(0.0, f64::max);
    let groups =
        page.all.iter().filter_map(|row| row.group.as_deref()).chain([page.axes]).map(width).fold(0.0, f64::max);
    let left = 0.3 * look.tick + (indent + widest).max(groups.min(most)) + look.tick;
    let right = look.width - 0.3 * look.tick;
    let pairs = width("pairs").max(width("00"));
    let reached = if page.has_target { counts_width(page, &width) + 0.9 * look.tick } else { 0.0 };
    let room = right - reached - pairs - 0.8 * look.tick - left;
    let mut gap = 1.2 * look.tick;
    let fit = (((room + gap) / (NARROWEST * look.tick + gap)) as usize).clamp(1, page.headings.len().max(1));
    // As many side by side in each block.
    let across = page.headings.len().div_ceil(page.headings.len().div_ceil(fit).max(1)).max(1);
    let panel = |gap: f64| (room - gap * (across - 1) as f64) / across as f64;
    // Labels at the ends of an axis leave those of the next one room.
    let label = |cost| axis(page, cost, panel(gap), look, metrics).widest_label(look.tick, metrics);
    gap = (0..page.headings.len()).map(label).map(|widest| widest + 0.4 * look.tick).fold(gap, f64::max);
    let panel = panel(gap);
    let headings = page.rows.iter().zip([None].into_iter().chain(page.rows.iter().map(|row| row.group.as_ref())));
    let lines = page.rows.len() + headings.filter(|(row, before)| row.group.as_ref() != *before).count();
    let above = 2.4 * look.tick;
    let below = look.tick_length() + look.gap() + 0.95 * look.tick + 1.6 * look.label + 0.4 * look.tick;
    let blocks = page.headings.len().div_ceil(across).max(1) as f64;
    let free = (look.tallest / blocks - above - below) / lines.max(1) as f64;
    let pitch = look.tick * (free / look.tick).clamp(LEAST_PITCH, PITCH);
    Measured {
        labels,
        panels: (0..across).map(|number| (left + (panel + gap) * number as f64, panel)).collect(),
        pitch,
        lines,
        above,
        below,
        counts: (right - reached, right),
    }
}

/// The least and the most that an axis shows.
fn limits(page: &ForestPage<'_>, cost: usize) -> (f64, f64) {
    let ratios = || {
        page.all.iter().filter_map(move |row| match row.ratios[cost] {
            Ratio::Interval { ratio, .. } => Some(ratio),
            _ => None,
        })
    };
    let (least, most) = range(ratios().map(|ratio| ratio.mean).chain([1.0]));
    let ends = ratios().flat_map(|ratio| [ratio.low, ratio.high]).flatten().chain([least, most]);
    let (low, high) = range(ends);
    (low.max(least / FARTHEST), high.min(most * FARTHEST))
}

/// The axis of a cost, so many points long, with as many labels as there is room for.
fn axis(page: &ForestPage<'_>, cost: usize, width: f64, look: &Look, metrics: &Metrics) -> Axis {
    let (least, most) = limits(page, cost);
    let log = |most_ticks: usize| Axis::log(least, most, most_ticks);
    let fits = |axis: &Axis| axis.has_room(width, 0.8 * look.tick, look.tick, metrics);
    (1..=6).rev().map(log).find(fits).unwrap_or_else(|| log(1))
}

/// The rows, with the panels of some costs.
fn draw_block(
    canvas: &mut Canvas,
    page: &ForestPage<'_>,
    measured: &Measured,
    (costs, top): (&[usize], f64),
    (look, metrics): (&Look, &Metrics),
) {
    let (first, bottom) = (top + measured.above, top + measured.above + measured.pitch * measured.lines as f64);
    let mut places = Vec::new();
    let (mut middle, mut group) = (first + 0.5 * measured.pitch, None);
    let heading = 0.3 * look.tick;
    let indent = if page.rows.iter().any(|row| row.group.is_some()) { look.tick } else { 0.0 };
    let above = top + 1.3 * look.tick;
    let beside = |middle: f64| middle + 0.33 * look.tick;
    let room = measured.panels[0].0 - 1.1 * look.tick;
    let axes = fitted(&[page.axes], room, look.tick, metrics).concat();
    canvas.text(&Rich::plain(&axes), (heading, above), look.tick, Anchor::Start);
    canvas.text(&Rich::plain("pairs"), (measured.counts.0, above), look.tick, Anchor::End);
    if page.has_target {
        canvas.text(&Rich::plain("k/n"), (measured.counts.1, above), look.tick, Anchor::End);
    }
    for (row, label) in page.rows.iter().zip(&measured.labels) {
        if row.group != group {
            let words = row.group.as_deref().unwrap_or_default();
            let words = fitted(&[words], room, look.tick, metrics).concat();
            canvas.text(&Rich::plain(&words), (heading, beside(middle)), look.tick, Anchor::Start);
            middle += measured.pitch;
            group.clone_from(&row.group);
        }
        canvas.text(&Rich::plain(label), (heading + indent, beside(middle)), look.tick, Anchor::Start);
        let pairs = costs.iter().find_map(|&cost| match row.ratios[cost] {
            Ratio::Interval { pairs, .. } => Some(pairs.to_string()),
            _ => None,
        });
        let pairs = Rich::plain(pairs.as_deref().unwrap_or("–"));
        canvas.text(&pairs, (measured.counts.0, beside(middle)), look.tick, Anchor::End);
        if page.has_target {
            let reached = Rich::plain(&reached_in_short(row.reached, row.of, row.degenerate));
            canvas.text(&reached, (measured.counts.1, beside(middle)), look.tick, Anchor::End);
        }
        places.push(middle);
        middle += measured.pitch;
    }
    for (&cost, &(left, width)) in costs.iter().zip(&measured.panels) {
        let frame = Frame { left, top: first, right: left + width, bottom };
        let words = fitted(&[page.headings[cost]], width + 0.8 * look.tick, look.tick, metrics).concat();
        canvas.text(&Rich::plain(&words), (frame.middle().0, above), look.tick, Anchor::Middle);
        draw_panel(canvas, page, cost, frame, (&places, look, metrics));
    }
    let (first, last) = (measured.panels[0], measured.panels[costs.len() - 1]);
    let words = format!("ratio to {}", page.baseline);
    let words = fitted(&[&words], look.width - first.0 - look.tick, look.label, metrics).concat();
    let half = 0.5 * metrics.width(&Rich::plain(&words), look.label);
    let across = (0.5 * (first.0 + last.0 + last.1)).min(look.width - half - 0.3 * look.tick);
    let below = look.tick_baseline(bottom) + 1.3 * look.label;
    canvas.text(&Rich::plain(&words), (across, below), look.label, Anchor::Middle);
}

/// Width of the column of k/n.
fn counts_width(page: &ForestPage<'_>, width: &dyn Fn(&str) -> f64) -> f64 {
    let degenerate = page.all.iter().filter(|row| row.degenerate > 0);
    let counts = degenerate.map(|row| width(&reached_in_short(row.reached, row.of, row.degenerate)));
    counts.fold(width("k/n").max(width("00/00")), f64::max)
}

/// The ratios of one cost, in rows with these middles.
fn draw_panel(
    canvas: &mut Canvas,
    page: &ForestPage<'_>,
    cost: usize,
    frame: Frame,
    (places, look, metrics): (&[f64], &Look, &Metrics),
) {
    let Frame { left, top, right, bottom } = frame;
    let (least, most) = limits(page, cost);
    let width = right - left;
    let axis = axis(page, cost, width, look, metrics);
    let at = |value: f64| {
        let coordinate = axis.coordinate(value).unwrap_or(axis.low).clamp(axis.low, axis.high);
        left + (coordinate - axis.low) / (axis.high - axis.low) * width
    };
    canvas.layer(Layer::new("reference"), |area| {
        let across = units(at(1.0));
        area.path(vec![(across, units(top)), (across, units(bottom))], stroke(0.7 * look.line, PALE));
    });
    canvas.layer(Layer::new("intervals"), |area| {
        for (row, &middle) in page.rows.iter().zip(places) {
            if let Ratio::Interval { ratio, .. } = row.ratios[cost] {
                draw_interval(area, &ratio, (least, most), &|value| (units(at(value)), units(middle)), look);
            }
        }
    });
    for (row, &middle) in page.rows.iter().zip(places) {
        let words = match row.ratios[cost] {
            Ratio::Baseline => "baseline",
            Ratio::None(why) => why,
            Ratio::Interval { .. } => continue,
        };
        draw_words(canvas, words, (at(1.0), middle), (left, right), (look, metrics));
    }
    let ground = [(left, bottom), (right, bottom)];
    let across = |(value, _): (f64, f64)| (units(left + (value - axis.low) / (axis.high - axis.low) * width), 0);
    draw_axes(canvas, &ground, (&axis, &Axis::bare()), &across, (HAIRLINE, look));
    draw_x_labels(canvas, frame, &axis, &|value| across((value, 0.0)).0, look);
}

/// A ratio with its interval, up to the limits of the axis; a cross without one.
fn draw_interval(
    area: &Area,
    ratio: &ConfidenceInterval,
    (least, most): (f64, f64),
    at: &dyn Fn(f64) -> (i32, i32),
    look: &Look,
) {
    let line = stroke(0.8 * look.line, BLACK);
    let (middle, half) = (at(ratio.mean), units(1.7 * look.line));
    if ratio.low.or(ratio.high).is_none() {
        for rise in [half, -half] {
            area.path(vec![(middle.0 - half, middle.1 - rise), (middle.0 + half, middle.1 + rise)], line);
        }
        return;
    }
    let ends = [ratio.low.map(|low| (low.max(least), low < least, 1)), ratio.high.map(|h| (h.min(most), h > most, -1))];
    for (end, is_cut, inwards) in ends.into_iter().flatten() {
        let tip = at(end);
        area.path(vec![middle, tip], line);
        if is_cut {
            let back = tip.0 + inwards * units(2.2 * look.line);
            area.path(vec![(back, tip.1 - half), tip, (back, tip.1 + half)], line);
        }
    }
    let square = |half: i32| [(middle.0 - half, middle.1 - half), (middle.0 + half, middle.1 + half)];
    area.draw(&Rectangle::new(square(half), fill(BLACK, 1.0)));
    if !ratio.low.zip(ratio.high).is_some_and(|(low, high)| low > 1.0 || high < 1.0) {
        area.draw(&Rectangle::new(square(half - units(0.7 * look.line)), fill(WHITE, 1.0)));
    }
}

/// Words around a position, moved into the frame, on paper of their own, so that no line goes through them.
fn draw_words(
    canvas: &mut Canvas,
    words: &str,
    (across, middle): (f64, f64),
    (left, right): (f64, f64),
    (look, metrics): (&Look, &Metrics),
) {
    let size = 0.85 * look.tick;
    let words = Rich::plain(&fitted(&[words], right - left - 0.4 * look.tick, size, metrics).concat());
    let half = 0.5 * metrics.width(&words, size) + 0.2 * look.tick;
    let across = across.max(left + half).min(right - half);
    canvas.layer(Layer::new("paper"), |area| {
        let corner = |sign: f64| (units(across + sign * half), units(middle + sign * 0.4 * look.tick));
        area.draw(&Rectangle::new([corner(-1.0), corner(1.0)], fill(WHITE, 1.0)));
    });
    canvas.colored_text(&words, (across, middle + 0.28 * look.tick), size, Anchor::Middle, (0x50, 0x50, 0x50));
}
