//! Points of a line as marks on paper: thinned to what print resolves, with markers at even distances; and lines across
//! an area that tell it from others where colours do not: grey print, and colour-blind readers.

use crate::scene::{Area, Point, fill, stroke};
use crate::style::{BLACK, LineStyle, Look, Marker, Rgb, WHITE, contrast};

/// Width of a column of the drawing within which only first, lowest, highest and last point are kept, in points.
const COLUMN: f64 = 0.4;
/// Markers on a line, at most, and how far apart they are at least, in points.
const MARKERS: usize = 6;
const APART: f64 = 10.0;
/// Sizes of filled markers and of outlines among points, in thicknesses of a line.
const FILLED: f64 = 2.0;
const OUTLINE: f64 = 2.4;

/// Keeps what can be seen: per column the first, lowest, highest and last point, in their order. A line that turns
/// back, as an ellipse does, has no columns: all of it stays.
pub(crate) fn decimate(points: &[Point]) -> Vec<Point> {
    if !points.is_sorted_by(|one, two| one.0 <= two.0) {
        return points.to_vec();
    }
    let column = |point: &Point| (point.0 / COLUMN).floor();
    let mut kept: Vec<Point> = Vec::new();
    for points in points.chunk_by(|one, two| column(one) == column(two)) {
        let by_height = |one: &usize, two: &usize| points[*one].1.total_cmp(&points[*two].1);
        let lowest = (0..points.len()).max_by(by_height).unwrap_or(0);
        let highest = (0..points.len()).min_by(by_height).unwrap_or(0);
        let mut chosen = vec![0, lowest, highest, points.len() - 1];
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| points[index]));
    }
    kept.dedup();
    kept
}

/// Points at even horizontal distances along a line in parts, none in its gaps, and its last point; lines of different
/// `shift` have theirs at different positions.
pub(crate) fn spaced(parts: &[Vec<Point>], shift: usize) -> Vec<Point> {
    let ends = parts.first().and_then(|part| part.first()).zip(parts.last().and_then(|part| part.last()));
    let Some((first, last)) = ends else { return Vec::new() };
    let length = last.0 - first.0;
    let count = ((length / APART) as usize).min(MARKERS);
    let distance = length / count as f64;
    // Golden-ratio steps keep any number of lines apart.
    let phase = (shift as f64 * 0.618_033_988_75).fract() * 0.8 + 0.1;
    let at = |index: usize| first.0 + distance * (index as f64 + phase);
    let on_part = |x: f64| parts.iter().find_map(|part| on_line(part, x));
    // The last of them would be too near to the end.
    (1..count).filter_map(|index| on_part(at(index - 1))).chain([*last]).collect()
}

/// The line's point at the horizontal position `x`, between its points where need be; `None` beyond its ends.
fn on_line(line: &[Point], x: f64) -> Option<Point> {
    let after = line.iter().position(|point| point.0 >= x)?;
    if after == 0 && line[0].0 > x {
        return None;
    }
    let (right, left) = (line[after], line[after.saturating_sub(1)]);
    if right.0 <= left.0 {
        return Some(right);
    }
    Some((x, left.1 + (x - left.0) / (right.0 - left.0) * (right.1 - left.1)))
}

pub(crate) fn draw_cross(area: &Area<'_>, (x, y): Point, style: &LineStyle, line: f64) {
    let half = 1.7 * line;
    for way in [-1.0, 1.0] {
        area.line(&[(x - half, y - way * half), (x + half, y + way * half)], stroke(line, style.color));
    }
}

/// A filled marker around `center`, sized with the line.
pub(crate) fn draw_marker(area: &Area<'_>, center: Point, style: &LineStyle, line: f64) {
    // A white rim keeps the marker apart from a noisy line.
    draw_area(area, center, style.marker, 2.6 * line, WHITE);
    draw_area(area, center, style.marker, FILLED * line, style.color);
}

/// A small open arrowhead inside the frame whose tip touches its edge, in the direction (right, down) in which a line
/// leaves there. No arm has such a marker.
pub(crate) fn draw_exit(area: &Area<'_>, (x, y): Point, (right, down): Point, color: Rgb, line: f64) {
    let (half, back) = (2.0 * line, 2.6 * line);
    let (x_back, y_back) = (x - right * back, y - down * back);
    let one = (x_back - down * half, y_back - right * half);
    let two = (x_back + down * half, y_back + right * half);
    area.line(&[one, (x, y), two], stroke(line, color));
}

