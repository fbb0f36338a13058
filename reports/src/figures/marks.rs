//! Points of a line as marks on paper: thinned to what print resolves, with markers at even distances.

use crate::scene::{Area, fill, stroke, units};
use crate::shades::{Rgb, WHITE};
use crate::style::{LineStyle, Marker};
use plotters::prelude::{Circle, Polygon};

/// Width of a column of the drawing within which only first, lowest, highest and last point are kept: 0.4 pt.
const COLUMN: i32 = 40;
/// Markers on a line.
const MARKERS: i32 = 6;

/// Keeps what can be seen: per column the first, lowest, highest and last point, in their order. A line that turns
/// back, as an ellipse does, has no columns: all of it stays.
pub(crate) fn decimate(points: &[(i32, i32)]) -> Vec<(i32, i32)> {
    if !points.is_sorted_by_key(|point| point.0) {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a.0.div_euclid(COLUMN) == b.0.div_euclid(COLUMN)) {
        let indices = 0..column.len();
        let lowest = indices.clone().max_by_key(|&index| column[index].1).unwrap_or(0);
        let highest = indices.min_by_key(|&index| column[index].1).unwrap_or(0);
        let mut chosen = [0, lowest, highest, column.len() - 1];
        chosen.sort_unstable();
        for (position, &index) in chosen.iter().enumerate() {
            if position == 0 || chosen[position - 1] != index {
                kept.push(column[index]);
            }
        }
    }
    kept.dedup();
    kept
}

/// Points at even horizontal distances along a line in parts, none in its gaps; lines of different `shift` have theirs
/// at different positions.
pub(crate) fn spaced(parts: &[Vec<(i32, i32)>], shift: usize) -> Vec<(i32, i32)> {
    let ends = parts.first().and_then(|part| part.first()).zip(parts.last().and_then(|part| part.last()));
    let Some((first, last)) = ends else {
        return Vec::new();
    };
    let distance = (last.0 - first.0) / MARKERS;
    if distance == 0 {
        return vec![*last];
    }
    // Golden-ratio steps keep any number of lines apart.
    let phase = (shift as f64 * 0.618_033_988_75).fract() * 0.8 + 0.1;
    let at = |index: i32| first.0 + (f64::from(distance) * (f64::from(index) + phase)).round() as i32;
    let on_part = |x: i32| parts.iter().find_map(|part| on_line(part, x));
    (0..MARKERS).filter_map(|index| on_part(at(index))).collect()
}

/// The line's point at the horizontal position `x`, between its points where need be; `None` beyond its ends.
fn on_line(line: &[(i32, i32)], x: i32) -> Option<(i32, i32)> {
    let after = line.iter().position(|point| point.0 >= x)?;
    if after == 0 && line[0].0 > x {
        return None;
    }
    let (right, left) = (line[after], line[after.saturating_sub(1)]);
    if right.0 == left.0 {
        return Some(right);
    }
    let share = f64::from(x - left.0) / f64::from(right.0 - left.0);
    Some((x, left.1 + (share * f64::from(right.1 - left.1)).round() as i32))
}

/// A filled marker around `center`, sized with the line.
pub(crate) fn draw_marker(area: &Area, center: (i32, i32), style: &LineStyle, line: f64) {
    // A white rim keeps the marker apart from a noisy line.
    draw_shape(area, center, style.marker, units(2.6 * line), WHITE);
    draw_shape(area, center, style.marker, units(2.0 * line), style.color);
}

/// A small open arrowhead inside the frame whose tip touches its upper or lower edge at `tip`: here a line leaves. No
/// arm has such a marker.
pub(crate) fn draw_exit(area: &Area, tip: (i32, i32), above: bool, color: Rgb, line: f64) {
    let (half, height) = (units(2.0 * line), units(2.6 * line) * if above { 1 } else { -1 });
    area.path(vec![(tip.0 - half, tip.1 + height), tip, (tip.0 + half, tip.1 + height)], stroke(line, color));
}

