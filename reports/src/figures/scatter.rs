//! Draws points in panels that each have their own axes: filled and hollow markers, quartiles as crosses, the line
//! under which nothing lies. It must not know what is measured.

use super::layout::{Frame, legend_rows};
use super::marks::{draw_hollow, draw_marker};
use super::panels::{HAIRLINE, path, stroke};
use crate::axes::{Axis, Scale, scale};
use crate::options::XScale;
use crate::style::{self, LineStyle};
use crate::svg::{Anchor, Area, Canvas, UNITS_PER_POINT, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;

/// Points without a style of their own.
const OTHERS: (u8, u8, u8) = (0x9A, 0x9A, 0x9A);
const BOUND: (u8, u8, u8) = (0xB4, 0xB4, 0xB4);
/// Distance of markers that stand side by side, in thicknesses of a line.
const MARKER: f64 = 5.2;

/// A figure of points.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scatter {
    pub name: String,
    /// Scale of the horizontal axes.
    pub x_scale: XScale,
    pub panels: Vec<Panel>,
    pub entries: Vec<Entry>,
    /// The table behind it.
    pub rows: String,
}

/// One frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub x: String,
    pub y: String,
    pub dots: Vec<Dot>,
}

/// One point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dot {
    pub x: Measured,
    pub y: Measured,
    pub look: Look,
    /// Filled.
    pub of_front: bool,
}

/// What tells a point from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Colour and marker.
    Style(usize),
    /// A number beside a grey marker.
    Number(usize),
}

impl Look {
    fn color(self) -> (u8, u8, u8) {
        match self {
            Self::Style(style) => LineStyle::of(style).color,
            Self::Number(_) => OTHERS,
        }
    }
}

/// A median with its quartiles, in the unit of its axis; `None` where the upper one is beyond everything that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub median: f64,
    pub low: f64,
    pub high: Option<f64>,
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub look: Look,
    pub words: String,
}

/// A frame with its axes.
struct Plot {
    frame: Frame,
    x: Axis,
    y: Axis,
    /// Baseline of the upward label.
    label_x: f64,
    /// Middle of the horizontal label.
    middle: f64,
}

impl Plot {
    fn across(&self, value: f64) -> f64 {
        let at = self.x.place(value).unwrap_or(self.x.low);
        self.frame.left + (at - self.x.low) / (self.x.high - self.x.low) * (self.frame.right - self.frame.left)
    }

    fn upwards(&self, value: f64) -> f64 {
        let at = self.y.place(value).unwrap_or(self.y.low);
        self.frame.bottom - (at - self.y.low) / (self.y.high - self.y.low) * (self.frame.bottom - self.frame.top)
    }

