//! Draws the shapes of a panel into its frame: lines are cut at its edges, and marked where they leave.

use super::clip::{along, between, clip};
use super::frame::{MARGIN, Placed};
use super::labels::{SetLabel, Wanted, beside};
use super::marks::{
    decimate, draw_cross, draw_edged, draw_exit, draw_filling, draw_marker, draw_outline, is_covered, spaced,
};
use super::{Form, Markers, Plot, Shape};
use crate::axes::Axis;
use crate::scene::{Anchor, Area, Point, Scene, SceneGroup, fill, stroke};
use crate::style::{BLACK, Look, Rgb, WHITE, dashes};
use crate::text::Rich;
use std::collections::BTreeSet;

/// How much of the paper a band covers, and a pale line.
pub(crate) const BAND: f64 = 0.18;
const PALE: f64 = 0.3;
/// Markers of a cloud in one square of this side, in points, are one.
const NEAR: f64 = 0.4;
/// How much of what is under them words at points cover.
const PAPER: f64 = 0.7;

/// The shapes of a panel; notes of what has no room.
pub(super) fn draw_shapes(canvas: &mut Scene, shapes: &[Shape], placed: &Placed, look: &Look) -> Vec<String> {
    let mut order: Vec<&Shape> = shapes.iter().collect();
    order.sort_by_key(|shape| shape.form.layer().0);
    let drawing = |shape| Painter::new(shape, placed, look);
    order.iter().for_each(|shape| drawing(*shape).draw(canvas));
    let size = look.tick;
    let WordsBeside { wanted, set, free } = WordsBeside::of(shapes, placed, look);
    canvas.layer(SceneGroup::new("paper"), |area| {
        for [left, top, right, bottom] in set[free..].iter().map(|label| label.bounds) {
            area.rectangle([(left, top), (right, bottom)], fill(WHITE, PAPER));
        }
    });
    for label in &set {
        canvas.text(&label.words, (label.bounds[0], label.baseline), size, Anchor::Start);
    }
    let is_left_out = |(number, one): &(usize, &Wanted)| one.is_name && set.iter().all(|label| label.number != *number);
    let left_out = wanted.iter().enumerate().filter(is_left_out);
    left_out.filter_map(|(_, one)| Some(one.words.as_ref()?.characters().collect())).collect()
}

struct WordsBeside {
    wanted: Vec<Wanted>,
    /// Those that have room: first so many that meet no line, then those that stand on lines.
    set: Vec<SetLabel>,
    free: usize,
}

impl WordsBeside {
    fn of(shapes: &[Shape], placed: &Placed, look: &Look) -> Self {
        let drawing = |shape| Painter::new(shape, placed, look);
        let lines: Vec<[Point; 2]> = shapes.iter().flat_map(|shape| drawing(shape).pieces()).collect();
        let wanted: Vec<Wanted> = shapes.iter().flat_map(|shape| drawing(shape).wanted()).collect();
        let room = (&placed.plot.frame, look.tick);
        let mut set = beside(&wanted, &lines, room, look);
        let mut free = set.len();
        // Names that have no room outwards stand on another side, and at last on lines.
        for is_free in [true, false] {
            let is_missing = |number: usize| set.iter().all(|label| label.number != number);
            let again = wanted.iter().enumerate().map(|(number, one)| Wanted {
                words: one.words.clone().filter(|_| one.is_name && is_missing(number)),
                toward: (0.0, 0.0),
                ..*one
            });
            let again: Vec<Wanted> = again.collect();
            // Words that met others would have one of these lines in them.
            let within = |SetLabel { bounds: [left, top, right, bottom], .. }: &SetLabel| {
                [*top, 0.5 * (top + bottom), *bottom].map(|y| [(*left, y), (*right, y)])
            };
            let mut around: Vec<[Point; 2]> = set.iter().flat_map(within).collect();
            around.extend(lines.iter().filter(|_| is_free));
            set.extend(beside(&again, &around, room, look));
            free = if is_free { set.len() } else { free };
        }
        Self { wanted, set, free }
    }
}