/// Whether a marker around `center`, with its rim, would meet the arrowhead with this tip: each reaches 2.6 lines far.
pub(crate) fn is_covered(center: Point, tip: Point, line: f64) -> bool {
    (center.0 - tip.0).abs() < 5.2 * line && (center.1 - tip.1).abs() < 5.2 * line
}

/// A filled marker with a small white edge, so that it can be distinguished from one under it.
pub(crate) fn draw_edged(area: &Area<'_>, center: Point, style: &LineStyle, line: f64) {
    draw_area(area, center, style.marker, FILLED * line, style.color);
    draw_edge(area, center, style.marker, FILLED * line, (WHITE, 0.35 * line));
}

/// The marker's outline, slightly larger than a filled one, so that it shows what is under it and shows under a filled
/// one.
pub(crate) fn draw_outline(area: &Area<'_>, center: Point, style: &LineStyle, line: f64) {
    draw_edge(area, center, style.marker, OUTLINE * line, (style.color, 0.7 * line));
}

/// The line around a marker, of a colour and a width.
fn draw_edge(area: &Area<'_>, center: Point, marker: Marker, radius: f64, (color, width): (Rgb, f64)) {
    let line = stroke(width, color);
    match corners(center, marker, radius) {
        None => area.circle(center, radius, line),
        Some(mut corners) => {
            // Over the first side again, so that the last corner is joined, too.
            corners.extend_from_within(..2);
            area.line(&corners, line);
        }
    }
}

fn draw_area(area: &Area<'_>, center: Point, marker: Marker, radius: f64, color: Rgb) {
    match corners(center, marker, radius) {
        None => area.circle(center, radius, fill(color, 1.0)),
        Some(corners) => area.polygon(&corners, fill(color, 1.0)),
    }
}

/// The marker's corners; `None` of a circle.
fn corners(center: Point, marker: Marker, radius: f64) -> Option<Vec<Point>> {
    let shape: &[Point] = match marker {
        Marker::Circle => return None,
        Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        Marker::Triangle => &[(0.0, -1.25), (1.1, 0.75), (-1.1, 0.75)],
        Marker::Diamond => &[(0.0, -1.35), (1.0, 0.0), (0.0, 1.35), (-1.0, 0.0)],
        Marker::TriangleDown => &[(0.0, 1.25), (1.1, -0.75), (-1.1, -0.75)],
    };
    Some(shape.iter().map(|&(x, y)| (center.0 + x * radius, center.1 + y * radius)).collect())
}

/// From line to line, in sizes of tick labels, and the same of dense lines.
const STEP: f64 = 0.5;
const DENSE: f64 = 0.27;
/// Thickness of a line, in thicknesses of a line of data.
const THICKNESS: f64 = 0.5;

/// Contrast that lines have with what is under them.
const VISIBLE: f64 = 1.8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    Rising,
    Falling,
    Across,
    Upright,
}

/// Lines of one or several directions; none for a plain area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hatch {
    pub lines: &'static [Line],
    pub dense: bool,
}

pub(crate) const PLAIN: Hatch = Hatch { lines: &[], dense: false };
pub(crate) const RISING: Hatch = Hatch { lines: &[Line::Rising], dense: false };

/// Both ends of every line inside a box of that size, from its upper left corner.
fn lines(line: Line, (width, height): (f64, f64), step: f64) -> Vec<((f64, f64), (f64, f64))> {
    let ends = |at: f64| match line {
        // The line x + y = at, cut to the box, and its mirror image.
        Line::Rising => ((at.min(width), (at - width).max(0.0)), ((at - height).max(0.0), at.min(height))),
        Line::Falling => {
            ((width - at.min(width), (at - width).max(0.0)), (width - (at - height).max(0.0), at.min(height)))
        }
        Line::Across => ((0.0, at), (width, at)),
        Line::Upright => ((at, 0.0), (at, height)),
    };
    let reach = match line {
        Line::Rising | Line::Falling => width + height,
        Line::Across => height,
        Line::Upright => width,
    };
    // Half a step from the edge: a box as small as one step has a line, too.
    (0..).map(|index| (f64::from(index) + 0.5) * step).take_while(|at| *at < reach).map(ends).collect()
}

/// How a box is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxStyle {
    pub color: Rgb,
    pub hatch: Hatch,
    /// How much of the paper it covers.
    pub cover: f64,
}

/// The colour of a filling as it lies on paper.
pub(crate) fn on_paper(filling: &BoxStyle) -> Rgb {
    let (red, green, blue) = filling.color;
    let paled = |part: u8| (filling.cover * f64::from(part) + (1.0 - filling.cover) * 255.0).round() as u8;
    (paled(red), paled(green), paled(blue))
}