    fn at(&self, x: f64, y: f64) -> (i32, i32) {
        (units(self.across(x)), units(self.upwards(y)))
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(scatter: &Scatter, look: &style::Look, metrics: &Metrics, description: &str) -> String {
    let sample = 1.2 * look.tick;
    let words: Vec<&str> = scatter.entries.iter().map(|entry| entry.words.as_str()).collect();
    let words = fitted(&words, look.width - sample - 2.0 * look.tick, look.tick, metrics);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (places, legend_height) = legend_rows(&words, sample, look, metrics);
    let columns = scatter.panels.len().min(look.columns);
    let rows = scatter.panels.len().div_ceil(columns);
    let height = if scatter.panels.len() == 1 { look.single_height } else { look.panel_height };
    let below = look.tick_length() + look.gap() + 0.95 * look.tick + 1.35 * look.label;
    let (top, pitch) = (legend_height + 0.8 * look.tick, height + below + 0.8 * look.tick);
    let mut canvas = Canvas::new(look.width, top + pitch * rows as f64 - 0.6 * look.tick);
    for (index, panel) in scatter.panels.iter().enumerate() {
        let width = look.width / columns as f64;
        let left = width * (index % columns) as f64;
        let top = top + pitch * (index / columns) as f64;
        let room = Frame { left, top, right: left + width, bottom: top + height };
        draw_panel(&mut canvas, panel, &plot(panel, scatter.x_scale, room, look, metrics), look);
    }
    for ((entry, words), (x, y)) in scatter.entries.iter().zip(words).zip(places) {
        let center = (units(x + 0.5 * sample), units(y - 0.3 * look.tick));
        canvas.layer("class=\"legend\"", |area| {
            draw_dot(area, center, entry.look, matches!(entry.look, Look::Style(_)), look)
        });
        canvas.text(&Rich::plain(words), (x + sample + 0.4 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// Measures a panel in its room.
fn plot(panel: &Panel, x_scale: XScale, room: Frame, look: &style::Look, metrics: &Metrics) -> Plot {
    let most = ((room.bottom - room.top) / (2.4 * look.tick)) as usize;
    let y = axis(panel.dots.iter().map(|dot| dot.y), XScale::Auto, most);
    let widest = |axis: &Axis| axis.ticks.iter().map(|tick| metrics.width(&tick.label, look.tick)).fold(0.0, f64::max);
    let label_x = room.left + 1.05 * look.label;
    let left = label_x + 0.4 * look.label + widest(&y) + 1.5 * look.gap() + look.tick_length();
    let frame = Frame { left, right: room.right - 0.9 * look.tick, ..room };
    let fits = |axis: &Axis| {
        let gaps = axis.ticks.windows(2).map(|pair| pair[1].at - pair[0].at).fold(f64::INFINITY, f64::min);
        gaps / (axis.high - axis.low) * (frame.right - frame.left) >= widest(axis) + 0.8 * look.tick
    };
    let across = |most: usize| axis(panel.dots.iter().map(|dot| dot.x), x_scale, most);
    let mut x = (1..=7).rev().map(across).find(fits).unwrap_or_else(|| across(1));
    // The page ends where the room ends: a label there that would leave it is left out, the axis' own is moved.
    let across = |at: f64| frame.left + (at - x.low) / (x.high - x.low) * (frame.right - frame.left);
    let kept: Vec<bool> = x
        .ticks
        .iter()
        .map(|tick| across(tick.at) + 0.5 * metrics.width(&tick.label, look.tick) <= room.right - 0.15 * look.tick)
        .collect();
    let mut kept = kept.into_iter();
    x.ticks.retain(|_| kept.next().unwrap_or(true));
    let half = 0.5 * metrics.width(&label(&panel.x), look.label);
    let middle = f64::min((frame.left + frame.right) / 2.0, room.right - half - 0.2 * look.tick);
    Plot { frame, x, y, label_x, middle }
}

/// Logarithmic by the common rule, where all values have a place on it.
fn axis(values: impl Iterator<Item = Measured> + Clone, choice: XScale, most: usize) -> Axis {
    let ends = || values.clone().flat_map(|own| [own.low, own.median, own.high.unwrap_or(own.median)]);
    let (low, high) = ends().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), value| (l.min(value), h.max(value)));
    match scale(values.clone().map(|own| own.median), choice) {
        Scale::Log if low > 0.0 => Axis::log(low, high, most),
        _ => Axis::linear(low, high, most, false),
    }
}

fn draw_panel(canvas: &mut Canvas, panel: &Panel, plot: &Plot, look: &style::Look) {
    draw_axes(canvas, plot, look);
    let middle = (plot.frame.top + plot.frame.bottom) / 2.0;
    canvas.upward_text(&label(&panel.y), (plot.label_x, middle), look.label);
    let below = look.tick_baseline(plot.frame.bottom) + 1.2 * look.label;
    canvas.text(&label(&panel.x), (plot.middle, below), look.label, Anchor::Middle);
    let bound = bound(panel, plot);
    canvas.layer("class=\"bound\"", |area| path(area, bound, stroke(0.8 * look.line, BOUND)));
    canvas.layer("class=\"quartiles\"", |area| {
        for dot in &panel.dots {
            let line = stroke(0.5 * look.line, dot.look.color());
            let (x, y) = (dot.x.high.map_or(plot.frame.right, |x| plot.across(x)), plot.upwards(dot.y.median));
            path(area, vec![plot.at(dot.x.low, dot.y.median), (units(x), units(y))], line);
            let (x, y) = (plot.across(dot.x.median), dot.y.high.map_or(plot.frame.top, |y| plot.upwards(y)));
            path(area, vec![plot.at(dot.x.median, dot.y.low), (units(x), units(y))], line);
        }
    });
    let centers = side_by_side(panel, plot, look);
    canvas.layer("class=\"dots\"", |area| {
        // What is on the front lies above what is not.
        let dots = || panel.dots.iter().zip(&centers);
        for (dot, &center) in dots().filter(|(dot, _)| !dot.of_front).chain(dots().filter(|(dot, _)| dot.of_front)) {
            draw_dot(area, center, dot.look, dot.of_front, look);
        }
    });
    draw_numbers(canvas, panel, &centers, look);
}

/// Numbers beside their markers, in the first of the places around each that no marker and no other number has taken.
fn draw_numbers(canvas: &mut Canvas, panel: &Panel, centers: &[(i32, i32)], look: &style::Look) {
    let size = 0.78 * look.tick;
    let points = |center: &(i32, i32)| [center.0, center.1].map(|at| f64::from(at) / UNITS_PER_POINT);
    let marker = 1.3 * look.line;
    // Left, top, right, bottom.
    let mut taken: Vec<[f64; 4]> =
        centers.iter().map(points).map(|[x, y]| [x - marker, y - marker, x + marker, y + marker]).collect();
    for (dot, center) in panel.dots.iter().zip(centers) {
        let Look::Number(number) = dot.look else { continue };
        let text = number.to_string();
        let ([x, y], width) = (points(center), 0.5 * size * text.len() as f64);
        let sides = [(1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)];
        let around = (0..12).map(|place| (sides[place % 4], 1.0 + 0.8 * (place / 4) as f64));
        let mut boxes = around.map(|((across, down), far)| {
            let (x, y) = (x + across * far * 2.0 * look.line, y + down * far * (1.2 * look.line + 0.35 * size));
            let left = if across > 0.0 { x } else { x - width };
            [left, y - 0.35 * size, left + width, y + 0.35 * size]
        });
        let first = boxes.clone().next();
        let meets = |own: &[f64; 4], other: &[f64; 4]| {
            own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3]
        };
        let free = boxes.find(|own| !taken.iter().any(|other| meets(own, other)));
        let Some(own) = free.or(first) else { continue };
        canvas.text(&Rich::plain(&text), (own[0], own[3]), size, Anchor::Start);
        taken.push(own);
    }
}

/// Where the markers stand: at the medians, and those that would hide each other in a row around their middle.
fn side_by_side(panel: &Panel, plot: &Plot, look: &style::Look) -> Vec<(i32, i32)> {
    let exact: Vec<(i32, i32)> = panel.dots.iter().map(|dot| plot.at(dot.x.median, dot.y.median)).collect();
    let width = units(MARKER * look.line);
    let near = |a: (i32, i32), b: (i32, i32)| 2 * (a.0 - b.0).abs() < width && 2 * (a.1 - b.1).abs() < width;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, &center) in exact.iter().enumerate() {
        match groups.iter_mut().find(|group| near(exact[group[0]], center)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    let mut centers = exact.clone();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let row = width * (group.len() as i32 - 1);
        let middle = group.iter().map(|&index| exact[index].0).sum::<i32>() / group.len() as i32;
        // The row stays in the frame.
        let (left, right) = (units(plot.frame.left) + width / 2, units(plot.frame.right) - width / 2);
        let first = (middle - row / 2).min(right - row).max(left);
        group.iter().zip(0..).for_each(|(&index, place)| centers[index].0 = first + width * place);
    }
    centers
}

/// ‖h(Ŝ)‖² with its h in italics and its 2 raised, as in the other figures.
fn label(words: &str) -> Rich {
    let italic = words.replace("‖h(Ŝ)‖", "‖ℎ(Ŝ)‖");
    match italic.strip_suffix('²') {
        Some(base) => Rich::plain(base).superscript("2"),
        None => Rich::plain(&italic),
    }
}

/// The steps below and left of which no point lies, from the upper to the right edge of the frame.
fn bound(panel: &Panel, plot: &Plot) -> Vec<(i32, i32)> {
    let mut points: Vec<(f64, f64)> = panel.dots.iter().map(|dot| (dot.x.median, dot.y.median)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut steps: Vec<(i32, i32)> = Vec::new();
    let mut lowest = f64::INFINITY;
    for (x, y) in points {
        if y < lowest {
            let at = plot.at(x, y);
            let before = steps.last().map_or(units(plot.frame.top), |last| last.1);
            steps.extend([(at.0, before), at]);
            lowest = y;
        }
    }
    steps.extend(steps.last().map(|last| (units(plot.frame.right), last.1)));
    steps
}

fn draw_dot(area: &Area, center: (i32, i32), own: Look, filled: bool, look: &style::Look) {
    match own {
        Look::Style(index) if filled => draw_marker(area, center, &LineStyle::of(index), 1.25 * look.line),
        Look::Style(index) => draw_hollow(area, center, &LineStyle::of(index), 1.25 * look.line),
        Look::Number(_) => {
            let grey = LineStyle { color: OTHERS, ..LineStyle::of(0) };
            draw_hollow(area, center, &grey, 0.8 * look.line);
        }
    }
}

fn draw_axes(canvas: &mut Canvas, plot: &Plot, look: &style::Look) {
    let frame = &plot.frame;
    let (left, bottom) = (units(frame.left), units(frame.bottom));
    let across =
        |at: f64| units(frame.left + (at - plot.x.low) / (plot.x.high - plot.x.low) * (frame.right - frame.left));
    let upwards =
        |at: f64| units(frame.bottom - (at - plot.y.low) / (plot.y.high - plot.y.low) * (frame.bottom - frame.top));
    let (long, short) = (units(look.tick_length()), units(0.55 * look.tick_length()));
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let line = stroke(HAIRLINE * look.line, (0, 0, 0));
        path(area, vec![(left, units(frame.top)), (left, bottom), (units(frame.right), bottom)], line);
        let ticks = |axis: &Axis| -> Vec<(f64, bool)> {
            axis.ticks.iter().map(|tick| (tick.at, true)).chain(axis.minor.iter().map(|&at| (at, false))).collect()
        };
        for (at, labelled) in ticks(&plot.x) {
            path(area, vec![(across(at), bottom), (across(at), bottom + if labelled { long } else { short })], line);
        }
        for (at, labelled) in ticks(&plot.y) {
            path(area, vec![(left - if labelled { long } else { short }, upwards(at)), (left, upwards(at))], line);
        }
    });
    for tick in &plot.x.ticks {
        let x = f64::from(across(tick.at)) / UNITS_PER_POINT;
        canvas.text(&tick.label, (x, look.tick_baseline(plot.frame.bottom)), look.tick, Anchor::Middle);
    }
    for tick in &plot.y.ticks {
        let y = f64::from(upwards(tick.at)) / UNITS_PER_POINT + 0.33 * look.tick;
        canvas.text(&tick.label, (frame.left - look.tick_length() - look.gap(), y), look.tick, Anchor::End);
    }
}
