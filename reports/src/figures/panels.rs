//! Draws a [`Figure`]: frames, ticks, bands, lines, markers, legend.

use super::clip::{Clipped, Exit, along, clip};
use super::figure::Figure;
use super::layout::{Horizontal, Layout, layout};
use super::marks::{decimate, draw_exit, draw_marker, spaced};
use super::plot::{Frame, draw_axes, draw_x_labels, draw_y_labels};
use crate::axes::Axis;
use crate::curves::Curve;
use crate::replicates::CurvePoint;
use crate::shades::Rgb;
use crate::style::{LineStyle, Look, dashes};
use crate::svg::{Anchor, Canvas, DrawError, fill, stroke, units};
use crate::text::{Metrics, Rich};
use crate::words::fitted;
use crate::x_axis::XAxis;
use plotters::coord::CoordTranslate;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, Circle, Polygon};
use std::ops::Range;

/// How much of the paper a band covers.
const BAND_OPACITY: f64 = 0.18;
/// The same for points behind their trend.
const PALE: f64 = 0.3;
/// Thickness of a line where some replicates have ended.
const ENDED: f64 = 0.45;

type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;

/// The figure as an SVG file with `description` as metadata.
pub(crate) fn draw(figure: &Figure, look: &Look, metrics: &Metrics, description: &str) -> Result<String, DrawError> {
    let layout = layout(figure, look, metrics);
    let mut canvas = Canvas::new(layout.width, layout.height);
    for (index, panel) in figure.panels.iter().enumerate() {
        let (frame, horizontal) = (&layout.frames[index], &layout.horizontals[index]);
        let plane = plane(frame, horizontal, &layout.vertical);
        let is_first = index.is_multiple_of(layout.columns);
        draw_panel_axes(&mut canvas, &plane, frame, (horizontal, &layout.vertical), is_first, look);
        let (middle, height) = frame.middle();
        if let Some(heading) = &panel.heading {
            let words = fitted(&[heading], frame.right - frame.left + look.tick, look.tick, metrics).concat();
            canvas.text(&Rich::plain(&words), (middle, frame.top - look.tick * 0.55), look.tick, Anchor::Middle);
        }
        if is_first {
            canvas.upward_text(&figure.y_label, (layout.label_x, height), look.label, Anchor::Middle);
        }
        let vertical = &layout.vertical;
        let bounds = figure.window.as_ref().map_or((vertical.low, vertical.high), |window| (window.low, window.high));
        let chart = Chart { x: panel.x, plane, horizontal, vertical, bounds, look };
        // What lies behind goes first for all curves, so that no curve's background hides another's line.
        panel.curves.iter().for_each(|curve| chart.draw_background(&mut canvas, curve));
        panel.curves.iter().for_each(|curve| chart.draw_foreground(&mut canvas, curve));
    }
    draw_legend(&mut canvas, &layout, look);
    canvas.finish(description)
}

/// plotters' map from axis coordinates to whole units of the drawing.
fn plane(frame: &Frame, horizontal: &Horizontal, vertical: &Axis) -> Plane {
    let (x, y) = (&horizontal.axis, vertical);
    let across = units(frame.left)..units(frame.right);
    let upwards = units(frame.bottom)..units(frame.top);
    Cartesian2d::new(x.low..x.high, y.low..y.high, (across, upwards))
}

/// Left and bottom axis with their ticks; labels of the vertical axis only at the first column.
fn draw_panel_axes(
    canvas: &mut Canvas,
    plane: &Plane,
    frame: &Frame,
    (horizontal, y): (&Horizontal, &Axis),
    is_first: bool,
    look: &Look,
) {
    let Frame { left, top, right, bottom } = *frame;
    let (x, position) = (&horizontal.axis, |position| plane.translate(&position));
    draw_axes(canvas, &[(left, top), (left, bottom), (right, bottom)], (x, y), &position, (0.8, look));
    draw_x_labels(canvas, *frame, x, &|at| position((at, y.low)).0, look);
    let label = (frame.middle().0, look.tick_baseline(bottom) + look.label * 1.2);
    canvas.text(&horizontal.label, label, look.label, Anchor::Middle);
    if is_first {
        draw_y_labels(canvas, *frame, y, &|at| position((x.low, at)).1, look);
    }
}

/// Where the curves of one panel are drawn.
struct Chart<'a> {
    x: XAxis,
    plane: Plane,
    horizontal: &'a Horizontal,
    vertical: &'a Axis,
    /// Where lines are cut, in coordinates of the vertical axis.
    bounds: (f64, f64),
    look: &'a Look,
}