/// The colour of the lines on a filling: white, or its own where it is pale; darker ones where these would not be seen.
pub(crate) fn ink(filling: &BoxStyle) -> Rgb {
    let (light, dark) = if filling.cover < 1.0 { (filling.color, (0x60, 0x60, 0x60)) } else { (WHITE, BLACK) };
    if contrast(light, on_paper(filling)) >= VISIBLE { light } else { dark }
}

pub(crate) fn draw_filling(area: &Area<'_>, filling: &BoxStyle, [one, two]: [Point; 2], look: &Look) {
    let (left, top) = (one.0.min(two.0), one.1.min(two.1));
    let size = ((one.0 - two.0).abs(), (one.1 - two.1).abs());
    area.rectangle([(left, top), (left + size.0, top + size.1)], fill(filling.color, filling.cover));
    let style = stroke(THICKNESS * look.line, ink(filling));
    let step = look.tick * if filling.hatch.dense { DENSE } else { STEP };
    for (from, to) in filling.hatch.lines.iter().flat_map(|&line| lines(line, size, step)) {
        area.line(&[(left + from.0, top + from.1), (left + to.0, top + to.1)], style);
    }
}

#[cfg(test)]
mod tests {
    use super::{COLUMN, Line, decimate, lines, spaced};
    use proptest::prelude::*;

    /// Of 1000 points in one column four stay: first (0), lowest on paper (largest y), highest, last; order kept.
    #[test]
    fn a_column_keeps_its_extremes() {
        let mut points: Vec<(f64, f64)> = (0..1000).map(|_| (0.1, 50.0)).collect();
        (points[0].1, points[200].1, points[700].1, points[999].1) = (10.0, 99.0, -7.0, 20.0);
        assert_eq!(decimate(&points), [(0.1, 10.0), (0.1, 99.0), (0.1, -7.0), (0.1, 20.0)]);
    }

    /// The leftmost point of a closed curve is none of the first, lowest, highest and last of its column.
    #[test]
    fn a_line_that_turns_back_stays() {
        let closed = [(9.0, 0.0), (0.2, 4.0), (0.1, 5.0), (0.0, 6.0), (0.1, 7.0), (0.2, 8.0), (9.0, 12.0)];
        assert_eq!(decimate(&closed), closed);
    }

    /// Points in different columns all stay.
    #[test]
    fn sparse_points_stay() {
        let points: Vec<(f64, f64)> =
            (0..50).map(|index| (f64::from(index) * 1.01 * COLUMN, f64::from(index % 7))).collect();
        assert_eq!(decimate(&points), points);
    }

    /// Markers lie on the line and keep out of its gap; the last stands at its end.
    #[test]
    fn markers_lie_on_the_line() {
        for shift in 0..9 {
            let parts = [vec![(0.0, 0.0), (20.0, 40.0)], vec![(40.0, 80.0), (60.0, 120.0)]];
            let markers = spaced(&parts, shift);
            assert!(markers.len() >= 3 && markers.last() == Some(&(60.0, 120.0)), "{markers:?}");
            let on_line = |&(x, y): &(f64, f64)| (y - 2.0 * x).abs() < 1e-9 && !(20.01..40.0).contains(&x);
            assert!(markers.iter().all(on_line), "{markers:?}");
        }
    }

    proptest! {
        /// No line leaves its box, all have their slope, and neighbours are a step apart.
        #[test]
        fn lines_are_cut_to_their_box(width in 0.1f64..90.0, height in 0.1f64..20.0, step in 0.5f64..6.0) {
            for (line, slope) in [(Line::Rising, -1.0), (Line::Falling, 1.0), (Line::Across, 0.0)] {
                for ((x, y), (to_x, to_y)) in lines(line, (width, height), step) {
                    for (x, y) in [(x, y), (to_x, to_y)] {
                        prop_assert!(x >= -1e-9 && x <= width + 1e-9 && y >= -1e-9 && y <= height + 1e-9);
                    }
                    prop_assert!(((to_y - y) - slope * (to_x - x)).abs() < 1e-9);
                }
            }
            let across = lines(Line::Across, (width, height), step);
            prop_assert!(across.windows(2).all(|pair| (pair[1].0.1 - pair[0].0.1 - step).abs() < 1e-9));
            prop_assert_eq!(across.len(), (height / step - 0.5).ceil() as usize);
        }
    }
}
