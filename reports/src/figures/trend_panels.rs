//! Draws [`Trend`]s: a row per arm, totals over time with missing values under them, errors of imputation beside them.

use super::legend::legend_rows;
use super::plot::{Frame, Plot};
use crate::axes::{Axis, Scale, range, scale};
use crate::scene::{Anchor, Area, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, Rgb};
use crate::style::{Look, dashes};
use crate::text::{Metrics, Rich};
use plotters::prelude::{Circle, Polygon};
use std::ops::Range;

/// The first run of an arm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trend {
    pub label: String,
    pub times: Vec<String>,
    pub totals: Vec<f64>,
    /// Locally estimated totals; empty with too few times.
    pub loess: Vec<f64>,
    pub missing: Vec<f64>,
    /// (epochs, error) of observations that the fit saw.
    pub observed: Vec<(f64, f64)>,
    /// The same of held-out observations; empty when none were held out.
    pub held_out: Vec<(f64, f64)>,
}

/// Okabe and Ito's blue, vermilion and green; grey for what is missing.
const TOTALS: Rgb = (0x56, 0xB4, 0xE9);
const LOESS: Rgb = BLACK;
const HELD_OUT: Rgb = (0xD5, 0x5E, 0x00);
const OBSERVED: Rgb = (0x00, 0x72, 0xB2);
const MISSING: Rgb = (0x9A, 0x9A, 0x9A);
/// Height of the strip of missing values, in heights of the frame above it.
const STRIP: f64 = 0.3;
/// Width of a sample in the legend, in type sizes of the ticks.
const SAMPLE: f64 = 2.4;
/// Share of the width for the totals.
const LEFT: f64 = 0.58;

/// Dashes of the error of the fit, in line widths.
const DASHES: &[f64] = &[4.0, 2.0];

/// What the legend explains.
struct TrendEntry {
    words: &'static str,
    color: Rgb,
    dash: &'static [f64],
    /// Points instead of a line.
    points: bool,
}

const LEGEND: [TrendEntry; 5] = [
    TrendEntry { words: "estimated total", color: TOTALS, dash: &[], points: true },
    TrendEntry { words: "LOESS", color: LOESS, dash: &[], points: false },
    TrendEntry { words: "missing", color: MISSING, dash: &[], points: false },
    TrendEntry { words: "held-out RMSE", color: HELD_OUT, dash: &[], points: false },
    TrendEntry { words: "RMSE of the fit", color: OBSERVED, dash: DASHES, points: false },
];

/// Left ends and baselines of the legend's entries, where the rows start, a row's heading and its height.
fn rows(look: &Look, metrics: &Metrics) -> (Vec<(f64, f64)>, f64, (f64, f64)) {
    let words: Vec<&str> = LEGEND.iter().map(|entry| entry.words).collect();
    let (positions, legend_height) = legend_rows(&words, SAMPLE * look.tick, look, metrics);
    let (heading, below) = (1.5 * look.tick, 2.6 * look.tick + 1.3 * look.label);
    let row = heading + look.panel_height * (1.0 + STRIP) + 0.5 * look.tick + below;
    (positions, legend_height + 0.5 * look.tick, (heading, row))
}

/// The rows of each figure: as few figures as fit on pages of the venue, of about the same height.
pub(crate) fn pages(count: usize, look: &Look, metrics: &Metrics) -> Vec<Range<usize>> {
    let (_, top, (_, row)) = rows(look, metrics);
    let most = (((look.tallest - top) / row) as usize).max(1);
    let most = count.div_ceil(count.div_ceil(most).max(1)).max(1);
    (0..count).step_by(most).map(|first| first..count.min(first + most)).collect()
}

