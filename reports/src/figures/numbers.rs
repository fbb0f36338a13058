//! Numbers beside markers, where there is room for them.

use super::plot::Frame;
use crate::style::Look;
use crate::svg::points;
use crate::text::{Metrics, Rich};

/// Size of numbers, in sizes of tick labels.
pub(crate) const SIZE: f64 = 0.78;
/// From a number to what is beside it, at least; in points.
const APART: f64 = 1.2;

/// A marker: its centre, half the side of the square that holds it, and its number.
pub(crate) struct Labelled {
    pub center: (i32, i32),
    pub half_width: f64,
    pub number: Option<usize>,
}

/// A number beside its marker: which dot's, and its left, top, right and bottom.
pub(crate) struct Number {
    pub dot: usize,
    pub words: Rich,
    pub bounds: [f64; 4],
}

/// The numbers that have room: each in the first of eight positions around its marker, inside the frame, that meets no
/// marker and no other number.
pub(crate) fn numbers(dots: &[Labelled], frame: &Frame, look: &Look, metrics: &Metrics) -> Vec<Number> {
    let size = SIZE * look.tick;
    let around = |dot: &Labelled| {
        let (x, y, half) = (points(dot.center.0), points(dot.center.1), dot.half_width);
        [x - half, y - half, x + half, y + half]
    };
    let mut taken: Vec<[f64; 4]> = dots.iter().map(around).collect();
    // Not on the axes, and a hair apart from other numbers.
    let inside = |own: &[f64; 4]| {
        own[0] > frame.left + look.line
            && own[1] > frame.top
            && own[2] < frame.right
            && own[3] < frame.bottom - look.line
    };
    let mut numbers = Vec::new();
    for (index, dot) in dots.iter().enumerate() {
        let Some(number) = dot.number else { continue };
        let words = Rich::plain(&number.to_string());
        // Digits are about that high.
        let (width, height) = (metrics.width(&words, size), 0.7 * size);
        let (x, y, far) = (points(dot.center.0), points(dot.center.1), dot.half_width + APART + 0.1);
        let (beside, above) = (far + 0.5 * width, far + 0.5 * height);
        let directions = [(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)];
        let mut boxes = directions.into_iter().map(|(across, down)| {
            let (x, y) = (x + f64::from(across) * beside, y + f64::from(down) * above);
            [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
        });
        let free = |own: &[f64; 4]| inside(own) && !taken.iter().any(|other| meets(own, other));
        if let Some(bounds) = boxes.find(free) {
            taken.push(bounds);
            numbers.push(Number { dot: index, words, bounds });
        }
    }
    numbers
}

/// Whether a number is too near to what is in the other box.
fn meets(own: &[f64; 4], other: &[f64; 4]) -> bool {
    own[0] - APART < other[2] && other[0] < own[2] + APART && own[1] - APART < other[3] && other[1] < own[3] + APART
}