/// The words beside points that have room.
pub(super) fn named(shapes: &[Shape], placed: &Placed, look: &Look) -> Vec<String> {
    let words = WordsBeside::of(shapes, placed, look);
    words.set.iter().map(|label| label.words.characters().collect()).collect()
}

/// A shape and where it is drawn.
struct Painter<'a> {
    shape: &'a Shape,
    plot: &'a Plot,
    /// Room for words in a column of a name.
    column: f64,
    look: &'a Look,
}

impl<'a> Painter<'a> {
    fn new(shape: &'a Shape, placed: &'a Placed, look: &'a Look) -> Self {
        let columns = placed.names[1].len().max(1) as f64;
        let column = placed.plot.frame.width() / columns - 2.0 * MARGIN * look.tick;
        Self { shape, plot: &placed.plot, column, look }
    }

    fn draw(&self, canvas: &mut Scene) {
        let Shape { look: style, thickness, form, points } = self.shape;
        let (look, plot) = (self.look, self.plot);
        let places = || points.iter().filter_map(|&point| plot.of(point)).filter(|place| plot.holds(*place));
        let line = |width: f64| stroke(width * look.line, style.color);
        let group = SceneGroup::new(form.layer().1);
        let group = match form {
            Form::Line(markers) | Form::Steps(markers) => return self.line(canvas, *markers),
            Form::Band(lower) => return self.band(canvas, lower),
            Form::Words(words, color) => return self.words(canvas, words, color.unwrap_or(BLACK)),
            Form::Pale => group.pale(PALE),
            Form::Across | Form::Upright => group.dashed(dashes(style.dash, look)),
            _ => group,
        };
        canvas.layer(group, |area| match form {
            Form::Pale => self.parts(points).0.iter().for_each(|part| area.line(part, line(0.6))),
            Form::Dots { .. } | Form::Crosses => {
                let draw = match form {
                    Form::Dots { hollow: true } => draw_outline,
                    Form::Dots { .. } => draw_edged,
                    _ => draw_cross,
                };
                places().for_each(|center| draw(area, center, style, thickness * look.line));
            }
            Form::Cloud => {
                let mut drawn = BTreeSet::new();
                let square = |(x, y): &Point| ((x / NEAR).floor() as i64, (y / NEAR).floor() as i64);
                let seen = |center: &Point| drawn.insert(square(center));
                places().filter(seen).for_each(|center| draw_outline(area, center, style, 0.55 * look.line));
            }
            Form::Strokes => {
                let half = 2.2 * thickness * look.line;
                places().for_each(|(x, y)| area.line(&[(x, y - half), (x, y + half)], line(1.0)));
            }
            Form::Beyond => {
                let height = |&(_, y): &(f64, f64)| Some(plot.at((plot.x.low, plot.y.coordinate(y)?)).1);
                let tip = |height| draw_exit(area, (plot.frame.right, height), (1.0, 0.0), style.color, look.line);
                points.iter().filter_map(height).for_each(tip);
            }
            Form::Intervals => points.chunks_exact(2).for_each(|pair| self.interval(area, [pair[0], pair[1]])),
            Form::Boxes(filling) => {
                let corners = |pair: &[Point]| Some([self.inside(pair[0])?, self.inside(pair[1])?]);
                let corners = points.chunks_exact(2).filter_map(corners);
                corners.for_each(|corners| draw_filling(area, filling, corners, look));
            }
            Form::Across | Form::Upright => {
                points
                    .iter()
                    .filter_map(|&point| self.through(point))
                    .for_each(|ends| area.line(&ends, line(*thickness)));
            }
            _ => {}
        });
    }

    /// The ends of the line through the frame, across or upright, that passes a point; none if it is outside.
    fn through(&self, (x, y): Point) -> Option<[Point; 2]> {
        let Plot { frame, x: axis, y: upright, .. } = self.plot;
        if matches!(self.shape.form, Form::Across) {
            let height = self.plot.at((axis.low, upright.coordinate(y)?)).1;
            (frame.top..=frame.bottom).contains(&height).then_some([(frame.left, height), (frame.right, height)])
        } else {
            let across = self.plot.at((axis.coordinate(x)?, upright.low)).0;
            (frame.left..=frame.right).contains(&across).then_some([(across, frame.top), (across, frame.bottom)])
        }
    }