/// The figure of some of the trends as an SVG file.
pub(crate) fn draw(trends: &[Trend], shown: Range<usize>, (look, metrics): (&Look, &Metrics)) -> Scene {
    let sample = SAMPLE * look.tick;
    let (positions, top, (heading, row)) = rows(look, metrics);
    let mut canvas = Canvas::new(look.width, top + row * shown.len() as f64);
    // Errors of all arms stand over the same epochs.
    let epochs = epochs_axis(trends);
    for (index, trend) in trends[shown].iter().enumerate() {
        draw_row(&mut canvas, trend, &epochs, top + row * index as f64 + heading, look);
    }
    for (TrendEntry { words, color, dash, points }, (x, y)) in LEGEND.into_iter().zip(positions) {
        let middle = units(y - 0.3 * look.tick);
        let (left, right) = (units(x), units(x + sample));
        canvas.layer(Layer::new("legend").dashed(dashes(dash, look)), |area| {
            if points {
                dot(area, ((left + right) / 2, middle), look, color);
            } else {
                area.path(vec![(left, middle), (right, middle)], stroke(look.line, color));
            }
        });
        canvas.text(&Rich::plain(words), (x + sample + 0.5 * look.tick, y), look.tick, Anchor::Start);
    }
    canvas.finish()
}

fn draw_row(canvas: &mut Canvas, trend: &Trend, epochs: &Axis, top: f64, look: &Look) {
    let margin = 5.2 * look.tick + look.label;
    let middle = look.width * LEFT;
    let bottom = top + look.panel_height;
    let last = (trend.times.len().max(2) - 1) as f64;
    let x = || times_axis(trend, last);
    let above = Frame { left: margin, top, right: middle, bottom };
    let strip_top = bottom + 0.5 * look.tick;
    let under = Frame { top: strip_top, bottom: strip_top + STRIP * look.panel_height, ..above };
    let most = (look.panel_height / (2.4 * look.tick)) as usize;
    let totals = Plot { frame: above, x: x(), y: axis(trend.totals.iter().chain(&trend.loess).copied(), most) };
    // From zero, because an area stands on it.
    let missing = Plot { frame: under, x: x(), y: axis(trend.missing.iter().copied().chain([0.0]), 3) };
    draw_axes(canvas, &totals, false, look);
    draw_axes(canvas, &missing, true, look);
    canvas.text(
        &Rich::plain(&trend.label),
        ((margin + middle) / 2.0, top - 0.5 * look.tick),
        look.tick,
        Anchor::Middle,
    );
    canvas.upward_text(
        &Rich::plain("estimated total"),
        (1.05 * look.label, (top + bottom) / 2.0),
        look.label,
        Anchor::Middle,
    );
    x_label(canvas, &missing, "time", look);
    draw_totals(canvas, trend, &totals, look);
    draw_missing(canvas, trend, &missing, look);
    let right = Frame { left: middle + margin, right: look.width - look.tick, bottom: under.bottom, top };
    draw_errors(canvas, trend, epochs, right, look);
}

fn draw_totals(canvas: &mut Canvas, trend: &Trend, plot: &Plot, look: &Look) {
    canvas.layer(Layer::new("points"), |area| {
        for (index, &total) in trend.totals.iter().enumerate() {
            dot(area, plot.at((index as f64, total)), look, TOTALS);
        }
    });
    let line = trend.loess.iter().enumerate().map(|(index, &y)| plot.at((index as f64, y))).collect();
    canvas.layer(Layer::new("line"), |area| area.path(line, stroke(1.4 * look.line, LOESS)));
}

/// Missing values as an area over the strip's lower edge.
fn draw_missing(canvas: &mut Canvas, trend: &Trend, plot: &Plot, look: &Look) {
    let line: Vec<(i32, i32)> =
        trend.missing.iter().enumerate().map(|(index, &missing)| plot.at((index as f64, missing))).collect();
    let floor = |x: f64| plot.at((x, plot.y.low));
    let last = (trend.missing.len() - 1) as f64;
    let outline: Vec<(i32, i32)> = line.iter().copied().chain([floor(last), floor(0.0)]).collect();
    canvas.layer(Layer::new("missing"), |area| {
        area.draw(&Polygon::new(outline, fill(MISSING, 0.35)));
        area.path(line, stroke(look.line, MISSING));
    });
    let middle = (plot.frame.top + plot.frame.bottom) / 2.0;
    canvas.upward_text(&Rich::plain("missing"), (1.05 * look.label, middle), look.label, Anchor::Middle);
}