impl Chart<'_> {
    /// The band of replicates, or the pale points behind a trend.
    fn draw_background(&self, canvas: &mut Canvas, curve: &Curve) {
        let color = LineStyle::of(curve.style).color;
        if !curve.trend.is_empty() {
            let line = clip(
                &self.coordinates(curve, 0..curve.points.len(), |index| curve.points[index].median),
                self.bounds.0,
                self.bounds.1,
            );
            let attributes = format!("class=\"points\" stroke-linejoin=\"round\" opacity=\"{PALE}\"");
            canvas.layer(&attributes, |area| {
                for part in self.parts(&line) {
                    area.path(part, stroke(0.6 * self.look.line, color));
                }
            });
        } else if curve.replicates > 1 {
            let edge = |value: fn(&CurvePoint) -> f64| {
                let coordinates = self.coordinates(curve, 0..curve.points.len(), |index| value(&curve.points[index]));
                let line = along(&coordinates, self.bounds.0, self.bounds.1);
                decimate(&self.on_paper(&line))
            };
            draw_band(canvas, &edge(|point| point.high), &edge(|point| point.low), color);
        }
    }

    /// The line, which is the trend where there is one, thin from where some replicates have ended; its markers, and
    /// marks where it leaves the frame.
    fn draw_foreground(&self, canvas: &mut Canvas, curve: &Curve) {
        let style = LineStyle::of(curve.style);
        let value = |index: usize| curve.trend.get(index).copied().unwrap_or(curve.points[index].median);
        let (all, ended) = (curve.points.len(), curve.first_ended());
        let mut whole = self.coordinates(curve, 0..all, value);
        if whole.is_empty() {
            // At zero of a logarithmic horizontal axis throughout: the last value at its left edge.
            let last =
                curve.points.last().map(|point| self.vertical.coordinate(point.median).unwrap_or(f64::NEG_INFINITY));
            whole.extend(last.map(|height| (self.horizontal.axis.low, height)));
        }
        let whole = clip(&whole, self.bounds.0, self.bounds.1);
        let line = |range: Range<usize>| {
            self.parts(&clip(&self.coordinates(curve, range, value), self.bounds.0, self.bounds.1))
        };
        draw_line(canvas, line(0..ended), &style, 1.0, self.look);
        if ended < all {
            draw_line(canvas, line(ended.saturating_sub(1)..all), &style, ENDED, self.look);
        }
        draw_markers(canvas, &self.parts(&whole), &style, curve.style, self.look);
        if !whole.exits.is_empty() {
            let exits = self.exits(&whole.exits);
            canvas.layer("class=\"exits\"", |area| {
                exits.iter().for_each(|&(tip, above)| draw_exit(area, tip, above, style.color, self.look.line));
            });
        }
    }

    /// Points of the line in axis coordinates; those without a horizontal coordinate (zero on a logarithmic axis) are
    /// left out, values without a vertical one are at −∞.
    fn coordinates(&self, curve: &Curve, range: Range<usize>, value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let point = |index: usize| {
            let across = self.horizontal.axis.coordinate(curve.points[index].at(self.x) / self.horizontal.unit)?;
            Some((across, self.vertical.coordinate(value(index)).unwrap_or(f64::NEG_INFINITY)))
        };
        range.filter_map(point).collect()
    }

    fn on_paper(&self, line: &[(f64, f64)]) -> Vec<(i32, i32)> {
        line.iter().map(|point| self.plane.translate(point)).collect()
    }

    fn parts(&self, line: &Clipped) -> Vec<Vec<(i32, i32)>> {
        line.parts.iter().map(|part| decimate(&self.on_paper(part))).collect()
    }

    /// The tips of marks at the edges of the frame; of marks that would cover each other, the first.
    fn exits(&self, exits: &[Exit]) -> Vec<((i32, i32), bool)> {
        let apart = units(4.0 * self.look.line);
        let mut kept: Vec<((i32, i32), bool)> = Vec::new();
        for &Exit { x, above } in exits {
            let tip = self.plane.translate(&(x, if above { self.bounds.1 } else { self.bounds.0 }));
            if kept.iter().all(|(other, side)| *side != above || (other.0 - tip.0).abs() >= apart) {
                kept.push((tip, above));
            }
        }
        kept
    }
}

/// The parts of a line, of this many thicknesses.
fn draw_line(canvas: &mut Canvas, parts: Vec<Vec<(i32, i32)>>, style: &LineStyle, thickness: f64, look: &Look) {
    let dash = dashes(style.dash, look);
    let width = thickness * look.line;
    canvas.layer(&format!("class=\"line\" stroke-linejoin=\"round\"{dash}"), |area| {
        for part in parts {
            // A value between two gaps is a dot.
            if let [only] = part[..] {
                area.draw(&Circle::new(only, units(0.6 * width), fill(style.color, 1.0)));
            } else {
                area.path(part, stroke(width, style.color));
            }
        }
    });
}

fn draw_markers(canvas: &mut Canvas, parts: &[Vec<(i32, i32)>], style: &LineStyle, shift: usize, look: &Look) {
    canvas.layer("class=\"markers\"", |area| {
        spaced(parts, shift).into_iter().for_each(|center| draw_marker(area, center, style, look.line));
    });
}

fn draw_band(canvas: &mut Canvas, upper: &[(i32, i32)], lower: &[(i32, i32)], color: Rgb) {
    let outline: Vec<(i32, i32)> = upper.iter().chain(lower.iter().rev()).copied().collect();
    canvas.layer("class=\"band\"", |area| {
        area.draw(&Polygon::new(outline, fill(color, BAND_OPACITY)));
    });
}

fn draw_legend(canvas: &mut Canvas, layout: &Layout, look: &Look) {
    for entry in &layout.entries {
        let style = LineStyle::of(entry.curve.style);
        let y = units(entry.y - look.tick * 0.3);
        let (left, right) = (units(entry.x), units(entry.x + layout.sample));
        canvas.layer(&format!("class=\"legend\"{}", dashes(style.dash, look)), |area| {
            area.path(vec![(left, y), (right, y)], stroke(look.line, style.color));
        });
        canvas.layer("class=\"legend\"", |area| draw_marker(area, ((left + right) / 2, y), &style, look.line));
        let position = (entry.x + layout.sample + look.tick * 0.5, entry.y);
        canvas.text(&Rich::plain(&entry.words), position, look.tick, Anchor::Start);
    }
}
