//! Draws a [`Figure`]: frames, ticks, bands, lines, markers, legend.

use super::clip::{Clipped, Exit, along, between, clip};
use super::ends::Margin;
use super::figure::{Figure, Panel, Rule};
use super::inset::{self, Placed};
use super::layout::{Horizontal, Layout, Sample, layout};
use super::marks::{decimate, draw_exit, draw_marker, draw_side_exit, is_covered, spaced};
use super::plot::{ABOVE, Frame, HAIRLINE, draw_axes, draw_x_labels, draw_y_labels};
use crate::axes::Axis;
use crate::curves::Curve;
use crate::replicates::CurvePoint;
use crate::scene::{Anchor, Canvas, Layer, Scene, fill, stroke, units};
use crate::shades::{BLACK, Rgb, WHITE};
use crate::style::{LineStyle, Look, dashes};
use crate::text::{Metrics, Rich};
use crate::words::headings;
use plotters::coord::CoordTranslate;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{Cartesian2d, Circle, Polygon};
use std::collections::BTreeMap;
use std::ops::Range;

/// How much of the paper a band covers.
const BAND_OPACITY: f64 = 0.18;
/// The same for points behind their trend.
const PALE: f64 = 0.3;
/// Thickness of a line where some replicates have ended.
const ENDED: f64 = 0.45;

type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;

/// The figure as an SVG file with `description` as metadata.
pub(crate) fn draw(figure: &Figure, look: &Look, metrics: &Metrics) -> Scene {
    let layout = layout(figure, look, metrics);
    let mut canvas = Canvas::new(layout.width, layout.height);
    let rules = rule_numbers(figure);
    let room = layout.frames.first().map_or(0.0, |frame| frame.right - frame.left + look.tick);
    let headings = headings(figure.panels.iter().map(|panel| &panel.heading), room, look.tick, metrics);
    for (index, panel) in figure.panels.iter().enumerate() {
        let (frame, horizontal) = (&layout.frames[index], &layout.horizontals[index]);
        let (own, vertical) = (figure.vertical(panel), &layout.verticals[panel.vertical]);
        let plane = plane(frame, horizontal, vertical);
        let label_x = layout.label_x[index];
        draw_panel_axes(&mut canvas, &plane, frame, (horizontal, vertical), label_x.is_some(), look);
        let (middle, height) = frame.middle();
        if panel.heading.is_some() {
            let position = (middle, frame.top - ABOVE * look.tick);
            canvas.text(&Rich::plain(&headings[index]), position, look.tick, Anchor::Middle);
        }
        if let Some(x) = label_x {
            let size = metrics.fitting(&own.label, look.label, frame.beside(look));
            canvas.upward_text(&own.label, (x, height), size, Anchor::Middle);
        }
        let bounds = own
            .window
            .as_ref()
            .and_then(|window| Some((vertical.coordinate(window.low)?, vertical.coordinate(window.high)?)));
        let bounds = bounds.unwrap_or((vertical.low, vertical.high));
        let chart = Chart { panel, plane, horizontal, vertical, bounds, look, marks_exits: true };
        chart.draw(&mut canvas, &rules);
        Margin { frame: *frame, vertical, bounds, look }.draw(&mut canvas, panel, figure.ends);
        if let Ok(Some(inset)) = inset::placed(figure, index, &layout, look, metrics) {
            draw_inset(&mut canvas, &inset, &rules, look);
        }
        if !panel.curves.iter().any(Curve::has_rounds) {
            canvas.text(&Rich::plain("no rounds"), (middle, height), look.tick, Anchor::Middle);
        }
    }
    draw_legend(&mut canvas, &layout, look);
    canvas.finish()
}