/// Errors of imputation against epochs; without held-out values the fit's alone.
fn draw_errors(canvas: &mut Canvas, trend: &Trend, epochs: &Axis, frame: Frame, look: &Look) {
    let all = || trend.observed.iter().chain(&trend.held_out);
    let most = ((frame.bottom - frame.top) / (2.4 * look.tick)) as usize;
    let plot = Plot { frame, x: epochs.clone(), y: axis(all().map(|point| point.1), most) };
    draw_axes(canvas, &plot, true, look);
    x_label(canvas, &plot, "epochs", look);
    let middle = (frame.top + frame.bottom) / 2.0;
    canvas.upward_text(
        &Rich::plain("error (RMSE)"),
        (frame.left - 3.4 * look.tick, middle),
        look.label,
        Anchor::Middle,
    );
    for (points, color, dash) in [(&trend.observed, OBSERVED, DASHES), (&trend.held_out, HELD_OUT, &[][..])] {
        let point = |&(x, y): &(f64, f64)| Some(plot.at((epochs.coordinate(x)?, y)));
        let line = points.iter().filter_map(point).collect();
        canvas.layer(Layer::new("line").dashed(dashes(dash, look)), |area| {
            area.path(line, stroke(look.line, color));
        });
    }
}

/// The axis of the epochs of some arms.
fn epochs_axis(trends: &[Trend]) -> Axis {
    let points =
        |trend: &'_ Trend| trend.observed.iter().chain(&trend.held_out).map(|point| point.0).collect::<Vec<f64>>();
    let all: Vec<f64> = trends.iter().flat_map(points).collect();
    let ends = trends.iter().map(|trend| points(trend).into_iter().fold(0.0, f64::max));
    let end = all.iter().copied().fold(0.0, f64::max);
    match scale(ends) {
        Scale::Log => {
            let first = all.into_iter().filter(|&at| at > 0.0).fold(end, f64::min);
            Axis { minor: Vec::new(), ..Axis::log(first, end, 4) }
        }
        Scale::Linear => Axis::linear(0.0, if end > 0.0 { end } else { 1.0 }, 4, true),
    }
}

/// An axis over the values; of anything when there are none.
fn axis(values: impl Iterator<Item = f64>, most: usize) -> Axis {
    let (low, high) = range(values);
    if low <= high { Axis::linear(low, high, most, false) } else { Axis::linear(0.0, 1.0, most, false) }
}

/// Positions 0 … L − 1, labelled with the names of the times.
fn times_axis(trend: &Trend, last: f64) -> Axis {
    let mut axis = Axis::linear(0.0, last, 5, true);
    axis.ticks.retain(|tick| tick.at == tick.at.round());
    for tick in &mut axis.ticks {
        tick.label = Rich::plain(trend.times.get(tick.at as usize).map_or("", String::as_str));
    }
    axis
}

/// The axes; the horizontal one with labels on request.
fn draw_axes(canvas: &mut Canvas, plot: &Plot, labels: bool, look: &Look) {
    plot.draw_axes(canvas, look);
    plot.draw_y_labels(canvas, look);
    if labels {
        plot.draw_x_labels(canvas, look);
    }
}

fn x_label(canvas: &mut Canvas, plot: &Plot, words: &str, look: &Look) {
    let below = look.tick_baseline(plot.frame.bottom) + 1.2 * look.label;
    canvas.text(&Rich::plain(words), (plot.frame.middle().0, below), look.label, Anchor::Middle);
}

fn dot(area: &Area, center: (i32, i32), look: &Look, color: Rgb) {
    area.draw(&Circle::new(center, units(1.5 * look.line), fill(color, 1.0)));
}
