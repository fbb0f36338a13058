//! Draws [`Predictive`] checks: a panel per arm on common axes, labelled at the left and at the bottom only.

use super::clip::{along, clip};
use super::legend::legend_rows;
use super::marks::{draw_exit, draw_marker};
use super::plot::{Frame, Plot};
use crate::axes::{Axis, Tick, range};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::style::{LineStyle, Look};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use fedbits_record::{Cell, RunTable};
use plotters::prelude::{Polygon, Rectangle};

/// The frame reaches at most this many times the height of the observed percentiles beyond them.
const BEYOND: f64 = 0.25;

/// Panels are at least this wide, in sizes of tick labels.
const NARROWEST: f64 = 8.5;
/// And this high, where a page has room for more than one below each other.
const LOWEST: f64 = 4.0;
/// How much of the paper a band covers.
const BAND_OPACITY: f64 = 0.2;
const LEGEND: [&str; 3] = ["10th and 90th percentile", "median", "simulated, 5 to 95 %"];

/// One percentile over the bins: (time, observed, low, middle, high).
pub(crate) type Band = Vec<[f64; 5]>;

/// The checks of a scenario's arms, or those on one page.
pub(crate) struct Predictive {
    /// File name without ending.
    pub name: String,
    pub checks: Vec<Check>,
    /// What the frames show: all observed percentiles, and the simulated ranges as far as they are near.
    pub window: Window,
    /// The first and the last time, zero among them.
    pub times: (f64, f64),
}

/// A range of values.
#[derive(Clone, Default)]
pub(crate) struct Window {
    pub low: f64,
    pub high: f64,
}

/// The check of one arm.
#[derive(Clone)]
pub(crate) struct Check {
    /// The arm.
    pub label: String,
    /// The 10th, 50th and 90th percentile.
    pub bands: [Band; 3],
    pub table: RunTable,
}

/// The window of [`Predictive`].
pub(crate) fn window(checks: &[Check]) -> Window {
    let points = || checks.iter().flat_map(|check| &check.bands).flatten();
    let (observed_low, observed_high) = range(points().map(|point| point[1]));
    let (low, high) = range(points().flat_map(|point| [point[1], point[2], point[4]]));
    let beyond = BEYOND * (observed_high - observed_low);
    Window { low: low.max(observed_low - beyond), high: high.min(observed_high + beyond) }
}

/// The times of [`Predictive`].
pub(crate) fn times(checks: &[Check]) -> (f64, f64) {
    let times = checks.iter().flat_map(|check| &check.bands).flatten().map(|point| point[0]);
    times.fold((0.0, f64::NEG_INFINITY), |(first, last), time| (f64::min(first, time), f64::max(last, time)))
}

impl Predictive {
    /// What the times are.
    pub(crate) fn time_words(&self) -> &'static str {
        let after_dose = |check: &Check| {
            let origin = check.table.column("origin");
            origin.is_some_and(|origin| check.table.rows.iter().all(|row| row[origin] == Cell::from("first dose")))
        };
        if self.checks.iter().all(after_dose) { "time after the first dose" } else { "time" }
    }
}

/// Where the panels of a figure stand.
struct Grid {
    tallest: f64,
    left: f64,
    /// For all panels of a row.
    room: f64,
    between: f64,
    /// Panels side by side, at most.
    most: usize,
    heading: f64,
    top: f64,
    below: f64,
    /// For all rows, each with its heading and what is below it.
    page: f64,
}

impl Grid {
    fn of(figure: &Predictive, legend: f64, look: &Look, metrics: &Metrics) -> Self {
        let several = figure.checks.len() > 1;
        let tallest = if several { 0.7 * look.panel_height } else { look.single_height };
        let labels = upwards(figure, tallest, look).widest_label(look.tick, metrics);
        let left = 2.0 * look.label + labels + 2.0 * look.gap() + look.tick_length();
        let (between, end) = (2.4 * look.tick, 1.5 * look.tick);
        let room = look.width - left - end;
        let most = (((room + between) / (NARROWEST * look.tick + between)) as usize).max(1);
        let heading = if several { 1.6 * look.tick } else { 0.0 };
        let (top, below) = (legend + 0.6 * look.tick, look.tick_baseline(0.0) + 1.55 * look.label);
        let page = look.tallest - top - below + 0.5 * look.tick;
        Self { tallest, left, room, between, most, heading, top, below, page }
    }
}

/// The axis of values for a panel of that height.
fn upwards(figure: &Predictive, height: f64, look: &Look) -> Axis {
    Axis::linear(figure.window.low, figure.window.high, (height / (2.4 * look.tick)) as usize, true)
}

/// How many panels of the figure a page has room for.
pub(crate) fn most(figure: &Predictive, look: &Look, metrics: &Metrics) -> usize {
    let (_, legend) = legend_rows(&LEGEND, 3.2 * look.tick, look, metrics);
    let grid = Grid::of(figure, legend, look, metrics);
    let rows = grid.page / (grid.heading + (LOWEST + 0.5) * look.tick);
    grid.most * (rows as usize).max(1)
}

