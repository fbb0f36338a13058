//! Draws [`Predictive`] checks: a panel per arm on common axes, labelled at the left and at the bottom only.

use super::Window;
use super::clip::{along, clip};
use super::layout::{Frame, legend_rows};
use super::marks::{draw_exit, draw_marker};
use super::panels::{HAIRLINE, path, stroke};
use super::predictive::{Band, Check, Predictive};
use crate::axes::{Axis, Tick};
use crate::style::{LineStyle, Look};
use crate::svg::{Anchor, Area, Canvas, UNITS_PER_POINT, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use plotters::prelude::{Polygon, RGBColor, Rectangle};
use plotters::style::Color;

/// Panels are at least so wide, in sizes of tick labels.
const NARROWEST: f64 = 8.5;
/// How much of the paper a band covers.
const BAND_OPACITY: f64 = 0.2;
const LEGEND: [&str; 3] = ["10th and 90th percentile", "median", "simulated, 5 to 95 %"];

/// The axes that all panels share.
struct Axes {
    x: Axis,
    y: Axis,
    window: Window,
}

/// A panel with its axes.
struct Plot<'a> {
    frame: Frame,
    axes: &'a Axes,
}

impl Plot<'_> {
    fn place(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let Axes { x: across, y: upwards, .. } = self.axes;
        let Frame { left, top, right, bottom } = self.frame;
        let x = left + (x - across.low) / (across.high - across.low) * (right - left);
        let y = bottom - (y - upwards.low) / (upwards.high - upwards.low) * (bottom - top);
        (units(x), units(y))
    }
}

/// The figure as an SVG file.
pub(crate) fn draw(figure: &Predictive, look: &Look, metrics: &Metrics, description: &str) -> String {
    let (sample, several) = (3.2 * look.tick, figure.checks.len() > 1);
    let (places, legend) = legend_rows(&LEGEND, sample, look, metrics);
    let widest = |axis: &Axis| axis.ticks.iter().map(|tick| metrics.width(&tick.label, look.tick)).fold(0.0, f64::max);
    let window = figure.window();
    let upwards = |height: f64| Axis::linear(window.low, window.high, (height / (2.4 * look.tick)) as usize, true);
    let tallest = if several { 0.7 * look.panel_height } else { look.single_height };
    let left = 2.0 * look.label + widest(&upwards(tallest)) + 2.0 * look.gap() + look.tick_length();
    let (between, end) = (2.4 * look.tick, 1.5 * look.tick);
    let room = look.width - left - end;
    let most = (((room + between) / (NARROWEST * look.tick + between)) as usize).max(1);
    let rows = figure.checks.len().div_ceil(most);
    let columns = figure.checks.len().div_ceil(rows);
    let width = (room - between * (columns - 1) as f64) / columns as f64;
    let height = tallest.min(width);
    let label = |tick: &Tick| metrics.width(&tick.label, look.tick);
    let axes = Axes { x: times(figure, width, (0.9 * look.tick, 0.5 * between), &label), y: upwards(height), window };
    let heading = if several { 1.6 * look.tick } else { 0.0 };
    let top = legend + 0.6 * look.tick;
    let bottom = top + rows as f64 * (heading + height + 0.5 * look.tick) - 0.5 * look.tick;
    let baseline = look.tick_baseline(bottom);
    let mut canvas = Canvas::new(look.width, baseline + 1.55 * look.label);
    for (index, check) in figure.checks.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = left + column as f64 * (width + between);
        let top = top + row as f64 * (heading + height + 0.5 * look.tick) + heading;
        let plot = Plot { frame: Frame { left, top, right: left + width, bottom: top + height }, axes: &axes };
        // Below the last panel of its column there is nothing else to label the axis.
        let is_last = index + columns >= figure.checks.len();
        draw_axes(&mut canvas, &plot, (column == 0, is_last), look);
        if several {
            let words = fitted(&[&check.label], width + between, look.tick, metrics).concat();
            canvas.text(&Rich::plain(&words), (left + 0.5 * width, top - 0.5 * look.tick), look.tick, Anchor::Middle);
        }
        draw_check(&mut canvas, &plot, check, look);
    }
    let middle = left + 0.5 * room;
    canvas.text(&Rich::plain(figure.time_words()), (middle, baseline + 1.2 * look.label), look.label, Anchor::Middle);
    canvas.upward_text(&Rich::plain("observed value"), (look.label, 0.5 * (top + bottom)), look.label);
    for ((number, words), (x, y)) in LEGEND.into_iter().enumerate().zip(places) {
        draw_sample(&mut canvas, number, (x, y - 0.3 * look.tick), sample, look);
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish(description)
}

/// The axis of times for a panel of that width, with labels at least `apart` points apart that reach at most `beyond`
/// points out of it.
fn times(figure: &Predictive, width: f64, (apart, beyond): (f64, f64), label: &impl Fn(&Tick) -> f64) -> Axis {
    let (first, last) = figure.times();
    let axis = |most: usize| Axis::linear(first, last, most, true);
    let fits = |axis: &Axis| {
        let widest = axis.ticks.iter().map(label).fold(0.0, f64::max);
        let gaps = axis.ticks.windows(2).map(|pair| pair[1].at - pair[0].at).fold(f64::INFINITY, f64::min);
        gaps / (axis.high - axis.low) * width >= widest + apart
    };
    let mut axis = (2..=10).rev().map(axis).find(fits).unwrap_or_else(|| axis(1));
    let (low, scale) = (axis.low, width / (axis.high - axis.low));
    axis.ticks.retain(|tick| {
        let (at, half) = ((tick.at - low) * scale, 0.5 * label(tick));
        half - at <= beyond && at + half - width <= beyond
    });
    axis
}

