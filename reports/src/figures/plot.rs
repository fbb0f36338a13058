//! A frame with its axes: points in it, its ticks and their labels.

use crate::axes::Axis;
use crate::scene::{Anchor, Canvas, Layer, points, stroke, units};
use crate::shades::BLACK;
use crate::style::Look;

/// Thickness of axes and ticks, in thicknesses of a line of data.
pub(crate) const HAIRLINE: f64 = 0.55;
/// Length of a tick without a label, in lengths of one with a label.
const MINOR: f64 = 0.55;

/// Baseline of what stands over a frame, in sizes of tick labels above it: a marker on the frame is free of it.
pub(crate) const ABOVE: f64 = 0.7;

/// A frame in points; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    /// Its middle across and downwards.
    pub(crate) fn middle(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    /// Room for words beside it, upwards: its height and what is free between it and a legend right above.
    pub(crate) fn beside(&self, look: &Look) -> f64 {
        self.bottom - self.top + 1.2 * look.tick
    }
}

/// A frame with its axes.
pub(crate) struct Plot {
    pub frame: Frame,
    pub x: Axis,
    pub y: Axis,
}

impl Plot {
    /// Where a point in axis coordinates is drawn, in units.
    pub(crate) fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let Frame { left, top, right, bottom } = self.frame;
        let across = left + (x - self.x.low) / (self.x.high - self.x.low) * (right - left);
        let upwards = bottom - (y - self.y.low) / (self.y.high - self.y.low) * (bottom - top);
        (units(across), units(upwards))
    }

    /// Draws the left and the bottom edge with their ticks.
    pub(crate) fn draw_axes(&self, canvas: &mut Canvas, look: &Look) {
        let Frame { left, top, right, bottom } = self.frame;
        let outline = [(left, top), (left, bottom), (right, bottom)];
        draw_axes(canvas, &outline, (&self.x, &self.y), &|point| self.at(point), (1.0, look));
    }

    pub(crate) fn draw_x_labels(&self, canvas: &mut Canvas, look: &Look) {
        draw_x_labels(canvas, self.frame, &self.x, &|at| self.at((at, self.y.low)).0, look);
    }

    pub(crate) fn draw_y_labels(&self, canvas: &mut Canvas, look: &Look) {
        draw_y_labels(canvas, self.frame, &self.y, &|at| self.at((self.x.low, at)).1, look);
    }
}

/// Draws a line through the corners of a frame (in points), and the ticks of its axes; `thin`: thickness of ticks
/// without a label, in thicknesses of the others.
pub(crate) fn draw_axes(
    canvas: &mut Canvas,
    corners: &[(f64, f64)],
    (x, y): (&Axis, &Axis),
    position: &dyn Fn((f64, f64)) -> (i32, i32),
    (thin, look): (f64, &Look),
) {
    let outline: Vec<(i32, i32)> = corners.iter().map(|&(x, y)| (units(x), units(y))).collect();
    let (left, bottom) = (outline[0].0, outline[outline.len() - 1].1);
    let (long, short) = (units(look.tick_length()), units(MINOR * look.tick_length()));
    let (line, thin) = (stroke(HAIRLINE * look.line, BLACK), stroke(HAIRLINE * thin * look.line, BLACK));
    let (across, upwards) = (|at: f64| position((at, y.low)).0, |at: f64| position((x.low, at)).1);
    canvas.layer(Layer::new("axes"), |area| {
        area.path(outline, line);
        let below = |at: f64, length, line| area.path(vec![(across(at), bottom), (across(at), bottom + length)], line);
        x.ticks.iter().for_each(|tick| below(tick.at, long, line));
        x.minor.iter().for_each(|&at| below(at, short, thin));
        let beside = |at: f64, length, line| area.path(vec![(left - length, upwards(at)), (left, upwards(at))], line);
        y.ticks.iter().for_each(|tick| beside(tick.at, long, line));
        y.minor.iter().for_each(|&at| beside(at, short, thin));
    });
}

/// Labels of the ticks below a frame.
pub(crate) fn draw_x_labels(canvas: &mut Canvas, frame: Frame, x: &Axis, across: &dyn Fn(f64) -> i32, look: &Look) {
    let baseline = look.tick_baseline(frame.bottom);
    for tick in &x.ticks {
        canvas.text(&tick.label, (points(across(tick.at)), baseline), look.tick, Anchor::Middle);
    }
}

/// Labels of the ticks left of a frame.
pub(crate) fn draw_y_labels(canvas: &mut Canvas, frame: Frame, y: &Axis, upwards: &dyn Fn(f64) -> i32, look: &Look) {
    let right = frame.left - look.tick_length() - look.gap();
    for tick in &y.ticks {
        canvas.text(&tick.label, (right, points(upwards(tick.at)) + 0.33 * look.tick), look.tick, Anchor::End);
    }
}