/// An inset: the part that it shows outlined in the large frame, and its own frame on white.
fn draw_inset(canvas: &mut Canvas, inset: &Placed<'_>, rules: &BTreeMap<&str, usize>, look: &Look) {
    let corners = |frame: &Frame| {
        let Frame { left, top, right, bottom } = *frame;
        [(left, bottom), (left, top), (right, top), (right, bottom)].map(|(x, y)| (units(x), units(y))).to_vec()
    };
    let closed = |frame: &Frame| [corners(frame), corners(frame)[..2].to_vec()].concat();
    let thin = stroke(HAIRLINE * look.line, RULE);
    canvas.layer(Layer::new("inset"), |area| {
        area.path(closed(&inset.part), thin);
        area.draw(&Polygon::new(corners(&inset.outer), fill(WHITE, 1.0)));
        area.path(closed(&inset.frame), thin);
    });
    let Placed { frame, panel, horizontal, vertical, bounds, .. } = inset;
    let plane = plane(frame, horizontal, vertical);
    let Frame { left, top, right, bottom } = *frame;
    let (x, position) = (&horizontal.axis, |position: (f64, f64)| plane.translate(&position));
    draw_axes(canvas, &[(left, top), (left, bottom), (right, bottom)], (x, vertical), &position, (0.8, look));
    draw_x_labels(canvas, *frame, x, &|at| position((at, vertical.low)).0, look);
    draw_y_labels(canvas, *frame, vertical, &|at| position((x.low, at)).1, look);
    Chart { panel, plane, horizontal, vertical, bounds: *bounds, look, marks_exits: false }.draw(canvas, rules);
}

/// The number of each value with a line, by its label.
fn rule_numbers(figure: &Figure) -> BTreeMap<&str, usize> {
    let mut numbers = BTreeMap::new();
    for rule in figure.panels.iter().flat_map(|panel| &panel.rules) {
        let next = numbers.len();
        numbers.entry(rule.label.as_str()).or_insert(next);
    }
    numbers
}

/// Colour, dash and marker of a line: where several quantities share its panel, the dashes are the quantity's.
fn style_of(curve: &Curve) -> LineStyle {
    let style = LineStyle::of(curve.style);
    if let Some(slope) = &curve.slope {
        return LineStyle { dash: DOTTED[slope.number % DOTTED.len()], ..style };
    }
    curve.quantity.as_ref().map_or(style, |(number, _)| style.dashed(*number))
}

/// Of slopes, which stand beside an arm in its colour and are thinner: no arm has such dashes. An arm's first slope has
/// single dots, the second pairs of dots, the third dots far apart.
const DOTTED: [&[f64]; 3] = [&[0.7, 2.0], &[0.7, 1.6, 0.7, 5.0], &[0.7, 6.0]];
const SLOPE: f64 = 0.8;
/// Grey of lines that are no arm.
const RULE: Rgb = (0x70, 0x70, 0x70);

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
    panel: &'a Panel,
    plane: Plane,
    horizontal: &'a Horizontal,
    vertical: &'a Axis,
    /// Where lines are cut, in coordinates of the vertical axis.
    bounds: (f64, f64),
    look: &'a Look,
    /// Is it marked where lines leave the frame?
    marks_exits: bool,
}