    fn words(&self, canvas: &mut Scene, words: &[String], color: Rgb) {
        for (words, point) in words.iter().zip(&self.shape.points) {
            let (words, Some((x, y))) = (Rich::plain(words), self.plot.of(*point)) else { continue };
            let size = words.fitting(self.shape.thickness * self.look.tick, self.column);
            canvas.colored_text(&words, (x, y + 0.33 * size), size, Anchor::Middle, color);
        }
    }

    /// The limits of the vertical axis, the smaller one first.
    fn bounds(&self) -> (f64, f64) {
        let (low, high) = (self.plot.y.low, self.plot.y.high);
        (low.min(high), low.max(high))
    }

    /// A position, moved into the frame.
    fn inside(&self, (x, y): (f64, f64)) -> Option<Point> {
        let (low, high) = self.bounds();
        let x = self.plot.x.coordinate(x)?.clamp(self.plot.x.low, self.plot.x.high);
        Some(self.plot.at((x, self.plot.y.coordinate(y)?.clamp(low, high))))
    }

    /// Points in axis coordinates; those without a horizontal coordinate are left out, values without a vertical one
    /// are at −∞.
    fn coordinates(&self, points: &[(f64, f64)]) -> Vec<Point> {
        let at = |&(x, y): &(f64, f64)| {
            Some((self.plot.x.coordinate(x)?, self.plot.y.coordinate(y).unwrap_or(f64::NEG_INFINITY)))
        };
        points.iter().filter_map(at).collect()
    }

    /// The parts of a line inside the frame, thinned to what print resolves, and where it leaves: the position and the
    /// direction, right and down.
    fn parts(&self, points: &[(f64, f64)]) -> (Vec<Vec<Point>>, Vec<(Point, Point)>) {
        let (plot, (low, high)) = (self.plot, self.bounds());
        let all = self.coordinates(points);
        let (within, beyond) = between(&all, plot.x.low, plot.x.high);
        let (parts, exits) = clip(&within, low, high);
        let parts = parts.iter().map(|part| decimate(&part.iter().map(|&at| plot.at(at)).collect::<Vec<_>>()));
        let up = exits.iter().map(|&(x, is_above)| {
            let (edge, down) = if is_above { (high, -1.0) } else { (low, 1.0) };
            (plot.at((x, edge)), (0.0, down))
        });
        let inside = |point: &&Point| (low..=high).contains(&point.1);
        let ends = [(within.first(), beyond[0], -1.0), (within.last(), beyond[1], 1.0)];
        let aside = ends.into_iter().filter_map(|(end, goes_on, right)| {
            let end = end.filter(|end| goes_on && inside(end))?;
            Some((plot.at(*end), (right, 0.0)))
        });
        (parts.collect(), up.chain(aside).collect())
    }

    fn line(&self, canvas: &mut Scene, markers: Markers) {
        let Shape { look: style, thickness, .. } = self.shape;
        let look = self.look;
        let (parts, exits) = self.parts(&self.shape.way());
        let width = thickness * look.line;
        canvas.layer(SceneGroup::new("line").dashed(dashes(style.dash, look)), |area| {
            for part in &parts {
                // A value between two gaps is a dot.
                if let [only] = part[..] {
                    area.circle(only, 0.6 * width, fill(style.color, 1.0));
                } else {
                    area.line(part, stroke(width, style.color));
                }
            }
        });
        let mut centers = self.centers(&parts, markers);
        let mut tips: Vec<(Point, Point)> = Vec::new();
        for (tip, direction) in exits {
            let is_near = |(known, _): &(Point, Point)| libm::hypot(known.0 - tip.0, known.1 - tip.1) < 4.0 * look.line;
            if !tips.iter().any(is_near) {
                tips.push((tip, direction));
            }
        }
        centers.retain(|center| !tips.iter().any(|(tip, _)| is_covered(*center, *tip, look.line)));
        canvas.layer(SceneGroup::new("markers"), |area| {
            centers.iter().for_each(|center| draw_marker(area, *center, style, look.line));
        });
        canvas.layer(SceneGroup::new("exits"), |area| {
            tips.iter().for_each(|(tip, direction)| draw_exit(area, *tip, *direction, style.color, look.line));
        });
    }

