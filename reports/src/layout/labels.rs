//! Words beside positions, where there is room for them.

use super::Frame;
use crate::scene::Point;
use crate::style::Look;
use crate::text::Rich;

/// From words to what is beside them, at least; in points.
const APART: f64 = 1.2;

/// Words to be set beside a position.
pub(crate) struct Wanted {
    pub at: Point,
    /// Half the side of the square that holds what is drawn there.
    pub half_width: f64,
    pub words: Option<Rich>,
    /// The side of it on which they may stand; (0, 0): all.
    pub toward: Point,
    /// Are they a name, which may stand on lines, and of which it is told that it has no room?
    pub is_name: bool,
}

/// Words that have room: beside which position, their left, top, right and bottom, and their baseline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SetLabel {
    pub number: usize,
    pub words: Rich,
    pub bounds: [f64; 4],
    pub baseline: f64,
}

/// Words of that size: each in the first of up to eight places around its position, inside the frame, that meets no
/// other position, no line and no other words, and is nearer to its own position than to another.
pub(crate) fn beside(
    wanted: &[Wanted],
    lines: &[[Point; 2]],
    (frame, size): (&Frame, f64),
    look: &Look,
) -> Vec<SetLabel> {
    let around = |Wanted { at: (x, y), half_width: half, .. }: &Wanted| [x - half, y - half, x + half, y + half];
    let mut taken: Vec<[f64; 4]> = wanted.iter().map(around).collect();
    let inside = |bounds: &[f64; 4]| {
        bounds[0] > frame.left + look.line
            && bounds[1] > frame.top
            && bounds[2] < frame.right
            && bounds[3] < frame.bottom - look.line
    };
    let mut placed = Vec::new();
    for (number, Wanted { at: (x, y), half_width, words, toward, .. }) in wanted.iter().enumerate() {
        let Some(words) = words else { continue };
        // Digits and capitals are about that high, and others reach below the line.
        let depth = if words.characters().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()) { 0.0 } else { 0.24 };
        let (width, height, depth) = (words.width(size), (0.7 + depth) * size, depth * size);
        let far = half_width + APART + 0.1;
        let (across, above) = (far + 0.5 * width, far + 0.5 * height);
        let mut directions = vec![(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)];
        let along = |&(right, down): &(i32, i32)| {
            let (right, down) = (f64::from(right), f64::from(down));
            (right * toward.0 + down * toward.1) / libm::hypot(right, down)
        };
        directions.retain(|direction| along(direction) >= 0.0);
        directions.sort_by(|one, two| along(two).total_cmp(&along(one)));
        let mut boxes = directions.into_iter().map(|(right, down)| {
            let (x, y) = (x + f64::from(right) * across, y + f64::from(down) * above);
            [x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height]
        });
        let is_own = |bounds: &[f64; 4]| {
            let near = |wanted: &Wanted| distance(bounds, wanted.at) - wanted.half_width;
            let gap = near(&wanted[number]);
            wanted.iter().enumerate().all(|(index, one)| index == number || one.at == (*x, *y) || near(one) > gap)
        };
        let free = |bounds: &[f64; 4]| {
            inside(bounds)
                && !taken.iter().any(|one| meets(bounds, one))
                && !lines.iter().any(|ends| crosses(ends, bounds))
                && is_own(bounds)
        };
        if let Some(bounds) = boxes.find(free) {
            taken.push(bounds);
            placed.push(SetLabel { number, words: words.clone(), bounds, baseline: bounds[3] - depth });
        }
    }
    placed
}

/// How far a position is from a box.
fn distance(bounds: &[f64; 4], (x, y): Point) -> f64 {
    let beyond = |at: f64, low: f64, high: f64| (low - at).max(at - high).max(0.0);
    libm::hypot(beyond(x, bounds[0], bounds[2]), beyond(y, bounds[1], bounds[3]))
}

/// Whether two boxes are nearer than words may be.
pub(super) fn meets(one: &[f64; 4], two: &[f64; 4]) -> bool {
    one[0] - APART < two[2] && two[0] < one[2] + APART && one[1] - APART < two[3] && two[1] < one[3] + APART
}

/// Whether a line comes too near to words: whether what of it is between their left and right is between their top and
/// bottom somewhere (Liang and Barsky 1984).
pub(super) fn crosses(&[(x, y), (to_x, to_y)]: &[Point; 2], bounds: &[f64; 4]) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, step, low, high) in [(x, to_x - x, bounds[0], bounds[2]), (y, to_y - y, bounds[1], bounds[3])] {
        let (low, high) = (low - 0.5 * APART - start, high + 0.5 * APART - start);
        if step == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (one, two) = (low / step, high / step);
        from = from.max(one.min(two));
        to = to.min(one.max(two));
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