/// The outer percentiles in one look, the median in another.
fn style(percentile: usize) -> LineStyle {
    LineStyle::of(usize::from(percentile == 1))
}

/// All bands first, then all lines, then all markers, so that nothing covers what is observed.
fn draw_check(canvas: &mut Canvas, plot: &Plot<'_>, check: &Check, look: &Look) {
    let each = || check.bands.iter().enumerate().map(|(number, band)| (band, style(number)));
    canvas.layer("class=\"band\"", |area| each().for_each(|(band, style)| draw_band(area, plot, band, &style, look)));
    let observed = |band: &Band| band.iter().map(|point| plot.place((point[0], point[1]))).collect::<Vec<_>>();
    canvas.layer("class=\"line\" stroke-linejoin=\"round\"", |area| {
        each().for_each(|(band, style)| path(area, observed(band), stroke(look.line, style.color)));
    });
    canvas.layer("class=\"markers\"", |area| {
        for (band, style) in each() {
            observed(band).into_iter().for_each(|center| draw_marker(area, center, &style, look.line));
        }
    });
}

/// A band as far as the frame shows it, with marks where its edges leave.
fn draw_band(area: &Area, plot: &Plot<'_>, band: &Band, style: &LineStyle, look: &Look) {
    let Window { low, high, .. } = plot.axes.window;
    let edge = |value: usize| band.iter().map(|point| (point[0], point[value])).collect::<Vec<_>>();
    let inside = |value: usize| along(&edge(value), low, high).into_iter().map(|place| plot.place(place));
    let (red, green, blue) = style.color;
    let outline: Vec<(i32, i32)> = inside(4).chain(inside(2).collect::<Vec<_>>().into_iter().rev()).collect();
    let fill = RGBColor(red, green, blue).mix(BAND_OPACITY).filled();
    area.draw(&Polygon::new(outline, fill)).expect("a string takes everything");
    for exit in [2, 4].into_iter().flat_map(|value| clip(&edge(value), low, high).exits) {
        let tip = plot.place((exit.x, if exit.above { high } else { low }));
        draw_exit(area, tip, exit.above, style.color, look.line);
    }
}

/// The legend's sample of a line with its marker (0: outer percentiles, 1: median), or of the bands.
fn draw_sample(canvas: &mut Canvas, number: usize, (x, y): (f64, f64), length: f64, look: &Look) {
    let ends = [(units(x), units(y)), (units(x + length), units(y))];
    let half = units(0.35 * look.tick);
    canvas.layer("class=\"legend\"", |area| match number {
        0 | 1 => {
            let style = style(number);
            path(area, ends.to_vec(), stroke(look.line, style.color));
            draw_marker(area, ((ends[0].0 + ends[1].0) / 2, ends[0].1), &style, look.line);
        }
        _ => {
            let middle = (ends[0].0 + ends[1].0) / 2;
            for (percentile, from, to) in [(0, ends[0].0, middle), (1, middle, ends[1].0)] {
                let (red, green, blue) = style(percentile).color;
                let fill = RGBColor(red, green, blue).mix(BAND_OPACITY).filled();
                let corners = [(from, ends[0].1 - half), (to, ends[0].1 + half)];
                area.draw(&Rectangle::new(corners, fill)).expect("a string takes everything");
            }
        }
    });
}

/// Left and bottom axis; labels where asked for: (left, bottom).
fn draw_axes(canvas: &mut Canvas, plot: &Plot<'_>, labels: (bool, bool), look: &Look) {
    let Frame { left, top, right, bottom } = plot.frame;
    let Axes { x, y, .. } = plot.axes;
    let across = |at: f64| plot.place((at, y.low)).0;
    let upwards = |at: f64| plot.place((x.low, at)).1;
    canvas.layer("class=\"axes\" stroke-linecap=\"square\"", |area| {
        let line = stroke(HAIRLINE * look.line, (0, 0, 0));
        path(area, vec![(units(left), units(top)), (units(left), units(bottom)), (units(right), units(bottom))], line);
        let length = units(look.tick_length());
        for tick in &x.ticks {
            path(area, vec![(across(tick.at), units(bottom)), (across(tick.at), units(bottom) + length)], line);
        }
        for tick in &y.ticks {
            path(area, vec![(units(left) - length, upwards(tick.at)), (units(left), upwards(tick.at))], line);
        }
    });
    let points = |units: i32| f64::from(units) / UNITS_PER_POINT;
    for tick in x.ticks.iter().filter(|_| labels.1) {
        let place = (points(across(tick.at)), look.tick_baseline(bottom));
        canvas.text(&tick.label, place, look.tick, Anchor::Middle);
    }
    for tick in y.ticks.iter().filter(|_| labels.0) {
        let place = (left - look.tick_length() - look.gap(), points(upwards(tick.at)) + 0.33 * look.tick);
        canvas.text(&tick.label, place, look.tick, Anchor::End);
    }
}