    /// Where the markers of a line in these parts stand.
    fn centers(&self, parts: &[Vec<Point>], markers: Markers) -> Vec<Point> {
        match markers {
            Markers::None => Vec::new(),
            Markers::Each => {
                let places = self.shape.points.iter().filter_map(|&point| self.plot.of(point));
                places.filter(|place| self.plot.holds(*place)).collect()
            }
            Markers::Spaced(number) => spaced(parts, number),
        }
    }

    /// The area between two edges, cut at the frame, with marks where they leave it.
    fn band(&self, canvas: &mut Scene, lower: &[(f64, f64)]) {
        let (plot, (low, high)) = (self.plot, self.bounds());
        let edge = |points: &[(f64, f64)]| -> Vec<Point> {
            let place = |axis: &Axis, value: f64| axis.coordinate(value).unwrap_or(f64::NEG_INFINITY);
            let points = points.iter().map(|&(x, y)| (place(&plot.y, y), place(&plot.x, x))).collect::<Vec<_>>();
            // First along the left and the right edge, then along the upper and the lower one.
            let swapped = along(&points, plot.x.low, plot.x.high).into_iter().map(|(y, x)| (x, y)).collect::<Vec<_>>();
            let line: Vec<Point> = along(&swapped, low, high).into_iter().map(|at| plot.at(at)).collect();
            decimate(&line)
        };
        let (one, two) = (edge(&self.shape.points), edge(lower));
        let outline: Vec<Point> = one.into_iter().chain(two.into_iter().rev()).collect();
        let color = self.shape.look.color;
        let exits = [&self.shape.points[..], lower].map(|edge| self.parts(edge).1).concat();
        canvas.layer(SceneGroup::new("band"), |area| {
            area.polygon(&outline, fill(color, BAND));
            // Where it goes on at the side its line has a mark.
            for (tip, direction) in exits.iter().filter(|(_, direction)| direction.1 != 0.0) {
                draw_exit(area, *tip, *direction, color, self.look.line);
            }
        });
    }

    /// From one value to another, upright or level; an end that is infinite or beyond the frame is an arrowhead at its
    /// edge.
    fn interval(&self, area: &Area<'_>, [from, to]: [(f64, f64); 2]) {
        let (plot, look, color) = (self.plot, self.look, self.shape.look.color);
        let line = stroke(0.8 * self.shape.thickness * look.line, color);
        let is_level = from.1 == to.1;
        let end = |(x, y): (f64, f64)| {
            let at = |axis: &Axis, value: f64| match axis.coordinate(value).filter(|at| at.is_finite()) {
                Some(at) => (at.clamp(axis.low.min(axis.high), axis.low.max(axis.high)), at),
                None if value > 0.0 => (axis.high, f64::INFINITY),
                None => (axis.low, f64::NEG_INFINITY),
            };
            let (x, y) = (at(&plot.x, x), at(&plot.y, y));
            let is_open = if is_level { x.0 != x.1 } else { y.0 != y.1 };
            (plot.at((x.0, y.0)), is_open)
        };
        let ends = [end(from), end(to)];
        area.line(&[ends[0].0, ends[1].0], line);
        let half = 1.5 * look.line;
        for ((at, is_open), way) in ends.into_iter().zip([-1.0, 1.0]) {
            match (is_open, is_level) {
                (true, true) => draw_exit(area, at, (way, 0.0), color, 0.8 * look.line),
                (true, false) => draw_exit(area, at, (0.0, -way), color, 0.8 * look.line),
                (false, true) => area.line(&[(at.0, at.1 - half), (at.0, at.1 + half)], line),
                (false, false) => area.line(&[(at.0 - half, at.1), (at.0 + half, at.1)], line),
            }
        }
    }

