//! A frame with its axes, and how values become positions in it.

use crate::axes::Axis;
use crate::scene::{Point, Scene, SceneGroup, in_points, stroke, units};
use crate::style::{BLACK, Look};
use plotters::coord::CoordTranslate;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;

/// Thickness of axes and ticks, in lines of data.
pub(crate) const HAIRLINE: f64 = 0.6;
/// Length of a tick without a label, in ticks.
const MINOR: f64 = 0.6;

/// From words to the edges of their column, in sizes of tick labels.
pub(super) const MARGIN: f64 = 0.2;

/// A rectangle on the page, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    pub(crate) fn middle(&self) -> Point {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

#[derive(Clone)]
pub(crate) struct Plot {
    pub frame: Frame,
    pub x: Axis,
    pub y: Axis,
    plane: Cartesian2d<RangedCoordf64, RangedCoordf64>,
}

impl Plot {
    pub(crate) fn new(frame: Frame, x: Axis, y: Axis) -> Self {
        let across = units(frame.left)..units(frame.right);
        let upwards = units(frame.bottom)..units(frame.top);
        let plane = Cartesian2d::new(x.low..x.high, y.low..y.high, (across, upwards));
        Self { frame, x, y, plane }
    }

    /// Where a point in axis coordinates is drawn.
    pub(crate) fn at(&self, position: Point) -> Point {
        in_points(self.plane.translate(&position))
    }

    /// Where values are drawn; none where an axis has no coordinate for them.
    pub(crate) fn of(&self, (x, y): (f64, f64)) -> Option<Point> {
        Some(self.at((self.x.coordinate(x)?, self.y.coordinate(y)?)))
    }

    /// Does the frame hold a position on the page?
    pub(crate) fn holds(&self, (x, y): Point) -> bool {
        let hair = 0.02;
        let Frame { left, top, right, bottom } = self.frame;
        (left - hair..=right + hair).contains(&x) && (top - hair..=bottom + hair).contains(&y)
    }

    /// Draws the left and the bottom edge with their ticks: an axis of names has none.
    pub(crate) fn draw_axes(&self, canvas: &mut Scene, [has_x, has_y]: [bool; 2], look: &Look) {
        let Frame { left, top, right, bottom } = self.frame;
        let (long, short) = (look.tick_length(), MINOR * look.tick_length());
        let line = stroke(HAIRLINE * look.line, BLACK);
        canvas.layer(SceneGroup::new("axes"), |area| {
            match [has_x, has_y] {
                [true, true] => area.line(&[(left, top), (left, bottom), (right, bottom)], line),
                [true, false] => area.line(&[(left, bottom), (right, bottom)], line),
                [false, true] => area.line(&[(left, top), (left, bottom)], line),
                [false, false] => {}
            }
            let ticks = |axis: &Axis| -> Vec<(f64, f64)> {
                let long = axis.ticks.iter().map(|tick| (tick.at, long));
                long.chain(axis.minor.iter().map(|&at| (at, short))).collect()
            };
            for (at, length) in ticks(&self.x).into_iter().filter(|_| has_x) {
                let across = self.at((at, self.y.low)).0;
                area.line(&[(across, bottom), (across, bottom + length)], line);
            }
            for (at, length) in ticks(&self.y).into_iter().filter(|_| has_y) {
                let upwards = self.at((self.x.low, at)).1;
                area.line(&[(left - length, upwards), (left, upwards)], line);
            }
        });
    }
}

/// A measured panel.
#[derive(Clone)]
pub(super) struct Placed {
    pub plot: Plot,
    /// The baseline of the upward label of the vertical axis; none where the panel before has the same axis.
    pub label_x: Option<f64>,
    pub strip: f64,
    /// Left ends of the columns of words.
    pub beside: Vec<f64>,
    /// Where the room of the panel ends at the right.
    pub end: f64,
    /// The names of the vertical and of the horizontal axis as they are drawn.
    pub names: [Vec<String>; 2],
    /// Do the names below the frame read upwards?
    pub upward: bool,
    /// Has its horizontal axis no labels, as those of the panel below serve it?
    pub is_labelled_below: bool,
    /// From where to where the label of its horizontal axis stands: it serves also the panels above and right of it.
    pub x_label: Option<(f64, f64)>,
}