impl Chart<'_> {
    /// All lines of the panel, and those across it. What lies behind goes first for all curves, so that no curve's
    /// background hides another's line.
    fn draw(&self, canvas: &mut Canvas, rules: &BTreeMap<&str, usize>) {
        self.panel.rules.iter().for_each(|rule| self.draw_rule(canvas, rule, rules[rule.label.as_str()]));
        self.panel.curves.iter().for_each(|curve| self.draw_background(canvas, curve));
        self.panel.curves.iter().for_each(|curve| self.draw_foreground(canvas, curve));
    }

    /// A line across the frame at a value.
    fn draw_rule(&self, canvas: &mut Canvas, rule: &Rule, number: usize) {
        let Some(height) = self.vertical.coordinate(rule.y).filter(|y| (self.bounds.0..=self.bounds.1).contains(y))
        else {
            return;
        };
        let ends = [self.horizontal.axis.low, self.horizontal.axis.high].map(|x| self.plane.translate(&(x, height)));
        draw_rule_line(canvas, ends, number, self.look);
    }

    /// The band of replicates, or the pale points behind a trend.
    fn draw_background(&self, canvas: &mut Canvas, curve: &Curve) {
        let color = style_of(curve).color;
        if !curve.trend.is_empty() {
            let points = self.coordinates(curve, 0..curve.points.len(), |index| curve.points[index].median);
            let line = clip(&self.within(&points), self.bounds.0, self.bounds.1);
            canvas.layer(Layer::new("points").pale(PALE), |area| {
                for part in self.parts(&line) {
                    area.path(part, stroke(0.6 * self.look.line, color));
                }
            });
        } else if curve.replicates > 1 {
            let edge = |value: fn(&CurvePoint) -> f64| {
                let coordinates = self.coordinates(curve, 0..curve.points.len(), |index| value(&curve.points[index]));
                let line = along(&self.within(&coordinates), self.bounds.0, self.bounds.1);
                decimate(&self.on_paper(&line))
            };
            draw_band(canvas, &edge(|point| point.high), &edge(|point| point.low), color);
        }
    }

    /// The line, which is the trend where there is one, thin from where some replicates have ended; its markers, and
    /// marks where it leaves the frame.
    fn draw_foreground(&self, canvas: &mut Canvas, curve: &Curve) {
        let style = style_of(curve);
        let value = |index: usize| curve.trend.get(index).copied().unwrap_or(curve.points[index].median);
        let (all, ended) = (curve.points.len(), curve.first_ended());
        let mut whole = self.coordinates(curve, 0..all, value);
        if whole.is_empty() {
            // At zero of a logarithmic horizontal axis throughout: the last value at its left edge.
            let last =
                curve.points.last().map(|point| self.vertical.coordinate(point.median).unwrap_or(f64::NEG_INFINITY));
            whole.extend(last.map(|height| (self.horizontal.axis.low, height)));
        }
        let sides = self.sides(&whole);
        let (from, to) = self.limits();
        let is_inside = |(x, y): &(f64, f64)| (from..=to).contains(x) && (self.bounds.0..=self.bounds.1).contains(y);
        let probes: Vec<(f64, f64)> = whole.iter().copied().filter(is_inside).collect();
        let whole = self.within(&whole);
        let whole = clip(&whole, self.bounds.0, self.bounds.1);
        let line = |range: Range<usize>| {
            let points = self.coordinates(curve, range, value);
            self.parts(&clip(&self.within(&points), self.bounds.0, self.bounds.1))
        };
        let thickness = if curve.slope.is_some() { SLOPE } else { 1.0 };
        draw_line(canvas, line(0..ended), &style, thickness, self.look);
        if ended < all {
            draw_line(canvas, line(ended.saturating_sub(1)..all), &style, ENDED, self.look);
        }
        // Straight lines between few values are no course of anything.
        let mut centers = match curve.is_sparse() {
            true => self.on_paper(&probes),
            false => spaced(&self.parts(&whole), curve.style),
        };
        // Where there is a trend, the line behind it leaves more often.
        let recorded = self.within(&self.coordinates(curve, 0..all, |index| curve.points[index].median));
        let exits =
            if curve.trend.is_empty() { whole.exits } else { clip(&recorded, self.bounds.0, self.bounds.1).exits };
        let (exits, sides) = if self.marks_exits { (self.exits(&exits), sides) } else { (Vec::new(), Vec::new()) };
        let tips = || exits.iter().chain(&sides).map(|(tip, _)| *tip);
        centers.retain(|center| !tips().any(|tip| is_covered(*center, tip, self.look.line)));
        if curve.slope.is_none() {
            draw_markers(canvas, centers, &style, self.look);
        }
        if tips().next().is_some() {
            canvas.layer(Layer::new("exits"), |area| {
                exits.iter().for_each(|&(tip, above)| draw_exit(area, tip, above, style.color, self.look.line));
                for &(tip, right) in &sides {
                    draw_side_exit(area, tip, right, style.color, self.look.line);
                }
            });
        }
    }

    /// The part of a line within the limits of the horizontal axis; all of it where it has none.
    fn within(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (low, high) = self.limits();
        between(points, low, high).0
    }

    /// Where a line goes on beyond the limits of the horizontal axis, and whether to the right.
    fn sides(&self, points: &[(f64, f64)]) -> Vec<((i32, i32), bool)> {
        let (low, high) = self.limits();
        let (part, beyond) = between(points, low, high);
        let inside = |y: f64| (self.bounds.0..=self.bounds.1).contains(&y);
        let mut sides = Vec::new();
        for (end, goes_on, right) in [(part.first(), beyond[0], false), (part.last(), beyond[1], true)] {
            let end = end.filter(|end| goes_on && inside(end.1));
            sides.extend(end.map(|end| (self.plane.translate(end), right)));
        }
        sides
    }

    /// The limits of the horizontal axis in its coordinates.
    fn limits(&self) -> (f64, f64) {
        let (Horizontal { axis, unit, .. }, limits) = (self.horizontal, self.panel.limits);
        let coordinate = |limit: Option<f64>| limit.and_then(|limit| axis.coordinate(limit / unit));
        let (low, high) = (coordinate(limits.from), coordinate(limits.to));
        (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
    }

    /// Points of the line in axis coordinates; those without a horizontal coordinate (zero on a logarithmic axis) are
    /// left out, values without a vertical one are at −∞.
    fn coordinates(&self, curve: &Curve, range: Range<usize>, value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let point = |index: usize| {
            let across =
                self.horizontal.axis.coordinate(curve.points[index].at(self.panel.x) / self.horizontal.unit)?;
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
    canvas.layer(Layer::new("line").dashed(dash), |area| {
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

fn draw_markers(canvas: &mut Canvas, centers: Vec<(i32, i32)>, style: &LineStyle, look: &Look) {
    canvas.layer(Layer::new("markers"), |area| {
        centers.into_iter().for_each(|center| draw_marker(area, center, style, look.line));
    });
}

fn draw_band(canvas: &mut Canvas, upper: &[(i32, i32)], lower: &[(i32, i32)], color: Rgb) {
    let outline: Vec<(i32, i32)> = upper.iter().chain(lower.iter().rev()).copied().collect();
    canvas.layer(Layer::new("band"), |area| {
        area.draw(&Polygon::new(outline, fill(color, BAND_OPACITY)));
    });
}

/// A thin line in grey; lines at different values have different dashes.
fn draw_rule_line(canvas: &mut Canvas, ends: [(i32, i32); 2], number: usize, look: &Look) {
    let style = LineStyle::of(0).dashed(number + 1);
    canvas.layer(Layer::new("rule").dashed(dashes(style.dash, look)), |area| {
        area.path(ends.to_vec(), stroke(0.8 * look.line, RULE));
    });
}

fn draw_legend(canvas: &mut Canvas, layout: &Layout, look: &Look) {
    for entry in &layout.entries {
        let y = units(entry.y - look.tick * 0.3);
        let (left, right) = (units(entry.x), units(entry.x + layout.sample));
        let black = LineStyle { color: BLACK, ..LineStyle::of(0) };
        let sample = |canvas: &mut Canvas, style: &LineStyle| {
            canvas.layer(Layer::new("legend").dashed(dashes(style.dash, look)), |area| {
                area.path(vec![(left, y), (right, y)], stroke(look.line, style.color));
            });
        };
        match entry.sample {
            Sample::Rule(number) => draw_rule_line(canvas, [(left, y), (right, y)], number, look),
            Sample::Quantity(number) => sample(canvas, &black.dashed(number)),
            Sample::Curve(curve) => {
                let style = style_of(curve);
                sample(canvas, &style);
                if curve.slope.is_none() {
                    let middle = ((left + right) / 2, y);
                    canvas.layer(Layer::new("legend"), |area| draw_marker(area, middle, &style, look.line));
                }
            }
        }
        let position = (entry.x + layout.sample + look.tick * 0.5, entry.y);
        canvas.text(&Rich::plain(&entry.words), position, look.tick, Anchor::Start);
    }
}