    /// The pieces of its lines, which no words may meet.
    fn pieces(&self) -> Vec<[Point; 2]> {
        match self.shape.form {
            Form::Line(_) | Form::Steps(_) => {
                let parts = self.parts(&self.shape.way()).0;
                parts.iter().flat_map(|part| part.windows(2)).map(|two| [two[0], two[1]]).collect()
            }
            Form::Intervals => {
                let pairs = self.shape.points.chunks_exact(2);
                pairs.filter_map(|two| Some([self.inside(two[0])?, self.inside(two[1])?])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The words that are to stand beside its points; points without words and markers of lines take room, too.
    fn wanted(&self) -> Vec<Wanted> {
        let half_width = self.shape.thickness * 2.6 * self.look.line;
        let words = match &self.shape.form {
            Form::Names(words) | Form::Counts(words) => words,
            Form::Line(markers) | Form::Steps(markers) => {
                let half_width = 2.6 * self.look.line;
                let marker = |at: Point| Wanted { at, half_width, words: None, toward: (0.0, 0.0), is_name: false };
                return self.centers(&self.parts(&self.shape.way()).0, *markers).into_iter().map(marker).collect();
            }
            _ => return Vec::new(),
        };
        let one = |(words, &point): (&String, &(f64, f64))| {
            let at = self.plot.of(point).filter(|at| self.plot.holds(*at))?;
            let words = (!words.is_empty()).then(|| Rich::plain(words));
            let middle = self.plot.frame.middle();
            let is_name = matches!(self.shape.form, Form::Names(_));
            let toward = if is_name { (at.0 - middle.0, at.1 - middle.1) } else { (0.0, 0.0) };
            Some(Wanted { at, half_width, words, toward, is_name })
        };
        words.iter().zip(&self.shape.points).filter_map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Grid, Panel, Shape, Side};
    use crate::scene::{Node, Outline};
    use crate::style::{LineStyle, Style};
    use proptest::prelude::*;

    proptest! {
        /// A band whose upper end is unknown from some level on fills the frame there to its right edge, and a lower
        /// end at no cost fills it to the left edge of a logarithmic axis.
        #[test]
        fn open_bands_go_on_to_the_edges(
            ends in prop::collection::vec((0.0f64..5.0, 6.0f64..90.0), 4..9), to in 7.0f64..40.0,
        ) {
            let levels = (0..).map(|level| 1.0 - 0.1 * f64::from(level));
            let lower = [0.0].into_iter().chain(ends.iter().map(|end| end.0 + 0.1));
            let upper = ends.iter().map(|end| end.1).chain([f64::INFINITY]);
            let edge = |costs: Vec<f64>| costs.into_iter().zip(levels.clone()).collect::<Vec<_>>();
            let (lower, upper) = (edge(lower.collect()), edge(upper.collect()));
            let window = [Some(1.0), Some(to)];
            let band = Shape::new(LineStyle::INK, Form::Band(lower), upper);
            let x = Side { scale: crate::axes::Scale::Log, window, ..Side::new("cost") };
            let panel = Panel { x, y: Side::new("level"), shapes: vec![band], ..Panel::default() };
            let grid = Grid { panels: vec![panel], ..Grid::default() };
            let scene = grid.laid(&Style::Icml.look()).scene;
            let polygon = scene.nodes.iter().find_map(|node| match node {
                Node::Group(group) if group.class == "band" => match &group.shapes[0].outline {
                    Outline::Polygon(points) => Some(points.clone()),
                    _ => None,
                },
                _ => None,
            });
            let polygon = polygon.unwrap();
            let (left, right) = crate::axes::range(polygon.iter().map(|point| point.0));
            prop_assert!(polygon.iter().all(|point| point.0.is_finite() && point.1.is_finite()));
            let at_edge = |edge: f64| polygon.iter().filter(|point| (point.0 - edge).abs() < 0.01).count();
            prop_assert!(right - left > 100.0 && at_edge(right) >= 1 && at_edge(left) >= 1, "{:?}", polygon);
            let lowest = polygon.iter().map(|point| point.1).fold(0.0, f64::max);
            let is_corner = |point: &(f64, f64)| point.0 > right - 0.01 && point.1 > lowest - 0.01;
            prop_assert!(polygon.iter().any(is_corner), "{:?}", polygon);
        }
    }
}