/// The figure as an SVG file.
pub(crate) fn draw(figure: &Predictive, look: &Look, metrics: &Metrics) -> Scene {
    let (sample, several) = (3.2 * look.tick, figure.checks.len() > 1);
    let (positions, legend) = legend_rows(&LEGEND, sample, look, metrics);
    let Grid { tallest, left, room, between, most, heading, top, below, page } =
        Grid::of(figure, legend, look, metrics);
    let rows = figure.checks.len().div_ceil(most);
    let columns = figure.checks.len().div_ceil(rows);
    let width = (room - between * (columns - 1) as f64) / columns as f64;
    let height = tallest.min(width).min(page / rows as f64 - heading - 0.5 * look.tick);
    let x = horizontal(figure, (width, 0.9 * look.tick, 0.5 * between), look, metrics);
    let y = upwards(figure, height, look);
    let bottom = top + rows as f64 * (heading + height + 0.5 * look.tick) - 0.5 * look.tick;
    let baseline = look.tick_baseline(bottom);
    let mut canvas = Canvas::new(look.width, bottom + below);
    for (index, check) in figure.checks.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = left + column as f64 * (width + between);
        let top = top + row as f64 * (heading + height + 0.5 * look.tick) + heading;
        let frame = Frame { left, top, right: left + width, bottom: top + height };
        let plot = Plot { frame, x: x.clone(), y: y.clone() };
        plot.draw_axes(&mut canvas, look);
        // Below the last panel of its column there is nothing else to label the axis.
        if index + columns >= figure.checks.len() {
            plot.draw_x_labels(&mut canvas, look);
        }
        if column == 0 {
            plot.draw_y_labels(&mut canvas, look);
        }
        if several {
            let words = fitted(&[&check.label], width + between, look.tick, metrics).concat();
            canvas.text(&Rich::plain(&words), (left + 0.5 * width, top - 0.5 * look.tick), look.tick, Anchor::Middle);
        }
        draw_check(&mut canvas, &plot, check, &figure.window, look);
    }
    let middle = left + 0.5 * room;
    canvas.text(&Rich::plain(figure.time_words()), (middle, baseline + 1.2 * look.label), look.label, Anchor::Middle);
    canvas.upward_text(&Rich::plain("observed value"), (look.label, 0.5 * (top + bottom)), look.label, Anchor::Middle);
    for ((number, words), (x, y)) in LEGEND.into_iter().enumerate().zip(positions) {
        draw_sample(&mut canvas, number, (x, y - 0.3 * look.tick), sample, look);
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

/// The axis of times for a panel of that width, with labels at least `apart` points apart that reach at most `beyond`
/// points out of it.
fn horizontal(figure: &Predictive, (width, apart, beyond): (f64, f64, f64), look: &Look, metrics: &Metrics) -> Axis {
    let (first, last) = figure.times;
    let axis = |most: usize| Axis::linear(first, last, most, true);
    let fits = |axis: &Axis| axis.has_room(width, apart, look.tick, metrics);
    let mut axis = (2..=10).rev().map(axis).find(fits).unwrap_or_else(|| axis(1));
    let (low, scale) = (axis.low, width / (axis.high - axis.low));
    axis.ticks.retain(|tick: &Tick| {
        let (at, half) = ((tick.at - low) * scale, 0.5 * metrics.width(&tick.label, look.tick));
        half - at <= beyond && at + half - width <= beyond
    });
    axis
}

/// The outer percentiles in one look, the median in another.
fn style(percentile: usize) -> LineStyle {
    LineStyle::of(usize::from(percentile == 1))
}

/// All bands first, then all lines, then all markers, so that nothing covers what is observed.
fn draw_check(canvas: &mut Canvas, plot: &Plot, check: &Check, window: &Window, look: &Look) {
    let each = || check.bands.iter().enumerate().map(|(number, band)| (band, style(number)));
    canvas.layer(Layer::new("band"), |area| {
        each().for_each(|(band, style)| draw_band(area, plot, band, (&style, window), look));
    });
    let observed = |band: &Band| band.iter().map(|point| plot.at((point[0], point[1]))).collect::<Vec<_>>();
    canvas.layer(Layer::new("line"), |area| {
        each().for_each(|(band, style)| area.path(observed(band), stroke(look.line, style.color)));
    });
    canvas.layer(Layer::new("markers"), |area| {
        for (band, style) in each() {
            observed(band).into_iter().for_each(|center| draw_marker(area, center, &style, look.line));
        }
    });
}

/// A band as far as the frame shows it, with marks where its edges leave.
fn draw_band(area: &Area, plot: &Plot, band: &Band, (style, window): (&LineStyle, &Window), look: &Look) {
    let Window { low, high } = *window;
    let edge = |value: usize| band.iter().map(|point| (point[0], point[value])).collect::<Vec<_>>();
    let inside = |value: usize| along(&edge(value), low, high).into_iter().map(|point| plot.at(point));
    let outline: Vec<(i32, i32)> = inside(4).chain(inside(2).collect::<Vec<_>>().into_iter().rev()).collect();
    area.draw(&Polygon::new(outline, fill(style.color, BAND_OPACITY)));
    for exit in [2, 4].into_iter().flat_map(|value| clip(&edge(value), low, high).exits) {
        let tip = plot.at((exit.x, if exit.above { high } else { low }));
        draw_exit(area, tip, exit.above, style.color, look.line);
    }
}

/// The legend's sample of a line with its marker (0: outer percentiles, 1: median), or of the bands.
fn draw_sample(canvas: &mut Canvas, number: usize, (x, y): (f64, f64), length: f64, look: &Look) {
    let ends = [(units(x), units(y)), (units(x + length), units(y))];
    let half = units(0.35 * look.tick);
    canvas.layer(Layer::new("legend"), |area| match number {
        0 | 1 => {
            let style = style(number);
            area.path(ends.to_vec(), stroke(look.line, style.color));
            draw_marker(area, ((ends[0].0 + ends[1].0) / 2, ends[0].1), &style, look.line);
        }
        _ => {
            let middle = (ends[0].0 + ends[1].0) / 2;
            for (percentile, from, to) in [(0, ends[0].0, middle), (1, middle, ends[1].0)] {
                let fill = fill(style(percentile).color, BAND_OPACITY);
                let corners = [(from, ends[0].1 - half), (to, ends[0].1 + half)];
                area.draw(&Rectangle::new(corners, fill));
            }
        }
    });
}