/// The same at the right edge of the frame, or the left one: here a line goes on beyond the axis.
pub(crate) fn draw_side_exit(area: &Area, tip: (i32, i32), right: bool, color: Rgb, line: f64) {
    let (half, width) = (units(2.0 * line), units(2.6 * line) * if right { -1 } else { 1 });
    area.path(vec![(tip.0 + width, tip.1 - half), tip, (tip.0 + width, tip.1 + half)], stroke(line, color));
}

/// Whether a marker around `center`, with its rim, would meet the arrowhead with this tip: each reaches 2.6 lines far.
pub(crate) fn is_covered(center: (i32, i32), tip: (i32, i32), line: f64) -> bool {
    let near = |one: i32, other: i32| (one - other).abs() < units(5.2 * line);
    near(center.0, tip.0) && near(center.1, tip.1)
}

fn draw_shape(area: &Area, center: (i32, i32), marker: Marker, radius: i32, color: Rgb) {
    match corners(center, marker, radius) {
        None => area.draw(&Circle::new(center, radius, fill(color, 1.0))),
        Some(corners) => area.draw(&Polygon::new(corners, fill(color, 1.0))),
    }
}

/// The marker's corners; `None` of a circle.
fn corners(center: (i32, i32), marker: Marker, radius: i32) -> Option<Vec<(i32, i32)>> {
    let offset = |d: f64| (d * f64::from(radius)).round() as i32;
    let shape: &[(f64, f64)] = match marker {
        Marker::Circle => return None,
        Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        Marker::Triangle => &[(0.0, -1.25), (1.1, 0.75), (-1.1, 0.75)],
        Marker::Diamond => &[(0.0, -1.35), (1.0, 0.0), (0.0, 1.35), (-1.0, 0.0)],
        Marker::TriangleDown => &[(0.0, 1.25), (1.1, -0.75), (-1.1, -0.75)],
    };
    Some(shape.iter().map(|&(x, y)| (center.0 + offset(x), center.1 + offset(y))).collect())
}

#[cfg(test)]
mod tests {
    use super::{COLUMN, decimate, spaced};

    /// Of 1000 points in one column four stay: first (0), lowest on paper (largest y), highest, last; order kept.
    #[test]
    fn a_column_keeps_its_extremes() {
        let mut points: Vec<(i32, i32)> = (0..1000).map(|_| (3, 50)).collect();
        (points[0], points[200], points[700], points[999]) = ((3, 10), (3, 99), (3, -7), (3, 20));
        assert_eq!(decimate(&points), [(3, 10), (3, 99), (3, -7), (3, 20)]);
    }

    /// The leftmost point of a closed curve is none of the first, lowest, highest and last of its column.
    #[test]
    fn a_line_that_turns_back_stays() {
        let closed = [(90, 0), (2, 40), (1, 50), (0, 60), (1, 70), (2, 80), (90, 120), (90, 0)];
        assert_eq!(decimate(&closed), closed);
    }

    /// Points in different columns all stay.
    #[test]
    fn sparse_points_stay() {
        let points: Vec<(i32, i32)> = (0..50).map(|index| (index * COLUMN, index % 7)).collect();
        assert_eq!(decimate(&points), points);
    }

    /// Markers lie on the line: on y = 2x every one has y = 2x.
    #[test]
    fn markers_lie_on_the_line() {
        let line = [(0, 0), (600, 1200)];
        let markers = spaced(&[line.to_vec()], 1);
        assert_eq!(markers.len(), 6);
        assert!(markers.iter().all(|&(x, y)| y == 2 * x));
    }

    /// Markers keep out of a gap: the line has points up to 200 and from 400 on.
    #[test]
    fn markers_keep_out_of_gaps() {
        for shift in 0..9 {
            let markers = spaced(&[vec![(0, 0), (200, 0)], vec![(400, 0), (600, 0)]], shift);
            assert!(markers.len() >= 3 && markers.iter().all(|&(x, _)| !(201..400).contains(&x)), "{markers:?}");
        }
    }
}
