//! What of a line is inside its frame, and where it leaves: lines are cut at the lower and upper edge, and marked
//! there, so that no value is left out in silence. Coordinates are those of the axes; a value without a coordinate
//! (zero on a logarithmic axis) is −∞.

use crate::scene::Point;

/// Cuts a line at `low` and `high`: its connected parts inside, each with at least one point, and the ends of every
/// stretch outside, where it crosses the edge, or its own first or last point there: at the upper edge, or at the lower
/// one. A point at −∞ is connected to nothing.
pub(crate) fn clip(points: &[(f64, f64)], low: f64, high: f64) -> (Vec<Vec<Point>>, Vec<(f64, bool)>) {
    // 1 above, 0 inside, −1 below.
    let side = |y: f64| if y >= low { i8::from(y > high) } else { -1 };
    let (mut parts, mut exits) = (Vec::new(), Vec::new());
    let mut part: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, y) in points {
        let (was, is) = (before.map(|before| side(before.1)), side(y));
        let edges = match (was, is) {
            (Some(was), is) if was != is => [was, is],
            _ => [0; 2],
        };
        // Leaving or coming back, or both where the line jumps across the frame.
        for edge in edges.into_iter().filter(|edge| *edge != 0) {
            let bound = if edge > 0 { high } else { low };
            let crossing = before.and_then(|before| crossing(before, (x, y), bound));
            part.extend(crossing.map(|x| (x, bound)));
            // Without a crossing the stretch begins, or ended, at the value that has no coordinate.
            let end = if was == Some(edge) { before.map_or(x, |before| before.0) } else { x };
            exits.push((crossing.unwrap_or(end), edge > 0));
        }
        match is {
            0 => part.push((x, y)),
            _ if part.is_empty() => {}
            _ => parts.push(std::mem::take(&mut part)),
        }
        if was.is_none() && is != 0 {
            exits.push((x, is > 0));
        }
        before = Some((x, y));
    }
    parts.extend((!part.is_empty()).then_some(part));
    let last = before.filter(|last| side(last.1) != 0);
    exits.extend(last.map(|(x, y)| (x, y > high)));
    exits.dedup();
    (parts, exits)
}

/// An edge of a band, cut at `low` and `high`: where it is outside it runs along the edge of the frame.
pub(crate) fn along(points: &[(f64, f64)], low: f64, high: f64) -> Vec<(f64, f64)> {
    let mut line = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, y) in points {
        // In the order in which the line comes to them.
        let is_falling = before.is_some_and(|before| y < before.1);
        for bound in if is_falling { [high, low] } else { [low, high] } {
            let crossing = before.and_then(|before| crossing(before, (x, y), bound));
            line.extend(crossing.map(|x| (x, bound)));
        }
        line.push((x, y.clamp(low, high)));
        before = Some((x, y));
    }
    line
}

/// The part of a line between two horizontal positions, and whether it goes on to the left and to the right of them.
pub(crate) fn between(points: &[(f64, f64)], low: f64, high: f64) -> (Vec<(f64, f64)>, [bool; 2]) {
    let mut part = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for &(x, y) in points {
        let swapped = (y, x);
        for bound in [low, high] {
            part.extend(before.and_then(|before| crossing(before, swapped, bound)).map(|y| (bound, y)));
        }
        part.extend((low..=high).contains(&x).then_some((x, y)));
        before = Some(swapped);
    }
    let beyond = [points.iter().any(|point| point.0 < low), points.iter().any(|point| point.0 > high)];
    (part, beyond)
}

/// Where the line between two points crosses a height that lies strictly between theirs; nowhere when one is not
/// finite.
fn crossing(from: (f64, f64), to: (f64, f64), bound: f64) -> Option<f64> {
    let between = (from.1 < bound && bound < to.1) || (to.1 < bound && bound < from.1);
    let share = (bound - from.1) / (to.1 - from.1);
    (between && share.is_finite() && from.1.is_finite() && to.1.is_finite()).then_some(from.0 + share * (to.0 - from.0))
}

#[cfg(test)]
mod tests {
    use super::{along, between, clip};
    use proptest::prelude::*;

    /// From 0 to 4 and back, a frame up to 2: the line leaves half way up and comes back half way down.
    #[test]
    fn a_peak_is_cut() {
        let (parts, exits) = clip(&[(0.0, 0.0), (1.0, 4.0), (2.0, 0.0)], 0.0, 2.0);
        assert_eq!(parts, [vec![(0.0, 0.0), (0.5, 2.0)], vec![(1.5, 2.0), (2.0, 0.0)]]);
        assert_eq!(exits, [(0.5, true), (1.5, true)]);
        let band = along(&[(0.0, 0.0), (1.0, 4.0), (2.0, 0.0)], 0.0, 2.0);
        assert_eq!(band, [(0.0, 0.0), (0.5, 2.0), (1.0, 2.0), (1.5, 2.0), (2.0, 0.0)]);
    }

    /// A value without a coordinate parts the line, and is marked at the lower edge; a line that is outside throughout
    /// has no part.
    #[test]
    fn what_has_no_coordinate_is_marked() {
        let none = f64::NEG_INFINITY;
        let (parts, exits) = clip(&[(0.0, 1.0), (1.0, 0.5), (2.0, none), (3.0, 1.0)], 0.0, 2.0);
        assert_eq!(parts, [vec![(0.0, 1.0), (1.0, 0.5)], vec![(3.0, 1.0)]]);
        assert_eq!(exits, [(2.0, false)]);
        let (parts, exits) = clip(&[(0.0, 9.0), (1.0, 8.0)], 0.0, 2.0);
        assert!(parts.is_empty());
        assert_eq!(exits, [(0.0, true), (1.0, true)]);
        let (parts, _) = clip(&[(0.0, 4.0), (1.0, -4.0)], 0.0, 2.0);
        assert_eq!(parts, [vec![(0.25, 2.0), (0.5, 0.0)]]);
    }

    /// Of a line that rises by one per step, the part from 0.5 to 2 begins half way up and ends at a point of its own.
    #[test]
    fn a_line_is_cut_at_both_sides() {
        let line = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)];
        assert_eq!(between(&line, 0.5, 2.0), (vec![(0.5, 0.5), (1.0, 1.0), (2.0, 2.0)], [true, true]));
        assert_eq!(between(&line, 0.0, 9.0), (line.to_vec(), [false, false]));
        assert_eq!(between(&[(0.0, 1.0), (4.0, 1.0)], 1.0, 2.0).0, [(1.0, 1.0), (2.0, 1.0)]);
    }

    proptest! {
        /// Every point is in a part or outside; nothing of a part is outside; whoever is outside leaves a mark.
        #[test]
        fn no_point_is_lost(values in proptest::collection::vec(-4.0f64..4.0, 1..40)) {
            let points: Vec<(f64, f64)> = (0..).map(f64::from).zip(values).collect();
            let (parts, exits) = clip(&points, -1.0, 1.0);
            let drawn: Vec<(f64, f64)> = parts.concat();
            prop_assert!(drawn.iter().all(|(_, y)| (-1.0..=1.0).contains(y)));
            prop_assert!(drawn.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            let inside = |point: &&(f64, f64)| (-1.0..=1.0).contains(&point.1);
            prop_assert!(points.iter().filter(inside).all(|point| drawn.contains(point)));
            let leaves = points.iter().any(|point| !inside(&point));
            prop_assert_eq!(leaves, !exits.is_empty());
        }
    }
}
