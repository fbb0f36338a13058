//! Words beside markers, where there is room for them.

use super::plot::Frame;
use crate::scene::points;
use crate::style::Look;
use crate::text::{Metrics, Rich};

/// Size of numbers, in sizes of tick labels.
pub(crate) const SIZE: f64 = 0.78;
/// From words to what is beside them, at least; in points.
const APART: f64 = 1.2;

/// A marker: its centre, half the side of the square that holds it, the words beside it, and on which side of it these
/// may stand, if not on all.
pub(crate) struct Labelled {
    pub center: (i32, i32),
    pub half_width: f64,
    pub words: Option<Rich>,
    pub toward: (f64, f64),
}

/// Words beside their marker: which dot's, their left, top, right and bottom, and the line that they stand on.
pub(crate) struct Number {
    pub dot: usize,
    pub words: Rich,
    pub bounds: [f64; 4],
    pub baseline: f64,
}

/// The words of that size that have room: each in the first of up to eight positions around its marker, inside the
/// frame, that meets no marker, no line and no other words.
pub(crate) fn numbers(
    dots: &[Labelled],
    lines: &[[(i32, i32); 2]],
    (frame, size): (&Frame, f64),
    look: &Look,
    metrics: &Metrics,
) -> Vec<Number> {
    let around = |dot: &Labelled| {
        let (x, y, half) = (points(dot.center.0), points(dot.center.1), dot.half_width);
        [x - half, y - half, x + half, y + half]
    };
    let mut taken: Vec<[f64; 4]> = dots.iter().map(around).collect();
    let lines: Vec<_> = lines.iter().map(|ends| ends.map(|(x, y)| (points(x), points(y)))).collect();
    // Not on the axes, and a hair apart from other words.
    let inside = |own: &[f64; 4]| {
        own[0] > frame.left + look.line
            && own[1] > frame.top
            && own[2] < frame.right
            && own[3] < frame.bottom - look.line
    };
    let mut numbers = Vec::new();
    for (index, dot) in dots.iter().enumerate() {
        let Some(words) = &dot.words else { continue };
        // Digits and capitals are about that high, and others reach below the line.
        let depth = if words.characters().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) { 0.0 } else { 0.24 };
        let (width, height, depth) = (metrics.width(words, size), (0.7 + depth) * size, depth * size);
        let (x, y, far) = (points(dot.center.0), points(dot.center.1), dot.half_width + APART + 0.1);
        let (beside, above) = (far + 0.5 * width, far + 0.5 * height);
        let mut directions = vec![(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)];
        let along = |&(across, down): &(i32, i32)| {
            let (across, down) = (f64::from(across), f64::from(down));
            (across * dot.toward.0 + down * dot.toward.1) / libm::hypot(across, down)
        };
        // On the other side they would seem to belong to another marker. Stable: where none is better, the order above.
        directions.retain(|direction| along(direction) >= 0.0);
        directions.sort_by(|one, other| along(other).total_cmp(&along(one)));
        let mut boxes = directions.into_iter().map(|(across, down)| {
            let (x, y) = (x + f64::from(across) * beside, y + f64::from(down) * above);
            [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
        });
        let free = |own: &[f64; 4]| {
            inside(own) && !taken.iter().any(|other| meets(own, other)) && !lines.iter().any(|ends| crosses(ends, own))
        };
        if let Some(bounds) = boxes.find(free) {
            taken.push(bounds);
            numbers.push(Number { dot: index, words: words.clone(), bounds, baseline: bounds[3] - depth });
        }
    }
    numbers
}

/// Whether words are too near to what is in the other box.
fn meets(own: &[f64; 4], other: &[f64; 4]) -> bool {
    own[0] - APART < other[2] && other[0] < own[2] + APART && own[1] - APART < other[3] && other[1] < own[3] + APART
}

/// Whether a line comes too near to words: whether what of it is between their left and right is between their top and
/// bottom somewhere (Liang and Barsky 1984).
fn crosses(&[(x, y), (to_x, to_y)]: &[(f64, f64); 2], bounds: &[f64; 4]) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, step, low, high) in [(x, to_x - x, bounds[0], bounds[2]), (y, to_y - y, bounds[1], bounds[3])] {
        let (low, high) = (low - 0.5 * APART - start, high + 0.5 * APART - start);
        if step == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (one, other) = (low / step, high / step);
        from = from.max(one.min(other));
        to = to.min(one.max(other));
    }
    from <= to
}

#[cfg(test)]
mod tests {
    use super::{APART, crosses};
    use proptest::prelude::*;

    proptest! {
        /// A line crosses a box where one of many points on it is inside; one that does not comes no nearer.
        #[test]
        fn crossings_are_found(ends in prop::array::uniform4(-20.0f64..20.0), size in (1.0f64..9.0, 1.0f64..9.0)) {
            let line = [(ends[0], ends[1]), (ends[2], ends[3])];
            let bounds = [0.0, 0.0, size.0, size.1];
            let inside = |share: f64, margin: f64| {
                let (x, y) = (ends[0] + share * (ends[2] - ends[0]), ends[1] + share * (ends[3] - ends[1]));
                x >= -margin && x <= size.0 + margin && y >= -margin && y <= size.1 + margin
            };
            let any = |margin: f64| (0..=2_000).any(|step| inside(f64::from(step) / 2_000.0, margin));
            prop_assert!(!any(0.5 * APART) || crosses(&line, &bounds));
            prop_assert!(any(0.5 * APART + 0.05) || !crosses(&line, &bounds));
        }
    }
}
